"""Whatever the text, masking twice is masking once, and a secret put into it comes out."""

from __future__ import annotations

import string

from hypothesis import given
from hypothesis import strategies as st

from dreamd.text.injection import neutralise
from dreamd.text.redaction import redact
from thorough import examples

WORDS = st.sampled_from(
    [
        "the",
        "password",
        "is",
        "token",
        ":",
        "=",
        "key",
        "secret",
        "for",
        "of",
        "`",
        '"',
        "'",
        "\n",
        "[masked: password]",
        "[masked: api key]",
        "Bearer",
        "://",
        "@",
        "user:",
        "api_key=",
        "pin",
        "4711",
        "Velvet-Crab-3107",
        "abc123",
        "q9Zk2LmX7vBt4RnP8wYc1sDf",
        "commit",
        "sha256",
        "密码是",
        "パスワードは",
        "passphrase",
        "correct horse battery staple",
        "AKIAQX7R4N2M9TLP3VDC",
        "-----BEGIN PRIVATE KEY-----",
        ".",
        ",",
    ]
)
ALPHABET = string.ascii_letters + string.digits


@examples(400)
@given(st.lists(WORDS, max_size=14).map(" ".join) | st.lists(WORDS, max_size=14).map("".join) | st.text(max_size=300))
def test_masking_twice_is_masking_once(text: str) -> None:
    once = redact(text).text
    assert redact(once).text == once


@examples(150)
@given(st.text(max_size=80), st.text(alphabet=ALPHABET, min_size=36, max_size=36), st.text(max_size=80))
def test_a_token_never_survives_its_surroundings(before: str, body: str, after: str) -> None:
    token = "ghp_" + body
    assert token not in redact(f"{before} {token} {after}").text


@examples(300)
@given(
    st.text(max_size=300)
    | st.lists(
        st.sampled_from(["---", "\n", "# ", "[", "]", "(", "<!--", "-->", "```", "a", "\u200b", "***", "Human:"]),
        max_size=20,
    ).map("".join)
)
def test_neutralising_twice_is_neutralising_once(text: str) -> None:
    once = neutralise(text)
    assert neutralise(once) == once
