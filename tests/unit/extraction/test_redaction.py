"""Secrets leave a text, the rest of the sentence and every ordinary identifier stay."""

from __future__ import annotations

import subprocess
import sys
import time

import pytest

from dreamd.text.redaction import redact
from secrets_said import SECRETS

ORDINARY = [
    "The password is case sensitive.",
    "The password is hashed using bcrypt.",
    "The password is eight characters long.",
    "The password is rotated every quarter.",
    "The password is stored encrypted with argon2.",
    "Das Passwort ist nicht mehr gültig.",
    "The password is available from the operations team.",
    "build 20260717.4 of branch 3f2a9c1 on port 27017",
    "request id req_8f14e45fceea167a was slow",
    "etag W/\"8f14e45fceea167a5a36dedd4bea2543\"",
    "blob 257cc5642cb1a054f08cc83f2d943e56fd3ebe99 in tree 4b825dc642cb6eb9a060e54bf8d69288fbee4904",
    "The file hash is blake2b 0e5751c026e543b2e8ab2eb06099daa1.",
    "UUID 6fa459ea-ee8a-3ca4-894e-db77e160355e names the row.",
    "MAC address 00:1B:44:11:3A:B7, IPv6 2001:db8::ff00:42:8329.",
    "Order 4111-2231 is for berth 12.",
    "Error code: 4711",
    "Pin 13 drives the lamp; pin 14 is ground.",
    "The license key format is five groups.",
    "trace id 0af7651916cd43dd8448eb211c80319c",
    "image digest sha256:8f14e45fceea167a5a36dedd4bea25438f14e45fceea167a5a36dedd4bea2543",
    "Basic auth is switched off.",
    "The secret name is db-credentials.",
    "token = get_token(user)",
    "La clave es empezar temprano.",
    "Der Schlüssel liegt im Büro.",
    "The PIN is four digits long.",
    "Pass: the test passed twice.",
    "commit 3f2a9c1d0b7e8f6a5c4d3e2f1a0b9c8d7e6f5a4b fixed the pager",
    "The chart board has the identifier c41e09b7-52d3-4e8a-9f60-1b7a3e5d8c24.",
    "sha256 of the key file: e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "md5 d41d8cd98f00b204e9800998ecf8427e of the empty file",
    "integrity sha512-q9Zk2LmX7vBt4RnP8wYc1sDf6hJg3KaEq9Zk2LmX7vBt4RnP8wYc==",
    "The scale at gate 3 answers on port 9410.",
    "Passwords are hashed with bcrypt.",
    "The password is required.",
    "The password sits in the vault.",
    "password: str = Field(min_length=12)",
    "max_tokens: 4096",
    "token_count=123456789",
    "SECRET_KEY = os.environ['SECRET_KEY']",
    "token: ${{ secrets.DEPLOY_TOKEN }}",
    "API_KEY=<your-key-here>",
    "The refresh token lives 30 days.",
    "Token refresh happens every 15 minutes; secret rotation is monthly.",
    "GPIO pin is 17.",
    "The key decision was pnpm 9.12.3 in /opt/tools/bin/pnpm.",
    "The cache key is user_profile_v2_1234567890_abc.",
    "See https://docs.example.org/document/d/1Kp7QvWz3mXn9TdLr5YbHs2GfJc8RaEu4NtViOxM6Zq0/edit",
    "Python 3.12.4, node v20.11.1 and image registry.example.org/app:2026.03.1",
    "tests_passed: 1200 in 3 min",
    "Loop unrolling pass: it needs a flag.",
    "The public key is ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ2mN7pR4tV8yB1cF6hJ0aZeUg5",
    "postgres://app@db.internal:5432/app",
    "postgres://app:${DB_PASSWORD}@db/app",
    "The row gauge has address 0x3A41.",
    "AbstractSingletonProxyFactoryBean is where the key handling starts.",
    "password reset mails go out at 06:00",
    "Das Passwort ist im Tresor.",
    "The secret santa draw is at 17:00.",
    "Change the password every 90 days.",
]


@pytest.mark.parametrize("name", SECRETS)
def test_a_secret_is_masked_and_nothing_else_is_lost(name: str) -> None:
    text, secret = SECRETS[name]
    redacted = redact(text)
    assert secret not in redacted.text
    assert "[masked: " in redacted.text
    assert redacted.masks
    assert redact(redacted.text).text == redacted.text


@pytest.mark.parametrize("text", ORDINARY)
def test_an_ordinary_identifier_survives(text: str) -> None:
    assert redact(text).text == text


def test_only_the_secret_part_of_a_sentence_goes() -> None:
    text = "Scans land in bucket ferry in eu-north-1 with password Heron-77-reed on port 9100."
    assert redact(text).text == "Scans land in bucket ferry in eu-north-1 with password [masked: password] on port 9100."


def test_the_password_of_a_connection_string_goes_and_the_address_stays() -> None:
    assert redact("db is mysql://shop:tern-88@db.internal:3306/shop").text == (
        "db is mysql://shop:[masked: url password]@db.internal:3306/shop"
    )


def test_a_plain_note_loads_no_detector_and_takes_no_time() -> None:
    code = (
        "import sys, time\nfrom dreamd.text.redaction import redact\n"
        "text = 'Yarn colours follow the chart of the mill, not the common one.'\nredact(text)\n"
        "start = time.process_time()\nfor _ in range(100): redact(text)\n"
        "assert (time.process_time() - start) / 100 < 0.001\n"
        "assert not any(m.startswith(('detect_secrets', 'dateparser')) for m in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


@pytest.mark.parametrize(
    "piece",
    [
        "password is for of ",
        "-----BEGIN PRIVATE KEY-----",
        "a://b:",
        "token=abc1 ",
        "eyJ.",
        "key ",
        "sk-x1",
        "a.b",
        "aB3",
        "cookie: a=b",
        "=",
        " ",
    ],
)
def test_a_long_text_is_redacted_in_linear_time(piece: str) -> None:
    def seconds(size: int) -> float:
        body = piece * (size // len(piece))
        start = time.process_time()
        redact(body)
        return time.process_time() - start

    assert seconds(100_000) < max(0.1, seconds(25_000)) * 12


def test_words_before_the_mark_of_a_key_are_read_in_one_go() -> None:
    code = ("from dreamd.text.redaction import redact\n"
            "said = 'name-----BEGIN PRIVATE KEY-----: ledger ' + 'the narrower barnacle orchard' * 4000\n"
            "print(len(redact(said).text) > 50_000)")
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert told.stdout.strip() == "True"


def test_a_secret_between_escaped_quotation_marks_is_masked_and_the_rest_is_as_it_was() -> None:
    body = '---\ndescription: "the GPG passphrase is \\"seven grey geese over Harlem\\", «read it twice»"\n---\n'
    told = redact(body).text
    assert "grey geese" not in told and told.startswith('---\ndescription: "the GPG passphrase is \\"[masked')
    assert told.endswith('\\", «read it twice»"\n---\n')
    harmless = 'note: "call the lamp \\"big\\" and the pier \\"long\\""'
    assert redact(harmless).text == harmless
