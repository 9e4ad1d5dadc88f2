"""The readers under `atheris`, which follows the branches an input takes: `python tests/property/fuzz_guided.py -runs=100000`.

The first bytes choose the reader; a corpus of the fuzzer's own seeds is made in a directory that goes with the run.
"""

from __future__ import annotations

import sys
import tempfile
from contextlib import suppress
from pathlib import Path

import atheris  # type: ignore[import-not-found]  # only where it installs

with atheris.instrument_imports(include=["dreamd"]):
    from fuzzing import targets

    from dreamd.core.errors import DreamError


def main() -> None:
    """Run until the number of runs is reached; libFuzzer says what it found and ends the process with it."""
    with tempfile.TemporaryDirectory() as folder:
        room, corpus = Path(folder) / "room", Path(folder) / "corpus"
        room.mkdir()
        corpus.mkdir()
        readers = list(targets(room).values())
        for number, (seeds, _) in enumerate(readers):
            for n, seed in enumerate(seeds):
                (corpus / f"{number}-{n}").write_bytes(bytes([number]) + seed)

        def one(body: bytes) -> None:
            if body:
                _, target = readers[body[0] % len(readers)]
                with suppress(DreamError):
                    target(body[1:])

        atheris.Setup([*sys.argv, str(corpus)], one)
        atheris.Fuzz()


if __name__ == "__main__":
    main()
