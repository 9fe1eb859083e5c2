"""Every number can be traced: from a partition back to the archive's files."""

from __future__ import annotations

import hashlib

import pytest

from helio_dagster.domain.errors import InputError
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.launch.credit.lineage import origin
from tests.integration.running.conftest import Mission, Site

THREE = "2023-01-03"


def test_a_mean_is_traced_to_the_files_of_its_halo(site: Site, mission: Mission, span: TimeRange) -> None:
    """Names, sizes and hashes are those of the files that were served; run and versions those of the record."""
    report = site.run(span)
    _, graph = site.open()
    found = origin(graph, graph["basic/mean"], THREE, site.workbench())
    served = {path.name: path.read_bytes() for path in mission.folder.glob("*.cdf")}
    assert [source["name"] for source in found.sources] == sorted(served)[: len(found.sources)]
    assert len(found.sources) == 3
    for source in found.sources:
        assert source["size"] == len(served[source["name"]])
        assert source["sha256"] == hashlib.sha256(served[source["name"]]).hexdigest()
    assert found.run_id == report.run_id
    assert found.code_version == graph["basic/mean"].code_version
    assert list(found.inputs["basic/mag"]) == ["2023-01-02", THREE, "2023-01-04"]
    assert found.inputs["basic/mag"][THREE] == origin(graph, graph["basic/mag"], THREE, site.workbench()).data_version


def test_what_was_never_made_has_no_origin(ran_site: Site) -> None:
    """A partition outside what was run is wrong input."""
    _, graph = ran_site.open()
    with pytest.raises(InputError, match="not materialized for 2023-06-01"):
        origin(graph, graph["basic/mean"], "2023-06-01", ran_site.workbench())
