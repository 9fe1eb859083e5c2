"""Choose the planner: with a language model if one is configured, else the offline one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from helio_dagster.agent.planner import Knowledge, Planner
from helio_dagster.agent.run_side import RunSide

if TYPE_CHECKING:
    from helio_dagster.agent.offline.own_file_plans import SavedFiles


def make_planner(
    environment: Mapping[str, str],
    knowledge: Knowledge,
    side: RunSide | None = None,
    archive: str = "cdaweb",
    *,
    is_offline: bool = False,
    keep: Callable[[str], None] | None = None,
    files: SavedFiles | None = None,
) -> Planner:
    """The planner that the environment asks for.

    Parameters
    ----------
    environment
        Names the model and its key; see `agent.model.settings`.
    knowledge
        What planners look things up in.
    side
        Takes samples and tries code.
    archive
        The archive to plan for.
    is_offline
        Use no model, even if one is configured.
    keep
        Keeps what is exchanged with models, a text for each answer.
    files
        The saved pipelines, for a planner without a model whose `side` is None.

    Raises
    ------
    InputError
        A setting of the model is wrong.
    """
    from helio_dagster.agent.model.settings import ModelSettings, is_available

    if not is_offline and is_available(environment):
        settings = ModelSettings.from_environment(environment)
        from helio_dagster.agent.model.model_planner import ModelPlanner

        return ModelPlanner(knowledge, settings, archive=archive, side=side, keep=keep)
    from helio_dagster.agent.offline.offline_planner import OfflinePlanner

    return OfflinePlanner(knowledge, archive, side=side, files=files)
