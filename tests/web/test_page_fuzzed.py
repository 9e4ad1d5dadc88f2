"""Whatever an address or a form says, the page answers with a page or says what is wrong: it never fails."""

from __future__ import annotations

from urllib.parse import quote

import pytest

ODD = ("²", "\ud800", "\x00", "9" * 30, "a:b")
QUERIES = [("/memories", "page"), ("/memories", "q"), ("/memories", "scope"), ("/memories", "order"), ("/memories", "age"),
           ("/memories", "status"), ("/night/1/undo", "only"), ("/decide", "id")]
FIELDS = {"pin": ("id", "seen"), "edit": ("id", "seen"), "forget": ("seen", "passage"), "decide": ("id", "seen", "choice"),
          "undo": ("run", "only", "later"), "redo": ("run",), "promote": ("id",)}
BODIES = ('{"id": "\\ud800"}', '{"\\ud800": "x"}', '{"id": 1}', "[]", "null", "{", "1e999")


@pytest.mark.parametrize(("path", "name"), QUERIES)
def test_no_question_in_an_address_breaks_a_view(onlooker, path, name):
    spelt = {odd: quote(odd.encode("utf-8", "surrogatepass"), safe="") for odd in ODD}
    assert [odd for odd in ODD if onlooker.see(f"{path}?{name}={spelt[odd]}").status >= 500] == []


@pytest.mark.parametrize("path", ["/night/{}", "/night/{}/undo", "/memory/{}"])
def test_no_name_in_an_address_breaks_a_view(onlooker, path):
    assert [odd for odd in ODD if odd != "\ud800" and onlooker.see(path.format(odd)).status >= 500] == []


@pytest.mark.parametrize("verb", FIELDS)
def test_no_word_in_a_form_breaks_an_act(browser, verb):
    identity, seen = browser.seen("Monday")
    given = {"id": identity, "seen": seen, "words": "the same words", "choice": "both", "run": "1", "only": "ffff", "later": ""}
    assert [name for name in FIELDS[verb] if browser.do(verb, **{**given, name: "²"}).status >= 500] == []
    assert browser.do(verb, **{**given, FIELDS[verb][0]: "\ud800"}).status == 400


@pytest.mark.parametrize("body", BODIES)
def test_what_is_no_text_is_a_mistake_of_the_sender(onlooker, body):
    headers = {"content-type": "application/json", "x-dream-token": onlooker.pen, "origin": f"http://{onlooker.host}"}
    assert onlooker("POST", f"{onlooker.keys.base}/act/pin", body=body.encode(), headers=headers).status == 400
