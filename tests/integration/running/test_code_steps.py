"""Code in a pipeline: confined, the same bytes however the run is cut, and every refusal says where."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import dagster as dg
import numpy as np
import pytest
from dagster import DagsterEventType

from helio_dagster.assets.library import check_files
from helio_dagster.assets.recording import asset_key
from helio_dagster.assets.run_scope import RunScope, own_resource
from helio_dagster.definitions import library_definitions
from helio_dagster.domain.grain import Grain
from helio_dagster.domain.pipeline_text import parse_pipeline
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.launch.credit.lineage import origin
from helio_dagster.launch.home import Home
from helio_dagster.launch.record.instance import open_instance
from helio_dagster.launch.running.request import RunRequest
from helio_dagster.launch.upkeep.verify import verify
from helio_dagster.sandbox.limits import SandboxLimits
from tests.integration.running.conftest import MakeSpan, Site

TWO, THREE, FOUR = "2023-01-02", "2023-01-03", "2023-01-04"
PIPELINE = """
version: 1
name: coded
start: 2023-01-01
steps:
  - id: b
    fetch: {archive: cdaweb, dataset: TS_H0_MFI, parameter: BGSE}
  - id: mag
    compute: {operation: magnitude, inputs: {vector: b}}
  - id: rms
    compute:
      inputs: {b: mag}
      lookback: PT2H
      lookahead: PT2H
      unit: nT
      code: |
"""
RMS = """
d = b["mag"] - b["mag"].rolling("2h", center=True).mean()
print("unit", b.attrs["unit"])
return (d ** 2).rolling("2h", center=True).mean() ** 0.5
"""


def coded(body: str) -> str:
    """The pipeline with this code in its last step."""
    return PIPELINE + "".join(f"        {line}\n" for line in body.strip().splitlines())


def test_code_gives_the_same_bytes_however_the_run_is_cut(make_site: Callable, make_span: MakeSpan, span: TimeRange) -> None:
    """Days one by one, backwards, beside the whole range; and the numbers are those of pandas in this process."""
    whole, cut = make_site("whole", coded(RMS)), make_site("cut", coded(RMS))
    assert whole.run(span, name="coded").status == "success"
    for key in (FOUR, TWO, THREE):
        cut.run(make_span(key), name="coded")
    assert cut.files("coded") == whole.files("coded")
    store = whole.workbench().store
    mag = np.concatenate([store.read("coded/mag", key).columns["mag"] for key in (TWO, THREE, FOUR)])
    rms = store.read("coded/rms", THREE).columns["rms"]
    d = np.array([mag[place] - mag[place - 1 : place + 3].mean() for place in range(46, 99)])  # half-hourly: (-1 h, +1 h]
    assert rms == pytest.approx([np.sqrt((d[place - 1 : place + 3] ** 2).mean()) for place in range(2, 50)], rel=1e-9)


def test_code_that_fails_for_one_day_leaves_the_others(make_site: Callable, span: TimeRange) -> None:
    """The failure names step, line and what the inputs looked like; a changed code is run anew for all."""
    site = make_site("home", coded('if b.index[10].day == 3:\n    raise ValueError("no third")\nreturn b'))
    report = site.run(span, name="coded")
    assert (report.status, report.steps["rms"].computed, report.steps["rms"].failed) == ("partial", 2, 1)
    (failure,) = report.failures
    assert (failure.step, failure.partition) == ("rms", THREE)
    assert "no third" in failure.error
    assert failure.details.startswith('line 2 of the code: raise ValueError("no third")\nb: 56 records x 1 (mag [nT])')
    assert site.states(span, name="coded")["rms"] == {TWO: "fresh", THREE: "failed", FOUR: "fresh"}
    site.save(coded("return b"))
    assert site.run(span, name="coded").steps["rms"].computed == 3


FIGURE = """
  - id: overview
    figure:
      panels: [{traces: [{data: rms}]}]
"""


def messages(site: Site, run_id: str) -> tuple[dict[str | None, str], dict[str, str]]:
    """Of the run's page: step to why it failed, and step to why its coverage check failed."""
    with open_instance(site.settings) as instance:
        entries = instance.all_logs(run_id)
    failed: dict[str | None, str] = {}
    checked: dict[str, str] = {}
    for event in (entry.dagster_event for entry in entries if entry.dagster_event):
        if event.event_type == DagsterEventType.STEP_FAILURE:
            failed[event.step_key] = event.step_failure_data.error.message
        if event.event_type == DagsterEventType.ASSET_CHECK_EVALUATION:
            found = event.asset_check_evaluation_data
            if found.check_name == "coverage" and not found.passed:
                checked[found.asset_key.to_user_string()] = str(found.metadata["why"].value)
    return failed, checked


@pytest.mark.parametrize("starter", ["helio run", "the web UI"])
def test_the_page_of_a_run_says_which_code_failed_and_why(make_site: Callable, make_span: MakeSpan, starter: str) -> None:
    """The step of the code is what failed, with line and inputs; where some days are good, the last step says it."""
    body = 'if {}:\n    raise ValueError("no third")\nreturn b'
    never = coded(body.format("len(b)")).replace("name: coded", "name: never")
    site = make_site("home", never + FIGURE, coded(body.format("b.index[10].day == 3")) + FIGURE)
    days = make_span(TWO, 2)
    failed: dict[str | None, str] = {}
    checked: dict[str, str] = {}
    for run_id in started(site, days) if starter == "the web UI" else [site.run(days, name=each).run_id for each in BOTH]:
        found = messages(site, str(run_id))
        failed |= found[0]
        checked |= found[1]
    assert set(failed) == {"never__rms", "coded__overview"}
    for said in failed.values():
        assert 'line 2 of the code: raise ValueError("no third")' in said
        assert "records x 1 (mag [nT])" in said
    assert checked["coded/rms"].splitlines()[0] == f"{THREE}: ValueError: no third"


BOTH = ("never", "coded")


def started(site: Site, days: TimeRange) -> list[str]:
    """The one run over both pipelines that Dagster starts."""
    keys = Grain.DAILY.keys(days)
    tags = {"dagster/asset_partition_range_start": keys[0], "dagster/asset_partition_range_end": keys[-1]}
    with open_instance(site.settings) as instance:
        done = (
            library_definitions(site.settings)
            .resolve_implicit_global_asset_job_def()
            .execute_in_process(
                instance=instance,
                tags=tags,
                asset_selection=[asset_key(node.name) for name in BOTH for node in site.open(name)[1].nodes.values()],
                raise_on_error=False,
            )
        )
    return [done.run_id]


def test_a_clock_is_refused_on_its_line(make_site: Callable, span: TimeRange) -> None:
    """`helio check` names the line of the file; a run makes nothing of that step, and goes on with the others."""
    text = coded('first = 1\nreturn b.assign(age=(pd.Timestamp.now("UTC") - b.index).total_seconds())')
    site = make_site("home", text)
    (problem,) = check_files({"coded": parse_pipeline(text, file="coded.yaml")}).problems
    assert "now" in problem.problem
    assert text.splitlines()[problem.line - 1].strip().startswith("return b.assign")
    report = site.run(span, name="coded")
    assert {(each.step, each.partition) for each in report.failures} == {("rms", key) for key in (TWO, THREE, FOUR)}
    assert report.steps["mag"].computed == 3


def test_what_code_prints_is_kept_with_its_partition(make_site: Callable, make_span: MakeSpan) -> None:
    """`helio show` tells it beside the code itself and the libraries' versions."""
    site = make_site("home", coded(RMS))
    site.run(make_span(TWO), name="coded")
    graph = Home(site.settings).graph
    found = origin(graph, graph["coded/rms"], TWO, site.workbench())
    assert found.printed == "unit nT\n"
    assert found.made_by["body"].startswith('d = b["mag"]')
    assert {"numpy", "pandas", "scipy", "PyWavelets"} < set(found.versions)


ENDLESS = """
  - id: endless
    compute: {inputs: {b: mag}, unit: nT, code: "while True:\\n    pass\\nreturn b"}
"""


def test_limits_of_the_settings_hold(make_site: Callable, make_span: MakeSpan) -> None:
    """Less than the default: endless code is stopped, and that is said. More: neither reading nor running refuses long code."""
    site = make_site("home", coded(f"# {'long ' * 42_000}\nreturn b"))
    assert "longer than 200,000 bytes" in site.run(make_span(TWO), name="coded").failures[0].error
    site.save((site.settings.pipelines / "coded.yaml").read_text() + ENDLESS)
    site.settings = replace(site.settings, code_limits=SandboxLimits(cpu_s=1, wall_s=10, source_bytes=1_000_000))
    report = site.run(make_span(TWO), name="coded")
    (failure,) = report.failures
    assert (report.status, report.steps["rms"].computed, failure.step) == ("partial", 1, "endless")
    assert "1 s" in failure.error


def test_limits_reach_runs_that_dagster_starts(site: Site) -> None:
    """The resource of a code location carries them."""
    limits = SandboxLimits(cpu_s=7, memory_bytes=512 << 20)
    settings = replace(site.settings, code_limits=limits, allow_weak_sandbox=True)
    with dg.build_resources({"helio": own_resource(settings)}) as resources:
        scope = resources.original_resource_dict["helio"]
        assert isinstance(scope, RunScope)
        given = scope.workbench.settings
        assert (given.code_limits, given.allow_weak_sandbox) == (limits, True)


def test_verify_makes_code_steps_again(make_site: Callable, span: TimeRange) -> None:
    """To the same bytes."""
    site = make_site("home", coded(RMS))
    site.run(span, name="coded")
    pipeline, graph = site.open("coded")
    assert verify(RunRequest(graph, pipeline, span), site.workbench()).status == "same"


FAILING = {
    "raises": "raise ValueError('no')\nreturn b",
    "leaves": "raise SystemExit(0)\nreturn b",
    "returns_nothing": "return None",
    "returns_text": "return 'none'",
    "infinite": "return b / 0",
    "outside": "return b.shift(freq='40D')",
    "too_wide": "return pd.DataFrame({str(n): b['mag'] for n in range(9)})",
    "too_large": "return pd.concat([b] * 200)",
    "hungry": "return b * np.ones(1 << 40).sum()",
    "endless": "while True:\n    pass\nreturn b",
    "crashes": "np.lib.stride_tricks.as_strided(np.zeros(1), (1 << 40,), (1 << 20,))[1:] = 1\nreturn b",
    "differs": "return b * np.random.normal()",
    "refused": "return b * np.random.default_rng().normal()",
}
"""Every way in which code can fail, by the id of its step."""


def test_code_that_fails_is_never_said_to_be_empty(make_site: Callable, make_span: MakeSpan) -> None:
    """Whatever way it fails: failed in the report and in the status, and nothing is stored."""
    steps = [
        f"  - id: {name}\n    compute:\n      inputs: {{b: mag}}\n      unit: nT\n      code: |\n"
        + "".join(f"        {line}\n" for line in body.splitlines())
        for name, body in FAILING.items()
    ]
    site = make_site("home", PIPELINE.split("  - id: rms")[0] + "".join(steps))
    limits = SandboxLimits(cpu_s=1, wall_s=20, result_columns=8, result_bytes=1 << 16, memory_bytes=1 << 28)
    site.settings = replace(site.settings, code_limits=limits)
    report = site.run(make_span(TWO), name="coded")
    states = site.states(make_span(TWO), name="coded")
    assert {name for name in FAILING if report.steps[name].failed == 1} == set(FAILING)
    assert not any(found.empty for found in report.steps.values())
    assert {states[name][TWO] for name in FAILING} == {"failed"}
    assert {path.split("/")[1] for path in site.files("coded")} == {"mag"}
