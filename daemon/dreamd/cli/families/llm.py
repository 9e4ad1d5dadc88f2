"""A language model for people: `dream llm setup|off|status|log`."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from dreamd.cli.context import Context
from dreamd.cli.printing import render
from dreamd.core.clock import iso
from dreamd.core.errors import ConfigError, DreamError, StoreMissing, UsageError
from dreamd.core.paths import default_config
from dreamd.core.settings import LlmSettings, Settings
from dreamd.models.language_model import Answer, Ending

if TYPE_CHECKING:
    from dreamd.llm.choosing import Found
    from dreamd.store.connection import Store
    from dreamd.store.language.language_calls import Call, Spent

BACKENDS = ("claude", "codex", "openai", "anthropic")
ROLES = {"observer": "observe", "judge": "judge", "reflector": "reflect", "query": "rewrite_queries"}
LIMITED = ("requests", "tokens", "seconds", "cost")
ABOUT = """\
Without a language model dream is safe and reads like a careful clerk. With one, which is off until you switch it on, a
model reads what is new in your conversations and says what is worth keeping (observer), decides pairs that the judge
leaves in doubt (judge), proposes what to promote, reword, merge or retire (reflector), and may reword a search (query).

What it can do: bring in what was said and missed, always with the line it rests on. What it cannot do: raise trust,
forget, pass a guard or a limit, reword what you wrote. Everything it did is in the journal: `dream undo --model NAME`.

What leaves the machine: what was said in conversations that have something new, names and paths too, secrets masked;
pairs of statements, lines of the memory and, where it may reword them, searches. No file, and no output of tools. It
goes where `dream llm status` says and nowhere else; a server on this machine keeps it here. What `llm.exclude` names
and what `.dreamignore` covers never leaves; with `llm.log_text` you can read all that left.

What it costs: never more than the ceilings in `[llm]`: calls, tokens, seconds and US dollars for a call, a night and a
month, reserved before each call. Where no price is known only tokens count; `claude` and `codex` use up your plan. Once a
ceiling is reached the night goes on without a model, and `dream status` says until when."""
HINTS = {
    "not-installed": "install the program, or for `openai` and `anthropic` the extra: `pip install 'dreamd[llm]'`",
    "too-old": "update the program: this version lacks options that keep it from keeping a session",
    "not-logged-in": "log in with the program itself, then again",
    "http-401": "is the right key in `{key}`? `--key-variable NAME` names another variable",
    "http-404": "is the name of the model right? `--model NAME`",
    "timeout": "raise `llm.timeout_s`: a local model may need minutes",
    **dict.fromkeys(("schema", "no-json", "empty"), "it did not answer in the form it was asked for; another model may"),
    **dict.fromkeys(("no-connection", "APIConnectionError"), "does it run there, and is there a network?"),
}
LATER = "the server is there and answers nobody now: try again later"
BY_ENDING = {Ending.UNAUTHORISED: "the key is taken and not the account: look at its limits and its balance",
             Ending.LIMITED: LATER, Ending.SERVER: LATER, Ending.CUT: "another model may answer within the limits of `[llm]`",
             Ending.TOO_LARGE: "it did not answer in the form it was asked for; another model may",
             Ending.REFUSED: "another model may answer: `--model NAME`", Ending.INVALID: "another model may",
             Ending.SILENT: "raise `llm.timeout_s`: a local model may need minutes",
             Ending.UNREACHABLE: "does it run there, and is there a network?"}
"""What to do after a failure that has no hint of its own."""


def add_arguments(_command: str, parser: ArgumentParser) -> None:
    """Declare what `dream llm` takes."""
    parser.description = ABOUT
    parser.add_argument("action", choices=("setup", "off", "status", "log"), nargs="?", default="status")
    parser.add_argument("which", nargs="?", metavar="BACKEND|CALL", help=f"for `setup` one of {', '.join(BACKENDS)}; for `log` "
                        "the number of a call, to see the text that left with it")
    parser.add_argument("--base-url", metavar="URL", help="address of a server that speaks the OpenAI protocol")
    parser.add_argument("--model", metavar="NAME", help="name of the model")
    parser.add_argument("--key-variable", metavar="NAME", help="environment variable that holds the key")
    parser.add_argument("--yes", action="store_true", help="do not ask")
    parser.add_argument("-k", type=int, default=20, metavar="N", help="calls that `log` shows (20)")


def run(context: Context, options: Namespace) -> int:
    """Carry one of them out."""
    actions: dict[str, Callable[[Context, Namespace], int]] = {"setup": setup, "off": off, "status": status, "log": log}
    return actions[options.action](context, options)


def setup(context: Context, options: Namespace) -> int:
    """Find what there is, show what it would mean, ask once, try one call, and only then switch it on."""
    from dreamd.llm import choosing

    found = choosing.find_backends(context.world.env)
    for line in render.table([(f.backend, f.told, f.base_url, ", ".join(f.models[:3])) for f in found]):
        context.tell(f"found  {line.rstrip()}")
    settings = _chosen(context, options, found)
    _check_installed(settings.llm.backend)
    _explain(context, settings)
    if not options.yes and not context.agrees("try one call, and use it from now on?"):
        context.say("nothing was changed")
        return 0
    settings, answer = choosing.try_backend(settings, context.world)
    if not answer.ending.carries_value:
        raise DreamError(f"the first call failed, nothing was changed: {answer.ending.value} ({answer.detail})",
                         hint=_hint(answer, settings.llm))
    _write(context, options, {name: getattr(settings.llm, name) for name in
                              ("backend", "base_url", "model", "key_variable", "answer_form")})
    context.document({"backend": settings.llm.backend, "model": answer.model, "base_url": settings.llm.base_url or None,
                      "answer_form": settings.llm.answer_form, "tried": {"ending": answer.ending.value, **asdict(answer.used)}})
    context.say(f"`{answer.model or settings.llm.backend}` answered after {answer.used.seconds:.1f} s; it is on from the next "
                "dream. `dream llm off` switches it off.")
    _mention_service(context)
    return 0


def _hint(answer: Answer, llm: LlmSettings) -> str | None:
    from dreamd.llm.backends import Backend

    hint = HINTS.get(answer.detail, BY_ENDING.get(answer.ending))
    return hint.format(key=Backend.of(llm).key_variable) if hint else None


def _chosen(context: Context, options: Namespace, found: list[Found]) -> Settings:
    named = options.which or ("openai" if options.base_url else found[0].backend if found else None)
    if named is None:
        raise DreamError("nothing was found that could be asked", hint="install `claude` or `codex`, start a server such as "
                         "Ollama, or name one: `dream llm setup openai --base-url URL --model NAME`")
    if named not in BACKENDS:
        raise UsageError(f"there is no backend `{named}`", hint=f"one of {', '.join(BACKENDS)}")
    here = next((f for f in found if f.backend == named), None)
    url = options.base_url or (here.base_url if here and named == "openai" else "")
    from dreamd.llm.choosing import list_models

    models = (list_models(url) or ()) if url and not options.model else ()
    model = options.model or (models[0] if models else "")
    if not model and named in ("openai", "anthropic"):
        raise UsageError(f"`{named}` needs the name of a model", hint=f"`dream llm setup {named} --model NAME`")
    return replace(context.world.settings, llm=replace(
        context.world.settings.llm, backend=named, base_url=url, model=model, key_variable=options.key_variable or ""))


def _check_installed(backend: str) -> None:
    missing = [name for name in ("jsonschema", "pydantic", *((backend,) if backend in ("openai", "anthropic") else ()))
               if find_spec(name) is None]
    if missing:
        extra = "anthropic" if backend == "anthropic" else "llm"
        raise ConfigError(f"{', '.join(missing)} is not installed", hint=f"`pip install 'dreamd[{extra}]'`")


def _explain(context: Context, settings: Settings) -> None:
    from dreamd.llm.choosing import destination, is_local

    llm = settings.llm
    context.tell(f"\nasked   {llm.backend}{f', model `{llm.model}`' if llm.model else ''}")
    context.tell(f"goes to {destination(settings)}")
    if llm.base_url.startswith("http://") and not is_local(llm.base_url):
        context.warn("the text would travel unencrypted: the address begins with `http://`")
    context.tell("leaves  masked text of conversations with something new, pairs of statements in doubt, lines of the memory"
                 + (f"; never of {', '.join(llm.exclude)}" if llm.exclude else "; `llm.exclude` keeps scopes and projects out"))
    for span, told in _ceilings(llm).items():
        context.tell(f"a {span:<6}at most {told}")


def _ceilings(llm: LlmSettings) -> dict[str, str]:
    told = {}
    for span in ("night", "month"):
        calls, tokens, seconds, cost = (getattr(llm, f"{what}_per_{span}") for what in LIMITED)
        dear = max(llm.price_in, llm.price_out, llm.price_cached)
        if llm.backend == "claude":
            money = f"${cost:.2f} by the program's own count, of the plan it is logged in with"
        elif dear:
            money = f"${min(cost, tokens * dear / 1e6):.2f}"
        else:
            money = "price unknown, so only tokens count (`llm.price_in`, `llm.price_out`)"
        told[span] = f"{calls:,} calls, {tokens:,} tokens, {seconds / 60:.0f} min; {money}"
    return told


def off(context: Context, options: Namespace) -> int:
    """Ask nobody any more; what was chosen is kept for another time."""
    was = context.world.settings.llm.backend
    if was != "off":
        _write(context, options, {"backend": "off"})
    context.document({"backend": "off", "was": was})
    context.say("no language model is asked any more" if was != "off" else "it was off")
    _mention_service(context)
    return 0


def _write(context: Context, options: Namespace, keys: dict[str, str]) -> None:
    from dreamd.core.chosen.settings_file import write_keys

    named = context.world.settings.path or (Path(options.config).expanduser().absolute() if options.config else None)
    llm = context.world.settings.llm
    # A key that is empty and was never set needs no line.
    write_keys(named or default_config(context.world.env), "llm",
               {name: told for name, told in keys.items() if not told == getattr(LlmSettings(), name) == getattr(llm, name)})


def _mention_service(context: Context) -> None:
    from dreamd.service.installing.install import Installer
    from dreamd.service.installing.units import find_place

    with suppress(DreamError, OSError):
        if Installer(context.world, find_place(context.world, None)).standing().kind:
            context.tell("hint: `dream service install` once more: the service's calls are made by a unit of its own")


def status(context: Context, _options: Namespace) -> int:
    """Who is asked for what, what that used, and what stands in the way."""
    from dreamd.kit import read_zone
    from dreamd.llm.choosing import destination
    from dreamd.llm.ledger import load_account
    from dreamd.store.language.language_calls import load_calls

    settings, llm = context.world.settings, context.world.settings.llm
    store, last, resting = _store(context), None, None
    used: dict[str, Spent] = {}
    if store is not None:
        with store:
            zone = read_zone(store.meta("zone") or context.world.zone_name)
            account = load_account(store, llm, now=context.world.clock.now(), zone=zone)
            last = next(iter(load_calls(store, limit=1)), None)
            used, resting = {one.name: one.spent for one in (account.night, account.month)}, account.rest
    roles = {role: bool(getattr(llm, key)) and llm.backend != "off" for role, key in ROLES.items()}
    context.document({
        "backend": llm.backend, "model": llm.model or None, "base_url": llm.base_url or None, "roles": roles,
        "exclude": list(llm.exclude), "log_text": llm.log_text,
        "used": {span: _figures(one, llm, span) for span, one in used.items()},
        "resting": {"why": resting.why, "until": iso(resting.until)} if resting else None,
        "last": _row(last) if last else None})
    if llm.backend == "off":
        context.say("off: no language model is asked")
        context.tell("hint: `dream llm setup`")
        if not any(one.requests for one in used.values()):
            return 0
    else:
        context.say(f"{llm.backend}{f', model `{llm.model}`' if llm.model else ''}: asked at {destination(settings)}")
        context.say("asked for: " + (", ".join(role for role, on in roles.items() if on) or "nothing"))
    for span, one in used.items():
        context.say(f"this {span}: {one.requests} of {getattr(llm, f'requests_per_{span}'):,} calls, "
                    f"{one.tokens:,} of {getattr(llm, f'tokens_per_{span}'):,} tokens"
                    f" ({100 * _share(one):.0f} % of those in from the cache), {_money(one)}")
    if resting:
        context.say(f"rests until {render.stamp(resting.until)}: {resting.why}")
    if last and last.ending:
        context.say(f"last call: {last.role}, {last.ending.value}, {render.ago(last.at, context.world.clock.now())}")
    return 0


def _figures(one: Spent, llm: LlmSettings, span: str) -> dict[str, object]:
    most = {what: getattr(llm, f"{what}_per_{span}") for what in LIMITED}
    return {"requests": one.requests, "tokens_in": one.tokens_in, "cached": one.cached, "tokens_out": one.tokens_out,
            "seconds": round(one.seconds, 1), "cost": one.cost if one.priced else None, "cached_share": round(_share(one), 3),
            "most": most}


def _share(one: Spent) -> float:
    return one.cached / one.tokens_in if one.tokens_in else 0.0


def _money(one: Spent) -> str:
    return f"${one.cost:.4f}" if one.priced else "price unknown"


def log(context: Context, options: Namespace) -> int:
    """Each call, newest first; with a number, the text that left with it."""
    from dreamd.store.language.language_calls import load_calls

    store = _store(context)
    if store is None:
        raise StoreMissing(f"no store at `{context.world.paths.store}`", hint="run `dream note` or `dream ingest` first")
    with store:
        calls = load_calls(store, limit=10_000 if options.which else max(1, options.k))
    if options.which:
        return _text(context, options.which, calls)
    context.document({"calls": [_row(call) for call in calls]})
    rows = [(str(call.seq), render.stamp(call.at), call.role, call.model, f"{call.used.tokens_in:,}", f"{call.used.cached:,}",
             f"{call.used.tokens_out:,}", f"{call.used.seconds:.1f} s", _price(call), _ending(call)) for call in calls]
    if rows:
        heads = ("call", "at", "role", "model", "in", "cached", "out", "took", "cost", "outcome")
        for line in render.table([heads, *rows]):
            context.say(line.rstrip())
    else:
        context.say("no call was made yet")
    return 0


def _text(context: Context, named: str, calls: list[Call]) -> int:
    from dreamd.store.language.sent_texts import load_text

    call = next((call for call in calls if str(call.seq) == named), None)
    if call is None:
        raise UsageError(f"there is no call `{named}`", hint="`dream llm log` lists them")
    text = load_text(context.world.paths, call.seq)
    if text is None:
        raise DreamError("the text of this call was not kept", hint="`llm.log_text = true` keeps each for seven days")
    context.document({**_row(call), "text": text})
    context.say(text)
    return 0


def _row(call: Call) -> dict[str, object]:
    return {"call": call.seq, "at": iso(call.at), "run": call.run, "role": call.role, "prompt": call.prompt,
            "model": call.model, "scope": call.scope, **asdict(call.used), "outcome": _ending(call),
            "detail": call.detail or None}


def _ending(call: Call) -> str:
    return call.ending.value if call.ending else "unknown"


def _price(call: Call) -> str:
    return "" if call.used.cost is None else f"${call.used.cost:.4f}"


def _store(context: Context) -> Store | None:
    from dreamd.store.connection import open_reader

    try:
        return open_reader(context.world.paths.store)
    except StoreMissing:
        return None
