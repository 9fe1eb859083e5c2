"""What is done with the data that a request asks for: averages, operations, results of the whole range, times left out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any, Literal

from helio_dagster.agent.targets import AnyTarget
from helio_dagster.domain.time_range import TimeRange

BinMethod = Literal["mean", "median", "min", "max", "std", "sum", "count"]


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
    "lag",
    "spectrum",
    "histogram",
    "frame",
    "hodogram",
    "scatter",
    "joint",
    "intervals",
    "crossings",
    "jumps",
    "extrema",
    "facts",
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


_USUAL_WINDOWS = {True: ("PT6H", "PT6H"), False: ("P1D", "P3D")}
"""Around crossings, of which there are many, and around others."""


@dataclass(frozen=True)
class Detected:
    """Events that a limit makes, around which data are drawn.

    `words` are the person's, `limited` is what has the limit, `limit` the result that lists where it holds or is crossed, and
    `found` what the events are. They are laid over one another if `is_superposed`, which the request says if `is_said`, else
    each has a panel. `before`, `after` and `merge` are ISO 8601 durations, empty where the request does not give them;
    intervals up to `merge` apart are one event. Of storms a request need not name an index: then `is_index_named` is false.
    `statistics` are the numbers that are wanted of each event, as `facts_of_events` names them; nothing is drawn of each then.
    """

    words: str
    limited: AnyTarget
    limit: WholeResult
    found: Literal["intervals", "crossings", "minima", "maxima"]
    is_superposed: bool
    is_said: bool = True
    are_storms: bool = False
    is_index_named: bool = True
    before: str = ""
    after: str = ""
    merge: str = ""
    statistics: tuple[str, ...] = ()

    @property
    def window(self) -> tuple[str, str]:
        """How far before and after each event is drawn, ISO 8601 durations; those that are usual where none is said."""
        before, after = _USUAL_WINDOWS[self.found == "crossings"]
        return (self.before, self.after) if self.before or self.after else (before, after)


@dataclass(frozen=True)
class Treatment:
    """What is done to every quantity, and how the results are arranged.

    `lengths` are what the operations need besides their own options; `cadence` is how dense the data should be;
    `has_data` that the data themselves are wanted beside what is made of them; `dates` are the times, where there are several;
    `is_orbit` that positions are drawn in `planes` of their frame, or in all of them; `detected` are the events around which
    all is drawn; `also` are further statistics of the bins of `averaging`, each of the data; `shown` are the first and last
    frequency of a spectrogram that are drawn, in Hz; `beside` is what stands beside a `pairing` and is no part of it; `apart`
    is what is done to some of the quantities alone, instead of what is done to all others.
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
    detected: Detected | None = None
    also: tuple[Averaging, ...] = ()
    shown: tuple[float, float] | None = None
    beside: tuple[AnyTarget, ...] = ()
    apart: tuple[Apart, ...] = ()

    def each_of(self, target: AnyTarget) -> tuple[Treatment, ...]:
        """What is done to a quantity: once, or several things one beside the other."""
        own = tuple(each.treatment for each in self.apart if target in each.targets)
        return own or (replace(self, apart=()),)

    def with_targets(self, before: Sequence[AnyTarget], after: Sequence[AnyTarget]) -> Treatment:
        """The same of other quantities: what was done to one that is gone is done to that which takes its place."""
        gone, new = ([each for each in of if each not in other] for of, other in ((before, after), (after, before)))
        instead = {each: tuple(new) for each in gone} if len(gone) == 1 else {}
        instead |= {old: (now,) for old, now in zip(gone, new, strict=True)} if len(gone) == len(new) else {}
        apart = [(tuple(one for each in part.targets for one in instead.get(each, (each,))), part) for part in self.apart]
        kept = [replace(part, targets=tuple(each for each in targets if each in after)) for targets, part in apart]
        return replace(self, apart=tuple(each for each in kept if each.targets))

    def of_some(
        self, targets: Sequence[AnyTarget], scope: Sequence[AnyTarget], change: Callable[[Treatment], Treatment]
    ) -> Treatment:
        """The treatment in which what is done to the quantities in `scope` is changed, those among `targets` alone."""
        found: list[Apart] = []
        for target in targets:
            for own in self.each_of(target):
                now = change(own) if target in scope else own
                alike = next((each for each in found if each.treatment == now), None)
                if alike is None:
                    found.append(Apart((target,), now))
                else:
                    found[found.index(alike)] = replace(alike, targets=(*alike.targets, target))
        if len(found) == 1:
            return found[0].treatment
        plain = replace(self, apart=())
        return replace(self, apart=tuple(each for each in found if each.treatment != plain))

    @property
    def averagings(self) -> tuple[Averaging, ...]:
        """All statistics of bins."""
        return (self.averaging, *self.also) if self.averaging is not None else ()

    @property
    def each(self) -> tuple[Treatment, ...]:
        """What is done to all quantities, and to some of them alone."""
        return (replace(self, apart=()), *(each.treatment for each in self.apart))


@dataclass(frozen=True)
class Apart:
    """What is done to some of the quantities alone."""

    targets: tuple[AnyTarget, ...]
    treatment: Treatment
