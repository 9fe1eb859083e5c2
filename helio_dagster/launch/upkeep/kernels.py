"""The kernels in a home's cache: listing what they hold, asking the servers for newer ones, removing them."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from helio_dagster.archives.files.cache import archive_folder, cached_files
from helio_dagster.archives.spice.messages import BINARY, OF_ATTITUDES, OF_PLACES, Covered, Kernel, KernelKind
from helio_dagster.archives.spice.reader import EphemerisReader
from helio_dagster.archives.spice.registry import KernelSource, sources
from helio_dagster.archives.spice.remote import RemoteKernels
from helio_dagster.archives.spice.selection import kernels_for
from helio_dagster.domain.bodies import BODIES, find_body
from helio_dagster.domain.did_you_mean import remedy
from helio_dagster.domain.ephemeris import SPICE_ARCHIVE
from helio_dagster.domain.errors import CorruptFile, HelioError, InputError
from helio_dagster.domain.report import Fact
from helio_dagster.domain.time_range import EARLIEST, LATEST, TimeRange
from helio_dagster.resources.workbench import Workbench
from helio_dagster.storage.home_lock import occupied


class CachedKernel(Fact):
    """A kernel of the cache: where it came from, its size and date, what it holds, and whether that is predicted."""

    name: str
    url: str
    last_modified: str
    size: int
    quality: str
    holds: list[dict[str, Any]]
    problem: str = ""


class NewKernels(Fact):
    """What the servers list for a body, without what is superseded, and how much of it is not in the cache."""

    body: str
    listed: list[str]
    new: list[str]
    error: str = ""


def list_kernels(workbench: Workbench) -> list[CachedKernel]:
    """The kernels in the cache, in order of name.

    What binary ones hold is read with CSPICE; a damaged one is listed with its problem.
    """
    found = []
    files = _cached(workbench)
    leaps = [path for url, _, path in files if url.endswith(".tls")]
    clocks = {source.bodies: path for url, _, path in files if (source := _source_of(url)) and source.kind == "sclk"}
    for url, date, path in files:
        source = _source_of(url)
        kernel = CachedKernel(
            name=url.rpartition("/")[2],
            url=url,
            last_modified=date,
            size=path.stat().st_size,
            quality=source.quality if source is not None and source.kind in BINARY else "",
            holds=[],
        )
        if source is not None and source.kind in BINARY and leaps:
            needed: list[tuple[KernelKind, Path]] = [("lsk", leaps[-1])]
            if source.bodies in clocks:
                needed.append(("sclk", clocks[source.bodies]))
            if source.kind == "spk" or len(needed) > 1:
                kernel = _with_content(kernel, [*needed, (source.kind, path)], workbench.workers.ephemerides)
        found.append(kernel)
    return sorted(found, key=lambda each: (each.name, each.last_modified))


def refresh_kernels(workbench: Workbench, names: Iterable[str]) -> list[NewKernels]:
    """Ask the servers which kernels there are now; nothing is downloaded before a run needs it.

    Parameters
    ----------
    workbench
        The home's parts.
    names
        Bodies; where none is given, all those of which the cache holds a kernel. Attitudes are asked for where it holds one of
        the body.

    Raises
    ------
    UnknownDataset
        A body is not known.
    """
    settings = workbench.settings
    wanted = [find_body(name, of_demo=False).name for name in names] or _bodies_in(workbench)
    remote = RemoteKernels(settings.cache, mirror=settings.spice_url, settings=workbench.transfers)
    try:
        known = [source for url, _, _ in _cached(workbench) if (source := _source_of(url)) is not None]
        turned = {body for source in known if source.kind == "ck" for body in source.bodies}
        return [_asked(remote, body, OF_PLACES + (OF_ATTITUDES if body in turned else ())) for body in wanted]
    finally:
        remote.close()


def remove_kernels(workbench: Workbench, names: Iterable[str]) -> list[str]:
    """Delete kernels from the cache, with those that were put aside; a run that needs one downloads it again.

    Raises
    ------
    InputError
        The cache holds no kernel of a name.
    StorageError
        A run is under way in the home.
    """
    folder = archive_folder(workbench.settings.cache, SPICE_ARCHIVE)
    known = {url.rpartition("/")[2] for url, _, _ in _cached(workbench)}
    wanted = list(names)
    for name in wanted:
        if name not in known:
            hint = remedy(name, sorted(known), what="kernels in the cache")
            raise InputError(f"the cache holds no kernel {name[:120]!r}", hint=hint)
    with occupied(workbench.settings.home, alone=True):
        for url, _, paths in list(cached_files(folder)):
            if url.rpartition("/")[2] in wanted:
                for path in paths:
                    path.unlink(missing_ok=True)
    return wanted


def _cached(workbench: Workbench) -> list[tuple[str, str, Path]]:
    folder = archive_folder(workbench.settings.cache, SPICE_ARCHIVE)
    return [(url, date, paths[0]) for url, date, paths in cached_files(folder) if url and paths] if folder.is_dir() else []


def _source_of(url: str) -> KernelSource | None:
    folder, _, name = url.rpartition("/")
    bodies = [body.name for body in BODIES]
    return next(
        (source for source in sources("kernels") if source.folder == f"{folder}/" and source.span(name, bodies) is not None),
        None,
    )


def _bodies_in(workbench: Workbench) -> list[str]:
    found = [source for url, _, _ in _cached(workbench) if (source := _source_of(url)) is not None]
    return list(dict.fromkeys(body for source in found for body in source.bodies if body != "*")) or ["EARTH"]


def _with_content(kernel: CachedKernel, files: Iterable[tuple[KernelKind, Path]], reader: EphemerisReader) -> CachedKernel:
    kernels = [Kernel(path=str(path), name=path.name, kind=kind, quality="reconstructed") for kind, path in files]
    try:
        return kernel.model_copy(update={"holds": [_held(each) for each in reader.cover(kernels)]})
    except CorruptFile as error:
        return kernel.model_copy(update={"problem": error.problem})


def _held(covered: Covered) -> dict[str, Any]:
    body = next((body.name for body in BODIES if body.naif_id == covered.body), None)
    turned = next((body.name for body in BODIES if body.axes and 1000 * body.naif_id == covered.body), None)
    start, stop = (str(np.datetime64(at, "ns").astype("datetime64[s]")) + "Z" for at in (covered.start_ns, covered.stop_ns))
    return {"body": body or (f"{turned} attitude" if turned else str(covered.body)), "start": start, "stop": stop}


def _asked(remote: RemoteKernels, body: str, kinds: tuple[KernelKind, ...]) -> NewKernels:
    listed: list[str] = []
    new: list[str] = []
    try:
        for source in remote.sources:
            if source.kind in kinds and source.serves((body,)):
                for kernel in kernels_for(remote.list_kernels(source, (body,)), TimeRange(EARLIEST, LATEST)):
                    listed.append(kernel.file.name)
                    if not remote.is_at_hand(kernel.file):
                        new.append(kernel.file.name)
    except HelioError as error:
        return NewKernels(body=body, listed=listed, new=new, error=str(error))
    return NewKernels(body=body, listed=listed, new=new)
