"""A label in the Object Description Language of PDS3 as plain objects: keywords with values, and objects inside objects."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from helio_dagster.archives.pds.layout import LabelFault

LONGEST_LABEL = 4 << 20
_DEEPEST = 20
_MOST_STATEMENTS = 200_000
_TOKEN = re.compile(
    r"""\s+|/\*.*?\*/|(?P<string>"[^"]*")|(?P<symbol>'[^']*')|(?P<unit><[^<>\n]{0,80}>)|(?P<mark>[=(){},])"""
    r"""|(?P<word>[^\s=(){},<>"']+)""",
    re.DOTALL,
)
_Token = tuple[str, str]


@dataclass(slots=True)
class OdlObject:
    """An object: its kind (`TABLE`), its keywords with their values, and the objects in it.

    A value is the list of its texts: one of a single value, several of a sequence or set. Units stand after their number, as
    `<BYTES>`.
    """

    kind: str
    values: dict[str, list[str]] = field(default_factory=dict)
    objects: list[OdlObject] = field(default_factory=list)

    def text(self, keyword: str) -> str:
        """The first text of a keyword, white space collapsed; empty without it."""
        return " ".join(self.values.get(keyword, [""])[0].split())

    def number(self, keyword: str, default: int | None = None) -> int:
        """A keyword's whole number.

        Raises
        ------
        LabelFault
            It is missing, and there is no default; or not a whole number.
        """
        text = self.text(keyword)
        if not text and default is not None:
            return default
        digits = text.removeprefix("-").removeprefix("+")
        if not (digits.isascii() and digits.isdecimal() and len(digits) <= 18):
            said = f"is {text[:40]!r}, which is not a whole number" if text else "is missing"
            raise LabelFault(f"{keyword} of {self.kind} {said}")
        return int(text)


def read_odl(raw: bytes) -> OdlObject:
    """The label's own keywords and objects; what comes after `END`, as data do in an attached label, is not read.

    Raises
    ------
    LabelFault
        It is not a label of PDS3, is cut off, or too long or too deep.
    """
    text = raw[:LONGEST_LABEL].decode("latin-1")
    if len(raw) > LONGEST_LABEL and "\nEND" not in text:
        raise LabelFault(f"the label has {len(raw):,} bytes; at most {LONGEST_LABEL:,} are read")
    return _Reader(_tokens(text)).read()


def _tokens(text: str) -> Iterator[_Token]:
    position = 0
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            raise LabelFault(f"the label cannot be read from {text[position : position + 40]!r} on")
        position = match.end()
        if match.lastgroup is not None:
            yield match.lastgroup, match[0]


class _Reader:
    def __init__(self, tokens: Iterator[_Token]) -> None:
        self._tokens, self._ahead = tokens, [("", "")]
        self._step()

    def _step(self) -> _Token:
        now = self._ahead[0]
        self._ahead[0] = next(self._tokens, ("", ""))
        return now

    def read(self) -> OdlObject:
        top = OdlObject("label")
        open_objects, seen = [top], 0
        while True:
            kind, word = self._step()
            keyword = word.upper()
            if keyword == "END" and self._ahead[0][1] != "=":
                break
            if kind == "":
                raise LabelFault("the label is cut off: it has no END")
            seen += 1
            if seen > _MOST_STATEMENTS or len(open_objects) > _DEEPEST:
                raise LabelFault(f"the label has over {_MOST_STATEMENTS:,} statements, or is over {_DEEPEST} deep")
            if kind != "word":
                raise LabelFault(f"the label has {word[:40]!r} where a keyword belongs")
            if keyword in ("END_OBJECT", "END_GROUP"):
                if self._ahead[0][1] == "=":
                    self._step()
                    self._step()
                if len(open_objects) < 2:
                    raise LabelFault("the label ends an object that did not begin")
                open_objects.pop()
                continue
            if self._step()[1] != "=":
                raise LabelFault(f"the label has the keyword {word[:40]!r} without a value")
            value = self._value()
            if keyword in ("OBJECT", "GROUP"):
                inner = OdlObject(value[0].upper())
                open_objects[-1].objects.append(inner)
                open_objects.append(inner)
            else:
                open_objects[-1].values.setdefault(keyword, value)
        if len(open_objects) > 1:
            raise LabelFault(f"the object {open_objects[-1].kind!r} of the label does not end")
        if not any(name.startswith(("PDS_VERSION", "^")) for name in top.values):
            raise LabelFault("this is not a label of PDS3")
        return top

    def _value(self) -> list[str]:
        kind, word = self._step()
        if word in ("(", "{"):
            found: list[str] = []
            depth = 1
            while depth:
                kind, word = self._step()
                if kind == "":
                    raise LabelFault("the label is cut off inside a list of values")
                depth += (word in ("(", "{") and kind == "mark") - (word in (")", "}") and kind == "mark")
                if kind == "unit" and found:
                    found[-1] += word
                elif kind != "mark":
                    found.append(_plain(kind, word))
            return found or [""]
        if kind in ("", "mark", "unit"):
            raise LabelFault(f"the label has {word[:40]!r} where a value belongs")
        text = _plain(kind, word)
        return [text + self._step()[1]] if self._ahead[0][0] == "unit" else [text]


def _plain(kind: str, word: str) -> str:
    return word[1:-1] if kind in ("string", "symbol") else word
