"""A distribution over angles and energies, from a CDF server to spectrograms, figures, files and pages."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import xarray as xr

from helio_dagster.api import read
from helio_dagster.domain.table import Table
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.hosting.served_home import ServedHome
from helio_dagster.launch.bundling.gathering import Labels, gather
from helio_dagster.launch.bundling.remaking import verify_bundle
from helio_dagster.launch.home import Home
from helio_dagster.launch.running.reading import read_table
from helio_dagster.launch.web.about_pages import result_page
from helio_dagster.launch.web.listing import Listing
from helio_dagster.serve.looking import Looking
from helio_dagster.storage.settings import Settings
from tests.integration.running.conftest import MakeSpan, Mission, Shell, Site
from tests.nd_files import DATASET, DISTRIBUTION, FIELD, make_distribution, write_distribution

ASSET = f"cdaweb/{DATASET}/{DISTRIBUTION}"
PIPELINE = f"""
version: 1
name: basic
partitions: daily
start: 2023-01-01
steps:
  - id: f
    fetch: {{archive: cdaweb, dataset: {DATASET}, parameter: {DISTRIBUTION}}}
  - id: b
    fetch: {{archive: cdaweb, dataset: {DATASET}, parameter: {FIELD}}}
  - id: spectra
    compute: {{operation: energy_spectrogram, inputs: {{distribution: f}}}}
  - id: pitch
    compute:
      operation: pitch_angle_spectrogram
      inputs: {{distribution: f, field: b}}
      options: {{directions: look, energies: [50, 500], bin: 30}}
  - id: drawn
    figure:
      panels:
        - traces: [{{data: spectra}}]
        - traces: [{{data: pitch}}]
"""


@pytest.fixture
def space(tmp_path: Path, mission: Mission, fresh_instance: Path, site_class: type[Site]) -> Site:
    """A home over two hours of a distribution, one file."""
    made = make_distribution(24, azimuths=8, colatitudes=6, energies=8)
    write_distribution(mission.folder / f"{DATASET.lower()}_20230102_v01.cdf", made, cadence_s=300)
    home = tmp_path / "home"
    shutil.copytree(fresh_instance, home / "dagster")
    site = site_class(Settings(home, home / "pipelines", mission.server.url))
    site.save(PIPELINE)
    return site


def stored(site: Site, step: str, span: TimeRange) -> Table:
    """What a step stored over a range."""
    pipeline, graph = site.open()
    return read_table(site.workbench().store, graph.of_pipeline(pipeline)[step], span)


def content(table: Table) -> list[bytes]:
    """The bytes of a table."""
    return [table.time.tobytes(), *(values.tobytes() for values in table.columns.values())]


def test_spectrograms_and_figure_whatever_the_partitions(space: Site, make_span: MakeSpan) -> None:
    """A run draws them; the hours put together are the day; energies by record stay."""
    span = make_span("2023-01-02")
    assert space.run(span).status == "success"
    steps = ("f", "spectra", "pitch")
    day = {step: stored(space, step, span) for step in steps}
    assert (day["f"].meta.kind, day["f"].meta.shape, len(day["f"])) == ("nd", (8, 6, 8), 24)
    assert (day["spectra"].meta.kind, len(day["spectra"].meta.bin_names)) == ("spectrogram", 8)
    assert day["pitch"].meta.bins is not None
    assert list(day["pitch"].meta.bins.centers) == [15.0, 45.0, 75.0, 105.0, 135.0, 165.0]
    assert np.isfinite(day["pitch"].columns["pitch_1"]).any()
    space.save(PIPELINE.replace("daily", "hourly"))
    assert space.run(span).status == "success"
    for step in steps:
        assert content(stored(space, step, span)) == content(day[step]), step


def test_people_and_programs_see_shape_and_axes(space: Site, make_span: MakeSpan, shell: Shell) -> None:
    """`helio show`, results over HTTP, pages of a table, the page of a result: no lists of thousands of numbers."""
    span = make_span("2023-01-02")
    space.run(span)
    shown = shell(space, "show", ASSET, "2023-01-02")
    assert "polar angle: 6 bins, 15 to 165 deg" in shown.stdout
    assert "energy: 8 bins in eV that vary from record to record" in shown.stdout
    site = ServedHome(space.settings, {}, space.settings.home)
    document = Looking(site).result("basic", "f", "2023-01-02", None)
    assert document["statistics"]["axes"][1] == {
        "axis": "mx1_theta",
        "label": "polar angle",
        "unit": "deg",
        "bins": 6,
        "from": 15.0,
        "to": 165.0,
        "varies": False,
    }
    assert document["head"][0][1].startswith("8 x 6 x 8 values, ")
    assert len(json.dumps(document)) < 10_000
    listing = Listing(space.settings)
    result = listing.result(ASSET)
    assert result is not None
    page = result_page(listing, result, "2023-01-02")
    assert "azimuth: 8 bins in deg that vary" in page
    assert "8 x 6 x 8 values" in page
    assert "table.csv" not in page


def test_what_is_wrong_with_the_axes_of_a_file_is_shown(
    space: Site, mission: Mission, make_span: MakeSpan, shell: Shell
) -> None:
    """`helio show` says it of the fetched table, and the spectra are those of a file that is right."""
    span = make_span("2023-01-02")
    path = mission.folder / f"{DATASET.lower()}_20230102_v01.cdf"
    made = make_distribution(24, azimuths=8, colatitudes=6, energies=5)
    write_distribution(path, made, cadence_s=300)
    space.run(span)
    assert "warning" not in shell(space, "show", ASSET, "2023-01-02").stdout
    right = content(stored(space, "spectra", span))
    write_distribution(path, made, cadence_s=300, depends=("mx1_theta", "mx1_energy", "mx1_phi"))
    space.run(span, refresh=True)
    shown = " ".join(shell(space, "show", ASSET, "2023-01-02").stdout.split())
    assert "warning DEPEND_1 and DEPEND_2 and DEPEND_3 of mx1_dis_dist_fast are exchanged" in shown
    assert content(stored(space, "spectra", span)) == right


def test_files_and_python(space: Site, make_span: MakeSpan, shell: Shell, tmp_path: Path) -> None:
    """Parquet as stored, netCDF with its axes, CSV refused with what to do; `read` gives xarray."""
    span = make_span("2023-01-02")
    space.run(span)
    table = stored(space, "f", span)
    found = read("f", "2023-01-02", pipeline=space.open()[0], home=space.settings.home)
    assert isinstance(found, xr.Dataset)
    np.testing.assert_array_equal(found[DISTRIBUTION], table.columns[DISTRIBUTION])
    for suffix in ("nc", "parquet", "cdf", "csv"):
        done = shell(space, "export", ASSET, "2023-01-02", "-o", str(tmp_path / f"f.{suffix}"))
        assert (done.returncode == 0) == (suffix != "csv"), done.stderr
    assert "slice, reduce or energy_spectrogram" in done.stdout + done.stderr
    whole = shell(space, "export", "basic", "2023-01-02", "--format", "csv", "-o", str(tmp_path / "all"))
    assert whole.returncode != 0
    assert "slice, reduce or energy_spectrogram" in whole.stderr
    assert not (tmp_path / "all").exists()
    with xr.open_dataset(tmp_path / "f.nc") as dataset:
        np.testing.assert_array_equal(dataset[DISTRIBUTION], table.columns[DISTRIBUTION])
    frame = pd.read_parquet(tmp_path / "f.parquet")
    np.testing.assert_array_equal(np.stack(list(frame[DISTRIBUTION])).reshape(24, 8, 6, 8), table.columns[DISTRIBUTION])


def test_a_bundle(space: Site, make_span: MakeSpan, tmp_path: Path) -> None:
    """What has several axes is in it as Parquet, all else as CSV as well; it is made again without the archive."""
    span = make_span("2023-01-02")
    space.run(span)
    home, folder = Home(space.settings), tmp_path / "bundle"
    folder.mkdir()
    gather(home, home.open("basic"), span, space.workbench(), folder, Labels("2026-01-31"))
    kinds = {path.stem: {each.suffix for each in folder.glob(f"data/{path.stem}.*")} for path in folder.glob("data/*")}
    assert {suffixes == {".parquet"} for name, suffixes in kinds.items() if DISTRIBUTION in name} == {True}
    assert {".csv", ".parquet"} in kinds.values()
    elsewhere = Settings(tmp_path / "elsewhere", tmp_path / "elsewhere" / "pipelines", "http://127.0.0.1:9/sp_phys/")
    assert verify_bundle(folder, elsewhere, without_archives=True).status == "same"


@pytest.mark.alike(2)
@pytest.mark.parametrize(
    ("step", "said"),
    [
        ("{id: g, figure: {panels: [{traces: [{data: f}]}]}}", "f has several axes beside time: azimuth, polar angle, energy"),
        ("{id: g, compute: {operation: rolling_mean, inputs: {series: f}, options: {window: PT1H}}}", "not nd"),
        ('{id: g, compute: {inputs: {f: f}, kind: points, code: "return f"}}', "data over axes"),
        (
            "{id: g, compute: {operation: slice, inputs: {distribution: f}, options: {axis: speed, index: 0}}}",
            "no axis 'speed'",
        ),
    ],
)
def test_what_cannot_be_done_says_what_can(space: Site, make_span: MakeSpan, step: str, said: str) -> None:
    """A figure of the whole distribution, other operations, code, an axis that is not there."""
    space.save(f"{PIPELINE.split('  - id: b')[0]}  - {step}\n")
    report = space.run(make_span("2023-01-02"))
    assert said in " ".join(f"{failure.error} {failure.hint}" for failure in report.failures)


CODE = """
  - id: own
    compute:
      inputs: {f: f, b: b}
      unit: s^3 cm^-6
      code: |
        energy = f.axes["mx1_energy"]
        assert f.values.shape == (len(f.time), 8, 6, 8) and energy.centers.shape == (len(f.time), 8)
        assert (f.unit, energy.unit, f.axes["mx1_theta"].centers.shape) == ("s^3 cm^-6", "eV", (1, 6))
        f.values[0] = 0.0
        weights = np.where(energy.centers > 100, 1.0, 0.0)[:, None, None, :] * np.isfinite(f.values)
        return pd.Series((np.nan_to_num(f.values) * weights).sum(axis=(1, 2, 3)) / weights.sum(axis=(1, 2, 3)), index=f.time)
"""


def test_code_gets_arrays_and_axes(space: Site, make_span: MakeSpan) -> None:
    """A step's code computes on the values by axis, may change them, and gives the same whatever the partitions."""
    span = make_span("2023-01-02")
    text = f"{PIPELINE.split('  - id: spectra')[0]}{CODE}"
    space.save(text)
    report = space.run(span)
    assert report.status == "success", report.failures
    day, given = stored(space, "own", span), stored(space, "f", span)
    energy = given.columns["mx1_energy"]
    weights = (energy > 100)[:, None, None, :] & np.isfinite(given.columns[DISTRIBUTION])
    expected = np.where(weights, given.columns[DISTRIBUTION].astype("f8"), 0.0).sum(axis=(1, 2, 3)) / weights.sum(
        axis=(1, 2, 3)
    )
    np.testing.assert_allclose(day.columns["own"][1:], expected[1:], rtol=1e-5)
    assert (day.columns["own"][0], day.meta.unit) == (0.0, "s^3 cm^-6")


RETURNED = """
  - id: less
    compute:
      inputs: {f: f}
      unit: s^3 cm^-6
      code: |
        return over_axes(f.values - np.nanmin(f.values, axis=(1, 2), keepdims=True), f.time, f.axes)
  - id: kept
    compute: {operation: slice, inputs: {distribution: less}, options: {axis: mx1_theta, index: 2}}
  - id: two
    compute:
      inputs: {f: f}
      results: {same: {unit: s^3 cm^-6}, number: {kind: facts}}
      code: |
        return {"same": f, "number": {"n": f.values.size}}
  - id: again
    compute: {operation: slice, inputs: {distribution: same}, options: {axis: mx1_theta, index: 2}}
  - id: spectrum
    compute:
      inputs: {f: less}
      unit: s^3 cm^-6
      code: |
        return over_axes(np.nanmax(f.values, axis=(1, 2)), f.time, {"energy": f.axes["mx1_energy"]})
"""


def test_code_gives_data_over_axes(space: Site, make_span: MakeSpan) -> None:
    """With the bins of the input, which vary from record to record and have widths; over one axis it is a spectrogram."""
    span = make_span("2023-01-02")
    space.save(f"{PIPELINE.split('  - id: b')[0]}{RETURNED}")
    report = space.run(span)
    assert report.status == "success", report.failures
    given, less, kept, spectrum = (stored(space, step, span) for step in ("f", "less", "kept", "spectrum"))
    np.testing.assert_array_equal(stored(space, "same", span).columns["same"], given.columns[DISTRIBUTION])
    np.testing.assert_array_equal(stored(space, "again", span).columns["again"], given.columns[DISTRIBUTION][:, :, 2])
    values = given.columns[DISTRIBUTION]
    expected = (values - np.nanmin(values, axis=(1, 2), keepdims=True)).astype("f8")
    np.testing.assert_array_equal(less.columns["less"], expected)
    assert [(axis.size, axis.unit, axis.scale) for axis in less.meta.axes] == [
        (axis.size, axis.unit, axis.scale) for axis in given.meta.axes
    ]
    np.testing.assert_array_equal(less.columns["mx1_energy"], given.columns["mx1_energy"])
    np.testing.assert_array_equal(less.columns["mx1_energy_width"], given.columns["mx1_energy_width"])
    np.testing.assert_array_equal(kept.columns["kept"], expected[:, :, 2])
    assert (spectrum.meta.kind, spectrum.meta.unit, spectrum.meta.bins.unit) == ("spectrogram", "s^3 cm^-6", "eV")
    np.testing.assert_array_equal(
        np.stack([spectrum.columns[name] for name in spectrum.meta.data_names], axis=1), np.nanmax(expected, axis=(1, 2))
    )


@pytest.mark.parametrize(("most", "state"), [(1.0, "computed"), (1e-28, "skipped")])
def test_exclusions_and_expectations_count_values(space: Site, make_span: MakeSpan, most: float, state: str) -> None:
    """Excluded records are fills in all bins, bins stay; a limit is that of the farthest value, and blocks what reads it."""
    span = make_span("2023-01-02")
    text = PIPELINE.split("  - id: b")[0]
    rows = '{csv: "onset,stop\\n2023-01-02T00:30Z,2023-01-02T01:00Z", source: made up}'
    reading = "  - id: e\n    compute: {operation: energy_spectrogram, inputs: {distribution: f}}\n"
    expected = f"    exclude: bad\n    expect: {{max: {most}, severity: block}}\n"
    space.save(f"{text}{expected}  - id: bad\n    table: {rows}\n{reading}")
    report = space.run(span)
    table = stored(space, "f", span)
    assert np.nanmax(table.columns[DISTRIBUTION]) > 1e-28
    lost = np.isnan(table.columns[DISTRIBUTION]).all(axis=(1, 2, 3))
    assert lost.tolist() == [6 <= place < 12 for place in range(24)]
    assert not np.isnan(table.columns["mx1_energy"]).any()
    assert getattr(report.steps["e"], state) == 1, report.failures
