"""`helio docs`: signatures and documentation of operations, and of the functions that a step's code may call."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from helio_dagster.cli.options import AsJson, settings_from_environment
from helio_dagster.cli.terminal import write, write_json

_SHOWN = 20


def search(
    words: Annotated[
        list[str],
        typer.Argument(metavar="WORDS", help="Find functions with all of these words in their name or documentation."),
    ],
    count: Annotated[int, typer.Option("-n", min=1, max=200, help="Maximum number of functions.")] = _SHOWN,
    as_json: AsJson = False,
) -> int:
    """Find functions of scipy and pywt, and operations, by words."""
    from helio_dagster.compute.function_docs import search_functions
    from helio_dagster.compute.operation_search import search_operations
    from helio_dagster.resources.operation_library import OperationLibrary

    query = " ".join(words)
    operations = search_operations(OperationLibrary(settings_from_environment().operations).all(), query)[:5]
    functions = search_functions(query)[:count]
    if as_json:
        found = [{"name": doc.name, "signature": doc.signature, "summary": doc.summary} for doc in functions]
        named = [{"operation": each.operation.id, "summary": each.operation.summary} for each in operations]
        write_json({"operations": named, "functions": found})
        return 0
    from rich.table import Table

    from helio_dagster.cli.console import Console

    table = Table(box=None, pad_edge=False, show_header=False)
    table.add_column(style="bold", overflow="fold")
    table.add_column(overflow="fold", ratio=1)
    for each in operations:
        table.add_row(f"operation {each.operation.id}", each.operation.summary)
    for doc in functions:
        table.add_row(doc.name, doc.summary)
    if not operations and not functions:
        write(f"nothing found for {query[:80]!r}\n")
        return 0
    Console().print(table)
    return 0


def show(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Function or operation, such as scipy.signal.welch or welch.")],
    as_json: AsJson = False,
) -> int:
    """Show a function's signature and documentation, or an operation."""
    from helio_dagster.cli import operations
    from helio_dagster.compute.function_docs import find_function
    from helio_dagster.domain.errors import InputError
    from helio_dagster.resources.operation_library import OperationLibrary

    library = OperationLibrary(settings_from_environment().operations)
    try:
        doc = find_function(name)
    except InputError:
        if name.partition("@")[0] in {each.id for each in library.all()}:
            return operations.show(name, as_json=as_json)
        raise
    if as_json:
        write_json(asdict(doc))
    else:
        write(f"{doc.name}{doc.signature}\n\n{doc.text}\n")
    return 0
