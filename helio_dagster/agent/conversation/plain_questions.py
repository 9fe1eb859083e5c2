"""Answer why nothing is drawn, from what was made of each step, and what of a person's words was ignored."""

from __future__ import annotations

import re
from collections.abc import Iterator

from helio_dagster.agent.conversation.context import Context
from helio_dagster.agent.conversation.result_answer import STATES, UNMADE, offer_to_run
from helio_dagster.agent.conversation.result_question import sources_of
from helio_dagster.agent.planner import Current
from helio_dagster.domain.amounts import counted
from helio_dagster.domain.inquiry import StepStatistics
from helio_dagster.domain.pipeline import Pipeline, Step

_LEAD = r"(?:and |but |so |hm+,? )*"
_FIGURE = r"(?:it|this|that|they|the (?:\w+ )?(?:figure|plot|graph|picture|panels?|result|data|table|page))"
_DATA = r"(?:nothing|no (?:data|values|lines?|points|curves?|records))"
_PLACE = rf"(?: (?:there|here|drawn|shown|plotted|visible|in {_FIGURE}))*"
_EMPTY = r"(?: so| completely| all| still)*(?: empty| blank| white| missing)"
_NOTHING = re.compile(
    rf"{_LEAD}(?:why (?:is|are|was|were) (?:there )?{_DATA}{_PLACE}|why (?:is|are|was|were) {_FIGURE}{_EMPTY}{_PLACE}"
    rf"|(?:where (?:is|are)|what happened to) (?:the |my |all the )?(?:data|values|lines?|curves?)"
    rf"|why (?:do|can) i (?:only )?see {_DATA}|why (?:do|can)(?:n['’]?t| not) i see (?:any(?:thing| data)|it)"
    rf"|(?:there is|i see) {_DATA}{_PLACE}|{_FIGURE} is{_EMPTY})[?!. ]*",
    re.IGNORECASE,
)
_WORDS = r"(?: of (?:it|that|what i said|my (?:request|words|message)))?"
_LOST = r"(?:ignored?|le(?:ave|ft) out|skip(?:ped)?|drop(?:ped)?|overlook(?:ed)?|not (?:use|read|understand))"
_IGNORED = re.compile(
    rf"{_LEAD}(?:(?:what|which (?:words?|parts?)){_WORDS} (?:did|have|do) you {_LOST}{_WORDS}"
    rf"|did you {_LOST} (?:anything|something|any words?){_WORDS}|(?:what|was anything) (?:was |is |got )?{_LOST})[?!. ]*",
    re.IGNORECASE,
)
_SHOWN = re.compile(r"(.+) (?:is|are) (?:ignored|taken as a remark)\.")


def answer_plainly(context: Context, text: str, current: Current) -> bool:
    """Answer a question of either kind; False for any other text."""
    words = " ".join(text.split())
    if _IGNORED.fullmatch(words):
        _tell_ignored(context)
    elif _NOTHING.fullmatch(words):
        _tell_absence(context, current)
    else:
        return False
    return True


def _tell_ignored(context: Context) -> None:
    draft = context.session.draft
    of_request = [repr(each) for each in draft.ignored] if draft is not None else []
    of_change = [found[1] for each in (draft.remarks if draft is not None else []) if (found := _SHOWN.fullmatch(each))]
    words = ", ".join(dict.fromkeys([*of_request, *of_change]))
    reply = f"Ignored: {words}. Everything else is in the plan." if words else "Nothing: every word of it is in the plan."
    if draft is None:
        reply = "No plan is waiting. Ask while one is: its card shows which words it ignores."
    context.say("information", reply, sources=[], makes_data=False)


def _tell_absence(context: Context, current: Current) -> None:
    """Say of each step over time what was made of it."""
    pipeline, span = current.file.pipeline, current.span
    if not current.is_saved or span is None:
        reply = "Nothing is drawn yet, because the plan has not been run. Say `approve`, which saves and runs it."
        context.say("information", reply, sources=[], makes_data=False)
        return
    steps = [step for step in pipeline.nodes if step.kind in ("fetch", "compute") and step.over != "range"]
    steps = [step for step in steps if not step.named_results]
    found = [context.side.measure(current.file, step.id, span) for step in steps]
    if not any(each.is_measured for each in found):
        offer_to_run(context, current, span, found)
        return
    lines = [line for step, each in zip(steps, found, strict=True) for line in _lines(step, each, pipeline)]
    if not lines:
        have = ", ".join(each.step for each in found)
        lines = [f"There are values in {span}: of {have}. Limits of an axis may hide them: say `automatic limits`."]
    context.say("information", "\n".join(lines), sources=[each.asset for each in found], makes_data=False)
    if any(each.states.get(state) for each in found for state in UNMADE):
        context.say("suggestion", "run", say="run")


def _lines(step: Step, measured: StepStatistics, pipeline: Pipeline) -> Iterator[str]:
    """What keeps a step from having values; none where nothing does."""
    total, of = sum(measured.states.values()), ", ".join(sources_of(pipeline, step.id))
    counts = [(STATES[state], count) for state, count in measured.states.items() if state in STATES]
    if counts:
        parts = ", ".join(f"{count} of {counted(total, 'partition')} {words}" for words, count in counts)
        yield f"{step.id} ({of}), {measured.span}: {parts}."
        if step.fetch is not None and measured.states.get("empty"):
            yield "  Without records: the archive has the dataset, but no record of it there."
    elif measured.columns and not any(column.valid for column in measured.columns):
        what = "only fill values" if any(column.fill for column in measured.columns) else "no records"
        yield f"{step.id} ({of}), {measured.span}: {what}."
