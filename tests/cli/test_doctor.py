"""`dream doctor`: one report, one exit code, and what to do next."""

from __future__ import annotations

import json

MONDAY = "2026-03-02T09:00:00Z"


def parts(told):
    """The checks by part and name."""
    return {(c["part"], c["name"]): c for c in told["checks"]}


def test_a_home_that_was_never_used_is_told_what_comes_first_and_nothing_is_made(dream):
    (dream.person / ".claude").mkdir()
    told = dream("doctor", "--json", now=None)
    found = parts(told.document)
    assert {part for part, _ in found} == {"versions", "settings", "probe", "check", "sources", "hooks", "service"}
    assert found["hooks", "claude-code"]["next"] == "`dream connect claude-code`"
    assert found["service", "installed"]["next"] == "`dream service install`"
    assert all(step in [c["next"] for c in told.document["checks"]] for step in told.document["next"])
    assert told.document["code"] == told.code
    assert not dream.home.exists()


def test_what_is_wrong_is_one_and_what_cannot_be_looked_at_is_two(dream):
    dream("note", "The pump stands in hall 2.", now=None)
    dream("consolidate", now=None)
    calm = dream("doctor", "--json", now=None)
    assert (calm.code, [c for c in calm.document["checks"] if c["verdict"] == "wrong"]) == (0, [])
    settings = dream.person / ".claude" / "settings.json"
    settings.parent.mkdir()
    assert dream("connect", "claude-code", "--yes", now=None).code == 0
    settings.write_text(json.dumps({**json.loads(settings.read_text()), "disableAllHooks": True}))
    told = dream("doctor", now=None)
    assert (told.code, "disableAllHooks" in told.out, "1. " in told.out) == (1, True, True)
    assert dream("doctor", "extra").code == 2
    dream.settings("[recall]\nleen = 3\n")
    assert dream("doctor", now=None).code == 2
