"""The steps of a standalone script: which there are, and what of each has a plain form."""

from __future__ import annotations

import builtins
import keyword
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from helio_dagster.archives.cdas.request import DEFINED_BY
from helio_dagster.archives.cdf.functions import COMPUTED_BY
from helio_dagster.assets.graph import AssetNode
from helio_dagster.compute.code_operation import CodeOperation
from helio_dagster.compute.operation import Operation, plain_function
from helio_dagster.compute.plain_form import PlainCall, PlainInput, bins_fault, plain_call, plain_fault, saved_call
from helio_dagster.domain.errors import InputError
from helio_dagster.domain.own_files import OWN_ARCHIVE
from helio_dagster.domain.pipeline import EventTable, NamedResult
from helio_dagster.domain.sample_demand import WARNINGS
from helio_dagster.domain.table import Table, TableMeta
from helio_dagster.launch.carrying.function_sources import gather
from helio_dagster.launch.carrying.needs import Needs
from helio_dagster.launch.carrying.python_text import variable
from helio_dagster.launch.running.request import OpenPipeline
from helio_dagster.sandbox.allowed import OWN_NAMES

LIBRARIES = ("scipy", "pywt")
_FILES, _RECORDS, _STEPS, _ARGUMENTS = (
    "helio_dagster.launch.carrying.plain.files",
    "helio_dagster.launch.carrying.plain.records",
    "helio_dagster.launch.carrying.plain.steps",
    "helio_dagster.compute.plain.arguments",
)
_OWN = ("START", "STOP", "FILES", "STORED", "RESULTS", "EVENTS", "ROWS", "edges", "row", "of_event")


@dataclass(frozen=True)
class PlainStep:
    """A step of the script: its asset, its variable, its stored table, and how it is called if by an operation.

    `body` names the function that its code becomes, empty without code. `table` has no columns where code makes several
    results: each of them is a step, which takes its part.
    """

    node: AssetNode
    variable: str
    table: Table
    plain: PlainCall | None = None
    saved: CodeOperation | None = None
    body: str = ""

    @property
    def kinds(self) -> dict[str, str | None]:
        """Name to kind of what its code returns."""
        compute = self.node.step.compute
        if compute is not None and compute.results is not None:
            return {name: result.kind for name, result in compute.results.items()}
        return {self.node.step.id: compute.kind if compute is not None and self.saved is None else None}

    @property
    def is_list(self) -> bool:
        """Whether its rows stand in the script: a table of the pipeline's file, or the list of its events."""
        return self.node.given is not None

    @property
    def has_table(self) -> bool:
        """Whether it has a result of its own."""
        return not has_several_results(self.node)

    @property
    def code(self) -> str:
        """The code that it runs; empty without."""
        compute = self.node.step.compute
        return self.saved.file.code if self.saved is not None else (compute.code or "") if compute is not None else ""


def has_several_results(node: AssetNode) -> bool:
    """Whether a step is code that makes named results, and has no data itself."""
    compute = node.step.compute
    return compute is not None and bool(compute.results) and not isinstance(node.step, NamedResult)


def check_plain(opened: OpenPipeline) -> list[AssetNode]:
    """The assets that a script computes, inputs first; of the list whose events are partitions its rows are taken as they are.

    Raises
    ------
    InputError
        Some have no plain form; each is named, with the reason.
    """
    graph, events = opened.graph, opened.graph.events.get(opened.pipeline.name)
    wanted = {node.name for node in graph.of_pipeline(opened.pipeline).values() if node.kind != "figure"}
    for name in reversed(list(graph.nodes)):
        if name in wanted and (events is None or name != events.list_asset):
            wanted.update(graph[name].inputs.values())
    nodes = [node for name, node in graph.nodes.items() if name in wanted]
    if events is not None:
        nodes = [_as_list(node) if node.name == events.list_asset else node for node in nodes]
    faults = [(node, _fault(opened, node)) for node in nodes]
    refuse([(node, fault) for node, fault in faults if fault])
    return nodes


def refuse(faults: Sequence[tuple[AssetNode, str]]) -> None:
    """Raise the error for steps without a plain form, if there are any."""
    if faults:
        problems = "; ".join(f"{node.step.id}: {fault}" for node, fault in faults)
        hint = "Without --standalone it runs where helio_dagster is installed. docs/notebooks.md says what has a plain form."
        raise InputError(f"no standalone script can be written: {problems}", hint=hint)


def planned_steps(opened: OpenPipeline, needs: Needs, tables: Mapping[str, Table]) -> list[PlainStep]:
    """The steps with names that hide nothing, inputs first.

    Raises
    ------
    InputError
        Some have no plain form for the tables that they have, or no data; all are named.
    """
    ids = {node.name: step for step, node in opened.graph.of_pipeline(opened.pipeline).items()}
    faults: list[tuple[AssetNode, str]] = []
    steps: list[PlainStep] = []
    for node in needs.nodes:
        step = PlainStep(node, ids.get(node.name, node.name), tables[node.name])
        metas = [tables[asset].meta for asset in node.data_inputs.values()]
        if step.has_table and (fault := _fault_of_table(step, metas)):
            faults.append((node, fault))
            continue
        if own := sorted(name for name in OWN_NAMES if re.search(rf"\b{name}\b", step.code)):
            faults.append((node, f"its code uses {', '.join(own)}, which has no plain form"))
            continue
        try:
            steps.append(_with_call(step, opened, tables))
        except InputError as error:
            faults.append((node, error.problem))
    refuse(faults)
    taken = (
        gather(functions_of(steps)).names | set(_OWN) | set(keyword.kwlist) | set(dir(builtins)) | {"Path", "erfa", *LIBRARIES}
    )
    steps = [replace(step, variable=variable(step.variable, taken)) for step in steps]
    bodies: dict[str, str] = {}
    for step in steps:
        if step.code:
            key = step.saved.file.reference_name if step.saved is not None else step.variable
            bodies[key] = bodies.get(key) or variable(f"{key}_code" if step.saved is None else key, taken)
    return [replace(step, body=_body_of(step, bodies)) for step in steps]


def functions_of(steps: Iterable[PlainStep]) -> list[tuple[str, str]]:
    """What the script is made of, by module and name."""
    found = [(_FILES, "fetch"), (_ARGUMENTS, "named"), (_STEPS, "report")]
    for step in steps:
        fetch = step.node.fetch
        if fetch is not None:
            found += [reader_of(step), (_STEPS, "within")]
        if step.plain is not None:
            plain = plain_function(step.plain.name)
            found += [(plain.__module__, step.plain.name)] if plain else []
            found += [(_ARGUMENTS, "taken")] if any(each != PlainInput() for each in step.plain.inputs.values()) else []
            found += [(_STEPS, "by_window")] if step.plain.is_of_window else []
        found += [(_STEPS, "by_code")] if step.code else []
        found += [(_STEPS, "excluded")] if step.node.excluded else []
        found += [(_STEPS, "by_event"), (_STEPS, "of_all")] if step.node.events is not None else []
    return list(dict.fromkeys(found))


def reader_of(step: PlainStep) -> tuple[str, str]:
    """The function that reads the files of a fetch, by module and name."""
    fetch, is_nd = step.node.fetch, step.table.meta.kind == "nd"
    name = "read_hapi" if fetch is not None and fetch.archive.startswith("hapi:") else "read_cdf"
    return (_RECORDS, f"{name}_records") if is_nd else (_FILES, name)


def _body_of(step: PlainStep, bodies: Mapping[str, str]) -> str:
    return bodies[step.saved.file.reference_name if step.saved is not None else step.variable] if step.code else ""


def _with_call(step: PlainStep, opened: OpenPipeline, tables: Mapping[str, Table]) -> PlainStep:
    compute = step.node.step.compute
    if compute is None or compute.operation is None or step.is_list:
        return step
    operation = opened.graph.operation(compute.operation)
    metas = {name: tables[asset].meta for name, asset in step.node.data_inputs.items()}
    if isinstance(operation, CodeOperation):
        return replace(step, plain=saved_call(operation, compute.options, metas), saved=operation)
    return replace(step, plain=plain_call(operation, compute.options, metas))


def _as_list(node: AssetNode) -> AssetNode:
    """The list whose events are the partitions, which is not made again: its rows are what they were."""
    given = node.given or EventTable.model_construct(csv="", source=node.name)
    return replace(node, grain=None, inputs={}, excluded={}, over="partition", given=given)


def _fault_of_table(step: PlainStep, inputs: Sequence[TableMeta]) -> str:
    if not step.table.meta.columns:
        return "it has no data in this range"
    has_axes = any(meta.kind == "nd" for meta in inputs)
    if step.code and (has_axes or step.table.meta.kind == "nd"):
        return "its code has no plain form for records with several axes"
    if step.node.step.fetch is not None and WARNINGS in step.table.meta.attributes:
        return "its files contradict themselves in which bins are along which axis"
    if step.node.step.fetch is not None and {COMPUTED_BY, DEFINED_BY} & step.table.meta.attributes.keys():
        return "no file holds it: a function of the archive computes it"
    if step.node.excluded and step.table.meta.kind == "nd":
        return "samples are excluded of records with several axes, which has no plain form"
    if step.node.step.fetch is None and (varying := next(filter(None, map(bins_fault, inputs)), "")):
        return f"of its input, {varying}"
    return plain_fault(step.table.meta) or ("" if has_axes else bins_fault(step.table.meta))


def _fault(opened: OpenPipeline, node: AssetNode) -> str:
    """Why a step has no plain form, as far as its file tells; empty where it has one."""
    compute = node.step.compute
    if node.project:
        return f"it reads the asset {node.project_names[0]} of a Dagster project, which has no plain form"
    if node.given is not None:
        return ""
    if node.fetch is not None and node.fetch.ephemeris is not None:
        return "an ephemeris has no plain form: SPICE evaluates it"
    if node.fetch is not None:
        archive = node.fetch.archive
        is_known = archive in ("cdaweb", "demo") or archive.startswith("hapi:")
        if archive == OWN_ARCHIVE:
            return "a file of your own has no plain reader; `helio bundle` packs the file with its pipeline"
        return "" if is_known else f"the archive {archive} has no plain reader"
    is_over_events = opened.pipeline.name in opened.graph.events
    if is_over_events and node.events is not opened.graph.events[opened.pipeline.name]:
        return "its partitions are not the events of this pipeline"
    if compute is None:
        return ""
    operation = opened.graph.operation(compute.operation) if compute.operation is not None else None
    code = operation.file.code if isinstance(operation, CodeOperation) else compute.code
    if code and "attrs" in code:
        return "its code has no plain form for what it reads in attrs"
    if isinstance(operation, Operation) and not code and plain_function(operation.id) is None:
        return f"{operation.id} has no plain form"
    return ""
