"""Recipes from their words to numbers, over the embedded archive: as numpy has them from the same tables."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tests.scenario.talking import Chat

Begin = Callable[..., Chat]
SPAN = ("2023-01-02T03:00Z", "2023-01-02T03:20Z")


def test_field_and_velocity_are_turned_into_the_same_axes(chat: Begin) -> None:
    """Those of the field's variance: eigenvectors of its covariance, up to their signs, for both."""
    talk = chat()
    done = talk.agree("B and velocity of ACE in LMN 2023-01-02 03:00 to 03:20")
    assert done.status == "success", done.text("error")
    (name,) = talk.saved
    field, flow, field_lmn, flow_lmn = (
        talk.read(f"{name}/{step}", *SPAN).to_numpy(dtype=np.float64)
        for step in ("b_gse", "velocity_gse", "b_lmn", "velocity_lmn")
    )
    _, axes = np.linalg.eigh(np.cov(field.T))
    expected = field @ axes[:, ::-1]
    signs = np.sign(np.sum(field_lmn * expected, axis=0))
    np.testing.assert_allclose(field_lmn, expected * signs, atol=1e-9)
    assert len(flow) > 10
    np.testing.assert_allclose(flow_lmn, flow @ axes[:, ::-1] * signs, atol=1e-9)
