"""The graph of a library's files: what was found wrong with them is not looked for again."""

from __future__ import annotations

from collections import Counter
from typing import Any

from helio_dagster.assets.library import check_files, graph_of
from helio_dagster.compute.operation import Operation, get_operation
from helio_dagster.domain.pipeline_text import parse_pipeline

TEXT = """version: 1
name: {name}
partitions: daily
start: 2003-10-01
steps:
  - id: b
    fetch: {{archive: demo, dataset: AC_H0_MFI, parameter: BGSEc}}
  - id: mag
    compute: {{operation: {operation}, inputs: {{vector: b}}}}
"""


def test_files_that_were_checked_are_not_checked_again() -> None:
    """The graph is the same; what is wrong is left out, and only the rest is looked at once more."""
    named = {"one": "magnitude", "bad": "magnitoode"}
    files = {name: parse_pipeline(TEXT.format(name=name, operation=each), file=f"{name}.yaml") for name, each in named.items()}
    asked: Counter[str] = Counter()

    def operation(name: str) -> Operation[Any]:
        asked[name] += 1
        return get_operation(name)

    problems = check_files(files, operation=operation, is_thorough=False).problems
    assert {each.file for each in problems} == {"bad.yaml"}
    asked.clear()
    again = graph_of(files, operation=operation)
    checked_twice = asked["magnitoode"]
    asked.clear()
    once = graph_of(files, operation=operation, known=problems)
    assert checked_twice > 0
    assert asked["magnitoode"] == 0
    assert list(once.nodes) == list(again.nodes)
    assert list(once.pipelines) == ["one"]
