"""Which variables and axes the table of each kind becomes in a file of arrays. How a format writes them is its own affair."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from helio_dagster.domain.table import BinAxis, ColumnMeta, Role, TableMeta
from helio_dagster.launch.exporting.record_variables import label_variable, record_variables
from helio_dagster.launch.exporting.records import GRIDDED, Reach, Survey, range_of
from helio_dagster.launch.exporting.variable import REACHES, Use, Variable

TIME_BOUNDS = "time_bnds"
_DELTA_NAMES: dict[Reach, str] = {"before": "Epoch_delta_minus", "after": "Epoch_delta_plus"}
_NUMBERED = re.compile(r"(.*?)(\d+)")
_COMPANION_WORDS: dict[Role, str] = {"uncertainty": "uncertainty", "lower": "lower end", "upper": "upper end"}


def lay_out(survey: Survey, name: str) -> list[Variable]:
    """The variables of a file, in its order: data first.

    Parameters
    ----------
    survey
        What is known of all records.
    name
        What the quantity is called, where a variable holds several columns.
    """
    meta, taken = survey.meta, _Names()
    reaches = list(_reaches(survey, taken))
    if meta.kind in GRIDDED:
        found = list(_gridded(survey, taken))
    elif meta.kind == "spectrogram" or (meta.kind == "vector" and len({column.unit for column in _data(meta)}) == 1):
        found = list(_stacked(survey, taken, name))
    elif meta.kind == "nd":
        found = list(record_variables(survey, taken.give, name))
    else:
        found = []
    held = {column for variable in found for column in variable.columns}
    held |= set(meta.axis_names) if meta.kind in GRIDDED else set()
    rest = [column for column in meta.columns if column.name not in held and column.role not in ("axis", "bin")]
    singles = {} if meta.kind in GRIDDED else {column.name: taken.give(column.name) for column in rest}
    for column in rest if singles else ():
        companions = {role: singles[other] for role, other in meta.companions(column.name).items() if other in singles}
        single = _single(survey, column, singles[column.name])
        found.append(_with(single, companions) if column.role in ("data", "axis") else single)
    return sorted([*found, *reaches], key=lambda variable: variable.use not in ("data", "count"))


def _reaches(survey: Survey, taken: _Names) -> Iterator[Variable]:
    """How far records reach before and after their times, one value where all reach as far; nothing where it is unknown."""
    if not survey.has_extents:
        return
    taken.give(TIME_BOUNDS)
    extent = survey.extent
    for use in REACHES:
        reach_ns = None if extent is None else extent.before_ns if use == "before" else extent.after_ns
        yield Variable(
            taken.give(_DELTA_NAMES[use]),
            use,
            dtype=np.dtype("int64"),
            label=f"how far a record reaches {use} its Epoch",
            unit="ns",
            values=None if reach_ns is None else np.array(reach_ns, dtype="int64"),
        )


def _single(survey: Survey, column: ColumnMeta, name: str) -> Variable:
    uses: dict[Role, Use] = {"data": "data", "count": "count", "stop": "stop", "id": "id"}
    return Variable(
        name,
        uses.get(column.role, "companion"),
        (column.name,),
        survey.dtypes.get(column.name, np.dtype(_default_dtype(column.role))),
        label=column.label or column.name,
        unit=column.unit,
        scale=survey.meta.scale if column.role == "data" else "linear",
        range=survey.ranges.get(column.name),
    )


def _default_dtype(role: Role) -> str:
    return {"stop": "datetime64[ns]", "id": "S1", "count": "int64"}.get(role, "float64")


def _with(variable: Variable, companions: Mapping[Role, str]) -> Variable:
    return replace(
        variable,
        uncertainty=companions.get("uncertainty", ""),
        lower=companions.get("lower", ""),
        upper=companions.get("upper", ""),
    )


def _stacked(survey: Survey, taken: _Names, name: str) -> Iterator[Variable]:
    """A vector, or a spectrogram with its bins: one variable of all data columns, and one of each of their companions."""
    meta = survey.meta
    data = _data(meta)
    count, unit = len(data), data[0].unit
    main = taken.give(name)
    columns = tuple(column.name for column in data)
    variable = Variable(
        main,
        "data",
        columns,
        _common(survey, columns),
        (count,),
        label=meta.label or name,
        unit=unit,
        scale=meta.scale,
        range=_joined(survey, columns),
    )
    if meta.kind == "spectrogram":
        axis = _bin_axis(survey, taken, meta.bins or BinAxis(), count, main)
        others = [axis]
        variable = replace(variable, axes=(axis.name,))
        texts = _channel_names(data)
    else:
        others = []
        texts = [column.label or column.name for column in data]
    if texts:
        labels = label_variable(texts, taken.give(f"{main}_labels"), "channel" if others else "component")
        others.append(replace(labels, axes=variable.axes))
        variable = replace(variable, labels=(labels.name,))
    companions: dict[Role, str] = {}
    for role in _COMPANION_WORDS:
        own = tuple(meta.companions(column).get(role, "") for column in columns)
        if all(own):
            companions[role] = taken.give(f"{main}_{role}")
            others.append(
                replace(
                    variable,
                    name=companions[role],
                    use="companion",
                    columns=own,
                    dtype=_common(survey, own),
                    label=f"{_COMPANION_WORDS[role]} of {variable.label}",
                    range=_joined(survey, own),
                )
            )
    yield _with(variable, companions)
    yield from others


def _bin_axis(survey: Survey, taken: _Names, bins: BinAxis, count: int, main: str) -> Variable:
    name = taken.give(f"{main}_bins")
    common = Variable(
        name, "axis", (), np.dtype("float64"), (count,), label=bins.label or "bin", unit=bins.unit, scale=bins.scale
    )
    columns = survey.meta.bin_names
    if not columns:
        centers = np.array(bins.centers or range(count), dtype="float64")
        return replace(common, values=centers, range=range_of(centers))
    return replace(common, columns=columns, dtype=_common(survey, columns), range=_joined(survey, columns))


def _channel_names(columns: list[ColumnMeta]) -> list[str]:
    """What the channels of a spectrogram are called; nothing where they are only numbered, or not told apart."""
    texts = [column.label or column.name for column in columns]
    matches = [_NUMBERED.fullmatch(text) for text in texts]
    counted = [(found[1], int(found[2])) for found in matches if found is not None]
    is_numbered = any(counted == [(counted[0][0], first + place) for place in range(len(texts))] for first in (0, 1) if counted)
    return [] if is_numbered or len(set(texts)) < len(texts) else texts


def _gridded(survey: Survey, taken: _Names) -> Iterator[Variable]:
    """A curve or map: its data over its axes, one record for each interval."""
    meta = survey.meta
    named = {column.name: taken.give(column.name) for column in meta.columns}
    by_name = {column.name: column for column in meta.columns}
    axes, edges = meta.axis_names, set[str]()
    for place, name in enumerate(axes):
        bins = (meta.first_axis if place == 0 and len(axes) == 2 else meta.bins) or BinAxis()
        shape = survey.shape[place : place + 1]
        companions = meta.companions(name)
        for own in (name, *companions.values()):
            edges.add(own)
            single = replace(_single(survey, by_name[own], named[own]), use="axis" if own == name else "companion")
            single = replace(single, shape=shape, scale=bins.scale)
            if own != name:
                single = replace(single, axes=(named[name],))
            if name in survey.fixed and own in survey.fixed:
                single = replace(single, columns=(), values=survey.fixed[own])
            yield _with(single, {role: named[other] for role, other in companions.items()}) if own == name else single
    for column in meta.columns:
        if column.name not in edges:
            single = replace(
                _single(survey, column, named[column.name]), shape=survey.shape, axes=tuple(named[a] for a in axes)
            )
            companions = {role: named[other] for role, other in meta.companions(column.name).items()}
            yield _with(single, companions) if column.role == "data" else single


def _data(meta: TableMeta) -> list[ColumnMeta]:
    return [column for column in meta.columns if column.role == "data"]


def _common(survey: Survey, columns: Iterable[str]) -> np.dtype[Any]:
    found = [survey.dtypes[column] for column in columns if column in survey.dtypes]
    return np.result_type(*found) if found else np.dtype("float64")


def _joined(survey: Survey, columns: Iterable[str]) -> tuple[float, float] | None:
    found = [survey.ranges[column] for column in columns if column in survey.ranges]
    return (min(low for low, _ in found), max(high for _, high in found)) if found else None


class _Names:
    """Names of letters, digits and underscores that begin with a letter, each given once; `Epoch` and `time` are the time's."""

    def __init__(self) -> None:
        self._given = {"epoch", "time"}

    def give(self, wanted: str) -> str:
        plain = re.sub(r"[^A-Za-z0-9]+", "_", wanted).strip("_") or "value"
        plain = plain if plain[0].isalpha() else f"v_{plain}"
        name, number = plain, 2
        while name.casefold() in self._given:
            name, number = f"{plain}_{number}", number + 1
        self._given.add(name.casefold())
        return name
