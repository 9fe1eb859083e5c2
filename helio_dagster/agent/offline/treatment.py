"""What is done to every quantity of a request, and how the results are arranged."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta

from helio_dagster.agent.answers import OpenQuestion
from helio_dagster.agent.drafting.operation_order import ORDER, PAIRING_WORDS, SPECTRAL, TO_THE_RADIAL
from helio_dagster.agent.offline.bin_statistics import are_of_the_same
from helio_dagster.agent.offline.meanings import (
    Asks,
    AsMeasured,
    Compare,
    Layout,
    Length,
    LimitedEvents,
    Meaning,
    Planes,
    Points,
    Radial,
    Unit,
)
from helio_dagster.agent.offline.request_reading import Reading
from helio_dagster.agent.offline.wording import reworded, without
from helio_dagster.agent.targets import Derived, Measured
from helio_dagster.agent.treatments import Averaging, Pairing, Smoothing, Transform, Treatment
from helio_dagster.catalog.choice.quantities import SPECTRA, VECTORS
from helio_dagster.catalog.times.spoken_events import named_storms_in
from helio_dagster.domain.time_range import format_duration

LENGTH_ROLES = {
    "despike": "window",
    "detrend": "window",
    "rolling_statistic": "window",
    "spectrogram": "window",
    "welch": "bin",
    "minimum_variance": "bin",
}
"""The operations that need a length, each with what it is."""
_LACKING: dict[str, tuple[str, tuple[str, ...]]] = {
    "detrend": ("How long is the window that the trend is taken over?", ("1-hour window", "6-hour window")),
    "rolling_statistic": ("How long is the moving window?", ("10-minute window", "1-hour window")),
    "welch": ("How long are the bins that each have a spectrum?", ("1-hour bins", "6-hour bins")),
    "minimum_variance": ("How long are the bins that each have a direction?", ("10-minute bins", "1-hour bins")),
}


_SIDE_BY_SIDE = {"direction": "angle", "rolling_statistic": "statistic"}
"""Operations of which several may be wanted, each of the data, and the option that tells them apart."""
_ITS = re.compile(
    r"(?:\b(?:and|with|plus|together with|as well as|along with|over)|[,&+])\s+(?:its|their)\s+(?:own\s+)?$", re.IGNORECASE
)
_ORBIT = re.compile(r"orbit|trajector", re.IGNORECASE)
_NOT_BESIDE = (Asks("fit"), Asks("slope"))
"""What is drawn into the panel of another result."""
_WITH = re.compile(r"\b(?:with|and|plus|together with|as well as)\b[^,;]*$|[&+][^,;]*$", re.IGNORECASE)


def read_treatment(reading: Reading, cadence: timedelta | None) -> Treatment:
    """The treatment that a request names.

    Raises
    ------
    OpenQuestion
        It names two of what there can be only one of, or leaves out what is needed.
    """
    pairings = reading.all(Pairing)
    if any(each.kind == "lag" for each in reading.all(Asks)):  # which is that of the best correlation
        pairings = [each for each in pairings if each.operation != "rolling_correlation"]
    averagings, smoothings, layouts = reading.all(Averaging), reading.all(Smoothing), reading.all(Layout)
    of_bins = reading.of(Averaging)
    is_alone = not smoothings and not pairings and bool(of_bins) and are_of_the_same(reading, of_bins)
    also = _also(averagings) if is_alone else []
    if len(averagings) > 1 + len(also) or len(smoothings) > 1:
        raise OpenQuestion("The request names two averages. Which one do you want?")
    is_open = bool(smoothings) and smoothings[0].length is None
    is_correlation = Pairing("rolling_correlation") in pairings
    transforms, lengths, window = _transforms(
        reading, takes_window=is_open or is_correlation or Asks("jumps") in reading.all(Asks)
    )
    if window is not None and is_open:
        smoothings = [Smoothing(window)]
    if smoothings and smoothings[0].length is None:
        options = [_with(reading, smoothings[0], f"{length} running mean") for length in ("10-minute", "1-hour")]
        raise OpenQuestion("How long is the running mean to be?", options)
    if len(layouts) > 1:
        raise OpenQuestion("Are they wanted in one panel, or in separate panels?")
    if len(pairings) > 1:
        names = " or the ".join(PAIRING_WORDS[each.operation] for each in pairings)
        raise OpenQuestion(f"Do you want the {names}?")
    return Treatment(
        averagings[0] if averagings else None,
        smoothings[0] if smoothings else None,
        cadence,
        tuple(transforms),
        {**lengths, **({"window": window} if is_correlation and window is not None else {})},
        pairings[0] if pairings else None,
        tuple(each.unit for each in reading.all(Unit)),
        is_stacked=bool(layouts) and layouts[0].is_stacked,
        is_together=bool(layouts) and not layouts[0].is_stacked,
        is_comparison=bool(reading.all(Compare)),
        has_data=_has_data(reading),
        is_orbit=_is_orbit(reading),
        planes=tuple(dict.fromkeys(name for each in reading.all(Planes) for name in each.names)),
        also=tuple(also),
    )


def _also(averagings: Sequence[Averaging]) -> list[Averaging]:
    """The further statistics of the same bins: `daily mean and maximum`."""
    is_one_length = len({each.length for each in averagings}) == 1
    are_apart = len({each.method for each in averagings}) == len(averagings)
    are_values = all(each.method in ("mean", "median", "min", "max", "std") for each in averagings)
    return list(averagings[1:]) if is_one_length and are_apart and are_values else []


def _is_orbit(reading: Reading) -> bool:
    """Whether positions are to be drawn in planes: of an orbit, or where planes are named."""
    words = [
        each.words for each in reading.mentions if isinstance(each.meaning, Measured) and "position" in each.meaning.quantities
    ]
    return bool(words) and (bool(reading.all(Planes)) or any(_ORBIT.search(each) for each in words))


def _has_data(reading: Reading) -> bool:
    """Whether the data are wanted beside what is made of them: `density and its 1-hour mean`, `field with its clock angle`."""
    if reading.all(AsMeasured):
        return True
    made = (Averaging, Smoothing, Transform, Asks, Pairing)
    results = [each for each in reading.of(*made) if each.meaning not in _NOT_BESIDE]
    first = next((each.last for each in reading.of(Measured, Derived)), len(reading.request))
    is_listed = not any(each.last <= first and isinstance(each.meaning, Averaging | Smoothing | Transform) for each in results)
    is_its = is_listed and any(_ITS.search(reading.request, first, each.first) for each in results)
    are_paired = any(isinstance(each.meaning, Pairing) and _ITS.search(reading.request, 0, each.first) for each in results)
    return is_its or are_paired or _has_vectors(reading)


def _has_vectors(reading: Reading) -> bool:
    """Whether a vector is wanted beside its angle: not `of`, which says whose it is."""
    whole = [
        each
        for each in reading.mentions
        if isinstance(each.meaning, Measured)
        and each.meaning.axis is None
        and VECTORS & set(each.meaning.quantities)
        and each.meaning.shape != "magnitude"
    ]
    angles = [
        each for each in reading.mentions if isinstance(each.meaning, Transform) and each.meaning.operation == "direction"
    ]
    return any(
        before.first < angle.first
        and _WITH.search(reading.request[before.last : angle.first]) is not None
        and not any(before.first < each.first < angle.first for each in reading.of(Measured))
        for before in whole
        for angle in angles
    )


def to_the_radial(reading: Reading) -> Reading:
    """The reading in which an angle to the radial direction is the cone angle.

    Raises
    ------
    OpenQuestion
        The radial direction is named, and no angle.
    """
    if not reading.all(Radial):
        return reading
    if Pairing("angle_between") not in reading.all(Pairing):
        mention = reading.of(Radial)[0]
        choices = [reworded(reading, {mention: ""}, first="angle to the radial direction and"), without(reading, [mention])]
        raise OpenQuestion(f"What is {mention.words.strip()!r} for: an angle to it?", choices)
    cone = Transform("direction", TO_THE_RADIAL, {"angle": "cone"})
    mentions = [
        replace(each, meaning=cone) if isinstance(each.meaning, Radial) else each
        for each in reading.mentions
        if not isinstance(each.meaning, Pairing)
    ]
    return reading.rewritten(mentions)


def _transforms(reading: Reading, *, takes_window: bool) -> tuple[list[Transform], dict[str, timedelta], timedelta | None]:
    """The operations in their order, each with the lengths that the request gives it; and that of a running mean."""
    merged: dict[str, Transform] = {}
    moving = [each for each in reading.mentions if isinstance(each.meaning, Transform) and "statistic" in each.meaning.options]
    if moving and not are_of_the_same(reading, moving):
        raise OpenQuestion("One moving statistic is taken of all that is drawn. Which one do you want?")
    for each in reading.all(Transform):
        if each.operation == "spectrogram" and _are_spectrograms(reading):
            continue
        apart = _SIDE_BY_SIDE.get(each.operation)
        key = f"{each.operation} {each.options.get(apart)}" if apart else each.operation
        before = merged.get(key)
        if before is not None and any(each.options.get(name, value) != value for name, value in before.options.items()):
            raise OpenQuestion(f"The request asks for the {before.words} and the {each.words}. Which one do you want?")
        options = {**(before.options if before else {}), **each.options}
        merged[key] = replace(each, options=options)
    if len([name for name in merged if name in SPECTRAL]) > 1:
        raise OpenQuestion("Which is wanted: a spectrogram, a power spectrum per bin, or a wavelet spectrum?")
    lengths = {each.role: each.length for each in reading.all(Length)}
    if len(lengths) < len(reading.all(Length)):
        raise OpenQuestion("The request names two lengths of the same kind. Which one do you want?")
    left = dict(lengths)
    window = left.pop("window", None) if takes_window else None
    beside = _length_beside(reading, merged.values())
    points = [] if any(each.kind in ("spectrum", "slope") for each in reading.all(Asks)) else reading.all(Points)
    for key, transform in merged.items():
        operation = transform.operation
        role = LENGTH_ROLES.get(operation)
        if role is None or role in transform.options:
            continue
        if operation == "rolling_statistic" and role not in lengths and beside:
            merged[key] = replace(transform, options={role: beside, **transform.options})
            continue
        if role not in lengths and points and role == "window":
            merged[key] = replace(transform, options={"points": points.pop().count, **transform.options})
            continue
        if role not in lengths and operation not in _LACKING:
            continue  # the usual one follows from how dense the data are
        if role not in lengths:
            text, options_given = _LACKING[operation]
            raise OpenQuestion(text, [f"{reading.request.rstrip(' .?!')} with {each}" for each in options_given])
        merged[key] = replace(transform, options={role: format_duration(lengths[role]), **transform.options})
        left.pop(role, None)
    _ask_about_lacking(merged, reading)
    is_given = bool(reading.all(LimitedEvents))
    if "superposed_epoch" in merged and not is_given and not {"events", "file"} & {*merged["superposed_epoch"].options}:
        raise _around_which(reading)
    segment = {"segment": left.pop("segment")} if "welch" in merged and "segment" in left else {}
    if {"wavelet_power", "spectrogram"} & {*merged} and reading.time is not None and reading.time.span is not None:
        segment["range"] = reading.time.span.duration
    if points:
        raise OpenQuestion(f"What are the {points[0].count} points for? Say a length of time, as in: a window of 10 minutes.")
    if left:
        role, length = next(iter(left.items()))
        raise OpenQuestion(f"What is the {role} of {format_duration(length)} for?")
    return sorted(merged.values(), key=lambda each: ORDER.index(each.operation)), segment, window


def _length_beside(reading: Reading, transforms: Iterable[Transform]) -> str:
    """The window of the one moving statistic or mean that has one: `3-hour running median and standard deviation`."""
    windows = {
        str(each.options["window"]) for each in transforms if each.operation == "rolling_statistic" and "window" in each.options
    }
    windows |= {format_duration(each.length) for each in reading.all(Smoothing) if each.length is not None}
    return next(iter(windows)) if len(windows) == 1 else ""


def _are_spectrograms(reading: Reading) -> bool:
    """Whether what is asked for has energies already, and no window that would make spectra over time of it."""
    wanted = {quantity for each in reading.all(Measured) for quantity in each.quantities}
    return bool(wanted) and wanted <= SPECTRA and not reading.all(Length)


def _ask_about_lacking(merged: Mapping[str, Transform], reading: Reading) -> None:
    if "butterworth" in merged and not {"above_hz", "below_hz"} & {*merged["butterworth"].options}:
        text = "Which frequencies should pass?"
        raise OpenQuestion(text, [f"{reading.request.rstrip(' .?!')} between 0.001 and 0.005 Hz"])


def _around_which(reading: Reading) -> OpenQuestion:
    """The question for the events of a superposed epoch; storms with a name are offered."""
    storms = named_storms_in(reading.span)
    again = f"{reading.request.rstrip(' .?!')} around {' and '.join(storms)}"
    text = "Around which events? Give their times, as in: around 2015-03-17T04:45 and 2015-06-22T18:33."
    return OpenQuestion(text, [again] if storms else [])


def _with(reading: Reading, meaning: Meaning, words: str) -> str:
    """The request with other words for a meaning."""
    mention = next(mention for mention in reading.mentions if mention.meaning == meaning)
    return reworded(reading, {mention: words})
