"""From a sentence to curves around the storms that a limit makes: the events are those that numpy finds in the tables."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd

import helio_dagster
from tests.scenario.talking import Chat

Begin = Callable[..., Chat]
FIRST, LATER = "24 Oct to 5 Nov 2003", ("2003-11-18", "2003-11-24")
STARTS = ("2003-10-24", "2003-11-24")
REQUEST = f"superposed epoch of Dst around all storms below -100 nT, {FIRST}, 6 hours before to 12 hours after"


def storms_in(dst: pd.Series) -> list[pd.Timestamp]:
    """When Dst falls below -100 nT, at least 12 hours after it was so before: a loop over the hours."""
    found: list[pd.Timestamp] = []
    last: pd.Timestamp | None = None
    for time, value in zip(pd.DatetimeIndex(dst.index), dst.to_numpy(dtype=np.float64), strict=True):
        if value < -100:
            if last is None or time - last > pd.Timedelta("13h"):  # a value holds for its hour
                found.append(time)
            last = time
    return found


def around(dst: pd.Series, times: list[pd.Timestamp]) -> np.ndarray:
    """Dst in each hour from 6 hours before to 12 hours after each time: shape (storm, lag), NaN where there is none."""
    hours = [[time + pd.Timedelta(hours=lag) for lag in range(-6, 12)] for time in times]
    return np.array([dst.reindex(each).to_numpy(dtype=np.float64) for each in hours])


def test_storms_are_found_superposed_and_found_again_later(chat: Begin) -> None:
    """What a person approves once finds a later storm by itself, and makes nothing again."""
    talk = chat()
    planned = talk.say(REQUEST)
    assert "An event is an interval with OMNI Dst below -100 nT; its time is when it begins." in planned.text("plan")
    done = talk.say("approve")
    assert done.status == "success", done.text("error")
    assert "dst_epochs: 1 event in the" in done.text("check")
    (name,) = talk.saved
    one = talk.read(f"{name}/dst", "2003-10-24", "2003-11-06").iloc[:, 0]
    assert storms_in(one) == [pd.Timestamp("2003-10-29T11:00Z")]

    for days in (LATER, STARTS):
        report = helio_dagster.run(talk.pipeline(), *days, home=talk.settings.home)
        assert report.status == "success"
    assert report.steps["dst_epochs"].computed == 0  # the days between have no storm, those of both storms were made before

    dst = talk.read(f"{name}/dst", *STARTS).iloc[:, 0]
    found = storms_in(dst)
    assert found == [pd.Timestamp("2003-10-29T11:00Z"), pd.Timestamp("2003-11-20T12:00Z")]
    rows = around(dst, found)
    epochs = talk.read(f"{name}/dst_epochs", *STARTS)
    assert list(epochs.index) == found
    np.testing.assert_array_equal(epochs.to_numpy(dtype=np.float64), rows)
    together = talk.read(f"{name}/dst_epochs_together", *STARTS)
    np.testing.assert_allclose(together["median"], np.nanmedian(rows, axis=0))
    np.testing.assert_allclose(together["mean"], np.nanmean(rows, axis=0))
    np.testing.assert_array_equal(together["count"], np.isfinite(rows).sum(axis=0))


def test_each_storm_has_a_panel(chat: Begin) -> None:
    """Labelled by when it begins, and no other."""
    talk = chat()
    done = talk.agree("plot Dst for each storm (Dst < -100 nT) from 27 Oct to 22 Nov 2003, 6 hours before to 12 hours after")
    dst = talk.read(f"{talk.saved[0]}/dst", "2003-10-27", "2003-11-23").iloc[:, 0]
    (page,) = (path.read_text() for path in done.figures)
    labels = {f"{time:%Y-%m-%d %H:%M}" for time in storms_in(dst)}
    assert labels == {"2003-10-29 11:00", "2003-11-20 12:00"}
    assert all(label in page for label in labels)


def test_a_range_without_storms_is_said(chat: Begin) -> None:
    """It is no failure: the figure says that there is nothing, and the days are there."""
    talk = chat()
    done = talk.agree("superposed epoch of Dst around all storms below -100 nT, 24 to 26 Oct 2003, 6 hours before and after")
    assert "events: 0 events in the" in done.text("check")
    (name,) = talk.saved
    assert talk.read(f"{name}/dst_epochs_together", "2003-10-24", "2003-10-27").empty
    assert len(done.figures) == 1
