"""Values of a YAML text changed, added, removed; every other line stays."""

from __future__ import annotations

import copy
import re
from collections.abc import Callable, Iterable

from helio_dagster.domain.errors import InputError
from helio_dagster.domain.yaml.document import Path, Place, Value, YamlDocument, YamlFault, format_path, read_yaml
from helio_dagster.domain.yaml.style import has_lines, render_block, render_flow, render_literal, render_scalar

IsBlock = Callable[[Path], bool]

_COMMENT = re.compile(r"[ \t]+#[^\r\n]*")
_COMMENT_LINE = re.compile(r"([ \t]*)#[^\n]*(?:\n|\Z)")
_LATER_COMMENT_LINE = re.compile(rf"(?:[ \t]*\r?\n)*{_COMMENT_LINE.pattern}")


def _never(_path: Path) -> bool:
    return False


def set_value(
    document: YamlDocument, path: Path, value: Value, *, after: str | None = None, is_block: IsBlock = _never
) -> YamlDocument:
    """Replace the value at `path`, or add it as a new key or at the end of its list.

    Comments, order, quoting and layout of everything else stay byte for byte; only brackets that are to hold text of several
    lines are opened into lines of their own.

    Parameters
    ----------
    document
        The text.
    path
        Place of the value.
    value
        Plain value.
    after
        The key that a new key of a block mapping comes after; the last where not given.
    is_block
        Which places get lines of their own although one line would hold them.

    Raises
    ------
    KeyError
        There is nothing at `path` and its parent is not a mapping or list that could take it.
    InputError
        The text is written in a way that cannot be edited safely at this place.
    """
    wanted = copy.deepcopy(document.value)
    if not path:
        raise KeyError("the empty path names the whole document")
    _assign(wanted, path, value)
    texts: list[str | None] = []
    top = _brackets_around(document, path)
    if top is not None and has_lines(value):
        texts.append(_opened(document, top, value_at(wanted, top), is_block=is_block))
    if path in document.places:
        texts += [_opened(document, path, value, is_block=is_block), _replaced(document, path, value, is_block=is_block)]
    else:
        texts += _added(document, path, value, after=after, is_block=is_block)
    return _first_sound(texts, wanted, f"{format_path(path)} cannot be changed in the text")


def insert_item(document: YamlDocument, path: Path, value: Value, *, is_block: IsBlock = _never) -> YamlDocument:
    """Insert an item before the one at `path` of a list; all other lines stay.

    Raises
    ------
    KeyError
        There is no such item.
    InputError
        The text is written in a way that cannot be edited safely at this place.
    """
    index, place, parent = path[-1], document.places[path], document.places[path[:-1]]
    wanted = copy.deepcopy(document.value)
    items = value_at(wanted, path[:-1])
    if not isinstance(items, list) or not isinstance(index, int):
        raise KeyError(format_path(path))
    items.insert(index, value)
    text = document.text
    if parent.style == "flow":
        texts = [f"{text[: place.start]}{render_flow(value)}, {text[place.start :]}"]
    else:
        entry = render_block([value], is_block=is_block, indent=parent.column, path=path[:-1])
        spots = _lines_after(document, (*path[:-1], index - 1)) if index else [_line_above(document, path)]
        texts = [_with_lines(text, at, entry, is_spaced=index > 0) for at in spots]
    return _first_sound(texts, wanted, f"nothing can be inserted in the text before {format_path(path)}")


def remove_value(document: YamlDocument, path: Path, *, with_comments: bool = False) -> YamlDocument:
    """Remove a key with its value, or an item of a list; all other lines stay.

    A mapping or list that holds nothing else stays as an empty one. With comments, those right above an item, as
    deep as it and without a blank line between, go with it.

    Raises
    ------
    KeyError
        There is no such place.
    InputError
        The text is written in a way that cannot be edited safely at this place.
    """
    place, parent = document.places[path], document.places[path[:-1]]
    wanted = copy.deepcopy(document.value)
    around = value_at(wanted, path[:-1])
    if isinstance(around, dict):
        del around[str(path[-1])]
    elif isinstance(around, list) and isinstance(path[-1], int):
        del around[path[-1]]
    texts: list[str | None]
    if parent.style == "flow":
        texts = [_without_entry(document, path, place, parent)]
    elif not around:
        texts = [_emptied(document.text, parent, around), _replaced(document, path[:-1], around)]
    else:
        texts = _without_lines(document, path, place)
        if with_comments and isinstance(path[-1], int):
            above = _line_above(document, path)
            texts.insert(0, document.text[:above] + document.text[_line_after(document, path) :])
    return _first_sound(texts, wanted, f"{format_path(path)} cannot be removed from the text")


def value_at(value: Value, path: Path) -> Value:
    """What is at a path of a plain value; KeyError where nothing does."""
    for part in path:
        value = _child(value, part, path)
    return value


def _first_sound(texts: Iterable[str | None], wanted: Value, problem: str) -> YamlDocument:
    """The first text that reads as the requested value."""
    for text in texts:
        try:
            edited = read_yaml(text) if text is not None else None
        except YamlFault:
            continue
        if edited is not None and edited.value == wanted:
            return edited
    raise InputError(problem, hint="Its layout is unusual; edit it by hand.")


def _assign(document: Value, path: Path, value: Value) -> None:
    parent = value_at(document, path[:-1])
    last = path[-1]
    if isinstance(parent, dict) and isinstance(last, str):
        parent[last] = value
    elif isinstance(parent, list) and isinstance(last, int) and 0 <= last <= len(parent):
        parent[last : last + 1] = [value]
    else:
        raise KeyError(format_path(path))


def _child(parent: Value, part: str | int, path: Path) -> Value:
    if isinstance(parent, dict) and isinstance(part, str) and part in parent:
        return parent[part]
    if isinstance(parent, list) and isinstance(part, int) and 0 <= part < len(parent):
        return parent[part]
    raise KeyError(format_path(path))


def _brackets_around(document: YamlDocument, path: Path) -> Path | None:
    """The outermost brackets that a place is in, or is; None where there are none, or where comments may be in them."""
    for length in range(1, len(path) + 1):
        place = document.places.get(path[:length])
        if place is not None and place.style == "flow":
            return path[:length] if "\n" not in document.text[place.start : place.stop] else None
    return None


def _replaced(document: YamlDocument, path: Path, value: Value, *, is_block: IsBlock = _never) -> str:
    """The text with a value in another's place, written as that one was."""
    text, place = document.text, document.places[path]
    before, after = text[: place.start], text[place.stop :]
    if isinstance(value, (dict, list)) and value and place.style == "block":
        block = render_block(value, is_block=is_block, indent=place.column, path=path)
        return before + _native(text, block[place.column : -1]) + after
    if isinstance(value, str) and place.style in ("|", ">"):
        literal = render_literal(value, indent=place.key_column + 2)
        if literal is not None:
            return before + _native(text, literal) + after
    gap = " " if before.endswith((":", "-")) else ""
    return before + gap + render_flow(value) + after


def _opened(document: YamlDocument, path: Path, value: Value, *, is_block: IsBlock) -> str | None:
    """The text with a value on lines of its own instead of one line; None where it needs none or cannot have them."""
    text, place, parent = document.text, document.places[path], document.places[path[:-1]]
    if parent.style == "flow" or place.style not in ("flow", "", "'", '"'):
        return None
    key = path[-1]
    if isinstance(key, str):
        block = render_block({key: value}, is_block=is_block, indent=place.key_column, path=path[:-1])
        rest = block[place.key_column + len(render_scalar(key)) + 1 : -1]
    else:
        rest = render_block([value], is_block=is_block, indent=parent.column, path=path[:-1])[parent.column + 1 : -1]
    if "\n" not in rest:
        return None
    comment = _COMMENT.match(text, place.stop)
    first, _, others = rest.partition("\n")
    opened = _native(text, f"{first}{comment[0] if comment else ''}\n{others}")
    return text[: place.start].rstrip(" ") + opened + text[comment.end() if comment else place.stop :]


def _added(document: YamlDocument, path: Path, value: Value, *, after: str | None, is_block: IsBlock) -> list[str | None]:
    """Texts with a new key or a last item, the better first."""
    text, parent, key = document.text, document.places[path[:-1]], path[-1]
    around: Value = {key: value} if isinstance(key, str) else [value]
    siblings = _children(document, path[:-1])
    if parent.style == "flow":
        entry = render_flow(around)[1:-1]
        last = document.places[siblings[-1]].stop if siblings else parent.start + 1
        opened = None if siblings or len(path) == 1 else _opened(document, path[:-1], around, is_block=is_block)
        return [opened, f"{text[:last]}{', ' if siblings else ''}{entry}{text[last:]}"]
    before = (*path[:-1], after) if after is not None and (*path[:-1], after) in document.places else siblings[-1]
    entry = render_block(around, is_block=is_block, indent=parent.column, path=path[:-1])
    is_spaced = len(siblings) > 1 and isinstance(key, int) and _is_blank(text, _line_after(document, siblings[-2]))
    return [_with_lines(text, at, ("\n" if is_spaced else "") + entry) for at in _lines_after(document, before)]


def _emptied(text: str, parent: Place, empty: Value) -> str:
    """The text with an empty mapping or list behind the key or dash of a block."""
    return f"{text[: parent.start].rstrip()} {render_flow(empty)}{text[parent.stop :]}"


def _without_entry(document: YamlDocument, path: Path, place: Place, parent: Place) -> str:
    """The text without an entry inside brackets, and without one of the commas beside it."""
    text, siblings = document.text, _children(document, path[:-1])
    index = siblings.index(path)
    if index:
        return text[: document.places[siblings[index - 1]].stop] + text[place.stop :]
    comma = re.compile(r"\s*,[ \t]*").match(text, place.stop) if len(siblings) > 1 else None
    return text[: parent.start + 1] + text[comma.end() if comma else place.stop :]


def _without_lines(document: YamlDocument, path: Path, place: Place) -> list[str | None]:
    """Texts without the lines of an entry; without its part of a line where it begins behind the dash of an item."""
    text = document.text
    starts = _line_starts(text)
    if isinstance(path[-1], int):
        dash = text[: place.start].rstrip()
        begin = len(dash) - 1 if dash.endswith("-") else place.start
    else:
        begin = starts[place.key_line - 1] + place.key_column + (text.startswith("\ufeff") and place.key_line == 1)
    line = text.rfind("\n", 0, begin) + 1
    stop = _line_after(document, path)
    if not text[line:begin].strip(" \t\ufeff"):
        return [text[:line] + text[stop:]]
    rest = text[stop:]
    return [text[:begin] + rest.lstrip(" "), text[:begin].rstrip(" ") + "\n" + rest]


def _children(document: YamlDocument, path: Path) -> list[Path]:
    """Places directly inside another, in the order of the text."""
    inside = [other for other in document.places if len(other) == len(path) + 1 and other[:-1] == path]
    return sorted(inside, key=lambda other: document.places[other].start)


def _line_after(document: YamlDocument, path: Path, *, comments: re.Pattern[str] = _COMMENT_LINE) -> int:
    """Where the line after a value begins, beyond comments that are indented deeper than what it is in."""
    text, column = document.text, document.places[path[:-1]].column
    at = _next_line(text, document.places[path].stop)
    while (comment := comments.match(text, at)) and len(comment[1]) > column:
        at = comment.end()
    return at


def _lines_after(document: YamlDocument, path: Path) -> list[int]:
    """Where a line can be put after a value: right there, or beyond comments that code put there would take for its own."""
    return [_line_after(document, path), _line_after(document, path, comments=_LATER_COMMENT_LINE)]


def _line_above(document: YamlDocument, path: Path) -> int:
    """Where the line of an item begins, or the first of the comments right above it that are indented as deep."""
    text, indent = document.text, " " * document.places[path[:-1]].column
    at = text.rfind("\n", 0, text[: document.places[path].start].rstrip().rfind("-") + 1) + 1
    while at and text[text.rfind("\n", 0, at - 1) + 1 : at].startswith(f"{indent}#"):
        at = text.rfind("\n", 0, at - 1) + 1
    return at


def _next_line(text: str, at: int) -> int:
    found = text.find("\n", at)
    return found + 1 if found >= 0 else len(text)


def _is_blank(text: str, at: int) -> bool:
    return at < len(text) and not text[at : _next_line(text, at)].strip()


def _with_lines(text: str, at: int, lines: str, *, is_spaced: bool = False) -> str:
    """The text with lines before the one at `at`, after a blank one where one is there; its line ends are kept."""
    head = text[:at] if text[:at].endswith("\n") or not at else text[:at] + "\n"
    return head + _native(text, ("\n" if is_spaced and _is_blank(text, at) else "") + lines) + text[at:]


def _native(text: str, lines: str) -> str:
    """Lines with the line ends of a text."""
    return lines.replace("\n", "\r\n") if "\r\n" in text else lines


def _line_starts(text: str) -> list[int]:
    return [0, *(found.end() for found in re.finditer("\r\n|[\n\r\x85\u2028\u2029]", text))]
