"""Events at rest: numbered, read on from anywhere, and mended where a writer was cut off."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helio_dagster.serve.work.event_file import EventFile, EventWriter, Position


def written(path: Path, *documents: dict[str, Any]) -> EventFile:
    """A file with these events appended."""
    file = EventFile(path)
    file.prepare()
    writer = EventWriter(file)
    for document in documents:
        writer(document)
    writer.close()
    return file


def test_numbers_go_on_from_writer_to_writer(tmp_path: Path) -> None:
    """A new process numbers on, and a document's own `n` is none."""
    written(tmp_path / "e", {"stage": "note", "text": "a"}, {"stage": "done", "n": 77})
    file = written(tmp_path / "e", {"stage": "note", "text": "b"})
    found, position = file.read(Position())
    assert [number for number, _ in found] == [1, 2, 3]
    assert [json.loads(line)["stage"] for _, line in found] == ["note", "done", "note"]
    assert file.read(position)[0] == []
    assert not file.is_over()


@given(st.integers(0, 5), st.integers(0, 5))
def test_a_reader_goes_on_where_it_was(tmp_path_factory: pytest.TempPathFactory, first: int, more: int) -> None:
    """What was read, and what is read behind it, is the whole."""
    path = tmp_path_factory.mktemp("events") / "e"
    file = written(path, *({"stage": "note", "text": str(each)} for each in range(first)))
    early, position = file.read(Position())
    written(path, *({"stage": "note", "text": str(each)} for each in range(more)))
    late, _ = file.read(position)
    assert [number for number, _ in early + late] == list(range(1, first + more + 1))
    assert late == file.read(Position(len(early)))[0]


def test_half_a_line_is_neither_read_nor_kept(tmp_path: Path) -> None:
    """A writer that was killed in the middle: the next one begins a line of its own with the next number."""
    path = tmp_path / "e"
    written(path, {"stage": "note", "text": "a"})
    with path.open("ab") as file:
        file.write(b'{"n":2,"stage":"no')
    assert len(EventFile(path).read(Position())[0]) == 1
    found, _ = written(path, {"stage": "done"}).read(Position())
    assert [number for number, _ in found] == [1, 2]


def test_a_file_that_has_grown_is_halved(tmp_path: Path) -> None:
    """The newer half stays with its numbers, and who had read all goes on without an event twice."""
    path = tmp_path / "e"
    file = written(path, *({"stage": "note", "text": "x" * 100} for _ in range(60)))
    _, position = file.read(Position())
    file.prepare(largest=4000)
    written(path, {"stage": "done"})
    found, _ = file.read(position)
    assert [number for number, _ in found] == [61]
    whole, _ = file.read(Position())
    assert whole[0][0] > 20
    assert whole[-1][0] == 61


def test_nothing_of_a_text_is_obeyed(tmp_path: Path) -> None:
    """A line is ASCII, one line, and gives the text back."""
    text = "\x1b[2J\x7f\u2028\u202e\n<b>"
    [(_, line)] = written(tmp_path / "e", {"stage": "note", "text": text}).read(Position())[0]
    assert line.isascii()
    assert not {0x1B, 0x7F, 0x0A} & set(line)
    assert json.loads(line)["text"] == text


def test_a_line_longer_than_what_is_read_at_a_time(tmp_path: Path) -> None:
    """It is read whole, with what follows."""
    file = written(tmp_path / "e", {"stage": "plan", "text": "x" * 3_000_000}, {"stage": "done"})
    first, position = file.read(Position())
    second, _ = file.read(position)
    assert [number for number, _ in first + second] == [1, 2]
    assert file.is_over()
