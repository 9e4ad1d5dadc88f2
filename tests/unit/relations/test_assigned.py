"""A value told anew in talk ends the old one: days, dates, amounts, paths, names and tools, and what is only beside them."""

from datetime import UTC, datetime, timedelta

import pytest

from dreamd.core.values import Relation
from dreamd.judge import Statement, judge

DAY = datetime(2026, 4, 7, 9, tzinfo=UTC)
QUIET = (Relation.RELATED, Relation.UNRELATED)


def verdict(a, b):
    """Judge two texts by rules alone; the second is said a month later."""
    return judge(Statement(a, DAY), Statement(b, DAY + timedelta(days=30)), similarity=0.6)


DAYS_MOVED = [
    ("We deploy on Thursdays.", "deploys moved to tuesday mornings, thursdays clashed with the audit"),
    ("The newsletter goes out on Fridays.", "newsletter is on wednesdays now"),
    ("Backups are checked every Monday.", "We check the backups on Fridays from now on."),
    ("Our stand-up is on Tuesdays.", "The stand-up moved to Mondays because of the school run."),
    ("Rollout day is Wednesday.", "we roll out on Mondays now, wednesdays were too crowded"),
    ("Rollouts happen on Wednesdays.", "rollouts are on Mondays now"),
    ("The code freeze starts on Thursday.", "The code freeze was brought forward to Tuesday."),
    ("Invoices are sent on Mondays.", "invoices go out on Thursdays from now on, the bank is quicker then"),
    ("The orchestra rehearses on Tuesday evenings.", "Orchestra rehearsals have moved to Thursday evenings."),
    ("Planning is on Monday afternoons.", "Planning happens on Friday mornings now."),
    ("Market day is Saturday.", "Market day is Sunday now."),
    ("The lab is cleaned on Fridays.", "They clean the lab on Wednesdays now."),
    ("Deliveries come on Tuesdays.", "from next week deliveries come on Fridays"),
    ("Release day is Thursday after lunch.", "releases moved to tuesday mornings"),
]

DAYS_BESIDE = [
    ("We deploy on Thursdays.", "The docs site is deployed on Tuesdays."),
    ("We deploy on Thursdays.", "We deploy to staging on Tuesdays."),
    ("We deploy on Thursdays.", "We plan to deploy on Tuesdays once the tests are quicker."),
    ("We deploy on Thursdays.", "In holiday weeks we deploy on Tuesdays."),
    ("We deploy on Thursdays.", "We deploy on Tuesdays, too."),
    ("We deploy on Thursdays.", "deploys of the docs moved to tuesday mornings"),
    ("The newsletter goes out on Fridays.", "The newsletter draft is reviewed on Wednesdays."),
    ("Maren rehearses on Tuesdays.", "Jonas rehearses on Thursdays now."),
    ("Backups are checked every Monday.", "Backups are made every Friday."),
    ("Our stand-up is on Tuesdays.", "Our retro moved to Mondays."),
    ("Invoices are sent on Mondays.", "Reminders for unpaid invoices go out on Thursdays."),
    ("The orchestra rehearses on Tuesday evenings.", "The youth orchestra rehearses on Thursday evenings."),
    ("The lab is cleaned on Fridays.", "The lab's windows are cleaned on Wednesdays."),
    ("Market day is Saturday.", "The market hall is closed on Sundays."),
    ("The code freeze starts on Thursday.", "The code freeze ends on Tuesday."),
    ("Deliveries come on Tuesdays.", "Deliveries of milk come on Fridays now."),
]

DATES_MOVED = [
    ("The fair is on 9 May.", "the fair moved, they say 23 May because of the hall"),
    ("The manuscript is due on 1 March.", "Deadline for the manuscript is 15 April now."),
    ("The manuscript must be submitted by 30 June.", "We got an extension for the manuscript, it's due 21 July."),
    ("The vernissage takes place on 4 September.", "The vernissage was put off to 11 September."),
    ("The audit starts on 3 June.", "They moved the audit, it starts on 17 June."),
    ("The beta closes on 12 August.", "beta now closes on 26 August"),
    ("Our lease ends on 31 October 2026.", "The lease was extended to 31 March 2027."),
    ("The exam is on 7 July.", "They shifted the exam to 14 July."),
    ("The wedding is on 20 June.", "The wedding had to be moved to 4 July."),
    ("The inspection is on 5 March.", "the inspection got postponed, new date is 19 March"),
    ("The abstract has to be in by 10 January.", "Abstract deadline extended until 24 January."),
    ("The exhibition opens on 9 May.", "the exhibition slipped, it opens on 23 May"),
    ("The school play is on 12 June.", "the school play is on 19 June now, the hall was taken"),
]

DATES_BESIDE = [
    ("The fair is on 9 May.", "The dinner after the fair is on 23 May."),
    ("The fair is on 9 May.", "the fair in Ulm moved, they say 23 May"),
    ("The manuscript is due on 1 March.", "The cover letter is due on 15 April."),
    ("The manuscript is due on 1 March.", "The reviews of the manuscript are due on 15 April."),
    ("The audit starts on 3 June.", "The audit ends on 17 June."),
    ("The exam is on 7 July.", "The resit of the exam is on 14 September."),
    ("The exam is on 7 July.", "If the exam has to be repeated, it will be on 14 September."),
    ("Our lease ends on 31 October 2026.", "The lease of the garage ends on 31 March 2027."),
    ("The vernissage takes place on 4 September.", "The catalogue for the vernissage is printed on 11 September."),
    ("The inspection is on 5 March.", "Last year's inspection was on 19 March."),
    ("The wedding is on 20 June.", "The rehearsal for the wedding is on 4 July."),
    ("Version 2 ships on 12 August.", "Version 3 ships on 26 August."),
    ("The course in Ulm begins on 4 May.", "The course in Bern begins on 18 May."),
    ("The beta closes on 12 August.", "Applications for the beta close on 26 July."),
]

AMOUNTS_MOVED = [
    ("Annealing at 58 degrees.", "the annealing temperature is 54 with the new primers, 58 gave only dimers"),
    ("The annealing temperature is 58.", "annealing temperature is 54 now"),
    ("We have 4100 in total for the trip.", "my aunt gave us 300 on top, so we have 4400 in total for the trip"),
    ("The budget for the trip is 4100.", "the budget for the trip is 4400 now, my aunt gave us 300 on top"),
    ("The metadata database listens on 5544.", "metadata database moved too, it's on 6543 now"),
    ("Messages stay in the queue for 3 days.", "messages stay in the queue for 7 days now"),
    ("The pdf cache is 200 MB.", "raised the pdf cache to 350 MB"),
    ("The rate limit is 100 requests a minute.", "bump the rate limit to 250 requests a minute"),
    ("The oven runs at 230 degrees.", "The oven runs at 250 degrees with the new stone, 230 left the crust pale."),
    ("The batch size is 32.", "we use a batch size of 64 now, the card has room"),
    ("The learning rate is 0.001.", "learning rate is down to 0.0003, the loss kept jumping"),
    ("The greenhouse is kept at 18 degrees.", "keep the greenhouse at 21 degrees now, the seedlings sulked"),
    ("The replica runs on port 5544.", "replica is behind a pooler now, port 6543"),
    ("The studio costs 45 euros an hour.", "The studio went up to 52 euros an hour."),
]

AMOUNTS_BESIDE = [
    ("The annealing temperature is 58.", "The extension temperature is 72."),
    ("The annealing temperature for primer set A is 58.", "The annealing temperature for primer set B is 54."),
    ("Annealing at 58 degrees.", "Annealing takes 30 seconds."),
    ("The staging database listens on 5544.", "The metadata database listens on 6543."),
    ("The budget for the trip is 4100.", "The budget for the food is 900."),
    ("The budget for the trip is 4100.", "We spent 3200 of the budget for the trip."),
    ("The pdf cache is 200 MB.", "The image cache is 350 MB."),
    ("The rate limit is 100 requests a minute.", "The rate limit for partners is 250 requests a minute."),
    ("The batch size is 32.", "A batch size of 64 does not fit on the small card."),
    ("The batch size is 32.", "With two cards the batch size is 64."),
    ("The oven runs at 230 degrees.", "The oven once ran at 250 degrees and burnt the loaves."),
    ("The learning rate is 0.001.", "The learning rate of the decoder is 0.0003."),
    ("The greenhouse is kept at 18 degrees.", "Keep the greenhouse at 21 degrees while seedlings are in it."),
    ("Each team gets 12 slots.", "Each team gets 2 coaches."),
    ("The pdf cache is 200 MB.", "We want to raise the pdf cache to 350 MB."),
]

PATHS_MOVED = [
    ("Results are written to /data/runs.", "results go to /scratch/runs now"),
    ("The results path is /data/out.", "We moved the results to /mnt/big/out, the disk was full."),
    ("Logs are in /var/log/tally.", "The logs are under /srv/tally/log now."),
    ("The config lives in ~/.tally/config.toml.", "The config moved to ~/.config/tally.toml."),
    ("Exports go to s3://tally-exports.", "exports go to s3://tally-archive from now on"),
    ("The dataset is at /data/v1/train.csv.", "The dataset is now at /data/v2/train.csv."),
    ("The scratch folder is /tmp/work.", "use /scratch/work as the scratch folder now"),
    ("Models are saved in models/.", "Save models in artifacts/models from now on."),
    ("The socket is at /run/tally.sock.", "The socket moved to /run/user/tally.sock."),
    ("Backups land in /backup/daily.", "Backups land in /vault/daily now, /backup is full."),
]

PATHS_BESIDE = [
    ("Results are written to /data/runs.", "Logs of the runs are written to /scratch/logs."),
    ("Results are written to /data/runs.", "Plots of the results are written to /scratch/plots."),
    ("Results are written to /data/runs.", "On the cluster results are written to /scratch/runs."),
    ("Logs are in /var/log/tally.", "Logs of the importer are in /srv/tally/log now."),
    ("The config lives in ~/.tally/config.toml.", "The config of the tests lives in tests/config.toml."),
    ("Exports go to s3://tally-exports.", "Exports are also copied to s3://tally-archive."),
    ("The dataset is at /data/v1/train.csv.", "The test set is at /data/v2/test.csv."),
    ("Backups land in /backup/daily.", "Weekly backups land in /backup/weekly."),
    ("Models are saved in models/.", "Models are loaded from cache/ now."),
    ("Results are written to /data/runs.", "Results of the nightly run are written to /data/nightly now."),
]

NAMED_MOVED = [
    ("The target journal is Limnology.", "Limnology rejected us, the target journal is Hydrobiologia now."),
    ("Our target journal is Freshwater Biology.", "target journal is now Hydrobiologia"),
    ("Ask Olga for design questions.", "For design questions ask Pavel now, Olga is on leave."),
    ("Write to Olga about the posters.", "write to Pavel about the posters now"),
    ("Ines is in charge of the catering.", "Tom took over the catering."),
    ("The venue is the Kranhalle.", "The venue changed, it's the Muffatwerk now."),
    ("Our payment provider is Adyen.", "The payment provider is Mollie since May."),
    ("Our contact at the bank is Mrs Holm.", "our contact at the bank is Mr Falk now"),
    ("Hosting is with Hetzner.", "Hosting moved to Scaleway."),
    ("The accent colour is green.", "the accent colour is orange now, nobody could read the green"),
    ("Questions about dunning go to Omar.", "Questions about dunning go to Lena from now on."),
    ("The first author is Karin.", "First author is Ravi now."),
    ("The conference is in Ghent.", "The conference was moved to Leuven."),
    ("Olga does the posters.", "Pavel does the posters now."),
]

NAMED_BESIDE = [
    ("The target journal is Limnology.", "The target journal of the second paper is Hydrobiologia."),
    ("Ask Olga for design questions.", "Ask Pavel for legal questions now."),
    ("Ask Olga for design questions.", "Ask Pavel for design questions while Olga is away."),
    ("Ines is in charge of the catering.", "Tom helps with the catering now."),
    ("Ines is in charge of the catering.", "Tom is in charge of the music now."),
    ("The venue is the Kranhalle.", "The venue of the after-party is the Muffatwerk."),
    ("Our payment provider is Adyen.", "We are looking at Mollie as a payment provider."),
    ("Our contact at the bank is Mrs Holm.", "Our contact at the insurance is Mr Falk."),
    ("Hosting is with Hetzner.", "Hosting of the backups is with Scaleway."),
    ("The accent colour is green.", "The background colour is orange now."),
    ("Questions about dunning go to Omar.", "Questions about refunds go to Lena from now on."),
    ("The conference is in Ghent.", "Last year's conference was in Leuven."),
    ("Olga does the posters.", "Pavel does the flyers now."),
]

TOOLS_MOVED = [
    ("We use Webpack.", "we switched to Vite"),
    ("We use Webpack for the bundles.", "We switched to Vite."),
    ("The package manager is npm.", "we moved to pnpm"),
    ("We chat on Slack.", "the team moved to Mattermost"),
    ("CI runs on Travis.", "CI moved to GitHub Actions."),
    ("Tests run with Jest.", "we're on vitest now"),
    ("Our tracker is Jira.", "we switched to Linear"),
    ("We use Black.", "we format with ruff now"),
    ("We use MySQL.", "we migrated to Postgres"),
    ("Our code is hosted on GitHub.", "we moved to Codeberg"),
    ("The API is written in Express.", "the API is on Fastify now"),
    ("We deploy to Heroku.", "we went over to Fly.io"),
]

TOOLS_BESIDE = [
    ("We use Webpack.", "we switched to Postgres"),
    ("We use Webpack.", "The docs switched to Vite."),
    ("We use Jest.", "we may switch to Vitest"),
    ("We use Jest.", "we use Cypress for the browser tests now"),
    ("Our tracker is Jira.", "The support team switched to Linear."),
    ("We use MySQL.", "The analytics moved to Postgres."),
    ("We use Slack.", "We switched to dark mode in Slack."),
    ("We use npm.", "the old project switched to pnpm"),
    ("We use Webpack.", "If builds stay slow we switch to Vite."),
    ("Tests run with Jest.", "Some tests run with Vitest now."),
    ("We use Webpack.", "Our competitor switched to Vite."),
    ("We deploy to Heroku.", "we switched to Postgres on Heroku"),
]


@pytest.mark.parametrize(("old", "new"), [*DAYS_MOVED, *DATES_MOVED, *AMOUNTS_MOVED, *PATHS_MOVED, *NAMED_MOVED, *TOOLS_MOVED])
def test_a_value_told_anew_ends_the_old_one(old, new):
    found = verdict(old, new)
    assert (found.relation, found.newer) == (Relation.UPDATES, "b")


@pytest.mark.parametrize(
    ("one", "other"), [*DAYS_BESIDE, *DATES_BESIDE, *AMOUNTS_BESIDE, *PATHS_BESIDE, *NAMED_BESIDE, *TOOLS_BESIDE]
)
def test_a_value_of_another_thing_plan_place_or_case_ends_nothing(one, other):
    assert verdict(one, other).relation in QUIET


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The relay needs 1.5 watts.", "The relay is back on port 4000."),
        ("We deploy on Fridays.", "Deploys were moved from Tuesday to Thursday."),
        ("We sell 1,500 tickets for Saturday.", "We sell 1,000 tickets for Friday now instead of 1,200."),
        ("The report is written in English, the mails in German.", "A tracker collects the exceptions now, the mails are off."),
        ("The Go version is 1.21.", "From app version 7.3 on, drivers may work offline for 72 hours."),
        ("Row 17 is planted.", "Row 18 is planted now."),
        ("The stage manager orders lamps.", "The stage manager orders cables."),
        ("Our backups go to the tape.", "Their backups go to the disk now."),
    ],
)
def test_values_of_two_kinds_or_of_another_former_value_are_no_change(one, other):
    assert verdict(one, other).relation in QUIET
