"""Settings of the model: what is set, what is taken where nothing is, and one clear error where a value is wrong."""

from __future__ import annotations

import subprocess
import sys

import pytest

from helio_dagster.agent.model.settings import AnswerSettings, ModelSettings, is_available
from helio_dagster.agent.planner import Knowledge
from helio_dagster.agent.planners import make_planner
from helio_dagster.domain.errors import InputError

SECRET = "AIza-secret-0123456789"  # noqa: S105 - made up


@pytest.mark.parametrize(
    ("environment", "planning", "small"),
    [
        ({"GOOGLE_API_KEY": SECRET}, "google:gemini-3.8-flash", "google:gemini-3.5-flash-lite"),
        ({"GEMINI_API_KEY": SECRET}, "google:gemini-3.8-flash", "google:gemini-3.5-flash-lite"),
        (
            {"HELIO_MODEL": "anthropic:claude-x", "ANTHROPIC_API_KEY": SECRET},
            "anthropic:claude-x",
            "anthropic:claude-haiku-5-5",
        ),
        ({"HELIO_MODEL": "openai:gpt-x", "OPENAI_API_KEY": SECRET}, "openai:gpt-x", "openai:gpt-6-luna"),
        ({"GOOGLE_API_KEY": SECRET, "HELIO_MODEL_SMALL": "none"}, "google:gemini-3.8-flash", None),
        (
            {"HELIO_MODEL": "openai:llama3.3:70b", "HELIO_MODEL_URL": "http://127.0.0.1:11434/v1"},
            "openai:llama3.3:70b",
            None,
        ),
        (
            {"HELIO_MODEL": "openai:a/b", "HELIO_MODEL_URL": "http://127.0.0.1:1/v1", "HELIO_MODEL_SMALL": "openai:c"},
            "openai:a/b",
            "openai:c",
        ),
    ],
)
def test_models_of_an_environment(environment: dict[str, str], planning: str, small: str | None) -> None:
    """A key of Google is enough; another provider is named; a server of one's own needs no key and has no small default."""
    assert is_available(environment)
    settings = ModelSettings.from_environment(environment)
    assert str(settings.planning) == planning
    assert (str(settings.small) if settings.small else None) == small


def test_nothing_set_is_no_model() -> None:
    """A key for another provider alone asks for nothing: it may be there for something else."""
    assert not is_available({})
    assert not is_available({"OPENAI_API_KEY": SECRET, "GOOGLE_API_KEY": " "})


def test_a_fallback_of_another_provider_has_its_own_place() -> None:
    """The base URL is the planning model's."""
    environment = {
        "HELIO_MODEL": "openai:llama",
        "HELIO_MODEL_URL": "http://127.0.0.1:1/v1",
        "HELIO_MODEL_FALLBACK": "google:gemini-x",
        "GEMINI_API_KEY": SECRET,
    }
    settings = ModelSettings.from_environment(environment)
    assert settings.planning.url == "http://127.0.0.1:1/v1"
    assert settings.fallback is not None
    assert settings.fallback.url is None


@pytest.mark.parametrize(
    ("environment", "said"),
    [
        ({}, "no language model is set"),
        ({"HELIO_MODEL": "gpt-4"}, "HELIO_MODEL does not name a known provider"),
        ({"HELIO_MODEL": "goggle:gemini"}, "HELIO_MODEL does not name a known provider"),
        ({"HELIO_MODEL": "google:"}, "does not name a model"),
        ({"HELIO_MODEL": "google:gemini x"}, "does not name a model"),
        ({"HELIO_MODEL": "google:gemini-x"}, "GOOGLE_API_KEY or GEMINI_API_KEY is not set"),
        ({"HELIO_MODEL": "openai:gpt-x"}, "OPENAI_API_KEY is not set"),
        ({"HELIO_MODEL": "openai:gpt-x", "HELIO_MODEL_URL": "localhost:11434"}, "HELIO_MODEL_URL is not an HTTP address"),
        ({"HELIO_MODEL": "openai:gpt-x", "HELIO_MODEL_URL": "http://[::1"}, "HELIO_MODEL_URL is not an HTTP address"),
        ({"GOOGLE_API_KEY": SECRET, "HELIO_MODEL_REQUESTS": "many"}, "HELIO_MODEL_REQUESTS is 'many'"),
        ({"GOOGLE_API_KEY": SECRET, "HELIO_MODEL_SECONDS": "0"}, "HELIO_MODEL_SECONDS is '0'"),
        ({"GOOGLE_API_KEY": SECRET, "HELIO_MODEL_STREAM": "maybe"}, "HELIO_MODEL_STREAM is 'maybe'"),
        ({"GOOGLE_API_KEY": SECRET, "HELIO_MODEL_CALLS": "xml"}, "HELIO_MODEL_CALLS is 'xml'"),
        ({"GOOGLE_API_KEY": SECRET, "HELIO_MODEL_TEMPERATURE": "warm"}, "HELIO_MODEL_TEMPERATURE is 'warm'"),
        ({"GOOGLE_API_KEY": SECRET, "HELIO_MODEL_TEMPERATURE": "2.5"}, "HELIO_MODEL_TEMPERATURE is '2.5'"),
        ({"GOOGLE_API_KEY": SECRET, "HELIO_MODEL_THINKING": "hard"}, "HELIO_MODEL_THINKING is 'hard'"),
        ({"GOOGLE_API_KEY": SECRET, "HELIO_MODEL_LONGEST_ANSWER": "0"}, "HELIO_MODEL_LONGEST_ANSWER is '0'"),
        ({"GOOGLE_API_KEY": SECRET, "HELIO_MODEL_SMALL": "openai:x"}, "HELIO_MODEL_SMALL is 'openai:x'"),
        ({"GOOGLE_API_KEY": SECRET, "HELIO_MODEL_SMALL": "scripted:x"}, "HELIO_MODEL_SMALL cannot be scripted"),
        ({"GOOGLE_API_KEY": "two\nlines"}, "GOOGLE_API_KEY is not a key"),
    ],
)
def test_wrong_values_are_one_clear_error(environment: dict[str, str], said: str) -> None:
    """With what to do, and never with the key."""
    with pytest.raises(InputError, match=said) as caught:
        ModelSettings.from_environment(environment)
    assert caught.value.hint
    assert SECRET not in str(caught.value)


def test_a_key_is_never_shown() -> None:
    """Also not in what a debugger prints of the settings."""
    assert SECRET not in repr(ModelSettings.from_environment({"GOOGLE_API_KEY": SECRET}))


def test_limits_are_read() -> None:
    """Requests, tool calls, tokens, seconds."""
    given = {"HELIO_MODEL_REQUESTS": "1", "HELIO_MODEL_TOOL_CALLS": "2", "HELIO_MODEL_TOKENS": "3", "HELIO_MODEL_SECONDS": "4"}
    limits = ModelSettings.from_environment({"GOOGLE_API_KEY": SECRET, **given}).limits
    assert (limits.requests, limits.tool_calls, limits.tokens, limits.seconds) == (1, 2, 3, 4)


@pytest.mark.parametrize(("text", "is_streaming"), [("", True), ("1", True), ("0", False)])
def test_streaming_can_be_turned_off(text: str, is_streaming: bool) -> None:
    """Replies are streamed unless that is not wanted."""
    settings = ModelSettings.from_environment({"GOOGLE_API_KEY": SECRET, "HELIO_MODEL_STREAM": text})
    assert settings.is_streaming is is_streaming


def test_how_to_answer_is_read() -> None:
    """Nothing is sent that is not set."""
    assert ModelSettings.from_environment({"GOOGLE_API_KEY": SECRET}).answers == AnswerSettings(None, None, None)
    given = {"HELIO_MODEL_TEMPERATURE": "0.2", "HELIO_MODEL_THINKING": "low", "HELIO_MODEL_LONGEST_ANSWER": "4000"}
    settings = ModelSettings.from_environment({"GOOGLE_API_KEY": SECRET, **given, "HELIO_MODEL_CALLS": "json"})
    assert settings.answers == AnswerSettings(0.2, "low", 4000)
    assert not settings.has_tool_calls


@pytest.mark.parametrize(("text", "thinking"), [("off", False), ("on", True), ("", None)])
def test_thinking_can_be_turned_off_and_on(text: str, thinking: bool | None) -> None:
    """Nothing leaves it to the provider."""
    settings = ModelSettings.from_environment({"GOOGLE_API_KEY": SECRET, "HELIO_MODEL_THINKING": text})
    assert settings.answers.thinking is thinking


def test_the_environment_chooses_the_planner(knowledge: Knowledge) -> None:
    """The one with a model where one is set, unless none is wanted."""
    environment = {"GOOGLE_API_KEY": SECRET}
    assert make_planner(environment, knowledge).name == "google:gemini-3.8-flash"
    assert make_planner(environment, knowledge, is_offline=True).name == "offline"
    assert make_planner({}, knowledge).name == "offline"


@pytest.mark.slow
def test_choosing_the_offline_planner_loads_no_client() -> None:
    """Start-up without a model is short: neither the agent library nor a provider's is imported."""
    program = (
        "import sys\n"
        "import helio_dagster.agent.planners, helio_dagster.agent.answers, helio_dagster.agent.events\n"
        "from helio_dagster.agent.model.settings import is_available\n"
        "is_available({})\n"
        "print([name for name in ('pydantic_ai', 'google.genai', 'openai', 'anthropic') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
