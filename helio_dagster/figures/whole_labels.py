"""Labels of data that are drawn whole, such as positions and points: whose they are and what."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from helio_dagster.domain.figure import Panel, Trace
from helio_dagster.domain.table import Table, TableMeta
from helio_dagster.figures.markup import name_as_label, unit_codes_removed, with_owner

_PAIR = 2


def whole_labels(
    traces: Sequence[Trace], tables: Mapping[str, Table], spacecraft: Mapping[str, str] | None, *, quantity: str = ""
) -> list[str]:
    """A plain label for each trace of a panel.

    A label of the file stays as it is. Data of a known spacecraft are called after it and the quantity, others as their table,
    else by their quantity. Where that leaves several alike they say their unit, and where they still are, which step they
    come from.

    Parameters
    ----------
    spacecraft
        Reference to whose data they are.
    quantity
        What the data of all traces are, drawn in one unit; empty where only their tables say it.
    """
    found = []
    for trace in traces:
        owner, meta = (spacecraft or {}).get(trace.data, ""), tables[trace.data].meta
        title = unit_codes_removed(meta.label) or quantity or _columns_words(meta)
        found.append(trace.label or (with_owner(quantity or title, owner) if owner else title))
    units = ["" if quantity else _units_words(tables[trace.data].meta) for trace in traces]
    steps = [name_as_label(trace.data) for trace in traces]
    is_free = [trace.label is None for trace in traces]
    with_units = _distinct(found, [f" [{unit}]" if unit else "" for unit in units], is_free)
    return _distinct(with_units, [f" ({step})" for step in steps], is_free)


def _columns_words(meta: TableMeta) -> str:
    """What a table without a label holds: `T over V`; of other than pairs the names of its columns."""
    words = [unit_codes_removed(column.label) or name_as_label(column.name) for column in meta.columns if column.role == "data"]
    return f"{words[1]} over {words[0]}" if meta.kind == "points" and len(words) >= _PAIR else ", ".join(words)


def _units_words(meta: TableMeta) -> str:
    """Units of the data columns, each once."""
    units = [column.unit or meta.unit for column in meta.columns if column.role == "data"]
    return ", ".join(dict.fromkeys(filter(None, units)))


def _distinct(labels: Sequence[str], additions: Sequence[str], is_free: Sequence[bool]) -> list[str]:
    """The labels, those that are alike with what is added to each, where the additions differ."""
    added: dict[str, set[str]] = {}
    for label, addition in zip(labels, additions, strict=True):
        added.setdefault(label, set()).add(addition)
    count = Counter(labels)
    return [
        f"{label}{addition}".strip() if is_open and count[label] > 1 and len(added[label]) > 1 else label
        for label, addition, is_open in zip(labels, additions, is_free, strict=True)
    ]


def is_named_alone(panel: Panel, spacecraft: Mapping[str, str] | None) -> bool:
    """Whether the only data of a panel have a label: one of the file, or the name of a known spacecraft."""
    first = panel.traces[0]
    return bool(first.label or (spacecraft or {}).get(first.data))
