"""Who holds a claim, as the name of its session in PostgreSQL says it to those that wait."""

from __future__ import annotations

import os
import re
import socket
from dataclasses import dataclass
from typing import Self

_LONGEST = 63
"""Bytes that PostgreSQL keeps of the name of a session."""
_NAME = re.compile(r"helio (?P<run>\S+) (?P<pid>\d+)@(?P<host>\S*)")
_NO_RUN = "-"


@dataclass(frozen=True)
class Holder:
    """A process that makes partitions: its run's id, empty where it has none, its number, and its machine, cut to fit."""

    run_id: str
    pid: int
    host: str

    @classmethod
    def this_process(cls, run_id: str) -> Self:
        """The process that asks."""
        return cls(run_id, os.getpid(), socket.gethostname())

    @classmethod
    def of_session(cls, name: str | None) -> Self | None:
        """The holder that a session's name says; None for a session of something else."""
        found = _NAME.fullmatch(name or "")
        return (
            cls(found["run"].replace(_NO_RUN, "", found["run"] == _NO_RUN), int(found["pid"]), found["host"]) if found else None
        )

    @property
    def session(self) -> str:
        """The name of its session."""
        host = re.sub(r"[^!-~]", "_", self.host)
        return f"helio {self.run_id or _NO_RUN} {self.pid}@{host}"[:_LONGEST]

    def described(self, person: str) -> str:
        """Who it is, in words; `person` is who began its run, empty where that is not known."""
        run = f"run {self.run_id[:8]}{f' of {person}' if person else ''}, " if self.run_id else ""
        return f"{run}process {self.pid} on {self.host}"
