"""HTML, PDF, EPUB and DOCX as Markdown, with the libraries of `dreamd[docs]`; only ever called in a process of its own.

HTML is read by selectolax, PDF by pypdf, DOCX is made HTML by mammoth, and the chapters of an EPUB are HTML in a zip.
"""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Any  # the libraries of an extra have no types where it is not installed
from urllib.parse import unquote

from dreamd.library.formats.plain_formats import LARGEST_BYTES, LARGEST_TEXT, Text, decoded, is_binary

MOST_PAGES = 5_000
LEAST_SIGNS_A_PAGE = 4
"""Signs a page has at least on average, where a PDF holds text at all and not pictures of it."""
MOST_TIMES = 200
"""What a zip unpacks to, in times its size; more is made to do harm."""
_LEFT_OUT = ("script,style,noscript,template,nav,header,footer,aside,form,button,svg,iframe,[role=navigation],[role=search],"
             "[aria-hidden=true],.sphinxsidebar,.headerlink,.toctree-wrapper,.related")
_MAIN = ("main", "[role=main]", "article")
_BLOCK = frozenset({"div", "section", "article", "main", "body", "ul", "ol", "dl", "dt", "dd", "table", "tr", "blockquote",
                    "figure", "figcaption", "details", "summary", "address", "center"})
_AROUND = {"li": ("\n- ", ""), "td": (" | ", ""), "th": (" | ", ""), "p": ("\n\n", "\n\n")}
"""What stands before and behind the words of an element."""
_TITLES = {f"h{n}": n for n in range(1, 7)}


def read_rich(path: Path) -> Text:
    """The words of a file as Markdown.

    Raises ImportError where its library is not installed, and whatever that library raises for a broken file.
    """
    suffix = path.suffix.lower()
    if suffix == ".pdf":
        return _read_pdf(path)
    if suffix in (".epub", ".docx") and (why := bomb_in(path)):
        return Text(why=why)
    if suffix == ".epub":
        return _read_epub(path)
    if suffix == ".docx":
        import mammoth

        with path.open("rb") as handle:
            made = mammoth.convert_to_html(handle, convert_image=mammoth.images.img_element(lambda _image: {"src": ""}))
        return html_text(made.value.encode())
    return html_text(path.read_bytes())


def bomb_in(path: Path) -> str:
    """Why a zip is not opened; empty where it may be."""
    with zipfile.ZipFile(path) as packed:
        whole = sum(one.file_size for one in packed.infolist())
    if whole > LARGEST_BYTES * 4 or whole > max(1, path.stat().st_size) * MOST_TIMES:
        return "unpacks to far more than a document"
    return ""


def _read_pdf(path: Path) -> Text:
    import pypdf

    reader = pypdf.PdfReader(path)
    if reader.is_encrypted and not reader.decrypt(""):
        return Text(why="locked with a password")
    pages, signs = list[str](), 0
    for n, page in enumerate(reader.pages):
        if n >= MOST_PAGES or signs > LARGEST_TEXT:
            break
        words = page.extract_text().strip()
        signs += len(words)
        pages.append(words)
    if signs <= LEAST_SIGNS_A_PAGE * max(1, len(pages)):
        return Text(why="no text in it (scanned?)")
    title = reader.metadata.title if reader.metadata else None
    return Text("\n\n".join(pages), "text", _one_line(title) if isinstance(title, str) else "")


def _read_epub(path: Path) -> Text:
    from selectolax.lexbor import LexborHTMLParser

    with zipfile.ZipFile(path) as packed:
        box = LexborHTMLParser(_member(packed, "META-INF/container.xml"))
        found = box.css_first("rootfile")
        place = str(found.attributes.get("full-path") or "") if found else ""
        # In XML `<item …/>` is whole; the parser is one of HTML, where only some tags end by themselves.
        book = _member(packed, place).decode("utf-8", "replace")
        items = {m["id"]: m["href"] for tag in re.findall(r"<(?:\w+:)?item\b[^>]*>", book) if (m := _attributes(tag)).keys() >=
                 {"id", "href"}}
        order = [m["idref"] for tag in re.findall(r"<(?:\w+:)?itemref\b[^>]*>", book) if "idref" in (m := _attributes(tag))]
        name = re.search(r"<dc:title[^>]*>([^<]*)", book)
        texts, signs = list[str](), 0
        for one in order:
            if one in items and signs < LARGEST_TEXT:
                chapter = html_text(_member(packed, str(PurePosixPath(place).parent / unquote(items[one]))))
                texts.append(chapter.text)
                signs += len(chapter.text)
    text = "\n\n".join(filter(None, texts))
    return Text(text, "markdown", _one_line(name[1]) if name else "") if text else Text(why="no text in it")


def _attributes(tag: str) -> dict[str, str]:
    return dict(re.findall(r"([\w:-]+)\s*=\s*[\"']([^\"']*)[\"']", tag))


def _member(packed: zipfile.ZipFile, name: str) -> bytes:
    with packed.open(name) as handle:
        body = handle.read(LARGEST_BYTES + 1)
    return body[:LARGEST_BYTES]


def html_text(body: bytes) -> Text:
    """A page as Markdown: its headings, paragraphs, lists and code, without what leads around the site."""
    from selectolax.lexbor import LexborHTMLParser

    words = _page_words(body)
    if words is None:
        return Text(why="not text")
    page = LexborHTMLParser(words)
    title = page.css_first("title")
    name = _one_line(title.text()) if title else ""
    root: Any = page.body
    if root is None:
        return Text(why="no text in it")
    for node in root.css(_LEFT_OUT):
        node.decompose()
    whole = len(root.text())
    for selector in _MAIN:
        found = root.css(selector)
        if len(found) == 1 and len(found[0].text()) * 2 > whole:
            root = found[0]
            break
    out = io.StringIO()
    for part in _walk(root):
        out.write(part)
        if out.tell() > LARGEST_TEXT:
            break
    text = re.sub(r"[ \t]+\n", "\n", out.getvalue())
    text = re.sub(r"\n{3,}", "\n\n", text).strip()
    return Text(text, "markdown", name) if text else Text(why="no text in it")


_DECLARED = re.compile(rb"(?:charset|encoding)\s*=\s*[\"']?([\w.:-]+)", re.IGNORECASE)
_DECLARED_WITHIN = 1024
"""Bytes within which the standard has a page say how it is written."""


def _page_words(body: bytes) -> str | None:
    """A page as text: in UTF-8 where it is that, whatever it says of itself, else as it says, else as most old ones are.

    None for what is no text.
    """
    if body[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return body.decode("utf-16", "replace")
    try:
        return body.decode("utf-8-sig")
    except UnicodeDecodeError:
        if is_binary(body):
            return None
        said = _DECLARED.search(body[:_DECLARED_WITHIN])
        named = said[1].decode("ascii").lower() if said else "cp1252"
        # A browser reads both names of the smaller set as the larger one, and so are they meant.
        return decoded(body, "cp1252" if named in ("iso-8859-1", "latin1", "us-ascii") else named)


def _walk(root: Any) -> Iterator[str]:
    """The words of a tree with the signs of Markdown, without recursion: a page may be nested as deep as it likes."""
    stack: list[Any] = [root]
    while stack:
        node = stack.pop()
        if isinstance(node, str):
            yield node
            continue
        tag = node.tag
        if tag == "-text":
            yield re.sub(r"\s+", " ", node.text(deep=False) or "")
        elif tag == "pre":
            yield f"\n\n```\n{node.text().strip(chr(10))}\n```\n\n"
        elif tag in _TITLES:
            yield f"\n\n{'#' * _TITLES[tag]} {_one_line(node.text()).rstrip('¶').strip()}\n\n"
        elif tag == "br":
            yield "\n"
        else:
            before, after = _AROUND.get(tag, ("\n", "\n") if tag in _BLOCK else ("", ""))
            stack.append(after)
            stack.extend(reversed(list(node.iter(include_text=True))))
            stack.append(before)


def _one_line(text: str) -> str:
    return " ".join(text.split())[:200]
