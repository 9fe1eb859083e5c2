"""The attributes that ISTP asks of a CDF file and of its variables.

Source: ISTP/IACG guidelines, https://spdf.gsfc.nasa.gov/istp_guide/gattributes.html and vattributes.html.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from helio_dagster.domain.extent import LONGEST_NS
from helio_dagster.domain.table import TableMeta
from helio_dagster.domain.time_range import EARLIEST, LATEST
from helio_dagster.domain.unit_conversion import si_form
from helio_dagster.launch.exporting.header import SOFTWARE, Header
from helio_dagster.launch.exporting.plain_text import ascii_text
from helio_dagster.launch.exporting.records import NO_INT
from helio_dagster.launch.exporting.tt2000 import FILL, utc_to_tt2000
from helio_dagster.launch.exporting.variable import REACHES, Variable

Entry = str | tuple[Any, str]
"""A text, or numbers with their CDF type."""
FILL_REAL, FILL_TEXT = -1.0e31, " "
_WIDEST_REAL, _WIDEST_INT = 1.0e30, 1 << 62
_INSTRUMENT_TYPES = {
    "mag": "Magnetic Fields (space)",
    "particles": "Particles (space)",
    "plasma": "Plasma and Solar Wind",
    "efield": "Electric Fields (space)",
    "waves": "Radio and Plasma Waves (space)",
    "ephemeris": "Ephemeris",
    "ground_mag": "Ground-Based Magnetometers, Riometers, Sounders",
}
_DATA_TYPES = {
    "series": "SERIES>values in time",
    "vector": "VECTOR>vectors in time",
    "spectrogram": "SPECTROGRAM>spectra in time",
    "nd": "DISTRIBUTION>values over several axes",
    "points": "POINTS>points with their times",
    "events": "EVENTS>list of events",
    "facts": "FACTS>numbers of intervals",
    "curve": "CURVE>curves of intervals",
    "map": "MAP>maps of intervals",
}
_NO_DATA = "none"


def global_attributes(header: Header, *, file_id: str) -> dict[str, list[str]]:
    """Global attributes in ASCII, each with its entries; none of them is empty.

    Parameters
    ----------
    header
        Where the file comes from.
    file_id
        The file's name without suffix.
    """
    credited = [(each, next(iter(each.credit.credits), None)) for each in header.datasets]
    synthetic = ["SYNTHETIC data made by helio_dagster for demonstration: no measurement. Do not use for science."]
    about = " ".join(part for part in (header.intent, header.title and f"From the pipeline: {header.title}.") if part)
    given: dict[str, Iterable[str]] = {
        "TITLE": [header.title or header.asset],
        "Project": ["helio_dagster>Heliophysics data pipelines"],
        "Source_name": _once((each.mission for each in header.datasets), "helio_dagster"),
        "Discipline": ["Space Physics"],
        "Data_type": [_DATA_TYPES.get(header.meta.kind, header.meta.kind) + _not_definitive(header.meta)],
        "Descriptor": [f"{header.asset}>{header.intent or header.meta.label or header.name}"],
        "Data_version": [header.data_version],
        "Logical_file_id": [file_id],
        "Logical_source": [header.source],
        "Logical_source_description": [f"{header.asset}: {header.intent or header.meta.label or header.name}"],
        "PI_name": _once((credit.pi if credit else "" for _, credit in credited), _NO_DATA),
        "PI_affiliation": _once((credit.affiliation if credit else "" for _, credit in credited), _NO_DATA),
        "Mission_group": _once((each.mission for each in header.datasets), "none"),
        "Instrument_type": _once((_INSTRUMENT_TYPES.get(each.instrument_type, "") for each in header.datasets), "none"),
        "TEXT": [
            *([about] if about else []),
            *(synthetic if header.meta.synthetic else []),
            f"Range {header.range_words}, UTC.",
            *(f"Made from {words}." for words in header.dataset_words),
            *([f"Formula: {header.formula}"] if header.formula else []),
        ],
        "Acknowledgement": _once((credit.acknowledgement if credit else "" for _, credit in credited), ""),
        "Rules_of_use": _once((credit.rules_of_use if credit else "" for _, credit in credited), ""),
        "DOI": header.references,
        "Generated_by": [SOFTWARE],
        "Generation_date": [header.newest[:10].replace("-", "")] if header.newest else [],
        "Software_version": [SOFTWARE],
        "Parents": header.parents,
        "Provenance": [header.provenance_json()],
    }
    plain = {name: [ascii_text(entry) for entry in entries if entry] for name, entries in given.items()}
    return {name: entries for name, entries in plain.items() if entries}


def _not_definitive(meta: TableMeta) -> str:
    return f", {meta.maturity}" if meta.maturity else ""


def _once(texts: Iterable[str], otherwise: str) -> list[str]:
    return list(dict.fromkeys(text for text in texts if text)) or [otherwise]


def epoch_attributes(*, is_monotonic: bool, minus: str = "", plus: str = "") -> dict[str, Entry]:
    """Attributes of `Epoch`; `minus` and `plus` are the variables that say how far records reach before and after it."""
    return {
        "CATDESC": "Time in UTC, as TT2000",
        "FIELDNAM": "Epoch",
        "FORMAT": "I22",
        "LABLAXIS": "Epoch",
        "UNITS": "ns",
        "SI_CONVERSION": "1.0e-9>s",
        **_limits_of_time(),
        "SCALETYP": "linear",
        "VAR_TYPE": "support_data",
        "TIME_BASE": "J2000",
        "TIME_SCALE": "Terrestrial Time",
        "REFERENCE_POSITION": "Rotating Earth Geoid",
        **({"MONOTON": "INCREASE"} if is_monotonic else {}),
        **({"DELTA_MINUS_VAR": minus, "DELTA_PLUS_VAR": plus} if minus and plus else {}),
    }


def _limits_of_time() -> dict[str, Entry]:
    edges = np.array([EARLIEST.replace(tzinfo=None), LATEST.replace(tzinfo=None)], dtype="datetime64[ns]")
    low, high = (int(each) for each in utc_to_tt2000(edges))
    return {
        "FILLVAL": (FILL, "CDF_TIME_TT2000"),
        "VALIDMIN": (low, "CDF_TIME_TT2000"),
        "VALIDMAX": (high, "CDF_TIME_TT2000"),
    }


def variable_attributes(variable: Variable, meta: TableMeta) -> dict[str, Entry]:
    """Attributes of any other variable.

    The valid range of a fetched parameter is the archive's. Nothing is known of what was computed, so that every number but the
    fill value is valid; what it spans in this file stands in SCALEMIN and SCALEMAX.
    """
    kind = cdf_type(variable)
    label = ascii_text(variable.label or variable.name)
    words: dict[str, Entry] = {"CATDESC": label, "FIELDNAM": variable.name}
    archive = meta.attributes if variable.use == "data" else {}
    if archive.get("CATDESC"):
        words["CATDESC"] = ascii_text(str(archive["CATDESC"]))
    if kind == "CDF_CHAR":
        words |= {"FILLVAL": FILL_TEXT, "FORMAT": f"A{variable.dtype.itemsize}", "VAR_TYPE": "metadata"}
        return words | _dependencies(variable)
    words["FORMAT"] = {"CDF_REAL4": "E14.7", "CDF_REAL8": "E23.16"}.get(kind, "I22")
    words["VAR_TYPE"] = "data" if variable.use in ("data", "count") else "support_data"
    words |= _labels(variable, label)
    words |= _limits_of_time() if kind == "CDF_TIME_TT2000" else _limits(variable, kind, archive)
    words["UNITS"] = "ns" if kind == "CDF_TIME_TT2000" else ascii_text(variable.unit) or " "
    words["SCALETYP"] = variable.scale
    if variable.unit and (form := si_form(variable.unit)) is not None:
        words["SI_CONVERSION"] = f"{form[0]:.15g}>{form[1] or ' '}"
    words |= _dependencies(variable)
    plus, minus = variable.uncertainty, variable.uncertainty
    if plus:
        words |= {"DELTA_PLUS_VAR": plus, "DELTA_MINUS_VAR": minus}
    if words["VAR_TYPE"] == "data":
        words["DISPLAY_TYPE"] = ("time_series", "spectrogram", "image")[min(len(variable.axes), 2)]
    if meta.frame and variable.use == "data":
        words["COORDINATE_SYSTEM"] = ascii_text(meta.frame)
    if notes := _notes(variable, meta):
        words["VAR_NOTES"] = ascii_text(notes)
    return words


def cdf_type(variable: Variable) -> str:
    """The CDF type that holds a variable's values."""
    kind = variable.dtype.kind
    if kind == "f":
        return "CDF_REAL4" if variable.dtype.itemsize <= 4 else "CDF_REAL8"
    return {"M": "CDF_TIME_TT2000", "S": "CDF_CHAR"}.get(kind, "CDF_INT8")


def _dependencies(variable: Variable) -> dict[str, Entry]:
    named: dict[str, Entry] = {f"DEPEND_{place}": axis for place, axis in enumerate(variable.axes, start=1)}
    return {"DEPEND_0": "Epoch", **named} if variable.varies else named


def _labels(variable: Variable, label: str) -> dict[str, Entry]:
    """Names of the places along its axes; the label of all of it stands beside them unless they are its components."""
    pointed: dict[str, Entry] = {f"LABL_PTR_{place}": name for place, name in enumerate(variable.labels, start=1) if name}
    return pointed if pointed and not variable.axes else {"LABLAXIS": label, **pointed}


def _limits(variable: Variable, kind: str, archive: Mapping[str, Any]) -> dict[str, Entry]:
    if kind == "CDF_INT8":
        least = 0 if variable.use in ("count", *REACHES) else -_WIDEST_INT
        most = LONGEST_NS if variable.use in REACHES else _WIDEST_INT
        return {"FILLVAL": (NO_INT, kind), "VALIDMIN": (least, kind), "VALIDMAX": (most, kind)}
    low, high = _valid_range(variable, archive)
    limits: dict[str, Entry] = {"FILLVAL": (FILL_REAL, kind), "VALIDMIN": (low, kind), "VALIDMAX": (high, kind)}
    if variable.range is not None:
        limits |= {"SCALEMIN": (variable.range[0], kind), "SCALEMAX": (variable.range[1], kind)}
    return limits


def _valid_range(variable: Variable, archive: Mapping[str, Any]) -> tuple[float, float]:
    """The archive's limits of all components, where the values keep to them; else those of all numbers but the fill value."""
    try:
        low = float(np.min(np.asarray(archive["VALIDMIN"], dtype=np.float64)))
        high = float(np.max(np.asarray(archive["VALIDMAX"], dtype=np.float64)))
    except (KeyError, TypeError, ValueError):
        low, high = -_WIDEST_REAL, _WIDEST_REAL
    least, most = variable.range or (low, high)
    return (low, high) if -_WIDEST_REAL <= low <= least and most <= high <= _WIDEST_REAL else (-_WIDEST_REAL, _WIDEST_REAL)


def _notes(variable: Variable, meta: TableMeta) -> str:
    notes = [str(meta.attributes.get("VAR_NOTES") or "")] if variable.use == "data" else []
    if variable.lower or variable.upper:
        ends = " and ".join(each for each in (variable.lower, variable.upper) if each)
        notes.append(f"The ends of its spread are in {ends}.")
    if meta.synthetic and variable.use == "data" and "SYNTHETIC" not in "".join(notes):
        notes.append("SYNTHETIC: no measurement.")
    return " ".join(note for note in notes if note)
