"""A step's code over tables: what its result must be."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import pytest

from helio_dagster.agent.drafting.fetched_steps import MEAN_TEMPERATURE
from helio_dagster.compute.code_step import run_code
from helio_dagster.domain.errors import CodeError, CodeStopped
from helio_dagster.domain.extent import Extent, Extents
from helio_dagster.domain.table import BinAxis, ColumnMeta, Table, TableMeta
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.sandbox import Sandbox

DAY = TimeRange(datetime(2024, 1, 2, tzinfo=UTC), datetime(2024, 1, 3, tzinfo=UTC))
HALO = timedelta(hours=2)
START = np.datetime64("2024-01-01T22:00", "ns")


def table(values: Any, meta: TableMeta | None = None) -> Table:
    """Hourly records from the beginning of the halo."""
    array = np.asarray(values, dtype="float64")
    columns = array.T if array.ndim > 1 else array[np.newaxis]
    names = [f"b{axis}" for axis in "xyz"][: len(columns)] if len(columns) > 1 else ["b_mag"]
    described = tuple(ColumnMeta(name=name, label=name.upper(), unit="nT") for name in names)
    meta = meta or TableMeta(kind="series" if len(names) == 1 else "vector", columns=described, unit="nT", frame="GSE")
    time = START + np.arange(len(array)) * np.timedelta64(1, "h")
    return Table(time, dict(zip([column.name for column in meta.columns], columns, strict=True)), meta)


def run(sandbox: Sandbox, body: str, b: Table | None = None, **others: Any) -> Table:
    """Run a body over one input, hourly over the day and its halo, as the step `b_rms`."""
    inputs = {"b": b if b is not None else table(np.arange(28.0)), **others.pop("inputs", {})}
    given = {"window": DAY, "lookback": HALO, "lookahead": HALO, "unit": "nT", "name": "b_rms", **others}
    return run_code(sandbox, body, inputs, **given).table


def test_a_result_is_clipped_to_its_partition(sandbox: Sandbox) -> None:
    """Values near its edges have seen the halo."""
    found = run(sandbox, "return b['b_mag'].rolling('3h', center=True).mean()")
    assert (found.time[0], found.time[-1]) == (np.datetime64("2024-01-02T00:00"), np.datetime64("2024-01-02T23:00"))
    np.testing.assert_array_equal(found.columns["b_rms"], np.arange(2.0, 26.0))


def test_a_temperature_is_made_of_those_along_and_across_the_field(sandbox: Sandbox) -> None:
    """One degree of freedom along the field, two across it: 100 and 400 make 300."""
    inputs = {"parallel": table(np.full(28, 100.0)), "perpendicular": table(np.full(28, 400.0))}
    found = run_code(sandbox, MEAN_TEMPERATURE, inputs, window=DAY, lookback=HALO, lookahead=HALO, unit="eV", name="T").table
    np.testing.assert_array_equal(found.columns["T"], np.full(24, 300.0))


def test_one_column_bears_the_step_and_its_declared_unit(sandbox: Sandbox) -> None:
    """Whatever the code called it."""
    found = run(sandbox, "return b.rename(columns={'b_mag': '../../x'})", unit="mV/m", frame="GSM")
    assert tuple(found.columns) == ("b_rms",)
    assert found.meta == TableMeta(
        kind="series", columns=(ColumnMeta(name="b_rms", label="b_rms", unit="mV/m"),), label="b_rms", unit="mV/m", frame="GSM"
    )


def test_several_columns_are_a_vector(sandbox: Sandbox) -> None:
    """Under the code's names, with the labels of the inputs' columns."""
    found = run(sandbox, "return b[['bx', 'by']].assign(total=1)", table(np.ones((28, 3))), frame="GSE")
    assert found.meta.kind == "vector"
    assert [(column.name, column.label, column.unit) for column in found.meta.columns] == [
        ("bx", "BX", "nT"),
        ("by", "BY", "nT"),
        ("total", "total", "nT"),
    ]


def test_columns_of_a_spectrogram_stay_one(sandbox: Sandbox) -> None:
    """With its bins."""
    bins = BinAxis(label="Energy", unit="eV", centers=(10.0, 20.0))
    columns = (ColumnMeta(name="flux 1", unit="1"), ColumnMeta(name="flux 2", unit="1"))
    meta = TableMeta(kind="spectrogram", columns=columns, unit="1", bins=bins, synthetic=True)
    found = run(sandbox, "return np.log10(b)", table(np.full((28, 2), 100.0), meta), unit="log10")
    assert (found.meta.kind, found.meta.bins, found.meta.unit) == ("spectrogram", bins, "log10")
    assert found.meta.synthetic
    np.testing.assert_array_equal(found.columns["flux 2"], np.full(24, 2.0))


def test_an_empty_first_input_gives_an_empty_table_without_a_call() -> None:
    """There is nothing to compute, and no sandbox is started."""
    with Sandbox(strongest="weak") as refusing:
        found = run(refusing, "return b", table(np.empty(0)))
    assert (len(found), found.status) == (0, "empty")


def test_no_record_of_the_window_is_an_empty_table_with_columns(sandbox: Sandbox) -> None:
    """What the code returns for the halo alone is cut off."""
    found = run(sandbox, "return b.iloc[:1]")
    assert (len(found), tuple(found.columns)) == (0, ("b_rms",))


def test_equal_results_are_equal_bytes(sandbox: Sandbox) -> None:
    """A NaN is a NaN, whatever its sign and payload."""
    one = run(sandbox, "return b * np.nan").columns["b_rms"]
    other = run(sandbox, "x = np.full(len(b), 0x7ff8000000000abc).view('float64')\nreturn pd.Series(-x, b.index)").columns[
        "b_rms"
    ]
    assert one.tobytes() == other.tobytes()


def test_a_partition_is_the_same_bytes_in_any_process(sandbox: Sandbox) -> None:
    """Whatever ran before, and in a worker of its own."""
    body = "low, high = pywt.dwt(b['b_mag'], 'db4', mode='periodization')\nreturn b.rolling('3h').std() * np.linalg.norm(high)"
    full = table(np.random.default_rng(3).normal(size=28))
    first = run(sandbox, body, full)
    run(sandbox, "np.random.normal(size=1000)\nreturn b * np.linalg.det(np.random.normal(size=(50, 50)))", full)
    with Sandbox() as other:
        again = [run(each, body, full).columns["b_rms"].tobytes() for each in (sandbox, other)]
    assert again == [first.columns["b_rms"].tobytes()] * 2


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("return b.shift(3, 'h')", "3 times of the result are outside 2024-01-01T22:00Z to 2024-01-03T02:00Z"),
        ("return b.shift(-1, 'D')", "times of the result are outside"),
        ("return b.iloc[::-1]", "times are not in order"),
        ("return pd.concat([b.iloc[:3], b.iloc[2:]])", "two records at 2024-01-02T00:00:00"),
        ("return 1 / (b - 4)", r"1 values of 'b_rms' are infinite, the first at 2024-01-02T02:00:00"),
        ("return b.reset_index(drop=True)", "not by time"),
        ("return pd.DataFrame({'../../x': b['b_mag'], 'y': 1.0})", r"named '../../x'"),
        ("return pd.DataFrame({'a/b': b['b_mag'], 'y': 1.0})", "named 'a/b'"),
        ("return pd.DataFrame({'': b['b_mag'], 'y': 1.0})", "named ''"),
        ("return pd.DataFrame({'x' * 65: b['b_mag'], 'y': 1.0})", "named 'xxx"),
        (r"return pd.DataFrame({'x\n': b['b_mag'], 'y': 1.0})", "not text"),
        ("return b.astype(str)", "holds object"),
    ],
)
def test_a_result_that_breaks_the_contract_is_refused(sandbox: Sandbox, body: str, said: str) -> None:
    """With step, partition, what the inputs looked like and what to do."""
    with pytest.raises(CodeError, match=said) as refused:
        run(sandbox, body)
    assert refused.value.where == "step b_rms, 2024-01-02 to 2024-01-03"
    assert refused.value.inputs.startswith("b: 28 records x 1 (b_mag [nT]), frame GSE, 2024-01-01 22:00:00+00:00 to ")
    assert refused.value.hint


def test_infinities_in_the_halo_are_cut_off_with_it(sandbox: Sandbox) -> None:
    """They are the neighbouring partition's to report."""
    assert len(run(sandbox, "return 1 / b")) == 24


def test_an_error_of_the_code_names_line_and_partition(sandbox: Sandbox) -> None:
    """Step, line, partition."""
    with pytest.raises(CodeError) as raised:
        run(sandbox, "x = 1\nreturn b['none']")
    assert raised.value.where == "step b_rms, line 2, 2024-01-02 to 2024-01-03"


def test_a_limit_names_the_partition_too(sandbox: Sandbox) -> None:
    """So that it can be run alone."""
    with pytest.raises(CodeStopped, match="step b_rms, line 1, 2024-01-02 to 2024-01-03"):
        run(sandbox, "return np.ones(10**12)")


def test_what_is_printed_comes_with_the_result(sandbox: Sandbox) -> None:
    """A person who writes code wants to see it."""
    body = "print('seen', len(b))\nreturn b"
    found = run_code(sandbox, body, {"b": table(np.arange(28.0))}, window=DAY, lookback=HALO, lookahead=HALO, name="b_rms")
    assert found.printed == "seen 28\n"


def test_code_sees_how_far_records_reach_and_its_result_has_no_extent_of_its_own_accord(sandbox: Sandbox) -> None:
    """In `attrs`, where all records have the same; columns of extents that differ are not among the data."""
    hour = Extent.of_bin(timedelta(hours=1))
    same = table(np.zeros(28)).with_extents(Extents.constant(hour, 28))
    found = run(sandbox, "return b['b_mag'] + b.attrs['extent'][1] + len(b.columns)", same)
    np.testing.assert_array_equal(found.columns["b_rms"], np.full(24, 3601.0))
    assert found.extents is None
    lengths = np.arange(1, 29) * 10**9
    differing = table(np.zeros(28)).with_extents(Extents(np.zeros(28, np.int64), lengths, np.ones(28, np.bool_)))
    found = run(sandbox, "return b['b_mag'] + len(b.columns) + 10 * ('extent' in b.attrs)", differing)
    np.testing.assert_array_equal(found.columns["b_rms"], np.ones(24))


def test_code_says_how_far_its_records_reach(sandbox: Sandbox) -> None:
    """In two columns of seconds beside the data, which alone still bears the step's name; both or neither."""
    body = "return b.resample('2h').mean().assign(extent_before=0, extent_after=7200)"
    found = run(sandbox, body)
    assert list(found.columns) == ["b_rms"]
    assert found.meta.extent == Extent.of_bin(timedelta(hours=2))
    wrong = {
        "return b.assign(extent_after=60)": "alone",
        "return b.assign(extent_before=-1, extent_after=60)": "negative",
        "return b.assign(extent_before=0, extent_after=60)[['extent_before', 'extent_after']]": "alone",
    }
    for code, reason in wrong.items():
        with pytest.raises(CodeError, match=reason):
            run(sandbox, code)
