"""`helio verify`: what is stored is redone beside the home, and every difference has a reason."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from helio_dagster import api
from helio_dagster.archives.cdas.faults import Fault
from helio_dagster.domain.errors import InputError
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.domain.verify_report import StepVerdict, VerifyReport
from helio_dagster.launch.running.request import RunRequest, resolve_span
from helio_dagster.launch.upkeep.verify import verify
from tests.integration.running.conftest import MakeSpan, Mission, Shell, Site
from tests.security.processes import descendants

TWO, THREE, FOUR = "2023-01-02", "2023-01-03", "2023-01-04"
DRAWN = """
version: 1
name: drawn
start: 2023-01-01
steps:
  - id: b
    fetch: {archive: cdaweb, dataset: TS_H0_MFI, parameter: BGSE}
  - id: mag
    compute: {operation: magnitude, inputs: {vector: b}}
  - id: storms
    table: {csv: "onset,name\\n2023-01-03T06:11Z,Test", source: "Someone 2023"}
  - id: plot
    figure:
      panels:
        - traces: [{data: b}]
        - traces: [{data: mag}]
      events: storms
"""


@pytest.fixture
def check() -> Callable[..., VerifyReport]:
    """What `helio verify` does."""

    def verified(site: Site, asked: Any, *, name: str = "basic") -> VerifyReport:
        pipeline, graph = site.open(name)
        workbench = site.workbench()
        return verify(RunRequest(graph, pipeline, resolve_span(graph, pipeline, asked, workbench.clock())), workbench)

    return verified


def step(report: VerifyReport, name: str) -> StepVerdict:
    """The verdicts on one step."""
    return next(each for each in report.steps if each.step == name)


def verdicts(report: VerifyReport, name: str) -> dict[str | None, str]:
    """Partition to verdict of one step."""
    return {each.key: each.verdict for each in step(report, name).partitions}


def why(report: VerifyReport, name: str, key: str | None) -> str:
    """The reasons given for one partition."""
    return "; ".join(next(each for each in step(report, name).partitions if each.key == key).why)


def everything(site: Site) -> dict[str, tuple[bytes, int]]:
    """Every file of a home with its content and time of change."""
    return {str(path): (path.read_bytes(), path.stat().st_mtime_ns) for path in site.settings.home.rglob("*") if path.is_file()}


def test_python_is_left_without_processes(make_site: Callable, span: TimeRange, monkeypatch: pytest.MonkeyPatch) -> None:
    """`run`, `verify` and `cite` end what they start: a notebook goes on for days."""
    make_site("first", DRAWN).run(span, name="drawn")  # the archive's server starts a reader of its own at the first request
    site = make_site("home", DRAWN)
    monkeypatch.setenv("HELIO_PIPELINES", str(site.settings.pipelines))
    monkeypatch.setenv("HELIO_CDAWEB_URL", site.settings.cdaweb_url)
    before = descendants()
    asked = {"pipeline": "drawn", "start": span.start, "stop": span.stop, "home": site.settings.home}
    assert api.run(**asked).exit_code == 0
    assert api.verify(**asked).status == "same"
    assert api.cite(**asked).datasets
    assert descendants() <= before


def test_what_was_run_is_redone_to_the_same_bytes(
    make_site: Callable, span: TimeRange, check: Callable[..., VerifyReport]
) -> None:
    """Tables, event table and figure: all the same, and nothing in the home was touched."""
    site = make_site("home", DRAWN)
    site.run(span, name="drawn")
    before = everything(site)
    report = check(site, span, name="drawn")
    assert report.status == "same"
    assert report.exit_code == 0
    assert {each.verdict for each_step in report.steps for each in each_step.partitions} == {"same"}
    assert verdicts(report, "plot") == {"2023-01-02 to 2023-01-05": "same"}
    assert verdicts(report, "storms") == {None: "same"}
    assert everything(site) == before


def test_downloads_at_hand_are_used_again(
    ran_site: Site, mission: Mission, span: TimeRange, check: Callable[..., VerifyReport]
) -> None:
    """With an archive that lists files and gives none, what the home's cache holds is enough."""
    mission.server.faults.add(Fault("html", "file"))
    assert check(ran_site, span).status == "same"


def test_a_rotten_download_is_not_trusted(
    ran_site: Site, mission: Mission, span: TimeRange, check: Callable[..., VerifyReport]
) -> None:
    """Its hash is compared: it is downloaded again for the comparison, and stays as it is in the home."""
    (path,) = ran_site.settings.cache.rglob("ts_h0_mfi_20230103*.cdf")
    content = bytearray(path.read_bytes())
    content[-200] ^= 0xFF
    path.write_bytes(bytes(content))
    assert check(ran_site, span).status == "same"
    assert path.read_bytes() == bytes(content)


def test_a_file_that_the_archive_changed_is_named(
    ran_site: Site, mission: Mission, span: TimeRange, check: Callable[..., VerifyReport]
) -> None:
    """The fetch differs because of the file, what was made from it because of the fetch, and other days are the same."""
    mission.publish(FOUR, seed=9)
    report = check(ran_site, span)
    assert report.exit_code == 1
    assert verdicts(report, "b") == {TWO: "same", THREE: "same", FOUR: "differs"}
    assert why(report, "b", FOUR) == "the archive changed the content of ts_h0_mfi_20230104_v01.cdf"
    assert verdicts(report, "mean") == {TWO: "same", THREE: "differs", FOUR: "differs"}
    assert why(report, "mean", THREE) == f"its input basic/mag differs ({FOUR})"


def test_a_file_published_again_unchanged_differs_in_its_file_only(
    ran_site: Site, mission: Mission, span: TimeRange, check: Callable[..., VerifyReport]
) -> None:
    """Same values, other date of the source."""
    os.utime(next(mission.folder.glob("*20230102*")), (1_800_000_000, 1_800_000_000))
    report = check(ran_site, span)
    (verdict,) = [each for each in step(report, "b").partitions if each.verdict != "same"]
    assert verdict.key == TWO
    assert verdict.same_values is True
    assert "republished, without changes" in verdict.why[0]
    assert set(verdicts(report, "mag").values()) == {"same"}


def test_an_edited_step_differs_by_its_code(ran_site: Site, span: TimeRange, check: Callable[..., VerifyReport]) -> None:
    """The reason is the code version, not the values."""
    path = ran_site.settings.pipelines / "basic.yaml"
    path.write_text(path.read_text().replace("PT2H", "PT4H"))
    report = check(ran_site, span)
    assert set(verdicts(report, "mag").values()) == {"same"}
    assert set(verdicts(report, "mean").values()) == {"differs"}
    assert "its code was" in why(report, "mean", TWO)


def test_a_figure_differs_by_what_it_draws(
    make_site: Callable, mission: Mission, span: TimeRange, check: Callable[..., VerifyReport]
) -> None:
    """The input is named; a page that was changed by hand is told as such."""
    site = make_site("home", DRAWN)
    site.run(span, name="drawn")
    page = next(site.settings.figures.glob("*.html"))
    page.write_text(page.read_text() + "<!-- mine -->")
    assert "the page was edited" in why(check(site, span, name="drawn"), "plot", "2023-01-02 to 2023-01-05")
    mission.publish(FOUR, seed=9)
    told = why(check(site, span, name="drawn"), "plot", "2023-01-02 to 2023-01-05")
    assert told == f"its input cdaweb/TS_H0_MFI/BGSE differs ({FOUR}); its input drawn/mag differs ({FOUR})"


def test_a_figure_of_part_of_a_day_is_drawn_again_over_that_part(
    make_site: Callable, make_span: MakeSpan, check: Callable[..., VerifyReport]
) -> None:
    """It is the same, and what is changed in it is found."""
    site = make_site("home", DRAWN)
    site.run(TimeRange(datetime(2023, 1, 2, 9, tzinfo=UTC), datetime(2023, 1, 2, 11, tzinfo=UTC)), name="drawn")
    over = "2023-01-02T09:00Z to 2023-01-02T11:00Z"
    assert verdicts(check(site, make_span(TWO), name="drawn"), "plot") == {over: "same"}
    page = next(site.settings.figures.glob("*.html"))
    page.write_text(page.read_text() + "<!-- mine -->")
    assert "the page was edited" in why(check(site, make_span(TWO), name="drawn"), "plot", over)


def test_a_picture_that_was_changed_is_told(make_site: Callable, span: TimeRange, check: Callable[..., VerifyReport]) -> None:
    """The PNG is drawn again and compared too; the page alone being the same is not enough."""
    site = make_site("home", DRAWN)
    site.run(span, name="drawn")
    assert set(verdicts(check(site, span, name="drawn"), "plot").values()) == {"same"}
    picture = next(site.settings.figures.glob("*.png"))
    picture.write_bytes(picture.read_bytes() + b"mine")
    report = check(site, span, name="drawn")
    assert report.status == "differs"
    assert "its PNG was edited" in why(report, "plot", "2023-01-02 to 2023-01-05")


def test_a_rotten_byte_is_found(ran_site: Site, span: TimeRange, check: Callable[..., VerifyReport]) -> None:
    """A file whose footer is whole and whose values are not is told as damaged."""
    path = ran_site.workbench().store.path("basic/mag", THREE)
    content = bytearray(path.read_bytes())
    content[len(content) // 4] ^= 0xFF
    path.write_bytes(bytes(content))
    report = check(ran_site, span)
    assert verdicts(report, "mag") == {TWO: "same", THREE: "differs", FOUR: "same"}
    assert "damaged" in why(report, "mag", THREE)


def test_what_cannot_be_redone_and_what_is_not_stored_are_told_apart(
    site: Site, mission: Mission, make_span: MakeSpan, check: Callable[..., VerifyReport]
) -> None:
    """A day the archive can no longer give, and a day that was never run."""
    site.run(make_span(TWO))
    mission.spoil(TWO)
    report = check(site, make_span(TWO, 2))
    assert verdicts(report, "b") == {TWO: "not_redone", THREE: "same"}
    assert "cannot be decoded" in why(report, "b", TWO)
    assert verdicts(report, "mean") == {TWO: "not_redone", THREE: "not_stored"}
    assert report.exit_code == 1


def test_where_nothing_is_stored_there_is_nothing_to_verify(
    site: Site, span: TimeRange, check: Callable[..., VerifyReport]
) -> None:
    """Wrong input, with the command that makes it."""
    with pytest.raises(InputError, match="nothing of basic is stored") as caught:
        check(site, span)
    assert "helio run basic 2023-01-02 2023-01-05" in caught.value.hint


def test_the_command_prints_one_document_and_gives_its_code(ran_site: Site, mission: Mission, shell: Shell) -> None:
    """Exit 0 while all is the same, 1 when a source changed; with --json one document on standard output."""
    done = shell(ran_site, "verify", "basic", TWO, "2023-01-05")
    assert done.returncode == 0, done.stderr
    assert "reproduced byte for byte" in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 80
    mission.publish(FOUR, seed=9)
    done = shell(ran_site, "verify", "basic", TWO, "2023-01-05", "--json")
    assert done.returncode == 1, done.stderr
    found = json.loads(done.stdout)
    assert found["status"] == "differs"
    assert found["steps"][0]["partitions"][2]["why"] == ["the archive changed the content of ts_h0_mfi_20230104_v01.cdf"]
    done = shell(ran_site, "verify", "basic", FOUR)
    assert done.returncode == 1
    assert "b 2023-01-04: differs: the archive changed the content" in done.stdout
