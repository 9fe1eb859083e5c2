"""Plain values as YAML text in the house style."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from textwrap import TextWrapper

from helio_dagster.domain.yaml.document import Path, Scalar, Value, resolve_plain

LINE_WIDTH = 120

_PLAIN_FLOW = re.compile(r"\w(?:[\w ./()+^%'-]|:(?=\w))*")
_PLAIN_BLOCK = re.compile(r"\w(?:[\w ,;./()+^%'|<>=\[\]-]|:(?=\w))*")
_OLD_WORDS = frozenset({"yes", "no", "on", "off"})  # truth values to readers of YAML 1.1
_BREAKS = re.compile(r"[\r\x85\u2028\u2029]")


def render_flow(value: Value) -> str:
    """A value on one line, as it is written inside brackets."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_scalar(key, flow=True)}: {render_flow(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(render_flow(item) for item in value) + "]"
    return _scalar(value, flow=True)


def render_scalar(value: Scalar) -> str:
    """A scalar on one line, as it is written after a key outside brackets."""
    return _scalar(value, flow=False)


def render_literal(text: str, *, indent: int) -> str | None:
    """Text of several lines as a literal block (`|`), its lines indented by `indent`; None where a block cannot hold it."""
    body = text.rstrip("\n")
    if not body.strip() or "\n" not in text or _BREAKS.search(text) or not _is_printable(text.replace("\t", " ")):
        return None
    if body[0] in " \t\n" or any(line and not line.strip() for line in body.split("\n")):
        return None
    chomping = {0: "-", 1: ""}.get(len(text) - len(body))
    if chomping is None:
        return None
    lines = [" " * indent + line if line else "" for line in body.split("\n")]
    return f"|{chomping}\n" + "\n".join(lines)


def render_block(value: Value, *, is_block: Callable[[Path], bool], indent: int = 0, path: Path = ()) -> str:
    """A mapping or list as block lines, each ending in a newline.

    A part is on one line where it fits and `is_block` does not ask for a block; text of several lines becomes a literal
    block, and numbers fill as many lines as they need.
    """
    lines: list[str] = []
    if isinstance(value, dict):
        for key, item in value.items():
            lead = " " * indent + _scalar(key, flow=False) + ":"
            lines.append(_entry(lead, item, is_block=is_block, indent=indent, path=(*path, key)))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            lines.append(_item(item, is_block=is_block, indent=indent, path=(*path, index)))
    return "".join(lines)


def has_lines(value: Value) -> bool:
    """Whether a value holds text that is written as a literal block."""
    if isinstance(value, str):
        return render_literal(value, indent=0) is not None
    items = list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else []
    return any(has_lines(item) for item in items)


def _entry(lead: str, item: Value, *, is_block: Callable[[Path], bool], indent: int, path: Path) -> str:
    if isinstance(item, str) and (literal := render_literal(item, indent=indent + 2)) is not None:
        return f"{lead} {literal}\n"
    if not isinstance(item, (dict, list)):
        return f"{lead} {render_scalar(item)}\n"
    if not item or _fits(lead, item, is_block=is_block, path=path):
        return f"{lead} {render_flow(item)}\n"
    if isinstance(item, list) and not is_block(path) and all(each is None or isinstance(each, (int, float)) for each in item):
        wrapper = TextWrapper(LINE_WIDTH, initial_indent=f"{lead} ", subsequent_indent=" " * (indent + 2))
        wrapper.break_long_words = wrapper.break_on_hyphens = False
        return wrapper.fill(render_flow(item)) + "\n"
    return f"{lead}\n" + render_block(item, is_block=is_block, indent=indent + 2, path=path)


def _item(item: Value, *, is_block: Callable[[Path], bool], indent: int, path: Path) -> str:
    lead = " " * indent + "-"
    if isinstance(item, (dict, list)) and item and not _fits(lead, item, is_block=is_block, path=path):
        block = render_block(item, is_block=is_block, indent=indent + 2, path=path)
        return f"{lead} {block[indent + 2 :]}"
    return _entry(lead, item, is_block=is_block, indent=indent, path=path)


def _fits(lead: str, item: dict[str, Value] | list[Value], *, is_block: Callable[[Path], bool], path: Path) -> bool:
    if is_block(path) or has_lines(item):
        return False
    return len(lead) + 1 + len(render_flow(item)) <= LINE_WIDTH


def _scalar(value: Scalar, *, flow: bool) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
    if isinstance(value, int):
        return str(value)
    pattern = _PLAIN_FLOW if flow else _PLAIN_BLOCK
    is_plain = pattern.fullmatch(value) and value == value.strip() and value.lower() not in _OLD_WORDS
    if is_plain and isinstance(resolve_plain(value), str) and _is_printable(value):
        return value
    return _quoted(value)


def _quoted(text: str) -> str:
    """Double quotes, with the escapes of JSON and eight-digit ones for what YAML forbids or an editor would not show."""
    quoted = json.dumps(text, ensure_ascii=False)
    return "".join(letter if letter.isprintable() else f"\\U{ord(letter):08x}" for letter in quoted)


def _is_printable(text: str) -> bool:
    return all(letter.isprintable() or letter == "\n" for letter in text)
