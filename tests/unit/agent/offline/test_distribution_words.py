"""Words for what is computed from distributions of MMS FPI, without a language model."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from helio_dagster.agent.answers import OpenQuestion, Plan
from helio_dagster.agent.offline.distribution_words import Distributions
from helio_dagster.compute.operation import get_operation
from helio_dagster.domain.catalog import Catalog
from helio_dagster.domain.pipeline_text import pipeline_to_document

NOW = datetime(2026, 1, 1, tzinfo=UTC)


class Known(Catalog):
    """Since when there are distributions of MMS."""

    def __init__(self) -> None:
        super().__init__([])

    def extent(self, archive: str, dataset: str) -> tuple[datetime | None, datetime | None]:
        """From September 2015 on."""
        del archive, dataset
        return datetime(2015, 9, 1, tzinfo=UTC), None


def planned(request: str) -> Plan | None:
    """The answer to a request."""
    return Distributions(Known(), "cdaweb").answer(request, NOW)


def steps_of(request: str) -> dict[str, Any]:
    """The steps of a plan by id."""
    plan = planned(request)
    assert plan is not None, request
    document: dict[str, Any] = pipeline_to_document(plan.pipeline)
    return {step["id"]: step for step in document["steps"]}


@pytest.mark.parametrize(
    ("request_text", "dataset", "operation", "options"),
    [
        (
            "pitch angle spectrogram of MMS1 electrons at 200 eV on 2017-07-11",
            "MMS1_FPI_FAST_L2_DES-DIST",
            "pitch_angle_spectrogram",
            {"directions": "look", "energies": [170, 230]},
        ),
        (
            "plot the MMS3 electron pitch-angle distribution between 100 eV and 1 keV in burst mode on 11 July 2017",
            "MMS3_FPI_BRST_L2_DES-DIST",
            "pitch_angle_spectrogram",
            {"directions": "look", "energies": [100, 1000]},
        ),
        (
            "MMS1 ion density from the distribution on 2017-07-11",
            "MMS1_FPI_FAST_L2_DIS-DIST",
            "moments",
            {"moment": "density", "species": "proton"},
        ),
        (
            "bulk velocity of mms2 electrons computed from their distribution functions, 2017-07-11",
            "MMS2_FPI_FAST_L2_DES-DIST",
            "moments",
            {"moment": "velocity", "species": "electron", "directions": "look"},
        ),
        (
            "energy spectrogram of MMS4 ions from the distributions 2017-07-11",
            "MMS4_FPI_FAST_L2_DIS-DIST",
            "energy_spectrogram",
            None,
        ),
    ],
)
def test_words_become_steps_over_distributions(request_text: str, dataset: str, operation: str, options: Any) -> None:
    """Dataset, operation and options are those that are said; the operation accepts them."""
    steps = steps_of(request_text)
    assert steps["distribution"]["fetch"]["dataset"] == dataset
    (compute,) = [step["compute"] for step in steps.values() if "compute" in step]
    assert (compute["operation"], compute.get("options")) == (operation, options)
    get_operation(operation).read_options(compute.get("options", {}))
    assert ("field" in steps) == (operation == "pitch_angle_spectrogram")
    assert set(compute["inputs"].values()) <= steps.keys()


@pytest.mark.parametrize(
    "request_text",
    [
        "MMS1 ion density 2017-07-11",
        "pitch angle distribution of RBSP-A electrons 2013-03-17",
        "energy spectrogram of MMS1 ions 2017-07-11",
        "MMS1 ion density and temperature from the distribution 2017-07-11",
        "MMS1 and MMS2 ion density from the distribution 2017-07-11",
        "MMS1 ion density from the distribution in a log scale with a red line 2017-07-11",
        "pitch angle spectrogram of MMS1 electrons between 100 and 1 keV 2017-07-11",
        "distribution of MMS1 ion density 2017-07-11",
    ],
)
def test_other_words_are_not_its_matter(request_text: str) -> None:
    """The archive's own moments, other missions, two things at once, and whatever is not understood whole."""
    assert planned(request_text) is None


@pytest.mark.parametrize(
    ("request_text", "said"),
    [
        ("MMS1 density from the distribution 2017-07-11", "Ions or electrons"),
        ("MMS1 ion density from the distribution", "For which time"),
        ("MMS1 ion density from the distribution 2010-01-01", "data from 2015-09-01"),
    ],
)
def test_what_is_missing_is_asked(request_text: str, said: str) -> None:
    """Species, time, and a time before there are data; a choice is a request that is planned."""
    with pytest.raises(OpenQuestion, match=said) as caught:
        planned(request_text)
    for choice in caught.value.question.choices:
        assert planned(choice) is not None, choice


def test_no_other_archive_has_them() -> None:
    """Over the demo archive the words go on to other readers."""
    assert Distributions(Known(), "demo").answer("MMS1 ion density from the distribution 2017-07-11", NOW) is None
