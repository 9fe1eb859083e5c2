"""How many examples a property tries: few in `make quick`, many in `make nightly`."""

from __future__ import annotations

import os
from typing import Literal, cast

Tier = Literal["quick", "test", "nightly"]

TIER: Tier = cast(Tier, os.environ.get("HELIO_TEST_TIER", "test"))
_SHARE = {"quick": 0.1, "test": 0.4, "nightly": 20.0}


def example_count(usual: int) -> int:
    """Examples for this tier, given how many show a property well."""
    return max(3, round(usual * _SHARE[TIER]))
