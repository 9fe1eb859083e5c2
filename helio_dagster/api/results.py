"""Read, export and cite what was made."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from helio_dagster.api.opening import AnyPipeline, When, find_step, settings_of, span_of
from helio_dagster.domain.report import FactReport
from helio_dagster.launch.credit.citation import Citation
from helio_dagster.launch.credit.citation import cite as launch_cite
from helio_dagster.launch.exporting.export import Exported
from helio_dagster.launch.exporting.export import export as launch_export
from helio_dagster.launch.exporting.targets import find_target
from helio_dagster.launch.home import Home
from helio_dagster.launch.running.facts import stored_facts
from helio_dagster.launch.running.reading import read_table, readable
from helio_dagster.resources.workbench import Workbench
from helio_dagster.storage.table_stores import open_tables

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr


def read(
    asset_or_step: str,
    start: When,
    stop: When | None = None,
    *,
    pipeline: AnyPipeline | None = None,
    home: str | Path | None = None,
) -> pd.DataFrame | xr.Dataset:
    """The stored records of an asset over `[start, stop)`.

    Parameters
    ----------
    asset_or_step
        `<archive>/<dataset>/<parameter>`, `<pipeline>/<step>`, or a step of `pipeline`.
    start, stop
        As in `run`.
    pipeline
        The pipeline that has the step.
    home
        Folder of the home; by default from the environment.

    Returns
    -------
    pandas.DataFrame or xarray.Dataset
        UTC index `time`; NaN for missing values; `unit`, `units`, `frame`, `label` in `.attrs`. What has several axes beside
        time, as a distribution over angles and energies, is a Dataset: the values over `time` and all axes, and the axes as
        coordinates.

    Raises
    ------
    InputError
        There is no such asset, a partition of the range was never materialized, or xarray is needed and not installed.

    Examples
    --------
    >>> b = read("b_mag", "2003-10-29", pipeline="ace_bfield")
    >>> b.attrs["unit"]
    'nT'
    """
    settings = settings_of(home)
    store = open_tables(settings)
    _, node = find_step(Home(settings), asset_or_step, pipeline, store)
    return readable(read_table(store, node, span_of(start, stop, datetime.now(UTC))))


def export(
    asset_or_step: str,
    start: When | None = None,
    stop: When | None = None,
    *,
    output: str | Path | None = None,
    file_format: str | None = None,
    pipeline: AnyPipeline | None = None,
    home: str | Path | None = None,
    comments: bool = True,
) -> Exported:
    """Write the stored records of an asset over `[start, stop)` to a file, which appears whole or not at all.

    Parameters
    ----------
    asset_or_step, pipeline, home
        As in `read`.
    start, stop
        As in `run`; a table needs none.
    output
        A file ending in `.cdf`, `.nc`, `.csv` or `.parquet`, or a folder; by default a name made of asset and range in the
        working directory.
    file_format
        `cdf`, `netcdf`, `csv` or `parquet`; by default after the suffix of `output`.
    comments
        Whether CSV begins with lines that say what it holds.

    Returns
    -------
    Exported
        The path, the format, the number of rows and the metadata.

    Raises
    ------
    InputError
        There is no such asset, a partition was never materialized, or there is no such format.

    Examples
    --------
    >>> export("b_mag", "2003-10-29", pipeline="ace_bfield", output="b.cdf").rows
    5400
    """
    with Workbench(settings_of(home)) as workbench:
        opened = Home(workbench.settings)
        graph, node = find_step(opened, asset_or_step, pipeline, workbench.store)
        span = span_of(start, stop, workbench.clock()) if start is not None else None
        target = find_target(node.name, span, Path(output) if output is not None else None, file_format)
        return launch_export(graph, node, span, target, workbench, has_comments=comments)


def cite(
    pipeline: AnyPipeline,
    start: When | None = None,
    stop: When | None = None,
    *,
    home: str | Path | None = None,
) -> Citation:
    """Whom to cite for a pipeline's results; with a range, for the archive files that were used in it.

    Parameters and errors are those of `run`.

    Examples
    --------
    >>> [dataset.dataset for dataset in cite("ace_bfield", "2003-10-29").datasets]
    ['AC_H0_MFI']
    """
    with Workbench(settings_of(home)) as workbench:
        opened, now = Home(workbench.settings).open(pipeline), workbench.clock()
        span = None if start is None else opened.span(span_of(start, stop, now), now)
        return launch_cite(opened.graph, opened.pipeline, span, workbench)


def facts(
    pipeline: AnyPipeline, start: When | None = None, stop: When | None = None, *, home: str | Path | None = None
) -> pd.DataFrame:
    """The numbers that a pipeline's steps have computed, those taken from inside `[start, stop)` where a range is given.

    Parameters and errors are those of `run`; nothing is computed.

    Returns
    -------
    pandas.DataFrame
        A row for each number: `step`, `name`, `value`, `unit`, `uncertainty`, `start`, `stop`, `of`, `text`.

    Examples
    --------
    >>> facts("storm", "2003-10-29").text.tolist()
    ['34 ± 2 min']
    """
    import pandas as pd

    with Workbench(settings_of(home)) as workbench:
        opened = Home(workbench.settings).open(pipeline)
        asked = span_of(start, stop, workbench.clock()) if start is not None else None
        found = stored_facts(opened.graph, opened.pipeline, asked, workbench.store)
    return pd.DataFrame([each.model_dump() for each in found.facts], columns=list(FactReport.model_fields))
