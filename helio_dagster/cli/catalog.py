"""`helio catalog`: search what archives offer by scientific terms, without asking them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated

import typer

from helio_dagster.cli.catalog_print import facts_lines, print_hits, print_parameters, print_server_hits
from helio_dagster.cli.options import AsJson, settings_from_environment
from helio_dagster.cli.terminal import write, write_error, write_json
from helio_dagster.domain.errors import InputError

if TYPE_CHECKING:
    from helio_dagster.catalog.facts import DatasetFacts, ParameterFacts
    from helio_dagster.catalog.gathering import RefreshProgress
    from helio_dagster.storage.settings import Settings

_SHOWN_PARAMETERS = 40


def search(
    words: Annotated[
        list[str] | None, typer.Argument(metavar="[QUERY]", help="Words: mission, quantity, instrument, cadence, frame.")
    ] = None,
    mission: Annotated[str | None, typer.Option(help="Only this mission.")] = None,
    quantity: Annotated[str | None, typer.Option(help="Only with this quantity, such as 'magnetic field'.")] = None,
    frame: Annotated[str | None, typer.Option(help="Only with a parameter in this frame, such as GSM.")] = None,
    cadence: Annotated[str | None, typer.Option(help="Only with this cadence or finer, such as PT1M.")] = None,
    during: Annotated[str | None, typer.Option(help="Only with data in this range, such as 2003-10.")] = None,
    everything: Annotated[bool, typer.Option("--all", help="Include ephemeris, housekeeping and calibration.")] = False,
    count: Annotated[int, typer.Option("-n", min=1, max=200, help="Maximum number of results.")] = 10,
    as_json: AsJson = False,
) -> int:
    """Find datasets by words."""
    from helio_dagster.catalog.choice.finding import DatasetFinder
    from helio_dagster.catalog.documents import hit_as_json, read_facets
    from helio_dagster.catalog.hapi.snapshots import MOST_HITS, HapiSnapshots, holds_all
    from helio_dagster.catalog.known import KnownCatalog
    from helio_dagster.catalog.opening import open_catalog
    from helio_dagster.catalog.searching import CatalogSearch

    query = " ".join(words or [mission or ""]).strip()
    if not query:
        raise InputError("no search words given", hint="Give words, or --mission: helio catalog search ACE magnetic field")
    facets = read_facets(
        datetime.now(UTC),
        mission=mission,
        quantity=quantity,
        frame=frame,
        cadence=cadence,
        during=during,
        everything=everything,
    )
    settings = settings_from_environment()
    database = open_catalog(settings)
    finder = DatasetFinder(KnownCatalog(lambda: database), CatalogSearch(database))
    found = finder.search(query, facets=facets, count=count)
    snapshots = HapiSnapshots(settings.catalog / "hapi")
    on_servers = snapshots.search(query, facets=facets, count=min(count, MOST_HITS))
    if as_json:
        documents = [hit_as_json(hit) for hit in on_servers]
        write_json({"datasets": [hit_as_json(hit) for hit in found.hits], "instead": found.instead, "hapi": documents})
        return 0
    dates = {archive: database.meta.get("snapshot", "") for archive, database in snapshots.databases.items()}
    is_theirs = bool(on_servers) and not (found.hits and holds_all(found.hits[0], query))
    if is_theirs:
        print_server_hits(on_servers, dates)
        write("\nIn the catalog:\n" if found.hits else "")
    if found.hits or not on_servers:
        print_hits(found, query)
    if on_servers and not is_theirs:
        write("\n")
        print_server_hits(on_servers, dates)
    return 0


def show(
    dataset: Annotated[
        str, typer.Argument(metavar="DATASET", help="Its id, such as AC_H0_MFI or hapi:vires/SW_OPER_MAGA_LR_1B.")
    ],
    parameter: Annotated[str | None, typer.Argument(metavar="[PARAMETER]", help="Only this parameter.")] = None,
    everything: Annotated[bool, typer.Option("--all", help="All parameters, however many.")] = False,
    as_json: AsJson = False,
) -> int:
    """Show what is known about a dataset, and where each derived fact comes from."""
    from helio_dagster.catalog.documents import facts_as_json, find_dataset, parameter_as_json
    from helio_dagster.catalog.hapi.snapshots import HapiSnapshots
    from helio_dagster.catalog.opening import open_catalog
    from helio_dagster.domain.hapi_servers import HAPI_PREFIX

    settings = settings_from_environment()
    database, name = open_catalog(settings), dataset
    if dataset.startswith(HAPI_PREFIX):
        database, name = HapiSnapshots(settings.catalog / "hapi").place_of(dataset)
    facts = find_dataset(name, database)
    parameters = [_parameter_of(facts, parameter)] if parameter else list(facts.parameters)
    if as_json:
        document = facts_as_json(facts) | {"parameters": [parameter_as_json(each) for each in parameters]}
        write_json(document)
        return 0
    write("\n".join(facts_lines(facts, database)) + "\n\n")
    print_parameters(parameters if everything else parameters[:_SHOWN_PARAMETERS])
    if len(parameters) > _SHOWN_PARAMETERS and not everything:
        write(f"and {len(parameters) - _SHOWN_PARAMETERS} more; --all shows them\n")
    return 0


def missions(
    word: Annotated[str | None, typer.Argument(metavar="[NAME]", help="Only missions with this name.")] = None,
    as_json: AsJson = False,
) -> int:
    """List the missions: names, what they measured, how many datasets."""
    from helio_dagster.catalog.missions import missions as known
    from helio_dagster.catalog.opening import open_catalog
    from helio_dagster.domain.did_you_mean import remedy

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
        write_json({"missions": rows})
        return 0
    from helio_dagster.cli.entries import Entry, print_entries

    entries = []
    for each in chosen:
        fetchable, listed = counts[each.name].get("cdaweb", 0), counts[each.name].get("pds", 0)
        number = f"{fetchable}" + (f" + {listed} at PDS" if listed else "")
        also = f"also called {', '.join(each.synonyms[:4])}" if each.synonyms else ""
        entries.append(Entry((each.name, number), (each.measured, also)))
    print_entries(("mission", "datasets"), entries)
    return 0


def list_server(
    archive: Annotated[str, typer.Argument(metavar="ARCHIVE", help="A HAPI server: hapi:NAME, hapi:HOST or hapi:URL.")],
    words: Annotated[list[str] | None, typer.Argument(metavar="[WORDS]", help="Only ids and titles with these words.")] = None,
    as_json: AsJson = False,
) -> int:
    """Ask a HAPI server which datasets it has; if it cannot be reached, what is known of it is listed."""
    from helio_dagster.archives.hapi.client import HapiClient
    from helio_dagster.archives.hapi.messages import CatalogItem
    from helio_dagster.catalog.hapi.snapshots import HapiSnapshots
    from helio_dagster.domain.errors import ArchiveUnavailable
    from helio_dagster.domain.hapi_servers import HAPI_PREFIX, server_url

    if not archive.startswith(HAPI_PREFIX):
        hint = "`helio catalog search` covers CDAWeb and PDS; name a HAPI server as hapi:NAME, hapi:HOST or hapi:URL."
        raise InputError(f"{archive!r:.80} is not a HAPI server", hint=hint)
    client = HapiClient(server_url(archive), archive=archive)
    try:
        items = client.catalog()
    except ArchiveUnavailable as error:
        settings = settings_from_environment()
        database = HapiSnapshots(settings.catalog / "hapi").databases.get(archive)
        if database is None:
            raise
        listed = [facts for name in database.names() if (facts := database.dataset(name)) is not None]
        items = [CatalogItem(id=each.dataset, title=each.label) for each in listed]
        write_error(f"{error.problem}: these are the datasets that were listed on {database.meta['snapshot']}\n")
    finally:
        client.close()
    wanted = [word.casefold() for word in words or []]
    found = [item for item in items if all(word in f"{item.id} {item.title}".casefold() for word in wanted)]
    if as_json:
        write_json({"archive": archive, "datasets": [item.model_dump() for item in found]})
        return 0
    from helio_dagster.cli.entries import Entry, print_entries

    print_entries(("dataset",), [Entry((item.id,), (item.title or "",)) for item in found])
    write(f"{len(found):,} of {len(items):,} datasets\n")
    return 0


def refresh(
    dataset: Annotated[list[str] | None, typer.Option("--dataset", help="Only this dataset. May be repeated.")] = None,
    everything: Annotated[
        bool, typer.Option("--all", help="Read the master CDF of every dataset, changed or not; takes hours.")
    ] = False,
    hapi: Annotated[
        list[str] | None,
        typer.Option("--hapi", metavar="SERVER", help="Instead list this HAPI server: hapi:NAME or NAME. May be repeated."),
    ] = None,
    as_json: AsJson = False,
) -> int:
    """Update the catalog from the archive. If interrupted, the same command continues where it stopped."""
    from helio_dagster.catalog.refreshing import refresh_home

    settings, now = settings_from_environment(), datetime.now(UTC)
    if hapi:
        if dataset or everything:
            raise InputError("--hapi lists a whole server", hint="Leave out --dataset and --all.")
        return _refresh_servers(settings, hapi, now, as_json=as_json)
    report = refresh_home(settings, datasets=dataset or None, all_masters=everything, now=now, on_progress=_print_progress)
    if as_json:
        failures = [{"dataset": each.dataset, "problem": each.problem} for each in report.failures]
        document = {
            "path": str(report.path),
            "listed": report.listed,
            "added": list(report.added),
            "changed": list(report.changed),
        }
        write_json(document | {"gone": list(report.gone), "failures": failures})
    else:
        write(
            f"{report.path}: {report.listed:,} datasets listed, {len(report.added)} new, {len(report.changed)} changed, "
            f"{len(report.gone)} no longer listed\n"
        )
        for failure in report.failures[:_SHOWN_PARAMETERS]:
            write(f"  {failure.dataset}: {failure.problem}\n")
    return 1 if report.failures else 0


def _refresh_servers(settings: Settings, servers: list[str], now: datetime, *, as_json: bool) -> int:
    """List HAPI servers for searches without a network, one after the other."""
    from helio_dagster.archives.hapi.client import HapiClient
    from helio_dagster.archives.transfer.settings import TransferSettings
    from helio_dagster.catalog.hapi.refreshing import refresh_server
    from helio_dagster.domain.hapi_servers import HAPI_PREFIX, server_url

    named = [each if each.startswith(HAPI_PREFIX) else f"{HAPI_PREFIX}{each}" for each in dict.fromkeys(servers)]
    urls = {archive: server_url(archive) for archive in named}
    documents, failed = [], 0
    for archive, url in urls.items():
        client = HapiClient(url, archive=archive, settings=TransferSettings.within(settings.transfers))
        try:
            report = refresh_server(settings.catalog / "hapi", archive, client, now, _print_described)
        finally:
            client.close()
        failures = [{"dataset": each.dataset, "problem": each.problem} for each in report.failures]
        failed += len(failures)
        documents.append({"archive": archive, "path": str(report.path), "datasets": report.datasets, "failures": failures})
        if not as_json:
            write(f"{report.path}: {report.datasets:,} datasets, {report.parameters:,} parameters of {archive}\n")
            for each in failures[:_SHOWN_PARAMETERS]:
                write(f"  {each['dataset']}: {each['problem']}\n")
    if as_json:
        write_json({"servers": documents})
    return 1 if failed else 0


def _print_described(progress: RefreshProgress) -> None:
    """Print a line now and then to standard error."""
    if progress.done == progress.total or not progress.done % 100:
        write_error(f"{progress.done:,} of {progress.total:,} datasets described\n")


def _print_progress(progress: RefreshProgress) -> None:
    """Print a line now and then to standard error."""
    if progress.outcome == "failed" or progress.done == progress.total or not progress.done % 100:
        write_error(f"{progress.done:,} of {progress.total:,} masters: {progress.dataset} {progress.outcome}\n")


def _parameter_of(facts: DatasetFacts, name: str) -> ParameterFacts:
    from helio_dagster.domain.did_you_mean import suggestion
    from helio_dagster.domain.errors import UnknownDataset

    found = facts.parameter(name)
    if found is None:
        hint = suggestion(name, [each.name for each in facts.parameters]) or f"`helio catalog show {facts.dataset}` lists them."
        raise UnknownDataset(f"{facts.dataset} has no parameter {name!r:.80}", hint=hint)
    return found
