"""The functions by which CDAWeb computes variables that no file stores: what each makes of the variables it is given.

A master names them in FUNCT, and what they take in COMPONENT_0, COMPONENT_1… What each means is that of CDAWlib, which computes
them for CDAWeb (https://cdaweb.gsfc.nasa.gov/pub/software/cdawlib/source/virtual_funcs.pro and the files named after them);
https://github.com/autoplot/cdfj describes most. Times are `epochs`' matter, `alternate_view` is `decode`'s. Functions whose
result depends on more records than the one at hand are not here: it would depend on how a range is cut.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from helio_dagster.archives.cdf import flag_rules as rules
from helio_dagster.archives.cdf.flag_rules import IsGood, WhyNot
from helio_dagster.archives.cdf.raw import Attribute, RawVariable
from helio_dagster.archives.cdf.virtual_parts import components, function_of, masked_values, whole_number_of

COMPUTED_BY = "HELIO_COMPUTED_BY"
"""The attribute that names the archive's function by which a variable was computed, and what it was computed from."""
ALTERNATE_VIEW = "alternate_view"
EPOCH_FUNCTIONS = ("comp_themis_epoch", "comp_themis_epoch16", "add_1800", "add_51s")

_TO_BE_COMPUTED = ("FUNCT", "FUNCTION", "VIRTUAL")
_DYNAMIC_PRESSURE = 1.6726e-6
"""Mass of a proton in the units of CDAWlib's `calc_p`: nPa from cm^-3 and (km/s)^2."""
_ELECTRON_CM_S = 0.593098e8
"""Speed of an electron of 1 eV in cm/s, as CDAWlib's `convert_toev` has it."""
_INSTRUCTION = re.compile(r"\by\s*=\s*[\w.-]+\(([^)]*)\)", re.IGNORECASE)
_OWN_TO_A_SHAPE = re.compile(r"(DEPEND|LABL_PTR)_[1-9]|UNIT_PTR|DISPLAY_TYPE|LABLAXIS|FUNCT|FUNCTION|VIRTUAL|COMPONENT_\d+")


@dataclass(frozen=True)
class Parts:
    """The variables of a file that a function may take: their definitions, and their values, shape (record, *shape)."""

    variable: Callable[[str], RawVariable | None]
    numbers: Callable[[str], NDArray[Any]]


@dataclass(frozen=True)
class Computation:
    """A variable as if it were stored, and how its records are made of those of `source`.

    `make` gets records of the source, shape (record, *shape), and the number of the first of them.
    """

    variable: RawVariable
    source: RawVariable
    make: Callable[[NDArray[Any], int], NDArray[Any]]


Maker = Callable[[RawVariable, list[RawVariable], Parts], Computation | str]
"""Plans a variable, given its components; why not, where it cannot be computed."""


def plan(variable: RawVariable, parts: Parts) -> Computation | str:
    """How to compute a variable from those of its file, or why that cannot be done; empty where the function is not known."""
    maker = _MAKERS.get(function_of(variable))
    if maker is None:
        return ""
    names = components(variable)
    found = [parts.variable(name) for name in names]
    missing = [name for name, part in zip(names, found, strict=True) if part is None or part.type != "number"]
    if not names or missing:
        return f"the file has no numbers {missing[0]}" if missing else "its definition names nothing to compute it from"
    return maker(variable, [part for part in found if part is not None], parts)


def _attributes(variable: RawVariable, source: RawVariable, *, has_shape: bool) -> dict[str, Attribute]:
    """Attributes of a computed variable: its own; where it has none, those of what it is computed from."""
    inherited = {key: value for key, value in source.attributes.items() if has_shape or _OWN_TO_A_SHAPE.fullmatch(key) is None}
    return _as_stored(variable, inherited | dict(variable.attributes))


def _as_stored(variable: RawVariable, attributes: Mapping[str, Attribute]) -> dict[str, Attribute]:
    """Attributes that no longer say that a variable is to be computed, but how it was."""
    origin = f"{function_of(variable)} of {', '.join(components(variable))}"
    return {key: value for key, value in attributes.items() if key not in _TO_BE_COMPUTED} | {COMPUTED_BY: origin}


def _like(variable: RawVariable, source: RawVariable) -> RawVariable:
    """A computed variable of the shape of its source, of reals."""
    attributes = _attributes(variable, source, has_shape=True)
    return replace(source, name=variable.name, attributes=attributes, is_integer=False)


def _picked(variable: RawVariable, source: RawVariable, taken: Mapping[int, int]) -> Computation | str:
    """One place along some axes, which are counted from 1, their places from 0."""
    for axis, index in taken.items():
        size = source.shape[source.axes.index(axis)] if axis in source.axes else 1
        if not 0 <= index < size:
            return f"it takes place {index} of {size} along dimension {axis} of {source.name}"
    kept = [place for place, axis in enumerate(source.axes) if axis not in taken]
    shape, axes = tuple(source.shape[place] for place in kept), tuple(range(1, len(kept) + 1))
    if function_of(variable) == "arr_slice" and shape != variable.shape:
        return f"what is left of {source.name} has other axes than it says"
    at = (slice(None), *(taken.get(axis, slice(None)) for axis in source.axes))
    attributes = _attributes(variable, source, has_shape=False)
    made = replace(source, name=variable.name, shape=shape, axes=axes, attributes=attributes)
    return Computation(made, source, lambda values, _: values[at])


def _slice(variable: RawVariable, found: list[RawVariable], _: Parts) -> Computation | str:
    """`arr_slice`: the bin ARR_INDEX of the dimension ARR_DIM, both counted from 0."""
    axis, index = (whole_number_of(variable, name) for name in ("ARR_DIM", "ARR_INDEX"))
    if axis is None or index is None:
        return "its definition does not say which bin of which dimension it is"
    return _picked(variable, found[0], {axis + 1: index})


def _part(variable: RawVariable, found: list[RawVariable], _: Parts) -> Computation | str:
    """`make_stack_array`: what DISPLAY_TYPE takes of each dimension, as in `time_series>y=B(0,*)`; all without such words.

    Places count from 0, as masters of ground magnetometers show: 0, 1 and 2 are their components H, D and Z. What is said
    beyond the last dimension of a record is about records.
    """
    given = _INSTRUCTION.findall(variable.text("DISPLAY_TYPE"))
    if len(given) > 1:
        return "it joins several parts, for a plot"
    places = [each.strip() for each in given[0].split(",")] if given else []
    if any(re.fullmatch(r"\*|\d+", each) is None for each in places):
        return f"({given[0]}) does not say which places it takes"
    source = found[0]
    if places and len(places) < max(source.axes, default=0):
        return f"({given[0]}) does not say what it takes of each dimension of {source.name}"
    return _picked(variable, source, {axis: int(each) for axis, each in enumerate(places, start=1) if each != "*"})


def _flagged(is_good: IsGood, why_not: WhyNot | None = None) -> Maker:
    """A function that makes records of its first component missing where its second, a flag for each record, is bad."""

    def maker(variable: RawVariable, found: list[RawVariable], parts: Parts) -> Computation | str:
        if len(found) == 1:
            return "its definition names no flag"
        source, flag = found[:2]
        if flag.records != source.records or not flag.is_varying:
            return f"{flag.name} has {flag.records} records for {source.records} of {source.name}"
        reason = (why_not or rules.one_number)(variable, flag)
        if reason:
            return reason

        @cache
        def good() -> NDArray[np.bool_]:
            return is_good(variable, flag, parts.numbers(flag.name))

        def make(values: NDArray[Any], first: int) -> NDArray[Any]:
            masked = masked_values(values, source)
            masked[~good()[first : first + len(values)]] = np.nan
            return masked

        return Computation(_like(variable, source), source, make)

    return maker


def _sum(variable: RawVariable, found: list[RawVariable], parts: Parts) -> Computation | str:
    """`sum_values`: the sum of all components, missing where one of them is."""
    source = found[0]
    odd = next((each.name for each in found if (each.shape, each.records) != (source.shape, source.records)), None)
    if odd:
        return f"{odd} has other records than {source.name}"

    def make(values: NDArray[Any], first: int) -> NDArray[Any]:
        total = masked_values(values, source).astype("f8")
        for other in found[1:]:
            total += masked_values(parts.numbers(other.name)[first : first + len(values)], other)
        return total

    return Computation(_like(variable, source), source, make)


def _pressure(variable: RawVariable, found: list[RawVariable], parts: Parts) -> Computation | str:
    """`calc_p`: dynamic pressure in nPa of a velocity vector in km/s, of which the first component counts, and a density."""
    if [each.shape for each in found] != [(3,), ()] or found[0].records != found[1].records:
        return "it needs a velocity vector and a density of the same records"
    velocity, density = found

    def make(values: NDArray[Any], first: int) -> NDArray[Any]:
        number = masked_values(parts.numbers(density.name)[first : first + len(values)], density).astype("f8")
        pressure: NDArray[np.float64] = _DYNAMIC_PRESSURE * number * masked_values(values, velocity)[:, 0].astype("f8") ** 2
        return pressure

    attributes = _as_stored(variable, variable.attributes)
    made = replace(variable, shape=(), axes=(), records=density.records, attributes=attributes, is_integer=False)
    return Computation(made, velocity, make)


def _length(variable: RawVariable, found: list[RawVariable], _: Parts) -> Computation | str:
    """`compute_magnitude`: the length of a vector."""
    source = found[0]
    if len(source.shape) != 1:
        return f"{source.name} is not a vector"
    attributes = _attributes(variable, source, has_shape=False)
    made = replace(source, name=variable.name, shape=(), axes=(), attributes=attributes, is_integer=False)
    return Computation(made, source, lambda values, _: np.sqrt((masked_values(values, source).astype("f8") ** 2).sum(axis=1)))


def _each(function: Callable[[NDArray[np.float64]], NDArray[np.float64]]) -> Maker:
    """A function of each number by itself."""

    def maker(variable: RawVariable, found: list[RawVariable], _: Parts) -> Computation | str:
        source = found[0]
        return Computation(
            _like(variable, source), source, lambda values, _: function(masked_values(values, source).astype("f8"))
        )

    return maker


_MAKERS: Mapping[str, Maker] = {
    "arr_slice": _slice,
    "make_stack_array": _part,
    "apply_esa_qflag": _flagged(rules.without_error),
    "apply_fgm_qflag": _flagged(rules.without_error),
    "apply_gmom_qflag": _flagged(rules.without_error),
    "apply_rtn_qflag": _flagged(rules.as_messenger),
    "apply_filter_flag": _flagged(rules.compared, rules.not_compared),
    "apply_qflag": _flagged(rules.as_timas, rules.not_timas),
    "region_filt": _flagged(rules.in_solar_wind),
    "sum_values": _sum,
    "calc_p": _pressure,
    "compute_magnitude": _length,
    "convert_ni": _each(lambda values: 10.0**values),
    "convert_toev": _each(lambda values: (values / _ELECTRON_CM_S) ** 2),
}
KNOWN_FUNCTIONS = (ALTERNATE_VIEW, *_MAKERS, *EPOCH_FUNCTIONS)
"""The archive's functions of virtual variables that are computed here; all others are refused by name."""
