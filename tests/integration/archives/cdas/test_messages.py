"""What the client makes of answers as CDAWeb, proxies and strangers give them."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from helio_dagster.archives.cdas.client import CdasClient
from helio_dagster.archives.transfer.settings import Retry, TransferSettings
from helio_dagster.domain.errors import ArchiveAnswerError, ArchiveUnavailable, InputError, UnknownDataset
from tests.integration.archives.cdas.conftest import Script

START, STOP = datetime(2023, 1, 1, tzinfo=UTC), datetime(2023, 1, 2, tzinfo=UTC)
KNOWN = {"DatasetDescription": [{"Id": "AC_H0_MFI"}]}
FILE = {
    "Name": "https://host/sp_phys/data/tha_l2_efi_20070224_v01.cdf",
    "MimeType": "application/x-cdf",
    "StartTime": "2007-02-24T00:00:00.000Z",
    "EndTime": "2007-02-25T00:00:00.000Z",
    "Length": 103014,
    "LastModified": "2017-04-20T04:43:37.414Z",
}


@pytest.fixture
def client(script: Script, quick: TransferSettings) -> Iterator[CdasClient]:
    """A client of the scripted server."""
    client = CdasClient(script.url, settings=quick)
    yield client
    client.close()


def test_a_listing_is_read(script: Script, client: CdasClient) -> None:
    """The reply that CDAWeb documents."""
    script.say("orig_data", {"FileDescription": [FILE]})
    (file,) = client.files("THA_L2_EFI", START, STOP)
    assert (file.name, file.length, file.last_modified) == ("tha_l2_efi_20070224_v01.cdf", 103014, FILE["LastModified"])
    assert (file.start, file.stop) == (datetime(2007, 2, 24, tzinfo=UTC), datetime(2007, 2, 25, tzinfo=UTC))
    assert script.asked == ["/sp_phys/datasets/THA_L2_EFI/orig_data/20230101T000000Z,20230102T000000Z"]


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (404, {"Message": ["No data available for the requested time."]}),
        (200, {"Error": ["No data available."]}),
        (404, {"Error": ["No data available."]}),
        (200, {"FileDescription": []}),
        (200, {"FileDescription": None}),
        (200, {}),
    ],
)
def test_no_data_is_a_true_answer(script: Script, client: CdasClient, status: int, body: object) -> None:
    """All ways of saying *no data* mean no files; that the dataset exists is asked once."""
    script.say("orig_data", body, status)
    script.say("datasets?id=", KNOWN)
    assert client.files("AC_H0_MFI", START, STOP) == []
    assert client.files("AC_H0_MFI", START, STOP) == []
    assert [path for path in script.asked if "?id=" in path] == ["/sp_phys/datasets?id=AC_H0_MFI"]


@pytest.mark.parametrize(
    ("status", "body"), [(404, {"Message": ["No data available."]}), (404, {"Message": ["What?"]}), (200, {})]
)
def test_nothing_from_a_dataset_that_does_not_exist_is_wrong_input(
    script: Script, client: CdasClient, status: int, body: object
) -> None:
    """However the archive puts it."""
    script.say("orig_data", body, status)
    script.say("datasets?id=", {"DatasetDescription": []})
    script.say("datasets", {"DatasetDescription": [{"Id": "AC_H0_MFI"}, {"Id": "WI_H0_MFI"}, {"Id": "TSS-1R_M1"}]})
    with pytest.raises(UnknownDataset) as caught:
        client.files("ac_h0_mfj", START, STOP)
    assert caught.value.where == "cdaweb"
    assert "AC_H0_MFI" in caught.value.hint
    assert "TSS" not in caught.value.hint


@pytest.mark.parametrize(
    "body",
    [
        {"FileDescription": [{"Name": "x"}]},
        {"FileDescription": {"Name": "x"}},
        {"FileDescription": [{**FILE, "StartTime": "yesterday"}]},
        {"FileDescription": [{**FILE, "StartTime": 20230102}]},
        {"FileDescription": [{**FILE, "StartTime": "20230102"}]},
        {"FileDescription": [{**FILE, "Length": 1e999}]},
        {"FileDescription": [{**FILE, "Length": -5}]},
        {"Error": ["Internal database trouble."]},
        [1, 2],
        "text",
    ],
)
def test_other_json_is_not_an_answer(script: Script, client: CdasClient, body: object) -> None:
    """JSON that is not a listing is told at once, without a retry."""
    script.say("orig_data", body)
    with pytest.raises(ArchiveAnswerError):
        client.files("AC_H0_MFI", START, STOP)
    assert len(script.asked) == 1


@pytest.mark.parametrize("status", [400, 401, 403, 414])
def test_refusals_are_not_repeated(script: Script, client: CdasClient, status: int) -> None:
    """The archive's words are passed on."""
    script.say("orig_data", {"Message": ["Not like this."]}, status)
    with pytest.raises(ArchiveAnswerError, match=f"{status}: Not like this"):
        client.files("AC_H0_MFI", START, STOP)
    assert len(script.asked) == 1


@pytest.mark.parametrize(
    "body",
    [b"<html>Please log in</html>", b"\n <!DOCTYPE html>", b"", b'{"FileDescription": [', b"[" * 100_000, b"1" * 6000],
)
def test_what_is_not_json_is_asked_again(script: Script, client: CdasClient, body: bytes) -> None:
    """A page of a proxy, or half an answer, with status 200."""
    script.say("orig_data", body)
    with pytest.raises(ArchiveUnavailable):
        client.files("AC_H0_MFI", START, STOP)
    assert len(script.asked) == 3


@pytest.mark.parametrize(
    ("headers", "wait_s"),
    [
        ({"Retry_After": "0"}, 0.0),
        ({"Retry_After": "86400"}, 0.02),
        ({"Retry_After": "Thu, 01 Jan 2099 00:00:05 GMT"}, 0.02),
        ({"Retry_After": "Sun, 01 Jan 2023 00:00:05 GMT"}, 0.0),
        ({"Retry_After": "soon"}, 0.01),
        ({}, 0.01),
    ],
)
def test_retry_after_is_followed_up_to_a_cap(
    script: Script, client: CdasClient, headers: dict[str, str], wait_s: float
) -> None:
    """Seconds or a date; nonsense counts as nothing."""
    script.say("orig_data", b"", 429, **headers)
    waits: list[Retry] = []
    with pytest.raises(ArchiveUnavailable, match="429"):
        client.files("AC_H0_MFI", START, STOP, on_retry=waits.append)
    assert waits[0].wait_s == wait_s


def test_an_answer_without_bounds_is_cut_off(script: Script, quick: TransferSettings) -> None:
    """A body longer than any listing is refused, not kept in memory."""
    script.say("datasets", b" " * 100_000)
    client = CdasClient(script.url, settings=TransferSettings(text_limit_bytes=50_000))
    with pytest.raises(ArchiveAnswerError, match="too long"):
        client.datasets()


def test_variables_and_inventory_are_read(script: Script, client: CdasClient) -> None:
    """The other two listings of a dataset."""
    script.say("variables", {"VariableDescription": [{"Name": "BGSEc", "ShortDescription": "B", "LongDescription": None}]})
    times = {"Start": "1997-09-02T00:00:00.000Z", "End": "1997-09-03T00:00:00.000Z"}
    script.say("inventory", {"InventoryDescription": [{"Id": "AC_H0_MFI", "TimeInterval": [times]}]})
    assert [variable.name for variable in client.variables("AC_H0_MFI")] == ["BGSEc"]
    assert [interval.start for interval in client.inventory("AC_H0_MFI")] == [datetime(1997, 9, 2, tzinfo=UTC)]


@pytest.mark.parametrize("url", ["", "cdaweb", "ftp://host/sp_phys/", "http://"])
def test_a_base_url_that_is_none_is_wrong_input(url: str) -> None:
    """The hint names the setting."""
    with pytest.raises(InputError) as caught:
        CdasClient(url)
    assert "HELIO_CDAWEB_URL" in caught.value.hint
