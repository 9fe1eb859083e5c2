"""Lists of events carried from one library to another with the pipelines that read them."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from helio_dagster.domain.bundle import LARGEST_BUNDLE, Item, pack
from helio_dagster.domain.errors import InputError, PipelineError
from helio_dagster.launch.home import Home
from helio_dagster.launch.library.pipeline_exchange import bring, bundle_of
from helio_dagster.storage.settings import Settings

STORMS = """\
version: 1
name: storms
partitions: {events: list, before: P1D, after: P1D}
steps:
  - id: list
    events: {file: lists/storms.csv}
  - id: b
    fetch: {archive: demo, dataset: AC_H0_MFI, parameter: BGSEc}
"""
LIST = b"start,name\r\n2003-10-29,Halloween\r\n2003-11-20,second"


def make_home(folder: Path, rows: bytes | None = None) -> Home:
    """A home; with rows, it has the pipeline and its list."""
    library = folder / "pipelines"
    (library / "lists").mkdir(parents=True)
    if rows is not None:
        (library / "storms.yaml").write_text(STORMS)
        (library / "lists" / "storms.csv").write_bytes(rows)
    return Home(Settings(folder / "home", library))


def test_a_list_goes_with_its_pipeline(tmp_path: Path) -> None:
    """Byte for byte, with its hash; again changes nothing."""
    bundle = bundle_of(make_home(tmp_path / "a", LIST), "storms")
    target = make_home(tmp_path / "b")
    arrivals = bring(target, bundle, file="x")
    assert [(each.kind, each.name, each.state) for each in arrivals] == [
        ("pipelines", "storms", "new"),
        ("lists", "lists/storms.csv", "new"),
    ]
    assert arrivals[1].sha256 == hashlib.sha256(LIST).hexdigest()
    assert (target.settings.pipelines / "lists" / "storms.csv").read_bytes() == LIST
    target.reread()
    assert list(target.graph.events["storms"].events) == ["20031029T0000_halloween", "20031120T0000_second"]
    assert {each.state for each in bring(target, bundle, file="x")} == {"same"}


def test_a_different_list_is_refused_unless_it_is_replaced(tmp_path: Path) -> None:
    """And then nothing is written at all."""
    bundle = bundle_of(make_home(tmp_path / "a", LIST), "storms")
    target = make_home(tmp_path / "b", b"start,name\n2003-10-29,mine\n")
    arrivals = bring(target, bundle, file="x")
    assert [each.state for each in arrivals] == ["same", "refused"]
    assert b"mine" in (target.settings.pipelines / "lists" / "storms.csv").read_bytes()
    assert [each.state for each in bring(target, bundle, file="x", replace=True)] == ["same", "replaced"]
    assert (target.settings.pipelines / "lists" / "storms.csv").read_bytes() == LIST


@pytest.mark.parametrize("name", ["../storms.csv", "/etc/storms.csv", "lists/../../storms.csv", ".hidden/x.csv", "lists/x.sh"])
def test_no_list_leads_out_of_the_folder(tmp_path: Path, name: str) -> None:
    """Nor to a hidden file or one of another kind."""
    bundle = pack([Item("pipelines", "storms", STORMS.encode()), Item("lists", name, LIST)])
    with pytest.raises(InputError, match="is not a file of a library"):
        bring(make_home(tmp_path), bundle, file="x")


def test_a_link_out_of_the_folder_is_not_followed(tmp_path: Path) -> None:
    """The list is refused, and nothing is written."""
    bundle = bundle_of(make_home(tmp_path / "a", LIST), "storms")
    target = make_home(tmp_path / "b")
    outside = tmp_path / "outside"
    outside.mkdir()
    (target.settings.pipelines / "lists").rmdir()
    (target.settings.pipelines / "lists").symlink_to(outside)
    assert [each.state for each in bring(target, bundle, file="x")] == ["new", "refused"]
    assert list(outside.iterdir()) == []
    assert not (target.settings.pipelines / "storms.yaml").exists()


def test_what_no_pipeline_reads_and_what_is_wrong_is_refused(tmp_path: Path) -> None:
    """A stray list, a list that cannot be read, a missing one, one that is too large to send."""
    target = make_home(tmp_path / "b")
    storms = Item("pipelines", "storms", STORMS.encode())
    with pytest.raises(InputError, match="no pipeline of the bundle reads pipelines/lists/other"):
        bring(target, pack([storms, Item("lists", "lists/other.csv", LIST)]), file="x")
    with pytest.raises(PipelineError, match="not a time"):
        bring(target, pack([storms, Item("lists", "lists/storms.csv", b"start\nyesterday\n")]), file="x")
    with pytest.raises(PipelineError, match="there is no list"):
        bring(target, pack([storms]), file="x")
    with pytest.raises(InputError, match="larger than 20 MB"):
        pack([Item("lists", "lists/storms.csv", b"x" * LARGEST_BUNDLE)])
    assert list(target.settings.pipelines.rglob("*.*")) == []
