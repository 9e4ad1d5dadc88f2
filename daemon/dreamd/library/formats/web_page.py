"""The article of a page of the web as Markdown, without what stands around it; only ever called in a process of its own."""

from __future__ import annotations

import re
from pathlib import Path

from dreamd.library.formats.plain_formats import LARGEST_TEXT, Text
from dreamd.library.formats.rich_formats import html_text


def read_page(path: Path) -> Text:
    """What a page says: found by trafilatura, and where that finds no article, all words of the page.

    Raises ImportError where neither library is installed.
    """
    import trafilatura
    from trafilatura.metadata import extract_metadata

    body = path.read_bytes()
    text = trafilatura.extract(body, output_format="markdown", include_comments=False, include_links=False) or ""
    if not text.strip():
        return html_text(body)
    about = extract_metadata(body)
    title = about.title if about is not None else ""
    return Text(re.sub(r"\n{3,}", "\n\n", text)[:LARGEST_TEXT], "markdown", " ".join((title or "").split())[:200])
