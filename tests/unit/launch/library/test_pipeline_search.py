"""Finding pipelines by words and by what they use."""

from __future__ import annotations

import pytest

from helio_dagster.catalog.known import KnownCatalog
from helio_dagster.domain.pipeline_text import parse_pipeline
from helio_dagster.launch.library.pipeline_search import Entry, Found, Limits, describe, search
from tests.shipped_catalog import shipped_database

ACE = """
version: 1
name: ace_overview
title: Field of the monitor
steps:
  - id: b
    intent: Fetch the vector before the shock
    fetch: {archive: cdaweb, dataset: AC_H0_MFI, parameter: BGSEc}
  - id: mag
    compute: {operation: magnitude, inputs: {vector: b}}
"""
WIND = """
version: 1
name: second
title: Plasma
steps:
  - id: n
    fetch: {archive: cdaweb, dataset: WI_H1_SWE, parameter: Proton_Np_nonlin}
  - id: mine
    compute: {operation: smoothed@2, inputs: {series: n}}
"""
EVENTS = """
version: 1
name: storms
description: Onsets of storms, by hand
steps:
  - id: rows
    table: {csv: "time\\n2003-10-29", source: me}
"""


@pytest.fixture(scope="module")
def entries() -> list[Entry]:
    """Three pipelines as they are searched."""
    catalog = KnownCatalog(shipped_database)
    return [describe(parse_pipeline(text, file="x").pipeline, catalog) for text in (ACE, WIND, EVENTS)]


def names(found: Found) -> list[str]:
    """Names of the hits, best first."""
    return [hit.entry.pipeline.name for hit in found.hits]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("ace", ["ace_overview"]),
        ("run my ACE overview", ["ace_overview"]),
        ("Advanced Composition Explorer", ["ace_overview"]),
        ("magnetic field", ["ace_overview"]),
        ("MFI", ["ace_overview"]),
        ("AC_H0_MFI", ["ace_overview"]),
        ("bgsec", ["ace_overview"]),
        ("shock", ["ace_overview"]),
        ("density", ["second"]),
        ("wi_h1_swe", ["second"]),
        ("smoothed", ["second"]),
        ("smoothed@2", ["second"]),
        ("wind", ["second"]),
        ("onset", ["storms"]),
        ("steps", []),
        ("", ["ace_overview", "second", "storms"]),
        ("the", ["ace_overview", "second", "storms"]),
        ("🜚 ' OR 1=1 --", []),
    ],
)
def test_words_are_found_wherever_a_person_would_look(entries: list[Entry], query: str, expected: list[str]) -> None:
    """Names, titles, intents, missions and their other names, instruments, quantities, ids, operations."""
    assert names(search(entries, query)) == expected


def test_those_that_hold_most_words_are_found(entries: list[Entry]) -> None:
    """A pipeline with one of two words is passed over where another has both."""
    assert names(search(entries, "proton density monitor")) == ["second"]
    assert sorted(names(search(entries, "storms plasma"))) == ["second", "storms"]


def test_a_name_counts_for_more_than_a_description(entries: list[Entry]) -> None:
    """Both hold the word; the one that is named so comes first."""
    named = parse_pipeline(WIND.replace("name: second", "name: storms_of_wind"), file="x").pipeline
    told = parse_pipeline(WIND.replace("title: Plasma", "description: storms"), file="x").pipeline
    catalog = KnownCatalog(shipped_database)
    found = search([describe(told, catalog), describe(named, catalog)], "storms")
    assert names(found) == ["storms_of_wind", "second"]


def test_a_misspelt_word_is_taken_for_the_nearest(entries: list[Entry]) -> None:
    """And that is said."""
    found = search(entries, "overveiw")
    assert names(found) == ["ace_overview"]
    assert found.instead == {"overveiw": "overview"}


@pytest.mark.parametrize(
    ("limits", "expected"),
    [
        (Limits(mission="ACE"), ["ace_overview"]),
        (Limits(dataset="wi_h1_swe"), ["second"]),
        (Limits(operation="smoothed"), ["second"]),
        (Limits(operation="smoothed@2"), ["second"]),
        (Limits(operation="smoothed@1"), []),
        (Limits(mission="ACE", operation="smoothed"), []),
    ],
)
def test_limits_hold_for_every_hit(entries: list[Entry], limits: Limits, expected: list[str]) -> None:
    """Mission, dataset and operation, all together; a version only where it is given."""
    assert names(search(entries, "", limits)) == expected


def test_an_unknown_limit_gets_near_names(entries: list[Entry]) -> None:
    """What the library uses and is spelled nearly so."""
    assert search(entries, "", Limits(dataset="WI_H1_SWA")).near == ("WI_H1_SWE",)
    assert search(entries, "", Limits(operation="magnitud")).near == ("magnitude",)


def test_an_empty_library_has_nothing() -> None:
    """Which is not an error."""
    assert search([], "ace") == Found(())
