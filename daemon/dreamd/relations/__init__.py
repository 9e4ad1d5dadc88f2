"""Relations between statements: features of a pair, hard guards, the judge, and groups of one claim. Pure."""

from dreamd.relations.assigned import rivals_of
from dreamd.relations.beside import collateral_guards
from dreamd.relations.features import PairFeatures, Statement, pair_features
from dreamd.relations.groups import group
from dreamd.relations.guards import merge_guards
from dreamd.relations.leaving import leaves_more
from dreamd.relations.slots import Slots, extract_slots
from dreamd.relations.verdicts import judge, needs_score
from dreamd.relations.wording import can_merge, merged_wording, specifics

__all__ = [
    "PairFeatures",
    "Slots",
    "Statement",
    "can_merge",
    "collateral_guards",
    "extract_slots",
    "group",
    "judge",
    "leaves_more",
    "merge_guards",
    "merged_wording",
    "needs_score",
    "pair_features",
    "rivals_of",
    "specifics",
]
