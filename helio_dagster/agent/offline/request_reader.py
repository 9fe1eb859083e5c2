"""A request read whole: its words taken apart, then brought together by what the catalog has for them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from helio_dagster.agent.offline.bin_statistics import with_statistics
from helio_dagster.agent.offline.clauses import with_lone_magnetometers, without_idle_magnetometers
from helio_dagster.agent.offline.detected_events import as_intervals, is_only_a_list, of_the_limit
from helio_dagster.agent.offline.encounter_words import with_encounter, without_dated_occasions
from helio_dagster.agent.offline.leftovers import corrected
from helio_dagster.agent.offline.listed_members import with_members_named
from helio_dagster.agent.offline.lone_lengths import with_lone_lengths
from helio_dagster.agent.offline.meanings import Filler, LimitedEvents
from helio_dagster.agent.offline.measured_spectra import with_measured_spectra
from helio_dagster.agent.offline.named_instruments import with_named_instruments
from helio_dagster.agent.offline.named_parameters import with_named_parameters
from helio_dagster.agent.offline.only import with_only
from helio_dagster.agent.offline.particle_moments import (
    particles_by_instrument,
    with_particles_of_moments,
    with_those_of_the_instrument,
)
from helio_dagster.agent.offline.particles import with_particles
from helio_dagster.agent.offline.request_reading import Mention, Reading, read_request
from helio_dagster.agent.offline.result_words import with_component_named
from helio_dagster.agent.offline.results_in_words import with_whole_results
from helio_dagster.agent.offline.retracted import without_retracted
from helio_dagster.agent.offline.server_data import ServerData
from helio_dagster.agent.offline.several_dates import with_several_dates
from helio_dagster.agent.offline.shared_nouns import with_nouns_shared
from helio_dagster.agent.offline.slashes import with_slashes_read
from helio_dagster.agent.offline.treatment import to_the_radial
from helio_dagster.agent.offline.unwanted import with_unwanted
from helio_dagster.agent.offline.weekdays import without_weekdays
from helio_dagster.agent.offline.whereabouts import of_omni, of_the_named_member, of_the_spacecraft, with_solar_wind_of_omni
from helio_dagster.agent.offline.wording import reworded
from helio_dagster.catalog.choice.offers import Offers


class RequestReader:
    """Reads requests.

    Parameters
    ----------
    offers
        What the catalog has.
    """

    def __init__(self, offers: Offers) -> None:
        self._offers = offers
        self.server_data = ServerData(offers.catalog)

    def read(self, request: str, now: datetime) -> Reading:
        """The request taken apart, the names of parameters in it understood; raises as `read_request`, and OpenQuestion."""
        words = without_retracted(request)
        dated = without_weekdays(words.request, now)
        listed = with_slashes_read(dated.request)
        text = with_component_named(with_members_named(with_nouns_shared(listed.request)))
        names = self.server_data.of_request(text)
        read = of_the_named_member(read_request(text, now, names, has_events=True))
        if read.all(LimitedEvents) and is_only_a_list(read):
            read = of_the_named_member(read_request(as_intervals(text, read), now, names))
        read = replace(
            read,
            mentions=(
                *(Mention(Filler(note), 0, 0, "") for note in (*words.notes, *dated.notes, *listed.notes)),
                *read.mentions,
            ),
        )
        named = with_named_parameters(read, self._offers.catalog, self._offers.archive)
        named = with_named_instruments(named, self._offers.catalog, self._offers.archive)
        named = with_particles(with_particles_of_moments(named, self._offers), self._offers)
        named = with_measured_spectra(named, self._offers)
        if (renamed := particles_by_instrument(named, self._offers)) and corrected(named) is None:
            again = self.read(reworded(named, renamed), now)
            notes = [f"{mention.words.strip()!r} is taken as {name}." for mention, name in renamed.items() if name.strip()]
            remarks = [Mention(Filler(note), 0, 0, "") for note in notes]
            return replace(again, mentions=(*remarks, *again.mentions))
        named = without_dated_occasions(with_encounter(with_those_of_the_instrument(named, self._offers)))
        return with_several_dates(
            with_lone_magnetometers(with_lone_lengths(with_only(with_unwanted(without_idle_magnetometers(named)))))
        )


def understood(reading: Reading, *, is_whole: bool = True, drawn: Sequence[str] = ()) -> Reading:
    """The reading with what belongs together brought together.

    The limit of a longer request is not a whole one. A change of a figure is of the spacecraft that are `drawn`.
    """
    read = with_solar_wind_of_omni(with_statistics(with_whole_results(reading)), drawn)
    read = of_the_limit(of_the_spacecraft(to_the_radial(read)))
    return read if drawn else of_omni(read, has_limit=is_whole)
