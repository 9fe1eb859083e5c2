"""SWPC's JSON: both of its forms, and what is refused, with the record that is wrong."""

from __future__ import annotations

import json

import pytest

from helio_dagster.archives.swpc.answers import read_answer, select

_HEADER = ["time_tag", "density", "speed"]


def test_a_header_row_and_objects_say_the_same() -> None:
    """Texts and numbers, null and nothing, a T or a blank: records in order of time, of two at one time the last."""
    rows: list[list[object]] = [
        ["2026-02-14 21:20:00.000", "4.5", None],
        ["2026-02-14 21:19:00.000", "", "400"],
        ["2026-02-14T21:20:00Z", 5, 401.5],
    ]
    expected = {
        "2026-02-14T21:19:00.000000": (None, 400.0),
        "2026-02-14T21:20:00.000000": (5.0, 401.5),
    }
    assert dict(read_answer(json.dumps([_HEADER, *rows]).encode()).records) == expected
    objects = [dict(zip(_HEADER, row, strict=True)) for row in rows]
    assert dict(read_answer(json.dumps(objects).encode()).records) == expected


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        (["2026-02-14 21:19:00.000", "4.5"], "record 1: it does not have the 3 values"),
        (["2026-02-30 21:19:00.000", "4.5", "1"], "record 1: '2026-02-30 21:19:00.000' is not a time"),
        (["yesterday", "4.5", "1"], "is not a time"),
        ([7, "4.5", "1"], "7 is not a time"),
        (["2026-02-14 21:19:00.000", "n/a", "1"], "'n/a' is not a number"),
        (["2026-02-14 21:19:00.000", True, "1"], "True is not a number"),
        (["2026-02-14 21:19:00.000", "1e999", "1"], "can be measured"),
        (["2026-02-14 21:19:00.000", [1], "1"], "is not a number"),
    ],
)
def test_a_record_that_is_none(row: list[object], problem: str) -> None:
    """The whole answer is refused, with what is wrong: what is kept must not be half of it."""
    with pytest.raises(ValueError, match="record 1") as refused:
        read_answer(json.dumps([_HEADER, row]).encode())
    assert problem in str(refused.value)


@pytest.mark.parametrize("body", [b"{}", b"[[1, 2]]", b'[["a", "b"]]', b'[["time_tag", "a", "a"]]', b"[", b"null", b'["x"]'])
def test_no_such_file(body: bytes) -> None:
    """Other JSON, or none."""
    with pytest.raises(ValueError, match=r".+"):
        read_answer(body)


def test_a_column_that_is_gone() -> None:
    """The message names what there is."""
    answer = read_answer(json.dumps([_HEADER, ["2026-02-14 21:19:00", 1, 2]]).encode())
    assert select(answer, ["speed"]) == {"2026-02-14T21:19:00.000000": (2.0,)}
    with pytest.raises(ValueError, match="no column temperature; it has density, speed"):
        select(answer, ["temperature"])
