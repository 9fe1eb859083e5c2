"""What each step yields, as far as it is known before anything runs, and the clashes that follow."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any, Protocol

from pydantic import BaseModel, ValidationError

from helio_dagster.domain.catalog import Catalog
from helio_dagster.domain.did_you_mean import near_names, remedy, suggestion
from helio_dagster.domain.errors import ComputeError, HelioError
from helio_dagster.domain.event_table import EventTableError, read_events
from helio_dagster.domain.exclusions import KINDS_WITHOUT_SAMPLES
from helio_dagster.domain.figure import Figure
from helio_dagster.domain.pipeline import Compute, Fetch, Pipeline, Step
from helio_dagster.domain.sample_demand import SampleDemand
from helio_dagster.domain.table import TableMeta
from helio_dagster.domain.validation_messages import plain_faults
from helio_dagster.domain.yaml.document import Path, parse_path

_MOST_UNITS = 2
"""Of a panel: that of its left axis, and that of its right one."""
_WITH_VALUE_AXIS = frozenset(("series", "vector", "curve"))
UNKNOWN = TableMeta(kind="series", columns=())
"""Metadata without columns: nothing is known, no rule applies."""


class OperationRules(Protocol):
    """What the check needs of a registered operation."""

    @property
    def options(self) -> type[BaseModel]:
        """Model of its options."""

    @property
    def is_of_window(self) -> bool:
        """Whether it gives one result for a whole window."""

    @property
    def of_one_spacecraft(self) -> tuple[str, ...]:
        """Inputs that must be of one spacecraft."""

    @property
    def keeps_place(self) -> bool:
        """Whether its result still belongs to where the spacecraft was."""

    @property
    def keeps_times(self) -> bool:
        """Whether its records stand at the times of the first input's."""

    @property
    def inputs(self) -> Mapping[str, object]:
        """Its inputs by their names, that of the times first."""

    def sample_demands(self, options: Any) -> tuple[SampleDemand, ...]:
        """How many samples of its inputs a window must hold, or there is no result."""

    def halo(self, options: Any) -> tuple[timedelta, timedelta]:
        """How far before and after a partition its inputs are read."""

    def result_meta(self, inputs: Mapping[str, TableMeta], options: Any, name: str) -> TableMeta:
        """What it yields; HelioError where the inputs clash. Metadata without columns are unknown."""


GetOperation = Callable[[str], OperationRules]


@dataclass(frozen=True)
class StepFault:
    """A fault at a path inside a step; a note does not forbid running.

    One `is_of_numbers` follows from the units, frames or shapes of what the step is made from.
    """

    path: Path
    problem: str
    hint: str
    is_note: bool = False
    is_of_numbers: bool = False


FindFigureFaults = Callable[[Figure, Mapping[str, TableMeta]], Iterable[StepFault]]
"""What of a figure cannot be drawn, given the metadata of its references; those without columns are unknown."""


def no_figure_faults(_figure: Figure, _metas: Mapping[str, TableMeta]) -> Iterable[StepFault]:
    """Finds nothing: drawing will tell."""
    return ()


class MetaCheck:
    """Works out the metadata of steps, each once, and keeps the faults met on the way.

    Parameters
    ----------
    pipelines
        Name to pipeline.
    catalog
        Metadata of datasets.
    get_operation
        Gives the registered operation of an id; InputError where there is none.
    find_figure_faults
        What drawing would refuse.
    """

    def __init__(
        self,
        pipelines: Mapping[str, Pipeline],
        catalog: Catalog,
        get_operation: GetOperation,
        *,
        is_thorough: bool = True,
        find_figure_faults: FindFigureFaults = no_figure_faults,
    ) -> None:
        self._pipelines = pipelines
        self._catalog = catalog
        self._get_operation = get_operation
        self._is_thorough = is_thorough
        self._find_figure_faults = find_figure_faults
        self._metas: dict[tuple[str, str], TableMeta] = {}
        self._unsure: set[tuple[str, str]] = set()
        self._faults: dict[tuple[str, str], list[StepFault]] = {}
        self._fetches: dict[tuple[str, str, str], list[StepFault]] = {}

    def faults(self, node: tuple[str, str], *, blocked: Set[tuple[str, str]]) -> list[StepFault]:
        """Faults of the step (pipeline, id); steps in `blocked` form a ring and count as unknown."""
        self._work_out(node, blocked)
        return self._faults[node]

    def meta(self, node: tuple[str, str], *, blocked: Set[tuple[str, str]]) -> tuple[TableMeta, bool]:
        """What the step (pipeline, id) yields, without columns where unknown, and whether that is known for sure."""
        self._work_out(node, blocked)
        return self._metas[node], node not in self._unsure

    def _work_out(self, node: tuple[str, str], blocked: Set[tuple[str, str]]) -> None:
        """Fill in the metadata of a step and of all it needs, without recursion: chains of steps may be long."""
        waiting = [node]
        while waiting:
            current = waiting[-1]
            step = self._step(current)
            needed = [] if step is None or current in blocked else list(_inputs(current[0], step).values())
            missing = [other for other in needed if other not in self._metas and other not in blocked]
            if missing:
                waiting += missing
                continue
            waiting.pop()
            if current not in self._metas:
                faults: list[StepFault] = []
                is_open = step is not None and current not in blocked
                self._metas[current] = self._meta(current[0], step, faults) if step and is_open else UNKNOWN
                if step and step.exclude:
                    faults += self._exclusion_faults(current, step)
                if step and not self._is_sure(current[0], step):
                    self._unsure.add(current)
                    faults = [replace(fault, is_note=True) if fault.is_of_numbers else fault for fault in faults]
                self._faults[current] = faults

    def _is_sure(self, pipeline: str, step: Step) -> bool:
        """Whether what a step is made from is known for sure, and not just what a catalog says."""
        if step.fetch:
            return step.fetch.is_own or self._catalog.is_sure(step.fetch.archive, step.fetch.dataset, step.fetch.parameter)
        return not any(node in self._unsure for node in _inputs(pipeline, step).values())

    def _step(self, node: tuple[str, str]) -> Step | None:
        pipeline = self._pipelines.get(node[0])
        return next((step for step in pipeline.nodes if step.id == node[1]), None) if pipeline else None

    def _meta(self, pipeline: str, step: Step, faults: list[StepFault]) -> TableMeta:
        metas = {path: self._metas.get(node, UNKNOWN) for path, node in _inputs(pipeline, step).items()}
        if step.fetch and step.fetch.is_own:
            return step.fetch.table_meta
        if step.fetch:
            fetched = (step.fetch.archive, step.fetch.dataset, step.fetch.parameter)
            if fetched not in self._fetches:
                self._fetches[fetched] = list(self._fetch_faults(step.fetch))
            faults += self._fetches[fetched]
            return self._catalog.meta(*fetched) or UNKNOWN
        if step.compute and step.compute.operation:
            named = {name: metas.get(f"compute.inputs.{name}", UNKNOWN) for name in step.compute.inputs}
            return self._result(step.compute, step.compute.operation, named, step.id, faults)
        if step.events:
            return UNKNOWN
        if step.table:
            with suppress(EventTableError):  # reported with its line by the check of the table itself
                return read_events(step.table).meta
        if step.figure:
            faults += _axis_notes(step.figure, metas)
            figure, marked = step.figure, self._step(_inputs(pipeline, step).get("figure.events", ("", "")))
            if marked is not None and marked.fetch:  # refused as a reference
                figure = figure.model_copy(update={"events": None})
            faults += self._find_figure_faults(figure, {reference: metas[path] for path, reference in step.references})
        return UNKNOWN

    def _exclusion_faults(self, node: tuple[str, str], step: Step) -> Iterator[StepFault]:
        """An exclusion from what has no samples, and one by a step that computes no events."""
        kind = self._metas[node].kind
        if kind in KINDS_WITHOUT_SAMPLES:
            hint = "Write `exclude` on the steps that it is computed from."
            yield StepFault(("exclude",), f"a step that gives {kind} has no samples to exclude", hint)
        inputs = _inputs(node[0], step)
        for inside, reference in step.exclusions:
            listed = self._metas.get(inputs[inside], UNKNOWN)
            if listed.columns and listed.kind != "events":
                hint = "Name a step whose rows start and stop."
                yield StepFault(parse_path(inside), f"{reference!r} does not list events, so it excludes nothing", hint)

    def _result(
        self, compute: Compute, operation_id: str, metas: Mapping[str, TableMeta], name: str, faults: list[StepFault]
    ) -> TableMeta:
        path: Path = ("compute", "operation")
        try:
            operation = self._get_operation(operation_id)
            options = operation.options.model_validate(compute.options)
            path = ("compute", "inputs")
            return operation.result_meta(metas, options, name)
        except ValidationError as error:
            wrong = plain_faults(error, operation.options)
            faults += [StepFault(("compute", "options", *at.path), at.problem, at.hint) for at in wrong]
        except HelioError as error:
            is_of_numbers = isinstance(error, ComputeError)
            faults.append(StepFault(path, error.problem, error.hint, is_of_numbers=is_of_numbers))
        return UNKNOWN

    def _fetch_faults(self, fetch: Fetch) -> Iterator[StepFault]:
        if fetch.target is not None:
            return  # an ephemeris, which the model of the file has checked
        is_whole = self._catalog.is_whole(fetch.archive)
        if not self._catalog.has(fetch.archive, fetch.dataset):
            yield from self._dataset_faults(fetch, is_whole=is_whole)
        elif is_whole or self._is_thorough:
            yield from self._parameter_faults(fetch, is_whole=is_whole)

    def _dataset_faults(self, fetch: Fetch, *, is_whole: bool) -> Iterator[StepFault]:
        path = ("fetch", "dataset")
        if is_whole:
            hint = remedy(fetch.dataset, self._catalog.names(fetch.archive), what="its datasets")
            yield StepFault(path, f"the archive {fetch.archive!r} has no dataset {fetch.dataset!r}", hint)
        elif self._is_thorough:
            known = self._catalog.names(fetch.archive)
            if near_names(fetch.dataset, known) and not _is_sibling(fetch.dataset, known):
                problem = f"the catalog has no dataset {fetch.dataset!r}"
                yield StepFault(path, problem, suggestion(fetch.dataset, known), is_note=True)

    def _parameter_faults(self, fetch: Fetch, *, is_whole: bool) -> Iterator[StepFault]:
        path = ("fetch", "parameter")
        known = self._catalog.parameter_names(fetch.archive, fetch.dataset)
        if fetch.parameter in known:
            return
        if is_whole:
            hint = remedy(fetch.parameter, known, what="its parameters")
            yield StepFault(path, f"the dataset {fetch.dataset} has no parameter {fetch.parameter!r}", hint)
        elif self._catalog.knows_all_parameters(fetch.archive, fetch.dataset) or near_names(fetch.parameter, known):
            problem = f"the catalog has no parameter {fetch.parameter!r} of {fetch.dataset}"
            hint = suggestion(fetch.parameter, known) or f"`helio catalog show {fetch.dataset}` lists them."
            yield StepFault(path, problem, hint, is_note=True)


def _inputs(pipeline: str, step: Step) -> dict[str, tuple[str, str]]:
    """Path of each reference inside the step to the (pipeline, id) it leads to."""
    found = {}
    for path, reference in step.references:
        other, _, step_id = reference.rpartition("/")
        found[path] = (other or pipeline, step_id)
    return found


def _axis_notes(figure: Figure, metas: Mapping[str, TableMeta]) -> Iterator[StepFault]:
    """Notes on panels whose traces have more units than a panel has axes."""
    for row, panel in enumerate(figure.panels):
        drawn = [metas[f"figure.panels[{row}].traces[{index}].data"] for index in range(len(panel.traces))]
        units = list(dict.fromkeys(meta.unit for meta in drawn if meta.columns and meta.kind in _WITH_VALUE_AXIS))
        if len(units) > _MOST_UNITS:
            problem = f"{' and '.join(unit or 'a pure number' for unit in units)} share one panel"
            yield StepFault(
                ("figure", "panels", row),
                problem,
                "A panel has two value axes at most: give each unit a separate panel.",
                is_note=True,
            )


def _is_sibling(dataset: str, known: list[str]) -> bool:
    """Whether the id differs from a known one only in a digit, as another level or spacecraft of a family does."""
    plain = "".join("0" if letter.isdecimal() else letter for letter in dataset)
    return any(plain == "".join("0" if letter.isdecimal() else letter for letter in other) for other in known)
