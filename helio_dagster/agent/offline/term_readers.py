"""What a match of a term means, for each kind of line of `words/terms.txt`."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from helio_dagster.agent.offline import length_readers, result_words
from helio_dagster.agent.offline.meanings import (
    AsMeasured,
    Cadence,
    Compare,
    Dataset,
    Filler,
    Frame,
    Heading,
    InMode,
    Instrument,
    Layout,
    Length,
    Level,
    Meaning,
    Mission,
    Per,
    Planes,
    Points,
    Radial,
    Shape,
    Statistic,
    Unclear,
    Unit,
)
from helio_dagster.agent.offline.words_in_context import (
    at_l1,
    au,
    driving,
    electric_component,
    events,
    events_file,
    field_component,
    flow_symbol,
    rtn_component,
    untreated,
    wind,
)
from helio_dagster.agent.offline.words_in_context import by as by_word
from helio_dagster.agent.targets import Derived, Measured
from helio_dagster.agent.treatments import Averaging, Pairing, Transform
from helio_dagster.catalog.choice.quantities import Species
from helio_dagster.catalog.mission_words import read_mission
from helio_dagster.catalog.times.lengths import read_length
from helio_dagster.domain.catalog_entry import Quantity
from helio_dagster.domain.time_range import format_duration
from helio_dagster.domain.unit_words import read_unit

Read = Callable[[re.Match[str]], Meaning]
_MOST_NAMED = 8
_OPTIONS_OF_DERIVED = ("species", "southward_only", "extrapolate", "correction", "model", "result")
_SPECIES: dict[str, Species] = {
    "ion": "ions", "proton": "protons", "electron": "electrons", "alpha": "alphas", "helium": "alphas",
}  # fmt: skip

_LINKS = re.compile(r"^(?:(?:for|in|over|during|of|on|the|an?) )+| (?:of|for|from|in|by|between)$")


def reader(kind: str, *values: str) -> Read:
    """What a match means: `kind value option=value …` of a line."""
    options = dict(value.split("=", 1) for value in values if re.match(r"[a-z_]+=", value))
    given = [value for value in values if not re.match(r"[a-z_]+=", value)]
    if kind in _READERS:
        return _READERS[kind]
    return _MAKERS[kind](given, options)


def _quantity(given: list[Any], options: Mapping[str, Any]) -> Read:
    return _always(Measured(tuple(given[0].split(",")), **options))


def _moment(given: list[str], options: Mapping[str, Any]) -> Read:
    quantities: Any = tuple(given[0].split(","))

    def read(match: re.Match[str]) -> Meaning:
        whose = (match.groupdict().get("whose") or "").lower()
        species: Species = next((name for word, name in _SPECIES.items() if whose.startswith(word)), "")
        return Measured(quantities, species=species, **options)

    return read


def _component(given: list[str], _options: Mapping[str, Any]) -> Read:
    quantity: Any = given[0]
    return lambda match: Measured((quantity,), axis=match["axis"].lower())


def _derived(given: list[str], options: Mapping[str, Any]) -> Read:
    inputs = []
    more = {name: value == "yes" or value for name, value in options.items() if name in _OPTIONS_OF_DERIVED}
    for name, wanted in options.items():
        if name in more:
            continue
        parts = re.fullmatch(r"(?P<quantity>\w+)(?:@(?P<whose>\w+))?(?::(?P<shape>\w+))?(?:\.(?P<axis>\w))?", wanted)
        assert parts is not None  # noqa: S101 - our own file
        quantity: Any = (parts["quantity"],)
        shape: Any = parts["shape"]
        species: Any = parts["whose"] or ""
        inputs.append((name, Measured(quantity, shape, parts["axis"], species)))
    return _always(Derived(given[0], given[1], tuple(inputs), more))


def _transform(given: list[str], options: Mapping[str, Any]) -> Read:
    operation, words = given
    role = options.get("length")
    rest = {name: value for name, value in options.items() if name != "length"}

    def read(match: re.Match[str]) -> Meaning:
        if role is None or not match.groupdict().get("unit"):
            return Transform(operation, words, rest)
        length = read_length(match)
        return (
            Transform(operation, words, {role: format_duration(length), **rest})
            if length_readers.is_sound(length)
            else length_readers.no_length(match)
        )

    return read


def _unclear(given: list[str], options: Mapping[str, Any]) -> Read:
    is_first = given[0] == "first"
    question, *choices = given[1:] if is_first else given
    sort = options.get("sort", "")
    kind = question if "is_kind" in options else ""

    def read(match: re.Match[str]) -> Meaning:
        words = " ".join(match[0].split())
        filled = tuple(each.format(words, **match.groupdict()) for each in choices)
        text = question.format(repr(without_links(words)) if kind else words)
        return Unclear(text, filled, is_first, sort, kind)

    return read


def without_links(words: str) -> str:
    """Words without what joins them to others: `forecast` of `the forecast of`."""
    return _LINKS.sub("", " ".join(words.split()))


def _to_frame(match: re.Match[str]) -> Meaning:
    source = {"from": match["source"].upper()} if match["source"] else {}
    return Transform("transform_frame", f"in {match['to'].upper()}", {"to": match["to"].upper(), **source})


def _letters(match: re.Match[str]) -> Meaning:
    """`N, T and V`: beside one another they are the moments of the plasma, V being its speed, and the field."""
    quantities = tuple(
        dict.fromkeys(_LETTERS[each.upper()] for each in re.findall(r"\b[bntv]\b", match["letters"], re.IGNORECASE))
    )
    return Measured(quantities)


_LETTERS: dict[str, Quantity] = {
    "B": "magnetic_field", "N": "density", "T": "temperature", "V": "speed"
}  # fmt: skip


def _planes(match: re.Match[str]) -> Meaning:
    """`XY and XZ planes`."""
    found = [
        re.sub("[- ]", "", each).upper() for each in re.findall(r"(?<![a-z])[xyz][- ]?[xyzr](?![a-z])", match[0], re.IGNORECASE)
    ]
    return Planes(tuple(dict.fromkeys("".join(sorted(each, key="XYZR".index)) for each in found)))


def _always(meaning: Meaning) -> Read:
    return lambda _match: meaning


def _mission(match: re.Match[str]) -> Meaning:
    found = read_mission(match.groupdict().get("mission") or match[0])
    if not found.several:
        return Mission(found.name, found.member, found.note)
    names = [found.several[0], "…", found.several[-1]] if len(found.several) > _MOST_NAMED else found.several
    text = f"Which spacecraft do you mean by {match[0]!r}: {' or '.join(names).replace('or … or', '…')}?"
    return Unclear(text, found.several, sort="spacecraft")


def _level(given: list[str], _options: Mapping[str, Any]) -> Read:
    """A level of processing: the one that a line names, or the number in the words."""
    if given:
        return _always(Level(given[0]))
    return lambda match: Level(re.findall(r"[0-4]", match[0])[0])


def _instrument(match: re.Match[str]) -> Meaning:
    return Instrument(" ".join(match[0].lstrip("/").upper().split()))


_READERS: dict[str, Read] = {
    "wind": wind,
    "by": by_word,
    "field_component": field_component,
    "rtn_component": rtn_component,
    "electric_component": electric_component,
    "at_l1": at_l1,
    "au": au,
    "flow_symbol": flow_symbol,
    "driving": driving,
    "events": events,
    "untreated": untreated,
    "dataset": lambda match: Dataset(match[0].rpartition("/")[2].upper()),
    "mission": _mission,
    "instrument": _instrument,
    "frame": lambda match: Frame(match["frame"].upper()),
    "to_frame": _to_frame,
    "compare": _always(Compare()),
    "as_measured": _always(AsMeasured()),
    "radial": _always(Radial()),
    "aside": _always(Heading()),
    "place": _always(Heading(is_place=True)),
    "periods": length_readers.periods,
    "reach": length_readers.reach,
    "events_file": events_file,
    "letters": _letters,
    "band": length_readers.band,
    "band_limits": length_readers.band_limits,
    "cutoff": length_readers.cutoff,
    "both_sides": length_readers.both_sides,
    "smoothing": length_readers.smoothing,
    "averaging": length_readers.of_length(lambda length, match: Averaging(length, length_readers.method_of(match))),
    "per": length_readers.of_length(lambda length, _match: Per(length)),
    "rate": length_readers.rate,
    "cadence": length_readers.of_length(lambda length, _match: Cadence(length)),
    "calendar": length_readers.calendar,
    "condition": result_words.condition,
    "crossing": result_words.crossing,
    "ward": result_words.ward,
    "stretches": result_words.stretches,
    "way": result_words.way,
    "apart": result_words.apart,
    "lasting": result_words.lasting,
    "points": lambda match: Points(int(match["count"])),
    "bins": result_words.bins,
    "when": result_words.when,
    "planes": _planes,
    "panel": result_words.panel,
    "of_variance": result_words.of_variance,
    "after_what": result_words.after_what,
    "quartiles": result_words.quartiles,
    "lags": result_words.lags,
    "unit": lambda match: Unit(read_unit(match["unit"])),
}
_MAKERS: dict[str, Callable[[list[Any], Mapping[str, Any]], Read]] = {
    "quantity": _quantity,
    "moment": _moment,
    "component": _component,
    "derived": _derived,
    "transform": _transform,
    "unclear": _unclear,
    "filler": lambda given, _: _always(Filler(*given)),
    "asks": lambda given, options: _always(result_words.asks(given, options)),
    "pairing": lambda given, _: _always(Pairing(given[0])),
    "shape": lambda given, _: _always(Shape(given[0])),
    "layout": lambda given, _: _always(Layout(is_stacked=given[0] != "together", is_ordered=given[0] == "ordered")),
    "level": _level,
    "mode": lambda given, _: _always(InMode(given[0])),
    "statistic": lambda given, _: _always(Statistic(given[0])),
    "length": lambda given, _: length_readers.of_length(lambda length, _match: Length(given[0], length)),
}
