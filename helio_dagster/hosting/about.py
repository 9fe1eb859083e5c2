"""The settings of a home with where they come from, and what this machine supports, as documents. Keys are never in them."""

from __future__ import annotations

import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from helio_dagster import __version__
from helio_dagster.agent.model.settings import KEY_NAMES
from helio_dagster.domain.addresses import without_secrets
from helio_dagster.domain.errors import SandboxUnavailable
from helio_dagster.sandbox import Diagnosis, diagnose
from helio_dagster.storage.setting_names import SETTING_NAMES, SettingName
from helio_dagster.storage.settings import Settings
from helio_dagster.storage.settings_files import FILE_NAME, Configuration, personal_file

_PACKAGES = ("dagster", "pandas", "numpy", "scipy", "pywavelets", "pyarrow", "pydantic", "plotly", "matplotlib")


def settings_document(configured: Configuration, used: Settings, folder: Path) -> dict[str, Any]:
    """Every setting with its value and where it comes from, which keys are set, and which settings files are there."""
    names = [name for each in KEY_NAMES.values() for name in each]
    keys = {name: bool(configured.environment.get(name, "").strip()) for name in names}
    files = [file for file in (folder / FILE_NAME, personal_file(configured.environment)) if file is not None]
    return {
        "settings": [_row(name, configured, used) for name in SETTING_NAMES],
        "keys": keys,
        "files": {str(file): file.is_file() for file in files},
    }


def diagnosed() -> tuple[Diagnosis | None, str]:
    """How this machine confines code, found out by trying to break out; or why it cannot."""
    try:
        return diagnose(), ""
    except SandboxUnavailable as error:
        return None, error.problem


def doctor_document(diagnosis: Diagnosis | None, problem: str, settings: Settings) -> dict[str, Any]:
    """What this machine supports."""
    sandbox = diagnosis.model_dump() if diagnosis is not None else {"mode": None, "problem": problem}
    home = {"home": str(settings.home), "home_exists": settings.home.is_dir(), "pipelines": str(settings.pipelines)}
    return {"sandbox": sandbox, **home, "versions": versions()}


def versions() -> dict[str, str]:
    """Versions of helio, Python and the packages that results depend on."""
    found = {"helio_dagster": __version__, "python": platform.python_version()}
    for name in _PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "missing"
    return found


def _row(name: SettingName, configured: Configuration, used: Settings) -> dict[str, str]:
    given = configured.environment.get(name.variable, "").strip()
    resolved = {"home": str(used.home), "pipelines": str(used.pipelines), "cdaweb_url": used.cdaweb_url}
    origin = configured.origins.get(name.variable)
    place = f"{origin.file}:{origin.line}" if origin is not None else f"environment ({name.variable})"
    value = resolved.get(name.key) or given or name.default or "not set"
    return {
        "key": name.key,
        "variable": name.variable,
        "value": without_secrets(value),
        "from": place if given else "default",
    }
