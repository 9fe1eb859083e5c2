"""What the loopback server answers under `/hapi`, over real files; and that both archives make the same of them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pytest

from helio_dagster.archives.cdas.archive import CdasArchive
from helio_dagster.archives.cdas.server import CdasServer
from helio_dagster.archives.cdf.reader import CdfReader
from helio_dagster.archives.files.index import FileIndex
from helio_dagster.archives.hapi.answers import HapiAnswers
from helio_dagster.archives.hapi.archive import HapiArchive
from helio_dagster.archives.hapi.messages import Info
from helio_dagster.archives.hapi.served import ServedFiles
from helio_dagster.archives.hapi.tables import read_answer
from helio_dagster.domain.grain import Grain
from helio_dagster.domain.time_range import TimeRange

FILES = ("ac_h0_mfi_2*.cdf", "rbspa_*.cdf", "psp_fld_l2_mag_*1min_*.cdf", "omni_coho1hr_*.cdf", "ge_k0_cpi_*.cdf")


@pytest.fixture(scope="module")
def reader() -> Iterator[CdfReader]:
    """The product's own."""
    with CdfReader() as opened:
        yield opened


@pytest.fixture(scope="module")
def index(shared_data: Path, tmp_path_factory: pytest.TempPathFactory) -> FileIndex:
    """Real files of five missions."""
    folder = tmp_path_factory.mktemp("served")
    for path in (path for pattern in FILES for path in shared_data.rglob(pattern) if "masters" not in path.parts):
        if not (folder / path.name).exists():
            (folder / path.name).symlink_to(path)
    return FileIndex(folder)


@pytest.fixture(scope="module")
def server(index: FileIndex, reader: CdfReader) -> Iterator[CdasServer]:
    """Over these files, by both protocols."""
    with CdasServer(index, extra=[HapiAnswers(ServedFiles(index, reader))]) as running:
        yield running


@pytest.fixture
def ask(server: CdasServer) -> Any:
    """Answers of the server."""

    def get(question: str) -> httpx.Response:
        return httpx.get(f"http://{server.address}/hapi/{question}", trust_env=False)

    return get


def first_day(info: dict[str, Any]) -> str:
    """The dataset's first day as a query, in the words of HAPI 3."""
    day = np.datetime64(info["startDate"][:10])
    return f"start={day}Z&stop={day + 1}Z"


def test_capabilities_and_catalog(ask: Any, index: FileIndex) -> None:
    """HAPI 3.1, lines and binary, every dataset of the folder."""
    assert ask("capabilities").json()["outputFormats"] == ["csv", "binary"]
    listed = ask("catalog").json()
    assert (listed["HAPI"], listed["status"]["code"]) == ("3.1", 1200)
    assert [item["id"] for item in listed["catalog"]] == [entry.id for entry in index.datasets()]
    assert ask("about").json()["status"]["code"] == 1200


def test_a_description(ask: Any) -> None:
    """Times first, then parameters with type, unit, fill, size, labels and frame, by either version's words."""
    info = ask("info?id=AC_H0_MFI").json()
    assert info == ask("info?dataset=AC_H0_MFI").json()
    assert info["parameters"][0]["type"] == "isotime"
    field = next(each for each in info["parameters"] if each["name"] == "BGSEc")
    assert (field["type"], field["units"], field["size"], field["coordinateSystemName"]) == ("double", "nT", [3], "GSE")
    assert info["cadence"] == "PT16S"
    assert info["modificationDate"]
    fewer = ask("info?dataset=AC_H0_MFI&parameters=Magnitude").json()["parameters"]
    assert [each["name"] for each in fewer] == ["Time", "Magnitude"]


@pytest.mark.parametrize(
    ("question", "http", "code"),
    [
        ("info?dataset=NOPE", 404, 1406),
        ("info?dataset=AC_H0_MFI&parameters=nope", 404, 1407),
        ("info?dataset=AC_H0_MFI&colour=red", 400, 1401),
        ("data?dataset=AC_H0_MFI&start=soon&stop=2030Z", 400, 1402),
        ("data?dataset=AC_H0_MFI&start=1990Z&stop=later", 400, 1403),
        ("data?dataset=AC_H0_MFI&start=2020Z&stop=2020Z", 400, 1404),
        ("data?dataset=AC_H0_MFI&start=1950Z&stop=1951Z", 400, 1405),
        ("data?dataset=AC_H0_MFI&start=1990Z&stop=2030Z&format=xml", 400, 1409),
        ("data?dataset=AC_H0_MFI&start=1990Z&stop=2030Z&include=all", 400, 1410),
        ("data?dataset=AC_H0_MFI&start=1990Z&stop=2030Z&parameters=BGSEc,Magnitude", 400, 1411),
        ("nothing", 400, 1400),
        ("", 400, 1400),
    ],
)
def test_what_cannot_be_answered_has_its_status(ask: Any, question: str, http: int, code: int) -> None:
    """HAPI's own codes."""
    answer = ask(question)
    assert (answer.status_code, answer.json()["status"]["code"]) == (http, code)


def test_lines_and_binary_are_the_same_table(ask: Any) -> None:
    """Of a vector and of a spectrogram with bins that vary."""
    for dataset, name, asked in (
        ("AC_H0_MFI", "BGSEc", "BGSEc"),
        ("RBSPA_REL04_ECT-HOPE-PA-L3", "FEDO", "FEDO,FEDO_bins"),
    ):
        described = ask(f"info?dataset={dataset}").json()
        if described["status"]["code"] != 1200:
            pytest.skip(f"no file of {dataset} among the real mission files")
        question = f"data?dataset={dataset}&parameters={asked}&{first_day(described)}&include=header"
        lines, binary = (ask(f"{question}&format={form}").content for form in ("csv", "binary"))
        one = read_answer(lines, name, info=Info(), is_binary=False)
        other = read_answer(binary, name, info=Info(), is_binary=True)
        assert one.meta == other.meta
        assert len(one) == len(other) >= 100
        for column in one.columns:
            assert one.columns[column].tobytes() == other.columns[column].tobytes()


def test_stop_is_exclusive_and_no_header_comes_unasked(ask: Any) -> None:
    """Records in `[start, stop)` alone."""
    day = ask("info?dataset=AC_H0_MFI").json()["startDate"][:10]
    asked = f"data?dataset=AC_H0_MFI&parameters=Magnitude&start={day}T01:00Z&stop={day}T02:00Z"
    lines = ask(asked).text.splitlines()
    assert len(lines) == 3600 // 16
    assert all(f"{day}T01:00" <= line < f"{day}T02:00" for line in lines)
    commented = [line[1:] for line in ask(f"{asked}&include=header").text.splitlines() if line.startswith("#")]
    assert json.loads("".join(commented))["parameters"][1]["name"] == "Magnitude"


def test_every_parameter_of_every_file_is_what_the_file_says(
    server: CdasServer, index: FileIndex, reader: CdfReader, tmp_path: Path
) -> None:
    """Scalars, vectors, spectrograms with fixed and varying bins: times, values, kinds and units by HAPI as by CDAS."""
    compared = 0
    with (
        HapiArchive(f"hapi:http://{server.address}/hapi", tmp_path) as hapi,
        CdasArchive(server.url, tmp_path, reader) as cdas,
    ):
        for entry in index.datasets():
            day = Grain.DAILY.floor(entry.span.start)
            windows = [TimeRange(day, day + timedelta(days=1))]
            for parameter in hapi.client.info(entry.id).parameters[1:]:
                if parameter.name.endswith("_bins"):
                    continue
                (one,), (other,) = (archive.fetch(entry.id, parameter.name, windows) for archive in (hapi, cdas))
                assert one.table is not None, one.error
                assert other.table is not None, other.error
                assert (one.table.time == other.table.time).all()
                own_widths = {column.name for column in other.table.meta.columns if column.role == "width"}  # not sent by HAPI
                sent = [values for name, values in other.table.columns.items() if name not in own_widths]
                arrays = zip(one.table.columns.values(), sent, strict=True)
                assert all(np.array_equal(a, b.astype(a.dtype), equal_nan=True) for a, b in arrays)
                if len(one.table):
                    assert (one.table.meta.kind, one.table.meta.unit) == (other.table.meta.kind, other.table.meta.unit)
                    assert one.table.meta.frame == other.table.meta.frame
                compared += 1
    assert compared > 10
