"""The words of a new request for lines at later or earlier times."""

from __future__ import annotations

from dataclasses import dataclass

from helio_dagster.agent.offline.edits.forms import form
from helio_dagster.agent.offline.wording import tidy


@dataclass(frozen=True)
class ShiftWords:
    """A request without its words for a shift, and the change that they are; `words` as they stand, empty where none is.

    It `is_open` which of several lines is shifted where fewer than two spacecraft are named.
    """

    request: str
    change: str = ""
    words: str = ""
    is_open: bool = False


def find_shift(request: str) -> ShiftWords:
    """The words for a shift taken out of a new request; of several spacecraft it is that of the one named before them."""
    order = form("shifting.order").match(request)
    if order is not None and order["target"]:
        rest = f"{order['target']} {request[order.end() :]}"
        return ShiftWords(" ".join(rest.split()), order[0], order[0])
    done = form("shifting.done").search(request) or form("shifting.with").search(request)
    if done is None:
        return ShiftWords(request)
    named = [match[0] for match in form("shifting.mission").finditer(request)]
    before = [match[0] for match in form("shifting.mission").finditer(request[: done.start()])]
    if len({name.casefold() for name in named}) > 1 and not before:
        return ShiftWords(request)
    whose = before[-1] if before else "everything"
    if form("shifting.of_two").search(request):
        whose = form("shifting.when").sub("", form("shifting.between").split(request[: done.start()])[-1]).strip() or whose
    way = "earlier" if form("shifting.back").search(done[0]) else "later"
    rest = tidy(f"{request[: done.start()]} \0 {request[done.end() :]}")
    return ShiftWords(
        rest, f"shift {whose} by {done['length']} {way}", done[0].strip(" ,"), len({name.casefold() for name in named}) < 2
    )
