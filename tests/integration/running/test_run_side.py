"""What a conversation asks of a home: samples, trials, estimates, runs, judgements, forks, kept operations."""

from __future__ import annotations

import socket
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from helio_dagster.agent.run_side import RunSide
from helio_dagster.domain.errors import CodeError, CodeRefused, InputError, PipelineError
from helio_dagster.domain.pipeline import Fetch
from helio_dagster.domain.pipeline_text import PipelineFile, parse_pipeline
from helio_dagster.domain.report import StepReport
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.launch.home import Home
from helio_dagster.launch.running.run_side import HomeSide
from tests.integration.running.conftest import Mission, Site

FIELD = Fetch(archive="cdaweb", dataset="TS_H0_MFI", parameter="BGSE")
BASIC = """
version: 1
name: basic
title: Basic
partitions: daily
start: 2023-01-01
steps:
  - id: b
    fetch: {archive: cdaweb, dataset: TS_H0_MFI, parameter: BGSE}
  - id: mag
    compute: {operation: magnitude, inputs: {vector: b}}
  - id: mean
    compute: {operation: rolling_mean, inputs: {series: mag}, options: {window: PT2H}}
"""
DEVIATION = """
  - id: deviation
    intent: What is left beside the mean
    compute:
      inputs: {field: mag, mean: mean}
      unit: nT
      code: |
        left = field["mag"] - mean["mean"]
        return left.abs()
"""
DEMO = """
version: 1
name: demo_wind
title: Speed at ACE
start: 2003-10-01
steps:
  - id: b
    intent: Fetch the field of ACE
    fetch: {archive: demo, dataset: AC_H0_MFI, parameter: BGSEc}
  - id: mag
    compute: {operation: magnitude, inputs: {vector: b}}
"""


def span_of(start: str, days: float = 1) -> TimeRange:
    """Days from a date on."""
    first = datetime.fromisoformat(start).replace(tzinfo=UTC)
    return TimeRange(first, first + timedelta(days=days))


def side_of(site: Site) -> RunSide:
    """The side of a site's home that runs."""
    side: RunSide = HomeSide(Home(site.settings), site.workbench())
    return side


def draft(text: str = BASIC + DEVIATION, name: str = "basic") -> PipelineFile:
    """A pipeline that is not saved."""
    return parse_pipeline(text, file=f"{name}.yaml")


@pytest.fixture
def side(site: Site) -> RunSide:
    """The side of a home over three days of the mission, with the pipeline `basic`."""
    return side_of(site)


def test_a_sample_tells_what_there_is(side: RunSide, site: Site) -> None:
    """The first whole day: kind, unit, columns, cadence, coverage; nothing but downloads is left in the home."""
    found = side.sample(FIELD, span_of("2023-01-02T06:00", 3))
    assert (found.state, found.records, found.span) == ("data", 48, span_of("2023-01-03"))
    assert (found.kind, found.unit, found.cadence) == ("vector", "nT", timedelta(minutes=30))
    assert len(found.columns) == 3
    assert found.coverage == 1
    assert not site.files()


def test_a_sample_shorter_than_a_day_is_the_range(side: RunSide) -> None:
    """What is asked for is looked at, where it holds no whole day."""
    found = side.sample(FIELD, span_of("2023-01-02T06:00", 0.25))
    assert (found.records, found.span) == (12, span_of("2023-01-02T06:00", 0.25))


def test_an_empty_beginning_is_not_the_range(side: RunSide) -> None:
    """Where the first day has nothing, one from the middle is looked at."""
    found = side.sample(FIELD, span_of("2022-12-30", 8))
    assert (found.state, found.span) == ("data", span_of("2023-01-03"))


def test_no_data_is_a_true_answer(side: RunSide) -> None:
    """A range without files is empty, and nothing is wrong with the fetch."""
    found = side.sample(FIELD, span_of("2023-02-01", 5))
    assert (found.state, found.records, found.problem) == ("empty", 0, "")


def test_all_fill_is_told_from_no_data(side: RunSide, mission: Mission) -> None:
    """Records without a valid value are neither data nor absence."""
    for day in ("2023-01-02", "2023-01-03", "2023-01-04"):
        mission.publish(day, fill=True)
    found = side.sample(FIELD, span_of("2023-01-02", 3))
    assert (found.state, found.records, found.coverage) == ("all_fill", 48, 0)


def test_a_fetch_that_cannot_be_right_says_so(side: RunSide) -> None:
    """Neither an unknown parameter nor an unknown archive is raised."""
    found = side.sample(FIELD.model_copy(update={"parameter": "BGSM"}), span_of("2023-01-02"))
    assert (found.state, "BGSM" in found.problem) == ("failed", True)
    found = side.sample(FIELD.model_copy(update={"archive": "nowhere"}), span_of("2023-01-02"))
    assert (found.state, "no archive" in found.problem) == ("failed", True)


def test_a_damaged_file_is_no_absence(side: RunSide, mission: Mission) -> None:
    """A file that no reader can decode is told as a failure."""
    mission.spoil("2023-01-02")
    assert side.sample(FIELD, span_of("2023-01-02")).state == "failed"


def test_an_archive_that_is_away_is_told_at_once(site: Site, mission: Mission) -> None:
    """One try, and the state says that nothing is known."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        away = f"http://127.0.0.1:{taken.getsockname()[1]}/sp_phys/"
        site.settings = replace(site.settings, cdaweb_url=away)
        found = side_of(site).sample(FIELD, span_of("2023-01-02"))
    assert (found.state, bool(found.problem)) == ("unreachable", True)


def test_a_check_tells_only_of_the_draft(side: RunSide, site: Site) -> None:
    """Faults of other files are not its; a step that others read and it lacks is a note."""
    site.save(
        "version: 1\nname: other\nsteps:\n  - id: r\n    compute: {operation: ratio, inputs: {a: basic/mag, b: basic/gone}}\n"
    )
    assert not side.check(draft()).problems
    broken = draft(BASIC.replace("series: mag", "series: mog"))
    assert [problem.path for problem in side.check(broken).problems] == ["steps[2].compute.inputs.series"]
    notes = [note.problem for note in side.check(draft()).notes]
    assert "the pipeline other reads basic/gone, which no longer exists" in notes


def test_a_step_of_a_draft_is_tried(side: RunSide, site: Site) -> None:
    """Statistics, a picture, and whether the code gave the same in other surroundings; the home stays as it was."""
    found = side.try_step(draft(), "deviation", span_of("2023-01-02T06:00", 3))
    assert (found.partition, found.records, found.is_twice_the_same) == ("2023-01-03", 48, True)
    assert "48 records, nT" in found.text
    assert "deviation: " in found.text
    assert not site.files()


def test_code_that_fails_is_raised_by_a_trial(side: RunSide) -> None:
    """With its line."""
    broken = draft((BASIC + DEVIATION).replace('mean["mean"]', 'mean["median"]'))
    with pytest.raises(CodeError) as caught:
        side.try_step(broken, "deviation", span_of("2023-01-02"))
    assert caught.value.line == 1


def test_a_range_that_is_not_over_cannot_be_tried(side: RunSide) -> None:
    """The clock of the home counts."""
    with pytest.raises(InputError, match="no daily partition"):
        side.try_step(draft(), "mag", span_of("2027-01-02"))


def test_an_estimate_of_a_draft_is_what_its_run_costs(side: RunSide) -> None:
    """Partitions and files, before it is saved."""
    ahead = side.estimate(draft(BASIC.replace("PT2H", "PT1H")), span_of("2023-01-02", 3))
    assert (ahead.files, ahead.at_hand) == (3, 0)
    assert ahead.problem is None
    done = side.run("basic", span_of("2023-01-02", 3), lambda *_: None)
    assert (
        ahead.partitions == sum(step.computed + step.empty for step in done.steps.values()) + 4
    )  # and both neighbours of b and mag


def test_what_the_embedded_archive_makes_is_no_download(side: RunSide) -> None:
    """Its files are counted as made here; how much each step has to make is told."""
    ahead = side.estimate(draft(DEMO, "demo_wind"), span_of("2003-10-29", 2))
    assert (ahead.files, ahead.synthetic, ahead.download_bytes) == (2, 2, 0)
    assert ahead.steps == {"b": 2, "mag": 2}
    assert ahead.partitions == 4


def test_progress_ends_with_all_partitions(side: RunSide) -> None:
    """The last that is told is the whole; the first is less."""
    told: list[str] = []
    side.save(draft())
    side.run("basic", span_of("2023-01-02", 3), lambda *_: None, told.append)
    counts = [int(each.split(" of ")[0]) for each in told]
    assert counts == sorted(counts)
    assert counts[0] < counts[-1]
    assert told[-1].startswith(f"{counts[-1]} of {counts[-1]} partitions done")


def test_a_run_tells_each_step_once_when_it_is_done(side: RunSide) -> None:
    """In the order in which they are done, with the numbers of the report; again all is reused."""
    told = []
    report = side.run("basic", span_of("2023-01-02", 3), lambda step, counts: told.append((step, counts)))
    assert report.status == "success"
    assert [step for step, _ in told] == ["b", "mag", "mean"]
    assert dict(told) == report.steps
    told.clear()
    side.run("basic", span_of("2023-01-02", 3), lambda step, counts: told.append((step, counts)))
    assert [(step, counts.reused) for step, counts in told] == [("b", 3), ("mag", 3), ("mean", 3)]


def test_steps_that_fail_are_told_of_too(side: RunSide, mission: Mission) -> None:
    """One damaged file: each step has one failed or skipped partition."""
    mission.spoil("2023-01-03")
    told: dict[str, StepReport] = {}
    report = side.run("basic", span_of("2023-01-02", 3), told.__setitem__)
    assert report.status == "partial"
    assert told == report.steps
    assert (told["b"].failed, told["mag"].skipped) == (1, 1)


def test_what_is_saved_is_what_is_run(side: RunSide, site: Site) -> None:
    """A new pipeline, then another text under its name: each run is of the text saved last; then it is taken back."""
    one = draft("version: 1\nname: fresh\nstart: 2023-01-01\n" + BASIC[BASIC.index("steps:") :], "fresh")
    path = side.save(one)
    assert path == str(site.settings.pipelines / "fresh.yaml")
    assert "fresh" in side.names()
    assert side.load("fresh").text == one.text
    assert list(side.run("fresh", span_of("2023-01-02"), lambda *_: None).steps) == ["b", "mag", "mean"]
    side.save(draft(one.text + DEVIATION, "fresh"))
    assert "deviation" in side.run("fresh", span_of("2023-01-02"), lambda *_: None).steps
    side.remove("fresh")
    assert side.names() == ["basic"]
    with pytest.raises(InputError, match="no pipeline 'fresh'"):
        side.load("fresh")


def test_the_checks_are_told_in_words(side: RunSide) -> None:
    """Coverage, order, fill, columns and values of each step, with their numbers."""
    side.run("basic", span_of("2023-01-02", 3), lambda *_: None)
    found = {(each.step, each.check): each for each in side.judge("basic", span_of("2023-01-02", 3))}
    assert all(each.has_passed for each in found.values())
    coverage = found["mag", "coverage"]
    assert coverage.text == "mag: 100 % of the 3 days have data, no gaps"
    assert coverage.facts == {"coverage": 1.0, "records": 144, "missing_partitions": 0, "cadence_s": 1800.0, "gaps": 0}
    assert found["mag", "time_in_order"].text == "mag: all times are unique and in order"
    values = found["mag", "values"]
    assert values.text.startswith("mag: values from ")
    assert values.text.endswith(" nT; none of the values is fill")
    assert values.facts["unit"] == "nT"
    assert found["b", "values"].text.count(" from ") == 3


def test_gaps_are_told_with_the_longest(side: RunSide, mission: Mission) -> None:
    """A day that stops at noon: its share, its gap and where it begins."""
    mission.publish("2023-01-03", records=24)
    side.run("basic", span_of("2023-01-02", 3), lambda *_: None)
    found = next(each for each in side.judge("basic", span_of("2023-01-02", 3)) if (each.step, each.check) == ("b", "coverage"))
    assert found.text == "b: 83.3 % of the 3 days have data; the only gap is 12.5 h on 2023-01-03 11:30"
    assert found.facts["longest_gap_s"] == 12.5 * 3600


def test_part_of_a_day_is_judged_by_itself(side: RunSide, mission: Mission) -> None:
    """A gap in the rest of the day is none of it, and one in it is all of it."""
    mission.publish("2023-01-03", records=24)
    side.run("basic", span_of("2023-01-03"), lambda *_: None)
    noon = datetime(2023, 1, 3, 12, tzinfo=UTC)
    asked = [
        TimeRange(noon - timedelta(hours=4), noon - timedelta(hours=1)),
        TimeRange(noon + timedelta(hours=1), noon + timedelta(hours=4)),
    ]
    before, after = ({(each.step, each.check): each for each in side.judge("basic", part)}["b", "coverage"] for part in asked)
    assert before.text == "b: 100 % of the 3 h have data, no gaps"
    assert (after.has_passed, after.text) == (False, "b: no valid data in the 3 h")


def test_what_is_wanting_does_not_pass(side: RunSide, mission: Mission) -> None:
    """A day of fill, a day without files and one that was never made are told apart."""
    mission.publish("2023-01-03", fill=True)
    mission.withdraw("2023-01-04")
    side.run("basic", span_of("2023-01-02", 3), lambda *_: None)
    found = {(each.step, each.check): each for each in side.judge("basic", span_of("2023-01-01", 4))}
    assert not found["b", "coverage"].has_passed
    assert found["mean", "coverage"].facts["missing_partitions"] == 1  # `b` was made there, for its neighbour
    assert found["mean", "coverage"].text.endswith("; 1 of 4 partitions is missing; 1 of 4 partitions has no records")
    assert found["b", "not_all_fill"].text == "b: only fill values in 2023-01-03"
    assert not found["b", "not_all_fill"].has_passed
    assert found["b", "values"].facts["fill_share"] == 0.5


def test_what_is_out_of_date_is_no_result(side: RunSide) -> None:
    """What a step made before its pipeline was changed, and not since, is not judged as if it were made so."""
    side.run("basic", span_of("2023-01-02", 3), lambda *_: None)
    side.save(draft(BASIC.replace("window: PT2H", "window: PT5H")))
    found = {(each.step, each.check): each for each in side.judge("basic", span_of("2023-01-02", 3))}
    assert found["mag", "coverage"].has_passed
    assert not found["mean", "coverage"].has_passed
    assert found["mean", "coverage"].text == "mean: no valid data in the 3 days; 3 of 3 partitions are out of date"


def test_nothing_stored_is_no_data(side: RunSide) -> None:
    """A range that was never run is judged as such."""
    found = side.judge("basic", span_of("2023-01-02"))
    assert [(each.check, each.has_passed) for each in found if each.step == "mag"] == [("coverage", False), ("values", False)]


def test_saved_pipelines_are_found_by_words(side: RunSide, site: Site) -> None:
    """Best first, with the words that they hold and those that they do not."""
    side.save(draft(DEMO, "demo_wind"))
    found = side.find_pipelines("run my ACE speed pipeline")
    assert [(each.name, each.title, each.words, each.missed) for each in found] == [
        ("demo_wind", "Speed at ACE", ("ace", "speed"), ("pipeline",))
    ]
    assert side.find_pipelines("qqq zzzzz") == []


def test_a_draft_is_forked_for_another_mission(side: RunSide) -> None:
    """It need not be saved; what takes whose place is told, and the fork can be run."""
    found = side.fork(draft(DEMO, "demo_wind"), "demo_other", "Wind")
    assert found.file.pipeline.name == "demo_other"
    fetch = found.file.pipeline.step("b").fetch
    assert fetch is not None
    assert (fetch.archive, fetch.dataset) == ("demo", "WI_H0_MFI")
    assert "AC_H0_MFI BGSEc" in found.changes[0]
    assert "WI_H0_MFI" in found.changes[0]
    side.save(found.file)
    assert side.run("demo_other", span_of("2003-10-29"), lambda *_: None).status == "success"


def test_a_fork_for_a_mission_that_does_not_measure_it_is_refused(side: RunSide) -> None:
    """Nothing is made up."""
    with pytest.raises(InputError):
        side.fork(draft(), "other", "Wind")


def test_a_step_is_kept_as_an_operation(side: RunSide, site: Site) -> None:
    """It serves inputs of other names, in the unit it was made with, and gives in a pipeline what the code gave."""
    file = draft()
    side.save(file)
    assert side.keep_operation(file, "deviation", "left_over", "What is left.", span_of("2023-01-02", 3)) == "left_over@1"
    kept = Home(site.settings).operations.get("left_over@1")
    assert {name: (each.kinds, each.unit) for name, each in kept.inputs.items()} == {
        "field": (("series",), "nT"),
        "mean": (("series",), "nT"),
    }
    assert (kept.summary, kept.origin) == ("What is left.", "generated")
    step = "  - id: other\n    compute: {operation: left_over@1, inputs: {field: mean, mean: mag}}\n"
    step += "  - id: again\n    compute: {operation: left_over@1, inputs: {field: mag, mean: mean}}\n"
    side.save(draft(file.text + step))
    assert side.run("basic", span_of("2023-01-02"), lambda *_: None).status == "success"
    store = site.workbench().store
    of = {name: store.read(f"basic/{name}", "2023-01-02") for name in ("deviation", "other", "again")}
    assert (of["again"].columns["again"] == of["deviation"].columns["deviation"]).all()
    assert (of["other"].columns["other"] == of["deviation"].columns["deviation"]).all()
    assert of["again"].meta.unit == "nT"


def test_code_over_a_vector_is_kept_with_its_columns(side: RunSide, site: Site) -> None:
    """Columns that the code names are read by place, so that it serves vectors whose columns are named otherwise."""
    code = 'field = b[["By GSE", "Bz GSE"]]\nreturn field * b["Bx GSE"].mean()'
    step = "  - id: part\n    compute:\n      inputs: {b: b}\n      frame: GSE\n      code: |\n"
    file = draft(BASIC + step + "".join(f"        {line}\n" for line in code.splitlines()))
    side.keep_operation(file, "part", "part_of", "A part.", span_of("2023-01-02"))
    kept = Home(site.settings).operations.get("part_of@1")
    assert (kept.inputs["b"].kinds, kept.inputs["b"].columns) == (("vector",), 3)
    text = (site.settings.operations / "part_of@1.yaml").read_text()
    assert "field = b.iloc[:, [1, 2]]\n  return field * b.iloc[:, 0].mean()\n" in text
    assert "columns: [By GSE, Bz GSE]" in text


def test_the_same_code_is_kept_once(side: RunSide) -> None:
    """Other code under the same name is its next version."""
    span = span_of("2023-01-02", 3)
    side.keep_operation(draft(), "deviation", "left_over", "", span)
    with pytest.raises(CodeRefused, match="saved already, as left_over@1"):
        side.keep_operation(draft(), "deviation", "left_over", "", span)
    other = draft((BASIC + DEVIATION).replace("left.abs()", "left ** 2"))
    assert side.keep_operation(other, "deviation", "left_over", "", span) == "left_over@2"


@pytest.mark.parametrize(
    ("old", "new", "error"),
    [
        ('mean["mean"]', 'mean["median"]', CodeError),
        ("left.abs()", "left + np.random.default_rng().normal()", CodeRefused),
        ("left.abs()", "left * np.nan", InputError),
    ],
)
def test_code_that_does_not_keep_its_word_is_not_kept(
    side: RunSide, site: Site, old: str, new: str, error: type[Exception]
) -> None:
    """What fails, what differs from run to run and what gives nothing; no file is written."""
    file = draft((BASIC + DEVIATION).replace(old, new))
    with pytest.raises(error):
        side.keep_operation(file, "deviation", "left_over", "", span_of("2023-01-02", 3))
    assert not list(site.settings.operations.glob("*"))


@pytest.mark.parametrize(
    ("step", "operation", "words"), [("mag", "mine", "has no code"), ("deviation", "No", "not a valid operation id")]
)
def test_what_is_no_operation_is_not_kept(side: RunSide, step: str, operation: str, words: str) -> None:
    """A step without code, and a name that is none."""
    with pytest.raises(InputError, match=words):
        side.keep_operation(draft(), step, operation, "", span_of("2023-01-02"))


def test_a_draft_that_is_wrong_is_not_estimated(side: RunSide) -> None:
    """Its faults are raised, each with its place."""
    with pytest.raises(PipelineError, match="mog"):
        side.estimate(draft(BASIC.replace("series: mag", "series: mog")), span_of("2023-01-02"))
