"""Outcomes on their way from a worker to whoever waits."""

from __future__ import annotations

from pathlib import Path

import pytest

from helio_dagster.assets.outcome_lines import OutcomeReader, OutcomeWriter
from helio_dagster.assets.outcomes import Outcome
from helio_dagster.domain.errors import HelioError, InputError, StorageError


class Detailed(HelioError):
    """An error that knows more."""

    @property
    def details(self) -> str:
        """Two lines."""
        return "line 3\nKeyError: 'b'"


def test_an_outcome_arrives_as_it_was(tmp_path: Path) -> None:
    """State, status and data version, of a partition and of an asset without any."""
    given = [
        ("p/b", "2023-01-02", Outcome("computed", "data", "sha256:1")),
        ("p/b", "2023-01-03", Outcome("reused", "empty", "sha256:2")),
        ("p/list", None, Outcome("computed", "data", "sha256:3")),
    ]
    writer, reader = OutcomeWriter(tmp_path / "outcomes" / "r1"), OutcomeReader(tmp_path / "outcomes" / "r1")
    for each in given:
        writer(*each)
    assert list(reader.new()) == given
    assert list(reader.new()) == []
    writer(*given[0])
    writer.close()
    assert list(reader.new()) == [given[0]]


@pytest.mark.parametrize("kind", [HelioError, InputError, Detailed])
def test_an_error_arrives_with_all_that_it_says(tmp_path: Path, kind: type[HelioError]) -> None:
    """What, where, what to do, its details and its exit code."""
    error = kind("the archive is silent: ü\n", where="p/b 2023-01-02", hint="Try later.")
    writer = OutcomeWriter(tmp_path / "r1")
    writer("p/b", "2023-01-02", Outcome("failed", error=error))
    writer.close()
    [(_, _, outcome)] = OutcomeReader(tmp_path / "r1").new()
    found = outcome.error
    assert found is not None
    assert (str(found), found.problem, found.where, found.hint) == (str(error), error.problem, error.where, error.hint)
    assert (found.details, found.exit_code) == (error.details, error.exit_code)
    assert isinstance(found, InputError) == isinstance(error, InputError)


def test_half_a_line_waits_for_its_rest(tmp_path: Path) -> None:
    """It is read whole or not at all."""
    path, whole = tmp_path / "r1", tmp_path / "r2"
    writer = OutcomeWriter(whole)
    writer("p/b", "d1", Outcome("computed", "data", "sha256:1"))
    writer.close()
    line, reader = whole.read_bytes().strip() + b"\n", OutcomeReader(path)
    with path.open("ab", buffering=0) as file:
        file.write(line[:20])
        assert list(reader.new()) == []
        file.write(line[20:])
    assert [key for _, key, _ in reader.new()] == ["d1"]


def test_half_a_line_of_a_killed_process_is_passed_over(tmp_path: Path) -> None:
    """The process that takes up its run begins a new line."""
    path = tmp_path / "r1"
    path.write_bytes(b'{"asset": "p/b", "partit')
    writer = OutcomeWriter(path)
    writer("p/b", "d1", Outcome("computed", "data", "sha256:1"))
    writer.close()
    assert [key for _, key, _ in OutcomeReader(path).new()] == ["d1"]


def test_nothing_was_said_yet(tmp_path: Path) -> None:
    """A run that no worker has begun has no file."""
    assert list(OutcomeReader(tmp_path / "r1").new()) == []


def test_a_folder_that_cannot_be_made_is_a_storage_error(tmp_path: Path) -> None:
    """With its path."""
    (tmp_path / "taken").write_text("a file")
    with pytest.raises(StorageError, match="taken"):
        OutcomeWriter(tmp_path / "taken" / "r1")
