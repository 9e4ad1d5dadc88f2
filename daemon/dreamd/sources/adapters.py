"""Every adapter, in the order they are asked. Apart from the room's front, for most callers read no source at all."""

from __future__ import annotations

from dreamd.sources.base.contract import Adapter
from dreamd.sources.base.databases import CursorIde
from dreamd.sources.claude_code.memory_dir import MemoryDirectory
from dreamd.sources.claude_code.session_lines import ClaudeCode
from dreamd.sources.codex.rollouts import Codex
from dreamd.sources.copilot.copilot_cli import CopilotCli
from dreamd.sources.cursor.cursor_cli import CursorCli
from dreamd.sources.cursor.cursor_lines import CursorText, CursorTranscript
from dreamd.sources.decisions.decision_folder import DecisionRecords
from dreamd.sources.gemini.gemini_chats import Gemini
from dreamd.sources.hermes.hermes_files import HermesSnapshot, HermesTranscript
from dreamd.sources.hermes.hermes_rows import Hermes as HermesSessions
from dreamd.sources.letta.letta_talk import LettaTalk
from dreamd.sources.logs.log_files import ProgramLog
from dreamd.sources.notes.note_files import CodexMemories, Hermes, LettaMemory, OpenClawWorkspace, StructuredLog
from dreamd.sources.openclaw.openclaw_entries import OpenClawSession
from dreamd.sources.openclaw.openclaw_rows import OpenClawDatabase
from dreamd.sources.opencode.opencode_messages import OpenCodeExport
from dreamd.sources.opencode.opencode_rows import OpenCodeDatabase
from dreamd.sources.opencode.opencode_tree import OpenCodeTree
from dreamd.sources.specstory.specstory_pages import SpecStory
from dreamd.sources.vscode.vscode_chats import VsCodeChat

ADAPTERS: tuple[Adapter, ...] = (
    SpecStory(), VsCodeChat(), Gemini(), CopilotCli(), Codex(), ClaudeCode(), OpenCodeExport(), OpenCodeDatabase(),
    OpenCodeTree(), CursorIde(), CursorCli(), HermesSessions(), HermesTranscript(), HermesSnapshot(), LettaTalk(),
    OpenClawSession(), OpenClawDatabase(),
    CursorTranscript(), CursorText(), OpenClawWorkspace(), Hermes(), CodexMemories(), LettaMemory(), MemoryDirectory(),
    DecisionRecords(),
    StructuredLog(), ProgramLog(),
)
"""The first that accepts a path reads it."""
