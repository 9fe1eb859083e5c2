"""What a fuzzing target is: a way to make one hostile input, hand it to the product and judge what came back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from random import Random


class Defect(Exception):
    """Something that must never happen, whatever the input."""


@dataclass(frozen=True)
class Target:
    """One entry of the product that takes what strangers wrote.

    Parameters
    ----------
    name
        The target's name on the command line.
    case
        Makes one input from the random numbers, hands it to the product and returns a short verdict word; raises `Defect`
        for what must never happen. The folder is empty and belongs to the case. Equal random numbers make equal cases.
    limit_mib
        Resident memory that a case may reach, over all of its processes.
    limit_s
        Wall-clock time that a case may take.
    """

    name: str
    case: Callable[[Random, Path], str]
    limit_mib: float
    limit_s: float
