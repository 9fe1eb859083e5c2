"""Three prompts that a person can pick in a client."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from mcp_types import GetPromptResult, Prompt, PromptArgument, PromptMessage, TextContent

from helio_dagster.domain.errors import InputError
from helio_dagster.domain.visible_text import visible

_LONGEST = 400
_WAY = (
    "Read helio://rules. Look datasets up with search_catalog, then propose; show me the plan and let me approve it by calling "
    "run. Afterwards look at result and state only numbers from there. Finish with what to cite."
)


@dataclass(frozen=True)
class _Template:
    """A prompt: its arguments with what they are, and its text."""

    title: str
    arguments: Mapping[str, str]
    text: str


_TEMPLATES = {
    "compare_missions": _Template(
        "Compare missions",
        {"missions": "Such as ACE and Wind", "quantity": "Such as magnetic field magnitude", "time": "Such as 2003-10-29"},
        "Compare {quantity} of {missions} for {time}: one figure with a panel for each mission or both in one, and how well "
        f"they agree (lag, correlation). {_WAY}",
    ),
    "study_events": _Template(
        "Study an event list",
        {"events": "Dates, or a list in the folder of pipelines such as lists/storms.csv", "quantity": "Such as Bz and Dst"},
        "Study {quantity} around these events: {events}. Make each event a partition with a window around it, draw each, and "
        f"superpose them all at the end. {_WAY}",
    ),
    "explain_figure": _Template(
        "Explain a figure",
        {"pipeline": "Name of a saved pipeline", "time": "The range that was run, such as 2003-10-29"},
        "Explain the figure of the pipeline {pipeline} for {time} to me: look at it with result (what=figure), read the "
        "pipeline at helio://pipelines/{pipeline} and the statistics with result (what=summary). Say what each panel "
        "shows, what was computed and how, where data are missing, and what cannot be concluded. Take every number from the "
        "statistics or facts.",
    ),
}


def list_prompts() -> list[Prompt]:
    """The prompts."""
    return [
        Prompt(
            name=name,
            title=each.title,
            arguments=[
                PromptArgument(name=key, description=described, required=True) for key, described in each.arguments.items()
            ],
        )
        for name, each in _TEMPLATES.items()
    ]


def get_prompt(name: str, arguments: Mapping[str, str]) -> GetPromptResult:
    """A prompt with its arguments filled in.

    Raises
    ------
    InputError
        There is no such prompt, or an argument is missing.
    """
    template = _TEMPLATES.get(name)
    if template is None:
        raise InputError(f"there is no prompt {visible(name)[:60]!r}", hint=f"The prompts: {', '.join(_TEMPLATES)}.")
    missing = [key for key in template.arguments if not arguments.get(key, "").strip()]
    if missing:
        raise InputError(f"the prompt {name} needs {' and '.join(missing)}", hint="Give all of its arguments.")
    given = {key: " ".join(visible(arguments[key]).split())[:_LONGEST] for key in template.arguments}
    text = template.text.format_map(given)
    return GetPromptResult(description=template.title, messages=[PromptMessage(role="user", content=TextContent(text=text))])
