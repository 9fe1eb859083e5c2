"""The server over a folder, as any HTTP client sees it."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx
import pytest

from helio_dagster.archives.cdas.id_patterns import id_matcher
from helio_dagster.archives.cdas.place import master_url
from helio_dagster.archives.cdas.server import CdasServer
from helio_dagster.archives.files.index import FileIndex
from helio_dagster.domain.errors import InputError
from helio_dagster.storage.settings import CDAWEB_URL
from tests.integration.archives.cdas.conftest import MakeCdf

SERVE = "import sys; from helio_dagster.cli.archive import app; app(sys.argv[1:])"


@pytest.fixture
def ask(server: CdasServer) -> Any:
    """GET of a place below the base URL; the JSON answer."""

    def get(place: str, status: int = 200) -> Any:
        response = httpx.get(server.url + place, headers={"Accept": "application/json"})
        assert response.status_code == status
        return response.json()

    return get


def test_datasets_are_found_by_id_pattern_and_group(ask: Any, make_cdf: MakeCdf) -> None:
    """The filters of CDAS."""
    make_cdf("ab_h0_mfi_20230101_v01.cdf", ["2023-01-01T00:00:00"])
    make_cdf("cd_k1_swe_20230101_v01.cdf", ["2023-01-01T00:00:00"], source="cd-k1-swe")
    found = {
        place: [one["Id"] for one in ask(f"datasets{place}")["DatasetDescription"]]
        for place in ("", "?id=ab_h0_mfi", "?id=cd-k1-swe", "?idPattern=.*_SWE", "?observatoryGroup=ACE", "?id=X")
    }
    assert found == {
        "": ["AB_H0_MFI", "CD_K1_SWE"],
        "?id=ab_h0_mfi": ["AB_H0_MFI"],
        "?id=cd-k1-swe": ["CD_K1_SWE"],
        "?idPattern=.*_SWE": ["CD_K1_SWE"],
        "?observatoryGroup=ACE": [],
        "?id=X": [],
    }


def test_variables_are_those_that_hold_data(ask: Any, make_cdf: MakeCdf) -> None:
    """Support variables such as epochs are not listed."""
    make_cdf("ab_h0_mfi_20230101_v01.cdf", ["2023-01-01T00:00:00"])
    assert [one["Name"] for one in ask("datasets/AB_H0_MFI/variables")["VariableDescription"]] == ["B"]


def test_inventory_joins_files_without_a_gap(ask: Any, make_cdf: MakeCdf) -> None:
    """Two stretches of data."""
    make_cdf("ab_h0_mfi_20230101_v01.cdf", ["2023-01-01T00:00:00", "2023-01-01T23:59:59.500"])
    make_cdf("ab_h0_mfi_20230102_v01.cdf", ["2023-01-02T00:00:00", "2023-01-02T10:00:00"])
    make_cdf("ab_h0_mfi_20230105_v01.cdf", ["2023-01-05T00:00:00", "2023-01-05T10:00:00"])
    (described,) = ask("datasets/AB_H0_MFI/inventory")["InventoryDescription"]
    assert [(one["Start"][:13], one["End"][:13]) for one in described["TimeInterval"]] == [
        ("2023-01-01T00", "2023-01-02T10"),
        ("2023-01-05T00", "2023-01-05T10"),
    ]


def test_new_files_appear(ask: Any, make_cdf: MakeCdf) -> None:
    """The folder is looked at again."""
    assert ask("datasets")["DatasetDescription"] == []
    make_cdf("ab_h0_mfi_20230101_v01.cdf", ["2023-01-01T00:00:00"])
    assert len(ask("datasets")["DatasetDescription"]) == 1


def test_an_unreadable_file_stays_listed_by_its_name(ask: Any, folder: Path) -> None:
    """Who fetches the day learns that its file is corrupt, not that there are no data."""
    (folder / "ab_h0_mfi_20230101_v01.cdf").write_bytes(b"\xcd\xf3\x00\x01\x00\x00\xff\xff" + b"\0" * 400)
    (file,) = ask("datasets/AB_H0_MFI/orig_data/20230101T000000Z,20230102T000000Z")["FileDescription"]
    assert (file["StartTime"], file["EndTime"], file["Length"]) == ("2023-01-01T00:00:00.000Z", "2023-01-02T00:00:00.000Z", 408)


def test_coverage_far_from_the_day_in_the_name_is_damage(ask: Any, make_cdf: MakeCdf) -> None:
    """A damaged epoch does not hide a file from its day."""
    make_cdf("ab_h0_mfi_20230101_v01.cdf", ["2033-03-01T00:00:00", "2033-03-01T01:00:00"])
    (file,) = ask("datasets/AB_H0_MFI/orig_data/20230101T000000Z,20230102T000000Z")["FileDescription"]
    assert (file["StartTime"], file["EndTime"]) == ("2023-01-01T00:00:00.000Z", "2023-01-02T00:00:00.000Z")


def test_files_below_subfolders_are_served_under_their_path(ask: Any, folder: Path, make_cdf: MakeCdf) -> None:
    """The URL mirrors the folder, and shows nothing above it."""
    (folder / "a b").mkdir()
    make_cdf("a b/ab_h0_mfi_20230101_v01.cdf", ["2023-01-01T00:00:00"])
    (file,) = ask("datasets/AB_H0_MFI/orig_data/20230101T000000Z,20230102T000000Z")["FileDescription"]
    assert file["Name"].endswith("/sp_phys/data/a%20b/ab_h0_mfi_20230101_v01.cdf")
    assert str(folder) not in json.dumps(file)
    body = (folder / "a b" / "ab_h0_mfi_20230101_v01.cdf").read_bytes()
    assert httpx.get(file["Name"]).content == body
    assert httpx.head(file["Name"]).headers["Content-Length"] == str(len(body))


def test_a_file_is_handed_out_as_it_is_now(server: CdasServer, make_cdf: MakeCdf) -> None:
    """New, republished or gone since the last question: the bytes of this moment, or none."""
    path = make_cdf("ab_h0_mfi_20230101_v01.cdf", ["2023-01-01T00:00:00"])
    url = f"{server.url.partition('/WS/')[0]}/sp_phys/data/{path.name}"
    assert httpx.get(url).content == path.read_bytes()
    path.write_bytes(path.read_bytes() + b"more")
    assert httpx.get(url).content == path.read_bytes()
    path.unlink()
    assert httpx.get(url).status_code == 404


@pytest.mark.parametrize("name", ["../secret.txt", "..%2fsecret.txt", "%2e%2e/secret.txt", "/etc/passwd", "secret.txt"])
def test_only_indexed_files_are_handed_out(server: CdasServer, folder: Path, name: str) -> None:
    """No path leads out of the folder, and only CDF files in it are served."""
    (folder.parent / "secret.txt").write_text("secret", encoding="utf-8")
    (folder / "secret.txt").write_text("secret", encoding="utf-8")
    response = httpx.get(f"{server.url.partition('/WS/')[0]}/sp_phys/data/{name}")
    assert response.status_code == 404
    assert "secret" not in response.text


@pytest.mark.parametrize(
    ("place", "status"),
    [
        ("datasets/AB_H0_MFI/orig_data/20230101T000000Z,20220101T000000Z", 400),
        ("datasets/AB_H0_MFI/orig_data/yesterday", 400),
        ("datasets/AB_H0_MFI/orig_data/20200101T000000Z,20200102T000000Z", 404),
        ("datasets/XX/variables", 404),
        ("datasets?idPattern=(", 400),
        ("nothing", 404),
    ],
)
def test_wrong_requests_get_a_message(ask: Any, make_cdf: MakeCdf, place: str, status: int) -> None:
    """Status and one sentence."""
    make_cdf("ab_h0_mfi_20230101_v01.cdf", ["2023-01-01T00:00:00"])
    assert ask(place, status)["Message"][0].endswith(".")


def test_xml_is_not_spoken(server: CdasServer) -> None:
    """A client that takes XML only is told so."""
    assert httpx.get(f"{server.url}datasets", headers={"Accept": "application/xml"}).status_code == 406


def test_a_busy_port_is_wrong_input(server: CdasServer, folder: Path) -> None:
    """The message names the address, the hint the option."""
    port = int(server.address.rpartition(":")[2])
    with pytest.raises(InputError, match="cannot listen") as caught:
        CdasServer(FileIndex(folder), port=port)
    assert "--port" in caught.value.hint


def test_a_folder_that_is_not_there_is_wrong_input(tmp_path: Path) -> None:
    """Said before anything listens."""
    with pytest.raises(InputError, match="no such folder"):
        FileIndex(tmp_path / "absent")


def test_the_command_serves_until_interrupted(folder: Path, make_cdf: MakeCdf) -> None:
    """It prints where, answers, and leaves with 0 on Ctrl-C."""
    make_cdf("ab_h0_mfi_20230101_v01.cdf", ["2023-01-01T00:00:00"])
    command = [sys.executable, "-c", SERVE, "serve", str(folder), "--json", "--fault", "503:1"]
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[4])}
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        told = json.loads(process.stdout.readline())
        assert told["datasets"] == ["AB_H0_MFI"]
        statuses = [httpx.get(f"{told['url']}datasets").status_code for _ in range(2)]
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=30) == 0
    assert statuses == [503, 200]


def test_masters(server: CdasServer, make_cdf: MakeCdf, folder: Path) -> None:
    """A master is the file in the folder `masters`, else the newest data file; a name that is not a dataset's is not found."""
    make_cdf("ab_h0_mfi_20230101_v01.cdf", ["2023-01-01T00:00:00"])
    newest = make_cdf("ab_h0_mfi_20230102_v01.cdf", ["2023-01-02T00:00:00"])
    url = master_url(server.url, "AB_H0_MFI")
    assert url.endswith("/pub/software/cdawlib/0MASTERS/ab_h0_mfi_00000000_v01.cdf")
    assert httpx.get(url).content == newest.read_bytes()
    (folder / "masters").mkdir()
    (folder / "masters" / "ab_h0_mfi_00000000_v01.cdf").write_bytes(b"a master")
    assert httpx.get(url).content == b"a master"
    assert httpx.get(master_url(server.url, "../../masters/ab_h0_mfi")).status_code == 404
    assert master_url(CDAWEB_URL, "X") == "https://cdaweb.gsfc.nasa.gov/pub/software/cdawlib/0MASTERS/x_00000000_v01.cdf"


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:80", "127.0.0.1.evil.example", "[::1].evil", "a b", "localhost@evil"]
)
def test_a_name_that_is_not_ours_is_refused(server: CdasServer, host: str) -> None:
    """A page whose name was made to lead here reads nothing."""
    response = httpx.get(f"{server.url}datasets", headers={"Host": host, "Accept": "application/json"})
    assert response.status_code == 421
    assert "DatasetDescription" not in response.text


@pytest.mark.parametrize("host", ["127.0.0.1:1", "localhost", "[::1]:8000", "192.0.2.7", "mirror.example"])
def test_addresses_and_given_names_are_ours(folder: Path, host: str) -> None:
    """And stand in the file names of a listing."""
    with CdasServer(FileIndex(folder), names=["mirror.example"]) as server:
        assert httpx.get(f"{server.url}datasets", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize("pattern", ["(A+)+$", "(.*)*", "A{9}", "[", "(?P<x>a)", "\\", "A" * 201])
def test_a_pattern_that_could_last_for_ever_is_refused(ask: Any, make_cdf: MakeCdf, pattern: str) -> None:
    """With what is understood instead."""
    make_cdf("ab_h0_mfi_20230101_v01.cdf", ["2023-01-01T00:00:00"])
    answer = ask(f"datasets?idPattern={quote(pattern)}", status=400)
    assert "no groups" in answer["Message"][0]


def test_every_way_through_a_pattern_is_followed_at_once(ask: Any, make_cdf: MakeCdf) -> None:
    """A hundred repeats that all fit end as soon as one; the answers are those of Python's own engine."""
    make_cdf("ab_h0_mfi_20230101_v01.cdf", ["2023-01-01T00:00:00"])
    assert ask(f"datasets?idPattern={quote('.*' * 90 + '!')}") == {"DatasetDescription": []}
    names = ["AB_H0_MFI", "ABB", "AC_H0_MFI", "A", ""]
    for pattern in ("A.*", "a[BC]_H\\d_MFI", "AB+|A", "[^B]*", "A?B*_?.*I", "", "\\w+"):
        matches = id_matcher(pattern)
        assert [matches(name) for name in names] == [bool(re.fullmatch(pattern, name, re.IGNORECASE)) for name in names]


@pytest.mark.parametrize(
    "target", ["//[bad/x", "/WS/cdasr/1/dataviews/sp_phys/datasets/%ff%00/inventory/x,y", "*", "/hapi/%zz"]
)
def test_a_path_that_is_none_is_refused(server: CdasServer, target: str) -> None:
    """With an answer, not by breaking off."""
    host, port = server.address.split(":")
    with socket.create_connection((host, int(port)), timeout=10) as connection:
        connection.sendall(f"GET {target} HTTP/1.1\r\nHost: {server.address}\r\nConnection: close\r\n\r\n".encode())
        assert connection.recv(100).startswith((b"HTTP/1.1 400", b"HTTP/1.1 404"))
