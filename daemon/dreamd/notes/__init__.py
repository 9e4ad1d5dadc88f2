"""Markdown as agents and people know it: topic files, the index, and what a person edited in them.

Pure text in, text out: no store, no clock, no disk.
"""

from dreamd.notes.edits import EditKind, PersonEdit, diff_person_edits
from dreamd.notes.index import (
    AIM_LINES,
    INDEX_FILE,
    MAX_BYTES,
    MAX_LINES,
    SECTIONS,
    IndexPlan,
    index_line,
    index_size,
    is_more_file,
    render_index,
)
from dreamd.notes.reading import DirectoryText, IndexLine, read_directory
from dreamd.notes.topic import EarlierVersion, TopicText, hook_of, read_topic, render_topic, title_of, topic_path

__all__ = [
    "AIM_LINES",
    "INDEX_FILE",
    "MAX_BYTES",
    "MAX_LINES",
    "SECTIONS",
    "DirectoryText",
    "EarlierVersion",
    "EditKind",
    "IndexLine",
    "IndexPlan",
    "PersonEdit",
    "TopicText",
    "diff_person_edits",
    "hook_of",
    "index_line",
    "index_size",
    "is_more_file",
    "read_directory",
    "read_topic",
    "render_index",
    "render_topic",
    "title_of",
    "topic_path",
]
