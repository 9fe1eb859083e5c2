"""Quantities that operations compute from others: their units, and what they need."""

from __future__ import annotations

from helio_dagster.agent.targets import Derived
from helio_dagster.domain.catalog_entry import Quantity
from helio_dagster.domain.table import Kind

DERIVED_UNITS = {
    **dict.fromkeys(("plasma_beta", "alfven_mach", "sonic_mach", "magnetosonic_mach"), ""),
    "alfven_speed": "km/s",
    "dynamic_pressure": "nPa",
    "total_pressure": "nPa",
    "gyroradius": "km",
    "gyrofrequency": "Hz",
    "parker_spiral_angle": "deg",
    **dict.fromkeys(("convection_electric_field", "dawn_dusk_electric_field", "kan_lee_electric_field"), "mV/m"),
    **dict.fromkeys(("magnetopause_distance", "lin_magnetopause_distance", "bow_shock_distance"), "R_E"),
    "epsilon": "GW",
    "boynton_coupling": "nPa^(1/2) (km/s)^(4/3) nT",
    "pressure_corrected_dst": "nT",
    "dst_model": "nT",
    "newell_coupling": "(km/s)^(4/3) nT^(2/3)",
}
"""The units that operations give, known without opening them; others keep that of their input."""
_KINDS: dict[str, Kind] = {"convection_electric_field": "vector", "pitch_angle_spectrogram": "spectrogram"}
SHORT = {"slice": "at_energy", "pitch_angle_spectrogram": "pitch_angles"}
"""What steps are called that are not called after their operation."""
IN_GSM = frozenset(
    (
        "dawn_dusk_electric_field",
        "epsilon",
        "newell_coupling",
        "kan_lee_electric_field",
        "boynton_coupling",
        "dst_model",
        "magnetopause_distance",
        "lin_magnetopause_distance",
    )
)
"""Operations whose field must be in GSM."""
CATALOGUED: dict[str, Quantity] = {
    "dynamic_pressure": "pressure",
    "alfven_mach": "alfven_mach",
    "magnetosonic_mach": "magnetosonic_mach",
    "plasma_beta": "plasma_beta",
}
"""Operations whose result some archives have."""
_ELECTRONS = "The electrons are taken to be at 128,000 K, as OMNI assumes at 1 AU, because they are seldom measured."
_GRANTED = {
    "magnetopause_distance": (
        "extrapolate",
        "The model magnetopause has values for 0.5 to 8.5 nPa and Bz from -18 to 15 nT, for which it was made; say "
        "extrapolated for those beyond.",
    ),
    "sonic_mach": ("electron_temperature_k", _ELECTRONS),
    "magnetosonic_mach": ("electron_temperature_k", _ELECTRONS),
    "epsilon": ("length_re", "The length of the magnetosphere in epsilon is taken as 7 R_E."),
}
"""What an assumption says of an operation where a request leaves an option open that its result hangs on."""
HOURLY = {
    "dst_model": "The modelled Dst is made of hourly means, each hour from a run over the 5 days before it, which are "
    "fetched, too."
}
"""What an assumption says of operations that give hours whatever the cadence of their inputs, which need not meet."""
INPUT_UNITS = {
    "magnetic_field": "nT",
    "density": "cm^-3",
    "speed": "km/s",
    "velocity": "km/s",
    "temperature": "K",
    "pressure": "nPa",
    "dst": "nT",
}
"""What operations bring their inputs to."""


_AT_EARTH = IN_GSM - {"dawn_dusk_electric_field"} | {"bow_shock_distance", "bow_shock_standoff", "pressure_corrected_dst"}
"""Operations that tell what the solar wind does at the Earth."""
_SHIFTED = "OMNI"
"""Whose solar wind has the times at which it arrives at the bow shock."""


def granted(derived: Derived, who: str) -> list[str]:
    """What is taken for granted in computing a quantity of a spacecraft."""
    option, words = _GRANTED.get(derived.operation, ("", ""))
    found = [words] if words and option not in derived.options else []
    if derived.operation in _AT_EARTH and who != _SHIFTED:
        found.append(f"The times are those at {who}: the solar wind there is not shifted to when it reaches the Earth.")
    return found


def kind_of(derived: Derived) -> Kind:
    """What an operation gives: one energy of several axes leaves another axis, one of a spectrogram a number."""
    if derived.operation == "slice" and derived.options.get("axis") == "energy":
        return "spectrogram"
    return _KINDS.get(derived.operation, "series")
