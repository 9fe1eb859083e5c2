"""A conversation over a real home and the embedded archive, for scenarios: what is said, and what came of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import dagster as dg
import pandas as pd
import yaml
from dagster._core.definitions.data_version import extract_data_version_from_entry

from helio_dagster.agent.conversation.conversation import Conversation
from helio_dagster.agent.events import Event, Tell, say_nothing
from helio_dagster.api import read
from helio_dagster.conversing import open_conversation
from helio_dagster.domain.pipeline import Pipeline
from helio_dagster.domain.pipeline_text import parse_pipeline
from helio_dagster.launch.record.instance import open_instance
from helio_dagster.resources.workers import Workers
from helio_dagster.storage.settings import Settings

NOW = datetime(2024, 6, 1, 12, tzinfo=UTC)


@dataclass(frozen=True)
class Turn:
    """What happened after something was said."""

    events: list[Event]

    def of(self, stage: str) -> list[Event]:
        """The events of a stage."""
        return [event for event in self.events if event.stage == stage]

    def text(self, stage: str) -> str:
        """The texts of a stage's events."""
        return "\n".join(event.text for event in self.of(stage))

    @property
    def status(self) -> str:
        """How the turn ended."""
        return str(self.events[-1].facts["status"])

    @property
    def awaiting(self) -> str:
        """What is awaited next."""
        return str(self.events[-1].facts["awaiting"])

    @property
    def card(self) -> dict[str, Any]:
        """The facts of the plan that is shown."""
        (plan,) = self.of("plan")
        return plan.facts

    @property
    def steps(self) -> dict[str, dict[str, Any]]:
        """Step of the plan that is shown to its mapping."""
        return {step["id"]: step for step in self.card["pipeline"]["steps"]}

    @property
    def counts(self) -> dict[str, tuple[int, int]]:
        """Step of a run to how many partitions were computed and reused."""
        return {
            event.facts["step"]: (event.facts["computed"], event.facts["reused"])
            for event in self.of("run")
            if "computed" in event.facts
        }

    @property
    def figures(self) -> list[Path]:
        """The pages of the figures that were drawn."""
        return [Path(event.facts["html"]) for event in self.of("run") if "html" in event.facts]


@dataclass
class Chat:
    """A conversation in a folder of its own.

    `script` are the turns of a scripted model; without them the offline planner plans. `workers` are lent by the caller.
    """

    folder: Path
    script: Sequence[Mapping[str, Any]] | None = None
    archive: str = "demo"
    environment: dict[str, str] = field(default_factory=dict)
    tell: Tell = say_nothing
    workers: Workers | None = None
    _open: AbstractContextManager[Conversation] | None = None
    _conversation: Conversation | None = None

    @property
    def settings(self) -> Settings:
        """The home."""
        return Settings.from_environment(self.environment, self.folder)

    def say(self, text: str) -> Turn:
        """Say something."""
        return Turn(self.conversation.say(text))

    def agree(self, text: str) -> Turn:
        """Say something, approve the plan that comes of it, and see it made."""
        planned = self.say(text)
        assert planned.awaiting == "approval", (planned.status, planned.text("clarify"), planned.text("error"))
        done = self.say("approve")
        assert done.status == "success", done.text("error")
        return done

    @property
    def conversation(self) -> Conversation:
        """The conversation, begun when it is first spoken in."""
        if self._conversation is None:
            self._begin(None)
        assert self._conversation is not None
        return self._conversation

    def leave_and_go_on(self) -> None:
        """End the process's part, and go on with what was kept."""
        session = self.conversation.session.id
        self.close()
        self._begin(session)

    def resume(self, session: str) -> None:
        """Go on with a session that another conversation in this folder kept."""
        self._begin(session)

    @property
    def session_id(self) -> str:
        """The session that was kept last."""
        return max(path.stem for path in self.settings.sessions.glob("*.json"))

    def close(self) -> None:
        """Leave."""
        if self._open is not None:
            self._open.__exit__(None, None, None)
        self._open = self._conversation = None

    def text(self, name: str) -> str:
        """The text of a saved pipeline."""
        return (self.settings.pipelines / f"{name}.yaml").read_text()

    @property
    def saved(self) -> list[str]:
        """Names of the saved pipelines."""
        return sorted(path.stem for path in self.settings.pipelines.glob("*.yaml"))

    def pipeline(self, name: str | None = None) -> Pipeline:
        """A saved pipeline as it is read from its file; the only one where none is named."""
        found = name or self.saved[0]
        assert name or len(self.saved) == 1, self.saved
        return parse_pipeline(self.text(found), file=f"{found}.yaml").pipeline

    def read(self, asset: str, start: str, stop: str | None = None) -> pd.DataFrame:
        """What is stored of an asset: `<archive>/<dataset>/<parameter>`, or `<pipeline>/<step>`."""
        name, _, step = asset.partition("/")
        file = self.settings.pipelines / f"{name}.yaml"
        pipeline = file if file.is_file() else None
        found = read(asset if pipeline is None else step, start, stop, pipeline=pipeline, home=self.settings.home)
        assert isinstance(found, pd.DataFrame)
        return found

    def tables(self) -> dict[str, bytes]:
        """Path below `data/` to the bytes of every table."""
        root = self.settings.data
        return {str(path.relative_to(root)): path.read_bytes() for path in sorted(root.rglob("*.parquet"))}

    def pages(self) -> dict[str, bytes]:
        """Name of a figure's page to its bytes."""
        return {path.name: path.read_bytes() for path in sorted(self.settings.figures.glob("*.html"))}

    def data_version(self, asset: str, partition: str) -> str:
        """The data version that Dagster has on record for a partition."""
        with open_instance(self.settings) as instance:
            record = instance.get_latest_data_version_record(dg.AssetKey(asset.split("/")), False, partition)
        assert record is not None
        version = extract_data_version_from_entry(record.event_log_entry)
        assert version is not None
        return version.value

    @property
    def runs(self) -> int:
        """How many runs Dagster has on record."""
        with open_instance(self.settings) as instance:
            return instance.get_runs_count()

    def _begin(self, session: str | None) -> None:
        environment = dict(self.environment)
        if self.script is not None:
            path = self.folder / "script.yaml"
            path.write_text(yaml.safe_dump(list(self.script)))
            environment["HELIO_MODEL"] = f"scripted:{path}"
        self._open = open_conversation(
            self.settings,
            environment,
            session=session,
            archive=self.archive,
            person="ada",
            tell=self.tell,
            here=self.folder,
            clock=lambda: NOW,
            workers=self.workers,
        )
        self._conversation = self._open.__enter__()


def changed_lines(before: str, after: str) -> list[str]:
    """Lines that only one of two texts has, the approval left out."""
    old, new = ([line for line in text.splitlines() if not line.startswith("approved:")] for text in (before, after))
    return [f"-{line}" for line in old if line not in new] + [f"+{line}" for line in new if line not in old]
