"""The outermost layer: reads the environment, returns the exit code, and turns every error into one clear message."""

from __future__ import annotations

import errno
import logging
import os
import re
import sys
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path

from helio_dagster.cli.signals import stop_in_order
from helio_dagster.cli.terminal import flush, write_error, write_json
from helio_dagster.domain.errors import HelioError, PipelineError
from helio_dagster.domain.shortage import shortage_of
from helio_dagster.domain.visible_text import visible
from helio_dagster.storage.atomic import has_remedy, storage_error

_CANNOT_BE_WRITTEN = (errno.ENOSPC, errno.EDQUOT, errno.EIO)
"""Errors of writing to standard output when its disk is full or its terminal is gone."""

_TAKES_A_REQUEST = ("plan", "chat")
_MINUS_WORD = re.compile(r"-(?![-ochy]|v$)|-[^-\s]*\s")
"""A word after one minus sign that is not an option of these commands, or has a space in it."""


def run_app(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code: 0 done, 1 failed, 2 wrong input, 3 a person must answer."""
    given = _with_requests(sys.argv[1:] if arguments is None else arguments)
    _quiet(is_verbose="-v" in given or "--verbose" in given)
    os.environ.setdefault("DAGSTER_EVENT_BATCH_SIZE", "1000")  # events of a run are written in batches
    stop_in_order()
    try:
        from helio_dagster.cli.app import app

        code = _run(app, given)
        flush()
    except (MemoryError, OSError, RuntimeError, ImportError, SystemError) as error:
        return _end_after(error, as_json="--json" in given)
    return code


def _with_requests(arguments: Sequence[str]) -> list[str]:
    """The arguments, with requests that begin with a minus sign (`-VxB`) protected from being read as options."""
    if not arguments or arguments[0] not in _TAKES_A_REQUEST:
        return list(arguments)
    return [f" {each}" if _MINUS_WORD.match(each) else each for each in arguments]


def _run(app: Callable[[list[str]], object], given: list[str]) -> int:
    try:
        app(given)
    except SystemExit as ending:
        return ending.code if isinstance(ending.code, int) else 0
    except HelioError as error:
        print_error(error, as_json="--json" in given)
        return error.exit_code
    return 0


def _end_after(error: Exception, *, as_json: bool) -> int:
    """The exit code after an error of the machine, which gets one message; a bug is raised again."""
    if isinstance(error, BrokenPipeError):
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115, PTH123 - keeps the interpreter's last flush silent
        return 1
    known = shortage_of(error) or _refusal_of(error)
    if known is not None:
        print_error(known, as_json=as_json)
        return known.exit_code
    if not isinstance(error, OSError) or error.errno not in _CANNOT_BE_WRITTEN or error.filename is not None:
        raise error
    sys.stdout = open(os.devnull, "w")  # noqa: SIM115, PTH123 - as above
    write_error(f"the output cannot be written: {error.strerror}\n")
    return 1


def _refusal_of(error: Exception) -> HelioError | None:
    """A file operation that the operating system refused, if a person can fix the cause."""
    if not isinstance(error, OSError) or error.filename is None or not has_remedy(error):
        return None
    return storage_error(error, Path(os.fsdecode(error.filename)))


def print_error(error: HelioError, *, as_json: bool) -> None:
    """Print one clear message on standard error; with `as_json`, also the facts as one document on standard output."""
    write_error(f"{error}\n")
    if as_json:
        facts: dict[str, object] = {"problem": error.problem, "where": error.where, "hint": error.hint}
        if isinstance(error, PipelineError):
            facts["problems"] = [vars(problem) for problem in error.problems]
        write_json({"error": facts})


def _log_handler(level: int) -> logging.Handler:
    handler = logging.StreamHandler(sys.stderr)
    handler.setLevel(level)
    handler.setFormatter(_CleanFormatter("%(message)s"))
    return handler


class _CleanFormatter(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        return visible(super().format(record))


def _quiet(*, is_verbose: bool) -> None:
    """Keep libraries from talking over our own messages."""
    level = logging.INFO if is_verbose else logging.WARNING
    logging.basicConfig(level=logging.ERROR, handlers=[_log_handler(level)])
    logging.getLogger("helio_dagster").setLevel(level)
    if not is_verbose:  # it prints a traceback where Ctrl-C comes while a connection is closed
        logging.getLogger("sqlalchemy.pool").setLevel(logging.CRITICAL)
    warnings.filterwarnings(
        "ignore", message=".*is currently in (beta|preview)"
    )  # Dagster's, about features we use deliberately
    os.environ.setdefault("PYDANTIC_AI_NO_BANNER", "1")  # printed before the first question to a model
    if not is_verbose:
        warnings.simplefilter("ignore")
