"""`helio doctor`: show what this machine supports, how it confines code, and whether the services of its home answer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from helio_dagster.cli.options import AsJson, settings_from_environment
from helio_dagster.cli.terminal import write_json

if TYPE_CHECKING:
    from helio_dagster.cli.console import Console
    from helio_dagster.launch.upkeep.services import Service
    from helio_dagster.sandbox import Diagnosis
    from helio_dagster.storage.settings import Settings

_MODES = {
    "kernel": "confined by the kernel",
    "bubblewrap": "confined by bubblewrap",
    "weak": "NOT confined: code steps are refused unless HELIO_ALLOW_WEAK_SANDBOX=1",
}


def doctor(as_json: AsJson = False) -> int:
    """Check this machine: how code steps are confined, whether agents and the services of the home work, and versions.

    It tries to break out of the confinement, starts `helio mcp` the way each agent's settings do, writes, reads and deletes
    one small object where the tables are in an object store, and asks the record in PostgreSQL, the daemon, the broker and its
    workers where there are any.
    """
    from helio_dagster.cli.console import Console
    from helio_dagster.hosting.about import diagnosed, doctor_document
    from helio_dagster.launch.upkeep.services import try_services

    settings = settings_from_environment()
    diagnosis, problem = diagnosed()
    agents, tables = _agents(), _tables(settings)
    services = [*try_services(settings, datetime.now(UTC))]
    if as_json:
        shared = {"mcp": agents, "tables": tables, "services": [asdict(each) for each in services]}
        write_json(doctor_document(diagnosis, problem, settings) | shared)
    else:
        _print(diagnosis, problem, settings, [*_agent_lines(agents), *_home_lines(settings, tables, services)], Console())
    works = diagnosis is not None and not tables["problem"] and not any(each.problem for each in services)
    return 0 if works else 1


def _tables(settings: Settings) -> dict[str, Any]:
    """Where the tables are, what was tried there and worked, and what did not."""
    found: dict[str, Any] = {"place": settings.tables or str(settings.data), "works": [], "problem": "", "hint": ""}
    if settings.tables is None:
        return found
    from helio_dagster.storage.store_trial import try_store

    for attempt in try_store(settings.tables):
        if attempt.problem:
            return found | {"problem": f"{attempt.does}: {attempt.problem}", "hint": attempt.hint}
        found["works"].append(attempt.does)
    return found


def _home_lines(settings: Settings, tables: Mapping[str, Any], services: Sequence[Service]) -> Iterator[str]:
    yield f"Home: {settings.home}{'' if settings.home.is_dir() else ' (does not exist yet)'}"
    for each in services:
        yield f"{each.name}: {each.place}"
        yield f"  DOES NOT WORK: {each.problem}" if each.problem else f"  works: {each.says}"
        if each.hint:
            yield f"    {each.hint}"
    yield from _table_lines(tables)


def _table_lines(tables: Mapping[str, Any]) -> Iterator[str]:
    yield f"Tables: {tables['place']}"
    if tables["works"]:
        yield f"  works: {', '.join(tables['works'])}"
    if tables["problem"]:
        yield f"  DOES NOT WORK: {tables['problem']}"
    if tables["hint"]:
        yield f"    {tables['hint']}"


def _agents() -> dict[str, object]:
    """Whether `helio mcp` works: by itself, and as each client in which it is entered starts it."""
    from importlib.util import find_spec

    if find_spec("mcp") is None:
        return {"problem": "the package mcp is not installed: pip install 'helio-dagster[mcp]'", "clients": {}}
    from helio_dagster.cli.mcp import entry
    from helio_dagster.mcp.clients import installed
    from helio_dagster.mcp.entry_check import find_health

    own, entries = entry(None), installed(Path.cwd(), Path.home())
    healths = {each: find_health(each) for each in {own, *entries.values()}}
    clients = {name: {"tools": healths[each].tools, "problem": healths[each].problem} for name, each in entries.items()}
    return {"tools": healths[own].tools, "problem": healths[own].problem, "clients": clients}


def _agent_lines(agents: Mapping[str, Any]) -> Iterator[str]:
    works = f"works ({agents.get('tools')} tools)"
    yield f"Agents (helio mcp): {agents['problem'] or works}"
    for name, each in agents["clients"].items():
        result = f"DOES NOT WORK: {each['problem']}" if each["problem"] else f"works ({each['tools']} tools)"
        yield f"  {name}: {result}"
    if not agents["clients"] and not agents["problem"]:
        yield "  entered in no client: helio mcp install CLIENT"


def _print(diagnosis: Diagnosis | None, problem: str, settings: Settings, more: Iterable[str], console: Console) -> None:
    from helio_dagster.hosting.about import versions

    if diagnosis is None:
        lines = ["Code steps: cannot run here", f"  {problem}"]
    else:
        lines = [f"Code steps: {_MODES[diagnosis.mode]} ({diagnosis.platform})"]
        for layer in diagnosis.layers:
            reason = "" if layer.active else f" ({layer.why_not})"
            lines.append(f"  {'on ' if layer.active else 'off'}  {layer.name}: {layer.does}{reason}")
        lines.append("  Tried just now:")
        lines += [f"    {'stopped' if probe.stopped else 'NOT STOPPED'}: {probe.attempt}" for probe in diagnosis.probes]
        lines.append("  Not protected:")
        lines += [f"    {each}" for each in diagnosis.unprotected]
        if diagnosis.why_not_stronger:
            lines.append(f"  Why not stronger: {diagnosis.why_not_stronger}")
    lines += more
    lines.append(f"Pipelines: {settings.pipelines}")
    lines.append("Versions: " + ", ".join(f"{name} {version}" for name, version in versions().items()))
    for line in lines:
        console.print(line, soft_wrap=True)
