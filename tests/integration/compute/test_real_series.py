"""Operations on real mission files: what the archive gives beside it is the oracle, or what physics demands of any field."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import cdflib
import numpy as np
import pytest

from helio_dagster.compute.operation import get_operation
from helio_dagster.domain.table import ColumnMeta, Kind, Table, TableMeta
from helio_dagster.domain.time_range import EARLIEST, LATEST, TimeRange

ReadTable = Callable[..., Table]


@pytest.fixture(scope="module")
def read_table(shared_data: Path) -> ReadTable:
    """A variable of a real file as a table, read by cdflib; values beyond 1e5 are fills."""

    def read(file: str, variable: str, *, epoch: str, kind: Kind, unit: str, frame: str | None = None) -> Table:
        cdf = cdflib.CDF(shared_data / "cdf" / file)
        time = cdflib.cdfepoch.to_datetime(cdf.varget(epoch)).astype("datetime64[ns]")
        values = np.asarray(cdf.varget(variable), dtype=np.float64).reshape(len(time), -1)
        values = np.where(np.abs(values) < 1e5, values, np.nan)
        names = [f"{variable}_{place}" for place in range(values.shape[1])]
        columns = tuple(ColumnMeta(name=name, label=name, unit=unit) for name in names)
        data = {name: np.ascontiguousarray(values[:, place]) for place, name in enumerate(names)}
        return Table(time, data, TableMeta(kind=kind, columns=columns, unit=unit, frame=frame))

    return read


@pytest.fixture(scope="module")
def ace(read_table: ReadTable) -> Callable[[str, str], Table]:
    """A field of ACE on 2023-01-02, 16-second vectors."""
    return lambda variable, frame: read_table(
        "ac_h0_mfi_20230102_v07.cdf", variable, epoch="Epoch", kind="vector", unit="nT", frame=frame
    )


def _apply(operation_id: str, table: Table, **options: object) -> Table:
    operation = get_operation(operation_id)
    (name,) = (name for name, each in operation.inputs.items() if not each.is_optional)
    return operation.apply({name: table}, operation.read_options(options), TimeRange(EARLIEST, LATEST), "out")


def _rows(table: Table) -> np.ndarray:
    return np.column_stack(list(table.columns.values()))


def test_gse_rotated_is_the_archives_gsm(ace: Callable[[str, str], Table]) -> None:
    """A quarter of a degree: the archive's own rotation has another dipole, and its values three decimals."""
    rotated = _rows(_apply("transform_frame", ace("BGSEc", "GSE"), to="GSM"))
    given = _rows(ace("BGSM", "GSM"))
    angle = np.degrees(np.linalg.norm(rotated - given, axis=1) / np.linalg.norm(given, axis=1))
    assert np.isfinite(angle).sum() > 5000
    assert np.nanmax(angle) < 0.3


def test_spectra_of_real_cadences_have_the_power_of_the_series(ace: Callable[[str, str], Table]) -> None:
    """ACE's clock is not ours: the samples fall into slots all the same, and Parseval holds for every hour."""
    bx = _apply("component", ace("BGSEc", "GSE"), component=0)
    found = _apply("welch", bx, cadence="PT16S", bin="PT4H16M", segment="PT4H16M", taper="boxcar")
    rows = _rows(found)
    bin_ns = (4 * 3600 + 16 * 60) * 10**9
    whole = 0
    for start, row in zip(found.time.astype(np.int64), rows, strict=True):
        inside = bx.columns["out"][(bx.time.astype(np.int64) >= start) & (bx.time.astype(np.int64) < start + bin_ns)]
        if np.isfinite(row).all() and len(inside) == 960 and np.isfinite(inside).all():
            np.testing.assert_allclose(row.sum() / (4 * 3600 + 16 * 60), inside.var(), rtol=1e-9)
            whole += 1
    assert whole >= 3


def test_burst_data_are_filtered_without_loss(read_table: ReadTable) -> None:
    """MMS, 128 vectors a second, a cadence that is not a whole number of microseconds.

    Of order 1, |H|^2 of low and high pass add up to one: together they are the field, but where the grid of slots and the clock
    part by a sample.
    """
    file = "mms1_fgm_brst_l2_20161209090054_v5.87.0.cdf"
    field = read_table(file, "mms1_fgm_b_gse_brst_l2", epoch="Epoch", kind="vector", unit="nT", frame="GSE")
    bz = _apply("component", field, component=2)
    low, high = (
        _apply("butterworth", bz, cadence="PT0.007812S", order=1, **edge).columns["out"]
        for edge in ({"below_hz": 4.0}, {"above_hz": 4.0})
    )
    assert np.isfinite(low).mean() > 0.99
    values = bz.columns["out"]
    apart = np.abs(low + high - values) / np.nanstd(values)
    assert np.nanquantile(apart, 0.95) < 1e-6
    assert np.nanstd(high) < 0.5 * np.nanstd(values)


def test_two_listed_storms_began_with_the_jumps_that_are_found(read_table: ReadTable) -> None:
    """Of September 2024, hourly: those ahead of the clouds that made severe storms on the 12th and 17th, and no other.

    Shocks at the cadence of a list need samples of a minute; with hours they are wide jumps, between two hours.
    """
    file, names = "omni_coho1hr_merged_mag_plasma_20240901_v01.cdf", {"field": "ABS_B", "velocity": "V", "density": "N"}
    units = {"field": "nT", "velocity": "km/s", "density": "cm^-3"}
    given = {
        each: read_table(file, variable, epoch="Epoch", kind="series", unit=units[each]) for each, variable in names.items()
    }
    operation, month = get_operation("find_shocks"), TimeRange(EARLIEST, LATEST)
    assert len(operation.apply(given, operation.read_options({}), month, "out")) == 0
    wide = {"length": "PT4H", "clear_upstream": "PT1H", "clear_downstream": "PT1H", "apart": "PT12H"}
    limits = {"field_ratio": 1.4, "density_ratio": 1.5, "speed_jump": 50}
    found = operation.apply(given, operation.read_options(wide | limits), month, "out")
    assert found.time.astype("datetime64[h]").astype(str).tolist() == ["2024-09-12T04", "2024-09-16T23"]
    assert found.columns["type"].tolist() == [1, 1]
    for place, at in enumerate(found.time):
        hours = (given["field"].time - at) / np.timedelta64(1, "h")
        before, after = (hours >= -5) & (hours <= -1), (hours >= 1) & (hours <= 5)
        for name in ("field", "density"):
            (values,) = given[name].columns.values()
            expected = np.nanmean(values[after]) / np.nanmean(values[before])
            assert found.columns[f"{name}_ratio"][place] == pytest.approx(expected, rel=1e-6)
        (speed,) = given["velocity"].columns.values()
        expected = speed[after].mean() - speed[before].mean()
        assert found.columns["speed_jump"][place] == pytest.approx(expected, rel=1e-6)
