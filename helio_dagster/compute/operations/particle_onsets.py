"""When an event of energetic particles begins in each energy channel: particle_onsets."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field

from helio_dagster.compute.cusum import CusumLimits, cusum_onset
from helio_dagster.compute.operations.averages import Length
from helio_dagster.compute.operations.columns import Floats, floats
from helio_dagster.compute.operations.contract import Options
from helio_dagster.compute.operations.examples import Example, ExampleTable
from helio_dagster.compute.operations.inputs import Input
from helio_dagster.compute.operations.results import (
    Nanoseconds,
    curve_meta,
    curve_table,
    fact,
    facts_meta,
    facts_table,
    times_ns,
    uncertain_fact,
)
from helio_dagster.compute.operations.shipped import WindowOperation
from helio_dagster.domain.errors import ComputeError
from helio_dagster.domain.fine_duration import duration_ns
from helio_dagster.domain.table import BinAxis, Table, TableMeta
from helio_dagster.domain.time_range import TimeRange

_NAMES = ("onset", "onset_uncertainty", "background_mean", "background_deviation")


class ParticleOnsetsOptions(Options):
    """What counts as background, and how sure an onset must be."""

    background: Length | None = None
    """How long after the start of the range there are background particles alone, an ISO 8601 duration such as PT3H; by default
    a quarter of the range. The onset is looked for after it."""
    shift: Annotated[float, Field(gt=0, le=20)] = 2.0
    """By how many standard deviations of the background the mean must rise."""
    threshold: Annotated[float, Field(gt=0, le=100)] = 2.0
    """Of the cumulative sum, in standard deviations of the background."""
    consecutive: Annotated[int, Field(ge=1, le=1000)] = 30
    """How many samples one after the other must be above the threshold; the onset is the first of them."""
    result: Literal["numbers", "events"] = "numbers"
    """numbers: facts or a curve over energy. events: a list of the onsets that there are, for pipelines over events."""


class ParticleOnsets(WindowOperation[ParticleOnsetsOptions]):
    """Onset times by a cumulative sum."""

    id = "particle_onsets"
    version = 2
    summary = "Onset of a solar energetic particle event in each energy channel, by a Poisson-CUSUM over a background."
    when = (
        "Use it over a range that begins hours before one event, with velocity_dispersion after it. Look at the background: "
        "an earlier event that still decays, or few counts, make onsets late. Over daily partitions, result: events lists the "
        "first onset of each day, which another pipeline can be over. For sudden changes of any series use jumps."
    )
    reference = (
        "S_i = max(0, S_(i - 1) + z_i - k), z in standard deviations sigma of the background about its mean mu; alarm where S "
        "> threshold in consecutive samples (Huttunen-Heikinmaa et al. 2005, doi:10.1051/0004-6361:20042620). k is that of the "
        "Poisson counts that the background stands for, lambda = (mu / sigma)^2, so that it does not depend on the unit: k = "
        "[(lambda_d - lambda) / ln(lambda_d / lambda) - lambda] / sqrt(lambda), lambda_d = lambda + shift sqrt(lambda) (Lucas "
        "1985, doi:10.1080/00401706.1985.10488030)."
    )
    inputs = {"flux": Input(("series", "spectrogram"), "the flux or count rate of one channel, or of all in a spectrogram")}
    output = (
        "Of a series: facts with the time of the onset. Of a spectrogram with fixed energies: a curve over energy with the "
        "onset in s after the start of the range. With both its uncertainty, the distance to the sample before, in s, and mean "
        "and standard deviation of the background. NaN without an onset, with a background of fewer than 3 "
        "samples, without scatter, or with a mean that is not above 0. As events: moments, with the same numbers and the "
        "energy of the channel."
    )
    options = ParticleOnsetsOptions
    examples = (
        Example(
            inputs={"flux": ExampleTable(unit="cm^-2 s^-1", columns={"j": (9, 11, 9, 11, 9, 11, 9, 11, 30, 40, 50, 60)})},
            options={"background": "PT6M", "consecutive": 3},
            expected={
                "onset": (480,),
                "onset_uncertainty": (60,),
                "background_mean": (10,),
                "background_deviation": (1.2**0.5,),
            },
            window=(0, 720),
            seconds=(0,),
            units={"onset_uncertainty": "s", "background_mean": "cm^-2 s^-1"},
            source="by hand: six samples of 10 +- 1, of a background that goes on for two more",
        ),
    )

    def plain_options(self, inputs: Mapping[str, TableMeta], options: ParticleOnsetsOptions) -> dict[str, Any]:
        """And the energies of the channels; none of a series."""
        bins = inputs["flux"].bins
        energies = list(bins.centers) if bins is not None and inputs["flux"].kind == "spectrogram" else None
        return {**super().plain_options(inputs, options), "energies": energies}

    def _dtypes(self, meta: TableMeta) -> Mapping[str, str]:
        return {**meta.dtypes, "onset": "datetime64[ns]"} if meta.kind == "facts" else meta.dtypes

    def _meta(self, inputs: Mapping[str, TableMeta], options: ParticleOnsetsOptions, name: str) -> TableMeta:
        meta = inputs["flux"]
        label = f"Onset of {meta.label or name}"
        unit = next((column.unit for column in meta.columns if column.role == "data" and column.unit), meta.unit)
        about = (*fact("background_mean", "mean of the background", unit), *fact("background_deviation", "its deviation", unit))
        if meta.kind == "series":
            if len(meta.data_names) != 1:
                hint = "Take one column with the operation component, or a spectrogram over energy."
                raise ComputeError(f"{self.id} needs one column, not {len(meta.data_names)}", hint=hint)
            spread = fact("onset_uncertainty", "uncertainty of the onset", "s")
            if options.result == "events":
                return TableMeta(kind="events", columns=(*spread, *about), label=label)
            return facts_meta(label, (*fact("onset", "onset"), *spread, *about))
        if meta.bins is None or not meta.bins.is_fixed:
            raise ComputeError(f"{self.id} needs a spectrogram with fixed energies", hint="Take one channel as a series.")
        if options.result == "events":
            energy = fact("energy", meta.bins.label or "Energy", meta.bins.unit)
            spread = fact("onset_uncertainty", "uncertainty of the onset", "s")
            return TableMeta(kind="events", columns=(*energy, *spread, *about), label=label)
        axis = BinAxis(label=meta.bins.label or "Energy", unit=meta.bins.unit, scale="log")
        return curve_meta(label, ("energy", axis), (*uncertain_fact("onset", "onset after the start", "s"), *about))

    def _compute_window(
        self, inputs: Mapping[str, Table], options: ParticleOnsetsOptions, meta: TableMeta, window: TimeRange
    ) -> Table:
        table = inputs["flux"]
        at = times_ns(table)
        start, stop = (int(edge.astype("datetime64[ns]").astype(np.int64)) for edge in window.bounds_ns())
        until = start + ((stop - start) // 4 if options.background is None else duration_ns(options.background))
        limits = CusumLimits(options.shift, options.threshold, options.consecutive)
        rows = np.array([_onset(at, floats(table, name), (start, until), limits) for name in table.meta.data_names])
        if meta.kind == "events":
            return _events(start, rows, table.meta, meta)
        if meta.kind == "facts":
            found: dict[str, float | np.datetime64] = dict(zip(_NAMES, rows[0].tolist(), strict=True))
            seconds = float(rows[0, 0])
            moment = np.datetime64(start + round(seconds * 1e9), "ns") if np.isfinite(seconds) else np.datetime64("NaT", "ns")
            return facts_table(window, {**found, "onset": moment}, meta)
        centers = np.array(table.meta.bins.centers if table.meta.bins is not None else ())
        order = np.argsort(centers, kind="stable")
        order = order[np.isfinite(centers[order])]
        order = order[np.append(True, np.diff(centers[order]) > 0)] if len(order) else order
        columns = {"energy": centers[order], **dict(zip(_NAMES, rows[order].T, strict=True))}
        return curve_table(window, columns, meta)


def _events(start: int, rows: Floats, given: TableMeta, meta: TableMeta) -> Table:
    """A moment for each channel with an onset; `rows` as `_NAMES` in s after the start, shape (channel, number)."""
    is_found = np.isfinite(rows[:, 0])
    if given.bins is not None and given.kind == "spectrogram":
        is_found &= np.isfinite(np.array(given.bins.centers))
    at = start + np.rint(rows[is_found, 0] * 1e9).astype(np.int64)
    columns = dict(zip(_NAMES[1:], rows[is_found, 1:].T, strict=True))
    if given.bins is not None and given.kind == "spectrogram":
        columns["energy"] = np.array(given.bins.centers)[is_found]
    order = np.argsort(at, kind="stable")
    arrays = {column.name: columns[column.name][order] for column in meta.columns}
    return Table(at[order].astype("datetime64[ns]"), arrays, meta)


def _onset(at: Nanoseconds, values: Floats, edges: tuple[int, int], limits: CusumLimits) -> tuple[float, float, float, float]:
    """Onset in s after the start and its uncertainty, mean and deviation of the background; NaN where not known."""
    nothing = (np.nan,) * 4
    is_valid = np.isfinite(values)
    at, values = at[is_valid], values[is_valid]
    first = int(np.searchsorted(at, edges[1]))
    found = cusum_onset(values[:first], values[first:], limits)
    if found is None:
        return nothing
    if found.place < 0:
        return np.nan, np.nan, found.mean, found.deviation
    place = first + found.place
    return (at[place] - edges[0]) / 1e9, (at[place] - at[place - 1]) / 1e9, found.mean, found.deviation
