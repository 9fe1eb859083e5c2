"""Where missions measure, by the file of regions."""

from __future__ import annotations

from helio_dagster.catalog.missions import missions
from helio_dagster.catalog.regions import missions_in


def test_each_name_is_that_of_one_mission_in_one_region() -> None:
    """A name that is written otherwise would be passed over without a word."""
    upstream, inside = missions_in("L1"), missions_in("magnetosphere")
    assert upstream | inside < {each.name for each in missions()}
    assert not upstream & inside
    assert {"ACE", "OMNI"} < upstream
    assert {"MMS4", "GOES", "Swarm C"} < inside
    assert not {"THEMIS-B", "THEMIS-C", "IMP-8"} & inside  # which are in the solar wind for most of their data
