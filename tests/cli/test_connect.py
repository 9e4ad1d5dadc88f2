"""Connecting and disconnecting an agent: a throw-away person, real processes, and every byte counted."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

CLAUDE = ".claude/settings.json"
OTHERS = {
    "permissions": {"allow": ["Bash(ls)"]},
    "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "/opt/chime/dream-memory.sh"}]}],
              "PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "guard"}]}]},
}


@pytest.fixture
def settings(dream: Any) -> Path:
    """The settings file of an installed Claude Code, not there yet."""
    path = dream.person / CLAUDE
    path.parent.mkdir()
    return path


def test_a_settings_file_comes_back_byte_for_byte(dream, settings):
    shapes = [
        json.dumps(OTHERS, indent="\t").encode() + b"\n", json.dumps(OTHERS, indent=4).replace("\n", "\r\n").encode(), b"",
        b'{\n  "model": "x",   "env": {"A": "\xc3\xa9"},\n\n\n  "hooks": {}\n}\n\n', b'{"hooks": {"Stop": []}}\n',
        b'{"half": "\\ud800"}']
    for body in shapes:
        settings.write_bytes(body)
        assert dream("connect", "claude-code", "--yes").code == 0
        connected = settings.read_bytes()
        assert connected.count(b"# dream-memory") == 5
        assert (b"\r\n" in connected) == (b"\r\n" in body)
        assert dream("disconnect", "claude-code").code == 0
        assert settings.read_bytes() == body


def test_a_file_that_was_not_there_is_gone_again_with_the_folder_made_for_it(dream):
    (dream.person / ".copilot").mkdir()
    assert dream("connect", "copilot", "--yes").code == 0
    assert (dream.person / ".copilot/hooks/dream.json").exists()
    assert dream("disconnect", "copilot").code == 0
    assert not list((dream.person / ".copilot").iterdir())


def test_other_peoples_hooks_stay_beside_ours(dream, settings):
    settings.write_text(json.dumps(OTHERS))
    dream("connect", "claude-code", "--yes")
    hooks = json.loads(settings.read_text())["hooks"]
    assert hooks["Stop"][0] == OTHERS["hooks"]["Stop"][0]
    assert hooks["PreToolUse"] == OTHERS["hooks"]["PreToolUse"]
    assert hooks["SessionStart"][0]["matcher"] == "startup|clear"


def test_connecting_twice_changes_nothing(dream, settings):
    settings.write_text(json.dumps(OTHERS, indent=3))
    dream("connect", "claude-code", "--yes")
    before = settings.read_bytes()
    told = dream.json("connect", "claude-code", "--yes")
    assert told["changed"] == []
    assert settings.read_bytes() == before


def test_hooks_of_a_moved_installation_are_replaced_and_not_doubled(dream, settings):
    settings.write_text(json.dumps(OTHERS, indent=2))
    before = settings.read_bytes()
    dream("connect", "claude-code", "--yes")
    # The same entries as an installation elsewhere would have written them.
    record = dream.home / "connections" / "claude-code.json"
    moved = settings.read_text().replace(str(dream.home), "/old/home")
    settings.write_text(moved)
    kept = json.loads(record.read_text())
    kept["files"][0]["after"] = __import__("base64").b64encode(moved.encode()).decode()
    record.write_text(json.dumps(kept))
    assert dream("connect", "claude-code", "--yes").code == 0
    assert settings.read_text().count("# dream-memory") == 5
    assert "/old/home" not in settings.read_text()
    dream("disconnect", "claude-code")
    assert settings.read_bytes() == before


def test_edits_made_in_between_stay_and_only_our_entries_go(dream, settings):
    settings.write_text('{\n    "model": "one",\n\n    "permissions": {"allow": ["Bash(ls)"]}\n}\n')
    dream("connect", "claude-code", "--yes")
    settings.write_text(settings.read_text().replace('"one"', '"two"'))
    assert dream("disconnect", "claude-code").code == 0
    left = json.loads(settings.read_text())
    assert left == {"model": "two", "permissions": {"allow": ["Bash(ls)"]}}


def test_an_edit_that_stands_alone_keeps_the_spacing_of_the_old_file(dream, settings):
    settings.write_text('{\n  "model": "one",\n  "env": {\n    "A": "1"\n  },\n  "x": [\n    1\n  ]\n}\n')
    dream("connect", "claude-code", "--yes")
    settings.write_text(settings.read_text().replace('"A": "1"', '"A": "22"'))
    dream("disconnect", "claude-code")
    assert settings.read_text() == '{\n  "model": "one",\n  "env": {\n    "A": "22"\n  },\n  "x": [\n    1\n  ]\n}\n'


def test_a_hook_somebody_put_into_our_group_survives(dream, settings):
    settings.write_text("{}")
    dream("connect", "claude-code", "--yes")
    document = json.loads(settings.read_text())
    document["hooks"]["Stop"][0]["hooks"].append({"type": "command", "command": "mine"})
    settings.write_text(json.dumps(document))
    dream("disconnect", "claude-code")
    assert json.loads(settings.read_text()) == {"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "mine"}]}]}}


def test_a_link_stays_a_link_and_its_target_is_changed(dream, settings):
    target = dream.root / "dotfiles.json"
    target.write_text('{"model": "one"}\n')
    settings.symlink_to(target)
    assert dream("connect", "claude-code", "--yes").code == 0
    assert settings.is_symlink()
    assert "# dream-memory" in target.read_text()
    dream("disconnect", "claude-code")
    assert settings.is_symlink()
    assert target.read_text() == '{"model": "one"}\n'


def test_the_rights_of_a_file_are_kept(dream, settings):
    settings.write_text("{}")
    settings.chmod(0o640)
    dream("connect", "claude-code", "--yes")
    assert settings.stat().st_mode & 0o777 == 0o640
    dream("disconnect", "claude-code")
    assert settings.stat().st_mode & 0o777 == 0o640


@pytest.mark.parametrize("body", [b"[1]", b'{"a": 1,,}', b'/* open\n{"a": 1}', b'{"a": 1, "a": 2}', b'{"hooks": []}',
                                  b"\xff\xfe{", b'{"hooks": {"Stop": "x"}}'])
def test_a_file_that_would_not_come_back_the_same_is_refused_and_left_alone(dream, settings, body):
    settings.write_bytes(body)
    told = dream("connect", "claude-code", "--yes")
    assert told.code == 78
    assert "hint:" in told.err
    assert settings.read_bytes() == body
    assert not (dream.home / "connections").exists()


COMMENTED = (
    '// mine\n{\n  "model": "one", // the small one\n  /* hooks: none */\n  "env": {"U": "http://x//y"},\n}\n',
    '{"a": 1,}', '\ufeff{"a": [1, 2 /* two */]}\r\n', '{\n\t"hooks": {\n\t\t"Stop": [\n\t\t\t// none yet\n\t\t]\n\t}\n}\n',
    '{\n  "hooks": {\n    "Stop": [{"hooks": [{"type": "command", "command": "bell"}]}] // bell\n  }\n}\n')


@pytest.mark.parametrize("body", COMMENTED)
def test_comments_stay_where_they_are_and_the_bytes_come_back(dream, settings, body):
    settings.write_bytes(body.encode())
    assert dream("connect", "claude-code", "--yes").code == 0
    connected = settings.read_bytes().decode()
    assert connected.count("# dream-memory") == 5
    added = iter(connected)
    assert all(sign in added for sign in body)  # every sign of it, in its order
    assert dream.json("connect", "claude-code", "--yes")["changed"] == []
    assert dream("disconnect", "claude-code").code == 0
    assert settings.read_bytes() == body.encode()


def test_an_edit_of_a_commented_file_stays_when_the_hooks_go(dream, settings):
    settings.write_text(COMMENTED[0])
    dream("connect", "claude-code", "--yes")
    settings.write_text(settings.read_text().replace('"one", // the small one', '"two", // the large one'))
    assert dream("disconnect", "claude-code").code == 0
    assert settings.read_text() == COMMENTED[0].replace('"one", // the small one', '"two", // the large one')


@pytest.mark.parametrize(("name", "place", "body", "silent"), [
    ("claude-code", CLAUDE, '{"disableAllHooks": true}', True), ("claude-code", CLAUDE, '{"disableAllHooks": false}', False),
    ("codex", ".codex/config.toml", "[features]\nhooks = false # not mine\n", True),
    ("gemini", ".gemini/settings.json", '{"hooksConfig": {"enabled": false}}', True),
    ("gemini", ".gemini/settings.json", '{"hooksConfig": {}}', False),
    ("copilot", ".copilot/settings.json", '{"disableAllHooks": true}', True),
    ("copilot", ".copilot/settings.json", "{}", False),
    ("codex", ".codex/config.toml", "[features]\nhooks = true\n", False), ("codex", ".codex/config.toml", "[features", False)])
def test_a_harness_whose_hooks_are_switched_off_is_connected_and_says_so(dream, name, place, body, silent):
    path = dream.person / place
    path.parent.mkdir()
    path.write_text(body)
    told = dream("connect", name, "--yes")
    assert told.code == 0
    assert ("runs no hooks now" in told.err) == silent
    assert dream("disconnect", name).code == 0
    assert path.read_text() == body


@pytest.mark.parametrize(("name", "variable", "place", "file"), [
    ("codex", "CODEX_HOME", "", "hooks.json"), ("gemini", "GEMINI_CLI_HOME", ".gemini", ".gemini/settings.json"),
    ("copilot", "COPILOT_HOME", "", "hooks/dream.json"),
    ("openclaw", "OPENCLAW_STATE_DIR", "", "hooks/dream/handler.ts")])
def test_a_harness_that_was_moved_is_connected_where_it_is(dream, name, variable, place, file):
    moved = dream.root / "moved"
    (moved / place).mkdir(parents=True)
    dream.env[variable] = str(moved)
    assert dream.json("connect", name, "--yes")["changed"][0] == str(moved / file)
    assert dream("disconnect", name).code == 0
    assert not (moved / file).exists()


@pytest.mark.parametrize(("env", "made", "place"), [
    ({"OPENCLAW_PROFILE": "work"}, [".openclaw", ".openclaw-work"], ".openclaw-work"),
    ({"OPENCLAW_PROFILE": "default"}, [".openclaw"], ".openclaw"), ({"OPENCLAW_HOME": "{person}/elsewhere"},
     [".openclaw", "elsewhere/.openclaw"], "elsewhere/.openclaw"),
    ({"OPENCLAW_HOME": "{person}/elsewhere", "OPENCLAW_PROFILE": "work"}, ["elsewhere/.openclaw-work"],
     "elsewhere/.openclaw-work"),
    ({"OPENCLAW_STATE_DIR": "~/state", "OPENCLAW_PROFILE": "work"}, [".openclaw", "state"], "state"),
    ({}, [".clawdbot"], ".clawdbot"), ({}, [".openclaw", ".clawdbot"], ".openclaw")])
def test_openclaw_is_connected_where_its_own_variables_put_it(dream, env, made, place):
    for folder in made:
        (dream.person / folder).mkdir(parents=True)
    dream.env.update({name: value.replace("{person}", str(dream.person)) for name, value in env.items()})
    before = sorted(dream.person.rglob("*"))
    told = dream.json("connect", "openclaw", "--yes")
    assert [Path(p).relative_to(dream.person).as_posix() for p in told["changed"]] == [
        f"{place}/hooks/dream/handler.ts", f"{place}/hooks/dream/HOOK.md"]
    assert dream("disconnect", "openclaw").code == 0
    assert sorted(dream.person.rglob("*")) == before


def test_a_profile_of_openclaw_that_is_not_there_is_refused_by_its_own_name(dream):
    (dream.person / ".openclaw").mkdir()
    dream.env["OPENCLAW_PROFILE"] = "work"
    told = dream("connect", "openclaw", "--yes")
    assert told.code == 4 and ".openclaw-work" in told.err


def test_an_event_that_dream_no_longer_asks_for_is_taken_out_at_the_next_connection(dream):
    path = dream.person / ".copilot/hooks/dream.json"
    path.parent.mkdir(parents=True)
    ours = {"type": "command", "bash": "dream hook session-end # dream-memory", "timeoutSec": 10}
    path.write_text(json.dumps({"version": 1, "hooks": {"sessionEnd": [ours], "errorOccurred": []}}))
    dream.json("connect", "copilot", "--yes")
    hooks = json.loads(path.read_text())["hooks"]
    assert set(hooks) == {"sessionStart", "userPromptSubmitted", "agentStop", "preCompact", "errorOccurred"}


def test_a_folder_where_settings_should_be_is_told_and_hides_no_other_harness(dream):
    (dream.person / ".claude" / "settings.json").mkdir(parents=True)
    (dream.person / ".codex").mkdir()
    told = dream("connect", "claude-code", "--yes")
    assert told.code == 1 and "settings.json` is not a plain file" in told.err
    listed = {h["harness"]: h for h in dream.json("connect", "--list")["harnesses"]}
    assert listed["codex"]["installed"] and listed["claude-code"]["installed"] and not listed["claude-code"]["connected"]


def test_a_harness_that_is_not_installed_is_refused(dream):
    told = dream("connect", "codex", "--yes")
    assert told.code == 4
    assert "not installed" in told.err
    assert not (dream.person / ".codex").exists()


def test_without_anybody_to_ask_nothing_is_changed_and_the_difference_is_shown(dream, settings):
    settings.write_text('{"model": "one"}\n')
    told = dream("connect", "claude-code")
    assert told.code == 4
    assert "+" in told.err and "hook session-start" in told.err
    assert settings.read_text() == '{"model": "one"}\n'


@pytest.mark.parametrize(("name", "sign", "files"), [
    ("codex", ".codex", [".codex/hooks.json"]), ("gemini", ".gemini", [".gemini/settings.json"]),
    ("cursor", ".cursor", [".cursor/hooks.json"]), ("copilot", ".copilot", [".copilot/hooks/dream.json"]),
    ("openclaw", ".openclaw", [".openclaw/hooks/dream/handler.ts", ".openclaw/hooks/dream/HOOK.md"]),
    ("opencode", ".config/opencode", [".config/opencode/plugins/dream.js"])])
def test_every_harness_connects_and_leaves_no_trace_afterwards(dream, name, sign, files):
    dream.env.pop("XDG_CONFIG_HOME"), dream.env.pop("XDG_DATA_HOME")
    (dream.person / sign).mkdir(parents=True)
    before = sorted(p.relative_to(dream.person) for p in dream.person.rglob("*"))
    told = dream.json("connect", name, "--yes")
    assert [str(Path(p).relative_to(dream.person)) for p in told["changed"]] == files
    listed = {h["harness"]: h for h in dream.json("connect", "--list")["harnesses"]}
    assert listed[name]["connected"] and listed[name]["installed"]
    assert not any(h["connected"] for n, h in listed.items() if n != name)
    assert dream("disconnect", name).code == 0
    assert sorted(p.relative_to(dream.person) for p in dream.person.rglob("*")) == before
    assert dream("disconnect", name).code == 4


def test_a_connected_hook_reaches_the_home_it_was_connected_for(dream, settings):
    settings.write_text("{}")
    dream("connect", "claude-code", "--yes")
    command = json.loads(settings.read_text())["hooks"]["Stop"][0]["hooks"][0]["command"]
    call = json.dumps({"session_id": "s", "transcript_path": str(dream.root / "t.jsonl"), "cwd": "/"})
    done = __import__("subprocess").run(["/bin/sh", "-c", command], input=call.encode(), env=dream.env, capture_output=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert len(list((dream.home / "inbox").glob("*.json"))) == 1


def test_a_home_that_was_lost_does_not_keep_the_hooks_from_being_taken_out(dream, settings):
    settings.write_text('{"model": "one"}')
    dream("connect", "claude-code", "--yes")
    shutil.rmtree(dream.home)
    assert dream("disconnect", "claude-code").code == 0
    assert json.loads(settings.read_text()) == {"model": "one"}


def test_a_configuration_nobody_may_write_is_an_outage_and_not_a_crash(dream, settings):
    if os.geteuid() == 0:
        pytest.skip("root may write everywhere")
    settings.write_text("{}")
    settings.parent.chmod(0o500)
    try:
        assert dream("connect", "claude-code", "--yes").code == 12
    finally:
        settings.parent.chmod(0o700)
    assert settings.read_text() == "{}"


def test_the_list_says_how_many_sources_of_a_harness_were_read(dream):
    path = dream.person / ".claude" / "projects" / "-srv-otter" / "s-1.jsonl"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps({"type": "user", "uuid": "u-1", "sessionId": "s-1", "cwd": "/srv/otter",
                                "timestamp": "2026-03-01T10:00:00.000Z",
                                "message": {"role": "user", "content": "We always water the ferns on Mondays."}}) + "\n")
    dream.json("consolidate")
    assert "claude-code  installed, 1 source read\n" in dream("connect", "--list").out
