"""Plan with what a program submits: its own model has written the plan or the edits, under the same schemas and checks."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import ValidationError
from pydantic_ai import ModelRetry

from helio_dagster.agent.answers import Answer
from helio_dagster.agent.model.acceptance import accept_edits, accept_plan, answered
from helio_dagster.agent.model.schemas import Schema, reduced
from helio_dagster.agent.model.settings import ModelLimits
from helio_dagster.agent.model.submissions import DraftEdits, DraftPlan
from helio_dagster.agent.model.turn import Turn
from helio_dagster.agent.planner import Knowledge, Situation
from helio_dagster.agent.run_side import RunSide
from helio_dagster.domain.errors import InputError
from helio_dagster.domain.validation_messages import plain_faults
from helio_dagster.domain.yaml.document import format_path

Submission = DraftPlan | DraftEdits
_MOST_FAULTS = 12


class SubmissionFault(InputError):
    """What was submitted has faults, which the program's model can mend."""


def read_submission(kind: type[DraftPlan] | type[DraftEdits], document: object) -> Submission:
    """A submitted plan, or edits.

    Raises
    ------
    SubmissionFault
        It is not of the schema; every fault is listed with its place.
    """
    try:
        return kind.model_validate(document)
    except ValidationError as error:
        found = [f"{format_path(at.path)}: {at.problem}. {at.hint}".strip() for at in plain_faults(error, kind)]
        raise SubmissionFault("\n".join(found[:_MOST_FAULTS]), hint="Fix it and call again.") from None


def submission_schema(kind: type[DraftPlan] | type[DraftEdits]) -> Schema:
    """The schema of a plan or of edits, as models are given it."""
    return reduced(kind.model_json_schema())


class SubmittedPlanner:
    """Answers one request with what was submitted for it; implements `Planner`.

    Parameters
    ----------
    submission
        The plan or the edits.
    knowledge, side, archive
        What it is checked against; see `agent.planner`.
    name
        Whose plan it is, for records.
    looked_up
        Results of look-ups that the program was given; numbers in them may be stated.
    """

    def __init__(
        self,
        submission: Submission,
        knowledge: Knowledge,
        side: RunSide,
        archive: str,
        *,
        name: str,
        looked_up: Sequence[str] = (),
    ) -> None:
        self._submission, self._name, self._looked_up = submission, name, list(looked_up)
        self._knowledge, self._side, self._archive = knowledge, side, archive

    @property
    def name(self) -> str:
        """Whose plan it is."""
        return self._name

    def answer(self, situation: Situation) -> Answer:
        """The answer for what was submitted.

        Raises
        ------
        SubmissionFault
            It has faults: a dataset that does not exist, a pipeline that is not valid, code that fails.
        """
        turn = Turn(situation, self._knowledge, self._archive, self._side, ModelLimits(), looked_up=self._looked_up)
        try:
            if isinstance(self._submission, DraftPlan):
                return answered(turn, accept_plan, self._submission)
            return answered(turn, accept_edits, self._submission)
        except ModelRetry as retry:
            raise SubmissionFault(retry.message, hint="Fix it and call again.") from None
