"""JSON with comments: read as what it means, and added to without losing a sign."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dreamd.agents import jsonc

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8) | st.sampled_from(["//", "/* x */", ",}", '"', "\\"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3), max_leaves=6)
trivia = st.sampled_from(["", " ", "\n", "\t", "// a, b } ]\n", "/* { \" , */", "\r\n"])


@st.composite
def commented(draw: st.DrawFn, value: object) -> str:
    """A value as somebody could have written it."""
    if not isinstance(value, dict | list):
        return json.dumps(value, ensure_ascii=False)
    parts = [json.dumps(name, ensure_ascii=False) + draw(trivia) + ":" + draw(trivia) + draw(commented(one))
             for name, one in value.items()] if isinstance(value, dict) else [draw(commented(one)) for one in value]
    body = "".join(draw(trivia) + part + draw(trivia) + "," for part in parts)
    if not (parts and draw(st.booleans())):
        body = body.removesuffix(",")
    opened, closed = "{}" if isinstance(value, dict) else "[]"
    return opened + body + draw(trivia) + closed


@settings(max_examples=200, deadline=None)
@given(data=st.data(), document=st.dictionaries(st.text(max_size=4).filter(lambda k: k != "hooks"), values, max_size=4),
       hooks=st.dictionaries(st.sampled_from(["Stop", "Start"]), st.lists(values, max_size=2)), added=values)
def test_an_addition_changes_the_meaning_by_itself_alone_and_loses_no_sign(data, document, hooks, added):
    whole = {**document, "hooks": hooks}
    text = data.draw(trivia) + data.draw(commented(whole)) + data.draw(trivia)
    assert json.loads(jsonc.plain(text)) == whole
    assert len(jsonc.plain(text)) == len(text)
    new = jsonc.add(text, (), "fresh", added, indent="  ")
    assert json.loads(jsonc.plain(new)) == {**whole, "fresh": added}
    for event, entries in hooks.items():
        new = jsonc.add(text, ("hooks", event), None, added, indent="\t")
        assert json.loads(jsonc.plain(new)) == {**document, "hooks": {**hooks, event: [*entries, added]}}
        rest = iter(new)
        assert all(sign in rest for sign in text if not sign.isspace())


def test_plain_json_is_what_it_was():
    text = json.dumps({"a": "// no comment", "b": ["/* none */", ",}"], "c": {}}, indent=2)
    assert jsonc.plain(text) == text


@pytest.mark.parametrize("text", ["[]", "1", "{", '{"a": 1', '{"hooks": 3}', ""])
def test_what_has_no_such_place_is_refused(text):
    with pytest.raises(ValueError):
        jsonc.add(text, ("hooks",), "Stop", [], indent="  ")
