"""One claim in two dresses, and other claims in the same dress."""

from __future__ import annotations

import pytest

from dreamd.core.values import MERGING, PairScore
from dreamd.judge import Statement, judge

SURE_MERGE = PairScore(0.98, 0.01, 0.01, 0, 0, 0, 0, 0)

SAME = {
    "a now": ("Ida lives in Oldenau.", "Ida lives in Oldenau now."),
    "an again": ("The test port of maple is 7070.", "The test port of maple is 7070 again."),
    "from now on": ("Always squash topic branches.", "From now on always squash topic branches."),
    "both ends": ("The planner depends on the map store.", "The map store is a dependency of the planner."),
    "both ends, a boss": ("Vera reports to Hugo.", "Hugo is Vera's manager."),
    "both ends, compared": ("The pine costs less than the oak.", "The oak is more expensive than the pine."),
    "both ends, passed on": ("The router sends alarms to the pager.", "The pager receives alarms from the router."),
    "an opposite denied": ("The reader must not reject empty lines.", "The reader has to accept empty lines."),
    "denied twice": ("No parcel may leave the depot unsealed.", "Every parcel has to be sealed before it leaves the depot."),
    "without and with": ("No patch lands without a test.", "A patch lands together with a test."),
    "unless and only when": ("A form is not valid unless its stamp is red.", "Only when its stamp is red is a form valid."),
    "seconds and minutes": ("The lease time is 90 s.", "The lease time is 1.5 minutes."),
    "days and weeks": ("Drafts are kept for 21 days.", "Drafts stay for three weeks."),
    "hertz and milliseconds": ("The arm's loop runs at 200 Hz.", "The arm's loop runs every 5 ms."),
    "hectares": ("Plots under 2 ha are skipped.", "Plots under 20,000 m² are skipped."),
    "hundreds in words": ("A clerk may own at most 350 files.", "A clerk may own at most three hundred and fifty files."),
    "and a half": ("A shift lasts two and a half hours.", "A shift lasts 150 minutes."),
    "fractions": ("The bell rings at 60 % of the load.", "The bell rings at three fifths of the load."),
    "Chinese numbers": ("门票在二十五分钟后失效。", "门票在 25 分钟后失效。"),
    "a list": ("The jury: Ann, Bo, Cem.", "The jury: Cem, Ann and Bo."),
    "manners": ("heads up: calls with the bank get recorded", "Please be advised that calls with the bank are recorded."),
    "shouting": ("pls no force-push on shared branches!!", "No force-push on shared branches."),
    "short forms": ("The db pwd is in the vault.", "The database password is in the vault."),
}


@pytest.mark.parametrize("kind", SAME)
def test_rules_see_through_the_dress(kind):
    a, b = SAME[kind]
    assert judge(Statement(a), Statement(b), similarity=0.8).relation in MERGING


RICHER = {
    "a command": ("Check the links before a release.", "Check the links before a release: `linkcheck --all docs/`."),
    "an aside": ("Fares are rounded per trip.", "Fares are rounded per trip and not on the bill."),
    "another aside": ("Errata go under the article.", "Errata go under the article, never into the title."),
    "how much": ("Trainees get a yearly grant for books.", "Trainees get a yearly grant of 120 euros for books."),
    "by whom": ("The lock is opened at six.", "The lock is opened at six by the porter."),
    "when": ("The digest goes to the council.", "The digest goes to the council every Friday."),
    "why, in Spanish": ("Los envíos salen sin sello.", "Los envíos salen sin sello, porque se imprime en casa."),
    "why, in Chinese": ("录音保留二十天。", "录音保留二十天，因为审计需要。"),
}


@pytest.mark.parametrize("kind", RICHER)
def test_what_is_added_makes_the_richer_wording_the_one_to_keep(kind):
    poorer, richer = RICHER[kind]
    found = judge(Statement(poorer), Statement(richer), similarity=0.8)
    assert found.relation in MERGING and found.richer == "b"


OTHER = {
    "where and from where": ("Merge develop into main.", "Merge main into develop."),
    "before what": ("Install the driver before the app.", "Install the app before the driver."),
    "who pays": ("Guests pay us in advance.", "We pay guests in advance."),
    "who trusts": ("Users trust our shop.", "Our shop trusts users."),
    "each has one": ("Every editor has a writer.", "Every writer has an editor."),
    "if what": ("If the lamp is off the door is locked.", "If the door is locked the lamp is off."),
    "paired otherwise": ("Dev uses Bazel and prod uses Make.", "Dev uses Make and prod uses Bazel."),
    "paired otherwise, by a colon": ("Mon 9 Anna, Tue 9 Ben.", "Mon 9 Ben, Tue 9 Anna."),
    "from and to": ("Mails from pupils are archived.", "Mails to pupils are archived."),
    "under and with": ("Trainees work under Anna.", "Trainees work with Anna."),
    "must and may": ("You must sign the form.", "You may sign the form."),
    "must and can": ("You must sort by name.", "You can sort by name."),
    "should and might": ("The checks should pass offline.", "The checks might pass offline."),
    "will and did": ("The job will run at night.", "The job did run at night."),
    "few and a few": ("Few pupils walk.", "A few pupils walk."),
    "almost": ("Almost all masts are wired.", "All masts are wired."),
    "and and or": ("Send it to Anna and Ben.", "Send it to Anna or Ben."),
    "both and either": ("It rings if both doors are open.", "It rings if either door is open."),
    "if and unless": ("It rings if the door is open.", "It rings unless the door is open."),
    "a want": ("Tenants want a bike shed.", "Tenants have a bike shed."),
    "a plan": ("We plan to encrypt the tapes.", "We encrypt the tapes."),
    "a part": ("The owner of the bakery hates noise.", "The bakery hates noise."),
    "somebody's somebody": ("Reports go to Eva.", "Reports go to Eva's manager."),
    "more and less": ("Increase the pause when the disk is slow.", "Slow disks call for a shorter pause."),
    "one third": ("Two thirds of the seats are sold.", "One third of the seats is sold."),
    "one of four": ("Three out of four pumps leak.", "One out of four pumps leaks."),
    "shut and open": ("Keep the hatch shut at sea.", "Leave the hatch open at sea."),
    "with and without": ("Carts with a lamp are checked.", "Carts without a lamp are not checked."),
    "exchanged ends": ("The planner depends on the store.", "The planner is a dependency of the store."),
    "exchanged boss": ("Vera reports to Hugo.", "Vera is Hugo's manager."),
    "another cause": ("The leak comes from the font store.", "The leak comes from open cursors."),
    "binary units": ("The disk has 2 TiB.", "The disk has 2000 GB."),
    "German": ("Frau Mai genehmigt die Reisen.", "Herr Mai genehmigt die Einkäufe."),
    "Spanish": ("Nunca muevas un cuadro sin guantes.", "Nunca muevas un busto sin guantes."),
    "French": ("La note est envoyée au client.", "La note est envoyée au fournisseur."),
    "Portuguese": ("O cofre fica na sala azul.", "O cofre fica na sala verde."),
    "Italian": ("Giulia approva le spese.", "La direttrice approva i contratti."),
    "Dutch": ("Sanne keurt de facturen goed.", "Joost keurt de contracten goed."),
    "Turkish": ("Ayşe depodan sorumlu.", "Mehmet siparişlerden sorumlu."),
    "Chinese": ("北京的店周日关门。", "成都的店周日关门。"),
    "Japanese": ("田中さんが経理を担当する。", "佐藤さんが採用を担当する。"),
    "Korean": ("유진이 결제를 담당한다.", "유진이 채용을 담당한다."),
    "French and Chinese": ("Les copies sont gardées 30 jours.", "日志保留 30 天。"),
    "Turkish and English": ("Anahtar resepsiyonda, bu çok önemli.", "The key is at the reception."),
}


@pytest.mark.parametrize("kind", OTHER)
def test_no_score_merges_another_claim_of_like_words(kind):
    a, b = OTHER[kind]
    assert judge(Statement(a), Statement(b), similarity=0.9, score=SURE_MERGE).relation not in MERGING
    assert judge(Statement(b), Statement(a), similarity=0.9, score=SURE_MERGE).relation not in MERGING

NARROWER = {
    "demand and thing": ("No test without a review.", "Every review has a test."),
    "another limit": ("Managers approve trips.", "Managers approve trips under 400 euros."),
    "for some": ("Meals are free.", "Meals are free for trainees."),
    "of every, a part": ("Tests run on every push.", "Tests run on every push to main."),
    "an exception": ("Ship on Fridays.", "Ship on Fridays, but not in July."),
    "a case": ("Stop the belt.", "Stop the belt if the lamp is red."),
    "only": ("Guests may park.", "Guests may park only at weekends."),
}


@pytest.mark.parametrize("kind", NARROWER)
def test_rules_alone_never_take_a_narrower_claim_for_a_richer_one(kind):
    a, b = NARROWER[kind]
    assert judge(Statement(a), Statement(b), similarity=0.9).relation not in MERGING


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("Because the inn bills per bed, idle guests leave.", "Idle guests leave because the inn bills per bed."),
        ("To see the log, open the console as auditor.", "Open the console as auditor to see the log."),
        ("Screens in the control room are rebooted on Sundays.", "On Sundays the control room's screens are rebooted."),
        ("The parser feeds the planner.", "The planner is fed by the parser."),
        ("Prices of the mill are rounded.", "The mill's prices are rounded."),
    ],
)
def test_moved_phrases_are_no_other_roles(text, same):
    assert judge(Statement(text), Statement(same), similarity=0.9, score=SURE_MERGE).relation in MERGING
