"""`helio pipelines fork`: copy a pipeline under another name, optionally with other datasets."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from helio_dagster.cli.options import AsJson, settings_from_environment
from helio_dagster.cli.pipelines.commit_line import commit_line
from helio_dagster.cli.terminal import confirm, write, write_json
from helio_dagster.domain.errors import AnswerNeeded

if TYPE_CHECKING:
    from helio_dagster.launch.library.dataset_facts import Measured
    from helio_dagster.launch.library.pipeline_fork import Fork
    from helio_dagster.storage.pipeline_commits import Commit


def fork(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Name of a pipeline, or path to its file.")],
    new: Annotated[str, typer.Argument(metavar="NEW", help="Name of the copy.")],
    mission: Annotated[
        list[str] | None,
        typer.Option(
            "--mission",
            metavar="[OLD=]NEW",
            help="Fetch the same quantities from this mission; give OLD if the pipeline uses several missions.",
        ),
    ] = None,
    dataset: Annotated[
        list[str] | None,
        typer.Option("--dataset", metavar="OLD=DATASET/PARAMETER", help="Fetch this instead; OLD is a dataset or a step."),
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Save the proposal without asking.")] = False,
    as_json: AsJson = False,
) -> int:
    """Copy a pipeline under another name, for another mission or with other datasets; the copy is not approved."""
    from helio_dagster.launch.home import Home
    from helio_dagster.launch.library.pipeline_fork import plan_fork
    from helio_dagster.storage.pipeline_commits import commit_change

    home = Home(settings_from_environment())
    copied = home.library.load(name)
    planned = plan_fork(home, copied, new, missions=mission or (), datasets=dataset or ())
    if not as_json:
        _print(planned)
    is_agreed = yes or not planned.is_proposal or (not as_json and _agrees(planned))
    made: Commit | None = None
    if is_agreed:
        path = home.library.save(new, planned.file.text)
        made = commit_change(home.settings, f"copy {copied.pipeline.name} as {new}", [path])
    if as_json:
        write_json(_as_json(planned, is_saved=is_agreed))
    elif is_agreed:
        write(f"Saved, not approved: {planned.path}\n{commit_line(made)}")
    return 0 if is_agreed else AnswerNeeded.exit_code


def _agrees(planned: Fork) -> bool:
    question = f"Save {planned.path}?"
    if not sys.stdin.isatty():
        raise AnswerNeeded(question, hint="Nothing was saved. Add --yes.")
    if not confirm(question):
        raise AnswerNeeded("nothing was saved", hint="Answer yes to save it, or name datasets with --dataset.")
    return True


def _print(planned: Fork) -> None:
    for each in planned.replacements:
        write(f"{each.words}\n")
        for loss in each.losses:
            write(f"  does not carry over: {loss}\n")
        if each.remarks:
            write(f"  {'; '.join(each.remarks)}\n")
    for kept in planned.kept:
        write(f"{kept}\n")
    for note in planned.notes:
        write(f"note: {note}\n")


def _as_json(planned: Fork, *, is_saved: bool) -> dict[str, object]:
    return {
        "status": "saved" if is_saved else "question",
        "name": planned.file.pipeline.name,
        "path": str(planned.path),
        "replacements": [
            {
                "step": each.step,
                "old": _facts(each.old),
                "new": _facts(each.new),
                "losses": each.losses,
                "remarks": each.remarks,
            }
            for each in planned.replacements
        ],
        "kept": planned.kept,
        "notes": planned.notes,
        "text": planned.file.text,
    }


def _facts(measured: Measured) -> dict[str, object]:
    from helio_dagster.domain.time_range import format_duration

    facts = {"mission": measured.mission, "quantity": measured.quantity, "unit": measured.unit, "frame": measured.frame}
    cadence = format_duration(measured.cadence) if measured.cadence else None
    return measured.fetch.model_dump() | facts | {"cadence": cadence}
