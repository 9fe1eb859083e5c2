"""Ids of new steps: one rule for drafts and for changes of a pipeline."""

from __future__ import annotations

from helio_dagster.agent.drafting.naming import free_id, is_numbered


def test_a_taken_id_gets_the_first_free_number() -> None:
    """A long one is cut before the number, so that it stays a valid id."""
    assert free_id("b_mag", ()) == "b_mag"
    assert free_id("b_mag", {"b_mag", "b_mag_2"}) == "b_mag_3"
    assert free_id("b" * 80, {"b" * 70}) == "b" * 70 + "_2"


def test_a_number_is_no_other_name() -> None:
    """`b_mag_mean` begins like `b_mag`, and is another step."""
    assert is_numbered("b_mag_12", "b_mag")
    assert not is_numbered("b_mag_mean", "b_mag")
