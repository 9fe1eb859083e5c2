"""The pages of settings: model and keys (never their values), archives, disk, and how code is confined."""

from __future__ import annotations

import os
import platform
import shutil
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import NamedTuple

from starlette.requests import Request
from starlette.responses import HTMLResponse

from helio_dagster import __version__
from helio_dagster.agent.model.settings import KEY_NAMES, ModelSettings, is_available
from helio_dagster.domain.addresses import without_secrets
from helio_dagster.domain.amounts import readable_size
from helio_dagster.domain.errors import InputError, SandboxUnavailable
from helio_dagster.domain.hapi_servers import HAPI_PREFIX, KNOWN_SERVERS
from helio_dagster.sandbox import diagnose
from helio_dagster.serve.pages.desk import PageDesk
from helio_dagster.serve.pages.rendering import page
from helio_dagster.storage.setting_names import SETTING_NAMES, SettingName
from helio_dagster.storage.settings import Settings

_MODES = {"kernel": "confined by the kernel", "bubblewrap": "confined by bubblewrap", "weak": "NOT confined, and refused"}
_PACKAGES = ("dagster", "pandas", "numpy", "pyarrow", "plotly")
_MOST_FILES = 200_000


class ModelState(NamedTuple):
    """Which model plans, in words, or why none can."""

    words: str
    problem: bool


def settings(desk: PageDesk, _: Request) -> HTMLResponse:
    """Everything that is set, and how much the home holds."""
    used, given = desk.settings, desk.configuration.environment
    content = {
        "model": _model(given),
        "keys": {name: bool(given.get(name, "").strip()) for names in KEY_NAMES.values() for name in names},
        "archives": _archives(used),
        "home": str(used.home),
        "free": readable_size(_free(used.home)),
        "disk": [(name, *_held(path)) for name, path in _folders(used).items()],
        "rows": [_row(name, given, used) for name in SETTING_NAMES],
        "versions": {"helio_dagster": __version__, "python": platform.python_version(), **_versions()},
    }
    return page("settings.html", "Settings", "settings", content)


def doctor(_: PageDesk, __: Request) -> HTMLResponse:
    """How code is confined here, found out by trying."""
    try:
        found = diagnose()
    except SandboxUnavailable as error:
        return page("doctor.html", "Doctor", "settings", {"diagnosis": None, "problem": error.problem})
    return page("doctor.html", "Doctor", "settings", {"diagnosis": found, "mode": _MODES[found.mode]})


def _model(environment: Mapping[str, str]) -> ModelState:
    try:
        if not is_available(environment):
            return ModelState(
                "No language model is set up: requests are planned offline. Set HELIO_MODEL and its key for one.", False
            )
        return ModelState(f"Requests are planned by {ModelSettings.from_environment(environment).planning}.", False)
    except InputError as error:
        return ModelState(f"{error.problem}. {error.hint}", True)


def _archives(used: Settings) -> list[tuple[str, str, str]]:
    servers = [(f"{HAPI_PREFIX}{name}", without_secrets(url), "HAPI server") for name, url in KNOWN_SERVERS.items()]
    own = [("cdaweb", without_secrets(used.cdaweb_url), "NASA's Space Physics Data Facility, or its mirror")]
    return [*own, ("demo", "this program", "synthetic data for trying things out"), *servers]


def _folders(used: Settings) -> dict[str, Path]:
    return {
        "tables": used.data,
        "downloads": used.cache,
        "figures": used.figures,
        "conversations": used.sessions,
        "Dagster's record": used.instance,
        "logs": used.logs,
    }


def _held(folder: Path) -> tuple[int, str]:
    """Number of files and their size; of very many, at least so much."""
    files = size = 0
    waiting = [folder]
    while waiting and files < _MOST_FILES:
        try:
            for each in os.scandir(waiting.pop()):
                if each.is_dir(follow_symlinks=False):
                    waiting.append(Path(each.path))
                else:
                    files += 1
                    size += each.stat(follow_symlinks=False).st_size
        except OSError:
            continue  # deleted meanwhile, or not ours to read
    return files, f"{'over ' if waiting else ''}{readable_size(size)}"


def _free(home: Path) -> int:
    place = next(each for each in (home, *home.parents) if each.is_dir())
    return shutil.disk_usage(place).free


def _row(name: SettingName, environment: Mapping[str, str], used: Settings) -> tuple[str, str, str, bool]:
    given = environment.get(name.variable, "").strip()
    resolved = {"home": str(used.home), "pipelines": str(used.pipelines), "cdaweb_url": used.cdaweb_url}
    value = resolved.get(name.key) or given or name.default or "not set"
    return name.key, without_secrets(value), name.meaning, bool(given)


def _versions() -> dict[str, str]:
    found = {}
    for name in _PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "missing"
    return found
