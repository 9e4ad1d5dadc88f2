"""argparse without its own way out of the process, and with a word for a misspelt option."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import NoReturn

from dreamd.cli.commands import nearest_of
from dreamd.core.errors import UsageError


class Parser(ArgumentParser):
    """Raises instead of leaving."""

    def error(self, message: str) -> NoReturn:
        """Turn wrong arguments into the error that knows its exit code."""
        meant = self._meant(message)
        for one in self._actions:  # what there is to choose from says more than that something is missing
            if one.choices and not one.option_strings and not one.metavar and f"required: {one.dest}" in message:
                message = message.replace(f"required: {one.dest}", f"required: {'|'.join(map(str, one.choices))}")
        raise UsageError(message, hint=f"did you mean `{meant}`?" if meant else f"see `{self.prog} --help`")

    def _meant(self, message: str) -> str:
        """The option somebody probably meant by one there is not."""
        head, _, words = message.partition("unrecognized arguments: ")
        wrong = next((word.partition("=")[0] for word in words.split() if word.startswith("--")), "")
        known = [name[2:] for name in self._option_string_actions if name.startswith("--")]
        close = nearest_of(wrong[2:], known) if wrong and not head else None
        return f"--{close}" if close else ""
