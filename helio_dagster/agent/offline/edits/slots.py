"""A sentence taken apart into slots: what is to be done, how it shall look, where it goes, and the words that are left."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from helio_dagster.agent.answers import OpenQuestion
from helio_dagster.agent.offline.edits.forms import rows
from helio_dagster.domain.unit_conversion import can_convert, conversion_factor
from helio_dagster.domain.units import normalize_unit

VERBS = ("add", "remove", "only", "replace", "fork")
_PRONOUNS = frozenset(("it", "this", "that"))
_PLACES = {"end": "bottom", "last": "bottom", "lower": "bottom", "lowest": "bottom", "first": "top", "upper": "top",
           "above": "top", "highest": "top"}  # fmt: skip
_MOVING = frozenset(("put", "move", "bring", "have", "show", "draw", "plot", "make"))
_JOINT = re.compile(r"[,;&]? ?\b(?:and then|and|but|then)\b|[,;&]", re.IGNORECASE)
_WORD = re.compile(r"[^\s,;.!?\"()]+(?:\.\d+)?|.")
_EDGES = (r"(?<![\w|])", r"(?![\w|])")


@dataclass(frozen=True)
class Token:
    """Words of a sentence at `[first, last)`; `kind` is empty for those that only the reader of requests may know."""

    kind: str
    first: int
    last: int
    parts: Mapping[str, str | None]


_LOOKS = ("color", "width", "thick", "thin", "dash", "points", "line", "steps", "scale", "range", "by", "height")


@dataclass(frozen=True)
class Clause:
    """One change of a sentence `text`: what is done, to what, how it looks, and where it goes.

    `target` are the words for what it is done to, `at` where they stand; `old` those behind `instead of`, `beside` those behind
    `below`. `foreign` are words for what cannot be changed, `all`, `instead` and `use` the words that say so.
    """

    text: str
    at: tuple[int, int] | None = None
    target: str = ""
    looks: Mapping[str, Any] = field(default_factory=dict)
    old: str | None = None
    beside: str = ""
    verb: str = ""
    layout: str = ""
    place: str = ""
    all: str = ""
    instead: str = ""
    use: str = ""
    foreign: str = ""

    @property
    def two_sides(self) -> tuple[str, str]:
        """What is replaced, and by what: `X by Y`."""
        old, _, new = re.sub(r"\s+(?:by|with|for|to|into)\s+", "\0", self.target, count=1).partition("\0")
        return old, new


def tokens_of(text: str) -> list[Token]:
    """Every word of a sentence, as the longest slot that it belongs to."""
    found: list[Token] = []
    at = 0
    while at < len(text):
        if text[at] in ' \t.!?"':
            at += 1
            continue
        slots = (("joint", _JOINT), *rows("slots.txt", _EDGES))
        matches = ((match, kind) for kind, pattern in slots if (match := pattern.match(text, at)) and match.end() > at)
        best = max(matches, key=lambda each: each[0].end(), default=None)
        if best is None:
            word = _WORD.match(text, at)
            last = word.end() if word else at + 1
            found.append(Token("", at, last, {}))
        else:
            kind = "" if best[0][0] == "By" else best[1]
            found.append(Token(kind, at, best[0].end(), best[0].groupdict()))
        at = found[-1].last
    return found


def clauses_of(text: str) -> list[Clause]:
    """The changes that a sentence says, in order; one that says no more than how things look goes with the one before."""
    chunks: list[list[Token]] = [[]]
    joints: list[Token] = []
    for token in tokens_of(text):
        if token.kind == "joint":
            joints.append(token)
            chunks.append([])
        else:
            chunks[-1].append(token)
    merged: list[list[Token]] = [chunks[0]]
    for joint, chunk in zip(joints, chunks[1:], strict=True):
        is_another = _is_change(chunk) and any(token.kind in ("", "all", "computed", "over", *VERBS) for token in chunk)
        is_another = is_another or _is_moved(text, chunk)
        if is_another and (_is_change(merged[-1]) or any(token.kind == "beside" for token in merged[-1])):
            merged.append(chunk)
        else:
            merged[-1] = [*merged[-1], replace(joint, kind="small"), *chunk]
    return [_clause(text, chunk) for chunk in merged if chunk]


def is_about_looks(text: str) -> bool:
    """Whether words say how something looks, or where it stands."""
    return any(token.kind in (*_LOOKS, "apart", "together", "place", "beside") for token in tokens_of(text))


def _is_change(chunk: list[Token]) -> bool:
    return any(token.kind in (*_LOOKS, *VERBS, "apart", "together", "over", "place", "computed", "except") for token in chunk)


def _is_moved(text: str, chunk: list[Token]) -> bool:
    """Whether words put something somewhere: `and put it on top`, `put density above |B|`."""
    words = {text[token.first : token.last].casefold() for token in chunk}
    kinds = {token.kind for token in chunk}
    return bool(kinds & {"place", "beside"}) and bool(words & _MOVING) and bool(words & _PRONOUNS or "" in kinds)


def _clause(text: str, chunk: list[Token]) -> Clause:
    parts: dict[str, list[Token]] = {"target": [], "old": [], "beside": []}
    looks: dict[str, Any] = {}
    where, changes = "target", dict[str, str]()
    for token in chunk:
        kind, phrase = token.kind, text[token.first : token.last]
        open_number = next((name for name in ("width", "height") if looks.get(name, 1) is None), "")
        if (
            where == "old"
            and phrase.lower() in ("for", "of", "in")
            and parts["old"]
            and all(_is_plain(each, text) for each in parts["old"])
        ):
            where = "target"  # `dots instead of a line for the speed`
        if where == "target" and kind == "number" and open_number:
            looks[open_number] = plain(token.parts["value"])
        elif where != "old" and kind in (*_LOOKS, "axis"):
            look = _look(token, looks)
            if any(name in ("color", "draw") and looks.get(name, value) != value for name, value in look.items()):
                changes["foreign"] = phrase  # two colours of one thing
            looks |= look
            changes |= {"all": phrase} if re.search("(?:lines|curves|traces)$", phrase, re.IGNORECASE) else {}
        elif where == "target" and kind in ("apart", "together"):
            changes["layout"] = kind
        elif where == "target" and kind == "place":
            end = (token.parts.get("place") or "bottom").lower().removesuffix("most")
            changes["place"] = _PLACES.get(end, end)
        elif kind in ("old", "beside"):
            where, side = kind, token.parts.get("side") or ""
            changes |= {"place": "above" if side.lower() in ("above", "on top of") else "below"} if side else {}
        elif where == "target" and kind == "over":
            changes |= {"verb": "add", "layout": "together"}
        elif where == "target" and kind == "except":
            changes["verb"] = "only" if changes.get("verb") == "remove" else "remove"
        elif where == "target" and kind in ("instead", "all", "foreign", *VERBS):
            changes |= {"verb": changes.get("verb") or kind} if kind in VERBS else {kind: phrase}
            parts["target"] += [token] if kind == "replace" else []
        else:
            changes |= {"use": phrase} if kind == "use" else {}
            parts[where].append(token)
    named = [token for token in parts["target"] if token.kind in ("", "computed")]
    at = (named[0].first, named[-1].last) if named else None
    pronoun = next((token for token in parts["target"] if text[token.first : token.last].lower() in _PRONOUNS), None)
    words = {
        name: " ".join(text[each.first : each.last] for each in of if each.kind != "replace") for name, of in parts.items()
    }
    has_old = any(token.kind == "old" for token in chunk)
    return Clause(
        text,
        at or ((pronoun.first, pronoun.last) if pronoun else None),
        words["target"],
        {name: value for name, value in looks.items() if value is not None},
        words["old"] if has_old else None,
        words["beside"],
        **changes,
    )


def _is_plain(token: Token, text: str) -> bool:
    """Whether a token tells only how something looks."""
    return token.kind in _LOOKS or text[token.first : token.last].lower() in (
        "a",
        "an",
        "the",
        "line",
        "lines",
        "curve",
        "solid",
    )


def _look(token: Token, before: Mapping[str, Any]) -> dict[str, Any]:
    parts, kind = token.parts, token.kind
    value = parts.get("value") or ""
    axis = _axis_of(parts.get("axis") or value, value)
    match kind:
        case "color":
            return {kind: re.sub("[- ]", "", value).lower()}
        case "thick" | "thin":
            return {"width": 2.0 if kind == "thick" else 0.75}
        case "points" | "line" | "steps":
            return {"draw": kind}
        case "dash":
            return {kind: {"dashed": "dash", "solid": "solid"}.get(value.lower(), "dashdot")}
        case "scale":
            of_values = re.search(r"flux|intensity|power|count", parts.get("axis") or "", re.IGNORECASE)
            is_named_in = axis != "y" or (not of_values and re.search(r"y|ax[ei]s", parts.get("axis") or "", re.IGNORECASE))
            given = {"axis": before.get("axis", axis)} if is_named_in or "axis" in before else {}
            return {kind: "linear" if value.lower().startswith("linear") else "log", **given}
        case "range":
            own, unit = parts.get("unit"), parts.get("unit2") or parts.get("unit")
            low, high = (plain(end) if (end := parts.get(name)) else None for name in ("low", "high"))
            limits = [low if low is None else _in_unit(low, own or unit, unit), high]
            return {kind: limits, "axis": before.get("axis", axis), "unit": unit}
        case "axis":
            return {kind: axis}
        case "by":
            factors = {"twice": 2, "double": 2, "half": 0.5, "three times": 3, "shorter": 0.6, "smaller": 0.6, "flatter": 0.6}
            return {kind: plain(value.split()[0]) if value[0].isdigit() else factors.get(value.lower(), 1.5)}
    return {kind: plain(value) if value else None}


def _in_unit(value: float, unit: str | None, other: str | None) -> float | int:
    """A limit in the unit of the other one: `100 eV to 10 keV` begins at 0.1 keV."""
    if unit is None or other is None or unit == other:
        return plain(str(value))
    given, wanted = normalize_unit(unit), normalize_unit(other)
    if not can_convert(given, wanted):
        raise OpenQuestion(f"The limits are in {unit} and {other}, which cannot be of one axis. Which unit do you mean?")
    return plain(f"{value * float(conversion_factor(given, wanted)):.12g}")


def _axis_of(words: str, value: str) -> str:
    """Which axis words name: `xy` are both of a panel whose horizontal axis is not time."""
    if re.search(r"log[- ]?log|both|\baxes\b|x(?: and |[/-])?y", f"{value} {words}", re.IGNORECASE):
        return "xy"
    if re.search(r"\bx\b|horizontal", words, re.IGNORECASE):
        return "x"
    return "z" if re.search("colou?r|z(?!o)", words, re.IGNORECASE) else "y"


def plain(text: str | None) -> float | int:
    """A number as it is written in a file: whole ones without a point."""
    number = 0.0 if str(text).lower() == "zero" else float(str(text).replace("−", "-"))
    return int(number) if number.is_integer() else number
