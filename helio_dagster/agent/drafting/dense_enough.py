"""What operations need to know of how dense their data are, and whether these are dense enough."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from helio_dagster.agent.drafting.assumptions import Assumptions
from helio_dagster.agent.drafting.curves import Curve, measured
from helio_dagster.agent.drafting.lengths import spoken_alone
from helio_dagster.agent.drafting.operation_order import SPECTRAL, even_slots
from helio_dagster.agent.drafting.periods import usual_periods
from helio_dagster.agent.drafting.questions import DraftQuestion
from helio_dagster.agent.treatments import Transform
from helio_dagster.domain.time_range import format_duration, parse_duration


def needed_options(
    curve: Curve, transform: Transform, lengths: Mapping[str, timedelta], assumptions: Assumptions
) -> dict[str, Any]:
    """The options of an operation that follow from how dense the data are.

    Parameters
    ----------
    curve
        What it is of.
    transform
        The operation, with the options that the request names.
    lengths
        Lengths that the request gives besides, by what they are of.
    assumptions
        Is added to.

    Raises
    ------
    DraftQuestion
        The data are too far apart for it, or the catalog does not tell how far.
    """
    operation = transform.operation
    if "points" in transform.options and curve.cadence is not None:
        count, names = int(transform.options["points"]), ", ".join(choice.offer.dataset for choice in measured(curve.choice))
        window = count * curve.cadence
        assumptions.say(f"{count} samples of {names} are {spoken_alone(window)}.")
        return {"window": format_duration(window)}
    if operation == "despike" and "window" not in transform.options and curve.cadence is not None:
        assumptions.say(f"A spike stands out among {_SPIKE_SAMPLES} samples, because the request names no window.")
        return {"window": format_duration(_SPIKE_SAMPLES * curve.cadence)}
    if "points" in transform.options:
        raise DraftQuestion("The catalog does not give how far apart the samples are. How long is the window, in time?")
    if operation == "despike" and "window" not in transform.options:
        raise DraftQuestion("How long is the window in which a spike stands out? Say it as in: with 10-minute window.")
    if operation not in ("derivative", "butterworth", *SPECTRAL):
        return {}
    if curve.cadence is None:
        names = ", ".join(choice.offer.dataset for choice in measured(curve.choice))
        text = f"The catalog does not give the cadence of {names}, which the {transform.words} needs."
        raise DraftQuestion(f"{text} Averages over which time should it use?")
    if operation == "derivative":
        gap = max(4 * curve.cadence, timedelta(seconds=1))
        assumptions.say(f"Neighbours up to {format_duration(gap)} apart are joined in the derivative.")
        return {"max_gap": format_duration(gap)}
    if operation == "butterworth":
        below = transform.options.get("below_hz") or transform.options.get("above_hz") or 0.0
        if below * curve.cadence.total_seconds() >= 0.5:
            cannot = f"Values every {format_duration(curve.cadence)} hold no frequencies of {below:g} Hz."
            raise DraftQuestion(f"{cannot} Which data do you want?")
        return {"cadence": format_duration(curve.cadence)}
    return _spectral(curve.cadence, transform, lengths, assumptions)


_SPIKE_SAMPLES = 11
"""Samples of the moving window in which a spike stands out, where none is named: five on either side."""
_WINDOWS = [timedelta(seconds=each) for each in (4, 8, 16, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 21600, 43200, 86400)]
_SPECTRA = 32
"""Windows that a range has about, and samples that a window has at least, where none is named."""


def _usual_window(cadence: timedelta, range_: timedelta | None) -> timedelta:
    """A round length with enough samples, of which the range has about as many as can be told apart in a figure."""
    fitting = [each for each in _WINDOWS if each >= _SPECTRA * cadence and even_slots(each, cadence)] or _WINDOWS[-1:]
    return max((each for each in fitting if each <= (range_ or timedelta(days=1)) / _SPECTRA), default=fitting[0])


def _spectral(
    cadence: timedelta, transform: Transform, lengths: Mapping[str, timedelta], assumptions: Assumptions
) -> dict[str, Any]:
    if transform.operation == "wavelet_power":
        if "shortest" not in transform.options:
            periods = usual_periods(cadence, lengths.get("range"), transform.words)
            assumptions.say(periods.assumption)
            return {"cadence": format_duration(cadence), **periods.options}
        if parse_duration(transform.options["shortest"]) < 4 * cadence:
            raise DraftQuestion(f"Periods below four times {format_duration(cadence)} cannot be seen. Which do you want?")
        return {"cadence": format_duration(cadence)}
    more: dict[str, Any] = {}
    if transform.operation == "spectrogram" and "window" not in transform.options:
        window = _usual_window(cadence, lengths.get("range"))
        assumptions.say(f"Each spectrum is of {spoken_alone(window)}, because the request names no window.")
        more = {"window": format_duration(window)}
    else:
        window = parse_duration(transform.options.get("window") or transform.options["bin"])
    if transform.operation == "welch":
        named = lengths.get("segment")
        shares = [named] if named else [window / share for share in (4, 2, 3, 5, 6)]
        window = next((each for each in shares if even_slots(each, cadence)), shares[0])
        more = {"segment": format_duration(window)}
    slot = even_slots(window, cadence)
    if slot is None:
        length, step = format_duration(window), format_duration(cadence)
        text = f"{length} is not an even number of samples every {step}, 8 to 8192 of them."
        raise DraftQuestion(f"{text} Which length do you want?")
    if transform.operation == "welch" and "segment" not in lengths:
        assumptions.say(f"The segments of each spectrum are {format_duration(window)} long, as none is named.")
    if slot != cadence:
        assumptions.say(f"Samples are put into even slots of {format_duration(slot)} before the spectrum.")
    return {"cadence": format_duration(slot), **more}
