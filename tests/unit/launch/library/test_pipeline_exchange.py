"""Pipelines carried from one library to another."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helio_dagster.domain.bundle import Item, pack
from helio_dagster.domain.errors import HelioError, InputError, PipelineError
from helio_dagster.launch.home import Home
from helio_dagster.launch.library.pipeline_exchange import bring, bundle_of
from helio_dagster.storage.settings import Settings
from tests.tiers import example_count

ACE = """\
version: 1
name: ace          # the first
steps:
  - id: b
    fetch: {archive: demo, dataset: AC_H0_MFI, parameter: BGSEc}
"""
READER = """\
version: 1
name: reader
steps:
  - id: mag
    compute: {operation: magnitude, inputs: {vector: ace/b}}
"""


def make_home(folder: Path, *texts: bytes | str) -> Home:
    """A home with pipelines."""
    library = folder / "pipelines"
    library.mkdir(parents=True)
    for text in texts:
        content = text.encode() if isinstance(text, str) else text
        name = content.split(b"name: ")[1].split()[0].decode()
        (library / f"{name}.yaml").write_bytes(content)
    return Home(Settings(folder / "home", library))


def files(home: Home) -> dict[str, bytes]:
    """Every file of a library."""
    return {path.name: path.read_bytes() for path in home.settings.pipelines.iterdir()}


@st.composite
def laid_out(draw: st.DrawFn, text: str) -> bytes:
    """A pipeline's text with comments, blank lines, ends of lines and an end of the file as people leave them."""
    words = st.text(st.characters(exclude_categories=["Cc", "Cs"], exclude_characters="\u2028\u2029\x85\ufeff\ufffe\uffff"))
    lines = []
    for line in text.splitlines():
        lines += [f"# {draw(words)}"] * draw(st.integers(0, 1)) + [""] * draw(st.integers(0, 1)) + [line]
    start = draw(st.sampled_from(["", "---\n", "\ufeff", "# first\n"]))
    end = draw(st.sampled_from(["", "\n", "\n\n", "\n# last", "\n...\n"]))
    break_ = draw(st.sampled_from(["\n", "\r\n"]))
    return (start + "\n".join(lines) + end).replace("\n", break_).encode()


@settings(max_examples=example_count(40), deadline=None)
@given(ace=laid_out(ACE), reader=laid_out(READER))
def test_export_then_import_gives_the_same_bytes(ace: bytes, reader: bytes) -> None:
    """Whatever the layout, into an empty home, with the pipelines that are read; and again changes nothing."""
    with tempfile.TemporaryDirectory() as folder:
        source = make_home(Path(folder) / "source", ace, reader)
        bundle = bundle_of(source, "reader")
        target = make_home(Path(folder) / "target")
        assert {each.name: each.state for each in bring(target, bundle, file="b")} == {"reader": "new", "ace": "new"}
        assert files(target) == files(source) == {"ace.yaml": ace, "reader.yaml": reader}
        again = Home(target.settings)
        assert bundle_of(again, "reader") == bundle
        assert {each.state for each in bring(again, bundle, file="b")} == {"same"}


def test_only_what_is_read_is_exported(tmp_path: Path) -> None:
    """A pipeline that reads none goes alone."""
    home = make_home(tmp_path, ACE, READER)
    assert bundle_of(home, "ace") == pack([Item("pipelines", "ace", ACE.encode())])


def test_a_pipeline_that_reads_what_is_not_there_is_not_exported(tmp_path: Path) -> None:
    """The bundle would be refused elsewhere."""
    home = make_home(tmp_path, READER)
    with pytest.raises(InputError, match="there is no pipeline 'ace'"):
        bundle_of(home, "reader")


def test_a_different_pipeline_is_refused_with_all_others(tmp_path: Path) -> None:
    """Nothing is written; `replace` replaces it."""
    target = make_home(tmp_path / "target", ACE.replace("BGSEc", "BGSM"))
    before = files(target)
    bundle = pack([Item("pipelines", "reader", READER.encode()), Item("pipelines", "ace", ACE.encode())])
    found = {each.name: each.state for each in bring(target, bundle, file="b")}
    assert found == {"reader": "new", "ace": "refused"}
    assert files(target) == before
    found = {each.name: each.state for each in bring(Home(target.settings), bundle, file="b", replace=True)}
    assert found == {"reader": "new", "ace": "replaced"}
    assert files(target) == {"ace.yaml": ACE.encode(), "reader.yaml": READER.encode()}


def test_a_replacement_that_breaks_another_pipeline_is_refused(tmp_path: Path) -> None:
    """One that reads a step which would be no more."""
    target = make_home(tmp_path, ACE, READER)
    changed = ACE.replace("id: b", "id: other")
    with pytest.raises(PipelineError, match="there is no step 'b'"):
        bring(target, changed.encode(), file="ace.yaml", replace=True)
    assert files(target)["ace.yaml"] == ACE.encode()


def test_what_was_wrong_before_does_not_stop_an_import(tmp_path: Path) -> None:
    """A library with a faulty pipeline still takes a sound one."""
    target = make_home(tmp_path, READER.replace("ace/b", "ace/c").replace("name: reader", "name: faulty"))
    assert [each.state for each in bring(target, ACE.encode(), file="download (1).yaml")] == ["new"]
    assert "ace.yaml" in files(target)


RING = """\
version: 1
name: {}
steps:
  - id: x
    compute: {{operation: magnitude, inputs: {{vector: {}/x}}}}
"""


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (b"", "empty"),
        (b"PK\x03\x04 a zip", "is neither a bundle nor a pipeline"),
        (b"\x00" * 100, "is neither a bundle nor a pipeline"),
        (b"\xff\xfe v", "not UTF-8"),
        (b"<html><body>Sign in</body></html>", "a pipeline is a mapping"),
        (b"x" * 20_000_001, "is neither a bundle nor a pipeline"),
        (READER.encode(), "there is no pipeline 'ace'"),
        (ACE.replace("name: ace ", "name: ../ace ").encode(), "name"),
        (pack([Item("pipelines", "ace", b"\xff\xfe")]), "is not UTF-8 text"),
        (pack([Item("pipelines", "other", ACE.encode())]), "the pipeline 'ace' stands in 'other.yaml'"),
        (pack([Item("pipelines", "ace", ("a: [" * 60).encode())]), "pipelines/ace.yaml"),
        (pack([Item("operations", "mine@1", b"id: yours\n")]), "operations/mine@1.yaml"),
        (pack([Item("pipelines", n, RING.format(n, o).encode()) for n, o in (("p", "q"), ("q", "p"))]), "p/x"),
    ],
    ids=["nothing", "zip", "nul", "latin", "html", "huge", "reads", "path", "bytes", "name", "deep", "operation", "ring"],
)
def test_hostile_input_writes_nothing(tmp_path: Path, data: bytes, problem: str) -> None:
    """One clear message, whatever is brought."""
    target = make_home(tmp_path)
    with pytest.raises(HelioError) as caught:
        bring(target, data, file="brought")
    assert problem in str(caught.value)
    assert isinstance(caught.value, InputError)
    assert files(target) == {}
    assert not target.settings.operations.exists()
