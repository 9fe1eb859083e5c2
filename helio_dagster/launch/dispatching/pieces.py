"""Cut a run into the runs that workers do: pieces of the range, and then what is made of the whole range."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from helio_dagster.assets.graph import AssetGraph, AssetNode
from helio_dagster.launch.running.request import RunRequest


@dataclass(frozen=True)
class Piece:
    """One run: which assets, over which partitions."""

    names: tuple[str, ...]
    keys: tuple[str, ...]


@dataclass(frozen=True)
class Cut:
    """The pieces of a run, which may be done in any order, and what is made when all of them are done."""

    pieces: Sequence[Piece]
    whole: Piece | None = None


def cut(request: RunRequest, keys: Sequence[str], most: int) -> Cut:
    """Cut a run so that no piece has more partitions than `most`; what is made of the whole range is never cut.

    Parameters
    ----------
    request
        What to run.
    keys
        Its partitions that are run, in order of time.
    most
        How many partitions a piece has at most.
    """
    names = tuple(request.targets)
    if len(keys) <= most:
        return Cut([Piece(names, tuple(keys))])
    whole = _of_whole_range({name: request.graph[name] for name in names})
    parted = tuple(name for name in names if name not in whole)
    count = -(-len(keys) // most)
    ends = [len(keys) * number // count for number in range(count + 1)]
    pieces = [Piece(parted, tuple(keys[start:stop])) for start, stop in itertools.pairwise(ends)]
    final = tuple(name for name in names if name in whole)
    return Cut(pieces if parted else [], Piece(final, tuple(keys)) if final else None)


def in_turn(names: Sequence[str], graph: AssetGraph, number: int) -> list[str]:
    """The assets of a piece in the order in which its steps begin: of several archives, each piece begins with another one.

    So one run waits for one archive while the next one waits for another. Each archive is asked so many things at a time by all
    of them together.

    Parameters
    ----------
    names
        The assets.
    graph
        All assets of the home.
    number
        Which piece it is.
    """
    fetched = {name: node.fetch.archive for name in names if (node := graph[name]).fetch is not None}
    archives = list(dict.fromkeys(fetched.values()))
    place = {archive: (place - number) % len(archives) for place, archive in enumerate(archives)}
    return sorted(names, key=lambda name: place[fetched[name]] if name in fetched else len(archives))


def _of_whole_range(nodes: Mapping[str, AssetNode]) -> set[str]:
    """The assets that have one result for the range, and those that read one."""
    found = {name for name, node in nodes.items() if (node.over == "range" if node.events else node.is_over_range)}
    while True:
        more = {name for name, node in nodes.items() if found & set(node.inputs.values())} - found
        if not more:
            return found
        found |= more
