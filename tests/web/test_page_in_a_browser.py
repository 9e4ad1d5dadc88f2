"""The page in a real Chromium: every view and every act, by keyboard alone, small and large, light and dark.

With DREAM_SCREENSHOTS=1 pictures of them are left in `build/screenshots`. Without a browser these are skipped, save where one
is required.
"""

from __future__ import annotations

import os
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote_plus

import pytest

from asgi_browser import TODAY
from dreamd.web import serving
from household import House, Said

SHOTS = Path(__file__).parents[2] / "build" / "screenshots"
CHROMIUM = next((found for name in ("chromium", "chromium-browser", "google-chrome") if (found := shutil.which(name))), None)
REQUIRED = os.environ.get("DREAM_BROWSER") == "required"
SIZES = {"desk": {"width": 1280, "height": 900}, "phone": {"width": 390, "height": 844}}

pytestmark = pytest.mark.skipif(not CHROMIUM and not REQUIRED, reason="no Chromium on this machine; `apt-get install chromium`")


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    playwright = pytest.importorskip("playwright.sync_api") if not REQUIRED else __import__("playwright.sync_api").sync_api
    assert CHROMIUM, "a browser is required here, and none is installed"
    with playwright.sync_playwright() as play:
        launched = play.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-dev-shm-usage"])
        yield launched
        launched.close()


class Visit:
    """A tab with the page open in it."""

    def __init__(self, tab: Any, link: str, house: House) -> None:
        self.tab, self.house, self.wrong = tab, house, []
        tab.set_default_timeout(30_000)
        tab.on("console", lambda said: self.wrong.append(said.text) if said.type in ("error", "warning") else None)
        tab.on("pageerror", lambda error: self.wrong.append(str(error)))
        tab.goto(link)
        self.base = tab.url.rstrip("/")

    def go(self, path: str) -> None:
        self.tab.goto(self.base + path)

    def press(self, *keys: str) -> None:
        for key in keys:
            self.tab.keyboard.press(key)

    def until(self, holds: Callable[[], object]) -> None:
        """Wait for something to be true of the home."""
        for _ in range(200):
            if holds():
                return
            self.tab.wait_for_timeout(50)
        raise AssertionError("it did not happen")

    def picture(self, name: str) -> None:
        """Leave a picture of the page for people to look at, where they want one."""
        if os.environ.get("DREAM_SCREENSHOTS"):
            self.tab.screenshot(path=SHOTS / f"{name}.png", full_page=True)

    def told(self) -> str:
        """What is said to who does not see the page."""
        self.until(lambda: self.tab.text_content("#live"))
        return str(self.tab.text_content("#live"))


@pytest.fixture
def visit(chromium: Any, lived: House) -> Iterator[Callable[..., Visit]]:
    """Opens the page over a copy of a home of two nights, as a browser of some size and taste shows it."""
    places: list[serving.Place] = []
    ended = threading.Event()
    server = threading.Thread(target=serving.serve, daemon=True, kwargs={
        "world": lived.world(TODAY), "tell": places.append, "embedder": lived.embedder, "should_stop": ended.is_set})
    server.start()
    while not places:
        time.sleep(0.01)
    contexts = []

    def open_tab(size: str = "desk", scheme: str = "light", *, script: bool = True) -> Visit:
        contexts.append(chromium.new_context(viewport=SIZES[size], color_scheme=scheme, java_script_enabled=script))
        return Visit(contexts[-1].new_page(), places[0].link, lived)

    yield open_tab
    for context in contexts:
        context.close()
    ended.set()
    server.join(10)


def views_of(house: House) -> dict[str, str]:
    """Every view with something in it."""
    first, last = (str(row[0]) for row in house.rows("SELECT id FROM run WHERE kind = 'dream' ORDER BY seq"))
    return {"last-night": "/", "memories": "/memories?status=all", "found": "/memories?q=billing", "memory":
            f"/memory/{house.memory('9090').id}", "decide": "/decide", "over-time": "/over-time", "health": "/health",
            "night": f"/night/{first}", "undo": f"/night/{last}/undo", "nothing": "/nothing-here"}


LOOKS = [("desk", "light", None), ("desk", "dark", ["color-contrast"]), ("phone", "dark", []),
         ("phone", "light", ["scrollable-region-focusable", "color-contrast"])]
"""Each look of a view, with the rules that turn on it; the first look is held to all of them."""


def test_every_view_is_fit_for_everybody(visit, lived):
    from axe_core_python.sync_playwright import Axe

    seen, axe, serious = visit(), Axe(), {}
    for name, path in views_of(lived).items():
        seen.go(path)
        seen.tab.evaluate(axe.axe_script)
        for size, scheme, rules in LOOKS:
            seen.tab.set_viewport_size(SIZES[size])
            seen.tab.emulate_media(color_scheme=scheme)
            options = {"resultTypes": ["violations"], **({} if rules is None else {"runOnly": rules})}
            found = seen.tab.evaluate("options => axe.run(options)", options)["violations"] if rules != [] else []
            serious |= {f"{name}, {size}, {scheme}: {one['id']}": [node["html"][:200] for node in one["nodes"]]
                        for one in found if one["impact"] in ("serious", "critical")}
            wide = seen.tab.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
            serious |= {f"{name}, {size}, {scheme}: wider than the screen by {wide}": []} if wide > 0 else {}
            seen.picture(f"{name}-{size}-{scheme}")
    assert serious == {}
    assert [one for one in seen.wrong if "404" not in one] == []


def test_everything_can_be_read_without_a_script(visit, lived):
    seen = visit(script=False)
    for path in views_of(lived).values():
        seen.go(path)
        assert seen.tab.is_visible("main h1")
        assert not seen.tab.locator("button[type=submit]:visible").filter(has_not_text="Show").count()
    seen.go("/memories")
    seen.tab.fill("#q", "billing")
    seen.tab.click("text=Show")
    assert "9090" in seen.tab.inner_text("#results")


def test_search_finds_while_one_types_and_the_first_is_opened_by_keyboard(visit):
    seen = visit()
    seen.press("g", "m")
    seen.tab.wait_for_selector("#q")
    seen.tab.wait_for_load_state("load")  # the keys work from here on
    seen.press("/")
    seen.until(lambda: seen.tab.evaluate("document.activeElement.id") == "q")
    seen.tab.keyboard.type("which port does billing use")
    seen.until(lambda: "does billing use" in unquote_plus(seen.tab.url))
    assert "9090" in seen.tab.inner_text(".memories li >> nth=0")
    seen.press("Escape", "j")
    seen.press("Enter")
    seen.tab.wait_for_selector("#memory")
    assert "9090" in seen.tab.inner_text("h1")
    assert seen.wrong == []


def test_an_edit_and_its_conflict_by_keyboard(visit, lived):
    from axe_core_python.sync_playwright import Axe

    seen, identity = visit(), lived.memory("linter").id
    seen.go(f"/memory/{identity}")
    seen.press("e")
    seen.press("Control+a")
    seen.tab.keyboard.type("Run the linter before each push.")
    with lived.kit(TODAY) as kit:
        from dreamd.dream import verbs

        verbs.edit(kit, identity, "Run the linter before each merge.")
    seen.press("Tab", "Enter")
    seen.tab.wait_for_selector(".conflict")
    words = seen.tab.inner_text("main")
    assert "Run the linter before each merge." in words
    assert seen.tab.input_value("textarea") == "Run the linter before each push."
    assert [one["id"] for one in Axe().run(seen.tab)["violations"] if one["impact"] in ("serious", "critical")] == []
    seen.picture("conflict-desk-light")
    seen.tab.focus("textarea")
    seen.press("Tab", "Enter")
    seen.until(lambda: lived.memory("linter").text == "Run the linter before each push.")
    seen.until(lambda: seen.told() == "it says so from now on")


def test_pin_and_forget_by_keyboard(visit, lived):
    seen, identity = visit(), lived.memory("linter").id
    seen.go(f"/memory/{identity}")
    seen.tab.focus("form[hx-post$='/pin'] button")
    seen.press("Enter")
    seen.until(lambda: lived.memory("linter").pinned)
    seen.tab.wait_for_selector("form[hx-post$='/unpin']")
    seen.tab.focus("details.act:not([data-edit]) summary")
    seen.press("Enter", "Tab", "Enter")
    seen.tab.wait_for_selector(".done")
    assert seen.told().startswith("forgotten")
    assert [m for m in lived.memories() if "linter" in m.text] == []
    assert seen.wrong == []


@pytest.mark.parametrize(("key", "standing"), [("1", {"live", "superseded"}), ("2", {"live", "superseded"}), ("3", {"live"}),
                                               ("0", {"archived"})])
def test_a_question_is_decided_with_one_key(visit, lived, key, standing):
    seen = visit("phone" if key == "3" else "desk")
    seen.go("/decide")
    while "7000" not in seen.tab.evaluate("document.activeElement.textContent.slice(0, 400)"):
        seen.press("j")
    seen.press(key)
    seen.until(lambda: {m.status.value for m in lived.memories() if "gateway" in m.text} == standing)
    assert seen.wrong == []


def test_the_last_night_is_taken_back_and_put_back_in_three_clicks(visit, lived):
    seen = visit()
    seen.tab.click("text=Take the whole night back…")
    seen.tab.click("button.danger")
    seen.tab.wait_for_url("**done=*")
    assert seen.told().startswith("You took back")
    assert [m for m in lived.memories() if "Monday" in m.text] == []
    seen.picture("taken-back-desk-light")
    seen.tab.click("text=Put it back >> nth=0")
    seen.until(lambda: [m for m in lived.memories() if "Monday" in m.text])
    seen.until(lambda: seen.told().startswith("You put back"))
    assert seen.wrong == []


def test_a_change_is_opened_and_its_memory_edited_by_keyboard(visit):
    seen = visit()
    seen.press("j", "Enter")
    seen.tab.wait_for_selector("#memory")
    seen.tab.go_back()
    seen.press("j", "e")
    seen.tab.wait_for_selector("#memory textarea")
    seen.until(lambda: seen.tab.evaluate("document.activeElement.name") == "words")


def test_no_picture_is_cut_on_a_phone(visit, lived):
    seen = visit("phone")
    for path in ("/", "/over-time", f"/memory/{lived.memory('9090').id}"):
        seen.go(path)
        wide = "[...document.querySelectorAll('.scroll')].filter(e => e.scrollWidth > e.clientWidth).length"
        assert seen.tab.evaluate(wide) == 0


def test_script_in_the_words_of_a_memory_does_not_run(visit, lived):
    nasty = "<img src=x onerror=document.title='got-in'><script>document.title='got-in'</script> listens on port 6000."
    lived.say(TODAY, Said(f"The relay {nasty}", conversation="three"))
    lived.dream("2026-01-07T20:00:00Z")
    seen = visit()
    for path in ("/", "/memories?q=relay", f"/memory/{lived.memory('relay').id}"):
        seen.go(path)
        assert "got-in" not in seen.tab.title()
        assert seen.tab.locator("main img, main script").count() == 0
    assert seen.wrong == []


def test_another_site_in_the_same_browser_gets_and_changes_nothing(visit, lived, tmp_path):
    seen = visit()
    identity = lived.memory("linter").id
    other = seen.tab.context.new_page()
    evil = tmp_path / "evil.html"
    evil.write_text(f"""<form id=f method=post enctype=text/plain action="{seen.base}/act/pin" target=out>
      <input name='{{"id":"{identity}","x":"' value='"}}'></form><iframe name=out></iframe><img src="{seen.base}/memories">
      <script>fetch("{seen.base}/memories", {{credentials: "include"}}).then(r => r.text()).then(t => document.title = t)
      .catch(() => document.title = "kept out"); document.getElementById("f").submit()</script>""")
    other.goto(evil.as_uri())
    other.wait_for_timeout(500)
    assert other.title() == "kept out"
    assert not lived.memory("linter").pinned
