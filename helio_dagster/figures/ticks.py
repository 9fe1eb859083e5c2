"""Ticks of logarithmic axes and colour bars, and ranges with room around the data."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

_PLAIN_LOWEST = 1e-3
_PLAIN_HIGHEST = 1e5
_PLAIN_POWERS = (-2, 3)
_ROOM = 0.05
_LEAST_TICKS = 2
_LEADING = ((1, 2, 5), (1, 3), (1, 5), (2,), (5,), (1, 2, 3, 4, 6, 8))
"""Leading digits of the labels of a logarithmic axis of less than two decades, the best first."""
_PARTS = {"1": 5, "2": 4, "5": 5}
"""Into how many parts unlabelled ticks divide a step, by its first digit."""


@dataclass(frozen=True)
class Ticks:
    """Tick positions in the axis' own unit, their labels, and unlabelled positions between."""

    values: tuple[float, ...]
    labels: tuple[str, ...]
    minor: tuple[float, ...] = ()


def log_ticks(low: float, high: float, *, most: int) -> Ticks:
    """Ticks of a logarithmic axis.

    Powers of ten where at least two are in the range (every second, third … where there are more than `most`), else the same
    leading digits in each decade, as many as there is room for but two at least, else round numbers.

    Parameters
    ----------
    low, high
        Ends of the range as powers of ten; `low < high`.
    most
        How many labels there is room for.
    """
    first, last = math.ceil(low - 1e-9), math.floor(high + 1e-9)
    if last > first:
        every = math.ceil((last - first + 1) / max(2, most))
        exponents = [power for power in range(first, last + 1) if power % every == 0]
        minor = [10.0**power for power in range(first, last + 1)] if every > 1 else _mantissas(low, high, range(2, 10))
        is_plain = _PLAIN_POWERS[0] <= exponents[0] and exponents[-1] <= _PLAIN_POWERS[1]
        labels = [number_label(10.0**power) if is_plain else _power_label(power) for power in exponents]
        return Ticks(tuple(10.0**power for power in exponents), tuple(labels), tuple(minor))
    choices = [values for digits in _LEADING if len(values := _mantissas(low, high, digits)) >= _LEAST_TICKS]
    if choices:
        values = next((each for each in choices if len(each) <= most), min(choices, key=len))
        return Ticks(tuple(values), tuple(number_labels(values)), tuple(_mantissas(low, high, range(1, 10))))
    values = _round_numbers(10**low, 10**high, most)
    return Ticks(tuple(values), tuple(number_labels(values)))


def number_labels(values: Sequence[float]) -> list[str]:
    """The labels of an axis, all plain or all with a power of ten."""
    is_plain = all(value == 0 or _PLAIN_LOWEST <= abs(value) < _PLAIN_HIGHEST for value in values)
    return [number_label(value) if is_plain or value == 0 else _with_power(value) for value in values]


def number_label(value: float) -> str:
    """A number as a tick label: plain where short, else mantissa and power of ten."""
    if value == 0:
        return "0"
    if _PLAIN_LOWEST <= abs(value) < _PLAIN_HIGHEST:
        return f"{value:.10g}".replace("-", "−")
    return _with_power(value)


def _with_power(value: float) -> str:
    power = math.floor(math.log10(abs(value)) + 1e-9)
    mantissa = f"{value / 10.0**power:.8g}".replace("-", "−")
    return _power_label(power) if mantissa == "1" else f"{mantissa}×{_power_label(power)}"


def linear_labels(low: float, high: float, *, most: int) -> list[str]:
    """About the labels that plotly puts on a linear axis, to know their width."""
    return list(linear_ticks(low, high, most=most).labels)


def linear_ticks(low: float, high: float, *, most: int) -> Ticks:
    """Ticks of a linear axis at round numbers, with labels of one form: all plain, or all times the same power of ten.

    Parameters
    ----------
    low, high
        Ends of the range; `low < high`.
    most
        How many labels there is room for.
    """
    step = _step(low, high, most)
    values = _multiples(step, low, high)
    parts = _PARTS[f"{step:e}"[0]]
    shown = set(values)
    minor = [value for value in _multiples(step / parts, low, high) if value not in shown]
    largest = max(map(abs, values), default=0.0)
    if all(value == 0 or _PLAIN_LOWEST <= abs(value) < _PLAIN_HIGHEST for value in values):
        return Ticks(tuple(values), tuple(map(number_label, values)), tuple(minor))
    power = math.floor(math.log10(largest) + 1e-9)
    mantissas = [f"{value / 10.0**power:.8g}".replace("-", "−") for value in values]
    labels = [mantissa if mantissa == "0" else f"{mantissa}×{_power_label(power)}" for mantissa in mantissas]
    return Ticks(tuple(values), tuple(labels), tuple(minor))


def padded_range(lowest: float, highest: float, scale: str) -> tuple[float, float]:
    """A range with a little room around the data: in the data's unit, or as powers of ten for `log`."""
    low, high = (math.log10(lowest), math.log10(highest)) if scale == "log" else (lowest, highest)
    room = _ROOM * (high - low)
    if room <= abs(high) * 1e-12:
        room = 0.2 if scale == "log" else (abs(high) * _ROOM or 1.0)
    return low - room, high + room


def _power_label(power: int) -> str:
    return f"10<sup>{power}</sup>".replace("-", "−")


def _mantissas(low: float, high: float, digits: Sequence[int]) -> list[float]:
    """`digits` times every power of ten inside the range, in order."""
    powers = range(math.floor(low), math.ceil(high) + 1)
    candidates = sorted({float(f"{digit}e{power}") for power in powers for digit in digits})
    return [value for value in candidates if low - 1e-9 <= math.log10(value) <= high + 1e-9]


def _step(low: float, high: float, most: int) -> float:
    """The smallest round step that gives at most so many ticks; a smaller one where that would give a single tick."""
    power = math.floor(math.log10(high - low))
    steps = [float(f"{digit}e{exponent}") for exponent in range(power - 2, power + 2) for digit in (1, 2, 5)]
    counts = [len(_multiples(step, low, high)) for step in steps]
    chosen = next((place for place, count in enumerate(counts) if count <= most), len(steps) - 1)
    return steps[chosen - 1] if counts[chosen] < _LEAST_TICKS and chosen else steps[chosen]


def _round_numbers(lowest: float, highest: float, most: int) -> list[float]:
    """Multiples of a round step inside the range: at least two, about `most`."""
    rough = (highest - lowest) / max(2, most - 1)
    power = math.floor(math.log10(rough))
    step = next(float(f"{digit}e{power}") for digit in (1, 2, 5, 10) if float(f"{digit}e{power}") >= rough * (1 - 1e-9))
    return _multiples(step, lowest, highest)


def _multiples(step: float, lowest: float, highest: float) -> list[float]:
    first, last = math.ceil(lowest / step - 1e-9), math.floor(highest / step + 1e-9)
    return [float(f"{count * step:.12g}") for count in range(first, last + 1)]
