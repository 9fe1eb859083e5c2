"""In which order operations follow each other, and what they need of the samples."""

from __future__ import annotations

from datetime import timedelta

from helio_dagster.agent.treatments import Transform, Treatment
from helio_dagster.domain.time_range import parse_duration

ORDER = (
    *("transform_frame", "direction", "minimum_variance"),
    *("despike", "detrend", "butterworth", "derivative", "rolling_statistic"),
    *("spectrogram", "welch", "wavelet_power", "superposed_epoch"),
)
"""In which order operations come after each other, whatever the order of the words."""
ON_VECTORS = frozenset(("transform_frame", "direction", "minimum_variance"))
"""Those that come before averages."""
CLEANING = "despike"
"""Comes before averages, too, of which a spike would be a part."""
SPECTRAL = frozenset(("spectrogram", "welch", "wavelet_power"))
TO_THE_RADIAL = "angle to the radial direction"
SAMPLES_A_BIN = 3
"""Samples that a bin needs for a statistic; archives' values are means already, so that a mean needs one."""
FEWEST_BINS = 24
"""Bins of a window around events, at the least: as many hours as there are in a day."""
PAIRING_WORDS = {
    "difference": "difference",
    "ratio": "ratio",
    "rolling_correlation": "correlation",
    "angle_between": "angle",
}
"""How an operation of two is called."""


def needed_spacing(treatment: Treatment) -> timedelta | None:
    """How far apart samples may be for what is made of them; None where nothing limits it."""
    if treatment.apart:
        own = [needed_spacing(each) for each in treatment.each]
        return min((each for each in own if each is not None), default=None)
    lengths = [each.length / (1 if each.method == "mean" else SAMPLES_A_BIN) for each in treatment.averagings]
    lengths += [treatment.smoothing.length / 2] if treatment.smoothing is not None and treatment.smoothing.length else []
    lengths += [each for transform in treatment.transforms if (each := _spacing_of(transform)) is not None]
    detected = treatment.detected
    if detected is not None and not (detected.statistics and not (detected.before or detected.after)):
        before, after = detected.window
        lengths.append((parse_duration(before) + parse_duration(after)) / FEWEST_BINS)
    if treatment.whole is not None and treatment.whole.shown is not None:
        lengths.append(timedelta(seconds=0.4 / treatment.whole.shown[1]))
    if (
        treatment.whole is not None
        and treatment.whole.kind == "spectrum"
        and (highest := treatment.whole.options.get("highest"))
    ):
        lengths.append(timedelta(seconds=0.5 / float(highest)))
    return min(lengths, default=None)


def _spacing_of(transform: Transform) -> timedelta | None:
    for option, share in (("window", 2), ("bin", 2), ("shortest", 4)):
        if option in transform.options:
            return parse_duration(str(transform.options[option])) / share
    highest = transform.options.get("below_hz") or transform.options.get("above_hz")
    return timedelta(seconds=0.4 / float(highest)) if highest else None


def even_slots(window: timedelta, cadence: timedelta) -> timedelta | None:
    """A distance of samples not below a cadence, whole and round, of which a window is an even number (8 to 8192)."""
    for slot in (cadence, *(timedelta(seconds=seconds) for seconds in _ROUND)):
        if slot >= cadence and window % (2 * slot) == timedelta(0) and 8 <= window // slot <= 8192:
            return slot
    return None


_ROUND = (
    *(0.0625, 0.125, 0.25, 0.5),
    *(count * scale for scale in (1, 60) for count in (1, 2, 3, 4, 5, 6, 8, 9, 10, 12, 15, 16, 18, 20, 24, 30, 36, 40, 45)),
)
"""Seconds."""
