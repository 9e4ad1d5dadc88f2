"""Every adapter, in the order they are asked. Apart from the room's front, for most callers read no source at all."""

from __future__ import annotations

from dreamd.sources.claude_code import ClaudeCode
from dreamd.sources.codex import Codex
from dreamd.sources.contract import Adapter
from dreamd.sources.copilot_cli import CopilotCli
from dreamd.sources.cursor_cli import CursorCli
from dreamd.sources.cursor_lines import CursorTranscript
from dreamd.sources.cursor_text import CursorText
from dreamd.sources.databases import CursorIde
from dreamd.sources.gemini import Gemini
from dreamd.sources.hermes import Hermes as HermesSessions
from dreamd.sources.hermes_files import HermesSnapshot, HermesTranscript
from dreamd.sources.letta_talk import LettaTalk
from dreamd.sources.memory_dir import MemoryDirectory
from dreamd.sources.note_files import CodexMemories, Hermes, LettaMemory, OpenClawWorkspace, StructuredLog
from dreamd.sources.openclaw import OpenClawSession
from dreamd.sources.openclaw_rows import OpenClawDatabase
from dreamd.sources.opencode import OpenCodeExport
from dreamd.sources.opencode_rows import OpenCodeDatabase
from dreamd.sources.opencode_tree import OpenCodeTree
from dreamd.sources.specstory import SpecStory
from dreamd.sources.vscode_chats import VsCodeChat

ADAPTERS: tuple[Adapter, ...] = (
    SpecStory(), VsCodeChat(), Gemini(), CopilotCli(), Codex(), ClaudeCode(), OpenCodeExport(), OpenCodeDatabase(),
    OpenCodeTree(), CursorIde(), CursorCli(), HermesSessions(), HermesTranscript(), HermesSnapshot(), LettaTalk(),
    OpenClawSession(), OpenClawDatabase(),
    CursorTranscript(), CursorText(), OpenClawWorkspace(), Hermes(), CodexMemories(), LettaMemory(), MemoryDirectory(),
    StructuredLog(),
)
"""The first that accepts a path reads it."""
