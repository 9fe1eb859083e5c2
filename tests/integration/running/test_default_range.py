"""`range:` in a pipeline's file: the range of a run for which none is given."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from helio_dagster.api import run
from helio_dagster.assets.library import check_files
from helio_dagster.domain.errors import InputError
from helio_dagster.domain.pipeline_text import dump_pipeline, parse_pipeline
from helio_dagster.domain.time_range import TimeRange, format_time
from helio_dagster.launch.home import Home
from tests.integration.running.conftest import BASIC, Shell, Site


def ranged(words: str, grain: str = "daily") -> str:
    """The pipeline with a default range."""
    return BASIC.replace("partitions: daily", f"partitions: {grain}\nrange: {words}")


@pytest.mark.parametrize(
    ("words", "grain", "now", "found"),
    [
        ("last 7 days", "daily", "2023-02-10T05:30", ("2023-02-03", "2023-02-10")),
        ("last 36 hours", "daily", "2023-02-10T05:30", ("2023-02-08", "2023-02-10")),
        ("last 7 days", "weekly", "2023-02-10T05:30", ("2023-01-30", "2023-02-06")),
        ("last 40 days", "monthly", "2023-02-10T05:30", ("2023-01-01", "2023-02-01")),
        ("2023-01-02/2023-01-05", "daily", "2023-02-10T05:30", ("2023-01-02", "2023-01-05")),
        ("2023-01", "daily", "2023-02-10T05:30", ("2023-01-01", "2023-02-01")),
        ("2023-01-02 06:00/2023-01-04 06:00", "daily", "2023-02-10T05:30", ("2023-01-02", "2023-01-05")),
        ("2023", "monthly", "2023-02-10T05:30", ("2023-01-01", "2023-02-01")),
    ],
)
def test_it_is_resolved_to_whole_partitions_that_are_over(
    site: Site, words: str, grain: str, now: str, found: tuple[str, str]
) -> None:
    """Against the clock, when it is asked for; a pipeline that is read and written keeps the words."""
    site.save(ranged(words, grain))
    opened = Home(site.settings).open("basic")
    start, stop = (datetime.fromisoformat(each).replace(tzinfo=UTC) for each in found)
    assert opened.default_range(datetime.fromisoformat(now).replace(tzinfo=UTC)) == TimeRange(start, stop)
    again = parse_pipeline(dump_pipeline(opened.pipeline), file="basic.yaml").pipeline
    assert again.range == words


def test_a_range_of_which_nothing_is_over_is_refused(site: Site) -> None:
    """The message has the words, and when the last partition ended."""
    site.save(ranged("last 2 days", "monthly"))
    with pytest.raises(InputError, match="`range: last 2 days` of basic has no monthly partition that is over") as raised:
        Home(site.settings).open("basic").default_range(datetime(2023, 2, 10, tzinfo=UTC))
    assert format_time(datetime(2023, 2, 1, tzinfo=UTC)) in raised.value.hint


@pytest.mark.parametrize("words", ["whenever", "last seven moons", "2023-13-45", "2023-01-05/2023-01-02"])
def test_words_that_are_no_range_are_refused_by_the_check(words: str) -> None:
    """At the line of `range:`, with what would be read."""
    file = parse_pipeline(ranged(words), file="basic.yaml")
    (problem,) = check_files({"basic": file}, is_thorough=False).problems
    assert (problem.path, problem.line) == ("range", 6)
    assert problem.hint


def test_a_run_without_times_takes_it(site: Site, shell: Shell) -> None:
    """The first line names the range and where it comes from; Python does the same; other times may be given."""
    site.save(ranged("2023-01-02/2023-01-04"))
    ran = shell(site, "run", "basic")
    assert ran.returncode == 0, ran.stderr
    assert (
        ran.stderr.splitlines()[0] == "basic: 2023-01-02 to 2023-01-04 (its `range: 2023-01-02/2023-01-04`), 2 daily partitions"
    )
    report = run(site.settings.pipelines / "basic.yaml", home=site.settings.home)
    assert (report.run_id, report.partitions) == (None, ["2023-01-02", "2023-01-03"])
    assert shell(site, "run", "basic", "2023-01-04").stderr.startswith("basic: 2023-01-04 to 2023-01-05, 1 daily")
    assert shell(site, "verify", "basic").returncode == 0
    site.save(BASIC)
    refused = shell(site, "run", "basic")
    assert refused.returncode == 2
    assert "no time range given" in refused.stderr
    assert "Or write `range:` in its file" in refused.stderr
