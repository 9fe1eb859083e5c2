"""`helio bundle`: results with all that made them, for a journal or a colleague; and their check on another machine."""

from __future__ import annotations

import re
import sys
import tempfile
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from textwrap import indent
from typing import TYPE_CHECKING, Annotated

import typer

from helio_dagster.cli.options import AsJson, PipelineName, Times, settings_from_environment, span_from_words
from helio_dagster.cli.terminal import confirm, write, write_error, write_json, write_json_text
from helio_dagster.domain.amounts import counted, readable_size
from helio_dagster.domain.errors import AnswerNeeded, InputError

if TYPE_CHECKING:
    from helio_dagster.launch.bundling.comparing import BundleReport


def bundle(
    pipeline: PipelineName,
    times: Times = None,
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", metavar="FOLDER|FILE.zip", help="Default: PIPELINE.zip.", show_default=False),
    ] = None,
    author: Annotated[list[str] | None, typer.Option("--author", metavar="NAME", help="An author; again for each.")] = None,
    license_text: Annotated[
        str, typer.Option("--license", metavar="URL", help="License of the results, such as an address at spdx.org.")
    ] = "",
    date: Annotated[
        str, typer.Option("--date", metavar="YYYY-MM-DD", help="Date of publication in the metadata. Default: today.")
    ] = "",
    force: Annotated[bool, typer.Option("--force", help="Replace an existing bundle.")] = False,
    as_json: AsJson = False,
) -> int:
    """Pack the results of PIPELINE from START to STOP with figures, pipeline, facts, versions, citations and methods."""
    from helio_dagster.launch.bundling.gathering import NO_LICENSE, Labels, gather
    from helio_dagster.launch.bundling.manifest import MANIFEST, sha256_of
    from helio_dagster.launch.bundling.packing import write_zip
    from helio_dagster.launch.home import Home
    from helio_dagster.resources.workbench import Workbench

    if date and not re.fullmatch(r"\d{4}-\d{2}-\d{2}", date):
        raise InputError(f"{date!r} is not a date", hint="Write it as 2024-05-31.")
    settings = settings_from_environment()
    with Workbench(settings) as workbench:
        home, now = Home(settings), workbench.clock()
        opened = home.open(pipeline)
        target = output or Path(f"{opened.pipeline.name}.zip")
        is_zip = target.suffix.casefold() == ".zip"
        if target.exists() and (not is_zip or not force):
            hint = "Give another -o, or --force to replace it." if is_zip else "Give a folder that does not exist yet."
            raise InputError(f"{target} already exists", hint=hint)
        has_partitions = any(node.grain is not None for node in opened.graph.of_pipeline(opened.pipeline).values())
        given = span_from_words(times, now) if times else None
        span = opened.asked_range(given, now) if has_partitions else None
        labels = Labels(date or f"{datetime.now(UTC):%Y-%m-%d}", license_text or NO_LICENSE, tuple(author or ()))
        target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".helio-bundle-", dir=target.parent) as scratch:
            folder = Path(scratch) / "bundle"
            folder.mkdir()
            manifest = gather(home, opened, span, workbench, folder, labels)
            sha256 = sha256_of(folder / MANIFEST)
            if is_zip:
                write_zip(folder, target)
            else:
                folder.rename(target)
    if as_json:
        write_json({"path": str(target), "sha256": sha256, **manifest.model_dump(mode="json")})
        return 0
    counts = Counter(each.kind.replace("_", " ") for each in manifest.files)
    size = sum(each.size for each in manifest.files)
    write(f"{target}: {counted(len(manifest.files), 'file')}, {readable_size(size)}\n")
    write("".join(f"  {kind}: {count}\n" for kind, count in counts.items()))
    if not counts["figure"]:
        write_error("It holds no figures: none are stored inside this range.\n")
    write(f"Check it on another machine: helio verify {target} --sha256 {sha256}\n")
    return 0


def verify_bundle(path: Path, *, is_agreed: bool, sha256: str, without_archives: bool, as_json: bool, is_verbose: bool) -> int:
    """Check a bundle, make its results again, and report each file; code of its own is run only if somebody agrees."""
    from helio_dagster.launch.bundling.remaking import BundledCode, refuse_code
    from helio_dagster.launch.bundling.remaking import verify_bundle as launch

    settings = settings_from_environment()
    write_error(f"{path}: checking its files and making its results again\n")

    def agree(code: BundledCode) -> None:
        if is_agreed:
            return
        if not sys.stdin.isatty():
            refuse_code(code)
        for name, text in code.parts.items():
            write(f"{name}:\n{indent(text.rstrip(), '  | ', lambda _: True)}\n")
        write(f"The bundle's hash is {code.sha256}.\n")
        if not confirm("This code comes with the bundle. Run it, confined?"):
            raise AnswerNeeded("nothing was run", hint="Run it again and agree, or give --yes.")

    report = launch(path, settings, agree=agree, sha256=sha256.strip().casefold(), without_archives=without_archives)
    if as_json:
        write_json_text(report.model_dump_json())
    else:
        _print(report, is_verbose=is_verbose)
    return report.exit_code


def is_bundle(name: str) -> bool:
    """Whether an argument of `helio verify` is a bundle rather than a pipeline."""
    path = Path(name)
    return path.suffix.casefold() == ".zip" or (path.is_dir() and (path / "manifest.json").is_file())


def _print(report: BundleReport, *, is_verbose: bool) -> None:
    for each in report.files:
        if is_verbose or each.verdict != "same bytes":
            write(f"{each.verdict:14}  {each.path}{f': {each.why}' if each.why else ''}\n")
    counts = Counter(each.verdict for each in report.files)
    write(f"{', '.join(f'{verdict}: {count}' for verdict, count in counts.items())}\n")
    if report.environment:
        versions = ", ".join(f"{name} {was} then, {now} here" for name, (was, now) in sorted(report.environment.items()))
        write(f"Other versions: {versions}\n")
    write(
        {
            "same": "All data, figures and facts were made again with the same values.\n",
            "differs": "Some results differ from those in the bundle.\n",
            "damaged": "The bundle is not what it was when it was written. Nothing was run.\n",
        }[report.status]
    )
