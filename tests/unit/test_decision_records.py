"""Decision records in many dialects: each is found with its status and day, whoever says that it was superseded."""

from __future__ import annotations

from pathlib import Path
from time import process_time

import pytest

from dreamd.core.values import Cursor
from dreamd.sources.decisions.decision_folder import DecisionRecords
from dreamd.sources.decisions.decision_log import read_log
from dreamd.sources.decisions.record_chains import Chain, chain
from dreamd.sources.decisions.record_folders import folders_below, pages_of
from dreamd.sources.decisions.record_reading import Record, read_record

SAID = "We keep it in one table because two drifted apart."
BODY = f"\n## Context\n\nThe ferry timetable changes each season.\n\n## Decision\n\n{SAID}\n"
TOP = "# One table\n\n"
DIALECTS = {
    "a field of its own name": ("0007-one-table.md", f"- Title: One table\n- Where it stands: Accepted (by the crew)\n"
                                f"- Start date: 2024-03-05\n- Owner: Open water team\n{BODY}"),
    "front matter": ("0007-one-table.md", f"---\nstatus: accepted\ndate: 2024-03-05\n---\n{TOP}{BODY}"),
    "table on top": ("ADR-007-one-table.md", f"{TOP}| | |\n|---|---|\n| Status | Accepted |\n| Date | March 5, 2024 |\n{BODY}"),
    "table in a row": ("0007-a.md", f"{TOP}| Status | Date | Owner |\n|--|--|--|\n| Accepted | 2024-03-05 | Harbour |\n{BODY}"),
    "bold line": ("0007-one-table.md", f"# ADR-0007: One table\n\n**Status:** Accepted | **Date:** 2024-03-05\n{BODY}"),
    "bold lines": ("0007-one-table.md", f"{TOP}**Status**: ✅ Accepted  \n**Date**: 5 March 2024\n{BODY}"),
    "listed": ("20240305-one-table.md", f"{TOP}- Status: accepted\n- Deciders: harbour office\n- Tags: ferry\n{BODY}"),
    "sections": ("0007-one-table.md", f"# 7. One table\n\nDate: 2024-03-05\n\n## Status\n\nAccepted\n{BODY}"),
    "history": ("0007-one-table.md", f"{TOP}## Status\n\n* 2024-01-02: proposed\n* 2024-03-05: accepted\n{BODY}"),
    "boxes": ("0007-a.md", f"{TOP}Date: 05.03.2024\n\n## Status\n\n- [ ] Proposed\n- [x] Accepted\n- [ ] Rejected\n{BODY}"),
    "quotation": ("dr-7.md", f"{TOP}> Status: Accepted\n> Date: 2024/03/05\n{BODY}"),
    "html table": ("0007.md", f"{TOP}<table>"
                              f"<tr><td>Status</td><td>Accepted</td></tr>\n<tr><td>Date</td><td>2024-03-05</td></tr>"
                              f"</table>\n{BODY}"),
    "asciidoc": ("0007-one.adoc", f"= One table\n:status: accepted\n:revdate: 2024-03-05\n\n== Decision\n\n{SAID}\n"),
    "restructured": ("0007-one.rst", "One table\n=========\n\n:Status: Accepted\n:Date: 2024-03-05\n\nDecision\n--------\n\n"
                                     f"{SAID}\n"),
    "toml": ("0007-one-table.md", f"+++\nstatus = \"accepted\"\ndate = 2024-03-05\n+++\n{TOP}{BODY}"),
    "three of a line": ("DR-07 One.md", f"# DR-07 · One table\n\n**State:** Approved | **Decided on:** 2024-03-05 "
                                      f"| **For:** x\n{BODY}"),
    "shouted before a sign": ("007-a.md", f"# 007 - One table\n\n> Status: **ACCEPTED** :tick:\n> Updated: 2024-03-05\n{BODY}"),
    "boxes below a label": ("0007-a.md", f"{TOP}Status:\n- [ ] Proposed\n- [x] Accepted\n\nDate: 5 March 2024\n{BODY}"),
    "a sign of status": ("0007-a.md", f"{TOP}![s](https://a.example/badge/status-accepted-green)\n\n2024-03-05\n{BODY}"),
    "ended later": ("0007-a.md", f"{TOP}## Status\n\n* 2024-01-02: proposed\n* Accepted (2024-03-05)\n"
                                 f"* still accepted (no change)\n{BODY}"),
    "told in passing": ("0007-a.md", f"{TOP}*Agreed on 5 March 2024 by both guilds.*\n{BODY}"),
    "changelog": ("0007-a.md", f"{TOP}## Changelog\n\n* 2024-01-02: Draft\n* 2024-03-05: Accepted\n\n"
                               f"## Status\n\nACCEPTED\n{BODY}"),
    "a folder to itself": ("0007-one/README.md", f"{TOP}Status: Accepted · Date: 2024-03-05\n{BODY}"),
    "restructured signs": ("0007-one.rst", f"7. One table\n############\n\nStatus\n******\n\nAccepted\n\n"
                                           f"Date\n****\n\n2024-03-05\n\n"
                                           f"Decision\n********\n\n{SAID}\n"),
    "org": ("0007-one.org", f"#+TITLE: One table\n#+DATE: <2024-03-05 Tue>\n* Status\nAccepted\n* Decision\n{SAID}\n"),
    "org with a drawer": ("0007-one.org", f"* One table\n:PROPERTIES:\n:STATUS: accepted\n:DATE: [2024-03-05 Tue]\n:END:\n"
                                          f"** Decision\n{SAID}\n"),
    "letter of requests": ("rfc-0007.txt", f"RFC: 7\nTitle: One table\nStatus: Final\nCreated: 05-Mar-2024\n\n"
                                           f"Abstract\n========\n{SAID}\n"),
    "restructured lists": ("0007-one.rst", f"=========\nOne table\n=========\n\n.. list-table::\n\n   * - **Status**\n"
                                           f"     - Accepted\n   * - **Date**\n     - 2024-03-05\n\n"
                                           f"Decision\n========\n\n{SAID}\n"),
    "german and taking over": ("0007-eine-tabelle.md", "# 7. One table\n\nDatum: 05.03.2024\n\n## Status\n\nAkzeptiert\n\n"
                               f"Ersetzt [2. Zwei](0002-zwei.md)\n\n## Entscheidung\n\n{SAID}\n"),
    "fenced": ("0007-a.md", f"# 007 - One table\n\n```\nAuthor: the harbour\nDate: 2024-03-05\nStatus: Active\n```\n{BODY}"),
    "fenced and named": ("0007-a.md", f"{TOP}```yaml\nstatus: accepted\ndate: 2024-03-05\nsupersedes: []\n```\n{BODY}"),
    "one level down": ("0007-a.md", f"---\nadr:\n  status: accepted\n  date: 2024-03-05\n---\n{TOP}{BODY}"),
    "defined": ("0007-a.md", f"{TOP}Status\n: Accepted\n\nDate\n: 2024-03-05\n{BODY}"),
    "defined in html": ("0007-a.md", f"{TOP}<dl><dt>Status</dt><dd>Accepted</dd><dt>Date</dt><dd>2024-03-05</dd></dl>\n{BODY}"),
    "defined in asciidoc": ("0007-a.adoc", f"= One table\n\nStatus:: Accepted\nDate:: 2024-03-05\n\n== Decision\n\n{SAID}\n"),
    "bold above": ("0007-a.md", f"{TOP}**Status**\nAccepted\n\n**Date**\n2024-03-05\n{BODY}"),
    "signed at its foot": ("0007-a.md", f"{TOP}{BODY}\n---\n\n*Status: accepted on 2024-03-05*\n"),
    "headings with names": ("0007-a.md", f"# One table {{#adr-7}}\n\n## Status {{#status}}\n\nAccepted (2024-03-05)\n{BODY}"),
    "only the changes have days": ("adr-007-a.md", f"# ADR 7: One table\n\n## Changelog\n\n* 2024-01-02: first draft\n"
                                                   f"* 2024-03-05: second draft\n\n## Status\n\nACCEPTED, not built\n{BODY}"),
    "restructured remarks": ("0007-a.rst", "7. One table\n############\n\nStatus\n******\n\n**Accepted** *2024-03-05*\n\n"
                             ".. One of these:\n    - **Draft** while it is discussed\n\n"
                             "    - **Superseded** *(date)* later\n\n"
                             f"Decision\n********\n\n{SAID}\n"),
    "unmarked title": ("0007-a.rst", f"7. One table\n\nStatus\n------\nAccepted (2024-03-05)\n\nDecision\n--------\n{SAID}\n"),
    "dutch": ("0007-a.md", f"{TOP}Status: Geaccepteerd\nDatum: 5 maart 2024\n\n## Besluit\n\n{SAID}\n"),
    "polish": ("0007-a.md", f"{TOP}**Status:** Zaakceptowano\n**Data:** 2024-03-05\n\n## Decyzja\n\n{SAID}\n"),
    "german": ("0007-eine-tabelle.md", f"{TOP}**Status:** Angenommen\n**Datum:** 5. März 2024\n\n## Entscheidung\n\n{SAID}\n"),
}


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_record_of_any_dialect_tells_its_status_its_day_and_what_was_decided(dialect: str) -> None:
    name, text = DIALECTS[dialect]
    record = read_record(name, text)
    assert record is not None
    assert (record.standing.value, str(record.day)) == ("accepted", "2024-03-05")
    assert (record.title, record.decided) == ("One table", SAID)
    assert record.number == (None if name.startswith("2024") else 7)


@pytest.mark.parametrize(("said", "standing"), [
    ("Shipped", "accepted"), ("Approved by the board", "accepted"), ("Not yet accepted", "proposed"), ("Draft", "proposed"),
    ("Proposed → Accepted", "accepted"), ("~~Proposed~~ Accepted", "accepted"), ("Declined", "rejected"),
    ("Deprecated since 2025-01-01", "deprecated"), ("Superseded by ADR-0012", "superseded"), ("Parked", "unknown"),
    ("Partially superseded by ADR-0012, accepted", "accepted"), ("Accepted, partially superseded by ADR-0012", "accepted"),
    ("**Provisional**\n\nIt will be *Accepted* once it is built.", "proposed"),
    ("Draft (=> Accepted)", "proposed"), ("Verworpen", "rejected"), ("Ersatt av ADR-0012", "superseded"),
    ("Verworfen", "rejected"), ("Ersetzt", "superseded"), ("Ersetzt am 03.04.2023", "superseded"), ("En attente", "proposed"),
    ("Durch ADR-0012 ersetzt", "superseded"), ("Ersetzt ADR-0003\n\nAngenommen", "accepted"),
    ("已废弃", "deprecated"), ("承認", "accepted"), ("Remplacé par ADR-0012", "superseded"),
    ("❌ no-go", "rejected"), ("🟣 limbo", "unknown"),
    ("Turned down", "rejected"), ("Vetoed by the board", "rejected"), ("Shelved", "proposed"), ("In use", "accepted"),
    ("No longer used", "deprecated"), ("Awaiting approval", "proposed"), ("Signed off", "accepted"),
    ("", "unstated"), ("Proposed | Accepted | Rejected", "unstated"),
])
def test_a_status_means_one_of_five_things_or_is_unknown(said: str, standing: str) -> None:
    record = read_record("0007-one-table.md", f"{TOP}## Status\n\n{said}\n{BODY}")
    assert record is not None and record.standing.value == standing


@pytest.mark.parametrize(("name", "text"), [
    ("0000-how-to-start.md", "# How to start a record\n\nBegin with this:\n\n```\nStatus: Draft\nDate: DD/MM/YYYY\n```\n"),
    ("README.md", "# Decisions\n\n| ADR | Status |\n|--|--|\n| [1](0001-x.md) | Accepted |\n"),
    ("index.md", "# Index\n\n* [ADR-0001](0001-x.md) accepted\n"),
    ("0000-template.md", "# Title\n\nStatus: Accepted\n" + BODY),
    ("ADR-NNNN-title.md", "# Title\n\nStatus: Accepted\n" + BODY),
    ("0001-first.md", "# {short title of the solved problem}\n\nStatus: accepted\n" + BODY),
    ("templates/0001-long.md", "# One\n\nStatus: accepted\n" + BODY),
    ("0000-template/README.md", "---\nstatus: proposed\n---\n\n# Short title\n" + BODY),
    ("how-to-propose.md", "# How to propose\n\nDate: 2024-01-01\n\n## Status\n\n"
                          "Pick one of Proposed, Accepted, Rejected.\n" + BODY),
    ("how-we-decide.md", "# How we decide\n\n## Status\n\nOne of proposed, accepted, rejected or superseded.\n" + BODY),
    ("leitfaden.md", "# Leitfaden\n\n## Entscheidung\n\nHier steht, was getan wird.\n\n**Status:** Angenommen\n"),
    ("wie-wir-entscheiden.md", "# Wie\n\n## Status\n\nNeue beginnen mit „Vorgeschlagen“.\n" + BODY),
    ("how-we-choose.md", "# How we choose\n\n## Status\n\nNew records start as \"Proposed\".\n" + BODY),
    ("gabarit.md", "# Titre\n\n**Statut:** Proposé\n" + BODY),
    ("DR-0000_form.md", "# DR-0000 · Name of the decision\n\n- **Standing:** In force / Draft / Retired (day)\n" + BODY),
    ("all-of-them.md", "# All of them\n\n- DR-1: Paper (superseded 2020-01-20)\n- [Clocks](2.md) in force 2019-03-18\n"),
    ("module-guide.md", "# Module guide\n\n## What\n\nA guide to modules.\n"),
])
def test_templates_indexes_and_guides_are_no_records(name: str, text: str) -> None:
    assert read_record(name, text) is None


def test_a_record_about_templates_is_a_record() -> None:
    assert read_record("0012-use-a-template-engine.md", "# Use a template engine\n\nStatus: accepted\n" + BODY)


def record(name: str, top: str) -> Record:
    """A record with some lines below its title."""
    found = read_record(name, f"# {name[5:-3].replace('-', ' ')}\n\n{top}\n{BODY}")
    assert found is not None
    return found


def heirs(found: Chain) -> dict[str, list[str]]:
    """By number what took the place of what."""
    return {path[:4]: [one.name for one in some] for path, some in found.successors.items()}


@pytest.mark.parametrize(("older", "newer"), [
    ("Status: Superseded by [ADR-0009](0009-two.md)", "Status: accepted"),
    ("Status: accepted", "Status: accepted\n\nSupersedes: ADR-7"),
    ("Status: accepted", "| | |\n|--|--|\n| Status | accepted |\n| Supersedes | [the table](./0007-one.md) |"),
    ("## Status\n\nSuperseded by 9. Two", "Status: accepted"),
    ("* Status: superseded by [0009-two](0009-two.md)", "* Status: accepted"),
    ("**Status:** Accepted | **Superseded by:** #9", "Status: accepted"),
    ("Status: accepted", "Status: accepted\n\n## Links\n\n* [Supersedes] [ADR-0007](0007-one.md)"),
    ("Status: accepted", "## Status\n\nAccepted\n\nReplaces [7. One](0007-one.md)"),
    ("## Status\n\nAkzeptiert", "## Status\n\nAkzeptiert\n\nErsetzt [7. One](0007-one.md)"),
    ("## Status\n\nVeraltet", "## Status\n\nAkzeptiert\n\nLöst ADR-0007 ab."),
    ("## Status\n\nDurch [9. Two](0009-two.md) ersetzt", "## Status\n\nAkzeptiert"),
    ("## Status\n\nReplaced on 2024-03-05 by ADR-9", "## Status\n\nAccepted"),
    ("## Statut\n\nAcceptée", "## Statut\n\nAcceptée\n\nAnnule et remplace ADR-0007"),
    ("Status: replaced by ADR 0009", "Status: shipped"),
    ("Status: accepted", "* Status: accepted\n* Related decisions: replaces decision 0007"),
    ("| Status | Date | Owner |\n|--|--|--|\n| ~~Accepted~~ Superseded by [ADR-9](0009-two.md) | 2024 | us |",
     "Status: accepted"),
    ("> ⚠️ **Superseded** by [ADR 9](0009-two.md)", "Status: accepted"),
    ("```\nStatus: superseded by ADR 0009\n```", "Status: accepted"),
    ("Status: accepted", "Status: accepted\n\n## Decision\n\nOne table.\n\nThis record replaces ADR 0007."),
    ("Status: accepted", "Status: accepted\n\n## Decision\n\nOne table.\n\nSupersedes: [0007](../adr/0007-one.md)"),
    ("Status: accepted", "Status: accepted\n\n## Consequences\n\n- Less to keep.\n- This decision supersedes ADR-0007."),
    ("Status: Zastąpiono przez ADR-0009", "Status: accepted"),
    ("Status: accepted", "Status: accepted\n\n> [!NOTE]\n> Supersedes ADR-0007"),
    ("- **Standing:** Retired", "- **Standing:** In force\n- **Takes the place of:** [ADR-0007, the old rule](./0007-one.md)"),
    ("- Status: accepted\n- Gave way to: ADR-0009", "Status: accepted"),
    ("Status: accepted", "Status: accepted\n\n.. note::\n\n   Overrules :doc:`0007-one`."),
])
def test_a_supersession_counts_whichever_side_tells_it(older: str, newer: str) -> None:
    found = chain([record("0007-one.md", older), record("0008-else.md", "Status: accepted"), record("0009-two.md", newer)])
    assert heirs(found) == {"0007": ["ADR-0009"]}
    assert [found.standing(one).value for one in found.records] == ["superseded", "accepted", "accepted"]


def test_a_link_whose_place_stands_at_the_foot_names_a_record() -> None:
    old = read_record(
        "0007-one.md", f"# One\n\n- Status: Replaced\n- Replaced by: [HARB 0009]\n{BODY}\n[HARB 0009]: 0009-two.md\n")
    assert old is not None
    assert heirs(chain([old, record("0009-two.md", "Status: accepted")])) == {"0007": ["ADR-0009"]}


def test_a_status_that_points_to_its_history_is_what_that_ends_with() -> None:
    told = read_record("0007-one.md", f"# One\n\n- Status: see the log\n{BODY}\n## Status history\n\n"
                       "- 2024-01-02: Draft\n- 2024-03-05: Turned down\n")
    assert told is not None and told.standing.value == "rejected"


def test_a_word_of_standing_inside_another_value_is_no_status() -> None:
    told = read_record("0007-one.md", f"# One\n\n- Owner: Rejected goods office\n- Area: review of berths\n{BODY}")
    assert told is not None and told.standing.value == "unstated"


def test_how_far_the_work_is_that_a_record_tells_of_at_its_foot_is_no_status() -> None:
    told = read_record("0007-one.md", f"# One\n{BODY}\n## What follows\n\n- New quay: done\n- Old quay: in progress\n")
    assert told is not None and told.standing.value == "unstated"


def test_what_the_title_says_in_brackets_names_the_record_that_took_over() -> None:
    old = read_record("0007-one.md", f"# 7. One table (superseded by ADR-0009)\n{BODY}")
    assert old is not None
    assert heirs(chain([old, record("0009-two.md", "Status: accepted")])) == {"0007": ["ADR-0009"]}


def test_records_that_are_weighed_or_told_about_end_nothing() -> None:
    found = chain([record("0007-one.md", "Status: accepted"), record("0009-two.md", (
        "Status: accepted\n\n## Options\n\n* Supersedes ADR-0007 with paper\n\n## Decision\n\nOne.\n\n"
        "This ADR supersedes the quay clauses of ADR-0007.\n\nThis ADR supersedes ADR-0007 for the north only.\n\n"
        "## Consequences\n\n"
        "We looked at ADR-0007, which in the other harbour was\nsuperseded by ADR-0007b."))])
    assert heirs(found) == {}


def test_days_with_slashes_are_read_as_the_folder_writes_them(tmp_path: Path) -> None:
    for number, day in ((1, "05/03/2024"), (2, "29/12/2021")):
        (tmp_path / f"000{number}-x.md").write_text(f"# {number}. Quays\n\nDate: {day}\nStatus: accepted\n{BODY}")
    told = DecisionRecords().read(tmp_path, Cursor(), budget_bytes=1 << 20).events
    assert [str(one.at.date()) for one in told] == ["2024-03-05", "2021-12-29"]
    (tmp_path / "0002-x.md").write_text(f"# 2. Quays\n\nDate: 12/29/2021\nStatus: accepted\n{BODY}")
    told = DecisionRecords().read(tmp_path, Cursor(), budget_bytes=1 << 20).events
    assert [str(one.at.date()) for one in told] == ["2024-05-03", "2021-12-29"]


def test_the_day_beside_another_standing_is_not_that_of_the_decision_and_superseded_no_ends_nothing() -> None:
    ended = read_record("2022-03-12-wood.md", f"# Wood\n\n_Status: approved, then superseded on 2023-05-01 by coal_\n{BODY}")
    stands = read_record("2022-03-12-wood.md", f"# Wood\n\n**Status:** approved 2022-04-01 | **Superseded:** no\n{BODY}")
    assert ended is not None and stands is not None
    assert (ended.standing.value, str(ended.day)) == ("superseded", "2022-03-12")
    assert (stands.standing.value, str(stands.day)) == ("accepted", "2022-04-01")


def test_a_year_before_the_number_belongs_to_it() -> None:
    found = chain([record("ADR-2023-001-quays.md", "Status: accepted"), record("ADR-2024-001-berths.md", "Status: accepted"),
                   record("ADR-2024-002-tugs.md", "Status: accepted\n\nSupersedes: ADR-2024-001")])
    assert found.findings == ()
    assert {path: [one.name for one in some] for path, some in found.successors.items()} == {
        "ADR-2024-001-berths.md": ["ADR-2024-002"]}


def test_a_record_without_a_number_is_one_by_its_status_and_its_day() -> None:
    paper, typed, berths = "Paper forms.md", "Digital forms.md", "Berths.md"
    told = {paper: f"# Paper forms\n\nThis was accepted on 2 May 2019 and replaced by [forms](<{typed}>).\n\nBy hand.\n",
            typed: "# Digital forms\n\nStatus: accepted (2022-06-20), it supersedes [paper](./Paper%20forms.md).\n\nTyped.\n",
            berths: "---\nstatus: accepted\ndecided: 2023-03-09\n---\n> [!summary] Decision\n> A berth has one name.\n"}
    found = [one for name, text in told.items() if (one := read_record(name, text))]
    assert [(one.path, str(one.day), one.standing.value) for one in found] == [
        (paper, "2019-05-02", "superseded"), (typed, "2022-06-20", "accepted"), (berths, "2023-03-09", "accepted")]
    assert found[2].decided == "A berth has one name."
    assert {path: [one.path for one in some] for path, some in chain(found).successors.items()} == {paper: [typed]}


def test_what_is_only_proposed_and_what_takes_over_a_part_ends_nothing() -> None:
    found = chain([record("0007-one.md", "Status: accepted"), record("0008-two.md", "Status: proposed\n\nSupersedes: ADR-0007"),
                   record("0009-three.md", "Status: accepted\n\nPartially supersedes ADR-0007\n\nAmends: ADR-0007")])
    assert heirs(found) == {}


LOG = """# Decisions

## Index

- [D-1](#d-1-stone-wheels)

## D-1: Stone wheels

Status: Accepted
Date: 2021-02-03

We grind with stone because steel is not to be had.

## D-2: Steel wheels

Status: Accepted
Date: 2022-05-06
Supersedes: [stone](#d-1-stone-wheels)

Steel from now on, since stone flakes ended in the flour.

### Consequences

The stone wheels are sold.

## 2023-07-08 — Flour by post

**Decision:** Small bags go by post.
**Why:** walkers ask for it.

```
## D-9: An example
Status: Accepted
Date: 2020-01-01
```

## Form

Status: Proposed | Accepted | Rejected
Date: YYYY-MM-DD

What and why.
"""


def test_a_page_of_many_decisions_gives_each_and_nothing_of_what_stands_beside_them() -> None:
    records = read_log("docs/DECISIONS.md", LOG)
    assert [(one.name, one.title, str(one.day)) for one in records] == [
        ("D-1", "Stone wheels", "2021-02-03"), ("D-2", "Steel wheels", "2022-05-06"),
        ("2023-07-08--flour-by-post", "Flour by post", "2023-07-08")]
    found = chain(records)
    assert found.successors[records[0].path] == (records[1],)
    assert (records[2].decided, records[2].why) == ("Small bags go by post.", "walkers ask for it.")


@pytest.mark.parametrize("text", [
    "# Decisions\n\n## [ADR-1](adr/0001-x.md)\n\nStatus: accepted\n\n## [ADR-2](adr/0002-y.md)\n\nStatus: accepted\n",
    "# Decisions\n\n## ADR-1 Ink\n\nStatus: accepted\n\n[more](a.md)\n\n## ADR-2 Pens\n\nStatus: draft\n\n[more](b.md)\n",
    "# How we decide\n\n## When\n\nWhenever it costs a week.\n\n## Status\n\nAccepted, rejected or proposed.\n",
    "# Decisions\n\n## Accepted\n\n- ADR-1: ink (2020-01-02)\n\n## Rejected\n\n- ADR-2: pens (2020-01-02)\n",
])
def test_an_index_or_a_guide_is_no_log_of_decisions(text: str) -> None:
    assert read_log("DECISIONS.md", text) == []


def test_a_log_is_found_beside_the_folders_and_none_in_the_memory_of_an_agent(tmp_path: Path) -> None:
    for place in (".", "docs", "docs/adr", "memory"):
        (tmp_path / place).mkdir(exist_ok=True)
        (tmp_path / place / "DECISIONS.md").write_text(LOG)
    (tmp_path / "docs" / "adr" / "0001-one.md").write_text(f"# One\n\nStatus: accepted\n{BODY}")
    (tmp_path / "memory" / "MEMORY.md").touch()
    assert [str(path.relative_to(tmp_path)) for path in folders_below(tmp_path, thorough=True)] == [
        "DECISIONS.md", "docs/DECISIONS.md", "docs/adr"]
    read = DecisionRecords().read(tmp_path / "docs" / "adr", Cursor(), budget_bytes=1 << 20)
    assert [one.title for one in read.events] == ["One"]


def test_a_circle_a_number_used_twice_and_an_unknown_status_are_told() -> None:
    found = chain([record("0007-one.md", "Status: accepted\n\nSuperseded by: ADR-0008"),
                   record("0008-two.md", "Status: accepted\n\nSuperseded by: ADR-0007"),
                   record("0009-three.md", "Status: accepted"), record("0009-four.md", "Status: parked")])
    assert [(one.reason, one.files) for one in found.findings] == [
        ("cycle", ("0007-one.md", "0008-two.md")), ("number-twice", ("0009-three.md", "0009-four.md")),
        ("unknown-status", ("0009-four.md",))]
    assert heirs(found) == {}


def test_folders_of_records_are_found_by_their_names_and_by_what_names_them(tmp_path: Path) -> None:
    page = "# One\n\nStatus: accepted\n" + BODY
    named = ("documentation/adr", "docs/decisions", "architecture-decision-records", "packages/boats/docs/adr", "notes/why")
    deep = "packages/gate/doc/architecture/decisions"
    for folder in (*named, deep, "docs/recipes", "doc/adr"):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "0001-one.md").write_text("# A page\n" if folder == "doc/adr" else page)
    (tmp_path / ".adr-dir").write_text("notes/why\n")
    (tmp_path / "docs" / "architecture").mkdir()
    (tmp_path / "docs" / "architecture" / "adr-002-two.md").write_text(page)
    assert {str(folder.relative_to(tmp_path)) for folder in folders_below(tmp_path)} == {*named, deep, "docs/architecture"}
    above = folders_below(tmp_path.parent, thorough=True)  # several repositories in one directory
    assert tmp_path / "notes" / "why" in above
    assert pages_of(tmp_path / "docs" / "decisions") == ["0001-one.md"]


@pytest.mark.parametrize("hostile", ["# a" + " " * 30_000 + "x", "# a" + "#" * 30_000 + "x", "[" * 30_000, "<dt>a" * 8_000,
                                     "<tr><td>" * 4_000, "a " * 15_000, "# a\n" * 3_000])
def test_no_page_keeps_the_reader_busy(hostile: str) -> None:
    began = process_time()
    read_record("0007-a.md", f"# One\n\nStatus: accepted\n\n{hostile}\n{BODY}")
    read_log("DECISIONS.md", f"{LOG}\n{hostile}\n")
    assert process_time() - began < 10
