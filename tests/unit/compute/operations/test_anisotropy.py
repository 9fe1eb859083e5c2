"""Temperature anisotropy and its thresholds: by hand, by plasmapy's beta, and by another fit of the same instabilities."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType

import numpy as np
import pytest

from helio_dagster.domain.errors import ComputeError
from helio_dagster.domain.table import Table
from tests.unit.compute.conftest import TableMaker

Make = Callable[..., Table]


def _inputs(
    make_table: TableMaker, across: float, along: float, density: float = 20.0, field: float = 30.0
) -> dict[str, Table]:
    return {
        "perpendicular": make_table({"t": [across]}, unit="eV"),
        "parallel": make_table({"t": [along]}, unit="eV"),
        "density": make_table({"n": [density]}, unit="cm^-3"),
        "field": make_table({"b": [field]}, unit="nT"),
    }


def _found(apply: Make, inputs: dict[str, Table], result: str) -> float:
    return float(apply("temperature_anisotropy", inputs, result=result).columns["out"][0])


def test_beta_is_plasmapys(make_table: TableMaker, apply: Make, formulary: ModuleType) -> None:
    """And the parameters of a fluid follow from both betas."""
    import astropy.units as u

    inputs = _inputs(make_table, 150.0, 80.0)
    along, across = (float(formulary.beta(each * u.eV, 20 / u.cm**3, 30 * u.nT)) for each in (80, 150))
    assert _found(apply, inputs, "parallel_beta") == pytest.approx(along, rel=1e-6)
    assert _found(apply, inputs, "mirror") == pytest.approx(across * (150 / 80 - 1), rel=1e-6)
    assert _found(apply, inputs, "firehose") == pytest.approx((along - across) / 2, rel=1e-6)


@pytest.mark.parametrize(
    ("result", "expected"),
    [
        ("proton_cyclotron_threshold", {0.5: 1.5864, 1.0: 1.4364, 3.0: 1.2729, 10.0: 1.1631}),
        ("mirror_threshold", {0.5: 2.2429, 1.0: 1.7645, 3.0: 1.3410, 10.0: 1.1377}),
        ("parallel_firehose_threshold", {1.0: 0.2258, 3.0: 0.7013, 10.0: 0.8607}),
        ("oblique_firehose_threshold", {3.0: 0.5569, 10.0: 0.8641}),
    ],
)
def test_thresholds_are_near_those_of_another_fit(
    make_table: TableMaker, apply: Make, result: str, expected: dict[float, float]
) -> None:
    """anisotropy_thresholds of pyrfu 2.4.21 has later constants for the same growth rate: they agree where both hold."""
    for beta, threshold in expected.items():
        unit_beta = _found(apply, _inputs(make_table, 100.0, 100.0), "parallel_beta")
        inputs = _inputs(make_table, 100.0, 100.0, density=20.0 * beta / unit_beta)
        assert _found(apply, inputs, "parallel_beta") == pytest.approx(beta)
        assert _found(apply, inputs, result) == pytest.approx(threshold, abs=0.035)


def test_the_two_mirror_criteria_meet_at_high_beta(make_table: TableMaker, apply: Make) -> None:
    """At its threshold for beta 30 the fluid's parameter is near 1."""
    unit_beta = _found(apply, _inputs(make_table, 100.0, 100.0), "parallel_beta")
    inputs = _inputs(make_table, 100.0, 100.0, density=20.0 * 30 / unit_beta)
    limit = _found(apply, inputs, "mirror_threshold")
    at_limit = _inputs(make_table, 100.0 * limit, 100.0, density=20.0 * 30 / unit_beta)
    assert 1 < _found(apply, at_limit, "mirror") < 2.5


def test_what_is_not_known_is_no_number(make_table: TableMaker, apply: Make) -> None:
    """A temperature of 0, a density of 0, no field, and a firehose at low beta, which no anisotropy makes."""
    for inputs in (
        _inputs(make_table, 100.0, 0.0),
        _inputs(make_table, -1.0, 100.0),
        _inputs(make_table, 100.0, 100.0, density=0.0),
        _inputs(make_table, 100.0, 100.0, field=0.0),
    ):
        assert np.isnan(_found(apply, inputs, "mirror_threshold"))
    low = _inputs(make_table, 100.0, 100.0, density=0.1)
    assert np.isnan([_found(apply, low, f"{each}_firehose_threshold") for each in ("parallel", "oblique")]).all()
    assert np.isfinite(_found(apply, low, "mirror_threshold"))


def test_thresholds_need_density_and_field(make_table: TableMaker, apply: Make) -> None:
    """The ratio does not."""
    inputs = _inputs(make_table, 150.0, 100.0)
    alone = {name: inputs[name] for name in ("perpendicular", "parallel")}
    assert _found(apply, alone, "ratio") == 1.5
    with pytest.raises(ComputeError, match="mirror needs the input density and field"):
        apply("temperature_anisotropy", alone, result="mirror")
