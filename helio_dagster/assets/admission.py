"""Refuse a run that was launched for other tables, by newer code or for another pipeline, before it makes everything anew.

Only where several machines share a record: each asset's step then names its code, and the home and release of whoever launched
the run, which Dagster keeps in the run's plan. What `helio run` starts itself needs no check.
"""

from __future__ import annotations

import hashlib
import socket
from collections.abc import Mapping, Sequence

import dagster as dg

import helio_dagster
from helio_dagster.assets.graph import AssetGraph
from helio_dagster.domain.releases import is_older
from helio_dagster.resources.record_tags import CODE_TAG, GROUP_TAG, HOME_TAG, RELEASE_TAG
from helio_dagster.resources.work_group import work_group
from helio_dagster.storage.home_identity import home_identity
from helio_dagster.storage.settings import Settings

ASSET_TAG = "helio/asset"
"""Tag of a step: the asset that it makes."""


def launch_marks(settings: Settings) -> dict[str, str]:
    """The tags by which the steps of a run say whose it is; none where the record is the home's own.

    Raises
    ------
    StorageError
        The home cannot be written, or the record cannot be reached.
    """
    if settings.postgres is None:
        return {}
    return {
        HOME_TAG: home_identity(settings.home),
        GROUP_TAG: work_group(settings),
        RELEASE_TAG: helio_dagster.__version__,
    }


def code_marks(graph: AssetGraph) -> dict[str, str]:
    """Asset to the tag of its step that says its code, and that of all that it is made from."""
    found: dict[str, str] = {}
    for name, node in graph.nodes.items():  # inputs first
        made_from = sorted(found.get(each, "") for each in node.inputs.values())
        found[name] = hashlib.sha256(repr((node.code_version, made_from)).encode()).hexdigest()[:16]
    return found


def admit(context: dg.AssetExecutionContext, settings: Settings, graph: AssetGraph) -> None:
    """Check that this process may do a run.

    Parameters
    ----------
    context
        Of any step of the run.
    settings
        The home of this process.
    graph
        Its assets.

    Raises
    ------
    dagster.Failure
        The run is for other tables than those of this home, this code is older than the one that launched it, or another home
        launched it, whose pipelines differ.
    """
    own = launch_marks(settings)
    steps = _step_tags(context) if own else []
    marks = _marks_of_launch(context, steps) if own else {}
    is_of_another = marks.get(HOME_TAG, own.get(HOME_TAG)) != own.get(HOME_TAG)
    if is_of_another and marks.get(GROUP_TAG) != own[GROUP_TAG]:
        raise dg.Failure(
            f"This run was launched for another home than {settings.home}, whose tables it would make anew. Start this worker "
            "with HELIO_HOME and HELIO_PIPELINES as the process has them that launched the run, or launch it from this home.",
            allow_retries=False,
        )
    if RELEASE_TAG in marks and is_older(own[RELEASE_TAG], marks[RELEASE_TAG]):
        raise dg.Failure(
            f"This run was launched by helio_dagster {marks[RELEASE_TAG]}, and this worker has the older {own[RELEASE_TAG]}, "
            f"whose results may differ. Update it: pip install 'helio-dagster=={marks[RELEASE_TAG]}'",
            allow_retries=False,
        )
    differing = _differing(steps, graph) if is_of_another else ""
    if differing:
        raise dg.Failure(
            f"The worker on {socket.gethostname()} has another {differing} than the home that launched this run, and would "
            "make other results. Give all machines the same pipelines and operations, as by git, and run the same again. "
            f"Those of this worker are in {settings.pipelines}.",
            allow_retries=False,
        )


def _differing(steps: Sequence[Mapping[str, str]], graph: AssetGraph) -> str:
    """The first asset of a run whose code is another here, or that is not here; empty where there is none."""
    own = code_marks(graph)
    marked = [(tags[ASSET_TAG], tags[CODE_TAG]) for tags in steps if ASSET_TAG in tags and CODE_TAG in tags]
    return next((name for name, code in marked if own.get(name) != code), "")


def _step_tags(context: dg.AssetExecutionContext) -> list[Mapping[str, str]]:
    """The tags that the steps of a run had at launch."""
    plan = context.run.execution_plan_snapshot_id
    if plan is None:
        return []
    return [step.tags for step in context.instance.get_execution_plan_snapshot(plan).steps if step.tags]


def _marks_of_launch(context: dg.AssetExecutionContext, steps: Sequence[Mapping[str, str]]) -> Mapping[str, str]:
    """The marks of a run: its own tags where `helio run` began it, else those that its steps had at launch."""
    if HOME_TAG in context.run.tags:
        return context.run.tags
    return next((tags for tags in steps if HOME_TAG in tags), {})
