"""`dream eval llm`: each role of the configured backend on conversations and pairs of dream's own, beside the path without it.

Nothing of it is remembered. What it costs counts towards the same ceilings as everything else.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from dreamd.core.clock import parse_instant
from dreamd.core.events import Event, EventKind, Speaker
from dreamd.core.paths import share_dir
from dreamd.core.values import ONE_OFF, Gated, GateVerdict, Judgement, Origin, Relation, Scope
from dreamd.dream.asking.arbitrating import arbitrate
from dreamd.dream.asking.rewording import ask_model
from dreamd.dream.phases.compare import load_vectors
from dreamd.extraction import extract, gate
from dreamd.judge import Pair, Statement
from dreamd.kit import Kit
from dreamd.llm.roles import bearing, observer, record
from dreamd.models.language_model import Answer, Ask, LanguageModel, Role

ALIKE = 0.60
"""Cosine from which what was found counts as what was to be found."""
SCOPE = Scope("project", "trial")
_Found = tuple[list[str], list[tuple[str, float]]]
"""What was found in a conversation, and what was to be found with its weight."""
_KINDS = {"person": (Speaker.HUMAN, EventKind.PROMPT), "refuses": (Speaker.HUMAN, EventKind.REFUSAL),
          "agent": (Speaker.AGENT, EventKind.PROSE)}
_JOINS, _ENDS = (Relation.DUPLICATE, Relation.REFINES), (Relation.UPDATES, Relation.CONTRADICTS)


@dataclass
class Trial:
    """What the roles came to, without and with the model, and what that used."""

    without: dict[str, float] = field(default_factory=dict)
    with_model: dict[str, float] = field(default_factory=dict)
    used: dict[str, float] = field(default_factory=dict)
    endings: Counter[str] = field(default_factory=Counter)


@dataclass
class _Counting:
    """Whoever is asked, with an account of it."""

    model: LanguageModel
    trial: Trial

    def ask(self, ask: Ask) -> Answer:
        """Ask, and count what that used."""
        answer = self.model.ask(ask)
        told, used = self.trial.used, answer.used
        for name, value in (("calls", 1.0), ("tokens in", used.tokens_in), ("cached", used.cached), ("tokens out",
                            used.tokens_out), ("seconds", used.seconds), ("cost", used.cost or 0.0)):
            told[name] = told.get(name, 0.0) + value
        self.trial.endings[f"{ask.role.value}: {answer.ending.value}"] += 1
        return answer

    def is_on(self, role: Role) -> bool:
        """Every role that is switched on is tried."""
        return self.model.is_on(role)

    def tell(self, role: Role, *, moved: bool) -> None:
        """A trial says nothing about what a night came to."""


def try_roles(kit: Kit, model: LanguageModel) -> Trial:
    """Try the observer, the judge and the query on what dream brings with it."""
    labelled = json.loads((share_dir("config") / "eval" / "llm.json").read_text(encoding="utf-8"))
    trial = Trial()
    asked = _Counting(model, trial)
    _try_reading(kit, asked, labelled["conversations"], trial)
    _try_judging(kit, asked, labelled["pairs"], trial)
    if asked.is_on(Role.QUERY):
        reworded = [words for query in labelled["queries"] for words in ask_model(asked, query, SCOPE)]
        trial.with_model["queries reworded"] = len(reworded) / len(labelled["queries"])
    return trial


def _events(told: Mapping[str, object]) -> list[Event]:
    at, turns = parse_instant(str(told["at"])), told["turns"]
    assert isinstance(turns, list)
    return [Event(*_KINDS[who], text, at + timedelta(minutes=n), str(told["id"]), n * 10, n * 10 + 9)
            for n, (who, text) in enumerate(turns)]


def _try_reading(kit: Kit, model: LanguageModel, talks: Sequence[Mapping[str, object]], trial: Trial) -> None:
    found: dict[str, list[_Found]] = {"without": [], "with": []}
    lasts = kit.load_lasting()
    for told in talks:
        events, facts = _events(told), told["facts"]
        assert isinstance(facts, list)
        wanted = [(str(fact["text"]), float(fact["weight"])) for fact in facts]
        plain = [gated.text for one in extract(events, scope=SCOPE, lasts=lasts).candidates if one.sign != ONE_OFF
                 and (gated := _gated(kit, one.text, one.origin, one.at, one.sign)).verdict is not GateVerdict.DISCARD]
        found["without"].append((plain, wanted))
        read = _read(kit, model, events) if model.is_on(Role.OBSERVER) else []
        found["with"].append(([*plain, *(text for text in read if text not in plain)], wanted))
    trial.without.update(_measured(kit, found["without"]))
    if model.is_on(Role.OBSERVER):
        trial.with_model.update(_measured(kit, found["with"]))


def _gated(kit: Kit, text: str, origin: Origin, at: datetime, sign: str) -> Gated:
    return gate(text, origin=origin, at=at, zone=kit.zone, explicit=False, sign=sign)


def _read(kit: Kit, model: LanguageModel, events: Sequence[Event]) -> list[str]:
    texts: list[str] = []
    for part in record.cut(record.lines_of(events), observer.room(kit.settings.llm)):
        answer = model.ask(observer.ask_about(part, scope=str(SCOPE), seconds=kit.settings.llm.timeout_s))
        for fact in observer.read_facts(answer.value or {}, part, Counter()):
            borne = bearing.weigh(fact)
            if borne is not None:
                gated = _gated(kit, fact.text, borne.origin, part[0].at, borne.sign)
                texts += [gated.text] if gated.verdict is not GateVerdict.DISCARD else []
    return texts


def _measured(kit: Kit, found: Sequence[_Found]) -> dict[str, float]:
    """Weighted recall, precision, and false memories in a conversation that holds nothing."""
    vectors = load_vectors(kit, {text for texts, wanted in found for text in (*texts, *(w for w, _ in wanted))})
    weight = got = right = said = 0.0
    for texts, wanted in found:
        weight += sum(w for _, w in wanted)
        got += sum(w for fact, w in wanted if any(vectors.similarity(fact, text) >= ALIKE for text in texts))
        said += len(texts)
        right += sum(any(vectors.similarity(fact, text) >= ALIKE for fact, _ in wanted) for text in texts)
    empty = [texts for texts, wanted in found if not wanted]
    return {"weighted recall": got / weight if weight else 0.0, "precision": right / said if said else 0.0,
            "false in an empty one": sum(map(len, empty)) / len(empty) if empty else 0.0}


def _try_judging(kit: Kit, model: LanguageModel, pairs: Sequence[Mapping[str, str]], trial: Trial) -> None:
    first, second = parse_instant("2026-03-01T09:00:00Z"), parse_instant("2026-03-04T09:00:00Z")
    vectors = load_vectors(kit, [pair[side] for pair in pairs for side in ("a", "b")])
    sides = {(str(n), "b"): (Statement(p["a"], first), Statement(p["b"], second)) for n, p in enumerate(pairs)}
    told = kit.load_judge().judge_all([Pair(a, b, vectors.similarity(a.text, b.text)) for a, b in sides.values()])
    verdicts = dict(zip(sides, told, strict=True))
    trial.without["pairs right"] = _right(verdicts.values(), pairs)
    if model.is_on(Role.JUDGE):
        again = arbitrate(replace(kit, language=model), SCOPE, sides, verdicts, None)
        trial.with_model["pairs right"] = _right({**verdicts, **again}.values(), pairs)


def _right(verdicts: Iterable[Judgement], pairs: Sequence[Mapping[str, str]]) -> float:
    return sum(_is_right(v, p["relation"]) for v, p in zip(verdicts, pairs, strict=True)) / len(pairs)


def _is_right(verdict: Judgement, relation: str) -> bool:
    joins, ends = verdict.relation in _JOINS, verdict.relation in _ENDS and verdict.is_sure
    return {"same": joins, "replaces": ends, "apart": not joins and not ends}[relation]
