"""Which words name an operation, and with which options."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import timedelta

from helio_dagster.agent.intent import Derived, Measured, Pairing, Transform
from helio_dagster.agent.offline.lengths import LENGTH, LONGEST, UNIT_NAMES, count_lengths, read_length, read_named_length
from helio_dagster.agent.offline.meanings import Length, Meaning, Unclear
from helio_dagster.domain.time_range import format_duration

Read = Callable[[re.Match[str]], Meaning]

_FIELD = Measured(("magnetic_field",), "magnitude")
_FIELD_VECTOR = Measured(("magnetic_field",), "vector")
_DENSITY, _SPEED, _TEMPERATURE = Measured(("density",)), Measured(("speed",)), Measured(("temperature",))
_DERIVED: tuple[tuple[str, str, str, tuple[tuple[str, Measured], ...]], ...] = (
    ("plasma_beta", "plasma beta", "(?:(?:plasma|proton|ion) )?(?:beta|β)",
     (("density", _DENSITY), ("temperature", _TEMPERATURE), ("field", _FIELD))),
    ("alfven_speed", "Alfven speed", "alfv[eé]n(?:ic)? (?:speed|velocity)|v_a", (("field", _FIELD), ("density", _DENSITY))),
    ("alfven_mach", "Alfven Mach number", "alfv[eé]n(?:ic)?[- ]mach(?: number)?|m_a",
     (("speed", _SPEED), ("field", _FIELD), ("density", _DENSITY))),
    ("sonic_mach", "sonic Mach number", "sonic mach(?: number)?", (("speed", _SPEED), ("temperature", _TEMPERATURE))),
    ("dynamic_pressure", "dynamic pressure", "(?:solar wind )?(?:dynamic|ram)[- ]pressure|p_?dyn",
     (("density", _DENSITY), ("speed", _SPEED))),
    ("gyroradius", "proton gyroradius", "(?:proton |ion )?(?:gyro|larmor )radi(?:us|i)",
     (("field", _FIELD), ("temperature", _TEMPERATURE))),
    ("gyrofrequency", "proton gyrofrequency", "(?:proton |ion )?(?:gyro|cyclotron )frequenc(?:y|ies)", (("field", _FIELD),)),
    ("parker_spiral_angle", "Parker spiral angle", "parker(?:'s)? spiral(?: angle)?|spiral angle", (("speed", _SPEED),)),
    ("convection_electric_field", "convection electric field",
     r"(?:convection|motional|convective) electric field"
     r"|(?:(?:convection |motional )?electric field )?(?:from |as |of )?-?v_?(?:sw)?\s*(?:[x×]|cross)\s*b(?: electric field)?",
     (("velocity", Measured(("velocity",), "vector")), ("field", _FIELD_VECTOR))),
    ("dawn_dusk_electric_field", "dawn-dusk electric field", "dawn[- ](?:to[- ])?dusk electric field|solar wind electric field",
     (("speed", _SPEED), ("bz", Measured(("magnetic_field",), axis="z")))),
    ("epsilon", "epsilon parameter", "(?:akasofu(?:'s)? )?epsilon(?: parameter)?|akasofu parameter",
     (("speed", _SPEED), ("field", _FIELD_VECTOR))),
)  # fmt: skip
_ANGLES = {
    "clock": "clock angle",
    "cone": "cone angle",
    "latitude": "latitude of the direction",
    "longitude": "longitude of the direction",
}
_STATISTICS = {
    "std": r"standard deviations?|std|fluctuation level",
    "median": "medians?",
    "variance": "variances?",
    "min": "minim(?:um|a)|min",
    "max": "maxim(?:um|a)|max",
}
_MOVING = "(?:running|moving|rolling|sliding)"
_HERTZ = r"(?P<{0}>\d+(?:\.\d+)?(?:e-?\d+)?)\s*(?P<{0}_unit>m?hz)?"
_LINK = "(?: (?:with|in|by|over|using|of|from|for))?(?: an?)?(?: (?:moving|running|centred|centered))?(?: window of)?"


def operation_terms() -> Iterator[tuple[str, Read]]:
    """Pattern and meaning of each."""
    for operation, words, pattern, inputs in _DERIVED:
        yield pattern, _always(Derived(operation, words, inputs))
    yield from _directions()
    yield from _moving()
    yield from _spectral()
    yield from _filters()
    yield from _superposed()
    yield "(?:time )?(?:derivatives?|rate of change)|db/dt|d/dt", _transform("derivative", "derivative")
    yield r"(?:differentiated?)", _transform("derivative", "derivative")
    frames = "(?P<to>gse|gsm|sm|geo|gei)"
    turned = "(?:transform(?:ed)?|rotated?|converted?|conver(?:t|sion))"
    into = f"{turned}(?: from (?P<source>gse|gsm|sm|geo|gei))? (?:in|into|to) {frames}"
    yield into, _to_frame
    yield "(?:the )?differences?(?: between)?|minus", _always(Pairing("difference"))
    yield "ratios?(?: between)?|divided by", _always(Pairing("ratio"))


def _directions() -> Iterator[tuple[str, Read]]:
    for angle, words in _ANGLES.items():
        pattern = f"(?:imf )?{angle}[- ]angles?" if angle in ("clock", "cone") else f"{angle}s?(?: angles?)?"
        yield pattern, _transform("direction", words, angle=angle)
    bins = f"(?: (?:in|over|per))? {LENGTH}(?:[- ](?:bins?|intervals?|windows?))?"
    named = "(?:minimum[- ]variance|mva)(?: analysis)?(?: (?:normals?|directions?))?"
    yield f"{named}{bins}", lambda match: _with_length(match, "minimum_variance", "minimum variance normal", "bin")
    yield named, _transform("minimum_variance", "minimum variance normal")


def _moving() -> Iterator[tuple[str, Read]]:
    for statistic, pattern in _STATISTICS.items():

        def read(match: re.Match[str], statistic: str = statistic) -> Meaning:
            words = {"std": "standard deviation", "min": "minimum", "max": "maximum"}.get(statistic, statistic)
            return _with_length(match, "rolling_statistic", f"moving {words}", "window", statistic=statistic)

        yield f"{LENGTH}[- ]{_MOVING}[- ](?:{pattern})", read
        yield f"{_MOVING}[- ](?:{pattern}){_LINK} {LENGTH}(?:[- ]window)?", read
        yield f"{_MOVING}[- ](?:{pattern})", read
        if statistic in ("std", "variance"):
            yield f"(?:{pattern}){_LINK} {LENGTH}(?:[- ](?:long )?windows?)?", read
            yield f"(?:{pattern})", read
    yield (
        f"rms(?: fluctuations?)?{_LINK} {LENGTH}(?:[- ](?:long )?windows?)?",
        lambda match: _with_length(match, "rolling_statistic", "moving rms", "window", statistic="std"),
    )
    median = "median[- ]filter(?:ed)?"
    yield (
        f"{median}{_LINK} {LENGTH}(?:[- ]window)?",
        lambda match: _with_length(match, "rolling_statistic", "moving median", "window", statistic="median"),
    )
    yield median, _transform("rolling_statistic", "moving median", statistic="median")
    yield (
        f"detrend(?:ed|ing)?{_LINK} {LENGTH}(?:[- ](?:window|trend|mean))?",
        lambda match: _with_length(match, "detrend", "detrended", "window"),
    )
    yield "detrend(?:ed|ing)?", _transform("detrend", "detrended")


def _spectral() -> Iterator[tuple[str, Read]]:
    yield (
        "(?:dynamic )?(?:power |frequency |fft |fourier )?spectrograms?|dynamic (?:power )?spectr(?:um|a)",
        _transform("spectrogram", "spectrogram"),
    )
    yield (
        "(?:power )?spectr(?:um|a)(?: densit(?:y|ies))?|power spectral densit(?:y|ies)|psd|welch",
        _transform("welch", "power spectrum"),
    )
    yield "wavelet(?:s| power| spectrum| analysis| transform)?(?: spectrum)?", _transform("wavelet_power", "wavelet power")
    periods = f"(?:for |with |of )?periods? (?:from|between) {_numbered(1)} (?:to|and|-) {_numbered(2)}"
    yield periods, _periods
    for role in ("window", "bin", "segment", "interval"):
        name = "bin" if role == "interval" else role

        def read(match: re.Match[str], name: str = name) -> Meaning:
            length = read_length(match)
            return Length(name, length) if timedelta(0) < length <= LONGEST else _no_length(match)

        yield f"{LENGTH}[- ](?:long )?{role}s?", read
        yield f"{role}s? of {LENGTH}", read
        if role == "window":
            yield f"(?:over|by)(?: an?)? {LENGTH}(?:[- ](?:long )?windows?)?", read
    yield "(?P<named>hourly|daily)[- ](?:bins?|intervals?)", lambda match: Length("bin", read_named_length(match["named"]))


def _superposed() -> Iterator[tuple[str, Read]]:
    words = "superposed epoch"
    yield "superposed[- ]epoch(?:s)?(?: (?:analysis|plot|stack))?", _transform("superposed_epoch", words)
    reach = "(?:from |with )?{before} before(?: (?:to|until|and))? {after} after(?: (?:them|each|it|the events?))?"
    before, after = _numbered(1), _numbered(2)
    yield reach.format(before=before, after=after), _reach


def _reach(match: re.Match[str]) -> Meaning:
    """How far before and after each event."""
    if not (match["count1"] and match["count2"] and match["unit2"]):
        return Unclear(f"How far before and after the events is meant by {match[0]!r}?", ())
    lengths = [count_lengths(match[f"count{at}"], match[f"unit{at}"] or match["unit2"]) for at in (1, 2)]
    before, after = (format_duration(length) for length in lengths)
    return Transform("superposed_epoch", "superposed epoch", {"before": before, "after": after})


def _filters() -> Iterator[tuple[str, Read]]:
    low, high = _HERTZ.format("low"), _HERTZ.format("high")
    band = "band[- ]?pass(?:ed)?(?:[- ]filter(?:ed)?)?"
    yield f"{band}(?: (?:from|between))? {low} (?:to|and|-) {high}", _band
    yield f"(?:from |between ){low} (?:to|and) {high}", _band_limits
    yield f"(?:below|under) {high}", _band_limits
    yield f"above {low}", _band_limits
    yield f"low[- ]?pass(?:ed)?(?:[- ]filter(?:ed)?)?(?: (?:at|below|of|with|under))? {high}", _band
    yield f"high[- ]?pass(?:ed)?(?:[- ]filter(?:ed)?)?(?: (?:at|above|of|with|over))? {low}", _band
    yield (
        f"(?:{band}|low[- ]?pass(?:ed)?(?:[- ]filter(?:ed)?)?|high[- ]?pass(?:ed)?(?:[- ]filter(?:ed)?)?|butterworth)",
        _transform("butterworth", "filtered"),
    )


def _numbered(place: int) -> str:
    return rf"(?P<count{place}>\d+(?:\.\d+)?)?\s*(?P<unit{place}>{UNIT_NAMES})?"


def _always(meaning: Meaning) -> Read:
    return lambda _match: meaning


def _transform(operation: str, words: str, **options: str) -> Read:
    return _always(Transform(operation, words, options))


def _with_length(match: re.Match[str], operation: str, words: str, role: str, **options: str) -> Meaning:
    """An operation with the length that its words name, if they name one."""
    if not match.groupdict().get("unit"):
        return Transform(operation, words, options)
    length = read_length(match)
    if not timedelta(0) < length <= LONGEST:
        return _no_length(match)
    return Transform(operation, words, {role: format_duration(length), **options})


def _no_length(match: re.Match[str]) -> Unclear:
    return Unclear(f"{match[0]!r} is too short or longer than {LONGEST.days} days. What do you mean?", ())


def _to_frame(match: re.Match[str]) -> Meaning:
    source = {"from": match["source"].upper()} if match["source"] else {}
    return Transform("transform_frame", f"in {match['to'].upper()}", {"to": match["to"].upper(), **source})


def _band(match: re.Match[str]) -> Meaning:
    part = match.groupdict()
    edges = {}
    for name, option in (("low", "above_hz"), ("high", "below_hz")):
        if part.get(name):
            unit = part.get(f"{name}_unit") or part.get("high_unit") or part.get("low_unit")
            if not unit:
                return Unclear(f"In which unit is {match[0]!r}: Hz or mHz?", (f"{match[0]} Hz", f"{match[0]} mHz"))
            edges[option] = float(part[name]) * (1e-3 if unit.lower() == "mhz" else 1.0)
    if not all(edges.values()) or edges.get("above_hz", 0.0) >= edges.get("below_hz", float("inf")):
        return Unclear(f"{match[0]!r} lets nothing pass: the first frequency must be above 0 and the second above it.", ())
    return Transform("butterworth", "filtered", edges)


def _band_limits(match: re.Match[str]) -> Meaning:
    """`between 1 and 5 mHz` apart from the word that names the filter."""
    if not (match.groupdict().get("high_unit") or match.groupdict().get("low_unit")):
        return Unclear(f"What is {match[0]!r}?", ())
    return _band(match)


def _periods(match: re.Match[str]) -> Meaning:
    if not (match["count1"] and match["count2"] and match["unit2"]):
        return Unclear(f"Which periods are meant by {match[0]!r}?", ())
    unit = match["unit2"]
    first, second = (count_lengths(match[f"count{place}"], match[f"unit{place}"] or unit) for place in (1, 2))
    if not timedelta(0) < first < second:
        return Unclear(f"{match[0]!r} is not a range of periods. Which one do you mean?", ())
    return Transform("wavelet_power", "wavelet power", {"shortest": format_duration(first), "longest": format_duration(second)})
