"""Preliminary data and the definitive data that take their place: marked, recorded, and said."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from helio_dagster.assets.recording import asset_key
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.launch.credit.lineage import origin
from helio_dagster.launch.record.instance import open_instance
from tests.integration.running.conftest import Mission, Site

_KEY = "2023-01-03"
_FETCH = "cdaweb/TS_H0_MFI/BGSE"


def _as_preliminary(mission: Mission, key: str, *, seed: int) -> Path:
    """A day whose file says by its name that it is preliminary, in place of the one there was."""
    path = mission.publish(key, seed=seed)
    return path.rename(path.with_name(path.name.replace("_v01", "_prelim_v01")))


def test_definitive_data_replace_preliminary(make_site: Callable, mission: Mission, span: TimeRange) -> None:
    """All that is made from preliminary data is marked; once definitive data are there, status and record say what happened."""
    preliminary = _as_preliminary(mission, _KEY, seed=5)
    site: Site = make_site("home")
    site.run(span)
    store = site.workbench().store
    marks = {step: store.peek(step, _KEY).meta.maturity for step in (_FETCH, "basic/mag", "basic/mean")}
    assert set(marks.values()) == {"preliminary"}
    other = store.peek("basic/mag", "2023-01-04")
    assert other.meta.maturity == ""
    before = store.peek("basic/mag", _KEY).data_version
    preliminary.unlink()
    mission.publish(_KEY, seed=6)
    site.run(span, refresh=True)
    assert store.peek("basic/mag", _KEY).meta.maturity == ""
    said = f"definitive data replaced preliminary data (version {before[:12]})"
    assert site.why("mag", _KEY) == [said]
    assert site.why("mag", "2023-01-04") == []
    with open_instance(site.settings) as instance:
        events = instance.fetch_materializations(asset_key("basic/mag"), limit=20).records
    made = [each.asset_materialization for each in events if each.asset_materialization is not None]
    assert [each.metadata["replaced"].value for each in made if "replaced" in each.metadata] == [said]
    _, graph = site.open("basic")
    shown = origin(graph, graph["basic/mag"], _KEY, site.workbench())
    assert (shown.maturity, shown.open_until, shown.replaced) == ("", None, said)
