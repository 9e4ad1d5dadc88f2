"""From what people and agents say to what may be remembered: redaction, dates, the gate, and the rules for transcripts."""

from dreamd.extraction.dates import Durable, make_durable
from dreamd.extraction.gate import gate
from dreamd.extraction.neutral import looks_like_injection, neutralise, strip_hidden
from dreamd.extraction.redaction import Mask, Redacted, redact
from dreamd.extraction.rules import ConversationState, Extraction, extract

__all__ = [
    "ConversationState", "Durable", "Extraction", "Mask", "Redacted", "extract", "gate", "looks_like_injection", "make_durable",
    "neutralise", "redact", "strip_hidden",
]
