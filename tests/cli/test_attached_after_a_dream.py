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
    assert json.loads(told.out)["outcome"] in ("nothing-to-do", "changed")
    assert index.read_text().count("The loom answers on port 7310.") == 1


def test_a_dream_that_knows_an_attached_directory_alone_does_not_say_that_none_was_found(dream, tmp_path):
    folder = tmp_path / "agent" / "memory"
    folder.mkdir(parents=True)
    (folder / "MEMORY.md").write_text("# Memory\n\n- The loom answers on port 7310.\n")
    assert dream("attach", str(folder), "--yes").code == 0
    told = dream("consolidate")
    assert "was found here" not in told.out + told.err
    assert "1 attached directory kept in order" in told.out + told.err and "dream ingest" in told.out + told.err
