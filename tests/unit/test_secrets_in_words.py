"""What is masked and what is not: secrets in every shape and sentence go, lines that only look like it stay as they are."""

from __future__ import annotations

import subprocess
import sys
import time

import pytest

from dreamd.text.redaction import redact
from harmless_said import HARMLESS, MORE_HARMLESS
from secrets_said import SECRETS
from secrets_shaped import AT_ONCE, SHAPED
from secrets_spoken import SAID, spoken_forms

EVERYTHING = {**SECRETS, **SHAPED, **SAID, **spoken_forms(), **{text: (text, secret) for text, secret in AT_ONCE}}
AROUND = ("{}", "Remember for cabinet 3 of the harbour office that this holds: {}", "{}\nIt still does.")


@pytest.mark.parametrize("around", AROUND)
def test_no_secret_stands_in_a_text_that_was_masked(around: str) -> None:
    left = [name for name, (text, secret) in EVERYTHING.items() if secret in redact(around.format(text)).text]
    assert left == []


def test_what_stands_around_a_spoken_secret_stays() -> None:
    assert redact("The password for the test server is Velvet-Crab-3107, ask Ann.").text \
        == "The password for the test server is [masked: password], ask Ann."
    assert redact("unlock it with heron-Reed-99 when it beeps").text == "unlock it with [masked: password] when it beeps"


def test_a_harmless_line_is_not_touched() -> None:
    assert [line for line in (*HARMLESS, *MORE_HARMLESS) if redact(line).masks] == []


def test_what_was_masked_once_is_not_masked_again() -> None:
    once = [redact(text).text for text, _ in EVERYTHING.values()]
    assert [text for text in once if redact(text).text != text] == []


def test_an_ordinary_note_costs_next_to_nothing_and_loads_no_detectors() -> None:
    script = ("import sys, time\nfrom dreamd.text.redaction import redact\n"
              "redact('The harbour office moves to the second floor in May, and Tom keeps the list of rooms.')\n"
              "sys.exit(any(name.startswith('detect_secrets') for name in sys.modules))")
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0
    note = "The harbour office moves to the second floor in May, and Tom keeps the list of rooms. " * 3
    began = time.process_time()
    for _ in range(500):
        redact(note)
    assert time.process_time() - began < 1.0


def test_a_long_line_takes_time_by_its_length_alone() -> None:
    for piece in ("password for the ", "a:b@c ", "unlock it with ", "4111 ", "is the ", "key = ", "DE89 3704 ",
                  "login admin / "):
        began = time.process_time()
        redact(piece * (60_000 // len(piece)))
        assert time.process_time() - began < 6.0, piece
