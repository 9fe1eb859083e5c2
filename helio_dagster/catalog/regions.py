"""Where missions measure, from a text file: at L1, in the magnetosphere."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Literal

Region = Literal["L1", "magnetosphere"]


@cache
def missions_in(region: Region) -> frozenset[str]:
    """The missions that measure there, by their names in the catalog."""
    lines = files(__package__).joinpath("regions.txt").read_text(encoding="utf-8").splitlines()
    rows = [line.split("|") for line in lines if line and not line.startswith("#")]
    return frozenset(name.strip() for where, names in rows if where.strip() == region for name in names.split(","))
