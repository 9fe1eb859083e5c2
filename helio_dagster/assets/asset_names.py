"""The names of assets: a fetch by archive, dataset and parameter, everything else by pipeline and step."""

from __future__ import annotations

import re

from helio_dagster.domain.grain import Grain
from helio_dagster.domain.pipeline import Fetch, Pipeline, Step

FILES = "files"
"""Last part of the name of a dataset's files asset; a parameter of this name is escaped."""
_FETCH_PARTS_WITH_GRAIN = 4


def fetch_name(fetch: Fetch, grain: Grain) -> str:
    """Asset name of a fetch; its last part is the grain unless that is daily."""
    parameter = "_x66iles" if fetch.parameter == FILES else key_part(fetch.parameter)
    return _by_grain([key_part(fetch.archive), key_part(fetch.dataset), parameter], grain)


def files_name(fetch: Fetch, grain: Grain) -> str:
    """Name of the asset that represents the archive's files of a dataset."""
    return _by_grain([key_part(fetch.archive), key_part(fetch.dataset), FILES], grain)


def _by_grain(parts: list[str], grain: Grain) -> str:
    return "/".join(parts if grain is Grain.DAILY else [*parts, grain.value])


def key_part(text: str) -> str:
    """An archive's name as part of an asset key: characters Dagster refuses are escaped, so `Rot#` becomes `Rot_x23`."""
    return re.sub(r"[^A-Za-z0-9_.-]|^\.", lambda found: f"_x{ord(found[0]):02x}", text)


def asset_name(pipeline: Pipeline, step: Step) -> str:
    """Asset name of a pipeline's step; a fetch with exclusions is the pipeline's own."""
    return fetch_name(step.fetch, pipeline.grain) if step.fetch and not step.exclude else f"{pipeline.name}/{step.id}"


def short_name(name: str) -> str:
    """The step or parameter that an asset is named after, for people: without archive, dataset, pipeline and grain."""
    parts = name.split("/")
    return parts[-2] if len(parts) == _FETCH_PARTS_WITH_GRAIN and parts[-1] in set(Grain) else parts[-1]
