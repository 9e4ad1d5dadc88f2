"""Markdown as agents and people know it: topic files, the index, and what a person edited in them.

Pure text in, text out: no store, no clock, no disk.
"""

from dreamd.notes.damage import Damage, decoded, find_damage
from dreamd.notes.dialects import Dialect, detect_dialect, is_editable, is_instruction_file
from dreamd.notes.directory import DirectoryText, IndexLine, read_directory
from dreamd.notes.edits import Beside, EditKind, PersonEdit, diff_person_edits
from dreamd.notes.entries import Entry, EntryKind, read_entries
from dreamd.notes.index import (
    AIM_LINES,
    INDEX_FILE,
    MAX_BYTES,
    MAX_LINES,
    SECTIONS,
    IndexFrame,
    IndexPlan,
    compose_index,
    index_size,
    is_more_file,
    render_index,
)
from dreamd.notes.index_again import (
    KeptPart,
    Recomposed,
    asked_anew,
    compose_again,
    index_names,
    kept_parts,
    read_parts,
    write_parts,
)
from dreamd.notes.index_lines import IndexEntry, index_entry
from dreamd.notes.rewriting import Action, EntryEdit, IndexLimits, apply_edits, fit_index, propose_edits
from dreamd.notes.tidying import AttachPlan, AttachRules, JudgedPair, account, can_meet, conflicts_in_words, plan_attach
from dreamd.notes.topic import EarlierVersion, TopicText, hook_of, read_topic, render_topic, restate_topic, topic_path

__all__ = [
    "AIM_LINES", "INDEX_FILE", "MAX_BYTES", "MAX_LINES", "SECTIONS", "Action", "AttachPlan", "AttachRules", "Beside",
    "Damage", "Dialect", "DirectoryText", "EarlierVersion", "EditKind", "Entry", "EntryEdit", "EntryKind", "IndexEntry",
    "IndexFrame", "IndexLimits", "IndexLine", "IndexPlan", "JudgedPair", "KeptPart", "PersonEdit", "Recomposed", "TopicText",
    "account", "apply_edits", "can_meet", "asked_anew", "compose_again", "compose_index", "conflicts_in_words", "decoded",
    "detect_dialect", "diff_person_edits", "find_damage", "fit_index", "hook_of", "index_entry", "index_names", "index_size",
    "is_editable", "is_instruction_file", "is_more_file", "kept_parts", "plan_attach", "propose_edits", "read_directory",
    "read_entries", "read_parts", "read_topic", "render_index", "render_topic", "restate_topic", "topic_path", "write_parts",
]
