"""How lengths of time and statistics are called in titles, intents and ids."""

from __future__ import annotations

from datetime import timedelta


def length_name(length: timedelta) -> str:
    """`10minute`, `0p5second`: a length as a part of a step's id."""
    return spoken(length).replace("-", "").replace(".", "p")


def spoken(length: timedelta) -> str:
    """`10-minute`, `1-hour`, `90-second`."""
    seconds = length.total_seconds()
    for name, size in (("day", 86400), ("hour", 3600), ("minute", 60)):
        if seconds % size == 0:
            return f"{seconds / size:g}-{name}"
    return f"{seconds:.12g}-second"


def spoken_alone(length: timedelta) -> str:
    """`10 minutes`, `1 hour`."""
    number, _, unit = spoken(length).partition("-")
    return f"{number} {unit}" if number == "1" else f"{number} {unit}s"


def spoken_method(method: str) -> str:
    """What bins of a method hold, in the plural."""
    words = {"min": "minima", "max": "maxima", "std": "standard deviations", "count": "sample counts"}
    return words.get(method, f"{method}s")
