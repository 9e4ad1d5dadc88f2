"""What a conversation keeps for itself goes when it is over: what lasts into its project, the rest to the archive."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dreamd.core.clock import iso, parse_instant
from dreamd.core.values import Origin, Scope, Status
from dreamd.dream.cycle import Wish
from dreamd.service.gating.due import load_backlog
from dreamd.store.intake import inbox
from dreamd.store.scopes import conversation_scopes
from household import House, Said

LOCAL, PROJECT = "local:s-1", "project:kiln"
SAID = "2026-05-04T09:00:00Z"
SAME_DAY = "2026-05-04T20:00:00Z"
NEXT_NIGHT = "2026-05-05T20:00:00Z"
LATER = "2026-05-06T20:00:00Z"
LASTING = "Never fire the kiln above 1240 degrees."
PASSING = "The kiln is cooling down until 2026-05-20."
OTHERS = "The kiln of the other talk is switched by relay 9."


@pytest.fixture
def kiln(house, tmp_path: Path):
    """A conversation with a scope of its own, in which something lasting was said and something that is not."""
    place = tmp_path / "kiln" / ".git"
    place.mkdir(parents=True)
    (place / "HEAD").write_text("ref: refs/heads/main\n")
    house.say(SAID, Said(LASTING, scope=LOCAL, conversation="s-1"), Said(PASSING, scope=LOCAL, conversation="s-1"),
              Said(OTHERS, scope="local:s-2", conversation="s-2", origin=Origin.AGENT))
    house.dream(SAID)
    return house


def end(house, tmp_path: Path, at: str) -> None:
    over = inbox.Touched("session-end", "", "s-1", str(tmp_path / "kiln"), parse_instant(at))
    inbox.put_touched(house.paths, over, ticket="1")


def standing(house, scope: str, *statuses: Status) -> list[str]:
    return sorted(m.text for m in house.memories(*(statuses or (Status.LIVE,)), scope=scope))


def test_at_its_end_what_lasts_goes_into_the_project_and_the_rest_is_archived(kiln, tmp_path):
    end(kiln, tmp_path, SAME_DAY)
    kiln.dream(SAME_DAY)
    assert standing(kiln, LOCAL) == [] and standing(kiln, "local:s-2") == [OTHERS]
    assert standing(kiln, LOCAL, Status.ARCHIVED) == sorted([LASTING, PASSING])
    assert standing(kiln, PROJECT) == [LASTING]
    assert {m.reason for m in kiln.memories(Status.ARCHIVED)} == {"conversation-ended"}
    before = kiln.rows("SELECT COUNT(*) FROM operation")
    kiln.dream(SAME_DAY)
    assert kiln.rows("SELECT COUNT(*) FROM operation") == before
    assert kiln.faults(SAME_DAY) == []


def test_what_holds_only_now_stays_behind(kiln, tmp_path):
    kiln.say(SAID, Said("The kiln fan is broken at the moment.", scope=LOCAL, conversation="s-1"),
             Said("The kiln fan hangs above the west door.", scope=LOCAL, conversation="s-1"))
    end(kiln, tmp_path, SAME_DAY)
    kiln.dream(SAME_DAY)
    assert standing(kiln, PROJECT) == sorted([LASTING, "The kiln fan hangs above the west door."])


def test_a_day_without_a_sign_of_life_is_an_end_and_nobody_is_told_where_no_project_is_known(kiln):
    kiln.dream(SAME_DAY)
    assert standing(kiln, LOCAL) == sorted([LASTING, PASSING])
    kiln.dream(NEXT_NIGHT)
    assert (standing(kiln, LOCAL), standing(kiln, "local:s-2")) == ([LASTING], [])
    assert {str(m.scope) for m in kiln.memories()} == {LOCAL, "local:s-2"}
    assert ends_at(kiln) is None  # what stays makes no night
    assert kiln.dream(LATER).outcome == "nothing-to-do"


def test_what_stayed_alone_goes_into_its_project_once_that_is_known(kiln, tmp_path):
    kiln.dream(NEXT_NIGHT)
    end(kiln, tmp_path, LATER)
    kiln.dream(LATER)
    assert (standing(kiln, LOCAL), standing(kiln, PROJECT)) == ([], [LASTING])


def ends_at(house) -> str | None:
    """What the service reckons with."""
    with house.kit(SAID) as kit:
        end = load_backlog(kit.store).ends_at
    return iso(end) if end else None


def test_a_service_without_anything_new_knows_when_something_ends(kiln, tmp_path):
    assert ends_at(kiln) == "2026-05-05T09:00:00Z"  # a day after it was heard
    end(kiln, tmp_path, SAME_DAY)
    kiln.dream(SAME_DAY)
    assert ends_at(kiln) == "2026-05-05T09:00:00Z"  # the other conversation
    run = kiln.dream(NEXT_NIGHT).run
    assert ends_at(kiln) is None
    kiln.undo(LATER, run)
    assert ends_at(kiln) is None  # a person took it back: no night is for that
    kiln.say(LATER, Said("The market is closed until 2026-06-01.", scope="user"))
    kiln.dream(LATER)
    assert ends_at(kiln) == "2026-06-02T00:00:00Z"


def test_an_end_that_was_undone_is_not_made_again_until_something_new_is_heard(kiln, tmp_path):
    end(kiln, tmp_path, SAME_DAY)
    run = kiln.dream(SAME_DAY).run
    kiln.undo(SAME_DAY, run)
    assert standing(kiln, LOCAL) == sorted([LASTING, PASSING]) and standing(kiln, PROJECT) == []
    kiln.dream(LATER)
    assert standing(kiln, LOCAL) == sorted([LASTING, PASSING])
    end(kiln, tmp_path, LATER)
    kiln.dream(LATER)
    assert standing(kiln, LOCAL) == []


def test_a_conversation_that_goes_on_holds_what_it_said_before(kiln, tmp_path):
    end(kiln, tmp_path, SAME_DAY)
    kiln.dream(SAME_DAY)
    kiln.say(NEXT_NIGHT, Said(PASSING, scope=LOCAL, conversation="s-1", origin=Origin.USER))
    kiln.dream(NEXT_NIGHT)
    assert standing(kiln, LOCAL) == [PASSING]


def test_a_plan_says_what_the_end_of_a_conversation_will_do_and_does_exactly_that(kiln):
    with kiln.kit(NEXT_NIGHT) as kit:
        from dreamd.dream.cycle import run_cycle

        planned = run_cycle(kit, Wish(only_plan=True))
    assert [c.reason for c in planned.changes] == ["conversation-ended"] * 2
    assert kiln.dream(NEXT_NIGHT, Wish(approved=planned.digest)).digest == planned.digest


def test_what_was_promoted_is_forgotten_in_its_conversation_too(kiln, tmp_path):
    end(kiln, tmp_path, SAME_DAY)
    kiln.dream(SAME_DAY)
    with kiln.kit(SAME_DAY) as kit:
        from dreamd.dream import verbs

        mine = next(m.id for m in kiln.memories(Status.LIVE) if m.scope == Scope("project", "kiln"))
        verbs.forget(kit, [mine])
    assert all("1240" not in json.dumps([str(c) for c in row]) for row in kiln.rows("SELECT text FROM observation"))
    assert standing(kiln, LOCAL, Status.ARCHIVED) == [PASSING]


def looked_for(house: House) -> int:
    """How much SQLite does to find the conversations, in its own steps."""
    steps = [0]
    with house.kit(NEXT_NIGHT) as kit:
        kit.store.connection.set_progress_handler(lambda: steps.__setitem__(0, steps[0] + 1), 1)
        conversation_scopes.load_conversations(kit.store)
        kit.store.connection.set_progress_handler(None, 1)
    return steps[0]


def test_to_look_for_conversations_costs_no_more_where_more_was_said(tmp_path: Path) -> None:
    house = House(tmp_path)
    house.say(SAID, *(f"Gate {n} of the quay opens at {n} o'clock." for n in range(5)))
    house.dream(SAID)
    few = looked_for(house)
    house.say(SAID, *(f"Crane {n} of the quay lifts {n} tons." for n in range(60)))
    house.dream(SAME_DAY)
    assert looked_for(house) <= few + 10
