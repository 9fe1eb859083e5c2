"""Figures of real mission files, read here with cdflib alone."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import cdflib
import numpy as np

from helio_dagster.domain.figure import Figure
from helio_dagster.domain.table import BinAxis, ColumnMeta, Table, TableMeta
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.figures.drawing import draw


def read(path: Path, variable: str, epoch: str) -> tuple[np.ndarray, np.ndarray]:
    """Times and values of a variable, fill as NaN."""
    cdf = cdflib.CDF(path)
    time = cdflib.cdfepoch.to_datetime(cdf.varget(epoch).ravel()).astype("datetime64[ns]")
    values = np.asarray(cdf.varget(variable), dtype=np.float64)
    values[values == float(cdf.varattsget(variable)["FILLVAL"])] = np.nan
    return time, values


def test_a_day_of_ace_keeps_its_extremes(shared_data: Path) -> None:
    """In fifteen lines 5,400 vectors are thinned, yet lowest and highest of each component are those that cdflib reads."""
    time, field = read(shared_data / "cdf" / "ac_h0_mfi_20230102_v07.cdf", "BGSEc", "Epoch")
    labels = ("Bx GSE", "By GSE", "Bz GSE")
    meta = TableMeta(
        kind="vector", columns=tuple(ColumnMeta(name=label, unit="nT") for label in labels), unit="nT", frame="GSE"
    )
    table = Table(time, {label: field[:, place] for place, label in enumerate(labels)}, meta)
    span = TimeRange(datetime(2023, 1, 2, tzinfo=UTC), datetime(2023, 1, 3, tzinfo=UTC))
    figure = draw(Figure.model_validate({"panels": [{"traces": [{"data": "b"}]}] * 5}), {"b": table}, span, title="ACE")
    assert len(figure.data) == 15
    for place, trace in enumerate(figure.data):
        component = field[:, place % 3]
        assert len(trace.y) <= 4010
        assert np.nanmin(trace.y) == np.float32(np.nanmin(component))
        assert np.nanmax(trace.y) == np.float32(np.nanmax(component))


def test_hope_protons_are_drawn_at_their_energies(shared_data: Path) -> None:
    """100 spectra, their energies in every record: the image is the logarithm of what cdflib reads, lowest energy first."""
    path = shared_data / "cdf" / "rbspa_rel04_ect-hope-PA-L3_20121201_v0.0.0.cdf"
    time, flux = read(path, "FPDO", "Epoch_Ion")
    energy = np.asarray(cdflib.CDF(path).varget("HOPE_ENERGY_Ion"), dtype=np.float64)
    data = {f"E{place}": flux[:, place] for place in range(72)}
    bins = {f"energy{place}": energy[:, place] for place in range(72)}
    columns = [ColumnMeta(name=name) for name in data] + [ColumnMeta(name=name, unit="eV", role="bin") for name in bins]
    meta = TableMeta(kind="spectrogram", columns=tuple(columns), scale="log", bins=BinAxis(unit="eV", scale="log"))
    span = TimeRange(datetime(2012, 12, 1, tzinfo=UTC), datetime(2012, 12, 1, 1, tzinfo=UTC))
    spec = Figure.model_validate({"panels": [{"traces": [{"data": "p"}]}]})
    (image,) = draw(spec, {"p": Table(time, {**data, **bins}, meta)}, span, title="HOPE").data
    order = np.argsort(energy[0])
    shown = flux[:, order].T
    columns_with_data = np.isfinite(image.z).any(axis=0)
    positive = shown > 0
    assert columns_with_data.sum() == 100
    np.testing.assert_allclose(image.z[:, columns_with_data][positive], np.log10(shown[positive]), rtol=1e-6)
    assert (energy[0][order] > image.y[:-1]).all()
    assert (energy[0][order] < image.y[1:]).all()
