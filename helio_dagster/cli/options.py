"""Options that several commands share: settings, times and pipelines."""

from __future__ import annotations

import os
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Annotated

import typer

from helio_dagster.cli.terminal import write_error
from helio_dagster.domain.errors import InputError
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.storage.settings import Settings
from helio_dagster.storage.settings_files import Configuration, read_configuration

PipelineName = Annotated[str, typer.Argument(metavar="PIPELINE", help="Name of a pipeline, or path to its file.")]
Times = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="START [STOP]", help="2023-01-02 [2023-01-05], 2003-10, 2024, or a phrase: last 7 days.", show_default=False
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document on standard output.")]
Verbose = Annotated[bool, typer.Option("-v", "--verbose", help="Show more detail.")]


ModelOption = Annotated[
    str | None, typer.Option("--model", metavar="NAME", help="Language model to plan with: google:…, openai:… or anthropic:….")
]


def settings_from_environment() -> Settings:
    """The settings of this process, from the environment and the settings files."""
    return Settings.read(os.environ, Path.cwd())


def settings_of_record() -> Settings:
    """The settings, after a note if `DAGSTER_HOME` names another record, which Dagster's own commands would use."""
    settings, given = settings_from_environment(), os.environ.get("DAGSTER_HOME")
    if given and Path(given).resolve() != settings.instance.resolve():
        write_error(
            f"note: DAGSTER_HOME is {given}, but helio keeps its record in {settings.record_place}: "
            f"what `dagster` makes there is not seen here. Unset DAGSTER_HOME, or set it to helio's folder.\n"
        )
    return settings


def configuration(model: str | None = None, *, is_offline: bool = False) -> Configuration:
    """What the environment and the settings files say about language models; `model` is the one that an option names."""
    if model is not None and is_offline:
        raise InputError("--model and --offline cannot be used together", hint="Leave one of them out.")
    if model is not None and not model.strip():
        raise InputError("--model is empty", hint="Write provider:model, such as google:gemini-3.8-flash.")
    return read_configuration({**os.environ, **({"HELIO_MODEL": model} if model else {})}, Path.cwd())


def span_from_words(words: Sequence[str] | None, now: datetime) -> TimeRange:
    """The range given as START and STOP, or as a phrase of several words.

    Raises
    ------
    InputError
        No range is given, or the words are not a range.
    """
    if not words:
        raise InputError("no time range given", hint="Give a day, START and STOP, or a phrase: helio run NAME last 7 days")
    from helio_dagster.catalog.times.phrases import read_words

    return read_words(words, now)
