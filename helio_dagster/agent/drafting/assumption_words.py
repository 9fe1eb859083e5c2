"""Which of the planner's assumptions are about an operation or a mission: they go when nothing of it is left in the figure.

Lines that name a dataset, parameter, step or length are found by `domain.assumption_upkeep`, whoever wrote them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence, Set

from helio_dagster.catalog.choice.offer import Offer

_ABOUT = {
    "rolling_mean": r"The running mean is|The values themselves are drawn in grey|Only the running mean",
    "resample": r".* are over fixed bins|A sum is over the samples|Weeks are bins|.* about the mean of each bin",
    "rolling_statistic": r".* about the mean of each window",
    "superposed_epoch": r"Around each event|One column of colours is one event",
    "derivative": r".* in the derivative",
    "welch": r"The segments of each spectrum",
    "direction": r"The angle is that to the first axis",
    "magnitude": r"The magnitude is computed from|The speed at .* is the magnitude",
    "transform_frame": r".* is rotated into",
}
_ABOUT_THE_ORDER = r"The operations follow each other in this order"


def still_true(assumptions: Sequence[str], *, gone: Set[str], missions: Iterable[str]) -> list[str]:
    """The assumptions without those about operations that are `gone` and missions of which nothing is left."""
    patterns = [_ABOUT[operation] for operation in sorted(gone) if operation in _ABOUT]
    patterns += [_ABOUT_THE_ORDER] if gone else []
    named = [rf"\b{re.escape(mission)}\b" for mission in missions]
    return [
        text
        for text in assumptions
        if not any(re.match(pattern, text) for pattern in patterns) and not any(re.search(name, text) for name in named)
    ]


def forget(old: Offer, taken: Offer, assumptions: list[str]) -> None:
    """Take back what was said of an offer that is not used after all."""
    words = (f"{old.dataset} (", f"The magnitude is computed from {old.parameter},")
    assumptions[:] = [each for each in assumptions if not each.startswith(words)]
    if taken.frame != old.frame:
        assumptions[:] = [each for each in assumptions if not each.startswith(f"{old.frame} is used")]
