"""How well two series go together at each frequency, and how far one is behind: coherence."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

import numpy as np
from pydantic import Field

from helio_dagster.compute.cross_spectra import coherence_and_phase
from helio_dagster.compute.even_means import slot_means
from helio_dagster.compute.operations.averages import Length
from helio_dagster.compute.operations.columns import Floats
from helio_dagster.compute.operations.contract import Options
from helio_dagster.compute.operations.examples import Example, ExampleTable
from helio_dagster.compute.operations.inputs import Input
from helio_dagster.compute.operations.results import Nanoseconds, curve_meta, curve_table, fact, times_ns, uncertain_fact
from helio_dagster.compute.operations.shipped import WindowOperation
from helio_dagster.domain.errors import ComputeError
from helio_dagster.domain.fine_duration import duration_ns
from helio_dagster.domain.table import BinAxis, Table, TableMeta
from helio_dagster.domain.time_range import TimeRange

FEWEST_SLOTS, MOST_SLOTS = 8, 2**22
_CHANCE = 0.05


class CoherenceOptions(Options):
    """The grid and its segments."""

    cadence: Length | None = None
    """Length of the slots in which the samples of both are averaged, an ISO 8601 duration such as PT1M; by default the larger
    of the two median distances of valid samples."""
    segments: Annotated[int, Field(ge=2, le=1000)] = 8
    """The window is divided into so many segments, 2 to 1000, between which others lie halfway: more of them give less scatter
    and a higher lowest frequency."""


class Coherence(WindowOperation[CoherenceOptions]):
    """Coherence and phase lag over frequency."""

    id = "coherence"
    version = 1
    summary = "Coherence and phase of two series over a whole window as curves over frequency."
    when = (
        "Use it to see at which frequencies two components or spacecraft see the same wave, and how far one is behind. For the "
        "lag of whole signals use cross_correlation."
    )
    reference = (
        "C(f) = |S_ab|^2 / (S_aa S_bb), phase lag = -arg S_ab, S_ab = <conj(A) B> over segments less their means under a Hann "
        "taper, half overlapping (Welch 1967, doi:10.1109/TAU.1967.1161901). Of n_d independent segments: level = 1 - "
        "0.05^(1 / (n_d - 1)), which noise passes by chance at one frequency in 20 (Thompson 1979, "
        "doi:10.1175/1520-0469(1979)036<2020:CSLFIE>2.0.CO;2), phase uncertainty sqrt((1 - C) / (2 n_d C)) (Bendat and Piersol "
        "2010, Random Data, chapter 9)."
    )
    inputs = {
        "a": Input(("series",), "the one that comes first where the phase lag is positive", columns=1),
        "b": Input(("series",), "the other", columns=1),
    }
    output = (
        "A curve over frequency in Hz: coherence 0 to 1, the level that noise passes by chance, phase lag of b behind a in "
        "deg, -180 to 180, with its uncertainty. Segments with an empty slot are left out; NaN with fewer than two."
    )
    options = CoherenceOptions
    examples = (
        Example(
            inputs={
                "a": ExampleTable(columns={"v": (1, 0, -1, 0) * 6}, seconds=tuple(range(24))),
                "b": ExampleTable(columns={"w": (0, 2, 0, -2) * 6}, seconds=tuple(range(24))),
            },
            options={"segments": 3},
            expected={"frequency": (0.125, 0.25, 0.375), "coherence": (1, 1, 1), "phase_lag": (90, 90, 90)},
            window=(0, 24),
            seconds=(0, 0, 0),
            units={"frequency": "Hz", "phase_lag": "deg"},
            relative=1e-9,
            source="b is a quarter of a period later; the Hann taper spreads the line over its neighbours",
        ),
    )

    def _meta(self, inputs: Mapping[str, TableMeta], options: CoherenceOptions, name: str) -> TableMeta:
        del options
        labels = " and ".join(meta.label or key for key, meta in inputs.items())
        columns = (
            *fact("coherence", "coherence"),
            *fact("level", "coherence that noise passes by chance"),
            *uncertain_fact("phase_lag", "phase lag", "deg"),
        )
        axis = ("frequency", BinAxis(label="Frequency", unit="Hz", scale="log"))
        return curve_meta(f"Coherence of {labels}" if labels else name, axis, columns)

    def _compute_window(
        self, inputs: Mapping[str, Table], options: CoherenceOptions, meta: TableMeta, window: TimeRange
    ) -> Table:
        given = [self._valid(inputs, name) for name in ("a", "b")]
        if min(len(at) for at, _ in given) < 2:
            return Table.empty(meta)
        usual = max(int(np.median(np.diff(at))) for at, _ in given)
        cadence_ns = usual if options.cadence is None else duration_ns(options.cadence)
        start = max(int(at[0]) for at, _ in given)
        count = max((min(int(at[-1]) for at, _ in given) - start) // cadence_ns + 1, 0)
        segment = count // options.segments // 2 * 2
        if not segment >= FEWEST_SLOTS or count > MOST_SLOTS:
            raise ComputeError(
                f"{self.id}: a segment would hold {segment} slots of {cadence_ns / 1e9:g} s, not at least {FEWEST_SLOTS}, of "
                f"{count} in all, not up to {MOST_SLOTS}",
                hint="Give fewer segments, another cadence or a longer range.",
            )
        a, b = (slot_means(at, values, start, cadence_ns, count) for at, values in given)
        coherence, lag, independent, _ = coherence_and_phase(a, b, segment=segment)
        level = 1 - _CHANCE ** (1 / (independent - 1)) if independent > 1 else np.nan
        with np.errstate(all="ignore"):
            spread = np.sqrt((1 - np.minimum(coherence, 1.0)) / (2 * independent * coherence))
        columns = {
            "frequency": np.arange(1, segment // 2) / (segment * cadence_ns / 1e9),
            "coherence": coherence,
            "level": np.full(len(coherence), level),
            "phase_lag": np.degrees(lag),
            "phase_lag_uncertainty": np.degrees(np.where(np.isfinite(spread), spread, np.nan)),
        }
        return curve_table(window, columns, meta)

    def _valid(self, inputs: Mapping[str, Table], name: str) -> tuple[Nanoseconds, Floats]:
        if not len(inputs[name]):
            return np.zeros(0, dtype=np.int64), np.zeros(0)
        (values,) = self._values(inputs, name)
        is_valid = np.isfinite(values)
        return times_ns(inputs[name])[is_valid], values[is_valid]
