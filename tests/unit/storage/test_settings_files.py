"""Settings files: which one counts, and what is refused in them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from helio_dagster.agent.model.settings import ModelSettings
from helio_dagster.domain.errors import InputError
from helio_dagster.sandbox.limits import SandboxLimits
from helio_dagster.storage.setting_names import SETTING_NAMES
from helio_dagster.storage.settings import Settings
from helio_dagster.storage.settings_files import read_configuration, requests_file

Write = Callable[..., dict[str, str]]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Writes the folder's file and the person's; gives the environment of that person."""

    def files(folder: str = "", person: str = "") -> dict[str, str]:
        (tmp_path / "helio.toml").write_text(folder)
        own = tmp_path / "config" / "helio"
        own.mkdir(parents=True, exist_ok=True)
        (own / "helio.toml").write_text(person)
        return {"XDG_CONFIG_HOME": str(tmp_path / "config")}

    return files


def refused(environment: dict[str, str], folder: Path) -> str:
    """What is said of settings that are wrong, without the folder's path."""
    with pytest.raises(InputError) as caught:
        Settings.read(environment, folder)
    return str(caught.value).replace(f"{folder}/", "")


def test_the_environment_goes_before_the_folder_and_that_before_the_person(write: Write, tmp_path: Path) -> None:
    """Each setting by itself."""
    environment = write(
        'home = "of the folder"\npipelines = "of the folder"\n',
        'home = "of the person"\npipelines = "of the person"\n[code]\ncpu_s = 60\n[model]\nstream = false\n',
    )
    found = Settings.read(environment | {"HELIO_HOME": "of the environment"}, tmp_path)
    assert found.home == tmp_path / "of the environment"
    assert found.pipelines == tmp_path / "of the folder"
    assert found.code_limits.cpu_s == 60
    assert read_configuration(environment, tmp_path).environment["HELIO_MODEL_STREAM"] == "0"


def test_without_files_nothing_is_added(tmp_path: Path) -> None:
    """Also where there is no person's folder."""
    assert read_configuration({"HOME": str(tmp_path)}, tmp_path).environment == {"HOME": str(tmp_path)}
    assert read_configuration({}, tmp_path).origins == {}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('\nhoem = "x"', "helio.toml:2: hoem: there is no setting 'hoem'\n  Did you mean home?"),
        ("[code]\ncpus = 1", "helio.toml:2: code.cpus: there is no setting 'code.cpus'\n  Did you mean code.cpu_s?"),
        ("[modle]\nname = 'x'", "helio.toml:1: modle: there is no setting 'modle'\n  Did you mean model?"),
        ("cpu_s = 1", "helio.toml:1: cpu_s: there is no setting 'cpu_s'\n  Did you mean code.cpu_s?"),
        (
            '[code]\ncpu_s = "long"',
            "helio.toml:2: code.cpu_s: code.cpu_s must be a number, not 'long'\n  Write cpu_s = 120",
        ),
        ("home = true", "helio.toml:1: home: home must be text, not True\n  Write home = \"…\""),
        ("# limits\n[code]\n\nwall_s = -1", "helio.toml:4: code.wall_s: HELIO_CODE_WALL_S=-1: Input should be greater than 0"),
        ('[tables]\nurl = "https://x/y"', "helio.toml:2: tables.url: tables cannot be at an address of the kind 'https'"),
        ('home = "s3://bucket"', "helio.toml:1: home: HELIO_HOME is a URL, which is not supported: s3://bucket"),
        ("home = ", "helio.toml: the settings file is not TOML"),
        (
            '[model]\napi_key = "x"',
            "helio.toml:2: model.api_key: a settings file holds no keys or passwords\n  Set it in the environment",
        ),
        ('[model]\nname = "sk-abcdefghijklmnopqrst"', "helio.toml:2: model.name: the value looks like a key or password"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_named_with_file_line_and_key(text: str, said: str, write: Write, tmp_path: Path) -> None:
    """And what to write instead; a value that cannot be used, too."""
    assert refused(write(text), tmp_path).startswith(said)


def test_a_wrong_model_is_placed_too(write: Write, tmp_path: Path) -> None:
    """It is judged where the environment's model is, and the file is named all the same."""
    found = read_configuration(write('[model]\nname = "gogle:x"'), tmp_path)
    with pytest.raises(InputError) as caught, found.placing_errors():
        ModelSettings.from_environment(found.environment)
    assert caught.value.where == f"{tmp_path}/helio.toml:2: model.name"
    assert "Did you mean google?" in caught.value.hint


@pytest.mark.parametrize("text", ["[code]\nallow_weak_sandbox = true", '[model]\nurl = "https://example.org/v1"'])
def test_a_folder_cannot_weaken_what_protects_a_person(text: str, write: Write, tmp_path: Path) -> None:
    """A folder may be somebody else's: it neither unlocks the sandbox nor sends your key elsewhere. Your own file may."""
    assert "is not taken from a folder's file" in refused(write(text), tmp_path)
    Settings.read(write(person=text), tmp_path)


def test_another_process_has_the_same_settings(write: Write, tmp_path: Path) -> None:
    """What the processes of `helio ui` are started with says all, whatever files they find."""
    environment = write('home = "data"\n[code]\ncpu_s = 7\n[transfer]\ndeadline_s = 50', "[code]\nallow_weak_sandbox = true")
    found = Settings.read(environment, tmp_path)
    assert Settings.from_environment(found.to_environment(), Path("/")) == found
    assert found.allow_weak_sandbox


def test_every_limit_of_code_is_a_setting() -> None:
    """A limit that is added needs a line in the table."""
    assert {f"HELIO_CODE_{name.upper()}" for name in SandboxLimits.model_fields} <= {each.variable for each in SETTING_NAMES}


def test_a_record_in_postgresql_is_named_with_its_user_and_never_with_a_password(write: Write, tmp_path: Path) -> None:
    """The user of an address is no secret; the environment undoes what a file says, and another process has the same."""
    environment = write('[record]\npostgres = "postgresql+psycopg2://field@db.lab/helio"\n')
    found = Settings.read(environment, tmp_path)
    assert found.postgres == "postgresql://field@db.lab/helio"
    assert Settings.read(found.to_environment(), tmp_path / "elsewhere").postgres == found.postgres
    assert Settings.read(environment | {"HELIO_RECORD_POSTGRES": "none"}, tmp_path).postgres is None
    said = refused(write('[record]\npostgres = "postgresql://field:Sesame12@db.lab/helio"\n'), tmp_path)
    assert said.startswith("helio.toml:2: record.postgres")
    assert "Sesame12" not in said


def test_a_place_may_be_taken_from_another_variable(write: Write, tmp_path: Path) -> None:
    """As a platform sets it; what is not set, is named as a secret or may not be taken from there is one message."""
    write('[record]\npostgres = {env = "LAB_RECORD"}\n')
    address = "postgresql://field@db.lab/helio"
    assert Settings.read({"LAB_RECORD": address}, tmp_path).postgres == address
    for text, said in [
        ('[record]\npostgres = {env = "LAB_RECORD"}\n', "the environment variable LAB_RECORD is not set"),
        ('[tables]\nurl = {env = "LAB_TOKEN"}\n', "LAB_TOKEN is named as a key or password"),
        ('[model]\nname = {env = "LAB_MODEL"}\n', "model.name cannot be taken from another variable"),
        ("[tables]\nurl = {env = 3}\n", "env names no variable"),
    ]:
        write(text)
        with pytest.raises(InputError, match=said):
            Settings.read({}, tmp_path)


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({"HOME": "/home/ada"}, "/home/ada/.cache/helio/requests.lock"),
        ({"HOME": "/home/ada", "XDG_CACHE_HOME": "/scratch/ada"}, "/scratch/ada/helio/requests.lock"),
        ({"HOME": "/home/ada", "XDG_CACHE_HOME": "relative"}, "/home/ada/.cache/helio/requests.lock"),
        ({}, None),
    ],
)
def test_what_processes_of_a_person_lock(environment: dict[str, str], expected: str | None) -> None:
    """A file below their cache; nobody's where they have no folder."""
    found = requests_file(environment)
    assert (str(found) if found is not None else None) == expected
