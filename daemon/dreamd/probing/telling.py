# ruff: noqa: PTH105
"""How the answer is told: to people, to Nagios, to Prometheus."""

from __future__ import annotations

import os
from datetime import datetime

from dreamd.probing.health import Report

USAGE = """usage: dream probe [options]

Is it healthy? It looks at everything and changes nothing, and answers within five seconds, also where the rest is broken.
`dream-probe` is the same without the rest of dream.

options:
  --json         one JSON document on standard output
  --nagios       one line with figures, as Nagios and Icinga read it
  --prom FILE    also write the figures for Prometheus' text file collector
  --deep         read every page and row of the store as well; up to a minute
  --home DIR, --config FILE, --now TIME, -q, -v
                 as everywhere: `dream --help`

exit codes:
  0  healthy, or switched off on purpose
  1  stale or degraded: the first line says what, the hint what to do
  2  the probe itself could not tell

The last line, `DREAM-PROBE 1 verdict=WORD code=N`, is for programs: an exit code without it was not the probe's.

examples:
  dream probe            is it healthy, and if not, what helps
  dream probe --deep     before a backup or a move"""


def to_people(report: Report) -> str:
    """The verdict, what to do, and what else was found."""
    lines = [f"{report.verdict}: {report.reason}", *([f"hint: {report.hint}"] if report.hint else [])]
    lines += [f"  {c.name}: {c.detail}" for c in report.checks if c.verdict != "healthy" and c.detail != report.reason]
    return "\n".join(lines)


def to_nagios(report: Report) -> str:
    """One line with figures behind it."""
    word = ("OK", "WARNING", "CRITICAL")[report.code]
    return (f"DREAM {word} - {report.verdict}: {report.reason.replace('|', '/')} | waiting={report.waiting} "
            f"memories={report.facts.memories} last_success={int(_seconds(report.facts.last_success))}")


def to_prometheus(report: Report, *, version: int) -> str:
    """Samples for a text file that is collected; none of them carries a time of its own."""
    facts = report.facts
    lines = ["# TYPE dream_healthy gauge", f"dream_healthy {int(report.code == 0)}",
             "# TYPE dream_probe_verdict gauge", f'dream_probe_verdict{{verdict="{report.verdict}"}} {report.code}',
             "# TYPE dream_last_success_timestamp_seconds gauge",
             f"dream_last_success_timestamp_seconds {_seconds(facts.last_success):.0f}",
             "# TYPE dream_waiting_observations gauge", f"dream_waiting_observations {report.waiting}",
             "# TYPE dream_memories gauge", f"dream_memories {facts.memories}",
             "# TYPE dream_store_epoch gauge", f"dream_store_epoch {facts.epoch}",
             "# TYPE dream_probe_version gauge", f"dream_probe_version {version}", "# TYPE dream_outage gauge"]
    lines += [f'dream_outage{{component="{c.name[7:]}"}} 1' for c in report.checks if c.name.startswith("outage.")]
    return "\n".join(lines) + "\n"


def write_whole(path: str, text: str) -> None:
    """Replace a file as a whole: whoever collects it never sees half of one."""
    temporary = f"{path}.{os.getpid()}.tmp"
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o644)
    try:
        os.write(descriptor, text.encode())
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
    os.replace(temporary, path)


def _seconds(moment: datetime | None) -> float:
    return moment.timestamp() if moment else 0.0
