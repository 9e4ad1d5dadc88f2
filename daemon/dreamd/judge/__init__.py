"""Two statements in, one relation with its evidence out: a fitted judge, groups of one claim, and what a merge keeps."""

from dreamd.judge.candidates import have_other_values, share_half, worth_judging
from dreamd.judge.groups import group
from dreamd.judge.judging import Explanation, Judge, Pair
from dreamd.judge.out_of_use import disused_in, ends_the_use
from dreamd.judge.statement import Statement
from dreamd.judge.wording import leaves_more, merged_wording

__all__ = ["Explanation", "Judge", "Pair", "Statement", "disused_in", "ends_the_use", "group", "have_other_values",
           "leaves_more", "merged_wording", "share_half", "worth_judging"]
