"""A machine that ran out of something is told from a bug."""

from __future__ import annotations

import errno
import os
import resource

import pytest

from helio_dagster.domain.shortage import require_room, shortage_of


@pytest.mark.parametrize(
    ("error", "what"),
    [
        (MemoryError(), "memory"),
        (OSError(errno.ENOMEM, os.strerror(errno.ENOMEM)), "memory"),
        (OSError(errno.EMFILE, os.strerror(errno.EMFILE)), "open files"),
        (BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN)), "processes"),
        (RuntimeError("can't start new thread"), "threads"),
        (ImportError("x.so: failed to map segment from shared object"), "memory"),
    ],
)
def test_a_shortage_says_what_there_is_no_more_of_and_what_to_do(error: Exception, what: str) -> None:
    """Memory, open files, threads, processes."""
    short = shortage_of(error)
    assert short is not None
    assert what in short.problem
    assert short.hint


@pytest.mark.parametrize("error", [KeyError("Too many open files"), RuntimeError("a bug"), OSError(errno.ENOENT, "gone")])
def test_anything_else_is_not_a_shortage(error: Exception) -> None:
    """Also where it quotes the words."""
    assert shortage_of(error) is None


def test_a_step_is_not_started_where_its_threads_would_find_no_room() -> None:
    """A thread that runs out of memory while it starts ends without a word, and who started it would wait for ever."""
    require_room()
    own = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()  # noqa: PTH123, SIM115
    before = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (own + (32 << 20), before[1]))
    try:
        with pytest.raises(OSError) as raised:  # noqa: PT011 - what it says is looked at below
            require_room()
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)
    short = shortage_of(raised.value)
    assert short is not None
    assert "memory" in short.problem
