"""Honest code, as heliophysicists write it, passes the static check and gives in the sandbox what it gives outside."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from helio_dagster.sandbox.static_check import check_code
from tests.security.corpus import Honest, load_honest
from tests.security.frames import INPUTS
from tests.security.plain import run_bodies
from tests.security.runners import Confined

SNIPPETS = [pytest.param(snippet, id=snippet.id) for snippet in load_honest()]


def test_there_are_enough_of_them() -> None:
    """At least sixty, none twice."""
    ids = [snippet.id for snippet in load_honest()]
    assert len(ids) >= 60
    assert len(set(ids)) == len(ids)


@pytest.mark.parametrize("snippet", SNIPPETS)
def test_it_passes_the_static_check(snippet: Honest) -> None:
    """Nothing honest is refused early."""
    check_code(snippet.body, snippet.inputs)


@pytest.mark.alike(16)
@pytest.mark.parametrize("snippet", SNIPPETS)
def test_it_gives_what_it_gives_outside(snippet: Honest, confined: Confined) -> None:
    """Same times, same columns, same numbers; finite ones among them and no infinities."""
    given = {name: INPUTS[name]() for name in snippet.inputs}
    outside = run_bodies([snippet.body], {name: frame.copy() for name, frame in given.items()})
    expected = outside.to_frame(outside.name or "honest") if isinstance(outside, pd.Series) else outside
    result = confined.result(snippet.body, given, name="honest")
    assert list(result.columns) == [str(name) for name in expected.columns]
    assert result.shape[1] == snippet.columns
    assert (result.index == expected.index).all()
    np.testing.assert_allclose(result.to_numpy(), expected.to_numpy(dtype=float), rtol=1e-9, atol=1e-12)
    assert np.isfinite(result.to_numpy()).any()
    assert not np.isinf(result.to_numpy()).any()
