"""Run a target's cases in a process of its own, with one line of JSON before and after each.

Called as `python -m tests.fuzz.case_process NAME SEED FIRST COUNT`.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
import tempfile
import traceback
from pathlib import Path
from random import Random

from tests.fuzz.target import Defect, Target


def load_target(name: str) -> Target:
    """The target of a module of this folder."""
    target = importlib.import_module(f"tests.fuzz.{name}").TARGET
    assert isinstance(target, Target)
    return target


def main() -> None:
    """Run the cases that the arguments name."""
    name, seed, first, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
    lines = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)  # what the product prints does not mix with our lines
    target = load_target(name)
    lines.write(json.dumps({"ready": name}) + "\n")
    for number in range(first, first + count):
        lines.write(json.dumps({"case": number}) + "\n")
        lines.write(json.dumps({"case": number, **_outcome(target, Random(f"{seed}/{number}"))}) + "\n")


def _outcome(target: Target, random: Random) -> dict[str, str]:
    with tempfile.TemporaryDirectory(prefix=f"fuzz-{target.name}-") as folder:
        try:
            return {"verdict": target.case(random, Path(folder))}
        except Defect as defect:
            return {"defect": str(defect)}
        except BaseException:  # noqa: BLE001 - whatever escapes the product is what we look for
            return {"defect": traceback.format_exc()}


if __name__ == "__main__":
    main()
