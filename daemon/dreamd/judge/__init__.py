"""Relations between statements: features of a pair, hard guards, the judge, and groups of one claim. Pure."""

from dreamd.judge.change.assigned import rivals_of
from dreamd.judge.change.disused import disused_in, ends_the_use
from dreamd.judge.conflicts.beside import collateral_guards
from dreamd.judge.features import PairFeatures, Statement, pair_features
from dreamd.judge.groups import group
from dreamd.judge.guards import merge_guards
from dreamd.judge.judging import Explanation, Judge, Pair
from dreamd.judge.leaving import leaves_more
from dreamd.judge.rare_words import rare_partners
from dreamd.judge.slots import Slots, extract_slots
from dreamd.judge.verdicts import judge, needs_score
from dreamd.judge.wording import can_merge, merged_wording, specifics

__all__ = [
    "Explanation",
    "Judge",
    "Pair",
    "PairFeatures",
    "Slots",
    "Statement",
    "can_merge",
    "collateral_guards",
    "disused_in",
    "ends_the_use",
    "extract_slots",
    "group",
    "judge",
    "leaves_more",
    "merge_guards",
    "merged_wording",
    "needs_score",
    "pair_features",
    "rare_partners",
    "rivals_of",
    "specifics",
]
