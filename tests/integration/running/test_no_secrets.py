"""Keys and passwords in the environment come into no file, no record, no object and no output of helio."""

from __future__ import annotations

import os
from pathlib import Path

import boto3

from tests.object_store import ObjectService
from tests.postgres import ask
from tests.prepared import prepared

SECRETS = {
    "PGPASSWORD": "pg-word-4f1c",
    "HELIO_BROKER_PASSWORD": "broker-word-4f1c",
    "HELIO_TOKEN": "token-word-4f1c",
    "GOOGLE_API_KEY": "google-word-4f1c",
    "AWS_ACCESS_KEY_ID": "AKIAWORD4F1C",
    "AWS_SECRET_ACCESS_KEY": "aws-word-4f1c",
}
PIPELINE = """
version: 1
name: quiet
start: 2023-01-01
steps:
  - id: b
    fetch: {archive: demo, dataset: AC_H0_MFI, parameter: BGSEc}
  - id: mag
    compute: {inputs: {b: b}, unit: nT, code: 'print(b.shape); return (b ** 2).sum(axis=1) ** 0.5'}
  - id: view
    figure: {panels: [{traces: [{data: mag}]}]}
"""
TEXTS = """
    SELECT table_name, column_name FROM information_schema.columns
    WHERE table_schema = 'public' AND data_type IN ('text', 'character varying')
"""


def found_in(text: str) -> list[str]:
    """The secrets that a text holds, by their variables."""
    return [name for name, value in SECRETS.items() if value in text]


def test_keys_and_passwords_are_nowhere(tmp_path: Path, postgres: str, objects: ObjectService) -> None:
    """After a run, what shows its state and settings, and commands that cannot reach the store or the record."""
    bucket = objects.new_bucket()
    home = tmp_path / "home"
    (tmp_path / "pipelines").mkdir()
    (tmp_path / "pipelines/quiet.yaml").write_text(PIPELINE)
    (tmp_path / "helio.toml").write_text('[record]\npostgres = {env = "LAB_RECORD"}\n[tables]\nurl = {env = "LAB_TABLES"}\n')
    given = {**os.environ, **objects.environment(), **SECRETS, "HOME": str(tmp_path), "HELIO_HOME": str(home)}

    def helio(*words: str, record: str = postgres, tables: str = bucket) -> tuple[int, str]:
        environment = {**given, "LAB_RECORD": record, "LAB_TABLES": tables}
        done = prepared().run(words, cwd=tmp_path, env=environment)
        assert found_in(done.stdout + done.stderr) == [], words
        return done.returncode, done.stdout + done.stderr

    assert helio("run", "quiet", "2023-01-02", "-v")[0] == 0
    for words in (("status", "quiet"), ("settings",), ("logs",), ("verify", "quiet", "2023-01-02")):
        assert helio(*words)[0] == 0, words
    assert helio("run", "quiet", "2023-01-03", tables="s3://no-such-bucket-here/home")[0] == 1
    code, said = helio("run", "quiet", "2023-01-03", record="postgresql://lab@127.0.0.1:1/nothing")
    assert code == 1
    assert "cannot be used" in said
    code, said = helio("run", "quiet", "2023-01-03", record=f"postgresql://lab:{SECRETS['PGPASSWORD']}@127.0.0.1/x")
    assert code == 2
    assert "looks like a key or password" in said

    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert any(path.is_relative_to(home / "dagster") for path in files)
    assert {str(path): found for path in files if (found := found_in(path.read_bytes().decode("latin-1")))} == {}
    for table, column in ask(postgres, TEXTS):
        for (value,) in ask(postgres, f'SELECT "{column}" FROM "{table}" WHERE "{column}" IS NOT NULL'):  # noqa: S608 - names from the server
            assert found_in(value) == [], (table, column)
    client = boto3.client("s3", endpoint_url=objects.endpoint, region_name="us-east-1")
    name = bucket.removeprefix("s3://").partition("/")[0]
    for each in client.list_objects_v2(Bucket=name)["Contents"]:
        content = client.get_object(Bucket=name, Key=each["Key"])["Body"].read()
        assert found_in(each["Key"] + content.decode("latin-1")) == []
