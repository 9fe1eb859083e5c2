"""Which records the archive's functions call good, by a flag for each record, and which flags they can use."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from helio_dagster.archives.cdf.raw import RawVariable
from helio_dagster.archives.cdf.virtual_parts import components, masked_values, number_of

IsGood = Callable[[RawVariable, RawVariable, NDArray[Any]], NDArray[np.bool_]]
"""Which records are good: the variable, its flag, the flag's values."""
WhyNot = Callable[[RawVariable, RawVariable], str]
"""Why a flag cannot be used for a variable; empty where it can."""

_BAD_TIMAS = 4
_TIMAS_CHANNELS = {"h": 0, "o": 1, "he_1": 2, "he_2": 3}
_COMPARED: Mapping[str, Callable[[NDArray[Any], float], NDArray[np.bool_]]] = {
    "eq": np.equal,
    "ne": np.not_equal,
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
}


def one_number(_: RawVariable, flag: RawVariable) -> str:
    """Nothing where the flag is one number a record."""
    return f"{flag.name} has more than one number a record" if flag.shape else ""


def without_error(_: RawVariable, flag: RawVariable, values: NDArray[Any]) -> NDArray[np.bool_]:
    """A flag above 0 is bad; one that is missing says nothing. Values and result have shape (record,)."""
    return ~(masked_values(values, flag) > 0)


def as_messenger(_: RawVariable, __: RawVariable, values: NDArray[Any]) -> NDArray[np.bool_]:
    """Good are 222 and 223. Values and result have shape (record,)."""
    return np.isin(values, (222, 223))


def in_solar_wind(_: RawVariable, __: RawVariable, values: NDArray[Any]) -> NDArray[np.bool_]:
    """Region 1 is the solar wind. Values and result have shape (record,)."""
    found: NDArray[np.bool_] = values == 1
    return found


def compared(variable: RawVariable, _: RawVariable, values: NDArray[Any]) -> NDArray[np.bool_]:
    """Good is what compares with COMPARE_VAL (0 where none is given) as COMPARE_OPERATOR (`eq`) says; shape (record,), both."""
    operator, limit = _comparison(variable)
    found: NDArray[np.bool_] = _COMPARED[operator](values, limit or 0.0)
    return found


def not_compared(variable: RawVariable, flag: RawVariable) -> str:
    """Nothing where the flag can be compared as the variable asks."""
    operator, limit = _comparison(variable)
    if operator not in _COMPARED or limit is None:
        return f"what it compares {flag.name} with is no number, or the comparison {operator!r} is not known"
    return one_number(variable, flag)


def _comparison(variable: RawVariable) -> tuple[str, float | None]:
    limit = number_of(variable, "COMPARE_VAL") if "COMPARE_VAL" in variable.attributes else 0.0
    return variable.text("COMPARE_OPERATOR").casefold() or "eq", limit


def as_timas(variable: RawVariable, _: RawVariable, values: NDArray[Any]) -> NDArray[np.bool_]:
    """One flag for each ion that Polar TIMAS tells apart, bad from 4 on: values of shape (record, ion), result (record,)."""
    found: NDArray[np.bool_] = values[:, _TIMAS_CHANNELS[_timas_ion(variable)]] < _BAD_TIMAS
    return found


def not_timas(variable: RawVariable, flag: RawVariable) -> str:
    """Nothing where the flag is one for each ion, and the variable is of one of them."""
    is_one_for_each = flag.shape == (len(_TIMAS_CHANNELS),) and _timas_ion(variable) in _TIMAS_CHANNELS
    return "" if is_one_for_each else f"{flag.name} is not one flag for each of four ions"


def _timas_ion(variable: RawVariable) -> str:
    return components(variable)[0].casefold().removeprefix("flux_").removeprefix("sigma_")
