"""A pipeline as a script that needs no helio_dagster: plain pandas over the archive's files, for a reviewer to read and run."""

from __future__ import annotations

import keyword
import re
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from helio_dagster import __version__
from helio_dagster.assets.graph import AssetNode
from helio_dagster.compute.operation import plain_function
from helio_dagster.compute.plain_form import PlainCall, PlainInput, plain_attributes, plain_call, plain_fault
from helio_dagster.domain.errors import InputError
from helio_dagster.domain.table import Table
from helio_dagster.domain.time_range import TimeRange, format_duration
from helio_dagster.launch.carrying.function_sources import gather
from helio_dagster.launch.carrying.needs import Needs, SourceFile
from helio_dagster.launch.carrying.python_text import LINE, call, dictionary, function, literal, moment, plain_line, variable
from helio_dagster.launch.running.request import OpenPipeline

_FILES, _STEPS, _ARGUMENTS = (
    "helio_dagster.launch.carrying.plain.files",
    "helio_dagster.launch.carrying.plain.steps",
    "helio_dagster.compute.plain.arguments",
)
_OWN = ("START", "STOP", "FILES", "STORED", "RESULTS")
_LIBRARIES = ("scipy", "pywt")


@dataclass(frozen=True)
class _Step:
    """A step of the script: its asset, its variable, its stored table, and how it is called if by an operation."""

    node: AssetNode
    variable: str
    table: Table
    plain: PlainCall | None = None


def standalone(opened: OpenPipeline, needs: Needs, tables: Mapping[str, Table], asked: TimeRange, folder: str) -> str:
    """The text of the script.

    Parameters
    ----------
    opened
        The pipeline; nothing of it lacks a plain form (`check_plain`).
    needs
        What of each asset it needs, and from which files.
    tables
        Asset to its stored records in the range; of a table to all of it.
    asked
        The range.
    folder
        Name of the folder beside the script that holds the archive's files.

    Raises
    ------
    InputError
        A step has no plain form for the tables that it has, or no data; all such steps are named.
    """
    steps = _steps(opened, needs, tables)
    gathered = gather(_functions(steps))
    parts = [
        _heading(opened, steps, asked, folder, needs_erfa="import erfa" in gathered.text),
        gathered.text,
        _constants(steps, asked, folder),
    ]
    parts += ["\n\n".join(_code(steps, needs)), _closing(steps)]
    return "\n\n\n".join(filter(None, parts)) + "\n"


def check_plain(opened: OpenPipeline) -> list[AssetNode]:
    """The assets that a script computes, inputs first.

    Raises
    ------
    InputError
        Some have no plain form; each is named, with the reason.
    """
    own = [node.name for node in opened.graph.of_pipeline(opened.pipeline).values() if node.kind != "figure"]
    nodes = [opened.graph[name] for name in opened.graph.with_ancestors(own)]
    refuse([(node, fault) for node in nodes if (fault := _fault(node))])
    return nodes


def refuse(faults: Sequence[tuple[AssetNode, str]]) -> None:
    """Raise the error for steps without a plain form, if there are any."""
    if faults:
        problems = "; ".join(f"{node.step.id}: {fault}" for node, fault in faults)
        hint = "Without --standalone it runs where helio_dagster is installed. docs/notebooks.md says what has a plain form."
        raise InputError(f"no standalone script can be written: {problems}", hint=hint)


def _fault(node: AssetNode) -> str:
    """Why a step has no plain form, as far as its file tells; empty where it has one."""
    compute = node.step.compute
    if node.events is not None:
        return "its partitions are events"
    if node.fetch is not None:
        archive = node.fetch.archive
        return (
            "" if archive in ("cdaweb", "demo") or archive.startswith("hapi:") else f"the archive {archive} has no plain reader"
        )
    if compute is None:
        return ""
    if compute.results or compute.kind == "map" or (compute.code and "attrs" in compute.code):
        what = "several results" if compute.results else "a map" if compute.kind == "map" else "what it reads in attrs"
        return f"its code has no plain form for {what}"
    if compute.operation is not None and plain_function(compute.operation) is None:
        return f"{compute.operation} has no plain form"
    return ""


def _steps(opened: OpenPipeline, needs: Needs, tables: Mapping[str, Table]) -> list[_Step]:
    ids = {node.name: step for step, node in opened.graph.of_pipeline(opened.pipeline).items()}
    faults: list[tuple[AssetNode, str]] = []
    steps: list[_Step] = []
    for node in needs.nodes:
        table, plain = tables[node.name], None
        if not table.meta.columns:
            faults.append((node, "it has no data in this range"))
            continue
        if fault := plain_fault(table.meta):
            faults.append((node, fault))
        compute = node.step.compute
        if compute is not None and compute.operation is not None:
            metas = {name: tables[asset].meta for name, asset in node.inputs.items()}
            try:
                plain = plain_call(opened.graph.operation(compute.operation), compute.options, metas)
            except InputError as error:
                faults.append((node, error.problem))
        steps.append(_Step(node, ids.get(node.name, node.name), table, plain))
    refuse(faults)
    taken = gather(_functions(steps)).names | set(_OWN) | set(keyword.kwlist) | {"Path", "erfa", *_LIBRARIES}
    return [_Step(step.node, variable(step.variable, taken), step.table, step.plain) for step in steps]


def _functions(steps: Iterable[_Step]) -> list[tuple[str, str]]:
    """What the script is made of, by module and name."""
    found = [(_FILES, "fetch"), (_ARGUMENTS, "named"), (_STEPS, "report")]
    for step in steps:
        fetch, compute = step.node.fetch, step.node.step.compute
        if fetch is not None:
            found.append((_FILES, "read_hapi" if fetch.archive.startswith("hapi:") else "read_cdf"))
        if step.plain is not None:
            plain = plain_function(step.plain.name)
            found += [(plain.__module__, step.plain.name)] if plain else []
            found += [(_ARGUMENTS, "taken")] if any(each != PlainInput() for each in step.plain.inputs.values()) else []
        if compute is not None and (compute.code or (step.plain and step.plain.is_of_window)):
            found += [(_STEPS, "by_window")] + ([(_STEPS, "of_code")] if compute.code else [])
        found += [(_STEPS, "excluded")] if step.node.excluded else []
    return list(dict.fromkeys(found))


def _heading(opened: OpenPipeline, steps: Sequence[_Step], asked: TimeRange, folder: str, *, needs_erfa: bool) -> str:
    pipeline = opened.pipeline
    left_out = [step.id for step in pipeline.steps if step.figure is not None]
    lines = [
        pipeline.title or pipeline.name,
        pipeline.description or "",
        "",
        f"Written by helio_dagster {__version__} from the pipeline {pipeline.name}, for {asked} (UTC). It needs Python 3.11, "
        f"numpy, pandas, scipy{', pyerfa' if needs_erfa else ''} and cdflib, not helio_dagster. It reads the very files that "
        f"were used, which it takes from the folder {folder} beside it or downloads into that, and compares each result with "
        f"what helio_dagster has stored. With the name of a folder as argument it writes the results there as CSV.",
        *([f"Figures are not drawn: {', '.join(left_out)}."] if left_out else []),
        *([""] + [f"Assumed: {each}" for each in pipeline.assumptions] if pipeline.assumptions else []),
        "",
        *(f"{step.variable}: {_about(step)}" for step in steps),
    ]
    wrapped = [part for line in lines for part in (textwrap.wrap(plain_line(line), LINE) or [""])]
    return "\n".join(f"# {line}".rstrip() for line in wrapped) + "\n\nfrom __future__ import annotations"


def _about(step: _Step) -> str:
    unit = f" [{step.table.meta.unit}]" if step.table.meta.unit else ""
    return f"{step.node.step.intent or step.node.step.kind}{unit}"


def _constants(steps: Sequence[_Step], asked: TimeRange, folder: str) -> str:
    lines = [
        f"START, STOP = {moment(asked.start)}, {moment(asked.stop)}",
        f"FILES = Path(__file__).with_name({literal(folder)})",
        f"STORED = {literal({step.variable: _stored(step.table) for step in steps if step.node.given is None})}",
    ]
    codes = " ".join(step.node.step.compute.code or "" for step in steps if step.node.step.compute)
    used = [name for name in _LIBRARIES if re.search(rf"\b{name}\b", codes)]
    return "\n".join([*(f"import {name}" for name in used), *([""] if used else []), *lines])


def _stored(table: Table) -> dict[str, Any]:
    """What of a stored table a result is compared with."""
    means: dict[str, float] = {}
    largest = 0.0
    for name, values in table.columns.items():
        if values.dtype.kind in "fiu":
            known = values[~np.isnan(values.astype(float))].astype(float)
            means[name] = float(np.mean(known)) if len(known) else float("nan")
            largest = max(largest, float(np.max(np.abs(known), initial=0.0)))
    return {"records": len(table), "means": means, "atol": 1e-9 * largest}


def _code(steps: Sequence[_Step], needs: Needs) -> Iterator[str]:
    """The statements of each step, inputs first."""
    variables = {step.node.name: step.variable for step in steps}
    listed: dict[tuple[SourceFile, ...], str] = {}
    for step in steps:
        node, intent = step.node, plain_line(step.node.step.intent or "")
        lines = [f"# {intent}"] if intent else []
        if node.given is not None:
            lines.append(_given(step))
        elif node.fetch is not None:
            files = tuple(needs.files[node.name])
            if files not in listed:
                listed[files] = f"{step.variable}_files"
                lines.append(f"{listed[files]} = {literal([(each.name, each.url, each.sha256) for each in files], 1)}")
            lines.append(_fetched(step, needs, listed[files]))
        elif node.step.fetch is None:
            lines.append(_computed(step, needs, variables))
        if node.excluded:
            lines.append(_excluded(step, needs, variables))
        yield "\n".join(lines)


def _excluded(step: _Step, needs: Needs, variables: Mapping[str, str]) -> str:
    """The step's own result, or a fetch that others share, without excluded samples."""
    node = step.node
    source = next(iter(node.data_inputs.values())) if node.step.fetch is not None else node.name
    lists = f"[{', '.join(variables[asset] for asset in node.excluded)}]"
    return call("excluded", [variables[source], _edges(step, needs), lists], step.variable)


def _edges(step: _Step, needs: Needs) -> str:
    return f"[{', '.join(moment(edge) for edge in needs.edges(step.node))}]"


def _fetched(step: _Step, needs: Needs, files: str) -> str:
    fetch, span = step.node.fetch, needs.spans[step.node.name]
    if fetch is None:
        raise TypeError(f"{step.node.name} is not fetched")
    reader = "read_hapi" if fetch.archive.startswith("hapi:") else "read_cdf"
    bins = ["has_bins=True"] if step.table.meta.kind == "spectrogram" else []
    edges = [moment(span.start), moment(span.stop)]
    arguments = ["FILES", reader, literal(fetch.parameter), files, _columns(step), *edges, *bins, *_attributes(step)]
    return call("fetch", arguments, step.variable)


def _computed(step: _Step, needs: Needs, variables: Mapping[str, str]) -> str:
    node, compute = step.node, step.node.step.compute
    if compute is None:
        raise TypeError(f"{node.name} is not computed")
    if step.plain is None:
        given = {name: variables[asset] for name, asset in node.data_inputs.items()}
        kind = [f'"{compute.kind}"'] if compute.kind else []
        body = call("of_code", [f"{step.variable}_code", literal(node.step.id), *kind])
        halo = {"lookback": node.lookback, "lookahead": node.lookahead}
        options = [f'{name}="{format_duration(length)}"' for name, length in halo.items() if length]
        before = function(f"{step.variable}_code", list(given), compute.code or "") + "\n\n\n"
    else:
        given = {name: _argument(variables[node.inputs[name]], how) for name, how in step.plain.inputs.items()}
        options = [f"{name}={literal(value)}" for name, value in step.plain.options.items()]
        body, before = step.plain.name, ""
        if not step.plain.is_of_window:
            inner = call(body, [*given.values(), *options])
            return call("named", [inner, _columns(step), *_attributes(step)], step.variable)
    inner = call("by_window", [body, _edges(step, needs), dictionary(given), *options])
    return before + call("named", [inner, _columns(step), *_attributes(step)], step.variable)


def _argument(name: str, how: PlainInput) -> str:
    if how == PlainInput():
        return name
    columns = [literal(list(how.columns))] if how.columns else []
    return call("taken", [name, *columns, *([f"factor={how.factor!r}"] if how.factor != 1 else [])])


def _given(step: _Step) -> str:
    """A table of the pipeline's file, as it was read."""

    def written(values: np.ndarray[Any, Any]) -> str:
        if values.dtype.kind == "M":
            return f"pd.to_datetime({literal([None if np.isnat(each) else str(each) for each in values])})"
        return literal(values.tolist())

    inner = dictionary({name: written(values) for name, values in step.table.columns.items()})
    index = call("pd.DatetimeIndex", [literal(step.table.time.astype(str).tolist()), 'tz="UTC"', 'name="time"'])
    frame = call("pd.DataFrame", [inner, f"index={index}"])
    return call("named", [frame, _columns(step), *_attributes(step)], step.variable)


def _columns(step: _Step) -> str:
    return literal([column.name for column in step.table.meta.columns])


def _attributes(step: _Step) -> list[str]:
    return [f"{name}={literal(value)}" for name, value in plain_attributes(step.table.meta).items()]


def _closing(steps: Sequence[_Step]) -> str:
    results = dictionary({step.variable: step.variable for step in steps if step.node.given is None})
    return 'if __name__ == "__main__":\n' + textwrap.indent(call("report", [results, "STORED", "START", "STOP"]), "    ")
