"""`consolidate --full`: what stands is judged anew, by a plan that can be read first, within what a person decided."""

from __future__ import annotations

from datetime import datetime

import pytest

from dreamd.cli.main import main
from dreamd.core.values import Basis, Judgement, Origin, Relation, Status
from dreamd.dream import verbs
from dreamd.dream.cycle import CycleReport
from dreamd.dream.phases.compare import PairJudge
from dreamd.dream.planning import Wish
from household import House, Said, bare_commands, differences, every_byte, snapshot

FIRST, SECOND, NIGHT, LATER = "2026-01-05T09:00:00Z", "2026-01-12T09:00:00Z", "2026-01-12T20:00:00Z", "2026-01-13T20:00:00Z"
OLD_CI, NEW_CI = "Our CI runs on Jenkins.", "Builds are driven by GitHub Actions."
AGAIN, SHOWN = Wish(full=True), Wish(full=True, only_plan=True)
DUPLICATE = Judgement(Relation.DUPLICATE, 0.97, (), Basis.NONE, richer="a")
UPDATES, CONTRADICTS = Judgement(Relation.UPDATES, 0.97), Judgement(Relation.CONTRADICTS, 0.97)
UNRELATED = Judgement(Relation.UNRELATED, 0.97)


class Judges:
    """What a judge says of pairs, whichever side is asked first; unrelated is what it was not told of."""

    def __init__(self) -> None:
        self.said: dict[frozenset[str], Judgement] = {}

    def says(self, verdict: Judgement, *texts: str) -> None:
        """From now on these two have this verdict."""
        self.said[frozenset(texts)] = verdict

    def relate(self, a: str, _a_at: datetime, b: str, _b_at: datetime) -> Judgement:
        """What stands in for the judge."""
        return self.said.get(frozenset((a, b)), UNRELATED)


@pytest.fixture
def judge(monkeypatch: pytest.MonkeyPatch) -> Judges:
    """A judge that says what a test wants; every memory is near every other."""
    judges = Judges()
    monkeypatch.setattr(PairJudge, "relate", lambda _self, *pair: judges.relate(*pair))
    monkeypatch.setattr(PairJudge, "prepare", lambda *_: None)
    monkeypatch.setattr("dreamd.dream.planning.find_partners", lambda asked, everyone, *_, **__: {
        text: [other for other in dict.fromkeys(everyone) if other != text] for text in asked})
    return judges


def two(house: House, first: Said | str = OLD_CI, second: Said | str = NEW_CI, *, at: str = SECOND) -> None:
    """Two statements that an older judge left side by side, or whatever it made of them."""
    house.say(FIRST, first, "The tide tables are printed on yellow paper.")
    house.dream(FIRST)
    house.say(at, second)
    house.dream(NIGHT)


def statuses(house: House) -> dict[str, Status]:
    """Both, as they stand."""
    return {m.text: m.status for m in house.memories() if "yellow" not in m.text}


def told(report: CycleReport) -> list[tuple[str, str, str]]:
    """Every operation with its reason."""
    return [(c.op, c.after.text, c.reason) for c in report.changes]


def test_what_took_the_place_of_another_is_seen_by_a_better_judge(house: House, judge: Judges) -> None:
    two(house)
    judge.says(UPDATES, OLD_CI, NEW_CI)
    assert house.dream(LATER).changes == []  # a better judge alone changes nothing
    assert told(house.dream(LATER, AGAIN)) == [("supersede", OLD_CI, "later-statement")]
    assert statuses(house) == {OLD_CI: Status.SUPERSEDED, NEW_CI: Status.LIVE}
    assert house.memory(OLD_CI).superseded_by == house.memory(NEW_CI).id
    assert house.dream(LATER, AGAIN).changes == []
    house.undo(LATER)
    assert statuses(house) == {OLD_CI: Status.LIVE, NEW_CI: Status.LIVE}


def test_what_cannot_both_hold_is_put_before_a_person_once(house: House, judge: Judges) -> None:
    two(house, at=FIRST)
    judge.says(CONTRADICTS, OLD_CI, NEW_CI)
    assert sorted(told(house.dream(LATER, AGAIN)))[:2] == sorted(
        [("hold", text, "contradicts") for text in (OLD_CI, NEW_CI)])
    assert set(statuses(house).values()) == {Status.HELD}
    assert house.dream(LATER, AGAIN).changes == []
    with house.kit(LATER) as kit:
        verbs.decide(kit, house.memory(OLD_CI).id, verbs.BOTH)
    assert house.dream(LATER, AGAIN).changes == []
    assert set(statuses(house).values()) == {Status.LIVE}


def test_one_claim_that_stands_twice_becomes_one(house: House, judge: Judges) -> None:
    reworded = "Our CI runs on Jenkins, as ever."
    two(house, second=reworded)
    judge.says(DUPLICATE, OLD_CI, reworded)
    house.dream(LATER, AGAIN)
    assert sorted(statuses(house).values()) == [Status.LIVE, Status.SUPERSEDED]
    assert house.dream(LATER, AGAIN).changes == []


def test_what_waited_for_nothing_lives_again(house: House, judge: Judges) -> None:
    judge.says(CONTRADICTS, OLD_CI, NEW_CI)
    two(house, at=FIRST)
    assert set(statuses(house).values()) == {Status.HELD}
    assert house.dream(LATER, AGAIN).changes == []
    judge.says(UNRELATED, OLD_CI, NEW_CI)
    assert sorted(told(house.dream(LATER, AGAIN))) == sorted(
        ("revive", text, "no-longer-contradicts") for text in (OLD_CI, NEW_CI))
    assert set(statuses(house).values()) == {Status.LIVE}
    assert house.rows("SELECT * FROM link") == []
    assert house.dream(LATER, AGAIN).changes == []
    assert house.faults(LATER) == []


def test_what_nobody_vouches_for_goes_on_waiting_whatever_the_judge_says(house: House, judge: Judges) -> None:
    judge.says(CONTRADICTS, OLD_CI, NEW_CI)
    two(house, Said(OLD_CI, origin=Origin.WEB), Said(NEW_CI, origin=Origin.WEB), at=FIRST)
    judge.says(UNRELATED, OLD_CI, NEW_CI)
    house.dream(LATER, AGAIN)
    assert set(statuses(house).values()) == {Status.HELD}


def test_pins_stay_and_what_stands_against_them_waits(house: House, judge: Judges) -> None:
    two(house)
    with house.kit(NIGHT) as kit:
        verbs.pin(kit, house.memory(OLD_CI).id)
    judge.says(UPDATES, OLD_CI, NEW_CI)
    house.dream(LATER, AGAIN)
    assert statuses(house) == {OLD_CI: Status.LIVE, NEW_CI: Status.HELD}
    assert house.memory(NEW_CI).reason == "pinned-stands"


def test_a_pin_on_both_sides_leaves_both(house: House, judge: Judges) -> None:
    two(house, at=FIRST)
    with house.kit(NIGHT) as kit:
        for text in (OLD_CI, NEW_CI):
            verbs.pin(kit, house.memory(text).id)
    judge.says(CONTRADICTS, OLD_CI, NEW_CI)
    assert house.dream(LATER, AGAIN).changes == []


def test_an_agents_word_ends_at_a_persons(house: House, judge: Judges) -> None:
    two(house, second=Said(NEW_CI, origin=Origin.AGENT))
    judge.says(UPDATES, OLD_CI, NEW_CI)
    house.dream(LATER, AGAIN)
    assert statuses(house) == {OLD_CI: Status.LIVE, NEW_CI: Status.SUPERSEDED}


def test_a_statement_ends_one_by_its_time_alone_however_often_it_is_asked(house: House, judge: Judges) -> None:
    olds = [OLD_CI, "Our builds run on Jenkins.", "Builds run on Jenkins here."]
    house.say(FIRST, *olds)
    house.dream(FIRST)
    house.say(SECOND, NEW_CI)
    house.dream(NIGHT)
    for old in olds:
        judge.says(UPDATES, old, NEW_CI)
    for _ in range(2):
        house.dream(LATER, AGAIN)
        assert sorted(statuses(house).values()) == [Status.LIVE] * 3 + [Status.SUPERSEDED]


def test_no_more_is_retired_than_a_run_may_and_the_rest_waits(house: House, judge: Judges) -> None:
    pairs = [(f"Hall {n} is swept by the early shift.", f"Hall {n} is swept by the late shift.") for n in range(6)]
    house.say(FIRST, *(text for pair in pairs for text in pair), "The tide tables are printed on yellow paper.")
    house.dream(NIGHT)
    for pair in pairs:
        judge.says(CONTRADICTS, *pair)
    report = house.dream(LATER, AGAIN)
    assert report.outcome == "partial"
    assert sum(status is Status.HELD for status in statuses(house).values()) == 4  # five at most, and a pair goes together
    assert len({c.after.id for c in report.waiting}) == 8


def test_the_plan_shows_each_operation_and_changes_no_byte(house: House, judge: Judges) -> None:
    two(house)
    judge.says(UPDATES, OLD_CI, NEW_CI)
    before = every_byte(house.home)
    shown = house.dream(LATER, SHOWN)
    assert every_byte(house.home) == before
    done = house.dream(LATER, Wish(full=True, approved=shown.digest))
    assert told(done) == told(shown) == [("supersede", OLD_CI, "later-statement")]


def test_a_person_reads_what_would_end_what_takes_its_place_why_and_what_carries_it_out(
        house: House, judge: Judges, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    two(house)
    judge.says(UPDATES, OLD_CI, NEW_CI)
    house.person.mkdir()
    monkeypatch.setenv("HOME", str(house.person))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(house.person))
    before = every_byte(house.home)
    assert main(["--home", str(house.home), "--now", LATER, "consolidate", "--full", "--dry-run"]) == 0
    assert every_byte(house.home) == before
    shown = bare_commands(capsys.readouterr().out)
    told_in_turn = (OLD_CI, f"→ {NEW_CI}", "a later statement settled it", "`dream consolidate --full` carries it out")
    assert [words in shown for words in told_in_turn] == [True] * 4
    assert sorted(told_in_turn, key=shown.index) == list(told_in_turn)


def test_verdicts_of_another_judge_are_not_taken_for_ones_own(house: House) -> None:
    port, moved = "The billing API listens on port 8080.", "The billing API listens on port 9090."
    house.say(FIRST, port, moved)
    house.dream(NIGHT)
    with house.kit(NIGHT) as kit, kit.store.writing() as tx:
        assert tx.execute("UPDATE judged SET judge = 'judge-of-before', relation = 'duplicate'").rowcount
    before = snapshot(house.home)
    report = house.dream(LATER, SHOWN)
    assert report.phases["consolidate"]["judged"] > 0
    assert not any(c.op == "merge" for c in report.changes)
    assert differences(before, snapshot(house.home)) == []
