"""Each attack works where nothing confines it, and changes nothing in the sandbox, static check left out."""

from __future__ import annotations

import os

import pandas as pd
import pytest

from tests.security.conftest import HANG_S
from tests.security.corpus import Attack, load_attacks
from tests.security.runners import Confined, Unconfined
from tests.security.scene import Scene

ATTACKS = [
    pytest.param(attack, id=f"{attack.goal.replace(' ', '_')}-{attack.id}")
    for attack in load_attacks()
    if os.geteuid() == 0 or not attack.root
]
UNCONFINED_S = 20.0


@pytest.mark.nightly
@pytest.mark.parametrize("attack", ATTACKS)
def test_it_works_unconfined(attack: Attack, unconfined: Unconfined, scene: Scene, inputs: dict[str, pd.DataFrame]) -> None:
    """The evidence of the attack is there: otherwise its failure in the sandbox would prove nothing."""
    limit_s = HANG_S if attack.evidence == "hung" else UNCONFINED_S
    outcome = unconfined.attack(attack.written_for(scene.places), scene, inputs, limit_s=limit_s)
    assert attack.evidence in outcome.evidence(scene.token), outcome.said[:2000]


@pytest.mark.parametrize("attack", ATTACKS)
def test_it_fails_in_the_sandbox(
    attack: Attack, confined: Confined, narrow: Confined, scene: Scene, inputs: dict[str, pd.DataFrame]
) -> None:
    """No evidence of any kind is there, that the next call is not answered well included."""
    chosen = narrow if attack.evidence in {"hung", "grew"} else confined
    outcome = chosen.attack(attack.written_for(scene.places), scene, inputs)
    assert outcome.evidence(scene.token) == {}
