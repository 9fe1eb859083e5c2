"""Write records as a netCDF-4 file with the attributes of the CF conventions, block by block.

Source: CF conventions 1.11, https://cfconventions.org/Data/cf-conventions/cf-conventions-1.11/cf-conventions.html.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import h5netcdf
import h5py
import numpy as np
from numpy.typing import NDArray

from helio_dagster.domain.table import Times
from helio_dagster.domain.time_range import format_time
from helio_dagster.launch.exporting.header import SOFTWARE, Header
from helio_dagster.launch.exporting.plain_text import one_line, udunits
from helio_dagster.launch.exporting.records import MICROSECOND_NS, NO_INT, Block, Survey
from helio_dagster.launch.exporting.variable import REACHES, Variable
from helio_dagster.launch.exporting.variables import TIME_BOUNDS
from helio_dagster.storage.atomic import atomic_path

_TICKS = {1: "nanoseconds", MICROSECOND_NS: "microseconds"}
"""Units of time. CF has both; programs over cftime, such as pySPEDAS, know no nanoseconds."""
_CONVENTIONS = "CF-1.11"
_CHUNK_VALUES = 1 << 16
_LEVEL = 4
_EDGE = "bound"
Attributes = dict[str, Any]


def write_netcdf(path: Path, header: Header, survey: Survey, variables: Sequence[Variable], blocks: Iterable[Block]) -> None:
    """Write a netCDF file that follows the CF conventions.

    Parameters
    ----------
    path
        The file, which appears whole or not at all.
    header
        Where its data come from.
    survey, variables
        What all records are, and the variables that they are laid out in.
    blocks
        The records in order of time; only one block is in memory at a time.
    """
    with atomic_path(path) as temporary, h5netcdf.File(temporary, "w") as file:
        for name, value in global_attributes(header).items():
            file.attrs[name] = one_line(value)
        Layout(file, survey, variables, header.cell_method).write(blocks)


def global_attributes(header: Header) -> dict[str, str]:
    """Global attributes, none of them empty. The history names no time: the same input gives the same file."""
    meta, credited = header.meta, [each for used in header.datasets for each in used.credit.credits]
    edges = [format_time(header.span.start), format_time(header.span.stop)] if header.span is not None else ["", ""]
    synthetic = (
        "SYNTHETIC: made by helio_dagster's demo archive, no measurement. Do not use for science." if meta.synthetic else ""
    )
    given = {
        "Conventions": _CONVENTIONS,
        "title": header.title or header.asset,
        "summary": header.intent,
        "institution": "; ".join(dict.fromkeys(each.affiliation for each in credited if each.affiliation)),
        "source": "; ".join(header.dataset_words) or header.asset,
        "references": "; ".join(header.references),
        "formula": header.formula,
        "history": f"{SOFTWARE}: exported {header.asset}, {header.range_words}",
        "comment": synthetic,
        "acknowledgement": "; ".join(dict.fromkeys(each.acknowledgement for each in credited if each.acknowledgement)),
        "creator_name": "; ".join(dict.fromkeys(each.pi for each in credited if each.pi)),
        "id": header.asset,
        "kind": meta.kind,
        "frame": meta.frame or "",
        "maturity": meta.maturity,
        "time_coverage_start": edges[0],
        "time_coverage_end": edges[1],
        "data_version": header.data_version,
        "parents": " ".join(header.parents),
        "provenance": header.provenance_json(),
    }
    return {name: text for name, text in given.items() if text}


class Layout:
    """The dimensions and variables of an open file.

    Parameters
    ----------
    file
        The file, without any.
    survey, variables
        What all records are, and the variables that they are laid out in.
    cell_method
        What the data are of the extent of each record, such as `mean`; empty where that is not known.
    """

    def __init__(self, file: h5netcdf.File, survey: Survey, variables: Sequence[Variable], cell_method: str = "") -> None:
        self._file, self._survey = file, survey
        variables = [variable for variable in variables if variable.use not in REACHES]  # the bounds of the time say it
        self._by_name = {variable.name: variable for variable in variables}
        self._bounded = {axis.name: edges for axis in variables if (edges := self._fixed_edges(axis)) is not None}
        within = {name for axis in self._bounded for name in (self._by_name[axis].lower, self._by_name[axis].upper)}
        self._variables = [variable for variable in variables if variable.name not in within]
        self._records = self._record_dimension()
        self._stop = survey.meta.role_name("stop") if survey.meta.kind == "facts" else None
        self._cell_method = cell_method if survey.has_extents else ""
        self._has_bounds = self._stop is not None or survey.has_extents
        self._counts = [variable.name for variable in variables if variable.use == "count"]
        self._labelled = {name: f"{each.name}_component" for each in variables if not each.axes for name in each.labels}

    def write(self, blocks: Iterable[Block]) -> None:
        """Describe all variables, then write the records."""
        self._file.dimensions[self._records] = self._survey.rows or None
        self._describe_time()
        for variable in self._variables:
            self._describe(variable)
        for name, edges in self._bounded.items():
            self._need(_EDGE, 2)
            self._file.create_variable(f"{name}_bnds", (self._axis(name), _EDGE), np.dtype("float64"), data=edges)
        start = 0
        for block in blocks:
            stop = start + len(block)
            if start == stop:
                continue
            self._file.variables["time"][start:stop] = self._in_ticks(_to_ns(block.time))
            if self._has_bounds:
                self._file.variables[TIME_BOUNDS][start:stop, :] = self._bounds(block)
            for variable in self._variables:
                if variable.varies:
                    self._file.variables[variable.name][start:stop, ...] = self._encoded(variable, variable.take(block))
            start = stop

    def _record_dimension(self) -> str:
        """`time`, where no two records have the same; else a name that no variable has."""
        if self._survey.is_strict and self._survey.meta.kind != "events":
            return "time"
        wanted = "event" if self._survey.meta.kind == "events" else "record"
        return wanted if wanted not in self._by_name else f"{wanted}_number"

    def _describe_time(self) -> None:
        time = self._file.create_variable("time", (self._records,), np.dtype("int64"), **self._stored((), np.dtype("int64")))
        time.attrs.update(self._time_attributes("time, UTC"))
        time.attrs["standard_name"] = "time"
        if self._has_bounds:
            time.attrs["bounds"] = TIME_BOUNDS
            self._need(_EDGE, 2)
            stored = self._stored((2,), np.dtype("int64"))
            fill = np.int64(NO_INT) if self._stop is None and self._survey.has_extents_by_record else None
            self._file.create_variable(TIME_BOUNDS, (self._records, _EDGE), np.dtype("int64"), fillvalue=fill, **stored)
        if self._records == "time":
            time.attrs["axis"] = "T"

    def _bounds(self, block: Block) -> NDArray[np.int64]:
        """Start and stop of each record as the file counts time, shape (record, 2); the fill value where they are not known."""
        start = _to_ns(block.time)
        if self._stop:
            return self._in_ticks(np.stack([start, _to_ns(block.columns[self._stop])], axis=-1))
        extents = self._survey.extents_of(block)
        edges = np.stack([start - extents.before_ns, start + extents.after_ns], axis=-1)
        return self._in_ticks(np.where(extents.is_known[:, np.newaxis], edges, NO_INT))

    def _describe(self, variable: Variable) -> None:
        dimensions = [*([self._records] if variable.varies else []), *self._axes(variable)]
        attributes = self._attributes(variable)
        if variable.dtype.kind == "S":
            texts = (
                None
                if variable.values is None
                else np.array([one_line(value.decode()) for value in variable.values], dtype=object)
            )
            found = self._file.create_variable(variable.name, dimensions, h5py.string_dtype(), data=texts)
        elif variable.values is not None:
            found = self._file.create_variable(variable.name, dimensions, variable.dtype, data=variable.values)
        else:
            dtype = np.dtype("int64") if variable.dtype.kind == "M" else variable.dtype
            found = self._file.create_variable(
                variable.name, dimensions, dtype, fillvalue=self._fill(variable), **self._stored(variable.shape, dtype)
            )
        found.attrs.update({name: one_line(value) if isinstance(value, str) else value for name, value in attributes.items()})

    def _fill(self, variable: Variable) -> Any:
        """The value of what is missing; None for whole numbers, unless a shorter curve is filled up with it."""
        if variable.dtype.kind == "f":
            return variable.dtype.type(np.nan)
        return np.int64(NO_INT) if variable.dtype.kind == "M" or self._survey.padded.intersection(variable.columns) else None

    def _axes(self, variable: Variable) -> list[str]:
        """Names of the dimensions of one record, which are made where they are new."""
        names = []
        for place, size in enumerate(variable.shape):
            if variable.axes:
                name = self._axis(variable.axes[place])
            elif variable.labels:
                name = self._labelled[variable.labels[place]]
            elif variable.use == "label":
                name = self._labelled[variable.name]
            else:
                name = self._axis(variable.name)
            self._need(name, size)
            names.append(name)
        return names

    def _axis(self, name: str) -> str:
        """The dimension of an axis: of its own name where it is a coordinate variable, which rises or falls without a gap."""
        values = self._by_name[name].values
        steps = np.diff(values) if values is not None else np.zeros(1)
        return name if np.isfinite(steps).all() and ((steps > 0).all() or (steps < 0).all()) else f"{name}_number"

    def _need(self, name: str, size: int) -> None:
        if name not in self._file.dimensions:
            self._file.dimensions[name] = size

    def _stored(self, shape: tuple[int, ...], dtype: np.dtype[Any]) -> dict[str, Any]:
        """How a variable of records is stored: in chunks, compressed, their bytes shuffled."""
        values = max(1, int(np.prod(shape, dtype=int)))
        records = max(1, min(self._survey.rows or 1, _CHUNK_VALUES // values))
        chunks = (records, *(max(1, size) for size in shape))
        return {"chunks": chunks, "compression": "gzip", "compression_opts": _LEVEL, "shuffle": dtype.itemsize > 1}

    def _attributes(self, variable: Variable) -> Attributes:
        if variable.dtype.kind == "M":
            stated = self._time_attributes(variable.label or variable.name)
        else:
            stated = {"long_name": variable.label or variable.name}
            if variable.dtype.kind != "S":
                stated["units"] = udunits(variable.unit) or "1"
        coordinates = self._coordinates(variable)
        if coordinates:
            stated["coordinates"] = " ".join(coordinates)
        beside = [each for each in (variable.uncertainty, variable.lower, variable.upper) if each]
        if variable.name in self._bounded:
            stated["bounds"] = f"{variable.name}_bnds"
        elif variable.use == "data" and (beside or self._counts):
            stated["ancillary_variables"] = " ".join([*beside, *self._counts])
        if variable.use == "data":
            stated |= self._archives_words(variable)
            if self._cell_method:
                stated["cell_methods"] = f"time: {self._cell_method}"
        if variable.range is not None and variable.dtype.kind == "f":
            stated["actual_range"] = np.array(variable.range, dtype=variable.dtype)
        return stated

    def _coordinates(self, variable: Variable) -> list[str]:
        """Coordinates that are not the variables of its own dimensions."""
        if variable.use in ("axis", "label"):
            return []
        found = ["time"] if variable.varies and self._records != "time" else []
        found += [name for name in variable.labels if name]
        return found + [axis for axis in variable.axes if self._axis(axis) != axis]

    def _archives_words(self, variable: Variable) -> Attributes:
        meta, words = self._survey.meta, Attributes()
        if meta.frame:
            words["frame"] = meta.frame
        if variable.scale == "log":
            words["scale"] = "log"
        for name, attribute in (("CATDESC", "description"), ("VAR_NOTES", "comment")):
            if text := str(meta.attributes.get(name) or "").strip():
                words[attribute] = text
        return words

    def _fixed_edges(self, axis: Variable) -> NDArray[Any] | None:
        """Lower and upper ends of the bins of an axis that is the same in all records; None where it has none."""
        ends = [self._by_name.get(name) for name in (axis.lower, axis.upper)]
        if axis.use != "axis" or axis.values is None:
            return None
        values = [end.values for end in ends if end is not None and end.values is not None]
        return np.stack(values, axis=-1) if len(values) == 2 else None

    def _time_attributes(self, label: str) -> Attributes:
        units = f"{_TICKS[self._survey.tick_ns]} since 1970-01-01 00:00:00"
        return {"long_name": label, "units": units, "calendar": "standard", "units_metadata": "leap_seconds: none"}

    def _in_ticks(self, ns: NDArray[np.int64]) -> NDArray[np.int64]:
        """Whole ns as the file counts time; the fill value stays."""
        return np.where(ns == NO_INT, NO_INT, ns // self._survey.tick_ns)

    def _encoded(self, variable: Variable, values: NDArray[Any]) -> NDArray[Any]:
        if variable.dtype.kind == "M":
            return self._in_ticks(_to_ns(values))
        if variable.dtype.kind == "S":
            return np.array([one_line(str(value)) for value in values.ravel()], dtype=object).reshape(values.shape)
        return values.astype(variable.dtype)


def _to_ns(times: Times) -> NDArray[np.int64]:
    return times.astype("datetime64[ns]").astype(np.int64)
