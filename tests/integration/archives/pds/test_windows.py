"""Windows of the archive over loopback: what is listed, read, kept, changed, and what is wrong."""

from __future__ import annotations

import os

import numpy as np
import pytest

from helio_dagster.archives.archive import Fetched
from helio_dagster.archives.pds.archive import PdsArchive
from helio_dagster.domain.errors import ArchiveAnswerError, ArchiveUnavailable, CorruptFile, HelioError, UnknownDataset
from tests.integration.archives.pds.conftest import CASSINI, FGM, day, put_cassini, put_fgm
from tests.pds_server import PdsMirror


def _fetch(archive: PdsArchive, dataset: str, parameter: str, *numbers: int) -> list[Fetched]:
    return list(archive.fetch(dataset, parameter, [day(number) for number in numbers]))


def _values(fetched: Fetched) -> list[float]:
    assert fetched.table is not None, fetched.error
    values: list[float] = next(iter(fetched.table.columns.values())).tolist()
    return values


def _error(fetched: Fetched) -> HelioError:
    assert fetched.error is not None
    return fetched.error


def test_days_of_a_collection_of_pds4(archive: PdsArchive, mirror: PdsMirror) -> None:
    """Each day holds its own records, with their source; a day without a file is empty, and no failure."""
    for number in (0, 1, 3):
        put_cassini(mirror, number, 1000.0 * number)
    mirror.date_all()
    first, second, none, last = _fetch(archive, CASSINI, "BR,BTHETA,BPHI", 0, 1, 2, 3)
    assert [_values(one)[0] for one in (first, second, last)] == [0.0, 1000.0, 3000.0]
    assert first.table is not None
    assert (first.table.meta.kind, first.table.meta.frame, first.table.meta.unit) == ("vector", "KRTP", "nT")
    assert len(first.table) == 24
    assert (len(none.table or ()), none.sources, none.error) == (0, (), None)
    (source,) = first.sources
    assert source.url == "https://pds-ppi.igpp.ucla.edu/data/cassini-mag-cal/data-1min-krtp/2016/16240_krtp_1m.tab"
    assert source.last_modified == "2024-05-01T12:00:00.000Z (label 1.0 2024-05-01T12:00:00.000Z)"


def test_days_of_a_data_set_of_pds3(archive: PdsArchive, mirror: PdsMirror) -> None:
    """The newest version of a day, behind its header; labels of days far away are not asked for."""
    for number in range(-40, 40, 4):
        put_fgm(mirror, number, float(number))
    put_fgm(mirror, 0, 7.0, version=2)
    fetched = _fetch(archive, FGM, "BX PLANETOCENTRIC,BY PLANETOCENTRIC,BZ PLANETOCENTRIC", 0)[0]
    assert _values(fetched)[:2] == [7.0, 8.0]
    assert fetched.table is not None
    assert fetched.table.meta.frame == "PC"
    assert [source.name for source in fetched.sources] == ["fgm_jno_l3_2016240pc_r1s_v02.sts"]
    assert len([path for path in mirror.asked if path.endswith(".LBL")]) <= 4


def test_a_file_of_several_days_feeds_each(archive: PdsArchive, mirror: PdsMirror) -> None:
    """Downloaded once, and found from the dates in its label although its name says only the first day."""
    put_fgm(mirror, 0, 0.0, hours=24 * 5)
    put_fgm(mirror, 9, 0.0)
    windows = _fetch(archive, FGM, "BX PLANETOCENTRIC", 0, 3, 4, 5)
    assert [len(one.table or ()) for one in windows] == [24, 24, 24, 0]
    assert _values(windows[1])[0] == 72.0
    alone = _fetch(archive, FGM, "BX PLANETOCENTRIC", 4)[0]
    assert _values(alone)[0] == 96.0
    assert len([path for path in mirror.asked if path.endswith(".sts")]) == 1


def test_several_kinds_of_files_need_a_choice(archive: PdsArchive, mirror: PdsMirror) -> None:
    """Two kinds for one time are never mixed: the error names them, and an `@` chooses."""
    put_fgm(mirror, 0, 1.0, "pc_r1s")
    put_fgm(mirror, 0, 2.0, "ss_r1s")
    with pytest.raises(UnknownDataset, match="several kinds") as several:
        _fetch(archive, FGM, "BX PLANETOCENTRIC", 0)
    assert "@pc_r1s" in several.value.hint
    assert _values(_fetch(archive, f"{FGM}@ss_r1s", "BX PLANETOCENTRIC", 0)[0])[0] == 2.0
    with pytest.raises(UnknownDataset, match="no file of the dataset has 'se_r1s' in its name"):
        _fetch(archive, f"{FGM}@se_r1s", "BX PLANETOCENTRIC", 0)


def test_a_changed_file_is_another_revision(archive: PdsArchive, mirror: PdsMirror) -> None:
    """A new date of the file or of its label, or a new version, changes that day's revision alone, and it is read anew."""
    for number in (0, 1):
        put_cassini(mirror, number, 0.0)
    mirror.date_all()
    windows = [day(0), day(1)]
    before = [one.revision for one in archive.listed(CASSINI, windows)]
    assert [one.revision for one in archive.fetch(CASSINI, "BR", windows)] == before
    put_cassini(mirror, 1, 500.0, version="1.1")
    for path in mirror.folder.rglob("16241*"):
        os.utime(path, (1.75e9, 1.75e9))
    after = [one.revision for one in archive.listed(CASSINI, windows)]
    assert after[0] == before[0]
    assert after[1] != before[1]
    assert _values(_fetch(archive, CASSINI, "BR", 1)[0])[0] == 500.0
    label = mirror.folder / "data/cassini-mag-cal/data-1min-krtp/2016/16240_krtp_1m.xml"
    os.utime(label, (1.76e9, 1.76e9))
    assert next(iter(archive.listed(CASSINI, windows))).revision != before[0]


def test_what_is_cached_is_not_asked_for_again(archive: PdsArchive, mirror: PdsMirror) -> None:
    """A second fetch asks for the pages of folders alone."""
    put_cassini(mirror, 0, 0.0)
    _fetch(archive, CASSINI, "BR", 0)
    mirror.asked.clear()
    assert len(_fetch(archive, CASSINI, "BTHETA", 0)[0].table or ()) == 24
    assert all(path.endswith("/") for path in mirror.asked)


def test_other_years_are_not_looked_into(archive: PdsArchive, mirror: PdsMirror) -> None:
    """A folder named for a year far away costs no request."""
    put_cassini(mirror, 0, 0.0)
    put_cassini(mirror, -365 * 4, 0.0)
    _fetch(archive, CASSINI, "BR", 0)
    assert not [path for path in mirror.asked if "/2012/" in path]
    assert _values(_fetch(archive, CASSINI, "BR", -365 * 4)[0])[0] == 0.0


def test_unknown_names(archive: PdsArchive, mirror: PdsMirror) -> None:
    """A dataset or parameter that is not there, and an id that can be none."""
    put_cassini(mirror, 0, 0.0)
    with pytest.raises(UnknownDataset, match="no such folder"):
        _fetch(archive, "urn:nasa:pds:cassini-mag-cal:data-2min", "BR", 0)
    with pytest.raises(UnknownDataset, match="no parameter BX") as unknown:
        _fetch(archive, CASSINI, "BX", 0)
    assert "BR" in unknown.value.hint
    with pytest.raises(UnknownDataset, match="is not the id of a dataset"):
        _fetch(archive, "AC_H0_MFI", "BR", 0)


def test_a_corrupt_file_fails_its_day_alone(archive: PdsArchive, mirror: PdsMirror) -> None:
    """Its own window carries the error, after a second download; the others go on."""
    for number in (0, 1):
        put_cassini(mirror, number, 0.0)
    data = mirror.folder / "data/cassini-mag-cal/data-1min-krtp/2016/16240_krtp_1m.tab"
    data.write_bytes(data.read_bytes()[:-9])
    bad, good = _fetch(archive, CASSINI, "BR", 0, 1)
    assert isinstance(bad.error, CorruptFile)
    assert "MD5 checksum" in bad.error.problem
    assert len(good.table or ()) == 24
    assert mirror.asked.count("/data/cassini-mag-cal/data-1min-krtp/2016/16240_krtp_1m.tab") == 2


def test_a_label_that_cannot_be_read_fails_its_day_alone(archive: PdsArchive, mirror: PdsMirror) -> None:
    """Where its name has a date; the message names the label."""
    put_fgm(mirror, 0, 0.0).write_text("PDS_VERSION_ID = PDS3\r\nOBJECT = TABLE\r\n")
    put_fgm(mirror, 1, 5.0)
    bad, good = _fetch(archive, FGM, "BX PLANETOCENTRIC", 0, 1)
    assert "fgm_jno_l3_2016240pc_r1s_v01.LBL: the label is cut off" in _error(bad).problem
    assert _values(good)[0] == 5.0


@pytest.mark.parametrize(
    ("told", "kind", "message"),
    [
        ((503, b"busy"), ArchiveUnavailable, "status 503"),
        ((200, b"<html>please log in</html>"), ArchiveUnavailable, "a web page instead of"),
        ((403, b"no"), ArchiveAnswerError, "status 403"),
    ],
)
def test_a_server_that_does_not_deliver(
    archive: PdsArchive, mirror: PdsMirror, told: tuple[int, bytes], kind: type[HelioError], message: str
) -> None:
    """A busy server, a page in place of a file, a refusal: errors of the window, never an empty answer."""
    put_cassini(mirror, 0, 0.0)
    mirror.instead[".tab"] = told
    error = _error(_fetch(archive, CASSINI, "BR", 0)[0])
    assert isinstance(error, kind)
    assert message in str(error)


def test_a_listing_that_cannot_be_had(archive: PdsArchive, mirror: PdsMirror) -> None:
    """A folder's page that is none is an error, not an empty day; so is a folder without labels."""
    put_cassini(mirror, 0, 0.0)
    mirror.instead["/2016/"] = (500, b"")
    assert "status 500" in str(_error(_fetch(archive, CASSINI, "BR", 0)[0]))
    empty = mirror.folder / "data/cassini-mag-cal/data-empty"
    empty.mkdir()
    (empty / "file.tab").write_bytes(b"1")
    error = _error(_fetch(archive, "urn:nasa:pds:cassini-mag-cal:data-empty", "BR", 0)[0])
    assert "holds no labels" in error.problem


def test_a_record_at_midnight_is_the_next_days(archive: PdsArchive, mirror: PdsMirror) -> None:
    """A file whose last record is at midnight gives it to the next day, and to that alone."""
    put_cassini(mirror, 0, 0.0, hours=25)
    first, second = _fetch(archive, CASSINI, "BR", 0, 1)
    assert len(first.table or ()) == 24
    assert _values(second) == [24.0]
    assert second.table is not None
    assert second.table.time[0] == np.datetime64("2016-08-28", "ns")


def test_numbers_in_names_that_are_no_dates(archive: PdsArchive, mirror: PdsMirror) -> None:
    """Numbers of products that look like dates of other years hide nothing: what the labels say counts."""
    for place, number in enumerate(range(6)):
        label = put_fgm(mirror, number, 10.0 * number)
        day_of_year = f"2016{240 + number}"
        label.write_text(label.read_text().replace(day_of_year, f"20011{place}0"))
        for old in (label, label.with_suffix(".sts")):
            old.rename(old.with_name(old.name.replace(day_of_year, f"20011{place}0")))
    assert _values(_fetch(archive, FGM, "BX PLANETOCENTRIC", 3)[0])[0] == 30.0
