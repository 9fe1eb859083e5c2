"""Clients of the providers of language models, with their keys, addresses and timeouts."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

from pydantic_ai import (
    ModelConnectionError,
    ModelMessage,
    ModelQuotaExceededError,
    ModelRateLimitError,
    ModelResponse,
    ModelServerError,
    ModelUnavailableError,
    UnexpectedModelBehavior,
)
from pydantic_ai.models import Model, ModelRequestParameters
from pydantic_ai.models.fallback import FallbackModel
from pydantic_ai.models.wrapper import WrapperModel
from pydantic_ai.settings import ModelSettings as RequestSettings

from helio_dagster.agent.model.plain_json import PlainJsonModel
from helio_dagster.agent.model.settings import ModelName
from helio_dagster.agent.model.streaming import Progress, StreamedModel
from helio_dagster.domain.errors import InputError

_GOOGLE_URL = "https://generativelanguage.googleapis.com"
_OPENAI_URL = "https://api.openai.com/v1"
_ANTHROPIC_URL = "https://api.anthropic.com"
_ABSENT_KEY = "none"
"""A placeholder key for servers that need none."""
_OUTAGES = (
    ModelRateLimitError,
    ModelQuotaExceededError,
    ModelUnavailableError,
    ModelServerError,
    ModelConnectionError,
)
"""Errors that justify asking another model; a wrong key or a wrong request does not."""


class ShapedModel(WrapperModel):
    """A model whose server may send something other than its provider's replies: a proxy's page, JSON of another shape."""

    async def request(
        self,
        messages: list[ModelMessage],
        model_settings: RequestSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> ModelResponse:
        """Ask the model; a reply that its client cannot parse is unexpected behaviour, not a crash."""
        try:
            return await super().request(messages, model_settings, model_request_parameters)
        except (AttributeError, TypeError, LookupError, ValueError) as error:
            words = f"the reply does not have the format of {self.system} ({type(error).__name__})"
            raise UnexpectedModelBehavior(words) from error


@asynccontextmanager
async def open_model(
    name: ModelName, fallback: ModelName | None, *, seconds: float, progress: Progress | None, has_tool_calls: bool = True
) -> AsyncIterator[Model]:
    """A model, with another to use while it is unavailable; their connections are closed at the end.

    Parameters
    ----------
    name
        The model.
    fallback
        The other model.
    seconds
        Time limit of one request, in s.
    progress
        Receives the progress of a reply; without it, replies are not streamed.
    has_tool_calls
        Whether the servers can call tools; otherwise calls are written as plain JSON.

    Raises
    ------
    InputError
        The package of a provider is not installed.
    """
    async with AsyncExitStack() as stack:
        model = _open(name, stack, seconds, progress)
        if not has_tool_calls:
            model = PlainJsonModel(model)
        if fallback is None:
            yield model
        else:
            other = _open(fallback, stack, seconds, progress)
            yield FallbackModel(model, other if has_tool_calls else PlainJsonModel(other), fallback_on=_OUTAGES)


def _open(name: ModelName, stack: AsyncExitStack, seconds: float, progress: Progress | None) -> Model:
    client = _client(name, stack, seconds)
    return ShapedModel(StreamedModel(client, progress, is_marked=True) if progress is not None else client)


def _client(name: ModelName, stack: AsyncExitStack, seconds: float) -> Model:
    match name.provider:
        case "google":
            return _google(name, stack, seconds)
        case "openai":
            return _openai(name, stack, seconds)
        case "anthropic":
            return _anthropic(name, stack, seconds)
        case "scripted" | "recorded":
            raise InputError("a script is not a server", hint="Only HELIO_MODEL may be scripted:PATH or recorded:PATH.")


def _google(name: ModelName, stack: AsyncExitStack, seconds: float) -> Model:
    import httpx2
    from google.genai import Client
    from google.genai.types import HttpOptions
    from pydantic_ai.models.google import GoogleModel
    from pydantic_ai.providers.google import GoogleProvider

    logging.getLogger("google_genai").setLevel(logging.ERROR)  # it warns about variables that are not used here
    connections = httpx2.AsyncClient(timeout=httpx2.Timeout(seconds, connect=10))
    stack.push_async_callback(connections.aclose)
    options = HttpOptions(
        base_url=name.url or _GOOGLE_URL, api_version="v1beta", timeout=int(seconds * 1000), httpx_async_client=connections
    )
    client = Client(vertexai=False, api_key=_key(name), http_options=options)
    return GoogleModel(name.model, provider=GoogleProvider(client=client))


def _openai(name: ModelName, stack: AsyncExitStack, seconds: float) -> Model:
    try:
        from openai import AsyncOpenAI
        from pydantic_ai.models.openai import OpenAIChatModel
        from pydantic_ai.providers.openai import OpenAIProvider
        from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider
    except ImportError:
        raise _missing("openai") from None
    client = AsyncOpenAI(api_key=_key(name), base_url=name.url or _OPENAI_URL, max_retries=0, timeout=seconds)
    stack.push_async_callback(client.close)
    if name.url is None:
        return OpenAIChatModel(name.model, provider=OpenAIProvider(openai_client=client))
    return OpenAIChatModel(name.model, provider=OpenAICompatibleProvider("openai-compatible", openai_client=client))


def _anthropic(name: ModelName, stack: AsyncExitStack, seconds: float) -> Model:
    try:
        from anthropic import AsyncAnthropic
        from pydantic_ai.models.anthropic import AnthropicModel
        from pydantic_ai.providers.anthropic import AnthropicProvider
    except ImportError:
        raise _missing("anthropic") from None
    client = AsyncAnthropic(api_key=_key(name), base_url=name.url or _ANTHROPIC_URL, max_retries=0, timeout=seconds)
    stack.push_async_callback(client.close)
    cached = RequestSettings(cache=True)  # the others cache a repeated beginning by themselves
    return AnthropicModel(name.model, provider=AnthropicProvider(anthropic_client=client), settings=cached)


def _key(name: ModelName) -> str:
    return name.key.value if name.key is not None else _ABSENT_KEY


def _missing(extra: str) -> InputError:
    return InputError(f"the package for {extra} is not installed", hint=f"Install it: pip install 'helio-dagster[{extra}]'")
