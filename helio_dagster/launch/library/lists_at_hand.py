"""Lists of events in the folder where a person works: read for a draft, and copied beside the pipelines when it is saved."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from helio_dagster.domain.pipeline import Pipeline
from helio_dagster.storage.atomic import write_bytes
from helio_dagster.storage.event_files import read_list_file


def lists_at_hand(pipeline: Pipeline, here: Path, beside: Path) -> dict[str, str]:
    """Name to text of the lists that a pipeline reads, are not beside the pipelines and are below the folder `here`.

    Raises
    ------
    InputError
        One of them cannot be read as text.
    """
    return {name: read_list_file(here / name) for name in _movable(pipeline, here, beside)}


def copy_lists(pipeline: Pipeline, here: Path, beside: Path) -> list[Path]:
    """Copy those lists beside the pipelines; return the copies.

    Raises
    ------
    OSError
        One of them cannot be read or written.
    """
    copies = []
    for name in _movable(pipeline, here, beside):
        target = beside / name
        target.parent.mkdir(parents=True, exist_ok=True)
        write_bytes(target, (here / name).read_bytes())
        copies.append(target)
    return copies


def missing_lists(pipeline: Pipeline, beside: Path) -> list[str]:
    """The lists that a pipeline reads and that are not beside the pipelines."""
    names = dict.fromkeys(step.events.file for step in pipeline.steps if step.events is not None)
    return [name for name in names if not (beside / name).exists()]


def _movable(pipeline: Pipeline, here: Path, beside: Path) -> Iterator[str]:
    return (name for name in missing_lists(pipeline, beside) if (here / name).is_file())
