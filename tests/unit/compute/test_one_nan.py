"""Equal results are equal bytes, whatever NaN a processor made of them."""

from __future__ import annotations

import numpy as np
import pytest

from helio_dagster.compute.one_nan import one_nan

OTHER = np.array([0xFFF8000000000000, 0x7FF8000000000001, 0x7FF0000000000001], dtype="u8").view("f8")
"""A negative NaN, one with a payload, a signalling one."""


@pytest.mark.parametrize("kind", ["f8", "f4"])
def test_every_nan_has_the_same_bits(kind: str) -> None:
    """All other values keep theirs, -0.0 and infinities among them; what was given is not changed."""
    with np.errstate(invalid="ignore"):
        given = np.array([[*OTHER, np.nan], [1.0, -0.0, -np.inf, -np.nan]]).astype(kind)
    before = given.tobytes()
    found = one_nan(given)
    assert given.tobytes() == before
    assert found.tobytes() == np.where(np.isnan(given), np.array(np.nan, kind), given).tobytes()
    assert len({value.tobytes() for value in found[np.isnan(found)]}) == 1
    assert found.tobytes() != before


@pytest.mark.parametrize("given", [np.array([1.0, np.nan]), np.array([3, -4]), np.array(["NaT"], dtype="datetime64[ns]")])
def test_what_has_no_other_nan_is_not_copied(given: np.ndarray) -> None:
    """Unless that is asked for."""
    assert one_nan(given) is given
    copied = one_nan(given, is_copied=True)
    assert copied is not given
    assert not np.shares_memory(copied, given)
    assert copied.tobytes() == given.tobytes()


def test_columns_of_a_larger_array() -> None:
    """Also where they are not contiguous."""
    wide = np.full((5, 3), -np.nan)
    assert one_nan(wide[:, 1]).tobytes() == np.full(5, np.nan).tobytes()
