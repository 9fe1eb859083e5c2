"""Commit changes of the library to the git repository that its folder is part of, if `commit_pipelines` is set.

Only the files that were changed are committed, whatever else is staged or changed there. Nothing is pushed.
"""

from __future__ import annotations

import fcntl
import os
import re
import shutil
import socket
import subprocess
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from helio_dagster.storage.people import account
from helio_dagster.storage.settings import Settings

_GIT_S = 30.0
"""How long one command of git may take; a hook that asks something would wait for ever."""
_TRIES, _PAUSE_S = 20, 0.3
_NOT_IN_A_NAME = re.compile(r"[\x00-\x1f\x7f<>]+")
_IS_LOCKED = re.compile(r"index\.lock|cannot lock ref|Unable to create .*\.lock")


class _Failed(Exception):
    """What git said, in one line."""


@dataclass(frozen=True)
class Commit:
    """What became of a change: the short hash of its commit, or why there is none."""

    number: str = ""
    problem: str = ""

    @property
    def sentence(self) -> str:
        """One sentence for the person."""
        if self.number:
            return f"Committed as {self.number}."
        return f"The file is saved, but not committed: {self.problem}." if self.problem else "Nothing had to be committed."


def commit_change(settings: Settings, subject: str, paths: Iterable[Path], person: str = "") -> Commit | None:
    """Commit the files of a change of the library; None if the setting is off.

    The files stay as they are, whether git can commit them or not.

    Parameters
    ----------
    settings
        The home's settings.
    subject
        The subject of the commit, such as `approve ace_storm`.
    paths
        The files that were written or deleted.
    person
        Who made the change; empty for the person whom git is set up for. It becomes the author of the commit.
    """
    if not settings.commit_pipelines:
        return None
    try:
        with _alone(settings.pipelines):
            return Commit(_committed(settings.pipelines, subject, list(paths), "" if person == account() else person))
    except _Failed as failed:
        return Commit(problem=str(failed))


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Keep other processes of helio from committing meanwhile: git itself loses what one adds while another commits."""
    try:
        handle = os.open(folder, os.O_RDONLY)
    except OSError as error:
        raise _Failed(f"{folder} cannot be opened: {error.strerror}") from None
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def _committed(folder: Path, subject: str, paths: list[Path], person: str) -> str:
    if shutil.which("git") is None:
        raise _Failed("git is not installed")
    if _git(folder, ["rev-parse", "--is-inside-work-tree"], is_asked=True).strip() != "true":
        raise _Failed(f"{folder} is in no git repository")
    known = {folder / name for name in _git(folder, ["ls-files", "-z", "--", *map(str, paths)]).split("\0") if name}
    there = [str(path) for path in paths if path.exists() or path in known]
    written = [str(path) for path in paths if path.exists()]
    if written:
        _git(folder, ["add", "--", *written])
    if not there or not _git(folder, ["status", "--porcelain", "--untracked-files=no", "--", *there]).strip():
        return ""
    author = _author(person)
    identity = [f"--author={author}"] if author else []
    _git(folder, ["commit", "--quiet", "--only", *identity, "--file=-", "--", *there], said=f"pipelines: {subject}\n")
    return _git(folder, ["rev-parse", "--short", "HEAD"]).strip()


def _author(person: str) -> str:
    """A person with a name of their own as git's author; their address is made up, as none is known."""
    name = _NOT_IN_A_NAME.sub(" ", person).strip()
    return f"{name} <{re.sub(r'[^A-Za-z0-9._-]+', '.', name)}@{socket.gethostname()}>" if name else ""


def _git(folder: Path, arguments: list[str], *, said: str = "", is_asked: bool = False) -> str:
    """The output of git; another commit that goes on just now is waited for.

    Raises
    ------
    _Failed
        It failed, unless it was only asked something.
    """
    for left in reversed(range(_TRIES)):
        try:
            done = subprocess.run(  # noqa: S603
                ["git", "--literal-pathspecs", *arguments],  # noqa: S607  # the person's own git, wherever it is
                cwd=folder,
                env=_environment(),
                input=said,
                capture_output=True,
                text=True,
                errors="replace",
                timeout=_GIT_S,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise _Failed(f"git {arguments[0]} took longer than {_GIT_S:.0f} s") from None
        except OSError as error:
            raise _Failed(f"git cannot be run: {error.strerror}") from None
        if done.returncode == 0 or is_asked:
            return done.stdout
        if not (left and _IS_LOCKED.search(done.stderr)):
            raise _Failed(_first_line(done.stderr or done.stdout) or f"git {arguments[0]} failed")
        time.sleep(_PAUSE_S)
    raise AssertionError("unreachable")


def _environment() -> Mapping[str, str]:
    """Without what a hook of git has set, and with git in English and asking nothing."""
    kept = {name: value for name, value in os.environ.items() if name not in ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE")}
    return {**kept, "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"}


def _first_line(text: str) -> str:
    lines = [line.strip().removeprefix("fatal: ").removeprefix("error: ") for line in text.splitlines() if line.strip()]
    return next((line for line in lines if not line.startswith("hint:")), "").rstrip(".")[:200]
