"""What a match of a term means, for each kind of line of `words/terms.txt`."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Any

from helio_dagster.agent.intent import Averaging, BinMethod, Derived, Measured, Pairing, Smoothing, Transform
from helio_dagster.agent.offline import frequency_words, result_words
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
    Radial,
    Shape,
    Statistic,
    Unclear,
    Unit,
)
from helio_dagster.agent.offline.words_in_context import (
    at_l1,
    events,
    events_file,
    field_component,
    rtn_component,
    untreated,
    wind,
)
from helio_dagster.agent.offline.words_in_context import by as by_word
from helio_dagster.catalog.choice.quantities import Species
from helio_dagster.catalog.mission_words import read_mission
from helio_dagster.catalog.times.lengths import LONGEST, count_lengths, read_length
from helio_dagster.catalog.times.spoken_events import SUPERPOSED
from helio_dagster.domain.catalog_entry import Quantity
from helio_dagster.domain.time_range import format_duration
from helio_dagster.domain.time_words import NUMBER_WORDS
from helio_dagster.domain.unit_words import read_unit

Read = Callable[[re.Match[str]], Meaning]
_OPTIONS_OF_DERIVED = ("species", "southward_only", "extrapolate", "correction", "model")
_SPECIES: dict[str, Species] = {
    "ion": "ions", "proton": "protons", "electron": "electrons", "alpha": "alphas", "helium": "alphas",
}  # fmt: skip
_METHODS: tuple[BinMethod, ...] = ("mean", "median", "min", "max", "std", "sum")
_ONE = {"minute": timedelta(minutes=1), "hour": timedelta(hours=1), "day": timedelta(days=1), "week": timedelta(days=7)}
_CALENDAR = "Calendar months and years have no one length, and bins here have. Which bins do you want?"


def reader(kind: str, *values: str) -> Read:
    """What a match means: `kind value option=value …` of a line."""
    options = dict(value.split("=", 1) for value in values if re.match(r"[a-z_]+=", value))
    given = [value for value in values if not re.match(r"[a-z_]+=", value)]
    if kind in _READERS:
        return _READERS[kind]
    return _MAKERS[kind](given, options)


def _quantity(given: list[Any], options: Mapping[str, Any]) -> Read:
    return _always(Measured(tuple(given[0].split(",")), **options))


def _moment(given: list[str], _options: Mapping[str, Any]) -> Read:
    quantities: Any = tuple(given[0].split(","))

    def read(match: re.Match[str]) -> Meaning:
        whose = (match.groupdict().get("whose") or "").lower()
        species: Species = next((name for word, name in _SPECIES.items() if whose.startswith(word)), "")
        return Measured(quantities, species=species)

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
        parts = re.fullmatch(r"(?P<quantity>\w+)(?::(?P<shape>\w+))?(?:\.(?P<axis>\w))?", wanted)
        assert parts is not None  # noqa: S101 - our own file
        quantity: Any = (parts["quantity"],)
        shape: Any = parts["shape"]
        inputs.append((name, Measured(quantity, shape, parts["axis"])))
    return _always(Derived(given[0], given[1], tuple(inputs), more))


def _transform(given: list[str], options: Mapping[str, Any]) -> Read:
    operation, words = given
    role = options.get("length")
    rest = {name: value for name, value in options.items() if name != "length"}

    def read(match: re.Match[str]) -> Meaning:
        if role is None or not match.groupdict().get("unit"):
            return Transform(operation, words, rest)
        length = read_length(match)
        return Transform(operation, words, {role: format_duration(length), **rest}) if _is_sound(length) else _no_length(match)

    return read


def _unclear(given: list[str], _options: Mapping[str, Any]) -> Read:
    is_first = given[0] == "first"
    question, *choices = given[1:] if is_first else given

    def read(match: re.Match[str]) -> Meaning:
        words = " ".join(match[0].split())
        return Unclear(question.format(words), tuple(each.format(words) for each in choices), is_first)

    return read


def _of_length(make: Callable[[timedelta, re.Match[str]], Meaning]) -> Read:
    def read(match: re.Match[str]) -> Meaning:
        one = match.groupdict().get("one")
        length = _ONE[one.lower()] if one else read_length(match)
        return make(length, match) if _is_sound(length) else _no_length(match)

    return read


def _smoothing(match: re.Match[str]) -> Meaning:
    if not match.groupdict().get("unit"):
        return Smoothing(None)
    length = read_length(match)
    return Smoothing(length) if _is_sound(length) else _no_length(match)


def _method(match: re.Match[str]) -> BinMethod:
    named = match.groupdict()
    return "count" if named.get("count_of") else next((method for method in _METHODS if named.get(method)), "mean")


def _calendar(match: re.Match[str]) -> Meaning:
    """Bins of nearly a month, or a day; what is taken of them is said beside it where the match does not."""
    is_per = re.match(r"(?:per|each|every|for|in|over|of|by)\b", match[0], re.IGNORECASE) is not None
    kind = " ".join(match[0].split()[1:]) if not is_per and " " in match[0] else "means"
    forms = ("per 27 days", "per 30 days", "per day") if is_per else tuple(f"{each} {kind}" for each in _BINS)
    return Unclear(_CALENDAR, forms)


_BINS = ("27-day", "30-day", "daily")


def _to_frame(match: re.Match[str]) -> Meaning:
    source = {"from": match["source"].upper()} if match["source"] else {}
    return Transform("transform_frame", f"in {match['to'].upper()}", {"to": match["to"].upper(), **source})


def _both_sides(match: re.Match[str]) -> Meaning:
    """`12 hours on either side`, of the events of a superposed epoch."""
    length = read_length(match)
    if not SUPERPOSED.search(match.string) or not _is_sound(length):
        return Unclear(f"What is {match[0]!r} around? Give the first and the last time instead.", ())
    reach = format_duration(length)
    return Transform("superposed_epoch", "superposed epoch", {"before": reach, "after": reach})


def _two_lengths(match: re.Match[str]) -> tuple[timedelta, timedelta] | None:
    unit = match["unit2"] or match["unit1"]  # `two days before and five after`
    if not (match["count1"] and match["count2"] and unit):
        return None
    first, second = (
        count_lengths(str(NUMBER_WORDS.get(match[f"count{at}"].lower(), match[f"count{at}"])), match[f"unit{at}"] or unit)
        for at in (1, 2)
    )
    return first, second


def _periods(match: re.Match[str]) -> Meaning:
    lengths = _two_lengths(match)
    if lengths is None or not timedelta(0) < lengths[0] < lengths[1]:
        return Unclear(f"{match[0]!r} is not a range of periods. Which one do you mean?", ())
    shortest, longest = map(format_duration, lengths)
    return Transform("wavelet_power", "wavelet power", {"shortest": shortest, "longest": longest})


def _reach(match: re.Match[str]) -> Meaning:
    """How far before and after each event."""
    lengths = _two_lengths(match)
    if lengths is None:
        return Unclear(f"How far before and after the events is {match[0]!r}?", ())
    before, after = map(format_duration, lengths)
    return Transform("superposed_epoch", "superposed epoch", {"before": before, "after": after})


def _letters(match: re.Match[str]) -> Meaning:
    """`N, T and V`: beside one another they are the moments of the plasma, V being its speed, and the field."""
    quantities = tuple(dict.fromkeys(_LETTERS[each] for each in re.findall(r"\b[BNTVn]\b", match["letters"])))
    return Measured(quantities)


_LETTERS: dict[str, Quantity] = {
    "B": "magnetic_field", "N": "density", "n": "density", "T": "temperature", "V": "speed"
}  # fmt: skip


def _planes(match: re.Match[str]) -> Meaning:
    """`XY and XZ planes`."""
    found = [
        re.sub("[- ]", "", each).upper() for each in re.findall(r"(?<![a-z])[xyz][- ]?[xyzr](?![a-z])", match[0], re.IGNORECASE)
    ]
    return Planes(tuple(dict.fromkeys("".join(sorted(each, key="XYZR".index)) for each in found)))


def _rate(match: re.Match[str]) -> Meaning:
    """`5 vectors per second`: how dense the data shall be."""
    rate = float(match["rate"] or match["rate2"] or match["rate3"])
    return Cadence(timedelta(seconds=1 / rate)) if rate > 0 else Unclear(f"{match[0]!r} is not a rate. What do you mean?", ())


def _always(meaning: Meaning) -> Read:
    return lambda _match: meaning


def _is_sound(length: timedelta) -> bool:
    return timedelta(0) < length <= LONGEST


def _no_length(match: re.Match[str]) -> Unclear:
    return Unclear(f"{match[0]!r} is too short or longer than {LONGEST.days} days. What do you mean?", ())


def _mission(match: re.Match[str]) -> Meaning:
    found = read_mission(match.groupdict().get("mission") or match[0])
    if not found.several:
        return Mission(found.name, found.member, found.note)
    return Unclear(f"Which spacecraft do you mean by {match[0]!r}: {' or '.join(found.several)}?", found.several)


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
    "at_l1": at_l1,
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
    "periods": _periods,
    "reach": _reach,
    "events_file": events_file,
    "letters": _letters,
    "band": frequency_words.band,
    "band_limits": frequency_words.band_limits,
    "cutoff": frequency_words.cutoff,
    "both_sides": _both_sides,
    "smoothing": _smoothing,
    "averaging": _of_length(lambda length, match: Averaging(length, _method(match))),
    "per": _of_length(lambda length, _match: Per(length)),
    "rate": _rate,
    "cadence": _of_length(lambda length, _match: Cadence(length)),
    "calendar": _calendar,
    "condition": result_words.condition,
    "crossing": result_words.crossing,
    "ward": result_words.ward,
    "stretches": result_words.stretches,
    "way": result_words.way,
    "lasting": result_words.lasting,
    "bins": result_words.bins,
    "when": result_words.when,
    "planes": _planes,
    "panel": result_words.panel,
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
    "layout": lambda given, _: _always(Layout(is_stacked=given[0] == "stacked")),
    "level": _level,
    "mode": lambda given, _: _always(InMode(given[0])),
    "statistic": lambda given, _: _always(Statistic(given[0])),
    "length": lambda given, _: _of_length(lambda length, _match: Length(given[0], length)),
}
