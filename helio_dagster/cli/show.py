"""`helio show`: show where a partition comes from."""

from __future__ import annotations

from pathlib import Path
from textwrap import indent
from typing import TYPE_CHECKING, Annotated, Any

import typer

from helio_dagster.cli.on_server import OnServer, served_by
from helio_dagster.cli.options import AsJson, Times, settings_from_environment
from helio_dagster.cli.terminal import write_json_text
from helio_dagster.domain.amounts import counted
from helio_dagster.domain.errors import InputError

if TYPE_CHECKING:
    from helio_dagster.cli.console import Console
    from helio_dagster.launch.credit.lineage import Origin


PICTURES = (".png", ".pdf", ".svg")
"""Suffixes of files that say how they were made."""


def show(
    asset: Annotated[
        str,
        typer.Argument(
            metavar="ASSET", help="<archive>/<dataset>/<parameter> or <pipeline>/<step>; or a PNG, PDF or SVG of a figure."
        ),
    ],
    times: Times = None,
    event: Annotated[
        str | None, typer.Option("--event", metavar="KEY", help="Of a pipeline over events, this one.", show_default=False)
    ] = None,
    on: OnServer = None,
    as_yaml: Annotated[bool, typer.Option("--yaml", help="For a picture: print the pipeline that made it.")] = False,
    as_json: AsJson = False,
) -> int:
    """Show what a partition of ASSET was made from, or which pipeline made a picture."""
    if asset.lower().endswith(PICTURES) and not times:
        from helio_dagster.cli.show_picture import show_picture

        if on is not None:
            raise InputError(
                f"{asset} is a file of this machine", where="--on", hint="Leave out --on: the file says how it was made."
            )
        return show_picture(Path(asset), as_yaml=as_yaml, as_json=as_json)
    if as_yaml:
        raise InputError("--yaml goes with a picture", hint="helio pipelines show NAME prints a pipeline.")
    from helio_dagster.cli.console import Console

    if on is not None:
        with served_by(on) as (remote, _):
            found = remote.origin(asset, *(times or []), event=event)
    else:
        found = _origin(asset, times or [], event)
    if as_json:
        write_json_text(found.model_dump_json())
    else:
        _print(found, Console())
    return 0


def _origin(asset: str, times: list[str], event: str | None) -> Origin:
    """The origin of a partition of this home."""
    from helio_dagster.launch.credit.lineage import origin
    from helio_dagster.launch.credit.partition_words import event_of, partition_of
    from helio_dagster.launch.home import Home
    from helio_dagster.launch.running.reading import find_asset
    from helio_dagster.resources.workbench import Workbench

    settings = settings_from_environment()
    home, workbench = Home(settings), Workbench(settings)
    node = find_asset(home.graph, asset, store=workbench.store)
    partition = partition_of(node, times, workbench.clock()) if event is None else event_of(node, event, times)
    approved = home.files[node.pipeline].pipeline.approved if node.pipeline in home.files else None
    return origin(home.graph, node, partition, workbench, approved)


def _print(found: Origin, console: Console) -> None:
    from helio_dagster.assets.range_results import STAMP  # tells a program alone something

    what = ", ".join(part for part in (f"{counted(found.rows, 'record')}", found.unit, found.frame or "") if part)
    approval = f"{found.approved.by}, {found.approved.at:%Y-%m-%d}" if found.approved else "not recorded in the file"
    facts = {
        found.status: what,
        **({"maturity": f"{found.maturity} data, not definitive"} if found.maturity else {}),
        **({"warning": "\n".join(found.warnings)} if found.warnings else {}),
        **({"open": f"complete up to {found.open_until}"} if found.open_until else {}),
        **({"replaced": found.replaced} if found.replaced else {}),
        **({"extent": found.extent} if found.extent else {}),
        **({"axes": "\n".join(found.axes)} if found.axes else {}),
        "data version": found.data_version,
        "code version": found.code_version,
        "made": f"{found.made_at or 'not recorded'} in run {found.run_id or 'unknown'}",
        **{_NAMES.get(name, name): _made_by(name, each) for name, each in found.made_by.items() if name != STAMP},
        **found.versions,
        "approved": approval,
        **({"expected": "\n".join(found.expected)} if found.expected else {}),
        **({"printed": found.printed} if found.printed else {}),
    }
    lines = [f"{found.asset} {found.partition or ''}".strip(), *(_fact(name, str(value)) for name, value in facts.items())]
    for asset, partitions in found.inputs.items():
        listed = ", ".join(
            f"{'' if key == 'null' else f'{key} '}{version[:12] if version else 'absent'}"
            for key, version in partitions.items()
        )
        lines.append(f"  {'made from':14}{asset}: {listed}")
    lines += [f"  {'archive files':14}{len(found.sources)}", *(f"    {_file(source)}" for source in found.sources)]
    for line in lines:
        console.print(line, soft_wrap=True)


_NAMES = {"partitions": "made over"}
"""What to call those entries of a provenance that are named for programs."""


def _made_by(name: str, value: Any) -> Any:
    """An entry of a provenance in words."""
    if name == "excluded":
        return _excluded(value)
    if name == "partitions":
        keys = list(value)
        return f"{counted(len(keys), 'partition')}: {keys[0]}" + (f" to {keys[-1]}" if len(keys) > 1 else "")
    return value


def _fact(name: str, value: str) -> str:
    """One line, or several with the same indent."""
    return f"  {name:14}" + indent(value.rstrip(), " " * 16)[16:]


def _excluded(found: dict[str, Any]) -> str:
    """What exclusions took away, in words."""
    lists = ", ".join(name.rsplit("/", 1)[-1] for name in found["lists"])
    return f"{found['records']:,} of {counted(found['of'], 'record')}, {found['share_of_time']:.1%} of the time ({lists})"


def _file(source: dict[str, Any]) -> str:
    date = "" if source["last_modified"] == source["sha256"] else f"{source['last_modified']}  "
    return f"{source['name']}  {source['size']:,} bytes  {date}sha256 {source['sha256'][:16]}"
