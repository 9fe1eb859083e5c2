"""How spacecraft are turned: as the closed form and CSPICE have it, over no gap, with one message where nobody knows."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest
from spiceypy import spiceypy

from helio_dagster.archives.demo.kernel_files import frames_text, write_ck
from helio_dagster.archives.demo.noise import Floats
from helio_dagster.archives.demo.orbits import orbiter_turning
from helio_dagster.archives.spice.attitude import quaternions
from helio_dagster.archives.spice.registry import sources
from helio_dagster.domain.bodies import find_body
from helio_dagster.domain.errors import CorruptFile
from helio_dagster.domain.table import Table, concatenate
from tests.unit.archives.spice.conftest import KERNELS, Fetch

TURNED = ("DEMO_ORBITER", "attitude_J2000_PT1M")
DAY = ("2022-03-05", "2022-03-06")
BODY = find_body("DEMO_ORBITER")
FLOWN = "demo_orbiter_attitude_recon_20180101_20260101_v01.bc"


@pytest.fixture
def kernels(tmp_path: Path) -> Path:
    """A copy of the demo's kernels that a test may change."""
    return Path(shutil.copytree(KERNELS, tmp_path / "kernels"))


def furnish(*names: str) -> None:
    """Load kernels of the demo into this process."""
    spiceypy.kclear()
    for name in names:
        spiceypy.furnsh(str(KERNELS / name))


def matrices(table: Table) -> Floats:
    """Rotations by CSPICE's own q2m, shape (time, row, column)."""
    return np.stack([spiceypy.q2m(each) for each in np.stack(list(table.columns.values()), axis=1)])


def test_an_attitude_is_that_of_the_spinning_spacecraft(fetch: Fetch) -> None:
    """Within 1e-7 rad of the closed form, from J2000 by the obliquity that CSPICE has."""
    fetched = fetch(*TURNED, *DAY)
    table = fetched.table
    assert table is not None
    furnish("demo_leapseconds_v01.tls")
    et = np.array([spiceypy.str2et(str(time)) for time in table.time])
    expected = orbiter_turning(et) @ spiceypy.pxform("J2000", "ECLIPJ2000", 0.0)
    assert len(table) == 1440
    assert np.abs(matrices(table) - expected).max() < 1e-7
    assert (table.meta.frame, table.meta.attributes["SPACECRAFT_AXES"]) == ("J2000", "DEMO_ORBITER_SC")
    assert [source.name.rpartition(".")[2] for source in fetched.sources] == ["tls", "tf", "tsc", "bc"]


def test_quaternions_are_those_of_cspice() -> None:
    """For rotations of every kind, half turns among them; of the two that mean the same, the one with q0 not negative."""
    random = np.random.default_rng(1)
    angles = np.concatenate([random.uniform(0, np.pi, 200), [0.0, np.pi, np.pi, np.pi, np.pi / 2]])
    axes = np.concatenate([random.normal(size=(201, 3)), np.eye(3), [[1, 1, 0]]])
    turned = np.stack([spiceypy.axisar(axis, angle) for axis, angle in zip(axes, angles, strict=True)])
    found = np.stack(quaternions(turned), axis=1)
    expected = np.stack([spiceypy.m2q(matrix) for matrix in turned])
    sign = np.sign(np.sum(found * expected, axis=1, keepdims=True))
    assert np.abs(found - sign * expected).max() < 1e-14
    assert (found[:, 0] >= 0).all()


def test_days_one_by_one_are_the_two_at_once(fetch: Fetch) -> None:
    """The same bits."""
    parts = [fetch(*TURNED, *DAY).table, fetch(*TURNED, "2022-03-06", "2022-03-07").table]
    whole = fetch(*TURNED, "2022-03-05", "2022-03-07").table
    assert whole is not None
    joined = concatenate([each for each in parts if each is not None])
    assert all(np.array_equal(joined.columns[name], whole.columns[name]) for name in whole.meta.data_names)


def test_nothing_is_turned_over_a_gap(fetch: Fetch, kernels: Path) -> None:
    """Two files with six hours between them: samples only where one of them holds the attitude."""
    (kernels / FLOWN).unlink()
    furnish("demo_leapseconds_v01.tls", "demo_orbiter_clock_v01.tsc")
    name = "demo_orbiter_attitude_recon_{}_v01.bc"
    write_ck(kernels / name.format("20220301_20220305"), orbiter_turning, BODY.naif_id, "2022-03-01", "2022-03-05")
    write_ck(kernels / name.format("20220305_20220310"), orbiter_turning, BODY.naif_id, "2022-03-06", "2022-03-10")
    fetched = fetch("DEMO_ORBITER", "attitude_J2000_PT6H", "2022-03-04T12:00", "2022-03-06T12:00", kernels)
    assert [str(time)[:13] for time in fetched.table.time] == [
        *("2022-03-04T12", "2022-03-04T18", "2022-03-05T00", "2022-03-06T00", "2022-03-06T06")
    ]
    assert fetched.table.meta.attributes["COVERED"] == "2022-03-04T12:00:00Z to 2022-03-06T06:00:00Z"


def test_beyond_what_was_flown_it_is_predicted(fetch: Fetch) -> None:
    """And marked, from the first sample that no reconstruction holds."""
    table = fetch("DEMO_ORBITER", "attitude_J2000_PT6H", "2025-12-31", "2026-01-02").table
    assert table.meta.predicted
    assert table.meta.attributes["PREDICTED_FROM"] == "2026-01-01T06:00:00Z"
    assert not fetch(*TURNED, *DAY).table.meta.predicted


def test_before_the_launch_is_empty_and_beyond_the_kernels_an_error(fetch: Fetch) -> None:
    """There was no spacecraft; later the message says how far they reach."""
    early = fetch(*TURNED, "2017-05-01", "2017-05-02")
    assert early.error is None
    assert early.table.status == "empty"
    late = fetch(*TURNED, "2028-01-01T12:00", "2028-01-02")
    beyond = fetch(*TURNED, "2029-01-01T12:00", "2029-01-02")
    assert "no kernel of the set holds the attitude of DEMO_ORBITER" in str(beyond.error)
    assert "do not cover the attitude of DEMO_ORBITER at this time: they reach from 2025-12-01T00:00:00Z to" in str(late.error)


def test_a_spacecraft_without_attitude_kernels_is_refused(fetch: Fetch) -> None:
    """With those that have some."""
    fetched_by = pytest.raises(Exception, match="no kernels of the attitude of DEMO_SENTINEL are known")
    with fetched_by as refused:
        fetch("DEMO_SENTINEL", "attitude_J2000_PT1M", *DAY)
    assert "Attitudes are known of DEMO_ORBITER." in str(refused.value)


@pytest.mark.parametrize(
    ("name", "keep", "problem"),
    [
        (FLOWN, 700, "it is not a whole CK file"),
        (FLOWN, 3000, "that its head announces"),
        ("demo_orbiter_clock_v01.tsc", 60, "it does not define SCLK01_COEFFICIENTS of any clock"),
    ],
)
def test_a_cut_kernel_is_named_as_damaged(fetch: Fetch, kernels: Path, name: str, keep: int, problem: str) -> None:
    """And the reader goes on afterwards."""
    (kernels / name).write_bytes((kernels / name).read_bytes()[:keep])
    fetched = fetch(*TURNED, *DAY, kernels)
    assert isinstance(fetched.error, CorruptFile)
    assert name in str(fetched.error)
    assert problem in str(fetched.error)
    assert fetch(*TURNED, *DAY).error is None


def test_a_frame_kernel_without_the_axes_is_named(fetch: Fetch, kernels: Path) -> None:
    """One that a mission renamed, or that was cut."""
    (kernels / "demo_orbiter_frames_v01.tf").write_text(frames_text("ANOTHER_SC", -999003))
    fetched = fetch(*TURNED, *DAY, kernels)
    assert "does not define DEMO_ORBITER_SC as a frame of attitude kernels" in str(fetched.error)


def test_a_missing_clock_is_said(fetch: Fetch, kernels: Path) -> None:
    """Attitudes are stored over the clock of the spacecraft."""
    (kernels / "demo_orbiter_clock_v01.tsc").unlink()
    fetched = fetch(*TURNED, *DAY, kernels)
    assert "the kernels do not allow the attitude of DEMO_ORBITER" in str(fetched.error)
    assert "SCLK" in str(fetched.error)


def test_two_reconstructions_that_differ_are_named(fetch: Fetch, kernels: Path) -> None:
    """By half a degree about the spin axis; a tenth of what is allowed is no contradiction."""
    furnish("demo_leapseconds_v01.tls", "demo_orbiter_clock_v01.tsc")
    other = kernels / "demo_orbiter_attitude_recon_20220301_20220401_v01.bc"

    def written(off_deg: float) -> str:
        off = np.radians(off_deg)
        turn = np.array([[np.cos(off), np.sin(off), 0], [-np.sin(off), np.cos(off), 0], [0, 0, 1]])
        write_ck(other, lambda et: turn @ orbiter_turning(et), BODY.naif_id, "2022-03-01", "2022-04-01")
        return str(fetch(*TURNED, *DAY, kernels).error)

    assert written(0.01) == "None"
    assert "contradict each other" in (problem := written(0.5))
    assert "they turn DEMO_ORBITER 0.50 deg apart" in problem


@pytest.mark.parametrize(
    ("body", "kind", "name", "start"),
    [
        ("PSP", "ck", "spp_2021_297_04.ah.bc", "2021-10-24"),
        ("PSP", "sclk", "spp_sclk_0866.tsc", None),
        ("PSP", "fk", "spp_v300.tf", None),
        ("SOLO", "ck", "solo_ANC_soc-flown-att_20221011T142135-20221012T141817_V01.bc", "2022-10-11"),
        ("SOLO", "sclk", "solo_ANC_soc-sclk_20231015_V01.tsc", None),
        ("SOLO", "fk", "solo_ANC_soc-sc-fk_V09.tf", None),
        ("JUNO", "ck", "juno_sc_rec_190526_190601_v01.bc", "2019-05-26"),
        ("JUNO", "sclk", "jno_sclkscet_00098.tsc", None),
        ("MAVEN", "ck", "mvn_sc_rel_210104_210110_v02.bc", "2021-01-04"),
        ("MAVEN", "sclk", "MVN_SCLKSCET.00086.tsc", None),
    ],
)
def test_names_that_missions_published_are_known(body: str, kind: str, name: str, start: str | None) -> None:
    """Names that stand in public meta-kernels and programs."""
    spans = [source.span(name, [body]) for source in sources("kernels") if source.kind == kind and body in source.bodies]
    assert len(found := [span for span in spans if span is not None]) == 1
    assert start is None or str(found[0][0].date()) == start
