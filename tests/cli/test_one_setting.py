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
    assert (told.code, "recall.lean" in told.err) == (2, True)
    assert [dream("config", "set", key, value).code for key, value in (
        ("recall.lean", "many"), ("recall.lean", "2.5"), ("llm.observe", "perhaps"))] == [2, 2, 2]
    assert dream("config", "set", "recall.lean").code == 2
    assert file_of(dream) == FILE


def test_a_word_that_is_like_no_setting_is_answered_with_the_few_that_are_nearest(dream):
    assert {dream("config", verb, "nope").code for verb in ("get", "unset")} == {2}, "a wrong argument, the file is right"
    asked = {key: dream("config", "get", key).err.splitlines()[1] for key in ("nope", "lean", "servce.notify")}
    assert asked["lean"] == "hint: did you mean `recall.lean`?"
    assert asked["servce.notify"] == "hint: did you mean `service.notify`?"
    assert asked["nope"].count("`") == 8
    assert asked["nope"].endswith("`dream config show` lists all of them")


def test_a_number_out_of_range_is_clamped_and_said(dream):
    told = dream("config", "set", "recall.lean", "5000")
    assert "using 50" in told.err
    assert "lean = 50\n" in file_of(dream)


def test_a_setting_of_the_environment_counts_before_the_file_and_is_named_as_such(dream):
    dream.settings(FILE)
    dream.env |= {"DREAM_RECALL_LEAN": "6", "DREAM_SOURCES_CLAUDE_CODE": "off", "DREAM_SOURCES_PATHS": "/srv/a,/srv/b",
                  "DREAM_RECALL_FLOOR": "7", "DREAM_SERVICE_PORT": "tcp://10.0.0.1:80", "DREAM_EVAL_DATA": "/srv/data"}
    told = dream("config", "show", "--json")
    shown = told.document["settings"]
    assert [shown[key] for key in ("recall.lean", "sources.claude_code", "sources.paths", "recall.floor", "recall.deep")] == [
        {"value": 6, "from": "environment"}, {"value": False, "from": "environment"},
        {"value": ["/srv/a", "/srv/b"], "from": "environment"}, {"value": 1.0, "from": "environment"},
        {"value": 15, "from": "default"}]
    assert "recall.floor 7.0 is above 1.0, using 1.0, from `DREAM_RECALL_FLOOR`" in told.err
    told = dream("config", "set", "recall.lean", "5")
    assert (told.code, "`DREAM_RECALL_LEAN` in the environment counts before the file" in told.err) == (0, True)
    assert dream.json("config", "get", "recall.lean")["variable"] == "DREAM_RECALL_LEAN"
    assert "DREAM_RECALL_LEAN" in dream("config", "get", "recall.lean").err


def test_a_variable_that_is_no_setting_or_no_value_of_one_stops_the_command_and_the_probe_says_so(dream):
    for variable, word, named in (
            ("DREAM_RECALL_LEEN", "5", "DREAM_RECALL_LEAN"), ("DREAM_RECAL_LEAN", "5", "DREAM_RECALL_LEAN"),
            ("DREAM_RECALL_LEAN", "few", "`recall.lean` must be a number"),
            ("DREAM_MODEL_ENGINE", "steam", "one of auto, light, torch")):
        told = dream("config", "show", **{variable: word})
        assert (told.code, named in told.err, variable in told.err) == (78, True, True)
    for variable, said in (("DREAM_MODEL_ENGINE", "`model.engine` in the environment is none of its choices"),
                           ("DREAM_RECALL_LEEN", "`recall.DREAM_RECALL_LEEN` in the environment is no setting of dream's")):
        told = dream("probe", "--json", now=None, **{variable: "steam"})
        assert said in next(c["detail"] for c in told.document["checks"] if c["name"] == "settings")


def test_a_service_is_given_the_settings_of_the_environment_it_was_installed_from(dream):
    dream.env["DREAM_SERVICE_NIGHTLY_AT"] = "04:30"
    files = dream.json("service", "print", now=None)["files"]
    unit = next(text for path, text in files.items() if path.endswith("dream.service"))
    assert "DREAM_SERVICE_NIGHTLY_AT=04:30" in unit
