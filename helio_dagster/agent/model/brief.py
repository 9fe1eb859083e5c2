"""Write what a look-up found for a model in few tokens: every later request of the conversation carries it again.

Nothing is left out that a plan could need; what repeats is said once.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from typing import Any

Document = dict[str, Any]
_HEADING = re.compile(r"^(?P<title>[A-Z][A-Za-z ]+)\n-{3,}\n", re.MULTILINE)
_UNNEEDED = frozenset({"See Also", "References", "Warns", "Examples"})
"""Sections of a function's documentation that a plan does not need."""
_EMPTY = re.compile(r"[A-Z][A-Za-z ]+\n-{3,}|")
_ARRAYS = re.compile(r"\s*\*\*Array API Standard Support\*\*.*", re.DOTALL)
_EXPECTED = (("archive", "cdaweb"), ("left_out", 0))
"""What goes without saying: the situation names the archive."""
_REMARK = re.compile(r"\s*\([^()]*\)")


def brief(document: Mapping[str, Any]) -> Document:
    """A document of `lookups` with its parameters as lines, and without what an earlier part of it says already."""
    made = {key: value for key, value in document.items() if (key, value) not in _EXPECTED}
    if "datasets" in made:
        made["datasets"] = list(_datasets(made["datasets"]))
        missions = {each.get("mission") for each in made["datasets"]} - {None}
        if len(missions) == 1:
            shared = missions.pop()
            made = {"mission": shared, **made}
            made["datasets"] = [{key: each[key] for key in each if key != "mission"} for each in made["datasets"]]
    if "parameters" in made:
        made["parameters"] = [_line(each) for each in made["parameters"]]
    if "operations" in made:
        made["operations"] = list(_operations(made["operations"]))
    return made


def brief_docs(text: str) -> str:
    """The documentation of a function without its examples, its references and the table of array libraries."""
    starts = [0, *(each.start() for each in _HEADING.finditer(text)), len(text)]
    sections = [_ARRAYS.sub("", text[start:stop]).strip() for start, stop in pairwise(starts)]
    return "\n\n".join(each for each in sections if each.partition("\n")[0] not in _UNNEEDED and not _EMPTY.fullmatch(each))


def _datasets(datasets: Iterable[Mapping[str, Any]]) -> Iterator[Document]:
    """Each with its parameters as lines; one whose parameters differ from an earlier one's in remarks alone names that one."""
    first: dict[str, str] = {}
    for each in map(_with_extent, datasets):
        if "parameters" not in each:
            yield each
            continue
        lines = [_line(parameter) for parameter in each["parameters"]]
        bare = [_line({**held, "says": _REMARK.sub("", held.get("says", ""))}) for held in each["parameters"]]
        same = "\n".join(sorted(bare))
        yield {**each, "parameters": f"as of {first[same]}" if same in first and len(lines) > 1 else lines}
        first.setdefault(same, each["dataset"])


def _with_extent(dataset: Mapping[str, Any]) -> Document:
    """A dataset with its start and stop as one text."""
    if not dataset.get("start") or not dataset.get("stop"):
        return dict(dataset)
    stop = "now" if dataset["stop"] == "goes on" else dataset["stop"]
    return {
        "data" if key == "start" else key: f"{value} to {stop}" if key == "start" else value
        for key, value in dataset.items()
        if key != "stop"
    }


def _line(parameter: Mapping[str, Any]) -> str:
    """A parameter as `name (unit, frame, [size]): what it is`."""
    size = f"[{', '.join(map(str, parameter['size']))}]" if parameter.get("size") else ""
    facts = [parameter.get("unit"), parameter.get("frame"), size, parameter.get("display"), parameter.get("kind")]
    held = ", ".join(each for each in facts if each)
    is_ = parameter.get("says") or parameter.get("quantity") or ""
    return f"{parameter['name']}{f' ({held})' if held else ''}{f': {is_}' if is_ else ''}"


def _operations(operations: Iterable[Mapping[str, Any]]) -> Iterator[Document]:
    """Each with its options; one that an earlier operation has in the same words names that operation."""
    first: dict[tuple[str, str], str] = {}
    for each in operations:
        options = {
            name: f"as of {first[name, text]}" if (name, text) in first and len(text) > 40 else text
            for name, text in each["options"].items()
        }
        for item in each["options"].items():
            first.setdefault(item, each["operation"])
        yield {**each, "options": options}
