"""The component in a Dagster project of someone else, through Dagster's own command line."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from helio_dagster.component import PipelinesComponent

FILES = {
    "pyproject.toml": """
[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"

[project]
name = "lab"
version = "0.1.0"

[tool.dg]
directory_type = "project"

[tool.dg.project]
root_module = "lab"
code_location_target_module = "lab.definitions"
""",
    "src/lab/__init__.py": "",
    "src/lab/definitions.py": """
from pathlib import Path

from dagster import definitions, load_from_defs_folder


@definitions
def defs():
    return load_from_defs_folder(path_within_project=Path(__file__).parent)
""",
    "src/lab/defs/__init__.py": "",
    "src/lab/defs/helio/defs.yaml": """
type: helio_dagster.component.PipelinesComponent

attributes:
  pipelines: pipelines
  home: ../../../../.helio
""",
    "src/lab/defs/helio/pipelines/ace.yaml": """
version: 1
name: ace
title: "{{ not a template }}"
start: 2023-01-01
steps:
  - id: b
    fetch: {archive: cdaweb, dataset: AC_H0_MFI, parameter: BGSEc}
  - id: mag
    compute: {operation: magnitude, inputs: {vector: b}}
""",
}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with a folder of pipelines and three lines of YAML."""
    for name, text in FILES.items():
        path = tmp_path / "project" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path / "project"


def dg_command(project: Path, package_root: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run Dagster's command line in the project."""
    home = project / "dagster_home"
    home.mkdir(exist_ok=True)
    (home / "dagster.yaml").write_text("telemetry:\n  enabled: false\n")
    path = os.pathsep.join([str(package_root), str(project / "src")])
    scripts = Path(sys.executable).parent
    environment = {
        **os.environ,
        "PYTHONPATH": path,
        "DAGSTER_HOME": str(home),
        "PATH": f"{scripts}{os.pathsep}{os.environ['PATH']}",
    }
    return subprocess.run(
        [scripts / "dg", *arguments], cwd=project, env=environment, capture_output=True, text=True, check=False
    )


@pytest.mark.nightly
def test_the_project_s_definitions_pass_dagsters_check(project: Path, package_root: Path) -> None:
    """`dg check defs` loads the YAML and all definitions, as `dg list defs` does by day."""
    done = dg_command(project, package_root, "check", "defs")
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_project_lists_the_pipelines_assets(project: Path, package_root: Path) -> None:
    """`dg list defs` shows them with their group."""
    done = dg_command(project, package_root, "list", "defs", "--json")
    assert done.returncode == 0, done.stderr
    assets = {asset["asset_key"]: asset["group_name"] for asset in json.loads(done.stdout)["assets"]}
    assert assets == {"cdaweb/AC_H0_MFI/files": "cdaweb", "cdaweb/AC_H0_MFI/BGSEc": "cdaweb", "ace/mag": "ace"}


def test_a_wrong_key_is_told_with_its_line(project: Path, package_root: Path) -> None:
    """A misspelt attribute fails the check and is named."""
    path = project / "src/lab/defs/helio/defs.yaml"
    path.write_text(path.read_text().replace("home:", "hone:"))
    done = dg_command(project, package_root, "check", "yaml")
    assert done.returncode != 0
    assert "hone" in done.stdout + done.stderr


def test_the_component_explains_its_attributes() -> None:
    """Its schema, which editors and Dagster's pages show, has a type for each."""
    schema = PipelinesComponent.get_model_cls().model_json_schema()
    assert set(schema["properties"]) == {"pipelines", "home", "cdaweb_url"}
