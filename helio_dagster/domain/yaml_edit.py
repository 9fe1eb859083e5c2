"""One value of a YAML text changed, every other line left as it is. What may be changed is for the caller to know."""

from __future__ import annotations

import copy

from helio_dagster.domain.errors import InputError
from helio_dagster.domain.yaml_document import Path, Place, Value, YamlDocument, YamlFault, format_path, read_yaml
from helio_dagster.domain.yaml_style import render_block, render_flow, render_literal, render_scalar


def set_value(document: YamlDocument, path: Path, value: Value) -> YamlDocument:
    """Replace the value at `path`, or add it as a new key or at the end of its list.

    Comments, order, quoting and layout of everything else stay byte for byte.

    Raises
    ------
    KeyError
        Nothing stands at `path` and its parent is no mapping or list that could take it.
    InputError
        The text is written in a way that cannot be edited safely at this place.
    """
    wanted = copy.deepcopy(document.value)
    if not path:
        raise KeyError("the empty path names the whole document")
    _assign(wanted, path, value)
    place = document.places.get(path)
    text = _replaced(document.text, place, value) if place else _added(document, path, value)
    try:
        edited = read_yaml(text)
    except YamlFault:
        edited = None
    if edited is None or edited.value != wanted:
        raise InputError(f"{format_path(path)} cannot be changed in the text", hint="Its layout is unusual; edit it by hand.")
    return edited


def remove_key(document: YamlDocument, key: str) -> YamlDocument:
    """Remove a key of the outermost mapping with its value, which must stand on lines of their own; all other lines stay.

    Raises
    ------
    KeyError
        There is no such key.
    InputError
        The text is written in a way that cannot be edited safely at this place.
    """
    place = document.places[key,]
    wanted = {name: value for name, value in document.value.items() if name != key} if isinstance(document.value, dict) else {}
    lines = document.text.split("\n")
    last = document.text[: place.stop].rstrip().count("\n")
    text = "\n".join([*lines[: place.key_line - 1], *lines[last + 1 :]])
    try:
        edited = read_yaml(text)
    except YamlFault:
        edited = None
    if edited is None or edited.value != wanted:
        raise InputError(f"{key} cannot be removed from the text", hint="Its layout is unusual; edit it by hand.")
    return edited


def _assign(document: Value, path: Path, value: Value) -> None:
    parent = document
    for part in path[:-1]:
        parent = _child(parent, part, path)
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


def _replaced(text: str, place: Place, value: Value) -> str:
    before, after = text[: place.start], text[place.stop :]
    if isinstance(value, (dict, list)) and value and place.style == "block":
        block = render_block(value, is_block=_never, indent=place.column)
        return before + block[place.column : -1] + after
    if isinstance(value, str) and place.style in ("|", ">"):
        literal = render_literal(value, indent=place.key_column + 2)
        if literal is not None:
            return before + literal + after
    gap = " " if before.endswith((":", "-")) else ""
    return before + gap + render_flow(value) + after


def _added(document: YamlDocument, path: Path, value: Value) -> str:
    parent = document.places[path[:-1]]
    key = path[-1]
    entry = f"{render_scalar(key)}: " if isinstance(key, str) else "" if parent.style == "flow" else "- "
    children = [place.stop for other, place in document.places.items() if len(other) == len(path) and other[:-1] == path[:-1]]
    last = max(children, default=parent.start + 1)
    text = document.text
    if parent.style == "flow":
        return f"{text[:last]}{', ' if children else ''}{entry}{render_flow(value)}{text[last:]}"
    line_stop = text.find("\n", last)
    head, tail = (text[: line_stop + 1], text[line_stop + 1 :]) if line_stop >= 0 else (text + "\n", "")
    literal = render_literal(value, indent=parent.column + 2) if isinstance(value, str) else None
    return f"{head}{' ' * parent.column}{entry}{literal or render_flow(value)}\n{tail}"


def _never(_path: Path) -> bool:
    return False
