"""Factors between units, exact where the units are defined exactly.

SI units, the units defined by them (eV, erg, G, bar, min, h, d, AU, deg, %) and their prefixes convert; any other symbol
(`R_E`, `counts`, a text that is not a unit) only into itself. Temperatures and energies convert into each other by T = E / k_B.
Source of the defining constants: BIPM, The International System of Units, 9th edition (2019); AU: IAU 2012 resolution B2.
"""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from helio_dagster.domain.errors import ComputeError
from helio_dagster.domain.units import is_same_unit, is_scale, multiply_units, unit_factors

_PREFIXES = {"f": -15, "p": -12, "n": -9, "u": -6, "m": -3, "c": -2, "h": 2, "k": 3, "M": 6, "G": 9, "T": 12}
_BOLTZMANN_J_PER_K = Fraction("1.380649e-23")

_Dimensions = dict[str, int]
_DEFINED: dict[str, tuple[Fraction, _Dimensions]] = {
    **{symbol: (Fraction(1), {symbol: 1}) for symbol in ("m", "g", "s", "A", "K", "mol", "rad")},
    "Hz": (Fraction(1), {"s": -1}),
    "T": (Fraction(1000), {"g": 1, "s": -2, "A": -1}),
    "G": (Fraction(1, 10), {"g": 1, "s": -2, "A": -1}),
    "Pa": (Fraction(1000), {"g": 1, "m": -1, "s": -2}),
    "bar": (Fraction(10**8), {"g": 1, "m": -1, "s": -2}),
    "J": (Fraction(1000), {"g": 1, "m": 2, "s": -2}),
    "erg": (Fraction(1, 10**4), {"g": 1, "m": 2, "s": -2}),
    "eV": (Fraction("1.602176634e-16"), {"g": 1, "m": 2, "s": -2}),
    "W": (Fraction(1000), {"g": 1, "m": 2, "s": -3}),
    "V": (Fraction(1000), {"g": 1, "m": 2, "s": -3, "A": -1}),
    "ohm": (Fraction(1000), {"g": 1, "m": 2, "s": -3, "A": -2}),
    "F": (Fraction(1, 1000), {"g": -1, "m": -2, "s": 4, "A": 2}),
    "min": (Fraction(60), {"s": 1}),
    "h": (Fraction(3600), {"s": 1}),
    "d": (Fraction(86400), {"s": 1}),
    "AU": (Fraction(149_597_870_700), {"m": 1}),
    "deg": (Fraction(math.pi) / 180, {"rad": 1}),
    "%": (Fraction(1, 100), {}),
}
_UNPREFIXED = frozenset(("erg", "min", "h", "d", "AU", "deg", "%", "G"))
_TEMPERATURE: _Dimensions = {"K": 1}
_ENERGY = _DEFINED["J"][1]


@lru_cache(maxsize=1024)
def can_convert(source: str, target: str) -> bool:
    """Whether values of one unit can be brought to the other."""
    try:
        conversion_factor(source, target)
    except ComputeError:
        return False
    return True


def conversion_factor(source: str, target: str) -> Fraction:
    """What a value in the unit `source` is multiplied by to be one in `target`.

    Raises
    ------
    ComputeError
        The units measure different things, or one of them is not known.
    """
    if is_same_unit(source, target):
        return Fraction(1)
    (scale, dimensions), (wanted_scale, wanted) = _resolve(source), _resolve(target)
    if dimensions == wanted:
        return scale / wanted_scale
    if dimensions == _ENERGY and wanted == _TEMPERATURE:
        return scale / 1000 / _BOLTZMANN_J_PER_K / wanted_scale
    if dimensions == _TEMPERATURE and wanted == _ENERGY:
        return scale * _BOLTZMANN_J_PER_K * 1000 / wanted_scale
    if not source:
        hint = f"If the values are in {target}, say so with the operation scale (unit: {target}); else take another parameter."
        raise ComputeError(f"the unit is not known, and {target} is needed", hint=hint)
    hint = f"Bring it to {target or 'a pure number'} with the operation scale (factor and unit), or take another parameter."
    raise ComputeError(f"{source} does not convert to {target or 'a pure number'}", hint=hint)


def integral_unit(unit: str, over: str) -> tuple[str, Fraction]:
    """The unit of an integral, with what the values are per cancelled: flux per keV over eV is taken over keV.

    Parameters
    ----------
    unit
        Of the values.
    over
        Of what is integrated over.

    Returns
    -------
    tuple of str and Fraction
        The unit, and what lengths in `over` are multiplied by for it: 1 where the values are not per a unit of that sort.
    """
    dimensions = _resolve(over)[1]
    alike = [each for each, power in unit_factors(unit) if power < 0 and dimensions and _resolve_symbol(each)[1] == dimensions]
    found = over if not alike or any(is_same_unit(over, each) for each in alike) else alike[0]
    return multiply_units(found, unit), conversion_factor(over, found)


def is_by_boltzmann(source: str, target: str) -> bool:
    """Whether one unit is a temperature and the other an energy."""
    dimensions = [_resolve(unit)[1] for unit in (source, target)]
    return sorted(dimensions, key=len) == [_TEMPERATURE, _ENERGY]


def convert_values(values: NDArray[np.float64], factor: Fraction) -> NDArray[np.float64]:
    """Values times a factor, of the same shape, with one rounding where the factor is a whole number or one over it."""
    numerator, denominator = factor.numerator, factor.denominator
    if factor == 1:
        return values
    if numerator == 1 and denominator < 2**53:
        return values / float(denominator)
    return values * float(factor)


def _resolve(unit: str) -> tuple[Fraction, _Dimensions]:
    """A unit as a scale and powers of metre, gram, second, ampere, kelvin, mole, radian and what is not known."""
    scale, dimensions = Fraction(1), Counter[str]()
    for symbol, exponent in unit_factors(unit):
        own_scale, own = _resolve_symbol(symbol)
        scale *= own_scale**exponent
        for name, power in own.items():
            dimensions[name] += power * exponent
    return scale, {name: power for name, power in dimensions.items() if power}


def _resolve_symbol(symbol: str) -> tuple[Fraction, _Dimensions]:
    if symbol in _DEFINED:
        return _DEFINED[symbol]
    if is_scale(symbol):
        return Fraction(symbol), {}
    prefix, rest = symbol[:1], symbol[1:]
    if prefix in _PREFIXES and rest in _DEFINED and rest not in _UNPREFIXED:
        scale, dimensions = _DEFINED[rest]
        return scale * Fraction(10) ** _PREFIXES[prefix], dimensions
    return Fraction(1), {symbol: 1}


_NAMED_SI = ("T", "Pa", "J", "W", "V", "F", "ohm")
"""SI units with a name of their own, as they are preferred over powers of the base units."""


def si_form(unit: str) -> tuple[float, str] | None:
    """A unit as a factor and the SI unit that it multiplies: `nT` is 1e-9 T, `cm^-3` is 1e6 m^-3.

    Returns
    -------
    tuple of float and str, or None
        The unit's text is empty for a pure number. None where a symbol is not known.
    """
    scale, dimensions = _resolve(unit)
    if not all(symbol in _DEFINED or symbol == "sr" for symbol in dimensions):
        return None
    for symbol in _NAMED_SI:
        named_scale, named = _DEFINED[symbol]
        if named == dimensions:
            return float(scale / named_scale), symbol
    scale *= Fraction(1, 1000) ** dimensions.get("g", 0)
    factors = sorted(("kg" if symbol == "g" else symbol, power) for symbol, power in dimensions.items())
    ordered = sorted(factors, key=lambda factor: factor[1] < 0)
    return float(scale), " ".join(symbol if power == 1 else f"{symbol}^{power}" for symbol, power in ordered)
