"""The file of a saved operation: what is wrong is said with its line; what counts for a result is told from what does not."""

from __future__ import annotations

from datetime import timedelta

import pytest

from helio_dagster.compute.code_operation import CodeOperation
from helio_dagster.compute.operation_file import OperationFile, dump_operation, parse_operation
from helio_dagster.domain.errors import ComputeError, InputError, OperationFileError
from helio_dagster.domain.table import ColumnMeta, TableMeta

TEXT = """\
id: field_rms
version: 2
summary: Root mean square about a running mean.
when: Short fluctuations are wanted.
inputs:
  field: {meaning: the field, kinds: [series, vector], unit: nT}
options:
  window: {meaning: length of the window, type: duration, default: PT10M}
  power: {meaning: exponent, type: integer, default: 2, minimum: 1, maximum: 4}
  mode: {meaning: how, type: text, choices: [fast, slow]}
output: {meaning: A series., unit: nT^2}
lookback: window/2
lookahead: PT5S
reference: A paper.
examples:
  - inputs:
      field: {columns: {b: [1, 2]}, unit: nT}
    options: {mode: fast}
    expected: {result: [1, 4]}
    unit: nT^2
    source: squares
code: |
  # squares
  return field.iloc[:, 0] ** power
"""


def parse(*replaced: tuple[str, str]) -> OperationFile:
    """The operation with parts of its text replaced."""
    text = TEXT
    for old, new in replaced:
        assert old in text
        text = text.replace(old, new)
    return parse_operation(text, file="field_rms@2.yaml")


def test_what_is_written_is_what_is_read() -> None:
    """Writing and reading again loses nothing, and writing that gives the same text."""
    operation = parse()
    text = dump_operation(operation)
    assert parse_operation(text, file="x") == operation
    assert dump_operation(parse_operation(text, file="x")) == text
    assert text.rstrip().endswith("return field.iloc[:, 0] ** power")


@pytest.mark.parametrize(
    ("old", "new", "line", "words"),
    [
        ("id: field_rms", "id: Field RMS", 1, "is not a name"),
        ("version: 2", "version: 0", 2, "version"),
        ("summary: Root mean square about a running mean.", "summary: ' '", 3, "a few words are needed"),
        ("kinds: [series, vector]", "kinds: [scalar]", 6, "series"),
        ("lookback: window/2", "lookback: windows/2", 1, "names no option that is a duration"),
        ("lookback: window/2", "lookback: power", 1, "names no option that is a duration"),
        ("lookback: window/2", "lookback: window/0", 1, "is not a length"),
        ("lookahead: PT5S", "lookahead: five", 1, "duration"),
        ("default: PT10M", "default: ten", 1, "duration"),
        ("  power: {", "  field: {", 1, "is an input and an option"),
        ("reference: A paper.", "refrence: A paper.", 14, "reference"),
        ("examples:\n", "examples: []\nother:\n", 15, "examples"),
    ],
)
def test_faults_are_told_with_their_line(old: str, new: str, line: int, words: str) -> None:
    """Each names the file, a line and what to do."""
    with pytest.raises(OperationFileError) as raised:
        parse((old, new))
    found = [problem for problem in raised.value.problems if words in f"{problem.path} {problem.problem} {problem.hint}"]
    assert found, str(raised.value)
    assert (found[0].file, found[0].line) == ("field_rms@2.yaml", line)


@pytest.mark.parametrize("text", ["", "[]", "just words", "id: a\n\tb: c"])
def test_what_is_no_mapping_is_refused(text: str) -> None:
    """With one problem and a remedy."""
    with pytest.raises(OperationFileError) as raised:
        parse_operation(text, file="x.yaml")
    assert raised.value.hint


def test_reach_follows_the_options() -> None:
    """A share of an option, rounded up to whole microseconds; or a fixed duration."""
    operation = CodeOperation(parse())
    assert operation.halo(operation.read_options({"mode": "fast", "window": "PT1M"})) == (
        timedelta(seconds=30),
        timedelta(seconds=5),
    )
    odd = operation.read_options({"mode": "fast", "window": timedelta(microseconds=3)})
    assert operation.halo(odd)[0] == timedelta(microseconds=2)
    twice = CodeOperation(parse(("window/2", "window * 2")))
    assert twice.halo(twice.read_options({"mode": "fast"}))[0] == timedelta(minutes=20)


def test_options_are_checked_as_declared() -> None:
    """Ranges, choices, required ones and unknown names."""
    operation = CodeOperation(parse())
    for given in ({}, {"mode": "quick"}, {"mode": "fast", "power": 5}, {"mode": "fast", "windw": "PT1M"}):
        with pytest.raises(InputError):
            operation.read_options(given)
    assert operation.code_options(operation.read_options({"mode": "slow"})) == {"window": "PT10M", "power": 2, "mode": "slow"}


def test_words_do_not_count_and_code_does() -> None:
    """Another summary or example is the same operation; another line of code, unit or reach is another one."""
    sha = parse().sha()
    assert parse(("a running mean", "a mean")).sha() == sha
    assert parse(("** power", "** (power + 0)")).sha() != sha
    assert parse(("unit: nT^2}", "unit: nT}")).sha() != sha
    assert parse(("lookahead: PT5S", "lookahead: PT6S")).sha() != sha


def test_the_same_code_is_recognised() -> None:
    """Comments, layout and the names of inputs do not count; another constant does."""
    sha = parse().code_sha()
    renamed = parse(
        ("  field: {meaning", "  b: {meaning"),
        ("return field.", "return (b)."),
        ("  # squares\n", ""),
        ("field: {columns", "b: {columns"),
    )
    assert renamed.code_sha() == sha
    assert parse(("iloc[:, 0]", "iloc[:, 1]")).code_sha() != sha


def test_metadata_are_known_before_it_runs() -> None:
    """Unit and frame as declared; an input in another unit that converts is accepted, one that does not is refused."""
    operation = CodeOperation(parse())
    options = operation.read_options({"mode": "fast"})
    tesla = TableMeta(kind="series", columns=(ColumnMeta(name="b", unit="T"),), unit="T", frame="GSE")
    meta = operation.result_meta({"field": tesla}, options, "rms")
    assert (meta.kind, meta.unit, meta.frame, meta.data_names) == ("series", "nT^2", None, ("rms",))
    speed = tesla.model_copy(update={"columns": (ColumnMeta(name="v", unit="km/s"),), "unit": "km/s"})
    with pytest.raises(ComputeError, match="nT"):
        operation.result_meta({"field": speed}, options, "rms")


def test_an_output_may_be_like_the_first_input() -> None:
    """Its columns, unit and frame."""
    operation = CodeOperation(parse(("unit: nT^2}", "unit: same, frame: same, columns: [same]}")))
    columns = tuple(ColumnMeta(name=name, unit="nT") for name in ("bx", "by", "bz"))
    vector = TableMeta(kind="vector", columns=columns, unit="nT", frame="GSM")
    meta = operation.result_meta({"field": vector}, operation.read_options({"mode": "fast"}), "rms")
    assert (meta.kind, meta.unit, meta.frame, meta.data_names) == ("vector", "nT", "GSM", ("bx", "by", "bz"))
