"""Words beside a quantity that make another one of it are asked about, on whichever side of it they stand."""

from __future__ import annotations

import pytest

from helio_dagster.agent.answers import Asked, Plan
from tests.requests.test_never_other_things import answered

pytestmark = pytest.mark.xdist_group("requests")


@pytest.mark.parametrize(
    ("request_", "word", "choices"),
    [
        ("Wind neutral density 2005-01-01", "neutral", ["Wind density 2005-01-01"]),
        ("ACE suprathermal density 2005-01-01", "suprathermal", ["ACE density 2005-01-01"]),
        ("Wind horizontal velocity 2005-01-01", "horizontal", ["Wind velocity 2005-01-01"]),
        (
            "sixteen hertz magnetic field from THEMIS C 2011-03-09",
            "sixteen', 'hertz",
            [],
        ),
    ],
)
def test_they_are_not_ignored(request_: str, word: str, choices: list[str]) -> None:
    """Nothing is offered without a name or a number."""
    asked = answered(request_)
    assert isinstance(asked, Asked), asked
    assert f"I do not understand '{word}'" in asked.question.text
    assert list(asked.question.choices) == choices


@pytest.mark.parametrize("request_", ["Foosat solar wind speed 2005-01-01", "solar wind speed of Foosat 2005-01-01"])
def test_a_name_is_nobody_of_the_catalog(request_: str) -> None:
    """Where no spacecraft is named, it could be one: no other's data are taken."""
    asked = answered(request_)
    assert isinstance(asked, Asked), asked
    assert "The catalog has nothing called 'Foosat'" in asked.question.text
    assert not asked.question.choices


@pytest.mark.parametrize("word", ["quiet", "Interesting", "foo", "Foo", "FOO"])
def test_words_that_only_tell_about_it_are_ignored(word: str) -> None:
    """And shown as ignored."""
    plan = answered(f"{word} ACE speed 2005-01-01")
    assert isinstance(plan, Plan), plan
    assert plan.ignored == (word,)


@pytest.mark.parametrize(
    ("request_", "parameters"),
    [
        ("ICON zonal velocity 2021-03-03", None),
        ("Van Allen Probe B chorus wave magnetic spectral density 2014-08-28", ["BuBu"]),
        ("proton flux from SOHO ERNE 2001-04-15", ["PH"]),
    ],
)
def test_they_choose_data_where_the_catalog_has_them(request_: str, parameters: list[str] | None) -> None:
    """Nothing of the request is left out."""
    plan = answered(request_)
    assert isinstance(plan, Plan), plan
    assert plan.ignored == ()
    fetched = [each.fetch.parameter for each in plan.pipeline.steps if each.fetch]
    assert fetched
    assert parameters is None or fetched == parameters


def test_what_is_offered_is_of_the_spacecraft_that_is_named() -> None:
    """Of NOAA-15, not of its sisters."""
    asked = answered("NOAA-15 electron flux 2014-11-20")
    assert isinstance(asked, Asked), asked
    assert asked.question.choices
    assert all("NOAA15_" in each for each in asked.question.choices)


def test_the_frequencies_of_a_spectrum_are_those_drawn() -> None:
    """The data are filtered only where the request says so."""
    band = "between 0.001 and 0.1 Hz, 2021-11-03"
    plan = answered(f"power spectrum of Wind |B| {band}")
    assert isinstance(plan, Plan), plan
    assert [each.compute.operation for each in plan.pipeline.steps if each.compute] == ["magnitude", "power_spectrum"]
    figure = plan.pipeline.steps[-1].figure
    assert figure is not None
    assert figure.panels[0].x.range == (0.001, 0.1)
    filtered = answered(f"power spectrum of Wind |B| band-pass filtered {band}")
    assert isinstance(filtered, Plan), filtered
    assert "butterworth" in {each.compute.operation for each in filtered.pipeline.steps if each.compute}


def test_a_unit_said_once_is_that_of_both_lengths() -> None:
    """`two days before and five after`."""
    plan = answered("superposed epoch of Dst around 2003-10-29 06:11 and 2003-11-20 08:03, two days before and five after")
    assert isinstance(plan, Plan), plan
    (options,) = [each.compute.options for each in plan.pipeline.steps if each.compute and "before" in each.compute.options]
    assert (options["before"], options["after"]) == ("P2D", "P5D")
