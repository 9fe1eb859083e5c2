"""Export pipelines with everything they need as a bundle, and import bundles after checking them."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from helio_dagster.assets.library import check_files
from helio_dagster.compute.code_operation import CodeOperation
from helio_dagster.compute.operation_file import OperationFile, parse_operation
from helio_dagster.compute.operations.contract import Operation
from helio_dagster.domain.bundle import LARGEST_BUNDLE, Item, Kind, is_bundle, pack, unpack
from helio_dagster.domain.did_you_mean import remedy
from helio_dagster.domain.errors import CodeRefused, InputError, OperationFileError, PipelineError, Problem
from helio_dagster.domain.pipeline import Pipeline
from helio_dagster.domain.pipeline_text import PipelineFile, parse_pipeline
from helio_dagster.launch.home import Home
from helio_dagster.launch.library.operation_saving import try_operations
from helio_dagster.resources.operation_library import OperationLibrary
from helio_dagster.storage.atomic import storage_error
from helio_dagster.storage.event_files import LARGEST_LIST_BYTES, text_of_list
from helio_dagster.storage.file_changes import change_files
from helio_dagster.storage.pipeline_commits import commit_change
from helio_dagster.storage.small_files import LARGEST_TEXT_FILE, read_small_file

_log = logging.getLogger(__name__)
_BINARY = re.compile(rb"[\x00-\x08]")

State = Literal["new", "same", "replaced", "refused"]


@dataclass(frozen=True)
class Arrival:
    """The outcome of importing a file: its path, and why it is refused.

    `approved_by` is who approved exactly this content, according to the file itself; `sha256` is the hash of a list.
    """

    kind: Kind
    name: str
    state: State
    path: Path
    why: str = ""
    approved_by: str = ""
    sha256: str = ""


def collect(home: Home, name_or_path: str) -> list[Item]:
    """A pipeline, the pipelines it reads, and the saved operations and lists of events that any of them names, in this order.

    Raises
    ------
    InputError
        There is no such pipeline, operation or list.
    PipelineError
        A pipeline is wrong.
    """
    first = home.library.load(name_or_path)
    found = {first.pipeline.name: first}
    waiting = [first]
    while waiting:
        for name in _read_by(waiting.pop(0).pipeline):
            if name not in found:
                if name not in home.files:
                    raise InputError(f"there is no pipeline {name!r}", hint=remedy(name, home.files, what="pipelines"))
                found[name] = home.files[name]
                waiting.append(found[name])
    if problems := check_files(
        found, home.catalog, home.operations.get, limits=home.settings.code_limits, lists=home.settings.pipelines
    ).problems:
        raise PipelineError(problems)
    named = {step.compute.operation for file in found.values() for step in file.pipeline.steps if step.compute}
    operations = [home.operations.get(name) for name in sorted(name for name in named if name)]
    saved = {each.file.reference_name: each for each in operations if isinstance(each, CodeOperation)}
    return [
        *(Item("pipelines", name, file.text.encode()) for name, file in found.items()),
        *(Item("operations", name, _content(home.operations.path(each.id, each.version))) for name, each in saved.items()),
        *_lists(home, found.values()),
    ]


def _lists(home: Home, files: Iterable[PipelineFile]) -> list[Item]:
    """The lists of events that pipelines read from files beside them."""
    lists: dict[str, Item] = {}
    for file in files:
        path = Path(file.file)
        folder = path.parent if path.is_absolute() else home.settings.pipelines
        for step in file.pipeline.steps:
            if step.events is None:
                continue
            item = Item("lists", step.events.file, _content(folder / step.events.file, LARGEST_LIST_BYTES))
            if lists.setdefault(item.name, item) != item:
                problem = f"two pipelines read different lists {item.name}"
                raise InputError(problem, hint="Export them one by one.")
    return list(lists.values())


def bundle_of(home: Home, name_or_path: str) -> bytes:
    """The bundle of a pipeline with everything it needs; see `collect`."""
    return pack(collect(home, name_or_path))


def bring(home: Home, data: bytes, *, file: str, replace: bool = False, person: str = "") -> list[Arrival]:
    """Import a bundle, or one pipeline's file, into a home's library: all of it or nothing.

    Parameters
    ----------
    home
        The home to import into.
    data
        The bytes of the file; a file over the size limit may be cut off one byte above it.
    file
        Its name, for errors.
    replace
        Replace pipelines and lists that differ. Saved operations never change.
    person
        Who imports it, for the commit; empty for the account of this process.

    Returns
    -------
    list of Arrival
        In the order of the bundle. If any is refused, nothing was written.

    Raises
    ------
    InputError
        The file is neither a bundle nor a pipeline.
    PipelineError
        A pipeline or operation in it is invalid, or would make one of the library invalid.
    CodeRefused
        An operation fails its examples or is not deterministic.
    StorageError
        The library cannot be written.
    """
    brought = _read(data, file)
    arrivals = [*(_pipeline_arrival(home, each, replace=replace) for each in brought.pipelines.values())]
    arrivals += [_operation_arrival(home.operations, each, brought.items) for each in brought.operations.values()]
    arrivals += [_list_arrival(home, item, replace=replace) for item in brought.lists]
    if any(each.state == "refused" for each in arrivals):
        return arrivals
    _require_sound(home, brought)
    new = [brought.operations[each.name] for each in arrivals if each.kind == "operations" and each.state == "new"]
    _require_true(home, new)
    written = [each for each in reversed(arrivals) if each.state in ("new", "replaced")]
    change_files({each.path: brought.items[each.kind, each.name] for each in written})
    inside = [each for each in written if each.kind != "operations"]
    made = commit_change(
        home.settings, f"import {', '.join(each.name for each in inside)}", [each.path for each in inside], person
    )
    if made is not None and inside:
        _log.log(logging.WARNING if made.problem else logging.INFO, "%s", made.sentence)
    return arrivals


@dataclass(frozen=True)
class _Brought:
    """The contents of an imported file: the bytes of each item, and the parsed pipelines and operations."""

    items: Mapping[tuple[Kind, str], bytes]
    pipelines: Mapping[str, PipelineFile]
    operations: Mapping[str, OperationFile]

    @property
    def lists(self) -> list[Item]:
        """The lists of events, in the bundle's order."""
        return [Item(kind, name, content) for (kind, name), content in self.items.items() if kind == "lists"]

    @cached_property
    def opened(self) -> Mapping[str, CodeOperation]:
        """The operations in the form that the check needs."""
        return {name: CodeOperation(operation) for name, operation in self.operations.items()}


def _read(data: bytes, file: str) -> _Brought:
    items = unpack(data, file=file) if is_bundle(data) else [_lone_pipeline(data, file)]
    pipelines: dict[str, PipelineFile] = {}
    operations: dict[str, OperationFile] = {}
    for item in items:
        where = f"{file}: {item.label}"
        if item.kind == "pipelines":
            pipelines[item.name] = parse_pipeline(_text(item.content, where), file=where)
        elif item.kind == "operations":
            operations[item.name] = _named_operation(parse_operation(_text(item.content, where), file=where), item, where)
    read = {step.events.file for each in pipelines.values() for step in each.pipeline.steps if step.events is not None}
    if strays := [item.label for item in items if item.kind == "lists" and item.name not in read]:
        hint = "A bundle holds the lists that its pipelines read, and no other files."
        raise InputError(f"no pipeline of the bundle reads {strays[0]}", where=file, hint=hint)
    return _Brought({(item.kind, item.name): item.content for item in items}, pipelines, operations)


def _lone_pipeline(data: bytes, file: str) -> Item:
    """One pipeline's file, under any name, as an item."""
    hint = "`helio pipelines export` writes bundles; a single pipeline file can be imported too."
    if len(data) > LARGEST_BUNDLE or _BINARY.search(data):
        raise InputError(f"{file} is neither a bundle nor a pipeline", hint=hint)
    try:
        pipeline = parse_pipeline(data.decode("utf-8"), file="it").pipeline
    except UnicodeDecodeError:
        raise InputError(f"{file} is neither a bundle nor a pipeline: it is not UTF-8 text", hint=hint) from None
    except PipelineError as error:
        problems = [Problem(file, each.line, each.path, each.problem, each.hint) for each in error.problems]
        raise PipelineError(problems) from None
    return Item("pipelines", pipeline.name, data)


def _text(content: bytes, where: str) -> str:
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise PipelineError([Problem(where, 0, "", f"is not UTF-8 text (byte {error.start})", "Save it as UTF-8.")]) from None


def _named_operation(operation: OperationFile, item: Item, where: str) -> OperationFile:
    if operation.reference_name != item.name:
        problem = f"it contains {operation.reference_name}"
        raise OperationFileError([Problem(where, 0, "id", problem, "Name the file <id>@<version>.yaml.")])
    return operation


def _pipeline_arrival(home: Home, file: PipelineFile, *, replace: bool) -> Arrival:
    pipeline = file.pipeline
    path = home.library.path(pipeline.name)
    by = pipeline.approved.by if pipeline.approved and file.is_as_approved else ""
    if not path.exists():
        return Arrival("pipelines", pipeline.name, "new", path, approved_by=by)
    if _content(path) == file.text.encode():
        return Arrival("pipelines", pipeline.name, "same", path, approved_by=by)
    if replace:
        return Arrival("pipelines", pipeline.name, "replaced", path, approved_by=by)
    return Arrival("pipelines", pipeline.name, "refused", path, "a different pipeline of this name exists", by)


def _list_arrival(home: Home, item: Item, *, replace: bool) -> Arrival:
    folder = home.library.folder
    path = folder / item.name
    if not path.resolve().is_relative_to(folder.resolve()):
        why = "a link leads its folder out of that of the pipelines"
        return Arrival("lists", item.name, "refused", path, why, sha256=item.sha256)
    state: State = "new"
    if path.exists():
        is_same = _content(path, LARGEST_LIST_BYTES) == item.content
        state = "same" if is_same else "replaced" if replace else "refused"
    why = "a different list of this name exists" if state == "refused" else ""
    return Arrival("lists", item.name, state, path, why, sha256=item.sha256)


def _operation_arrival(library: OperationLibrary, operation: OperationFile, items: Mapping[tuple[Kind, str], bytes]) -> Arrival:
    name, path = operation.reference_name, library.path(operation.id, operation.version)
    if path.exists() and _content(path) == items["operations", name]:
        return Arrival("operations", name, "same", path)
    try:
        library.require_free(operation)
    except InputError as error:
        return Arrival("operations", name, "refused", path, error.problem)
    return Arrival("operations", name, "new", path)


def _require_sound(home: Home, brought: _Brought) -> None:
    """Refuse what is invalid together with the library, and what would make one of its pipelines invalid."""

    def operation(reference: str) -> Operation[Any]:
        return brought.opened[reference] if reference in brought.opened else home.operations.get(reference)

    limits = home.settings.code_limits
    arriving = {item.name: text_of_list(item.content, item.name) for item in brought.lists}
    after = check_files(
        {**home.files, **brought.pipelines},
        home.catalog,
        operation,
        limits=limits,
        lists=home.settings.pipelines,
        arriving=arriving,
    ).problems
    if not after:
        return
    labels = {file.file for file in brought.pipelines.values()}
    if own := [problem for problem in after if problem.file in labels]:
        raise PipelineError(own)
    faulty = {
        problem.file
        for problem in check_files(home.files, home.catalog, operation, limits=limits, lists=home.settings.pipelines).problems
    }
    if broken := [problem for problem in after if problem.file not in faulty]:
        raise PipelineError(broken)


def _require_true(home: Home, operations: Iterable[OperationFile]) -> None:
    """Refuse operations whose examples fail or whose results differ between runs."""
    wanted = list(operations)
    if not wanted:
        return
    for name, failures in try_operations(map(CodeOperation, wanted), home.settings).items():
        if failures:
            words = "\n".join(failures)
            raise CodeRefused(f"its examples fail:\n{words}", where=name, hint="Nothing was imported.")


def _read_by(pipeline: Pipeline) -> list[str]:
    """The other pipelines whose steps a pipeline reads."""
    references = [reference for step in pipeline.steps for _, reference in step.references]
    references += [pipeline.foreign_list] if pipeline.foreign_list else []
    names = [reference.rpartition("/")[0] for reference in references]
    return [name for name in dict.fromkeys(names) if name and name != pipeline.name]


def _content(path: Path, most_bytes: int = LARGEST_TEXT_FILE) -> bytes:
    try:
        return read_small_file(path, most_bytes)
    except OSError as error:
        raise storage_error(error, path) from error
