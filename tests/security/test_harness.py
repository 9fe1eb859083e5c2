"""The harness is not blind: where the kernel's layers are left off, it sees attacks succeed in the same sandbox."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Collection, Iterator

import pandas as pd
import pytest

from helio_dagster.sandbox import Sandbox, SandboxLimits
from tests.security.corpus import Attack, load_attacks
from tests.security.evidence import MANY_THREADS
from tests.security.processes import descendants, status
from tests.security.runners import Confined
from tests.security.scene import Lent, Scene

ATTACKS = {f"{attack.goal}/{attack.id}": attack for attack in load_attacks()}
SEEN = [
    "read/open",
    "write/open",
    "write/io_uring_mkdir",
    "delete/remove",
    "exec/subprocess_run",
    "network/tcp",
    "network/udp",
    "network/abstract_unix",
    "fork/daemon",
    "kernel objects that stay/shared_memory",
    "reaching other processes/signal_the_bystander",
    "reaching other processes/trace_the_bystander",
    "reaching other processes/kill_the_parent",
]


def _pass_everything(_body: str, _names: Collection[str], _limits: SandboxLimits) -> None:
    """A static check that lets all through."""


@pytest.fixture(scope="module")
def weak(token: str, lent: Lent) -> Iterator[Confined]:
    """The sandbox without the kernel's layers."""
    limits = SandboxLimits(wall_s=20, cpu_s=5)
    with Sandbox(limits, strongest="weak", allow_weak=True, check_code=_pass_everything) as sandbox:
        yield Confined(sandbox)


@pytest.mark.nightly
@pytest.mark.parametrize("name", SEEN)
def test_success_is_seen_where_nothing_prevents_it(
    name: str, weak: Confined, scene: Scene, inputs: dict[str, pd.DataFrame]
) -> None:
    """Evidence of each kind that the scene gives."""
    attack = ATTACKS[name]
    outcome = weak.attack(attack.written_for(scene.places), scene, inputs)
    assert attack.evidence in outcome.evidence(scene.token), outcome.said[:2000]


@pytest.fixture
def busy_neighbour() -> Iterator[int]:
    """A process of ours, with more threads than a call may have, that began before the call and has no part in it."""
    code = (
        "import threading, time\n"
        f"for _ in range({MANY_THREADS}): threading.Thread(target=time.sleep, args=(60,), daemon=True).start()\n"
        "print('ready', flush=True)\ntime.sleep(60)"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as neighbour:
        assert neighbour.stdout is not None
        assert neighbour.stdout.readline() == "ready\n"
        yield neighbour.pid
        neighbour.kill()


def test_what_runs_beside_a_call_is_not_held_against_it(
    busy_neighbour: int, confined: Confined, scene: Scene, inputs: dict[str, pd.DataFrame]
) -> None:
    """A browser that another test left open is not a success of an attack."""
    assert int(status(busy_neighbour)["Threads"]) > MANY_THREADS
    assert busy_neighbour in descendants()
    lasting = Attack(id="lasting", evidence="threads", body="for _ in range(3_000_000): pass\nreturn b", then="", root=False)
    assert confined.attack(lasting, scene, inputs).evidence(scene.token) == {}
