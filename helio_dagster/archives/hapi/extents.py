"""How far records reach before and after their times: what `timeStampLocation` and `cadence` of a HAPI server say.

Source: HAPI 3.2, https://github.com/hapi-server/data-specification, section "info". Where a server does not say where its
stamps are, the specification has clients assume the middle; nothing is assumed here of how long a record then is.
"""

from __future__ import annotations

from helio_dagster.archives.hapi.messages import Info
from helio_dagster.domain.errors import InputError
from helio_dagster.domain.extent import LONGEST_NS, Extent
from helio_dagster.domain.fine_duration import duration_ns
from helio_dagster.domain.time_range import parse_duration


def stated_extent(info: Info) -> Extent | None:
    """The extent of all records of a dataset; None where the server does not say both of its stamps and its cadence."""
    try:
        length = parse_duration(info.cadence)
    except InputError:
        return None
    length_ns = duration_ns(length)
    if not 0 < length_ns <= LONGEST_NS:
        return None
    match info.stamp.strip().upper() if isinstance(info.stamp, str) else "":
        case "BEGIN":
            return Extent(after_ns=length_ns)
        case "CENTER":
            return Extent.around(length)
        case "END":
            return Extent(before_ns=length_ns)
    return None
