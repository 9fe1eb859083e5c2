"""What words of a request can mean."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta
from typing import Literal

from helio_dagster.agent.answers import Sort
from helio_dagster.agent.offline.limited_events import EventWords
from helio_dagster.agent.targets import Derived, Measured, ShapeName
from helio_dagster.agent.treatments import Averaging, BinMethod, Exclusions, Pairing, Smoothing, Transform
from helio_dagster.catalog.choice.offer import Mode


@dataclass(frozen=True)
class Mission:
    """A spacecraft or data collection, by its name in the catalog; `member` is the number of one of a series, as of GOES.

    `note` says what was assumed in reading the name.
    """

    name: str
    member: str = ""
    note: str = ""


@dataclass(frozen=True)
class Dataset:
    """A dataset by its id."""

    name: str


@dataclass(frozen=True)
class Length:
    """A length of time that belongs to the operation beside it; `role` says as what: window, bin or segment."""

    role: str
    length: timedelta


@dataclass(frozen=True)
class Points:
    """A window or segment of so many samples, whose length follows from the cadence of the data."""

    count: int


@dataclass(frozen=True)
class Instrument:
    """An instrument, as `is_by` of the catalog finds it."""

    name: str


@dataclass(frozen=True)
class LeftOut:
    """Intervals whose samples do not count."""

    excluded: Exclusions


@dataclass(frozen=True)
class LimitedEvents:
    """Events that a limit makes, around which data are wanted."""

    events: EventWords


@dataclass(frozen=True)
class InMode:
    """A mode in which data are taken or given, such as burst."""

    name: Mode


@dataclass(frozen=True)
class Level:
    """How far data are processed, as `levels_of` of the catalog calls it: `2`, `key`."""

    name: str


@dataclass(frozen=True)
class Descriptor:
    """A word that the catalog uses for the data asked for."""

    word: str


@dataclass(frozen=True)
class Shape:
    """Whether a vector is shown by its components, by its length, or both."""

    shape: ShapeName


@dataclass(frozen=True)
class Frame:
    """A coordinate frame."""

    name: str


@dataclass(frozen=True)
class Statistic:
    """A statistic of stretches of time that are named elsewhere, if at all."""

    method: BinMethod


@dataclass(frozen=True)
class Per:
    """Stretches of time of which each gives one value."""

    length: timedelta


@dataclass(frozen=True)
class Unit:
    """A unit that is wanted, in its printed form."""

    unit: str


@dataclass(frozen=True)
class Radial:
    """The direction from the Sun, or to it: what an angle is taken to."""


@dataclass(frozen=True)
class Cadence:
    """How dense the data shall be; `note` says what was assumed in reading it."""

    length: timedelta
    note: str = field(default="", compare=False)


@dataclass(frozen=True)
class Layout:
    """All in one panel, or one panel each; `is_ordered` where it is said which is where."""

    is_stacked: bool
    is_ordered: bool = False


@dataclass(frozen=True)
class AsMeasured:
    """The data themselves, beside what is made of them."""


@dataclass(frozen=True)
class Compare:
    """Several spacecraft are compared."""


@dataclass(frozen=True)
class Unclear:
    """Words with two meanings, or for what is not made; each option may stand in their place, an empty one leaves them out.

    Of data that nobody has is asked before anything else: `is_first`. `kind` is the sentence for all words of one kind, with a
    place for them.
    """

    question: str
    options: tuple[str, ...]
    is_first: bool = False
    sort: Sort = ""
    kind: str = ""


@dataclass(frozen=True)
class Asks:
    """A result of the whole range, or something about it: `kind` says which."""

    kind: str
    options: tuple[tuple[str, str | float], ...] = ()


@dataclass(frozen=True)
class Condition:
    """A limit that values lie above or below, or at where it is inclusive, and for how long at least."""

    side: Literal["above", "below"]
    value: float
    unit: str = ""
    at_least: str = ""
    is_inclusive: bool = False


@dataclass(frozen=True)
class Planes:
    """Planes of a frame that positions are drawn in: `XY`, `XZ`."""

    names: tuple[str, ...]


@dataclass(frozen=True)
class Filler:
    """Words that change nothing; `note` says what was assumed in reading them so."""

    note: str = ""


@dataclass(frozen=True)
class Heading:
    """What only tells about a request: what stands before a colon, why it is made, where a spacecraft was.

    Of a long range, where a spacecraft was picks out a part: `is_place`.
    """

    is_place: bool = False


OfData = Mission | Dataset | Instrument | InMode | Level | Descriptor | Cadence | Frame
"""Which data are meant."""
OfQuantities = Measured | Derived | Shape | Unit | Radial | AsMeasured
"""What of them is wanted."""
OfTreatment = Smoothing | Averaging | Statistic | Transform | Pairing | Per | Length | Points | Condition
"""What is done to them."""
OfResults = Asks | Compare | Layout | Planes | LeftOut | LimitedEvents
"""What comes of it, of which times, and how it is arranged."""
Meaning = OfData | OfQuantities | OfTreatment | OfResults | Unclear | Filler | Heading
