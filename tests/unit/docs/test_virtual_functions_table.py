"""The table of the archive's functions in docs/catalog.md is what the shipped catalog and the code say."""

from __future__ import annotations

from pathlib import Path

import pytest

from helio_dagster.archives.cdf.functions import KNOWN_FUNCTIONS
from helio_dagster.catalog.database import CatalogDatabase, packaged_path
from helio_dagster.catalog.virtual_variables import listed_functions, shipped_table

PAGE = Path(__file__).parents[3] / "docs/catalog.md"


def test_the_table_is_up_to_date() -> None:
    """After a change: `python -m helio_dagster.catalog.virtual_variables` prints what docs/catalog.md holds."""
    assert shipped_table(CatalogDatabase(packaged_path())) in PAGE.read_text(encoding="utf-8")


@pytest.mark.slow
def test_every_place_is_in_the_catalog() -> None:
    """No pattern without a dataset of the shipped catalog, and none of parameters that it does not have."""
    database = CatalogDatabase(packaged_path())
    for function in listed_functions():
        for datasets, parameters in function.places:
            held = [name for name in database.names() if datasets.fullmatch(name)]
            assert held, (function.name, datasets.pattern)
            facts = [database.dataset(name) for name in held]
            names = [parameter.name for each in facts if each is not None for parameter in each.parameters]
            assert parameters is None or any(map(parameters.fullmatch, names)), (function.name, parameters)


def test_what_is_computed_is_listed() -> None:
    """All but functions that no known dataset uses any more."""
    unused = {"add_51s", "compute_magnitude", "convert_ni", "convert_toev"}
    assert set(KNOWN_FUNCTIONS) - {each.name for each in listed_functions()} == unused
