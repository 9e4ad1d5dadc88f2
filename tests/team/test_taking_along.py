"""A scope taken along into a team's store, and a tenant brought back into a home."""

from __future__ import annotations

import json
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from dreamd.core.errors import DreamError, Refused
from dreamd.core.settings import build_settings
from dreamd.core.values import parse_scope
from dreamd.dream import verbs
from dreamd.dream.sharing.offering import mark_private, offer
from dreamd.dream.sharing.whole_scopes import bring_back, take_along
from dreamd.store.team import tenancy
from dreamd.store.team.pointer import Place
from dreamd.store.team.team_store import open_team
from dreamd.store.team.tenancy import Member
from dreamd.store.telling.voices import load_voices
from household import CEDAR, House, Said
from team_server import Server

NOON, NIGHT, LATER, NIGHT_AFTER = "2026-01-06T12:00:00Z", "2026-01-06T20:00:00Z", "2026-01-09T12:00:00Z", "2026-01-09T20:00:00Z"
PORT, FRIDAYS = "The staging database listens on port 8081", "Never push to main on Fridays"


@pytest.fixture
def ann(tmp_path: Path, server: Server) -> House:
    """A home with two nights in it, which shares with a tenant."""
    tenant = server.tenant("cora")
    tenancy.add_member(server.url("owner"), Member("ann", tenant))
    house = House(tmp_path / "ann", settings=build_settings({"teams": {"url": server.url("ann"), "tenant": tenant}}))
    house.say(NOON, Said(PORT, conversation="a", key="k1"), Said(PORT, conversation="b"), FRIDAYS,
              Said("add this after the second paragraph"), Said("I like my tea with lemon", scope="user"))
    house.dream(NIGHT)
    house.say(LATER, Said("The staging database listens on port 9090 now", conversation="c"))
    house.dream(NIGHT_AFTER)
    return house


def _meaning(house: House) -> dict[str, list[object]]:
    """What a scope means: memories, what carries each, fates and decisions."""
    with house.kit(NIGHT_AFTER) as kit:
        rows = {
            "memories": """SELECT m.id, w.text, m.class, m.type, m.status, m.trust, m.authority, m.created_at, m.confirmed_at,
                m.valid_to, m.superseded_by, m.pinned, m.file, m.rev FROM memory m JOIN wording w ON w.sha = m.wording
                WHERE m.scope = 'project:cedar' ORDER BY m.id""",
            "carried": """SELECT s.memory, o.text, o.at, o.conversation, o.origin FROM support s JOIN observation o
                ON o.seq = s.observation WHERE o.scope = 'project:cedar' ORDER BY 1, 2, 3, 4""",
            "fates": """SELECT o.text, o.at, f.fate, f.reason, f.memory FROM observation o JOIN fate f ON f.observation = o.seq
                WHERE o.scope = 'project:cedar' ORDER BY 1, 2, o.conversation""",
            "decisions": """SELECT p.memory, p.op, p.reason, r.id FROM operation p JOIN run r ON r.seq = p.run
                WHERE p.scope = 'project:cedar' AND p.op <> 'import' ORDER BY 1, 2, 3, 4"""}
        return {name: [tuple(row) for row in kit.store.tuples(sql)] for name, sql in rows.items()}


def test_a_scope_goes_along_and_a_tenant_comes_back_and_nothing_is_lost(ann: House, tmp_path: Path, server: Server) -> None:
    with ann.kit(NIGHT_AFTER) as kit:
        done = take_along(kit, parse_scope(CEDAR))
        assert len(done.arrived.taken.memories) == len(ann.memories(scope=CEDAR)) == 3
        assert offer(kit).waiting == 0  # what went along is not sent once more
        assert take_along(kit, parse_scope(CEDAR)).arrived.taken.memories == []
    with tenancy.open_owned(Path("x"), server.url("owner"), server.tenants[-1]) as there:
        assert {v.member for v in load_voices(there, [r["id"] for r in there.all("SELECT id FROM observation")]).values()} \
            == {"ann"}
        assert bring_back(ann.world(NIGHT_AFTER), there, tmp_path / "back" / "home") == 3
        assert bring_back(ann.world(NIGHT_AFTER), there, tmp_path / "lines.jsonl") == 3
        with pytest.raises(Refused, match="is there already"):
            bring_back(ann.world(NIGHT_AFTER), there, tmp_path / "back" / "home")
    with pytest.raises(DreamError, match="no member|superuser"), \
            tenancy.open_owned(Path("x"), server.url("postgres"), server.tenants[-1]):
        pass
    back = House(tmp_path / "back")
    assert _meaning(back) == _meaning(ann)
    assert back.faults(NIGHT_AFTER) == []
    assert "9090" in back.index() and back.dream("2026-01-10T20:00:00Z").outcome == "nothing-to-do"
    told = [json.loads(line) for line in (tmp_path / "lines.jsonl").read_text().splitlines()]
    assert sum(one.get("kind") == "voice" for one in told) == sum(one.get("kind") == "observation" for one in told) > 0


def test_what_is_private_stays_with_all_its_versions_and_pins_of_a_member_do_not_go(ann: House, server: Server) -> None:
    with ann.kit(NIGHT_AFTER) as kit:
        verbs.pin(kit, ann.memory("Fridays").id)
        mark_private(kit, ann.memory("9090").id, private=True)
        done = take_along(kit, parse_scope(CEDAR))
        assert (done.private, done.unpinned) == (2, 1)
    with closing(open_team(Path("x"), Place(server.url("ann"), server.tenants[-1]))) as there:
        rows = [str(tuple(row)) for table in ("wording", "observation", "operation", "fate")
                for row in there.all(f"SELECT * FROM {table}")]
        assert not any("staging" in row for row in rows) and any("Fridays" in row for row in rows)
        assert there.one("SELECT SUM(pinned) AS n FROM memory")["n"] == 0  # type: ignore[index]


def test_a_scope_that_is_kept_here_is_refused(ann: House) -> None:
    ann.settings = replace(ann.settings, teams=replace(ann.settings.teams, private=(CEDAR,)))
    with ann.kit(NIGHT_AFTER) as kit, pytest.raises(Refused, match="kept to this machine"):
        take_along(kit, parse_scope(CEDAR))


def test_the_same_key_of_two_members_is_two_statements(ann: House, tmp_path: Path, server: Server) -> None:
    tenancy.add_member(server.url("owner"), Member("bert", server.tenants[-1]))
    teams = {"url": server.url("bert"), "tenant": server.tenants[-1]}
    bert = House(tmp_path / "bert", settings=build_settings({"teams": teams}))
    bert.say(NOON, Said("Larkspur signs the releases with the blue key", key="k1"))
    bert.dream(NIGHT)
    for house in (ann, bert):
        with house.kit(NIGHT_AFTER) as kit:
            take_along(kit, parse_scope(CEDAR))
    with closing(open_team(Path("x"), Place(server.url("ann"), server.tenants[-1]))) as there:
        texts = {r["text"] for r in there.all("SELECT text FROM observation")}
    assert {PORT, "Larkspur signs the releases with the blue key"} <= texts
