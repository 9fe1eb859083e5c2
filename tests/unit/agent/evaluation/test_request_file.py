"""Reading files of requests: the shipped one, the example of the documentation, and faults with line and path."""

from __future__ import annotations

import re
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

import pytest

from helio_dagster.agent.evaluation.known_answers import Expectation
from helio_dagster.agent.evaluation.request_file import SHIPPED, parse_requests, read_requests
from helio_dagster.domain.errors import InputError, RequestFileError
from helio_dagster.domain.time_range import TimeRange

PAGE = (Path(__file__).parents[4] / "docs" / "evaluation.md").read_text(encoding="utf-8")


def test_the_shipped_file_has_requests_to_tune_on_and_others_to_report() -> None:
    """Each is there once, and each set has every kind."""
    requests = read_requests(SHIPPED).requests
    assert Counter(each.part for each in requests) == {"tune": 151, "report": 61}
    assert len({(each.given, each.request) for each in requests}) == 212
    kinds = {"plan", "edits", "replay", "fork", "undo", "information", "question", "refusal"}
    assert all({each.expect for each in requests if each.part == part} == kinds for part in ("tune", "report"))


def test_the_example_of_the_documentation_is_read() -> None:
    """With its time, its lists and its range."""
    block = re.search(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
    assert block is not None
    read = parse_requests(block[1], file="mine.yaml")
    assert read.now == datetime(2026, 3, 10, 15, 30, tzinfo=UTC)
    assert [each.expect for each in read.requests] == ["plan", "edits", "question"]
    day = TimeRange(datetime(2003, 10, 29, tzinfo=UTC), datetime(2003, 10, 30, tzinfo=UTC))
    assert (read.requests[0].range, read.requests[0].part) == (day, "report")


def test_every_key_is_in_the_documentation() -> None:
    """In the table, by the name that a file gives it."""
    keys = {field.alias or name for name, field in Expectation.model_fields.items()} - {"repeat"}
    assert keys <= {key for row in re.findall(r"^\| (`.*?) \|", PAGE, re.MULTILINE) for key in re.findall(r"`(\w+)`", row)}


PLAN = "{request: a, expect: plan, fetch: [ace_b], compute: [], panels: 1}"


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ("{request: a, expect: pan}", "expect: 'pan' is not allowed here\n  Did you mean plan?"),
        ("{request: a, expct: plan}", "expct: unknown key 'expct'\n  Did you mean expect?"),
        ("{expect: undo}", "request: the key 'request' is missing\n  request: What is typed."),
        ("{request: a, expect: undo, set: test}", "set: 'test' is not allowed here\n  It must be tune or report."),
        ("{request: a, expect: question, about: [1994]}", "about[0]: '1994' is a number, but should be text"),
        ("{request: a, expect: question, about: [[GSE, 7]]}", "about[0][1]: '7' is a number, but should be text"),
        ("{request: a, expect: replay, range: yesterday}", "range: 'yesterday' is not a range\n  Write START STOP as "),
        ("{request: a, expect: plan, fetch: []}", "a plan needs fetch and compute"),
        ("{request: a, expect: plan, fetch: [], compute: []}", "a plan needs panels"),
        ("{request: a, expect: undo, panels: 1}", "panels says nothing about 'undo'\n  It belongs to: plan, edits."),
        (PLAN.replace("ace_b", "ace_bee"), "fetch[0]: there is no list 'ace_bee'\n  Did you mean ace_b?"),
        (
            "{request: a, expect: plan, panels: 1, ways: [{fetch: [[x/y], wind], compute: []}]}",
            "ways[0].fetch[1]: there is no list 'wind'\n  Lists: ace_b.",
        ),
        ("{request: a, expect: edits, panels: -1}", "panels: -1 must not be less than 0"),
        ("{request: a, expect: edits, panels: []}", "panels: at least 1 must be given here"),
        ("{request: a, expect: edits, panels: [speed, 2]}", "panels[1]: '2' is a number, but should be text"),
        ("{request: a, expect: edits, panels: speed}", "panels: 'speed' is text, but should be a whole number"),
        (
            "{request: a, expect: edits, after: {'panels[0].y.scael': log}}",
            "a figure has no 'scael' there\n  Did you mean scale?",
        ),
        (
            "{request: a, expect: edits, after: {'panels[[]0].y.scale': log}}",
            "a figure has no '0' there\n  Write a path such as ",
        ),
        ("{request: a, expect: edits, title: 7}", "title: '7' is a number, but should be text"),
        ("{request: a, expect: replay, instead_of: ACE}", "instead_of says nothing about 'replay'\n  It belongs to: fork."),
        ("{request: a, expect: plan, panels: 1, ways: [], compute: []}", "ways: at least 1 must be given here"),
        (PLAN.replace("}", ", ways: [{fetch: [], compute: []}]}"), "ways exclude fetch and compute"),
    ],
)
def test_faults_are_named_with_file_line_and_path(entry: str, said: str) -> None:
    """And with a remedy."""
    text = f"lists:\n  ace_b: [AC_H0_MFI/BGSEc]\nrequests:\n- {PLAN}\n- {entry}\n"
    with pytest.raises(RequestFileError) as raised:
        parse_requests(text, file="mine.yaml")
    (problem,) = raised.value.problems
    assert str(problem).startswith("mine.yaml:5: requests[1]")
    assert said in str(problem)


def test_every_fault_is_reported_in_the_order_of_the_file() -> None:
    """Not only the first."""
    text = "requests:\n- {request: a, expect: undone}\n- {request: a}\n"
    with pytest.raises(RequestFileError) as raised:
        parse_requests(text, file="mine.yaml")
    assert [(each.line, each.path) for each in raised.value.problems] == [(2, "requests[0].expect"), (3, "requests[1].expect")]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "mine.yaml:1: the file is empty"),
        ("- a\n", "mine.yaml:1: a file of requests is a mapping of keys"),
        ("requests: []\n", "mine.yaml:1: requests: at least 1 must be given here"),
        ("requests:\n  - {request: a\n", "a bracket or quote is never closed"),
        ("requests: [{request: a, expect: undo}]\nsets: {}\n", "mine.yaml:2: sets: unknown key 'sets'"),
    ],
)
def test_what_is_no_file_of_requests_is_said(text: str, said: str) -> None:
    """Empty, of another shape, not YAML."""
    with pytest.raises(RequestFileError, match=re.escape(said)):
        parse_requests(text, file="mine.yaml")


def test_a_file_that_cannot_be_read_is_one_clear_error(tmp_path: Path) -> None:
    """Absent, or not text."""
    with pytest.raises(InputError, match=r"gone\.yaml cannot be read: No such file"):
        read_requests(tmp_path / "gone.yaml")
    (tmp_path / "picture.yaml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match="cannot be read: it is not UTF-8 text"):
        read_requests(tmp_path / "picture.yaml")
