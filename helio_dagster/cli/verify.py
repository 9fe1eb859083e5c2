"""`helio verify`: remake partitions in a temporary folder and compare them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from helio_dagster.cli.bundle import is_bundle, verify_bundle
from helio_dagster.cli.on_server import OnServer, verified_there
from helio_dagster.cli.options import AsJson, PipelineName, Times, Verbose, settings_of_record, span_from_words
from helio_dagster.cli.terminal import write_error, write_json_text
from helio_dagster.domain.amounts import counted
from helio_dagster.domain.errors import InputError

if TYPE_CHECKING:
    from helio_dagster.cli.console import Console
    from helio_dagster.domain.verify_report import Verdict, VerifyReport

MOST_SHOWN = 12
"""Maximum number of partitions that are named individually."""
VERDICTS: tuple[Verdict, ...] = ("same", "differs", "not_stored", "not_redone")


def verify(
    pipeline: PipelineName,
    times: Times = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Run a bundle's own code without asking.")] = False,
    sha256: Annotated[
        str, typer.Option("--sha256", metavar="HASH", help="Run a bundle's own code if the bundle has this hash.")
    ] = "",
    without_archives: Annotated[
        bool, typer.Option("--without-archives", help="Take what was fetched from the bundle, and make the rest again.")
    ] = False,
    on: OnServer = None,
    as_json: AsJson = False,
    verbose: Verbose = False,
) -> int:
    """Recompute PIPELINE from START to STOP in a temporary folder and compare it with what is stored.

    Given a bundle instead (a folder or .zip file that `helio bundle` wrote), make its results again and compare each file.
    """
    if on is None and is_bundle(pipeline):
        if times:
            raise InputError("a bundle has its own range", hint="Leave the range out.")
        return verify_bundle(
            Path(pipeline),
            is_agreed=yes,
            sha256=sha256,
            without_archives=without_archives,
            as_json=as_json,
            is_verbose=verbose,
        )
    if yes or sha256 or without_archives:
        raise InputError("--yes, --sha256 and --without-archives belong to a bundle", hint="Leave them out.")
    if on is not None:
        report = verified_there(on, pipeline, times, is_verbose=verbose)
    else:
        report = _verified_here(pipeline, times, is_verbose=verbose)
    if as_json:
        write_json_text(report.model_dump_json())
    else:
        from helio_dagster.cli.console import Console

        _print(report, Console(), is_verbose=verbose)
    return report.exit_code


def _verified_here(pipeline: str, times: Sequence[str] | None, *, is_verbose: bool) -> VerifyReport:
    from helio_dagster.cli.progress import RunProgress
    from helio_dagster.launch.home import Home
    from helio_dagster.launch.upkeep.verify import verify as launch
    from helio_dagster.resources.workbench import Workbench

    settings = settings_of_record()
    with Workbench(settings) as workbench:
        now = workbench.clock()
        opened = Home(settings).open(pipeline)
        request = opened.request(opened.asked_range(span_from_words(times, now) if times else None, now), now)
        write_error(f"{request.pipeline.name}: {request.span}\n")
        with RunProgress(request, is_verbose=is_verbose) as progress:
            return launch(request, workbench, listener=progress)


def _print(report: VerifyReport, console: Console, *, is_verbose: bool) -> None:
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("step")
    for verdict in VERDICTS:
        table.add_column(verdict.replace("_", " "), justify="right")
    for step in report.steps:
        counts = Counter(each.verdict for each in step.partitions)
        table.add_row(step.step, *(str(counts[verdict]) if counts[verdict] else "·" for verdict in VERDICTS))
    console.print(table)
    lines = [
        f"{step.step} {each.key or ''}".strip()
        + f": {each.verdict.replace('_', ' ')}"
        + (" in its file, not in its values" if each.same_values else "")
        + f": {'; '.join(each.why)}"
        for step in report.steps
        for each in step.partitions
        if each.why
    ]
    for line in lines if is_verbose else lines[:MOST_SHOWN]:
        console.print(f"  {line}", soft_wrap=True)
    if len(lines) > MOST_SHOWN and not is_verbose:
        console.print(f"  … and {len(lines) - MOST_SHOWN} more; -v shows all")
    console.print(conclusion(report))


def conclusion(report: VerifyReport) -> str:
    """One sentence: everything is the same, only files differ, or results do."""
    if report.status == "same":
        return "Everything stored was reproduced byte for byte."
    unlike = [each for step in report.steps for each in step.partitions if each.verdict in ("differs", "not_redone")]
    if all(each.same_values for each in unlike):
        verb = "differs" if len(unlike) == 1 else "differ"
        return f"All values were reproduced; {counted(len(unlike), 'file')} {verb} in other ways, as said above."
    return "Some results differ from the stored ones; the stored files were not changed."
