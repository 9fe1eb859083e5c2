"""What strangers write reaches a terminal as text: archives, files, pipelines, code and sessions in a real pseudo terminal."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
import sys
import threading
import unicodedata
from collections.abc import Iterator, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from helio_dagster.assets.asset_names import key_part
from tests.integration.running.conftest import Mission, Site

EVIL = (
    "\x1b]52;c;ZXZpbA==\x07\x1b[2J\x1b[8mhid\x9b31m\x1b]8;;http://evil.example\x1b\\click\x7f"
    "\u202egpj.exe\u2066[bold]mark[/bold][link=http://evil.example]up[/link]:x:\rover"
)
"""Clipboard, cleared screen, hidden text, a C1 control, a link, DEL, reversed text, markup, an emoji's name, a return."""
_OWN = re.compile(r"\x1b\[\?2004[hl]\r?|\x1b\[[0-9;]*m|\x1b\[\?25[lh]|\x1b\[2K|\x1b\[1A|\r(?=\x1b\[2K|\x1b\[1A|\r*\n)")
"""Colors, and what a progress bar needs."""
TRICKY = "\u202egpj.exe\u2066\u200f[bold]mark[/bold][link=http://evil.example]up[/link]:x:"
"""What a pipeline's own texts may hold: control characters are refused there."""
_YAML = json.dumps(TRICKY)

PIPELINE = f"""
version: 1
name: strange
title: {_YAML}
description: {_YAML}
start: 2023-01-01
assumptions: [{_YAML}]
steps:
  - id: b
    intent: {_YAML}
    fetch: {{archive: cdaweb, dataset: TS_H0_MFI, parameter: BGSE}}
  - id: storms
    table: {{csv: "onset,name\\n2023-01-03T06:11Z,Test", source: {_YAML}}}
  - id: prints
    compute:
      inputs: {{b: b}}
      unit: nT
      code: |
        print({EVIL!a})
        return b.iloc[:, 0]
  - id: raises
    compute:
      inputs: {{b: b}}
      unit: nT
      code: |
        if len(b) > 0:
            raise ValueError({EVIL!a})
        return b.iloc[:, 0]
"""
HAPI_PIPELINE = """
version: 1
name: foreign
title: From a stranger
start: 2023-01-01
steps:
  - id: good
    fetch: {{archive: "hapi:{url}", dataset: D, parameter: B}}
  - id: bad
    fetch: {{archive: "hapi:{url}", dataset: WRONG, parameter: B}}
"""


@pytest.fixture
def stranger() -> Iterator[str]:
    """A HAPI server whose titles, units, descriptions and error messages are hostile."""
    ok = {"HAPI": "3.1", "status": {"code": 1200, "message": "OK"}}
    time = {"name": "Time", "type": "isotime", "length": 20, "units": "UTC", "fill": None}
    field = {"name": "B", "type": "double", "units": EVIL, "fill": "-1e31", "description": EVIL, "label": EVIL}
    info = {"startDate": "2022-01-01Z", "stopDate": "2024-01-01Z", "cadence": "PT6H", "parameters": [time, field]}
    answers: dict[str, tuple[int, bytes]] = {
        "/capabilities": (200, json.dumps({**ok, "outputFormats": ["csv"]}).encode()),
        "/catalog": (200, json.dumps({**ok, "catalog": [{"id": "D", "title": EVIL}, {"id": f"E{EVIL}"}]}).encode()),
        "WRONG": (404, json.dumps({**ok, "status": {"code": 1406, "message": EVIL}}).encode()),
        "/info": (200, json.dumps({**ok, **info, "resourceURL": EVIL, "contact": EVIL, "description": EVIL}).encode()),
        "/data": (200, b"2023-01-03T00:00:00Z,1.5\n2023-01-03T06:00:00Z,2.5\n"),
    }

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            status, body = next((answer for part, answer in answers.items() if part in self.path), (404, EVIL.encode()))
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # http.server's name
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}/hapi"
        server.shutdown()


def on_a_terminal(folder: Path, environment: dict[str, str], commands: Sequence[Sequence[str]]) -> list[str]:
    """What each `helio` command shows on one pseudo terminal, in one process as starting takes longest."""
    script = folder / "commands.py"
    script.write_text(
        "from helio_dagster.cli.edge import run_app\n"
        "from helio_dagster.cli.terminal import guard\n"
        "guard()\n"
        f"for arguments in {[list(each) for each in commands]!r}:\n"
        "    print('exit', run_app(arguments), flush=True)\n"
        "    print('=====', flush=True)\n"
    )
    master, slave = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, str(script)],
        cwd=folder,
        env={**os.environ, "TERM": "xterm", "COLUMNS": "400", "LINES": "60", **environment},
        stdin=slave,
        stdout=slave,
        stderr=slave,
    )
    os.close(slave)
    os.write(master, b"quit\n")  # to the conversation, which goes on asking on a terminal
    received = bytearray()
    while True:
        try:
            part = os.read(master, 65536)
        except OSError:  # nobody holds the other end
            break
        if not part:
            break
        received += part
    os.close(master)
    assert process.wait(timeout=60) == 0, received.decode(errors="replace")[-3000:]
    shown = received.decode("utf-8").split("=====\r\n")
    assert len(shown) == len(commands) + 1
    return shown[:-1]


def obeyed(shown: str) -> list[str]:
    """Characters that a terminal would act on, beside what helio itself sends."""
    text = _OWN.sub("", shown).replace("\r\n", "\n")
    directions = {"L", "R", "AL", "EN", "AN", "ES", "ET", "CS", "NSM", "BN", "B", "S", "WS", "ON"}
    return [
        repr(letter)
        for letter in text
        if (unicodedata.category(letter) in ("Cc", "Zl", "Zp") and letter not in "\t\n")
        or (unicodedata.category(letter) == "Cf" and unicodedata.bidirectional(letter) not in directions)
    ]


def test_no_control_character_of_a_stranger_reaches_the_terminal(
    site: Site, mission: Mission, stranger: str, tmp_path: Path
) -> None:
    """Every command prints archives', files', pipelines', code's and sessions' text with its control characters shown."""
    for key in ("2023-01-02", "2023-01-03"):
        says = ("TITLE", "PI_name", "PI_affiliation", "Acknowledgement", "Rules_of_use", "TEXT", "Logical_source_description")
        mission.publish(key, says=dict.fromkeys(says, EVIL))
    site.save(PIPELINE)
    site.save(HAPI_PIPELINE.format(url=stranger))
    (tmp_path / "raw.yaml").write_bytes(f"version: 1\nname: raw\ntitle: {EVIL}\n".encode())
    (tmp_path / "wrong.yaml").write_text(f"version: 1\nname: wrong\nsteps: []\n{_YAML}: 1\n")
    day = "2023-01-03"
    commands = [
        ["run", "strange", day, "-v"],
        ["run", "foreign", day],
        ["status", "strange", day, "-v"],
        ["status", "foreign", day],
        ["show", "strange/prints", day],
        ["show", "cdaweb/TS_H0_MFI/BGSE", day],
        ["show", f"{key_part(f'hapi:{stranger}')}/D/B", day],
        ["try", "strange/prints", "-p", day],
        ["try", "strange/raises", "-p", day],
        ["export", "strange/prints", day, "-o", "out.csv"],
        ["export", f"{key_part(f'hapi:{stranger}')}/D/B", day, "-o", "foreign.csv"],
        ["cite", "strange", day, "-v"],
        ["cite", "strange", day, "--bibtex"],
        ["cite", "foreign"],
        ["check"],
        ["check", "raw.yaml", "wrong.yaml"],
        ["pipelines", "ls"],
        ["pipelines", "show", "strange"],
        ["pipelines", "search", "mark"],
        ["pipelines", "diff", "strange", "foreign"],
        ["pipelines", "import", "raw.yaml"],
        ["pipelines", "export", "strange"],
        ["catalog", "ls", f"hapi:{stranger}"],
        ["catalog", "search", EVIL],
        ["verify", "strange", day],
        ["drift", "strange", day],
        ["plan", "--offline", "--archive", "demo", f"ACE speed {EVIL} for 2023-01-03"],
        ["chat", "--offline", "--archive", "demo", "--yes", f"ACE speed {EVIL} for 2023-01-03"],
        ["sessions"],
        ["prune", EVIL],
        ["status", "strange", day, "--json"],
        ["show", "strange/prints", day, "--json"],
        ["cite", "strange", day, "--json"],
    ]
    environment = {
        "HELIO_HOME": str(site.settings.home),
        "HELIO_PIPELINES": str(site.settings.pipelines),
        "HELIO_CDAWEB_URL": site.settings.cdaweb_url,
        "PYTHONPATH": str(Path(__file__).parents[3]),
    }
    shown = on_a_terminal(tmp_path, environment, commands)
    assert {" ".join(command): found for command, text in zip(commands, shown, strict=True) if (found := obeyed(text))} == {}
    printed = [(" ".join(command[:2]), text) for command, text in zip(commands, shown, strict=True)]
    escaped = {name for name, text in printed if "\\x1b]52;c;" in text}
    assert escaped >= {"cite strange", "catalog ls", "sessions"}
    marked = {name for name, text in printed if "]up[/link]:x:" in text}
    assert marked >= {
        "run strange",
        "run foreign",
        "try strange/prints",
        "try strange/raises",
        "pipelines ls",
        "pipelines show",
    }
