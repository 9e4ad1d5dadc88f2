"""The numbers of one statement that have no equal in another."""

from __future__ import annotations

from dreamd.judge.statement import Reading
from dreamd.text import word_classes


def unmatched_numbers(a: Reading, b: Reading) -> tuple[frozenset[str], frozenset[str]]:
    """Numbers of one side with no equal on the other; a number without unit matches the same value with one."""
    if a.numbers == b.numbers:
        return frozenset(), frozenset()
    left, right = set(a.numbers), set(b.numbers)
    both = left & right
    left -= both
    right -= both
    if not left and not right:
        return frozenset(), frozenset()
    for key in sorted(left) if right else ():
        twin = next((k for k in sorted(right) if _same_number(key, k)), None)
        if twin:
            left.discard(key)
            right.discard(twin)
    for mine, reading in ((left, a), (right, b)):
        mine -= {key for key in mine if _is_count_of_list(key, reading)}
    left = {k for k in left if not _spelled_in(k, b)}
    right = {k for k in right if not _spelled_in(k, a)}
    # "One" may stand for "a", but not where the other side says a number in its place: port 1 of switch 6, port 6 of switch 6.
    if ":1" in left and not any(k.startswith(":") for k in right) and _said_numbers(a) > _said_numbers(b):
        left.discard(":1")
    if ":1" in right and not any(k.startswith(":") for k in left) and _said_numbers(b) > _said_numbers(a):
        right.discard(":1")
    return frozenset(left), frozenset(right)


def _said_numbers(reading: Reading) -> int:
    return sum(t.kind == "number" for t in reading.tokens)


def _same_number(one: str, other: str) -> bool:
    dim_a, _, value_a = one.partition(":")
    dim_b, _, value_b = other.partition(":")
    if dim_a == dim_b:  # two values of one dimension are one only where a year is left out
        return one == other or dim_a == "date" and (value_a.endswith(value_b) or value_b.endswith(value_a))
    if {dim_a, dim_b} in ({"degree", "celsius"}, {"fold", "times"}):
        return value_a == value_b
    if {dim_a, dim_b} == {"clock", ""}:
        plain = value_a if not dim_a else value_b
        clock = value_b if not dim_a else value_a
        return clock.endswith(":00") and plain in (str(int(clock[:2])), str(int(clock[:2]) % 12))
    if not dim_a or not dim_b:
        return value_a == value_b or _scaled(one, other)
    if {dim_a, dim_b} == {"freq", "every-time"}:
        return abs(float(value_a) * float(value_b) - 1) < 1e-6
    if {dim_a, dim_b} in ({"every-month", "month"}, {"every-time", "time"}):
        return value_a == value_b
    if {dim_a, dim_b} == {"time", "month"}:
        days = float(value_a if dim_a == "time" else value_b) / 86_400
        months = float(value_b if dim_a == "time" else value_a)
        return months >= 12 and months % 12 == 0 and days in (365 * months / 12, 365.25 * months / 12)
    return False


_FACTORS: dict[str, set[float]] = {}
for _dim, _factor in word_classes.UNIT_NAMES.values():
    _FACTORS.setdefault(_dim, set()).add(_factor)


def _scaled(one: str, other: str) -> bool:
    """A bare number matches a measure whose value in another unit of that dimension it is ("2 GB", "2")."""
    dim, _, value = max(one, other, key=lambda k: len(k.partition(":")[0])).partition(":")
    bare = min(one, other, key=lambda k: len(k.partition(":")[0])).partition(":")[2]
    if dim in ("", "date", "clock") or ":" in value:
        return False
    plain, measured = float(bare), float(value)
    return any(abs(plain * f - measured) < 1e-9 * max(1.0, abs(measured)) for f in _FACTORS.get(dim, ()))


def _is_count_of_list(key: str, reading: Reading) -> bool:
    """ "Three sizes: 1, 2 and 3" counts its own list."""
    dim, _, value = key.partition(":")
    if dim or "." in value or not value.isdigit() or not 2 <= int(value) <= 12:
        return False
    commas = sum(t.surface in (",", "、", "，") for t in reading.tokens) + any(
        t.lower in ("and", "und", "y", "et", "e") for t in reading.tokens
    )
    return int(value) in (commas + 1, len(reading.numbers) - 1)


def _spelled_in(key: str, other: Reading) -> bool:
    """The digits stand somewhere in the other text inside a name (`h264`, `port:8080`)."""
    value = key.partition(":")[2]
    if len(value) < 2 or not other.fixed:
        return False
    return any(value == "".join(c for c in name if c.isdigit()) for name in other.fixed)
