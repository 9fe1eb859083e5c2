"""Values, calls and names as a person writes them in Python."""

from __future__ import annotations

import ast
import json
import math
import re
import textwrap
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from helio_dagster.domain.visible_text import visible

LINE = 118


def literal(value: Any, width: int = LINE) -> str:
    """A value, with double quotes; one entry a line where it is wider than `width`."""
    if isinstance(value, str):
        return "".join(letter if letter.isprintable() else _escaped(letter) for letter in json.dumps(value, ensure_ascii=False))
    if isinstance(value, float) and not math.isfinite(value):
        return f'float("{value}")'
    if isinstance(value, Mapping):
        return dictionary({str(name): literal(each) for name, each in value.items()}, width)
    if isinstance(value, (list, tuple)):
        inner = [literal(each, 10_000) for each in value]
        opening, closing = ("[", "]") if isinstance(value, list) else ("(", ",)" if len(inner) == 1 else ")")
        return _enclosed(opening, inner, closing, width)
    return repr(value)


def dictionary(entries: Mapping[str, str], width: int = LINE) -> str:
    """A dictionary of texts to expressions."""
    return _enclosed("{", [f"{literal(name)}: {each}" for name, each in entries.items()], "}", width)


def call(function: str, arguments: Sequence[str], target: str = "") -> str:
    """A call, given to a variable if one is named; one argument a line where it is long."""
    before = f"{target} = {function}(" if target else f"{function}("
    return _enclosed(before, arguments, ")", LINE)


def function(name: str, arguments: Sequence[str], body: str) -> str:
    """A function of this body, whose texts over several lines stay as they are."""
    lines = body.rstrip().splitlines()
    texts = (each for each in ast.walk(ast.parse(body)) if isinstance(each, (ast.Constant, ast.JoinedStr)))
    kept = {line for each in texts for line in range(each.lineno, each.end_lineno or each.lineno)}
    inner = [line if place in kept or not line.strip() else f"    {line}" for place, line in enumerate(lines)]
    return "\n".join([f"def {name}({', '.join(arguments)}):", *inner])


def moment(time: datetime) -> str:
    """A time as pandas reads it, in UTC."""
    text = time.astimezone(UTC).isoformat(timespec="microseconds").removesuffix("+00:00")
    return f'"{text.removesuffix(".000000")}Z"'


def plain_line(text: str) -> str:
    """A text on one line, without what a terminal obeys."""
    return visible(" ".join(text.split()))


def variable(name: str, taken: set[str]) -> str:
    """A name as a variable that hides nothing; it is taken from then on."""
    made = re.sub(r"\W", "_", name)
    made = f"_{made}" if made[:1].isdigit() else made
    while made in taken:
        made += "_"
    taken.add(made)
    return made


def _escaped(letter: str) -> str:
    return f"\\u{ord(letter):04x}" if ord(letter) < 0x10000 else f"\\U{ord(letter):08x}"


def _enclosed(opening: str, inner: Sequence[str], closing: str, width: int) -> str:
    text = f"{opening}{', '.join(inner)}{closing}"
    if not inner or (len(text) <= width and "\n" not in text):
        return text
    return "\n".join([opening, *(textwrap.indent(f"{each},", "    ") for each in inner), closing.lstrip(",")])
