"""What is said where a step with several named results is used as if it had one."""

from __future__ import annotations

from helio_dagster.domain.pipeline import Step


def single_result_fault(step: Step, pipeline: str = "") -> tuple[str, str] | None:
    """Why a step has no data of its own, and what to do; None if it has.

    Parameters
    ----------
    step
        The step.
    pipeline
        Its pipeline, where results are written with it.
    """
    names = [f"{pipeline}/{each.id}" if pipeline else each.id for each in step.named_results]
    if not names:
        return None
    own = f"{pipeline}/{step.id}" if pipeline else step.id
    return f"{own} has no data itself: it is the code that makes {_listed(names, 'and')}", f"Name {_listed(names, 'or')}."


def _listed(names: list[str], word: str) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} {word} {names[-1]}"
