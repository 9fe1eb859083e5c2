"""An IO manager over the tables of a home: your own assets load helio tables as DataFrames, and are stored the same way."""

from __future__ import annotations

from pathlib import Path

import dagster as dg
import pandas as pd

from helio_dagster.compute.dataframes import dataframe_to_table, table_to_dataframe
from helio_dagster.domain.errors import ComputeError, InputError, StorageError
from helio_dagster.domain.table import concatenate
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.storage.table_stores import tables_at
from helio_dagster.storage.tables import TableStore


class HelioIOManager(dg.IOManager):
    """Loads and stores DataFrames with a UTC time index in the tables of a home.

    An input is joined from the asset's partitions that Dagster maps to, in time order, with unit and frame in `.attrs`; those
    never made are an error, unless the input's metadata say `allow_missing_partitions` and at least one is there. An
    output is split at the edges of its partitions; records outside them are an error. Run config cannot change the home.

    Parameters
    ----------
    home
        Folder of the home; an environment variable is read immediately.
    tables
        Address of the home's tables where they are in an object store, as the setting `tables.url` has it.

    Raises
    ------
    InputError
        The environment variable is not set.
    """

    def __init__(self, home: str | Path | dg.EnvVar = ".helio", tables: str | None = None) -> None:
        given = home.get_value() if isinstance(home, dg.EnvVar) else home
        if not given:
            name = f"the environment variable {home.env_var_name}" if isinstance(home, dg.EnvVar) else "the home"
            raise InputError(f"{name} is empty or not set", hint="Give the folder of a home: HelioIOManager(home='.helio').")
        self._home, self._tables = Path(given), tables

    def load_input(self, context: dg.InputContext) -> pd.DataFrame:
        """The upstream asset's records over the mapped partitions.

        Raises
        ------
        StorageError
            A partition was never materialized, or its file is damaged; or no partition is mapped to this input.
        ComputeError
            The partitions' tables do not fit together.
        """
        name = "/".join(context.asset_key.path)
        keys: list[str | None] = [*context.asset_partition_keys] if context.has_asset_partitions else [None]
        if not keys:
            raise StorageError(f"{name} has no partition for this input", hint="Check the partition mapping of the asset.")
        if (context.definition_metadata or {}).get("allow_missing_partitions"):
            keys = [key for key in keys if self._store.has_file(name, key)] or keys
        tables = [self._store.read(name, key) for key in keys]
        try:
            return table_to_dataframe(concatenate(tables))
        except ValueError as error:
            raise ComputeError(f"partitions of {name} do not fit together: {error}", hint="Load shorter ranges.") from error

    def handle_output(self, context: dg.OutputContext, obj: pd.DataFrame) -> None:
        """Store a DataFrame under the asset's key, one table per partition.

        Raises
        ------
        ComputeError
            The DataFrame has no unique time index, or records outside the partitions.
        """
        name, table = "/".join(context.asset_key.path), dataframe_to_table(obj)
        if not context.has_asset_partitions:
            stored = {"table": self._store.write(name, None, table, {})}
        else:
            parts = {key: table.clip(_window(context, key)) for key in context.asset_partition_keys}
            outside = len(table) - sum(len(part) for part in parts.values())
            if outside:
                hint = "Clip the result to the partition: context.partition_time_window."
                raise ComputeError(f"{outside} records of {name} are outside its partitions", hint=hint)
            stored = {key: self._store.write(name, key, part, {}) for key, part in parts.items()}
        context.add_output_metadata(
            {
                "dagster/row_count": len(table),
                "unit": table.meta.unit,
                "path": dg.MetadataValue.path(next(iter(stored.values())).place.rpartition("/")[0]),
                "data_versions": {key: each.data_version for key, each in stored.items()},
            }
        )

    @property
    def _store(self) -> TableStore:
        return tables_at(self._home, self._home / "data", self._tables)


def _window(context: dg.OutputContext, key: str) -> TimeRange:
    definition = context.asset_partitions_def
    if not isinstance(definition, dg.TimeWindowPartitionsDefinition):
        raise ComputeError(
            "the store takes time-window partitions only", hint="Use time partitions such as daily or hourly ones."
        )
    window = definition.time_window_for_partition_key(key)
    return TimeRange(window.start, window.end)
