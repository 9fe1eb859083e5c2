"""Labels of data that are drawn whole, such as positions and points: whose they are and what, else which step gives them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from helio_dagster.domain.figure import Panel, Trace
from helio_dagster.domain.table import Table
from helio_dagster.figures.markup import name_as_label, unit_codes_removed, with_owner


def whole_labels(
    traces: Sequence[Trace], tables: Mapping[str, Table], spacecraft: Mapping[str, str] | None, *, quantity: str = ""
) -> list[str]:
    """A plain label for each trace of a panel.

    A label of the file stays as it is. Data of a known spacecraft are called after it and the quantity, and after their step
    where that leaves several alike. Of the others those of a panel are called as their tables where these differ, else as
    their steps.

    Parameters
    ----------
    spacecraft
        Reference to whose data they are.
    quantity
        What the data of all traces are; empty where only their tables say it.
    """
    owners = [(spacecraft or {}).get(trace.data, "") for trace in traces]
    titles = [unit_codes_removed(tables[trace.data].meta.label) for trace in traces]
    are_told_apart = len(set(titles)) == len(titles) and all(titles)
    found = []
    for trace, owner, title in zip(traces, owners, titles, strict=True):
        unowned = title if are_told_apart else name_as_label(trace.data)
        found.append(trace.label or (with_owner(quantity or title, owner) if owner else unowned))
    count = Counter(found)
    return [
        f"{label} ({name_as_label(trace.data)})" if owner and trace.label is None and count[label] > 1 else label
        for trace, owner, label in zip(traces, owners, found, strict=True)
    ]


def is_named_alone(panel: Panel, spacecraft: Mapping[str, str] | None) -> bool:
    """Whether the only data of a panel have a label: one of the file, or the name of a known spacecraft."""
    first = panel.traces[0]
    return bool(first.label or (spacecraft or {}).get(first.data))
