"""The panels of curves: one per quantity, lines of several missions together unless they shall be stacked."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from helio_dagster.agent.drafting.curves import Curve
from helio_dagster.agent.drafting.dataset_choice import Choice
from helio_dagster.agent.drafting.lengths import spoken
from helio_dagster.agent.treatments import Treatment
from helio_dagster.catalog.choice.quantities import INDICES
from helio_dagster.domain.units import is_same_unit
from helio_dagster.domain.yaml.document import Value

COLORS = ("black", "firebrick", "steelblue", "darkgoldenrod", "seagreen", "mediumpurple", "darkorange", "slategray")
MEAN_OVER = ("silver", "firebrick")
"""Of the values as they are, and of the mean that is drawn over them."""

_COMPONENT = re.compile(r"^([BVE])_?[xyzrtn](?= |$)")


def draft_panels(curves: Sequence[Curve], treatment: Treatment, *, several: bool | None = None) -> list[dict[str, Value]]:
    """One panel per quantity, lines of several missions together unless they shall be stacked."""
    groups: list[list[Curve]] = []
    are_indices = all(getattr(curve.choice.target, "quantity", "") in INDICES for curve in curves)
    is_alike = len(curves) == 2 and (are_indices or len({curve.choice.target.words.split()[-1] for curve in curves}) == 1)
    is_together = treatment.is_together or (treatment.is_comparison and is_alike)
    for curve in curves:
        home = next((group for group in groups if _share_an_axis(group[0], curve, is_together=is_together)), None)
        is_apart = treatment.is_stacked or curve.shows_data
        if home is None or is_apart:
            groups.append([curve])
        else:
            home.append(curve)
    if several is None:
        several = len({curve.choice.target.who for curve in curves}) > 1
    homes = _datasets_apart(curves)
    return [_panel(group, treatment=treatment, several=several, is_alone=len(curves) == 1, homes=homes) for group in groups]


def has_usual_colors(colors: Sequence[str | None]) -> bool:
    """Whether lines of a panel have the colours that a draft gives them."""
    return not any(colors) or tuple(colors) in (COLORS[: len(colors)], MEAN_OVER)


def _in_common(titles: Sequence[str]) -> str:
    """What the axis of several curves is called: what they have in common, `B GSM` of `Bx GSM` and `By GSM`, else all."""
    names = list(dict.fromkeys(filter(None, titles)))
    parts = {_COMPONENT.sub(r"\1", name) for name in names}
    return parts.pop() if len(names) > 1 and len(parts) == 1 else ", ".join(names)


def _datasets_apart(curves: Sequence[Curve]) -> dict[str, str]:
    """The dataset of each step that shows the same as another does of another dataset of its mission."""
    homes = {curve.step: curve.choice.offer.dataset for curve in curves if isinstance(curve.choice, Choice)}
    return {
        curve.step: homes[curve.step]
        for curve in curves
        if curve.step in homes
        and any(
            homes.get(other.step, homes[curve.step]) != homes[curve.step]
            and (other.choice.target.who, other.panel) == (curve.choice.target.who, curve.panel)
            for other in curves
        )
    }


def _share_an_axis(one: Curve, other: Curve, *, is_together: bool) -> bool:
    """Whether two curves are single lines in the same unit, which mean the same or are wanted together."""
    return one.is_line and other.is_line and (is_together or one.panel == other.panel) and is_same_unit(one.unit, other.unit)


def _panel(
    group: Sequence[Curve], *, treatment: Treatment, several: bool, is_alone: bool, homes: Mapping[str, str]
) -> dict[str, Value]:
    traces: list[Value] = []
    for index, curve in enumerate(group):
        whose = homes.get(curve.step) or (curve.choice.target.who if several and not curve.is_of_two else "")
        label = {"label": whose} if whose and curve.is_line else {}
        if curve.beneath is not None and (is_alone or curve.shows_data) and len(group) == 1 and curve.is_line:
            dense = f"{spoken(curve.dense)} values" if curve.dense else "values"
            traces.append({"data": curve.beneath, "label": dense, "color": MEAN_OVER[0]})
            traces.append({"data": curve.step, "label": curve.over, "color": MEAN_OVER[1]})
        elif len(group) > 1:
            quantities = {each.choice.target.words for each in group}
            label = {"label": f"{curve.choice.target.who} {curve.choice.target.words}"} if len(quantities) > 1 else label
            traces.append({"data": curve.step, **label, "color": COLORS[index % len(COLORS)]})
        else:
            traces.append({"data": curve.step, **label})
    panel: dict[str, Value] = {"traces": traces}
    title = _in_common([curve.axis for curve in group])
    whose = homes.get(group[0].step) or (group[0].choice.target.who if several and not group[0].is_of_two else "")
    if whose and len(group) == 1 and title:
        title = f"{whose} {title}"
    if title and group[0].kind != "spectrogram":
        panel["y"] = {"title": title}
    if treatment.shown is not None and group[0].kind == "spectrogram":
        panel["y"] = {"range": [*treatment.shown]}
    return panel
