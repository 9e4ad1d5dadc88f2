"""How `home_of_before.tar.xz` was made: a home with a few dozen memories, in several languages, by the dream of that time.

    python tests/cli/make_home_of_before.py FILE

It must not be made anew with a newer dream: what it is there for is that it was made by an older one. Every statement is made
up. It holds what was merged, replaced, held, decided, pinned, edited by hand, timed out and asked for, with the vectors and
verdicts under the names of the models that dream then had.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

TIDEPOOL, LOOM = "project:tidepool", "project:loom"
NIGHTS: tuple[tuple[str, tuple[tuple[str, str], ...]], ...] = (
    ("2025-12-01", (
        (TIDEPOOL, "Our CI runs on Jenkins."),
        (TIDEPOOL, "The tide gauge listens on port 9400."),
        (TIDEPOOL, "Staging of tidepool lives at 10.0.3.4."),
        (TIDEPOOL, "Never deploy tidepool on a Friday, because nobody watches the gauges at the weekend."),
        (TIDEPOOL, "The gauge firmware is built with `make flash-image`."),
        (TIDEPOOL, "Wave heights are stored in centimetres."),
        (TIDEPOOL, "The map of the buoys is in `docs/buoys.svg`."),
        (TIDEPOOL, "Das Nachtbackup der Pegeldaten läuft um 02:40 Uhr."),
        (TIDEPOOL, "Die Pegelstation Süd sendet alle zehn Minuten."),
        (TIDEPOOL, "Les alertes de marée partent vers la salle de veille."),
        (TIDEPOOL, "La estación del muelle usa el sensor S-12."),
        (TIDEPOOL, "Датчик у причала проверяют каждый понедельник."),
        ("user", "I want metric units only in your answers."),
        ("user", "Always show me the command before you run it."))),
    ("2025-12-04", (
        (TIDEPOOL, "The tide gauge service listens on port 9400."),
        (TIDEPOOL, "Tidepool must never be deployed on a Friday."),
        (TIDEPOOL, "Wave heights are kept in centimetres in the database."),
        (LOOM, "The loom controller speaks Modbus on address 17."),
        (LOOM, "Patterns are saved as 16-bit PNG files."),
        (LOOM, "The warp tension limit is 40 newtons."),
        (LOOM, "Die Webmuster liegen im Ordner `muster/frei`."),
        (LOOM, "織り機の非常停止ボタンは右側にある。"),
        (LOOM, "Spare heddles are ordered from the shop in Aalborg."),
        ("user", "Answer me in metric units only."))),
    ("2026-01-07", (
        (TIDEPOOL, "CI now runs on GitHub Actions."),
        (TIDEPOOL, "Staging of tidepool moved to 10.0.7.9."),
        (TIDEPOOL, "The tide gauge now listens on port 9500."),
        (TIDEPOOL, "Das Nachtbackup der Pegeldaten läuft jetzt um 03:15 Uhr."),
        (TIDEPOOL, "The storm watch rota is suspended until 2026-01-20."),
        (LOOM, "The warp tension limit is 45 newtons."),
        (LOOM, "The loom controller speaks Modbus on address 17, at 19200 baud."),
        (LOOM, "The dye vat is cleaned on Tuesdays."))),
    ("2026-01-08", (
        (LOOM, "Spare shuttles are kept in drawer 3."),
        (LOOM, "Spare shuttles are kept in drawer 5."),
        (LOOM, "The dye vat is cleaned on Thursdays."),
        (TIDEPOOL, "The buoy battery lasts 14 days."),
        (TIDEPOOL, "The buoy battery lasts 21 days."),
        (TIDEPOOL, "The weir gate listens on port 7100."),
        (TIDEPOOL, "The weir gate listens on port 7200."))),
    ("2026-02-02", (
        (TIDEPOOL, "The map of the buoys is in `docs/buoys.svg`, drawn anew each spring."),
        (TIDEPOOL, "La station du quai utilise le capteur S-12."),
        (TIDEPOOL, "Gauge readings older than two years go to the cold archive."),
        (LOOM, "The emergency stop of the loom is on the right side."),
        (LOOM, "Weaving runs are logged to `runs/weave.log`."))))
FROM_A_PAGE = ("The loom is serviced every 300 hours, as its maker says.", "Buoys of that type were recalled by their maker.")
LAST = "2026-02-03T20:00:00Z"


class Household:
    """Runs `dream` in a home below a directory that goes away."""

    def __init__(self, root: Path) -> None:
        self.home = root / "home"
        (root / "person").mkdir()
        kept = {k: v for k, v in os.environ.items() if k in ("PATH", "LANG")}
        self._env = {**kept, "HOME": str(root / "person"), "TZ": "UTC", "XDG_CONFIG_HOME": str(root / "config")}

    def __call__(self, now: str, *words: str, stdin: str = "") -> dict[str, list[dict[str, object]]]:
        """One command; its document."""
        command = [sys.executable, "-m", "dreamd.cli.main", "--home", str(self.home), "--now", now, "--json", *words]
        done = subprocess.run(command, input=stdin, capture_output=True, text=True, check=True, env=self._env)
        return dict(json.loads(done.stdout))

    def id_of(self, words: str) -> str:
        """The memory that says something."""
        return next(str(m["id"]) for m in self(LAST, "list", "--all")["memories"] if words in str(m["text"]))


def live_in(dream: Household) -> None:
    """Some months of notes and nights, and what a person did in between."""
    for number, (day, notes) in enumerate(NIGHTS):
        rows = [{"key": f"{number}-{n}", "at": f"{day}T09:{n:02}:00Z", "conversation": f"talk-{number}", "scope": scope,
                 "text": text} for n, (scope, text) in enumerate(notes)]
        dream(f"{day}T10:00:00Z", "note", "--jsonl", "-", stdin="".join(json.dumps(row) + "\n" for row in rows))
        dream(f"{day}T20:00:00Z", "consolidate")
    rows = [{"text": text, "origin": "web", "scope": LOOM, "at": "2026-02-02T21:00:00Z"} for text in FROM_A_PAGE]
    dream("2026-02-02T21:00:00Z", "note", "--jsonl", "-", stdin="".join(json.dumps(row) + "\n" for row in rows))
    dream("2026-02-02T22:00:00Z", "consolidate")
    dream("2026-02-03T09:00:00Z", "pin", dream.id_of("cold archive"))
    dream("2026-02-03T09:01:00Z", "review", dream.id_of("port 7200"), "keep-a")
    dream("2026-02-03T09:02:00Z", "search", "where is the map of the buoys", "--scope", TIDEPOOL)
    edited = next(dream.home.rglob("*spare-heddles*.md"))
    edited.write_text(edited.read_text().replace("the shop in Aalborg", "the shop in Viborg"))
    dream(LAST, "consolidate")


def main(file: str) -> None:
    """Live in a home and pack it, without what belongs to one machine."""
    with tempfile.TemporaryDirectory() as root:
        dream = Household(Path(root))
        live_in(dream)
        with tarfile.open(file, "w:xz") as packed:
            for path in sorted(dream.home.rglob("*")):
                name = str(path.relative_to(dream.home))
                if path.is_file() and not name.startswith(("locks/", "logs/", "backups/")):
                    packed.add(path, name)


if __name__ == "__main__":
    main(sys.argv[1])
