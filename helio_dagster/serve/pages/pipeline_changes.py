"""What a person may do with a pipeline beside running it: compare it, copy it, and cite it."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse

from helio_dagster.catalog.missions import missions
from helio_dagster.catalog.times.phrases import read_words
from helio_dagster.domain.errors import InputError
from helio_dagster.domain.pipeline_comparison import compare_pipelines
from helio_dagster.launch.credit.bibtex import to_bibtex
from helio_dagster.launch.credit.citation import cite
from helio_dagster.launch.credit.citation_text import lines_of
from helio_dagster.launch.library.pipeline_fork import plan_fork
from helio_dagster.serve.pages.page_home import PageHome
from helio_dagster.serve.pages.pipeline_pages import load
from helio_dagster.serve.pages.rendering import page
from helio_dagster.storage.pipeline_commits import commit_change

_LONGEST = 200


class ForkForm(BaseModel):
    """A copy that is asked for; `is_agreed` says that the person has seen what it changes."""

    model_config = ConfigDict(extra="forbid")

    name: str = Field(max_length=80)
    mission: str = Field(default="", max_length=80)
    is_agreed: bool = False


def difference(site: PageHome, request: Request) -> HTMLResponse:
    """How another pipeline differs in meaning from this one."""
    home = site.home
    old = load(home, str(request.path_params["name"]))
    other = request.query_params.get("with", "")
    content: dict[str, object] = {"name": old.pipeline.name, "other": other[:_LONGEST], "found": None}
    content["others"] = [name for name in home.library.names() if name != old.pipeline.name]
    if other:
        content["found"] = compare_pipelines(old.pipeline, load(home, other).pipeline)
    return page("difference.html", f"Compare {old.pipeline.name}", "pipelines", content)


def citation(site: PageHome, request: Request) -> HTMLResponse:
    """What to cite for a pipeline, or for the files used in a range."""
    home = site.home
    opened = home.open(load(home, str(request.path_params["name"])).pipeline.name)
    words = request.query_params.get("range", "").strip()[:_LONGEST]
    now = site.clock()
    span = opened.span(read_words(words.split(), now), now) if words else None
    with site.bench() as bench:
        found = cite(opened.graph, opened.pipeline, span, bench)
    content = {"name": opened.pipeline.name, "lines": "\n".join(lines_of(found)), "bibtex": to_bibtex(found), "words": words}
    return page("citation.html", f"Cite {opened.pipeline.name}", "pipelines", content)


def fork_form(site: PageHome, request: Request) -> HTMLResponse:
    """Where a copy gets its name."""
    file = load(site.home, str(request.path_params["name"]))
    content = {"name": file.pipeline.name, "missions": [each.name for each in missions()]}
    return page("fork.html", f"Copy {file.pipeline.name}", "pipelines", content, script="pipeline.js")


def fork(site: PageHome, request: Request, content: bytes) -> JSONResponse:
    """Save the copy, or say what it would change and does not carry over."""
    try:
        asked = ForkForm.model_validate_json(content)
    except ValidationError as error:
        raise InputError(f"the copy cannot be made: {error.errors()[0]['msg']}", hint="Give it a name.") from None
    home = site.home
    file = load(home, str(request.path_params["name"]))
    planned = plan_fork(home, file, asked.name, missions=[asked.mission] if asked.mission else ())
    remarks = [
        line
        for each in planned.replacements
        for line in (each.words, *(f"does not carry over: {loss}" for loss in each.losses))
    ]
    remarks += [*planned.kept, *planned.notes]
    if planned.is_proposal and not asked.is_agreed:
        return JSONResponse({"is_saved": False, "remarks": remarks})
    path = home.library.save(asked.name, planned.file.text)
    made = commit_change(home.settings, f"copy {file.pipeline.name} as {asked.name}", [path], site.site.person)
    remarks += [made.sentence] if made is not None else []
    return JSONResponse(
        {"is_saved": True, "remarks": remarks, "address": f"/pipelines/{planned.file.pipeline.name}"}, status_code=201
    )
