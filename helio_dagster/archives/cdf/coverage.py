"""What a CDF file covers, for an archive server and its inventory: times, parameters, version."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Literal

import numpy as np
from pydantic import BaseModel, ConfigDict

from helio_dagster.archives.cdf.epochs import find_variable, read_times
from helio_dagster.archives.cdf.raw import RawFile, RawVariable
from helio_dagster.archives.files.record_order import sorted_unique
from helio_dagster.domain.errors import InputError


class _Value(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class EpochCoverage(_Value):
    """The time axis that some of a file's parameters share; `first` and `last` are None without records."""

    epoch: str
    records: int
    first: datetime | None = None
    last: datetime | None = None


class ParameterInfo(_Value):
    """A record-varying variable that holds numbers, by its ISTP attributes; `epoch` is its time axis."""

    name: str
    epoch: str
    role: Literal["data", "support_data", "metadata"] = "data"
    label: str = ""
    description: str = ""
    unit: str = ""


class FileCoverage(_Value):
    """A file's global attributes and time axes, as the file gives them.

    `logical_source` is mostly, but not always, the archive's dataset id; `version` is `Data_version`, which may differ from the
    one in the file's name. Both are empty where the file says nothing. `timeless` are variables of numbers that vary by
    record and do not say which variable their times are.
    """

    logical_source: str
    version: str
    epochs: tuple[EpochCoverage, ...]
    parameters: tuple[ParameterInfo, ...]
    timeless: tuple[str, ...] = ()


def describe_file(file: RawFile) -> FileCoverage:
    """Coverage of an opened file.

    Raises
    ------
    ValueError
        The file contradicts itself, or the library found it damaged.
    """
    variables = [file.variable(name) for name in file.names]
    series = [
        variable for variable in variables if variable.is_varying and variable.type == "number" and variable.text("DEPEND_0")
    ]
    epochs: dict[str, EpochCoverage] = {}
    for variable in series:
        epoch = find_variable(file, variable.text("DEPEND_0"))
        if epoch.name not in epochs and epoch.is_time:
            epochs[epoch.name] = _cover(file, epoch, variable)
    return FileCoverage(
        logical_source=file.global_text("Logical_source"),
        version=file.global_text("Data_version"),
        epochs=tuple(epochs.values()),
        parameters=tuple(_inform(file, variable) for variable in series),
        timeless=tuple(
            each.name
            for each in variables
            if each.is_varying and each.type == "number" and not each.text("DEPEND_0") and not each.is_time
        ),
    )


def _cover(file: RawFile, epoch: RawVariable, variable: RawVariable) -> EpochCoverage:
    try:
        times = read_times(file, epoch, variable)
    except InputError:
        return EpochCoverage(epoch=epoch.name, records=0)
    times = times[sorted_unique(times)]
    if not len(times):
        return EpochCoverage(epoch=epoch.name, records=0)
    return EpochCoverage(epoch=epoch.name, records=len(times), first=_aware(times[0]), last=_aware(times[-1]))


def _aware(time: np.datetime64) -> datetime:
    naive: datetime = time.astype("datetime64[us]").astype(datetime)
    return naive.replace(tzinfo=UTC)


def _inform(file: RawFile, variable: RawVariable) -> ParameterInfo:
    role = variable.text("VAR_TYPE").casefold()
    return ParameterInfo(
        name=variable.name,
        epoch=find_variable(file, variable.text("DEPEND_0")).name,
        role="support_data" if role == "support_data" else "metadata" if role in ("metadata", "ignore_data") else "data",
        label=variable.text("LABLAXIS") or variable.text("FIELDNAM"),
        description=variable.text("CATDESC") or variable.text("FIELDNAM"),
        unit=variable.text("UNITS"),
    )
