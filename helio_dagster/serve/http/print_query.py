"""The options of printed figures as parameters of a query."""

from __future__ import annotations

import inspect
from typing import Annotated, Any, cast

from fastapi import Query

from helio_dagster.domain.print_options import PRINT_OPTIONS, PrintOptions

_LONGEST = 40


def print_query(**given: Any) -> PrintOptions:
    """The options that a query gives."""
    return cast("PrintOptions", given)


def _parameter(name: str, of_type: type, said: str) -> inspect.Parameter:
    query = Query(max_length=_LONGEST, description=said) if of_type is str else Query(description=said)
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=Annotated[of_type | None, query])


_SIGNATURE = inspect.Signature([_parameter(each.name, each.type, each.shown.help) for each in PRINT_OPTIONS])
print_query.__signature__ = _SIGNATURE  # type: ignore[attr-defined]  # FastAPI reads the parameters from it
