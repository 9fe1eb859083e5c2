"""What the archive makes of answers as HAPI servers, proxies and liars give them."""

from __future__ import annotations

import json
import struct
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from helio_dagster.archives.archive import Fetched
from helio_dagster.archives.hapi.archive import HapiArchive
from helio_dagster.domain.errors import (
    ArchiveAnswerError,
    ArchiveUnavailable,
    CorruptFile,
    HelioError,
    InputError,
    UnknownDataset,
)
from helio_dagster.domain.time_range import TimeRange
from tests.integration.archives.hapi.conftest import Script

DAY = datetime(2020, 5, 2, tzinfo=UTC)
HTML = b"<!DOCTYPE html><html><body>Maintenance</body></html>"
HEAD = "#" + json.dumps(
    {
        "HAPI": "3.1",
        "status": {"code": 1200, "message": "OK"},
        "parameters": [
            {"name": "Time", "type": "isotime", "length": 20, "units": "UTC", "fill": None},
            {"name": "B", "type": "double", "units": "nT", "fill": "-1e31"},
        ],
    }
)
LINES = f"{HEAD}\n2020-05-02T00:00:00Z,1.5\n2020-05-02T00:00:01Z,-1e31\n".encode()


def status(code: int, message: str = "said so") -> dict[str, object]:
    """A HAPI status by itself."""
    return {"HAPI": "3.1", "status": {"code": code, "message": message}}


def days(count: int = 1) -> list[TimeRange]:
    """Windows of a day each."""
    return [TimeRange(DAY + timedelta(days=n), DAY + timedelta(days=n + 1)) for n in range(count)]


def fetch(archive: HapiArchive, *, parameter: str = "B", verify: bool = False) -> Fetched:
    """What comes of one day."""
    (fetched,) = archive.fetch("D", parameter, days(), verify=verify)
    return fetched


def problem(fetched: Fetched) -> HelioError:
    """Why nothing came."""
    assert fetched.error is not None
    return fetched.error


def test_data_are_read_and_their_origin_is_known(script: Script, archive: HapiArchive, tmp_path: Path) -> None:
    """Lines with a header: the day's records, the fill as NaN, and the bytes as received in the cache."""
    script.say("/data", LINES)
    fetched = fetch(archive)
    assert fetched.table is not None
    assert fetched.table.columns["B"].tolist()[0] == 1.5
    assert (len(fetched.table), fetched.table.status, fetched.table.meta.unit) == (2, "data", "nT")
    (source,) = fetched.sources
    assert (source.name, source.size) == ("D_20200502_P1D.hapi", len(LINES))
    kept = [path for path in (tmp_path / "cache").rglob("*") if path.is_file() and path.suffix != ".json"]
    assert [path.read_bytes() for path in kept] == [LINES]


@pytest.mark.parametrize(
    ("version", "query"),
    [
        ("2.1", "id=D&parameters=B&time.min=2020-05-02T00:00:00Z&time.max=2020-05-03T00:00:00Z&include=header&format=csv"),
        ("3.1", "dataset=D&parameters=B&start=2020-05-02T00:00:00Z&stop=2020-05-03T00:00:00Z&include=header&format=csv"),
    ],
)
def test_each_version_is_asked_in_its_own_words(script: Script, archive: HapiArchive, version: str, query: str) -> None:
    """HAPI 3 renamed three words."""
    script.describe(version=version)
    script.say("/data", LINES)
    assert fetch(archive).table is not None
    assert f"/hapi/data?{query}" in script.asked
    assert f"/hapi/info?{query.split('&')[0]}" in script.asked


def test_binary_is_asked_for_where_it_is_spoken(script: Script, archive: HapiArchive) -> None:
    """And read by its header."""
    script.describe(formats=("csv", "binary", "json"))
    script.say("/data", f"{HEAD}\n".encode() + struct.pack("<20sd", b"2020-123T00:00:00Z", 2.5))
    fetched = fetch(archive)
    assert fetched.table is not None
    assert fetched.table.columns["B"].tolist() == [2.5]
    assert script.asked[-1].endswith("format=binary")


def test_catalog_and_description_are_given(archive: HapiArchive) -> None:
    """For `helio catalog`."""
    assert [(item.id, item.title) for item in archive.client.catalog()] == [("D", "Data"), ("AC_H0_MFI", "")]
    info = archive.client.info("D")
    assert ([each.name for each in info.parameters], info.cadence) == (["Time", "B"], "PT1S")


@pytest.mark.parametrize(
    ("body", "http"),
    [(b"", 200), (status(1201), 200), (status(1201), 404), (status(1405), 400), (f"{HEAD}\n".encode(), 200)],
)
def test_no_data_is_a_true_answer(script: Script, archive: HapiArchive, body: object, http: int) -> None:
    """Empty, however it is said, and kept: asked for once."""
    script.say("/data", body, http)
    for _ in range(2):
        fetched = fetch(archive)
        assert fetched.error is None
        assert fetched.table is not None
        assert len(fetched.table) == 0
    assert sum("/data" in path for path in script.asked) == 1


def test_what_lies_outside_the_dataset_is_empty_without_asking(script: Script, archive: HapiArchive) -> None:
    """By the server's own word on where it begins and stops."""
    year = [TimeRange(datetime(2019, 5, 2, tzinfo=UTC), datetime(2019, 5, 3, tzinfo=UTC))]
    (fetched,) = archive.fetch("D", "B", year)
    assert (fetched.table is not None, fetched.sources) == (True, ())
    assert not any("/data" in path for path in script.asked)


def test_an_unknown_dataset_is_named_with_near_ones(script: Script, archive: HapiArchive) -> None:
    """Status 1406, with the catalog's names."""
    script.answers.pop("/info")
    script.say("/info", status(1406), 404)
    with pytest.raises(UnknownDataset, match="there is no dataset AC_H0_MFX") as caught:
        list(archive.fetch("AC_H0_MFX", "B", days()))
    assert caught.value.hint == "Did you mean AC_H0_MFI?"
    with pytest.raises(UnknownDataset):
        list(archive.listed("AC_H0_MFX", days()))


def test_an_unknown_parameter_is_named_with_those_there_are(script: Script, archive: HapiArchive) -> None:
    """From the description, before any data are asked for; or by status 1407."""
    with pytest.raises(UnknownDataset, match="there is no parameter 'b'") as caught:
        list(archive.fetch("D", "b", days()))
    assert caught.value.hint == "Did you mean B?"
    script.say("/data", status(1407), 404)
    with pytest.raises(UnknownDataset, match="1407"):
        list(archive.fetch("D", "B", days()))


@pytest.mark.parametrize(
    ("body", "http", "kind", "said"),
    [
        (status(1400, "bad\x1b[31m"), 400, ArchiveAnswerError, "1400 bad"),
        (status(1408), 400, ArchiveAnswerError, "1408"),
        (status(1408), 200, ArchiveAnswerError, "1408"),
        (status(1500), 200, ArchiveUnavailable, "1500"),
        (status(1500), 500, ArchiveUnavailable, "status 500"),
        (b"", 503, ArchiveUnavailable, "status 503"),
        (HTML, 200, ArchiveUnavailable, "a web page instead of data"),
        (HTML, 404, ArchiveAnswerError, "a web page, with status 404"),
        ({"records": []}, 200, ArchiveUnavailable, "not HAPI data"),
        ({"error": "no"}, 400, ArchiveAnswerError, "not a HAPI answer"),
        (b"\x89PNG", 200, ArchiveUnavailable, "not HAPI data"),
        (LINES[:-5], 200, CorruptFile, "cut off"),
        (LINES + b"2020-05-02T00:00:02Z\n", 200, CorruptFile, "not those of the header"),
    ],
)
def test_what_cannot_be_used_is_a_clear_error(
    script: Script, archive: HapiArchive, body: object, http: int, kind: type[HelioError], said: str
) -> None:
    """Of the right kind, in one line, with what to do; and no piece of it is kept as data."""
    script.say("/data", body, http)
    error = problem(fetch(archive))
    assert type(error) is kind or isinstance(error, kind)
    assert said in error.problem
    assert error.hint
    assert "\x1b" not in str(error)
    script.answers.pop("/data")
    script.say("/data", LINES)
    assert fetch(archive).error is None


@pytest.mark.parametrize(
    ("place", "body", "kind"),
    [
        ("/capabilities", HTML, ArchiveUnavailable),
        ("/info", HTML, ArchiveUnavailable),
        ("/info", b"soon", ArchiveUnavailable),
        ("/info", [], ArchiveAnswerError),
        ("/info", {"parameters": [{"name": 5}]}, ArchiveAnswerError),
        ("/info", {**status(1200), "parameters": []}, ArchiveAnswerError),
        ("/info", status(1500), ArchiveUnavailable),
        ("/info", b"[" * 300_000, ArchiveUnavailable),
        ("/info", b" " * 1_100_000, ArchiveAnswerError),
        ("/capabilities", {"FileDescription": []}, ArchiveAnswerError),
    ],
)
def test_a_description_that_is_none_is_a_clear_error(
    script: Script, archive: HapiArchive, place: str, body: object, kind: type[HelioError]
) -> None:
    """For each window; the next fetch asks again."""
    script.answers.pop(place)
    script.say(place, body)
    error = problem(fetch(archive))
    assert type(error) is kind
    assert error.hint
    assert len(error.problem) < 500


def test_a_body_without_stop_is_broken_off(script: Script, archive: HapiArchive) -> None:
    """A description that never stops is refused at its limit."""
    script.answers.pop("/info")
    script.say("/info", b"[1," * 100_000, is_endless=True)
    assert "too long" in problem(fetch(archive)).problem


def test_data_without_stop_are_broken_off(script: Script, archive: HapiArchive, tmp_path: Path) -> None:
    """At the limit of a file; nothing of it stays."""
    script.say("/data", b"2020-05-02T00:00:00Z,1.0\n" * 4000, is_endless=True)
    assert "too long" in problem(fetch(archive)).problem
    assert [path for path in (tmp_path / "cache").rglob("*") if path.is_file()] == []


def test_a_corrupt_chunk_is_asked_for_once_more(script: Script, archive: HapiArchive, tmp_path: Path) -> None:
    """And kept aside."""
    script.say("/data", LINES[:-5])
    script.say("/data", LINES)
    assert fetch(archive).error is None
    assert len(list((tmp_path / "cache").rglob("*.corrupt"))) == 1


def test_records_beside_the_chunk_do_not_count(script: Script, archive: HapiArchive) -> None:
    """Stop is exclusive, whatever the server sends."""
    outside = b"2020-05-01T23:59:59Z,7\n2020-05-03T00:00:00Z,8\n"
    script.say("/data", LINES + outside)
    fetched = fetch(archive)
    assert fetched.table is not None
    assert len(fetched.table) == 2


def test_an_answer_to_another_question_is_not_empty(script: Script, archive: HapiArchive) -> None:
    """Records, but none of them anywhere near the time that was asked for: a failure, not a day without data."""
    script.say("/data", LINES.replace(b"2020", b"2019"))
    assert "sent records of 2019" in problem(fetch(archive)).problem


def test_a_dated_dataset_is_asked_again_when_its_date_changes(script: Script, archive: HapiArchive) -> None:
    """The date is the revision of every chunk."""
    script.describe(modificationDate="2021-01-01Z")
    script.say("/data", LINES)
    first = fetch(archive)
    (listed,) = archive.listed("D", days())
    assert (listed.revision, archive.is_at_hand(listed.files[0])) == (first.revision, False)
    script.describe(modificationDate="2021-02-01Z")
    script.say("/data", LINES.replace(b"1.5", b"2.5"))
    second = fetch(archive)
    assert second.table is not None
    assert second.revision != first.revision
    assert second.table.columns["B"][0] == 2.5


def test_an_undated_dataset_is_asked_again_only_by_force(script: Script, archive: HapiArchive) -> None:
    """There is nothing by which to notice; what is at hand stays where the server fails."""
    script.say("/data", LINES)
    first = fetch(archive)
    script.answers.pop("/data")
    script.say("/data", b"", 503)
    assert isinstance(problem(fetch(archive, verify=True)), ArchiveUnavailable)
    assert fetch(archive).sources == first.sources
    script.answers.pop("/data")
    script.say("/data", LINES.replace(b"1.5", b"2.5"))
    assert fetch(archive).sources == first.sources
    forced = fetch(archive, verify=True)
    assert forced.table is not None
    assert forced.table.columns["B"][0] == 2.5


def test_a_growing_dataset_is_noticed_without_a_date(script: Script, archive: HapiArchive) -> None:
    """A day that was not whole is another chunk when it is."""
    script.describe(stopDate="2020-05-02T00:00:01Z")
    script.say("/data", LINES)
    first = fetch(archive)
    script.describe(stopDate="2020-05-04Z")
    script.say("/data", LINES + b"2020-05-02T12:00:00Z,3\n")
    grown = fetch(archive)
    assert grown.table is not None
    assert (len(grown.table), grown.revision == first.revision) == (3, False)


def test_a_parameter_of_text_is_refused(script: Script, archive: HapiArchive) -> None:
    """Before any data are asked for."""
    text = {"name": "B", "type": "string", "length": 8}
    script.describe(parameters=[{"name": "Time", "type": "isotime", "length": 20}, text])
    error = problem(fetch(archive))
    assert isinstance(error, InputError)
    assert not any("/data" in path for path in script.asked)


def test_bins_that_do_not_fit_are_numbered_and_said(script: Script, archive: HapiArchive) -> None:
    """Two energies for six values: nobody knows which are which, so the table says so, and its values are still there."""
    energies = [{"name": "energy", "units": "eV", "centers": [1, 2]}]
    flux = {"name": "B", "type": "double", "units": "nT", "fill": "-1e31", "size": [6], "bins": energies}
    time = {"name": "Time", "type": "isotime", "length": 20, "units": "UTC", "fill": None}
    script.describe(parameters=[time, flux])
    head = json.dumps({"HAPI": "3.1", "status": {"code": 1200, "message": "OK"}, "parameters": [time, flux]})
    script.say("/data", f"#{head}\n2020-05-02T00:00:00Z,1,2,3,4,5,6\n".encode())
    table = fetch(archive).table
    assert table is not None
    assert table.meta.attributes["HELIO_WARNINGS"] == ["the server gives 2 bins for 6 values: they are numbered instead"]
    assert table.meta.bins is not None
    assert (table.meta.bins.label, len(table.meta.data_names)) == ("channel", 6)
