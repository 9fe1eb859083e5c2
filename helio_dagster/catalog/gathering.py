"""Asks for the masters of many datasets, a few at a time, and joins what they say with the facts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, Protocol

from helio_dagster.archives.cdas.client import CdasClient
from helio_dagster.archives.cdf.master import MasterDescription
from helio_dagster.catalog.facts import DatasetFacts
from helio_dagster.catalog.listing import join_master, with_variables
from helio_dagster.domain.errors import ArchiveAnswerError, ArchiveError, ArchiveUnavailable

AT_ONCE = 3
"""Requests under way at a time: the archive is asked for thousands of small files."""
_GIVEN_UP_AFTER = 5

Outcome = Literal["read", "none", "failed"]


class MastersSource(Protocol):
    """Where masters come from: `CdasMasters`. `fetch` is called from several threads."""

    def fetch(self, dataset: str) -> MasterDescription | None:
        """What the master of a dataset says; None where there is none; raises ArchiveError."""
        ...

    def forget(self) -> None:
        """Let go of what was kept for a second try."""
        ...

    def close(self) -> None:
        """End what is under way."""
        ...


@dataclass(frozen=True)
class RefreshProgress:
    """A dataset whose master was requested is done: `done` of `total`."""

    dataset: str
    outcome: Outcome
    done: int
    total: int


@dataclass(frozen=True)
class RefreshFailure:
    """A dataset whose master could not be had or read, and why; it is asked for again next time."""

    dataset: str
    problem: str


OnProgress = Callable[[RefreshProgress], None]


@dataclass(frozen=True)
class Gathered:
    """New facts by folded id, which of these have no master, and what failed."""

    facts: dict[str, DatasetFacts]
    without: set[str]
    failures: list[RefreshFailure]


def read_masters(
    wanted: Mapping[str, DatasetFacts], client: CdasClient, masters: MastersSource, now: datetime, on_progress: OnProgress
) -> Gathered:
    """Read the masters of datasets, given by folded id; where there is none, the variables that the service lists.

    Raises
    ------
    ArchiveUnavailable
        Five in a row could not be had.
    StorageError
        A file cannot be written.
    """
    answers = Gathered({}, set(), [])
    unavailable = 0

    def ask(facts: DatasetFacts) -> tuple[DatasetFacts, Outcome]:
        master = masters.fetch(facts.dataset)
        if master is not None:
            return join_master(facts, master, now), "read"
        return (facts if facts.parameters else _list_variables(facts, client)), "none"

    with _threads(client, masters) as pool:
        asked = {pool.submit(ask, facts): key for key, facts in wanted.items()}
        for done, future in enumerate(as_completed(asked), start=1):
            key = asked[future]
            outcome, error = _take(future, key, wanted[key].dataset, answers)
            unavailable = unavailable + 1 if isinstance(error, ArchiveUnavailable) else 0
            if unavailable == _GIVEN_UP_AFTER and error is not None:
                raise ArchiveUnavailable(
                    f"the archive no longer delivers: {error.problem}",
                    where=error.where,
                    hint="Run the same command again later: what is already here is kept, and so is the old catalog.",
                ) from error
            on_progress(RefreshProgress(wanted[key].dataset, outcome, done, len(asked)))
    return answers


def _take(
    future: Future[tuple[DatasetFacts, Outcome]], key: str, dataset: str, answers: Gathered
) -> tuple[Outcome, ArchiveError | None]:
    try:
        facts, outcome = future.result()
    except ArchiveError as error:
        answers.failures.append(RefreshFailure(dataset, error.problem[:300]))
        return "failed", error
    answers.facts[key] = facts
    if outcome == "none":
        answers.without.add(key)
    return outcome, None


def _list_variables(facts: DatasetFacts, client: CdasClient) -> DatasetFacts:
    try:
        return with_variables(facts, client.variables(facts.dataset))
    except ArchiveAnswerError:  # it lists none
        return facts


@contextmanager
def _threads(client: CdasClient, masters: MastersSource) -> Iterator[ThreadPoolExecutor]:
    """Threads to ask from; when the block fails or is stopped, what is under way is ended and the rest not begun."""
    pool = ThreadPoolExecutor(AT_ONCE, thread_name_prefix="catalog-refresh")
    try:
        yield pool
    except BaseException:
        masters.close()
        client.close()
        raise
    finally:
        pool.shutdown(cancel_futures=True)
