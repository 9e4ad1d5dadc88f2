"""What is attached is kept in order by every dream, not only by the command that attached it."""

from __future__ import annotations

import json


def test_a_dream_keeps_an_attached_directory_in_order(dream, tmp_path):
    folder = tmp_path / "agent" / "memory"
    folder.mkdir(parents=True)
    index = folder / "MEMORY.md"
    index.write_text("# Memory\n\n- The loom answers on port 7310.\n- Spools are counted on Mondays.\n")
    assert dream("attach", str(folder), "--yes").code == 0
    index.write_text(index.read_text() + "- The loom answers on port 7310.\n")
    told = dream("consolidate", "--json")
    assert told.code == 0
    assert json.loads(told.out)["outcome"] == "changed"
    assert index.read_text().count("The loom answers on port 7310.") == 1


def test_a_dream_that_knows_an_attached_directory_alone_does_not_say_that_none_was_found(dream, tmp_path):
    folder = tmp_path / "agent" / "memory"
    folder.mkdir(parents=True)
    (folder / "MEMORY.md").write_text("# Memory\n\n- The loom answers on port 7310.\n")
    assert dream("attach", str(folder), "--yes").code == 0
    told = dream("consolidate")
    assert "was found here" not in told.out + told.err
    assert "keeps 1 attached directory in order" in told.out + told.err and "dream ingest" in told.out + told.err


def kept(tmp_path, **files):
    """A directory of an agent's, with an index and topic files by name."""
    folder = tmp_path / "agent" / "memory"
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / f"{name}.md").write_text(text)
    return folder


def topic(name, description, body, kind="project"):
    return f"---\nname: {name}\ndescription: {description}\ntype: {kind}\n---\n\n{body}\n"


def attached(dream, tmp_path):
    """A directory that was put in order once, and then said one thing twice and pointed at nothing."""
    folder = kept(tmp_path, MEMORY="# Memory\n\n- The loom answers on port 7310.\n- Spools are counted on Mondays.\n")
    assert dream("attach", str(folder), "--yes").code == 0
    index = folder / "MEMORY.md"
    index.write_text(index.read_text() + "- The loom answers on port 7310.\n- [Gone](nope.md) — was here\n")
    return index


def test_a_dream_lists_what_it_changes_in_an_attached_directory_and_a_dry_run_the_same(dream, tmp_path):
    index = attached(dream, tmp_path)
    before = index.read_text()
    planned = dream.json("consolidate", "--dry-run")
    assert index.read_text() == before
    done = dream.json("consolidate")
    assert (planned["outcome"], done["outcome"], done["reason"]) == ("changed", "changed", None)
    assert planned["operations"] == done["operations"]
    assert [(o["op"], o["scope"], o["file"], o["before"]["text"]) for o in done["operations"]] == [
        ("remove", "attached", "MEMORY.md", "The loom answers on port 7310."),
        ("unlink", "attached", "MEMORY.md", "[Gone](nope.md) — was here")]
    assert done["attached"][0]["files"] == ["MEMORY.md"] and done["run"] == done["attached"][0]["run"]
    assert dream.json("consolidate")["outcome"] == "nothing-to-do"


def test_a_person_reads_file_and_words_of_what_was_put_in_order(dream, tmp_path):
    attached(dream, tmp_path)
    for words in (("consolidate", "--dry-run"), ("consolidate",)):
        told = dream(*words)
        assert told.code == 0 and "nothing to do" not in told.out + told.err
        assert "MEMORY.md" in told.out and "The loom answers on port 7310." in told.out
    run = dream.json("history")["runs"][0]
    assert "MEMORY.md" in run["reason"]
    shown = dream("diff", run["run"])
    assert "-- The loom answers on port 7310." in shown.out and "MEMORY.md" in shown.out
    document = dream.json("diff", run["run"])
    assert document["operations"][0]["before"] == {"text": "The loom answers on port 7310."}
    assert document["operations"][0]["file"] == "MEMORY.md" and "+++ b/MEMORY.md" in document["diff"]


def test_a_plan_holds_what_it_would_change_in_attached_directories_and_no_other_change_is_carried_out(dream, tmp_path):
    index = attached(dream, tmp_path)
    plan = tmp_path / "plan.json"
    assert dream("consolidate", "--plan", str(plan)).code == 0
    assert "The loom answers on port 7310." in plan.read_text()
    index.write_text(index.read_text() + "- Spools are counted on Mondays.\n")
    before = index.read_text()
    assert dream("consolidate", "--apply", str(plan), now=None).code == 4
    assert index.read_text() == before
    assert dream("consolidate", "--plan", str(plan)).code == 0
    assert dream("consolidate", "--apply", str(plan), now=None).code == 0
    assert index.read_text().count("Spools are counted on Mondays.") == 1


def test_of_twins_the_better_described_stays_with_all_that_either_line_said(dream, tmp_path):
    body = "Deploys go through the blue pipeline, Ada approves them."
    folder = kept(
        tmp_path, deploy=topic("deploy", "deploys", body),
        zz_deploy=topic("zz_deploy", "deploys through the blue pipeline and who approves", body),
        MEMORY="# Memory\n\n- [Deploys](deploy.md) — on Tuesdays only, see runbook 12\n- [Blue pipeline](zz_deploy.md) — how\n")
    assert dream("attach", str(folder), "--yes").code == 0
    assert sorted(p.name for p in folder.iterdir()) == ["MEMORY.md", "zz_deploy.md"]
    assert "who approves" in (folder / "zz_deploy.md").read_text()
    line = (folder / "MEMORY.md").read_text().splitlines()[-1]
    assert "(zz_deploy.md)" in line and "on Tuesdays only, see runbook 12" in line


def test_twins_stay_two_while_each_description_says_something_of_its_own(dream, tmp_path):
    body = "Deploys go through the blue pipeline, Ada approves them."
    folder = kept(tmp_path, a=topic("a", "valid for staging", body), b=topic("b", "agreed with finance in March", body),
                  MEMORY="# Memory\n\n- [A](a.md) — staging\n- [B](b.md) — finance\n")
    assert dream("attach", str(folder), "--yes").code == 0
    assert sorted(p.name for p in folder.iterdir()) == ["MEMORY.md", "a.md", "b.md"]


def test_a_directory_that_is_past_its_limit_makes_the_dream_partial(dream, tmp_path):
    lines = "".join(f"- The loom number {n} answers on port 73{n:02}.\n" for n in range(12))
    folder = kept(tmp_path, MEMORY=f"# Memory\n\n{lines}")
    assert dream("attach", str(folder), "--yes").code == 0
    index = folder / "MEMORY.md"
    index.write_text(f"{index.read_text()}{lines}")
    told = dream("consolidate", "--json")
    assert told.code == 3 and told.document["outcome"] == "partial"
    assert any("entries" in w for w in told.document["warnings"]) and told.document["attached"][0]["left"]
    assert told.document["attached"][0]["files"] == ["MEMORY.md"], "what is within the limit is done"


def test_a_dry_run_past_the_limit_shows_what_would_go_and_what_waits(dream, tmp_path):
    said = ("looms", "the gate is shut", "ask", "no tea", "paint is wet", "spools are short", "bring a lamp", "cold in hall 3")
    lines = "".join(f"- {words}, TTL: 2026-01-{10 + n}\n" for n, words in enumerate(said))
    folder = kept(tmp_path, MEMORY=f"# Memory\n\n{lines}")
    told = dream("attach", str(folder), "--dry-run", "--json")
    assert (told.code, len(told.document["edits"]), len(told.document["waiting"])) == (3, 5, 3)
    assert dream("attach", str(folder), "--yes").code == 3
    assert dream("attach", str(folder), "--yes", "--allow-large-change").code == 0
    assert (folder / "MEMORY.md").read_text() == "# Memory\n\n"


def a_folder(folder):
    (folder / "MEMORY.md").unlink()
    (folder / "MEMORY.md").mkdir()


def a_link(folder):
    (folder / "MEMORY.md").rename(folder / "index.txt")
    (folder / "MEMORY.md").symlink_to("index.txt")


def a_linked_directory(folder):
    folder.rename(folder.with_name("real"))
    folder.symlink_to("real")


def a_file(folder):
    folder.rename(folder.with_name("real"))
    folder.write_text("x")


SHAPES = {a_folder: "plain file", a_link: "symbolic link", a_linked_directory: "is a link", a_file: "no directory"}


def test_directories_of_odd_shapes_are_named_and_the_others_are_kept_in_order(dream, tmp_path):
    line = "# Memory\n\n- Spools are counted on Mondays.\n"
    odd = {change: kept(tmp_path / change.__name__, MEMORY=line) for change in SHAPES}
    for change, folder in odd.items():
        assert dream("attach", str(folder), "--yes").code == 0
        change(folder)
    index = attached(dream, tmp_path)
    told = dream("consolidate", "--json")
    assert (told.code, told.document["outcome"]) == (3, "partial")
    for change, folder in odd.items():
        assert any(str(folder) in warning and SHAPES[change] in warning for warning in told.document["warnings"]), change
    assert index.read_text().count("The loom answers on port 7310.") == 1
    again = dream("attach", str(odd[a_folder]), "--yes")
    assert again.code == 4 and "plain file" in again.err


def test_what_is_not_looked_into_is_there_all_the_same(dream, tmp_path):
    lines = ("- [Linked](linked.md) — a link\n- [Below](far/below.md) — a folder that is a link\n"
             "- [Folder](folder.md) — a folder by that name\n- [Own](.own/own.md) — not for agents\n")
    folder = kept(tmp_path, MEMORY=f"# Memory\n\n{lines}- [Gone](gone.md) — was here\n")
    for name in ("folder.md", ".own"):
        (folder / name).mkdir()
    (tmp_path / "far").mkdir()
    (folder / "far").symlink_to(tmp_path / "far")
    (folder / "linked.md").symlink_to(tmp_path / "elsewhere.md")
    assert dream("attach", str(folder), "--yes").code == 0
    assert (folder / "MEMORY.md").read_text() == f"# Memory\n\n{lines}- Gone — was here\n"


def test_a_first_dream_with_nothing_to_do_is_no_run_in_the_record(dream, tmp_path):
    assert dream.json("consolidate")["run"] is None
    assert dream("attach", str(kept(tmp_path, MEMORY="# Memory\n\n- The loom answers on port 7310.\n")), "--yes").code == 0
    assert dream.json("consolidate")["run"] is None


def test_who_asks_for_the_last_dream_is_pointed_at_what_an_attached_directory_lost(dream, tmp_path):
    index = kept(tmp_path, MEMORY="# Memory\n\n" + "- The loom answers on port 7310.\n" * 2) / "MEMORY.md"
    assert dream("attach", str(index.parent), "--yes").code == 0
    run = dream.json("history")["runs"][0]["run"]
    for verb in ("diff", "undo"):
        told = dream(verb)
        assert told.code == 10 and f"dream {verb} {run}" in told.err
    dream("note", "Spools are counted on Mondays.")
    dream("consolidate")
    assert run not in dream("diff").out + dream("diff").err
    index.write_text(index.read_text() + "- The loom answers on port 7310.\n")
    dream("consolidate")
    run = dream.json("history")["runs"][0]["run"]
    assert f"dream diff {run}" in (told := dream("diff")).out + told.err
    assert f"dream undo {run}" in (told := dream("undo", "--dry-run")).out + told.err
    assert f"dream undo {run}" in (told := dream("undo")).out + told.err
