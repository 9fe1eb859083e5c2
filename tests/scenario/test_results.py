"""Questions about what was made, answered from the tables on disk: the numbers that Python reads from them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd
import pytest

from tests.scenario.scripts import ace_plan
from tests.scenario.talking import Chat, Turn

Begin = Callable[..., Chat]
Script = Sequence[dict[str, Any]] | None
ACE = "ACE magnetic field magnitude for 2003-10-29"
NAME = "ace_magnetic_field_magnitude"


def column_of(turn: Turn) -> dict[str, Any]:
    """The statistics behind an answer about one column."""
    (answer,) = turn.of("information")
    (result,) = answer.facts["results"]
    (column,) = result["columns"]
    return dict(column)


@pytest.mark.parametrize("script", [None, pytest.param([ace_plan()], marks=pytest.mark.nightly)], ids=["offline", "model"])
def test_results_are_told_from_the_tables(chat: Begin, script: Script) -> None:
    """With a model or without: extreme, mean, value at a time and gaps; nothing is run for it, and no model is asked."""
    talk = chat(script)
    talk.agree(ACE)
    runs = talk.runs
    read = talk.read(f"{NAME}/b_mag", "2003-10-29").iloc[:, 0]
    when = read.index[int(read.argmax())]
    told = talk.say("what is the maximum of the field magnitude?")
    assert f"The maximum of b_mag is {read.max():.6g} nT, at {when:%Y-%m-%dT%H:%M:%S}" in told.text("information")
    assert "from step b_mag (demo AC_H0_MFI BGSEc, 2003-10-29 to 2003-10-30, synthetic data" in told.text("information")
    assert column_of(told)["maximum"]["value"] == read.max()
    assert column_of(told)["fill"] == read.isna().sum()
    np.testing.assert_allclose(column_of(talk.say("mean of b_mag"))["mean"], read.mean(), rtol=1e-12)
    at = column_of(talk.say("what was the magnitude at 06:00 on 2003-10-29?"))["at"]
    apart = np.abs(pd.DatetimeIndex(read.index) - pd.Timestamp("2003-10-29T06:00Z"))
    nearest = int(np.argmin(apart))
    assert at["value"] == read.iloc[nearest]
    assert pd.Timestamp(at["time"]) == read.index[nearest].round("ms")
    assert "b_mag: 99" in talk.say("how many gaps are there?").text("information")
    assert talk.runs == runs


def test_what_was_not_run_is_not_told(chat: Begin) -> None:
    """Of a plan, and of another day; what is offered is understood."""
    talk = chat()
    talk.say(ACE)
    before = talk.say("what is the maximum of the field magnitude?")
    assert "Nothing was made for 2003-10-29 to 2003-10-30 yet" in before.text("information")
    assert (before.awaiting, talk.runs) == ("approval", 0)
    talk.say("approve")
    other = talk.say("what is the maximum of the field magnitude on 2003-10-31?")
    (offer,) = other.of("suggestion")
    assert "Nothing was made for 2003-10-31 to 2003-11-01 yet" in other.text("information")
    assert talk.say(offer.facts["say"]).status == "success"
    assert "The maximum of b_mag is" in talk.say("what is the maximum of the field magnitude?").text("information")
