"""How many attacks the static check refuses: it is for readable errors, so the number is shown and little is asked of it."""

from __future__ import annotations

from collections import Counter

import pytest

from helio_dagster.domain.errors import CodeRefused
from helio_dagster.sandbox.static_check import check_code
from tests.security.corpus import Attack, load_attacks


def _is_refused(attack: Attack) -> bool:
    try:
        check_code(attack.body, ["b"])
    except CodeRefused:
        return True
    return False


def test_most_attacks_are_refused_early(capsys: pytest.CaptureFixture[str]) -> None:
    """What asks for the machine in plain words is told so before it runs; what passes is the kernel's to stop."""
    attacks = load_attacks()
    refused = Counter(attack.goal for attack in attacks if _is_refused(attack))
    passed = [attack.id for attack in attacks if not _is_refused(attack)]
    with capsys.disabled():
        print(f"\nThe static check refuses {refused.total()} of {len(attacks)} attacks. It lets through: {', '.join(passed)}")  # noqa: T201
    assert refused.total() > len(attacks) / 2
