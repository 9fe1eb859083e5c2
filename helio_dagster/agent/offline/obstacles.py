"""What stands in the way of a request whatever its unknown words mean: nobody measured that, or not at that time."""

from __future__ import annotations

from collections.abc import Callable

from helio_dagster.agent.answers import NotUnderstood, OpenQuestion
from helio_dagster.agent.drafting.questions import DraftQuestion, NothingMeasured
from helio_dagster.agent.offline.meanings import Heading, Mission
from helio_dagster.agent.offline.request_reading import Reading
from helio_dagster.agent.offline.wording import without
from helio_dagster.agent.targets import Measured
from helio_dagster.domain.errors import InputError


def obstacle(asked: NotUnderstood, reading: Reading, draft: Callable[[str], object]) -> OpenQuestion | None:
    """The question that would be asked without the unknown words, with these; None where they alone stand in the way.

    Parameters
    ----------
    asked
        The question about the words.
    reading
        The request with them.
    draft
        Drafts a request, and raises what stands in the way of it.
    """
    unknown = [each for each in reading.unknown if not isinstance(each.meaning, Heading)]
    if not unknown:
        return None
    try:
        draft(without(reading, unknown))
    except DraftQuestion as found:
        if found.is_about_time or isinstance(found, NothingMeasured):
            return OpenQuestion(f"{found.question.text} ({asked.reason})", about=asked.about)
        if found.remedies and {Mission, Measured} <= {type(each.meaning) for each in reading.mentions}:
            return NotUnderstood(f"{asked.question.text} {found.question.text}", about=asked.about)
    except (OpenQuestion, InputError):
        return None
    return None
