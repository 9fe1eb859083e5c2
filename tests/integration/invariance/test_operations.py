"""Every registered operation: the cut does not show in its partitions, nor does it show that there are partitions at all."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from helio_dagster.compute.operation import operations
from helio_dagster.domain.grain import Grain
from helio_dagster.domain.time_range import format_duration

FIRST = {Grain.HOURLY: "2023-12-31-20:00", Grain.DAILY: "2024-02-26", Grain.WEEKLY: "2020-12-14", Grain.MONTHLY: "2023-11-01"}
"""Seven partitions from here hold midnight and new year, the leap day, new year in week 53, February."""
LONGEST_TOLERANCE = timedelta(days=31)


def lengths(grain: Grain, longest: timedelta = timedelta(days=366)) -> st.SearchStrategy[str]:
    """Durations beside a grain: far shorter, of all sorts that do not divide it, equal, and longer than some partitions."""
    parts = st.sampled_from([0.0, 1 / 1440, 1 / 48, 5 / 24, 7 / 60, 0.5, 1.0, 25 / 24, 2.5, 3.0])
    odd = st.sampled_from([timedelta(0), timedelta(microseconds=3), timedelta(seconds=1)])
    both = st.tuples(parts, odd).map(lambda drawn: max(drawn[0] * grain.shortest + drawn[1], timedelta(microseconds=2)))
    return both.map(lambda length: format_duration(min(length, longest)))


def one(*kinds: str, name: str = "series") -> st.SearchStrategy[dict[str, str]]:
    """One input of any of these kinds."""
    return st.sampled_from(kinds).map(lambda kind: {name: kind})


ANY = one("series", "vector", "spectrogram")
Case = tuple[Mapping[str, str], Mapping[str, Any]]
CASES: dict[str, Callable[[Grain], st.SearchStrategy[Case]]] = {
    "magnitude": lambda _: st.tuples(one("vector", name="vector"), st.just({})),
    "component": lambda _: st.tuples(
        one("vector", "spectrogram", name="vector"), st.fixed_dictionaries({"component": st.integers(0, 1)})
    ),
    "rolling_mean": lambda grain: st.tuples(
        ANY,
        st.fixed_dictionaries({"window": lengths(grain), "centered": st.booleans(), "min_samples": st.integers(1, 3)}),
    ),
    "resample": lambda grain: st.tuples(
        ANY,
        st.fixed_dictionaries({"cadence": lengths(grain), "method": st.sampled_from(["mean", "median", "min", "max"])}),
    ),
    "difference": lambda grain: st.tuples(
        st.sampled_from([{"a": "series", "b": "other"}, {"a": "vector", "b": "vector2"}]),
        st.fixed_dictionaries({"tolerance": lengths(grain, LONGEST_TOLERANCE)}),
    ),
    "ratio": lambda grain: st.tuples(
        st.sampled_from([{"a": "series", "b": "other"}, {"a": "vector", "b": "other"}, {"a": "vector", "b": "vector2"}]),
        st.fixed_dictionaries({"tolerance": lengths(grain, LONGEST_TOLERANCE)}),
    ),
    "scale": lambda _: st.tuples(
        ANY, st.fixed_dictionaries({"factor": st.sampled_from([-1.0, 0.1, 0.0]), "offset": st.sampled_from([0.0, 273.15])})
    ),
}
"""Operation to what it is tried with: its inputs, by the archive's parameter, and its options."""


def test_every_registered_operation_is_tried() -> None:
    """A new operation must be added to `CASES`, with options that give it halos of all lengths."""
    assert set(CASES) == {operation.id for operation in operations()}


@pytest.mark.filterwarnings("ignore:(overflow|invalid value):RuntimeWarning")  # infinities and huge values are meant
@pytest.mark.parametrize("operation", sorted(CASES))
@settings(
    max_examples=12,
    deadline=None,
    derandomize=True,
    database=None,
    phases=(Phase.generate, Phase.shrink),
    suppress_health_check=[HealthCheck.too_slow],
)
@given(data=st.data())
def test_neither_the_cut_nor_the_partitions_show(
    operation: str, data: st.DataObject, make_lab: Callable, archive_of: Callable, cuts_of: Callable, stretches: tuple[str, ...]
) -> None:
    """Whatever the data: every cut gives the same files; put together, they are the operation on the continuous series.

    Nine partitions of data, of which the last is not over. The pipeline begins with the second; the third to the seventh are
    asked for.
    """
    grain = data.draw(st.sampled_from(sorted(FIRST)), "grain")
    inputs, options = data.draw(CASES[operation](grain), "case")
    drawn = {each: data.draw(st.lists(st.sampled_from(stretches), min_size=9, max_size=9), each) for each in inputs.values()}
    seed = data.draw(st.integers(0, 2**16), "seed")
    archive = archive_of(grain, FIRST[grain], drawn, seed)

    windows = [grain.window(FIRST[grain])]
    while len(windows) < 9:
        windows.append(grain.window(grain.key(windows[-1].stop)))
    keys = [grain.key(window.start) for window in windows[2:7]]
    fetches = [
        {"id": each, "fetch": {"archive": "memory", "dataset": "D", "parameter": each}}
        for each in dict.fromkeys(inputs.values())
    ]
    step = {"id": "step", "compute": {"operation": operation, "inputs": dict(inputs), "options": dict(options)}}
    pipeline = {"name": "p", "partitions": grain.value, "start": windows[1].start, "steps": [*fetches, step]}
    names = ["p/step"]

    whole = make_lab(archive, windows[8].start, pipeline)
    assert {outcome.state for outcome in whole.run(names, keys).values()} == {"computed"}
    for name, cut in cuts_of(keys).all(seed).items():
        other = make_lab(archive, windows[8].start, pipeline)
        for block in cut:
            other.run(names, block)
        assert other.is_like(whole), name

    asked = type(windows[0])(windows[2].start, windows[6].stop)
    expected = whole.continuous(operation, options, inputs, asked)
    found = whole.table("p/step", keys)
    np.testing.assert_array_equal(found.time, expected.time)
    for name in expected.columns if len(expected) else ():
        assert found.columns[name].tobytes() == expected.columns[name].tobytes(), name
