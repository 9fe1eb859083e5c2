"""The check of what plans state of themselves finds what is not so: else it would pass whatever the planner writes."""

from __future__ import annotations

import pytest

from helio_dagster.domain.pipeline_text import parse_pipeline
from tests.requests.statements import contradictions

_PLAN = """
version: 1
name: plan
title: Speed
description: Of OMNI
partitions: daily
assumptions: [{}]
steps:
  - id: speed
    intent: Fetch the speed
    fetch: {{archive: cdaweb, dataset: OMNI2_H0_MRG1HR, parameter: V}}
"""


@pytest.mark.parametrize(
    ("request_text", "assumption", "count"),
    [
        ("Speed of OMNI", "OMNI2_H0_MRG1HR (hourly) is used, because the request names no dataset.", 0),
        ("Speed of omni_hro_1min", "OMNI2_H0_MRG1HR (hourly) is used, because the request names no dataset.", 2),
        ("Speed of OMNI", "OMNI_HRO_1MIN (minutes) is used, because the request names no dataset.", 1),
        ("Speed of OMNI in GSE", "GSM is used, because the request names no frame.", 1),
        ("Speed of OMNI", "The magnitude is computed from BGSM, not taken from the archive's F.", 1),
        (
            "Speed of OMNI",
            "OMNI2_H0_MRG1HR (hourly) is used for Dst, because I know none in OMNI_HRO_1MIN, which the request names.",
            1,
        ),
    ],
)
def test_what_is_not_so_is_found(request_text: str, assumption: str, count: int) -> None:
    """Of a dataset, a frame, an operation."""
    file = parse_pipeline(_PLAN.format(f'"{assumption}"'), file="plan.yaml")
    assert len(list(contradictions(request_text, file.pipeline))) == count
