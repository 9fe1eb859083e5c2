"""Scenes, sandboxes and plain processes for attacks; each lasts as long as it can be shared."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import pytest

from helio_dagster.sandbox import Sandbox, SandboxLimits
from tests.security.frames import INPUTS
from tests.security.processes import adopting_orphans
from tests.security.runners import Confined, Unconfined
from tests.security.scene import Bystander, Lent, Scene

HANG_S = 0.5
"""After so long a plain process is said to hang."""
_NARROW_S = 0.8
"""So long the narrow sandbox lets a call go on; an honest one must be done by then, on a busy machine too."""
_MIB = 1 << 20


@pytest.fixture(scope="session")
def token() -> Iterator[str]:
    """What is secret in this run: in the environment, in files and in the bystander's memory."""
    made = f"canary{secrets.token_hex(12)}"
    os.environ["CANARY"] = made
    yield made
    del os.environ["CANARY"]


@pytest.fixture(scope="session")
def lent(token: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lent]:
    """Descriptors for whoever inherits them."""
    made = Lent(tmp_path_factory.mktemp("lent"), token)
    yield made
    made.close()


@pytest.fixture(scope="session")
def confined(token: str, lent: Lent) -> Iterator[Confined]:
    """The sandbox with time and memory for any attack."""
    with Sandbox(SandboxLimits(wall_s=20, cpu_s=10, memory_bytes=1024 * _MIB, result_bytes=4 * _MIB)) as sandbox:
        yield Confined(sandbox)


@pytest.fixture(scope="session")
def narrow(token: str, lent: Lent) -> Iterator[Confined]:
    """The sandbox with little time and memory, for what never ends and what never has enough."""
    with Sandbox(SandboxLimits(wall_s=_NARROW_S, cpu_s=5, memory_bytes=64 * _MIB, result_bytes=4 * _MIB)) as sandbox:
        yield Confined(sandbox)


@pytest.fixture(scope="session")
def unconfined(token: str, lent: Lent) -> Iterator[Unconfined]:
    """Plain processes."""
    plain = Unconfined(token)
    yield plain
    plain.close()


@pytest.fixture(scope="session")
def bystanders(token: str) -> Iterator[list[Bystander]]:
    """The bystander of the moment, if there is one: it serves scene after scene, until it comes to harm."""
    present: list[Bystander] = []
    yield present
    for bystander in present:
        bystander.close()


@pytest.fixture
def scene(tmp_path: Path, token: str, lent: Lent, bystanders: list[Bystander]) -> Iterator[Scene]:
    """A new scene, with the bystander of the last one if it is well."""
    if not bystanders:
        bystanders.append(Bystander(tmp_path / "notes.txt", token))
    made = Scene(tmp_path, token, lent, bystanders[0])
    with adopting_orphans():
        yield made
    if not made.is_bystander_well():
        bystanders.pop().close()
    made.close()


@pytest.fixture
def inputs() -> dict[str, pd.DataFrame]:
    """One input, as attacks get it."""
    return {"b": INPUTS["b"]()}
