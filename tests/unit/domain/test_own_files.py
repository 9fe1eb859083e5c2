"""Descriptions of files of one's own in a pipeline: read, written again, refused."""

from __future__ import annotations

import jsonschema
import pytest

from helio_dagster.domain.errors import PipelineError
from helio_dagster.domain.own_files import TextLayout
from helio_dagster.domain.pipeline import Fetch
from helio_dagster.domain.pipeline_text import dump_pipeline, parse_pipeline, pipeline_schema, pipeline_to_document

PIPELINE = """version: 1
name: ground
start: 2024-01-01
steps:
  - id: h
    fetch: {fetch}
"""
GOOD = "{file: g.csv, time: {columns: [t]}, columns: {H: {unit: nT, fill: [99999.9]}}}"


def _parsed(fetch: str) -> Fetch:
    found = parse_pipeline(PIPELINE.replace("{fetch}", fetch), file="ground.yaml").pipeline.steps[0].fetch
    assert found is not None
    return found


def test_it_is_written_as_it_was_given() -> None:
    """Names that follow from the description do not stand in the file; the schema allows it."""
    pipeline = parse_pipeline(PIPELINE.replace("{fetch}", GOOD), file="ground.yaml").pipeline
    text = dump_pipeline(pipeline)
    assert GOOD in text
    assert parse_pipeline(text, file="ground.yaml").pipeline == pipeline
    jsonschema.validate(pipeline_to_document(pipeline), pipeline_schema())


@pytest.mark.parametrize(
    ("bins", "problem"),
    [
        ("{values: [1, 2, 3]}", "bins has 3 values for 2 columns"),
        ("{values: [2, 2]}", "bins are not in order"),
        ("{values: [0, 2], scale: log}", "no place for bins at or below zero"),
    ],
)
def test_bins_that_cannot_be(bins: str, problem: str) -> None:
    """Each with what to do."""
    fetch = GOOD.replace("{H: {unit: nT, fill: [99999.9]}}", "{H: {unit: nT}, D: {unit: nT}}")
    with pytest.raises(PipelineError, match=problem):
        _parsed(fetch.replace("file: g.csv,", f"file: g.csv, bins: {bins},"))
    assert (
        _parsed(fetch.replace("file: g.csv,", "file: g.csv, bins: {values: [1, 2], unit: keV},")).table_meta.kind
        == "spectrogram"
    )
    with pytest.raises(PipelineError, match="have one unit"):
        _parsed(
            GOOD.replace("{H: {unit: nT,", "{D: {unit: deg}, H: {unit: nT,").replace(
                "file: g.csv,", "file: g.csv, bins: {values: [1, 2]},"
            )
        )


def test_a_layout_says_what_is_given_alone() -> None:
    """A key that was added later is in no digest of a description without it, so no table becomes stale by it."""
    assert set(TextLayout().model_dump()) == {"delimiter", "decimal", "comment", "skip", "names", "widths", "encoding"}
    with pytest.raises(PipelineError, match="both the decimal sign and the mark between thousands"):
        _parsed(GOOD.replace("file: g.csv,", "file: g.csv, text: {decimal: ',', thousands: ','},"))


def test_another_description_is_another_dataset() -> None:
    """Two pipelines that read one file differently do not share an asset; the same description does."""
    one, other = _parsed(GOOD), _parsed(GOOD.replace("99999.9", "0"))
    assert (one.archive, one.parameter, one.dataset == _parsed(GOOD).dataset) == ("own", "H", True)
    assert one.dataset != other.dataset


def test_an_archives_fetch_says_what_it_said() -> None:
    """Its document, and with it the version of its code, is as before."""
    fetch = Fetch(archive="cdaweb", dataset="AC_H0_MFI", parameter="BGSEc")
    assert fetch.model_dump() == {"archive": "cdaweb", "dataset": "AC_H0_MFI", "parameter": "BGSEc"}


@pytest.mark.parametrize(
    ("fetch", "problem"),
    [
        ("{file: g.csv, time: {columns: [t]}}", "the key 'columns' is missing"),
        ("{file: g.csv, columns: {H: {}}}", "the key 'time' is missing"),
        ("{file: g.csv, archive: demo, time: {columns: [t]}, columns: {H: {}}}", "a file or an archive, not both"),
        ("{archive: demo, dataset: X, parameter: Y, frame: GSE}", "frame belongs to an ephemeris, or to a file of your own"),
        ("{file: ../g.csv, time: {columns: [t]}, columns: {H: {}}}", "may not climb up"),
        ("{file: g.csv, time: {columns: [t], format: '%d.%m.%y'}, columns: {H: {}}}", "two digits"),
        ("{file: g.csv, time: {columns: [t], format: seconds}, columns: {H: {}}}", "is not a format of times"),
        ("{file: g.csv, time: {columns: [t]}, columns: {H: {units: nT}}}", "unknown key 'units'"),
        ("{archive: demo, dataset: X}", "the key 'parameter' is missing"),
    ],
)
def test_what_is_refused(fetch: str, problem: str) -> None:
    """With the place in the file."""
    with pytest.raises(PipelineError, match=problem) as caught:
        _parsed(fetch)
    assert "steps[0].fetch" in str(caught.value)
