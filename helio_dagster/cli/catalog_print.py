"""Print datasets and parameters of the catalog as tables and as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from helio_dagster.cli.terminal import write, write_error

if TYPE_CHECKING:
    from helio_dagster.catalog.database import CatalogDatabase
    from helio_dagster.catalog.facts import DatasetFacts, Derived, ParameterFacts
    from helio_dagster.catalog.searching import Found, Hit


def print_hits(found: Found, query: str) -> None:
    """Print found datasets, and which words were replaced."""
    from helio_dagster.cli.entries import Entry, print_entries

    for word, other in found.instead.items():
        write_error(f"nothing matches {word!r}: searched for {other!r}\n")
    if not found.hits:
        write(f"nothing found for {query[:80]!r}: try other words, or --all\n")
        return
    entries = []
    for hit in found.hits:
        facts = hit.dataset
        note = "" if facts.is_fetchable else f" [not offered: {facts.why_not}]"
        texts = (f"{facts.label}{note}", ", ".join(each.name for each in hit.parameters))
        entries.append(Entry((facts.dataset, facts.mission, _cadence(facts), _years(facts)), texts))
    print_entries(("dataset", "mission", "cadence", "data"), entries)


def print_server_hits(hits: Sequence[Hit], dates: Mapping[str, str]) -> None:
    """Print datasets found in snapshots of HAPI servers, and when these were made (`dates`, by archive)."""
    from helio_dagster.cli.entries import Entry, print_entries

    shown = {hit.dataset.archive: dates.get(hit.dataset.archive, "") for hit in hits}
    write("On HAPI servers, as listed: " + ", ".join(f"{name} {date}" for name, date in shown.items()) + "\n")
    entries = []
    for hit in hits:
        facts = hit.dataset
        name = f"{facts.archive}/{facts.dataset}"
        texts = (facts.label, ", ".join(each.name for each in hit.parameters))
        entries.append(Entry((name, _cadence(facts), _years(facts)), texts))
    print_entries(("dataset", "cadence", "data"), entries)


def print_parameters(parameters: list[ParameterFacts]) -> None:
    """Print parameters with their units, quantities and frames."""
    from helio_dagster.cli.entries import Entry, print_entries

    entries = []
    for each in parameters:
        size = " x ".join(map(str, each.size))
        entries.append(Entry((each.name, each.unit, size, _sure(each.quantity), _sure(each.frame)), (each.description,)))
    print_entries(("parameter", "unit", "size", "quantity", "frame"), entries)


def facts_lines(facts: DatasetFacts, database: CatalogDatabase) -> Iterator[str]:
    """The facts of a dataset, one per line."""
    yield f"{facts.dataset}: {facts.label}"
    going = ", ongoing" if facts.is_current else ""
    cadence = f"{_cadence(facts)} (from its {facts.cadence_from.source})" if facts.cadence_from else "not stated"
    for title, text in (
        ("archive", facts.archive),
        ("not offered", _why_not(facts)),
        ("mission", facts.mission),
        ("instrument", ", ".join(part for part in (facts.instrument, facts.instrument_type) if part)),
        ("data", f"{_text(facts.start) or 'unknown'} to {_text(facts.stop) or 'unknown'}{going}"),
        ("cadence", cadence),
        ("files", f"{facts.granularity.value} ({_reason(facts.granularity)})"),
        ("partitions", f"{facts.grain.value} suggested"),
        ("category", "" if facts.category == "science" else facts.category),
        ("investigator", facts.pi),
        ("DOI", f"https://doi.org/{facts.doi}" if facts.doi else ""),
        ("acknowledge", facts.acknowledgement),
        ("notes", facts.notes),
        ("as of", database.meta.get("snapshot", "")),
    ):
        if text:
            yield f"  {title:13}{text}"


def _why_not(facts: DatasetFacts) -> str:
    """Why plans leave the dataset out, and what can be done about that; empty where they do not."""
    if facts.archive != "pds" or not facts.why_not:
        return facts.why_not
    return f"{facts.why_not}. A pipeline can name a field of its tables: `fetch: {{archive: pds, dataset: …, parameter: …}}`"


def _reason(derived: Derived) -> str:
    return "a guess" if derived.source == "usual" else f"{derived.certainty}, by its {derived.source}"


def _sure(derived: Any) -> str:
    if derived is None:
        return ""
    return f"{derived.value}?" if derived.certainty == "guess" else str(derived.value)


def _cadence(facts: DatasetFacts) -> str:
    if facts.cadence is None:
        return ""
    seconds = facts.cadence.total_seconds()
    for size, unit in ((86400, "d"), (3600, "h"), (60, "min")):
        if seconds >= size and seconds % size == 0:
            return f"{seconds / size:g} {unit}"
    return f"{seconds:.3g} s" if seconds >= 1 else f"{seconds * 1000:.3g} ms"


def _years(facts: DatasetFacts) -> str:
    start = f"{facts.start:%Y-%m}" if facts.start else "?"
    return f"{start} to {'now' if facts.is_current else f'{facts.stop:%Y-%m}' if facts.stop else '?'}"


def _text(moment: datetime | None) -> str | None:
    from helio_dagster.domain.time_range import format_time

    return format_time(moment.replace(microsecond=0)) if moment else None
