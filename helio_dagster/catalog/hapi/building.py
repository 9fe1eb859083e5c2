"""Makes a packaged snapshot: `python -m helio_dagster.catalog.hapi.building NAME INDEX.json DATE [INTO]`.

INDEX.json is an index of one server in the form of those of https://github.com/hapi-server/servers (`index/*.json`), which were
made by asking the servers: ids, first and last dates, and parameters with units. DATE is when the server was asked. A `remark`
beside the `catalog` says what the index lacks; searches show it. Where the server can be reached,
`helio catalog refresh --hapi NAME` asks it itself.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from helio_dagster.catalog.database import write_database
from helio_dagster.catalog.hapi.listing import dataset_facts
from helio_dagster.catalog.hapi.refreshing import snapshot_meta
from helio_dagster.catalog.hapi.snapshots import REMARK, snapshot_path
from helio_dagster.domain.hapi_servers import HAPI_PREFIX

_SOURCE = "https://github.com/hapi-server/servers, index"


def main(arguments: list[str]) -> None:
    """Build the snapshot that the arguments name."""
    name, index, date = arguments[:3]
    into = Path(arguments[3]) if len(arguments) > 3 else Path(__file__).parent
    now = datetime.fromisoformat(date).replace(tzinfo=UTC)
    document = json.loads(Path(index).read_text(encoding="utf-8"))
    listed = document["catalog"]
    archive = f"{HAPI_PREFIX}{name}"
    facts = [
        dataset_facts(
            archive,
            each["id"],
            each.get("description") or "",
            (each.get("startDate") or "", each.get("stopDate") or ""),
            each.get("cadence") or "",
            [_row(one) for one in each["parameters"][1:]],
            now,
        )
        for each in listed
    ]
    path = snapshot_path(into, archive)
    remark = {REMARK: document["remark"]} if "remark" in document else {}
    write_database(path, facts, snapshot_meta(archive, _SOURCE, facts, now) | remark)
    sys.stderr.write(f"{path.name}: {path.stat().st_size:,} bytes, {len(facts)} datasets\n")


def _row(parameter: Mapping[str, Any]) -> dict[str, Any]:
    """A parameter of an index; units that say nothing are none."""
    units = parameter.get("units") or ""
    return {**parameter, "units": "" if units in ("undefined", "unitless") else units}


if __name__ == "__main__":
    main(sys.argv[1:])
