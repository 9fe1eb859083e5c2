"""What descriptions say of particles: whose they are, their energies, and how these are shown."""

from __future__ import annotations

import pytest

from helio_dagster.catalog.choice.particle_channels import Energies, ParticleData, particle_data, pattern_of, species_of_word
from helio_dagster.catalog.facts import DatasetFacts, Derived, ParameterFacts

LIKELY = Derived("day", "test", "likely")


def _held(*descriptions: str, size: tuple[int, ...] = (), label: str = "") -> list[ParticleData]:
    parameters = tuple(
        ParameterFacts(f"p{place}", text, "", "", size, "", None, None, None, Derived("time_series", "test", "likely"))
        for place, text in enumerate(descriptions)
    )
    facts = DatasetFacts(
        "X_Y", "cdaweb", label, "X", "", "", None, None, None, None, LIKELY, LIKELY, "science", "", "", parameters=parameters
    )
    return list(particle_data(facts))


@pytest.mark.parametrize(
    ("description", "energies"),
    [
        ("P1 LEMS30 (0.047-0.065 MeV Ions), Sector Avg", [(47, 65)]),
        ("Proton Flux 0.52 - 1.45 energy bins, MeV, LECP", [(520, 1450)]),
        ("Electron number flux 100eV-30keV in 15 energy bins", [(0.1, 30)]),
        ("Differential Electron Flux ~15-50,000 eV", [(0.015, 50)]),
        ("Proton intensity in 3 energy ranges (4.3-7.8, 7.8-25, 25-40.9 MeV)", [(4300, 7800), (7800, 25000), (25000, 40900)]),
        ("CA60 (0.389-1.28 MeV/nuc. He)", []),
    ],
)
def test_energies_are_read(description: str, energies: list[tuple[float, float]]) -> None:
    """In keV; those per nucleon are not energies of a particle."""
    (found,) = _held(description)
    assert [(each.low, each.high) for each in found.energies] == [pytest.approx(each) for each in energies]


def test_a_listed_channel_has_a_place() -> None:
    """As many as the parameter has values; else the list is about something else."""
    text = "Proton intensity in 3 energy ranges (4.3-7.8, 7.8-25, 25-40.9 MeV)"
    assert _held(text, size=(3,))[0].position(Energies(1e4, 1e4)) == 1
    assert _held(text, size=(3,))[0].position(Energies(3e4, 4e4)) == 2
    assert _held(text, size=(3,))[0].position(Energies(1e6, 1e6)) is None
    assert _held(text, size=(4,))[0].position(Energies(1e4, 1e4)) is None


def test_what_is_shown_again_is_of_the_same_particles() -> None:
    """`As a stack plot at the Ch3 energy` says nothing of whose they are by itself."""
    first, second = _held("Electron flux 5-1100 eV at 8 pitch angles", "As a stack plot at the Ch3 energy (often ~540 eV)")
    assert second.is_of("electron")
    assert first.near is None
    assert second.near == pytest.approx(0.54)


def test_limits_and_reach() -> None:
    """A limit from which on all is counted, and what a label says of each kind of particles."""
    assert _held("Electron integral flux E2 >2 MeV")[0].above == (2000.0,)
    (found,) = _held("flux", label="Electron fluxes ~20-4000 keV and proton fluxes ~50-1500 keV")
    assert (found.reaches(3000, "electron"), found.reaches(3000, "proton")) == (True, False)


@pytest.mark.parametrize(
    ("species", "text", "is_it"),
    [
        ("O6+", "speed of O+6", True),
        ("He++", "Helium++ speed", True),
        ("H+", "proton speed", True),
        ("O", "O intensity", True),
        ("O", "Of the oxygen", True),
        ("ion", "direction of the electron flux", False),
    ],
)
def test_how_particles_are_spelt(species: str, text: str, is_it: bool) -> None:
    """Symbols with and without charge, and words that only contain another one."""
    assert (pattern_of(species).search(text) is not None) == is_it


def test_words_name_particles() -> None:
    """Electrons however they are misspelt, elements by name and symbol."""
    words = ("elctrons", "protons", "ion flux", "oxygen", "Fe", "alpha particles", "density")
    assert [species_of_word(each) for each in words] == ["electron", "proton", "ion", "O", "Fe", "He", ""]
