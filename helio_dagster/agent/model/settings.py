"""Settings of the language model: which one, its key, and its limits; read from a mapping."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, get_args
from urllib.parse import urlsplit

from helio_dagster.domain.did_you_mean import remedy
from helio_dagster.domain.errors import InputError

Provider = Literal["google", "openai", "anthropic", "scripted", "recorded"]
Effort = Literal["minimal", "low", "medium", "high", "xhigh", "max"]
_EFFORTS: tuple[Effort, ...] = get_args(Effort)
_PROVIDERS_OWN = "the provider's"
_HOTTEST = 2.0
_STREAM_HINT = "Set 0 for servers that cannot stream their replies, or 1 (the default) to stream them."
_CALLS_HINT = "Set json for servers whose tool calls do not work, or tools (the default)."
_PROVIDERS: tuple[Provider, ...] = get_args(Provider)
KEY_NAMES: Mapping[Provider, tuple[str, ...]] = {
    "google": ("GOOGLE_API_KEY", "GEMINI_API_KEY"),
    "openai": ("OPENAI_API_KEY",),
    "anthropic": ("ANTHROPIC_API_KEY",),
    "scripted": (),
    "recorded": (),
}
"""The variables that may hold a provider's key; the first that is set is used."""
_DEFAULT = "google:gemini-3.8-flash"
_SMALL: Mapping[Provider, str] = {
    "google": "gemini-3.5-flash-lite",
    "openai": "gpt-6-luna",
    "anthropic": "claude-haiku-5-5",
}
_OURS = ("HELIO_MODEL", "HELIO_MODEL_SMALL", "HELIO_MODEL_FALLBACK", "HELIO_MODEL_URL")


@dataclass(frozen=True)
class Key:
    """A provider's key, and the variable that holds it; never printed."""

    variable: str
    value: str = field(repr=False)


@dataclass(frozen=True)
class ModelName:
    """A model of a provider; `url` is the server's address, None for the provider's own."""

    provider: Provider
    model: str
    url: str | None = None
    key: Key | None = None

    def __str__(self) -> str:
        return f"{self.provider}:{self.model}"


@dataclass(frozen=True)
class ModelLimits:
    """The limits of one answer."""

    requests: int = 16
    tool_calls: int = 30
    tokens: int = 200_000
    seconds: int = 240


@dataclass(frozen=True)
class AnswerSettings:
    """How a model is asked to answer; None leaves it to the provider.

    `thinking` is False for off, True for the provider's own amount, or an effort. `longest` is the most tokens of one reply.
    """

    temperature: float | None = None
    thinking: bool | Effort | None = None
    longest: int | None = None


@dataclass(frozen=True)
class ModelSettings:
    """The models and their limits.

    `planning` plans; `small`, if set, answers questions that need no data; `fallback` replaces either while it is overloaded or
    unavailable. `is_streaming` says whether replies are read while they are written, `has_tool_calls` whether the servers can
    call tools: otherwise calls are written as plain JSON. `answers` says how to answer.
    """

    planning: ModelName
    small: ModelName | None = None
    fallback: ModelName | None = None
    limits: ModelLimits = ModelLimits()
    is_streaming: bool = True
    has_tool_calls: bool = True
    answers: AnswerSettings = AnswerSettings()

    @classmethod
    def from_environment(cls, environment: Mapping[str, str]) -> ModelSettings:
        """Settings from `HELIO_MODEL`, the variables that begin with `HELIO_MODEL_`, and the providers' keys.

        Raises
        ------
        InputError
            No model is set, or one of the values is invalid.
        """
        text = environment.get("HELIO_MODEL", "").strip()
        if not text and not _key(environment, "google"):
            hint = (
                "Set GOOGLE_API_KEY for Gemini, or HELIO_MODEL to provider:model, such as openai:llama3.3 with HELIO_MODEL_URL."
            )
            raise InputError("no language model is set", hint=hint)
        url = _url(environment)
        planning = _name(text or _DEFAULT, "HELIO_MODEL", environment, url)
        fallback = environment.get("HELIO_MODEL_FALLBACK", "").strip()
        return cls(
            planning=planning,
            small=_small(planning, environment, url),
            fallback=_name(fallback, "HELIO_MODEL_FALLBACK", environment, _shared(url, planning, fallback))
            if fallback
            else None,
            limits=ModelLimits(
                requests=_limit(environment, "HELIO_MODEL_REQUESTS", ModelLimits.requests),
                tool_calls=_limit(environment, "HELIO_MODEL_TOOL_CALLS", ModelLimits.tool_calls),
                tokens=_limit(environment, "HELIO_MODEL_TOKENS", ModelLimits.tokens),
                seconds=_limit(environment, "HELIO_MODEL_SECONDS", ModelLimits.seconds),
            ),
            is_streaming=_choice(environment, "HELIO_MODEL_STREAM", ("1", "0"), _STREAM_HINT) == "1",
            has_tool_calls=_choice(environment, "HELIO_MODEL_CALLS", ("tools", "json"), _CALLS_HINT) == "tools",
            answers=AnswerSettings(
                temperature=_temperature(environment),
                thinking=_thinking(environment),
                longest=_limit(environment, "HELIO_MODEL_LONGEST_ANSWER", 0) or None,
            ),
        )


def is_available(environment: Mapping[str, str]) -> bool:
    """Whether a model is configured or there is a key for the default one; the settings may still be invalid."""
    return any(environment.get(name, "").strip() for name in _OURS) or _key(environment, "google") is not None


def _small(planning: ModelName, environment: Mapping[str, str], url: str | None) -> ModelName | None:
    """The small model: by default a cheap one of the same provider; None if set to `none`."""
    text = environment.get("HELIO_MODEL_SMALL", "").strip()
    if text == "none":
        return None
    if text:
        return _name(text, "HELIO_MODEL_SMALL", environment, _shared(url, planning, text))
    default = _SMALL.get(planning.provider)
    is_own = planning.provider == "google" or url is None
    return ModelName(planning.provider, default, planning.url, planning.key) if default and is_own else None


def _shared(url: str | None, planning: ModelName, text: str) -> str | None:
    """The base URL if this model uses it too, because it has the planning model's provider."""
    return url if text.partition(":")[0] == planning.provider else None


def _name(text: str, variable: str, environment: Mapping[str, str], url: str | None) -> ModelName:
    provider = next((each for each in _PROVIDERS if text.startswith(f"{each}:")), None)
    model = text.partition(":")[2].strip()
    if provider is None:
        given = text.partition(":")[0][:40]
        hint = remedy(given, _PROVIDERS[:3], what="providers") + " Write provider:model, such as google:gemini-3.8-flash."
        raise InputError(f"{variable} does not name a known provider: {text[:60]!r}", hint=hint)
    is_file = provider in ("scripted", "recorded")
    if is_file and variable != "HELIO_MODEL":
        raise InputError(f"{variable} cannot be {provider}", hint="Add the small model's turns to HELIO_MODEL's script.")
    if not model or (not is_file and not re.fullmatch(r"[\w.:/@+-]{1,200}", model)):
        raise InputError(f"{variable} does not name a model: {text[:60]!r}", hint=f"Write {provider}: and the model's name.")
    key = _key(environment, provider)
    needs_key = provider in ("google", "anthropic") or (provider == "openai" and url is None)
    if key is None and needs_key:
        names = " or ".join(KEY_NAMES[provider])
        more = " For your own server, set HELIO_MODEL_URL instead." if provider == "openai" else ""
        raise InputError(f"{variable} is {text[:60]!r}, and {names} is not set", hint=f"Set {names} to your key.{more}")
    return ModelName(provider, model, url, key)


def _key(environment: Mapping[str, str], provider: Provider) -> Key | None:
    for name in KEY_NAMES[provider]:
        value = environment.get(name, "").strip()
        if value:
            if not value.isascii() or not value.isprintable() or " " in value:
                raise InputError(
                    f"{name} is not a key: it contains spaces or characters that keys never have", hint="Set it again."
                )
            return Key(name, value)
    return None


def _url(environment: Mapping[str, str]) -> str | None:
    text = environment.get("HELIO_MODEL_URL", "").strip()
    if not text:
        return None
    try:
        parts = urlsplit(text)
        is_url = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError:
        is_url = False
    if not is_url:
        hint = "Give the base URL of an OpenAI-compatible server, such as http://127.0.0.1:11434/v1."
        raise InputError(f"HELIO_MODEL_URL is not an HTTP address: {text[:80]!r}", hint=hint)
    return text


def _choice(environment: Mapping[str, str], name: str, values: Sequence[str], hint: str) -> str:
    """One of the values, the first if the variable is not set."""
    text = environment.get(name, "").strip() or values[0]
    if text not in values:
        raise InputError(f"{name} is {text[:40]!r}", hint=hint)
    return text


def _temperature(environment: Mapping[str, str]) -> float | None:
    text = environment.get("HELIO_MODEL_TEMPERATURE", "").strip()
    if not text:
        return None
    if not re.fullmatch(r"[0-9]{1,2}(\.[0-9]{1,6})?", text) or float(text) > _HOTTEST:
        raise InputError(f"HELIO_MODEL_TEMPERATURE is {text[:40]!r}", hint=f"Give a number from 0 to {_HOTTEST:g}.")
    return float(text)


def _thinking(environment: Mapping[str, str]) -> bool | Effort | None:
    text = environment.get("HELIO_MODEL_THINKING", "").strip()
    if text in ("", "on", "off"):
        return {"": None, "on": True, "off": False}[text]
    effort = next((each for each in _EFFORTS if each == text), None)
    if effort is None:
        raise InputError(f"HELIO_MODEL_THINKING is {text[:40]!r}", hint=f"Give off, on, {', '.join(_EFFORTS)}.")
    return effort


def _limit(environment: Mapping[str, str], name: str, default: int) -> int:
    text = environment.get(name, "").strip()
    if not text:
        return default
    if not re.fullmatch(r"[0-9]{1,9}", text) or int(text) == 0:
        raise InputError(
            f"{name} is {text[:40]!r}", hint=f"Give a whole number above 0; the default is {default or _PROVIDERS_OWN}."
        )
    return int(text)
