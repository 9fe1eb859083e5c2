"""A person's file is read whole, or refused for what it is: nothing waits, nothing grows."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from helio_dagster.domain.errors import InputError
from helio_dagster.storage.small_files import LARGEST_TEXT_FILE, read_small_file

SOUND = "version: 1\nname: sound\nsteps:\n  - id: a\n    fetch: {archive: demo, dataset: AC_H0_MFI, parameter: Magnitude}\n"


def sparse(path: Path) -> None:
    """A file of 2 GB that takes no room on the disk."""
    path.touch()
    os.truncate(path, 2 << 30)


def listening(path: Path) -> None:
    """A socket's file."""
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))


UNFIT: dict[str, tuple[Callable[[Path], object], str]] = {
    "device": (lambda path: path.symlink_to("/dev/zero"), "a device"),
    "pipe": (os.mkfifo, "a pipe"),
    "folder": (Path.mkdir, "a folder"),
    "socket": (listening, "a socket"),
    "sparse": (sparse, "larger than 4 MB"),
}


@pytest.mark.parametrize("name", UNFIT)
def test_what_is_not_a_small_regular_file_is_refused(tmp_path: Path, name: str) -> None:
    """With what it is; a link to a good file is one."""
    make, said = UNFIT[name]
    make(tmp_path / "x")
    with pytest.raises(InputError, match=said):
        read_small_file(tmp_path / "x")


def test_a_file_is_read_up_to_its_limit(tmp_path: Path) -> None:
    """Through a link too."""
    (tmp_path / "x").write_bytes(bytes(LARGEST_TEXT_FILE))
    (tmp_path / "link").symlink_to(tmp_path / "x")
    assert read_small_file(tmp_path / "link") == bytes(LARGEST_TEXT_FILE)


@pytest.mark.slow
def test_check_names_each_unfit_file_and_reads_the_others(tmp_path: Path) -> None:
    """Of pipelines and saved operations, by name and by path; in 2 GiB of address space, and to its end."""
    pipelines, operations = tmp_path / "pipelines", tmp_path / "home" / "operations"
    for folder, suffix in ((pipelines, ""), (operations, "@1")):
        folder.mkdir(parents=True)
        for name, (make, _) in UNFIT.items():
            make(folder / f"{name}{suffix}.yaml")
        (folder / f"nowhere{suffix}.yaml").symlink_to(tmp_path / "nothing")
    (pipelines / "sound.yaml").write_text(SOUND)
    environment = {**os.environ, "HELIO_HOME": str(tmp_path / "home"), "HELIO_PIPELINES": str(pipelines)}

    def helio(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [  # noqa: S607 - of util-linux
                "prlimit",
                f"--as={2 << 30}",
                sys.executable,
                "-m",
                "helio_dagster",
                *arguments,
            ],
            env=environment,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    everything, one, listed = helio("check"), helio("check", str(pipelines / "device.yaml")), helio("operations", "ls")
    assert "7 checked, 6 problems" in everything.stdout, everything.stderr
    assert all(f"{name}.yaml" in everything.stdout for name in [*UNFIT, "nowhere"])
    assert "not a regular file but a device" in one.stdout
    assert (everything.returncode, one.returncode, listed.returncode) == (2, 2, 0), listed.stderr
    assert "Traceback" not in everything.stderr + one.stderr + listed.stderr
