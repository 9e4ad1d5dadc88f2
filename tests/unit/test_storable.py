"""What may not be kept as it came: secrets in names, words from the future."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from dreamd.core.clock import FixedClock, parse_instant
from dreamd.core.paths import Paths
from dreamd.core.settings import Settings
from dreamd.core.values import Candidate, Origin, Scope
from dreamd.core.world import World
from dreamd.store import observations
from dreamd.store.connection import open_store
from dreamd.store.intake.notebook import take_note
from dreamd.text.redaction import mask_name

NOW = parse_instant("2026-04-01T09:00:00Z")
TOKEN = "ghp_" + "Z" * 4 + "q8Wm3Rt5Yx7Nb2Vc4Kd6Js9Hf1Lg0Pa"


def test_ordinary_names_stay_and_secret_ones_become_hashes_that_differ() -> None:
    assert mask_name("talk-2026-04-01") == "talk-2026-04-01"
    assert mask_name("6f1d2aa7-7c1f-4a36-8a0e-93d1c7f00b52") == "6f1d2aa7-7c1f-4a36-8a0e-93d1c7f00b52"
    one, other = mask_name(TOKEN), mask_name(TOKEN[:-1] + "b")
    assert TOKEN not in one
    assert one != other


def test_a_note_from_the_future_is_said_now(tmp_path) -> None:  # type: ignore[no-untyped-def]
    world = World(Paths(tmp_path / "home"), Settings(), FixedClock(NOW), {"HOME": str(tmp_path), "TZ": "UTC"})
    late = Candidate("The kiln door opens at 80 degrees.", Origin.USER, NOW + timedelta(days=900), Scope("user"), key="k1")
    take_note(world, [late, replace(late, key="k2", at=NOW - timedelta(days=3))])
    store = open_store(world.paths.store)
    said = {o.key: o.at for o in observations.load_pending(store)}
    store.close()
    assert said == {"k1": NOW, "k2": NOW - timedelta(days=3)}
