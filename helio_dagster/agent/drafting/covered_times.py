"""What is said of a range that a dataset has no data for, or only of a part of it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from helio_dagster.agent.drafting.questions import DraftQuestion, NothingMeasured, Remedy
from helio_dagster.agent.targets import Target
from helio_dagster.catalog.choice.offer import Offer
from helio_dagster.catalog.choice.silences import Silence
from helio_dagster.domain.grain import Grain
from helio_dagster.domain.time_range import TimeRange, format_time

_ONE_DAY = timedelta(days=1)


def offer_notes(offer: Offer, span: TimeRange) -> list[str]:
    """Notes on when an offer has data.

    Raises
    ------
    DraftQuestion
        It has none in the range; the nearest range of the same length that it covers is offered.
    """
    first, last = offer.start, offer.stop
    if first is None and last is None:
        return []
    silence = _silence(offer, span)
    known = (f"from {format_time(first)}" if first else "") + (f" to {format_time(last)}" if last else " on")
    if offer.share(span) <= 0:
        text = f"{offer.dataset} of {offer.mission} has data {known}, none for {span}. Which time do you mean?"
        raise DraftQuestion(text, [Remedy("time", str(nearest)) for nearest in _nearest(offer, span)])
    if (first is not None and span.start < first) or (last is not None and span.stop > last):
        reason = f" ({silence.reason})" if silence else ""
        return [f"{offer.dataset} has data {known}{reason}; the rest of {span} will be empty."]
    return [f"{silence.text} That part of {span} will be empty."] if silence else []


def recent_notes(offer: Offer, known: datetime | None, span: TimeRange) -> list[str]:
    """A note where the catalog knows of no data in the last part of a range, or in any, of a dataset that still goes on."""
    if offer.stop is not None or known is None or span.stop <= known + _ONE_DAY:
        return []
    what = "none of this range" if known <= span.start else "none after that"
    until = format_time(Grain.DAILY.floor(known))
    return [f"The catalog knows data of {offer.dataset} to {until}, {what}: later ones may have come since."]


def ask_about_silence(chosen: Sequence[tuple[Offer, Target]], span: TimeRange) -> None:
    """Ask what is wanted where an instrument gave no data in the range, although its dataset goes on.

    Raises
    ------
    NothingMeasured
        It says since when there are none and what there is instead.
    """
    silent = [(offer, target, found) for offer, target in chosen if (found := _silence(offer, span)) and offer.share(span) <= 0]
    if not silent:
        return
    offer, target, silence = silent[0]
    targets = list(dict.fromkeys(each for _, each, found in silent if found == silence))
    times = [Remedy("time", str(each)) for each in _nearest(offer, span)]
    others = [Remedy("mission", silence.other, target.mission)] if silence.other else []
    *words, last_word = dict.fromkeys(each.words for each in targets)
    what = " or ".join(filter(None, (", ".join(words), last_word)))
    text = f"{silence.text} {target.who} has no {what} for {span}."
    if len(targets) == len(chosen):
        text = f"{text} What do you want?"
    quantities = tuple(dict.fromkeys(each.quantity for each in targets))
    raise NothingMeasured(text, [*times, *others], target.mission, target.quantity, what, also=quantities)


def _silence(offer: Offer, span: TimeRange) -> Silence | None:
    return next((each for each in offer.silences if each.within(span) is not None), None)


def _nearest(offer: Offer, span: TimeRange) -> list[TimeRange]:
    """The range of whole days, as long as the one asked for, that lies nearest to it where there are data."""
    days = max(span.duration // _ONE_DAY, 1) * _ONE_DAY
    before = [each.start for each in offer.silences if each.start is not None and each.within(span) is not None]
    last = min([*before, *([offer.stop] if offer.stop is not None else [])], default=None)
    if last is not None and span.start >= last:
        stop = Grain.DAILY.floor(last)
        found = TimeRange(stop - days, stop)
    elif offer.start is not None:
        start = Grain.DAILY.floor(offer.start)
        start = start if start == offer.start else start + _ONE_DAY
        found = TimeRange(start, start + days)
    else:
        return []
    return [found] if offer.share(found) > 0 else []
