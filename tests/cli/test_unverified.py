"""A reference that names what is no longer there is unverified, where somebody can look."""

from __future__ import annotations

import json
import subprocess

import pytest

from conftest import FRIDAY, MONDAY, TUESDAY
from standing_by import run_dream

FACT = "The parser of the ferry tables lives in src/parser.py."


@pytest.fixture
def project(dream):
    """A work tree with one file, of which a memory speaks."""
    root = dream.person / "harbour"
    (root / "src").mkdir(parents=True)
    (root / "src" / "parser.py").write_text("def parse_tables(): ...\n")
    subprocess.run(["git", "init", "-q", str(root)], check=True, env=dream.env)
    return root


def consolidate(dream, where, now):
    done = run_dream(dream.words("consolidate", "--json", now=now), cwd=where, env=dream.env)
    assert done.returncode == 0, done.stderr
    return done.stdout


def the_fact(dream):
    return next(m for m in dream.json("list", "--all")["memories"] if m["text"] == FACT)


def test_a_file_that_is_gone_makes_a_reference_unverified_until_it_is_back(dream, project):
    dream("hook", "user-prompt-submit", stdin=json.dumps({
        "session_id": "s-1", "cwd": str(project), "prompt": f"remember that {FACT}"}))
    consolidate(dream, project, MONDAY)
    assert (the_fact(dream)["unverified"], the_fact(dream)["status"]) == (False, "live")
    (project / "src" / "parser.py").unlink()
    consolidate(dream, dream.person, TUESDAY)
    assert the_fact(dream)["unverified"] is False, "nobody looked: unknown is not gone"
    consolidate(dream, project, TUESDAY)
    assert (the_fact(dream)["unverified"], the_fact(dream)["status"]) == (True, "stale")
    assert b"nothing-to-do" in consolidate(dream, project, TUESDAY)
    (project / "src" / "parser.py").write_text("")
    consolidate(dream, project / "src", FRIDAY)
    assert (the_fact(dream)["unverified"], the_fact(dream)["status"]) == (False, "live")
