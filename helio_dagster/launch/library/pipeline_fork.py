"""Copy a pipeline under another name, optionally with other datasets."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from helio_dagster.assets.library import check_files
from helio_dagster.catalog.missions import find_mission
from helio_dagster.catalog.opening import open_catalog
from helio_dagster.catalog.searching import CatalogSearch
from helio_dagster.domain.did_you_mean import remedy
from helio_dagster.domain.errors import InputError, PipelineError
from helio_dagster.domain.pipeline import Fetch, Pipeline, Step
from helio_dagster.domain.pipeline_edit import AddStep, EditStep, apply_edits
from helio_dagster.domain.pipeline_fields import DATASET_PATTERN
from helio_dagster.domain.pipeline_text import PipelineFile
from helio_dagster.launch.home import Home
from helio_dagster.launch.library.dataset_facts import Measured, find_measured
from helio_dagster.launch.library.dataset_replacement import Replacement, propose, replaced
from helio_dagster.launch.library.replaced_words import left_words, reworded

_COMPILED = "OMNI"
"""Not a spacecraft: a mission in the catalog that is compiled from the data of others."""


@dataclass(frozen=True)
class Fork:
    """A fork as it would be saved.

    `kept` describes the fetches that stay unchanged because the mission has no replacement; `notes` say what else to look at.
    `is_proposal` says whether the catalog chose datasets or something does not carry over: then a person must agree.
    """

    file: PipelineFile
    path: Path
    replacements: tuple[Replacement, ...]
    kept: tuple[str, ...]
    notes: tuple[str, ...]
    is_proposal: bool


def plan_fork(home: Home, found: PipelineFile, new: str, *, missions: Sequence[str] = (), datasets: Sequence[str] = ()) -> Fork:
    """Plan a fork without writing anything.

    Parameters
    ----------
    home
        Its library gets the fork.
    found, new
        The pipeline, which need not be saved, and the fork's name.
    missions
        `NEW`, or `OLD=NEW` if it fetches from several spacecraft: the best dataset of NEW for each of OLD's fetches.
    datasets
        `OLD=DATASET/PARAMETER`, OLD being a step, a dataset, or DATASET/PARAMETER.

    Raises
    ------
    InputError
        The new name is invalid or taken, a mission or dataset does not exist, or the mission does not measure what is fetched.
    PipelineError
        The fork would be invalid.
    """
    path = home.library.path(new)
    if path.exists() or new == found.pipeline.name:
        raise InputError(f"there is a pipeline {new!r} already", hint="Give another name.")
    fetches = {step.id: step.fetch for step in found.pipeline.steps if step.fetch is not None}
    named = _named(fetches, datasets, home)
    left = {step: fetch for step, fetch in fetches.items() if step not in named}
    proposed, kept = _proposed(left, missions, home)
    chosen = named | proposed
    replacements = tuple(chosen[step] for step in fetches if step in chosen)
    staying = {step: find_measured(fetch, home.catalog).mission for step, fetch in fetches.items() if step not in chosen}
    edited = _edited(found.without_approval().renamed(new, file=str(path)), chosen)
    file = _with_magnitudes(reworded(edited, chosen, staying), chosen)
    findings = check_files(
        {**home.files, new: file},
        home.catalog,
        home.operations.get,
        limits=home.settings.code_limits,
        lists=home.settings.pipelines,
    )
    if own := [problem for problem in findings.problems if problem.file == file.file]:
        raise PipelineError(own)
    notes = [f"{note.path}: {note.problem}. {note.hint}".strip() for note in findings.notes if note.file == file.file]
    notes += [*left_words(file.pipeline, replacements, set(staying.values())), *_columns(file.pipeline, chosen)]
    is_proposal = bool(missions) or any(each.losses for each in replacements)
    return Fork(file, path, replacements, tuple(kept), tuple(notes), is_proposal)


def _named(fetches: Mapping[str, Fetch], datasets: Sequence[str], home: Home) -> dict[str, Replacement]:
    """Step to the replacement given by the person."""
    found: dict[str, Replacement] = {}
    for text in datasets:
        old, _, other = text.partition("=")
        dataset, _, parameter = other.rpartition("/")
        if not (old and parameter) or re.fullmatch(DATASET_PATTERN, dataset) is None or max(len(dataset), len(parameter)) > 120:
            raise InputError(f"{text!r:.200} is not a replacement", hint="Write --dataset AC_H0_MFI=WI_H0_MFI/BGSE.")
        steps = [step for step, fetch in fetches.items() if old in (step, fetch.dataset, f"{fetch.dataset}/{fetch.parameter}")]
        if not steps:
            known = [name for step, fetch in fetches.items() for name in (fetch.dataset, step)]
            raise InputError(f"the pipeline does not fetch {old!r:.120}", hint=remedy(old, known, what="datasets and steps"))
        if len({fetches[step].parameter for step in steps}) > 1:
            hint = f"Name one: --dataset {old}/{fetches[steps[0]].parameter}=…"
            raise InputError(f"the pipeline fetches several parameters of {old}", hint=hint)
        found |= {step: replaced(step, fetches[step], dataset, parameter, home.catalog) for step in steps}
    return found


def _proposed(fetches: Mapping[str, Fetch], missions: Sequence[str], home: Home) -> tuple[dict[str, Replacement], list[str]]:
    """Step to the best dataset of the requested mission; and a description of the fetches for which it has none."""
    if not missions:
        return {}, []
    known = {step: find_measured(fetch, home.catalog) for step, fetch in fetches.items()}
    having = list(dict.fromkeys(each.mission for each in known.values() if each.mission))
    search = CatalogSearch(open_catalog(home.settings))
    found: dict[str, Replacement] = {}
    kept: list[str] = []
    for text in missions:
        old, new = _mission_pair(text, having)
        for step, measured in known.items():
            if measured.mission != old:
                continue
            beside = {each.new.fetch.dataset for each in found.values() if each.old.fetch.dataset == measured.fetch.dataset}
            other = propose(measured, new, home.catalog, search, beside=beside)
            if other is None:
                fetch = measured.fetch
                quantity = measured.quantity or fetch.parameter
                kept.append(
                    f"{step}: the catalog has no {quantity} from {new} in this shape; {fetch.dataset} {fetch.parameter} stays"
                )
            else:
                found[step] = Replacement(step, measured, other)
    if not found:
        hint = "`helio catalog search` finds datasets; name them with --dataset STEP=DATASET/PARAMETER."
        raise InputError(f"no dataset can be replaced. {'. '.join(kept)}", hint=hint)
    return found, kept


def _mission_pair(text: str, having: Sequence[str]) -> tuple[str, str]:
    """The mission to replace, and the new one. With one spacecraft, the compiled mission is not considered."""
    left, is_pair, right = text.partition("=")
    new = find_mission(right if is_pair else left).name
    if is_pair:
        old = find_mission(left).name
        if old not in having:
            raise InputError(f"the pipeline fetches nothing from {old}", hint=remedy(old, having, what="its missions"))
    elif len(having) == 1:
        old = having[0]
    elif len(flying := [each for each in having if each != _COMPILED]) == 1 and flying[0] != new:
        old = flying[0]
    else:
        ways = " or ".join(f"{new} instead of {each} (--mission {each}={new})" for each in having if each != new)
        hint = f"Say which mission to replace: {ways}." if having else "Name the datasets (--dataset)."
        raise InputError(f"the pipeline fetches from {', '.join(having) or 'no mission in the catalog'}", hint=hint)
    if old == new:
        raise InputError(f"the pipeline already fetches from {old}", hint="Give another mission.")
    return old, new


def _edited(file: PipelineFile, chosen: Mapping[str, Replacement]) -> PipelineFile:
    """The file with the datasets replaced."""
    for index, step in enumerate(file.pipeline.steps):
        if step.id in chosen:
            new = chosen[step.id].new
            file = file.with_value(f"steps[{index}].fetch.dataset", new.fetch.dataset)
            file = file.with_value(f"steps[{index}].fetch.parameter", new.fetch.parameter)
            if step.intent and not chosen[step.id].is_magnitude:
                file = file.with_value(f"steps[{index}].intent", f"Fetch the {_meaning(new)}")
    return file


def _with_magnitudes(file: PipelineFile, chosen: Mapping[str, Replacement]) -> PipelineFile:
    """The file with a magnitude computation after each fetch of a velocity that replaced a speed."""
    steps = {step.id: step for step in file.pipeline.steps}
    for step_id in [step_id for step_id, each in chosen.items() if each.is_magnitude]:
        old = steps[step_id]
        name = next(name for name in (f"{step_id}_velocity", f"{step_id}_vector", f"{step_id}_fetched") if name not in steps)
        fetched = Step(id=name, intent=f"Fetch the {_meaning(chosen[step_id].new)}", fetch=old.fetch)
        compute = {"operation": "magnitude", "inputs": {"vector": name}}
        changes = {"intent": f"Speed: magnitude of the {_meaning(chosen[step_id].new)}", "compute": compute, "fetch": None}
        add = AddStep(kind="add_step", step=fetched, before=step_id)
        file = apply_edits(file, [add, EditStep(kind="edit_step", step=step_id, changes=changes)])
    return file


def _columns(pipeline: Pipeline, chosen: Mapping[str, Replacement]) -> Iterator[str]:
    """Options that name columns of a replaced dataset."""
    for index, step in enumerate(pipeline.steps):
        read = {reference.removeprefix(f"{pipeline.name}/") for _, reference in step.references}
        component = step.compute.options.get("component") if step.compute else None
        if component is not None and any(not _has_axis(chosen[each], component) for each in read & chosen.keys()):
            yield f"steps[{index}].compute.options.component: does the other dataset have a column {component!r}?"
        for row, panel in enumerate(step.figure.panels if step.figure else ()):
            for place, trace in enumerate(panel.traces):
                replacement = chosen.get(trace.data.removeprefix(f"{pipeline.name}/"))
                if trace.component is not None and replacement and not _has_axis(replacement, trace.component):
                    at = f"steps[{index}].figure.panels[{row}].traces[{place}].component"
                    yield f"{at}: does the other dataset have a column {trace.component!r}?"


def _has_axis(replacement: Replacement, component: object) -> bool:
    """Whether both are vectors in the same frame with this axis; then the catalog confirms the column."""
    old, new = replacement.old, replacement.new
    return bool(old.frame) and old.frame == new.frame and new.size == (3,) and str(component).lower() in set("xyzrtn")


def _meaning(measured: Measured) -> str:
    frame = f" in {measured.frame}" if measured.frame else ""
    return f"{measured.quantity or measured.fetch.parameter} of {measured.mission or measured.fetch.dataset}{frame}"
