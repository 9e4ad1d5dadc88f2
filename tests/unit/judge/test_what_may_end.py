"""What can end nothing, and be ended by nothing: a question, and a reply that speaks of another thing."""

from __future__ import annotations

import pytest

from dreamd.judge.alignment import Alignment
from dreamd.judge.policy import _may_end
from dreamd.judge.statement import read

CANNOT = [
    ("Ines: And did you varnish it?", "Ines: It's in the third shed now, the rain came through."),
    ("Was it worth it?", "So we can open on Saturdays now?"),
    ("Tomek: I'm sorry. After all that work!", "Tomek: Oh. OH."),
    ("Ruth: AT LAST.", "Ruth: I'm giving up the blue tiles, the kiln closed. It's all in grey from now on."),
    ("Ruth: You've become a baker after all.", "Ruth: She has. She's moving to Oslo in spring."),
    ("Ines: I like it! And how's Pebble?", "Ines: It was good to see you. Mum is knitting a coat for Pebble."),
    ("Ines: Thanks, Tomek. What's the studio up to?", "Tomek: I'm a bit sad, Ingrid is leaving the studio in July."),
]
CAN = [
    ("Ines: The choir meets on Mondays.", "Ines: The choir has moved to Thursdays."),
    ("Ines: The parcel shop on Elm Street opens at nine.", "Tomek: The parcel shop on Elm Street opens at ten now."),
    ("We use Webpack.", "we switched to Vite"),
    ("Front desk extension: 204.", "Front desk extension: 311."),
    ("Active validators: 130.", "Active validators: 175."),
    ("Who signs? Petra signs the orders.", "Who signs? Milan signs the orders now."),
]


@pytest.mark.parametrize(("one", "other"), CANNOT)
def test_a_question_and_a_reply_to_something_else_end_nothing(one: str, other: str) -> None:
    assert not _may_end(Alignment(read(one), read(other)))
    assert not _may_end(Alignment(read(other), read(one)))


@pytest.mark.parametrize(("one", "other"), CAN)
def test_what_speaks_of_one_thing_may_end(one: str, other: str) -> None:
    assert _may_end(Alignment(read(one), read(other)))
