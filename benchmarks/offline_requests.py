"""How many of a hundred requests the offline planner gets right: `python -m benchmarks.offline_requests`.

The requests (`tests/requests/offline_requests.yaml`) were written, and the first score was taken, before the planner was
worked on: a planner over nineteen datasets, averages and running means had 33 right, asked at 67, and had none wrong.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Mapping

from benchmarks.tables import print_table
from helio_dagster.agent.answers import Answer
from helio_dagster.agent.offline.offline_planner import OfflinePlanner
from helio_dagster.agent.planner import Situation
from tests.requests.judging import Judged, judge_all, read_requests
from tests.unit.agent.knowledge import shipped_knowledge
from tests.unit.agent.stand_in import StandInSide


def main() -> None:
    """Print the score by kind, and each request that is not right."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.parse_args()
    judged = judge_all(read_requests(), ask)
    kinds = list(dict.fromkeys(each.expected for each in judged))
    rows = [[kind, *_counted([each for each in judged if each.expected == kind])] for kind in kinds]
    print_table("Requests", ["expected", "number", "right", "asks instead", "wrong"], [*rows, ["all", *_counted(judged)]])
    for each in judged:
        if each.verdict != "right":
            given = f" (given {each.given!r})" if each.given else ""
            print(f"{each.verdict:5}  {each.request!r}{given}: {each.why}")


def ask(situation: Situation, saved: Mapping[str, str]) -> Answer:
    """What the planner answers."""
    return OfflinePlanner(shipped_knowledge(), side=StandInSide(saved=saved) if saved else None).answer(situation)


def _counted(judged: list[Judged]) -> list[str]:
    counts = Counter(each.verdict for each in judged)
    return [str(len(judged)), *(str(counts[verdict]) for verdict in ("right", "asks", "wrong"))]


if __name__ == "__main__":
    main()
