"""`helio kernels`: the SPICE kernels of the home."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated

import typer

from helio_dagster.cli.options import AsJson, settings_from_environment
from helio_dagster.cli.terminal import write, write_error, write_json
from helio_dagster.domain.amounts import counted, readable_size

if TYPE_CHECKING:
    from helio_dagster.launch.upkeep.kernels import CachedKernel

_SHOWN = 4


def list_kernels(as_json: AsJson = False) -> int:
    """List the downloaded kernels, with bodies and times that they hold."""
    from helio_dagster.launch.upkeep.kernels import list_kernels as listed
    from helio_dagster.resources.workbench import Workbench

    with Workbench(settings_from_environment()) as workbench:
        found = listed(workbench)
    if as_json:
        write_json({"kernels": [kernel.model_dump() for kernel in found]})
        return 0
    if not found:
        write("No kernels yet. A run that fetches from archive: spice downloads those it needs.\n")
    for kernel in found:
        write("".join(f"{line}\n" for line in _lines(kernel)))
    return 0


def refresh(
    bodies: Annotated[
        list[str] | None,
        typer.Argument(metavar="[BODY]...", help="Bodies such as PSP; default: those with downloaded kernels."),
    ] = None,
    as_json: AsJson = False,
) -> int:
    """Ask the servers for newer kernels. A run with --refresh then remakes what they change."""
    from helio_dagster.launch.upkeep.kernels import refresh_kernels
    from helio_dagster.resources.workbench import Workbench

    with Workbench(settings_from_environment()) as workbench:
        found = refresh_kernels(workbench, bodies or [])
    if as_json:
        write_json({"bodies": [each.model_dump() for each in found]})
    else:
        for each in found:
            write(f"{each.body}: {counted(len(each.listed), 'kernel')} listed, {len(each.new)} not downloaded\n")
            write("".join(f"  {name}\n" for name in each.new))
            if each.error:
                write_error(f"{each.body}: {each.error}\n")
    return 1 if any(each.error for each in found) else 0


def remove(
    names: Annotated[list[str], typer.Argument(metavar="NAME...", help="Names of kernels, as `helio kernels ls` shows them.")],
    as_json: AsJson = False,
) -> int:
    """Delete downloaded kernels. A run that needs one downloads it again."""
    from helio_dagster.launch.upkeep.kernels import remove_kernels
    from helio_dagster.resources.workbench import Workbench

    with Workbench(settings_from_environment()) as workbench:
        gone = remove_kernels(workbench, names)
    if as_json:
        write_json({"deleted": gone})
    else:
        write(f"Deleted {', '.join(gone)}.\n")
    return 0


def _lines(kernel: CachedKernel) -> list[str]:
    lines = [f"{kernel.name}  {readable_size(kernel.size)}  {kernel.last_modified or 'undated'}  {kernel.quality}".rstrip()]
    if kernel.problem:
        lines.append(f"  damaged: {kernel.problem}")
    lines += [f"  {held['body']}  {held['start']} to {held['stop']}" for held in kernel.holds[:_SHOWN]]
    if len(kernel.holds) > _SHOWN:
        lines.append(f"  and {len(kernel.holds) - _SHOWN} more")
    return lines


kernel_commands: dict[str, Callable[..., int]] = {"ls": list_kernels, "refresh": refresh, "rm": remove}
