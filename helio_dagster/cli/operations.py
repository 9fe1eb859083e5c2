"""`helio operations`: the library of operations, shipped and saved."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from helio_dagster.cli.options import AsJson, settings_from_environment
from helio_dagster.cli.terminal import confirm, write, write_json

if TYPE_CHECKING:
    from helio_dagster.compute.operations.contract import Operation
    from helio_dagster.domain.table import Kind
    from helio_dagster.resources.operation_library import OperationLibrary

Name = Annotated[str, typer.Argument(metavar="OPERATION", help="Id, or id@version of a saved operation.")]


def list_operations(as_json: AsJson = False) -> int:
    """List the operations, shipped and saved."""
    _print_operations([*_library().all()], as_json=as_json)
    return 0


def search(
    words: Annotated[list[str] | None, typer.Argument(metavar="[WORDS]", help="What it should do.")] = None,
    kind: Annotated[
        str | None, typer.Option(help="It must accept this kind: series, vector, spectrogram, nd or events.")
    ] = None,
    unit: Annotated[str | None, typer.Option(help="It must accept this unit.")] = None,
    frame: Annotated[str | None, typer.Option(help="It must accept this coordinate frame.")] = None,
    as_json: AsJson = False,
) -> int:
    """Find operations by words, and by what they accept."""
    from helio_dagster.compute.operation_search import Given, search_operations
    from helio_dagster.domain.did_you_mean import remedy
    from helio_dagster.domain.errors import InputError

    kinds = ("series", "vector", "spectrogram", "nd", "events")
    if kind is not None and kind not in kinds:
        raise InputError(f"there is no kind of table {kind!r:.40}", hint=remedy(kind, kinds, what="kinds"))
    given = Given(cast("Kind | None", kind), unit, frame)
    found = search_operations(_library().all(), " ".join(words or []), given)
    if not found and not as_json:
        write("nothing found: try other words, or write a step with `code:`\n")
        return 0
    _print_operations([each.operation for each in found], as_json=as_json)
    return 0


def show(name: Name, as_json: AsJson = False) -> int:
    """Show what an operation takes, does and returns."""
    from helio_dagster.compute.operations.page import describe_operation

    operation = _library().get(name)
    if as_json:
        from helio_dagster.compute.operations.document import operation_as_json

        write_json(operation_as_json(operation))
    else:
        write(describe_operation(operation) + _code_of(operation))
    return 0


def save(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="An operation's YAML file; `-` reads standard input.")],
    as_json: AsJson = False,
) -> int:
    """Test an operation and save it. Its examples must give the stated results, twice, and its code must be new."""
    from helio_dagster.compute.operation_file import parse_operation
    from helio_dagster.launch.library.operation_saving import save_operation
    from helio_dagster.resources.operation_library import read_operation
    from helio_dagster.resources.workbench import Workbench

    workbench = Workbench(settings_from_environment())
    operation = parse_operation(sys.stdin.read(), file="-") if str(file) == "-" else read_operation(file)
    try:
        saved = save_operation(operation, _library(), workbench)
    finally:
        workbench.close()
    if as_json:
        write_json({"operation": saved.name, "path": str(saved.path), "is_new": saved.is_new})
    else:
        done = "saved" if saved.is_new else "was already saved, unchanged"
        write(f"{saved.name} {done}: {saved.path}\nIn a pipeline: compute: {{operation: {saved.name}, inputs: …}}\n")
    return 0


def run_examples(
    names: Annotated[list[str] | None, typer.Argument(metavar="[NAME…]", help="Names or YAML files. Default: all.")] = None,
    as_json: AsJson = False,
) -> int:
    """Run the examples of operations, and check that saved ones give the same result twice."""
    from helio_dagster.compute.code_operation import CodeOperation
    from helio_dagster.compute.operation import operations
    from helio_dagster.launch.library.operation_saving import try_operations
    from helio_dagster.resources.operation_library import read_operation

    library = _library()
    wanted: list[Any] = [
        CodeOperation(read_operation(Path(name))) if name.endswith((".yaml", ".yml")) else library.get(name)
        for name in names or []
    ]
    if not names:
        wanted = [*operations(), *map(CodeOperation, library.files())]
    failures = try_operations(wanted, settings_from_environment())
    if as_json:
        write_json({"operations": [{"operation": name, "failures": found} for name, found in failures.items()]})
    else:
        for name, found in failures.items():
            for each in found:
                write(f"{name}: {each}\n")
        bad = sum(bool(found) for found in failures.values())
        write(f"{len(failures)} tried, {bad} failed\n")
    return 1 if any(failures.values()) else 0


def remove(
    name: Annotated[str, typer.Argument(metavar="OPERATION", help="id@version of a saved operation.")],
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Delete without asking.")] = False,
) -> int:
    """Delete a saved version, unless a pipeline of the library uses it."""
    from helio_dagster.compute.code_operation import CodeOperation
    from helio_dagster.domain.errors import AnswerNeeded, InputError
    from helio_dagster.launch.home import Home

    home = Home(settings_from_environment())
    operation = home.operations.get(name)
    if not isinstance(operation, CodeOperation):
        raise InputError(f"{operation.id} is a shipped operation", hint="Only saved operations can be deleted.")
    users = [
        f"{file.pipeline.name}/{step.id}"
        for file in home.files.values()
        for step in file.pipeline.steps
        if step.compute is not None and step.compute.operation == operation.file.reference_name
    ]
    if users:
        raise InputError(f"{name} is used by {', '.join(users[:8])}", hint="Change or delete those pipelines first.")
    path = home.operations.path(operation.id, operation.version)
    if not yes:
        if not sys.stdin.isatty():
            raise AnswerNeeded(f"{path} would be deleted", hint="Add --yes to delete it.")
        if not confirm(f"Delete {path}?"):
            raise AnswerNeeded("nothing was deleted", hint="Answer yes to delete it.")
    home.operations.remove(operation.id, operation.version)
    write(f"deleted {path}\n")
    return 0


def _library() -> OperationLibrary:
    from helio_dagster.resources.operation_library import OperationLibrary

    return OperationLibrary(settings_from_environment().operations)


def _print_operations(operations: list[Operation[Any]], *, as_json: bool) -> None:
    from helio_dagster.compute.operations.document import name_of, operation_as_json

    if as_json:
        write_json({"operations": [operation_as_json(each) for each in operations]})
        return
    from helio_dagster.cli.entries import Entry, print_entries

    rows = [Entry((name_of(each), ", ".join(each.inputs)), (each.summary,)) for each in operations]
    print_entries(("operation", "takes"), rows)


def _code_of(operation: Operation[Any]) -> str:
    from textwrap import indent

    code = getattr(getattr(operation, "file", None), "code", None)
    return f"\nCode:\n\n{indent(code.rstrip(), '    ')}\n" if code else ""
