"""A target whose cases go wrong in every way that the runner has to notice; it tests the runner, not the product."""

from __future__ import annotations

import os
import time
from pathlib import Path
from random import Random

from tests.fuzz.target import Defect, Target


def case(random: Random, folder: Path) -> str:
    """Misbehave in the way that the case's own number asks for."""
    way = random.choice(("well", "defect", "error", "crash", "hang", "memory"))
    if way == "defect":
        raise Defect("a defect")
    if way == "error":
        raise KeyError("an error")
    if way == "crash":
        os.abort()
    if way == "hang":
        time.sleep(3600)
    if way == "memory":
        held = bytearray(b"x" * (300 << 20))
        time.sleep(2)
        del held
    return way


TARGET = Target("misbehaving", case, limit_mib=200, limit_s=15)
