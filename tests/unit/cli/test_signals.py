"""Which signals arrived, whoever handles them."""

from __future__ import annotations

import ctypes
import signal

import pytest

from helio_dagster.cli.signals import SignalWatch


def test_a_kill_is_remembered_and_ctrl_c_is_not_one() -> None:
    """However often it is asked; the handlers stay those of the caller."""
    before = signal.signal(signal.SIGTERM, lambda *_: None)
    try:
        with SignalWatch() as watch:
            with pytest.raises(KeyboardInterrupt):
                signal.raise_signal(signal.SIGINT)
            assert watch.has_only_ctrl_c()
            signal.raise_signal(signal.SIGTERM)
            assert not watch.has_only_ctrl_c()
            assert not watch.has_only_ctrl_c()
    finally:
        signal.signal(signal.SIGTERM, before)


def test_who_waits_for_a_key_is_woken_after_a_signal() -> None:
    """Also where the signal was noted before the wait began, of which the kernel knows nothing."""
    before = {number: signal.signal(number, lambda *_: None) for number in (signal.SIGINT, signal.SIGWINCH)}
    try:
        with SignalWatch() as watch, watch.noticing():
            signal.raise_signal(signal.SIGINT)
            ctypes.CDLL(None).pause()  # returns only when another signal arrives
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
