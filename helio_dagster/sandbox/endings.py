"""Why a call gave no result, in one clear message: what, where, what to do."""

from __future__ import annotations

import signal
from collections.abc import Mapping
from dataclasses import dataclass

import pandas as pd

from helio_dagster.domain.errors import CodeError, CodeStopped, ComputeError
from helio_dagster.sandbox.limits import SandboxLimits
from helio_dagster.sandbox.replies import Forged, Report, plain_text
from helio_dagster.sandbox.wire import Ending

_COLUMNS_SHOWN = 8
_MOST_SHOWN = 400
_MOST_NAME = 60


@dataclass(frozen=True)
class Called:
    """What was asked of the sandbox, and what the code printed."""

    body: str
    inputs: Mapping[str, pd.DataFrame]
    name: str
    limits: SandboxLimits
    printed: str


def error_of(report: Report | None, ending: Ending, forged: Forged | None, call: Called) -> ComputeError:
    """The error that a call without a result is.

    Parameters
    ----------
    report
        What the process said, if it did.
    ending
        How it ended.
    forged
        Why what it left cannot be read, if it cannot.
    call
        What it was to do.
    """
    if report is None:
        return _violent_error(ending, forged, call)
    limits, lines = call.limits, call.body.split("\n")
    line = report.line if report.line <= len(lines) else 0
    where = f"step {call.name}, line {line}" if line else f"step {call.name}"
    text = _shortened(report.text)
    if report.outcome == "memory":
        return _stopped("memory_bytes", f"it asked for more than {limits.memory_bytes} bytes of memory", where, limits)
    if report.outcome in ("result_bytes", "result_columns"):
        hint = f"{report.hint} The limit is the setting {report.outcome} = {getattr(limits, report.outcome)}."
        return CodeStopped(text, where=where, hint=_shortened(hint), limit=report.outcome)
    hint = _shortened(report.hint)
    problem = text
    if report.outcome == "raised":
        problem = f"{_shortened(report.kind)}: {text}" if text else _shortened(report.kind)
        hint = _hint_of(report.kind)
    elif report.outcome == "unseeded":
        hint = "Give a seed: np.random.default_rng(0), or random_state=0."
    elif report.outcome == "unreadable":
        problem, hint = f"the code is not valid Python: {text}", "It is a function body: statements, then return."
    source = _shortened(lines[line - 1]) if line else ""
    return CodeError(problem, where=where, hint=hint, line=line, source=source, inputs=describe_inputs(call.inputs))


def describe_inputs(inputs: Mapping[str, pd.DataFrame]) -> str:
    """What inputs look like, a line each: shape, columns, units, frame, span."""
    return "\n".join(_describe(name, frame) for name, frame in inputs.items())


def _describe(name: str, frame: pd.DataFrame) -> str:
    units = frame.attrs.get("units")
    own = units if isinstance(units, dict) else {}
    columns = [
        _shortened(f"{label} [{own[label]}]" if own.get(label) else str(label), most=_MOST_NAME)
        for label in frame.columns[:_COLUMNS_SHOWN]
    ]
    if len(frame.columns) > _COLUMNS_SHOWN:
        columns.append(f"and {len(frame.columns) - _COLUMNS_SHOWN} more")
    coordinates = frame.attrs.get("frame")
    place = f", frame {_shortened(coordinates, most=_MOST_NAME)}" if isinstance(coordinates, str) else ""
    span = f", {frame.index[0]} to {frame.index[-1]}" if len(frame) else ", empty"
    return f"{name}: {len(frame)} records x {len(frame.columns)} ({', '.join(columns)}){place}{span}"


def _violent_error(ending: Ending, forged: Forged | None, call: Called) -> ComputeError:
    where, limits = f"step {call.name}", call.limits
    if ending.is_timed_out:
        return _stopped("wall_s", f"it did not end within {limits.wall_s:g} s", where, limits)
    is_cpu_used = ending.exit_code == -signal.SIGKILL and ending.cpu_s >= limits.cpu_s
    if ending.exit_code == -signal.SIGXCPU or is_cpu_used:
        return _stopped("cpu_s", f"it used more than {limits.cpu_s:g} s of processor time", where, limits)
    if ending.exit_code == -signal.SIGKILL:
        return _stopped("memory_bytes", "the machine ran out of memory for it", where, limits)
    if ending.exit_code < 0:
        problem = f"the code's process crashed ({_signal_name(-ending.exit_code)})"
        hint = "Look for endless recursion, or for arrays of a size or type that a library does not expect."
    elif forged is not None and ending.exit_code == 0:
        problem = f"the code's process ended without a result: {_shortened(str(forged))}"
        hint = "The code must return, and leave its process alone."
    else:
        problem = f"the code ended its process with exit code {ending.exit_code}"
        hint = f"The code must return. {_last_line(call.printed)}".strip()
    return CodeError(problem, where=where, hint=hint, inputs=describe_inputs(call.inputs))


def _stopped(limit: str, problem: str, where: str, limits: SandboxLimits) -> CodeStopped:
    hint = f"Make the code do less at once, or raise the setting {limit} = {getattr(limits, limit)}."
    return CodeStopped(f"the code was stopped: {problem}", where=where, hint=hint, limit=limit)


def _hint_of(kind: str) -> str:
    if kind == "PermissionError":
        return "Code computes on its inputs; files, programs and the network are closed to it."
    if kind == "RecursionError":
        return "The code calls itself without end."
    return ""


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _last_line(printed: str) -> str:
    lines = printed.strip().splitlines()
    return f"It printed last: {_shortened(lines[-1])}" if lines else ""


def _shortened(text: str, *, most: int = _MOST_SHOWN) -> str:
    text = " ⏎ ".join(line.replace("\t", " ") for line in plain_text(text).splitlines())  # a line more could pass for another's
    return text if len(text) <= most else f"{text[:most]}…"
