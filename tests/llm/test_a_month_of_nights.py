"""A month of nights with a ceiling: whatever dies or fails in between, no night and no month comes to more than was allowed."""

from __future__ import annotations

import random
from collections import Counter
from datetime import UTC, datetime, timedelta

import pytest
from asking import Died, FakeCaller, desk_in, question

from dreamd.dream.going_back import restore_store
from dreamd.models.language_model import Answer, Ask, Ending, Used
from dreamd.store.backups import back_up
from dreamd.store.language import language_calls
from household import House

BEGIN = datetime(2026, 3, 1, 3, 0, tzinfo=UTC)
LIMITS = {"requests_per_night": 6, "tokens_per_night": 9_000, "seconds_per_night": 150, "cost_per_night": 0.08,
          "requests_per_month": 90, "tokens_per_month": 80_000, "seconds_per_month": 2_000, "cost_per_month": 1.0}
FAILURES = (Ending.REFUSED, Ending.INVALID, Ending.CUT, Ending.SILENT, Ending.SERVER, Ending.LIMITED, Ending.TOO_LARGE)


class Meter:
    """What a backend really gave, by day and by month, also where nobody lived to write it down."""

    def __init__(self, seed: int, dies: float, fails: float) -> None:
        self.chance = random.Random(seed)
        self.dies, self.fails = dies, fails
        self.now = BEGIN
        self.used: Counter[str] = Counter()

    def reply(self, ask: Ask) -> Answer:
        """Answer, fail or die, and count it all the same."""
        used = Used(self.chance.randint(1, len(ask.data.encode()) + 400), 0, self.chance.randint(1, ask.most_out),
                    self.chance.uniform(0.1, ask.seconds))
        cost = (used.tokens_in * 10 + used.tokens_out * 30) / 1e6
        for name in (self.now.strftime("night %d"), "month"):
            self.used.update({f"{name} requests": 1, f"{name} tokens": used.tokens_in + used.tokens_out})
            self.used[f"{name} milliseconds"] += int(used.seconds * 1000)
            self.used[f"{name} microdollars"] += int(cost * 1e6)
        if self.chance.random() < self.dies:
            raise Died
        if self.chance.random() < self.fails:
            return Answer(self.chance.choice(FAILURES), None, "tiny", used)
        return Answer(Ending.ANSWERED, {"said": "x"}, "tiny", used)


@pytest.mark.parametrize(("seed", "dies", "fails"), [
    (2, 0.3, 0.1), *(pytest.param(*row, marks=pytest.mark.slow) for row in ((1, 0.0, 0.0), (3, 0.2, 0.2), (4, 0.9, 0.0),
                                                                            (5, 0.1, 0.6)))])
def test_no_night_and_no_month_passes_its_ceiling(house: House, seed: int, dies: float, fails: float) -> None:
    house.furnish(llm={"backend": "openai", "price_in": 10.0, "price_out": 30.0, **LIMITS})
    meter = Meter(seed, dies, fails)
    caller = FakeCaller(meter.reply)
    for night in range(31):
        for attempt in range(3):
            meter.now = BEGIN + timedelta(days=night, hours=attempt)
            try:
                with desk_in(house, caller, meter.now.isoformat()) as desk:
                    for n in range(8):
                        desk.ask(question(f"{night} {attempt} {n}", scope=f"project:p{n % 3}"))
            except Died:
                continue
    spent = meter.used
    nights = {name.partition(" requests")[0] for name in spent if name.endswith("requests") and name.startswith("night")}
    for name in (*nights, "month"):
        per = name.partition(" ")[0]
        assert spent[f"{name} requests"] <= LIMITS[f"requests_per_{per}"]
        assert spent[f"{name} tokens"] <= LIMITS[f"tokens_per_{per}"]
        assert spent[f"{name} milliseconds"] / 1000 <= LIMITS[f"seconds_per_{per}"]
        assert spent[f"{name} microdollars"] / 1e6 <= LIMITS[f"cost_per_{per}"]
    assert spent["month requests"] >= 15, "asking went on all the same"


def test_two_who_ask_at_once_do_not_pass_a_ceiling_together(house: House) -> None:
    house.furnish(llm={"backend": "openai", "requests_per_night": 1})
    second: list[Ending] = []

    def meanwhile(_ask: Ask) -> Answer:
        with desk_in(house, FakeCaller(), BEGIN.isoformat(), of_dream=False) as other:
            second.append(other.ask(question("b", scope="user")).ending)
        return Answer(Ending.ANSWERED, {"said": "x"}, "tiny", Used(10, 0, 10, 1.0))

    with desk_in(house, FakeCaller(meanwhile), BEGIN.isoformat()) as desk:
        assert desk.ask(question("a")).ending is Ending.ANSWERED
        assert len(language_calls.load_calls(desk.kit.store)) == 1
    assert second == [Ending.CEILING]


def test_a_clock_that_was_set_back_opens_no_new_budget(house: House) -> None:
    house.furnish(llm={"backend": "openai", "requests_per_night": 2})
    caller = FakeCaller()
    for now in ("2026-03-05T03:00:00Z", "2026-03-05T02:00:00Z", "2026-03-05T23:59:00Z", "2026-03-06T04:00:00Z"):
        with desk_in(house, caller, now) as desk:
            for n in range(3):
                desk.ask(question(f"{now} {n}"))
    assert len(caller.asked) == 2 + 2


def test_a_dream_before_midnight_and_one_after_it_are_of_one_night(house: House) -> None:
    house.furnish(llm={"backend": "openai", "requests_per_night": 2})
    caller = FakeCaller()
    for now in ("2026-03-05T23:50:00Z", "2026-03-06T00:10:00Z", "2026-03-06T11:00:00Z"):
        with desk_in(house, caller, now) as desk:
            for n in range(3):
                desk.ask(question(f"{now} {n}"))
    assert len(caller.asked) == 2


def test_going_back_to_an_older_store_opens_no_new_budget(house: House) -> None:
    house.say(BEGIN.isoformat(), "The port of cedar is 8080.")
    house.dream(BEGIN.isoformat())
    house.furnish(llm={"backend": "openai", "requests_per_night": 3})
    caller = FakeCaller()
    with desk_in(house, caller, BEGIN.isoformat()) as desk:
        desk.ask(question("a"))
    with house.kit(BEGIN.isoformat()) as kit:
        back_up(kit.store.connection, kit.paths, now=kit.clock.now(), keep=3, why="test")
    with desk_in(house, caller, BEGIN.isoformat()) as desk:
        desk.ask(question("b"))
    restore_store(house.world(BEGIN.isoformat()))
    with desk_in(house, caller, BEGIN.isoformat()) as desk:
        assert len(language_calls.load_calls(desk.kit.store)) == 2
        for n in range(3):
            desk.ask(question(f"c{n}"))
    assert len(caller.asked) == 3
