"""Between which values measurements of the solar wind near 1 AU usually are, from a text file with its sources."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from importlib.resources import files

from helio_dagster.domain.expectation import Expectation

MAGNITUDE = "field_magnitude"
"""What the file calls the size of the magnetic field, whose components may be negative."""


def usual_range(quantity: str, missions: Iterable[str]) -> Expectation | None:
    """What a quantity is expected to be; None where nothing is known, as of a spacecraft that leaves 1 AU or the solar wind.

    Parameters
    ----------
    quantity
        A quantity of the catalog, or `MAGNITUDE`.
    missions
        The spacecraft that measured it, all of which must be near 1 AU in the solar wind.
    """
    rows = _rows()
    named = list(missions)
    if quantity not in rows or not named or not set(named) <= set(rows["spacecraft"]):
        return None
    low, high, unit = rows[quantity]
    return Expectation(min=f"{low} {unit}", max=f"{high} {unit}")


@cache
def _rows() -> dict[str, tuple[str, ...]]:
    text = files("helio_dagster.catalog").joinpath("usual_ranges.txt").read_text(encoding="utf-8")
    found: dict[str, tuple[str, ...]] = {}
    for line in text.splitlines():
        if line and not line.startswith("#"):
            name, _, rest = (part.strip() for part in line.partition("|"))
            found[name] = tuple(part.strip() for part in rest.split("," if name == "spacecraft" else "|"))
    return found
