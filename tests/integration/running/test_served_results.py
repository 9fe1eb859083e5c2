"""Stored results served by HAPI: what our own client and the community's read is what is stored."""

from __future__ import annotations

import json
import os
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from helio_dagster.archives.cdas.server import CdasServer
from helio_dagster.archives.hapi.answers import HapiAnswers
from helio_dagster.archives.hapi.archive import HapiArchive
from helio_dagster.domain.table import Table
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.hosting.hapi_results import ServedResults
from helio_dagster.hosting.served_home import ServedHome
from tests.integration.running.conftest import MakeSite, MakeSpan, Prepare, Site

PIPELINE = """
version: 1
name: basic
title: Field of a test
start: 2023-01-01
steps:
  - id: b
    fetch: {archive: cdaweb, dataset: TS_H0_MFI, parameter: BGSE}
  - id: mag
    intent: Magnitude of the field
    compute: {operation: magnitude, inputs: {vector: b}}
  - id: power
    compute: {operation: spectrogram, inputs: {series: mag}, options: {window: PT8H, cadence: PT30M}}
  - id: quarters
    compute: {operation: resample, inputs: {series: mag}, options: {cadence: PT2H}}
  - id: strong
    compute: {operation: intervals_where, inputs: {series: mag}, options: {above: 8}}
  - id: spectrum
    over: range
    compute: {operation: power_spectrum, inputs: {series: mag}}
  - id: overview
    figure: {panels: [{traces: [{data: mag}]}]}
"""
FETCHED = "cdaweb/TS_H0_MFI/BGSE"
SERVED = sorted([FETCHED, "basic/mag", "basic/power", "basic/quarters", "basic/strong"])


@pytest.fixture
def site(make_site: MakeSite, span: TimeRange, prepare: Prepare) -> Site:
    """A home with results of three days."""

    def run(site: Site) -> None:
        report = site.run(span)
        assert report.status == "success", report.failures

    return prepare("served results", make_site("home", PIPELINE), run)


@pytest.fixture
def address(site: Site) -> Iterator[str]:
    """Where the home's results are served."""
    home = ServedHome(site.settings, os.environ, Path.cwd())
    with CdasServer(None, extra=[HapiAnswers(ServedResults(home))]) as server:
        yield f"http://{server.address}/hapi"
    home.close()


@pytest.fixture
def ask(address: str) -> Callable[[str], Any]:
    """The document that a question is answered with."""

    def ask(question: str) -> Any:
        try:
            with urllib.request.urlopen(f"{address}/{question}") as answer:  # noqa: S310  # a loopback server
                return json.load(answer)
        except urllib.error.HTTPError as error:
            return json.load(error)

    return ask


def stored_tables(site: Site, asset: str) -> list[Table]:
    """The stored partitions that have records."""
    store = site.workbench().store
    return [table for key in store.partitions(asset) if len(table := store.read(asset, key))]


def test_what_has_partitions_in_time_is_listed(ask: Callable[[str], Any]) -> None:
    """What is fetched and computed, with words; no figure and nothing over a range."""
    listed = {each["id"]: each["title"] for each in ask("catalog")["catalog"]}
    assert sorted(listed) == SERVED
    assert listed["basic/mag"] == "Field of a test: Magnitude of the field"


@pytest.mark.parametrize(("asset", "parameter"), [("basic/mag", "mag"), (FETCHED, "BGSE"), ("basic/power", "power")])
def test_our_client_reads_what_is_stored(
    site: Site, address: str, span: TimeRange, tmp_path: Path, asset: str, parameter: str
) -> None:
    """Times, values, units, frame, bins, and how far records reach."""
    stored = stored_tables(site, asset)
    with HapiArchive(f"hapi:{address}", tmp_path / "asked") as archive:
        fetched = [each.table for each in archive.fetch(asset, parameter, [span])]
    assert len(fetched) == 1
    assert fetched[0] is not None
    read, meta = fetched[0], stored[0].meta
    assert (read.time == np.concatenate([table.time for table in stored])).all()
    for ours, theirs in zip(read.meta.data_names, meta.data_names, strict=True):
        np.testing.assert_array_equal(read.columns[ours], np.concatenate([table.columns[theirs] for table in stored]))
    assert (read.meta.unit, read.meta.frame, read.meta.kind) == (meta.unit, meta.frame, meta.kind)
    if meta.bins is not None:
        assert read.meta.bins is not None
        assert (read.meta.bins.centers, read.meta.bins.unit) == (meta.bins.centers, meta.bins.unit)


def test_a_bin_is_stamped_where_it_says(ask: Callable[[str], Any]) -> None:
    """Two-hour means reach from their stamp on, or around it: the description says which."""
    about = ask("info?dataset=basic/quarters")
    assert (about["cadence"], about["timeStampLocation"]) == ("PT2H", "BEGIN")


@pytest.mark.parametrize("form", ["binary", "csv"])
def test_the_community_s_client_reads_vectors_and_events(
    site: Site, address: str, span: TimeRange, tmp_path: Path, form: str
) -> None:
    """The times and components of vectors; the start, stop and numbers of events."""
    hapiclient = pytest.importorskip("hapiclient", reason="hapiclient is not installed: pip install hapiclient")
    options = {"usecache": False, "cache": False, "cachedir": str(tmp_path / "theirs"), "logging": False, "format": form}
    asked = [f"{edge:%Y-%m-%dT%H:%M:%SZ}" for edge in (span.start, span.stop)]
    for asset in (FETCHED, "basic/strong"):
        stored = stored_tables(site, asset)
        data, about = hapiclient.hapi(address, asset, "", *asked, **options)
        times = np.concatenate([table.time for table in stored])
        assert (np.array([text.decode().rstrip("Z") for text in data["Time"]], dtype="datetime64[ns]") == times).all()
        assert len(times) > 3
        if asset == FETCHED:
            values = np.concatenate([np.stack(list(table.columns.values()), axis=1) for table in stored])
            precision = 0 if form == "binary" else 1e-12  # its reader of lines does not round the last digit
            np.testing.assert_allclose(data["BGSE"], values, rtol=precision)
            continue
        (stop,) = (each["name"] for each in about["parameters"][1:] if each["type"] == "isotime")
        own = next(column.name for column in stored[0].meta.columns if column.role == "stop")
        ends = np.concatenate([table.columns[own] for table in stored])
        assert (np.array([text.decode().rstrip("Z") for text in data[stop]], dtype="datetime64[ns]") == ends).all()


CUBE = """
  - id: cube
    compute:
      inputs: {b: b}
      unit: counts
      code: |
        values = np.arange(len(b) * 6.0).reshape(len(b), 2, 3)
        values[1, 0, 2] = np.nan
        axes = {"look": {"labels": ["sunward", "dusk"]}, "energy": {"centers": [1.0, 10.0, 100.0], "unit": "keV"}}
        return over_axes(values, b.index, axes)
"""


def test_the_community_s_client_reads_data_over_several_axes(make_site: MakeSite, make_span: MakeSpan, tmp_path: Path) -> None:
    """As arrays over the bins of each axis, fills where a value is missing; the bins' description names their places."""
    hapiclient = pytest.importorskip("hapiclient", reason="hapiclient is not installed: pip install hapiclient")
    site = make_site("cubes", PIPELINE.split("  - id: mag")[0] + CUBE)
    span = make_span("2023-01-02")
    report = site.run(span)
    assert report.status == "success", report.failures
    (table,) = stored_tables(site, "basic/cube")
    asked = [f"{edge:%Y-%m-%dT%H:%M:%SZ}" for edge in (span.start, span.stop)]
    home = ServedHome(site.settings, os.environ, Path.cwd())
    with CdasServer(None, extra=[HapiAnswers(ServedResults(home))]) as server:
        for form in ("binary", "csv"):
            kept = {"usecache": False, "cache": False, "cachedir": str(tmp_path / "theirs"), "logging": False}
            data, about = hapiclient.hapi(f"http://{server.address}/hapi", "basic/cube", "", *asked, format=form, **kept)
            cube = next(each for each in about["parameters"] if each["name"] == "cube")
            found = np.where(data["cube"] == float(cube["fill"]), np.nan, data["cube"])
            np.testing.assert_array_equal(found, table.columns["cube"])
            assert (cube["size"], cube["units"]) == ([2, 3], "counts")
            assert [bins["centers"] for bins in cube["bins"]] == [[1, 2], [1, 10, 100]]
            assert [bins.get("description") for bins in cube["bins"]] == ["sunward, dusk", None]
    home.close()


def test_what_is_run_meanwhile_is_served(site: Site, ask: Callable[[str], Any], make_span: MakeSpan) -> None:
    """A server need not be started again; what was taken away is gone."""
    assert ask("info?dataset=basic/quarters")["stopDate"] == "2023-01-05T00:00:00Z"
    site.save(PIPELINE.replace("basic", "later"))
    assert "later/quarters" not in {each["id"] for each in ask("catalog")["catalog"]}
    site.run(make_span("2023-01-02"), name="later")
    assert "later/quarters" in {each["id"] for each in ask("catalog")["catalog"]}
    assert ask("info?dataset=later/quarters")["stopDate"] == "2023-01-03T00:00:00Z"
    (site.settings.pipelines / "later.yaml").unlink()
    assert ask("info?dataset=later/quarters")["status"]["code"] == 1406


@pytest.mark.parametrize(
    ("question", "code"),
    [
        ("info?dataset=basic/overview", 1406),
        ("info?dataset=../../etc/passwd", 1406),
        ("info?dataset=basic/mag&parameters=other", 1407),
        ("data?dataset=basic/mag&start=2024-01-01Z&stop=2024-01-02Z", 1405),
        ("data?dataset=basic/mag&start=2023-01-03Z&stop=2023-01-02Z", 1404),
    ],
)
def test_what_is_not_there_is_refused_by_hapi_s_code(ask: Callable[[str], Any], question: str, code: int) -> None:
    """A figure, a path, an unknown parameter, another time."""
    assert ask(question)["status"]["code"] == code


def test_partitions_of_other_columns_are_an_error_of_the_archive(
    site: Site, ask: Callable[[str], Any], make_span: MakeSpan
) -> None:
    """What an earlier version of a step stored is neither sent under other names nor left out in silence."""
    store = site.workbench().store
    key, newest = (store.partitions("basic/quarters")[place] for place in (0, 1))
    table = store.read("basic/quarters", newest)
    renamed = table.meta.model_copy(
        update={"columns": tuple(each.model_copy(update={"name": f"old_{each.name}"}) for each in table.meta.columns)}
    )
    first = store.read("basic/quarters", key)
    old = Table(first.time, {f"old_{name}": values for name, values in first.columns.items()}, renamed)
    store.write("basic/quarters", key, old, {"code": "old"})
    store.write("basic/quarters", newest, table, {"code": "new"})
    status = ask(f"data?dataset=basic/quarters&start={key}Z&stop={newest}Z")["status"]
    assert status["code"] == 1500
    assert "lack columns that the newest has" in status["message"]


def test_too_much_at_once_is_refused(monkeypatch: pytest.MonkeyPatch, ask: Callable[[str], Any]) -> None:
    """Before anything is read, and with what to do."""
    monkeypatch.setattr("helio_dagster.hosting.hapi_results.MOST_VALUES", 50)
    status = ask("data?dataset=basic/mag&start=2023-01-02Z&stop=2023-01-05Z")["status"]
    assert status["code"] == 1400
    assert "ask for less time" in status["message"]
