"""Record what a scripted client and `helio mcp` say to each other in `mcp_exchange.json`.

`python -m tests.scenario.record_mcp` writes the file. Read it aloud after each change of a message: it is what a model reads.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from helio_dagster import __version__
from tests.scenario.mcp_talking import NAME, PLAN, REQUEST
from tests.scenario.processes import surroundings

FILE = Path(__file__).with_name("mcp_exchange.json")
_YES = {"action": "accept", "content": {"decision": "approve and run"}}
_HELLO = {
    "protocolVersion": "2025-11-25",
    "capabilities": {"elicitation": {"form": {}}},
    "clientInfo": {"name": "scripted", "version": "1"},
}
_EDITS = {
    "edits": [
        {"kind": "edit_step", "step": "overview", "changes": [{"path": "figure.panels[0].traces[0].color", "value": "red"}]}
    ]
}
SCRIPT: list[tuple[str, dict[str, Any]]] = [
    ("initialize", _HELLO),
    ("tools/call", {"name": "search_catalog", "arguments": {"words": "Dst index", "count": 1}}),
    ("tools/call", {"name": "dataset", "arguments": {"dataset": "AC_H0_MFI", "words": "GSE"}}),
    ("tools/call", {"name": "propose", "arguments": {"request": "ACE field strength", "plan": {**PLAN, "time_words": ""}}}),
    ("tools/call", {"name": "propose", "arguments": {"request": REQUEST, "plan": PLAN, "session": "SESSION"}}),
    ("tools/call", {"name": "status", "arguments": {"session": "SESSION"}}),
    ("tools/call", {"name": "run", "arguments": {"session": "SESSION", "wait": 100}}),
    ("tools/call", {"name": "result", "arguments": {"session": "SESSION", "step": "b_mag"}}),
    ("tools/call", {"name": "result", "arguments": {"session": "SESSION", "what": "table", "step": "b_mag"}}),
    ("tools/call", {"name": "result", "arguments": {"session": "SESSION", "what": "figure"}}),
    ("tools/call", {"name": "edit", "arguments": {"session": "SESSION", "request": "make it red", "edits": _EDITS}}),
    ("tools/call", {"name": "status", "arguments": {"pipeline": NAME, "time": "2003-10-29"}}),
    ("tools/call", {"name": "sessions", "arguments": {}}),
    ("tools/call", {"name": "run", "arguments": {"session": "99999999-999999"}}),
    ("tools/call", {"name": "stop", "arguments": {"session": "SESSION"}}),
    ("resources/list", {}),
    ("resources/read", {"uri": f"helio://pipelines/{NAME}"}),
    ("prompts/get", {"name": "explain_figure", "arguments": {"pipeline": NAME, "time": "2003-10-29"}}),
]
"""What the client asks, in order; it approves whatever it is asked about, and `SESSION` is the session that it was given."""


def record(folder: Path) -> list[dict[str, Any]]:
    """Hold the exchange in an empty folder; what differs from run to run is replaced by a word."""
    process = subprocess.Popen(
        [sys.executable, "-m", "helio_dagster", "mcp", "--archive", "demo"],
        cwd=folder,
        env=surroundings(folder),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    kept: list[dict[str, Any]] = []
    session = "SESSION"
    for number, (method, params) in enumerate(SCRIPT, 1):
        sent = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
        kept.append({"client": sent})
        process.stdin.write(json.dumps(sent).replace("SESSION", session) + "\n")
        process.stdin.flush()
        while True:
            heard = json.loads(process.stdout.readline())
            found = re.search(r'"session\\":\\"(\d{8}-\d{6}(?:-\d+)?)', json.dumps(heard))
            session = found[1] if found and session == "SESSION" else session
            kept.append({"helio": _settled(heard, folder, session)})
            if heard.get("method") == "elicitation/create":
                answer = {"jsonrpc": "2.0", "id": heard["id"], "result": _YES}
                kept.append({"client": answer})
                process.stdin.write(json.dumps(answer) + "\n")
                process.stdin.flush()
            elif heard.get("id") == number:
                break
    process.stdin.close()
    assert process.wait(60) == 0
    return kept


def _settled(message: Any, folder: Path, session: str) -> Any:
    """A message without what differs from run to run."""
    text = json.dumps(message, ensure_ascii=False)
    for pattern, word in (
        (re.escape(str(folder)), "FOLDER"),
        (re.escape(session), "SESSION"),
        (r"(</?data )[0-9a-f]{8}>", r"\1MARK>"),
        (r'(\\"seconds\\":)[0-9.]+', r"\g<1>0"),
        (r"roughly [0-9.]+ (s|min)\b", "roughly 0 s"),
        (r'"data": "[A-Za-z0-9+/=]{1000,}"', '"data": "PNG"'),
        (r"at: \d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?Z", "at: MOMENT"),
        (r"sha: [0-9a-f]{64}", "sha: SHA"),
        (re.escape(f'"version": "{__version__}"'), '"version": "VERSION"'),
    ):
        text = re.sub(pattern, word, text)
    return json.loads(text)


def main() -> None:
    """Write the file."""
    with tempfile.TemporaryDirectory() as folder:
        FILE.write_text(json.dumps(record(Path(folder)), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
