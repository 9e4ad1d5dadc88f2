"""The JSON documents of the command line: names and fields are public."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

MEMORY = {
    "id", "text", "class", "type", "category", "scope", "status", "support", "recalls", "created_at", "updated_at",
    "valid_from", "valid_to", "superseded_by", "supersedes", "observations", "pinned", "trust", "unverified", "file"}
FATES = ["new", "duplicate", "refines", "updates", "contradicts", "held", "discarded"]
TUESDAY = "2026-03-03T09:00:00Z"
FRIDAY = "2026-03-20T09:00:00Z"


def test_a_memory_has_every_field_and_its_file_is_there(memory_of):
    memory = memory_of("port 8080")
    assert set(memory) >= MEMORY
    assert (memory["status"], memory["scope"], memory["trust"], memory["superseded_by"]) == ("live", "user", "user", None)
    assert memory["text"] in Path(memory["file"]).read_text().replace("\n", " ")
    assert memory_of("nightly import")["file"] is None


def test_list_gives_live_ones_unless_asked_otherwise(lived_in):
    def texts(*words: str) -> set[str]:
        return {m["status"] for m in lived_in.json("list", *words)["memories"]}

    assert texts() == {"live"}
    assert texts("--all") == {"live", "held"}
    assert texts("--status", "held") == {"held"}
    assert lived_in.json("list", "--scope", "project:none")["memories"] == []


def test_show_is_the_memory_itself_by_the_beginning_of_its_id(lived_in, memory_of):
    memory = memory_of("linter")
    assert lived_in.json("show", memory["id"][:6]) == {**memory, "records": []}


def test_consolidate_tells_phases_fates_and_every_operation(dream):
    dream.json("note", "The mirror syncs every six hours", "--key", "a")
    report = dream.json("consolidate")
    assert set(report) >= {"run", "outcome", "reason", "now", "phases", "fates", "operations", "warnings"}
    assert list(report["fates"]) == FATES
    assert list(report["phases"]) == ["orient", "gather", "consolidate", "prune"]
    assert all("seconds" in phase for phase in report["phases"].values())
    operation, = report["operations"]
    assert set(operation) >= {"op", "memory", "scope", "reason", "evidence", "before", "after"}
    assert (operation["op"], operation["before"]) == ("add", None)
    assert report["now"] == "2026-03-02T09:00:00Z"


def test_a_dry_run_tells_the_same_operations_and_changes_no_byte(lived_in):
    lived_in.json("note", "The billing API no longer listens on port 8080, it now listens on port 9090.", now=TUESDAY)
    before = lived_in.files()
    plan = lived_in.json("consolidate", "--dry-run", now=TUESDAY)
    assert lived_in.files() == before
    done = lived_in.json("consolidate", now=TUESDAY)
    assert (plan["run"], plan["planned"], done["planned"]) == (None, True, False)
    assert plan["operations"] == done["operations"] != []


def test_an_approved_plan_is_carried_out_as_of_its_own_time(lived_in):
    plan = lived_in.person / "plan.json"
    lived_in.json("note", "The warehouse scanner needs firmware 4.2")
    lived_in.json("consolidate", "--plan", str(plan), now=TUESDAY)
    saved = json.loads(plan.read_text())
    assert {"schema", "now", "wish", "digest", "operations"} <= set(saved)
    done = lived_in.json("consolidate", "--apply", str(plan), now=None)
    assert (done["now"], done["operations"]) == (TUESDAY, saved["operations"])


def test_search_explains_its_score(lived_in):
    answer = lived_in.json("search", "which port does billing use", "-k", "2")
    best = answer["results"][0]
    assert (answer["query"], set(best) >= {"memory", "score", "parts", "clue"}) == ("which port does billing use", True)
    assert "8080" in best["memory"]["text"]
    assert len(answer["results"]) <= 2
    assert lived_in.json("show", best["memory"]["id"])["recalls"] == 1


def test_held_memories_are_found_only_when_asked_for(lived_in):
    def found(*words: str) -> bool:
        results = lived_in.json("search", "who owns the nightly import", *words)["results"]
        return any("nightly import" in r["memory"]["text"] for r in results)

    assert (found(), found("--held")) == (False, True)


def test_a_memory_of_this_project_that_names_a_missing_file_is_shown_with_a_clue(dream):
    (dream.person / ".git").mkdir()
    (dream.person / "here.toml").write_text("")
    texts = ("The retry limits of every worker are set in here.toml", "The theme of the handbook is set in config/gone.toml")
    for text in texts:
        dream.json("note", text, "--scope", f"project:{dream.person.name}")
    dream.json("consolidate")
    found = [dream.json("search", text, "-k", "1")["results"][0] for text in texts]
    clues = {("gone" in r["memory"]["text"]): r["clue"] for r in found}
    assert clues == {True: "path missing", False: None}


def test_explain_leads_from_the_sentence_to_the_decision(lived_in, memory_of):
    document = lived_in.json("explain", memory_of("8080")["id"])
    said, = document["observations"]
    decision, = document["decisions"]
    assert (said["text"], said["conversation"], said["fate"]) == ("The billing API listens on port 8080.", "one", "new")
    assert (decision["op"], decision["before"], decision["after"]["status"]) == ("add", None, "live")
    assert decision["run"] == lived_in.json("history")["runs"][0]["run"]


def test_explain_says_how_old_a_memory_counts_and_what_comes_of_it(lived_in, memory_of):
    port, rule = memory_of("8080")["id"], memory_of("linter")["id"]
    age = lived_in.json("explain", port, now="2026-12-02T09:00:00Z")["ageing"]
    assert (age["since"], age["days"], age["days_passed"]) == ("2026-03-02T09:00:00Z", 90, 275), "unused, it counts ninety days"
    assert (age["stale_after"], age["archived_after"]) == (90, 180)
    assert "90 days of the 90 after which it is stale" in lived_in("explain", port, now="2026-12-02T09:00:00Z").out
    assert lived_in.json("explain", rule)["ageing"] is None, "a rule does not go by age"


def test_explain_names_what_was_replaced_and_by_what(lived_in, memory_of):
    old = memory_of("8080")
    lived_in.json("note", "The billing API no longer listens on port 8080, it now listens on port 9090.", now=TUESDAY)
    lived_in.json("consolidate", now=TUESDAY)
    document = lived_in.json("explain", old["id"])
    assert (document["memory"]["status"], "9090" in document["replaced_by"]["text"]) == ("superseded", True)
    assert lived_in.json("explain", document["replaced_by"]["id"])["replaces"][0]["id"] == old["id"]


def test_relate_judges_without_a_store(dream):
    answer = dream.json("relate", "The API listens on port 8080", "The API listens on port 8081")
    assert answer["relation"] not in ("duplicate", "refines")
    assert set(answer) >= {"relation", "confidence", "evidence", "sure"}
    assert not dream.home.exists()


def test_relate_answers_lines_in_their_order_and_names_bad_ones(dream):
    pairs = [{"a": "Use tabs in Makefiles", "b": "Use tabs in Makefiles"}, {"a": 1},
             {"a": "Mara owns billing", "b": "The tea is green", "a_at": "2026-01-01T00:00:00Z", "b_at": "2026-02-01"}]
    told = dream("relate", "--jsonl", "-", stdin="\n".join(map(json.dumps, pairs)))
    answers = [json.loads(line) for line in told.out.splitlines()]
    assert told.code == 3
    assert [a["relation"] for a in answers] == ["duplicate", None, "unrelated"]
    assert "`a` is missing" in answers[1]["error"]


def test_relate_says_what_is_missing_while_the_model_is_away(dream, tmp_path):
    (tmp_path / "empty").mkdir()
    dream.settings(f'[model]\ndirectory = "{tmp_path / "empty"}"\n')
    told = dream("relate", "Always squash commits", "Always squash commits", "--json")
    assert (told.code, told.document["error"]["name"]) == (12, "Outage")


def test_relate_tells_which_statement_is_the_newer_in_words_and_for_machines(dream):
    said = ("The staging port of cedar is 8080.", "The staging port of cedar is 9090.")
    times = ("--a-at", "2026-03-04", "--b-at", "2026-01-02")
    answer = dream.json("relate", *said, *times)
    assert (answer["relation"], answer["newer"]) == ("updates", "a")
    assert any("8080" in clue and "9090" in clue for clue in answer["evidence"])
    lines = [json.dumps({"a": a, "b": b, "a_at": x, "b_at": y}) for a, b, x, y in
             ((*said, times[1], times[3]), (*said, times[3], times[1]), (*said, "", ""))]
    told = dream("relate", "--jsonl", "-", stdin="\n".join(lines))
    assert [json.loads(line)["newer"] for line in told.out.splitlines()] == ["a", "b", None]
    assert "A is the newer" in dream("relate", *said, *times).out


def test_relate_explains_what_the_judge_saw(dream):
    said = ("The billing API listens on port 8080.", "The billing API listens on port 8081.")
    seen = dream.json("relate", *said, "--explain")["explanation"]
    assert any((g["kind"], g["a"], g["b"], g["vetoes"]) == ("quantity", "8080", "8081", True) for g in seen["guards"])
    assert 0.99 < sum(seen["probabilities"].values()) < 1.01 and 0.5 < seen["features"]["similarity"] <= 1.0
    shown = dream("relate", *said, "--explain").out
    assert "quantity: " in shown and "forbids a merge" in shown and "probabilities" in shown


def test_status_tells_what_waits_and_what_is_next(lived_in):
    lived_in.json("note", "One more thing to take up")
    status = lived_in.json("status")
    assert (status["state"], status["waiting"], status["memories"]["live"]) == ("idle", 1, 3)
    assert status["next"]["may_start"] is False
    assert status["next"]["held_by"]


def test_auto_is_silent_while_a_gate_holds(lived_in):
    lived_in.json("note", "One note alone is not worth a dream")
    told = lived_in("consolidate", "--auto")
    assert (told.code, told.out, told.err) == (0, "", "")
    assert lived_in.json("consolidate", "--auto")["outcome"] == "not-now"


def test_config_tells_where_each_setting_came_from(dream):
    dream.settings("[recall]\nlean = 4\n")
    shown = dream.json("config", "show")
    assert shown["settings"]["recall.lean"] == {"value": 4, "from": "file"}
    assert shown["settings"]["recall.deep"] == {"value": 15, "from": "default"}
    assert dream.json("config", "path")["exists"] is True
    assert dream.json("config", "check")["set"] == ["recall.lean"]


def test_probe_is_the_probe(lived_in):
    told = lived_in("probe", "--json")
    assert set(told.document) >= {
        "verdict", "healthy", "reason", "hint", "checks", "last_success_at", "waiting", "oldest_waiting_at"}


def test_two_homes_fed_the_same_agree(dream, tmp_path):
    other = type(dream)(tmp_path / "other")
    for one in (dream, other):
        one.json("note", "The archive is swept on the first of the month", "--at", TUESDAY)
        one.json("consolidate")
    mine, theirs = ([{**m, "file": ""} for m in one.json("list", "--all")["memories"]] for one in (dream, other))
    assert mine == theirs != []


def test_settings_of_a_judge_that_is_gone_are_named_and_do_no_harm(dream):
    dream.settings('[consolidate]\njudge = "rules"\ncross_encoder = "/nowhere"\nneighbours = 5\n')
    told = dream("config", "show", "--json")
    assert told.code == 0
    assert [key for key in ("consolidate.judge", "consolidate.cross_encoder") if f"{key} has no effect" in told.err] == [
        "consolidate.judge", "consolidate.cross_encoder"]
    dream.settings('[consolidate]\njudges = "rules"\n')
    assert dream("config", "show").code == 78


def test_reasons_stand_in_the_store_as_values_and_are_told_in_words(lived_in, memory_of):
    old = memory_of("8080")
    lived_in.json("note", "The billing API no longer listens on port 8080, it now listens on port 9090.", now=TUESDAY)
    lived_in.json("consolidate", now=TUESDAY)
    with closing(sqlite3.connect(lived_in.home / "dream.db")) as store:
        kept = [json.loads(row[0]) for row in store.execute("SELECT evidence FROM operation WHERE op = 'supersede'")]
    assert kept and all("kind" in clue for clue in kept[0])
    decisions = lived_in.json("explain", old["id"])["decisions"]
    said = [clue for decision in decisions for clue in decision["evidence"]]
    assert said and all(isinstance(clue, str) and "{" not in clue and "_" not in clue for clue in said)
