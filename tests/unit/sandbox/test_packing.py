"""Inputs into shared memory and out again."""

from __future__ import annotations

import mmap
import os
from typing import Any

import numpy as np
import pandas as pd
import pytest

from helio_dagster.domain.errors import CodeRefused, ComputeError
from helio_dagster.sandbox.limits import SandboxLimits
from helio_dagster.sandbox.packing import check_source, pack_work
from helio_dagster.sandbox.unpacking import unpack_inputs
from helio_dagster.sandbox.wire import Work

TIME = pd.date_range("2024-01-01", periods=3, freq="min", tz="UTC", name="time")
LIMITS = SandboxLimits()


def cross(inputs: dict[str, pd.DataFrame], options: dict[str, Any] | None = None) -> tuple[dict[str, pd.DataFrame], Work]:
    """Pack and unpack."""
    packed = pack_work("return 1", inputs, options or {}, name="step", limits=LIMITS)
    mapping = mmap.mmap(packed.descriptor, packed.size, access=mmap.ACCESS_COPY)
    os.close(packed.descriptor)
    work = Work.from_json(mapping[packed.head_offset :])
    found = unpack_inputs(mapping, work.inputs)
    return {name: given for name, given in found.items() if isinstance(given, pd.DataFrame)}, work


def test_inputs_arrive_as_they_were() -> None:
    """Values, dtypes, text, times and attrs."""
    columns = {
        "x": [1.0, np.nan, 3.0],
        "n": np.array([1, 2, 3], dtype="int32"),
        "flag": [True, False, True],
        "word": ["a", "b", "ü"],
    }
    frame = pd.DataFrame(columns, index=TIME)
    frame.attrs = {"units": {"x": "nT"}, "frame": "GSE", "bins": [1.0, 2.0]}
    found, _ = cross({"b": frame, "empty": frame.iloc[:0]})
    pd.testing.assert_frame_equal(found["b"], frame, check_freq=False)
    assert found["b"].attrs == frame.attrs
    assert len(found["empty"]) == 0
    assert list(found["empty"].columns) == list(columns)


def test_inputs_can_be_changed_where_they_arrive() -> None:
    """Code often does; what was packed stays."""
    frame = pd.DataFrame({"x": [1.0, 2.0, 3.0]}, index=TIME)
    found, _ = cross({"b": frame})
    found["b"]["x"] *= 2
    found["b"].loc[TIME[0], "x"] = -1.0
    assert list(found["b"]["x"]) == [-1.0, 4.0, 6.0]
    assert list(frame["x"]) == [1.0, 2.0, 3.0]


def test_columns_of_a_strided_table_arrive_in_order() -> None:
    """A slice of a wide array is not contiguous."""
    frame = pd.DataFrame(np.arange(12.0).reshape(3, 4), columns=list("abcd"), index=TIME).iloc[::2, 1:]
    found, _ = cross({"b": frame})
    np.testing.assert_array_equal(found["b"].to_numpy(), frame.to_numpy())


def test_options_are_plain_values() -> None:
    """They cross as JSON."""
    assert cross({}, {"k": 2.5, "words": ["a"], "deep": {"x": None}})[1].options == {
        "k": 2.5,
        "words": ["a"],
        "deep": {"x": None},
    }


def nested(depth: int) -> dict[str, Any]:
    """A mapping in a mapping in a mapping."""
    inner: dict[str, Any] = {}
    for _ in range(depth):
        inner = {"x": inner}
    return inner


@pytest.mark.parametrize(
    ("attrs", "said"),
    [(nested(100_000), "nested too deeply"), ({"x": object()}, "not JSON serializable"), ({"x": "y" * (1 << 25)}, "too large")],
    ids=["deep", "object", "large"],
)
def test_attrs_that_cannot_cross_are_refused(attrs: dict[str, Any], said: str) -> None:
    """With the input's name."""
    frame = pd.DataFrame({"x": 1.0}, index=TIME)
    object.__setattr__(frame, "_attrs", attrs)  # pandas copies what is assigned, and would fail before us
    with pytest.raises(ComputeError, match=f"attrs of 'b'.*{said}"):
        cross({"b": frame})


@pytest.mark.parametrize("name", ["two words", "class", "1x", "../x", ""])
def test_names_of_inputs_are_those_of_variables(name: str) -> None:
    """They become parameters of a function."""
    with pytest.raises(ComputeError, match="cannot name an input or option"):
        cross({name: pd.DataFrame({"x": 1.0}, index=TIME)})


def test_an_option_must_not_hide_an_input() -> None:
    """Both are local names."""
    with pytest.raises(ComputeError, match="'b' cannot name"):
        cross({"b": pd.DataFrame({"x": 1.0}, index=TIME)}, {"b": 1})


@pytest.mark.parametrize(
    ("frame", "said"),
    [
        (pd.DataFrame({"x": [1.0]}), "its index is not a time"),
        (pd.DataFrame({"x": [object()] * 3}, index=TIME), "cannot be handed to code"),
        (pd.DataFrame(np.zeros((3, 2)), columns=["x", "x"], index=TIME), "two columns of one name"),
        (pd.DataFrame({"time": 1.0}, index=TIME), "two columns of one name"),
    ],
    ids=["no time", "objects", "repeated", "time twice"],
)
def test_tables_that_cannot_cross_are_refused(frame: pd.DataFrame, said: str) -> None:
    """With the input's name."""
    with pytest.raises(ComputeError, match="'b'.*" + said):
        cross({"b": frame})


def test_a_refusal_leaves_no_descriptor() -> None:
    """A run of many partitions must not run out of them."""
    before = os.open(os.devnull, os.O_RDONLY)
    os.close(before)
    with pytest.raises(ComputeError):
        cross({"b": pd.DataFrame({"x": [object()] * 3}, index=TIME)})
    after = os.open(os.devnull, os.O_RDONLY)
    os.close(after)
    assert after == before


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("x = 1\n" * 20_000_000, "the code has 120000000 characters"),
        ("ü" * 150_000, "the code has 150000 characters; 200000 bytes"),
        ("x = 1\ny = '\ud800'", "step mine, line 2: the code holds bytes that are not text"),
        ("x = 1\0", "step mine, line 1"),
    ],
    ids=["100 MB", "more bytes than characters", "surrogate", "NUL"],
)
def test_source_that_is_too_long_or_no_text_is_refused_at_once(body: str, said: str) -> None:
    """Before anything parses it."""
    with pytest.raises(CodeRefused, match=said):
        check_source(body, LIMITS, name="mine")
