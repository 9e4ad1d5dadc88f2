"""A person's own home and a team's memory: what goes up, what comes down, and what never does."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from dreamd.cli.main import main
from dreamd.core.errors import Outage, Refused
from dreamd.core.settings import build_settings
from dreamd.dream.sharing.carrying import Carried, carry
from dreamd.dream.sharing.offering import mark_private, offer, offered_in
from dreamd.dream.telling.explained import explain
from dreamd.store import memories
from dreamd.store.presence.team_copy import open_copy, world_of_copy
from dreamd.store.team import tenancy
from dreamd.store.team.pointer import Place, point
from dreamd.store.team.team_store import open_team
from dreamd.store.team.tenancy import Member, load_machines
from household import CEDAR, House, Said
from team_server import Server

NOON, NIGHT, LATER, NIGHT_AFTER = "2026-01-06T12:00:00Z", "2026-01-06T20:00:00Z", "2026-01-09T12:00:00Z", "2026-01-09T20:00:00Z"
PORT, KEY = "The staging database listens on port 8081", "Larkspur signs the releases with the blue key"
FRIDAYS = "Never push to main on Fridays"
Joined = Callable[..., House]


@pytest.fixture
def joined(tmp_path: Path, server: Server) -> Joined:
    """Gives a home of its own that shares with one tenant."""
    tenant = server.tenant("cora")

    def join(role: str, standing: str = "member", **more: object) -> House:
        tenancy.add_member(server.url("owner"), Member(role, tenant, standing))
        teams = {"url": server.url(role), "tenant": tenant, "scopes": ["project"], **more}
        return House(tmp_path / role, settings=build_settings({"teams": teams}))

    return join


@pytest.fixture
def team(tmp_path: Path, server: Server, joined: Joined) -> House:  # noqa: ARG001 - the tenant is made there
    """A home that works in the tenant itself."""
    house = House(tmp_path / "there")
    house.home.mkdir(parents=True)
    point(house.paths.store, server.url("cora"), server.tenants[-1])
    return house


def sync(house: House, now: str) -> Carried:
    """What `dream team sync` does."""
    with house.kit(now) as kit:
        offer(kit)
    done = carry(house.world(now))
    with house.kit(now) as kit:
        offer(kit)
    return done


def copied(house: House) -> list[str]:
    """What the copy says."""
    with open_copy(house.world(LATER)) as store:
        assert store is not None
        return sorted(m.text for m in memories.load_memories(store))


def test_what_is_in_force_in_a_shared_scope_goes_up_once_with_its_voice(joined: Joined, team: House) -> None:
    ann = joined("ann")
    ann.say(NOON, Said(PORT, conversation="a"), Said("I like my tea with lemon", scope="user"), FRIDAYS)
    assert sync(ann, NOON).sent == 0  # nothing that this home has not dreamt of
    ann.dream(NIGHT)
    assert sync(ann, NIGHT).sent == 2
    again = sync(ann, NIGHT)
    assert (again.sent, again.known) == (0, 0)
    team.dream(NIGHT)
    assert sorted(m.text for m in team.memories()) == [FRIDAYS, PORT]
    with team.kit(NIGHT) as kit:
        assert {v.member for v in explain(kit, team.memory("8081").id).voices.values()} == {"ann"}
    assert team.faults(NIGHT) == []


def test_what_one_said_another_finds_read_only_with_its_provenance(joined: Joined, team: House) -> None:
    ann, bert = joined("ann"), joined("bert")
    ann.say(NOON, Said(PORT, conversation="a"))
    ann.dream(NIGHT)
    sync(ann, NIGHT)
    team.dream(NIGHT)
    done = sync(bert, NIGHT)
    assert (done.brought, done.memories) == (1, 1) and copied(bert) == [PORT]
    assert sync(bert, NIGHT).brought == 0
    files = sorted((bert.paths.team / "memory").rglob("*.md"))
    assert files and all(path.stat().st_mode & 0o222 == 0 for path in files)
    with open_copy(bert.world(NIGHT)) as store:
        assert store is not None
        one = memories.load_memories(store)[0]
        from dreamd.store.telling.voices import load_voices

        assert {v.member for v in load_voices(store, one.observations).values()} == {"ann"}
    assert bert.faults(NIGHT) == []
    there = House(bert.paths.team.parent / "x")
    assert world_of_copy(bert.world(NIGHT)).paths.store.exists() and not there.home.exists()


def test_what_is_private_never_leaves(joined: Joined, team: House) -> None:
    ann = joined("ann", private=["project:oak"])
    ann.say(NOON, PORT, Said(KEY, scope="project:oak"), FRIDAYS, Said("My standing desk is the grey one", scope="local:x"))
    ann.dream(NIGHT)
    with ann.kit(NIGHT) as kit:
        mark_private(kit, ann.memory("8081").id, private=True)
    body = offered_in(ann.paths)[0].read_text()
    assert "Fridays" in body and not any(words in body for words in ("8081", "Larkspur", "standing desk"))
    sync(ann, NIGHT)
    ann.say(LATER, Said("The staging database listens on port 9090 now", conversation="b"))
    ann.dream(NIGHT_AFTER)
    assert ann.memory("9090 now").status == "live"
    sync(ann, NIGHT_AFTER)  # what stands in the place of a private memory is private as well
    team.dream(NIGHT_AFTER)
    assert [m.text for m in team.memories()] == [FRIDAYS]
    with ann.kit(NIGHT_AFTER) as kit:
        mark_private(kit, ann.memory("8081").id, private=False)
    assert sync(ann, NIGHT_AFTER).sent == 1


def test_only_masked_text_leaves(joined: Joined) -> None:
    ann = joined("ann")
    ann.say(NOON, "The staging database listens on port 8081")
    ann.dream(NIGHT)
    secret = "ghp_" + "a1B2" * 9
    with closing(sqlite3.connect(ann.paths.store)) as other:
        other.execute("UPDATE observation SET text = text || ?", (f", token {secret}",))
        other.commit()
    with ann.kit(NIGHT) as kit:
        assert offer(kit).ready == 1
    assert secret not in offered_in(ann.paths)[0].read_text()


def test_what_was_forgotten_there_leaves_the_copies_and_machines_that_did_not_look_are_named(joined: Joined, team: House,
                                                                                             server: Server) -> None:
    ann, bert = joined("ann"), joined("bert")
    ann.say(NOON, Said(PORT, conversation="a"), Said(KEY, conversation="a"))
    ann.dream(NIGHT)
    sync(ann, NIGHT)
    team.dream(NIGHT)
    for house in (ann, bert):
        sync(house, NIGHT)
    team.forget(LATER, "Larkspur")
    assert sync(bert, LATER).gone == 1 and copied(bert) == [PORT]
    left = [p for p in bert.paths.team.rglob("*") if p.is_file() and b"Larkspur" in p.read_bytes()]
    assert left == []
    with closing(open_team(Path("x"), Place(server.url("cora"), server.tenants[-1]))) as store:
        assert [m.member for m in load_machines(store.base) if m.behind] == ["ann"]
    assert sync(ann, LATER).sent == 0  # and it does not come up again
    team.dream(NIGHT_AFTER)
    assert [m.text for m in team.memories()] == [PORT]


def test_a_server_that_is_away_for_a_week_is_no_error_of_the_dream(joined: Joined, server: Server) -> None:
    ann = joined("ann")
    away = build_settings({"teams": {"url": "postgresql:///team?host=/nowhere&user=ann", "tenant": server.tenants[-1],
                                     "scopes": ["project"]}})
    here, ann.settings = ann.settings, away
    ann.say(NOON, PORT)
    assert ann.dream(NIGHT).outcome == "changed"
    with pytest.raises(Outage):
        sync(ann, NIGHT)
    assert ann.dream(NIGHT_AFTER).outcome == "nothing-to-do"
    ann.settings = here
    assert sync(ann, NIGHT_AFTER).sent == 1


def test_what_was_interrupted_goes_on_and_nothing_comes_twice(joined: Joined, team: House,
                                                              monkeypatch: pytest.MonkeyPatch) -> None:
    from dreamd.dream.sharing import carrying

    ann = joined("ann")
    ann.say(NOON, *(Said(f"The {name} service listens on port {port}") for port, name in enumerate(
        ("billing", "search", "mail", "login", "photo"), 8001)))
    ann.dream(NIGHT)
    monkeypatch.setattr(carrying, "BATCH", 2)
    noted, kept = [], carrying._note_arrived

    def dies(world: object, ids: list[str]) -> None:
        noted.append(ids)
        if len(noted) == 2:
            raise Outage("gone", component="db", code="store-busy")
        kept(world, ids)  # type: ignore[arg-type]

    monkeypatch.setattr(carrying, "_note_arrived", dies)
    with pytest.raises(Outage):
        sync(ann, NIGHT)
    done = sync(ann, NIGHT)
    assert (done.sent, done.known) == (1, 2)
    team.dream(NIGHT)
    assert len(team.memories()) == 5 and team.faults(NIGHT) == []


def test_a_reader_gets_a_copy_and_sends_nothing(joined: Joined, team: House) -> None:
    rita = joined("rita", "reader")
    team.say(NOON, PORT)
    team.dream(NIGHT)
    rita.say(NOON, FRIDAYS)
    rita.dream(NIGHT)
    done = sync(rita, NIGHT)
    assert done.reads_only and copied(rita) == [PORT]
    with rita.kit(NIGHT) as kit:
        assert offer(kit).waiting == 1
    assert {str(m.scope) for m in rita.memories()} == {CEDAR}


def test_two_projects_of_one_name_stay_two(joined: Joined, team: House) -> None:
    from dreamd.core.values import parse_scope
    from dreamd.store.scopes.projects import Known, write_known

    for role, remote, text in (("ann", "remote:host/a/cedar", PORT), ("bert", "remote:host/b/cedar", KEY)):
        house = joined(role)
        house.say(NOON, text)
        house.dream(NIGHT)
        with house.kit(NIGHT) as kit, kit.store.writing() as tx:
            write_known(tx, Known(remote, parse_scope(CEDAR)))
        sync(house, NIGHT)
    team.dream(NIGHT)
    assert len({str(m.scope) for m in team.memories()}) == 2
    assert sync(joined("bert"), NIGHT).memories == 1  # what is called as one's own and is another project stays there
    with open_copy(joined("bert").world(NIGHT)) as store:
        assert store is not None
        assert {str(m.scope) for m in memories.load_memories(store) if m.text == KEY} == {CEDAR}


def test_search_list_show_and_the_start_of_a_session_find_what_is_the_teams(
        joined: Joined, team: House, monkeypatch: pytest.MonkeyPatch) -> None:
    from dreamd.agents import priming
    from dreamd.recall.answer import Look, record_recalls, search
    from dreamd.store.presence import team_copy

    ann, bert = joined("ann"), joined("bert")
    ann.say(NOON, Said(PORT, conversation="a"), Said(FRIDAYS, conversation="a"))
    ann.dream(NIGHT)
    sync(ann, NIGHT)
    team.dream(NIGHT)
    bert.say(NOON, Said(FRIDAYS, conversation="b"), "Use tabs in every makefile of the repository")
    bert.dream(NIGHT)
    sync(bert, NIGHT)
    team.dream(NIGHT)
    sync(bert, NIGHT)
    with bert.kit(NIGHT) as kit:
        found = search(kit, "which port does the staging database listen on")
        assert [(r.memory.text, r.memory.team) for r in found.results][0] == (PORT, server_tenant(bert))
        assert found.recalled == [] or PORT not in {r.memory.text for r in found.results if r.memory.id in found.recalled}
        own = [r.memory.team for r in search(kit, "push to main on Fridays", Look(limit=5)).results if r.memory.text == FRIDAYS]
        assert own == [""]  # what both say is one's own
        record_recalls(kit, found.recalled)
        monkeypatch.setattr(priming.hooks, "scopes_of", lambda *_: (memories.load_scopes(kit.store)[0],))
        told, _ = priming.tell(kit, priming.choose(kit, cwd="", words="the staging database"))
        assert f"{PORT} (team {server_tenant(bert)})" in told and FRIDAYS in told
    one = copied_memory(bert, "8081")
    with pytest.raises(Refused, match="read-only here"), team_copy.refusing_copied(bert.world(NIGHT), one), \
            bert.kit(NIGHT) as kit:
        from dreamd.dream import verbs

        verbs.pin(kit, one)


def test_an_open_search_sees_what_the_next_sync_brought_and_took(joined: Joined, team: House) -> None:
    from dreamd.recall.answer import search
    from dreamd.recall.shelf import Shelf

    ann, shelf = joined("ann"), Shelf()
    team.say(NOON, PORT)
    team.dream(NIGHT)
    ann.say(NOON, FRIDAYS)
    ann.dream(NIGHT)
    sync(ann, NIGHT)
    with ann.kit(NIGHT) as kit:
        def found(query: str) -> set[str]:
            return {r.memory.text for r in search(kit, query, shelf=shelf).results}

        assert PORT in found("which port does the staging database listen on")
        team.forget(LATER, "staging")
        team.say(LATER, KEY)
        team.dream(NIGHT_AFTER)
        sync(ann, NIGHT_AFTER)
        assert PORT not in found("which port does the staging database listen on")
        assert KEY in found("who signs the releases with the blue key")


def server_tenant(house: House) -> str:
    """The tenant that a home shares with."""
    return house.settings.teams.tenant


def copied_memory(house: House, words: str) -> str:
    """The id of a memory of the copy."""
    with open_copy(house.world(LATER)) as store:
        assert store is not None
        return next(m.id for m in memories.load_memories(store) if words in m.text)


def test_a_copy_in_which_a_name_leads_elsewhere_is_refused(joined: Joined, team: House, server: Server) -> None:
    import psycopg

    team.say(NOON, PORT)
    team.dream(NIGHT)
    with psycopg.connect(server.url("cora")) as other:
        other.execute("SELECT set_config('dream.tenant', %s, true)", (server.tenants[-1],))
        other.execute("SET LOCAL search_path = dream")
        other.execute("UPDATE memory SET file = '../../../out.md'")
    with pytest.raises(Refused, match="cannot read"):
        sync(joined("ann"), NIGHT)


def test_what_carries_needs_one_folder_of_the_home_and_no_store(joined: Joined, team: House, tmp_path: Path) -> None:
    ann = joined("ann")
    ann.say(NOON, PORT)
    ann.dream(NIGHT)  # lays ready what may go up
    apart = House(tmp_path / "apart", settings=ann.settings)
    apart.home.mkdir(parents=True)
    shutil.copytree(ann.paths.team, apart.paths.team)
    assert carry(apart.world(NIGHT)).sent == 1
    assert not apart.paths.store.exists()
    shutil.copytree(apart.paths.team, ann.paths.team, dirs_exist_ok=True)
    with ann.kit(NIGHT) as kit:
        told = offer(kit)
        assert (told.arrived, told.waiting) == (1, 0)
    team.dream(NIGHT)
    assert [m.text for m in team.memories()] == [PORT]


def test_the_commands_say_what_they_did_and_what_waits(joined: Joined, team: House, tmp_path: Path, server: Server,
                                                       capsys: pytest.CaptureFixture[str]) -> None:
    ann = joined("ann")
    team.say(NOON, KEY)
    team.dream(NIGHT)
    ann.say(NOON, PORT, FRIDAYS)
    ann.dream(NIGHT)

    def dream(*words: str, url: str = "") -> tuple[int, str, str]:
        config = tmp_path / "dream.toml"
        config.write_text(f'[teams]\nurl = "{url or server.url("ann")}"\ntenant = "{server.tenants[-1]}"\n')
        code = main(["--home", str(ann.home), "--config", str(config), "--now", LATER, *words])
        told = capsys.readouterr()
        return code, told.out, told.err

    code, _, err = dream("team", "sync", url="postgresql:///team?host=/nowhere&user=ann")
    assert code == 12 and "2 statements wait here for the next sync" in err
    assert dream("team", "private", ann.memory("8081").id)[0] == 0
    code, out, _ = dream("team", "sync")
    assert code == 0 and "up: 1 statement" in out and "down: 1 memory new or changed" in out
    assert "0 statements ready to go up, the team's memory here as of 2026-01-09" in dream("status")[1]
    one = copied_memory(ann, "Larkspur")
    assert f"[team {server.tenants[-1]}] {KEY}" in dream("list")[1]
    assert "said by cora" in dream("show", one)[1] and "a person, cora" in dream("explain", one)[1]
    for words in (("pin", one), ("edit", one, "Larkspur signs nothing any more at all"), ("forget", one, "--yes")):
        code, _, err = dream(*words)
        assert code == 4 and "read-only here" in err and "note --scope" in err
    assert one in dream("--json", "list")[1] and '"team": "' in dream("--json", "show", one)[1]
    assert "ann" in dream("team", "machines")[1]
    assert dream("check")[0] == 0
    code, _, err = dream("forget", ann.memory("Fridays").id, "--yes")
    assert code == 0 and "1 statement went up to a team and is still there" in err
    assert not offered_in(ann.paths)[0].exists()
    there = ("--url", server.url("owner"), "--tenant", server.tenants[-1])
    assert dream("team", "users", "frob", "ann", *there)[0] == 2
