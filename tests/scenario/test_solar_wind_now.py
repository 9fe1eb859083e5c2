"""From `solar wind right now` to numbers of this minute: a plan whose last partition is open, run as it stands."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

from tests.prepared import prepared
from tests.swpc_server import field_of_minutes, swpc_server


def test_the_solar_wind_of_now_is_planned_and_run(tmp_path: Path) -> None:
    """Today up to the newest record, with what the server has of it, and open."""
    now = datetime.now(UTC).replace(second=0, microsecond=0)
    start = now.replace(hour=0, minute=0)

    with swpc_server(now) as swpc:
        swpc.measure("mag", start - timedelta(days=1), now, field_of_minutes(lambda minute: minute % 7))
        swpc.measure("plasma", start - timedelta(days=1), now, lambda moment: [5.0, 400.0 + moment.minute, 1e5])
        env = {"HELIO_HOME": str(tmp_path / "home"), "HELIO_SWPC_URL": swpc.url}
        planned = prepared().run(("plan", "solar wind speed right now", "-o", "pipelines"), cwd=tmp_path, env=env)
        assert planned.returncode == 0, planned.stderr
        (path,) = (tmp_path / "pipelines").glob("*.yaml")
        ran = prepared().run(("run", path.stem, "--json"), cwd=tmp_path, env=env)
        report = json.loads(ran.stdout)
        assert report["status"] == "success", report
        step = report["steps"]["speed"]
        exported = prepared().run(
            ("export", step["asset"], f"{start:%Y-%m-%d}", "-o", "speed.csv", "--plain"), cwd=tmp_path, env=env
        )
        assert exported.returncode == 0, exported.stderr
    rows = [line.split(",") for line in (tmp_path / "speed.csv").read_text().splitlines()[1:]]
    assert len(rows) == (now - start) // timedelta(minutes=1)
    assert all(float(value) == 400.0 + int(time[14:16]) for time, value in rows)
