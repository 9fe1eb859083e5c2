"""Figures in an object store: what one machine drew is in the folder of another when it is asked for, whole or not at all."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from helio_dagster.domain.errors import StorageError
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.storage.bucket import Bucket
from helio_dagster.storage.figure_files import FigureFiles
from helio_dagster.storage.figure_objects import FigureObjects
from helio_dagster.storage.object_owner import ObjectOwner
from tests.object_store import ObjectService, contents

ASSET, DAY = "story/view", TimeRange(datetime(2023, 1, 2, tzinfo=UTC), datetime(2023, 1, 3, tzinfo=UTC))
PAGE = b'<html><script charset="utf-8" src="plotly-9.9.min.js"></script>%s</html>'


@pytest.fixture
def machines(objects: ObjectService, tmp_path: Path) -> tuple[FigureFiles, FigureFiles]:
    """The folders of two homes that share an address."""
    address, found = objects.new_bucket(), []
    for name in ("one", "other"):
        bucket, home = Bucket(address), tmp_path / name
        owner = ObjectOwner(bucket, home)
        owner.share("the record of both")
        (home / "figures").mkdir()
        found.append(FigureFiles(home / "figures", FigureObjects(bucket, owner, home / "figures")))
    objects.gate.requests.clear()
    return found[0], found[1]


def draw(files: FigureFiles, words: bytes, *, picture: bytes | None = b"picture") -> None:
    """What drawing a figure leaves in a folder."""
    page = files.html(ASSET, DAY)
    (files.folder / "plotly-9.9.min.js").write_bytes(b"script")
    page.write_bytes(PAGE % words)
    if picture is not None:
        page.with_suffix(".png").write_bytes(picture)
    else:
        page.with_suffix(".png").unlink(missing_ok=True)
    files.mark(ASSET, DAY, words.decode(), {"code": "c"})


def afresh(files: FigureFiles) -> FigureFiles:
    """The same figures, with no listing remembered."""
    assert files.objects is not None
    known = files.objects
    return replace(files, objects=FigureObjects(known._bucket, known._owner, known._folder))


def test_another_machine_has_the_figure_when_it_asks(machines: tuple[FigureFiles, FigureFiles]) -> None:
    """Page, picture, sidecar and the script that pages share, byte by byte, with the time at which it was drawn."""
    one, other = machines
    draw(one, b"first")
    assert other.spans(ASSET) == [DAY]
    assert other.drawn_from(ASSET, DAY) == "first"
    for suffix in (".html", ".png", ".json"):
        ours, theirs = (files.html(ASSET, DAY).with_suffix(suffix) for files in machines)
        assert ours.read_bytes() == theirs.read_bytes()
    assert (other.folder / "plotly-9.9.min.js").read_bytes() == b"script"
    assert abs(one.html(ASSET, DAY).stat().st_mtime - other.html(ASSET, DAY).stat().st_mtime) < 60


def test_what_is_drawn_again_replaces_the_copy(machines: tuple[FigureFiles, FigureFiles], objects: ObjectService) -> None:
    """Also by a figure without a picture; one version stays in the store, and a copy that is current is not fetched again."""
    one, other = machines
    draw(one, b"first")
    assert other.drawn_from(ASSET, DAY) == "first"
    draw(one, b"second", picture=None)
    other = afresh(other)
    assert other.drawn_from(ASSET, DAY) == "second"
    assert not other.png(ASSET, DAY).exists()
    assert objects.gate.count("GET") > 0
    objects.gate.requests.clear()
    assert afresh(other).drawn_from(ASSET, DAY) == "second"
    assert objects.gate.count("GET") == 0
    assert one.objects is not None
    assert len([key for key in contents(one.objects._bucket.address, "figures") if "@" in key]) == 2


def test_all_figures_are_listed_from_a_new_machine(machines: tuple[FigureFiles, FigureFiles]) -> None:
    """The page of all figures has those that others drew."""
    one, other = machines
    draw(one, b"first")
    assert {path.suffix for path in other.by_stem()["story__view"]} == {".html", ".png", ".json"}


def test_a_version_without_its_last_file_is_not_there(
    machines: tuple[FigureFiles, FigureFiles], objects: ObjectService
) -> None:
    """A process that is killed, or a store that fails, between two files of a figure leaves nothing that others see."""
    one, other = machines

    def refuse(method: str, path: str) -> tuple[int, str] | None:
        return (403, "AccessDenied") if method == "PUT" and ".json" in path else None

    objects.gate.answers = refuse
    with pytest.raises(StorageError, match="refuses to write"):
        draw(one, b"first")
    objects.gate.answers = lambda _method, _path: None
    assert not one.sidecar(ASSET, DAY).exists()
    assert other.spans(ASSET) == []
    assert other.drawn_from(ASSET, DAY) is None
    draw(one, b"first")
    assert afresh(other).drawn_from(ASSET, DAY) == "first"


def test_a_home_that_may_only_read_keeps_its_own(machines: tuple[FigureFiles, FigureFiles], tmp_path: Path) -> None:
    """What it draws stays in its folder and is not written over by what the store has."""
    one, _ = machines
    draw(one, b"first")
    assert one.objects is not None
    folder, bucket = tmp_path / "guest" / "figures", Bucket(one.objects._bucket.address)
    folder.mkdir(parents=True)
    guest = FigureFiles(folder, FigureObjects(bucket, ObjectOwner(bucket, tmp_path / "guest"), folder))
    assert guest.drawn_from(ASSET, DAY) == "first"
    draw(guest, b"its own")
    assert afresh(guest).drawn_from(ASSET, DAY) == "its own"
    assert afresh(one).drawn_from(ASSET, DAY) == "first"


def test_a_damaged_figure_is_refused(machines: tuple[FigureFiles, FigureFiles]) -> None:
    """Bytes that are not those of the version in the key do not come into the folder."""
    one, other = machines
    draw(one, b"first")
    assert one.objects is not None
    bucket = one.objects._bucket
    key = next(key for key in contents(bucket.address, "figures") if key.endswith(".png"))
    bucket.put(key, b"something else")
    with pytest.raises(StorageError, match="is damaged"):
        other.drawn_from(ASSET, DAY)
    assert not other.html(ASSET, DAY).exists()
