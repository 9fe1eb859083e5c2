"""Give a conversation access to a home, implementing `agent.run_side`.

What loads Dagster is imported by the methods that need it, so that looking things up and planning do without it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from helio_dagster.archives.transfer.settings import TransferSettings
from helio_dagster.assets.asset_names import asset_name
from helio_dagster.assets.graph import AssetGraph
from helio_dagster.assets.library import check_files
from helio_dagster.catalog.choice.usual_checks import usual_checks
from helio_dagster.domain.did_you_mean import remedy
from helio_dagster.domain.errors import HelioError, InputError, Problem
from helio_dagster.domain.event_partitions import EventPartitions
from helio_dagster.domain.expectation import Expectation
from helio_dagster.domain.grain import Grain
from helio_dagster.domain.inquiry import (
    CheckResult,
    ForkProposal,
    FoundPipeline,
    Progress,
    Sample,
    StepStatistics,
    StepTrial,
    keep_silent,
)
from helio_dagster.domain.pipeline import Fetch, Pipeline, Step
from helio_dagster.domain.pipeline_check import Findings
from helio_dagster.domain.pipeline_text import PipelineFile
from helio_dagster.domain.report import Estimate, FactReport, RunReport, StepReport
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.launch.credit.citation import cite
from helio_dagster.launch.credit.citation_text import lines_of
from helio_dagster.launch.home import Home
from helio_dagster.launch.library.dataset_facts import find_measured
from helio_dagster.launch.library.lists_at_hand import copy_lists, lists_at_hand
from helio_dagster.launch.library.pipeline_fork import plan_fork
from helio_dagster.launch.library.pipeline_search import describe, search
from helio_dagster.launch.running.estimate import estimate
from helio_dagster.launch.running.facts import facts_of_run
from helio_dagster.launch.running.measuring import measure
from helio_dagster.launch.running.request import OpenPipeline, RunRequest
from helio_dagster.launch.running.run import run
from helio_dagster.launch.running.run_plan import plan_run
from helio_dagster.launch.running.sampling import IMPATIENT, take_sample
from helio_dagster.launch.running.steps_done import StepsDone
from helio_dagster.resources.workbench import Workbench
from helio_dagster.storage.pipeline_commits import commit_change

if TYPE_CHECKING:
    from helio_dagster.launch.running.trial import Trial


class HomeSide:
    """A home as a conversation sees it.

    Parameters
    ----------
    home
        Its pipelines.
    workbench
        Provides the clock, timeouts and worker processes. Nothing else of it is opened here, because the home must not stay
        locked between turns.
    impatient
        Transfer limits for samples and estimates, while a person waits for a plan.
    here
        The folder where the person works, if lists of events may be taken from it; a plan that is saved has them copied.
    is_open
        Run and estimate the last partition before it is over, as `helio run --open` does.
    """

    def __init__(
        self,
        home: Home,
        workbench: Workbench,
        *,
        impatient: TransferSettings = IMPATIENT,
        here: Path | None = None,
        is_open: bool = False,
    ) -> None:
        self._home = home
        self._workbench = workbench
        self._impatient = impatient
        self._here = here
        self._is_open = is_open
        self._drafted: tuple[PipelineFile, AssetGraph] | None = None

    def sample(self, fetch: Fetch, span: TimeRange) -> Sample:
        """Fetch a short part of a range without changing the home; a failure is reported in the sample, not raised."""
        with self._opened(self._impatient) as workbench:
            return take_sample(fetch, span, workbench, cadence=find_measured(fetch, self._home.catalog).cadence)

    def check(self, file: PipelineFile) -> Findings:
        """Faults of a pipeline on its own and with the saved ones, and the pipelines that need a step it no longer has."""
        files = {**self._home.files, file.pipeline.name: file}
        limits, arriving = self._home.settings.code_limits, self._arriving(file)
        found = check_files(
            files,
            self._home.catalog,
            self._home.operations.get,
            limits=limits,
            lists=self._home.settings.pipelines,
            arriving=arriving,
        )
        own = Findings(*([each for each in listed if each.file == file.file] for listed in (found.problems, found.notes)))
        own.notes += _missed(file, self._home)
        return own

    def suggest_checks(self, pipeline: Pipeline) -> dict[str, Expectation]:
        """What the data of a pipeline are usually expected to be, by the catalog."""
        return usual_checks(pipeline, self._home.catalog)

    def try_step(self, file: PipelineFile, step: str, span: TimeRange) -> StepTrial:
        """Make one partition of a draft's step in a temporary home; code is run twice more in different environments."""
        from helio_dagster.launch.running.trial_text import describe_trial

        graph = self._graph(file)
        with self._opened(self._workbench.transfers) as workbench:
            found = _tried(graph, file.pipeline, step, span, workbench)
        text = describe_trial(found)
        return StepTrial(step, found.partition, len(found.table), text, found.printed, found.is_twice_the_same)

    def estimate(self, file: PipelineFile, span: TimeRange) -> Estimate:
        """What a run of a draft would do."""
        graph = self._graph(file)
        with self._opened(self._impatient) as workbench:
            request = self._as_open(OpenPipeline(file.pipeline, graph)).request(span, workbench.clock())
            return estimate(request, workbench, plan_run(request, workbench))

    def events(self, file: PipelineFile) -> EventPartitions | None:
        """The events of a draft's list; None if it has none, or detects them itself."""
        return self._graph(file).events[file.pipeline.name] if file.pipeline.lists_its_events else None

    def names(self) -> list[str]:
        """Names of the saved pipelines."""
        return self._home.library.names()

    def load(self, name: str) -> PipelineFile:
        """A saved pipeline; InputError if there is none."""
        return self._home.library.load(name)

    def find_pipelines(self, words: str) -> list[FoundPipeline]:
        """Saved pipelines that match most of the words, best first."""
        self._forget()
        entries = [describe(file.pipeline, self._home.catalog) for file in self._home.files.values()]
        found = search(entries, words)
        return [
            FoundPipeline(
                hit.entry.pipeline.name,
                hit.entry.pipeline.title,
                hit.score,
                hit.words,
                tuple(word for word in found.asked if word not in hit.words),
            )
            for hit in found.hits
        ]

    def fork(self, file: PipelineFile, new: str, mission: str, *, instead_of: str | None = None) -> ForkProposal:
        """A pipeline for another mission; InputError if the mission does not measure what it fetches."""
        planned = plan_fork(self._home, file, new, missions=[f"{instead_of}={mission}" if instead_of else mission])
        remarks = [f"{each.step}: {'; '.join(each.remarks)}" for each in planned.replacements if each.remarks]
        return ForkProposal(
            planned.file,
            changes=tuple(each.words for each in planned.replacements),
            losses=tuple(f"{each.step}: {loss}" for each in planned.replacements for loss in each.losses),
            kept=planned.kept,
            notes=(*remarks, *planned.notes),
        )

    def save(self, file: PipelineFile, by: str = "") -> str:
        """Write a pipeline under its name, completely or not at all; return where, and what became of its commit."""
        name = file.pipeline.name
        settings = self._home.settings
        lists = copy_lists(file.pipeline, self._here, settings.pipelines) if self._here is not None else []
        path = self._home.library.save(name, file.text)
        self._forget()
        made = commit_change(settings, f"{'approve' if file.is_as_approved else 'save'} {name}", [path, *lists], by)
        copied = [f"Copied beside it: {', '.join(each.name for each in lists)}"] if lists else []
        return ". ".join([str(path), *copied, *([made.sentence] if made is not None else [])])

    def remove(self, name: str, by: str = "") -> str:
        """Delete a pipeline that this conversation saved first; return what became of its commit by a person, if it has one."""
        path = self._home.library.remove(name)
        self._forget()
        made = commit_change(self._home.settings, f"remove {name}", [path], by)
        return made.sentence if made is not None else ""

    def run(
        self, name: str, span: TimeRange, step_done: Callable[[str, StepReport], None], progress: Progress = keep_silent
    ) -> RunReport:
        """Bring a saved pipeline up to date over a range, as `helio run` does."""
        self._forget()
        opened = self._as_open(self._home.open(name))
        with self._opened(self._workbench.transfers) as workbench:
            request = opened.request(span, workbench.clock())
            steps = StepsDone(request, step_done, progress)
            report = run(request, workbench, listener=steps)
        steps.finish(report)
        return report

    def _as_open(self, found: OpenPipeline) -> OpenPipeline:
        return found.opened if self._is_open else found

    def judge(self, name: str, span: TimeRange) -> list[CheckResult]:
        """The checks of stored data over a range, as text."""
        from helio_dagster.launch.running.check_results import judge

        pipeline, graph = self._home.open(name)
        request = RunRequest(graph, pipeline, graph.partitions_of(pipeline).cover(span))
        with self._opened(self._workbench.transfers) as workbench:
            states = plan_run(request, workbench).states
            return judge(graph, pipeline, span, workbench.store, states=states)

    def measure(self, file: PipelineFile, step: str, span: TimeRange, moment: datetime | None = None) -> StepStatistics:
        """Statistics of what is stored of a step over a range, and its value nearest to a moment; nothing is made for it."""
        graph = self._graph(file)
        node = graph[asset_name(file.pipeline, _step_in(file.pipeline, step))]
        with self._opened(self._workbench.transfers) as workbench:
            request = RunRequest(graph, file.pipeline, graph.partitions_of(file.pipeline).cover(span))
            states = plan_run(request, workbench).states
            return measure(node, step, span, workbench.store, states.get(node.name, {}), moment)

    def facts(self, file: PipelineFile, span: TimeRange) -> list[FactReport]:
        """The numbers of a pipeline over exactly a range, as far as they are stored and up to date."""
        graph = self._graph(file)
        with self._opened(self._workbench.transfers) as workbench:
            over = graph.partitions_of(file.pipeline).cover(span)
            request = RunRequest(graph, file.pipeline, over, asked=span)
            states = plan_run(request, workbench).states
            found = facts_of_run(request, workbench.store)
        nodes = graph.of_pipeline(file.pipeline)
        stale = {
            step for step, node in nodes.items() if not all(each.is_current for each in states.get(node.name, {}).values())
        }
        return [fact for fact in found if fact.step not in stale]

    def cite(self, file: PipelineFile, span: TimeRange | None) -> list[str]:
        """What to cite for a pipeline's results, line by line; with a range, by the files that were used in it."""
        graph = self._graph(file)
        with self._opened(self._workbench.transfers) as workbench:
            over = graph.partitions_of(file.pipeline).cover(span) if span is not None else None
            return list(lines_of(cite(graph, file.pipeline, over, workbench)))

    def keep_operation(
        self, file: PipelineFile, step: str, operation: str, summary: str, span: TimeRange, progress: Progress = keep_silent
    ) -> str:
        """Save a step's code as an operation with a sample as its example; return id@version."""
        from helio_dagster.launch.library.operation_keeping import keep_operation

        graph = self._graph(file)
        own = _step_in(file.pipeline, step)
        if own.compute is None or own.compute.code is None:
            raise InputError(f"the step {step} has no code", hint="Only a step with `code:` can be saved as an operation.")
        with self._opened(self._workbench.transfers) as workbench:
            progress(f"trying {step} on a part of {span}")
            trial = _tried(graph, file.pipeline, step, span, workbench)
            library = self._home.operations
            saved = keep_operation(
                file.pipeline, trial, own, operation, summary, library=library, workbench=workbench, progress=progress
            )
        return saved.name

    def _forget(self) -> None:
        """Read the library again on next use."""
        self._home.reread()
        self._drafted = None

    def _graph(self, file: PipelineFile) -> AssetGraph:
        """The graph of a draft with the saved pipelines; the last one is cached, as a draft is asked about several times."""
        if self._drafted is None or self._drafted[0] is not file:
            self._drafted = (file, self._home.graph_with(file, self._arriving(file)))
        return self._drafted[1]

    def _arriving(self, file: PipelineFile) -> dict[str, str]:
        """The lists that a draft reads and that are copied when it is saved."""
        return lists_at_hand(file.pipeline, self._here, self._home.settings.pipelines) if self._here is not None else {}

    @contextmanager
    def _opened(self, transfers: TransferSettings | None) -> Iterator[Workbench]:
        """The home's parts for one question, closed at its end so that the home is not locked."""
        lent = self._workbench.workers
        own = self._workbench
        workbench = Workbench(
            self._home.settings, clock=own.clock, transfers=transfers, workers=lent, begun_by=own.begun_by, person=own.person
        )
        try:
            yield workbench
        except HelioError:
            raise
        except BaseException:
            lent.close()  # if interrupted, a process may still be about to answer the old request
            raise
        finally:
            workbench.close()


def _tried(graph: AssetGraph, pipeline: Pipeline, step: str, span: TimeRange, workbench: Workbench) -> Trial:
    """The trial of a step on the first whole partition in a range, or the first that overlaps it."""
    from helio_dagster.launch.running.trial import try_step

    node = graph[asset_name(pipeline, _step_in(pipeline, step))]
    if node.grain is None:
        raise InputError(f"{step} is a {node.kind}", hint="Try a step that fetches or computes.")
    over = graph.over(node.name, workbench.clock())
    keys = graph.existing_keys(node.grain, span, over) if isinstance(node.grain, Grain) else node.grain.keys(span)
    if not keys:
        raise InputError(f"{pipeline.name} has no {node.grain} partition in {span} that is over", hint="Give another range.")
    windows = {key: node.grain.window(key) for key in keys}
    whole = [key for key, window in windows.items() if span.start <= window.start and window.stop <= span.stop]
    return try_step(graph, node, (whole or keys)[0], workbench)


def _step_in(pipeline: Pipeline, step: str) -> Step:
    ids = [each.id for each in pipeline.nodes]
    if step not in ids:
        raise InputError(f"pipeline {pipeline.name} has no step {step!r}", hint=remedy(step, ids, what="its steps"))
    return pipeline.step(step)


def _missed(file: PipelineFile, home: Home) -> Iterator[Problem]:
    """Steps that other saved pipelines read and this one lacks."""
    name, ids = file.pipeline.name, {step.id for step in file.pipeline.nodes}
    for other in home.files.values():
        for path, reference in other.references_to(name) if other.pipeline.name != name else ():
            if reference.partition("/")[2] not in ids:
                problem = f"the pipeline {other.pipeline.name} reads {reference}, which no longer exists"
                yield file.problem(("steps",), problem, f"Keep that step, or change {Path(other.file).name} at {path}.")
