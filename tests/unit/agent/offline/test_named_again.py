"""What is named a second time is the same, and says more of it; the solar wind beside a magnetospheric spacecraft is OMNI's."""

from __future__ import annotations

import pytest

from tests.unit.agent.offline.asking import chain, drawn_at, panels, planned


def test_particles_of_an_energy_named_again_are_the_same() -> None:
    """They have their own average, and the index beside them has none."""
    made = chain(planned("RBSP-A REPT electrons at 2 MeV and Dst, oct 2012, daily maximum of the electrons"))
    assert [each for each in made if "resample" in each] == ["rbspa_at_energy_1day_max=resample(rbspa_at_energy,P1D,max)"]


def test_particles_named_again_have_their_own_axis() -> None:
    """Whatever the archive calls their parameter; the solar wind is that of OMNI."""
    pipeline = planned(
        "GOES-15 >2 MeV electrons together with solar wind speed, oct 2012, electrons on a log axis, speed in red"
    )
    assert panels(pipeline) == ["goes_e2w_cor_flux", "omni_speed"]
    figure = pipeline.steps[-1].figure
    assert figure is not None
    assert [panel.y.scale for panel in figure.panels] == ["log", None]
    assert drawn_at(pipeline, (1, 0))["color"] == "red"


def test_a_quantity_named_again_is_treated_alone() -> None:
    """The other one is drawn as it is."""
    made = chain(planned("ACE Bz and speed, hourly mean of the speed, 5 may 2010"))
    assert [each for each in made if "resample" in each] == ["speed_1hour=resample(speed,PT1H,mean)"]


@pytest.mark.parametrize(
    ("request_text", "dataset"),
    [
        ("THEMIS-D ion density and solar wind speed, 10 Mar 2015", "OMNI2_H0_MRG1HR/V"),
        ("MMS1 magnetic field and IMF Bz, 10 Mar 2017", "OMNI_HRO_1MIN/BZ_GSM"),
    ],
)
def test_the_solar_wind_beside_the_magnetosphere_is_that_of_omni(request_text: str, dataset: str) -> None:
    """The card says so."""
    pipeline = planned(request_text)
    assert any(each.endswith(dataset) for each in chain(pipeline))
    assert any("measures in the magnetosphere" in each for each in pipeline.assumptions)


def test_the_solar_wind_of_a_spacecraft_named_before_it_is_its_own() -> None:
    """Directly behind its name."""
    assert not any("OMNI" in each for each in chain(planned("ACE solar wind speed and Bz, 10 Mar 2015")))


def test_a_remark_on_the_best_lag_is_what_a_cross_correlation_tells() -> None:
    """It is the peak of the same curve."""
    made = chain(planned("cross-correlate solar wind speed and Kp for 2008, which lag is best? lags up to 5 days"))
    assert made[-2:] == ["correlation=cross_correlation(speed,kp,P5D)", "best_lag=peak_of(correlation,absolute)"]
