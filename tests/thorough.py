"""How much a test of properties tries: some in the suite, the same every time; all of it in `make torture`."""

from __future__ import annotations

from typing import Any

from hypothesis import settings


def few(most: int) -> int:
    """So many where there is time for all, and a quarter in the suite."""
    return max(4, most // 4) if settings.default.derandomize else most


def examples(most: int, **chosen: Any) -> settings:
    """So many examples without a deadline, a quarter of them in the suite."""
    return settings(max_examples=few(most), deadline=None, **chosen)
