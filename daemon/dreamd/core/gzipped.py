"""Large files packed with gzip and unpacked again, piece by piece: no more of one is in memory than a few pieces."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator
from pathlib import Path

from dreamd.core import fsio
from dreamd.core.errors import Corrupt

LEVEL = 6
"""Takes a sixtieth of a second a megabyte of a store; the highest takes near twice that and saves one part in a hundred."""
PIECE_BYTES = 256 * 1024
_SIGN = b"\x1f\x8b"
_GZIP_BITS = 31


def is_packed(path: Path) -> bool:
    """Whether a file is a packed one, whatever its name."""
    with fsio.translated(path), path.open("rb") as stream:
        return stream.read(len(_SIGN)) == _SIGN


def pack(plain: Path, target: Path) -> None:
    """Write a packed copy of a file and flush it."""
    fsio.write_pieces(target, _packed(plain))


def unpack(path: Path, target: Path) -> None:
    """Write what is in a file, packed or not, into another one.

    Raises Corrupt for a packed one that is not whole.
    """
    fsio.write_pieces(target, _plain(path))


def _packed(plain: Path) -> Iterator[bytes]:
    packing = zlib.compressobj(LEVEL, wbits=_GZIP_BITS)
    with plain.open("rb") as stream:
        while piece := stream.read(PIECE_BYTES):
            yield packing.compress(piece)
    yield packing.flush()


def _plain(path: Path) -> Iterator[bytes]:
    try:
        with gzip.open(path) if is_packed(path) else path.open("rb") as stream:
            while piece := stream.read(PIECE_BYTES):
                yield piece
    except (EOFError, zlib.error, gzip.BadGzipFile):
        raise Corrupt(f"`{path}` is damaged", hint="try an older copy") from None
