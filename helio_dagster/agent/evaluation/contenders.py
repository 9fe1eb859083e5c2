"""The planners that are evaluated, by the names that a person gives them."""

from __future__ import annotations

from collections.abc import Mapping

from helio_dagster.agent.evaluation.evaluating import Contender
from helio_dagster.agent.evaluation.saved_names import SavedNames
from helio_dagster.agent.model.settings import ModelSettings
from helio_dagster.agent.planner import Knowledge, Planner
from helio_dagster.agent.planners import make_planner

OFFLINE = "offline"


def offline_contender(knowledge: Knowledge) -> Contender:
    """The planner without a language model."""

    def plan_with(side: SavedNames | None) -> Planner:
        return make_planner({}, knowledge, side, is_offline=True)

    return Contender(OFFLINE, plan_with)


def model_contender(environment: Mapping[str, str], knowledge: Knowledge) -> Contender:
    """The planner with the language model that the environment names.

    Raises
    ------
    InputError
        A setting of the model is wrong.
    """
    settings = ModelSettings.from_environment(environment)
    planner = make_planner(environment, knowledge)  # before anything is asked: a script that cannot be read is wrong input

    def plan_with(side: SavedNames | None) -> Planner:
        return make_planner(environment, knowledge, side) if side is not None else planner

    return Contender(str(settings.planning), plan_with, is_priced=settings.planning.url is None)
