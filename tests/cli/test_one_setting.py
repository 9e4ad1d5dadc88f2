"""`dream config get`, `set` and `unset`: one setting, checked, and no other line of a person's file."""

from __future__ import annotations

FILE = '# mine\n[recall]\nlean = 4  # few\nfloor = 0.4\n\n[sources]\npaths = ["/srv/notes"]\n'


def file_of(dream):
    return (dream.root / "config" / "dream" / "dream.toml").read_text()


def test_a_setting_is_written_and_every_other_line_and_remark_stays(dream):
    dream.settings(FILE)
    assert dream.json("config", "set", "recall.lean", "5")["value"] == 5
    assert file_of(dream) == FILE.replace("lean = 4", "lean = 5")
    assert dream.json("config", "get", "recall.lean")["value"] == 5
    dream.json("config", "unset", "recall.floor")
    assert "floor" not in file_of(dream)
    assert dream.json("config", "get", "recall.floor")["from"] == "default"


def test_a_file_is_made_where_there_is_none_and_a_list_is_written_as_one(dream):
    dream.json("config", "set", "sources.paths", "/srv/a, /srv/b")
    assert dream.json("config", "get", "sources.paths")["value"] == ["/srv/a", "/srv/b"]


def test_what_is_no_setting_or_no_value_of_it_is_refused_and_nothing_is_written(dream):
    dream.settings(FILE)
    told = dream("config", "set", "recall.leen", "5")
    assert (told.code, "recall.lean" in told.err) == (78, True)
    assert [dream("config", "set", key, value).code for key, value in (
        ("recall.lean", "many"), ("recall.lean", "2.5"), ("llm.observe", "perhaps"))] == [78, 78, 78]
    assert dream("config", "set", "recall.lean").code == 2
    assert file_of(dream) == FILE


def test_a_number_out_of_range_is_clamped_and_said(dream):
    told = dream("config", "set", "recall.lean", "5000")
    assert "using 50" in told.err
    assert "lean = 50\n" in file_of(dream)
