"""Spectrograms that instruments measure themselves: `WAVES RAD1 dynamic spectrum`, `spectrogram of the HFR electric field`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from helio_dagster.agent.answers import OpenQuestion
from helio_dagster.agent.offline.clauses import clauses
from helio_dagster.agent.offline.meanings import Asks, Dataset, Filler, Instrument, Length, Meaning, Mission, Unclear
from helio_dagster.agent.offline.request_reading import Mention, Reading
from helio_dagster.agent.targets import Derived, Measured
from helio_dagster.agent.treatments import Transform
from helio_dagster.catalog.choice.offer import Asked, Offer
from helio_dagster.catalog.choice.offers import Offers, overlapping
from helio_dagster.domain.catalog_entry import Quantity

_OF_WAVES = re.compile(r"\b(?:radio|waves?|whistlers?|chorus|hiss)\b", re.IGNORECASE)
_BURST = re.compile(
    r"\btype[- ](?:I{1,3}|IV|V)[ab]?\b|\b(?:radio|kilometric) (?:bursts?|emissions?|radiation|storms?)\b|\bakr\b", re.IGNORECASE
)
_RADIO_RECEIVERS = ("RAD1", "RAD2", "HFR")
"""Radio receivers, as ids call them: what a radio spectrogram is of."""
_OF_FIELDS: dict[Quantity, Quantity] = {"electric_field": "electric_spectrum", "magnetic_field": "magnetic_spectrum"}


def with_measured_spectra(reading: Reading, offers: Offers) -> Reading:
    """The reading in which a spectrogram is what the instruments named have as one, and is not computed from the field.

    It is as it was where the length of a window is said, where neither an instrument nor waves are named and it is no `electric
    spectrogram`, or where the catalog has no such spectrogram.
    """
    spectra = [each for each in reading.mentions if each.meaning == Transform("spectrogram", "spectrogram")] or _bursts(reading)
    reading = _with_its_field(reading, spectra)
    beside = _in_its_clause(reading, spectra)
    fields = [each.meaning for each in beside if isinstance(each.meaning, Measured)]
    is_of_part = any(each.axis or each.shape or set(each.quantities) - _OF_FIELDS.keys() for each in fields)
    missions, instruments = reading.all(Mission), [each.meaning.name for each in beside if isinstance(each.meaning, Instrument)]
    if len(spectra) != 1 or not missions or (instruments and len(missions) > 1) or reading.all(Length) or is_of_part:
        return reading
    is_of_a_field = any(_stands_before(each, spectra[0], reading) for each in beside if isinstance(each.meaning, Measured))
    is_of_waves = bool(instruments) or is_of_a_field or _OF_WAVES.search(reading.request) is not None
    if not is_of_waves and (fields or "dynamic" not in spectra[0].words.lower()):
        return reading
    if len(missions) == 1 and (radio := _by_radio_receivers(reading, spectra[0], missions[0], instruments, offers)) is not None:
        return radio
    for quantity in [_OF_FIELDS[each.quantities[0]] for each in fields] or list(_OF_FIELDS.values()):
        asked, *more = [Asked(each.name, quantity, member=each.member) for each in missions]
        by_it = {name: _having(replace(asked, instrument=name), reading, offers) for name in instruments}
        whole = [] if instruments else _having(asked, reading, offers)
        if (whole and all(_having(each, reading, offers) for each in more)) or any(by_it.values()):
            if any(each.operation == "butterworth" for each in reading.all(Transform)):
                raise OpenQuestion(
                    "A spectrogram that an instrument measures is drawn over all its frequencies. Its axis can be cut "
                    "afterwards, as in: y axis from 2 to 80. Do you want all of it?"
                )
            return _read_so(reading, spectra[0], quantity, _closest(by_it), beside)
    return reading


def _with_its_field(reading: Reading, spectra: Sequence[Mention]) -> Reading:
    """The reading in which `electric` before a spectrogram is the electric field."""
    names: dict[str, Quantity] = {str(each).removesuffix("_field"): each for each in _OF_FIELDS}
    found = [
        replace(each, meaning=Measured((names[each.words.casefold()],)))
        for each in reading.unknown
        if each.words.casefold() in names and any(_stands_before(each, spectrum, reading) for spectrum in spectra)
    ]
    return reading.with_meanings(found) if found else reading


def _stands_before(mention: Mention, spectrum: Mention, reading: Reading) -> bool:
    """Whether a word stands directly before a spectrogram."""
    return mention.last < spectrum.first and not reading.request[mention.last : spectrum.first].strip()


def _by_radio_receivers(
    reading: Reading, spectrum: Mention, mission: Mission, instruments: Sequence[str], offers: Offers
) -> Reading | None:
    """The reading with a spectrogram of each radio receiver, where `radio` is said and no receiver is named."""
    words = [each for each in reading.unknown if each.words.casefold() == "radio"]
    if not (words or "radio" in spectrum.words.casefold()) or reading.all(Dataset):
        return None
    asked = Asked(mission.name, "electric_spectrum", member=mission.member)
    by_it = {name: _having(replace(asked, instrument=name), reading, offers) for name in instruments}
    of_any = {(each.dataset, each.parameter) for name in _closest(by_it) for each in by_it[name]}
    best: dict[str, Offer] = {}
    for name in _RADIO_RECEIVERS:
        found = _having(replace(asked, instrument=name), reading, offers)
        found = [each for each in found if not instruments or (each.dataset, each.parameter) in of_any]
        if found:
            best[name] = found[0]
    if not best:
        return None
    note = Filler(f"The radio spectrogram is taken as what {' and '.join(best)} measured.")
    of_each = [Measured(("electric_spectrum",), dataset=each.dataset, parameter=each.parameter) for each in best.values()]
    kept = [each for each in reading.mentions if each is not spectrum]
    kept = [replace(each, meaning=Filler()) if isinstance(each.meaning, Instrument | Mission) else each for each in kept]
    new = [replace(spectrum, meaning=each, first=spectrum.first + n) for n, each in enumerate(of_each)]
    struck = [Mention(note, spectrum.first, spectrum.first, ""), *(replace(each, meaning=Filler()) for each in words)]
    return replace(
        reading,
        mentions=tuple(sorted([*kept, *new, *struck], key=lambda each: each.first)),
        unknown=tuple(each for each in reading.unknown if each not in words),
        heard=reading.heard or reading.mentions,
    )


def _in_its_clause(reading: Reading, spectra: Sequence[Mention]) -> list[Mention]:
    """What is said beside a spectrum, where other clauses ask for something else by another instrument; else everything."""
    kinds = (Instrument, Measured)
    own = [[each for each in clause if isinstance(each.meaning, kinds)] for clause in clauses(reading)]
    at = next((n for n, clause in enumerate(clauses(reading)) if any(each in clause for each in spectra)), None)
    apart = [each for n, each in enumerate(own) if n != at and each]
    if at is None or not own[at] or not apart:
        return list(reading.mentions)
    is_behind = own[at][-1].last <= spectra[0].first  # `electric field spectrum and |B|`, not `spectrum of E and |B|`
    is_apart = all(any(isinstance(one.meaning, Measured) for one in each) for each in apart)
    return own[at] if is_behind and is_apart else list(reading.mentions)


def _bursts(reading: Reading) -> list[Mention]:
    """Words for a radio burst, where an instrument is named and nothing is asked for: its spectrogram is."""
    asked = (Asks, Dataset, Derived, Measured, Transform, Unclear)
    if not reading.all(Instrument) or any(map(reading.all, asked)):
        return []
    return [each for each in reading.mentions if isinstance(each.meaning, Filler) and _BURST.search(each.words)][:1]


def _having(asked: Asked, reading: Reading, offers: Offers) -> list[Offer]:
    """What the catalog has of it in the time asked for."""
    span = reading.time.span if reading.time else None
    return overlapping(offers.find(asked, span=span, all_datasets=True), span)


def _closest(by_it: dict[str, list[Offer]]) -> dict[str, Offer]:
    """The best of each instrument; one that another instrument is a part of says nothing more."""
    names = {name: {(each.dataset, each.parameter) for each in found} for name, found in by_it.items() if found}
    return {name: by_it[name][0] for name, held in names.items() if not any(other < held for other in names.values())}


def _read_so(
    reading: Reading, spectrum: Mention, quantity: Quantity, best: dict[str, Offer], beside: Sequence[Mention]
) -> Reading:
    """The reading with the spectrogram, or with one of each instrument where there are several."""
    note = Filler("The spectrogram is the one that the instrument measures: none is computed from the field.")
    meanings: dict[Mention, Meaning] = {each: note for each in beside if isinstance(each.meaning, Measured)}
    meanings[spectrum] = note if len(best) > 1 else Measured((quantity,))
    for each in reading.mentions:
        if isinstance(each.meaning, Instrument) and best and each in beside:
            offer = best.get(each.meaning.name)
            if offer is None:
                meanings[each] = Filler()
            elif len(best) > 1:
                meanings[each] = Measured((quantity,), dataset=offer.dataset, parameter=offer.parameter)
        elif isinstance(each.meaning, Mission) and len(best) > 1:
            meanings[each] = Filler()
    mentions = tuple(replace(each, meaning=meanings.get(each, each.meaning)) for each in reading.mentions)
    return replace(reading, mentions=mentions, heard=reading.heard or reading.mentions)
