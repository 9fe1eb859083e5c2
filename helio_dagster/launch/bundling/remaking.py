"""Make a bundle's results again on this machine, in a temporary home, and compare them file by file."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from helio_dagster.assets.outcomes import Outcome
from helio_dagster.domain.bundle import item_of, pack
from helio_dagster.domain.errors import AnswerNeeded, InputError
from helio_dagster.domain.pipeline_text import parse_pipeline
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.launch.bundling.comparing import BundleReport, compare, damaged_files, status_of
from helio_dagster.launch.bundling.gathering import Labels, environment, gather
from helio_dagster.launch.bundling.inputs import bring_inputs, require_inputs
from helio_dagster.launch.bundling.manifest import MANIFEST, Manifest, read_manifest, sha256_of
from helio_dagster.launch.bundling.packing import opened_bundle
from helio_dagster.launch.home import Home
from helio_dagster.launch.library.pipeline_exchange import bring
from helio_dagster.launch.running.run import run
from helio_dagster.launch.upkeep.reindex import reindex
from helio_dagster.resources.workbench import Workbench
from helio_dagster.storage.settings import Settings

Listener = Callable[[str, str | None, Outcome], None]


@dataclass(frozen=True)
class BundledCode:
    """Code that a bundle's pipelines run, by where it stands, and the hash of the manifest, which covers all of the bundle."""

    parts: Mapping[str, str]
    sha256: str


_WITH_CODE = ("pipeline", "operation")
Agree = Callable[[BundledCode], None]
"""Asked before code from a bundle is run; raises AnswerNeeded where nobody agrees."""


def refuse_code(code: BundledCode) -> None:
    """Agree to no code at all; AnswerNeeded."""
    hint = f"Read it, then add --yes; or give --sha256 {code.sha256}, if whoever made the bundle told you this hash."
    raise AnswerNeeded(f"the bundle has code of its own ({', '.join(code.parts)}), and nobody agreed to run it", hint=hint)


def verify_bundle(
    bundle: Path,
    settings: Settings,
    *,
    listener: Listener | None = None,
    agree: Agree = refuse_code,
    sha256: str = "",
    without_archives: bool = False,
) -> BundleReport:
    """Check a bundle against its own hashes, make its results again from the archives, and compare.

    Parameters
    ----------
    bundle
        A folder or zip file that `helio bundle` wrote, from whomever.
    settings
        This machine's home, whose cache of archive files is used and added to; all else of it stays as it is.
    listener
        Called for every settled partition.
    agree
        Asked before any code of the bundle is run, if it has some.
    sha256
        The hash that its manifest must have; code of a bundle of that hash is run without asking.
    without_archives
        Take what was fetched from the bundle, and make again what was computed from it.

    Raises
    ------
    AnswerNeeded
        It has code, and nobody agrees to run it.
    InputError
        It is not a bundle, or not the one of the hash, or its pipeline is refused as `helio pipelines import` would refuse it.
    """
    with opened_bundle(bundle) as folder, tempfile.TemporaryDirectory(prefix="helio-verify-") as scratch:
        manifest = read_manifest(folder)
        if sha256 and sha256 != (found := sha256_of(folder / MANIFEST)):
            raise InputError(f"the bundle has the hash {found}, not {sha256[:80]}", hint="It is not the one you expected.")
        reports = damaged_files(folder, manifest)
        if not reports:
            own = replace(settings, own_files=())
            own = _new_home(own, Path(scratch), shares_cache=not without_archives)
            _bring(folder, manifest, own, None if sha256 else agree)
            if without_archives:
                bring_inputs(folder, manifest, own)
            again = _remade(manifest, own, Path(scratch) / "bundle", listener, is_reindexed=without_archives)
            reports = compare(folder, manifest, Path(scratch) / "bundle", again)
        return BundleReport(
            bundle=str(bundle),
            pipeline=manifest.pipeline,
            start=manifest.start,
            stop=manifest.stop,
            status=status_of(reports),
            files=tuple(reports),
            environment=_other_versions(folder),
        )


def _new_home(settings: Settings, scratch: Path, *, shares_cache: bool) -> Settings:
    home = scratch / "home"
    home.mkdir()
    if shares_cache:
        settings.cache.mkdir(parents=True, exist_ok=True)
        (home / "cache").symlink_to(settings.cache.resolve())
    own = replace(settings, home=home, pipelines=home / "pipelines", postgres=None, dispatch=None, commit_pipelines=False)
    return replace(own, tables=None)


def _bring(folder: Path, manifest: Manifest, own: Settings, agree: Agree | None) -> None:
    """Put pipelines, operations, lists and files of one's own where the new home has them."""
    kinds = ("pipeline", "operation", "list")
    library = [each.path for each in manifest.files if each.kind in kinds]
    items = [item_of(path, (folder / path).read_bytes(), file=str(folder)) for path in library]
    code = _code_of(folder, manifest)
    if code.parts and agree is not None:
        agree(code)  # before anything is brought: the examples of saved operations are run then
    refused = [each for each in bring(Home(own), pack(items), file=str(folder)) if each.state == "refused"]
    if refused:
        raise InputError(f"{refused[0].name} in the bundle is refused: {refused[0].why}", hint="Nothing was run.")
    for each in manifest.files:
        if each.kind == "own_file":
            _put(folder / each.path, own.pipelines, each.path)


def _remade(manifest: Manifest, own: Settings, target: Path, listener: Listener | None, *, is_reindexed: bool) -> Manifest:
    """Make the results in the new home and bundle them; `is_reindexed` where stored partitions were put into it."""
    with Workbench(own) as workbench:
        opened, now = Home(own).open(manifest.pipeline), workbench.clock()
        span = None
        if manifest.start:
            span = TimeRange(_moment(manifest.start), _moment(manifest.stop))
            if is_reindexed:
                require_inputs(opened, manifest)
                reindex(opened.graph, workbench)
            run(opened.request(span, now), workbench, listener=listener)
        labels = Labels(manifest.published, manifest.license, manifest.authors)
        return gather(Home(own), opened, span, workbench, target, labels)


def _code_of(folder: Path, manifest: Manifest) -> BundledCode:
    """The code of all pipelines and saved operations of a bundle; what cannot be read is refused later, without being run."""
    parts: dict[str, str] = {}
    for each in manifest.files:
        text = (folder / each.path).read_text(encoding="utf-8", errors="replace") if each.kind in _WITH_CODE else ""
        if each.kind == "operation":
            parts[each.path] = text
        if each.kind == "pipeline":
            with suppress(InputError):
                pipeline = parse_pipeline(text, file=each.path).pipeline
                computed = [(step.id, step.compute.code) for step in pipeline.steps if step.compute is not None]
                parts |= {f"{pipeline.name}/{step}": code for step, code in computed if code is not None}
    return BundledCode(parts, sha256_of(folder / MANIFEST))


def _moment(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def _put(source: Path, pipelines: Path, name: str) -> None:
    target = pipelines / name.removeprefix("pipelines/")
    if not target.resolve().is_relative_to(pipelines.resolve()):
        raise InputError(f"the bundle has a file outside itself, {name!r:.120}", hint="Nothing was run.")
    target.parent.mkdir(parents=True, exist_ok=True)
    if not target.exists():
        shutil.copyfile(source, target)


def _other_versions(folder: Path) -> dict[str, tuple[str, str]]:
    """What was of another version when the bundle was made: the version then, and here."""
    try:
        there = json.loads((folder / "environment.json").read_bytes())
        packages = {**there["packages"], "python": there["python"], "helio_dagster": there["helio_dagster"]}
    except (OSError, ValueError, KeyError, TypeError):
        return {}
    here = environment()
    own = {**dict(here["packages"]), "python": here["python"], "helio_dagster": here["helio_dagster"]}  # type: ignore[call-overload]
    return {name: (str(was)[:40], str(own.get(name, "none"))) for name, was in packages.items() if own.get(name) != was}
