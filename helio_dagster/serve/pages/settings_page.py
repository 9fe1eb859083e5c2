"""The pages of settings: model and keys (never their values), archives, disk, and how code is confined."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from starlette.requests import Request
from starlette.responses import HTMLResponse

from helio_dagster.agent.model.settings import ModelSettings, is_available
from helio_dagster.domain.addresses import without_secrets
from helio_dagster.domain.amounts import readable_size
from helio_dagster.domain.errors import InputError
from helio_dagster.domain.hapi_servers import HAPI_PREFIX, KNOWN_SERVERS
from helio_dagster.hosting.about import diagnosed, settings_document, versions
from helio_dagster.serve.pages.page_home import PageHome
from helio_dagster.serve.pages.rendering import page
from helio_dagster.storage.setting_names import SETTING_NAMES
from helio_dagster.storage.settings import Settings

_MODES = {"kernel": "confined by the kernel", "bubblewrap": "confined by bubblewrap", "weak": "NOT confined, and refused"}
_MOST_FILES = 200_000


class ModelState(NamedTuple):
    """Which model plans, in words, or why none can."""

    words: str
    problem: bool


def settings(site: PageHome, _: Request) -> HTMLResponse:
    """Everything that is set, and how much the home holds."""
    used, configured = site.settings, site.configuration
    content = {
        "model": _model(configured.environment),
        "archives": _archives(used),
        "home": str(used.home),
        "free": readable_size(_free(used.home)),
        "disk": [(name, *_held(path)) for name, path in _folders(used).items()],
        "meanings": {each.key: each.meaning for each in SETTING_NAMES},
        "versions": versions(),
        **settings_document(configured, used, site.site.folder),
    }
    return page("settings.html", "Settings", "settings", content)


def doctor(_: PageHome, __: Request) -> HTMLResponse:
    """How code is confined here, found out by trying."""
    found, problem = diagnosed()
    mode = _MODES[found.mode] if found is not None else ""
    return page("doctor.html", "Doctor", "settings", {"diagnosis": found, "mode": mode, "problem": problem})


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
    own.append(("spice", without_secrets(used.spice_url) or "the missions' servers", "SPICE kernels: where spacecraft are"))
    own.append(("swpc", without_secrets(used.swpc_url) or "NOAA SWPC", "the solar wind in real time"))
    own.append(("pds", without_secrets(used.pds_url) or "the PDS PPI node", "planetary missions, by the Planetary Data System"))
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
