"""The process that opens what others wrote: its memory and time are bounded, and when a file breaks it, only it is gone.

Run as `python -P -m dreamd.library.formats.reading_child SECONDS`: a path a line in, as JSON, and what was read a line out.
"""

from __future__ import annotations

import json
import logging
import resource
import sys
import warnings
from contextlib import suppress
from pathlib import Path

from dreamd.library.formats.plain_formats import Text

MOST_MEMORY_BYTES = 224 * 1024 * 1024
"""Beside the libraries themselves; with the process that asks, half a gigabyte is never reached."""
NOT_INSTALLED = "needs `pip install 'dreamd[docs]'`"


def main() -> int:
    """Read until nobody asks any more."""
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_DATA, (MOST_MEMORY_BYTES, resource.getrlimit(resource.RLIMIT_DATA)[1]))
    logging.disable(logging.CRITICAL)
    warnings.simplefilter("ignore")
    answers, sys.stdout = sys.stdout, sys.stderr  # what a library prints must not stand among the answers
    for line in sys.stdin:
        _allow_s(int(sys.argv[1]))
        found = _read(Path(json.loads(line)))
        answers.write(json.dumps({"text": found.text, "form": found.form, "title": found.title, "why": found.why}) + "\n")
        answers.flush()
    return 0


def _allow_s(seconds: int) -> None:
    """Have the system end this process once it has worked so long on the next file."""
    spent = resource.getrusage(resource.RUSAGE_SELF)
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_CPU, (int(spent.ru_utime + spent.ru_stime) + max(1, seconds),
                                                  resource.getrlimit(resource.RLIMIT_CPU)[1]))


def _read(path: Path) -> Text:
    from dreamd.library.formats.rich_formats import read_rich
    from dreamd.library.formats.web_page import read_page

    try:
        return read_page(path) if path.suffix == ".webpage" else read_rich(path)
    except ImportError:
        return Text(why=NOT_INSTALLED)
    except MemoryError:
        return Text(why="takes too much memory")
    except RecursionError:
        return Text(why="damaged (nested too deep)")
    except Exception as error:  # noqa: BLE001 - one broken file, named by the class of what is wrong with it, never by its text
        return Text(why=f"damaged ({type(error).__name__})")


if __name__ == "__main__":
    sys.exit(main())
