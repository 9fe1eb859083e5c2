"""The page about code: its examples are true."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest
import yaml

from helio_dagster.compute.code_operation import CodeOperation
from helio_dagster.compute.code_step import run_code_for_results
from helio_dagster.compute.operation_file import parse_operation
from helio_dagster.compute.operation_trial import find_failures
from helio_dagster.domain.named_tables import unpack_table
from helio_dagster.domain.pipeline import Step
from helio_dagster.domain.table import ColumnMeta, Table, TableMeta
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.sandbox.determinism import differing_sandboxes
from helio_dagster.sandbox.limits import SandboxLimits
from helio_dagster.sandbox.sandbox import Sandbox
from helio_dagster.sandbox.static_check import find_faults

PAGE = (Path(__file__).parents[3] / "docs" / "code.md").read_text()
BLOCKS = re.findall(r"```yaml\n(.*?)```", PAGE, flags=re.DOTALL)


def test_the_step_is_one() -> None:
    """It is a pipeline's step, and nothing speaks against its code."""
    for block in BLOCKS[:2]:
        (step,) = [Step.model_validate(each) for each in yaml.safe_load(block)]
        assert step.compute is not None
        assert find_faults(step.compute.code or "", list(step.compute.inputs)) == []


@pytest.mark.slow
def test_the_step_with_several_results_finds_the_lag() -> None:
    """Of a field that comes 34 minutes later: the fact, and the curve that it is the highest point of."""
    (step,) = [Step.model_validate(each) for each in yaml.safe_load(BLOCKS[1])]
    assert step.compute is not None
    assert step.compute.results is not None
    day = TimeRange(datetime(2024, 1, 1, tzinfo=UTC), datetime(2024, 1, 2, tzinfo=UTC))
    times = np.arange("2024-01-01", "2024-01-02", dtype="datetime64[m]").astype("datetime64[ns]")
    walk = np.random.default_rng(0).normal(size=len(times) + 34).cumsum()
    meta = TableMeta(kind="series", columns=(ColumnMeta(name="b", unit="nT"),), unit="nT")
    ahead, behind = (Table(times, {"b": values}, meta) for values in (walk[34:], walk[:-34]))
    with Sandbox() as sandbox:
        given = {"a": ahead, "w": behind}
        found = run_code_for_results(sandbox, step.compute.code or "", given, step.compute.results, window=day, name=step.id)
    lag, correlation = (unpack_table(found.table, name) for name in step.compute.results)
    assert (lag.meta.kind, lag.columns["lag"].tolist(), lag.meta.columns[1].unit) == ("facts", [34.0], "min")
    assert correlation.columns["lag"][correlation.columns["r"].argmax()] == 34.0


@pytest.mark.slow
def test_the_operation_could_be_saved() -> None:
    """Its examples come out, twice the same."""
    operation = CodeOperation(parse_operation(BLOCKS[2], file="field_rms.yaml"))
    one, other = differing_sandboxes()
    with Sandbox() as sandbox, one, other:
        assert find_failures(operation, sandbox, (one, other)) == []


def test_every_limit_is_told() -> None:
    """Each with its variable."""
    assert set(re.findall(r"`HELIO_CODE_([A-Z_]+)`", PAGE)) == {name.upper() for name in SandboxLimits.model_fields}
