"""Whose data a line is: what a pipeline written by hand gets beside its lines."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from helio_dagster.domain.time_range import TimeRange
from helio_dagster.launch.home import Home
from helio_dagster.launch.running.request import RunRequest
from helio_dagster.launch.running.run import run
from helio_dagster.launch.web.refinement import Refinement
from helio_dagster.resources.workbench import Workbench
from helio_dagster.storage.figure_files import FigureFiles
from helio_dagster.storage.settings import Settings

SPAN = TimeRange(datetime(2003, 10, 29, tzinfo=UTC), datetime(2003, 10, 30, tzinfo=UTC))
NAME = "hand__overview__20031029_20031030"
TEXT = """
version: 1
name: hand
title: Two spacecraft
partitions: daily
start: 2003-10-01
steps:
  - id: first
    fetch: {archive: demo, dataset: AC_H0_MFI, parameter: BGSEc}
  - id: second
    fetch: {archive: demo, dataset: WI_H0_MFI, parameter: BGSE}
  - id: here
    compute: {operation: magnitude, inputs: {vector: first}}
  - id: there
    compute: {operation: magnitude, inputs: {vector: second}}
  - id: mean
    compute: {operation: rolling_mean, inputs: {series: here}, options: {window: PT1H}}
  - id: both
    compute:
      inputs: {a: here, b: there}
      unit: nT
      code: return a["here"].resample("1h").mean() - b["there"].resample("1h").mean()
  - id: overview
    figure:
      panels:
        - traces: [{data: here}, {data: there}]
        - traces: [{data: here}, {data: mean}]
        - traces: [{data: here}, {data: mean}, {data: there}]
        - traces: [{data: here, label: upstream}, {data: there}]
        - traces: [{data: first}, {data: second, component: z}]
        - traces: [{data: here}, {data: there}, {data: both}]
"""


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """A home with the figure."""
    folder: Path = tmp_path_factory.mktemp("home")
    settings = Settings(folder, folder / "pipelines")
    settings.pipelines.mkdir()
    (settings.pipelines / "hand.yaml").write_text(TEXT)
    pipeline, graph = Home(settings).open("hand")
    with Workbench(settings) as workbench:
        assert run(RunRequest(graph, pipeline, SPAN), workbench).status == "success"
    return settings


def zoom_of(settings: Settings) -> dict[str, str]:
    """What the page asks for when it is zoomed to the whole day."""
    stamp = FigureFiles(settings.figures).of_page(NAME)["drawn_from"]
    start, stop = (int(moment.timestamp() * 1000) for moment in (SPAN.start, SPAN.stop))
    return {"from": str(start), "to": str(stop), "number": "1", "stamp": stamp}


@pytest.fixture(scope="module")
def panels(home: Settings) -> list[list[str]]:
    """The names of each panel's lines on the page that was zoomed, which are those of the labels at its right."""
    script = Refinement(home).script(NAME, zoom_of(home))
    assert script is not None
    found: dict[str, list[str]] = {}
    page = (home.figures / f"{NAME}.html").read_text(encoding="utf-8")
    written = re.sub(r"\\u003[ce]|\\u002f", lambda code: json.loads(f'"{code[0]}"'), page)
    for trace in json.loads(script.removeprefix("refined(").removesuffix(");"))["traces"]:
        if trace["mode"] == "lines":
            found.setdefault(trace["yaxis"], []).append(trace["name"])
            assert f'"name":{json.dumps(trace["name"])}' in written
    return list(found.values())


def test_lines_of_two_spacecraft_are_named_after_them(panels: list[list[str]]) -> None:
    """With the quantity, also where it is computed; each component of a vector too."""
    assert panels[0] == ["ACE |B|", "Wind |B|"]
    assert panels[4] == ["ACE B<sub>x</sub> GSE", "ACE B<sub>y</sub> GSE", "ACE B<sub>z</sub> GSE", "Wind B<sub>z</sub> (GSE)"]


def test_the_name_of_the_only_spacecraft_is_not_repeated(panels: list[list[str]]) -> None:
    """Its steps are told apart, there and beside another spacecraft."""
    assert panels[1] == ["|B| (here)", "|B|, 1 h mean (mean)"]
    assert panels[2] == ["ACE |B| (here)", "ACE |B|, 1 h mean (mean)", "Wind |B|"]


def test_a_given_label_stays_as_it_is(panels: list[list[str]]) -> None:
    """The other line of the panel still says whose it is."""
    assert panels[3] == ["upstream", "Wind |B|"]


def test_what_two_spacecraft_make_together_has_the_name_of_none(panels: list[list[str]]) -> None:
    """It keeps the name of its step."""
    assert panels[5][:2] == ["ACE |B|", "Wind |B|"]
    assert not any(name in panels[5][2] for name in ("ACE", "Wind"))


def test_the_first_zoom_of_a_server_loads_no_module(home: Settings) -> None:
    """A page that is sent has them loaded behind it."""
    code = """
import json, sys
from pathlib import Path
from helio_dagster.launch.web.refinement import Refinement
from helio_dagster.storage.settings import Settings
folder, name, query = Path(sys.argv[1]), sys.argv[2], json.loads(sys.argv[3])
refinement = Refinement(Settings(folder, folder / "pipelines"))
refinement.prepare()
before = set(sys.modules)
script = refinement.script(name, query)
assert '"traces"' in script
rooms = {"pandas", "numpy", "pyarrow", "plotly", "scipy", "tsdownsample", "helio_dagster"}
print([each for each in sys.modules if each not in before and each.partition(".")[0] in rooms])
"""
    given = [str(home.home), NAME, json.dumps(zoom_of(home))]
    done = subprocess.run([sys.executable, "-c", code, *given], check=True, capture_output=True, text=True)
    assert done.stdout.strip() == "[]"
