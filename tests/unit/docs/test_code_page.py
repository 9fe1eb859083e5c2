"""The page about code: its examples are true."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

from helio_dagster.compute.code_operation import CodeOperation
from helio_dagster.compute.operation_file import parse_operation
from helio_dagster.compute.operation_trial import find_failures
from helio_dagster.domain.pipeline import Step
from helio_dagster.sandbox.determinism import differing_sandboxes
from helio_dagster.sandbox.limits import SandboxLimits
from helio_dagster.sandbox.sandbox import Sandbox
from helio_dagster.sandbox.static_check import find_faults

PAGE = (Path(__file__).parents[3] / "docs" / "code.md").read_text()
BLOCKS = re.findall(r"```yaml\n(.*?)```", PAGE, flags=re.DOTALL)


def test_the_step_is_one() -> None:
    """It is a pipeline's step, and nothing speaks against its code."""
    (step,) = [Step.model_validate(each) for each in yaml.safe_load(BLOCKS[0])]
    assert step.compute is not None
    assert find_faults(step.compute.code or "", list(step.compute.inputs)) == []


@pytest.mark.slow
def test_the_operation_could_be_saved() -> None:
    """Its examples come out, twice the same."""
    operation = CodeOperation(parse_operation(BLOCKS[1], file="field_rms.yaml"))
    one, other = differing_sandboxes()
    with Sandbox() as sandbox, one, other:
        assert find_failures(operation, sandbox, (one, other)) == []


def test_every_limit_is_told() -> None:
    """Each with its variable."""
    assert set(re.findall(r"`HELIO_CODE_([A-Z_]+)`", PAGE)) == {name.upper() for name in SandboxLimits.model_fields}
