"""A clock that is wrong: what a process must be given so that it, and all that it starts, sees another time."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

_SOURCE = """
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static long shift(void) { const char *text = getenv("SHIFTED_CLOCK_S"); return text ? atol(text) : 0; }

int clock_gettime(clockid_t clock, struct timespec *found) {
    int failed = syscall(SYS_clock_gettime, clock, found);
    if (!failed && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) found->tv_sec += shift();
    return failed;
}

int gettimeofday(struct timeval *found, void *zone) {
    int failed = syscall(SYS_gettimeofday, found, zone);
    if (!failed && found) found->tv_sec += shift();
    return failed;
}

time_t time(time_t *found) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (found) *found = now.tv_sec;
    return now.tv_sec;
}
"""


def shifted_clock(folder: Path, seconds: int) -> dict[str, str]:
    """The environment of a process whose clock is ahead by so many seconds; skips where no C compiler is installed."""
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("left out without a C compiler, which makes a clock that is wrong")
    source, library = folder / "shifted_clock.c", folder / "shifted_clock.so"
    source.write_text(_SOURCE)
    subprocess.run([compiler, "-shared", "-fPIC", "-o", library, source], check=True)
    return {"LD_PRELOAD": str(library), "SHIFTED_CLOCK_S": str(seconds)}
