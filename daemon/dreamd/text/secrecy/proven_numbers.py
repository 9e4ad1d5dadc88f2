"""Numbers that prove themselves: payment cards and bank accounts carry a sum that other numbers fail.

A number of 16 digits passes the sum of cards once in ten, so it also has to begin and be as long as cards are, and
must not be called an order, an id or a time right before. An account number of a bank is believed by its sum alone:
its two letters say how long it has to be.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from dreamd.text import patterns
from dreamd.text.secrecy.masks import Found
from dreamd.text.suspicion import is_card_number

_CARD = re.compile(r"(?<![\w.+/-])(?:\d{4}([ -]?)\d{4}\1\d{4}\1\d{4}(?:\1\d{1,3})?|3\d{3}([ -]?)\d{6}\2\d{4,5})(?![\w-]|\.\d)")
_ISSUED = re.compile(r"4\d{12}(?:\d{3}){0,2}|5[1-5]\d{14}|2(?:2[2-9]|[3-6]\d|7[01])\d{13}|3[47]\d{13}|3(?:0[0-5]|[68]\d)\d{11}"
                     r"|6(?:011|5\d\d|4[4-9]\d)\d{12}|35\d{14}|62\d{14,17}")
_NO_CARD = re.compile(
    r"order|invoice|ticket|\bids?\b|_id\b|number of|rows?\b|count|time|stamp|serial|trace|\bsku|track|shipment|account|bestell"
    r"|\bnr\b|\bat\b", re.IGNORECASE)
_CARD_WORD = re.compile(r"card|visa|master|amex|karte|tarjeta|carte|cartão|charged|卡", re.IGNORECASE)
_ACCOUNT = re.compile(r"(?<![A-Za-z0-9])[A-Z]{2}\d{2}(?:[ -]?[A-Z0-9]{4}){2,7}(?:[ -]?[A-Z0-9]{1,3})?(?![A-Za-z0-9])")


def find_proven(text: str) -> Iterator[Found]:
    """Card and account numbers that pass their sums."""
    for match in _CARD.finditer(text):
        digits = re.sub(r"\D", "", match[0])
        before = text[max(0, match.start() - 40):match.start()].rpartition("\n")[2]
        if _ISSUED.fullmatch(digits) and is_card_number(digits) and (_CARD_WORD.search(before) or not _NO_CARD.search(before)):
            yield Found(match.start(), match.end(), "card number")
    for match in _ACCOUNT.finditer(text):
        signs = re.sub(r"[ -]", "", match[0])
        length = int(patterns.load("secrets")["account_lengths"].get(signs[:2], 0))
        if length <= len(signs) and is_account_number(signs[:length]):
            yield Found(match.start(), _end_of(match, length), "account number")


def is_account_number(signs: str) -> bool:
    """Whether letters and digits pass the sum of international account numbers."""
    return len(signs) >= 15 and int("".join(str(int(c, 36)) for c in signs[4:] + signs[:4])) % 97 == 1


def _end_of(match: re.Match[str], length: int) -> int:
    """Where the number ends: a word in capitals may stand right after it."""
    end, left = match.start(), length
    while left:
        left -= match.string[end].isalnum()
        end += 1
    return end
