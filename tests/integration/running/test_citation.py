"""`helio cite`: what the archive's files say of those who made them, and what is not known."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from helio_dagster.launch.credit.bibtex import to_bibtex
from helio_dagster.launch.credit.citation import Citation, cite
from tests.integration.running.conftest import MakeSpan, Mission, Shell

TWO, THREE = "2023-01-02", "2023-01-03"
FIRST = {
    "Data_type": "K0>Key Parameter",
    "Data_version": "7",
    "PI_name": "A. First",
    "PI_affiliation": "Institute & Sons",
    "DOI": "https://doi.org/10.48322/ab_c",
    "Acknowledgement": "Thank A.",
}
SECOND = {**FIRST, "PI_name": "B. Second", "Data_type": "H0>High Resolution data", "Data_version": "8"}
CITED = """
version: 1
name: cited
start: 2023-01-01
steps:
  - id: b
    fetch: {archive: cdaweb, dataset: TS_H0_MFI, parameter: BGSE}
  - id: f
    fetch: {archive: cdaweb, dataset: TS_H0_MFI, parameter: F}
  - id: mag
    compute: {operation: magnitude, inputs: {vector: b}}
  - id: storms
    table: {csv: "onset,name\\n2023-01-03T06:11Z,Test", source: "Someone 2023"}
"""


@pytest.fixture
def cited(make_site: Callable, mission: Mission, make_span: MakeSpan) -> Callable[..., Citation]:
    """A home whose first day is by one investigator and whose second is by another; cites a range or none."""
    for key, says in ((TWO, FIRST), (THREE, SECOND)):
        mission.publish(key, says=says)
    site = make_site("home", CITED)
    site.run(make_span(TWO, 2), name="cited")

    def ask(key: str | None = None, days: int = 1) -> Citation:
        pipeline, graph = site.open("cited")
        return cite(graph, pipeline, make_span(key, days) if key else None, site.workbench())

    return ask


def test_a_range_cites_just_the_files_it_was_made_from(cited: Callable[..., Citation]) -> None:
    """One dataset for both parameters, with the file of the day and what it says."""
    (dataset,) = cited(TWO).datasets
    assert (dataset.archive, dataset.dataset, dataset.parameters) == ("cdaweb", "TS_H0_MFI", ["BGSE", "F"])
    assert [file["name"] for file in dataset.files] == ["ts_h0_mfi_20230102_v01.cdf"]
    (credit,) = dataset.credits
    assert (credit.pi, credit.affiliation, credit.doi) == ("A. First", "Institute & Sons", "10.48322/ab_c")
    assert (credit.acknowledgement, credit.files, dataset.unknown) == ("Thank A.", 1, "")


def test_all_who_made_the_files_of_a_range_are_cited(cited: Callable[..., Citation]) -> None:
    """The newest file's first."""
    (dataset,) = cited(TWO, 2).datasets
    assert [(credit.pi, credit.files) for credit in dataset.credits] == [("B. Second", 1), ("A. First", 1)]


def test_how_mature_data_are_is_what_the_record_holds(cited: Callable[..., Citation]) -> None:
    """Of the files' own `Data_type`, though neither dataset nor file is called after it; with the versions that files state."""
    (first,), (second,), (both,) = (cited(*each).datasets for each in ((TWO,), (THREE,), (TWO, 2)))
    assert [each.maturity for each in (first, second, both)] == ["quicklook", "", "quicklook"]
    assert (both.marked, both.partitions, both.versions) == (2, 4, ["7", "8"])
    text = str(cited(TWO, 2))
    assert "quicklook data in 2 of 4 partitions, which are not definitive" in " ".join(text.split())
    assert "data version    7, 8" in text
    assert "not definitive" not in str(cited(THREE))


def test_without_a_range_the_newest_file_speaks(cited: Callable[..., Citation]) -> None:
    """Of what is stored."""
    (dataset,) = cited().datasets
    assert [credit.pi for credit in dataset.credits] == ["B. Second"]


def test_formulas_tables_archive_and_software_are_cited(cited: Callable[..., Citation]) -> None:
    """Each by its name, with its source."""
    found = cited(TWO)
    assert [(each.operation, each.steps) for each in found.operations] == [("magnitude", ["cited/mag"])]
    assert "sqrt(vx^2" in found.operations[0].reference
    assert [(table.step, table.source) for table in found.tables] == [("cited/storms", "Someone 2023")]
    assert "Space Physics Data Facility" in found.archives["cdaweb"]
    assert found.software["name"] == "helio_dagster"


def test_bibtex_keeps_names_whole_and_escapes_what_tex_would_read(cited: Callable[..., Citation]) -> None:
    """A DOI stays as it is."""
    text = to_bibtex(cited(TWO))
    assert "@misc{TS_H0_MFI,\n  author = {{A. First}}," in text
    assert r"Institute \& Sons" in text
    assert "doi = {10.48322/ab_c}" in text
    assert r"sqrt(vx\^{}2" in text
    assert text.count("@misc{") == 4


def test_what_is_not_known_is_said(make_site: Callable, mission: Mission, make_span: MakeSpan, shell: Shell) -> None:
    """Nothing stored, files that name nobody, and files that are no longer in the cache: three different words, exit code 0."""
    site = make_site("home", CITED)
    assert "not stored" in shell(site, "cite", "cited").stdout
    site.run(make_span(TWO), name="cited")
    done = shell(site, "cite", "cited", TWO)
    assert done.returncode == 0, done.stderr
    assert "not named in the files" in done.stdout
    assert "not known" not in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 80
    for path in site.settings.cache.rglob("*.cdf"):
        path.unlink()
    found = json.loads(shell(site, "cite", "cited", TWO, "--json").stdout)
    assert found["datasets"][0]["unread"] == 1
    assert "--refresh" in found["datasets"][0]["unknown"]
    assert [file["name"] for file in found["datasets"][0]["files"]] == ["ts_h0_mfi_20230102_v01.cdf"]
    assert "@misc{TS_H0_MFI" in shell(site, "cite", "cited", TWO, "--bibtex").stdout


def test_a_doi_of_the_catalog_is_cited_where_the_files_name_none(make_site: Callable, shell: Callable) -> None:
    """As such, and in BibTeX; the files' own comes first."""
    site = make_site(
        "home",
        CITED.replace("TS_H0_MFI", "AC_H0_MFI").replace("BGSE}", "BGSEc}").replace("parameter: F", "parameter: Magnitude"),
    )
    pipeline, graph = site.open("cited")
    found = cite(graph, pipeline, None, site.workbench())
    assert found.datasets[0].catalog_doi == "10.48322/e0dc-0h53"
    assert "doi = {10.48322/e0dc-0h53}" in to_bibtex(found)
    assert "https://doi.org/10.48322/e0dc-0h53 (from the catalog)" in shell(site, "cite", "cited").stdout
