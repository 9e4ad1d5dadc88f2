"""Archives that agents pack with Zstandard, and logs that were rotated with gzip, read like the file they were made from.

Only a bounded part of an archive is ever in memory, and no more than so much is unpacked of it: a small file that
unpacks to a disk full of blanks costs some time once, and nothing else. What is damaged or cut off is read as far as
it goes, for the words before the damage are as good as ever.
"""

from __future__ import annotations

import io
import os
from pathlib import Path
from typing import Any, BinaryIO, cast

from dreamd.sources.base import contract

PACKED = ".zst"
"""How the name of an archive ends; without it, it is the name of the file it was made from."""
MAGIC = b"\x28\xb5\x2f\xfd"
GZIP_MAGIC = b"\x1f\x8b\x08"
LARGEST_UNPACKED_BYTES = 512 * 1024 * 1024
_LARGEST_WINDOW_LOG = 25
"""Memory one archive may ask for: 32 MiB. Agents pack with 2 MiB, `zstd -19` with 8."""
_PIECE_BYTES = 1024 * 1024
_BUFFER_BYTES = 256 * 1024


def plain_name(path: Path) -> Path:
    """The name a file has, or had, when it is not packed."""
    return path.with_suffix("") if path.suffix == PACKED else path


def is_twin(path: Path) -> bool:
    """Whether an archive lies beside the file it was made from, which is then the one to read."""
    return path.suffix == PACKED and plain_name(path).exists()


def unpack(body: bytes, *, limit_bytes: int) -> bytes | None:
    """A few packed bytes as they were; None for anything damaged, longer than the limit, or without the library."""
    if not body.startswith(MAGIC) or not can_unpack():
        return None
    unpacking = Unpacking(io.BytesIO(body))
    text = unpacking.read(limit_bytes + 1)
    return text if text is not None and len(text) <= limit_bytes and not unpacking.trouble else None


def unpacked(packed: BinaryIO, *, gzipped: bool = False) -> BinaryIO:
    """An open archive as the file it was made from: for reading, and seekable at the price of unpacking it again."""
    return cast(BinaryIO, io.BufferedReader(Unpacking(packed, gzipped=gzipped), _BUFFER_BYTES))


def sizes_of(handle: BinaryIO) -> tuple[int, int]:
    """How long an open file is on the disk, and unpacked: nobody knows that of an archive before its end."""
    if isinstance(getattr(handle, "raw", None), Unpacking):
        return os.fstat(handle.fileno()).st_size, LARGEST_UNPACKED_BYTES
    size = handle.seek(0, os.SEEK_END)
    return size, size


def trouble_of(handle: BinaryIO) -> str:
    """Why a file that was read to its end may have more in it: one of the contract's reasons, or nothing."""
    raw = getattr(handle, "raw", None)
    return raw.trouble if isinstance(raw, Unpacking) else ""


class Unpacking(io.RawIOBase):
    """The bytes of an archive, unpacked as they are asked for; no more than are allowed, and none behind what is damaged."""

    def __init__(self, packed: BinaryIO, *, gzipped: bool = False) -> None:
        self._packed = packed
        self._plain: Any
        self._broken: tuple[type[Exception], ...]
        if gzipped:
            import gzip
            import zlib

            self._plain, self._broken = gzip.GzipFile(fileobj=packed), (gzip.BadGzipFile, EOFError, zlib.error)
        else:
            library = _library()
            options = {library.DecompressionParameter.window_log_max: _LARGEST_WINDOW_LOG}
            self._plain, self._broken = library.ZstdFile(packed, options=options), (library.ZstdError, EOFError)
        self.trouble = ""
        """Set once something was reached behind which nothing can be read."""

    def readable(self) -> bool:
        """Archives are for reading."""
        return True

    def seekable(self) -> bool:
        """Also backwards, from the beginning on again."""
        return True

    def fileno(self) -> int:
        """The archive itself."""
        return self._packed.fileno()

    def close(self) -> None:
        """Close the archive too."""
        if not self.closed:
            self._packed.close()
        super().close()

    def tell(self) -> int:
        """How far it is unpacked."""
        return int(self._plain.tell())

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Go somewhere; the end is wherever unpacking stops."""
        wanted = offset + self.tell() if whence == io.SEEK_CUR else offset
        if whence == io.SEEK_END:
            while self._next(_PIECE_BYTES):
                pass
            wanted = self.tell() + offset
        if wanted < self.tell():
            self._plain.seek(0)
            self.trouble = ""
        while self.tell() < wanted and self._next(min(_PIECE_BYTES, wanted - self.tell())):
            pass
        return self.tell()

    def readinto(self, buffer: bytearray) -> int:  # type: ignore[override]  # what BufferedReader hands over
        """Fill a buffer with what comes next."""
        piece = self._next(len(buffer))
        buffer[:len(piece)] = piece
        return len(piece)

    def _next(self, most: int) -> bytes:
        """Some bytes more; none at the end, at the limit, and where the archive is damaged or cut off."""
        room = LARGEST_UNPACKED_BYTES - self.tell()
        if not room:
            self.trouble = contract.OVERSIZED
        if self.trouble:
            return b""
        try:
            return bytes(self._plain.read1(min(most, room)))
        except self._broken:
            self.trouble = contract.DAMAGED
            return b""


def can_unpack() -> bool:
    """False where the library is missing."""
    try:
        _library()
    except ImportError:
        return False
    return True


def _library() -> Any:  # part of Python from 3.14 on, with types; the one that stands in for it before has none
    try:
        from compression import zstd  # type: ignore[import-not-found,unused-ignore]
    except ImportError:
        from backports import zstd
    return zstd
