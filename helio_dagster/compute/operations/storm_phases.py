"""Phases of geomagnetic storms as events: storm_phases."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta

import numpy as np
from pydantic import model_validator

from helio_dagster.compute.operations.averages import Length
from helio_dagster.compute.operations.contract import Options
from helio_dagster.compute.operations.examples import Example, ExampleTable
from helio_dagster.compute.operations.inputs import Input
from helio_dagster.compute.operations.results import HOUR_NS, events_meta, events_table, fact, times_ns
from helio_dagster.compute.operations.shipped import ShippedOperation
from helio_dagster.compute.storm_spans import INITIAL, StormLimits, storm_class, storm_phases_of
from helio_dagster.domain.fine_duration import duration_from_ns, duration_ns
from helio_dagster.domain.table import Table, TableMeta


class StormPhasesOptions(Options):
    """What a storm is, and where its phases begin and stop."""

    below: float = -50.0
    """A storm's minimum must be less than this, in nT; -30 for weak storms, -100 for intense ones."""
    fall: float = 20.0
    """And so much less than where the main phase begins, in nT, so that a dip in a long recovery is not a storm."""
    quiet: float = -15.0
    """The main phase begins at the last sample that is not below this, and the recovery is over at the first, in nT."""
    positive: float = 10.0
    """The initial phase, which follows a sudden commencement, begins at the first sample above this, in nT."""
    apart: Length = timedelta(days=1)
    """A minimum is the least so far on either side, an ISO 8601 duration such as P1D: nearer ones are one storm."""
    longest_initial: Length = timedelta(hours=18)
    """How long before the main phase an initial phase may begin, an ISO 8601 duration such as PT18H."""
    longest_main: Length = timedelta(days=2)
    """Longest main phase, an ISO 8601 duration such as P2D."""
    longest_recovery: Length = timedelta(days=10)
    """Longest recovery, an ISO 8601 duration such as P10D; a longer one is cut there and marked."""
    quiet_up_to: Length | None = None
    """Quiet times after a storm are listed too, up to this length, an ISO 8601 duration such as P27D; by default they are
    not."""

    @model_validator(mode="after")
    def _goes_together(self) -> StormPhasesOptions:
        if not self.below < self.quiet <= self.positive:
            raise ValueError("below must be less than quiet, and positive not less than quiet. Change one of them")
        return self

    @property
    def near_ns(self) -> int:
        """How far around its minimum a storm is decided."""
        return sum(duration_ns(each) for each in (self.apart, self.apart, self.longest_initial, self.longest_main))

    def limits(self) -> StormLimits:
        """As `storm_phases_of` takes them."""
        return StormLimits(
            below=self.below,
            fall=self.fall,
            quiet=self.quiet,
            positive=self.positive,
            apart_ns=duration_ns(self.apart),
            initial_ns=duration_ns(self.longest_initial),
            main_ns=duration_ns(self.longest_main),
            recovery_ns=duration_ns(self.longest_recovery),
            quiet_ns=0 if self.quiet_up_to is None else duration_ns(self.quiet_up_to),
        )


class StormPhases(ShippedOperation[StormPhasesOptions]):
    """Initial, main and recovery phase of each storm."""

    id = "storm_phases"
    version = 2
    summary = "Phases of geomagnetic storms in Dst or SYM-H as events: initial, main, recovery, with the minimum and its class."
    when = (
        "Use it to sort times by phase of storm, or, with filter_events on phase, as the list of main phases for "
        "superposed_epoch. For all times below a limit use intervals_where."
    )
    reference = (
        "Minimum: the least value for apart around, less than below. Main phase: from the last sample >= quiet (without one in "
        "longest_main, or since the minimum before, from the greatest) to the minimum. Initial phase: from the first sample > "
        "positive in longest_initial before. Recovery: to the first sample >= quiet. Phases and the sudden commencement as "
        "Gonzalez et al. 1994, doi:10.1029/93JA02867, describe them, who call storms moderate from -50 nT, the default of "
        "below; quiet is that of Walach and Grocott 2019, doi:10.1029/2019JA026816, whose storms are below -80 nT; fall, "
        "positive and the lengths are this operation's own. storm_class after "
        "Loewe and Prölss 1997, doi:10.1029/96JA04020: 1 weak (-30 nT and less), 2 moderate (-50), 3 strong (-100), 4 severe "
        "(-200), 5 great (-350)."
    )
    inputs = {"series": Input(("series",), "Dst or SYM-H", unit="nT", columns=1)}
    output = (
        "Events in order of their start, at times of samples: stop, duration in h, phase (0 quiet, 1 initial, 2 main, 3 "
        "recovery), minimum of the storm in nT and its storm_class, extreme of the phase (the greatest value of an initial "
        "phase, else the least), longest_gap between samples in h, is_cut where a recovery or quiet time is longer than is "
        "looked for, or the next storm or the end of the data interrupts the recovery. A minimum has samples in "
        "apart before and after it; at the edge of a longer gap, and of the data, there is none."
    )
    options = StormPhasesOptions
    keeps_times = False
    examples = (
        Example(
            inputs={
                "series": ExampleTable(
                    unit="nT",
                    columns={"dst": (0, 5, 20, 15, -5, -60, -120, -80, None, -40, -10, 0)},
                    seconds=tuple(3600.0 * hour for hour in range(12)),
                )
            },
            expected={
                "stop": (4 * 3600, 6 * 3600, 10 * 3600),
                "duration": (2, 2, 4),
                "phase": (1, 2, 3),
                "minimum": (-120, -120, -120),
                "storm_class": (3, 3, 3),
                "extreme": (20, -120, -120),
                "longest_gap": (1, 1, 2),
                "is_cut": (0, 0, 0),
            },
            seconds=(2 * 3600, 4 * 3600, 6 * 3600),
            units={"minimum": "nT", "duration": "h"},
            source="by hand: above 10 nT at 2 h, last above -15 nT at 4 h, least at 6 h, again above -15 nT at 10 h",
        ),
    )

    def halo(self, options: StormPhasesOptions) -> tuple[timedelta, timedelta]:
        """Around each: twice apart, longest_initial, longest_main. After: longest_recovery; quiet_up_to makes it longer."""
        around, recovery = options.near_ns, duration_ns(options.longest_recovery)
        quiet = 0 if options.quiet_up_to is None else duration_ns(options.quiet_up_to)
        return duration_from_ns(around + (recovery if quiet else 0)), duration_from_ns(2 * around + recovery + quiet)

    def _meta(self, inputs: Mapping[str, TableMeta], options: StormPhasesOptions, name: str) -> TableMeta:
        del options
        label = inputs["series"].label or name
        columns = (
            *fact("phase", "phase: 0 quiet, 1 initial, 2 main, 3 recovery"),
            *fact("minimum", f"minimum of {label}", "nT"),
            *fact("storm_class", "class: 1 weak, 2 moderate, 3 strong, 4 severe, 5 great"),
            *fact("extreme", f"extreme of {label} in the phase", "nT"),
            *fact("longest_gap", "longest distance of samples", "h"),
            *fact("is_cut", "whether it does not stop by itself"),
        )
        return events_meta(f"Storm phases of {label}", columns)

    def _compute(self, inputs: Mapping[str, Table], options: StormPhasesOptions, meta: TableMeta) -> Table:
        (values,) = self._values(inputs, "series")
        is_valid = np.isfinite(values)
        at, values = times_ns(inputs["series"])[is_valid], values[is_valid] + 0.0
        found = storm_phases_of(at, values, options.limits())
        first, last = (np.array(each, dtype=np.int64) for each in ([e.first for e in found], [e.last for e in found]))
        stretches = [values[each.first : each.last + 1] for each in found]
        columns = {
            "phase": [each.code for each in found],
            "minimum": [values[each.minimum] for each in found],
            "storm_class": [storm_class(values[each.minimum]) for each in found],
            "extreme": [
                np.max(each) if phase.code == INITIAL else np.min(each) for phase, each in zip(found, stretches, strict=True)
            ],
            "longest_gap": [np.max(np.diff(at[each.first : each.last + 1])) / HOUR_NS for each in found],
            "is_cut": [float(each.is_cut) for each in found],
        }
        arrays = {name: np.array(each, dtype=np.float64) for name, each in columns.items()}
        return events_table(at[first], at[last], arrays, meta)
