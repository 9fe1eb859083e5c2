"""A bounded YAML text as plain values that know their place in it."""

from __future__ import annotations

import math
import re
from collections import deque
from dataclasses import dataclass, field

import yaml
from yaml.error import MarkedYAMLError
from yaml.events import (
    AliasEvent,
    CollectionEndEvent,
    CollectionStartEvent,
    DocumentStartEvent,
    Event,
    MappingStartEvent,
    NodeEvent,
    ScalarEvent,
)
from yaml.reader import ReaderError

LONGEST_TEXT = 1_000_000
"""Characters a document may have."""
DEEPEST_NESTING = 40
"""Levels of mappings and lists a document may have."""

Scalar = str | int | float | bool | None
Value = Scalar | list["Value"] | dict[str, "Value"]
Path = tuple[str | int, ...]

_LOADER = yaml.CSafeLoader if yaml.__with_libyaml__ else yaml.SafeLoader
_INTEGER = re.compile(r"[-+]?[0-9]{1,18}")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_WORDS: dict[str, Scalar] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}

_NO_ESCAPE = "Write the character itself."
_PLAIN_WORDS = (
    (r"\\t", "a tab where YAML needs spaces", "Indent with spaces."),
    (r"found character .* that cannot start any token", "text that begins with a special character", "Put it in quotes."),
    (r"mapping values are not allowed", "a colon where none can be", "Put text with a colon in quotes; check the indentation."),
    (r"<stream end>|end of stream", "a bracket or quote is never closed", "Close it."),
    (r"expected <block end>|did not find expected", "the indentation or a quote is wrong here", "Align keys of one level."),
    (r"could not find expected ':'", "a key without a colon", "Write key: value."),
    (r"invalid Unicode character escape", "half of a surrogate pair", _NO_ESCAPE),
)


class YamlFault(Exception):
    """The text is not a document that we read; `line` counts from 1."""

    def __init__(self, problem: str, *, line: int, hint: str = "", path: str = "") -> None:
        super().__init__(problem)
        self.problem = problem
        self.line = line
        self.hint = hint
        self.path = path


@dataclass(frozen=True)
class Place:
    """Where a value is: character positions `[start, stop)`, line from 1, style of the YAML, column of the value.

    `key_line` and `key_column` are those of its key or of the list item itself. `style` is `flow` or `block` for mappings and
    lists, and one of `'`, `"`, `|`, `>` or nothing (plain) for scalars.
    """

    start: int
    stop: int
    line: int
    column: int
    key_line: int
    key_column: int
    style: str


@dataclass
class _Open:
    """A mapping or list whose closing has not been read yet."""

    value: list[Value] | dict[str, Value]
    path: Path
    start: int
    line: int
    column: int
    key_line: int
    key_column: int
    style: str
    key: tuple[str, int, int] | None = None
    seen: dict[str, int] = field(default_factory=dict)
    last: int = 0

    def next_path(self) -> Path:
        if isinstance(self.value, list):
            return (*self.path, len(self.value))
        assert self.key is not None  # noqa: S101 - the caller has read the key
        return (*self.path, self.key[0])


@dataclass(frozen=True)
class YamlDocument:
    """A document's text, its value, and the place of every value in it."""

    text: str
    value: Value
    places: dict[Path, Place]

    def line(self, path: Path) -> int:
        """Line of the key (or list item) at `path`, or of the nearest thing around it; from 1."""
        for length in range(len(path), -1, -1):
            place = self.places.get(path[:length])
            if place is not None:
                return place.key_line
        return 1


def format_path(path: Path) -> str:
    """`("steps", 2, "compute")` as `steps[2].compute`."""
    text = ""
    for part in path:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else part
    return text


def parse_path(text: str) -> Path:
    """`steps[2].compute` as `("steps", 2, "compute")`: the inverse of `format_path`."""
    parts = re.findall(r"\[(\d+)\]|([^.\[\]]+)", text)
    return tuple(int(index) if index else name for index, name in parts)


def read_yaml(text: str) -> YamlDocument:
    """Read a document without aliases, anchors or tags, of bounded length and depth.

    Dates stay text; numbers are those of JSON; `true`, `false` and `null` are themselves.

    Raises
    ------
    YamlFault
        The text is not such a document.
    """
    if len(text) > LONGEST_TEXT:
        raise YamlFault(f"the file is longer than {LONGEST_TEXT:,} characters", line=0, hint="Keep data out of the pipeline.")
    marked = text.removeprefix("\ufeff")  # which libyaml does not count
    reader = _Reader(marked, shift=len(text) - len(marked))
    try:
        for event in yaml.parse(marked, Loader=_LOADER):
            reader.take(event)
    except yaml.YAMLError as error:
        raise _fault(marked, error) from None
    except UnicodeEncodeError as error:
        raise YamlFault("half of a surrogate pair", line=marked.count("\n", 0, error.start) + 1, hint=_NO_ESCAPE) from None
    return YamlDocument(text, reader.value, reader.places)


def _fault(text: str, error: yaml.YAMLError) -> YamlFault:
    """What is wrong, in the words of the parser in Python: it says more than the fast one, and marks where things begin."""
    try:
        deque(yaml.parse(text, Loader=yaml.SafeLoader), maxlen=0)
    except yaml.YAMLError as precise:
        error = precise
    if isinstance(error, ReaderError):
        line = text.count("\n", 0, error.position) + 1
        return YamlFault("a control character that YAML does not allow", line=line, hint="Remove it.")
    mark = (error.problem_mark or error.context_mark) if isinstance(error, MarkedYAMLError) else None
    words = (error.problem or error.context) if isinstance(error, MarkedYAMLError) else ""
    problem, hint = _in_plain_words(str(words or "not valid YAML"))
    return YamlFault(problem, line=mark.line + 1 if mark else 0, hint=hint)


def _in_plain_words(message: str) -> tuple[str, str]:
    for pattern, problem, hint in _PLAIN_WORDS:
        if re.search(pattern, message):
            return f"not valid YAML: {problem}", hint
    return f"not valid YAML: {message}", ""


class _Reader:
    """Builds values and places from YAML events, without recursion; `shift` is added to all positions."""

    def __init__(self, text: str, *, shift: int = 0) -> None:
        self.text = text
        self.shift = shift
        self.value: Value = None
        self.places: dict[Path, Place] = {}
        self._open: list[_Open] = []
        self._documents = 0

    def take(self, event: Event) -> None:
        line = event.start_mark.line + 1
        if isinstance(event, DocumentStartEvent):
            self._documents += 1
            if self._documents > 1:
                raise YamlFault("a second document in the file", line=line, hint="One pipeline a file; remove the ---.")
        elif isinstance(event, AliasEvent) or (isinstance(event, NodeEvent) and event.anchor):
            raise YamlFault(
                "anchors (&) and aliases (*) are not read", line=line, hint="Write the value out, or quote the text."
            )
        elif isinstance(event, (ScalarEvent, CollectionStartEvent)) and event.tag not in (None, "!"):
            raise YamlFault(f"the tag {event.tag} is not read", line=line, hint="Write the value without a tag.")
        elif isinstance(event, ScalarEvent):
            self._take_scalar(event)
        elif isinstance(event, CollectionStartEvent):
            self._take_start(event)
        elif isinstance(event, CollectionEndEvent):
            self._take_stop(event)

    def _take_scalar(self, event: ScalarEvent) -> None:
        line, column = event.start_mark.line + 1, event.start_mark.column
        inside = self._open[-1] if self._open else None
        if inside is not None and isinstance(inside.value, dict) and inside.key is None:
            self._take_key(inside, event.value, line, column)
            return
        value = event.value if event.style else resolve_plain(event.value)
        if isinstance(value, str) and any(0xD800 <= ord(letter) < 0xE000 for letter in value):
            raise YamlFault("half of a surrogate pair", line=line, hint=_NO_ESCAPE)
        if isinstance(value, float) and not math.isfinite(value):
            raise YamlFault(f"{event.value} is not a finite number", line=line)
        start, stop = event.start_mark.index, event.end_mark.index
        if event.style in ("|", ">"):  # its mark is at the next token, beyond blank lines and comments
            stop = start + len(self.text[start:stop].rstrip())
        self._place(value, start=start, stop=stop, line=line, column=column, style=event.style or "")

    def _take_key(self, inside: _Open, key: str, line: int, column: int) -> None:
        if key in inside.seen:
            raise YamlFault(
                f"the key {key!r} appears twice",
                line=line,
                path=format_path(inside.path),
                hint=f"It is already given in line {inside.seen[key]}; keep one.",
            )
        inside.seen[key] = line
        inside.key = (key, line, column)

    def _take_start(self, event: CollectionStartEvent) -> None:
        line, column = event.start_mark.line + 1, event.start_mark.column
        inside = self._open[-1] if self._open else None
        if len(self._open) >= DEEPEST_NESTING:
            raise YamlFault(f"nested deeper than {DEEPEST_NESTING} levels", line=line)
        if inside is not None and isinstance(inside.value, dict) and inside.key is None:
            raise YamlFault("a key that is not text", line=line, hint="Quote text that begins with { or [.")
        path = inside.next_path() if inside else ()
        key_line, key_column = inside.key[1:] if inside and inside.key else (line, column)
        value: list[Value] | dict[str, Value] = {} if isinstance(event, MappingStartEvent) else []
        style = "flow" if event.flow_style else "block"
        self._open.append(_Open(value, path, event.start_mark.index, line, column, key_line, key_column, style))

    def _take_stop(self, event: CollectionEndEvent) -> None:
        done = self._open.pop()
        stop = event.end_mark.index if done.style == "flow" else max(done.last, done.start)
        self._place(done.value, start=done.start, stop=stop, line=done.line, column=done.column, style=done.style)

    def _place(self, value: Value, *, start: int, stop: int, line: int, column: int, style: str) -> None:
        inside = self._open[-1] if self._open else None
        key_line, key_column = inside.key[1:] if inside and inside.key else (line, column)
        path = inside.next_path() if inside else ()
        self.places[path] = Place(start + self.shift, stop + self.shift, line, column, key_line, key_column, style)
        if inside is None:
            self.value = value
            return
        inside.last = stop
        if isinstance(inside.value, list):
            inside.value.append(value)
        elif inside.key is not None:
            inside.value[inside.key[0]] = value
            inside.key = None


def resolve_plain(text: str) -> Scalar:
    """What an unquoted scalar means: a number, a truth value, nothing, or the text itself."""
    if text in _WORDS:
        return _WORDS[text]
    if _INTEGER.fullmatch(text):
        return int(text)
    return float(text) if _FLOAT.fullmatch(text) else text
