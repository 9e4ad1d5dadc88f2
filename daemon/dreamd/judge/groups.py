"""Groups of one claim: complete linkage over judged merges, so that every member stands with every other, never a chain."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

_APART = 1e6


def group(n: int, judged_merges: Mapping[tuple[int, int], float], weights: Sequence[float]) -> list[list[int]]:
    """Partition `0..n-1`: two stand together only if every pair of their group was judged a merge.

    `judged_merges` maps a pair of indices to the confidence of its merge. Each group begins with its representative, the
    member of the highest weight; groups come in the order of their first index.
    """
    groups: list[list[int]] = []
    for part in _connected(n, judged_merges):
        groups.extend(_cluster(part, judged_merges) if len(part) > 2 else [part])
    ordered = [sorted(g, key=lambda i: (-weights[i], i)) for g in groups]
    return sorted(ordered, key=min)


def _connected(n: int, merges: Mapping[tuple[int, int], float]) -> list[list[int]]:
    """Split by reachability first: clustering then only sees the few that can belong together."""
    part_of = [[index] for index in range(n)]
    for i, j in merges:
        if part_of[i] is not part_of[j]:
            part_of[i].extend(part_of[j])
            for index in part_of[j]:
                part_of[index] = part_of[i]
    return [sorted(part) for part in {id(part): part for part in part_of}.values()]


def _cluster(part: list[int], merges: Mapping[tuple[int, int], float]) -> list[list[int]]:
    import numpy as np
    from sklearn.cluster import AgglomerativeClustering

    place = {index: k for k, index in enumerate(part)}
    distance = np.full((len(part), len(part)), _APART)
    np.fill_diagonal(distance, 0.0)
    for (i, j), confidence in merges.items():
        if i in place and j in place:
            distance[place[i], place[j]] = distance[place[j], place[i]] = 1.0 - confidence
    labels = AgglomerativeClustering(
        n_clusters=None, metric="precomputed", linkage="complete", distance_threshold=1.5
    ).fit_predict(distance)
    found: dict[int, list[int]] = defaultdict(list)
    for index, label in zip(part, labels, strict=True):
        found[int(label)].append(index)
    return list(found.values())
