"""The panels of a figure that follows its intent: they show what the new draft shows, and look as they did."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from typing import Any

Document = dict[str, Any]
_OF_VALUES = ("range", "scale")
"""What is set on an axis for the values of one quantity."""


class Panels:
    """Panels of the file, of the draft that it was made of, and of the new draft.

    Parameters
    ----------
    own, old, new
        The panels as documents.
    pairs
        The steps of the new draft to those of the old one whose place they take.
    names
        What the steps of the new draft are called in the file.
    moved
        Steps of the new draft that show another quantity than those of the old one.
    """

    def __init__(
        self,
        own: list[Document],
        old: list[Document],
        new: list[Document],
        *,
        pairs: Mapping[str, str],
        names: Mapping[str, str],
        moved: Set[str],
    ) -> None:
        self.own, self._old, self._new = own, old, new
        self._pairs, self._names, self._moved = pairs, names, moved
        self._follow = {was: names[now] for now, was in pairs.items()}

    def merged(self) -> list[Document]:
        """The panels that the file has now."""
        matched = self._matched()
        found: list[tuple[int | None, Document]] = []
        shown: set[str] = set()
        for panel in self.own:
            data = {trace["data"] for trace in panel["traces"]}
            old = max(range(len(self._old)), key=lambda at: len(data & _data(self._old[at])), default=None)
            is_drafted = old is not None and bool(data & _data(self._old[old]))
            at = matched.get(old) if old is not None and is_drafted else None
            merged_panel = self._panel(panel, self._old[old] if is_drafted and old is not None else None, at, shown)
            if merged_panel["traces"]:
                found.append((at, merged_panel))
        for at, panel in enumerate(self._new):
            if at not in matched.values():
                before = [place for place, (other, _) in enumerate(found) if other is not None and other < at]
                place = before[-1] + 1 if before else 0
                found.insert(place, (at, {**panel, "traces": [self._renamed(trace) for trace in panel["traces"]]}))
        return [panel for _, panel in found]

    def _matched(self) -> dict[int, int]:
        """Each panel of the old draft to the one of the new draft in its place."""
        found: dict[int, int] = {}
        for at, panel in enumerate(self._new):
            data = {self._pairs.get(trace["data"]) for trace in panel["traces"]}
            free = [old for old in range(len(self._old)) if old not in found and data & _data(self._old[old])]
            if free:
                found[max(free, key=lambda old: len(data & _data(self._old[old])))] = at
        left = [old for old in range(len(self._old)) if old not in found]
        more = [at for at in range(len(self._new)) if at not in found.values()]
        return found | dict(zip(left, more, strict=True)) if len(left) == len(more) else found

    def _panel(self, own: Document, old: Document | None, at: int | None, shown: set[str]) -> Document:
        """A panel of the file as it is now; without traces where nothing is left of it."""
        if old is None:
            return {**own, "traces": [{**each, "data": self._follow.get(each["data"], each["data"])} for each in own["traces"]]}
        drafted = {trace["data"]: trace for trace in old["traces"]}
        now = self._new[at]["traces"] if at is not None else []
        places = self._places(old["traces"], now)
        traces: list[Document] = []
        for trace in own["traces"]:
            if trace["data"] not in drafted:
                traces.append({**trace, "data": self._follow.get(trace["data"], trace["data"])})
            elif trace["data"] in places:
                new = places[trace["data"]]
                shown.add(new["data"])
                was = {**drafted[trace["data"]], "data": trace["data"]}
                traces.append(merged(was, self._renamed(new), trace, keeps_own=True))
        if at is None:
            return {**own, "traces": traces}
        added = [each for each in now if each not in places.values() and each["data"] not in shown]
        shown |= {each["data"] for each in added}
        traces += [self._renamed(each) for each in added]
        rest = [{key: value for key, value in each.items() if key != "traces"} for each in (old, self._new[at], own)]
        whole = merged(*rest, keeps_own=True)
        if any(each["data"] in self._moved for each in now):
            whole = {
                key: {name: each for name, each in value.items() if name not in _OF_VALUES} if key == "y" else value
                for key, value in whole.items()
                if key != "marks"
            }
        return {"traces": traces, **whole}

    def _places(self, old: Sequence[Document], new: Sequence[Document]) -> dict[str, Document]:
        """What is drawn in the place of each step of the old draft."""
        found = {self._pairs[trace["data"]]: trace for trace in new if trace["data"] in self._pairs}
        found = {data: trace for data, trace in found.items() if data in _of(old)}
        left = [each["data"] for each in old if each["data"] not in found]
        more = [each for each in new if each not in found.values()]
        return found | dict(zip(left, more, strict=True)) if len(left) == len(more) else found

    def _renamed(self, trace: Document) -> Document:
        return {**trace, "data": self._names[trace["data"]]}


def merged(old: Any, new: Any, own: Any, *, keeps_own: bool) -> Any:
    """A value that was `old` in one draft and is `new` in another, where the file has `own`; `keeps_own` where all differ."""
    if old == own or new == own:
        return new
    if old == new:
        return own
    if isinstance(new, dict) and isinstance(own, dict):
        was = old if isinstance(old, dict) else {}
        keys = [*own, *(key for key in new if key not in own)]
        found = {key: merged(was.get(key), new.get(key), own.get(key), keeps_own=keeps_own) for key in keys}
        return {key: value for key, value in found.items() if value is not None}
    return own if keeps_own else new


def _data(panel: Document) -> set[str]:
    return _of(panel["traces"])


def _of(traces: Sequence[Document]) -> set[str]:
    return {trace["data"] for trace in traces}
