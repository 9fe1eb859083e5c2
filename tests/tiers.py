"""What a tier tries of a property: few examples and values by day, many in `make nightly`."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import Any, Literal, TypeVar, cast

import pytest

Tier = Literal["quick", "test", "nightly"]

T = TypeVar("T")
TIER: Tier = cast(Tier, os.environ.get("HELIO_TEST_TIER", "test"))
_SHARE = {"quick": 0.1, "test": 0.4, "nightly": 20.0}


def example_count(usual: int) -> int:
    """Examples for this tier, given how many show a property well."""
    return max(3, round(usual * _SHARE[TIER]))


def spread(values: Sequence[T], most: int) -> list[T]:
    """The values where they are few; else so many of them, from the first to the last at equal distances."""
    if len(values) <= most or most == 1:
        return list(values[:most])
    return [values[round(place * (len(values) - 1) / (most - 1))] for place in range(most)]


def by_day(values: Iterable[Any], *shown: Any) -> list[Any]:
    """Values for `parametrize`: only `make nightly` tries those that are not among the `shown`."""
    given = list(values)
    assert all(each in given for each in shown), f"{shown} are not all among {given}"
    return [each if each in shown else pytest.param(each, marks=pytest.mark.nightly) for each in given]
