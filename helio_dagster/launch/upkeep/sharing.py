"""The other homes that share the tables of a home, and one of them that was given up."""

from __future__ import annotations

from datetime import UTC, datetime

from helio_dagster.domain.did_you_mean import remedy
from helio_dagster.domain.errors import InputError
from helio_dagster.domain.report import Fact
from helio_dagster.storage.object_owner import SharingHome
from helio_dagster.storage.settings import Settings
from helio_dagster.storage.table_stores import open_address


class OtherHome(Fact):
    """A home that shares tables: the start of its name, its machine and folder where known, and its last day of use."""

    id: str
    place: str
    seen: str


def other_homes(settings: Settings) -> list[OtherHome]:
    """The homes whose pipelines may need the tables of this one, the one used last first."""
    return [_described(each) for each in _sharing(settings)]


def forget_home(settings: Settings, given: str) -> OtherHome:
    """Forget a home that was given up, so that tables are no longer kept for it; one that is used again is noted again.

    Raises
    ------
    InputError
        No other home has a name that begins so, or several have.
    """
    found = _sharing(settings)
    named = [each for each in found if given and each.name.startswith(given)]
    if len(named) != 1 or settings.tables is None:
        ids = [_described(each).id for each in found]
        problem = f"{'several homes have' if named else 'no other home has'} an id that begins with {given!r:.40}"
        raise InputError(problem, hint=remedy(given, ids, what="other homes"))
    _, owner = open_address(settings, settings.tables)
    owner.leave(named[0].name)
    return _described(named[0])


def _sharing(settings: Settings) -> list[SharingHome]:
    return [] if settings.tables is None else open_address(settings, settings.tables)[1].sharing()


def _described(home: SharingHome) -> OtherHome:
    seen = datetime.fromtimestamp(home.seen_ns / 1e9, UTC)
    return OtherHome(id=home.name[:8], place=home.place, seen=f"{seen:%Y-%m-%d}")
