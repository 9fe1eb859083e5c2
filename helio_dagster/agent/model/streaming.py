"""A model whose replies are read as they are written: how far it is can be told, and one that breaks off is not a reply.

An answer is handed on whole or not at all, so that every guard of the loop holds as without streaming, and a model that
breaks off may be replaced by another. Clients belong to `providers`, the loop to `asking`.
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
    """A reply that ended before its end; what came of it was thrown away."""


class Progress:
    """Tells that a model is asked, how much it has written, about once a second, and that it has answered.

    Parameters
    ----------
    tell
        Hears of it; never of what was written, which is not yet held against anything.
    clock
        Seconds that only grow.
    called
        Name of a model to how it is called in records.
    """

    def __init__(self, tell: Tell, clock: Callable[[], float], *, called: Mapping[str, str] | None = None) -> None:
        self._tell, self._clock, self._called = tell, clock, called or {}
        self._characters = 0
        self._told_at = clock()

    def asked(self, model: str) -> None:
        """A request is sent."""
        self._characters = 0
        self._say(f"{model} is asked", model, "asked")

    def grew(self, model: str, characters: int) -> None:
        """The reply grew by so many characters."""
        self._characters += characters
        if self._characters and self._clock() - self._told_at >= _EVERY_S:
            self._say(f"{model} is writing: {self._characters:,} characters so far", model, "writing")

    def answered(self, model: str) -> None:
        """The reply is whole."""
        self._say(f"{model} has answered: {self._characters:,} characters", model, "answered")

    def broke_off(self, model: str, usage: RequestUsage) -> None:
        """The reply will not be whole: what it told of its tokens by then was used, and more may have been."""
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
        self._tell(Event(stage="usage", text=f"{facts['model']}: {tokens}, for a reply that broke off.", facts=facts))

    def _say(self, text: str, model: str, state: State) -> None:
        self._told_at = self._clock()
        self._tell(Event(stage="progress", text=text, facts={"model": model, "state": state, "characters": self._characters}))


class StreamedModel(WrapperModel):
    """A model that is asked for a stream, and gives the whole reply once the stream is at its end.

    Parameters
    ----------
    wrapped
        The model.
    progress
        Is told how far it is.
    is_marked
        Whether a whole reply says why it ended: without that a connection that was closed could pass for its end.
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
            There was none, or it ended before its end.
        ModelAPIError
            The server refused the request, or told of an error in the midst of its reply.
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
                if type(error) is ModelAPIError:  # none of its kinds: a piece that is no JSON, an error without a name
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
    """Whether the server said why the reply ended: some clients take the end of the connection for a reason."""
    said = (reply.provider_details or {}).get("finish_reason")
    return reply.state != "incomplete" and (said is not None or reply.finish_reason == "content_filter")


def _characters(event: ModelResponseStreamEvent) -> int:
    """How many characters a reply grew by: text, thoughts and arguments of calls."""
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
