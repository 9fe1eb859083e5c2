"""The shock operations against fits of two bow shocks that others published with their samples."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from helio_dagster.domain.table import Table
from tests.unit.compute.conftest import TableMaker
from tests.unit.compute.operations.themis_shocks import FITS, OPTIONS, PublishedFit, themis_tables

Make = Callable[..., Table]


def _facts(found: Table) -> dict[str, Any]:
    return {name: values[0] for name, values in found.columns.items()}


@pytest.mark.parametrize("fit", FITS, ids=[each.date for each in FITS])
@pytest.mark.parametrize("operation", ["rankine_hugoniot", "shock_parameters"])
def test_normal_speed_and_inflow_are_those_published(
    make_table: TableMaker, apply: Make, fit: PublishedFit, operation: str
) -> None:
    """Within one standard deviation of both; coplanarity, of one pair without its own, within two of the published fit."""
    tables = themis_tables(make_table, fit.date)
    given = {name: tables[name] for name in ("field", "velocity", "density")}
    more = {"windows": 1} if operation == "shock_parameters" else {}
    found = _facts(apply(operation, given, **OPTIONS, **more))
    own_deg, own_speed = (0.0, 0.0) if more else (found["normal_uncertainty"], found["shock_speed_uncertainty"])
    assert fit.turned_deg(found) < np.hypot(own_deg, fit.open_deg) * (2 if more else 1)
    assert found["shock_speed"] == pytest.approx(fit.speed_km_s[0], abs=np.hypot(own_speed, fit.speed_km_s[1]))
    normal = np.array([found[f"normal_{axis}"] for axis in "xyz"])
    flow = np.array([np.mean(values[: len(values) // 2]) for values in tables["velocity"].columns.values()])
    assert abs(flow @ normal - found["shock_speed"]) == pytest.approx(fit.inflow_km_s[0], abs=fit.inflow_km_s[1])


def test_angle_and_mach_numbers_are_those_published(make_table: TableMaker, apply: Make) -> None:
    """Of 2009-07-13 the notes give theta_Bn 35.3 deg, an Alfven Mach number of 12.25 and a sonic one of 5.57."""
    fit = FITS[0]
    found = _facts(apply("rankine_hugoniot", themis_tables(make_table, fit.date), **OPTIONS))
    share = fit.inflow_km_s[1] / fit.inflow_km_s[0]
    assert found["theta_bn"] == pytest.approx(35.28, abs=np.hypot(found["theta_bn_uncertainty"], fit.open_deg))
    assert found["alfven_mach"] == pytest.approx(12.25, rel=share)
    assert found["sonic_mach"] == pytest.approx(5.567, rel=share)
    assert found["reduced_chi_squared"] < 2


def test_a_disturbed_downstream_leaves_the_normal_open(make_table: TableMaker, apply: Make) -> None:
    """On 2009-07-21 the field keeps turning downstream: with the pressure there is no normal, and no number."""
    found = _facts(apply("rankine_hugoniot", themis_tables(make_table, "2009-07-21"), **OPTIONS))
    assert np.isnan(found["normal_x"])
    assert found["downstream_samples"] == 22
