"""One page a week, if wanted: what was learned, changed and decided, and what waits."""

from __future__ import annotations

from datetime import date

from dreamd.core.values import Origin
from dreamd.dream import verbs
from dreamd.report.week_page import forget, tell_week, write_week
from household import Said

MONDAY = date(2026, 5, 4)
TUESDAY, WEDNESDAY, NEXT = "2026-05-05T09:00:00Z", "2026-05-06T09:00:00Z", "2026-05-12T03:00:00Z"
GATEWAY, KILN = "The cedar gateway answers on port 9400.", "The [kiln](x) of cedar stands in Husum."
DOUBT = "The page says that cedar pays by invoice."


def test_the_page_tells_what_a_week_brought_and_what_waits(house):
    house.say(TUESDAY, GATEWAY, KILN, Said(DOUBT, origin=Origin.WEB))
    house.dream(TUESDAY)
    with house.kit(WEDNESDAY) as kit:
        verbs.pin(kit, house.memory("page says").id)
    house.say(NEXT, "The cedar office closes at five.")
    house.dream(NEXT)
    with house.kit(NEXT) as kit:
        page = tell_week(kit, MONDAY)
        assert tell_week(kit, date(2026, 4, 27)) == ""
    assert "# Dream's week 2026-W19, 2026-05-04 to 2026-05-10" in page and "## Learned (2)" in page
    assert GATEWAY in page and "\\[kiln\\](x)" in page and "office" not in page
    assert "## Decided (1)" in page and "you pinned it" in page and "Waiting" not in page


def test_it_is_written_once_and_goes_with_what_is_forgotten(house):
    house.say(TUESDAY, GATEWAY, KILN)
    house.dream(TUESDAY)
    write_week(house.world(NEXT))
    page, = (house.home / "weeks").iterdir()
    assert page.name == "2026-W19.md" and GATEWAY in page.read_text()
    before = page.stat().st_mtime_ns
    write_week(house.world(NEXT))
    assert page.stat().st_mtime_ns == before
    forget(house.paths, [KILN])
    assert not page.exists()
