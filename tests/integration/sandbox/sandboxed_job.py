"""A Dagster job whose ops call code, as a module that executors can load."""

from pathlib import Path
from typing import Any

import dagster as dg
import pandas as pd

from helio_dagster.sandbox import Sandbox


@dg.op(out=dg.DynamicOut(int))
def numbers() -> Any:
    """Two numbers, for two ops at once."""
    for number in range(2):
        yield dg.DynamicOutput(number, mapping_key=str(number))


@dg.op(config_schema={"folder": str})
def double(context: dg.OpExecutionContext, number: int) -> None:
    """Twice the number, computed in a sandbox, into a file."""
    time = pd.date_range("2024-01-01", periods=3, freq="min", tz="UTC", name="time")
    with Sandbox() as sandbox:
        result = sandbox.call("return b * 2", {"b": pd.DataFrame({"x": float(number)}, index=time)}).result
    Path(context.op_config["folder"], str(number)).write_text(str(result["x"].iloc[0]))


@dg.job
def sandboxed() -> None:
    """Double each number."""
    numbers().map(double)
