"""Snapshots of servers that describe themselves as AMDA, INTERMAGNET, ISWA and LISIRD do in HAPI's own list of servers."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from helio_dagster.archives.hapi.client import HapiClient
from helio_dagster.archives.transfer.settings import TransferSettings
from helio_dagster.catalog.facts import DatasetFacts
from helio_dagster.catalog.hapi.refreshing import refresh_server
from helio_dagster.catalog.hapi.snapshots import HapiSnapshots
from tests.integration.archives.hapi.conftest import TIME, Script

NOW = datetime(2026, 5, 4, tzinfo=UTC)


def real(name: str, unit: str | None, text: str = "", **more: Any) -> dict[str, Any]:
    """A parameter of doubles."""
    return {"name": name, "type": "double", "units": unit, "fill": "NaN", "description": text, **more}


@pytest.fixture
def snapshot(script: Script, tmp_path: Path, quick: TransferSettings) -> Any:
    """What a refresh makes of a server's datasets: those of the snapshot by id, and those that it could not have."""

    def of(
        version: str, datasets: dict[str, dict[str, Any]], *, has_titles: bool = True
    ) -> tuple[dict[str, DatasetFacts], Any]:
        ok = {"HAPI": version, "status": {"code": 1200, "message": "OK"}}
        script.answers.clear()
        listed = [
            {"id": id_, **({"title": said.get("description", "")} if has_titles else {})} for id_, said in datasets.items()
        ]
        script.say("/catalog", {**ok, "catalog": listed})
        for id_, said in datasets.items():
            script.say(f"={id_.replace('/', '%2F')}", {**ok, **said})
        script.say("/capabilities", {**ok, "outputFormats": ["csv"]})
        archive, client = f"hapi:{script.url}", HapiClient(script.url, settings=quick)
        report = refresh_server(tmp_path, archive, client, NOW, lambda _: None)
        client.close()
        database = HapiSnapshots(tmp_path).databases[archive]
        found = {id_: database.dataset(id_) for id_ in datasets}
        return {id_: facts for id_, facts in found.items() if facts is not None}, report

    return of


def test_amda(snapshot: Any) -> None:
    """Version 2, HTML in titles, a cadence in the title alone, a stop that is no date; a dataset that fails is named."""
    found, report = snapshot(
        "2.0",
        {
            "ace-imf-all": {
                "startDate": "1997-09-02T00:00:12Z",
                "stopDate": "last60days",
                "description": "Interplanetary Magnetic Field 16-sec Data<br/> Sampling: 16S<br/> Provider: CDAWeb",
                "parameters": [TIME, real("imf", "nT", "Magnetic field vector in GSE Cartesian coordinates", size=[3])],
            },
            "mex-els-spec": {
                "startDate": "2004-01-05T00:00:00Z",
                "stopDate": "2010-01-01T00:00:00Z",
                "parameters": [TIME, real("els", "", size=[2], bins=[{"name": "energy", "ranges": [[1, 2], [2, 4]]}])],
            },
            "down": {"status": {"code": 1500, "message": "Internal server error"}},
        },
    )
    imf = found["ace-imf-all"]
    assert imf.label == "Interplanetary Magnetic Field 16-sec Data Sampling: 16S Provider: CDAWeb"
    assert (imf.mission, imf.cadence.total_seconds(), imf.stop) == ("ACE", 16, None)
    assert (imf.parameters[0].name, imf.parameters[0].size, imf.parameters[0].frame.value) == ("imf", (3,), "GSE")
    assert found["mex-els-spec"].parameters[0].size == (2,)
    assert [each.dataset for each in report.failures] == ["down"]


def test_intermagnet(snapshot: Any) -> None:
    """Ids with slashes; fills of many nines; a cadence of a minute."""
    field = [TIME, {**real("Field_Vector", "nT", size=[3]), "fill": "99999.00"}]
    dates = {"startDate": "1991-01-01T00:00:00Z", "stopDate": "2024-01-21T05:59:00Z", "cadence": "PT1M"}
    found, _ = snapshot("3.0", {"bou/best-avail/PT1M/xyzf": {**dates, "description": "Boulder", "parameters": field}})
    facts = found["bou/best-avail/PT1M/xyzf"]
    assert (facts.cadence.total_seconds(), facts.parameters[0].fill, facts.start.year) == (60, "99999.00", 1991)


def test_iswa_and_lisird(snapshot: Any) -> None:
    """Integers; a dataset of times alone; no titles; texts, which cannot be fetched, are not listed."""
    dst = {"name": "Dst", "type": "integer", "units": "nT", "fill": "9999", "description": "Dst"}
    dates = {"startDate": "2006-01-01T00:00:00.0Z", "stopDate": "2023-03-01T00:00:00.0Z"}
    found, report = snapshot(
        "2.1", {"dst_PT1H": {**dates, "cadence": "PT1H", "parameters": [TIME, dst]}, "bare": dates | {"parameters": [TIME]}}
    )
    assert [each.name for each in found["dst_PT1H"].parameters] == ["Dst"]
    assert (found["bare"].parameters, report.failures) == ((), ())
    kind = {"name": "type", "type": "string", "length": 4, "units": None, "fill": None}
    said = {
        "startDate": "1947-02-14T12:00Z",
        "stopDate": "2023-02-14T12:00Z",
        "parameters": [TIME, real("irradiance", "W/m^2"), kind],
    }
    found, _ = snapshot("3.0", {"composite_lyman_alpha": said}, has_titles=False)
    assert [each.name for each in found["composite_lyman_alpha"].parameters] == ["irradiance"]
    assert found["composite_lyman_alpha"].start == datetime(1947, 2, 14, 12, tzinfo=UTC)
