"""Read a model's replies as they are written, report their progress, and reject those that break off.

A reply is passed on whole or not at all, so all guards of the loop work as without streaming, and another model may replace one
that breaks off.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from contextlib import AsyncExitStack
from typing import Literal

from pydantic_ai import (
    ModelAPIError,
    ModelConnectionError,
    ModelMessage,
    ModelResponse,
    PartDeltaEvent,
    PartStartEvent,
    TextPart,
    TextPartDelta,
    ThinkingPart,
    ThinkingPartDelta,
    ToolCallPart,
    ToolCallPartDelta,
    UnexpectedModelBehavior,
)
from pydantic_ai.messages import ModelResponseStreamEvent
from pydantic_ai.models import Model, ModelRequestParameters
from pydantic_ai.models.wrapper import WrapperModel
from pydantic_ai.settings import ModelSettings as RequestSettings
from pydantic_ai.usage import RequestUsage

from helio_dagster.agent.events import Event, Tell
from helio_dagster.domain.amounts import counted

_EVERY_S = 1.0
State = Literal["asked", "writing", "answered"]


class BrokenOff(ModelConnectionError):
    """A reply that broke off; what had arrived was discarded."""


class Progress:
    """Reports that a model is asked, about once a second how much it has written, and that it has answered.

    Parameters
    ----------
    tell
        Receives the reports; never the text, which is not checked yet.
    clock
        Monotonic clock in s.
    called
        Name of a model to its name in records.
    """

    def __init__(self, tell: Tell, clock: Callable[[], float], *, called: Mapping[str, str] | None = None) -> None:
        self._tell, self._clock, self._called = tell, clock, called or {}
        self._characters = 0
        self._shown_at = clock()

    def asked(self, model: str) -> None:
        """A request was sent."""
        self._characters = 0
        self._say(f"asking {model}", model, "asked")

    def grew(self, model: str, characters: int) -> None:
        """The reply grew by this many characters."""
        self._characters += characters
        if self._characters and self._clock() - self._shown_at >= _EVERY_S:
            self._say(f"{model} is writing: {self._characters:,} characters so far", model, "writing")

    def answered(self, model: str) -> None:
        """The reply is complete."""
        self._say(f"{model} has answered: {self._characters:,} characters", model, "answered")

    def broke_off(self, model: str, usage: RequestUsage) -> None:
        """The reply broke off: the tokens it reported so far were used, and possibly more."""
        if not usage.has_values():
            return
        tokens = f"at least {counted(usage.input_tokens, 'token')} in, {usage.output_tokens:,} out"
        facts = {
            "model": self._called.get(model, model),
            "answered_by": [],
            "input_tokens": usage.input_tokens,
            "output_tokens": usage.output_tokens,
            "requests": 1,
            "is_least": True,
        }
        self._tell(Event(stage="usage", text=f"{facts['model']}: {tokens}, for an incomplete reply.", facts=facts))

    def _say(self, text: str, model: str, state: State) -> None:
        self._shown_at = self._clock()
        self._tell(Event(stage="progress", text=text, facts={"model": model, "state": state, "characters": self._characters}))


class StreamedModel(WrapperModel):
    """A model that streams, and returns the whole reply at the end of the stream.

    Parameters
    ----------
    wrapped
        The model.
    progress
        Receives the progress.
    is_marked
        Whether a complete reply gives the reason for its end: otherwise a closed connection could pass for one.
    """

    def __init__(self, wrapped: Model, progress: Progress, *, is_marked: bool) -> None:
        super().__init__(wrapped)
        self._progress = progress
        self._is_marked = is_marked

    async def request(
        self,
        messages: list[ModelMessage],
        model_settings: RequestSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> ModelResponse:
        """The whole reply.

        Raises
        ------
        BrokenOff
            There was no reply, or it broke off.
        ModelAPIError
            The server refused the request, or reported an error in the middle of its reply.
        """
        name = self.model_name
        self._progress.asked(name)
        async with AsyncExitStack() as stack:
            opening = self.wrapped.request_stream(messages, model_settings, model_request_parameters)
            try:
                stream = await stack.enter_async_context(opening)
            except UnexpectedModelBehavior as error:
                raise BrokenOff(name, "the stream is empty") from error
            is_whole = False
            try:
                async for event in stream:
                    self._progress.grew(name, _characters(event))
                reply = stream.get()
                is_whole = not self._is_marked or _is_whole(reply)
            except ModelAPIError as error:
                if type(error) is ModelAPIError:  # not a subclass: a piece that is not JSON, an error without a name
                    raise BrokenOff(name, "a piece of the stream cannot be read") from error
                raise
            finally:
                if not is_whole:
                    self._progress.broke_off(name, stream.usage)
        if not is_whole:
            raise BrokenOff(name, "the stream ended before the reply did")
        self._progress.answered(name)
        return reply


def _is_whole(reply: ModelResponse) -> bool:
    """Whether the server gave the reason for the reply's end: some clients take the end of the connection for one."""
    words = (reply.provider_details or {}).get("finish_reason")
    return reply.state != "incomplete" and (words is not None or reply.finish_reason == "content_filter")


def _characters(event: ModelResponseStreamEvent) -> int:
    """By how many characters a reply grew: text, thoughts and arguments of calls."""
    match event:
        case PartStartEvent(part=TextPart(content=text)) | PartStartEvent(part=ThinkingPart(content=text)):
            return len(text)
        case PartStartEvent(part=ToolCallPart(args=args)):
            return _length(args)
        case PartDeltaEvent(delta=TextPartDelta(content_delta=text)):
            return len(text)
        case PartDeltaEvent(delta=ThinkingPartDelta(content_delta=text)):
            return len(text or "")
        case PartDeltaEvent(delta=ToolCallPartDelta(args_delta=args)):
            return _length(args)
        case _:
            return 0


def _length(args: object) -> int:
    if args is None:
        return 0
    return len(args) if isinstance(args, str) else len(json.dumps(args, default=str))
