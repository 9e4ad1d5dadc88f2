"""The linear algebra library's widest kernels, on processors it does not know yet.

OpenBLAS chooses its kernels by the processor's family number when it is loaded. On an AMD family newer than itself it
falls back to kernels of half the width, although the processor can do more: measured 95 against 200 GFLOP/s, 290
against 500 texts a second. It takes a name from the environment instead, but only before numpy is first imported, and
a name the processor cannot serve ends the process; so every instruction set the kernels use is looked up first.
"""

from __future__ import annotations

import sys
from contextlib import suppress
from pathlib import Path

from dreamd.paths import set_default_variable

VARIABLE = "OPENBLAS_CORETYPE"
WIDE = "SkylakeX"
NEEDED = frozenset({"avx2", "fma", "avx512f", "avx512cd", "avx512bw", "avx512dq", "avx512vl"})
CPUINFO = Path("/proc/cpuinfo")
ENOUGH_CHARACTERS = 8192
"""The first processor's entry is at the start; the others are the same."""


def prefer_wide_kernels() -> None:
    """Ask for wide kernels where the processor has them; without effect once numpy is loaded or elsewhere than Linux.

    Call it before anything imports numpy. A person's own choice in the environment stands.
    """
    if "numpy" in sys.modules:
        return
    with suppress(OSError), CPUINFO.open(encoding="utf-8", errors="replace") as stream:
        if is_wide(stream.read(ENOUGH_CHARACTERS)):
            set_default_variable(VARIABLE, WIDE)


def is_wide(cpuinfo: str) -> bool:
    """Whether the first processor listed is one of AMD's with every instruction the wide kernels use."""
    fields = {}
    for line in cpuinfo.partition("\n\n")[0].splitlines():
        name, _, value = line.partition(":")
        fields[name.strip()] = value.strip()
    return fields.get("vendor_id") == "AuthenticAMD" and set(fields.get("flags", "").split()) >= NEEDED
