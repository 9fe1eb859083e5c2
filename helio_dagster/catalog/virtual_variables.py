"""Which functions of virtual variables CDAWeb's masters name, what each opens, which are computed here: a table for the docs.

Run as `python -m helio_dagster.catalog.virtual_variables`, it prints the table of docs/catalog.md, of the shipped catalog and
of `virtual_functions.txt`, as the catalog itself does not say how a parameter comes about. With a FOLDER of masters
(https://cdaweb.gsfc.nasa.gov/pub/software/cdawlib/0MASTERS/) it counts what these name.
"""

from __future__ import annotations

import re
import sys
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path

from helio_dagster.archives.cdf.functions import KNOWN_FUNCTIONS
from helio_dagster.archives.cdf.reader import CdfReader
from helio_dagster.catalog.database import CatalogDatabase, packaged_path
from helio_dagster.domain.errors import HelioError


@dataclass
class Use:
    """How a function is used: parameters and times that it computes, and the datasets that have them."""

    parameters: int = 0
    times: int = 0
    datasets: set[str] = field(default_factory=set)


@dataclass(frozen=True)
class ListedFunction:
    """A function as `virtual_functions.txt` has it: in how many variables, what it makes, and where.

    `places` are patterns of datasets, each with one of parameters, empty where their names are not known.
    """

    name: str
    variables: int | None
    words: str
    places: tuple[tuple[re.Pattern[str], re.Pattern[str] | None], ...]


def listed_functions() -> list[ListedFunction]:
    """The functions that are known to be used, in the order of the file."""
    lines = files(__package__).joinpath("virtual_functions.txt").read_text(encoding="utf-8").splitlines()
    found: list[ListedFunction] = []
    for line in lines:
        if not line.strip() or line.startswith("#"):
            continue
        if line.startswith(" "):
            datasets, parameters = line.split()
            place = re.compile(datasets), re.compile(parameters) if parameters != "-" else None
            last = found[-1]
            found[-1] = ListedFunction(last.name, last.variables, last.words, (*last.places, place))
        else:
            name, count, words = line.split(maxsplit=2)
            found.append(ListedFunction(name, int(count) if count != "-" else None, words, ()))
    return found


def shipped_table(database: CatalogDatabase) -> str:
    """The listed functions as a Markdown table, those that open most parameters first, with how many datasets use them.

    Parameters are those that masters were counted to have, else those of the catalog that the patterns name.
    """
    ids, rows = database.names(), []
    for each in listed_functions():
        datasets: set[str] = set()
        parameters = 0
        for pattern, names in each.places:
            held = {one for one in ids if pattern.fullmatch(one)}
            datasets |= held
            if names is not None and each.variables is None:
                facts = [database.dataset(one) for one in sorted(held)]
                parameters += sum(names.fullmatch(p.name) is not None for fact in facts if fact for p in fact.parameters)
        count = each.variables if each.variables is not None else parameters
        state = "computed" if each.name in KNOWN_FUNCTIONS else "refused by name"
        rows.append((count, len(datasets), f"| `{each.name}` | {each.words} | {count or '–'} | {len(datasets)} | {state} |"))
    rows.sort(key=lambda row: (-row[0], -row[1]))
    head = ["| function | what it makes | parameters | datasets | in helio |", "|---|---|---|---|---|"]
    return "\n".join([*head, *(line for _, _, line in rows)])


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
    if len(sys.argv) == 1:
        print(shipped_table(CatalogDatabase(packaged_path())))  # noqa: T201
        sys.exit(0)
    sys.exit(main(Path(sys.argv[1])))
