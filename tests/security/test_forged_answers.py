"""Code that writes its own answer into the memory it shares with the caller gains nothing by it."""

from __future__ import annotations

import pandas as pd
import pytest

from tests.security.corpus import Attack
from tests.security.runners import Confined
from tests.security.scene import Scene

_REACH = """
import json, os, struct, sys
own = sys.modules["helio_dagster.sandbox.running"]
room = next(each for each in own._KEPT if each is not own._KEPT[0] and len(each) > 1 << 20)
def report(**said):
    text = json.dumps(said).encode()
    room[8 : 8 + len(text)] = text
    room[:8] = struct.pack("<Q", len(text))
def answer():
    os.close(1)
    os.close(2)
"""

FORGERIES = {
    "an error, and on for ever": 'report(outcome="raised", kind="E", text="x")\nanswer()\nwhile True:\n    pass',
    "a result, changed while it is read": (
        "found = own.read_result(b, name='x', most_columns=9)\n"
        "size = own.write_result(memoryview(room)[own.REPORT_BYTES :], found)\n"
        "report(outcome='result', size=size)\nanswer()\nn = 0\n"
        "while True:\n    room[own.REPORT_BYTES + n % 1024] = n % 251\n    n += 1"
    ),
    "a result of a size that does not exist": 'report(outcome="result", size=1 << 60)\nos._exit(0)',
    "a length beyond the report": 'room[:8] = b"\\xff" * 8\nos._exit(0)',
    "an unknown outcome": 'report(outcome="fine", text="x")\nos._exit(0)',
    "a nested report": 'room[8:4008] = b"[" * 4000\nroom[:8] = struct.pack("<Q", 4000)\nos._exit(0)',
    "steering words in an error": 'report(outcome="raised", kind="\\x1b[2J", text="\\x1b]0;x\\x07")\nos._exit(0)',
    "lines in an error": 'report(outcome="raised", kind="E\\nFORGED x", text="y\\nFORGED z", hint="h\\nFORGED h")\nos._exit(0)',
    "steering words in a column's name": (
        'sys.modules["helio_dagster.sandbox.results"]._read_name = lambda label: label\n'
        'return b.rename(columns={"bx": "\\x1b[2J"})'
    ),
    "a name that is not text": (
        'sys.modules["helio_dagster.sandbox.results"]._read_name = lambda label: label\n'
        'return b.rename(columns={"bx": "x" * 100_000})'
    ),
    "more columns than allowed": (
        "true_writing = own.write_result\n"
        "def write(room, found):\n"
        "    names = [str(number) for number in range(20_000)]\n"
        "    return true_writing(room, own.Result(found.time, names, found.values[:1] * 20_000))\n"
        "own.write_result = write\n"
        "return b[['bx']].iloc[:1]"
    ),
}


@pytest.mark.parametrize("name", FORGERIES)
def test_a_forged_answer_harms_nobody(name: str, confined: Confined, scene: Scene, inputs: dict[str, pd.DataFrame]) -> None:
    """The caller gets an answer or a proper error, the process is ended, and the next call is answered well."""
    attack = Attack(id="forged", evidence="crashed", body=_REACH + FORGERIES[name])
    assert confined.attack(attack, scene, inputs).evidence(scene.token) == {}
