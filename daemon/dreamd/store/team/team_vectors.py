"""What is near to a vector, found by the server: an exact look at every vector of the scopes that may be seen.

Exact, for an approximate index under a policy finds nothing where others' rows fill it, and tells of these by what it costs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from dreamd.store.team import vector_places

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from dreamd.store.team.database import Database

_AT_ONCE = 32
"""Vectors looked up by one statement."""
_ASKED = """WITH asked AS MATERIALIZED (
  SELECT n, as_vector(line) AS line FROM unnest(%s::text[]) WITH ORDINALITY AS q (line, n))
SELECT a.n, v.wording, v.far FROM asked a CROSS JOIN LATERAL (
  SELECT wording, far(body, a.line) AS far FROM vector WHERE {scopes} model = ANY(%s) AND dims(body) = %s
  ORDER BY 2, 1 LIMIT %s) AS v"""


def nearest(base: Database, rows: NDArray[np.float32], *, models: Sequence[str], scopes: Sequence[str],
            count: int) -> list[dict[str, float]]:
    """For each of some vectors the hashes of the wordings nearest to it, with their cosines, nearest first.

    `count` is how many vectors are looked at, of which some may be of the same words. No scope means all.
    """
    found: list[dict[str, float]] = []
    within, args = ("scope = ANY(%s) AND", [[*scopes, ""]]) if scopes else ("", [])
    for start in range(0, len(rows), _AT_ONCE):
        lines = [line_of(row) for row in rows[start:start + _AT_ONCE]]
        some: list[dict[str, float]] = [{} for _ in lines]
        for n, wording, far in base.ask(_ASKED.format(scopes=within), [lines, *args, list(models), len(rows[0]), count]):
            some[n - 1].setdefault(wording, 1 - far)
        found += some
    return found


def find_owners(base: Database, wordings: Sequence[str], *, scopes: Sequence[str]) -> tuple[list[str], list[int]]:
    """The memories that have or carry some wordings, and the observations that said them; no scope means all."""
    shas = list({wording.partition("/")[0] for wording in wordings})
    keys = [key for sha in shas if (key := vector_places.key_of(sha)) is not None]
    within, args = ("AND scope = ANY(%s)", [list(scopes)]) if scopes else ("", [])
    said = base.ask(f"""SELECT seq FROM observation WHERE word_key = ANY(%s) {within}
                        UNION SELECT seq FROM observation WHERE talk_key = ANY(%s) {within}""", [keys, *args, keys, *args])
    seqs = [int(row[0]) for row in said]
    held = base.ask(f"""SELECT id FROM memory WHERE wording = ANY(%s) {within}
                        UNION SELECT memory FROM support WHERE observation = ANY(%s)""", [shas, *args, seqs])
    return whole_lines(base, [str(row[0]) for row in held]), seqs


def whole_lines(base: Database, ids: Sequence[str]) -> list[str]:
    """Memories with all that they replaced and all that replaced them: the heir is found by its forebears' words."""
    known = dict.fromkeys(ids)
    for after, before in (("superseded_by", "id"), ("id", "superseded_by")):
        fresh = list(known)
        while fresh:
            rows = base.ask(f"SELECT {after} FROM memory WHERE {before} = ANY(%s) AND superseded_by <> ''", [fresh])
            fresh = [str(row[0]) for row in rows if row[0] not in known]
            known.update(dict.fromkeys(fresh))
    return list(known)


def find_bad(base: Database, sizes: Sequence[int], tolerance: float) -> list[tuple[str, str]]:
    """Vectors of a wrong length, with a number that is none, or not of length one."""
    rows = base.ask("""SELECT DISTINCT wording, model FROM vector WHERE dims(body) <> ALL(%s)
                       OR NOT abs(norm(body) - 1) < %s OR norm(body) = 'NaN'""", [list(sizes), tolerance])
    return [(str(wording), str(model)) for wording, model in rows]


def write(base: Database, vectors: Mapping[str, NDArray[Any]], *, model: str) -> None:
    """Keep vectors, each with every scope in which its words stand."""
    import numpy as np

    for wording, row in vectors.items():
        base.ask(vector_places.WRITE, {"wording": wording, "model": model, "key": vector_places.key_of(wording),
                                 "body": line_of(row.astype(np.float16))})


def line_of(row: NDArray[Any]) -> str:
    """A vector in the words of the server."""
    return "[" + ",".join(map(repr, row.tolist())) + "]"


def loader() -> Any:
    """What makes of a vector the bytes that the store knows."""
    import numpy as np
    from psycopg.adapt import Loader
    from psycopg.pq import Format

    class Halves(Loader):
        format = Format.BINARY

        def load(self, data: Any) -> bytes:
            return np.frombuffer(data, ">f2", offset=4).astype("<f2").tobytes()

    return Halves
