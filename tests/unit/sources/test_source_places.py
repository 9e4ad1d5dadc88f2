"""Where dream looks for what agents keep, when a variable or an agent's own settings say that it is elsewhere."""

from __future__ import annotations

from pathlib import Path

import pytest

from dreamd.core.settings import SourceSettings
from dreamd.sources import discover
from dreamd.sources.places import VARIABLES, roots_in

HOME = Path("/home/ada")


@pytest.mark.parametrize(("env", "field", "place"), [
    ({}, "codex_dirs", "/home/ada/.codex"), ({"CODEX_HOME": "/x"}, "codex_dirs", "/x"),
    ({"GEMINI_CLI_HOME": "/x"}, "gemini_dirs", "/x/.gemini"), ({"COPILOT_HOME": "/x"}, "copilot_dirs", "/x"),
    ({"HERMES_HOME": "/x/profiles/work"}, "hermes_dirs", "/x"), ({"HERMES_HOME": "/x"}, "hermes_dirs", "/x"),
    ({"LETTA_LOCAL_BACKEND_DIR": "/x"}, "letta_dirs", "/x"), ({"OPENCLAW_STATE_DIR": "/x"}, "openclaw_dirs", "/x"),
    ({"OPENCLAW_HOME": "/x"}, "openclaw_dirs", "/x/.openclaw"),
    ({"OPENCLAW_PROFILE": "work"}, "openclaw_dirs", "/home/ada/.openclaw-work"),
    ({"OPENCLAW_WORKSPACE_DIR": "/x"}, "openclaw_dirs", "/x"), ({"XDG_DATA_HOME": "/x"}, "opencode_dirs", "/x/opencode"),
    ({"CURSOR_DATA_DIR": "/x"}, "cursor_dirs", "/x"), ({"OPENCODE_DB": "/x/o.db"}, "extra", "/x/o.db"),
    ({"OPENCODE_DB": "work/o.db"}, "extra", "/home/ada/.local/share/opencode/work/o.db"),
    ({"VSCODE_PORTABLE": "/x"}, "vscode_dirs", "/x/user-data/User")])
def test_a_variable_moves_what_it_moves_for_the_agent(env, field, place):
    assert set(env) <= set(VARIABLES)
    assert Path(place) in getattr(roots_in(env, HOME, SourceSettings()), field)


@pytest.mark.parametrize("named", ["", ":memory:", "other.db"])
def test_a_store_of_opencode_in_its_usual_folder_is_not_named_twice(named):
    assert roots_in({"OPENCODE_DB": named}, HOME, SourceSettings()).extra == ()


def test_nothing_is_looked_for_that_the_settings_leave_out():
    off = SourceSettings(openclaw=False, hermes=False, opencode=False, copilot=False)
    roots = roots_in({"OPENCLAW_WORKSPACE_DIR": "/x", "OPENCODE_DB": "/x/o.db", "VSCODE_PORTABLE": "/x"}, HOME, off)
    assert (roots.openclaw_dirs, roots.hermes_dirs, roots.extra, roots.vscode_dirs) == ((), (), (), ())


def test_a_workspace_that_openclaws_settings_name_is_found(tmp_path):
    (tmp_path / ".openclaw").mkdir()
    (tmp_path / ".openclaw" / "openclaw.json").write_text('{ agents: { defaults: { workspace: "~/garden" } } }')
    (tmp_path / "garden").mkdir()
    (tmp_path / "garden" / "SOUL.md").write_text("Be kind.")
    (tmp_path / "garden" / "MEMORY.md").write_text("- the ferns are watered on Mondays\n")
    found = discover(roots_in({}, tmp_path, SourceSettings()))
    assert [(s.path, s.kind) for s in found] == [(tmp_path / "garden", "openclaw-workspace")]
