"""Pipeline files: the text and what it says."""

from __future__ import annotations

import re
from datetime import datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from helio_dagster.domain.errors import InputError, PipelineError
from helio_dagster.domain.fine_duration import duration_from_ns
from helio_dagster.domain.pipeline import Pipeline
from helio_dagster.domain.pipeline_text import (
    dump_pipeline,
    parse_pipeline,
    pipeline_schema,
    pipeline_sha,
    pipeline_to_document,
)
from tests.tiers import example_count

EXAMPLE = """\
version: 1
name: storm
title: "|B| at ACE"            # a comment
partitions: daily
start: 1997-09-02
steps:
  - id: b_gse
    intent: Fetch the field
    fetch: {archive: cdaweb, dataset: AC_H0_MFI, parameter: BGSEc}
  - id: b_mag
    compute: {operation: magnitude, inputs: {vector: b_gse}}

  # the fluctuation
  - id: b_rms
    compute:
      inputs: {b: b_mag}
      lookback: PT5M
      unit: nT
      code: |
        d = b["b_mag"]
        return d
  - id: onsets
    table: {csv: "onset,name\\n2003-10-29T06:11Z,Halloween", source: a paper}
  - id: overview
    critical: false
    figure:
      panels:
        - traces: [{data: b_gse}]
        - traces: [{data: b_mag, color: black}]
          y: {title: "|B|", range: [0, 60]}
      events: onsets
"""

names = st.from_regex(r"[a-z][a-z0-9_]{0,8}", fullmatch=True)
words = st.text(st.characters(codec="utf-8", exclude_categories=["Cc"]), max_size=30)
durations = st.integers(0, 400 * 86_400 * 10**9).map(duration_from_ns)


def problems_of(text: str, file: str = "storm.yaml") -> list[str]:
    """The faults of a text, as `line: path: problem / hint`."""
    with pytest.raises(PipelineError) as caught:
        parse_pipeline(text, file=file)
    return [f"{problem.line}: {problem.path}: {problem.problem} / {problem.hint}" for problem in caught.value.problems]


@st.composite
def pipelines(draw: st.DrawFn) -> Pipeline:
    """A pipeline with texts, durations and numbers of every kind."""
    compute = draw(
        st.fixed_dictionaries({"operation": names, "inputs": st.dictionaries(names, names, min_size=1, max_size=2)})
        | st.fixed_dictionaries(
            {
                "code": words.map(lambda word: f"x = 1\n# {word}\nreturn x\n"),
                "inputs": st.just({"b": "first"}),
                "lookback": durations,
            }
        )
    )
    panel = {"traces": [{"data": "second", "label": draw(words)}], "height": draw(st.floats(0.1, 10))}
    steps = [
        {"id": "first", "intent": draw(words), "fetch": {"archive": "demo", "dataset": "AC_H0_MFI", "parameter": draw(names)}},
        {"id": "second", "compute": compute, "critical": draw(st.booleans())},
        {"id": "third", "table": {"csv": f"time,name\n2003-01-01,{draw(words)}", "source": draw(words)}},
        {"id": "fourth", "figure": {"panels": [panel], "events": "third"}},
    ]
    return Pipeline.model_validate(
        {
            "version": 1,
            "name": draw(names),
            "title": draw(words),
            "start": draw(st.none() | st.datetimes(datetime(1990, 1, 1), datetime(2199, 1, 1))),
            "lag": draw(st.none() | durations),
            "assumptions": draw(st.lists(words, max_size=3)),
            "steps": steps,
        }
    )


@settings(max_examples=example_count(40), deadline=None)
@given(pipelines())
def test_a_written_pipeline_reads_back_equal(pipeline: Pipeline) -> None:
    """Writing and reading a pipeline loses nothing."""
    assert parse_pipeline(dump_pipeline(pipeline), file="-").pipeline == pipeline


def test_an_untouched_file_keeps_its_bytes() -> None:
    """Reading a file and writing it again changes nothing."""
    assert parse_pipeline(EXAMPLE, file="storm.yaml").text == EXAMPLE


def test_one_edited_value_is_one_line_of_difference() -> None:
    """An edit through the document leaves comments and layout alone."""
    edited = parse_pipeline(EXAMPLE, file="storm.yaml").with_value("steps[4].figure.panels[1].traces[0].color", "red")
    assert edited.text == EXAMPLE.replace("color: black", "color: red")
    figure = edited.pipeline.step("overview").figure
    assert figure is not None
    assert figure.panels[1].traces[0].color == "red"


def test_an_edit_that_breaks_the_pipeline_is_refused() -> None:
    """A file never holds an invalid pipeline after an edit."""
    with pytest.raises(PipelineError, match="PT10M"):
        parse_pipeline(EXAMPLE, file="storm.yaml").with_value("steps[2].compute.lookback", "five minutes")


def test_a_new_file_is_in_the_house_style() -> None:
    """Small mappings stand on one line; code and csv stand as lines."""
    text = dump_pipeline(parse_pipeline(EXAMPLE, file="storm.yaml").pipeline)
    assert "    fetch: {archive: cdaweb, dataset: AC_H0_MFI, parameter: BGSEc}\n" in text
    assert '      code: |\n        d = b["b_mag"]\n        return d\n' in text
    assert "      csv: |-\n        onset,name\n" in text
    assert '          y: {title: "|B|", range: [0, 60]}\n' in text


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("version: 1", "version: 2", "1: version: version 2"),
        ("partitions: daily", "partitions: dayly", "4: partitions: 'dayly' is not allowed here / Did you mean daily?"),
        ("start: 1997-09-02", "start: 1997-02-30", "5: start: '1997-02-30' is not an ISO date"),
        ("parameter: BGSEc", "paramter: BGSEc", "9: steps[0].fetch.paramter: unknown key 'paramter' / Did you mean parameter?"),
        ("operation: magnitude", "operation: Magnitude!", "11: steps[1].compute.operation: 'Magnitude!' names no operation"),
        ("inputs: {b: b_mag}", "inputs: [b_mag]", "16: steps[2].compute.inputs: this is a list, but should be a mapping"),
        ("lookback: PT5M", "lookback: P99999999999D", "17: steps[2].compute.lookback: the duration P99999999999D is too long"),
        ("critical: false", "critical: perhaps", "25: steps[4].critical: 'perhaps' is text, but should be true or false"),
        ("[0, 60]", "[0]", "30: steps[4].figure.panels[1].y.range[1]: item 2 of the list is missing"),
        ("[{data: b_gse}]", "[]", "28: steps[4].figure.panels[0].traces: at least 1 must be given"),
        ("    intent: Fetch the field\n", "    table: {csv: a, source: b}\n", "7: steps[0]: give exactly one of fetch"),
        ("[{data: b_gse}]", "[b_gse]", "28: steps[4].figure.panels[0].traces[0]: 'b_gse' is text, but should be a mapping"),
        ("title: \"|B| at ACE\"", "title: 12", "3: title: '12' is a number, but should be text / Put it in quotes."),
        ("name: storm", "name: ../storm", "2: name: '../storm' is not a name"),
        ("dataset: AC_H0_MFI", "dataset: ../AC", "9: steps[0].fetch.dataset: '../AC' is not a dataset id"),
    ],
)  # fmt: skip
def test_each_fault_has_line_path_problem_and_remedy(old: str, new: str, expected: str) -> None:
    """A fault names its line and path in the file, what is wrong, and what to do."""
    found = problems_of(EXAMPLE.replace(old, new, 1))
    assert any(problem.startswith(expected.replace("version 2", "2 is not allowed")) for problem in found), found


def test_every_fault_is_reported_at_once() -> None:
    """One check finds all faults, in file order."""
    found = problems_of(
        EXAMPLE.replace("daily", "dayly").replace("critical: false", "critcal: false").replace("intent", "intnt")
    )
    assert [int(problem.split(":")[0]) for problem in found] == [4, 8, 25]


def test_no_message_speaks_of_the_validator() -> None:
    """People see plain words: no addresses, no type names of the validating library."""
    broken = re.sub(r": (?=\S)", ": [x] #", EXAMPLE).replace("steps: [x]", "steps:")
    for problem in [*problems_of(broken), *problems_of("version: 1\nname: storm\nsteps: 3\nlag: 3\nrecheck: -1\n")]:
        assert "Input should" not in problem
        assert "http" not in problem


@pytest.mark.parametrize(
    ("text", "words"), [("", "empty"), ("# only a comment", "empty"), ("- a", "mapping"), ("x", "mapping")]
)
def test_what_is_no_mapping_says_how_to_begin(text: str, words: str) -> None:
    """An empty file and one that holds something else are told apart from faults inside a pipeline."""
    found = problems_of(text)
    assert words in found[0]
    assert "version: 1" in found[0]


def test_a_pipeline_has_the_name_of_its_file() -> None:
    """A file that was copied and not renamed inside is found."""
    assert problems_of(EXAMPLE, file="pipelines/other.yaml") == [
        "2: name: the pipeline 'storm' stands in 'other.yaml' / Write name: other, or rename the file to storm.yaml."
    ]


def test_the_hash_covers_meaning_not_layout() -> None:
    """Comments, spelled-out defaults and the approval do not change the hash; an option does."""
    pipeline = parse_pipeline(EXAMPLE, file="storm.yaml").pipeline
    same = EXAMPLE.replace("            # a comment", "") + "recheck: null\napproved: {by: me, at: 2026-01-01, sha: x}\n"
    assert pipeline_sha(parse_pipeline(same, file="storm.yaml").pipeline) == pipeline_sha(pipeline)
    other = parse_pipeline(EXAMPLE.replace("PT5M", "PT6M"), file="storm.yaml").pipeline
    assert pipeline_sha(other) != pipeline_sha(pipeline)


def test_the_schema_accepts_what_we_read() -> None:
    """Editors that use the JSON schema agree with the check, and describe the keys."""
    schema = pipeline_schema()
    validator = Draft202012Validator(schema)
    assert list(validator.iter_errors(pipeline_to_document(parse_pipeline(EXAMPLE, file="storm.yaml").pipeline))) == []
    assert not validator.is_valid({"version": 1, "name": "x", "steps": [], "colour": "red"})
    assert "earliest" in schema["properties"]["start"]["description"]


LAID_OUT = """\
version: 1        # the first
name: one         # its name
approved: {by: me, at: 2026-01-01, sha: x}
steps:
  - id: b         # the field
    fetch: {archive: demo, dataset: AC_H0_MFI, parameter: BGSEc}
  - {id: c, compute: {operation: magnitude, inputs: {vector: one/b}}}   # by its full name
  - id: d
    compute:
      operation: difference
      inputs:
        a: two/x  # of another one
        b: c
"""


def _differing(old: str, new: str) -> list[tuple[str, str]]:
    return [pair for pair in zip(old.splitlines(), new.splitlines(), strict=True) if pair[0] != pair[1]]


def test_a_renamed_pipeline_differs_in_its_name_and_own_references() -> None:
    """Comments, quoting and layout of all other lines stay."""
    renamed = parse_pipeline(LAID_OUT, file="one.yaml").renamed("uno", file="uno.yaml")
    assert renamed.pipeline.name == "uno"
    assert _differing(LAID_OUT, renamed.text) == [
        ("name: one         # its name", "name: uno         # its name"),
        (
            "  - {id: c, compute: {operation: magnitude, inputs: {vector: one/b}}}   # by its full name",
            "  - {id: c, compute: {operation: magnitude, inputs: {vector: uno/b}}}   # by its full name",
        ),
    ]


def test_an_approval_that_fitted_fits_after_a_rename() -> None:
    """By whom and when stays; of a pipeline that was changed since it stays as it is."""
    sha = pipeline_sha(parse_pipeline(LAID_OUT, file="one.yaml").pipeline)
    fitting = parse_pipeline(LAID_OUT.replace("sha: x", f"sha: {sha}"), file="one.yaml")
    renamed = fitting.renamed("uno", file="uno.yaml")
    assert fitting.is_as_approved
    assert renamed.is_as_approved
    assert fitting.retargeted("two", "zwei").is_as_approved
    assert renamed.pipeline.approved is not None
    assert renamed.pipeline.approved.by == "me"
    assert not parse_pipeline(LAID_OUT, file="one.yaml").renamed("uno", file="uno.yaml").is_as_approved


def test_references_follow_a_renamed_pipeline() -> None:
    """Only those to that pipeline."""
    file = parse_pipeline(LAID_OUT, file="one.yaml")
    assert file.references_to("two") == [("steps[2].compute.inputs.a", "two/x")]
    assert _differing(LAID_OUT, file.retargeted("two", "zwei").text) == [
        ("        a: two/x  # of another one", "        a: zwei/x  # of another one")
    ]
    assert file.retargeted("three", "drei") is file


@pytest.mark.parametrize(
    "approval",
    [
        "approved: {by: me, at: 2026-01-01, sha: x}   # said so\n",
        "approved:\n  by: me\n  at: 2026-01-01\n  sha: |\n    x\n",
        'approved:\n  {by: me,\n   at: 2026-01-01, sha: "x"}\n',
    ],
)
@pytest.mark.parametrize("is_last", [True, False])
def test_an_approval_is_removed_with_its_lines(approval: str, *, is_last: bool) -> None:
    """However it is laid out; every other line stays."""
    head, steps = "version: 1\nname: x\n", "steps:\n  - {id: t, table: {csv: 'time\\n2001-01-01', source: me}}\n"
    text = head + steps + approval if is_last else head + approval + steps
    assert parse_pipeline(text, file="x").without_approval().text == head + steps


def test_an_approval_inside_brackets_is_cut_out() -> None:
    """In a file that is one flow mapping it goes with its comma."""
    text = "{version: 1, name: x, %ssteps: [{id: t, table: {csv: 'time', source: me}}]}"
    file = parse_pipeline(text % "approved: {by: me, at: 2026-01-01, sha: x}, ", file="x")
    assert file.without_approval().text == text % ""


def test_an_approval_that_cannot_be_removed_safely_is_refused() -> None:
    """A key with a question mark before it is not cut out by guessing."""
    steps = "steps:\n  - {id: t, table: {csv: 'time\\n2001-01-01', source: me}}\n"
    text = f"version: 1\nname: x\n? approved\n: {{by: me, at: 2026-01-01, sha: x}}\n{steps}"
    file = parse_pipeline(text, file="x")
    with pytest.raises(InputError, match="cannot be removed"):
        file.without_approval()


def test_text_where_keys_belong_is_told_the_keys() -> None:
    """Those that are needed are shown as they are written, the others listed."""
    found = problems_of(EXAMPLE.replace("[{data: b_gse}]", "[b_gse]", 1))
    assert any("Write {data: ...}; further keys: component, " in problem for problem in found), found
