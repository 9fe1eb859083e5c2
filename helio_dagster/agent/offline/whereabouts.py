"""Requests for where a spacecraft is: its latitude, and a position that is catalogued in heliographic coordinates."""

from __future__ import annotations

from dataclasses import replace

from helio_dagster.agent.intent import Derived, Measured, Pairing, Transform
from helio_dagster.agent.offline.request_reading import Mention, Reading
from helio_dagster.catalog.choice.quantities import VECTORS
from helio_dagster.domain.catalog_entry import Quantity

_ANGLES: dict[str, Quantity] = {"latitude": "heliographic_latitude", "longitude": "heliographic_longitude"}
_SHEAR = Pairing("angle_between")


def of_the_spacecraft(reading: Reading) -> Reading:
    """The reading in which a latitude is the spacecraft's, where no vector is named that it could be of."""
    measured = {quantity for each in reading.all(Measured) for quantity in each.quantities}
    others = any(isinstance(each.meaning, Derived) or each.meaning == _SHEAR for each in reading.mentions)
    if others or measured & (VECTORS - {"position"}) or "other" in measured:
        return reading
    mentions = tuple(_of_it(each) for each in reading.mentions)
    return reading if mentions == reading.mentions else replace(reading, mentions=mentions)


def _of_it(mention: Mention) -> Mention:
    meaning = mention.meaning
    if not isinstance(meaning, Transform) or meaning.operation != "direction":
        return mention
    quantity = _ANGLES.get(str(meaning.options.get("angle")))
    return replace(mention, meaning=Measured((quantity,))) if quantity else mention
