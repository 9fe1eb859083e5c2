"""Which signals arrived, whoever handles them."""

from __future__ import annotations

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
