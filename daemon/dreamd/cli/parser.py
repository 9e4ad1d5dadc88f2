"""argparse without its own way out of the process."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import NoReturn

from dreamd.errors import UsageError


class Parser(ArgumentParser):
    """Raises instead of leaving."""

    def error(self, message: str) -> NoReturn:
        """Turn wrong arguments into the error that knows its exit code."""
        raise UsageError(message, hint=f"see `{self.prog} --help`")
