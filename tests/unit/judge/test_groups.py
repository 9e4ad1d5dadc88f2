"""Groups of statements that say the same are compared with each other, never by chains."""

from dreamd.judge.groups import group


def test_a_chain_is_no_group():
    assert group(3, {(0, 1): 0.9, (1, 2): 0.9}, [1, 1, 1]) in ([[0, 1], [2]], [[0], [1, 2]])


def test_a_group_begins_with_its_heaviest_member():
    assert group(4, {(0, 1): 0.9, (1, 2): 0.9, (0, 2): 0.8}, [1, 1, 5, 1]) == [[2, 0, 1], [3]]


def test_the_surer_merge_wins_when_only_one_is_possible():
    assert group(3, {(0, 1): 0.7, (1, 2): 0.95}, [1, 1, 1]) == [[0], [1, 2]]
