"""One sandbox for the tests of this folder, and a table to call it with."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd
import pytest

from helio_dagster.sandbox import Sandbox, SandboxLimits


@pytest.fixture(scope="session")
def sandbox() -> Iterator[Sandbox]:
    """A sandbox with short limits; tests must leave it usable. `wall_s` is long enough to spend `cpu_s` on a busy machine."""
    with Sandbox(SandboxLimits(cpu_s=2, wall_s=20, memory_bytes=1 << 29, result_bytes=1 << 22, printed_bytes=1000)) as sandbox:
        yield sandbox


@pytest.fixture
def kernel_sandbox(sandbox: Sandbox) -> Sandbox:
    """The same where the kernel confines; skips where it cannot."""
    started = sandbox.start()
    if started.mode.name != "kernel":
        pytest.skip(f"this kernel cannot confine: {started.why_weak}")
    return sandbox


@pytest.fixture
def b() -> pd.DataFrame:
    """A field of ten minutes: 1 to 10 nT."""
    time = pd.date_range("2024-01-01", periods=10, freq="min", tz="UTC", name="time")
    frame = pd.DataFrame({"b_mag": np.arange(1.0, 11.0)}, index=time)
    frame.attrs = {"unit": "nT", "units": {"b_mag": "nT"}, "frame": "GSE", "kind": "series", "label": "|B|"}
    return frame
