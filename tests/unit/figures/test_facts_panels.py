"""Facts as text: in a panel of their own, and number by number."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import plotly.graph_objects as go
import pytest

from helio_dagster.domain.errors import FigureError
from helio_dagster.domain.figure import Figure
from helio_dagster.domain.table import ColumnMeta, Table, TableMeta
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.figures.drawing import draw
from helio_dagster.figures.facts_text import Fact, value_html

Maker = Callable[..., Table]


def drawn(tables: dict[str, Table], day: TimeRange, *traces: object, **panel: object) -> go.Figure:
    """A figure of one panel; traces by reference or as mappings."""
    given = [{"data": trace} if isinstance(trace, str) else trace for trace in traces or tables]
    return draw(Figure.model_validate({"panels": [{"traces": given, **panel}]}), tables, day, title="t")


def texts(figure: go.Figure) -> list[str]:
    """Texts of all annotations."""
    return [annotation.text for annotation in figure.layout.annotations]


@pytest.mark.parametrize(
    ("value", "uncertainty", "shown"),
    [
        (34.0, 2.13, "34.0 ± 2.1"),
        (-1.6667, 0.0213, "−1.667 ± 0.021"),
        (1234.5, 120.0, "1230 ± 120"),
        (4.56e7, 3e5, "(4.560 ± 0.030)×10<sup>7</sup>"),
        (0.81234, np.nan, "0.8123"),
        (0.0, np.nan, "0"),
        (-3e-9, np.nan, "−3×10<sup>−9</sup>"),
        (np.nan, 1.0, "—"),
        (np.int64(3600), np.nan, "3,600"),
        (np.datetime64("2003-10-29T06:11", "ns"), np.nan, "2003-10-29 06:11 UTC"),
        (np.datetime64("NaT", "ns"), np.nan, "—"),
        ("<b>out</b>", np.nan, "&lt;b&gt;out&lt;/b&gt;"),
    ],
)
def test_a_value_is_written_to_the_place_its_uncertainty_allows(value: object, uncertainty: float, shown: str) -> None:
    """Numbers, counts, times and words; what is missing is a dash."""
    assert value_html(Fact("x", "", "", value, uncertainty)) == shown


def test_facts_alone_are_a_list_of_name_value_and_unit(make_facts: Maker, day: TimeRange) -> None:
    """No axis, no title of an axis, no UTC; the step's label above."""
    figure = drawn({"mva": make_facts(label="Minimum variance", n_x=(0.89, "", 0.014), angle=(3.2, "deg"))}, day)
    shown = texts(figure)
    assert {"<b>Minimum variance</b>", "n<sub>x</sub>", "0.890 ± 0.014", "angle", "3.2", "°"} <= set(shown)
    assert "UTC" not in shown
    assert figure.data == ()
    assert figure.layout.yaxis.range is None


def test_facts_of_several_intervals_are_a_table_with_a_row_for_each(day: TimeRange) -> None:
    """Names and units once, in its head."""
    times = np.array(["2023-01-02T00:00", "2023-01-02T12:00"], dtype="datetime64[ns]")
    meta = TableMeta(kind="facts", columns=(ColumnMeta(name="lowest", unit="nT"),), label="storms")
    figure = drawn({"storms": Table(times, {"lowest": np.array([-353.0, np.nan])}, meta)}, day)
    assert {"start, UTC", "lowest [nT]", "2023-01-02 00:00", "2023-01-02 12:00", "−353", "—"} <= set(texts(figure))
    assert "stop, UTC" not in texts(figure)


def test_a_table_longer_than_its_panel_counts_what_it_leaves_out(day: TimeRange) -> None:
    """A hundred events do not make a figure of ten thousand pixels."""
    times = np.datetime64("2023-01-02", "ns") + np.arange(100) * np.timedelta64(10, "m")
    meta = TableMeta(kind="facts", columns=(ColumnMeta(name="lowest", unit="nT"),), label="storms")
    figure = drawn({"storms": Table(times, {"lowest": np.arange(100.0)}, meta)}, day)
    (more,) = [text for text in texts(figure) if "more rows" in text]
    rows = [text for text in texts(figure) if text.startswith("2023-01-02 ") and "to" not in text]
    assert more == f"+ {100 - len(rows)} more rows"
    assert figure.layout.height < 1200


def test_facts_without_a_row_say_no_data(make_facts: Maker, day: TimeRange) -> None:
    """Under their name."""
    assert {"<b>fit</b>", "no data"} <= set(texts(drawn({"f": make_facts(r=(0.5,)).clip(_before(day))}, day)))


def _before(day: TimeRange) -> TimeRange:
    return TimeRange(day.start - (day.stop - day.start), day.start)


def test_a_fact_that_is_not_there_is_refused_with_those_there_are(make_facts: Maker, day: TimeRange) -> None:
    """At the component of its trace."""
    with pytest.raises(FigureError, match="has no fact 'lag'") as caught:
        drawn({"f": make_facts(slope=(1.0,), r=(0.5,))}, day, {"data": "f", "component": "lag"})
    assert caught.value.where == "figure.panels[0].traces[0].component"
    assert caught.value.hint == "It has: slope, r."


def test_facts_stand_beside_a_series_only_as_points_over_time(make_facts: Maker, make_series: Maker, day: TimeRange) -> None:
    """Refused without a word of how; with it, a dot at the start of each interval."""
    tables = {"b": make_series([1, 2]), "f": make_facts(slope=(1.0, "nT"))}
    with pytest.raises(FigureError, match="f holds facts, and b is over time") as caught:
        drawn(tables, day)
    assert "`draw: points`" in caught.value.hint
    assert drawn(tables, day, "b", {"data": "f", "draw": "points"}).data[-1].mode == "markers"
