"""The options of printed figures as options of a command."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Annotated, Any

import typer

from helio_dagster.domain.print_options import PRINT_OPTIONS, PrintOption, PrintOptions


def with_print_options(command: Callable[..., int]) -> Callable[..., int]:
    """A command whose parameter `how` is given as an option for each key of `print:`."""

    @wraps(command)
    def wrapped(**given: Any) -> int:
        how = PrintOptions(**{each.name: given.pop(each.name, None) for each in PRINT_OPTIONS})  # type: ignore[typeddict-item]  # by name
        return command(**given, how=how)

    own = inspect.signature(command, eval_str=True).parameters.values()
    options = [
        inspect.Parameter(
            each.name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=Annotated[each.type | None, _option(each)]
        )
        for each in PRINT_OPTIONS
    ]
    parameters = [each.replace(kind=inspect.Parameter.KEYWORD_ONLY) for each in own]
    at = [each.name for each in parameters].index("how")
    signature = inspect.Signature([*parameters[:at], *options, *parameters[at + 1 :]], return_annotation=int)
    wrapped.__signature__ = signature  # type: ignore[attr-defined]  # typer reads the options from it
    wrapped.__annotations__ = {name: each.annotation for name, each in signature.parameters.items()} | {"return": int}
    return wrapped


def _option(option: PrintOption) -> Any:
    names = f"--{option.name}/--no-{option.name}" if option.type is bool else f"--{option.name}"
    return typer.Option(names, metavar=option.shown.metavar or None, help=option.shown.help)
