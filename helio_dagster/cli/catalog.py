"""`helio catalog`: what archives hold, found by a scientist's words, without asking them."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Any

import typer

from helio_dagster.cli.words import AsJson, settings_from_environment

if TYPE_CHECKING:
    from helio_dagster.catalog.database import CatalogDatabase
    from helio_dagster.catalog.facts import DatasetFacts, Derived, ParameterFacts
    from helio_dagster.catalog.gathering import RefreshProgress
    from helio_dagster.catalog.searching import Facets, Found

_SHOWN_PARAMETERS = 40


def search(
    words: Annotated[list[str], typer.Argument(metavar="QUERY", help="Words: mission, quantity, instrument, cadence, frame.")],
    mission: Annotated[str | None, typer.Option(help="Only of this mission.")] = None,
    quantity: Annotated[str | None, typer.Option(help="Only with this quantity, such as 'magnetic field'.")] = None,
    frame: Annotated[str | None, typer.Option(help="Only with a parameter in this frame, such as GSM.")] = None,
    cadence: Annotated[str | None, typer.Option(help="Only as dense as this, such as PT1M.")] = None,
    during: Annotated[str | None, typer.Option(help="Only with data in this range, such as 2003-10.")] = None,
    everything: Annotated[bool, typer.Option("--all", help="Ephemeris, housekeeping and calibration too.")] = False,
    count: Annotated[int, typer.Option("-n", min=1, max=200, help="How many.")] = 10,
    as_json: AsJson = False,
) -> int:
    """Find datasets by words."""
    from helio_dagster.catalog.opening import open_catalog
    from helio_dagster.catalog.searching import CatalogSearch

    query = " ".join(words)
    facets = _facets(mission, quantity, frame, cadence, during, everything)
    found = CatalogSearch(open_catalog(settings_from_environment())).search(query, facets=facets, count=count)
    if as_json:
        sys.stdout.write(json.dumps({"datasets": [_hit_as_json(hit) for hit in found.hits], "instead": found.instead}) + "\n")
    else:
        _print_hits(found, query)
    return 0


def show(
    dataset: Annotated[str, typer.Argument(metavar="DATASET", help="Its id, such as AC_H0_MFI.")],
    parameter: Annotated[str | None, typer.Argument(metavar="[PARAMETER]", help="Just this one.")] = None,
    everything: Annotated[bool, typer.Option("--all", help="All parameters, however many.")] = False,
    as_json: AsJson = False,
) -> int:
    """Show what is known of a dataset, and where each derived fact comes from."""
    from helio_dagster.catalog.opening import open_catalog

    database = open_catalog(settings_from_environment())
    facts = database.dataset(dataset) or _unknown(dataset, database)
    parameters = [_parameter_of(facts, parameter)] if parameter else list(facts.parameters)
    if as_json:
        told = _facts_as_json(facts) | {"parameters": [_parameter_as_json(each) for each in parameters]}
        sys.stdout.write(json.dumps(told) + "\n")
        return 0
    sys.stdout.write("\n".join(_facts_lines(facts, database)) + "\n\n")
    _print_parameters(parameters if everything else parameters[:_SHOWN_PARAMETERS])
    if len(parameters) > _SHOWN_PARAMETERS and not everything:
        sys.stdout.write(f"and {len(parameters) - _SHOWN_PARAMETERS} more: --all shows them\n")
    return 0


def missions(
    word: Annotated[str | None, typer.Argument(metavar="[NAME]", help="Only those that are called so.")] = None,
    as_json: AsJson = False,
) -> int:
    """List the missions: names, what they measured, how many datasets."""
    from helio_dagster.catalog.missions import missions as known
    from helio_dagster.catalog.opening import open_catalog
    from helio_dagster.domain.did_you_mean import remedy
    from helio_dagster.domain.errors import InputError

    counts = open_catalog(settings_from_environment()).mission_counts()
    chosen = [
        each
        for each in known()
        if each.name in counts and (word is None or any(word.casefold() in name for name in each.names))
    ]
    if not chosen:
        hint = remedy(str(word), [each.name for each in known()], what="missions")
        raise InputError(f"there is no mission {word!r:.60}", hint=hint)
    if as_json:
        rows = [
            {"mission": each.name, "synonyms": each.synonyms, "measured": each.measured, "datasets": counts[each.name]}
            for each in chosen
        ]
        sys.stdout.write(json.dumps({"missions": rows}) + "\n")
        return 0
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    for title, style in (("mission", "bold"), ("datasets", ""), ("what it measured", ""), ("also called", "dim")):
        table.add_column(title, style=style, justify="right" if title == "datasets" else "left", overflow="fold")
    for each in chosen:
        fetchable, listed = counts[each.name].get("cdaweb", 0), counts[each.name].get("pds", 0)
        number = f"{fetchable}" + (f" + {listed} at PDS" if listed else "")
        table.add_row(each.name, number, each.measured, ", ".join(each.synonyms[:4]))
    _console().print(table)
    return 0


def list_server(
    archive: Annotated[str, typer.Argument(metavar="ARCHIVE", help="A HAPI server: hapi:NAME, hapi:HOST or hapi:URL.")],
    words: Annotated[list[str] | None, typer.Argument(metavar="[WORDS]", help="Only ids and titles that hold them.")] = None,
    as_json: AsJson = False,
) -> int:
    """Ask a HAPI server which datasets it has."""
    from helio_dagster.archives.hapi.client import HapiClient
    from helio_dagster.archives.hapi.servers import server_url
    from helio_dagster.domain.errors import InputError
    from helio_dagster.domain.pipeline import HAPI_PREFIX

    if not archive.startswith(HAPI_PREFIX):
        hint = "`helio catalog search` knows CDAWeb's and PDS's; a HAPI server is hapi:NAME, hapi:HOST or hapi:URL."
        raise InputError(f"{archive!r:.80} is no HAPI server", hint=hint)
    client = HapiClient(server_url(archive), archive=archive)
    try:
        items = client.catalog()
    finally:
        client.close()
    wanted = [word.casefold() for word in words or []]
    found = [item for item in items if all(word in f"{item.id} {item.title}".casefold() for word in wanted)]
    if as_json:
        sys.stdout.write(json.dumps({"archive": archive, "datasets": [item.model_dump() for item in found]}) + "\n")
        return 0
    from rich.table import Table

    table = Table("dataset", "title", box=None, pad_edge=False, header_style="bold")
    for item in found:
        table.add_row(item.id, item.title)
    _console().print(table)
    sys.stdout.write(f"{len(found):,} of {len(items):,} datasets\n")
    return 0


def refresh(
    dataset: Annotated[list[str] | None, typer.Option("--dataset", help="Only this one; may be given several times.")] = None,
    as_json: AsJson = False,
) -> int:
    """Ask the archive what it holds now. What was fetched is kept when this is cut off: the same command goes on."""
    from helio_dagster.catalog.refreshing import refresh_home

    report = refresh_home(settings_from_environment(), datasets=dataset or None, now=datetime.now(UTC), told=_tell)
    if as_json:
        failures = [{"dataset": each.dataset, "problem": each.problem} for each in report.failures]
        told = {"path": str(report.path), "listed": report.listed, "added": list(report.added), "changed": list(report.changed)}
        sys.stdout.write(json.dumps(told | {"gone": list(report.gone), "failures": failures}) + "\n")
    else:
        sys.stdout.write(
            f"{report.path}: {report.listed:,} datasets listed, {len(report.added)} new, {len(report.changed)} changed, "
            f"{len(report.gone)} not listed any more\n"
        )
        for failure in report.failures[:_SHOWN_PARAMETERS]:
            sys.stdout.write(f"  {failure.dataset}: {failure.problem}\n")
    return 1 if report.failures else 0


def _tell(progress: RefreshProgress) -> None:
    """A line now and then on standard error."""
    if progress.outcome == "failed" or progress.done == progress.total or not progress.done % 100:
        sys.stderr.write(f"{progress.done:,} of {progress.total:,} masters: {progress.dataset} {progress.outcome}\n")


def _facets(
    mission: str | None, quantity: str | None, frame: str | None, cadence: str | None, during: str | None, everything: bool
) -> Facets:
    from helio_dagster.catalog.deriving import quantities
    from helio_dagster.catalog.missions import find_mission
    from helio_dagster.catalog.searching import Facets
    from helio_dagster.domain.did_you_mean import remedy
    from helio_dagster.domain.errors import InputError
    from helio_dagster.domain.time_range import parse_duration
    from helio_dagster.domain.time_words import parse_span

    if quantity is not None and quantity.casefold() not in quantities():
        hint = remedy(quantity, quantities(), what="quantities")
        raise InputError(f"there is no quantity {quantity!r:.60}", hint=hint)
    return Facets(
        mission=find_mission(mission).name if mission else None,
        quantity=quantity.casefold() if quantity else None,
        frame=frame,
        longest_cadence=parse_duration(cadence) if cadence else None,
        span=parse_span(during, None, datetime.now(UTC)) if during else None,
        everything=everything,
    )


def _unknown(dataset: str, database: CatalogDatabase) -> DatasetFacts:
    from helio_dagster.domain.did_you_mean import suggestion
    from helio_dagster.domain.errors import UnknownDataset

    hint = suggestion(dataset, database.names()) or "`helio catalog search` finds datasets by words."
    raise UnknownDataset(f"the catalog has no dataset {dataset!r:.80}", hint=hint)


def _parameter_of(facts: DatasetFacts, name: str) -> ParameterFacts:
    from helio_dagster.domain.did_you_mean import suggestion
    from helio_dagster.domain.errors import UnknownDataset

    found = facts.parameter(name)
    if found is None:
        hint = suggestion(name, [each.name for each in facts.parameters]) or f"`helio catalog show {facts.dataset}` lists them."
        raise UnknownDataset(f"{facts.dataset} has no parameter {name!r:.80}", hint=hint)
    return found


def _hit_as_json(hit: Any) -> dict[str, Any]:
    told = _facts_as_json(hit.dataset)
    kept = ("dataset", "archive", "label", "mission", "start", "stop", "cadence_s", "grain", "fetchable")
    parameters = [_parameter_as_json(each) for each in hit.parameters]
    return {name: told[name] for name in kept} | {"score": hit.score, "covers": hit.covers, "parameters": parameters}


def _facts_as_json(facts: DatasetFacts) -> dict[str, Any]:
    from dataclasses import asdict

    plain = (
        "dataset",
        "archive",
        "label",
        "mission",
        "instrument",
        "instrument_type",
        "category",
        "pi",
        "doi",
        "acknowledgement",
    )
    return {
        **{name: getattr(facts, name) for name in plain},
        "notes": facts.notes,
        "start": _text(facts.start),
        "stop": _text(facts.stop),
        "cadence_s": facts.cadence.total_seconds() if facts.cadence else None,
        "cadence_from": asdict(facts.cadence_from) if facts.cadence_from else None,
        "granularity": asdict(facts.granularity),
        "grain": asdict(facts.grain),
        "fetchable": facts.is_fetchable,
    }


def _parameter_as_json(each: ParameterFacts) -> dict[str, Any]:
    from dataclasses import asdict

    return asdict(each)


def _print_hits(found: Found, query: str) -> None:
    from rich.table import Table

    for word, other in found.instead.items():
        sys.stderr.write(f"nothing is called {word!r}: looked for {other!r}\n")
    if not found.hits:
        sys.stdout.write(f"nothing found for {query[:80]!r}: try other words, or --all\n")
        return
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("dataset", style="bold", overflow="fold")
    table.add_column("mission")
    table.add_column("what", overflow="fold", ratio=1)
    table.add_column("cadence", justify="right")
    table.add_column("data")
    for hit in found.hits:
        facts = hit.dataset
        names = ", ".join(each.name for each in hit.parameters)
        note = "" if facts.is_fetchable else " [not fetchable yet]"
        what = f"{facts.label}{note}" + (f"\n{names}" if names else "")
        table.add_row(facts.dataset, facts.mission, what, _cadence(facts), _years(facts))
    _console().print(table)


def _print_parameters(parameters: list[ParameterFacts]) -> None:
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("parameter", style="bold", overflow="fold")
    for title in ("unit", "size", "quantity", "frame"):
        table.add_column(title)
    table.add_column("description", overflow="fold", ratio=1)
    for each in parameters:
        size = " x ".join(map(str, each.size))
        table.add_row(each.name, each.unit, size, _sure(each.quantity), _sure(each.frame), each.description)
    _console().print(table)


def _facts_lines(facts: DatasetFacts, database: CatalogDatabase) -> Iterator[str]:
    yield f"{facts.dataset}: {facts.label}"
    going = ", goes on" if facts.is_current else ""
    cadence = f"{_cadence(facts)} (from its {facts.cadence_from.source})" if facts.cadence_from else "not told"
    for title, text in (
        ("archive", facts.archive if facts.is_fetchable else f"{facts.archive}: listed, cannot be fetched yet"),
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


def _console() -> Any:
    from rich.console import Console

    return Console(highlight=False, markup=False)
