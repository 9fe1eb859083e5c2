"""The times of a variable's records: which epoch variable, virtual epochs."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from helio_dagster.archives.cdf.raw import RawFile, RawVariable
from helio_dagster.archives.cdf.virtual_parts import function_of
from helio_dagster.domain.errors import InputError
from helio_dagster.domain.table import Times

_LATER = {"add_51s": np.timedelta64(51, "s"), "add_1800": np.timedelta64(1800, "s")}
"""The archive's functions that move times: to the middle of an image, and of an hour."""


def find_variable(file: RawFile, name: str) -> RawVariable:
    """A variable that another one's attribute names; archives are loose about case and blanks there.

    Raises
    ------
    ValueError
        The file has no such variable: it contradicts itself.
    """
    wanted = name.strip()
    if wanted not in file.names:
        near = [known for known in file.names if known.strip().casefold() == wanted.casefold()]
        if len(near) != 1:
            raise ValueError(f"an attribute names the variable {wanted!r}, which the file has not")
        wanted = near[0]
    return file.variable(wanted)


def find_epoch(file: RawFile, variable: RawVariable) -> RawVariable:
    """The variable that holds the times of `variable`'s records (`DEPEND_0`).

    Raises
    ------
    InputError
        It has none, or none that holds CDF times: it is not a time series.
    """
    name = variable.text("DEPEND_0")
    if not name:
        raise InputError(f"{variable.name} has no times (no DEPEND_0)", hint="Only what varies with time can be fetched.")
    epoch = find_variable(file, name)
    if not epoch.is_time:
        raise InputError(
            f"the times of {variable.name} ({epoch.name}) are not CDF times but {epoch.type}s",
            hint="Choose another parameter of the dataset.",
        )
    return epoch


def read_times(file: RawFile, epoch: RawVariable, variable: RawVariable | None = None) -> Times:
    """Times of an epoch variable's records, in file order.

    Its own records count where it has any; else the archive's function is evaluated: times some seconds later, or the THEMIS
    construction (`comp_themis_epoch`: an epoch plus seconds), from the epoch's `COMPONENT_0` and `COMPONENT_1` or from
    `variable`'s `DEPEND_EPOCH0` and `DEPEND_TIME`. Valid ranges of epochs are not looked at: in many files they end years
    before the data.

    Returns
    -------
    Times
        `datetime64[ns]`, shape (record,), NaT for fill values.

    Raises
    ------
    InputError
        The epoch is computed by a function that is not known here.
    ValueError
        There are times, none of them valid, that are not the fill value all over: no data is what only fill values say.
    """
    if epoch.records and epoch.is_varying:
        times = file.times(epoch.name)
        if np.isnat(times).all() and not _is_one_value(file.decoded(epoch.name)):
            raise ValueError(f"none of the {len(times)} times in {epoch.name} is a time, though they differ")
        return times
    function = function_of(epoch)
    if function in ("comp_themis_epoch", "comp_themis_epoch16"):
        return _base_plus_seconds(file, epoch.text("COMPONENT_0"), epoch.text("COMPONENT_1"))
    if variable is not None and variable.text("DEPEND_EPOCH0") and variable.text("DEPEND_TIME"):
        return _base_plus_seconds(file, variable.text("DEPEND_EPOCH0"), variable.text("DEPEND_TIME"))
    if function in _LATER and epoch.text("COMPONENT_0"):
        return read_times(file, find_variable(file, epoch.text("COMPONENT_0"))) + _LATER[function]
    if function:
        raise InputError(
            f"the times {epoch.name} are computed by the archive's function {function}, which is not known here",
            hint="Choose another parameter of the dataset.",
        )
    return np.empty(0, dtype="datetime64[ns]")


def _is_one_value(values: NDArray[Any] | None) -> bool:
    """Whether all records are the same."""
    if values is None or not len(values):
        return values is not None
    records = np.ascontiguousarray(values).reshape(-1).view(np.uint8).reshape(len(values), -1)
    return not (records != records[0]).any()


def _base_plus_seconds(file: RawFile, base_name: str, seconds_name: str) -> Times:
    base = file.times(find_variable(file, base_name).name)
    seconds = file.numbers(find_variable(file, seconds_name).name).astype("float64").reshape(-1)
    if not len(base) or not len(seconds):
        return np.empty(0, dtype="datetime64[ns]")
    is_plausible = np.abs(seconds) < 2.0**33
    whole = np.floor(np.where(is_plausible, seconds, 0.0))
    nanoseconds = whole.astype("int64") * 1_000_000_000 + np.rint((np.where(is_plausible, seconds, 0.0) - whole) * 1e9).astype(
        "int64"
    )
    times: Times = base[0] + nanoseconds.astype("timedelta64[ns]")
    times[~is_plausible] = np.datetime64("NaT")
    return times
