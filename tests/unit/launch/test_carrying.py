"""The cells of notebooks and scripts say exactly what was given to them."""

from __future__ import annotations

import ast

from hypothesis import given
from hypothesis import strategies as st

from helio_dagster.domain.report import RunReport, StepReport
from helio_dagster.launch.carrying.cells import Cell, _literal, _plain
from helio_dagster.launch.carrying.script import script

TEXTS = st.text().map(lambda text: text.replace("\x00", ""))  # which no YAML file holds


@given(TEXTS)
def test_a_text_in_code_is_read_as_itself(text: str) -> None:
    """Whatever quotes and backslashes are in it."""
    assert ast.literal_eval(_literal(text)) == text
    assert ast.literal_eval(_literal(f"{text}\n")) == f"{text}\n"


@given(TEXTS)
def test_a_text_beside_code_stays_a_comment(text: str) -> None:
    """No line of a title becomes code."""
    made = script([Cell("text", f"# {_plain(text)}"), Cell("code", "x = 1")]).decode()
    assert [ast.unparse(each) for each in ast.parse(made).body] == ["x = 1"]


def test_a_report_shows_no_markup_of_others() -> None:
    """An error that quotes an archive's page is text."""
    step = StepReport(asset="a/b", failed=1)
    report = RunReport(
        pipeline="p",
        start="2003-10-29",
        stop="2003-10-30",
        status="failed",
        run_id=None,
        seconds=1,
        partitions=[],
        steps={"<script>": step},
        failures=[],
        figures=[],
    )
    assert "<script>" not in report._repr_html_()
    assert "&lt;script&gt;" in report._repr_html_()
    assert "<script>: 1 failed" in str(report)
