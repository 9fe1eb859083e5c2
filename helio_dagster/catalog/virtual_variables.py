"""Which functions of virtual variables a folder of CDAWeb's masters names, how many parameters each opens, which are known.

Run as `python -m helio_dagster.catalog.virtual_variables FOLDER`; it prints a Markdown table. The masters are at
https://cdaweb.gsfc.nasa.gov/pub/software/cdawlib/0MASTERS/.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from helio_dagster.archives.cdf.functions import KNOWN_FUNCTIONS
from helio_dagster.archives.cdf.reader import CdfReader
from helio_dagster.domain.errors import HelioError


@dataclass
class Use:
    """How a function is used: parameters and times that it computes, and the datasets that have them."""

    parameters: int = 0
    times: int = 0
    datasets: set[str] = field(default_factory=set)


def count_functions(masters: Iterable[tuple[str, Mapping[str, str], Mapping[str, str]]]) -> dict[str, Use]:
    """The functions that masters name, in lower case, those that open most parameters first.

    Parameters
    ----------
    masters
        Dataset, parameter to function, and times to function of each master.
    """
    found: dict[str, Use] = defaultdict(Use)
    for dataset, parameters, times in masters:
        for name in parameters.values():
            found[name.casefold()].parameters += 1
            found[name.casefold()].datasets.add(dataset)
        for name in times.values():
            found[name.casefold()].times += 1
            found[name.casefold()].datasets.add(dataset)
    return dict(sorted(found.items(), key=lambda each: (-each[1].parameters, -each[1].times, each[0])))


def table_of(found: Mapping[str, Use]) -> str:
    """The functions as a Markdown table."""
    lines = ["| function | parameters | times | datasets | helio |", "|---|---|---|---|---|"]
    for name, use in found.items():
        state = "computes it" if name in KNOWN_FUNCTIONS else "refuses it by name"
        lines.append(f"| `{name}` | {use.parameters} | {use.times} | {len(use.datasets)} | {state} |")
    return "\n".join(lines)


def main(folder: Path) -> int:
    """Read the masters in a folder and print; how many could not be read goes to standard error."""
    masters, unread = [], 0
    with CdfReader() as reader:
        for path in sorted(folder.glob("*.cdf")):
            try:
                master = reader.master(path)
            except HelioError as error:
                unread += 1
                print(f"{path.name}: {error.problem}", file=sys.stderr)  # noqa: T201 - a maintainer's command
                continue
            masters.append((path.name.partition("_00000000")[0], master.virtual, master.virtual_times))
    print(table_of(count_functions(masters)))  # noqa: T201
    print(f"{len(masters)} masters read, {unread} not", file=sys.stderr)  # noqa: T201
    return 1 if unread or not masters else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
