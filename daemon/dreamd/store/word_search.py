"""Words for the full-text index: what SQLite's tokenizer cannot split is split here first."""

from __future__ import annotations

import re

# Han, kana and hangul have no spaces; each character becomes a token and a query asks for them in a row.
UNSPACED = re.compile(r"([\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uac00-\ud7af])")
QUERY_WORD = re.compile(r"\w+", re.UNICODE)
MOST_QUERY_WORDS = 40


def index_words(text: str) -> str:
    """The text as it goes into the index."""
    return UNSPACED.sub(r" \1 ", text)


def query_words(text: str) -> str:
    """An FTS5 expression that matches any word of a query, whatever characters a person typed; empty for none."""
    words = dict.fromkeys(w.casefold() for w in QUERY_WORD.findall(index_words(text)))
    return " OR ".join(f'"{w}"' for w in list(words)[:MOST_QUERY_WORDS])
