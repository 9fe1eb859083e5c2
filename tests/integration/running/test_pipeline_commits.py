"""Changes of pipelines as commits of a real git repository: which files, by whom, and what becomes of what git refuses."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from helio_dagster.domain.pipeline_text import parse_pipeline
from helio_dagster.launch.home import Home
from helio_dagster.launch.running.run_side import HomeSide
from helio_dagster.resources.workbench import Workbench
from helio_dagster.storage.pipeline_commits import commit_change
from helio_dagster.storage.settings import Settings
from tests.prepared import prepared

PIPELINE = """version: 1
name: {name}
title: Field at ACE
start: 2003-10-01
steps:
  - id: b
    fetch: {{archive: demo, dataset: AC_H0_MFI, parameter: Magnitude}}
"""
Git = Callable[..., str]


@pytest.fixture
def git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Git:
    """Git in a new repository, whose folder `pipelines` is the library."""
    for role in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{role}_NAME", "Owner")
        monkeypatch.setenv(f"GIT_{role}_EMAIL", "owner@example.org")
    folder = tmp_path / "pipelines"
    folder.mkdir()

    def git(*arguments: str) -> str:
        command = ["git", *arguments]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
        return done.stdout.strip()

    git("init", "--quiet", "..")
    return git


@pytest.fixture
def settings(tmp_path: Path, git: Git) -> Settings:
    """A home whose pipelines are committed."""
    return Settings(tmp_path / "home", tmp_path / "pipelines", commit_pipelines=True)


def log(git: Git) -> list[str]:
    """Author, subject and files of each commit, the newest first."""
    commits = git("log", "--format=%x00%an: %s", "--name-status", "--no-renames").split("\0")[1:]
    return [" ".join(commit.split()) for commit in commits]


def test_an_approval_is_a_commit_by_the_person_of_that_file_alone(settings: Settings, git: Git) -> None:
    """What else is staged or changed stays so; taking it back is a commit, too."""
    (settings.pipelines / "notes.txt").write_text("mine")
    git("add", "notes.txt")
    side = HomeSide(Home(settings), Workbench(settings))
    said = side.save(parse_pipeline(PIPELINE.format(name="ace"), file="ace.yaml"), by="Ada <a@b>\nLovelace")
    number = git("rev-parse", "--short", "HEAD")
    assert said == f"{settings.pipelines / 'ace.yaml'}. Committed as {number}."
    assert log(git) == ["Ada a@b Lovelace: pipelines: save ace A pipelines/ace.yaml"]
    assert git("status", "--porcelain") == "A  pipelines/notes.txt"
    side.save(parse_pipeline(PIPELINE.format(name="ace"), file="ace.yaml"), by="Ada")
    assert len(log(git)) == 1, "the same text is no change"
    side.remove("ace", by="Grace")
    assert log(git)[0] == "Grace: pipelines: remove ace D pipelines/ace.yaml"


def test_what_the_command_line_changes_is_committed_by_the_account_s_git(settings: Settings, git: Git, tmp_path: Path) -> None:
    """Import, copy, rename and delete: each a commit of what it wrote and deleted."""
    (tmp_path / "ace.yaml").write_text(PIPELINE.format(name="ace"))
    env = {**os.environ, **settings.to_environment()}
    for command, said in (
        (("import", str(tmp_path / "ace.yaml")), ""),
        (("fork", "ace", "copy"), "Committed as "),
        (("rename", "copy", "other"), "Committed as "),
        (("rm", "other", "--yes"), "Committed as "),
    ):
        done = prepared().run(("pipelines", *command), cwd=tmp_path, env=env)
        assert done.returncode == 0, done.stderr
        assert said in done.stdout
    assert log(git) == [
        "Owner: pipelines: remove other D pipelines/other.yaml",
        "Owner: pipelines: rename copy to other D pipelines/copy.yaml A pipelines/other.yaml",
        "Owner: pipelines: copy ace as copy A pipelines/copy.yaml",
        "Owner: pipelines: import ace A pipelines/ace.yaml",
    ]
    assert git("status", "--porcelain", "--", ".") == ""


def test_what_git_refuses_is_told_and_the_file_stays(settings: Settings, git: Git, tmp_path: Path) -> None:
    """A hook of the repository that says no; a folder in no repository; a file that git ignores."""
    path = settings.pipelines / "ace.yaml"
    path.write_text(PIPELINE.format(name="ace"))
    hook = tmp_path / ".git" / "hooks" / "pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\necho 'not on Fridays' >&2\nexit 1\n")
    hook.chmod(0o755)
    made = commit_change(settings, "approve ace", [path])
    assert made is not None
    assert made.sentence == "The file is saved, but not committed: not on Fridays."
    hook.unlink()
    (tmp_path / ".gitignore").write_text("*.yaml\n")
    git("rm", "--cached", "--quiet", "ace.yaml")
    ignored = commit_change(settings, "approve ace", [path])
    assert ignored is not None
    assert "ignored by one of your .gitignore files" in ignored.problem
    outside = replace(settings, pipelines=Path("/"))
    assert commit_change(outside, "approve ace", [path]) is not None
    assert path.exists()


def test_changes_at_the_same_time_are_all_committed(settings: Settings, git: Git) -> None:
    """Eight processes, each with a file of its own: git's lock is waited for."""
    code = (
        "import sys; from pathlib import Path; from helio_dagster.storage.settings import Settings;"
        "from helio_dagster.storage.pipeline_commits import commit_change;"
        "path = Path(sys.argv[2]) / f'{sys.argv[1]}.yaml'; path.write_text(sys.argv[1]);"
        "made = commit_change(Settings(path.parent, path.parent, commit_pipelines=True), 'approve ' + sys.argv[1], [path]);"
        "sys.exit(made.problem or 0)"
    )
    names = [f"p{number}" for number in range(8)]
    python = prepared().python
    commands = [[python, "-c", code, name, str(settings.pipelines)] for name in names]
    started = [subprocess.Popen(command, stderr=subprocess.PIPE, text=True) for command in commands]
    problems = [each.communicate()[1] for each in started]
    assert problems == [""] * 8
    assert sorted(each.split()[3] for each in log(git)) == names


def test_it_is_off_unless_it_is_set(settings: Settings, git: Git) -> None:
    """Nothing of git is asked."""
    path = settings.pipelines / "ace.yaml"
    path.write_text("x")
    assert commit_change(replace(settings, commit_pipelines=False), "approve ace", [path]) is None
    assert git("status", "--porcelain") == "?? pipelines/"
