"""What is asked of a language model is asked once, within every limit, and written down whatever comes in between."""

from __future__ import annotations

import pytest
from asking import CEDAR, USUAL, Died, FakeCaller, desk_in, failing, question

from dreamd.core import outage
from dreamd.core.clock import parse_instant
from dreamd.dream.asking.speaking import speaking
from dreamd.dream.report import CycleReport
from dreamd.llm import calling, ledger
from dreamd.models.language_model import Answer, Ask, Ending, Role, Used
from dreamd.probe import World, inspect
from dreamd.store.language import language_calls, sent_texts
from household import House

NIGHT = "2026-03-05T03:00:00Z"
NEXT = "2026-03-06T03:00:00Z"


@pytest.fixture
def on(house: House) -> House:
    """A house with a model configured."""
    house.furnish(llm={"backend": "openai", "model": "tiny"})
    return house


def test_an_answer_comes_back_and_the_call_is_written_down(on: House) -> None:
    caller = FakeCaller()
    with desk_in(on, caller, NIGHT) as desk:
        answer = desk.ask(question("the port is 8080"))
        (call,) = language_calls.load_calls(desk.kit.store)
    assert (answer.ending, answer.value, answer.model) == (Ending.ANSWERED, {"said": "the port is 8080"}, "tiny-1")
    assert (call.role, call.prompt, call.scope, call.model) == ("observer", "observer@1", CEDAR, "tiny-1")
    assert (call.used.tokens_in, call.used.tokens_out, call.ending) == (120, 30, Ending.ANSWERED)


def test_the_same_question_is_asked_once_and_a_second_dream_starts_nobody(on: House) -> None:
    first, second = FakeCaller(), FakeCaller()
    with desk_in(on, first, NIGHT) as desk:
        said = desk.ask(question())
        again = desk.ask(question())
    with desk_in(on, second, NEXT) as desk:
        later = desk.ask(question())
        assert desk.kit.run is None, "what was answered before leaves no trace"
    assert (again.ending, again.value) == (later.ending, later.value) == (Ending.KEPT, said.value)
    assert (len(first.asked), second.opened) == (1, 0)


def test_while_a_plan_is_carried_out_only_what_was_answered_before_counts(on: House) -> None:
    caller = FakeCaller()
    with desk_in(on, caller, NIGHT) as desk:
        desk.ask(question())
        desk.only_kept = True
        assert (desk.ask(question()).ending, desk.ask(question("b")).ending) == (Ending.KEPT, Ending.OFF)
    assert len(caller.asked) == 1


def test_with_the_model_off_nobody_is_asked(house: House) -> None:
    caller = FakeCaller()
    with desk_in(house, caller, NIGHT) as desk:
        assert desk.ask(question()).ending is Ending.OFF
        assert not any(desk.is_on(role) for role in Role)
    assert caller.opened == 0


def test_a_role_that_is_switched_off_and_a_scope_that_is_excluded_are_not_asked(house: House) -> None:
    house.furnish(llm={"backend": "openai", "judge": False, "exclude": ["Project:Cedar", "local"]})
    caller = FakeCaller()
    with desk_in(house, caller, NIGHT) as desk:
        assert desk.ask(question(role=Role.JUDGE, scope="user")).detail == "switched-off"
        assert desk.ask(question()).detail == desk.ask(question(scope="local:c1")).detail == "excluded"
        assert desk.ask(question(scope="project:cedarwood")).ending is Ending.ANSWERED
    assert [ask.scope for ask in caller.asked] == ["project:cedarwood"]


def test_a_secret_that_reached_the_desk_does_not_leave_it(on: House) -> None:
    caller = FakeCaller()
    with desk_in(on, caller, NIGHT) as desk:
        desk.ask(question("deploy with AKIAIOSFODNN7EXAMPLE and aws_secret_access_key=wJalrXUtnFEMIK7MDENGbPxRfiCYEXAMPLEKEY"))
    assert "AKIAIOSFODNN7EXAMPLE" not in caller.asked[0].data and "wJalrXUtnFEMI" not in caller.asked[0].data


def test_who_dies_between_call_and_record_has_used_the_worst_case(on: House) -> None:
    def die(_ask: Ask) -> Answer:
        raise Died

    with pytest.raises(Died), desk_in(on, FakeCaller(die), NIGHT) as desk:
        desk.ask(question())
    with desk_in(on, FakeCaller(), NIGHT) as desk:
        (call,) = language_calls.load_calls(desk.kit.store)
        assert call.ending is None
        assert call.used.tokens_in > len("What was said?a") and call.used.tokens_out == 100
        assert desk.ask(question()).ending is Ending.ANSWERED, "nothing was answered, so it is asked again"


@pytest.mark.parametrize("setting", ["requests_per_night", "tokens_per_night", "seconds_per_night", "requests_per_month",
                                     "tokens_per_month", "seconds_per_month", "cost_per_night", "cost_per_month"])
def test_no_ceiling_is_passed(house: House, setting: str) -> None:
    most = {"requests": 3, "tokens": 6000, "seconds": 100, "cost": 0.05}[setting.partition("_")[0]]
    house.furnish(llm={"backend": "openai", setting: most, "price_in": 10.0, "price_out": 30.0})
    caller = FakeCaller(lambda _ask: Answer(Ending.ANSWERED, {"said": "x"}, "tiny-1", Used(700, 0, 100, 19.0)))
    with desk_in(house, caller, NIGHT) as desk:
        endings = [desk.ask(question(str(n))) for n in range(20)]
        spent = language_calls.spent_between(desk.kit.store, desk.now.replace(hour=0), desk.now.replace(hour=23))
        assert desk.is_on(Role.OBSERVER) is (setting.partition("_")[0] != "requests")
        rest = language_calls.load_rest(desk.kit.store)
    made = {"requests": spent.requests, "tokens": spent.tokens, "seconds": spent.seconds, "cost": spent.cost}
    assert 0 < made[setting.partition("_")[0]] <= most
    assert (endings[-1].ending, endings[-1].detail) == (Ending.CEILING, setting)
    assert rest is not None and rest.why == setting
    assert rest.until.isoformat()[:10] == ("2026-03-06" if setting.endswith("night") else "2026-04-01")


def test_one_call_that_is_too_large_is_not_made_and_stops_no_other(house: House) -> None:
    house.furnish(llm={"backend": "openai", "tokens_per_call": 3000})
    caller = FakeCaller()
    with desk_in(house, caller, NIGHT) as desk:
        assert desk.ask(question("x" * 3000)).detail == "tokens_per_call"
        assert desk.ask(question("x")).ending is Ending.ANSWERED
        assert language_calls.load_rest(desk.kit.store) is None
    assert len(caller.asked) == 1


@pytest.mark.parametrize("ending", [Ending.REFUSED, Ending.INVALID, Ending.CUT, Ending.TOO_LARGE])
def test_what_fails_for_good_is_never_sent_again(on: House, ending: Ending) -> None:
    caller = FakeCaller(failing(ending, used=USUAL))
    for night in (NIGHT, NIGHT, NEXT, "2026-09-01T03:00:00Z"):
        with desk_in(on, caller, night) as desk:
            assert desk.ask(question()).ending is ending
    assert len(caller.asked) == 1


def test_after_three_failures_in_a_row_nobody_is_asked_and_later_once(on: House) -> None:
    caller = FakeCaller(failing(Ending.SILENT))
    with desk_in(on, caller, NIGHT) as desk:
        endings = [desk.ask(question(str(n), scope=f"project:p{n}")).ending for n in range(6)]
        rest = language_calls.load_rest(desk.kit.store)
    assert endings == [Ending.SILENT] * 3 + [Ending.WAITING] * 3
    assert rest is not None and rest.why == "circuit-open"
    with desk_in(on, caller, "2026-03-05T03:20:00Z") as desk:
        endings = [desk.ask(question(str(n), scope=f"project:p{n}")).ending for n in range(6)]
    assert endings == [Ending.SILENT] + [Ending.WAITING] * 5
    well = FakeCaller()
    with desk_in(on, well, NEXT) as desk:
        assert [desk.ask(question(str(n), scope=f"project:p{n}")).ending for n in range(3)] == [Ending.ANSWERED] * 3
        assert language_calls.load_rest(desk.kit.store) is None


def test_a_scope_backs_off_longer_each_time_and_the_others_go_on(on: House) -> None:
    def reply(ask: Ask) -> Answer:
        return failing(Ending.SILENT)(ask) if ask.scope == CEDAR else Answer(Ending.ANSWERED, {"said": "x"}, "tiny-1", USUAL)

    caller = FakeCaller(reply)
    asked_at = []
    for minute in (0, 1, 2, 4, 5, 6, 12, 20, 21, 22):
        with desk_in(on, caller, f"2026-03-05T03:{minute:02}:00Z") as desk:
            before = len(caller.asked)
            desk.ask(question("new"))
            asked_at += [minute] if len(caller.asked) > before else []
            assert desk.ask(question(str(minute), scope="user")).ending is Ending.ANSWERED
    assert asked_at == [0, 1, 5, 21]


def test_a_wait_that_a_backend_asks_for_is_kept(on: House) -> None:
    caller = FakeCaller(failing(Ending.LIMITED, retry_after_s=7200))
    with desk_in(on, caller, NIGHT) as desk:
        assert desk.ask(question()).ending is Ending.LIMITED
        assert desk.ask(question("b", scope="user")).detail == "rate-limited"
    with desk_in(on, caller, "2026-03-05T04:59:00Z") as desk:
        assert desk.ask(question("b", scope="user")).ending is Ending.WAITING
    with desk_in(on, FakeCaller(), "2026-03-05T05:00:01Z") as desk:
        assert desk.ask(question("b", scope="user")).ending is Ending.ANSWERED
    assert len(caller.asked) == 1


def test_a_role_that_gets_nowhere_ends_for_the_night(on: House) -> None:
    caller = FakeCaller()
    with desk_in(on, caller, NIGHT) as desk:
        for n in range(3):
            assert desk.ask(question(str(n), role=Role.REFLECTOR)).ending is Ending.ANSWERED
            desk.tell(Role.REFLECTOR, moved=False)
        assert desk.ask(question("4", role=Role.REFLECTOR)).detail == "no-progress"
        assert not desk.is_on(Role.REFLECTOR)
        assert desk.ask(question("4")).ending is Ending.ANSWERED
    with desk_in(on, caller, NEXT) as desk:
        assert desk.ask(question("4", role=Role.REFLECTOR)).ending is Ending.ANSWERED


def test_what_a_backend_does_not_say_counts_as_the_worst(on: House) -> None:
    with desk_in(on, FakeCaller(failing(Ending.SILENT)), NIGHT) as desk:
        desk.ask(question())
        (call,) = language_calls.load_calls(desk.kit.store)
    assert call.used.tokens_in > 1000 and call.used.tokens_out == 100
    with desk_in(on, FakeCaller(failing(Ending.UNREACHABLE)), NEXT) as desk:
        desk.ask(question())
        assert language_calls.load_calls(desk.kit.store)[0].used.tokens_in == 0


def test_a_backend_that_stumbles_is_tried_again_and_each_try_counts(on: House) -> None:
    caller = FakeCaller()
    well = caller.reply
    caller.reply = lambda ask: Answer(Ending.SERVER) if len(caller.asked) < 3 else well(ask)
    with desk_in(on, caller, NIGHT) as desk:
        assert desk.ask(question()).ending is Ending.ANSWERED
        assert len(language_calls.load_calls(desk.kit.store)) == len(caller.asked) == 3
    assert caller.waited_s == [2.0, 10.0]


def test_a_dead_backend_is_asked_three_times_in_a_night_and_no_more(on: House) -> None:
    caller = FakeCaller(failing(Ending.SERVER))
    with desk_in(on, caller, NIGHT) as desk:
        for n in range(9):
            desk.ask(question(str(n), scope=f"project:p{n}"))
    assert len(caller.asked) == 3


def test_no_try_passes_a_ceiling(house: House) -> None:
    house.furnish(llm={"backend": "openai", "requests_per_night": 2})
    caller = FakeCaller(failing(Ending.SERVER))
    with desk_in(house, caller, NIGHT) as desk:
        assert desk.ask(question()).detail == "requests_per_night"
    assert len(caller.asked) == 2


def test_a_key_that_is_refused_leaves_a_marker_until_somebody_answers(on: House) -> None:
    caller = FakeCaller(failing(Ending.UNAUTHORISED))
    with desk_in(on, caller, NIGHT) as desk:
        desk.ask(question())
        assert desk.ask(question("b", scope="user")).detail == "unauthorised"
    (marker,) = outage.read_markers(on.paths.outage)
    assert (marker.component, marker.code) == ("language-model", "unauthorised")
    on.dream(NIGHT)
    assert len(outage.read_markers(on.paths.outage)) == 1, "a dream that needed no model says nothing about it"
    with desk_in(on, FakeCaller(), NEXT) as desk:
        assert desk.ask(question()).ending is Ending.ANSWERED
    assert len(caller.asked) == 1 and outage.read_markers(on.paths.outage) == []


def test_a_program_that_took_more_than_a_call_may_is_silent_for_the_night(house: House) -> None:
    house.furnish(llm={"backend": "claude", "tokens_per_call": 5000})
    caller = FakeCaller(lambda _ask: Answer(Ending.ANSWERED, {"said": "x"}, "big", Used(90_000, 80_000, 100, 9.0, 0.1)))
    with desk_in(house, caller, NIGHT) as desk:
        assert desk.ask(question("a")).ending is Ending.ANSWERED
        assert desk.ask(question("b")).detail == "tokens_per_call"
    with desk_in(house, caller, NEXT) as desk:
        assert desk.ask(question("b")).ending is Ending.ANSWERED
    assert len(caller.asked) == 2


def test_a_dry_run_says_what_it_would_ask_and_asks_nobody(house: House) -> None:
    house.furnish(llm={"backend": "openai", "requests_per_night": 3})
    house.say(NIGHT, "The port of cedar is 8080.")
    caller = FakeCaller()
    with desk_in(house, caller, NIGHT) as desk:
        desk.kit.dry = True
        answers = [desk.ask(question(str(n))) for n in range(5)]
        assert [answer.detail for answer in answers] == ["dry-run"] * 3 + ["requests_per_night"] * 2
        assert len(desk.would) == 3
        assert language_calls.load_calls(desk.kit.store) == [] and desk.kit.run is None
    assert caller.opened == 0


def test_the_text_that_left_is_kept_for_seven_days_where_it_is_wanted(house: House) -> None:
    house.furnish(llm={"backend": "openai", "log_text": True})
    with desk_in(house, FakeCaller(), NIGHT) as desk:
        desk.ask(question("the marten sleeps"))
        told = sent_texts.load_text(house.paths, 1)
    assert told is not None and "What was said?" in told and "the marten sleeps" in told
    house.dream("2026-03-12T02:00:00Z")
    assert sent_texts.load_text(house.paths, 1) is not None
    house.dream("2026-03-12T04:00:00Z")
    assert sent_texts.list_texts(house.paths) == []


def test_without_the_wish_no_text_that_left_is_kept(on: House) -> None:
    with desk_in(on, FakeCaller(failing(Ending.REFUSED)), NIGHT) as desk:
        desk.ask(question("the marten sleeps"))
    left = [path for path in on.home.rglob("*") if path.is_file() and b"marten" in path.read_bytes()]
    assert left == []


def test_forgetting_reaches_what_was_answered_and_what_left(house: House) -> None:
    house.say(NIGHT, "The marten of cedar sleeps in the attic.")
    house.dream(NIGHT)
    house.furnish(llm={"backend": "openai", "log_text": True})
    with desk_in(house, FakeCaller(), NIGHT) as desk:
        desk.ask(question("it is the marten that sleeps up there"))
    with desk_in(house, FakeCaller(failing(Ending.REFUSED)), NIGHT) as desk:
        desk.ask(question("another"))
    house.forget(NEXT, "marten")
    left = [path for path in house.home.rglob("*") if path.is_file() and b"marten" in path.read_bytes()]
    assert left == []
    silent = FakeCaller()
    with desk_in(house, silent, NEXT) as desk:
        assert desk.ask(question("another")).ending is Ending.REFUSED
        assert len(language_calls.load_calls(desk.kit.store)) == 2, "what was spent is not forgotten"
    assert silent.asked == []


def test_status_probe_and_record_say_why_nobody_is_asked_and_the_day_it_goes_on(house: House) -> None:
    house.furnish(store={"zone": "Europe/Berlin"}, llm={"backend": "openai", "model": "tiny", "requests_per_night": 2})
    with desk_in(house, FakeCaller(), NIGHT) as desk:
        for n in range(4):
            desk.ask(question(str(n)))
        (told,) = desk.told()
        account = ledger.load_account(desk.kit.store, desk.settings, now=desk.now, zone=desk.kit.zone)
        lines = ledger.tell_account(account, desk.settings, desk.kit.zone)
        assert desk.counts["observer.answered"] == desk.counts["observer.ceiling"] == 2
    assert "2026-03-06" in told and "llm.requests_per_night" in told
    assert any("2 of 2 calls" in line for line in lines) and any("2026-03-06" in line for line in lines)
    config = house.root / "dream.toml"
    config.write_text('[llm]\nbackend = "openai"\n')
    checks = inspect(World(str(house.home), parse_instant(NIGHT), {}, str(config), False, False)).checks
    (said,) = [check for check in checks if check.name == "language-model"]
    assert said.verdict == "healthy" and "2026-03-06" in said.detail and "requests_per_night" in said.detail
    with desk_in(house, FakeCaller(), NEXT) as desk:
        account = ledger.load_account(desk.kit.store, desk.settings, now=desk.now, zone=desk.kit.zone)
        assert account.rest is None and account.month.spent.requests == 2


@pytest.mark.parametrize("setting", ["requests_per_night", "requests_per_month", "tokens_per_night"])
def test_a_ceiling_that_lets_nothing_through_is_told_though_nothing_was_asked(house: House, setting: str) -> None:
    house.furnish(llm={"backend": "openai", setting: 0})
    with desk_in(house, FakeCaller(), NIGHT) as desk:
        if desk.is_on(Role.OBSERVER):
            desk.ask(question())
        assert f"llm.{setting}" in " ".join(desk.told())
    config = house.root / "dream.toml"
    config.write_text('[llm]\nbackend = "openai"\n')
    checks = inspect(World(str(house.home), parse_instant(NIGHT), {}, str(config), False, False)).checks
    assert setting in next(check.detail for check in checks if check.name == "language-model")


def test_a_question_that_is_too_large_for_any_call_is_told(house: House) -> None:
    house.furnish(llm={"backend": "openai", "tokens_per_call": 600})
    with desk_in(house, FakeCaller(), NIGHT) as desk:
        assert desk.ask(question()).ending is Ending.CEILING
        (told,) = desk.told()
    assert "llm.tokens_per_call" in told and "raise it" in told


def test_a_ceiling_that_a_person_raised_stands_in_nobodys_way(house: House) -> None:
    house.furnish(llm={"backend": "openai", "tokens_per_night": 2000})
    with desk_in(house, FakeCaller(), NIGHT) as desk:
        desk.ask(question("a"))
        assert desk.ask(question("b" * 900)).detail == "tokens_per_night"
        rest = ledger.find_rest(desk.kit.store, desk.settings, now=desk.now, zone=desk.kit.zone)
        assert rest is not None and rest.why == "tokens_per_night"
    house.furnish(llm={"backend": "openai", "tokens_per_night": 9000})
    with desk_in(house, FakeCaller(), NIGHT) as desk:
        assert ledger.find_rest(desk.kit.store, desk.settings, now=desk.now, zone=desk.kit.zone) is None
        assert desk.ask(question("b" * 900)).ending is Ending.ANSWERED


def test_the_cached_share_is_told_by_role(on: House) -> None:
    caller = FakeCaller(lambda _ask: Answer(Ending.ANSWERED, {"said": "x"}, "t", Used(200, 150, 10, 1.0)))
    with desk_in(on, caller, NIGHT) as desk:
        desk.ask(question())
        account = ledger.load_account(desk.kit.store, desk.settings, now=desk.now, zone=desk.kit.zone)
    assert account.shares == {"observer": 0.75}


def test_a_dry_run_names_calls_tokens_and_cost(house: House) -> None:
    house.furnish(llm={"backend": "openai", "price_in": 1.0, "price_out": 2.0})
    house.say(NIGHT, "The port of cedar is 8080.")
    with desk_in(house, FakeCaller(), NIGHT) as desk:
        desk.kit.dry = True
        for n in range(3):
            desk.ask(question(str(n)))
        (told,) = desk.told()
    assert told.startswith("would ask a language model as observer: 3 calls, at most ") and "$" in told


def test_the_record_of_a_dream_counts_what_was_asked_and_how_it_ended(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    house.furnish(llm={"backend": "openai", "requests_per_night": 1})
    monkeypatch.setattr(calling, "open_caller", FakeCaller().open)
    report = CycleReport()
    with house.kit(NIGHT) as kit, speaking(kit, report):
        assert kit.language is not None
        for n in range(3):
            kit.language.ask(question(str(n)))
    assert {name: report.phases["language"][name] for name in ("observer.answered", "observer.ceiling", "requests")} == {
        "observer.answered": 1, "observer.ceiling": 2, "requests": 1}
    assert [line for line in report.warnings if "2026-03-06" in line and "requests_per_night" in line]


def test_the_night_in_which_the_circuit_opens_says_so_itself(on: House) -> None:
    with desk_in(on, FakeCaller(failing(Ending.UNREACHABLE)), NIGHT) as desk:
        desk.ask(question())
        (told,) = desk.told()
        assert "2026-03-05 03:15" in told and "three times in a row" in told
        assert language_calls.load_calls(desk.kit.store)[0].used.cost is None, "no price is known, and none is made up"
