"""From which probability or similarity the judge gives a verdict: the numbers that were tuned, and nothing else."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """From which probability or similarity a verdict is given, one for each kind of evidence."""

    merge: float = 0.86
    """When only the score tells."""
    contested: float = 0.12
    """A merge that only the score tells of must not look like a conflict with more than this."""
    merge_plain: float = 0.65
    """The same, where nothing in the wording hints at a conflict, neither is to say more, and both speak of one topic."""
    contested_plain: float = 0.27
    """And such a merge must not look like a conflict with more than this."""
    merge_near: float = 0.8
    """The same, where the vectors are not as sure of the topic."""
    merge_far: float = 0.78
    """The same, where they are not sure of it at all, and neither statement is short."""
    contested_far: float = 0.18
    """And such a merge must not look like a conflict with more than this."""
    merge_denied: float = 0.7
    """When one side alone denies something, but nothing that the other says of the same thing."""
    contested_denied: float = 0.2
    """And such a merge must not look like a conflict with more than this."""
    merge_equal: float = 0.5
    """When both use nearly the same words, numbers and denials."""
    contested_equal: float = 0.4
    """And such a merge, or the next but one, must not look like a conflict with more than this."""
    twin: float = 0.8
    """Share of the words of each that the other has, from which the rest is what the two differ in."""
    contested_twin: float = 0.2
    """Such a merge must not look like a conflict with more than this, whatever else allows more."""
    merge_one_word: float = 0.95
    """When one word stands in the place of one other: as likely its opposite as its synonym."""
    merge_covered: float = 0.6
    """When all words of one side stand in the other, too."""
    merge_thin: float = 0.9
    """When one side is to say more, yet leaves out many of the other's words."""
    merge_restated: float = 0.1
    """When the same amounts stand in other units, which the score cannot compute."""
    merge_amounts: float = 0.5
    """The same, whatever the words around them."""
    merge_long: float = 0.55
    """When one says a lot and nothing in the wording hints at a conflict."""
    contested_long: float = 0.4
    """And such a merge must not look like a conflict with more than this."""
    each_more: float = 0.1
    """Nor may both sides look, with more than this, as if they said more than the other."""
    merge_foreign: float = 0.4
    """Between English and another language."""
    merge_heard: float = 0.4
    """The same, where a lexicon could read both and finds no thing that only one speaks of."""
    merge_read: float = 0.8
    """Within one other language, where a lexicon finds no thing that only one speaks of."""
    merge_read_unspaced: float = 0.9
    """The same in a language whose words are not told apart by spaces."""
    contested_read: float = 0.15
    """And such a merge must not look like a conflict with more than this."""
    merge_foreign_richer: float = 0.36
    """Between English and another language, when one side is to say more."""
    merge_no_english: float = 0.6
    """Between two languages of which neither is English."""
    change_marked: float = 0.45
    """A conflict in which exactly one side tells of a change."""
    clash: float = 0.8
    """A conflict between two languages, or in another than English with no amounts: rules see little of it."""
    clash_seen: float = 0.5
    """A conflict whose differing value or denial a rule sees, too."""
    clash_contrary: float = 0.6
    """A conflict of which the wording shows contrary predicates only."""
    clash_demanded: float = 0.7
    """A conflict of which it shows only that one demands, allows or bars what the other does not."""
    least: float = 0.2
    """Below this a conflict is no conflict, however much of the rest a guard rules out."""
    aside: float = 0.52
    """Similarity below which two that share little are no conflict."""
    part: float = 0.3
    """Share of the words of each that the other must have, to share more than little."""
    topic: float = 0.7
    """Similarity from which a score may be taken at its word where nothing speaks against it."""
    near: float = 0.6
    """Similarity from which it may where it is surer."""
    related: float = 0.45
    """Similarity from which two statements are about one topic."""
    strange: float = 0.5
    """Score from which two are about two topics."""
    strange_words: float = 0.3
    """The same, where a lexicon finds no word in common."""
    ask: float = 0.4
    """Similarity under which pairs that share hardly a word are not worth a score."""


LIMITS = Limits()
