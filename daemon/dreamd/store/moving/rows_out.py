"""Everything that is known of some scopes, as records that any store can take in.

Ids, dates, evidence and the journal go as they are. What only says where something lay on this machine stays: sources and how
far each was read, the places of projects, the paths in a warning. What is derived is made anew where it arrives.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

from dreamd.core.values import Scope
from dreamd.store.connection import LISTED, Store, listed
from dreamd.store.scopes.projects import load_known

Record = dict[str, Any]
"""One row and what it is: a kind, and columns by name."""
OBSERVATION = ("id", "text", "origin", "at", "scope", "conversation", "key", "class_hint", "type_hint", "ttl", "explicit",
               "sign", "source_id", "start", "end", "target", "stored_at", "masks", "context")
MEMORY = ("id", "scope", "wording", "class", "type", "category", "taxonomy", "status", "trust", "authority", "created_at",
          "updated_at", "confirmed_at", "valid_from", "valid_to", "ttl", "superseded_by", "pinned", "edited", "unverified",
          "reason", "file", "rev")
RUN = ("id", "now", "started_at", "ended_at", "outcome", "reason", "phases", "fates", "warnings", "backlog", "version")
GRAVES_A_LINE = 10_000
_PLACE = re.compile(r"(?<![\w.])(?:~|(?:[A-Za-z]:)?[\\/])[^\s`'\"]*[\\/]([^\s`'\"\\/]*)")
"""A path from a root on; of it only its last name is told."""


def load_records(store: Store, scopes: Sequence[Scope] | None) -> Iterator[Record]:
    """Every record of some scopes, or of all; an order that is the same for the same store."""
    with store.reading():
        within, args = ("", ()) if scopes is None else (f" WHERE scope IN {LISTED}", (listed(map(str, scopes)),))
        said = [r["seq"] for r in store.all(f"SELECT seq FROM observation{within} ORDER BY seq", *args)]
        ids = [r["id"] for r in store.all(f"SELECT id FROM memory{within} ORDER BY seq", *args)]
        entries = store.all(f"SELECT * FROM operation WHERE memory IN {LISTED} ORDER BY run, seq" if scopes is not None else
                            "SELECT * FROM operation ORDER BY run, seq", *([listed(ids)] if scopes is not None else []))
        fates = store.all(f"SELECT * FROM fate WHERE observation IN {LISTED} ORDER BY observation", listed(said))
        runs = _runs(store, None if scopes is None else {r["run"] for r in (*entries, *fates)})
        names = {r["seq"]: r["id"] for r in runs}
        yield from (_project(one.identity, str(one.scope)) for one in load_known(store)
                    if not one.identity.startswith("path:") and (scopes is None or one.scope in scopes))
        yield from (_run(r, {r["seq"]: r["id"] for r in store.all("SELECT seq, id FROM run")}) for r in runs)
        yield from _wordings(store, ids, [dict(e) for e in entries])
        yield from _said(store, said)
        known = {r["seq"]: r["id"] for r in store.all("SELECT seq, id FROM observation")}
        yield from ({"kind": "fate", "observation": known[r["observation"]], "fate": r["fate"],
                     "reason": r["reason"], "memory": r["memory"], "run": names.get(r["run"], ""),
                     "evidence": r["evidence"], "set_aside": r["set_aside"]} for r in fates)
        yield from _memories(store, ids)
        yield from ({"kind": "operation", "run": names[e["run"]], **{name: e[name] for name in (
            "seq", "op", "memory", "scope", "reason", "evidence", "before", "after")}} for e in entries if e["run"] in names)
        yield from _beside(store, ids, whole=scopes is None)


def count_records(store: Store) -> int:
    """About how many records there are in all: what each table of them holds."""
    tables = ("run", "wording", "observation", "fate", "memory", "operation")
    row = store.one("SELECT " + " + ".join(f"(SELECT COUNT(*) FROM {table})" for table in tables) + " AS some")
    return int(row["some"]) if row else 0


def load_some_records(store: Store, ids: Sequence[str]) -> Iterator[Record]:
    """Some memories with their words, what carries them, who said it and what became of it; nothing of the journal."""
    said = [r["observation"] for r in store.all(f"SELECT DISTINCT observation FROM support WHERE memory IN {LISTED}",
                                                listed(ids))]
    yield from _wordings(store, ids, [])
    yield from _said(store, sorted(said))
    for r in store.all(f"""SELECT o.id, f.fate, f.reason, f.memory FROM fate f JOIN observation o ON o.seq = f.observation
                           WHERE f.observation IN {LISTED} ORDER BY o.seq""", listed(said)):
        yield {"kind": "fate", "observation": r["id"], "fate": r["fate"], "reason": r["reason"], "memory": r["memory"]}
    yield from _memories(store, ids)
    for r in store.all(f"SELECT a, b, relation FROM link WHERE a IN {LISTED} ORDER BY a, b", listed(ids)):
        yield {"kind": "link", "a": r["a"], "b": r["b"], "relation": r["relation"]}


def _project(identity: str, scope: str) -> Record:
    return {"kind": "project", "identity": identity, "scope": scope}


def _runs(store: Store, wanted: set[int] | None) -> list[Any]:
    return [r for r in store.all("SELECT * FROM run ORDER BY seq") if wanted is None or r["seq"] in wanted]


def _run(row: Any, names: Mapping[int, str]) -> Record:
    told = {name: row[name] for name in RUN}
    told["warnings"] = json.dumps([without_places(w) for w in _list(row["warnings"])], ensure_ascii=False)
    return {"kind": "run", **told, "run_kind": row["kind"], "reason": without_places(row["reason"]),
            "undone_by": names.get(row["undone_by"], "")}


def without_places(words: str) -> str:
    """Words without the folders of a path that stands in them."""
    return _PLACE.sub(r"…/\1", words)


def _wordings(store: Store, ids: Sequence[str], entries: Sequence[Mapping[str, Any]]) -> Iterator[Record]:
    wanted = dict.fromkeys(r["wording"] for r in store.all(f"SELECT wording FROM memory WHERE id IN {LISTED} ORDER BY seq",
                                                            listed(ids)))
    for entry in entries:
        for side in (entry["before"], entry["after"]):
            with suppress(ValueError, TypeError, KeyError):
                wanted.setdefault(json.loads(side or "")["wording"])
    for row in store.all(f"SELECT sha, text FROM wording WHERE sha IN {LISTED} ORDER BY sha", listed(wanted)):
        yield {"kind": "wording", "sha": row["sha"], "text": row["text"]}


def _said(store: Store, seqs: Sequence[int]) -> Iterator[Record]:
    for row in store.all(f"SELECT * FROM observation WHERE seq IN {LISTED} ORDER BY seq", listed(seqs)):
        told = {name: row[name] for name in OBSERVATION}
        # A key that tells a place here is another's there; some key there must be, for the id was made of it.
        yield {"kind": "observation", **told, "key": f"moved:{row['id']}" if _PLACE.search(row["key"]) else row["key"]}
    words = store.all(f"""SELECT o.id, w.role, w.model, w.prompt, w.category FROM model_word w
                          JOIN observation o ON o.seq = w.observation WHERE o.seq IN {LISTED} ORDER BY o.seq""", listed(seqs))
    for row in words:
        yield {"kind": "model-word", "observation": row["id"], **{n: row[n] for n in ("role", "model", "prompt", "category")}}
    for row in store.all(f"""SELECT o.id, v.member, v.machine FROM voice v JOIN observation o ON o.seq = v.observation
                             WHERE o.seq IN {LISTED} ORDER BY o.seq""", listed(seqs)):
        yield {"kind": "voice", "observation": row["id"], "member": row["member"], "machine": row["machine"]}


def _memories(store: Store, ids: Sequence[str]) -> Iterator[Record]:
    carried: dict[str, list[str]] = {}
    for r in store.all(f"""SELECT s.memory, o.id FROM support s JOIN observation o ON o.seq = s.observation
                           WHERE s.memory IN {LISTED} ORDER BY s.memory, o.at, o.id""", listed(ids)):
        carried.setdefault(r["memory"], []).append(r["id"])
    own = {r["memory"]: r["body"] for r in store.all(f"""SELECT f.memory, f.body FROM file f JOIN memory m ON m.id = f.memory
                                                         WHERE m.edited = 1 AND m.id IN {LISTED}""", listed(ids))}
    for row in store.all(f"SELECT * FROM memory WHERE id IN {LISTED} ORDER BY seq", listed(ids)):
        told = {"kind": "memory", **{name: row[name] for name in MEMORY}, "observations": carried.get(row["id"], [])}
        if row["id"] in own:
            body = own[row["id"]]
            told["body"] = body if isinstance(body, str) else bytes(body).decode("utf-8", "surrogateescape")
        yield told


def _beside(store: Store, ids: Sequence[str], *, whole: bool) -> Iterator[Record]:
    """Links, recalls, verdicts of pairs; with everything also what must not come back."""
    some = listed(ids)
    for r in store.all(f"SELECT a, b, relation FROM link WHERE a IN {LISTED} AND b IN {LISTED} ORDER BY a, b", some, some):
        yield {"kind": "link", "a": r["a"], "b": r["b"], "relation": r["relation"]}
    for r in store.all(f"SELECT memory, times, last_at FROM recall WHERE memory IN {LISTED} ORDER BY memory", some):
        yield {"kind": "recall", "memory": r["memory"], "times": r["times"], "last_at": r["last_at"]}
    if whole:
        for r in store.all("SELECT * FROM judged ORDER BY a, b"):
            yield {"kind": "judged", **dict(r)}
        graves = [[r["hash"], r["at"]] for r in store.all("SELECT hash, at FROM tombstone ORDER BY hash")]
        for start in range(0, len(graves), GRAVES_A_LINE):
            yield {"kind": "tombstones", "key": store.meta("tombstone_key") or "", "rows": graves[start:start + GRAVES_A_LINE]}


def _list(raw: str) -> list[str]:
    with suppress(ValueError):
        told = json.loads(raw)
        return [str(one) for one in told] if isinstance(told, list) else []
    return []
