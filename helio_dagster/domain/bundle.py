"""A bundle: several files of a library in one text that can be mailed and read.

It is a stream of YAML documents, each file unchanged under a line that names it, because people review what they are sent,
and a text shows a reviewer everything; an archive file would need a program first, and could hold paths, links and bombs.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from helio_dagster.domain.errors import InputError
from helio_dagster.domain.pipeline_fields import LIST_PATTERN

Kind = Literal["pipelines", "operations", "lists"]

LARGEST_BUNDLE = 20_000_000
"""Bytes that a bundle may have."""
_FIRST = "# helio bundle 1: `helio pipelines import FILE` checks what stands here and puts it into a library.\n"
_MARK = "--- # helio: "
_NO_NEWLINE = ", without a newline at its end"
_MARK_LINE = re.compile(rb"^--- # helio: (.*?)\r?\n", re.MULTILINE)
_ITEM = re.compile(
    rf"(?:pipelines/(?P<pipelines>[a-z][a-z0-9_]*)\.yaml|operations/(?P<operations>[a-z][a-z0-9_]*@[1-9][0-9]{{0,3}})\.yaml"
    rf"|pipelines/(?P<lists>{LIST_PATTERN[1:-1]}))(?P<cut>{_NO_NEWLINE})?"
)
_LAST = re.compile(rb"^\.\.\. # helio: end of ([0-9]{1,9}) files?\r?\n?\Z", re.MULTILINE)
_SEND_AGAIN = "Ask for it again, as a file that is not changed on the way."


@dataclass(frozen=True)
class Item:
    """A file of a library: `ace_overview` of the pipelines, `my_filter@2` of the operations, or the list `lists/storms.csv`."""

    kind: Kind
    name: str
    content: bytes

    @property
    def label(self) -> str:
        """How it is called in a bundle."""
        return f"pipelines/{self.name}" if self.kind == "lists" else f"{self.kind}/{self.name}.yaml"

    @property
    def sha256(self) -> str:
        """The hash of its content, by which two people can compare what they have."""
        return hashlib.sha256(self.content).hexdigest()


def is_bundle(data: bytes) -> bool:
    """Whether the bytes begin as a bundle does, of this version or another."""
    return data.startswith(b"# helio bundle ")


def pack(items: Iterable[Item]) -> bytes:
    """The bundle of files; `unpack` gives them back byte for byte.

    Raises
    ------
    InputError
        A file holds a line that would be taken for one of the bundle's own, or the bundle would be too large.
    """
    parts, count = [_FIRST.encode()], 0
    for item in items:
        if _MARK.encode() in item.content:
            raise InputError(f"{item.label} holds a line {_MARK!r}, as bundles have them", hint="Change that line.")
        is_whole = item.content.endswith(b"\n") or not item.content
        parts += [f"{_MARK}{item.label}{'' if is_whole else _NO_NEWLINE}\n".encode(), item.content, b"" if is_whole else b"\n"]
        count += 1
    packed = b"".join([*parts, f"... # helio: end of {count} file{'' if count == 1 else 's'}\n".encode()])
    if len(packed) > LARGEST_BUNDLE:
        problem = f"the bundle would be larger than {LARGEST_BUNDLE // 1_000_000} MB"
        raise InputError(problem, hint="Send a long list of events as a separate file.")
    return packed


def unpack(data: bytes, *, file: str) -> list[Item]:
    """The files of a bundle, in its order.

    Parameters
    ----------
    data
        The whole bundle.
    file
        Its name, for errors.

    Raises
    ------
    InputError
        It is too large, of another version, cut off, or holds a file twice or one not named as a pipeline or saved operation.
    """
    if len(data) > LARGEST_BUNDLE:
        raise InputError(
            f"it is larger than {LARGEST_BUNDLE // 1_000_000} MB", where=file, hint="Export fewer pipelines at once."
        )
    if not data.startswith(b"# helio bundle 1:"):
        raise InputError("it is a bundle of another version", where=file, hint="A newer helio_dagster may read it.")
    last = _LAST.search(data)
    marks = list(_MARK_LINE.finditer(data))
    if last is None or int(last[1]) != len(marks):
        raise InputError("the bundle is cut off, or put together by hand", where=file, hint=_SEND_AGAIN)
    if not marks:
        raise InputError("the bundle is empty", where=file, hint=_SEND_AGAIN)
    items: dict[str, Item] = {}
    stops = [*(mark.start() for mark in marks[1:]), last.start()]
    for mark, stop in zip(marks, stops, strict=True):
        item = _item(mark[1].decode("utf-8", "backslashreplace"), data[mark.end() : stop], file)
        if item.label in items:
            raise InputError(f"{item.label} appears in it twice", where=file, hint=_SEND_AGAIN)
        items[item.label] = item
    return list(items.values())


def item_of(label: str, content: bytes, *, file: str) -> Item:
    """A file by what it is called in a bundle; InputError where no file of a library is called so."""
    return _item(label, content, file)


def _item(label: str, content: bytes, file: str) -> Item:
    match = _ITEM.fullmatch(label)
    if match is None:
        hint = "A bundle holds pipelines/NAME.yaml, lists of events below pipelines/, and operations/ID@VERSION.yaml."
        raise InputError(f"{label!r:.120} is not a file of a library", where=file, hint=hint)
    if match["cut"]:
        content = content.removesuffix(b"\n")
    kinds: tuple[Kind, ...] = ("pipelines", "operations", "lists")
    kind = next(each for each in kinds if match[each] is not None)
    return Item(kind, match[kind], content)
