"""Words for the frequencies of a filter: what a match of each means."""

from __future__ import annotations

import re
from datetime import timedelta

from helio_dagster.agent.offline.meanings import Condition, Meaning, Unclear
from helio_dagster.agent.treatments import Transform
from helio_dagster.domain.time_range import format_duration

_WAVELET, _PASS = re.compile("wavelet", re.IGNORECASE), re.compile(r"pass|filter|butterworth", re.IGNORECASE)
_FILTER = re.compile(r"pass|filter|butterworth|spectr|\bpsd\b", re.IGNORECASE)

_OPPOSITE = {"above_hz": "below_hz", "below_hz": "above_hz"}
_SPECTRUM = re.compile(r"slope|spectr|\bpsd\b", re.IGNORECASE)


def _in_hz(unit: str) -> float:
    """A unit of frequencies in Hz: `mHz` is a thousandth, `MHz` a million."""
    return {"m": 1e-3, "k": 1e3, "K": 1e3, "M": 1e6}.get(unit[0], 1.0) if len(unit) > 2 else 1.0


def band(match: re.Match[str]) -> Meaning:
    """`band-pass 1 to 5 mHz`, `high-pass above 1 mHz`: the frequencies that a filter lets pass."""
    part = match.groupdict()
    edges = {}
    for name, option in (("low", "above_hz"), ("high", "below_hz")):
        if part.get(name):
            unit = part.get(f"{name}_unit") or part.get("high_unit") or part.get("low_unit")
            if not unit:
                return Unclear(f"In which unit is {match[0]!r}: Hz or mHz?", (f"{match[0]} Hz", f"{match[0]} mHz"))
            if unit[0] in "sm" and not unit.endswith(("hz", "Hz")):  # a period: the shorter is of the higher frequency
                period = float(part[name]) * (60 if unit[0] == "m" else 1)
                edges[_OPPOSITE[option]] = float(f"{1 / period:.6g}") if period else 0.0
            else:
                edges[option] = float(part[name]) * _in_hz(unit)
    if not all(edges.values()) or edges.get("above_hz", 0.0) >= edges.get("below_hz", float("inf")):
        return Unclear(f"{match[0]!r} lets nothing pass: the first frequency must be above 0 and the second above it.", ())
    if len(edges) == 2 and _WAVELET.search(match.string) and not _PASS.search(match.string):
        shortest, longest = (timedelta(seconds=1 / edges[name]) for name in ("below_hz", "above_hz"))
        return Transform(
            "wavelet_power", "wavelet power", {"shortest": format_duration(shortest), "longest": format_duration(longest)}
        )
    return Transform("butterworth", "filtered", edges)


def band_limits(match: re.Match[str]) -> Meaning:
    """`between 1 and 5 mHz` apart from the word that names the filter."""
    part = match.groupdict()
    if not (part.get("high_unit") or part.get("low_unit")):
        low, high = part.get("low"), part.get("high")
        if low and high and _SPECTRUM.search(match.string):
            return Transform("butterworth", "filtered", {"above_hz": float(low), "below_hz": float(high)})  # its axis is in Hz
        if bool(low) == bool(high) or _FILTER.search(match.string):
            return Unclear(f"What is {match[0]!r}?", ())
        return Condition("above", float(low)) if low else Condition("below", float(high or 0))
    return band(match)


def cutoff(match: re.Match[str]) -> Meaning:
    """`at 0.5 mHz`: the frequency of a low-pass or high-pass filter that is named elsewhere."""
    frequency = float(match["cut"]) * _in_hz(match["cut_unit"])
    ways = [
        edge
        for words, edge in (("low", "below_hz"), ("high", "above_hz"))
        if re.search(rf"\b{words}[- ]?pass", match.string, re.I)
    ]
    if len(ways) != 1 or frequency <= 0:
        return Unclear(f"What is {match[0]!r}?", ())
    return Transform("butterworth", "filtered", {ways[0]: frequency})
