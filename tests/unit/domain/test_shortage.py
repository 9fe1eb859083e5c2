"""A machine that ran out of something is told from a bug."""

from __future__ import annotations

import errno
import os

import pytest

from helio_dagster.domain.shortage import shortage_of


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
