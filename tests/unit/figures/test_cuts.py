"""Cuts of spectrograms: records at times, and averages."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import plotly.graph_objects as go
import pytest

from helio_dagster.domain.errors import FigureError
from helio_dagster.domain.extent import Extents
from helio_dagster.domain.figure import Figure
from helio_dagster.domain.table import Table, TableMeta
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.figures.drawing import draw
from helio_dagster.figures.known_faults import find_figure_faults
from tests.integration.figures.test_real_data import read

Maker = Callable[..., Table]
ENERGIES = np.array([10.0, 100, 1000])


def cut_figure(tables: dict[str, Table], day: TimeRange, *traces: Any, **cut: Any) -> go.Figure:
    """A figure of one panel of cuts."""
    given = [{"data": trace} if isinstance(trace, str) else trace for trace in traces or tables]
    return draw(Figure.model_validate({"panels": [{"traces": given, "cut": cut}]}), tables, day, title="t")


def texts(figure: go.Figure) -> list[str]:
    """Texts of all annotations."""
    return [annotation.text for annotation in figure.layout.annotations]


@pytest.fixture
def flux(make_spectrogram: Maker) -> Table:
    """Ten minutes of three energies; record n holds n + 1, 10 (n + 1), 100 (n + 1)."""
    return make_spectrogram(np.outer(np.arange(1.0, 11), [1, 10, 100]), ENERGIES)


def test_a_cut_at_a_time_is_the_record_nearest_to_it(flux: Table, day: TimeRange) -> None:
    """Over the energies, on two log axes; the panel says which record it is."""
    figure = cut_figure({"p": flux}, day, at="2023-01-02T00:04:20")
    (line,) = figure.data
    assert line.x.tolist() == ENERGIES.tolist()
    assert line.y.tolist() == [5, 50, 500]
    assert (figure.layout.xaxis2.type, figure.layout.yaxis.type) == ("log", "log")
    assert "record of 2023-01-02 00:04 UTC" in texts(figure)
    assert "Energy [eV]" in texts(figure)


def test_several_times_are_lines_called_by_their_records(flux: Table, day: TimeRange) -> None:
    """A time twice is one line; one without a record is named."""
    figure = cut_figure({"p": flux}, day, at=["2023-01-02T00:01", "2023-01-02T00:08", "2023-01-02T00:08", "2023-01-02T05:00"])
    assert [line.y[0] for line in figure.data] == [2, 9]
    assert {"2023-01-02 00:01", "2023-01-02 00:08", "no record at 2023-01-02 05:00:00 UTC"} <= set(texts(figure))


def test_lines_are_called_by_whole_seconds_where_these_tell_them_apart(flux: Table, day: TimeRange) -> None:
    """Records of 250 ms past the minute; an archive's milliseconds say nothing more."""
    late = Table(flux.time + np.timedelta64(250, "ms"), flux.columns, flux.meta)
    figure = cut_figure({"p": late}, day, at=["2023-01-02T00:01", "2023-01-02T00:08"])
    assert {"2023-01-02 00:01", "2023-01-02 00:08"} <= {text.removesuffix(":00") for text in texts(figure)}


def test_a_record_counts_as_far_as_it_reaches(flux: Table, day: TimeRange) -> None:
    """A minute stamped at its start holds the time up to the next stamp, however near that is."""
    reaching = flux.with_extents(Extents.from_seconds(np.zeros(10), np.full(10, 60.0)))
    (line,) = cut_figure({"p": reaching}, day, at="2023-01-02T00:04:50").data
    assert line.y[0] == 5
    (nearest,) = cut_figure({"p": flux}, day, at="2023-01-02T00:04:50").data
    assert nearest.y[0] == 6


def test_an_average_is_over_the_valid_values_of_each_bin(flux: Table, day: TimeRange) -> None:
    """Of the range asked for, or of the whole; NaN does not count."""
    flux.columns["f0"][2] = np.nan
    (part,) = cut_figure({"p": flux}, day, start="2023-01-02T00:02", stop="2023-01-02T00:05").data
    assert part.y.tolist() == [4.5, 40, 400]
    figure = cut_figure({"p": flux}, day)
    assert figure.data[0].y.tolist() == pytest.approx([52 / 9, 55, 550])
    assert {"mean of 10 records,", "2023-01-02 00:00 to 00:09 UTC"} <= set(texts(figure))


def test_bins_that_vary_are_those_of_the_record_and_common_ones_of_an_average(make_spectrogram: Maker, day: TimeRange) -> None:
    """Two tables of energies: each record has its own; an average lies between the lowest and the highest."""
    centers = np.array([ENERGIES, ENERGIES * 2])
    table = make_spectrogram(np.full((2, 3), 7.0), centers)
    figure = cut_figure({"p": table}, day, at=["2023-01-02T00:00", "2023-01-02T00:01"])
    assert [line.x.tolist() for line in figure.data] == [ENERGIES.tolist(), (2 * ENERGIES).tolist()]
    (mean,) = cut_figure({"p": table}, day).data
    known = np.isfinite(mean.y)
    np.testing.assert_allclose(mean.y[known], 7)
    assert mean.x.min() < 10
    assert mean.x.max() > 2000


def test_energies_in_any_order_are_drawn_in_order(make_spectrogram: Maker, day: TimeRange) -> None:
    """From the lowest; a bin whose centre is unknown is left out."""
    table = make_spectrogram([[3.0, 2, 1, 9]], [1000.0, 100, 10, np.nan])
    (line,) = cut_figure({"p": table}, day, at="2023-01-02").data
    assert (line.x.tolist(), line.y.tolist()) == ([10, 100, 1000], [1, 2, 3])


@pytest.mark.parametrize(("records", "fill", "note"), [(0, 1.0, "no data"), (2, np.nan, "all fill values")])
@pytest.mark.parametrize("cut", [{}, {"at": "2023-01-02T00:00"}, {"at": "1999-01-01"}])
def test_nothing_to_cut_is_a_note(
    records: int, fill: float, note: str, cut: dict[str, str], make_spectrogram: Maker, day: TimeRange
) -> None:
    """The figure does not fail."""
    table = make_spectrogram(np.full((records, 3), fill), ENERGIES)
    expected = "no data" if cut.get("at") == "1999-01-01" else note
    assert expected in texts(cut_figure({"p": table}, day, **cut))
    assert "no data" in texts(cut_figure({"p": Table.empty(TableMeta(kind="series", columns=()))}, day, **cut))


def test_what_has_no_bins_is_refused_by_drawing_and_by_the_check(make_series: Maker, flux: Table, day: TimeRange) -> None:
    """With its place in the pipeline, in the same words before anything runs."""
    cases = [
        (make_series([1.0]), {}, "is not a spectrogram", "data"),
        (flux, {"component": "f0"}, "through all bins", "component"),
    ]
    for table, trace, problem, end in cases:
        with pytest.raises(FigureError, match=problem) as caught:
            cut_figure({"p": table}, day, {"data": "p", **trace})
        assert caught.value.where == f"figure.panels[0].traces[0].{end}"
        spec = Figure.model_validate({"panels": [{"traces": [{"data": "p", **trace}], "cut": {}}]})
        (fault,) = find_figure_faults(spec, {"p": table.meta})
        assert fault.problem == caught.value.problem
    fine = Figure.model_validate({"panels": [{"traces": [{"data": "p"}], "cut": {}}]})
    assert not list(find_figure_faults(fine, {"p": flux.meta}))


@pytest.mark.parametrize(
    ("cut", "words"),
    [
        ({"start": "2023-01-02"}, "both `start` and `stop`"),
        ({"start": "2023-01-03", "stop": "2023-01-02"}, "not before"),
        ({"at": "2023-01-02", "start": "2023-01-01", "stop": "2023-01-02"}, "not both"),
        ({"at": []}, "at"),
    ],
)
def test_times_that_make_no_cut_are_refused(cut: dict[str, Any], words: str) -> None:
    """By the model of the file."""
    with pytest.raises(ValueError, match=words):
        Figure.model_validate({"panels": [{"traces": [{"data": "p"}], "cut": cut}]})


def test_a_real_record_is_what_the_file_holds(shared_data: Path, make_spectrogram: Maker, day: TimeRange) -> None:
    """The eleventh spectrum of HOPE's protons, read with cdflib alone."""
    path = shared_data / "cdf" / "rbspa_rel04_ect-hope-PA-L3_20121201_v0.0.0.cdf"
    time, protons = read(path, "FPDO", "Epoch_Ion")
    _, energy = read(path, "HOPE_ENERGY_Ion", "Epoch_Ion")
    made = make_spectrogram(protons, energy)
    table = Table(time, made.columns, made.meta)
    span = TimeRange(datetime(2012, 12, 1, tzinfo=UTC), datetime(2012, 12, 2, tzinfo=UTC))
    (line,) = cut_figure({"p": table}, span, at=str(time[10])).data
    order = np.argsort(energy[10])
    np.testing.assert_allclose(line.x, energy[10][order])
    np.testing.assert_allclose(line.y, protons[10][order])
