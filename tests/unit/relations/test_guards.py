"""What must never merge, and what no guard may stand against."""

import pytest

from dreamd.judge import Statement, can_merge, extract_slots, merge_guards, merged_wording, pair_features

APART = {
    "number": ("The service listens on port 8080.", "The service listens on port 8081."),
    "unit": ("Uploads time out after 30 seconds.", "Uploads time out after 30 minutes."),
    "version": ("The client needs schema 2.6.0.", "The client needs schema 2.6.1."),
    "date": ("The permit ends on 2026-04-17.", "The permit ends on 2026-04-27."),
    "identifier": ("Ticket PAY-311 is about rounding.", "Ticket PAY-131 is about rounding."),
    "path": ("Settings are in conf/web.toml.", "Settings are in conf/worker.toml."),
    "name": ("Payments go through Stripe.", "Payments go through Adyen."),
    "quoted name": ('The icon for "barrel" is teal.', 'The icon for "basket" is teal.'),
    "polarity": ("Log request bodies.", "Do not log request bodies."),
    "always and never": ("Always squash feature branches.", "Never squash feature branches."),
    "quantifier": ("All samples are frozen.", "Some samples are frozen."),
    "environment": ("On staging mails go to a catch-all box.", "In production mails go to a catch-all box."),
    "platform": ("On Windows the cache is in the profile.", "On Linux the cache is in the profile."),
    "condition": ("Deploy on Tuesday.", "Deploy on Tuesday if the tests pass."),
    "roles": ("The scheduler wakes the worker.", "The worker wakes the scheduler."),
    "passive roles": ("The essays are graded by the teacher.", "The teacher is graded by the essays."),
    "order": ("Lint before testing.", "Lint after testing."),
    "narrowed subject": ("Payment webhooks are retried.", "Webhooks are retried."),
    "other subject": ("News clips stay online for a year.", "Sports clips stay online for a year."),
    "weekday": ("The newsletter goes out on Monday.", "The newsletter goes out on Thursday."),
    "change": ("Builds run on Jenkins.", "Builds no longer run on Jenkins."),
    "address": ("Subnet 10.64.12.0/24 is for workers.", "Subnet 10.64.21.0/24 is for workers."),
    "opposite": ("The valve opens at night.", "The valve closes at night."),
    "number in Chinese": ("备份保留三十天。", "Backups are kept for 60 days."),
}


@pytest.mark.parametrize("kind", APART)
def test_a_guard_keeps_apart(kind):
    a, b = APART[kind]
    allowed, why = can_merge(a, b)
    assert not allowed and why
    assert not can_merge(b, a)[0]
    assert merged_wording(a, b) is None


TOGETHER = [
    ("The build server has 16 cores.", "The build machine comes with sixteen cores."),
    ("Tests are run after the linter.", "The linter runs before the tests."),
    ("The planner is fed by the parser.", "The parser feeds the planner."),
    ("Session timeout: 1.5 h.", "A session ends after 90 minutes."),
    ("Do not edit api/gen.", "Never edit api/gen."),
    ("Cards are accepted from 10 euros.", "The shop takes cards from 10 EUR."),
    ("Colours: red, green, blue.", "Colours: blue, red, green."),
    ("Please keep the diff small.", "Keep the diff small."),
    ("Backups are kept for 35 days.", "Sicherungen werden 35 Tage aufbewahrt."),
    ("No commit unless the tests were run.", "Always run the tests before you commit."),
    ("Use `uv` for installs.", "Use uv for installs."),
    ("The lift is closed.", "The lift is closed because a rope broke."),
]


@pytest.mark.parametrize(("a", "b"), TOGETHER)
def test_no_guard_stands_against_the_same_claim(a, b):
    assert can_merge(a, b) == (True, "")
    assert can_merge(b, a) == (True, "")


@pytest.mark.parametrize(
    ("poorer", "richer"),
    [
        ("Exports run at 05:10.", "Exports run at 05:10 on host otter-w2."),
        ("Rotate the keys.", "Rotate the keys with `keyctl rotate`."),
        ("The lift is closed.", "The lift is closed until 3 June."),
        ("The tank is cleaned.", "The tank is cleaned by Nora because the tester found lime."),
    ],
)
def test_the_kept_wording_is_the_one_that_says_everything(poorer, richer):
    assert merged_wording(poorer, richer) == richer
    assert merged_wording(richer, poorer) == richer


def test_a_mask_is_not_lost_in_a_merge():
    assert (
        merged_wording("The printer needs its password.", "The printer needs its password [masked: password].")
        == "The printer needs its password [masked: password]."
    )


def test_two_details_on_two_sides_stay_apart():
    assert merged_wording("Exports run on otter-w2.", "Exports run at 05:10.") is None


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("访客可以停车。", "访客不得停车。"),
        ("The gate may be opened by guests.", "The gate is locked for guests."),
        ("방문객은 주차할 수 있다.", "방문객은 주차할 수 없다."),
        ("Harbour bells are tested.", "Chapel bells are tested."),
    ],
)
def test_short_twins_are_kept_apart(a, b):
    assert not can_merge(a, b)[0]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The library sends notices by letter.", "La bibliothèque n'envoie plus de lettres, elle passe par courriel."),
        ("Le club accepte les chiens.", "Le club n'accepte plus de chiens."),
        ("Le club prend des enfants.", "Le club ne prend plus d'enfants."),
    ],
)
def test_a_french_no_longer_keeps_two_apart(old, new):
    assert any("change" in why for why in merge_guards(pair_features(Statement(old), Statement(new), 0.5)))


def test_two_sole_causes_keep_two_apart():
    told = "The sour must was solely due to the cracked lid.", "Wrong rinsing, and nothing else, made the must sour."
    assert any("cause" in why for why in merge_guards(pair_features(*map(Statement, told), 0.7)))
    again = "The cracked lid alone made the must go sour."
    assert not any("cause" in why for why in merge_guards(pair_features(Statement(told[0]), Statement(again), 0.7)))


def test_a_french_bound_tells_of_no_change():
    assert not extract_slots("Le club n'accepte pas plus de 20 membres.").changes
