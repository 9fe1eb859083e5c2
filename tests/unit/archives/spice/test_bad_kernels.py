"""What is wrong with kernels or requests gets one clear message; nothing stands in for what is missing."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from spiceypy import spiceypy

from helio_dagster.archives.demo.kernel_files import SEGMENTS, leap_seconds_text, write_spk
from helio_dagster.archives.demo.noise import Floats
from helio_dagster.archives.demo.orbits import ORBITER
from helio_dagster.domain.errors import CorruptFile
from tests.unit.archives.spice.conftest import KERNELS, Fetch

PLACE = ("DEMO_ORBITER-SUN", "position_HCI_PT1H")


@pytest.fixture
def kernels(tmp_path: Path) -> Path:
    """A copy of the demo's kernels that a test may change."""
    return Path(shutil.copytree(KERNELS, tmp_path / "kernels"))


def test_before_the_launch_is_empty(fetch: Fetch) -> None:
    """There was no spacecraft: a true answer, in the form of its tables."""
    fetched = fetch(*PLACE, "2017-05-01", "2017-05-02")
    assert fetched.error is None
    assert fetched.table.status == "empty"
    assert fetched.table.meta.frame == "HCI"


def test_beyond_the_kernels_fails_and_says_how_far_they_reach(fetch: Fetch) -> None:
    """No position is known there yet, which is not the same as no data."""
    fetched = fetch(*PLACE, "2029-05-01", "2029-05-02")
    assert "no kernel of the set holds DEMO_ORBITER" in str(fetched.error)
    late = fetch(*PLACE, "2028-01-01T12:00", "2028-01-02")
    assert "they reach from 2025-12-01T00:00:00Z to 2028-01-01T00:00:00Z" in str(late.error)


def test_a_partition_that_is_covered_in_part_has_that_part(fetch: Fetch) -> None:
    """Its metadata say which."""
    fetched = fetch(*PLACE, "2028-01-01", "2028-01-02")
    assert len(fetched.table.time) == 1
    assert fetched.table.meta.attributes["COVERED"] == "2028-01-01T00:00:00Z to 2028-01-01T00:00:00Z"


def test_a_missing_kernel_is_named(fetch: Fetch, kernels: Path) -> None:
    """A frame that needs Earth, without a kernel of Earth."""
    (kernels / "demo_earth_v01.bsp").unlink()
    fetched = fetch("DEMO_ORBITER-SUN", "position_HEE_PT1H", "2022-01-01", "2022-01-02", kernels)
    assert "no kernel of the set holds EARTH" in str(fetched.error)


@pytest.mark.parametrize("keep", [0, 700, 5000, -1])
def test_a_cut_kernel_is_named_as_damaged(fetch: Fetch, kernels: Path, keep: int) -> None:
    """However much of it is there, and be it all but the end of the last record; and the reader goes on afterwards."""
    path = kernels / "demo_orbiter_recon_20180101_20260101_v01.bsp"
    path.write_bytes(path.read_bytes()[:keep])
    fetched = fetch(*PLACE, "2022-01-01", "2022-01-02", kernels)
    assert isinstance(fetched.error, CorruptFile)
    assert path.name in str(fetched.error)
    assert fetch(*PLACE, "2022-01-01", "2022-01-02").error is None


def test_a_text_kernel_without_its_content_is_damaged(fetch: Fetch, kernels: Path) -> None:
    """CSPICE loads one that was cut without a word."""
    (kernels / "demo_leapseconds_v01.tls").write_text("KPL/LSK\n\\begindata\n")
    fetched = fetch(*PLACE, "2022-01-01", "2022-01-02", kernels)
    assert "demo_leapseconds_v01.tls cannot be read: it does not define DELTET/DELTA_AT" in str(fetched.error)


def test_leap_seconds_older_than_the_data_are_refused(fetch: Fetch, kernels: Path) -> None:
    """Times after a leap second that the kernel lacks would be a second off; before it they are right."""
    (kernels / "demo_leapseconds_v01.tls").write_text(leap_seconds_text(newest=36))
    fetched = fetch("EARTH-SUN", "position_HAE_PT1H", "2018-01-01", "2018-01-02", kernels)
    assert "the leap seconds of demo_leapseconds_v01.tls are older than the data: it lacks that of 2017-01-01" in str(
        fetched.error
    )


def test_kernels_that_contradict_each_other_are_named(fetch: Fetch, kernels: Path) -> None:
    """Two reconstructions of one time, 0.001 au apart."""
    spiceypy.furnsh(str(kernels / "demo_leapseconds_v01.tls"))
    name, centre, _, step_d, kind = SEGMENTS[0]

    def moved(et: Floats) -> Floats:
        states = ORBITER.states(et)
        states[:, 0] += 150_000.0
        return states

    other = kernels / "demo_orbiter_recon_20220101_20220201_v01.bsp"
    write_spk(other, ((name, centre, moved, step_d, kind),), "2022-01-01", "2022-02-01")
    fetched = fetch(*PLACE, "2022-01-10", "2022-01-11", kernels)
    assert "contradict each other" in str(fetched.error)
    assert "150,000 km apart" in str(fetched.error)
    assert fetch(*PLACE, "2022-03-10", "2022-03-11", kernels).error is None


def test_of_two_predictions_the_newer_one_counts(fetch: Fetch, kernels: Path) -> None:
    """They differ because more is known later: that is no contradiction, unlike two reconstructions."""
    spiceypy.furnsh(str(kernels / "demo_leapseconds_v01.tls"))
    name, centre, _, step_d, kind = SEGMENTS[0]

    def moved(et: Floats) -> Floats:
        states = ORBITER.states(et)
        states[:, 0] += 150_000.0
        return states

    before = fetch("DEMO_ORBITER-SUN", "position_HAE_PT1H", "2027-12-31T12:00", "2028-01-01T06:00").table
    newer = kernels / "demo_orbiter_pred_20260101_20280101_v01.bsp"
    write_spk(newer, ((name, centre, moved, step_d, kind),), "2026-01-01", "2028-01-01")
    fetched = fetch("DEMO_ORBITER-SUN", "position_HAE_PT1H", "2027-12-31T12:00", "2028-01-01T06:00", kernels)
    assert fetched.error is None
    assert fetched.table.meta.predicted
    x = before.meta.data_names[0]
    assert fetched.table.columns[x] - before.columns[x] == pytest.approx(150_000, abs=0.1)


@pytest.mark.parametrize(("newest", "day", "lacks"), [(31, "2000-01-10", "1999-01-01"), (24, "1995-06-01", "1994-07-01")])
def test_old_data_need_their_leap_seconds_too(fetch: Fetch, kernels: Path, newest: int, day: str, lacks: str) -> None:
    """A kernel of before 1999 is too old for data of 2000; for data of before its own end it is right."""
    spiceypy.furnsh(str(kernels / "demo_leapseconds_v01.tls"))
    write_spk(kernels / "demo_earth_v01.bsp", (SEGMENTS[1],), "1988-02-01", "2000-12-01")
    (kernels / "demo_leapseconds_v01.tls").write_text(leap_seconds_text(newest=newest))
    until = f"{day}T06:00"
    fetched = fetch("EARTH-SUN", "position_HAE_PT1H", day, until, kernels)
    said = f"the leap seconds of demo_leapseconds_v01.tls are older than the data: it lacks that of {lacks}"
    assert said in str(fetched.error)
    assert str(fetched.error).count("leap seconds") == 1
    earlier = fetch("EARTH-SUN", "position_HAE_PT1H", "1988-06-01", "1988-06-01T06:00", kernels)
    assert earlier.error is None


def test_a_cadence_without_a_sample_in_the_partition_is_refused(fetch: Fetch) -> None:
    """An hour in which no daily sample falls would look empty."""
    fetched = fetch("DEMO_ORBITER-SUN", "position_HCI_P1D", "2022-01-10T05:00", "2022-01-10T06:00")
    assert "the cadence is longer than the partition" in str(fetched.error)
