"""Who may do what in a team's store, who said what, and a member who leaves."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import psycopg
import pytest

from dreamd.core.clock import parse_instant
from dreamd.core.errors import Refused
from dreamd.core.values import Status
from dreamd.dream import verbs
from dreamd.dream.sharing.departing import forget_member
from dreamd.dream.telling.explained import explain
from dreamd.store import journal
from dreamd.store.team import tenancy
from dreamd.store.team.pointer import point
from dreamd.store.team.tenancy import Member
from dreamd.store.telling.voices import load_voices
from household import House, Said
from team_server import Server

NOON, NIGHT, LATER, NIGHT_AFTER = "2026-01-06T12:00:00Z", "2026-01-06T20:00:00Z", "2026-01-09T12:00:00Z", "2026-01-09T20:00:00Z"
PORT, OTHER_PORT = "The staging database listens on port 8081", "The staging database listens on port 9090"
Joined = Callable[[str, str], House]


@pytest.fixture
def joined(tmp_path: Path, server: Server) -> Joined:
    """Gives a home of a role in one tenant."""
    tenant = server.tenant("cora")

    def join(role: str, standing: str) -> House:
        tenancy.add_member(server.url("owner"), Member(role, tenant, standing))
        house = House(tmp_path / role)
        house.home.mkdir(parents=True, exist_ok=True)
        point(house.paths.store, server.url(role), tenant)
        return house

    return join


def test_a_reader_finds_what_is_there_and_changes_nothing(joined: Joined, server: Server) -> None:
    curator, reader = joined("cora", "curator"), joined("rita", "reader")
    curator.say(NOON, PORT)
    curator.dream(NIGHT)
    assert [m.text for m in reader.memories()] == [PORT]
    with pytest.raises(Refused, match="readers change nothing"):
        reader.say(NOON, "I was here")
    assert reader.dream(LATER).outcome == "nothing-to-do"
    with psycopg.connect(server.url("rita")) as session:
        session.execute("SELECT set_config('dream.tenant', %s, false), set_config('search_path', 'dream', false)",
                        (server.tenants[-1],))
        for statement in ("UPDATE memory SET unverified = 1", "DELETE FROM observation", "DELETE FROM voice",
                          "INSERT INTO wording VALUES ('x', 'y')"):
            with pytest.raises(psycopg.Error) as failure, session.transaction():
                session.execute(statement)
            assert "a reader writes nothing" in str(failure.value)


def test_only_a_curator_pins_also_by_sql(joined: Joined, server: Server) -> None:
    curator, member = joined("cora", "curator"), joined("ann", "member")
    member.say(NOON, PORT)
    member.dream(NIGHT)
    one = member.memory("8081")
    with member.kit(LATER) as kit, pytest.raises(Refused, match="only a curator"):
        verbs.pin(kit, one.id)
    with psycopg.connect(server.url("ann")) as session:
        session.execute("SELECT set_config('dream.tenant', %s, false), set_config('search_path', 'dream', false)",
                        (server.tenants[-1],))
        with pytest.raises(psycopg.Error, match="only a curator pins"):
            session.execute("UPDATE memory SET pinned = 1")
    with curator.kit(LATER) as kit:
        assert verbs.pin(kit, one.id).pinned
    member.say(LATER, Said(PORT, conversation="another"))
    member.dream(NIGHT_AFTER)
    assert (member.memory("8081").pinned, member.memory("8081").support) == (True, 2)
    assert member.faults(NIGHT_AFTER) == []


def test_what_two_members_contradict_waits_for_a_curator(joined: Joined) -> None:
    curator, ann, bert = joined("cora", "curator"), joined("ann", "member"), joined("bert", "member")
    ann.say(NOON, "Never push to main on Fridays", Said(PORT, conversation="a"))
    ann.dream(NIGHT)
    bert.say(LATER, Said(OTHER_PORT, conversation="b"))
    bert.dream(NIGHT_AFTER)
    held = bert.memories(Status.HELD)
    assert {m.text for m in held} == {PORT, OTHER_PORT} and {m.reason for m in held} == {"members-contradict"}
    for house in (ann, bert):
        with house.kit(NIGHT_AFTER) as kit:
            for choice in verbs.CHOICES:
                with pytest.raises(Refused, match="only a curator decides"):
                    verbs.decide(kit, held[0].id, choice)
            with pytest.raises(Refused, match="only a curator decides"):
                verbs.edit(kit, held[0].id, "The staging database listens on port 1234")
    with curator.kit(NIGHT_AFTER) as kit:
        verbs.decide(kit, next(m.id for m in held if m.text == OTHER_PORT), verbs.KEEP_A)
    assert curator.memory("9090").status is Status.LIVE and curator.faults(NIGHT_AFTER) == []
    with curator.kit(NIGHT_AFTER) as kit:
        decided = journal.last_run(kit.store, kind="review")
    with pytest.raises(Refused, match="only a curator of the team takes back"):
        ann.undo(NIGHT_AFTER, decided.id if decided else "")


def test_one_member_who_says_something_else_later_has_changed_their_mind(joined: Joined) -> None:
    joined("cora", "curator")
    ann = joined("ann", "member")
    ann.say(NOON, "Never push to main on Fridays", Said(PORT, conversation="a"))
    ann.dream(NIGHT)
    ann.say(LATER, Said(OTHER_PORT, conversation="b"))
    ann.dream(NIGHT_AFTER)
    assert ann.memory("9090").status is Status.LIVE and ann.memories(Status.HELD) == []


def test_member_and_machine_stay_with_what_was_said(joined: Joined, server: Server) -> None:
    ann, bert = joined("ann", "member"), joined("bert", "member")
    ann.say(NOON, Said(PORT, conversation="a"))
    bert.say(NOON, Said(PORT, conversation="b"))
    bert.dream(NIGHT)
    with ann.kit(LATER) as kit:
        told = explain(kit, ann.memory("8081").id)
        assert sorted(v.member for v in told.voices.values()) == ["ann", "bert"]
        assert all(v.machine for v in told.voices.values())
    with psycopg.connect(server.url("bert")) as session:
        session.execute("SELECT set_config('dream.tenant', %s, false), set_config('search_path', 'dream', false)",
                        (server.tenants[-1],))
        assert session.execute("UPDATE voice SET member = 'ann' WHERE member = 'bert'").rowcount == 0 or pytest.fail("forged")


def test_a_member_who_left_is_forgotten_and_what_others_said_too_stays(joined: Joined, server: Server) -> None:
    ann, bert = joined("ann", "member"), joined("bert", "member")
    ann.say(NOON, Said(PORT, conversation="a"), Said("Larkspur signs the releases with the blue key", conversation="a"))
    bert.say(NOON, Said(PORT, conversation="b"), "Never push to main on Fridays")
    bert.dream(NIGHT)
    gone = forget_member(server.url("owner"), server.tenants[-1], "ann", at=parse_instant(LATER))
    assert (gone.memories, gone.observations) == (1, 2)
    assert sorted(m.text for m in bert.memories()) == ["Never push to main on Fridays", PORT]
    assert bert.memory("8081").support == 1 and bert.faults(LATER) == []
    with bert.kit(LATER) as kit:
        said = [r["id"] for r in kit.store.all("SELECT id FROM observation")]
        assert {v.member for v in load_voices(kit.store, said).values()} == {"bert"}
    ann.say(LATER, Said(PORT, conversation="a"))
    assert bert.dream(NIGHT_AFTER).outcome == "nothing-to-do"
