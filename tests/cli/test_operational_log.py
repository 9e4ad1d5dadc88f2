"""The operational log: written at once, masked, looked up in words, rotated and still searched."""

from __future__ import annotations

import json
import shlex

import pytest

from cli.conftest import FRIDAY, MONDAY, TUESDAY, Terminal


def lines(dream: Terminal) -> list[dict[str, str]]:
    return [json.loads(line) for line in (dream.home / "logs" / "operations.ndjson").read_text().splitlines()]


def test_a_line_has_five_fields_and_no_secret(dream: Terminal) -> None:
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    told = dream.json("log", "deploy", "helm", "web", "1.4", "with", secret, "--reason", f"release {secret}")
    assert list(lines(dream)[0]) == ["timestamp", "action", "tool", "detail", "reason"]
    assert secret not in (dream.home / "logs" / "operations.ndjson").read_text()
    assert told["entry"] == lines(dream)[0]
    assert lines(dream)[0]["timestamp"] == MONDAY


def test_lines_are_found_by_words_time_action_and_tool_and_say_what_to_ask_next(dream: Terminal) -> None:
    dream.json("log", "deploy", "helm", "web to staging", "--reason", "release")
    dream.json("log", "error", "pytest", "tests/unit fails", now=TUESDAY)
    dream.json("log", "fix", "pytest", "tests/unit", now=FRIDAY)

    def details(*words: str) -> list[str]:
        return [row["detail"] for row in dream.json("log", *words, now=FRIDAY)["entries"]]

    assert details("--query", "STAGING", "release") == ["web to staging"]
    assert details("--query", "tests/unit") == ["tests/unit", "tests/unit fails"]
    assert details("--since", "5d") == ["tests/unit"]
    assert details("--action", "error") == ["tests/unit fails"]
    assert details("--tool", "helm") == ["web to staging"]
    assert details("--query", "nothing-like-it") == []
    for command in dream.json("log", "--query", "tests/unit", "-n", "1", now=FRIDAY)["next"]:
        program, *words = shlex.split(command)
        assert program == "dream"
        assert dream(*words, now=FRIDAY).code in (0, 10), command


def test_a_line_that_says_too_little_or_too_much_is_refused(dream: Terminal) -> None:
    assert dream("log", "deploy", "helm").code == 2
    assert dream("log", "deploy", "helm", " ").code == 2
    assert dream("log", "deploy", "helm", "x" * 5000).code == 2
    assert dream("log", "deploy", "helm", "web", "--query", "web").code == 2
    assert not (dream.home / "logs").exists()


def test_the_log_is_no_store_and_looking_makes_no_file(dream: Terminal) -> None:
    assert dream.json("log", "--query", "web")["entries"] == []
    assert not dream.home.exists()
    dream.json("log", "deploy", "helm", "web")
    assert not (dream.home / "dream.db").exists()


def test_an_old_log_is_packed_and_still_searched(dream: Terminal) -> None:
    dream.settings("[log]\nrotate_days = 2\n")
    dream.json("log", "deploy", "helm", "web to staging")
    dream.json("log", "deploy", "helm", "web to production", now=FRIDAY)
    assert [row["detail"] for row in lines(dream)] == ["web to production"]
    assert len(list((dream.home / "logs").glob("operations-*.ndjson.gz"))) == 1
    found = dream.json("log", "--query", "web", now=FRIDAY)["entries"]
    assert [row["detail"] for row in found] == ["web to production", "web to staging"]


def test_words_are_forgotten_in_a_home_that_has_no_store(dream: Terminal) -> None:
    dream.json("log", "deploy", "helm", "web to staging")
    dream.json("log", "backup", "restic", "library")
    assert dream("forget", "--matching", "staging").code == 4
    assert dream.json("forget", "--matching", "staging", "--yes")["forgotten"]["lines"] == 1
    assert [row["detail"] for row in dream.json("log", "--query")["entries"]] == ["library"]
    assert b"staging" not in b"".join(dream.files().values())
    assert not (dream.home / "dream.db").exists()


def test_no_line_moves_the_cursor_or_names_the_window_of_who_reads_it(dream: Terminal) -> None:
    dream.json("log", "dep\nloy", "helm\u2028", "web \x1b[31mred\x1b]0;pwned\x07 1.4")
    assert list(lines(dream)[0].values())[1:] == ["dep loy", "helm", "web red 1.4", ""]
    forged = {"timestamp": MONDAY, "action": "a\x1b[2J", "tool": "\ud800", "detail": "\x1b]0;pwned\x07b"}
    with (dream.home / "logs" / "operations.ndjson").open("a") as log:
        log.write(json.dumps(forged) + "\n")
    told = dream("log", "--query")
    assert (told.code, "\x1b" in told.out + told.err, "pwned" in told.out) == (0, False, False)


def test_a_number_that_json_has_no_word_for_is_told_as_its_words(dream: Terminal) -> None:
    dream("log", "deploy", "make", "the harbour page")
    path = dream.home / "logs" / "operations.ndjson"
    row = '{"timestamp": "2026-03-02T08:00Z", "action": "deploy", "tool": "make", "detail": "lamps", "took": %s, "n": 1e999}'
    with path.open("a") as file:
        file.writelines(f"{row % word}\n" for word in ("Infinity", "-Infinity", "NaN", "1.5"))
    told = dream("log", "--query", "lamps", "--json").out
    entries = json.loads(told, parse_constant=lambda word: pytest.fail(word))["entries"]
    assert sorted(str(one["took"]) for one in entries) == ["-Infinity", "1.5", "Infinity", "NaN"]
    assert entries[0]["n"] == "1e999"
