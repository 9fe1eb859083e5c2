"""Ticks of logarithmic axes and colour bars, and ranges with room around the data."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

_PLAIN_LOWEST = 1e-3
_PLAIN_HIGHEST = 1e5
_PLAIN_POWERS = (-2, 3)
_ROOM = 0.05


@dataclass(frozen=True)
class Ticks:
    """Tick positions in the axis' own unit, their labels, and unlabelled positions between."""

    values: tuple[float, ...]
    labels: tuple[str, ...]
    minor: tuple[float, ...] = ()


def log_ticks(low: float, high: float, *, most: int) -> Ticks:
    """Ticks of a logarithmic axis.

    Powers of ten where at least two are in the range (every second, third … where there are more than `most`), else 1-2-5
    steps, else round numbers.

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
    for digits in ((1, 2, 5), (1, 2, 3, 4, 6, 8)):
        values = _mantissas(low, high, digits)
        if len(values) >= 2 and len(values) <= most:
            return Ticks(tuple(values), tuple(map(number_label, values)), tuple(_mantissas(low, high, range(1, 10))))
    values = _round_numbers(10**low, 10**high, most)
    return Ticks(tuple(values), tuple(map(number_label, values)))


def number_label(value: float) -> str:
    """A number as a tick label: plain where short, else mantissa and power of ten."""
    if value == 0:
        return "0"
    if _PLAIN_LOWEST <= abs(value) < _PLAIN_HIGHEST:
        return f"{value:.10g}".replace("-", "−")
    power = math.floor(math.log10(abs(value)) + 1e-9)
    mantissa = f"{value / 10.0**power:.8g}".replace("-", "−")
    return _power_label(power) if mantissa == "1" else f"{mantissa}×{_power_label(power)}"


def linear_labels(low: float, high: float, *, most: int) -> list[str]:
    """About the labels that plotly puts on a linear axis, to know their width."""
    return [number_label(value) for value in _round_numbers(low, high, most)]


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


def _round_numbers(lowest: float, highest: float, most: int) -> list[float]:
    """Multiples of a round step inside the range: at least two, about `most`."""
    rough = (highest - lowest) / max(2, most - 1)
    power = math.floor(math.log10(rough))
    step = next(float(f"{digit}e{power}") for digit in (1, 2, 5, 10) if float(f"{digit}e{power}") >= rough * (1 - 1e-9))
    first, last = math.ceil(lowest / step - 1e-9), math.floor(highest / step + 1e-9)
    return [float(f"{count * step:.12g}") for count in range(first, last + 1)]
