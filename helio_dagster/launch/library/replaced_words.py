"""Update a pipeline's texts after its datasets were replaced, and list texts that need a person."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence, Set

from helio_dagster.domain.pipeline import Pipeline
from helio_dagster.domain.pipeline_edit import EditPipeline, apply_edits
from helio_dagster.domain.pipeline_text import PipelineFile
from helio_dagster.launch.library.dataset_replacement import Replacement


def reworded(file: PipelineFile, chosen: Mapping[str, Replacement], staying: Mapping[str, str]) -> PipelineFile:
    """The file with names updated in texts that are only about what was replaced, and with corrected assumptions.

    Parameters
    ----------
    file
        The pipeline with its new datasets.
    chosen
        Step to its replacement.
    staying
        Step to the mission that it still fetches from.
    """
    for path, text, fetches in _words_of(file.pipeline):
        names = _renamed_missions(fetches, chosen, staying)
        changed = _with_other_names(text, names)
        if changed != text:
            file = file.with_value(path, changed)
    return _with_true_assumptions(_with_true_description(file, chosen), chosen)


def _renamed_missions(fetches: Set[str], chosen: Mapping[str, Replacement], staying: Mapping[str, str]) -> dict[str, str]:
    """Missions whose fetches, among these, are all replaced by the same other mission."""
    left = {mission for step, mission in staying.items() if step in fetches}
    pairs = {(each.old.mission, each.new.mission) for step, each in chosen.items() if step in fetches}
    olds = [old for old, _ in pairs]
    return {old: new for old, new in pairs if old and new and old not in {new, *left} and olds.count(old) == 1}


def _words_of(pipeline: Pipeline) -> Iterator[tuple[str, str, Set[str]]]:
    """Short texts shown in figures and lists, each with its path and the fetches it is about."""
    made_from = _made_from(pipeline)
    yield "title", pipeline.title, made_from[""]
    for index, step in enumerate(pipeline.steps):
        at = f"steps[{index}]"
        if not step.fetch:
            yield f"{at}.intent", step.intent, made_from[step.id]
        if step.figure:
            yield f"{at}.figure.title", step.figure.title or "", made_from[step.id]
            for row, panel in enumerate(step.figure.panels):
                own = [trace.data.removeprefix(f"{pipeline.name}/") for trace in panel.traces]
                yield f"{at}.figure.panels[{row}].y.title", panel.y.title or "", _united(made_from, own)
                for place, trace in enumerate(panel.traces):
                    label = f"{at}.figure.panels[{row}].traces[{place}].label"
                    yield label, trace.label or "", _united(made_from, [own[place]])


def _made_from(pipeline: Pipeline) -> dict[str, Set[str]]:
    """Step to the pipeline's fetches that it is made from; the empty name stands for the whole pipeline."""
    found: dict[str, Set[str]] = {"": {step.id for step in pipeline.steps if step.fetch}}
    waiting = {step.id: {each.removeprefix(f"{pipeline.name}/") for _, each in step.references} for step in pipeline.nodes}
    for step in pipeline.nodes:
        reached, ahead = {step.id}, [step.id]
        while ahead:
            more = waiting.get(ahead.pop(), set()) - reached
            reached |= more
            ahead.extend(more)
        found[step.id] = reached & found[""]
    return found


def _united(made_from: Mapping[str, Set[str]], steps: Sequence[str]) -> Set[str]:
    return set().union(*(made_from.get(step, set()) for step in steps))


def left_words(pipeline: Pipeline, replacements: Sequence[Replacement], staying: Set[str]) -> Iterator[str]:
    """Texts that still mention what was replaced."""
    now = {step.fetch.dataset for step in pipeline.steps if step.fetch} | {each.new.mission for each in replacements} | staying
    gone = {name for each in replacements for name in (each.old.mission, each.old.fetch.dataset) if name} - now
    texts = [*((path, text) for path, text, _ in _words_of(pipeline)), ("description", pipeline.description)]
    texts += [(f"steps[{index}].id", step.id.replace("_", " ").upper()) for index, step in enumerate(pipeline.steps)]
    texts += [(f"assumptions[{index}]", text) for index, text in enumerate(pipeline.assumptions)]
    texts += [
        (f"steps[{i}].compute.code", s.compute.code) for i, s in enumerate(pipeline.steps) if s.compute and s.compute.code
    ]
    for path, text in texts:
        if named := sorted(name for name in gone if _word(name if not path.endswith(".id") else name.upper()).search(text)):
            yield f"{path}: it still mentions {', '.join(named)}"


def _with_true_description(file: PipelineFile, chosen: Mapping[str, Replacement]) -> PipelineFile:
    """The file with removed dataset ids replaced in its description, if each has a single replacement."""
    pairs = {(each.old.fetch.dataset, each.new.fetch.dataset) for each in chosen.values()}
    used = {step.fetch.dataset for step in file.pipeline.steps if step.fetch}
    names = {old: new for old, new in pairs if old not in used and [other for other, _ in pairs].count(old) == 1}
    text = file.pipeline.description
    changed = _with_other_names(text, names)
    return file.with_value("description", changed) if changed != text else file


def _with_true_assumptions(file: PipelineFile, chosen: Mapping[str, Replacement]) -> PipelineFile:
    """The file without the assumptions about removed datasets, and with new ones about their replacements."""
    gone = {name for each in chosen.values() for name in (each.old.fetch.dataset, each.old.fetch.parameter)}
    gone -= {name for each in chosen.values() for name in (each.new.fetch.dataset, each.new.fetch.parameter)}
    before = file.pipeline.assumptions
    kept = [text for text in before if not (gone and _word(*gone).search(text))]
    if kept == before:
        return file
    fetches = dict.fromkeys(each.new.fetch for each in chosen.values())
    taken = [f"{new.dataset} {new.parameter} was chosen for this copy." for new in fetches]
    return apply_edits(file, [EditPipeline(kind="edit_pipeline", changes={"assumptions": [*kept, *taken]})])


def _with_other_names(text: str, names: Mapping[str, str]) -> str:
    return _word(*names).sub(lambda match: names[match[0]], text) if names else text


def _word(*names: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, names))})(?!\w)")
