"""Choose among candidate fetches by taking a sample of each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from helio_dagster.agent.answers import OpenQuestion
from helio_dagster.agent.events import Event, Tell
from helio_dagster.agent.run_side import RunSide
from helio_dagster.domain.inquiry import Sample
from helio_dagster.domain.pipeline import Fetch
from helio_dagster.domain.time_range import TimeRange

DECENT_COVERAGE = 0.5
"""Share of valid values in a sample at which the search stops; if none reaches it, the best sample wins."""

_STATES = {
    "empty": "has no records",
    "all_fill": "holds only fill values",
    "failed": "cannot be fetched",
    "unreachable": "could not be reached",
}


@dataclass(frozen=True)
class Chosen:
    """The chosen fetch and why; `passed_over` says why each other sampled fetch was not chosen. `reason` may be empty."""

    fetch: Fetch
    reason: str
    passed_over: tuple[str, ...] = ()


def choose_candidate(candidates: Sequence[Fetch], span: TimeRange | None, side: RunSide | None, tell: Tell) -> Chosen:
    """The first candidate whose sample shows data in the range.

    Parameters
    ----------
    candidates
        Candidates, the catalog's best first; at least one.
    span
        The requested range. Without one nothing is sampled, and the first candidate is chosen.
    side
        Takes the samples. Without one the first candidate is chosen.
    tell
        Receives a report on each sampled candidate.

    Raises
    ------
    OpenQuestion
        None of them has data in the range.
    """
    if span is None or side is None:
        return Chosen(candidates[0], "")
    thin: list[Sample] = []
    passed: list[str] = []
    for place, fetch in enumerate(candidates):
        sample = side.sample(fetch, span)
        if sample.state == "unreachable":
            return _unseen(candidates, place, sample, thin, passed, tell)
        if sample.state == "data" and _is_decent(sample):
            return _fullest([*thin, sample], passed, tell)
        if sample.state == "data":
            thin.append(sample)
        else:
            passed.append(_passed(sample))
            _report(sample, tell, is_chosen=False)
    if not thin:
        raise _none_has_data(passed, span)
    return _fullest(thin, passed, tell)


def _fullest(samples: Sequence[Sample], passed: Sequence[str], tell: Tell) -> Chosen:
    """The sample with the best coverage, the first of equal ones; the others are passed over."""
    best = max(samples, key=lambda sample: 1.0 if sample.coverage is None else sample.coverage)
    others = [sample for sample in samples if sample is not best]
    for other in others:
        _report(other, tell, is_chosen=False)
    return _taken(best, [*passed, *map(_thin, others)], tell)


def _unseen(
    candidates: Sequence[Fetch], place: int, sample: Sample, thin: Sequence[Sample], passed: Sequence[str], tell: Tell
) -> Chosen:
    """The choice if the archive cannot be asked: one with some data, else the first that was not ruled out."""
    _report(sample, tell, is_chosen=not thin)
    words = sample.problem or "it does not answer"
    if thin:
        return _fullest(thin, [*passed, _passed(sample)], tell)
    name = _name(candidates[place])
    reason = f"{name} is the catalog's first choice; the archive could not be reached for a sample ({words})."
    return Chosen(candidates[place], reason, tuple(passed))


def _taken(sample: Sample, passed: Sequence[str], tell: Tell) -> Chosen:
    _report(sample, tell, is_chosen=True)
    share = "" if sample.coverage is None else f", valid over {sample.coverage:.0%} of it"
    reason = f"{_name(sample.fetch)} has {sample.records} records in a sample of {sample.span}{share}."
    return Chosen(sample.fetch, reason, tuple(passed))


def _is_decent(sample: Sample) -> bool:
    return sample.coverage is None or sample.coverage >= DECENT_COVERAGE


def _thin(sample: Sample) -> str:
    return f"{_name(sample.fetch)} is passed over: valid over only {sample.coverage or 0.0:.0%} of a sample of {sample.span}."


def _passed(sample: Sample) -> str:
    why = f" ({sample.problem.rstrip('.')})" if sample.problem else ""
    return f"{_name(sample.fetch)} is passed over: it {_STATES[sample.state]} in a sample of {sample.span}{why}."


def _none_has_data(passed: Sequence[str], span: TimeRange) -> OpenQuestion:
    return OpenQuestion(
        f"None of the datasets I looked at has data in {span}. {' '.join(passed)} Which other time or spacecraft do you mean?"
    )


def _name(fetch: Fetch) -> str:
    return f"{fetch.dataset} {fetch.parameter}"


def _report(sample: Sample, tell: Tell, *, is_chosen: bool) -> None:
    fetch = sample.fetch
    if sample.state == "unreachable":
        taken = " is used, going by the catalog alone" if is_chosen else ""
        text = f"{_name(fetch)}{taken}: the archive could not be reached for a sample."
    else:
        found = "has data" if sample.state == "data" else _STATES[sample.state]
        text = f"{_name(fetch)} {found}{' and is used' if is_chosen else ''}."
    facts = {
        "archive": fetch.archive,
        "dataset": fetch.dataset,
        "parameter": fetch.parameter,
        "state": sample.state,
        "coverage": sample.coverage,
        "is_chosen": is_chosen,
    }
    tell(Event(stage="candidate", text=text, facts=facts))
