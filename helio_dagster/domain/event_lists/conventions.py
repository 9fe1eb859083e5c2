"""Which columns of a list with named columns are its time, stop and id, and what unit they have, by the form's convention."""

from __future__ import annotations

from collections.abc import Sequence

from helio_dagster.domain.event_lists.listed import ListColumn, ListedRows

TIME_NAMES = ("time", "onset", "start", "epoch", "date", "datetime", "time_utc", "start_time")
"""Headers that name the time of a row; without one, the first column is the time."""
STOP_NAMES = ("stop", "stop_time")
"""Headers that name when an event is over."""
ID_NAMES = ("id", "name", "event", "event_id")
"""Headers that name what an event is called."""

_ICMECAT_ID, _ICME_START, _OBSTACLE_START, _OBSTACLE_STOP = "icmecat_id", "icme_start_time", "mo_start_time", "mo_end_time"
_ICMECAT_UNITS = {
    "_heliodistance": "AU",
    "_long_heeq": "deg",
    "_lat_heeq": "deg",
    "_duration": "h",
    **dict.fromkeys(("_bmax", "_bmean", "_bstd", "_bzmean", "_bzmin", "_bzstd", "_bymean", "_bystd"), "nT"),
    **dict.fromkeys(("_speed_mean", "_speed_std", "_expansion_speed"), "km/s"),
    **dict.fromkeys(("_pdyn_mean", "_pdyn_std"), "nPa"),
    **dict.fromkeys(("_density_mean", "_density_std"), "cm^-3"),
    **dict.fromkeys(("_temperature_mean", "_temperature_std"), "K"),
}
"""Ends of names to the unit that the catalogue's header file (`HELIO4CAST_ICMECAT_v21_header.txt`) gives these parameters."""


def known_columns(
    form: str, columns: Sequence[ListColumn], rows: Sequence[tuple[int, Sequence[str]]], *, what: str = "csv line"
) -> ListedRows:
    """Rows under named columns: as HELIO4CAST names them, or by the names of time, stop and id.

    An ICME lasts from `icme_start_time` (its shock, or the begin of its disturbance) to `mo_end_time`, the end of its magnetic
    obstacle, which begins at `mo_start_time` (Möstl et al. 2020, doi:10.3847/1538-4357/abb9a1).
    """
    names = [column.name for column in columns]
    if _ICMECAT_ID in names and _OBSTACLE_STOP in names and (_ICME_START in names or _OBSTACLE_START in names):
        found = tuple(_with_unit(column) for column in columns)
        start = _ICME_START if _ICME_START in names else _OBSTACLE_START
        return ListedRows(f"HELIO4CAST ICMECAT ({form})", found, rows, start, _OBSTACLE_STOP, _ICMECAT_ID, what)
    start = named(names, TIME_NAMES) or names[0]
    return ListedRows(form, tuple(columns), rows, start, named(names, STOP_NAMES), named(names, ID_NAMES), what)


def named(names: Sequence[str], wanted: Sequence[str]) -> str | None:
    """The first name that is one of those wanted, in any case; None without one."""
    return next((name for name in names if name.lower() in wanted), None)


def _with_unit(column: ListColumn) -> ListColumn:
    unit = next((unit for end, unit in _ICMECAT_UNITS.items() if column.name.endswith(end)), "")
    return ListColumn(column.name, column.unit or unit, column.label)
