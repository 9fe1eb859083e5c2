"""A worker process that decodes binary files of one's own and may die of it. Started by `reader`.

Run as `python -m helio_dagster.archives.own.binary.worker MEMORY_BYTES TIMEOUT_S`: requests come on stdin, replies leave on
stdout, as `messages` says.
"""

from __future__ import annotations

import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from helio_dagster.archives.cdf.answering import answer_lines, open_reply_pipe
from helio_dagster.archives.cdf.memory_bound import MemoryBound
from helio_dagster.archives.cdf.messages import write_reply
from helio_dagster.archives.own.binary.batches import DescribedContents
from helio_dagster.archives.own.binary.messages import (
    REQUESTS,
    Describe,
    DescribeReply,
    ErrorReply,
    Read,
    Reply,
    Scan,
    ScanReply,
    write_records,
)
from helio_dagster.archives.own.binary.opening import open_contents
from helio_dagster.archives.own.binary.seen import Contents, Fault, Seen
from helio_dagster.archives.own.day_scan import index_batches
from helio_dagster.archives.own.index import State
from helio_dagster.archives.own.text_files import Records
from helio_dagster.domain.errors import OwnFileError

_HEAD_RECORDS = 5
_HEAD_COLUMNS = 40
_DAMAGED = "The file is damaged, or not what its name says. Copy it again, or open it with the program that wrote it."


class Answering:
    """Answers requests; the last file stays open, for the days of one file are asked for one after the other.

    Parameters
    ----------
    bound
        The limit of memory.
    """

    def __init__(self, bound: MemoryBound) -> None:
        self._bound = bound
        self._key: Any = None
        self._open: Contents | None = None

    def answer(self, asked: Describe | Scan | Read) -> Reply | Records:
        """The answer; whatever a library raises on a file is an error with one message."""
        fault = Fault(Path(asked.path), asked.name)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return self._answer(asked, fault)
        except OwnFileError as error:
            return ErrorReply(problem=error.problem, hint=error.hint)
        except MemoryError:
            problem = "reading it takes more memory than a file of its size can honestly need, or than there is"
        except RecursionError:
            problem = "it is nested too deeply"
        except Exception as error:  # noqa: BLE001 - what libraries raise on damaged bytes is anyone's guess
            problem = f"it cannot be decoded: {type(error).__name__}: {' '.join(str(error).split())[:160]}"
        self._close()
        return ErrorReply(problem=f"{asked.name}: {problem}", hint=_DAMAGED)

    def _answer(self, asked: Describe | Scan | Read, fault: Fault) -> Reply | Records:
        if isinstance(asked, Describe):
            contents = self._contents(Path(asked.path), asked.format, asked.table, fault)
            columns = contents.columns.values()
            return DescribeReply(columns=tuple(_with_head(each, contents, place) for place, each in enumerate(columns)))
        state = State.of(Path(asked.path))
        contents = self._contents(Path(asked.path), asked.described.file_format, asked.described.table, fault)
        read = DescribedContents(contents, asked.described, fault)
        names = list(asked.described.columns or {})
        if isinstance(asked, Scan):
            return ScanReply(index=index_batches(read.batches(), names, state, fault))
        parts = [part for run in asked.runs for part in read.batches(run.start, run.stop)]
        time = np.concatenate([time for time, _ in parts])
        values = {name: np.concatenate([each[name] for _, each in parts]) for name in names}
        return Records(time, values, np.zeros(len(time), dtype=np.int64))

    def _contents(self, path: Path, form: str, table: str | None, fault: Fault) -> Contents:
        key = (path, State.of(path), form, table)
        if self._open is None or key != self._key:
            self._close()
            self._open, self._key = open_contents(path, form, table, fault, self._bound.allow), key
        return self._open

    def _close(self) -> None:
        if self._open is not None:
            self._open.close()
        self._open = self._key = None


def _with_head(seen: Seen, contents: Contents, place: int) -> Seen:
    if place >= _HEAD_COLUMNS or seen.kind == "arrays":
        return seen
    values = contents.read(seen, 0, 0, min(_HEAD_RECORDS, seen.records))
    return seen.model_copy(update={"head": tuple(str(value)[:40] for value in values)})


def serve() -> None:
    """Answer requests until stdin ends."""
    memory_bytes, timeout_s = int(sys.argv[1]), float(sys.argv[2])
    write = open_reply_pipe()
    bound = MemoryBound(memory_bytes)
    answering = Answering(bound)

    def answer(line: bytes) -> None:
        found = answering.answer(REQUESTS.validate_json(line))
        bound.lift()
        if isinstance(found, Records):
            write_records(write, found)
        else:
            write_reply(write, found)

    answer_lines(write, timeout_s, answer)


if __name__ == "__main__":
    serve()
