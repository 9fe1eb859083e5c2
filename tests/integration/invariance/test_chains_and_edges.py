"""Chains of halos, and the edges: of the definition, of the data, of what is over by now, of a home with other pipelines."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from helio_dagster.compute.operation import get_operation
from helio_dagster.domain.grain import Grain
from helio_dagster.domain.table import Table
from helio_dagster.domain.time_range import TimeRange
from tests.tiers import by_day

CHAIN: tuple[tuple[str, str, Mapping[str, str], Mapping[str, Any]], ...] = (
    ("size", "magnitude", {"vector": "vector"}, {}),
    ("once", "rolling_mean", {"series": "size"}, {"window": "{long}"}),
    ("twice", "rolling_mean", {"series": "once"}, {"window": "{short}"}),
    ("thrice", "rolling_mean", {"series": "twice"}, {"window": "{long}", "centered": False, "min_samples": 2}),
    ("share", "ratio", {"a": "size", "b": "thrice"}, {"tolerance": "{short}"}),
    ("bins", "resample", {"series": "share"}, {"cadence": "{bin}"}),
    ("below", "resample", {"series": "bins"}, {"cadence": "{long}", "method": "median"}),
    ("last", "difference", {"a": "bins", "b": "below"}, {"tolerance": "{long}"}),
)
"""Step, operation, inputs, options: halos upon halos, looking both ways."""


def chain(start: str, grain: str, **lengths: str) -> dict[str, Any]:
    """The chain as a pipeline."""
    fetch = {"id": "vector", "fetch": {"archive": "memory", "dataset": "D", "parameter": "vector"}}
    computed = [
        {"id": step, "compute": {"operation": operation, "inputs": dict(inputs), "options": _filled(options, lengths)}}
        for step, operation, inputs, options in CHAIN
    ]
    return {"name": "p", "partitions": grain, "start": start, "steps": [fetch, *computed]}


def _filled(options: Mapping[str, Any], lengths: Mapping[str, str]) -> dict[str, Any]:
    return {key: value.format(**lengths) if isinstance(value, str) else value for key, value in options.items()}


def in_one_go(vector: Table, whole: TimeRange, lengths: Mapping[str, str]) -> dict[str, Table]:
    """The chain on the continuous series, with no partition anywhere."""
    found = {"vector": vector}
    for step, name, inputs, options in CHAIN:
        operation = get_operation(name)
        given = {key: found[of] for key, of in inputs.items()}
        found[step] = operation.apply(given, operation.read_options(_filled(options, lengths)), whole, step)
    return found


HALOS = {
    "daily, far longer than a day": ("daily", {"long": "P3D", "short": "PT30H", "bin": "P1W"}),
    "daily, a few hours": ("daily", {"long": "PT5H", "short": "PT7M", "bin": "PT5H"}),
    "hourly, far longer than an hour": ("hourly", {"long": "PT5H", "short": "PT90M", "bin": "PT7M"}),
}
DATA = ("no file", "even", "uneven", "spill", "edges", "no records", "even", "fill", "burst")


@pytest.mark.parametrize("halo", by_day(HALOS, "daily, far longer than a day"))
def test_a_chain_of_halos_is_that_of_the_continuous_series(
    make_lab: Callable, archive_of: Callable, cuts_of: Callable, at: Callable, halo: str
) -> None:
    """From the definition's first partition, before the data begin, to the last that is over: no cut and no edge shows."""
    grain, lengths = HALOS[halo]
    filed = Grain(grain)
    first = {"daily": "2024-02-25", "hourly": "2024-02-28-20:00"}[grain]
    archive = archive_of(filed, first, {"vector": DATA}, 3)
    last = filed.window(first)
    for _ in range(6):
        last = filed.window(filed.key(last.stop))
    now = last.stop + last.duration / 2
    pipeline = chain(filed.window(first).stop.isoformat(), grain, **lengths)
    names = [f"p/{step}" for step, *_ in CHAIN]

    whole = make_lab(archive, now, pipeline)
    span = TimeRange(whole.graph.starts[filed], filed.floor(now))
    keys = filed.keys(span)
    assert {outcome.state for outcome in whole.run(names, keys).values()} == {"computed"}
    for seed, cut in enumerate(("one by one", "in blocks", "scattered")):
        other = make_lab(archive, now, pipeline)
        for block in cuts_of(keys).all(seed)[cut]:
            other.run(names[-1:] if cut == "scattered" else names, block)
        other.run(names, keys)
        assert other.is_like(whole), cut

    vector = next(archive.fetch("D", "vector", [span])).table
    for step, expected in in_one_go(vector, span, lengths).items():
        found = whole.table(f"p/{step}" if step != "vector" else whole.graph["p/size"].inputs["vector"], keys)
        np.testing.assert_array_equal(found.time, expected.time)
        assert len(found)
        for name in expected.columns:
            assert found.columns[name].tobytes() == expected.columns[name].tobytes(), (step, name)


def mean(window: str, name: str = "mean", of: str = "series", **options: Any) -> dict[str, Any]:
    """A moving mean as a step."""
    return {
        "id": name,
        "compute": {"operation": "rolling_mean", "inputs": {"series": of}, "options": {"window": window, **options}},
    }


def fetched(parameter: str = "series") -> dict[str, Any]:
    """A fetch as a step."""
    return {"id": parameter, "fetch": {"archive": "memory", "dataset": "D", "parameter": parameter}}


def pipeline(*steps: Mapping[str, Any], name: str = "p", start: str = "2024-02-27", grain: str = "daily") -> dict[str, Any]:
    """A pipeline of steps."""
    return {"name": name, "partitions": grain, "start": start, "steps": list(steps)}


def test_other_pipelines_of_the_home_do_not_show(make_lab: Callable, archive_of: Callable, at: Callable) -> None:
    """A partition from a pipeline's start on is the same file where another pipeline makes the definition begin earlier."""
    archive = archive_of(Grain.DAILY, "2024-02-20", {"series": ["even"] * 12}, 1)
    steps = fetched(), mean("PT2H"), mean("PT2H", "again", of="mean"), mean("PT2H", "third", of="again")
    weekly = pipeline(mean("PT2H", of="p/third"), name="weeks", start="2024-02-29", grain="weekly")
    home = pipeline(*steps), weekly
    early = pipeline(fetched(), name="early", start="2024-02-01")
    alone, crowded = make_lab(archive, at("2025-01-01"), *home), make_lab(archive, at("2025-01-01"), *home, early)
    for lab in (alone, crowded):
        lab.run(["p/third"], ["2024-02-27", "2024-02-28"])
        lab.run(["weeks/mean"], ["2024-02-26"])
    assert alone.is_like(crowded)


def test_what_is_not_over_shows_only_until_it_is(make_lab: Callable, archive_of: Callable, at: Callable) -> None:
    """The newest partition is made without the one that follows, and again once that is over: then as if all were made late."""
    archive = archive_of(Grain.DAILY, "2024-02-25", {"series": ["even"] * 8}, 1)
    asked, given = ["2024-02-27", "2024-02-28"], pipeline(fetched(), mean("P3D"), mean("PT5H", "again", of="mean"))
    grown = make_lab(archive, at("2024-02-29T01:00"), given)
    grown.run(["p/again"], asked)
    early = grown.table("p/again", asked)
    for now in ("2024-03-01T00:00", "2024-03-05T00:00"):
        grown.now = at(now)
        grown.run(["p/again"], asked)
    late = make_lab(archive, at("2024-03-05T00:00"), given)
    late.run(["p/again"], asked)
    assert grown.is_like(late)
    assert grown.table("p/again", asked).columns["again"].tobytes() != early.columns["again"].tobytes()


@pytest.mark.parametrize(("below", "above"), [("daily", "hourly"), ("monthly", "daily")])
def test_a_partition_waits_for_the_longer_one_that_holds_it(
    make_lab: Callable, archive_of: Callable, at: Callable, below: str, above: str
) -> None:
    """An hour over a day that is not over is not "no data": it is skipped, with the time when it can be made, then made."""
    archive = archive_of(Grain.DAILY, "2024-02-27", {"series": ["even"] * 4}, 1)
    home = pipeline(fetched(), grain=below), pipeline(mean("PT2H", of="p/series"), name="fine", grain=above)
    lab = make_lab(archive, at("2024-02-29T18:00"), *home)
    key = Grain(above).key(at("2024-02-29" if above == "hourly" else "2024-02-28"))
    outcome = lab.run(["fine/mean"], [key])["fine/mean", key]
    assert outcome.state == "skipped"
    assert outcome.error is not None
    assert "2024-03-01" in str(outcome.error)
    assert ("fine/mean", key) not in lab.versions()
    lab.now = at("2024-03-01T00:00")
    assert lab.run(["fine/mean"], [key])["fine/mean", key].state == "computed"
    assert len(lab.table("fine/mean", [key]))


def test_a_window_of_odd_microseconds_takes_both_edges(make_lab: Callable, at: Callable, archive_of: Callable) -> None:
    """Half of three microseconds is 1500 ns: a record that far before midnight counts at midnight."""
    archive = archive_of(Grain.DAILY, "2024-02-25", {"series": ["edges"] * 4}, 5)
    lab = make_lab(archive, at("2024-03-05"), pipeline(fetched(), mean("PT0.000003S", min_samples=4), start="2024-02-26"))
    lab.run(["p/mean"], ["2024-02-27"])
    table = lab.table("p/mean", ["2024-02-27"])
    assert table.time[0] == np.datetime64("2024-02-27", "ns")
    whole = next(archive.fetch("D", "series", [TimeRange(at("2024-02-26"), at("2024-02-28"))])).table
    near = np.abs(whole.time - table.time[0]) <= np.timedelta64(1500, "ns")
    assert near.sum() == 4
    np.testing.assert_allclose(table.columns["mean"][0], whole.columns["v"][near].mean())
    assert not np.isnan(table.columns["mean"][0])


def changed(archive: Any, parameter: str, number: int, **meta: Any) -> None:
    """The archive's product is another from one of its files on."""
    files = list(archive.files[parameter])
    for place, (name, span, table) in list(enumerate(files))[number:]:
        columns = tuple(
            each.model_copy(update={"unit": meta["unit"]}) if "unit" in meta else each for each in table.meta.columns
        )
        files[place] = (name, span, replace(table, meta=table.meta.model_copy(update={"columns": columns, **meta})))
    archive.files[parameter] = files


def test_a_change_of_the_product_is_an_error_where_it_is_read_and_nowhere_else(
    make_lab: Callable, archive_of: Callable, at: Callable
) -> None:
    """From the 29th the unit is another: means that hold both kinds of values fail, the last before it keeps its unit."""
    archive = archive_of(Grain.DAILY, "2024-02-25", {"series": ["even"] * 8}, 1)
    changed(archive, "series", 4, unit="pT")
    lab = make_lab(archive, at("2024-03-04"), pipeline(fetched(), mean("PT3H"), mean("PT2H", "apart", centered=False)))
    keys = ["2024-02-27", "2024-02-28", "2024-02-29", "2024-03-01"]
    outcomes = lab.run(["p/mean", "p/apart"], keys)
    assert [outcomes["p/mean", key].state for key in keys] == ["computed", "failed", "failed", "computed"]
    assert [outcomes["p/apart", key].state for key in keys] == ["computed", "computed", "failed", "computed"]
    assert "units (nT, pT)" in str(outcomes["p/mean", "2024-02-28"].error)
    assert lab.table("p/apart", ["2024-02-28"]).meta.unit == "nT"
    with pytest.raises(ValueError, match="units"):
        lab.table("p/mean", ["2024-02-27", "2024-03-01"])


def test_a_day_without_a_divisor_has_no_unit_and_takes_none_away(
    make_lab: Callable, archive_of: Callable, at: Callable
) -> None:
    """Three days without a file of the divisor: the mean that reaches over into the first keeps the unit of what it has."""
    data = ["even"] * 9
    archive = archive_of(Grain.DAILY, "2024-02-25", {"vector": data, "other": [*data[:4], *["no file"] * 3, *data[7:]]}, 1)
    changed(archive, "other", 0, unit="cm^-3")
    share = {"id": "share", "compute": {"operation": "ratio", "inputs": {"a": "vector", "b": "other"}}}
    lab = make_lab(archive, at("2024-03-05"), pipeline(fetched("vector"), fetched("other"), share, mean("PT2H", of="share")))
    keys = ["2024-02-28", "2024-02-29", "2024-03-01"]
    assert {outcome.state for outcome in lab.run(["p/share", "p/mean"], keys).values()} == {"computed"}
    assert lab.table("p/share", ["2024-03-01"]).meta.unit != "cm^3 nT"
    assert lab.table("p/share", ["2024-03-01"]).status == "all_fill"
    assert lab.table("p/mean", ["2024-02-29"]).status == "data"
    for made in (keys[:1], keys[1:2], keys):
        meta = lab.table("p/mean", made).meta
        assert (meta.unit, meta.frame) == ("cm^3 nT", "GSE")
