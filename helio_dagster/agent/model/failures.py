"""Translate errors of a model's client into ours, saying what happened and which setting to check. Keys are never repeated."""

from __future__ import annotations

from pydantic_ai import (
    AgentRunError,
    ModelAPIError,
    ModelAuthenticationError,
    ModelConnectionError,
    ModelContextWindowExceededError,
    ModelHTTPError,
    ModelNotFoundError,
    ModelQuotaExceededError,
    ModelRateLimitError,
    ModelServerError,
    ModelUnavailableError,
    UsageLimitExceeded,
)
from pydantic_ai.exceptions import ContentFilterError, FallbackExceptionGroup

from helio_dagster.agent.model.settings import KEY_NAMES, ModelLimits, ModelName, ModelSettings
from helio_dagster.agent.model.streaming import BrokenOff
from helio_dagster.domain.amounts import counted
from helio_dagster.domain.errors import ModelError, ModelLimit, ModelMisbehaved, ModelRefused, ModelUnavailable

_LONGEST = 300
_OFFLINE = "or work without a model: --offline."


def translated(
    error: AgentRunError | FallbackExceptionGroup, asked: ModelName, settings: ModelSettings, *, last_fault: str = ""
) -> ModelError:
    """Our error for one of the client's.

    Parameters
    ----------
    error
        What the client raised.
    asked
        The model that was asked first.
    settings
        All models and limits.
    last_fault
        Why its last answer was returned to it, if it was.
    """
    if isinstance(error, FallbackExceptionGroup):
        tried = " and ".join(dict.fromkeys(str(each) for each in (asked, settings.fallback) if each is not None))
        first = next((each for each in error.exceptions if isinstance(each, ModelAPIError)), None)
        why = _cause(first) if first is not None else "no answer"
        return ModelUnavailable(f"neither {tried} is available now: {why}", hint=f"Try again later, {_OFFLINE}")
    if isinstance(error, ModelAPIError):
        return _of_server(error, _culprit(error, asked, settings))
    if isinstance(error, UsageLimitExceeded):
        return limit_reached(str(error), settings.limits)
    if isinstance(error, ContentFilterError):
        return ModelMisbehaved(f"{asked} refuses to answer this request", hint="Rephrase the request.")
    hint = f"Rephrase the request or split it; a larger model may do better (HELIO_MODEL), {_OFFLINE}"
    why = redacted(last_fault or str(error).partition(". Consider")[0], settings)
    return ModelMisbehaved(f"{asked} gave no usable answer. The last problem: {why}", hint=hint)


def limit_reached(words: str, limits: ModelLimits) -> ModelLimit:
    """The error for a limit on requests or tokens."""
    hint = "Ask for less at once, or increase {}."
    if "request_limit" in words:
        return ModelLimit(
            f"the model had no answer after {counted(limits.requests, 'request')}", hint=hint.format("HELIO_MODEL_REQUESTS")
        )
    return ModelLimit(f"the model used more than {counted(limits.tokens, 'token')}", hint=hint.format("HELIO_MODEL_TOKENS"))


def out_of_time(limits: ModelLimits) -> ModelLimit:
    """The error for the time limit."""
    hint = "Ask for less at once, or increase HELIO_MODEL_SECONDS."
    return ModelLimit(f"the model had no answer after {limits.seconds} s", hint=hint)


def redacted(text: str, settings: ModelSettings) -> str:
    """Untrusted text on one short line, without any of our keys."""
    for name in (settings.planning, settings.small, settings.fallback):
        if name is not None and name.key is not None:
            text = text.replace(name.key.value, "…")
    line = " ".join(text.split())
    return line[:_LONGEST] + (" …" if len(line) > _LONGEST else "")


def _of_server(error: ModelAPIError, asked: ModelName) -> ModelError:
    key = asked.key.variable if asked.key is not None else " or ".join(KEY_NAMES[asked.provider]) or "its variable"
    where = f" at {asked.url}" if asked.url else ""
    if isinstance(error, ModelAuthenticationError):
        return ModelRefused(f"{asked.provider}{where} refuses the key in {key}", hint=f"Set {key} to a valid key, {_OFFLINE}")
    if isinstance(error, ModelNotFoundError):
        near = getattr(error, "suggested_model_id", None)
        hint = f"Check HELIO_MODEL{' and HELIO_MODEL_URL' if asked.url else ''}." + (f" Did you mean {near}?" if near else "")
        return ModelRefused(f"{asked.provider}{where} has no model {asked.model!r}", hint=hint)
    if isinstance(error, ModelContextWindowExceededError):
        return ModelLimit(
            f"the request is too long for {asked}", hint="Ask for less at once, or set HELIO_MODEL to a larger one."
        )
    if isinstance(error, ModelQuotaExceededError):
        hint = f"Check the account's quota, set another model in HELIO_MODEL_FALLBACK, {_OFFLINE}"
        return ModelUnavailable(f"the quota of {key} for {asked} is used up", hint=hint)
    if isinstance(error, BrokenOff):
        hint = f"Try again; if it happens every time, set HELIO_MODEL_STREAM=0 (some servers cannot stream), {_OFFLINE}"
        return ModelUnavailable(f"{asked}{where} broke off its answer: {error.message}", hint=hint)
    if isinstance(error, (ModelRateLimitError, ModelUnavailableError, ModelServerError, ModelConnectionError)):
        wait = f"in {error.retry_after:.0f} s" if error.retry_after else "later"
        hint = f"Try again {wait}; HELIO_MODEL_FALLBACK names a model to ask instead, {_OFFLINE}"
        return ModelUnavailable(f"{asked}{where} is not available now: {_cause(error)}", hint=hint)
    hint = "Check HELIO_MODEL and HELIO_MODEL_URL; not every model can call tools, or stream (HELIO_MODEL_STREAM=0)."
    return ModelMisbehaved(f"{asked}{where} does not accept the request: {_cause(error)}", hint=hint)


def _culprit(error: ModelAPIError, asked: ModelName, settings: ModelSettings) -> ModelName:
    """Which of the models an error is about."""
    fallback = settings.fallback
    return fallback if fallback is not None and error.model_name == fallback.model != asked.model else asked


def _cause(error: ModelAPIError) -> str:
    """What the server or the network reported, in a few words that contain nothing of the request."""
    if isinstance(error, ModelRateLimitError):
        return "too many requests (429)"
    if isinstance(error, ModelHTTPError):
        return f"it answers with status {error.status_code}"
    if isinstance(error, BrokenOff):
        return f"it broke off its answer: {error.message}"
    if isinstance(error, ModelConnectionError):
        return "no connection, or it broke off"
    return "its answer is not valid"
