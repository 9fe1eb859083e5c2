"""Answers of `--check`: one line and an exit code, for health checks of containers."""

from __future__ import annotations

from collections.abc import Callable

from helio_dagster.cli.terminal import write, write_error
from helio_dagster.domain.errors import HelioError


def checked(look: Callable[[], str]) -> int:
    """0 and what was found on standard output; 1 and what is wrong on standard error.

    Parameters
    ----------
    look
        Says what is well, or raises HelioError.
    """
    try:
        found = look()
    except HelioError as error:
        write_error(f"{error.problem}\n")
        return 1
    write(f"{found}\n")
    return 0
