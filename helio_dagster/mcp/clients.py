"""The clients in which helio can be entered: where each keeps its servers, and what an entry looks like."""

from __future__ import annotations

import json
import sys
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from helio_dagster.domain.did_you_mean import remedy
from helio_dagster.domain.errors import InputError, StorageError
from helio_dagster.storage.atomic import storage_error, write_bytes

SERVER = "helio"
_LARGEST = 8_000_000
_HAND = "Add the entry above by hand."


@dataclass(frozen=True)
class Client:
    """A program that can use helio.

    Parameters
    ----------
    title
        What people call it.
    file
        Its settings: below the working folder if `is_local`, else below the person's own folder.
    key
        The mapping of servers in it.
    form
        How it is written.
    has_type
        Whether an entry says that it speaks over standard input and output.
    after
        What the person does next.
    """

    title: str
    file: str
    after: str
    key: str = "mcpServers"
    form: Literal["json", "toml"] = "json"
    is_local: bool = False
    has_type: bool = False

    def path(self, folder: Path, person: Path) -> Path:
        """Where its settings are."""
        return (folder if self.is_local else person) / self.file


_DESKTOP = {
    "darwin": "Library/Application Support/Claude/claude_desktop_config.json",
    "win32": "AppData/Roaming/Claude/claude_desktop_config.json",
}
CLIENTS: Mapping[str, Client] = {
    "claude-code": Client(
        "Claude Code",
        ".mcp.json",
        "Start `claude` in this folder and accept the server; /mcp shows it.",
        is_local=True,
        has_type=True,
    ),
    "claude-desktop": Client(
        "Claude Desktop",
        _DESKTOP.get(sys.platform, ".config/Claude/claude_desktop_config.json"),
        "Quit Claude Desktop and start it again.",
    ),
    "codex": Client("Codex", ".codex/config.toml", "Start `codex`; /mcp shows it.", key="mcp_servers", form="toml"),
    "gemini-cli": Client("Gemini CLI", ".gemini/settings.json", "Start `gemini`; /mcp shows it."),
    "cursor": Client("Cursor", ".cursor/mcp.json", "Open Settings, MCP, and switch helio on."),
    "vscode": Client(
        "VS Code",
        ".vscode/mcp.json",
        "Open this folder, and start helio from the file or from `MCP: List Servers`.",
        key="servers",
        is_local=True,
        has_type=True,
    ),
    "windsurf": Client("Windsurf", ".codeium/windsurf/mcp_config.json", "Refresh the servers in Windsurf's settings."),
}


@dataclass(frozen=True)
class Entry:
    """How a client starts helio."""

    command: str
    arguments: tuple[str, ...]
    environment: Mapping[str, str] = field(default_factory=dict, hash=False)

    def document(self, client: Client) -> dict[str, Any]:
        """The entry as the client writes it."""
        typed = {"type": "stdio"} if client.has_type else {}
        environment = {"env": dict(self.environment)} if self.environment else {}
        return {**typed, "command": self.command, "args": list(self.arguments), **environment}

    def text(self, client: Client) -> str:
        """The entry as it stands in the client's file."""
        document = self.document(client)
        if client.form == "json":
            return json.dumps({client.key: {SERVER: document}}, indent=2) + "\n"
        lines = [f"[{client.key}.{SERVER}]", f"command = {_toml(self.command)}", f"args = {_toml(list(self.arguments))}"]
        if self.environment:
            lines += [f"[{client.key}.{SERVER}.env]", *(f"{name} = {_toml(value)}" for name, value in self.environment.items())]
        return "\n".join(lines) + "\n"


@dataclass(frozen=True)
class Installation:
    """What entering helio in a client's file changes; `content` is None where nothing does."""

    path: Path
    entry: str
    content: bytes | None
    replaces: bool = False

    def write(self) -> None:
        """Write the file, whole or not at all; StorageError if that fails."""
        if self.content is not None:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            write_bytes(self.path.resolve(), self.content)


def find_client(name: str) -> Client:
    """The client of a name; InputError if there is none."""
    found = CLIENTS.get(name.lower())
    if found is None:
        raise InputError(f"there is no client {name!r:.60}", hint=remedy(name, CLIENTS, what="clients"))
    return found


def plan_installation(client: Client, entry: Entry, path: Path) -> Installation:
    """What would be written; everything else in the file stays.

    Raises
    ------
    InputError
        The file is not what such a file must be; it is not touched.
    StorageError
        It cannot be read.
    """
    text = _read(path)
    shown = entry.text(client)
    known = _servers(client, text, path)
    document = entry.document(client)
    if known.get(SERVER) == document:
        return Installation(path, shown, None)
    if client.form == "toml":
        if SERVER in known:
            hint = f"Remove [{client.key}.{SERVER}] from the file first, then run this again."
            raise InputError("the file has another entry for helio", where=str(path), hint=hint)
        return Installation(path, shown, (f"{text.rstrip()}\n\n" if text.strip() else "").encode() + shown.encode())
    whole = json.loads(text) if text.strip() else {}
    whole.setdefault(client.key, {})[SERVER] = document
    content = json.dumps(whole, indent=2, ensure_ascii=False) + "\n"
    return Installation(path, shown, content.encode(), replaces=SERVER in known)


def installed(folder: Path, person: Path) -> dict[str, Entry]:
    """The clients in which helio is entered, and how; files that cannot be read have none."""
    found = {}
    for name, client in CLIENTS.items():
        path = client.path(folder, person)
        try:
            entry = _servers(client, _read(path), path).get(SERVER)
        except (InputError, StorageError):
            continue
        if isinstance(entry, dict) and isinstance(entry.get("command"), str):
            arguments = tuple(str(each) for each in entry.get("args") or ())
            found[name] = Entry(entry["command"], arguments, {str(k): str(v) for k, v in (entry.get("env") or {}).items()})
    return found


def _servers(client: Client, text: str, path: Path) -> dict[str, Any]:
    if not text.strip():
        return {}
    try:
        found = tomllib.loads(text) if client.form == "toml" else json.loads(text)
    except ValueError as error:
        problem = f"the file is not plain {client.form.upper()}: {error}"
        raise InputError(problem, where=str(path), hint=_HAND) from None
    servers = found.get(client.key, {}) if isinstance(found, dict) else None
    if not isinstance(servers, dict):
        raise InputError(f"{client.key} is not a mapping in this file", where=str(path), hint=_HAND)
    return servers


def _read(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return file.read(_LARGEST).decode()
    except FileNotFoundError:
        return ""
    except UnicodeDecodeError:
        raise InputError("the file is not UTF-8 text", where=str(path), hint=_HAND) from None
    except OSError as error:
        raise storage_error(error, path) from error


def _toml(value: str | list[str]) -> str:
    """A text, or a list of texts, as TOML writes it: JSON's form is TOML's too, but for DEL."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
