"""Elements of a page or a picture. What is put in as text can never be taken for markup."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Iterable

Element = ET.Element


def element(tag: str, *inside: Element | str | None, **attributes: object) -> Element:
    """An element with what stands in it; `class_` is `class`, `stroke_width` is `stroke-width`; None is left out."""
    made = ET.Element(tag, {_name(name): _value(given) for name, given in attributes.items() if given is not None})
    for one in inside:
        add(made, one)
    return made


def add(parent: Element, one: Element | str | None) -> Element:
    """Put something behind what stands in an element; gives the element."""
    if isinstance(one, str):
        if len(parent):
            parent[-1].tail = (parent[-1].tail or "") + clean(one)
        else:
            parent.text = (parent.text or "") + clean(one)
    elif one is not None:
        parent.append(one)
    return parent


def add_all(parent: Element, some: Iterable[Element | str | None]) -> Element:
    """Put several things behind each other into an element; gives the element."""
    for one in some:
        add(parent, one)
    return parent


def as_xml(top: Element) -> str:
    """The text of a picture, which can stand by itself or in a page."""
    return ET.tostring(top, encoding="unicode", short_empty_elements=True)


def as_html(top: Element) -> str:
    """The text of a page."""
    return "<!doctype html>\n" + ET.tostring(top, encoding="unicode", method="html")


def clean(text: str) -> str:
    """A text without signs that no page may hold."""
    return "".join(c if c.isprintable() or c in "\n\t" else " " for c in text).encode("utf-8", "replace").decode()


def _name(name: str) -> str:
    return name.rstrip("_").replace("_", "-")


def _value(given: object) -> str:
    if isinstance(given, float):
        return f"{given:.2f}".rstrip("0").rstrip(".")
    return clean(str(given))
