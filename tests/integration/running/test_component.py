"""The component in a Dagster project of someone else, through Dagster's own command line."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import dagster as dg
import pytest
import yaml
from dagster.components.core.component_tree import ComponentTreeException

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


@pytest.mark.nightly
def test_a_wrong_key_is_told_with_its_line(project: Path, package_root: Path) -> None:
    """A misspelt attribute fails the check and is named."""
    path = project / "src/lab/defs/helio/defs.yaml"
    path.write_text(path.read_text().replace("home:", "hone:"))
    done = dg_command(project, package_root, "check", "yaml")
    assert done.returncode != 0
    assert "hone" in done.stdout + done.stderr


def test_a_wrong_key_is_named(project: Path) -> None:
    """A misspelt attribute does not load, and the cause names it; `dg check yaml` says so with its line, at night."""
    with pytest.raises(ComponentTreeException) as caught:
        load(project, hone="elsewhere")
    assert "hone" in str(caught.value.__cause__)


def test_the_component_explains_its_attributes() -> None:
    """Its schema, which editors and Dagster's pages show, has a type and a text for each."""
    schema = PipelinesComponent.get_model_cls().model_json_schema()
    assert set(schema["properties"]) == {
        *("pipelines", "home", "tables", "cdaweb_url", "name", "owners", "tags", "partitions_per_run", "skip_invalid")
    }
    assert all(each["description"] for each in schema["properties"].values())


def test_an_invalid_pipeline_fails_the_project_s_definitions(project: Path) -> None:
    """With file and line, where `dg check defs` shows it; with `skip_invalid` the rest loads, and its absence is logged."""
    broken = project / "src/lab/defs/helio/pipelines/broken.yaml"
    broken.write_text(
        FILES["src/lab/defs/helio/pipelines/ace.yaml"].replace("name: ace", "name: broken").replace("magnitude", "magnitud")
    )
    assert re.search(r"broken\.yaml:10.*magnitud", cause_of_failure(project))
    broken.write_text("version: 1\nname: broken\nstep: []\n")
    assert re.search(r"(?s)broken\.yaml:3.*Did you mean steps", cause_of_failure(project))
    skipping = load(project, skip_invalid=True)
    assert dg.AssetKey(["ace", "mag"]) in skipping.resolve_asset_graph().materializable_asset_keys


def test_two_components_and_a_project_s_own_executor_go_together(project: Path) -> None:
    """Each has a resource, jobs and sensors of its own, and runs are executed as the project says."""
    timed = FILES["src/lab/defs/helio/pipelines/ace.yaml"].replace("start:", "schedule: daily\nstart:")
    write(project / "src/lab/defs/helio/pipelines/ace.yaml", timed)
    wind = timed.replace("name: ace", "name: wind").replace("AC_H0_MFI", "WI_H0_MFI").replace("BGSEc", "BGSE")
    watching = wind.replace("name: wind", "name: watching").replace("schedule: daily", "schedule: on_change")
    write(project / "src/lab/defs/other/pipelines/wind.yaml", wind)
    write(project / "src/lab/defs/other/pipelines/watching.yaml", watching)
    write(
        project / "src/lab/defs/helio/pipelines/also.yaml",
        timed.replace("name: ace", "name: also").replace("daily", "on_change"),
    )
    own = dg.Definitions(executor=dg.multiprocess_executor)
    merged = dg.Definitions.merge(load(project), load(project, "other"), own)
    dg.Definitions.validate_loadable(merged)
    assert {"helio_helio", "helio_other"} <= set(merged.resources or {})
    assert {each.name for each in merged.sensors or []} == {
        f"{name}_{place}" for name in ("on_change", "up_to_date") for place in ("helio", "other")
    }


def test_attributes_are_on_the_assets(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Owners, tags, backfills by several runs; file and line of each step; when it is overdue; where its columns come from."""
    text = FILES["src/lab/defs/helio/pipelines/ace.yaml"].replace("start:", "schedule: daily\nlag: PT36H\nstart:")
    file = project / "src/lab/defs/helio/pipelines/ace.yaml"
    file.write_text(text)
    found = load(project, owners=["team:field"], tags={"mission": "ace"}, partitions_per_run=30)
    node = found.resolve_asset_graph().get(dg.AssetKey(["ace", "mag"]))
    assert (list(node.owners), node.tags["mission"]) == (["team:field"], "ace")
    assert node.backfill_policy == dg.BackfillPolicy.multi_run(30)
    assert node.freshness_policy == dg.FreshnessPolicy.time_window(fail_window=timedelta(hours=84))
    place, *_ = node.metadata["dagster/code_references"].code_references  # Dagster adds the component's own
    assert (place.file_path, text.splitlines()[place.line_number - 1].strip()) == (str(file.resolve()), "- id: mag")
    lineage = node.metadata["dagster/column_lineage"].column_lineage.deps_by_column
    assert {(str(dep.asset_key.path[-1]), column) for column, deps in lineage.items() for dep in deps} == {("BGSEc", "mag")}
    assert node.metadata["dagster/storage_kind"] == "parquet"


def test_the_home_is_outside_the_source(project: Path) -> None:
    """By default `.helio` beside `pyproject.toml`; an environment variable in the YAML may name another folder."""
    path = project / "src/lab/defs/helio/defs.yaml"
    path.write_text(path.read_text().replace("  home: ../../../../.helio\n", ""))
    assert home_of(load(project)) == f"The home {project.resolve() / '.helio'}"
    path.write_text(path.read_text() + "  home: '{{ env(\"LAB_DATA\") }}/helio'\n")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LAB_DATA", str(project / "elsewhere"))
        assert home_of(load(project)) == f"The home {project.resolve() / 'elsewhere/helio'}"


def test_pipelines_beside_the_component_s_file(project: Path) -> None:
    """`defs.yaml` is no pipeline."""
    folder = project / "src/lab/defs/helio"
    shutil.move(folder / "pipelines/ace.yaml", folder / "ace.yaml")
    assert dg.AssetKey(["ace", "mag"]) in load(project, pipelines=".").resolve_asset_graph().materializable_asset_keys


@pytest.mark.nightly
def test_a_scaffolded_component_loads(project: Path, package_root: Path) -> None:
    """`dg scaffold defs` writes the file and a pipeline on the demo archive."""
    shutil.rmtree(project / "src/lab/defs/helio")
    done = dg_command(project, package_root, "scaffold", "defs", "helio_dagster.component.PipelinesComponent", "field")
    assert done.returncode == 0, done.stdout + done.stderr
    found = load(project, "field")
    assert dg.AssetKey(["ace_field", "b_mag"]) in found.resolve_asset_graph().materializable_asset_keys
    assert home_of(found) == f"The home {project.resolve() / '.helio'}"


def cause_of_failure(project: Path) -> str:
    """What Dagster gives as the cause where the component does not load."""
    with pytest.raises(ComponentTreeException) as caught:
        load(project)
    return str(caught.value.__cause__)


def load(project: Path, name: str = "helio", **attributes: object) -> dg.Definitions:
    """The definitions of one component of the project, some of its attributes changed."""
    path = project / "src/lab/defs" / name / "defs.yaml"
    if not path.exists():
        write(path, FILES["src/lab/defs/helio/defs.yaml"])
    if attributes:
        document = yaml.safe_load(path.read_text())
        document["attributes"] |= attributes
        path.write_text(yaml.safe_dump(document))
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(project / "src"))
        for module in [each for each in sys.modules if each == "lab" or each.startswith("lab.")]:
            patch.delitem(sys.modules, module)
        tree = dg.ComponentTree.for_project(project)
        return tree.build_defs_at_path(Path(name))


def home_of(found: dg.Definitions) -> str | None:
    """What a component's resource says of the home."""
    (resource,) = [each for each in (found.resources or {}).values() if isinstance(each, dg.ResourceDefinition)]
    return resource.description


def write(path: Path, text: str) -> None:
    """Write a file and the folders above it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
