"""What a person wants, as a planner understood it: the one thing that every planner hands to the drafter."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any, Literal

from helio_dagster.catalog.choice.offer import Mode
from helio_dagster.catalog.choice.quantities import QUANTITY_WORDS, Species
from helio_dagster.domain.catalog_entry import Quantity
from helio_dagster.domain.pipeline import Fetch
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.domain.yaml.document import Value

ShapeName = Literal["vector", "magnitude", "both"]
BinMethod = Literal["mean", "median", "min", "max", "std", "sum", "count"]


@dataclass(frozen=True)
class Measured:
    """Quantities asked for; `shape` and `axis` where the word itself says them, as in |B| and Bz.

    `parameter` is the archive's name of one, of `dataset`, where the request says just that.
    """

    quantities: tuple[Quantity, ...]
    shape: ShapeName | None = None
    axis: str | None = None
    species: Species = ""
    dataset: str | None = None
    parameter: str | None = None


@dataclass(frozen=True)
class Derived:
    """A quantity that an operation computes from others of the same mission.

    Parameters
    ----------
    operation
        Its id.
    words
        What it is called.
    inputs
        Input name to what is needed for it.
    options
        Options that the words name.
    """

    operation: str
    words: str
    inputs: tuple[tuple[str, Measured], ...]
    options: Mapping[str, Any] = field(default_factory=dict, hash=False)


@dataclass(frozen=True)
class Target:
    """A quantity of a mission; `axis` for one component, `shape` where the request says how a vector is shown.

    `parameter` is that of `dataset` which the request names; `lacking` are datasets that it names and that have no such
    quantity, so that another one is taken.
    """

    mission: str
    quantity: Quantity
    shape: ShapeName | None = None
    axis: str | None = None
    dataset: str | None = None
    species: Species = ""
    member: str = ""
    parameter: str | None = None
    lacking: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The quantity, whatever is shown of it; a parameter that nothing more is known of goes by its own name."""
        return (self.parameter or "") if self.quantity == "other" else QUANTITY_WORDS[self.quantity]

    @property
    def words(self) -> str:
        """The quantity as people call it."""
        if self.axis:
            return f"{'V' if self.quantity == 'velocity' else 'E' if self.quantity == 'electric_field' else 'B'}{self.axis}"
        shape = {"magnitude": " magnitude", "both": " vector and magnitude"}.get(self.shape or "", "")
        species = f"{self.species.removesuffix('s')} " if self.species else ""
        return f"{species}{self.name}{shape}"

    @property
    def who(self) -> str:
        """The mission as people call it."""
        return f"{self.mission} {self.member}".strip()


@dataclass(frozen=True)
class DerivedTarget:
    """A quantity that is computed from others of a mission; `datasets` are those that the request names for it."""

    mission: str
    derived: Derived
    inputs: tuple[tuple[str, Target], ...]
    member: str = ""
    datasets: tuple[str, ...] = ()

    @property
    def words(self) -> str:
        """The quantity as people call it."""
        return self.derived.words

    @property
    def who(self) -> str:
        """The mission as people call it."""
        return f"{self.mission} {self.member}".strip()


AnyTarget = Target | DerivedTarget


@dataclass(frozen=True)
class Averaging:
    """Means, or other statistics, over fixed bins."""

    length: timedelta
    method: BinMethod


@dataclass(frozen=True)
class Smoothing:
    """A running mean; its length is None where the request leaves it open."""

    length: timedelta | None


@dataclass(frozen=True)
class Transform:
    """An operation on each curve; `options` are those that the words name, `words` what it is called in a title."""

    operation: str
    words: str
    options: Mapping[str, Any] = field(default_factory=dict, hash=False)


@dataclass(frozen=True)
class Pairing:
    """An operation of two curves, the first mentioned being `a`."""

    operation: Literal["difference", "ratio", "rolling_correlation", "angle_between"]


WholeKind = Literal[
    "lag", "spectrum", "histogram", "frame", "hodogram", "scatter", "joint", "intervals", "crossings", "jumps", "facts"
]


@dataclass(frozen=True)
class WholeResult:
    """A result of the whole range, or a list of intervals.

    `options` are those that the words name; `is_swapped` that the second of two curves comes first; `has_fit` that a line is
    fitted, as the slope of a spectrum; `shown` are the first and last frequency of a spectrum that are drawn.
    """

    kind: WholeKind
    options: Mapping[str, Any] = field(default_factory=dict, hash=False)
    has_fit: bool = False
    is_swapped: bool = False
    shown: tuple[float, float] | None = None


@dataclass(frozen=True)
class Exclusions:
    """Intervals whose samples do not count: ranges that a request names, a list beside the pipelines, or where a limit holds.

    `condition` is the limit in the person's words, `limited` the quantity that it is about, `limit` the result that lists it.
    """

    spans: tuple[TimeRange, ...] = ()
    file: str = ""
    condition: str = ""
    limited: AnyTarget | None = None
    limit: WholeResult | None = None


@dataclass(frozen=True)
class Treatment:
    """What is done to every quantity, and how the results are arranged.

    `lengths` are what the operations need besides their own options; `cadence` is how dense the data should be;
    `has_data` that the data themselves are wanted beside what is made of them; `dates` are the times, where there are several;
    `is_orbit` that positions are drawn in `planes` of their frame, or in all of them.
    """

    averaging: Averaging | None = None
    smoothing: Smoothing | None = None
    cadence: timedelta | None = None
    transforms: tuple[Transform, ...] = ()
    lengths: Mapping[str, timedelta] | None = None
    pairing: Pairing | None = None
    units: tuple[str, ...] = ()
    is_stacked: bool = False
    is_together: bool = False
    is_comparison: bool = False
    whole: WholeResult | None = None
    excluded: Exclusions | None = None
    has_data: bool = False
    dates: tuple[TimeRange, ...] = ()
    is_orbit: bool = False
    planes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Own:
    """What a request says of one quantity of a mission alone."""

    mission: str
    quantity: Quantity
    instrument: str | None = None
    frame: str | None = None
    cadence: timedelta | None = None
    described: tuple[str, ...] = ()


@dataclass(frozen=True)
class Preferences:
    """What a request says about all the data it asks for.

    `own` is what is said of one quantity alone; `in_gsm` are the angles that are taken in GSM if no frame is named; `described`
    are words that the catalog uses for some of the data: those with the most of them are taken; `spacing` is how far
    apart samples may be for what is made of them; `level` is that of processing, as `levels_of` of the catalog calls it.
    """

    frame: str | None = None
    cadence: timedelta | None = None
    instrument: str | None = None
    span: TimeRange | None = None
    own: tuple[Own, ...] = ()
    in_gsm: str = ""
    mode: Mode | None = None
    described: tuple[str, ...] = ()
    spacing: timedelta | None = None
    level: str | None = None

    def for_quantity(self, mission: str, quantity: Quantity) -> Preferences:
        """The preferences with what is said of this quantity of a mission alone."""
        found = self
        for each in self.own:
            if (each.mission, each.quantity) == (mission, quantity):
                own = {
                    name: value for name in ("instrument", "frame", "cadence", "described") if (value := getattr(each, name))
                }
                found = replace(found, **own)
        return found


@dataclass(frozen=True)
class Wanted:
    """A quantity to fetch as a step: datasets that hold it, best first; a sample decides among them.

    `exclude` names a step of events: samples inside their intervals do not count.
    """

    id: str
    intent: str
    candidates: tuple[Fetch, ...]
    exclude: str | None = None

    def document(self, fetch: Fetch) -> dict[str, Value]:
        """The step as it stands in a pipeline file, with the fetch that was chosen."""
        excluded: dict[str, Value] = {"exclude": self.exclude} if self.exclude else {}
        return {"id": self.id, "intent": self.intent, **excluded, "fetch": fetch.model_dump()}


@dataclass(frozen=True)
class Windows:
    """Events that are the partitions of a pipeline: the step that lists them, and lengths before and after as `P1D`."""

    events: str
    before: str
    after: str


@dataclass(frozen=True)
class Stated:
    """A pipeline whose steps the planner names itself, as a language model does.

    Each of `steps` is a quantity to fetch, or a step as it stands in a pipeline file. If its partitions are events, `windows`
    says so.
    """

    title: str
    description: str
    steps: tuple[Wanted | Mapping[str, Value], ...]
    windows: Windows | None = None

    @property
    def wanted(self) -> tuple[Wanted, ...]:
        """What is to be fetched."""
        return tuple(step for step in self.steps if isinstance(step, Wanted))


@dataclass(frozen=True)
class Intent:
    """What is wanted: data of missions, what is done with them, when, and which words were left over.

    The data and what is done with them are either `targets` with a `treatment`, from which the drafter makes the steps, or
    `stated` steps. `leftovers` are words that change nothing and are shown as ignored; a planner asks about all others.
    """

    targets: tuple[AnyTarget, ...] = ()
    stated: Stated | None = None
    treatment: Treatment = Treatment()
    preferences: Preferences = Preferences()
    assumptions: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    leftovers: tuple[str, ...] = ()
