"""`helio show FILE`: how a picture of a figure was made, and how to make it again."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING

from helio_dagster.cli.options import settings_from_environment
from helio_dagster.cli.terminal import write, write_json_text
from helio_dagster.domain.errors import HelioError, InputError

if TYPE_CHECKING:
    from helio_dagster.figures.origin import FigureOrigin

_SAME = "as in this home"


def show_picture(path: Path, *, as_yaml: bool, as_json: bool) -> int:
    """Print what a picture says of itself; with `as_yaml`, only the pipeline that made it."""
    from helio_dagster.figures.origin import read_origin

    found = read_origin(path)
    if as_yaml:
        if not found.pipeline_file:
            raise InputError(f"{path} holds no pipeline", hint="helio show FILE prints what it does hold.")
        write(found.pipeline_file)
    elif as_json:
        write_json_text(found.model_dump_json())
    else:
        write("\n".join(_lines(path, found)) + "\n")
    return 0


def _lines(path: Path, found: FigureOrigin) -> list[str]:
    at_home = _at_home(found)
    facts = {
        "pipeline": f"{found.pipeline} ({found.pipeline_sha[:12]}; {at_home})",
        "step": found.step,
        "range": f"{found.start} to {found.stop} UTC",
        **({"event": found.event} if found.event else {}),
        "made by": found.made_by,
    }
    lines = [str(path), *(f"  {name:10}{value}" for name, value in facts.items())]
    lines += [f"  {'data' if not number else '':10}{each.words()}" for number, each in enumerate(found.datasets)]
    again = f"helio run {found.pipeline} --event {shlex.quote(found.event)}"
    if not found.event:
        again = f"helio figure {found.pipeline}/{found.step} {found.start} {found.stop}"
    lines.append(f"  {'again':10}{again}")
    if found.pipeline_file and at_home != _SAME:
        file = f"{found.pipeline}.yaml"
        lines.append(f"  {'':10}first: helio show {shlex.quote(str(path))} --yaml > {file}")
        lines.append(f"  {'':10}read it, then: helio pipelines import {file}")
    return lines


def _at_home(found: FigureOrigin) -> str:
    """How this home's pipeline of that name compares."""
    from helio_dagster.domain.pipeline_text import pipeline_sha
    from helio_dagster.launch.home import Home

    try:
        known = Home(settings_from_environment()).files.get(found.pipeline)
    except HelioError:
        known = None
    if known is None:
        return "not in this home"
    return _SAME if pipeline_sha(known.pipeline) == found.pipeline_sha else "this home's is another version"
