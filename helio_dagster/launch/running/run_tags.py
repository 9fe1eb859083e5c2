"""The tags by which the steps of a Dagster run know what was requested."""

from __future__ import annotations

import json
from collections.abc import Sequence

from helio_dagster.assets.factory import EVENTS_TAG, FORCE_TAG, OWN_RUN_TAG, REFRESH_TAG, SHOWN_TAG, SPARED_TAG
from helio_dagster.launch.running.request import RunRequest


def tags_of(request: RunRequest, keys: Sequence[str], first: str, last: str) -> dict[str, str]:
    """The tags of a run over partitions of a request; `first` and `last` are those that bound them in Dagster's order."""
    tags = {
        "dagster/asset_partition_range_start": first,
        "dagster/asset_partition_range_end": last,
        OWN_RUN_TAG: request.pipeline.name,
        FORCE_TAG: str(request.force).lower(),
        REFRESH_TAG: str(request.refresh).lower(),
    }
    if request.force and request.spared:
        tags[SPARED_TAG] = json.dumps(sorted(request.spared))
    if request.events is not None:
        tags[EVENTS_TAG] = json.dumps(list(keys))
    if request.shown is not None:
        tags[SHOWN_TAG] = f"{request.shown.start.isoformat()}/{request.shown.stop.isoformat()}"
    return tags
