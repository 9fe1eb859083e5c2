"""Several files of a library in one text."""

from __future__ import annotations

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from helio_dagster.domain.bundle import LARGEST_BUNDLE, Item, is_bundle, pack, unpack
from helio_dagster.domain.errors import InputError

ACE = Item("pipelines", "ace", b"version: 1\nname: ace\n")
FILTER = Item("operations", "filter@2", b"id: filter\nversion: 2")
PACKED = pack([ACE, FILTER])


CONTENTS = st.binary(max_size=60).filter(lambda content: b"--- # helio: " not in content)


@given(st.lists(CONTENTS, min_size=1, max_size=4))
def test_what_is_packed_comes_back_byte_for_byte(contents: list[bytes]) -> None:
    """Ends of lines, missing newlines and bytes that are no text included, in the same order."""
    items = [Item("pipelines", f"p{number}", content) for number, content in enumerate(contents)]
    packed = pack(items)
    assert is_bundle(packed)
    assert unpack(packed, file="b") == items


@pytest.mark.parametrize("end", [b"", b"\n", b"\r", b"\r\n", b"\n\n", b"\n...\n"])
def test_the_end_of_a_file_is_kept(end: bytes) -> None:
    """However its last line ends."""
    items = [Item("pipelines", "ace", b"name: ace" + end), FILTER]
    assert unpack(pack(items), file="b") == items


def test_a_bundle_is_a_stream_of_yaml_documents() -> None:
    """Any YAML reader and any reviewer can read it."""
    assert list(yaml.safe_load_all(PACKED)) == [{"version": 1, "name": "ace"}, {"id": "filter", "version": 2}]


def test_a_bundle_whose_ends_of_lines_were_changed_is_read() -> None:
    """As mail programs do; what it says stays."""
    assert unpack(PACKED.replace(b"\n", b"\r\n"), file="b")[0].content == ACE.content.replace(b"\n", b"\r\n")


@pytest.mark.parametrize(
    "label",
    [
        "pipelines/../ace.yaml",
        "/etc/passwd",
        "pipelines/ACE.yaml",
        "pipelines/a/b.yaml",
        "pipelines/ace.yaml.exe",
        "pipelines\\ace.yaml",
        "pipelines/ace@2.yaml",
        "operations/filter.yaml",
        "operations/filter@0.yaml",
        "secrets/ace.yaml",
        "pipelines/ace\0.yaml",
        "pipelines/\N{CYRILLIC SMALL LETTER A}ce.yaml",
        "",
    ],
)
def test_a_name_never_leads_outside_a_library(label: str) -> None:
    """Only files that a library has are named in a bundle."""
    hostile = PACKED.replace(b"pipelines/ace.yaml", label.encode())
    with pytest.raises(InputError, match="is not a file of a library"):
        unpack(hostile, file="b")


def test_a_bundle_that_is_cut_off_is_refused() -> None:
    """Wherever it is cut: also where what is left would be whole files."""
    for length in range(50, len(PACKED) - len("s\n")):
        with pytest.raises(InputError):
            unpack(PACKED[:length], file="b")


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (pack([ACE, ACE]), "appears in it twice"),
        (pack([]), "is empty"),
        (PACKED.replace(b"bundle 1", b"bundle 2"), "of another version"),
        (PACKED.replace(b"end of 2", b"end of 3"), "cut off"),
        (PACKED + b"# more\n", "cut off"),
        (PACKED + b" " * LARGEST_BUNDLE, "larger than 20 MB"),
    ],
    ids=["twice", "empty", "version", "count", "more", "large"],
)
def test_what_is_no_whole_bundle_is_refused(data: bytes, problem: str) -> None:
    """With one clear message."""
    with pytest.raises(InputError, match=problem):
        unpack(data, file="b")


def test_a_file_that_looks_like_a_bundle_is_not_packed() -> None:
    """It would not come back as it was."""
    with pytest.raises(InputError, match="as bundles have them"):
        pack([Item("pipelines", "ace", b"--- # helio: pipelines/x.yaml\nversion: 1\n")])
