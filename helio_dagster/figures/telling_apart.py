"""How the curves of one panel are told apart: labels that say whose and which, colours, dashes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from helio_dagster.domain.units import is_same_unit
from helio_dagster.figures import look
from helio_dagster.figures.colors import COMPONENT_COLORS, DASHES, color_of_unit
from helio_dagster.figures.curves import Curve
from helio_dagster.figures.markup import name_as_label, raised, with_owner

_SEVERAL = 2


def distinct_curves(curves: Sequence[Curve], spacecraft: Mapping[str, str] | None = None) -> tuple[Curve, ...]:
    """The curves of one panel with distinct labels, colours and dashes.

    Where lines come from several spacecraft, labels name it (`spacecraft` says whose a reference is); where one quantity comes
    from several steps of one, they name the step. Components keep their colours, and several vectors in
    one panel differ in their dashes; anything else takes the colourway.
    """
    named = _named(_in_one_writing(curves), spacecraft or {})
    open_curves = [curve for curve in named if curve.color is None]
    roles = Counter(curve.role for curve in open_curves)
    is_each_role_once = None not in roles and max(roles.values(), default=0) == 1
    columns = Counter(curve.path for curve in open_curves)
    are_vectors = None not in roles and min(columns.values(), default=0) > 1
    dash_of = {path: DASHES[index % len(DASHES)] for index, path in enumerate(columns)}
    taken = {curve.color for curve in named}
    free = [color for color in look.COLORWAY if color not in taken] or list(look.COLORWAY)
    dressed: list[Curve] = []
    used = 0
    for curve in named:
        if curve.color is not None:
            dressed.append(curve)
        elif curve.role is not None and (len(named) == 1 or is_each_role_once):
            dressed.append(replace(curve, color=COMPONENT_COLORS[curve.role]))
        elif curve.role is not None and are_vectors:
            dressed.append(
                replace(
                    curve, color=COMPONENT_COLORS[curve.role], dash=curve.dash if curve.dash != "solid" else dash_of[curve.path]
                )
            )
        elif len(named) == 1:
            dressed.append(replace(curve, color=color_of_unit(curve.unit)))
        else:
            dressed.append(replace(curve, color=free[used % len(free)]))
            used += 1
    return tuple(dressed)


def _in_one_writing(curves: Sequence[Curve]) -> list[Curve]:
    """The same curves, each unit written as where it comes first: `nT^2/Hz` and `nT^2 Hz^-1` are one."""
    units = list(dict.fromkeys(curve.unit for curve in curves))
    first = {unit: next(other for other in units if other == unit or is_same_unit(other, unit)) for unit in units}
    return [curve if curve.unit == first[curve.unit] else replace(curve, unit=first[curve.unit]) for curve in curves]


def _named(curves: Sequence[Curve], spacecraft: Mapping[str, str]) -> list[Curve]:
    """Labels that say whose a curve is in a panel of several spacecraft, and which step it comes from where that leaves open.

    A given label stays as it is. It is left open where several steps of one spacecraft and unit are given no label, or one is
    given the same.
    """
    owners = {curve.reference: spacecraft.get(curve.reference, "") for curve in curves}
    if len({owner for owner in owners.values() if owner}) < _SEVERAL:
        owners = dict.fromkeys(owners, "")
    given = {curve.label for curve in curves if curve.is_labelled}
    steps_of: dict[tuple[str, str], set[str]] = {}
    for curve in curves:
        if not curve.is_labelled:
            steps_of.setdefault((curve.unit, owners[curve.reference]), set()).add(curve.reference)
    named = []
    for curve in curves:
        if curve.is_labelled:
            named.append(curve)
            continue
        owner = owners[curve.reference]
        label = with_owner(curve.label, owner)
        is_open = len(steps_of[curve.unit, owner]) > 1 or label in given
        named.append(replace(curve, label=_with_step(label, curve) if is_open else label))
    return named


def _with_step(label: str, curve: Curve) -> str:
    """The label with the step that the curve comes from, unless its own label tells it apart.

    A column that is called as its step is named by what its table is of, one without a name by its unit; by the step alone
    only where nothing else is known.
    """
    step = name_as_label(curve.reference)
    if curve.label in ("", curve.reference):
        known = curve.table_label if curve.table_label != curve.reference else ""
        label = known or (f"values in {raised(curve.unit)}" if curve.unit and not curve.label else "")
    elif curve.label != curve.quantity:
        return label
    return f"{label} ({step})" if label else step
