"""What speaks for and against a dataset: the one table of weights of the search, of a plan's offers and of a fork.

Search counts points for a dataset; the highest comes first. Offers and forks count costs; the lowest comes first. A cost of 1
is what an unknown cadence costs. What each is worth is measured by leaving it out: `python -m benchmarks.choice_weights`.
Nothing is computed here.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class SearchWeights:
    """Points of a dataset in a search over words."""

    named: float = 2.0
    """A word in the id, label or instrument: these say what the dataset is for."""
    described: float = 1.0
    """A word in the parameters: they mention much in passing."""
    of_the_glossary: float = 0.3
    """Share of a word that only the glossary adds: it helps to find, and must not outdo the person's own words."""
    length: float = 0.3
    """How much a long text takes from the worth of a word in it, as in BM25: low, as long lists of parameters are no fault."""
    mission: float = 14.0
    """The mission asked for, and as much against any other: nothing else makes up for another spacecraft."""
    quantity: float = 2.0
    """The dataset holds the quantity."""
    quantity_share: float = 4.0
    """Times the root of the quantity's share of the parameters: a magnetometer's file before one that carries B along."""
    no_quantity: float = -1.5
    """The dataset does not hold the quantity."""
    later_quantity: float = 1 / 1.6
    """What a second quantity counts beside the first."""
    index_share: float = 0.6
    """Least share of an index: one of fifty columns of OMNI is still where everyone takes it from."""
    cadence_met: float = 5.0
    """The cadence asked for."""
    cadence_near: float = 1.5
    """Another cadence, less `cadence_decade` for each power of ten between them."""
    cadence_decade: float = 2.0
    high_resolution: float = 2.0
    """A second or faster, where high resolution is asked for."""
    usual_cadence: float = 0.3
    """A second to an hour, where no cadence is asked for."""
    frame: float = 2.0
    """Each frame asked for that one of its parameters has."""
    id_met: float = 30.0
    """The id itself was typed."""
    id_part: float = 9.0
    """A part of the id was typed."""
    id_word: float = 2.5
    """Each word, two at most, that is a part of the id between underscores."""
    not_science: float = -4.0
    """Ephemeris, housekeeping or calibration that no word asks for."""
    not_fetchable: float = -2.5
    """PDS: listed, but a pipeline cannot fetch it."""
    minor: float = -2.5
    """Key parameters, browse and preliminary products, unless they are asked for."""
    predicted: float = -3.0
    """Predicted positions, unless they are asked for."""
    burst: float = 3.0
    """Burst data that are asked for."""
    burst_unasked: float = -2.0
    """Burst data that are not: they have minutes of a day."""
    current: float = 0.8
    """Data still arrive."""
    most_for_years: float = 1.5
    """A long record: a twelfth for each year, up to this. Decides between twins, as between Geotail's two editors."""
    covered: float = 4.0
    """Times the share of the time range that it covers."""


@dataclass(frozen=True)
class OfferWeights:
    """Costs of a parameter that could answer a question for a quantity of a mission."""

    guess: float = 2.0
    """The quantity is guessed from a name, not known from words and unit together."""
    other_particles: float = 1.0
    """Described as protons where ions are asked for, or the reverse: people use the words for one another."""
    other_population: float = 4.0
    """Described as a part of the particles, such as the core of the electrons, or as neutral ones, where none is asked for."""
    minor: float = 4.0
    """Key parameters, browse, preliminary and burst products: only where there is nothing better."""
    cadence_unknown: float = 1.0
    """The cadence is not known."""
    cadence_fine: float = 3.0
    """Faster than 0.9 s: more than a figure of a day can show. Also slower than an hour."""
    cadence_minutes: float = 0.6
    """From 2.5 to 5 minutes."""
    cadence_hour: float = 2.0
    """From 5 minutes to an hour. None of these count where the range has years: see `too_dense`."""
    cadence_other: float = 4.0
    """Another cadence than the one asked for; the others count no more then."""
    too_dense: float = 0.7
    """For a range of more than a thousand days, each power of ten by which the records are more than 10,000."""
    too_sparse: float = 3.0
    """For each power of ten by which the records of the range are fewer than 60: hourly values do not show two hours."""
    no_unit: float = 1.5
    """No unit is given, where the quantity has one."""
    frame_gsm: float = 0.3
    """GSM: after GSE and RTN, which most people mean who name no frame."""
    frame_other: float = 2.0
    """Any other frame."""
    frame_unknown: float = 2.5
    """A vector whose frame nothing tells."""
    not_magnetometer: float = 5.0
    """B of an instrument that is not a magnetometer: carried along for its own use."""
    rare_mode: float = 2.0
    """An instrument's rarer modes, such as `_fge_` and `_psif_` of THEMIS, and electric drift instruments."""
    of_a_sensor: float = 1.0
    """In the axes of one sensor, where the same is there in those of the Earth: `B_VFM` beside `B_NEC` of Swarm."""
    view: float = 1.0
    """What the archive makes of another parameter for its plots."""
    flagged: float = 1.0
    """Samples that the archive flags as bad are in it, where a twin leaves them out."""
    slow_mode: float = 0.5
    """MMS slow survey: has no data in the regions that matter."""
    ground_moments: float = 1.5
    """Moments combined on the ground; and a speed that must be made from a velocity."""
    short_life: float = 3.0
    """Less than a year of data."""
    not_covered: float = 20.0
    """Times the share of the time range without data."""
    for_spectrograms: float = 0.5
    """A number of a dataset that was entered by hand for its spectrograms alone."""
    carried_along: float = 5.0
    """A position in a file of measurements: after the ephemeris itself."""
    predicted: float = 8.0
    """Predicted positions: only where nothing else covers the time, and said so."""
    rotating: float = 0.5
    """Heliographic coordinates that rotate with the Sun: the inertial ones do not jump once a month."""
    of_a_model: float = 1.0
    """Magnetic ephemeris beyond the first field model: the position is the same in each."""
    rank: float = 0.1
    """Each place further down in the search: decides where nothing else does."""
    place: float = 0.003
    """Each place further down among the dataset's parameters: archives put the main ones first."""


@dataclass(frozen=True)
class ForkWeights:
    """Costs of a parameter of another mission in place of the one that a pipeline fetches."""

    other_frame: float = 10.0
    """Another frame changes what the numbers mean."""
    other_species: float = 10.0
    """So do other particles."""
    other_unit: float = 3.0
    """Another unit can be converted, but labels and limits change."""
    not_in_time: float = 5.0
    """The two have no time in common."""
    cadence_unknown: float = 1.0
    """As much as a cadence ten times longer or shorter, which costs 1 for each power of ten."""
    rank: float = 0.1
    """Each place further down among the offers for the same quantity, and after them in the search."""
    not_by_hand: float = 0.5
    """It is not among the few entered and checked by hand."""
    other_name: float = 0.6
    """Times how unlike the names are: families of missions keep names."""
    twin: float = -5.0
    """Dataset and parameter are called alike but for the member of the family: `THA_L2_ESA`, `THD_L2_ESA`."""
    view: float = 2.0
    """What the archive makes of another parameter for its plots."""
    beside: float = -2.0
    """Its dataset already replaces the same one in another step."""


SEARCH = SearchWeights()
OFFER = OfferWeights()
FORK = ForkWeights()
