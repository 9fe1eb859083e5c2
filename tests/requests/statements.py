"""What a plan states of itself, held against the plan and the request: independent of the code that makes the statements."""

from __future__ import annotations

import re
from collections.abc import Iterator

from helio_dagster.domain.pipeline import Pipeline
from tests.unit.agent.knowledge import shipped_knowledge

_ID = re.compile(r"[A-Za-z0-9]+(?:[-@][A-Za-z0-9]+)*_[A-Za-z0-9@_-]+")
_FRAMES = re.compile(r"(?<![A-Za-z])(?:GSE|GSM|RTN|GEO|GEI|MSO|VSO|HEEQ|HCI)(?![A-Za-z])", re.IGNORECASE)
_LENGTH_OF_A_VECTOR = re.compile(r"magnitude|strength|\|[BV]\||\bb_?tot", re.IGNORECASE)
_BINS = re.compile(r"\b\d+ (?:equal )?bins?\b|\bbins? of \d", re.IGNORECASE)


def contradictions(request: str, pipeline: Pipeline) -> Iterator[str]:
    """Statements of a plan that the plan or the request contradicts, and datasets of the request that it does not use."""
    fetches = [step.fetch for step in pipeline.steps if step.fetch is not None]
    fetched = {each.dataset for each in fetches} | {f"{each.archive}/{each.dataset}" for each in fetches}
    parameters = {step.fetch.parameter for step in pipeline.steps if step.fetch is not None}
    operations = {step.compute.operation for step in pipeline.steps if step.compute is not None}
    named = set(_datasets(request))
    yield from (f"{each} is named and not fetched" for each in sorted(named - fetched))
    for text in pipeline.assumptions:
        yield from _of_datasets(text, fetched, named)
        own = re.fullmatch(r"The (.+) of (.+) is the archive's own, not computed\.", text)
        if own is not None and {own[2]} == {_mission(each) for each in fetched}:
            yield from [text] if own[1].casefold().replace(" number", "").replace(" ", "_") in operations else []
        made = re.match(r"The magnitude is computed from (\S+), not taken from", text)
        if made is not None and not (made[1] in parameters and "magnitude" in operations):
            yield text
        if re.match(r"\S+ is used, because the request names no frame|.* in GSM, because the request names no frame", text):
            yield from [text] if _FRAMES.search(request) else []
        if text.endswith("because the request names no magnitude of it.") and not ({"magnitude"} & operations):
            yield from [text] if _LENGTH_OF_A_VECTOR.search(request) else []
        if "bins of equal width" in text and text.endswith("because the request names none.") and _BINS.search(request):
            yield text
        if "is rotated into" in text and not {"transform_frame"} & operations:
            yield text
        if text.startswith("The vector is composed of") and "compose_vector" not in operations:
            yield text


def _of_datasets(text: str, fetched: set[str], named: set[str]) -> Iterator[str]:
    """What is stated of datasets: which are used, and whether one was named."""
    used = re.match(r"(\S+) \(.*\) is used(.*)", text)
    if used is None:
        alone = re.match(r"(\S+) has all that is asked for of", text)
        if alone is not None and alone[1] not in fetched:
            yield text
        return
    if used[1] not in fetched:
        yield text
    if used[2] == ", because the request names no dataset." and {_mission(each) for each in named} & {_mission(used[1])}:
        yield text
    lacking = re.search(r"I know none in (.+), which the request names", used[2])
    if lacking is not None and not {*lacking[1].split(" or ")} <= named:
        yield text


def _datasets(request: str) -> Iterator[str]:
    """The datasets of the catalog whose ids stand in a request, in letters of any size."""
    catalog = shipped_knowledge().catalog
    for word in _ID.findall(request):
        if catalog.has("cdaweb", word.upper()):
            yield word.upper()


def _mission(dataset: str) -> str:
    facts = shipped_knowledge().catalog.facts("cdaweb", dataset)
    return facts.mission if facts is not None else dataset
