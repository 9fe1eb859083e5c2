"""The parts of standalone scripts: what is gathered can stand alone, and files are read as the archives' readers read them."""

from __future__ import annotations

import ast
import json
import runpy
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helio_dagster.archives.hapi.messages import Info
from helio_dagster.archives.hapi.tables import read_answer
from helio_dagster.compute.dataframes import table_to_dataframe
from helio_dagster.compute.operation import OPERATION_IDS, plain_function
from helio_dagster.launch.carrying.function_sources import gather
from helio_dagster.launch.carrying.needs import SourceFile, _unlike
from helio_dagster.launch.carrying.plain.files import masked, read_hapi
from helio_dagster.launch.carrying.python_text import LINE, call, function, literal, variable

HEADER = {
    "HAPI": "3.1",
    "status": {"code": 1200, "message": "OK"},
    "startDate": "2023-01-01T00:00:00Z",
    "stopDate": "2023-01-02T00:00:00Z",
    "parameters": [
        {"name": "Time", "type": "isotime", "units": "UTC", "fill": None, "length": 24},
        {"name": "B", "type": "double", "units": "nT", "fill": "-1e31", "size": [3]},
        {"name": "n", "type": "integer", "units": None, "fill": "-1"},
    ],
}
LINES = b"""2023-01-01T00:00:00.000Z,1.5,2.5,-1e31,3
2023-01-01T00:01:00.000Z,1,-9.999999848243207e+30,7,-1
2023-01-01T00:00:30.500Z,0,0,0,5
2023-01-01T00:01:00.000Z,1,-9.999999848243207e+30,7,-1
"""
VALUES = st.recursive(st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(codec="utf-8")), st.lists)


def gathered() -> str:
    """Everything that any script can hold, in one text."""
    functions = [(plain_function(each), each) for each in OPERATION_IDS]
    own = [(function.__module__, name) for function, name in functions if function is not None]
    steps = [
        ("helio_dagster.launch.carrying.plain.steps", each)
        for each in ("by_window", "by_event", "by_code", "of_all", "within", "report")
    ]
    files = [("helio_dagster.launch.carrying.plain.files", each) for each in ("fetch", "read_cdf", "read_hapi")]
    return "from __future__ import annotations\n" + gather([*own, *steps, *files]).text


@pytest.mark.slow
def test_all_plain_forms_fit_into_one_file(tmp_path: Path) -> None:
    """No two mean different things by one name, none needs helio_dagster, and every name is there when it is used."""
    text = gathered()
    assert "helio_dagster" not in "".join(
        ast.unparse(each) for each in ast.parse(text).body if isinstance(each, ast.ImportFrom)
    )
    done = subprocess.run(
        [sys.executable, "-m", "ruff", "check", "--isolated", "--select", "F", "-"], input=text, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout
    path = tmp_path / "gathered.py"
    path.write_text(text)
    assert callable(runpy.run_path(str(path))["minimum_variance_frame"])


def test_two_meanings_of_a_name_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rather than one taking the other's place."""
    for name in ("one", "other"):
        (tmp_path / f"{name}_of_two.py").write_text(f"LEVEL = '{name}'\n\n\ndef {name}():\n    return LEVEL\n")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ValueError, match="LEVEL"):
        gather([("one_of_two", "one"), ("other_of_two", "other")])


@pytest.mark.parametrize("form", ["csv", "binary"])
@pytest.mark.parametrize("parameter", ["B", "n"])
def test_hapi_answers_are_read_as_the_archive_reads_them(tmp_path: Path, form: str, parameter: str) -> None:
    """Fills are NaN, also those that were singles once; records are in order, each time once."""
    header = b"\n".join(b"#" + line for line in json.dumps(HEADER, indent=1).encode().splitlines()) + b"\n"
    rows = [line.split(",") for line in LINES.decode().splitlines()]
    packed = b"".join(
        row[0].encode() + np.array(row[1:4], dtype="<f8").tobytes() + np.array(row[4:], dtype="<i4").tobytes() for row in rows
    )
    body = header + (LINES if form == "csv" else packed)
    path = tmp_path / f"answer.{form}"
    path.write_bytes(body)
    wanted = table_to_dataframe(read_answer(body, parameter, info=Info.model_validate(HEADER), is_binary=form == "binary"))
    found = read_hapi(path, parameter)
    assert len(found) == 3
    assert found.index.tolist() == wanted.index.tolist()
    np.testing.assert_array_equal(found.to_numpy(), wanted.to_numpy())


def test_names_of_files_stay_in_their_folder_and_apart() -> None:
    """Archives may call a file anything, and two answers alike."""

    def file(name: str, sha256: str, url: str = "https://a/b") -> SourceFile:
        return SourceFile(name, url, 1, "", sha256)

    given = {
        "a": [file("../../x.cdf", "1" * 64), file("same.cdf", "2" * 64)],
        "b": [file("same.cdf", "3" * 64), file("d.hapi", "4" * 64, "https://h/data?id=d&format=binary"), file("..", "5" * 64)],
    }
    found = _unlike(given)
    assert [each.name for each in found["a"]] == ["_.._x.cdf", "22222222-same.cdf"]
    assert [each.name for each in found["b"]] == ["33333333-same.cdf", "d.binary", "file"]


def test_limits_hold_at_the_precision_of_the_data() -> None:
    """0.01 as a double does not shut out 0.01 as a single; limits that leave no range do not count."""
    values = np.array([[0.01, 5.0], [-1e31, 7.0], [9.0, -3.0]], dtype="float32")
    found = masked(values, np.array([7.0]), np.array([0.01, 4.0]), np.array([8.0, 1.0]))
    np.testing.assert_array_equal(np.isnan(found), [[False, False], [True, True], [True, False]])


@given(VALUES)
@pytest.mark.slow
def test_a_value_is_written_so_that_python_reads_it(value: object) -> None:
    """Whatever text is in it; lists over several lines too."""
    for width in (1, LINE):
        text = literal(value, width)
        read = eval(text)  # noqa: S307 - what is tried
        assert repr(read) == repr(value)


def test_code_is_indented_but_for_its_texts() -> None:
    """A text over several lines is part of the computation."""
    body = 'x = """one\n  two\n"""\nif x:\n    return len(x)\n'
    made: dict[str, Any] = {}
    exec(function("f", ["a"], body), made)  # noqa: S102 - what is tried
    assert made["f"](1) == len("one\n  two\n")


def test_names_hide_nothing() -> None:
    """A step may be called like a module, a keyword or another step."""
    taken = {"np", "class"}
    assert [variable(each, taken) for each in ("np", "class", "b", "b", "other/b", "2nd")] == [
        "np_",
        "class_",
        "b",
        "b_",
        "other_b",
        "_2nd",
    ]
    assert call("f", ["1", "2"], "x") == "x = f(1, 2)"
