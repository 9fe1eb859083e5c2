"""Code whose result depends on what must not matter is found out."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd
import pytest

from helio_dagster.domain.errors import CodeRefused
from helio_dagster.sandbox import Sandbox, check_determinism, differing_sandboxes


@pytest.fixture(scope="module")
def two() -> Iterator[tuple[Sandbox, Sandbox]]:
    """Two sandboxes that differ in all that must not matter."""
    pair = differing_sandboxes()
    with pair[0], pair[1]:
        yield pair


@pytest.mark.parametrize(
    "body",
    [
        "return b.rolling('3min').mean()",
        "return b * np.random.default_rng(0).normal()",
        "np.random.seed(1)\nreturn b * np.random.normal()",
        "return b * len({'x', 'y'})",
        "return pd.Series(np.fft.rfft(b['b_mag']).real, b.index[:6])",
        "return b.where(b > 3)",
        "x = np.empty(10)\nx[:] = 3.0\nreturn pd.Series(x, b.index)",
    ],
)
def test_careful_code_passes(two: tuple[Sandbox, Sandbox], b: pd.DataFrame, body: str) -> None:
    """Seeded numbers, sizes of sets, filled memory."""
    check_determinism(body, {"b": b}, sandboxes=two)


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("return b * np.random.normal()", "10 of 10 values of 'b_mag', by up to"),
        ("import random\nreturn b * random.random()", "values of 'b_mag'"),
        ("return b * hash('x')", "values of 'b_mag'"),
        ("return pd.DataFrame({k: 1.0 for k in set('abcdefgh')}, b.index)", "columns"),
        ("import datetime\nlocal = datetime.datetime(2024, 1, 1, 6).timestamp()\nreturn b * local", "values of 'b_mag'"),
        ("import time\nreturn b * time.time_ns()", "values of 'b_mag'"),
        ("return pd.Series(np.empty(5000)[-10:], b.index)", "values of 'mine'"),
        ("return b.iloc[: np.random.randint(1, 9)] if np.random.rand() < 2 else b", "times|values"),
        ("return b * id(object())", "values of 'b_mag'"),
        ("return b * (hash(object()) % 256)", "values of 'b_mag'"),
        ("return b * (1 + hash(object()) % 2)", "values of 'b_mag'"),
        ("x, y = object(), object()\nreturn b * (1 + (repr(x) < repr(y)))", "values of 'b_mag'"),
        ("class P:\n    pass\nmade = [P() for _ in range(9)]\nreturn b * (1 + made.index(max(made, key=repr)))", "values of"),
        ("made = [object() for _ in range(9)]\nreturn b * (1 + made.index(list(set(made))[0]))", "values of 'b_mag'"),
    ],
    ids=[
        "numpy",
        "random",
        "hash",
        "set",
        "zone",
        "clock",
        "fresh memory",
        "length",
        "address",
        "hash of an object",
        "one bit of it",
        "repr",
        "largest repr",
        "set of objects",
    ],
)
def test_careless_code_is_refused_with_the_column_and_how_far(
    two: tuple[Sandbox, Sandbox], b: pd.DataFrame, body: str, said: str
) -> None:
    """And with what to do."""
    with pytest.raises(CodeRefused, match=said) as refused:
        check_determinism(body, {"b": b}, name="mine", sandboxes=two)
    assert refused.value.where == "step mine"
    assert "seed" in refused.value.hint


def test_a_sample_of_2000_records_is_enough(two: tuple[Sandbox, Sandbox]) -> None:
    """The others' records are those of the same span."""
    fast = pd.DataFrame({"x": 1.0}, index=pd.date_range("2024-01-01", periods=10_000, freq="s", tz="UTC", name="time"))
    slow = fast.iloc[::600].copy()
    body = "assert len(a) == 2000 and len(b) == 4 and b.index[-1] <= a.index[-1]\nreturn a"
    check_determinism(body, {"a": fast, "b": slow}, sandboxes=two)


def test_it_brings_its_own_sandboxes(b: pd.DataFrame) -> None:
    """For one check."""
    check_determinism("return b", {"b": b})
    assert np.isfinite(b.to_numpy()).all()
