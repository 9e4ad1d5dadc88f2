"""One dream over a foreign directory, as a plan."""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest

from dreamd.core.values import Basis, Judgement, Relation
from dreamd.notes import (
    AttachRules,
    Dialect,
    IndexLimits,
    JudgedPair,
    account,
    apply_edits,
    detect_dialect,
    plan_attach,
    read_entries,
)

TODAY = "2026-05-08"
LONG = "The billing service must never be restarted while the nightly export is running, ask Ada first"


def dream(files, *pairs, dialect=None, **rules):
    """Plan and apply; `pairs` name entries by their words."""
    dialect = dialect or detect_dialect(files)
    entries = read_entries(files, dialect)
    by_words = {e.text: e.id for e in entries if e.claims}
    judged = [JudgedPair(by_words[a], by_words[b], said) for a, b, said in pairs]
    plan = plan_attach(entries, judged, rules=AttachRules(TODAY, dialect, **rules))
    after = apply_edits(files, plan.edits, dialect=dialect, limits=IndexLimits())
    assert account(files, after, archive=plan.archived, dialect=dialect) == []
    again = plan_attach(read_entries(after, dialect), [], rules=AttachRules(TODAY, dialect))
    assert again.edits == ()
    return plan, after


def topic(name, body, day="2026-05-01"):
    head = f"name: {name}\ndescription: {name}\nmetadata:\n  type: feedback\n  modified: {day}T10:00:00Z\n"
    return f"---\n{head}---\n\n{body}\n"


SAME = Judgement(Relation.DUPLICATE, 0.97, ("says the same",), richer="b")


def test_a_tidy_directory_is_left_alone():
    files = {"MEMORY.md": "# M\n- [A](a.md) — a\n", "a.md": topic("a", "Use pnpm")}
    plan, after = dream(files)
    assert plan.edits == () and after == files


def test_judged_twins_leave_the_richer_one():
    files = {"MEMORY.md": "# M\n- Use pnpm here\n- Use pnpm here, npm breaks the lockfile\n"}
    plan, after = dream(files, ("Use pnpm here", "Use pnpm here, npm breaks the lockfile", SAME))
    assert after["MEMORY.md"] == "# M\n- Use pnpm here, npm breaks the lockfile\n"
    [edit] = plan.edits
    assert (edit.entry.text, edit.reason, edit.evidence) == ("Use pnpm here", "duplicate", ("says the same",))


@pytest.mark.parametrize(("dropped", "kept"), [
    ("The lamp log is append only: a line is never changed", "Keeper-driven shifts: lamps looked up by harbour and name"),
    ("Spare lenses are kept out of the list, the list is public", "Three lists that never meet: lenses, mirrors, wicks")])
def test_an_entry_goes_for_no_other_that_says_little_of_it_however_sure_the_judge_was(dropped, kept):
    files = {"MEMORY.md": f"# M\n- {dropped}\n- {kept}\n"}
    assert dream(files, (dropped, kept, SAME))[1] == files


def test_equal_words_under_different_headings_are_two_claims():
    files = {"MEMORY.md": "# Billing\n- listens on port 8080\n# Search\n- listens on port 8080\n"}
    assert dream(files)[1] == files
    files = {"MEMORY.md": "# Billing\n- listens on port 8080\n# Search\n- listens on the port 8080\n"}
    assert dream(files, ("listens on port 8080", "listens on the port 8080", SAME))[1] == files


def test_equal_words_under_one_heading_or_long_ones_anywhere_are_one_claim():
    files = {"MEMORY.md": f"# A\n- use tabs in Go\n- use tabs in Go\n- {LONG}\n# B\n- {LONG}\n"}
    _, after = dream(files)
    assert after["MEMORY.md"] == f"# A\n- use tabs in Go\n- {LONG}\n# B\n"


def test_a_merged_topic_takes_its_pointers_along_and_names_follow():
    files = {
        "MEMORY.md": "# M\n- [A](a.md) — a\n- [B](b.md) — b\n- see [[a]]\n",
        "a.md": topic("a", "Use pnpm"),
        "b.md": topic("b", "Use pnpm\n\n**Why:** npm breaks it."),
    }
    _, after = dream(files, ("Use pnpm", "Use pnpm\n\n**Why:** npm breaks it.", SAME))
    assert sorted(after) == ["MEMORY.md", "b.md"]
    assert after["MEMORY.md"] == "# M\n- [B](b.md) — b\n- see [[b]]\n"


def test_a_pointer_whose_file_goes_leads_to_the_one_that_stays():
    files = {
        "MEMORY.md": "# M\n- [A](a.md) — a\n",
        "a.md": topic("a", "Use pnpm"),
        "b.md": topic("b", "Use pnpm\nin this repo"),
    }
    _, after = dream(files, ("Use pnpm", "Use pnpm\nin this repo", SAME))
    assert after == {"MEMORY.md": "# M\n- [A](b.md) — a\n", "b.md": files["b.md"]}


def test_topics_are_merged_only_when_no_line_is_lost():
    files = {"MEMORY.md": "# M\n", "a.md": topic("a", "Use pnpm\nAlso yarn"), "b.md": topic("b", "Use pnpm always")}
    assert dream(files, ("Use pnpm\nAlso yarn", "Use pnpm always", SAME))[1] == files
    files = {"MEMORY.md": "# M\n", "a.md": topic("a", "Use pnpm"), "b.md": topic("b", "Use pnpm always")}
    assert dream(files, ("Use pnpm", "Use pnpm always", SAME))[1] == {"MEMORY.md": "# M\n", "b.md": files["b.md"]}


def test_an_update_ends_the_older_claim():
    files = {"MEMORY.md": "# M\n- Deploys on Fridays\n- Deploys no longer on Fridays, on Mondays\n"}
    said = Judgement(Relation.UPDATES, 0.9, ("no longer",), basis=Basis.MARKER, newer="b")
    plan, after = dream(files, ("Deploys on Fridays", "Deploys no longer on Fridays, on Mondays", said))
    assert after["MEMORY.md"] == "# M\n- Deploys no longer on Fridays, on Mondays\n"
    assert [e.reason for e in plan.edits] == ["updated"]


def test_an_update_that_nothing_dates_is_left_to_a_person():
    files = {"MEMORY.md": "# M\n- Deploys on Fridays\n- Deploys on Mondays\n"}
    said = Judgement(Relation.UPDATES, 0.9, basis=Basis.TIME, newer="b")
    plan, after = dream(files, ("Deploys on Fridays", "Deploys on Mondays", said))
    assert after == files and len(plan.conflicts) == 1


def test_an_update_that_the_judge_is_not_sure_of_is_left_to_a_person():
    files = {"MEMORY.md": "# M\n- Deploys on Fridays\n- Deploys no longer on Fridays, on Mondays\n"}
    said = Judgement(Relation.UPDATES, 0.6, ("no longer",), basis=Basis.MARKER, newer="b")
    plan, after = dream(files, ("Deploys on Fridays", "Deploys no longer on Fridays, on Mondays", said))
    assert after == files and len(plan.conflicts) == 1


def test_a_contradiction_is_reported_and_not_decided():
    files = {"MEMORY.md": "# M\n- Always squash\n- Never squash\n"}
    plan, after = dream(files, ("Always squash", "Never squash", Judgement(Relation.CONTRADICTS, 0.9)))
    assert after == files and len(plan.conflicts) == 1


def test_a_state_ends_the_day_after_its_last_day():
    index = "# M\n- frozen (TTL: 2026-05-07)\n- open (TTL: 2026-05-08)\n- [A](a.md) — a\n"
    plan, after = dream({"MEMORY.md": index, "a.md": topic("a", "x TTL: 2026-01-01")})
    assert after == {"MEMORY.md": "# M\n- open (TTL: 2026-05-08)\n"}
    assert {e.reason for e in plan.edits} == {"expired"}


def test_a_dead_link_leads_to_the_file_it_means_or_keeps_its_words():
    elsewhere = "- [Web](https://x.y/z.md) — w\n- [Up](../z.md) — u\n"
    index = "# M\n- [A](My_Note.md) — a\n- [Gone](gone.md) — words\n" + elsewhere
    _, after = dream({"MEMORY.md": index, "my-note.md": topic("n", "Note")})
    assert after["MEMORY.md"] == "# M\n- [A](my-note.md) — a\n- Gone — words\n" + elsewhere


def test_many_dead_links_mean_that_the_files_are_elsewhere():
    files = {"MEMORY.md": "".join(f"- [T{n}](t{n}.md) — hook {n}\n" for n in range(9))}
    plan, after = dream(files)
    assert after == files and "9 of 9 links" in plan.warnings[0]


def test_evidence_marks_keep_twins_apart():
    head = "# Task Group: x\n\n## User preferences\n"
    files = {"MEMORY.md": f"{head}- Run the linter [Task 1]\n- Run the linter [Task 2]\n"}
    assert dream(files)[1] == files


def test_a_summary_keeps_its_version_line_and_its_records():
    head = "v1\n## User Profile\n\n"
    files = {
        "MEMORY.md": "# Task Group: x\n\n## Task 1\n### keywords\n- linter first\n- linter first\n",
        "memory_summary.md": f"{head}- Writes Go and a little Rust\n- Writes Go and a little Rust\n",
        "raw_memories.md": f"- {LONG}\n- {LONG}\n",
    }
    _, after = dream(files)
    assert after == {**files, "memory_summary.md": f"{head}- Writes Go and a little Rust\n"}


def test_sign_separated_twins_leave_one_entry_and_one_separator_less():
    files = {"MEMORY.md": "Uses fish shell\n§\nUses the fish shell\n§\nServer is called otter", "USER.md": "Name is Ada"}
    _, after = dream(files, ("Uses fish shell", "Uses the fish shell", SAME))
    assert after == {**files, "MEMORY.md": "Uses the fish shell\n§\nServer is called otter"}


def test_trigger_and_importance_stay_with_the_entry_that_stays():
    files = {"MEMORY.md": "- Likes tea\n<!-- importance: 2 -->\n- Likes green tea <!-- trigger: drinks -->\n"}
    _, after = dream(files, ("Likes tea", "Likes green tea", SAME), dialect=Dialect.OPENCLAW)
    assert after["MEMORY.md"] == "- Likes green tea <!-- trigger: drinks -->\n"


def test_instructions_and_daily_logs_are_never_touched():
    files = {
        "MEMORY.md": f"- {LONG} <!-- trigger: x -->\n",
        "memory/2026-05-07.md": f"- {LONG}\n- {LONG}\n",
        "AGENTS.md": f"- {LONG}\n",
    }
    assert dream(files)[1] == files


def test_what_is_past_the_share_of_one_dream_waits_the_oldest_first_in_line():
    lines = [f"- over since then {n}, TTL: 2026-01-{30 - n}\n" for n in range(10)]
    files = {"MEMORY.md": "".join(lines)}
    entries = read_entries(files, Dialect.CLAUDE)
    plan = plan_attach(entries, [], rules=AttachRules(TODAY, Dialect.CLAUDE))
    assert [e.entry.ttl for e in plan.waiting] == [f"2026-01-{day}" for day in range(26, 31)]
    assert {e.entry.ttl for e in plan.edits} == {f"2026-01-{day}" for day in range(21, 26)}
    assert any("5 more entries wait" in warning for warning in plan.warnings)
    assert dream(files, allow_large_change=True)[1] == {"MEMORY.md": "\n"}


def test_the_order_of_entries_and_pairs_does_not_matter():
    files = {"MEMORY.md": "# M\n" + "".join(f"- Rule number {n % 4} of the house\n" for n in range(12))}
    entries = read_entries(files, Dialect.CLAUDE)
    rules = AttachRules(TODAY, Dialect.CLAUDE, allow_large_change=True)
    shuffled = list(entries)
    random.Random(7).shuffle(shuffled)
    assert plan_attach(shuffled, [], rules=rules) == plan_attach(entries, [], rules=rules)


def test_a_lost_entry_is_found_by_the_account():
    files = {"MEMORY.md": "- one claim\n- another claim\n"}
    [missing] = account(files, {"MEMORY.md": "- one claim\n"}, archive=[], dialect=Dialect.CLAUDE)
    assert missing.text == "another claim"


@pytest.mark.real_data
@pytest.mark.skipif(not os.environ.get("DREAM_EVAL_DATA"), reason="DREAM_EVAL_DATA is not set")
def test_real_directories_come_through_whole():
    root = Path(os.environ["DREAM_EVAL_DATA"]) / "real" / "memory-dirs"
    for directory in sorted(p for p in root.iterdir() if p.is_dir()):
        files = {
            str(p.relative_to(directory)): p.read_bytes().decode("utf-8", "surrogateescape")
            for p in directory.rglob("*.md")
        }
        dialect = detect_dialect(files)
        assert dialect is Dialect.CLAUDE
        assert apply_edits(files, [], dialect=dialect) == files
        assert sum(e.claims for e in read_entries(files, dialect)) >= len(files)
        dream(files)
