"""Which filesystem a directory lies on, and whether locks mean anything there."""

from __future__ import annotations

import re
import sys
from pathlib import Path

from dreamd.core.errors import ConfigError

NETWORK_FILESYSTEMS = frozenset({
    "afs", "afpfs", "beegfs", "ceph", "cifs", "coda", "gfs2", "glusterfs", "gpfs", "lustre", "ncpfs", "nfs", "nfs4",
    "ocfs2", "pvfs2", "smb2", "smb3", "smbfs", "webdav",
})
LOCAL_FUSE = frozenset({"fuseblk", "fuse.ext2", "fuse.ext4", "fuse.fuse-overlayfs", "fuse.gocryptfs", "fuse.encfs",
                        "fuse.ntfs-3g", "fuse.portal", "fuse.lxcfs"})
"""FUSE filesystems known to keep locks on one machine; any other FUSE may be a network in disguise."""


def check_local(directory: Path, *, allow_network: bool = False) -> None:
    """Refuse a directory whose filesystem does not exclude writers on other machines.

    Raises ConfigError for network filesystems and for FUSE mounts not known to be local.
    """
    if allow_network:
        return
    kind = filesystem_kind(directory)
    suspicious = kind.startswith("fuse") and kind not in LOCAL_FUSE
    if kind in NETWORK_FILESYSTEMS or suspicious:
        raise ConfigError(f"`{directory}` lies on a network filesystem ({kind}), where locks do not exclude writers",
                          hint="choose a local directory with `--home`, or set `store.allow_network_filesystem = true` "
                               "if this machine is the only one that ever writes there")


def filesystem_kind(directory: Path) -> str:
    """The type of the filesystem a directory lies on, as the kernel calls it; empty when it cannot be told."""
    real = directory.resolve()
    mounts = _mounts_linux() if sys.platform == "linux" else _mounts_elsewhere()
    best, best_depth = "", -1
    for point, kind in mounts:
        depth = len(point.parts)
        if depth >= best_depth and (real == point or point in real.parents):
            best, best_depth = kind, depth
    return best


def _mounts_linux() -> list[tuple[Path, str]]:
    try:
        lines = Path("/proc/self/mountinfo").read_text(errors="surrogateescape").splitlines()
    except OSError:
        return []  # a hidden procfs: unknown is not a reason to refuse
    found = []
    for line in lines:
        left, _, right = line.partition(" - ")
        fields = left.split()
        if len(fields) >= 5 and right:
            point = re.sub(r"\\([0-7]{3})", lambda octal: chr(int(octal[1], 8)), fields[4])
            found.append((Path(point), right.split()[0]))
    return found


def _mounts_elsewhere() -> list[tuple[Path, str]]:
    import psutil

    return [(Path(part.mountpoint), str(part.fstype)) for part in psutil.disk_partitions(all=True)]
