"""How much a model is sent for a plan: `python -m benchmarks.prompt_size`.

The conversations of `prompt_conversations.yaml` are held with a scripted model over the shipped catalog; what each request
would carry (rules, schemas of look-ups and of answers, all messages so far) is counted. A whole conversation is the sum over
its requests, as a provider counts it, without what a cache may save.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import yaml
from pydantic_ai import ModelMessage, ModelResponse, ToolDefinition
from pydantic_ai.models.function import AgentInfo, FunctionModel

from benchmarks.tables import print_table
from helio_dagster.agent.answers import Asked, Plan, Refusal
from helio_dagster.agent.model.model_planner import ModelPlanner
from helio_dagster.agent.model.scripted import ScriptedModel, ScriptedTurn
from helio_dagster.agent.model.settings import ModelName, ModelSettings
from helio_dagster.agent.planner import Current, Knowledge, Situation
from helio_dagster.catalog.database import CatalogDatabase, packaged_path
from helio_dagster.catalog.known import KnownCatalog
from helio_dagster.catalog.searching import CatalogSearch
from helio_dagster.domain.pipeline_text import dump_pipeline, parse_pipeline
from helio_dagster.resources.operation_library import OperationLibrary

NOW = datetime(2026, 3, 10, 15, 30, tzinfo=UTC)
AIM_FIRST, AIM_WHOLE = 6_000, 30_000
_ENCODING = "https://openaipublic.blob.core.windows.net/encodings/o200k_base.tiktoken"
Count = Callable[[str], int]


@dataclass
class Measured:
    """What the requests of one conversation carried, and what was replied, in tokens."""

    count: Count
    parts: list[dict[str, int]] = field(default_factory=list)
    replied: int = 0

    def request(self, messages: list[ModelMessage], info: AgentInfo) -> None:
        """Count one request."""
        sent = [_text(part) for message in messages for part in message.parts]
        self.parts.append(
            {
                "rules": self.count(info.instructions or ""),
                "look-ups": sum(self.count(_schema(tool)) for tool in info.function_tools),
                "answers": sum(self.count(_schema(tool)) for tool in info.output_tools),
                "messages": sum(map(self.count, sent)),
            }
        )

    @property
    def whole(self) -> int:
        """All requests and replies together."""
        return sum(sum(each.values()) for each in self.parts) + self.replied


def main() -> None:
    """Print the sizes, and which aims are met."""
    argparse.ArgumentParser(description=__doc__).parse_args()
    count, how = counter()
    with tempfile.TemporaryDirectory() as folder:
        database = CatalogDatabase(packaged_path())
        knowledge = Knowledge(KnownCatalog(lambda: database), CatalogSearch(database), OperationLibrary(Path(folder)))
        rows, held = [], []
        made: dict[str, Plan] = {}
        for each in conversations():
            measured = Measured(count)
            answer = hold(knowledge, each, made.get(each.get("given", "")), measured)
            if isinstance(answer, Plan):
                made[each["title"]] = answer
            rows.append(row(each["title"], measured))
            held.append(measured)
    header = ["conversation", "requests", "first", "rules", "look-ups", "answers", "messages", "whole conversation"]
    print_table(f"Tokens a model is sent, by {how}", header, rows)
    print(f"\nAims: a first request of {AIM_FIRST:,} at most, a whole conversation of {AIM_WHOLE:,} at most.")
    if any(sum(each.parts[0].values()) > AIM_FIRST or each.whole > AIM_WHOLE for each in held):
        raise SystemExit("An aim is missed.")


def conversations() -> list[dict[str, Any]]:
    """The conversations that are held."""
    found: list[dict[str, Any]] = yaml.safe_load(
        Path(__file__).with_name("prompt_conversations.yaml").read_text(encoding="utf-8")
    )
    return found


def hold(knowledge: Knowledge, conversation: Any, given: Plan | None, measured: Measured) -> object:
    """Hold a conversation; what comes of it must be an answer, else nothing was measured."""
    script = ScriptedModel([ScriptedTurn.model_validate(each) for each in conversation["replies"]])

    async def reply(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        measured.request(messages, info)
        response = await script.reply(messages, info)
        measured.replied += sum(measured.count(_text(part)) for part in response.parts)
        return response

    model = FunctionModel(reply)
    small = model if conversation.get("tier") == "small" else None
    settings = ModelSettings(ModelName("scripted", "benchmark"), is_streaming=False)
    planner = ModelPlanner(knowledge, settings, model=model, small=small)
    current = None
    if given is not None:
        file = parse_pipeline(dump_pipeline(given.pipeline), file=f"{given.pipeline.name}.yaml")
        current = Current(file, given.span, is_saved=True)
    answer = planner.answer(Situation(conversation["request"], NOW, current=current))
    if isinstance(answer, (Asked, Refusal)) or len(measured.parts) != len(conversation["replies"]):
        raise SystemExit(f"{conversation['title']}: the script does not fit any more: {answer}")
    return answer


def row(title: str, measured: Measured) -> Sequence[str]:
    """One line of the table."""
    first = measured.parts[0]
    return [
        title,
        str(len(measured.parts)),
        f"{sum(first.values()):,}",
        *(f"{first[part]:,}" for part in ("rules", "look-ups", "answers", "messages")),
        f"{measured.whole:,}",
    ]


def counter() -> tuple[Count, str]:
    """Tokens of o200k_base where its table is at hand, else a quarter of the characters; nothing is downloaded."""
    cache = os.environ.get("TIKTOKEN_CACHE_DIR") or str(Path(tempfile.gettempdir()) / "data-gym-cache")
    if (Path(cache) / hashlib.sha1(_ENCODING.encode()).hexdigest()).is_file():  # noqa: S324 - a file's name, not a secret
        import tiktoken

        encoding = tiktoken.get_encoding("o200k_base")
        return lambda text: len(encoding.encode(text)), "o200k_base"
    return lambda text: -(-len(text) // 4), "a quarter of the characters"


def _schema(tool: ToolDefinition) -> str:
    document = {"name": tool.name, "description": tool.description, "parameters": tool.parameters_json_schema}
    return json.dumps(document, separators=(",", ":"))


def _text(part: Any) -> str:
    """What a part of a message carries."""
    if hasattr(part, "args"):
        return f"{part.tool_name} {part.args if isinstance(part.args, str) else json.dumps(part.args, separators=(',', ':'))}"
    content = getattr(part, "content", "")
    return content if isinstance(content, str) else json.dumps(content, default=str)


if __name__ == "__main__":
    main()
