"""A label's XML as plain elements, read without document types, entities or anything outside the text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from xml.parsers import expat

from helio_dagster.archives.pds.layout import LabelFault

LONGEST_LABEL = 16 << 20
_DEEPEST = 40
_MOST_ELEMENTS = 400_000


@dataclass(slots=True)
class Element:
    """An element: its name without the namespace's prefix, its text, its attributes, what it holds."""

    name: str
    attributes: dict[str, str]
    text: str = ""
    children: list[Element] = field(default_factory=list)

    def first(self, *path: str) -> Element | None:
        """The first element along a path of names; None without one."""
        found: Element | None = self
        for name in path:
            found = next((child for child in found.children if child.name == name), None) if found else None
        return found

    def all(self, *names: str) -> list[Element]:
        """The children of these names, in order."""
        return [child for child in self.children if child.name in names]

    def value(self, *path: str) -> str:
        """The text of the first element along a path, white space collapsed; empty without one."""
        found = self.first(*path)
        return " ".join(found.text.split()) if found is not None else ""

    def walk(self) -> Iterator[Element]:
        """The element and all below it."""
        yield self
        for child in self.children:
            yield from child.walk()


def read_xml(raw: bytes) -> Element:
    """The root element of a label.

    Raises
    ------
    LabelFault
        It is not sound XML, defines a document type, or is too long or too deep.
    """
    if len(raw) > LONGEST_LABEL:
        raise LabelFault(f"the label has {len(raw):,} bytes; at most {LONGEST_LABEL:,} are read")
    top = Element("", {})
    open_elements, texts, seen = [top], [[""]], 0

    def start(name: str, attributes: dict[str, str]) -> None:
        nonlocal seen
        seen += 1
        if len(open_elements) > _DEEPEST or seen > _MOST_ELEMENTS:
            raise LabelFault(f"the label is nested over {_DEEPEST} deep, or has over {_MOST_ELEMENTS:,} elements")
        element = Element(name.rpartition(":")[2], attributes)
        open_elements[-1].children.append(element)
        open_elements.append(element)
        texts.append([])

    def stop(_: str) -> None:
        open_elements.pop().text = "".join(texts.pop())

    def refuse(name: str, *_: object) -> None:
        raise LabelFault(f"the label defines a document type ({name[:40]}), which no label needs")

    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.StartElementHandler, parser.EndElementHandler, parser.StartDoctypeDeclHandler = start, stop, refuse
    parser.CharacterDataHandler = lambda text: texts[-1].append(text)
    try:
        parser.Parse(raw, True)
    except (expat.ExpatError, LookupError, ValueError) as error:
        raise LabelFault(f"the label is not sound XML: {error}") from None
    return top.children[0]
