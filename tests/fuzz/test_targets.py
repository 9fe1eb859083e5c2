"""The fuzzing targets, a few fixed cases each; `make nightly` runs thousands with a new seed a day."""

from __future__ import annotations

from random import Random

import pytest

from tests.fuzz.__main__ import target_names
from tests.fuzz.runner import run_target

SEED = 1
CASES = 30


@pytest.mark.parametrize("name", target_names())
def test_target_has_no_defects(name: str) -> None:
    """Whatever strangers wrote is refused in one of our words or read for what it is, within the target's limits."""
    tally = run_target(name, seed=SEED, cases=CASES)
    assert tally.cases == CASES
    assert tally.defects == []


@pytest.mark.nightly
def test_runner_notices_all_that_goes_wrong() -> None:
    """A defect, an error, a crash, a hang and too much memory are each found, and the cases after them still run."""
    cases = 14
    ways = [Random(f"2/{number}").choice(("well", "defect", "error", "crash", "hang", "memory")) for number in range(cases)]
    assert set(ways) == {"well", "defect", "error", "crash", "hang", "memory"}
    tally = run_target("misbehaving", seed=2, cases=cases)
    assert tally.cases == cases
    assert [number for number, _ in tally.defects] == [number for number, way in enumerate(ways) if way != "well"]
    words = {"defect": "a defect", "error": "KeyError", "crash": "code -6", "hang": "did not end", "memory": "at most 200 MiB"}
    assert all(words[ways[number]] in defect for number, defect in tally.defects)
