"""A home's record has one daemon, whether the record is in SQLite or elsewhere; one that is killed frees its place."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from helio_dagster.launch.record.one_daemon import the_only_daemon
from helio_dagster.resources.daemon_seat import SeatTaken
from helio_dagster.storage.settings import Settings

_HOLD = """
import sys
from pathlib import Path
from helio_dagster.launch.record.one_daemon import the_only_daemon
from helio_dagster.storage.settings import Settings
home = Path(sys.argv[1])
with the_only_daemon(Settings(home, home / "pipelines")):
    print("held", flush=True)
    sys.stdin.read()
"""


def test_a_second_one_is_refused(tmp_path: Path) -> None:
    """With what to do; another home is another record, and the place is free again afterwards."""
    one, other = (Settings(tmp_path / name, tmp_path / "pipelines") for name in ("one", "other"))
    with the_only_daemon(one) as keep, the_only_daemon(other):
        keep()
        with pytest.raises(SeatTaken, match="a record has one daemon") as refused, the_only_daemon(one):
            pytest.fail("two had it")
        assert "--no-daemon" in refused.value.hint
    with the_only_daemon(one):
        pass


def test_one_that_is_killed_frees_its_place(tmp_path: Path) -> None:
    """The system releases the lock."""
    holder = subprocess.Popen(
        [sys.executable, "-c", _HOLD, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env={**os.environ}
    )
    assert holder.stdout is not None
    assert holder.stdout.readline() == b"held\n"
    settings = Settings(tmp_path, tmp_path / "pipelines")
    with pytest.raises(SeatTaken), the_only_daemon(settings):
        pytest.fail("two had it")
    holder.send_signal(signal.SIGKILL)
    holder.communicate()
    with the_only_daemon(settings):
        pass
