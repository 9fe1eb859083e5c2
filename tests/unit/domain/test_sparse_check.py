"""Data that are too rare for the windows of an operation are named before anything runs."""

from __future__ import annotations

from datetime import timedelta
from textwrap import dedent, indent

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helio_dagster.catalog.known import KnownCatalog
from helio_dagster.compute.operation import get_operation
from helio_dagster.domain.pipeline_check import examine_pipelines
from helio_dagster.domain.pipeline_text import parse_pipeline
from helio_dagster.domain.sample_demand import SampleDemand
from tests.shipped_catalog import shipped_database

DENSE = (
    "{id: b, fetch: {archive: cdaweb, dataset: AC_H0_MFI, parameter: BGSEc}}",
    "{id: v, fetch: {archive: cdaweb, dataset: AC_H0_SWE, parameter: Vp}}",
    "{id: n, fetch: {archive: cdaweb, dataset: AC_H0_SWE, parameter: Np}}",
)
HOURLY_N = "{id: n, fetch: {archive: cdaweb, dataset: OMNI2_H0_MRG1HR, parameter: N}}"
MEANS = "{id: means, compute: {operation: resample, inputs: {series: n}, options: {cadence: PT10M}}}"
SCALED = "{id: scaled, compute: {operation: scale, inputs: {series: means}, options: {factor: 2.0}}}"


def shocks(density: str, options: str = "{}") -> str:
    """A step that looks for shocks."""
    inputs = f"{{field: b, velocity: v, density: {density}}}"
    return f"{{id: shocks, compute: {{operation: find_shocks, inputs: {inputs}, options: {options}}}}}"


def notes(*steps: str) -> list[tuple[str, str]]:
    """What the check notes of a pipeline with these steps, beside what it refuses, which is nothing."""
    listed = indent("\n".join(f"- {each}" for each in steps), "  ")
    file = parse_pipeline(dedent(f"version: 1\nname: one\nsteps:\n{listed}\n"), file="one.yaml")
    found = examine_pipelines({"one": file}, get_operation, KnownCatalog(shipped_database))
    assert found.problems == []
    return [(str(each.path), each.problem) for each in found.notes if "will find nothing" in each.problem]


@pytest.mark.parametrize(
    "steps",
    [
        (*DENSE, shocks("n")),
        (*DENSE[:2], HOURLY_N, shocks("n", "{length: PT4H, clear_upstream: PT1H, clear_downstream: PT1H}")),
        (
            *DENSE,
            MEANS,
            "{id: more, compute: {operation: jumps, inputs: {series: means}, options: {window: PT1H, change: 3.0}}}",
        ),
        (*DENSE, MEANS, "{id: mean, compute: {operation: rolling_mean, inputs: {series: means}, options: {window: PT1M}}}"),
    ],
)
def test_windows_that_hold_enough_samples_pass(steps: tuple[str, ...]) -> None:
    """Also where a single sample is enough."""
    assert notes(*steps) == []


def test_hourly_data_hold_no_shock_in_eight_minutes() -> None:
    """By the catalog's cadence; the input, what is needed and what there is are named."""
    [(path, problem)] = notes(*DENSE[:2], HOURLY_N, shocks("n"))
    assert path.endswith("compute.inputs.density")
    assert "3 valid samples of the density within 8 min" in problem
    assert "OMNI2_H0_MRG1HR" in problem
    assert problem.endswith("one every 1 h")


def test_averages_are_as_dense_as_their_own_cadence() -> None:
    """Through the steps behind them, which keep their times; of every operation that needs several samples."""
    short = "{id: more, compute: {operation: jumps, inputs: {series: scaled}, options: {window: PT15M, change: 3.0}}}"
    [(path, problem)] = notes(*DENSE, MEANS, SCALED, short)
    assert path.endswith("compute.inputs.series")
    assert (
        problem
        == "jumps will find nothing: it needs 3 valid samples of the series within 15 min, and the data have one every 10 min"
    )


@given(
    st.lists(st.integers(0, 600), unique=True, max_size=30).map(sorted),
    st.integers(2, 6),
    st.integers(1, 200),
)
def test_a_demand_is_met_where_a_window_holds_so_many(at_s: list[int], count: int, within_s: int) -> None:
    """As counted sample by sample."""
    demand = SampleDemand("b", count, timedelta(seconds=within_s))
    most = max((sum(start <= each <= start + within_s for each in at_s) for start in at_s), default=0)
    assert demand.is_met_by(np.array(at_s, dtype="datetime64[s]").astype("datetime64[ns]")) == (most >= count)


@given(st.integers(2, 6), st.integers(1, 200), st.integers(1, 200))
def test_a_cadence_can_meet_what_even_samples_meet(count: int, within_s: int, cadence_s: int) -> None:
    """The same question of samples that far apart."""
    demand = SampleDemand("b", count, timedelta(seconds=within_s))
    times = (np.arange(50) * cadence_s).astype("datetime64[s]").astype("datetime64[ns]")
    assert demand.can_be_met_by(timedelta(seconds=cadence_s)) == demand.is_met_by(times)
