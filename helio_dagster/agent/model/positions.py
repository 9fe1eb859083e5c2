"""Tell a model how positions and attitudes are fetched, where the person speaks of them: no other request carries it."""

from __future__ import annotations

import re

from helio_dagster.agent.model.turn import Turn
from helio_dagster.domain.bodies import bodies_of_archive
from helio_dagster.domain.catalog_entry import DEMO_ARCHIVE
from helio_dagster.domain.ephemeris import FRAMES, SPICE_ARCHIVE

_SPOKEN = re.compile(
    r"\b(where (?:is|are|was|were|will)|positions?|orbits?|trajector|ephemer|distances?|light time|separations?"
    r"|angles? between|aligned|alignment|attitude|quaternion|from RTN|RTN (?:in)?to|spacecraft (?:frame|axes|coordinates))",
    re.IGNORECASE,
)


def positions_text(turn: Turn) -> str:
    """How an ephemeris is written as a candidate, with all bodies and frames; empty if nobody spoke of positions."""
    if not any(_SPOKEN.search(words) for words in turn.spoken):
        return ""
    is_demo = turn.archive == DEMO_ARCHIVE
    bodies = [body.name for body in bodies_of_archive(of_demo=is_demo)]
    one = "DEMO_ORBITER" if is_demo else "PSP"
    turned = [body.name for body in bodies_of_archive(of_demo=is_demo) if body.axes]
    return (
        f"Where bodies are (no look-up): archive {DEMO_ARCHIVE if is_demo else SPICE_ARCHIVE}, dataset {one}-SUN (target, "
        f"observer), parameter position_HCI_PT1H, velocity_HCI_PT1H, distance_PT1H_au or light_time_PT1H; the angle of two "
        f"as the last sees them: dataset {one}-EARTH-SUN, parameter separation_PT1H. PT1H is the cadence; _au for au, else km. "
        f"Frames: {', '.join(FRAMES)}. Bodies: {', '.join(bodies)}. How {', '.join(turned)} are turned, for transform_frame: "
        f"dataset {one}, parameter attitude_J2000_PT1M."
    )
