"""What a worker process may take."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from helio_dagster.archives.cdf.memory_bound import share_of_memory


def test_workers_share_what_the_machine_has() -> None:
    """Four workers together stay below the machine's memory, and none gets more than one alone."""
    machine = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    assert 0 < 4 * share_of_memory(4) < machine
    assert share_of_memory(4) <= share_of_memory(1) <= 8 << 30


@pytest.mark.slow
def test_a_small_file_allows_little_and_the_next_one_more() -> None:
    """In a process of its own: a gibibyte fails while a small file is read, and not afterwards."""
    script = (
        "from helio_dagster.archives.cdf.memory_bound import MemoryBound\n"
        "bound = MemoryBound(4 << 30)\n"
        "bound.allow(1000)\n"
        "try:\n    bytearray(1 << 30)\nexcept MemoryError:\n    print('refused')\n"
        "bound.lift()\n"
        "print(len(bytearray(1 << 30)))\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["refused", str(1 << 30)]
