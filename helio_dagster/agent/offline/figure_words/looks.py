"""The words of a new request for how its figure looks."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime

from helio_dagster.agent.answers import OpenQuestion, Plan
from helio_dagster.agent.offline.edits.looks import give_looks
from helio_dagster.agent.offline.edits.plotted_figure import Target
from helio_dagster.agent.offline.edits.slots import Clause, Token, clauses_of, tokens_of
from helio_dagster.agent.offline.edits.table import Table
from helio_dagster.agent.offline.edits.word_lists import words_of
from helio_dagster.agent.offline.figure_words.listed_looks import listed_looks, with_lists
from helio_dagster.agent.offline.wording import is_named_before, tidy
from helio_dagster.catalog.times.phrases import find_span

_LISTED = re.compile(r"[,;]|\band\b|[&+]", re.IGNORECASE)
_FITTED = re.compile(r"\s*(?:regressions?|fits?|fitted|trends?|interpolat|lines?\b|detrend|correlation)", re.IGNORECASE)
"""What makes `linear` a word for something else than a scale."""
_OF_IT = re.compile(r"\s*for (?:the )?(?P<what>[^,;]+?)\s*(?:[,;]|\band\b)", re.IGNORECASE)


@dataclass(frozen=True)
class LookWords:
    """A request without the words for how its figure looks, and these; `words` are they where all are of one thing.

    `behind` are the words for that thing: `log y axis for the density`; of `Kp as steps, Dst`, `before` is Kp and `beyond` Dst.
    `lists` are looks of which several are said in a row, one for each line: `red and blue`.
    """

    request: str
    clauses: tuple[Clause, ...]
    words: str = ""
    behind: str = ""
    before: str = ""
    beyond: str = ""
    lists: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def of(self, plan: Plan, table: Table) -> Plan:
        """The plan with its figure so.

        Raises
        ------
        OpenQuestion
            It is open which line is meant.
        """
        for clause in self.clauses:
            behind = table.plotted.target(self.behind) if self.behind else None
            named = behind if behind is not None and behind.is_named else table.plotted.target(_named_again(clause.target))
            beyond = table.plotted.target(self.beyond) if self.beyond.strip() and not self.lists else None
            if named is not behind and beyond is not None and beyond.is_named:  # `Kp as steps, Dst`: others follow
                own = table.plotted.target(self.before)
                named = own if own is not None and own.is_named else named
            target = named or Target(table.plotted.lines, is_named=False)
            if self.lists and behind is not None and behind.is_named:
                raise OpenQuestion(f"Which line has which? Say it as in: ACE in red, Wind in blue, not as {self.words!r}.")
            clause = with_lists(clause, self.lists, target, table)
            if not clause.looks.keys() - {"axis"}:
                continue
            try:
                give_looks(clause, target, table)
            except OpenQuestion as asked:
                names = [*dict.fromkeys(table.plotted.name_of(line) for line in target.lines), "all panels"]
                choices = [f"{self.request}, {self.words} for {name}" for name in names] if self.words else []
                text = f"{asked.question.text} You can say it once the figure is planned."
                raise OpenQuestion(text, choices) from None
        return replace(plan, pipeline=table.plotted.pipeline, notes=(*plan.notes, *table.notes))


def find_looks(request: str, now: datetime) -> LookWords | None:
    """The words of a new request for how its figure looks, taken out of it."""
    time = find_span(request, now)
    text = request if time is None else f"{request[: time.first]}{' ' * len(time.words)}{request[time.last :]}"
    looks = [token for token in tokens_of(text) if _is_look(token, text)]
    if not any(token.kind != "axis" for token in looks):
        return None
    rest = request
    for token in reversed(looks):
        rest = f"{rest[: token.first]}\0{rest[token.last :]}"
    left = () if any(token.kind == "range" for token in looks) else ("range", "unit")  # else it is of the data
    found = [
        replace(each, looks={name: look for name, look in each.looks.items() if name not in left}) for each in clauses_of(text)
    ]
    clauses = tuple(clause for clause in found if clause.looks.keys() - {"axis"})
    if not clauses:
        return None
    words = " ".join(text[token.first : token.last] for token in looks).removesuffix(" of")
    behind = re.fullmatch(r"\s*(?:for|of) (?:the )?(?P<what>\S.*)", text[looks[-1].last :].rstrip())
    if behind is None:  # `log scale for the density and a range of 1 to 100`
        behind = next(filter(None, (_OF_IT.match(text, each.last) for each in looks)), None)
    plain_request = tidy(re.sub(r"\0(?:\s*\0)+", "\0", _without_named_again(rest)))
    if len(clauses) != 1:
        return LookWords(plain_request, clauses)
    beyond = re.match(r"\s*(?:[,;]|and\b|&|\+)\s*(?P<what>[^,;]*)", text[looks[-1].last :])
    named = [each["what"] if each is not None else "" for each in (behind, beyond)]
    before = _LISTED.split(text[: looks[0].first].rstrip(" ,"))[-1]
    return LookWords(plain_request, clauses, words, named[0], before, named[1], listed_looks(text))


def _without_named_again(rest: str) -> str:
    """The request without what is named again only to say how it looks, as `…, AE in red`; a gap marks its looks."""
    kept: list[str] = []
    for part in re.split(r"(?=[,;])", rest):
        words = part.replace("\0", " ").strip(" ,;")
        is_again = "\0" in part and bool(words) and is_named_before(words, " ".join(kept).replace("\0", " "))
        kept.append(f"{part[0]}\0" if is_again else part)
    return "".join(kept)


def _is_look(token: Token, text: str) -> bool:
    words = text[token.first : token.last].lower()
    if token.kind == "range":
        return (
            re.search(r"(?:axis|range|limits?|scale) *$", text[: token.first], re.IGNORECASE) is not None
            or "value" in token.parts
        )
    if token.kind == "points":
        return re.match("as|with|using|by", words) is not None or "points" not in words
    if token.kind == "steps":
        return re.match(r"(?:as|with|using|by|into)\b|bars?\b", words) is not None
    if token.kind == "scale" and _FITTED.match(text, token.last):
        return False
    return token.kind in ("color", "width", "thick", "thin", "dash", "line", "scale", "axis")


def _named_again(target: str) -> str:
    """The words for what is named a second time behind a comma, as `AE and SYM-H, AE in red`; all where nothing is."""
    *_, behind = re.split(r"[,.;]", target := target.rstrip(" ,.;"))
    before = target.removesuffix(behind)
    words, known = ({each for each in part.casefold().split() if each not in words_of("small")} for part in (behind, before))
    return behind.strip() if words and words <= known else target
