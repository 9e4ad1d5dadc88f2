"""Two statements of one talk that differ in a number, a name or a word are two, and each question finds its own."""

from __future__ import annotations

import json

import pytest

from dreamd.core.values import Status
from dreamd.recall.answer import Look, search
from dreamd.text.identifiers import are_written_apart
from household import House, Said

pytestmark = pytest.mark.model

NIGHT = "2026-03-03T20:00:00Z"
PAIRS = (
    ("Tenant 17 uses the EU region.", "Tenant 18 uses the US region.", "Which region does tenant 17 use?",
     "Which region does tenant 18 use?"),
    ("Shelf 4 holds the blue paint.", "Shelf 5 holds the blue paint.", "What does shelf 4 hold?", "What does shelf 5 hold?"),
    ("Queue q1 is drained every 5 minutes.", "Queue q2 is drained every 10 minutes.", "How often is queue q1 drained?",
     "How often is queue q2 drained?"),
    ("Cluster eu-1 runs Kubernetes 1.29.", "Cluster eu-2 runs Kubernetes 1.30.", "Which Kubernetes does cluster eu-1 run?",
     "Which Kubernetes does cluster eu-2 run?"),
    ("Batch 9 was baked with rye.", "Batch 10 was baked with spelt.", "What was batch 9 baked with?",
     "What was batch 10 baked with?"),
    ("The cron job backup-db starts at 02:00.", "The cron job backup-files starts at 03:00.", "When does backup-db start?",
     "When does backup-files start?"),
    ("Branch release-7 is frozen until 2027-05-01.", "Branch release-8 is frozen until 2027-06-01.",
     "Until when is release-7 frozen?", "Until when is release-8 frozen?"),
    ("Plan S costs 9 euros.", "Plan M costs 19 euros.", "What does plan S cost?", "What does plan M cost?"),
    ("The spring sale starts on 2027-03-01.", "The autumn sale starts on 2027-09-01.", "When does the spring sale start?",
     "When does the autumn sale start?"),
    ("Client A wants weekly reports.", "Client B wants monthly reports.", "How often does client A want reports?",
     "How often does client B want reports?"),
    ("Mr. Okoro prefers phone calls.", "Ms. Okoro prefers mail.", "What does Mr. Okoro prefer?", "What does Ms. Okoro prefer?"),
    ("Mara reviews the tariff changes.", "Jonas reviews the tariff changes.", "What does Mara review?",
     "What does Jonas review?"),
    ("Die Klasse 5b fährt nach Husum.", "Die Klasse 5c fährt nach Emden.", "Wohin fährt die Klasse 5b?",
     "Wohin fährt die Klasse 5c?"),
    ("Peter is on call on Mondays.", "Petra is on call on Mondays.", "When is Peter on call?", "When is Petra on call?"),
    ("Line 3 of the tram stops at the harbour.", "Line 8 of the tram stops at the harbour.", "Where does tram line 3 stop?",
     "Where does tram line 8 stop?"),
    ("El horno 31 usa leña.", "El horno 32 usa gas.", "¿Qué usa el horno 31?", "¿Qué usa el horno 32?"),
)
AGAIN = (
    ("Our ferry timetable lives in docs/ferry.md.", "Our ferry timetable lives in docs/ferry.md."),
    ("Always clean the lighthouse lamp in March.", "always clean the lighthouse lamp in March"),
    ("Always squash before merging.", "Always squash before merging!"), ("Our fiscal year begins in July.",) * 2,
    ("All timestamps are stored in UTC.", "all timestamps are stored in UTC"),
    ("Never let more than 12 boats into the boat house.",) * 2,
)


def talk(house: House, *messages: str) -> None:
    """One conversation, a message every twenty seconds."""
    folder = house.person / ".claude" / "projects" / "-srv-harbour"
    folder.mkdir(parents=True)
    lines = [{"type": "user", "uuid": f"u-{n}", "parentUuid": None, "isSidechain": False, "userType": "external",
              "cwd": "/srv/harbour", "sessionId": "s-1", "version": "2.1.231",
              "timestamp": f"2026-03-02T{9 + n // 180:02}:{n // 3 % 60:02}:{n % 3 * 20:02}.000Z",
              "message": {"role": "user", "content": text}} for n, text in enumerate(messages)]
    (folder / "s-1.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))


def as_told(text: str) -> str:
    return text.lower().rstrip(".!")


def unanswered(house: House) -> list[tuple[str, str]]:
    """Questions that are not answered with their own among the first three, and what came first."""
    wrong = []
    with house.kit(NIGHT) as kit:
        for one, other, of_one, of_other in PAIRS:
            for text, question in ((one, of_one), (other, of_other)):
                results = search(kit, question, Look(record=False)).results
                first = [as_told(one.memory.text) for one in results[:3]]
                if not any(as_told(text) in one for one in first):
                    wrong.append((question, first[0] if first else ""))
    return wrong


@pytest.mark.parametrize("apart", [5, pytest.param(1, marks=pytest.mark.slow)])
def test_each_of_two_alike_is_kept_and_found_by_its_own_question(thoughtful: House, apart: int) -> None:
    said = [text for one, other, *_ in PAIRS for text in (one, other)] + [text for pair in AGAIN for text in pair]
    talk(thoughtful, *(text for n in range(apart) for text in said[n::apart]))
    thoughtful.dream(NIGHT)
    assert unanswered(thoughtful) == []
    live = [as_told(m.text) for m in thoughtful.memories(Status.LIVE)]
    assert [live.count(as_told(once)) for once, _ in AGAIN] == [1] * len(AGAIN)


def test_the_same_in_one_message_is_kept_apart_as_well(thoughtful: House) -> None:
    talk(thoughtful, *(f"{one} {other}" for one, other, *_ in PAIRS))
    thoughtful.dream(NIGHT)
    assert unanswered(thoughtful) == []


def test_what_is_put_right_within_minutes_is_a_version_that_has_ended(house: House) -> None:
    talk(house, "Always keep the crane log for 3 days on disk.", "Always keep the crane log for 5 days on disk.")
    house.dream(NIGHT)
    assert house.memory("5 days").status is Status.LIVE
    assert (house.memory("3 days").status, house.memory("3 days").reason) == (Status.SUPERSEDED, "revised-within-minutes")


def test_what_is_taken_back_in_the_same_breath_leaves_a_row_that_says_why(house: House) -> None:
    talk(house, "Always keep the crane log for 3 days on disk.", "sorry, I meant 5 days")
    house.dream(NIGHT)
    assert [m.text for m in house.memories()] == ["Always keep the crane log for 5 days on disk."]
    rows = house.rows("""SELECT o.text, f.reason FROM observation o JOIN fate f ON f.observation = o.seq
                         WHERE o.text LIKE '%3 days%'""")
    assert rows == [("Always keep the crane log for 3 days on disk.", "revised-at-once")]


def test_lines_of_a_list_hold_side_by_side_though_each_two_look_like_one_value(house: House) -> None:
    house.say("2026-01-05T09:00:00Z", *(Said(f"Deploys of the shop run on line {n}.") for n in (4110, 4120, 4130, 4140)))
    house.dream("2026-01-05T20:00:00Z")
    house.say("2026-01-19T09:00:00Z", Said("Deploys of the shop run on line 4150."))
    house.dream("2026-01-19T20:00:00Z")
    assert [m.status for m in house.memories()] == [Status.LIVE] * 5


def test_two_values_said_on_one_day_are_no_list_yet(house: House) -> None:
    house.say("2026-01-05T09:00:00Z", Said("Deploys of the shop run on line 4110.", conversation="one"),
              Said("Deploys of the shop run on line 4120.", conversation="two"), Said("Coffee is ordered on Mondays."))
    house.dream("2026-01-05T20:00:00Z")
    assert sorted(m.status for m in house.memories()) == [Status.HELD, Status.HELD, Status.LIVE]


WRITTEN = (("Port -1 disables the pilot listener.", "Port 1 disables the pilot listener."),
           ("Config of the ferry lives in /srv/Pilot/conf.d.", "Config of the ferry lives in /srv/pilot/conf.d."),
           ("The dye tank holds 5 mL.", "The dye tank holds 5 ML."), ("The buoy code is aB3xK9.", "The buoy code is ab3xk9."))


def test_a_sign_a_path_a_unit_and_a_code_tell_two_things_apart_though_the_letters_are_the_same(house: House) -> None:
    house.say("2026-03-02T09:00:00Z", *(Said(text, conversation="c") for pair in WRITTEN for text in pair))
    house.dream(NIGHT)
    assert {text for pair in WRITTEN for text in pair} == {m.text for m in house.memories()}


@pytest.mark.parametrize(("one", "other"), [
    ("GitHub hosts the charts.", "Github hosts the charts."), ("Do NOT push on Fridays.", "Do not push on Fridays."),
    ("The disk holds 10 GB.", "The disk holds 10 gb."), ("UTF-8 is used.", "utf-8 is used."),
    ("Meet at 8 PM.", "Meet at 8 pm.")])
def test_prose_is_written_as_one_likes(one: str, other: str) -> None:
    assert not are_written_apart(one, other)


def test_who_names_two_doers_in_one_talk_tells_of_two_and_who_names_two_owners_contradicts(thoughtful: House) -> None:
    of_two = ("Peter is on call on Mondays.", "Petra is on call on Mondays.")
    of_one = ("Mara is the owner of the tariff tables.", "Jonas is the owner of the tariff tables.")
    for n, text in enumerate(("Coffee is ordered on Mondays.", *of_two, *of_one)):
        thoughtful.say(f"2026-03-02T09:0{n}:00Z", Said(text, conversation="c"))
    thoughtful.dream(NIGHT)
    live = {m.text for m in thoughtful.memories(Status.LIVE)}
    assert live >= set(of_two)
    assert not live & set(of_one)
