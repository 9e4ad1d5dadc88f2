"""A person's verbs from the page: what they do is what the terminal does, and nobody's words are lost over them."""

from __future__ import annotations

import html
from dataclasses import replace

import pytest

from asgi_browser import TODAY, Browser
from dreamd.core.values import Status
from dreamd.core.world import Called
from dreamd.web.doors.keys import cut_keys
from dreamd.web.page import build_page
from household import Said

LATER = "2026-01-07T20:00:00Z"


def test_a_pin_and_its_end_are_those_of_the_terminal(browser):
    identity, seen = browser.seen("linter")
    answer = browser.do("pin", id=identity, seen=seen)
    assert (answer.status, browser.house.memory("linter").pinned, "no dream touches it" in answer.text) == (200, True, True)
    identity, seen = browser.seen("linter")
    assert browser.do("unpin", id=identity, seen=seen).status == 200
    assert not browser.house.memory("linter").pinned


def test_an_edit_is_a_run_that_can_be_taken_back(browser):
    identity, seen = browser.seen("linter")
    answer = browser.do("edit", id=identity, seen=seen, words="Always run the linter before every push.")
    assert answer.status == 200
    assert "Always run the linter before every push." in answer.text
    assert "every push" in browser.house.file_of("every push").read_text()
    run = browser.house.rows("SELECT id FROM run ORDER BY seq DESC LIMIT 1")[0][0]
    assert f"/night/{run}" in answer.text
    browser.house.undo(LATER, str(run))
    assert browser.house.memory("linter").text.endswith("the shared branch.")


def test_an_edit_that_meets_another_edit_is_shown_with_both_and_nothing_is_lost(browser):
    identity, seen = browser.seen("linter")
    assert browser.do("edit", id=identity, seen=seen, words="Run the linter first, says the terminal.").status == 200
    answer = browser.do("edit", id=identity, seen=seen, words="Run the linter twice & <b>slowly</b>.")
    assert answer.status == 409
    assert "Run the linter first, says the terminal." in answer.text
    assert "Run the linter twice &amp; &lt;b&gt;slowly&lt;/b&gt;." in answer.text
    assert browser.house.memory("linter").text == "Run the linter first, says the terminal."
    again = answer.text.partition('name="seen" value="')[2].partition('"')[0]
    assert browser.do("edit", id=identity, seen=again, words="Run the linter twice.").status == 200
    assert browser.house.memory("linter").text == "Run the linter twice."


def test_an_edit_that_meets_a_dream_is_a_conflict(browser):
    identity, seen = browser.seen("9090")
    browser.house.say(LATER, Said("The billing API now listens on port 9191.", conversation="three", at=LATER))
    browser.house.dream("2026-01-08T20:00:00Z")
    answer = browser.do("edit", id=identity, seen=seen, words="The billing API listens on port 9090, behind the proxy.")
    assert answer.status == 409
    assert "behind the proxy" in html.unescape(answer.text)
    assert browser.house.memory("9090").status is Status.SUPERSEDED


@pytest.mark.parametrize("verb", ["pin", "forget"])
def test_no_verb_acts_on_what_nobody_has_seen(browser, verb):
    identity, seen = browser.seen("linter")
    assert browser.do(verb, id=identity).status == 400
    assert browser.do("edit", id=identity, seen=seen, words="Run the linter at noon.").status == 200
    assert browser.do(verb, id=identity, seen=seen).status == 409
    assert (browser.house.memory("linter").pinned, browser.house.memory("linter").status) == (False, Status.LIVE)


def test_forget_takes_the_words_out_of_every_file_also_while_the_page_has_the_store_open(browser):
    identity, seen = browser.seen("linter")
    assert "linter" in browser.see("/memories?q=linter").text  # the store stays open for the next search
    answer = browser.do("forget", id=identity, seen=seen)
    assert (answer.status, "forgotten for good" in answer.text) == (200, True)
    home = browser.house.home
    assert [p for p in home.rglob("*") if p.is_file() and b"linter before pushing" in p.read_bytes()] == []
    assert browser.see(f"/memory/{identity}").status == 404


def test_what_was_replaced_comes_back(browser):
    identity, seen = browser.seen("8080")
    assert browser.do("restore", id=identity, seen=seen).status == 200
    assert (browser.house.memory("8080").status, browser.house.memory("9090").status) == (Status.LIVE, Status.SUPERSEDED)


@pytest.mark.parametrize(("choice", "this", "that"), [
    ("keep-a", Status.LIVE, Status.SUPERSEDED), ("keep-b", Status.SUPERSEDED, Status.LIVE), ("both", Status.LIVE, Status.LIVE),
    ("neither", Status.ARCHIVED, Status.ARCHIVED)])
def test_a_question_is_answered_in_each_of_its_ways(browser, choice, this, that):
    page = browser.see("/decide").text
    section = next(part for part in page.split('<section class="question"')[1:] if "port 7000" in part)
    seen = section.partition('name="seen" value="')[2].partition('"')[0]
    asked = section.partition('name="id" value="')[2].partition('"')[0]
    words, others = ("7000", "7001") if browser.house.memory("7000").id == asked else ("7001", "7000")
    assert "a person" in section and "2 questions wait." in page
    answer = browser.do("decide", id=asked, seen=seen, choice=choice)
    assert (answer.status, "1 question waits." in answer.text) == (200, True)
    assert (browser.house.memory(words).status, browser.house.memory(others).status) == (this, that)
    assert browser.do("decide", id=asked, seen=seen, choice=choice).status == 409


def test_undo_leads_to_a_view_that_tells_it_and_puts_it_back_at_once(browser):
    run = str(browser.house.rows("SELECT id FROM run WHERE kind = 'dream' ORDER BY seq DESC LIMIT 1")[0][0])
    before = {m.id: m.status for m in browser.house.memories()}
    asked = browser.see(f"/night/{run}/undo").text
    assert "it can be put back at once" in asked and "Cancel" in asked and "the whole of a dream" in asked
    answer = browser.do("undo", run=run, later="")
    undo = str(browser.house.rows("SELECT id FROM run WHERE kind = 'undo'")[0][0])
    assert (answer.status, answer.headers["hx-redirect"]) == (200, f"{browser.keys.base}/night/{run}?done={undo}")
    assert not [m for m in browser.house.memories() if "Monday" in m.text]
    told = browser.see(f"/night/{run}?done={undo}").text
    assert "You took back" in told and "Put it back" in told and "Take the whole night back" not in told
    assert browser.do("undo", run=run, later="").status == 409
    assert browser.do("undo", run=undo, later="", at=f"/night/{run}").status == 200
    assert {m.id: m.status for m in browser.house.memories()} == before
    again = browser.see("/").text
    assert "This was taken back" not in again and "Take the whole night back" in again


def test_a_memory_that_was_taken_back_says_so_and_is_put_back_from_its_own_page(browser):
    run = str(browser.house.rows("SELECT id FROM run WHERE kind = 'dream' ORDER BY seq DESC LIMIT 1")[0][0])
    identity = browser.house.memory("Monday").id
    assert browser.do("undo", run=run, only=identity, later="", at=f"/memory/{identity}").headers["hx-redirect"].startswith(
        f"{browser.keys.base}/memory/{identity}?done=")
    undo = str(browser.house.rows("SELECT id FROM run WHERE kind = 'undo'")[0][0])
    page = browser.see(f"/memory/{identity}").text
    assert f"run {undo}</a> took it back" in page and "Put it back" in page
    assert [verb for verb in ("/act/pin", "/act/edit", "/act/forget", "<dd>live") if verb in page] == []
    assert browser.do("undo", run=undo, only=identity, later="").status == 200
    assert browser.house.memory("Monday").status is Status.LIVE


def test_what_nothing_is_left_of_is_not_offered_again(browser):
    run = str(browser.house.rows("SELECT id FROM run WHERE kind = 'dream' ORDER BY seq LIMIT 1")[0][0])
    for one in browser.house.rows("SELECT DISTINCT memory FROM operation WHERE run = 1"):
        browser.do("undo", run=run, only=str(one[0]), later=browser.see(f"/night/{run}/undo?only={one[0]}").text.partition(
            'name="later" value="')[2].partition('"')[0])
    page = browser.see(f"/night/{run}").text
    assert "Take the whole night back" not in page and "put back" in page
    assert "taken back already" in browser.see(f"/night/{run}/undo").text


def test_a_command_on_the_page_names_the_home(lived):
    house = lived
    keys = cut_keys()
    world = replace(house.world(TODAY), called=Called("my home"))
    app, page = build_page(world, keys, embedder=house.embedder)
    seen = Browser(page, app, keys, house)
    seen.enter()
    assert "dream --home &#39;my home&#39; consolidate" in seen.see("/").text
    page.warm.close()


def test_what_was_said_is_shown_with_its_bold_and_its_code_and_nothing_else_of_markdown(browser):
    words = "Always run `make tide` first. **Why:** the <b>horn</b> sounded."
    browser.house.say(LATER, Said(words, conversation="three", at=LATER))
    browser.house.dream("2026-01-08T20:00:00Z")
    page = browser.see(f"/memory/{browser.house.memory('make tide').id}").text
    assert "<code>make tide</code> first. <strong>Why:</strong> the &lt;b&gt;horn&lt;/b&gt; sounded." in page


def test_the_second_thing_it_learned_is_taken_back_alone(browser):
    night = browser.see("/").text
    learned = next(part for part in night.split("<li data-stop>")[1:] if "Monday" in part)
    link = learned.partition("/undo?only=")
    run, only = link[0].rpartition("/night/")[2], link[2].partition('"')[0]
    assert "The rest of the run stands" in browser.see(f"/night/{run}/undo?only={only}").text
    assert browser.do("undo", run=run, only=only, later="").status == 200
    standing = {m.text: m.status for m in browser.house.memories()}
    assert "The staging database is restored every Monday." not in standing
    assert standing["The billing API now listens on port 9090."] is Status.LIVE
    assert "taken back" in browser.see("/").text and "put back" in browser.see("/").text


def test_an_undo_takes_no_later_run_with_it_that_was_not_shown(browser):
    first = str(browser.house.rows("SELECT id FROM run WHERE kind = 'dream' ORDER BY seq LIMIT 1")[0][0])
    assert browser.do("undo", run=first, later="").status == 409
    page = browser.see(f"/night/{first}/undo").text
    later = page.partition('name="later" value="')[2].partition('"')[0]
    assert browser.do("undo", run=first, later=later).status == 200


def test_a_verb_there_is_not_is_none(browser):
    assert browser.do("explode", id="x").status == 404


def test_a_secret_in_the_settings_or_the_words_is_never_sent(browser):
    identity, seen = browser.seen("linter")
    answer = browser.do("edit", id=identity, seen=seen, words="The token is ghp_0123456789abcdefghijABCDEFGHIJ012345 for CI.")
    assert "ghp_0123456789" not in answer.text


def test_a_decision_on_what_has_changed_since_is_none(browser):
    page = browser.see("/decide").text
    section = next(part for part in page.split('<section class="question"')[1:] if "port 7000" in part)
    seen = section.partition('name="seen" value="')[2].partition('"')[0]
    asked = section.partition('name="id" value="')[2].partition('"')[0]
    other = next(one.partition(":") for one in seen.split() if not one.startswith(asked))
    moved = browser.do("edit", id=other[0], seen="".join(other), words="The search gateway moved to port 7002.")
    assert moved.status == 200
    answer = browser.do("decide", id=asked, seen=seen, choice="keep-a")
    assert (answer.status, answer.headers["hx-retarget"]) == (409, "#trouble")
    assert browser.house.memory("7002").status is Status.LIVE


def test_no_act_waits_in_silence_where_a_dream_is_at_work(browser):
    from dreamd.core import locks
    from dreamd.core.locks import Owner

    run = str(browser.house.rows("SELECT id FROM run WHERE kind = 'dream' ORDER BY seq DESC LIMIT 1")[0][0])
    with browser.house.kit(LATER) as kit, locks.hold_dream(kit.paths.locks, Owner("a dream", kit.clock.now())):
        answer = browser.do("undo", run=run, later="")
        assert (answer.status, browser.see("/").status) == (423, 200)
    assert browser.house.memory("Monday").status is Status.LIVE
