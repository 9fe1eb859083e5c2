"""What steps expect of their results: judged in every run, recorded as asset checks by partition, stopping what reads them."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import dagster as dg
import pytest

from helio_dagster.domain.report import RunReport
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.launch.record.instance import open_instance
from tests.integration.running.conftest import BASIC, MakeSite, Mission, Shell, Site

FETCH = "cdaweb/TS_H0_MFI/BGSE"
DAYS = ["2023-01-02", "2023-01-03", "2023-01-04"]
MakeSpan = Callable[..., TimeRange]


def expecting(mag: str = "", *, b: str = "", mean: str = "", text: str = BASIC) -> str:
    """The pipeline with expectations of its steps."""
    for operation, given in (
        ("magnitude, inputs: {vector: b}}", mag),
        ("rolling_mean, inputs: {series: mag}, options: {window: PT2H}}", mean),
    ):
        if given:
            text = text.replace(f"{{operation: {operation}", f"{{operation: {operation}\n    expect: {given}")
    return text.replace("parameter: BGSE}", f"parameter: BGSE}}\n    expect: {b}") if b else text


def largest(site: Site, step: str = "mag") -> dict[str, float]:
    """Partition to the largest value that is stored."""
    store = site.workbench().store
    return {key: float(max(store.read(f"basic/{step}", key).columns["mag"])) for key in DAYS}


def checks(site: Site, asset: str, name: str = "expected") -> dict[str | None, dg.AssetCheckEvaluation]:
    """Partition to the newest evaluation of a check in the record."""
    with open_instance(site.settings) as instance:
        key = dg.AssetCheckKey(dg.AssetKey(asset.split("/")), name)
        records = instance.event_log_storage.get_asset_check_execution_history(key, limit=100)
    found: dict[str | None, dg.AssetCheckEvaluation] = {}
    for record in records:
        if record.event is not None and record.event.dagster_event is not None:
            data = record.event.dagster_event.event_specific_data
            if isinstance(data, dg.AssetCheckEvaluation):
                found.setdefault(record.partition, data)
    return found


@pytest.fixture
def high(ran_site: Site) -> tuple[str, float]:
    """The day with the largest magnitude, and a limit that only this day exceeds."""
    found = largest(ran_site)
    ordered = sorted(found, key=lambda key: found[key])
    return ordered[-1], round((found[ordered[-1]] + found[ordered[-2]]) / 2, 4)


def unmet_places(report: RunReport) -> list[tuple[str, str | None, str]]:
    """Step, partition and severity of what is not as expected."""
    return [(each.step, each.partition, each.severity) for each in report.unmet]


def test_a_new_expectation_is_judged_without_computing(ran_site: Site, span: TimeRange, high: tuple[str, float]) -> None:
    """Nothing is remade, no run is started; the warning has value, limit and time; Dagster's record has it by partition."""
    day, limit = high
    before = ran_site.files()
    ran_site.save(expecting(f"{{max: {limit}}}"))
    report = ran_site.run(span)
    assert (report.status, report.run_id, report.exit_code) == ("success", None, 0)
    assert unmet_places(report) == [("mag", day, "warn")]
    (found,) = report.unmet
    assert found.value == largest(ran_site)[day]
    assert found.limit == f"at most {limit:.6g} nT"
    assert found.when.startswith(day)
    assert ran_site.files() == before
    recorded = checks(ran_site, "basic/mag")
    assert {key: each.passed for key, each in recorded.items()} == {key: key != day for key in DAYS}
    assert recorded[day].description == found.text
    assert recorded[day].severity is dg.AssetCheckSeverity.WARN
    assert all(each.target_materialization_data is not None for each in recorded.values())


def test_verdicts_are_recorded_once(ran_site: Site, span: TimeRange) -> None:
    """A second run with nothing to do adds nothing to the record; an expectation that was changed is judged again."""
    ran_site.save(expecting("{max: 900}"))
    ran_site.run(span)
    assert ran_site.run(span).unmet == []
    with open_instance(ran_site.settings) as instance:
        key = dg.AssetCheckKey(dg.AssetKey(["basic", "mag"]), "expected")
        assert len(instance.event_log_storage.get_asset_check_execution_history(key, limit=100)) == len(DAYS)
    ran_site.save(expecting("{max: 0}"))
    assert len(ran_site.run(span).unmet) == len(DAYS)
    assert not any(each.passed for each in checks(ran_site, "basic/mag").values())


def test_a_run_evaluates_the_checks_it_announced(site: Site, span: TimeRange) -> None:
    """Each partition that a run makes has its evaluation, in the run, and no check stays planned."""
    site.save(expecting("{coverage: 80 %}", b="{min: -1000, max: 1000}"))
    report = site.run(span)
    assert report.unmet == []
    for asset, name in (("basic/mag", "expected"), (FETCH, "expected_basic_b")):
        with open_instance(site.settings) as instance:
            key = dg.AssetCheckKey(dg.AssetKey(asset.split("/")), name)
            records = instance.event_log_storage.get_asset_check_execution_history(key, limit=100)
        assert {record.partition for record in records} == set(DAYS)
        assert {(record.run_id, record.status.value) for record in records} == {(report.run_id, "SUCCEEDED")}


@pytest.mark.parametrize("is_made_before", [False, True])
def test_what_blocks_stops_just_its_partition(
    is_made_before: bool, make_site: MakeSite, ran_site: Site, span: TimeRange, high: tuple[str, float]
) -> None:
    """What reads the partition is not made, halos included, whether it was stored before the expectation or not."""
    day, limit = high
    site = ran_site if is_made_before else make_site("other")
    site.save(expecting(f"{{max: {limit}, severity: block}}"))
    report = site.run(span)
    place = DAYS.index(day)
    stopped = DAYS[max(0, place - 1) : place + 2]
    assert (report.status, report.exit_code) == ("partial", 1)
    assert unmet_places(report) == [("mag", day, "block")]
    assert report.steps["mag"].failed == 0
    assert report.steps["mean"].skipped == len(stopped)
    states = site.states(span)
    assert {key for key, state in states["mean"].items() if state == "failed"} == set(stopped)
    assert set(states["mag"].values()) == {"fresh"}
    assert "is not as expected: mag is" in site.why("mean", day)[0]
    with open_instance(site.settings) as instance:
        assert report.run_id is not None
        run = instance.get_run_by_id(report.run_id)
        assert run is not None
        assert run.status is dg.DagsterRunStatus.FAILURE
    assert checks(site, "basic/mag")[day].severity is dg.AssetCheckSeverity.ERROR
    site.save(expecting(f"{{max: {limit}}}"))
    again = site.run(span)
    assert again.status == "success"
    assert again.steps["mean"].computed == (0 if is_made_before else len(stopped))
    assert set(site.states(span)["mean"].values()) == {"fresh"}


def test_a_final_step_that_blocks_fails_the_run(site: Site, span: TimeRange) -> None:
    """Nobody reads it: it is made, and the run is a failure; a step that is not critical fails nothing."""
    site.save(expecting(mean="{max: 0, severity: block}"))
    report = site.run(span)
    assert (report.status, report.exit_code, report.steps["mean"].computed) == ("partial", 1, 3)
    with open_instance(site.settings) as instance:
        run = instance.get_run_by_id(str(report.run_id))
        assert run is not None
        assert run.status is dg.DagsterRunStatus.FAILURE
    site.save(expecting(mean="{max: 0, severity: block}\n    critical: false"))
    again = site.run(span)
    assert (again.status, len(again.unmet)) == ("success", 3)


def test_pipelines_expect_different_things_of_a_fetch_they_share(make_site: MakeSite, span: TimeRange) -> None:
    """Each has a check of its own on the shared asset; what one refuses stops only its own steps."""
    strict = expecting(b="{max: 0, severity: block}").replace("basic", "strict").replace("title: Basic", "title: Strict")
    site = make_site("shared", expecting(b="{max: 1000}"), strict)
    assert site.run(span).status == "success"
    refused = site.run(span, name="strict")
    assert refused.status == "partial"
    assert {(each.step, each.severity) for each in refused.unmet} == {("b", "block")}
    assert refused.steps["mag"].skipped == 3
    assert site.run(span).status == "success"
    assert {each.passed for each in checks(site, FETCH, "expected_basic_b").values()} == {True}
    assert {each.passed for each in checks(site, FETCH, "expected_strict_b").values()} == {False}


def test_a_result_over_a_range_is_judged_as_one(site: Site, span: TimeRange) -> None:
    """Its facts are compared, under the key of the range; the record shows the verdict on each partition that it covers."""
    text = expecting() + (
        '  - id: facts\n    over: range\n    expect: {facts: {mean: "< 0", minimum: "> -1 nT"}}\n'
        "    compute: {operation: facts_of, inputs: {series: mag}}\n"
    )
    site.save(text)
    report = site.run(span)
    assert report.status == "success"
    (found,) = report.unmet
    assert (found.step, found.what, found.name, found.limit) == ("facts", "fact", "mean", "less than 0")
    assert found.partition is not None
    assert found.partition.startswith("20230102")
    assert {key: each.passed for key, each in checks(site, "basic/facts").items()} == dict.fromkeys(DAYS, False)
    assert site.run(span).unmet == report.unmet


def test_a_home_that_lost_its_verdicts_judges_again(ran_site: Site, span: TimeRange, high: tuple[str, float]) -> None:
    """The same verdicts, from the stored tables alone."""
    ran_site.save(expecting(f"{{max: {high[1]}}}"))
    report = ran_site.run(span)
    (kept,) = (ran_site.settings.instance / "judged").iterdir()
    kept.write_text("{not json")
    assert ran_site.run(span).unmet == report.unmet
    assert json.loads(kept.read_text())["judged"].keys() == set(DAYS)


def test_coverage_and_gaps_are_judged(site: Site, mission: Mission, make_span: MakeSpan) -> None:
    """A day with a quarter of its records, and one without a file."""
    mission.publish("2023-01-05", records=12)
    site.save(expecting(b="{coverage: 80 %}"))
    report = site.run(make_span("2023-01-04", 3))
    assert [(each.partition, each.text) for each in report.unmet] == [
        ("2023-01-05", "coverage is 25.0 %, expected at least 80 %"),
        ("2023-01-06", "coverage is 0.0 %, expected at least 80 %"),
    ]


def test_a_person_sees_it_everywhere(ran_site: Site, shell: Shell, high: tuple[str, float]) -> None:
    """`helio run` prints a line and exits 1 where it blocks, `status`, `show` and `--json` say it too."""
    day, limit = high
    ran_site.save(expecting(f"{{max: {limit}, severity: block}}"))
    ran = shell(ran_site, "run", "basic", DAYS[0], "2023-01-05")
    assert ran.returncode == 1, ran.stderr
    assert f"stopped: mag {day} is not as expected: mag is" in ran.stdout
    assert f"expected at most {limit:.6g} nT" in ran.stdout
    status = shell(ran_site, "status", "basic", DAYS[0], "2023-01-05").stdout
    assert f"mag {day}: not as expected: mag is" in status
    assert f"expected at most {limit:.6g} nT" in shell(ran_site, "show", "basic/mag", day).stdout
    found: Any = json.loads(shell(ran_site, "run", "basic", day, "--json").stdout)
    assert [each["severity"] for each in found["unmet"]] == ["block"]
