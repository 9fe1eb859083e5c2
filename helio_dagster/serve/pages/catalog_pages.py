"""The pages of the catalog: a search with facets, and one dataset with its parameters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import HTMLResponse

from helio_dagster.catalog.deriving import quantities
from helio_dagster.catalog.documents import find_dataset, read_facets
from helio_dagster.catalog.facts import DatasetFacts, ParameterFacts
from helio_dagster.catalog.missions import missions
from helio_dagster.catalog.searching import Found
from helio_dagster.domain.amounts import readable_duration
from helio_dagster.domain.errors import InputError
from helio_dagster.domain.frames import FRAMES
from helio_dagster.serve.pages.coverage import Bar, Scale, bar_of
from helio_dagster.serve.pages.page_home import PageHome
from helio_dagster.serve.pages.rendering import page

_FIELDS = ("q", "mission", "quantity", "cadence", "frame", "during", "all")
_CADENCES = {"PT1S": "1 s or denser", "PT1M": "1 min or denser", "PT5M": "5 min or denser", "PT1H": "1 h or denser"}
_SHOWN = 30
_MOST_PARAMETERS = 400
_LONGEST = 200


@dataclass(frozen=True)
class Row:
    """A found dataset as a line of the list."""

    facts: DatasetFacts
    cadence: str
    years: str
    bar: Bar
    parameters: Sequence[ParameterFacts]
    covers: bool | None


def search(site: PageHome, request: Request) -> HTMLResponse:
    """Datasets that fit words and facets; without any, the form and the missions."""
    asked = {name: text for name in _FIELDS if (text := request.query_params.get(name, "").strip()[:_LONGEST])}
    problem: InputError | None = None
    found: Found | None = None
    with site.catalog_lock:
        counts = site.datasets_of_missions
        try:
            found = _found(site, asked)
        except InputError as error:
            problem = error
    now = site.clock()
    scale = Scale.until(now)
    rows = [_row(hit.dataset, hit.parameters, hit.covers, scale, now) for hit in found.hits] if found else []
    content = {
        "asked": dict.fromkeys(_FIELDS, "") | asked,
        "rows": rows,
        "scale": scale,
        "instead": found.instead if found else {},
        "problem": problem,
        "is_asked": bool(asked.keys() - {"all"}),
        "missions": [(each.name, counts[each.name], each.measured) for each in missions() if each.name in counts],
        "quantities": sorted(quantities()),
        "cadences": _CADENCES,
        "frames": FRAMES,
        "is_cut": len(rows) == _SHOWN,
    }
    return page("catalog.html", "Catalog", "catalog", content, status=400 if problem else 200)


def dataset(site: PageHome, request: Request) -> HTMLResponse:
    """What is known about a dataset."""
    name = str(request.path_params["dataset"])[:_LONGEST]
    with site.catalog_lock:
        facts = find_dataset(name, site.catalog)
    now = site.clock()
    scale = Scale.until(now)
    words = request.query_params.get("q", "").strip().casefold()[:_LONGEST]
    chosen = [each for each in facts.parameters if words in f"{each.name} {each.description} {each.quantity or ''}".casefold()]
    content = {
        "row": _row(facts, chosen[:_MOST_PARAMETERS], None, scale, now),
        "scale": scale,
        "words": words,
        "count": len(chosen),
        "all": len(facts.parameters),
        "plans": {each.name: _plan_address(facts, each, now) for each in chosen[:_MOST_PARAMETERS]},
    }
    return page("dataset.html", facts.dataset, "catalog", content)


def _found(site: PageHome, asked: Mapping[str, str]) -> Found | None:
    """The hits; None where nothing is asked for yet. InputError where a facet is none."""
    query = asked.get("q") or asked.get("mission") or asked.get("quantity") or asked.get("frame") or ""
    if not query:
        return None
    facets = read_facets(
        site.clock(),
        mission=asked.get("mission"),
        quantity=asked.get("quantity"),
        frame=asked.get("frame"),
        cadence=asked.get("cadence"),
        during=asked.get("during"),
        everything="all" in asked,
    )
    return site.finder.search(query, facets=facets, count=_SHOWN)


def _row(facts: DatasetFacts, parameters: Sequence[ParameterFacts], covers: bool | None, scale: Scale, now: datetime) -> Row:
    cadence = readable_duration(facts.cadence.total_seconds()) if facts.cadence else "not stated"
    start = str(facts.start.year) if facts.start else "?"
    stop = "now" if facts.is_current else str(facts.stop.year) if facts.stop else "?"
    stop_of_bar = now if facts.is_current else facts.stop
    return Row(facts, cadence, f"{start} to {stop}", bar_of(facts.start, stop_of_bar, scale), parameters, covers)


def _plan_address(facts: DatasetFacts, parameter: ParameterFacts, now: datetime) -> str:
    """The page to talk at, with a request for a day that the dataset has; the person may change it before it is sent."""
    last = facts.stop or now
    day = last if facts.start is None or last > facts.start else facts.start
    if facts.stop is not None and facts.start is not None:
        day = facts.start + (facts.stop - facts.start) / 2
    return "/?" + urlencode({"say": f"{facts.dataset} {parameter.name} for {day:%Y-%m-%d}"})
