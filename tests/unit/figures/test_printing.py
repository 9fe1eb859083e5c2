"""Figures on paper: sizes, letters, footers, colours, and what the files say of themselves."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from datetime import UTC, datetime
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import plotly.graph_objects as go
import pytest
import typer
from fastapi import FastAPI
from hypothesis import example, given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from helio_dagster.cli.figure import figure as figure_command
from helio_dagster.domain.errors import FigureError, InputError
from helio_dagster.domain.figure import Figure
from helio_dagster.domain.print_options import PrintOptions
from helio_dagster.domain.printing import Printing
from helio_dagster.domain.table import ColumnMeta, Table, TableMeta
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.figures import look
from helio_dagster.figures.drawing import draw
from helio_dagster.figures.origin import DatasetOrigin, FigureOrigin, read_origin, versions_of, without_texts
from helio_dagster.figures.printing.inks import Ink
from helio_dagster.figures.printing.paper import sheet_of
from helio_dagster.figures.printing.picture import Format, picture
from helio_dagster.figures.printing.time_ticks import time_ticks
from helio_dagster.figures.sheet import Sheet
from helio_dagster.figures.ticks import linear_ticks
from helio_dagster.serve.http.figure_routes import figure_routes
from tests.integration.figures.storm_figure import storm_figure
from tests.tiers import example_count

if TYPE_CHECKING:
    from helio_dagster.serve.looking import Looking

ORIGIN = FigureOrigin(
    made_by="helio_dagster 1.2.3",
    pipeline="storm",
    pipeline_sha="0123456789abcdef",
    step="overview",
    start="2003-10-29T00:00:00",
    stop="2003-10-30T00:00:00",
    datasets=[DatasetOrigin(archive="cdaweb", dataset="AC_H0_MFI", versions=["v07"], doi="10.48322/e0dc-0h53")],
    pipeline_file="version: 1\nname: storm\ntitle: 'Sturm (Ä\\(ö) → <&>'\n",
)


DAY = TimeRange(datetime(2023, 1, 2, tzinfo=UTC), datetime(2023, 1, 3, tzinfo=UTC))


def texts(figure: go.Figure) -> list[str]:
    """All texts around the panels."""
    return [note.text for note in figure.layout.annotations]


@pytest.mark.parametrize(
    ("written", "mm"), [("85 mm", 85.0), ("85mm", 85.0), ("8.5cm", 85.0), ("3.5 in", 88.9), ("720pt", 254.0)]
)
def test_a_length_is_read_with_its_unit(written: str, mm: float) -> None:
    """Millimetres, whatever it was written in."""
    assert Printing.model_validate({"width": written}).width == pytest.approx(mm)


@pytest.mark.parametrize(
    "given",
    [
        {"width": "85"},
        {"width": "wide"},
        {"height": "column"},
        {"height": "2 mm"},
        {"height": "2000 mm"},
        {"width": "9000 mm"},
        {"font": "big"},
        {"style": "nature"},
        {"dpi": 5},
    ],
)
def test_what_is_no_size_is_refused(given: dict[str, Any]) -> None:
    """A bare number could be anything."""
    with pytest.raises(ValidationError):
        Printing.model_validate(given)


def test_what_is_written_reads_back() -> None:
    """A pipeline file keeps lengths in words."""
    printing = Printing.model_validate({"width": "column", "height": "3.5 in", "font": "8 pt", "style": "agu", "letters": True})
    written = printing.model_dump(mode="json", exclude_defaults=True)
    assert written["height"] == "88.9 mm"
    assert Printing.model_validate(written) == printing


def test_callers_have_the_keys_of_the_file() -> None:
    """What a pipeline's `print:` takes, each option has by the same name: in Python, of the command, and over HTTP."""
    keys = set(Printing.model_fields)
    assert set(PrintOptions.__annotations__) == keys
    command = typer.Typer()
    command.command()(figure_command)
    params = {each.name for each in typer.main.get_command(command).params}
    assert keys == params - {"name", "times", "form", "output", "as_json", "on", "install_completion", "show_completion"}
    app = FastAPI()
    app.include_router(figure_routes(cast("Looking", None)))
    asked = app.openapi()["paths"]["/pipelines/{name}/figure"]["get"]["parameters"]
    assert keys == {each["name"] for each in asked} - {"name", "start", "stop", "step", "form"}


@pytest.mark.parametrize(("style", "column", "page"), [("agu", 95, 190), ("aas", 85, 180), ("springer", 84, 174)])
def test_a_column_is_that_of_the_journal(style: str, column: float, page: float) -> None:
    """And the page that of its page; a pixel of the layout is so many points of 1/72 inch."""
    for width, mm in (("column", column), ("page", page)):
        sheet, how = sheet_of(Printing.model_validate({"style": style, "width": width}))
        assert sheet.width_px * how.points_per_px == pytest.approx(mm / 25.4 * 72, abs=0.2)


@pytest.mark.slow
def test_a_file_is_as_wide_as_its_sheet() -> None:
    """An SVG of a column of a journal, whose width is in points."""
    sheet, how = sheet_of(Printing.model_validate({"style": "aas", "width": "column"}))
    root = ET.fromstring(picture(storm_figure(sheet), "svg", how))  # noqa: S314 - our own file
    assert float(root.attrib["width"].removesuffix("pt")) == pytest.approx(85 / 25.4 * 72, abs=0.2)


@pytest.mark.slow
@settings(max_examples=example_count(30))  # a drawing each
@example(height=140.0, width=89.0)
@given(height=st.floats(140, 400), width=st.floats(85, 190))
def test_a_height_is_kept(height: float, width: float) -> None:
    """The panels take what title, axes and footer leave."""
    sheet, how = sheet_of(Printing.model_validate({"width": f"{width} mm", "height": f"{height} mm"}))
    drawn = storm_figure(sheet)
    assert drawn.layout.height * how.points_per_px / 72 * 25.4 == pytest.approx(height, abs=0.5)


def test_no_room_is_said_before_anything_is_drawn() -> None:
    """Too narrow for the font, or too low for the panels."""
    with pytest.raises(InputError, match="20 mm wide has no room"):
        sheet_of(Printing.model_validate({"width": "20 mm"}))
    sheet, _ = sheet_of(Printing.model_validate({"height": "40 mm"}))
    with pytest.raises(FigureError, match="no room for the panels"):
        storm_figure(sheet)


def test_panels_are_lettered_from_the_top() -> None:
    """Those that have axes; a table of facts is none."""
    letters = [text for text in texts(storm_figure(Sheet(has_letters=True))) if re.fullmatch(r"<b>\(\w\)</b>", text)]
    assert letters == ["<b>(a)</b>", "<b>(b)</b>", "<b>(c)</b>", "<b>(d)</b>"]


@pytest.mark.parametrize(
    ("shown", "corner"),
    [
        ([0.0] * 95 + [1.0, 1.0] + [0.0] * 3, ("left", "top")),
        ([1.0] * 5 + [0.0] * 95, ("right", "top")),
        ([1.0, 1.0] + [0.5] * 47 + [0.0, 0.0] + [0.5] * 47 + [1.0, 1.0], ("left", "bottom")),
        ([0.0, 1.0] * 5 + [0.5] * 80 + [1.0] * 10, ("right", "bottom")),
        ([1.0] + [np.nan] * 98 + [0.0], ("right", "top")),
    ],
)
def test_a_letter_is_where_there_are_no_data(shown: list[float], corner: tuple[str, str]) -> None:
    """In the first free corner, from the upper left one on."""
    start = np.datetime64("2023-01-02T00:00", "ns")
    time = start + np.arange(100) * np.timedelta64(864, "s")
    meta = TableMeta(kind="series", columns=(ColumnMeta(name="b"),), unit="nT")
    figure = Figure.model_validate({"panels": [{"traces": [{"data": "b"}]}]})
    drawn = draw(figure, {"b": Table(time, {"b": np.array(shown)}, meta)}, DAY, title="t", sheet=Sheet(has_letters=True))
    (letter,) = [note for note in drawn.layout.annotations if note.name == "letter"]
    assert (letter.xanchor, letter.yanchor) == corner


def test_a_title_that_is_left_out_takes_no_room() -> None:
    """Nor does the range; the events' names stay."""
    with_title, without = storm_figure(), storm_figure(Sheet(has_title=False))
    assert "<b>Storm with all kinds of panels</b>" in texts(with_title)
    assert any(" to 2023-01-03" in text for text in texts(with_title))
    assert not any("Storm with" in text or " to 2023-01-03" in text for text in texts(without))
    assert {"shock", "cloud"} <= set(texts(without))
    assert without.layout.height < with_title.layout.height - 30


def test_a_footer_is_broken_to_the_width() -> None:
    """Below everything, each line inside the sheet."""
    sheet = Sheet(width_px=400, footer=ORIGIN.footer())
    drawn = storm_figure(sheet)
    (footer,) = [text for text in texts(drawn) if "AC_H0_MFI" in text]
    assert footer.count("<br>") >= 2
    assert "doi:10.48322/e0dc-0h53" in footer.replace("<br>", " ")
    assert drawn.layout.margin.b > storm_figure(Sheet(width_px=400)).layout.margin.b + 30


@pytest.mark.parametrize("color", ["black", "#000000", look.INK, look.BLUE, "firebrick", look.SLATE, "rgba(0, 0, 0, 1)"])
def test_lines_stand_out_on_dark_paper(color: str) -> None:
    """A contrast of three at least, by the definition of WCAG 2."""
    _, how = sheet_of(Printing(style="dark"))
    ink = Ink(how.instead)

    def luminance(given: tuple[float, ...]) -> float:
        linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in given[:3]]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    assert (luminance(ink(color)) + 0.05) / (luminance(ink("white")) + 0.05) >= 3


@cache
def storm() -> go.Figure:
    """The figure on its usual sheet; not to be changed."""
    return storm_figure()


@pytest.mark.parametrize("form", ["svg", *(pytest.param(each, marks=pytest.mark.slow) for each in ("pdf", "png"))])
def test_a_file_says_how_it_was_made(form: Format, tmp_path: Path) -> None:
    """All of it, with quotes, brackets and letters of other languages, in every format."""
    _, how = sheet_of(Printing())
    path = tmp_path / f"figure.{form}"
    path.write_bytes(picture(storm(), form, how.saying(ORIGIN.entries(form, "Bx (nT) → ± Ä"))))
    assert read_origin(path) == ORIGIN


def test_a_png_is_the_same_picture_without_its_words() -> None:
    """What differs is only what it says; what was added behind its end stays."""
    _, how = sheet_of(Printing(dpi=100))
    one, other = (picture(storm(), "png", how.saying(ORIGIN.entries("png", title))) for title in ("one", "other"))
    assert one != other
    assert without_texts(one) == without_texts(other)
    assert without_texts(one + b"mine") != without_texts(other)


@pytest.mark.parametrize(
    "content",
    [b"", b"\x89PNG\r\n\x1a\n", b"%PDF-1.4 /Keywords ({)", b"<svg><dc:description>{}</dc:description></svg>", b"text"],
)
def test_a_file_that_says_nothing_is_refused(content: bytes, tmp_path: Path) -> None:
    """Also one that is damaged, or says something else."""
    path = tmp_path / "figure.png"
    path.write_bytes(content)
    with pytest.raises(InputError, match="does not say how it was made"):
        read_origin(path)


@pytest.mark.parametrize("changed", [{"pipeline": "x; rm -rf ~"}, {"step": "../up"}, {"start": "$(date)"}])
def test_a_file_that_names_no_pipeline_is_refused(changed: dict[str, str], tmp_path: Path) -> None:
    """What a stranger's file says becomes no part of a command that is printed."""
    _, how = sheet_of(Printing(dpi=100))
    path = tmp_path / "figure.png"
    origin = ORIGIN.model_copy(update=changed)
    path.write_bytes(picture(storm(), "png", how.saying(origin.entries("png", ""))))
    with pytest.raises(InputError):
        read_origin(path)


def test_versions_come_from_names() -> None:
    """In order, each once."""
    names = ["ac_h0_mfi_20230102_v07.cdf", "ac_h0_mfi_20230103_v07.cdf", "mms1_x_20161209090054_v5.87.0.cdf", "other.txt"]
    assert versions_of(names) == ["v07", "v5.87.0"]


@given(low=st.floats(-1e6, 1e6), length=st.floats(1e-3, 1e6), most=st.integers(2, 12))
def test_linear_ticks_are_two_at_least_and_not_many(low: float, length: float, most: int) -> None:
    """At round numbers inside the range, with labels of one form."""
    ticks = linear_ticks(low, low + length, most=most)
    assert 2 <= len(ticks.values) <= max(most, 5)
    assert all(low - 1e-6 * length <= value <= low + length * (1 + 1e-6) for value in ticks.values)
    powers = {"×" in label for label in ticks.labels if label != "0"}
    assert len(powers) == 1


@given(start=st.floats(0, 2e12), length=st.floats(5, 3e12), most=st.integers(2, 12))
def test_time_ticks_are_inside_and_not_many(start: float, length: float, most: int) -> None:
    """From milliseconds to a century; the date is said once where it does not change."""
    ticks = time_ticks(start, start + length, most=most)
    assert len(ticks.values) <= (1.5 * most if length > most * 86.4e6 else most) + 2, "labels of days are narrower"
    assert all(start - 1 <= value <= start + length + 1 for value in ticks.values)
    assert list(ticks.values) == sorted(set(ticks.values))
    second = [label.partition("\n")[2] for label in ticks.labels]
    assert all(one != other for one, other in pairwise(second) if one and other)


def test_time_ticks_of_a_day_and_of_years() -> None:
    """Hours with the date below the first, then months and years."""
    day = time_ticks(1_672_617_600_000, 1_672_704_000_000, most=8)
    assert day.labels == (
        "00:00\n2023-01-02",
        "03:00",
        "06:00",
        "09:00",
        "12:00",
        "15:00",
        "18:00",
        "21:00",
        "00:00\n2023-01-03",
    )
    years = time_ticks(946_684_800_000, 1_262_304_000_000, most=6)
    assert years.labels == ("2000", "2002", "2004", "2006", "2008", "2010")
