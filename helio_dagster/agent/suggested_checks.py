"""Checks that a plan does not have yet: how a person asks for them, how they are shown, and the edits that add them."""

from __future__ import annotations

import re
from collections.abc import Mapping

from helio_dagster.domain.expectation import Expectation
from helio_dagster.domain.pipeline import Pipeline, Step
from helio_dagster.domain.pipeline_edit import EditStep
from helio_dagster.domain.yaml.document import Value

_ASKED = re.compile(
    r"(?:please )?(?:add|include|make|use|with)(?: the| some)?(?: usual| normal| suggested)? (?:checks|expectations)[.!]*",
    re.IGNORECASE,
)


def asks_for_checks(text: str) -> bool:
    """Whether a text asks for the suggested checks, and for nothing else."""
    return _ASKED.fullmatch(" ".join(text.split())) is not None


def tell_suggested(suggested: Mapping[str, Expectation]) -> str:
    """The line of a card: `Suggested checks: speed 200 to 1500 km/s, coverage at least 50 %; say "add checks" to add them.`."""
    limits = [f"{step} {expect.comparison}" for step, expect in suggested.items() if expect.comparison is not None]
    shares = {100 * expect.share for expect in suggested.values() if expect.share is not None}
    coverage = [f"coverage at least {share:g} %" for share in sorted(shares)]
    return f'Suggested checks: {", ".join([*limits, *coverage])}; say "add checks" to add them.'


def suggested_document(suggested: Mapping[str, Expectation]) -> dict[str, Value]:
    """Step to what is suggested for its `expect`."""
    return {step: expect.model_dump(mode="json", exclude_defaults=True) for step, expect in suggested.items()}


def check_edits(pipeline: Pipeline, suggested: Mapping[str, Expectation]) -> list[EditStep]:
    """Edits that add the suggested expectations to the steps they are for (step id to expectation)."""
    return [
        EditStep(kind="edit_step", step=step, changes={"expect": with_limits(pipeline.step(step), expect)})
        for step, expect in suggested.items()
    ]


def with_limits(step: Step, expect: Expectation) -> dict[str, Value]:
    """What a step expects with other limits of its values; what else it expects stays."""
    old = step.expect.model_dump(mode="json", exclude_defaults=True) if step.expect is not None else {}
    kept = {key: value for key, value in old.items() if key not in ("min", "max")}
    return {**expect.model_dump(mode="json", exclude_defaults=True), **kept}
