"""Expectations: what a file may say, what a check refuses, and how a table is judged."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import pytest

from helio_dagster.catalog.handmade import small_catalog
from helio_dagster.compute.operation import get_operation
from helio_dagster.domain.errors import PipelineError
from helio_dagster.domain.expectation import Expectation
from helio_dagster.domain.expectation_judging import unmet
from helio_dagster.domain.pipeline_check import Findings, examine_pipelines
from helio_dagster.domain.pipeline_text import dump_pipeline, parse_pipeline, pipeline_sha
from helio_dagster.domain.table import BinAxis, ColumnMeta, Table, TableMeta
from helio_dagster.domain.time_range import TimeRange

DAY = TimeRange(datetime(2003, 10, 29, tzinfo=UTC), datetime(2003, 10, 30, tzinfo=UTC))
STEPS = """version: 1
name: one
steps:
  - {{id: b, fetch: {{archive: demo, dataset: AC_H0_MFI, parameter: BGSEc}}, expect: {b}}}
  - {{id: mag, compute: {{operation: magnitude, inputs: {{vector: b}}}}, expect: {mag}}}
  - {{id: facts, compute: {{operation: facts_of, inputs: {{series: mag}}}}, expect: {facts}}}
"""
_FINE = "{min: -1000}"


def text_of(*, b: str = _FINE, mag: str = _FINE, facts: str = "null") -> str:
    """A pipeline with these expectations."""
    return STEPS.format(b=b, mag=mag, facts=facts)


def found_in(text: str) -> Findings:
    """What `helio check` finds."""
    return examine_pipelines({"one": parse_pipeline(text, file="one.yaml")}, get_operation, small_catalog())


def series(values: list[float], *, step_s: int = 3600, unit: str = "nT") -> Table:
    """One column `x` from the start of the day, at equal steps."""
    time = np.datetime64("2003-10-29", "ns") + np.arange(len(values)) * np.timedelta64(step_s, "s")
    meta = TableMeta(kind="series", columns=(ColumnMeta(name="x", unit=unit),), unit=unit)
    return Table(time, {"x": np.array(values, dtype=float)}, meta)


def texts(expect: dict[str, Any], table: Table, window: TimeRange | None = DAY) -> list[str]:
    """What is not as expected, in words."""
    return [each.text for each in unmet(Expectation.model_validate(expect), table, window)]


@pytest.mark.parametrize(
    ("mag", "problem"),
    [
        ("{}", "nothing is expected"),
        ("{min: 5, max: 1}", "no value is at least 5 and at most 1"),
        ("{coverage: 120 %}", "a coverage of 120 % is impossible"),
        ("{coverage: 0.8}", "0.8 has no percent sign"),
        ("{coverage: 0 %}", "every result has a coverage of at least 0 %"),
        ("{facts: {r: about 3}}", "'about 3' is not a comparison"),
        ("{facts: {r: 9 to 3}}", "no value is at least 9 and at most 3"),
        ("{min: 12 parsecks/}", "'parsecks/' is not a unit"),
        ("{min: 1 km, max: 2 nT}", "1 km and 2 nT are not in comparable units"),
        ("{max: yes}", "not a number"),
        ("{max: .inf}", "'.inf' is not a number"),
        ("{maximum: 5}", "unknown key 'maximum'"),
        ("{max: 5, severity: stop}", "'stop' is not allowed here"),
        ("{columns: {x: {}}}", "the column 'x' has no limit"),
    ],
)
def test_what_cannot_be_expected_is_refused_where_it_stands(mag: str, problem: str) -> None:
    """The file is not a pipeline; the message has the line, the path of the expectation, and a remedy."""
    with pytest.raises(PipelineError) as raised:
        parse_pipeline(text_of(mag=mag), file="one.yaml")
    (found,) = raised.value.problems
    assert problem in found.problem
    assert found.path.startswith("steps[1].expect")
    assert found.line == 5
    assert found.hint


def test_only_steps_with_data_of_their_own_may_be_expected_to_be_something() -> None:
    """A figure and a table are refused."""
    text = "version: 1\nname: one\nsteps:\n  - {id: t, table: {csv: 'onset\\n2003-10-29', source: me}, expect: {min: 0}}\n"
    with pytest.raises(PipelineError, match="expect belongs to a fetch or compute step, and this is a table"):
        parse_pipeline(text, file="one.yaml")


@pytest.mark.parametrize(
    ("expects", "problem", "hint"),
    [
        ({"mag": "{columns: {nag: {min: 0}}}"}, "the result has no column 'nag'", "Did you mean mag?"),
        ({"mag": "{max: 1500 km/s}"}, "1500 km/s cannot be compared with values in nT", "Write the limit in nT"),
        ({"mag": '{facts: {r: "> 0.5"}}'}, "a result of kind series states no facts", "Use min, max or columns"),
        ({"facts": '{facts: {meen: "> 0.5"}}'}, "the step states no fact 'meen'", "mean"),
        ({"facts": "{coverage: 80 %}"}, "a result of kind facts has no coverage", "Expect it of the series"),
        ({"facts": "{min: 0}"}, "facts differ in meaning and unit", "Name the facts"),
    ],
)
def test_the_check_knows_columns_units_and_facts(expects: dict[str, str], problem: str, hint: str) -> None:
    """What a step is known not to have is a problem that forbids running."""
    found = found_in(text_of(**expects))
    assert [problem in each.problem and hint in each.hint for each in found.problems] == [True], found


def test_a_sound_expectation_has_no_faults_and_survives_writing() -> None:
    """A file that is read, written and read again says the same; the approval covers what is expected."""
    text = text_of(b="{min: -300, max: 300 nT, coverage: 80 %}", mag="{columns: {mag: {max: 60}}, severity: block}")
    assert found_in(text) == Findings()
    pipeline = parse_pipeline(text, file="one.yaml").pipeline
    again = parse_pipeline(dump_pipeline(pipeline), file="one.yaml").pipeline
    assert again == pipeline
    other = parse_pipeline(text.replace("max: 60", "max: 61"), file="one.yaml").pipeline
    assert pipeline_sha(other) != pipeline_sha(pipeline)


def test_a_value_outside_its_limits_is_told_with_its_time() -> None:
    """The value farthest out, its time, the limit, and how many are outside; NaN breaks no limit."""
    table = series([1, np.nan, 7, 9.5, 3])
    (found,) = unmet(Expectation(min=0, max=5), table, DAY)
    assert found.text == "x is 9.5 nT at 2003-10-29 03:00:00, expected at most 5 nT (2 of 5 values)"
    assert (found.value, found.unit, found.limit, found.when, found.count) == (
        9.5,
        "nT",
        "at most 5 nT",
        "2003-10-29T03:00:00Z",
        2,
    )
    assert texts({"min": 1, "max": 9.5}, table) == []
    assert texts({"min": 0, "max": 5}, series([np.nan, np.nan])) == []
    assert texts({"min": 0, "max": 5}, series([])) == []


def test_limits_are_brought_to_the_unit_of_the_column() -> None:
    """A limit of 0.4 km is 400 m; one of another dimension cannot be judged, which is told and not met."""
    assert texts({"max": "0.4 km"}, series([400], unit="m")) == []
    assert texts({"max": "0.4 km"}, series([401], unit="m")) == ["x is 401 m at 2003-10-29 00:00:00, expected at most 0.4 km"]
    assert texts({"max": "4 km"}, series([1])) == ["x is in nT, which cannot be compared with 4 km"]


def test_the_coverage_is_that_of_the_window() -> None:
    """Six hours of a day are a quarter; fill does not count; an empty result has none."""
    quarter = series([1.0] * 360, step_s=60)
    assert texts({"coverage": "25 %"}, quarter) == []
    assert texts({"coverage": "80 %"}, quarter) == ["coverage is 25.0 %, expected at least 80 %"]
    assert texts({"coverage": "1 %"}, series([])) == ["coverage is 0.0 %, expected at least 1 %"]


def test_columns_are_judged_by_their_own_limits() -> None:
    """`columns` replaces min and max for a column; a column that is not there is told."""
    assert texts({"max": 5, "columns": {"x": {"max": 10}}}, series([7])) == []
    assert texts({"columns": {"y": {"min": 0}}}, series([7])) == ["there is no column y, expected at least 0"]


@pytest.mark.parametrize(
    ("comparison", "told"),
    [
        ("> 0.5", ["r = 0.31, expected greater than 0.5"]),
        ("0.3 to 0.4", []),
        ("<= 0.31", []),
        ("< 0.31", ["r = 0.31, expected less than 0.31"]),
        (">= 4 km", ["r is in a pure number, which cannot be compared with at least 4 km"]),
    ],
)
def test_facts_are_compared(comparison: str, told: list[str]) -> None:
    """The fact with its value, and the comparison in words."""
    meta = TableMeta(kind="facts", columns=(ColumnMeta(name="r"), ColumnMeta(name="n")))
    time = np.array(["2003-10-29"], dtype="datetime64[ns]")
    table = Table(time, {"r": np.array([0.31]), "n": np.array([np.nan])}, meta)
    assert texts({"facts": {"r": comparison}}, table) == told
    assert texts({"facts": {"n": "> 0"}}, table) == ["n is not known, expected greater than 0"]
    assert texts({"facts": {"q": "> 0"}}, table) == ["q is not known, expected greater than 0"]


def test_a_curve_is_told_with_its_axis() -> None:
    """Where a curve leaves its limits is a value of its axis, not a time."""
    columns = (ColumnMeta(name="lag", unit="min", role="axis"), ColumnMeta(name="r"))
    meta = TableMeta(kind="curve", columns=columns, bins=BinAxis(label="lag", unit="min"))
    time = np.full(3, np.datetime64("2003-10-29", "ns"))
    table = Table(time, {"lag": np.array([-5.0, 0, 5]), "r": np.array([0.2, 1.4, 0.1])}, meta)
    assert texts({"max": 1}, table) == ["r is 1.4 at 0 min, expected at most 1 (1 of 3 values)"]


def test_a_window_is_needed_for_coverage_only() -> None:
    """Without a time range the rest is judged."""
    assert texts({"coverage": "80 %", "max": 3}, series([4]), None) == [
        "x is 4 nT at 2003-10-29 00:00:00, expected at most 3 nT"
    ]
    assert DAY.duration == timedelta(days=1)
