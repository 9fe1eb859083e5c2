"""Hand the product what strangers could have written: `python -m tests.fuzz [TARGET …] --cases N --seed S`.

A case that misbehaved is repeated with `--first NUMBER --cases 1` and the same seed.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from tests.fuzz.runner import Tally, run_target

FRAME = {"case_process", "hostile_server", "memory", "misbehaving", "runner", "target"}
HEADINGS = ("target", "cases", "defects", "worst s (case)", "worst MiB (case)", "verdicts")
SHOWN_DEFECTS = 10


def target_names() -> list[str]:
    """The targets of this folder."""
    stems = (path.stem for path in Path(__file__).parent.glob("[a-z]*.py"))
    return sorted(stem for stem in stems if stem not in FRAME and not stem.startswith("test_"))


def main() -> int:
    """Run the targets, print a table, return 1 when anything misbehaved."""
    names = target_names()
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__.splitlines()[0])
    parser.add_argument(
        "targets", nargs="*", metavar="TARGET", help=f"one or more of {', '.join(names)}; all where none is given"
    )
    parser.add_argument("--cases", type=int, default=500)
    parser.add_argument("--seed", type=int, default=int(time.time()) // 86400, help="the day's number where none is given")
    parser.add_argument("--first", type=int, default=0)
    given = parser.parse_args()
    unknown = set(given.targets) - set(names)
    if unknown:
        parser.error(f"no target is called {', '.join(sorted(unknown))}")
    tallies = [run_target(name, seed=given.seed, cases=given.cases, first=given.first) for name in given.targets or names]
    _print(tallies, given.seed)
    return 1 if any(tally.defects for tally in tallies) else 0


def _print(tallies: list[Tally], seed: int) -> None:
    out = sys.stdout
    out.write(f"seed {seed}\n\n{_row(HEADINGS)}{_row(['---'] * len(HEADINGS))}")
    for tally in tallies:
        verdicts = ", ".join(f"{word} {count}" for word, count in tally.verdicts.most_common())
        (seconds, slow), (mib, large) = tally.worst_s, tally.worst_mib
        worst = (f"{seconds:.1f} ({slow})", f"{mib:.0f} ({large})")
        out.write(_row([tally.target.name, str(tally.cases), str(len(tally.defects)), *worst, verdicts]))
    for tally in tallies:
        for number, defect in tally.defects[:SHOWN_DEFECTS]:
            out.write(f"\n{tally.target.name}, case {number}: {defect.strip()}\n")


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |\n"


if __name__ == "__main__":
    raise SystemExit(main())
