"""Operations on records with several axes, against a distribution whose moments are known."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

from helio_dagster.archives.cdf.decode import decode
from helio_dagster.archives.cdf.fast_file import PycdfppFile
from helio_dagster.compute.operation import get_operation
from helio_dagster.domain.axes import RecordAxis
from helio_dagster.domain.errors import ComputeError, InputError
from helio_dagster.domain.table import BinAxis, ColumnMeta, Table, TableMeta
from helio_dagster.domain.time_range import EARLIEST, LATEST, TimeRange
from tests.nd_files import DISTRIBUTION, FIELD, Distribution, make_distribution, write_distribution

WIDE = TimeRange(EARLIEST, LATEST)
RECORDS = 12


@pytest.fixture(scope="module")
def made() -> Distribution:
    """What the file holds."""
    return make_distribution(RECORDS)


@pytest.fixture(scope="module")
def tables(made: Distribution, tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Table]:
    """The distribution and the field as they are read from a file like those of MMS FPI."""
    file = PycdfppFile(write_distribution(tmp_path_factory.mktemp("nd") / "made.cdf", made))
    return {"distribution": decode(file, DISTRIBUTION), "field": decode(file, FIELD)}


def result_of(operation_id: str, tables: Mapping[str, Table], **options: Any) -> Table:
    """The result of an operation."""
    operation = get_operation(operation_id)
    given = {name: tables[name] for name in operation.inputs if name in tables}
    return operation.apply(given, operation.read_options(options), WIDE, "result")


def rows_of(table: Table, role: str = "data") -> np.ndarray:
    """The columns of a role side by side."""
    return np.stack([table.columns[column.name] for column in table.meta.columns if column.role == role], axis=1)


def test_the_mean_over_the_sky_is_the_analytic_one(tables: Mapping[str, Table], made: Distribution) -> None:
    """1 + 2 cos^2 a is 5/3 on average over the sphere, wherever the field points; energies stay those of each record."""
    found = result_of("energy_spectrogram", tables)
    assert (found.meta.kind, found.meta.unit, found.meta.scale) == ("spectrogram", "s^3 cm^-6", "log")
    assert found.meta.bins is not None
    assert (found.meta.bins.unit, found.meta.bins.scale, found.meta.bins.is_fixed) == ("eV", "log", False)
    np.testing.assert_array_equal(rows_of(found, "bin"), made.energy)
    expected = 1e-24 * (made.energy.astype("f8") / 100) ** -2 * 5 / 3
    np.testing.assert_allclose(rows_of(found), expected, rtol=0.01)
    equal = rows_of(result_of("energy_spectrogram", tables, weights="equal"))
    assert np.abs(equal / expected - 1).max() > 0.05  # the poles have many small bins


def test_pitch_angles_are_those_to_the_field(tables: Mapping[str, Table], made: Distribution) -> None:
    """The mean in a bin is that of 1 + 2 cos^2 a over it, at one energy."""
    energy = tables["distribution"].meta.axes[2]
    one = result_of("slice", tables, axis=energy.name, first=10, stop=11)
    found = result_of("pitch_angle_spectrogram", {**tables, "distribution": one}, bin=10, directions="look")
    assert found.meta.bins is not None
    assert found.meta.bins.centers == tuple(np.arange(5.0, 180, 10))
    angle = np.radians(np.array(found.meta.bins.centers))
    expected = 1e-24 * (made.energy[:, 10:11].astype("f8") / 100) ** -2 * (1 + 2 * np.cos(angle) ** 2)
    np.testing.assert_allclose(rows_of(found), expected, rtol=0.12)


def test_look_and_motion_are_opposite(tables: Mapping[str, Table], made: Distribution) -> None:
    """A beam along the field is at 0 degrees if the instrument looks towards where it comes from."""
    table = tables["distribution"]
    against = made.field / np.linalg.norm(made.field, axis=1)[:, None]
    phi = np.degrees(np.arctan2(-against[:, 1], -against[:, 0])) % 360
    theta = np.degrees(np.arccos(-against[:, 2]))
    beam = np.zeros_like(table.columns[DISTRIBUTION])
    for record in range(RECORDS):
        off = np.abs((made.azimuth[record] - phi[record] + 180) % 360 - 180)
        beam[record, off.argmin(), np.abs(made.colatitude - theta[record]).argmin()] = 1
    given = {**tables, "distribution": Table(table.time, {**table.columns, DISTRIBUTION: beam}, table.meta)}
    look, motion = (rows_of(result_of("pitch_angle_spectrogram", given, directions=each)) for each in ("look", "motion"))
    assert (np.nanargmax(look, axis=1) == 0).all()
    assert (np.nanargmax(motion, axis=1) == 11).all()


def test_data_with_pitch_angles_keep_them(tables: Mapping[str, Table]) -> None:
    """Their own bins, the mean over the energies that are chosen; no field is needed."""
    axes = (
        RecordAxis(name="PITCH_ANGLE", label="pitch angle", unit="deg", size=3, values=(18.0, 90.0, 162.0)),
        RecordAxis(name="energy", unit="keV", size=2, column="energy"),
    )
    columns = (ColumnMeta(name="j", unit="cm^-2"), ColumnMeta(name="energy", unit="keV", role="bin"))
    values, energies = np.arange(12.0).reshape(2, 3, 2), np.array([[1.0, 2.0], [2.0, 3.0]])
    table = Table(tables["field"].time[:2], {"j": values, "energy": energies}, TableMeta(kind="nd", columns=columns, axes=axes))
    found = result_of("pitch_angle_spectrogram", {"distribution": table}, energies=(1.5, 2.5))
    np.testing.assert_array_equal(rows_of(found), [values[0, :, 1], values[1, :, 0]])
    assert (found.meta.unit, found.meta.columns[0].label) == ("cm^-2", "18 deg")


def test_an_integral_over_energy_cancels_what_the_values_are_per(tables: Mapping[str, Table]) -> None:
    """Values per keV over an axis in eV: the widths count in keV."""
    table = tables["distribution"]
    of_flux = table.meta.model_copy(
        update={
            "unit": "keV^-1",
            "columns": tuple(
                each.model_copy(update={"unit": "keV^-1"}) if each.role == "data" else each for each in table.meta.columns
            ),
        }
    )
    flux = Table(table.time, {**table.columns, DISTRIBUTION: np.ones_like(table.columns[DISTRIBUTION])}, of_flux)
    found = result_of("reduce", {"distribution": flux}, axis="mx1_energy", how="integral")
    widths = table.columns["mx1_energy_width"].astype("f8").sum(axis=1)
    assert found.meta.unit == ""
    np.testing.assert_allclose(rows_of(found).reshape(RECORDS, -1), np.tile(widths[:, None] / 1000, (1, 32 * 16)), rtol=1e-6)


def test_an_integral_over_the_sphere_is_its_area(tables: Mapping[str, Table]) -> None:
    """Over polar angle by solid angle, then over azimuth: 4 pi; over energy the sum of values times the archive's widths."""
    table = tables["distribution"]
    ones = Table(table.time, {**table.columns, DISTRIBUTION: np.ones_like(table.columns[DISTRIBUTION])}, table.meta)
    polar = result_of("reduce", {"distribution": ones}, axis="polar angle", how="integral", weights="solid_angle")
    assert (polar.meta.kind, polar.meta.shape, polar.meta.unit) == ("nd", (32, 32), "rad s^3 cm^-6")
    sphere = result_of("reduce", {"distribution": polar}, axis="mx1_phi", how="integral")
    np.testing.assert_allclose(rows_of(sphere), 4 * np.pi, rtol=1e-6)
    energy = result_of("reduce", {"distribution": polar}, axis="mx1_energy", how="integral")
    widths = table.columns["mx1_energy_width"].astype("f8").sum(axis=1)
    np.testing.assert_allclose(rows_of(energy), np.broadcast_to(2 * widths[:, None], (RECORDS, 32)), rtol=1e-6)


def test_what_is_missing_is_not_zero(tables: Mapping[str, Table]) -> None:
    """A sum or integral with a fill is NaN, unless told to leave it out; a mean is that of the rest."""
    total = result_of("reduce", tables, axis="mx1_energy", how="sum")
    filled = np.isnan(tables["distribution"].columns[DISTRIBUTION]).any(axis=3)
    np.testing.assert_array_equal(np.isnan(total.columns["result"]), filled)
    for how, more in (("sum", {"skip_missing": True}), ("mean", {})):
        assert not np.isnan(result_of("reduce", tables, axis="mx1_energy", how=how, **more).columns["result"]).any()


@pytest.mark.parametrize("value", [15.0, 500.0])
def test_a_slice_takes_the_nearest_bin_of_each_record(tables: Mapping[str, Table], made: Distribution, value: float) -> None:
    """By ratio on an axis of scale log; the bins of alternate records differ."""
    found = result_of("slice", tables, axis="energy", value=value)
    nearest = np.abs(np.log(made.energy / value)).argmin(axis=1)
    expected = tables["distribution"].columns[DISTRIBUTION][np.arange(RECORDS), :, :, nearest]
    np.testing.assert_array_equal(found.columns["result"], expected)
    assert [axis.name for axis in found.meta.axes] == ["mx1_phi", "mx1_theta"]


@pytest.mark.parametrize("is_fixed", [True, False])
def test_a_slice_of_a_spectrogram_is_a_series(*, is_fixed: bool) -> None:
    """The bin whose center is nearest, in the value's own unit, whether the centers vary by record or not."""
    columns = tuple(ColumnMeta(name=f"e_{place}", unit="cm^-2 s^-1") for place in range(3))
    bins = tuple(ColumnMeta(name=f"e_{place}_bin", unit="eV", role="bin") for place in range(3))
    meta = TableMeta(
        kind="spectrogram",
        unit="cm^-2 s^-1",
        columns=columns if is_fixed else (*columns, *bins),
        bins=BinAxis(label="Energy", unit="eV", scale="log", centers=(10.0, 1000.0, 1e5) if is_fixed else ()),
    )
    values = {f"e_{place}": np.array([1.0, 10.0]) * (place + 1) for place in range(3)}
    centers = {f"e_{place}_bin": np.array([10.0, 20.0]) * 100**place for place in range(3)}
    time = np.array(["2020-01-01", "2020-01-02"], "datetime64[ns]")
    table = Table(time, values if is_fixed else {**values, **centers}, meta)
    found = result_of("slice", {"distribution": table}, axis=0, value=1.2, unit="keV")
    assert (found.meta.kind, found.meta.unit) == ("series", "cm^-2 s^-1")
    np.testing.assert_array_equal(found.columns["result"], [2.0, 20.0])


def test_outside_the_axis_there_is_nothing(tables: Mapping[str, Table]) -> None:
    """NaN where bins vary by record; a fixed axis is known before anything runs."""
    assert np.isnan(result_of("slice", tables, axis="energy", value=1e9).columns["result"]).all()
    with pytest.raises(ComputeError, match="250 is outside the axis mx1_theta"):
        result_of("slice", tables, axis="mx1_theta", value=250.0)


@pytest.mark.parametrize(
    ("operation_id", "options", "error", "said"),
    [
        ("slice", {"axis": "energie", "index": 0}, InputError, "there is no axis 'energie'"),
        ("slice", {"axis": "energy"}, InputError, "one of value, index"),
        ("slice", {"axis": "energy", "index": 0, "unit": "keV"}, InputError, "a unit is that of a value"),
        ("slice", {"axis": 1, "index": 16}, ComputeError, "has 16 bins"),
        ("reduce", {"axis": "energy", "weights": "solid_angle"}, ComputeError, "angle from a pole"),
        ("reduce", {"axis": "energy", "how": "max", "weights": "solid_angle"}, InputError, "do not count"),
        ("energy_spectrogram", {"axis": "speed"}, InputError, "there is no axis"),
        ("pitch_angle_spectrogram", {"bin": 7.0}, InputError, "do not fill 180"),
        ("pitch_angle_spectrogram", {}, ComputeError, "come from or go to"),
        ("magnitude", {}, InputError, "needs the input"),
    ],
)
def test_mistakes_are_named(
    tables: Mapping[str, Table], operation_id: str, options: dict[str, Any], error: type[Exception], said: str
) -> None:
    """Before anything is computed."""
    with pytest.raises(error, match=said):
        result_of(operation_id, tables, **options)


def test_other_operations_say_what_to_do(tables: Mapping[str, Table]) -> None:
    """They name those that take axes away."""
    operation = get_operation("rolling_mean")
    with pytest.raises(ComputeError, match="not nd") as caught:
        operation.apply({"series": tables["distribution"]}, operation.read_options({"window": "PT1M"}), WIDE, "r")
    assert "energy_spectrogram" in caught.value.hint
