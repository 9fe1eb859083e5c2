"""Each attack works where nothing confines it, and changes nothing in the sandbox, static check left out."""

from __future__ import annotations

import os

import pandas as pd
import pytest

from tests.security.conftest import HANG_S
from tests.security.corpus import Attack, load_attacks
from tests.security.runners import Confined, Unconfined
from tests.security.scene import Scene

KNOWN = [attack for attack in load_attacks() if os.geteuid() == 0 or not attack.root]
ATTACKS = [pytest.param(attack, id=attack.name) for attack in KNOWN]
BY_DAY_AND_NIGHT = [
    pytest.param(attack, id=attack.name, marks=[pytest.mark.nightly] if attack.like else []) for attack in KNOWN
]
"""Each place where attacks are stopped is shown by day, with one of them; what else is stopped there, at night."""
UNCONFINED_S = 20.0


def test_an_attack_of_the_night_is_like_one_of_the_day() -> None:
    """What `like` names is of the same goal and is tried by day."""
    by_day = {(attack.goal, attack.id) for attack in load_attacks() if not attack.like}
    assert [attack.name for attack in load_attacks() if attack.like and (attack.goal, attack.like) not in by_day] == []


@pytest.mark.nightly
@pytest.mark.parametrize("attack", ATTACKS)
def test_it_works_unconfined(attack: Attack, unconfined: Unconfined, scene: Scene, inputs: dict[str, pd.DataFrame]) -> None:
    """The evidence of the attack is there: otherwise its failure in the sandbox would prove nothing."""
    limit_s = HANG_S if attack.evidence == "hung" else UNCONFINED_S
    outcome = unconfined.attack(attack.written_for(scene.places), scene, inputs, limit_s=limit_s)
    assert attack.evidence in outcome.evidence(scene.token), outcome.said[:2000]


@pytest.mark.parametrize("attack", BY_DAY_AND_NIGHT)
def test_it_fails_in_the_sandbox(
    attack: Attack, confined: Confined, narrow: Confined, scene: Scene, inputs: dict[str, pd.DataFrame]
) -> None:
    """No evidence of any kind is there, that the next call is not answered well included."""
    chosen = narrow if attack.evidence in {"hung", "grew"} else confined
    outcome = chosen.attack(attack.written_for(scene.places), scene, inputs)
    assert outcome.evidence(scene.token) == {}
