"""What is said of a range that a dataset has no data for, or only of a part of it."""

from __future__ import annotations

from datetime import timedelta

from helio_dagster.agent.drafting.questions import DraftQuestion, Remedy
from helio_dagster.catalog.choice.offer import Offer
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
    known = (f"from {format_time(first)}" if first else "") + (f" to {format_time(last)}" if last else " on")
    if offer.share(span) <= 0:
        text = f"{offer.dataset} of {offer.mission} has data {known}, none for {span}. Which time do you mean?"
        raise DraftQuestion(text, [Remedy("time", str(nearest)) for nearest in _nearest(offer, span)])
    if (first is not None and span.start < first) or (last is not None and span.stop > last):
        return [f"{offer.dataset} has data {known}; the rest of {span} will be empty."]
    return []


def _nearest(offer: Offer, span: TimeRange) -> list[TimeRange]:
    """The range of whole days, as long as the one asked for, that lies nearest to it where there are data."""
    days = max(span.duration // _ONE_DAY, 1) * _ONE_DAY
    if offer.stop is not None and span.start >= offer.stop:
        stop = Grain.DAILY.floor(offer.stop)
        found = TimeRange(stop - days, stop)
    elif offer.start is not None:
        start = Grain.DAILY.floor(offer.start)
        start = start if start == offer.start else start + _ONE_DAY
        found = TimeRange(start, start + days)
    else:
        return []
    return [found] if offer.share(found) > 0 else []
