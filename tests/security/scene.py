"""The scene of an attack: a secret, a victim, a folder to write to, listeners and a bystander, and what has become of them."""

from __future__ import annotations

import os
import resource
import signal
import socket
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from tests.security import bystander
from tests.security.processes import state, status

_SHARED_MEMORY = Path("/dev/shm")  # noqa: S108 - where attacks may leave files; nothing of ours is kept there
KEY = 0x48000000 | os.getpid()
"""Key of System V objects that an attack may make."""


class Lent:
    """Descriptors that every process inherits that does not take care: a file with the secret, and one end of a socket."""

    def __init__(self, folder: Path, token: str) -> None:
        (folder / "lent.txt").write_text(token)
        self.file = os.open(folder / "lent.txt", os.O_RDONLY)
        self.kept, self.socket = socket.socketpair()
        self.kept.setblocking(False)
        os.set_inheritable(self.file, True)
        self.socket.set_inheritable(True)

    def close(self) -> None:
        """Close them here."""
        os.close(self.file)
        self.kept.close()
        self.socket.close()


class Listeners:
    """Loopback TCP and UDP, and Unix sockets with and without a file: whoever reaches one of them is heard."""

    def __init__(self, folder: Path, token: str, lent: Lent) -> None:
        self.lent = lent
        self.tcp = socket.create_server(("127.0.0.1", 0))
        self.udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.udp.bind(("127.0.0.1", 0))
        self.unix_path = str(folder / "listener.sock")
        self.unix = self._listen_at(self.unix_path)
        self.abstract_name = f"listener-{os.getpid()}-{token[-8:]}"
        self.abstract = self._listen_at(f"\0{self.abstract_name}")
        self.datagram_path = str(folder / "datagrams.sock")
        self.datagram = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.datagram.bind(self.datagram_path)
        for listener in (self.tcp, self.udp, self.unix, self.abstract, self.datagram):
            listener.setblocking(False)

    @staticmethod
    def _listen_at(address: str) -> socket.socket:
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        listener.bind(address)
        listener.listen(16)
        return listener

    def heard(self) -> str:
        """What has come in since it was last asked."""
        found: list[str] = []
        for listener in (self.tcp, self.unix, self.abstract):
            with suppress(BlockingIOError):
                while True:
                    connection, _ = listener.accept()
                    with connection, suppress(OSError):
                        connection.setblocking(False)
                        found.append(f"connection {connection.recv(4096)!r}")
        for receiver in (self.udp, self.datagram, self.lent.kept):
            with suppress(BlockingIOError):
                while data := receiver.recv(4096):
                    found.append(f"data {data!r}")
        return "; ".join(found)

    def close(self) -> None:
        """Close every socket."""
        for name in ("tcp", "udp", "unix", "abstract", "datagram"):
            getattr(self, name).close()


class Bystander:
    """A process of ours that attacks try to reach; what became of it is read from outside."""

    def __init__(self, notes: Path, token: str) -> None:
        self._notes = notes
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-S", bystander.__file__, str(notes)],
            env={"CANARY": token},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        assert self._process.stdout is not None
        self.address = int(self._process.stdout.readline())
        self.pid = self._process.pid

    def look(self) -> dict[str, str]:
        """All of it that an attack might have changed."""
        if state(self.pid) in {"T", "t", "Z", ""}:
            return {"state": state(self.pid)}
        facts = status(self.pid)
        with Path(f"/proc/{self.pid}/mem").open("rb") as memory:
            memory.seek(self.address)
            kept = memory.read(len(bystander.KNOWN_BYTES))
        return {
            "notes": self._notes_by_now(),
            "memory": repr(kept),
            "nice": str(os.getpriority(os.PRIO_PROCESS, self.pid)),
            "processors": facts["Cpus_allowed_list"],
            "limit": str(resource.prlimit(self.pid, resource.RLIMIT_NOFILE)),
            "oom": Path(f"/proc/{self.pid}/oom_score_adj").read_text(),
            "name": facts["Name"],
            "policy": str(os.sched_getscheduler(self.pid)),
        }

    def _notes_by_now(self) -> str:
        """The signals noted, up to one that is sent now: they are noted in the order of their numbers."""
        before = self._notes.read_text().count(str(int(signal.SIGRTMAX)))
        os.kill(self.pid, signal.SIGRTMAX)
        while state(self.pid) not in {"T", "t", "Z", ""}:
            notes = self._notes.read_text()
            if notes.count(str(int(signal.SIGRTMAX))) > before:
                return " ".join(line for line in notes.split() if line != str(int(signal.SIGRTMAX)))
            time.sleep(0.001)
        return "gone"

    def close(self) -> None:
        """End it."""
        with suppress(ProcessLookupError):
            self._process.kill()
        self._process.wait()
        assert self._process.stdout is not None
        self._process.stdout.close()


@dataclass
class Scene:
    """Where one attack takes place; everything in it is new."""

    parent: Path
    token: str
    lent: Lent
    bystander: Bystander

    def __post_init__(self) -> None:
        self.folder = self.parent / "scene"
        self.folder.mkdir()
        self.calls = self.parent / "calls"
        """Folder of the files of calls, which no attack knows of."""
        self.calls.mkdir()
        self.secret = self.folder / "secret.txt"
        self.secret.write_text(self.token)
        self.victim = self.folder / "victim.txt"
        self.victim.write_text("precious")
        self.writable = self.folder / "writable"
        self.writable.mkdir()
        self.mark = self.writable / "mark"
        self.shm_name = f"mark-{os.getpid()}-{self.token[-12:]}"
        self.listeners = Listeners(self.folder, self.token, self.lent)
        self._before = self._look()

    @property
    def places(self) -> dict[str, str]:
        """What an attack is told, so that it need not search."""
        return {
            "SECRET": str(self.secret),
            "VICTIM": str(self.victim),
            "WRITABLE": str(self.writable),
            "MARK": str(self.mark),
            "SHM_NAME": self.shm_name,
            "TCP_PORT": str(self.listeners.tcp.getsockname()[1]),
            "UDP_PORT": str(self.listeners.udp.getsockname()[1]),
            "UNIX": self.listeners.unix_path,
            "ABSTRACT": self.listeners.abstract_name,
            "DATAGRAM": self.listeners.datagram_path,
            "BYSTANDER": str(self.bystander.pid),
            "BYSTANDER_ADDRESS": str(self.bystander.address),
            "KEY": str(KEY),
        }

    def _look(self) -> dict[str, object]:
        facts: dict[str, object] = {"victim": self._look_at_victim(), "bystander": self.bystander.look(), "kept": self._kept()}
        outside = [str(path) for path in (_SHARED_MEMORY / self.shm_name,) if os.path.lexists(path)]
        inside = sorted(path.name for path in self.writable.iterdir()) if self.writable.exists() else ["the folder is gone"]
        facts["mark"] = [*outside, *inside]
        return facts

    def _look_at_victim(self) -> str:
        try:
            facts = self.victim.lstat()
            attributes = {name: os.getxattr(self.victim, name) for name in os.listxattr(self.victim)}
            return (
                f"{self.victim.read_bytes()!r} {facts.st_mode} {facts.st_uid} {facts.st_nlink} {facts.st_mtime_ns} {attributes}"
            )
        except OSError as error:
            return type(error).__name__

    def _kept(self) -> str:
        """Objects of the kernel with our key or token that outlive their maker."""
        found = [
            f"{listing}: {line}"
            for listing in ("shm", "sem", "msg")
            for line in Path(f"/proc/sysvipc/{listing}").read_text().splitlines()[1:]
            if int(line.split()[0]) & 0xFFFFFFFF == KEY
        ]
        return "; ".join(found)

    def changes(self) -> dict[str, str]:
        """Kinds of evidence that can be seen in the scene now, with what was seen."""
        after = self._look()
        found = {name: f"{self._before[name]} -> {after[name]}" for name in after if after[name] != self._before[name]}
        heard = self.listeners.heard()
        return found | ({"heard": heard} if heard else {})

    def is_bystander_well(self) -> bool:
        """Whether another scene may have the bystander."""
        return self.bystander.look() == self._before["bystander"]

    def close(self) -> None:
        """Take everything down, and what an attack may have left outside the folder."""
        self.listeners.close()
        (_SHARED_MEMORY / self.shm_name).unlink(missing_ok=True)
        if self._kept():
            _remove_kernel_objects()


def _remove_kernel_objects() -> None:
    """Remove System V objects made with our key."""
    for option in ("-M", "-S", "-Q"):
        subprocess.run(["ipcrm", option, str(KEY)], check=False, capture_output=True)  # noqa: S607 - of util-linux
