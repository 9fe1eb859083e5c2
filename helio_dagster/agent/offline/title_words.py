"""The title that a new request gives its figure, or the name it gives the pipeline: `titled "..."`, `call it storm_watch`."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from helio_dagster.agent.answers import Plan
from helio_dagster.agent.offline.forms import form

_NAME = re.compile(r"[a-z][a-z0-9]*(?:_[a-z0-9]+)+")


@dataclass(frozen=True)
class TitleWords:
    """A request without the words that give a title, the title, and these words."""

    request: str
    title: str
    words: str

    def of(self, plan: Plan) -> Plan:
        """The plan with the title; one written like the name of a pipeline is its name."""
        key = "name" if _NAME.fullmatch(self.title) else "title"
        return replace(plan, pipeline=plan.pipeline.model_copy(update={key: self.title}))


def find_title(request: str) -> TitleWords | None:
    """The title that a request gives; None where it gives none. Without quotation marks it ends with its clause."""
    match = form("title.quoted").search(request) or form("title.plain").search(request)
    if match is None:
        return None
    title = next(each for each in match.groups() if each)
    rest = f"{request[: match.start()]} {request[match.end() :]}".strip(" ,;")
    return TitleWords(re.sub(r"\s+(?=[,;.])", "", " ".join(rest.split())), title.strip(), match[0].strip(" ,;"))
