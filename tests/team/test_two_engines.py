"""The store means the same in a file and on a server."""

from __future__ import annotations

import pytest

from dreamd.core.values import parse_scope
from dreamd.dream.cycle import Wish
from dreamd.recall.answer import search
from dreamd.recall.retrieve import Look
from dreamd.store import derived, memories, observations, passages, shown
from dreamd.store.team.pointer import point, read_pointer
from household import FIRST_NIGHT, House, Said
from team_server import Server

NOON, NIGHT, LATER = "2026-01-06T12:00:00Z", "2026-01-06T20:00:00Z", "2026-01-07T20:00:00Z"
SAID = (
    Said("The staging database listens on port 8081", conversation="a"),
    Said("the staging database listens on port 8081", conversation="b"),
    Said("Never push to main on Fridays", conversation="a"),
    Said("Ünder review: the crêpe_service retries 3 times, 50 % of calls", conversation="c", scope="project:oak"),
    Said("add this after the second paragraph", conversation="c"),
)


def _standing(house: House) -> list[tuple[object, ...]]:
    return [(m.id, m.text, str(m.scope), m.status, m.memory_class, m.category, m.trust, m.observations, m.pinned, m.links,
             m.superseded_by, m.file, m.confirmed_at, m.support) for m in house.memories()]


def _fates(house: House) -> list[tuple[object, ...]]:
    with house.kit(LATER) as kit:
        rows = kit.store.tuples("SELECT o.id, f.fate, f.reason, f.memory, f.set_aside, f.evidence FROM observation o "
                                "LEFT JOIN fate f ON f.observation = o.seq ORDER BY o.id")
        return [tuple(row) for row in rows]


def _found(house: House) -> list[object]:
    stems = ["stag", "database", "port", "crepe_serv", "push", "main", "50"]
    with house.kit(LATER) as kit:
        return [shown.search_words_of(kit.store, [stem], statuses=["live", "held"], scopes=(), limit=9) for stem in stems] + [
            shown.search_words_of(kit.store, stems, statuses=["live", "held"], scopes=["project:cedar"], limit=9),
            passages.search_words_of(kit.store, ["PARAGRAPH", "add"], scopes=(), limit=5),
            shown.load_lasting_ids(kit.store, scopes=["project:cedar"], days=(NOON[:10], LATER[:10]), limit=5),
            memories.load_scopes(kit.store), memories.count_by_status(kit.store), observations.count_pending(kit.store)]


def _files(house: House) -> dict[str, bytes]:
    return {str(p.relative_to(house.home)): p.read_bytes() for p in sorted(house.paths.memory.rglob("*.md"))}


def _alike(one: House, other: House) -> None:
    assert _standing(other) == _standing(one)
    assert _fates(other) == _fates(one)
    assert _found(other) == _found(one)
    assert _files(other) == _files(one)
    assert other.faults(LATER) == []


def test_both_engines_come_to_the_same_memories_fates_finds_and_files(own_house: House, team_house: House) -> None:
    houses = (own_house, team_house)
    for house in houses:
        house.say(NOON, *SAID)
    runs = [house.dream(NIGHT) for house in houses]
    assert runs[0].fates == runs[1].fates
    _alike(*houses)
    for house in houses:
        house.say(LATER, Said("The staging database listens on port 9090 now", conversation="d"))
        house.dream(LATER)
    _alike(*houses)
    for house in houses:
        house.undo(LATER)
    _alike(*houses)
    gone = [house.forget(LATER, "staging").memories for house in houses]
    assert gone[0] == gone[1]
    _alike(*houses)


def test_a_second_dream_on_a_server_has_nothing_to_do(team_house: House) -> None:
    team_house.say(NOON, *SAID)
    team_house.dream(NIGHT)
    assert team_house.dream(LATER).outcome == "nothing-to-do"


def test_a_plan_can_be_read_first_on_a_server(team_house: House) -> None:
    team_house.say(NOON, *SAID)
    with team_house.kit(NIGHT) as kit:
        from dreamd.dream.backlog import rehearsal

        with rehearsal(kit, (), long=True) as copy:
            assert observations.count_pending(copy.store) == observations.count_pending(kit.store)
    assert team_house.memories() == []


def test_a_persons_edit_of_a_shown_file_is_not_taken_in_and_the_file_is_mended(team_house: House) -> None:
    team_house.say(NOON, *SAID)
    team_house.dream(NIGHT)
    before = _files(team_house)
    file = team_house.file_of("push to main")
    assert file.stat().st_mode & 0o222 == 0
    file.unlink()
    file.write_text("something else altogether")
    assert team_house.faults(LATER) == ["files: 1 missing or out of date; `dream check --repair` makes them anew"]
    with team_house.kit(LATER) as kit:
        from dreamd.dream import check

        check.check(kit, repair=True)
    assert _files(team_house) == before


def test_words_that_another_program_changes_break_the_seal(team_house: House, server: Server) -> None:
    import psycopg

    team_house.say(NOON, *SAID)
    team_house.dream(NIGHT)
    with psycopg.connect(server.url("worker")) as other:
        other.execute("SELECT set_config('dream.tenant', %s, true)", (server.tenants[-1],))
        other.execute("SET LOCAL search_path = dream")
        assert other.execute("UPDATE memory SET pinned = 1 WHERE status = 'live'").rowcount
    assert any(fault.startswith("seals: ") for fault in team_house.faults(LATER))


def test_whoever_took_a_tenant_over_fences_the_one_before(team_house: House) -> None:
    from dreamd.store.connection import Fenced

    with team_house.kit(NOON) as kit, team_house.kit(NOON) as other:
        kit.begin()
        other.begin()
        with pytest.raises(Fenced), kit.writing():
            pass
        with other.writing():
            pass


def test_a_home_with_a_store_of_its_own_is_not_led_elsewhere(own_house: House, server: Server) -> None:
    own_house.say(NOON, *SAID)
    with pytest.raises(Exception, match="is a store of its own"):
        point(own_house.paths.store, server.url("worker"), "acme")
    assert read_pointer(own_house.paths.store) is None


@pytest.mark.parametrize("url", ["postgresql://ann:secret@db/team", "postgresql://db/team?password=x", "mysql://db/team"])
def test_an_address_with_a_password_or_of_another_engine_is_refused(own_house: House, url: str) -> None:
    with pytest.raises(Exception, match="password|postgresql"):
        point(own_house.paths.store, url, "acme")
    assert not own_house.paths.store.exists()


def test_a_dream_with_a_limit_of_scope_works_on_a_server(team_house: House) -> None:
    team_house.say(NOON, *SAID)
    team_house.dream(FIRST_NIGHT, Wish(scope="project:oak"))
    assert {str(m.scope) for m in team_house.memories()} <= {"project:oak"}


FIELDS = ("staging database", "oak service", "blue vault", "night build", "message queue", "login page")
ACTS = ("listens on port 80{0}", "keeps its logs for {0} days", "is rebuilt every {0} hours", "belongs to team {0}",
        "must not be restarted before {0} o'clock", "needs {0} gigabytes of memory")


def _many() -> list[Said]:
    """A scope with many things said of few fields, some of them in passing, and a second scope with the same words."""
    told = [Said(f"The {field} {act.format(n)}", conversation=f"{n}", scope=f"project:{'cedar' if n % 3 else 'oak'}")
            for n in range(11, 15) for field in FIELDS for act in ACTS]
    return [*told, *(Said(f"add the {field} after {n} in the second paragraph", conversation="x", context=f"The {field}?")
                     for n in range(11, 14) for field in FIELDS),
            Said("The night build belongs to team 14", scope="project:elm")]


@pytest.fixture(scope="module")
def grown(tmp_path_factory: pytest.TempPathFactory, server: Server) -> tuple[House, House]:
    """The same many things in a file and on a server."""
    own, team = House(tmp_path_factory.mktemp("own")), House(tmp_path_factory.mktemp("team"))
    team.home.mkdir(parents=True)
    point(team.paths.store, server.url("worker"), server.tenant())
    for house in (own, team):
        house.say(NOON, *_many())
        house.dream(NIGHT)
    return own, team


def test_both_engines_find_the_same_neighbours_and_give_the_same_answers(grown: tuple[House, House]) -> None:
    own, team = grown
    _alike(own, team)
    questions = ["Which port does the staging database listen on?", "blue vault team", "when may the login page be restarted",
                 "how long are logs kept", "the second paragraph", "message queue 17", "nothing at all of this"]
    answers = []
    for house in grown:
        with house.kit(LATER) as kit:
            within = ((), (parse_scope("project:oak"),), (parse_scope("project:elm"),))
            looks = [Look(scopes=scopes, limit=10, record=False, everything=everything) for scopes in within
                     for everything in (False, True)]
            answers.append([[(r.memory.id, r.memory.text, round(r.score, 4)) for r in search(kit, question, look).results]
                            for question in questions for look in looks])
    assert answers[0] == answers[1]
    assert sum(map(len, answers[0])) > 100


def test_a_night_on_a_server_brings_no_more_vectors_here_than_it_compares(grown: tuple[House, House],
                                                                          monkeypatch: pytest.MonkeyPatch) -> None:
    own, team = grown
    brought: list[int] = []
    true = derived.load_vectors
    monkeypatch.setattr(derived, "load_vectors", lambda store, wordings, **k: brought.append(len(wordings)) or true(
        store, wordings, **k))
    for house in (own, team):
        brought.clear()
        house.say(LATER, Said("The blue vault is rebuilt every 21 hours", conversation="z"))
        house.dream(LATER)
    assert sum(brought) < 60
    _alike(own, team)
