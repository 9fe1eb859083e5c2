"""Tables whose records have axes as xarray Datasets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from helio_dagster.compute.dataframes import META_KEY, meta_to_attrs
from helio_dagster.domain.axes import RecordAxis
from helio_dagster.domain.errors import InputError
from helio_dagster.domain.table import Table

if TYPE_CHECKING:
    import xarray as xr

_TIME = "time"


def table_to_dataset(table: Table) -> xr.Dataset:
    """A table of kind `nd` as a Dataset; nothing is copied.

    Parameters
    ----------
    table
        The table.

    Returns
    -------
    xarray.Dataset
        One variable of all values, shape (time, *axes), NaN where none is valid, with `units` and `long_name` in its `attrs`.
        `time` is `datetime64[ns]`, UTC without a zone, as xarray has it. An axis whose bins are the same for all records is a
        coordinate of its dimension; bins that vary are a coordinate over time and a dimension `<axis>_number`. Widths that are
        known are variables `<axis>_width`, labels of bins are a coordinate `<axis>_label`. `attrs` are those of a DataFrame.

    Raises
    ------
    InputError
        xarray is not installed.
    """
    try:
        import xarray as xr
    except ModuleNotFoundError as error:
        problem = f"data with several axes are read as an xarray Dataset, and {error.name} is not installed"
        raise InputError(problem, hint="Install it with: pip install 'helio-dagster[netcdf]'") from error

    meta = table.meta
    about = {column.name: {"units": column.unit, "long_name": column.label or column.name} for column in meta.columns}
    dimensions = {axis.name: axis.name if axis.is_fixed else f"{axis.name}_number" for axis in meta.axes}
    name = meta.data_names[0]
    variables: dict[str, Any] = {name: ((_TIME, *dimensions.values()), table.columns[name], about[name])}
    coordinates: dict[str, Any] = {_TIME: table.time}
    for axis in meta.axes:
        own = {"units": axis.unit, "long_name": axis.label or axis.name}
        if axis.column is None:
            coordinates[axis.name] = (axis.name, list(axis.values), own)
            if axis.labels:
                coordinates[f"{axis.name}_label"] = (axis.name, list(axis.labels))
        else:
            coordinates[axis.name] = ((_TIME, dimensions[axis.name]), table.columns[axis.column], own)
        variables |= _widths(table, axis, dimensions[axis.name], own["units"])
    attributes = {key: value for key, value in meta_to_attrs(meta).items() if key != META_KEY}
    return xr.Dataset(variables, coordinates, attributes)


def _widths(table: Table, axis: RecordAxis, dimension: str, unit: str) -> dict[str, Any]:
    own = {"units": unit, "long_name": f"width of {axis.label or axis.name}"}
    if axis.widths:
        return {f"{axis.name}_width": (dimension, list(axis.widths), own)}
    if axis.width_column is not None:
        return {f"{axis.name}_width": ((_TIME, dimension), table.columns[axis.width_column], own)}
    return {}
