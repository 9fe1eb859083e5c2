"""Outcomes on their way from a worker to whoever waits, by the record that both have."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator

import pytest

from helio_dagster.assets.outcome_lines import OutcomeReader, OutcomeWriter
from helio_dagster.assets.outcomes import Outcome
from helio_dagster.domain.errors import HelioError, InputError, StorageError
from tests.postgres import ask

MADE = Outcome("computed", "data", "sha256:1")
KILLED = """
import os, signal, sys, time
from helio_dagster.assets.outcome_lines import OutcomeWriter
from helio_dagster.assets.outcomes import Outcome
writer = OutcomeWriter(sys.argv[1], "r1")
for day in ("d1", "d2"):
    writer("p/b", day, Outcome("computed", "data", "sha256:1"))
sys.stdin.readline()
os.kill(os.getpid(), signal.SIGKILL)
"""


class Detailed(HelioError):
    """An error that knows more."""

    @property
    def details(self) -> str:
        """Two lines."""
        return "line 3\nKeyError: 'b'"


@pytest.fixture
def reader(postgres: str) -> Iterator[OutcomeReader]:
    """What waits for runs."""
    found = OutcomeReader(postgres)
    yield found
    found.close()


def wait_for(reader: OutcomeReader, count: int) -> list[str | None]:
    """The partitions of so many outcomes of the run `r1`."""
    found = list[str | None]()
    while len(found) < count:
        found += [key for _, key, _ in reader.new(["r1"])]
    return found


def test_an_outcome_arrives_as_it_was(postgres: str, reader: OutcomeReader) -> None:
    """State, status and data version, of a partition and of an asset without any; each once, and at last that it was all."""
    given = [
        ("p/b", "2023-01-02", Outcome("computed", "data", "sha256:1")),
        ("p/b", "2023-01-03", Outcome("reused", "empty", "sha256:2")),
        ("p/list", None, Outcome("computed", "data", "sha256:3")),
    ]
    writer, found = OutcomeWriter(postgres, "r1"), list[tuple[str, str | None, Outcome]]()
    for each in given:
        writer(*each)
    while len(found) < 3:
        found += list(reader.new(["r1", "r2"]))
    assert found == given
    assert reader.complete == set()
    writer(*given[0])
    writer.close()
    assert list(reader.new(["r1"])) == [given[0]]
    assert reader.complete == {"r1"}


@pytest.mark.parametrize("kind", [HelioError, InputError, Detailed])
def test_an_error_arrives_with_all_that_it_says(postgres: str, reader: OutcomeReader, kind: type[HelioError]) -> None:
    """What, where, what to do, its details and its exit code."""
    error = kind("the archive is silent: ü\n\u2028", where="p/b 2023-01-02", hint="Try later.")
    writer = OutcomeWriter(postgres, "r1")
    writer("p/b", "2023-01-02", Outcome("failed", error=error))
    writer.close()
    [(_, _, outcome)] = reader.new(["r1"])
    found = outcome.error
    assert found is not None
    assert (str(found), found.problem, found.where, found.hint) == (str(error), error.problem, error.where, error.hint)
    assert (found.details, found.exit_code) == (error.details, error.exit_code)
    assert isinstance(found, InputError) == isinstance(error, InputError)


def test_the_process_that_takes_a_run_up_goes_on(postgres: str, reader: OutcomeReader) -> None:
    """What the one that was killed had said is kept, and comes first."""
    killed = subprocess.Popen([sys.executable, "-c", KILLED, postgres], stdin=subprocess.PIPE)
    assert wait_for(reader, 2) == ["d1", "d2"]
    killed.communicate(b"\n")
    writer = OutcomeWriter(postgres, "r1")
    writer("p/b", "d3", MADE)
    writer.close()
    assert wait_for(reader, 1) == ["d3"]
    another = OutcomeReader(postgres)
    assert wait_for(another, 3) == ["d1", "d2", "d3"]
    another.close()


def test_runs_are_told_apart(postgres: str, reader: OutcomeReader) -> None:
    """Each is read by itself, and forgotten by itself."""
    for run_id in ("r1", "r2"):
        writer = OutcomeWriter(postgres, run_id)
        writer("p/b", run_id, MADE)
        writer.close()
    assert [key for _, key, _ in reader.new(["r2"])] == ["r2"]
    reader.forget("r2")
    assert [key for _, key, _ in reader.new(["r1", "r2"])] == ["r1"]
    assert ask(postgres, "SELECT count(*) FROM kvs WHERE key LIKE 'helio/lines/%%'") == [(1,)]


def test_what_nobody_waits_for_is_swept(postgres: str, reader: OutcomeReader) -> None:
    """The lines of runs that the record does not have, or had a week ago; not those of a run that was queued just now."""
    new_run = """
        INSERT INTO runs (run_id, pipeline_name, status, run_body, create_timestamp, update_timestamp)
        VALUES (%s, 'p', 'STARTED', '{}', now() - %s::interval, now())
    """
    for run_id, age in (("new", "1 day"), ("old", "8 days")):
        ask(postgres, new_run, (run_id, age))
    for run_id in ("new", "old", "gone"):
        OutcomeWriter(postgres, run_id).close()
    reader.sweep()
    assert ask(postgres, "SELECT key FROM kvs WHERE key LIKE 'helio/lines/%%'") == [("helio/lines/new/0000000001",)]


def test_nothing_was_said_yet(reader: OutcomeReader) -> None:
    """A run that no worker has begun has no lines."""
    assert list(reader.new(["r1"])) == []


def test_a_record_that_is_not_there_is_a_storage_error() -> None:
    """With its place."""
    with pytest.raises(StorageError, match=r"127\.0\.0\.1:9"):
        OutcomeWriter("postgresql://postgres@127.0.0.1:9/helio", "r1")
