"""`helio settings`: every setting with its value and where it comes from. Their names stand in `storage.setting_names`."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from helio_dagster.cli.options import AsJson, configuration, settings_from_environment
from helio_dagster.cli.terminal import write_json
from helio_dagster.domain.addresses import without_secrets
from helio_dagster.storage.setting_names import SETTING_NAMES, SettingName
from helio_dagster.storage.settings_files import FILE_NAME, personal_file

if TYPE_CHECKING:
    from helio_dagster.storage.settings import Settings
    from helio_dagster.storage.settings_files import Configuration


def settings(as_json: AsJson = False) -> int:
    """List every setting with its value and where it comes from. Keys of language models are never shown."""
    from helio_dagster.agent.model.settings import KEY_NAMES
    from helio_dagster.cli.console import Console

    configured, used = configuration(), settings_from_environment()
    keys = [name for names in KEY_NAMES.values() for name in names]
    found = {name: bool(configured.environment.get(name, "").strip()) for name in keys}
    rows = [_row(name, configured, used) for name in SETTING_NAMES]
    files = [str(file) for file in (Path.cwd() / FILE_NAME, personal_file(os.environ)) if file is not None]
    if as_json:
        write_json({"settings": rows, "keys": found, "files": {file: Path(file).is_file() for file in files}})
        return 0
    console = Console()
    widths = [max(len(row[name]) for row in rows) for name in ("key", "value")]
    for row in rows:
        console.print(f"{row['key']:{widths[0]}}  {row['value']:{widths[1]}}  {row['from']}", soft_wrap=True)
    for name, is_set in found.items():
        console.print(f"{name:{widths[0]}}  {'set' if is_set else 'not set'}", soft_wrap=True)
    console.print(
        "Settings files: " + ", ".join(f"{file}{'' if Path(file).is_file() else ' (none)'}" for file in files), soft_wrap=True
    )
    return 0


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
