"""The demo's datasets as data: ids, cadences, variables and their ISTP attributes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

import numpy as np
from numpy.typing import NDArray

from helio_dagster.archives.demo import instruments
from helio_dagster.archives.demo.files import CdfType, CdfVariable, cdf_bytes, epoch_variables
from helio_dagster.archives.demo.gaps import fill_records, missing_records
from helio_dagster.archives.demo.noise import Floats
from helio_dagster.domain.grain import Grain
from helio_dagster.domain.time_range import TimeRange

SPAN = TimeRange(datetime(1990, 1, 1, tzinfo=UTC), datetime(2100, 1, 1, tzinfo=UTC))
GENERATED = datetime(2026, 11, 23, tzinfo=UTC)
"""LastModified of every file. Whoever changes what the files hold must change this too: caches go by it."""

_NOTICE = "SYNTHETIC data made by helio_dagster for demonstration: no measurement of any spacecraft. Do not use for science."
_FILL = -1e31


@dataclass(frozen=True)
class DemoVariable:
    """One parameter: name, description, unit, label (one a component), valid range, decimals kept, fill value."""

    name: str
    description: str
    unit: str
    labels: tuple[str, ...]
    valid: tuple[float, float]
    decimals: int | None = 3
    fill: float = _FILL
    frame: str = ""
    scale: str = "linear"
    display: str = "time_series"
    cdf_type: CdfType = "CDF_REAL4"


@dataclass(frozen=True)
class DemoDataset:
    """One dataset: whose likeness it is, how its files are cut, and what fills them.

    `offset_s` is the time of the first record after midnight; `stream` chooses its gaps; `deltas_s` is how far a record reaches
    before and after its time, where the files say so.
    """

    id: str
    label: str
    mission: str
    instrument: str
    instrument_type: str
    grain: Grain
    cadence_s: float
    offset_s: float
    stream: int
    measure: Callable[[Floats], instruments.Measured]
    variables: tuple[DemoVariable, ...]
    bins: tuple[DemoVariable, NDArray[np.float64]] | None = field(default=None, compare=False)
    deltas_s: tuple[float, float] | None = None

    def file_name(self, start: datetime) -> str:
        """Name of the file that begins at `start`."""
        return f"{self.id.lower()}_{start:%Y%m%d}_v01.cdf"

    def file_bytes(self, window: TimeRange) -> bytes:
        """The file of a window: the same bytes each time."""
        start_s, stop_s = window.start.timestamp(), window.stop.timestamp()
        seconds = np.arange(start_s + self.offset_s, stop_s, self.cadence_s)
        seconds = seconds[~missing_records(self.stream, seconds)]
        is_fill = fill_records(self.stream, seconds)
        measured = self.measure(seconds)
        variables = epoch_variables(seconds, self.deltas_s)
        if self.bins is not None:
            axis, centers = self.bins
            variables.append(CdfVariable(axis.name, "CDF_REAL4", centers, _axis_attributes(axis), varies=False))
        for variable in self.variables:
            values = _stored(variable, measured[variable.name], is_fill)
            variables.append(CdfVariable(variable.name, variable.cdf_type, values, self._attributes(variable)))
            if len(variable.labels) > 1:
                texts = {
                    "CATDESC": f"Labels of {variable.name}",
                    "FIELDNAM": f"Labels of {variable.name}",
                    "VAR_TYPE": "metadata",
                }
                variables.append(CdfVariable(f"label_{variable.name}", "CDF_CHAR", variable.labels, texts, varies=False))
        return cdf_bytes(self._global_attributes(window.start), variables)

    def _global_attributes(self, start: datetime) -> dict[str, str | Sequence[str]]:
        return {
            "TITLE": f"SYNTHETIC {self.label}",
            "Project": "helio_dagster demo",
            "Discipline": "Space Physics>Interplanetary Studies",
            "Source_name": f"{self.mission}>SYNTHETIC likeness of {self.mission}",
            "Descriptor": self.instrument,
            "Data_type": f"{self.id.split('_')[1]}>SYNTHETIC",
            "Data_version": "1",
            "Generation_date": f"{GENERATED:%Y%m%d}",
            "Generated_by": "helio_dagster demo archive",
            "TEXT": _NOTICE,
            "Logical_source": self.id,
            "Logical_source_description": f"SYNTHETIC {self.label}",
            "Logical_file_id": self.file_name(start).removesuffix(".cdf"),
            "Mission_group": self.mission,
            "Instrument_type": self.instrument_type,
            "PI_name": "none (synthetic)",
            "PI_affiliation": "none (synthetic)",
        }

    def _attributes(self, variable: DemoVariable) -> dict[str, str | float | Sequence[float]]:
        attributes: dict[str, str | float | Sequence[float]] = {
            "CATDESC": f"{variable.description} (synthetic)",
            "FIELDNAM": variable.description,
            "DEPEND_0": "Epoch",
            "DISPLAY_TYPE": variable.display,
            "FILLVAL": variable.fill,
            "VALIDMIN": variable.valid[0],
            "VALIDMAX": variable.valid[1],
            "UNITS": variable.unit,
            "SCALETYP": variable.scale,
            "VAR_TYPE": "data",
            "VAR_NOTES": _NOTICE,
        }
        if len(variable.labels) > 1:
            attributes |= {"LABL_PTR_1": f"label_{variable.name}"}
        else:
            attributes |= {"LABLAXIS": variable.labels[0]}
        if variable.frame:
            attributes |= {"COORDINATE_SYSTEM": variable.frame}
        if self.bins is not None:
            attributes |= {"DEPEND_1": self.bins[0].name}
        return attributes


def _axis_attributes(axis: DemoVariable) -> dict[str, str | float | Sequence[float]]:
    return {
        "CATDESC": axis.description,
        "FIELDNAM": axis.description,
        "FILLVAL": axis.fill,
        "VALIDMIN": axis.valid[0],
        "VALIDMAX": axis.valid[1],
        "UNITS": axis.unit,
        "SCALETYP": axis.scale,
        "LABLAXIS": axis.labels[0],
        "VAR_TYPE": "support_data",
    }


def _stored(variable: DemoVariable, values: Floats, is_fill: NDArray[np.bool_]) -> Floats:
    """Values as an archive keeps them: so many decimals, inside the valid range, fill where there is none."""
    kept = values if variable.decimals is None else np.round(values, variable.decimals)
    kept = np.clip(kept, *variable.valid)
    return np.where(is_fill.reshape(-1, *[1] * (kept.ndim - 1)), variable.fill, kept)


def _field(name: str, description: str, frame: str, labels: tuple[str, ...]) -> DemoVariable:
    return DemoVariable(name, description, "nT", labels, (-500.0, 500.0), frame=frame)


DATASETS: tuple[DemoDataset, ...] = (
    DemoDataset(
        id="AC_H0_MFI",
        label="ACE Magnetic Field 16-Second Data",
        mission="ACE",
        instrument="MAG>ACE Magnetic Field Instrument",
        instrument_type="Magnetic Fields (space)",
        grain=Grain.DAILY,
        cadence_s=16.0,
        offset_s=13.0,
        stream=1,
        measure=instruments.ace_magnetic_field,
        variables=(
            DemoVariable("Magnitude", "B-field magnitude", "nT", ("<|B|>",), (0.0, 500.0)),
            _field("BGSEc", "Magnetic field vector in GSE", "GSE", ("Bx GSE", "By GSE", "Bz GSE")),
            _field("BGSM", "Magnetic field vector in GSM", "GSM", ("Bx (GSM)", "By (GSM)", "Bz (GSM)")),
            DemoVariable("dBrms", "RMS of the magnetic field over 16 s", "nT", ("dBrms",), (0.0, 100.0)),
            DemoVariable(
                "SC_pos_GSE", "ACE position in GSE", "km", ("ACE X-GSE", "ACE Y-GSE", "ACE Z-GSE"), (-2e6, 2e6), 0, frame="GSE"
            ),
        ),
    ),
    DemoDataset(
        id="AC_H0_SWE",
        label="ACE Solar Wind Electron Proton Alpha Monitor 64-Second Data",
        mission="ACE",
        instrument="SWE>ACE Solar Wind Electron Proton Alpha Monitor",
        instrument_type="Plasma and Solar Wind",
        grain=Grain.DAILY,
        cadence_s=64.0,
        offset_s=37.0,
        stream=2,
        measure=instruments.ace_plasma,
        variables=(
            DemoVariable("Np", "Proton number density", "#/cc", ("H Density",), (0.0, 200.0)),
            DemoVariable("Vp", "Proton speed", "km/s", ("H Speed",), (0.0, 2500.0), 2),
            DemoVariable("Tpr", "Radial proton temperature", "Kelvin", ("H Temp radial",), (1e3, 1e7), 0, scale="log"),
            DemoVariable(
                "V_GSE",
                "Proton velocity in GSE",
                "km/s",
                ("VX (GSE)", "VY (GSE)", "VZ (GSE)"),
                (-2500.0, 2500.0),
                2,
                frame="GSE",
            ),
        ),
    ),
    DemoDataset(
        id="OMNI2_H0_MRG1HR",
        label="OMNI Combined Hourly Interplanetary Magnetic Field, Plasma and Indices",
        mission="OMNI (Combined 1AU IP Data; Magnetic and Solar Indices)",
        instrument="IMF, Plasma, Indices",
        instrument_type="Activity Indices",
        grain=Grain.MONTHLY,
        cadence_s=3600.0,
        offset_s=0.0,
        stream=4,
        measure=instruments.omni_hourly,
        deltas_s=(0.0, 3600.0),
        variables=(
            DemoVariable("V", "Flow speed, hourly mean", "km/s", ("Flow speed",), (0.0, 2500.0), 0, 9999.0),
            DemoVariable("N", "Ion density, hourly mean", "N/cm3", ("Ion density",), (0.0, 200.0), 1, 999.9),
            DemoVariable(
                "T", "Proton temperature, hourly mean", "Deg K", ("Temperature",), (1e3, 9e6), 0, 9_999_999.0, scale="log"
            ),
            DemoVariable("ABS_B", "Field magnitude, hourly mean", "nT", ("<|B|>",), (0.0, 200.0), 1, 999.9),
            DemoVariable("DST", "Dst index", "nT", ("Dst",), (-800.0, 200.0), 0, 99_999.0, cdf_type="CDF_INT4"),
        ),
    ),
    DemoDataset(
        id="WI_H0_MFI",
        label="Wind Magnetic Fields Investigation, 1-Minute Data",
        mission="Wind",
        instrument="MFI>Magnetic Fields Investigation",
        instrument_type="Magnetic Fields (space)",
        grain=Grain.DAILY,
        cadence_s=60.0,
        offset_s=30.0,
        stream=3,
        measure=instruments.wind_magnetic_field,
        variables=(
            DemoVariable("BF1", "Magnetic field magnitude, 1-minute mean", "nT", ("B",), (0.0, 500.0)),
            _field("BGSE", "Magnetic field vector in GSE", "GSE", ("Bx (GSE)", "By (GSE)", "Bz (GSE)")),
            _field("BGSM", "Magnetic field vector in GSM", "GSM", ("Bx (GSM)", "By (GSM)", "Bz (GSM)")),
            DemoVariable("BRMSF1", "RMS of the magnetic field magnitude over one minute", "nT", ("RMS B",), (0.0, 100.0)),
        ),
    ),
    DemoDataset(
        id="WI_PLSP_3DP",
        label="Wind 3-D Plasma Analyzer, PESA Low, Omnidirectional Ion Flux",
        mission="Wind",
        instrument="3DP>3-D Plasma Analyzer",
        instrument_type="Plasma and Solar Wind",
        grain=Grain.DAILY,
        cadence_s=90.0,
        offset_s=45.0,
        stream=5,
        measure=instruments.wind_ion_flux,
        variables=(
            DemoVariable(
                "FLUX",
                "Omnidirectional ion flux",
                "1/(cm^2-s-sr-eV)",
                ("Ion flux",),
                (0.0, 1e10),
                decimals=None,
                scale="log",
                display="spectrogram",
            ),
        ),
        bins=(
            DemoVariable("ENERGY", "Ion energy per charge, centre of channel", "eV", ("Energy",), (1.0, 1e5), scale="log"),
            instruments.ENERGIES_EV,
        ),
    ),
)
"""In order of id."""
