"""Labels of a vector's components in another coordinate frame."""

from __future__ import annotations

import re

from helio_dagster.domain.table import ColumnMeta

_AXES = {"x": "r", "y": "t", "z": "n"}
_AXIS = re.compile(r"(?<![A-Za-z]{2})[XYZxyz](?![A-Za-z])")
_RTN_AXIS = re.compile(r"(?<![A-Za-z]{2})[RTNrtn](?![A-Za-z])")


def relabelled(column: ColumnMeta, source: str, target: str) -> str:
    """The label with the other frame, and with the letters of its axes: `Bx GSE` is `Br RTN`."""
    label = column.label or column.name
    if source != target and "RTN" in (source, target):
        pattern, letters = (_AXIS, _AXES) if target == "RTN" else (_RTN_AXIS, {new: old for old, new in _AXES.items()})
        label = pattern.sub(lambda match: _as_case(letters[match[0].lower()], match[0]), label, count=1)
    return label.replace(source, target) if source in label else f"{label} {target}"


def _as_case(letter: str, model: str) -> str:
    return letter.upper() if model.isupper() else letter
