"""Refuse a run that was launched for another home or by newer code, before it makes everything anew.

Only where several machines share a record: each asset's step then names the home and the release of whoever launched the run,
which Dagster keeps in the run's plan. What `helio run` starts itself needs no check.
"""

from __future__ import annotations

from collections.abc import Mapping

import dagster as dg

import helio_dagster
from helio_dagster.domain.releases import is_older
from helio_dagster.resources.record_tags import HOME_TAG, RELEASE_TAG
from helio_dagster.storage.home_identity import home_identity
from helio_dagster.storage.settings import Settings


def launch_marks(settings: Settings) -> dict[str, str]:
    """The tags by which the steps of a run say whose it is; none where the record is the home's own.

    Raises
    ------
    StorageError
        The home cannot be written.
    """
    if settings.postgres is None:
        return {}
    return {HOME_TAG: home_identity(settings.home), RELEASE_TAG: helio_dagster.__version__}


def admit(context: dg.AssetExecutionContext, settings: Settings) -> None:
    """Check that this process may do a run.

    Raises
    ------
    dagster.Failure
        The run is for another home, or this code is older than the one that launched it.
    """
    own = launch_marks(settings)
    marks = _marks_of_launch(context) if own else {}
    if marks.get(HOME_TAG, own.get(HOME_TAG)) != own.get(HOME_TAG):
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


def _marks_of_launch(context: dg.AssetExecutionContext) -> Mapping[str, str]:
    """The marks of a run: its own tags where `helio run` began it, else those that its steps had at launch."""
    plan = context.run.execution_plan_snapshot_id
    if HOME_TAG in context.run.tags or plan is None:
        return context.run.tags
    steps = context.instance.get_execution_plan_snapshot(plan).steps
    return next((step.tags for step in steps if step.tags and HOME_TAG in step.tags), {})
