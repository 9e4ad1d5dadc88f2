"""Homes with a page over them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from asgi_browser import SECOND_NIGHT, Browser, open_page
from dreamd.core.values import Origin
from household import FIRST_NIGHT, House, Said


@pytest.fixture(scope="session")
def _two_nights(tmp_path_factory: pytest.TempPathFactory) -> House:
    house = House(tmp_path_factory.mktemp("two-nights"))
    house.say(FIRST_NIGHT, "The billing API listens on port 8080.",
              "Always run the linter before pushing to the shared branch.", "The release freeze lasts until 2026-02-10.",
              Said("The import runs on node one.", conversation="one"),
              Said("The nightly import is owned by the data platform team.", origin=Origin.WEB), "ok thanks")
    house.dream(FIRST_NIGHT)
    house.say(SECOND_NIGHT, Said("The staging database is restored every Monday.", conversation="two"),
              Said("The billing API now listens on port 9090.", conversation="two"),
              Said("The search gateway listens on port 7000.", conversation="two", at=SECOND_NIGHT),
              Said("The search gateway listens on port 7001.", conversation="two", at=SECOND_NIGHT))
    house.dream(SECOND_NIGHT)
    return house


@pytest.fixture
def lived(_two_nights: House, tmp_path: Path) -> House:
    """A home of two nights: learned, replaced, held, in conflict, let go; each test has its own copy."""
    return _two_nights.copy_to(tmp_path)


@pytest.fixture(scope="session")
def _looked_at(_two_nights: House, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    found, page = open_page(_two_nights.copy_to(tmp_path_factory.mktemp("looked-at")))
    found.enter()
    yield found
    page.warm.close()


@pytest.fixture
def onlooker(_looked_at: Browser) -> Browser:
    """A browser that has come in by the link to a home that all tests share which change nothing."""
    return replace(_looked_at, cookies=dict(_looked_at.cookies))


@pytest.fixture
def browser(lived: House) -> Iterator[Browser]:
    """A browser that has come in by the link."""
    found, page = open_page(lived)
    found.enter()
    yield found
    page.warm.close()
