"""The folder of pipeline files."""

from __future__ import annotations

from pathlib import Path

import pytest

from helio_dagster.domain.errors import InputError, PipelineError, StorageError
from helio_dagster.storage.pipeline_library import PipelineLibrary, read_pipeline

TEXT = """version: 1
name: {name}
steps:
  - id: b
    fetch: {{archive: demo, dataset: AC_H0_MFI, parameter: Magnitude}}
"""


@pytest.fixture
def library(tmp_path: Path) -> PipelineLibrary:
    """A library with one pipeline."""
    library = PipelineLibrary(tmp_path / "pipelines")
    library.save("ace", TEXT.format(name="ace"))
    return library


def test_what_is_saved_is_listed_and_loaded(library: PipelineLibrary) -> None:
    """By name, byte for byte."""
    assert library.names() == ["ace"]
    assert library.load("ace").text == TEXT.format(name="ace")


def test_a_missing_folder_holds_nothing(tmp_path: Path) -> None:
    """A new home has no pipelines, which is not an error."""
    assert PipelineLibrary(tmp_path / "nowhere").names() == []


def test_a_misspelt_name_is_answered_with_the_nearest(library: PipelineLibrary) -> None:
    """The message names the folder, the hint the pipeline that was probably meant."""
    with pytest.raises(InputError, match="there is no pipeline 'acee'") as caught:
        library.load("acee")
    assert "ace" in caught.value.hint


@pytest.mark.parametrize("name", ["../ace", "a/b", "ACE", "", "ace\0", "x" * 200])
def test_a_name_never_leads_outside(library: PipelineLibrary, name: str) -> None:
    """What is not a name is refused before any file is touched."""
    with pytest.raises(InputError, match="is not a pipeline name"):
        library.save(name, "")


def test_one_faulty_pipeline_does_not_take_the_others_along(library: PipelineLibrary) -> None:
    """All readable pipelines load."""
    library.save("broken", "version: [")
    assert [found.pipeline.name for found in library.load_all()] == ["ace"]


def test_a_file_that_is_not_text_is_a_pipeline_error(tmp_path: Path) -> None:
    """With the byte where it stops being UTF-8."""
    path = tmp_path / "ace.yaml"
    path.write_bytes(b"name: \xff")
    with pytest.raises(PipelineError, match="not UTF-8"):
        read_pipeline(path)


def test_a_file_that_cannot_be_opened_is_a_storage_error_and_does_not_hide_the_others(library: PipelineLibrary) -> None:
    """The operating system's refusal names the path; the library goes on without it."""
    broken = library.folder / "broken.yaml"
    broken.symlink_to("nowhere")
    with pytest.raises(StorageError, match=r"broken\.yaml"):
        read_pipeline(broken)
    assert [file.pipeline.name for file in library.load_all()] == ["ace"]


def test_a_removed_pipeline_is_gone(library: PipelineLibrary) -> None:
    """Its file is deleted."""
    library.remove("ace")
    assert library.names() == []


def test_ends_of_lines_are_read_as_they_are(library: PipelineLibrary) -> None:
    """A file from Windows keeps them when it is changed."""
    text = TEXT.format(name="ace").replace("\n", "\r\n")
    library.save("ace", text)
    found = library.load("ace")
    assert found.text == text
    assert found.renamed("dos", file="dos.yaml").text == text.replace("name: ace", "name: dos")
