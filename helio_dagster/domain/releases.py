"""Order releases by their numbers."""

from __future__ import annotations

import re


def is_older(release: str, other: str) -> bool:
    """Whether a release came before another one, as `0.9.1` before `0.10.0`; by its first three numbers."""
    return _numbers(release) < _numbers(other)


def _numbers(release: str) -> tuple[int, ...]:
    found = [int(each) for each in re.findall(r"\d+", release)[:3]]
    return (*found, *[0] * (3 - len(found)))
