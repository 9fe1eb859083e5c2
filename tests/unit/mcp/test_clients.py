"""Entering helio in clients: each in its own form, and nothing else of the file is touched."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest

from helio_dagster.domain.errors import InputError
from helio_dagster.mcp.clients import CLIENTS, SERVER, Entry, find_client, installed, plan_installation

ENTRY = Entry("/opt/helio", ("mcp", "--folder", '/home/ada/a "b" \\ é'), {"HELIO_HOME": "/data"})


def read(name: str, path: Path) -> dict[str, Any]:
    """The servers in a client's file, by an independent reader."""
    client = CLIENTS[name]
    text = path.read_text(encoding="utf-8")
    servers: dict[str, Any] = (tomllib.loads(text) if client.form == "toml" else json.loads(text))[client.key]
    return servers


@pytest.mark.parametrize("name", CLIENTS)
def test_an_entry_is_written_found_and_not_written_again(tmp_path: Path, name: str) -> None:
    """Into a file that was not there."""
    client = find_client(name)
    path = client.path(tmp_path / "folder", tmp_path / "person")
    planned = plan_installation(client, ENTRY, path)
    assert not path.exists()
    planned.write()
    written = read(name, path)[SERVER]
    assert (written["command"], written["args"], written["env"]) == (ENTRY.command, list(ENTRY.arguments), ENTRY.environment)
    assert installed(tmp_path / "folder", tmp_path / "person")[name] == ENTRY
    assert plan_installation(client, ENTRY, path).content is None


@pytest.mark.parametrize("name", CLIENTS)
def test_the_rest_of_the_file_stays(tmp_path: Path, name: str) -> None:
    """Other servers, other settings, and where a link leads."""
    client = find_client(name)
    path = client.path(tmp_path, tmp_path)
    path.parent.mkdir(parents=True, exist_ok=True)
    real = tmp_path / "dotfiles" / "real"
    real.parent.mkdir()
    if client.form == "toml":
        real.write_text('model = "x" # mine\n[mcp_servers.other]\ncommand = "o"\n')
    else:
        real.write_text(json.dumps({"theme": "dark", client.key: {"other": {"command": "o"}}}))
    path.symlink_to(real)
    plan_installation(client, ENTRY, path).write()
    assert path.is_symlink()
    assert set(read(name, real)) == {"other", SERVER}
    assert "mine" in real.read_text() or json.loads(real.read_text())["theme"] == "dark"


@pytest.mark.parametrize("name", CLIENTS)
@pytest.mark.parametrize("content", [b'{"mcpServers": // mine\n {}}', b"[[[", b"\xff\xfe", b'{"mcpServers": 7, "servers": 7}'])
def test_a_file_that_is_not_understood_is_left_alone(tmp_path: Path, name: str, content: bytes) -> None:
    """The entry is shown, to be added by hand."""
    client = find_client(name)
    path = client.path(tmp_path, tmp_path)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    with pytest.raises(InputError, match=r"by hand|not"):
        plan_installation(client, ENTRY, path)
    assert path.read_bytes() == content
    assert name not in installed(tmp_path, tmp_path)


def test_another_entry_is_replaced_in_json_and_kept_in_toml(tmp_path: Path) -> None:
    """TOML files hold people's comments, which a rewrite would lose."""
    for name, client in CLIENTS.items():
        path = client.path(tmp_path / name, tmp_path / name)
        plan_installation(client, ENTRY, path).write()
        other = Entry("/elsewhere/helio", ("mcp",))
        if client.form == "toml":
            with pytest.raises(InputError, match="another entry"):
                plan_installation(client, other, path)
        else:
            planned = plan_installation(client, other, path)
            assert planned.replaces
            planned.write()
            assert read(name, path)[SERVER]["command"] == "/elsewhere/helio"


def test_a_misspelt_client_gets_the_near_one() -> None:
    """As any name does."""
    with pytest.raises(InputError) as refused:
        find_client("claude-cod")
    assert "claude-code" in refused.value.hint
