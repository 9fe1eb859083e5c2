"""What programs look up in a home: catalog, operations, pipelines, results, facts and figures. Nothing is made for it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from helio_dagster.agent.model.lookups import list_parameters, tell_availability
from helio_dagster.agent.model.settings import ModelLimits
from helio_dagster.agent.model.turn import Turn
from helio_dagster.agent.planner import Situation
from helio_dagster.catalog.choice.finding import DatasetFinder
from helio_dagster.catalog.database import CatalogDatabase
from helio_dagster.catalog.documents import facts_as_json, find_dataset, hit_as_json, parameter_as_json
from helio_dagster.catalog.hapi.snapshots import MOST_HITS, HapiSnapshots
from helio_dagster.catalog.known import KnownCatalog
from helio_dagster.catalog.opening import open_catalog
from helio_dagster.catalog.searching import CatalogSearch, Facets
from helio_dagster.domain.did_you_mean import remedy
from helio_dagster.domain.errors import HelioError, InputError
from helio_dagster.domain.hapi_servers import HAPI_PREFIX
from helio_dagster.domain.pipeline_text import PipelineFile
from helio_dagster.domain.print_options import PrintOptions
from helio_dagster.domain.printing import read_printing
from helio_dagster.domain.report import FactsReport, StatusReport
from helio_dagster.domain.time_range import format_time
from helio_dagster.hosting.results import Asked, frames, statistics_document
from helio_dagster.hosting.served_home import ServedHome
from helio_dagster.launch.credit.citation import Citation
from helio_dagster.launch.credit.citation import cite as launch_cite
from helio_dagster.launch.home import Home
from helio_dagster.launch.library.pipeline_exchange import Arrival, bring
from helio_dagster.launch.running.facts import stored_facts
from helio_dagster.launch.running.printing import Format, PrintedFigure, check_paper, figure_steps, print_figures
from helio_dagster.launch.running.request import OpenPipeline
from helio_dagster.launch.running.status import status as launch_status
from helio_dagster.launch.web.listing import Listing
from helio_dagster.serve.demo_search import search_demo
from helio_dagster.serve.refusals import Conflict, Missing
from helio_dagster.storage.table_stores import open_tables

if TYPE_CHECKING:
    import pandas as pd

DEMO = "demo"
HEAD = 20
"""Rows of a table that an answer has."""


@dataclass
class Looking:
    """Look-ups in a home.

    Parameters
    ----------
    site
        The home.
    """

    site: ServedHome

    @cached_property
    def catalog(self) -> CatalogDatabase:
        """The catalog."""
        return open_catalog(self.site.settings)

    @cached_property
    def _known(self) -> KnownCatalog:
        return KnownCatalog(lambda: self.catalog)

    @cached_property
    def _snapshots(self) -> HapiSnapshots:
        return HapiSnapshots(self.site.settings.catalog / "hapi")

    @cached_property
    def _finder(self) -> DatasetFinder:
        return DatasetFinder(self._known, CatalogSearch(self.catalog))

    def search(self, words: str, facets: Facets, archive: str, count: int) -> dict[str, Any]:
        """The datasets that match the words best, as `helio catalog search --json` prints them."""
        if archive == DEMO:
            return search_demo(self._known, self._finder, words, facets, count)
        query = words or facets.mission or ""
        hits = self._finder.search(query, facets=facets, count=count)
        on_servers = self._snapshots.search(query, facets=facets, count=min(count, MOST_HITS))
        listed = {"datasets": [hit_as_json(hit) for hit in hits.hits], "instead": dict(hits.instead)}
        return listed | {"hapi": [hit_as_json(hit) for hit in on_servers]}

    def dataset(self, name: str, archive: str) -> dict[str, Any]:
        """What is known of a dataset, as `helio catalog show --json` prints it; UnknownDataset if there is none."""
        if archive == DEMO:
            turn = self._turn(archive)
            return {**tell_availability(turn, name), **list_parameters(turn, name, "")}
        database = self.catalog
        if name.startswith(HAPI_PREFIX):
            database, name = self._snapshots.place_of(name)
        facts = find_dataset(name, database)
        return facts_as_json(facts) | {"parameters": [parameter_as_json(each) for each in facts.parameters]}

    def pipelines(self) -> Iterable[PipelineFile]:
        """The pipelines of the library."""
        return self.site.home.files.values()

    def pipeline(self, name: str) -> PipelineFile:
        """A pipeline of the library; Missing if there is none. A name is never taken for a path."""
        return self._library(name).library.load(name)

    def opened(self, name: str) -> OpenPipeline:
        """A checked pipeline of the library, with the graph of all."""
        return self._library(name).open(name)

    def status(self, name: str, start: str | None, stop: str | None) -> StatusReport:
        """The state of a pipeline's partitions."""
        with self.site.bench() as bench:
            opened, now = self.opened(name), self.site.clock()
            request = opened.request(self.site.times(start, stop), now) if start else None
            span, shown = (request.span, request.shown) if request else (None, None)
            return launch_status(opened.graph, opened.pipeline, span, bench, shown=shown)

    def check_range(self, name: str, start: str | None, stop: str | None, *, is_open: bool = False) -> None:
        """Refuse a run that cannot begin: no such pipeline, a fault in it, or no such range."""
        opened, now = self.opened(name), self.site.clock()
        opened = opened.opened if is_open else opened
        opened.request(opened.asked_range(self.site.times(start, stop) if start else None, now), now)

    def check_events(self, name: str, event: str | None, start: str | None, *, every: bool, is_open: bool = False) -> None:
        """Refuse a run of events that cannot begin: no such pipeline or event, none that is over, or a range as well."""
        if start is not None or (event is not None and every):
            hint = "One event is `event`, every one `all`, and a range `start` and `stop`."
            raise InputError("give either a range, or one event, or all of them", hint=hint)
        if is_open:
            raise InputError("events are run when they are over", hint="Leave `open` out.")
        self.opened(name).event_request(event, self.site.clock())

    def facts(self, name: str, start: str | None, stop: str | None) -> FactsReport:
        """The stored numbers of a pipeline."""
        opened = self.opened(name)
        span = self.site.times(start, stop) if start else None
        return stored_facts(opened.graph, opened.pipeline, span, open_tables(self.site.settings))

    def cite(self, name: str, start: str | None, stop: str | None) -> Citation:
        """What to cite for a pipeline."""
        with self.site.bench() as bench:
            opened, now = self.opened(name), self.site.clock()
            span = opened.span(self.site.times(start, stop), now) if start else None
            return launch_cite(opened.graph, opened.pipeline, span, bench)

    def result(self, name: str, step: str, start: str | None, stop: str | None) -> dict[str, Any]:
        """The first rows and the statistics of a step over a range."""
        asked = self._asked(name, start, stop)
        node = asked.node(step)
        with self.site.bench() as bench:
            head, rows = _head(frames(asked, node, bench))
        document: dict[str, Any] = {
            "pipeline": name,
            "step": step,
            "start": format_time(asked.span.start),
            "stop": format_time(asked.span.stop),
            "rows": rows,
            "units": {str(column): str(unit) for column, unit in (head.attrs.get("units") or {}).items()},
            "columns": ["time", *map(str, head.columns)],
            "head": [_row(*each) for each in head.itertuples()],
            "statistics": None,
            "note": "",
        }
        try:
            with self.site.side() as side:
                document["statistics"] = statistics_document(side.measure(side.load(name), step, asked.span))
        except HelioError as error:
            document["note"] = error.problem
        return document

    def bring(self, data: bytes, name: str, *, replace: bool) -> list[Arrival]:
        """Import a pipeline's file or a bundle; Conflict where something else of its name is there."""
        arrivals = bring(self.site.home, data, file=name, replace=replace, person=self.site.person)
        if refused := [each for each in arrivals if each.state == "refused"]:
            hint = "Rename one of them (helio pipelines rename), or pass replace=True."
            raise Conflict(f"{refused[0].name}: {refused[0].why}", where=str(refused[0].path), hint=hint)
        return arrivals

    def figure(
        self, name: str, step: str | None, start: str | None, stop: str | None, form: Format, how: PrintOptions
    ) -> PrintedFigure:
        """A figure over a range that was run, on paper as asked."""
        wanted = read_printing(how)
        with self.site.bench() as bench:
            opened, now = self.opened(name), self.site.clock()
            request = opened.request(opened.asked_range(self.site.times(start, stop) if start else None, now), now)
            nodes = figure_steps(request, step)
            if len(nodes) > 1:
                raise InputError(
                    f"{name} has several figures", hint=f"Give step=, one of: {', '.join(each.step.id for each in nodes)}."
                )
            check_paper(nodes, wanted)
            made = list(print_figures(request, nodes, bench, form, wanted))
        if not made:
            raise Conflict(f"{name} has no figure over {request.span}", hint="Run it first, or ask for a range with data.")
        if len(made) > 1:
            raise InputError(f"{name} has {len(made)} figures over {request.span}", hint="Ask for a range with one event.")
        return made[0]

    def figures(self, pipeline: str | None, count: int) -> list[dict[str, Any]]:
        """The drawn figures, the last first, with the addresses of their files."""
        listing = Listing(self.site.settings, self.site.home)
        chosen = [each for each in listing.figures if pipeline is None or each.pipeline == pipeline][:count]
        return [
            {
                "name": each.name,
                "pipeline": each.pipeline,
                "step": each.step,
                "title": each.title,
                "start": format_time(each.span.start) if each.span else None,
                "stop": format_time(each.span.stop) if each.span else None,
                "event": each.event,
                "drawn": each.drawn.isoformat(),
                "page": f"/figures/{each.page.name}",
                "picture": f"/figures/{each.name}.png" if each.picture is not None else None,
                "out_of_date": listing.out_of_date(each),
            }
            for each in chosen
        ]

    def _asked(self, name: str, start: str | None, stop: str | None) -> Asked:
        opened, now = self.opened(name), self.site.clock()
        return Asked(opened, opened.asked_range(self.site.times(start, stop) if start else None, now))

    def _library(self, name: str) -> Home:
        home = self.site.home
        if name not in home.library.names():
            hint = remedy(name[:80], home.library.names(), what="pipelines")
            raise Missing(f"there is no pipeline {name!r:.80}", hint=hint)
        return home

    def _turn(self, archive: str) -> Turn:
        return Turn(Situation(request="", now=self.site.clock()), self.site.knowledge, archive, None, ModelLimits())


def _head(found: Iterator[pd.DataFrame]) -> tuple[pd.DataFrame, int]:
    """The first rows of all partitions, and how many rows there are."""
    import pandas as pd

    head, rows = pd.DataFrame(), 0
    for frame in found:
        if not rows:
            head = frame.head(HEAD)
        rows += len(frame)
    return head, rows


def _row(time: Any, *values: Any) -> list[Any]:
    return [time.isoformat() if hasattr(time, "isoformat") else str(time), *map(_plain, values)]


def _plain(value: Any) -> Any:
    """A value as JSON has it: null for a number that is none."""
    if hasattr(value, "item"):
        value = value.item()
    if isinstance(value, float):
        return value if value - value == 0 else None
    return value if isinstance(value, (int, str, bool)) or value is None else str(value)
