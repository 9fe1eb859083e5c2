"""Show the progress of a run on standard error: a bar on a terminal, otherwise a line now and then."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterable
from types import TracebackType
from typing import TYPE_CHECKING

from helio_dagster.cli.terminal import write_error
from helio_dagster.domain.amounts import readable_duration

if TYPE_CHECKING:
    from helio_dagster.assets.outcomes import Outcome
    from helio_dagster.launch.running.request import RunRequest

_EVERY_S = 5.0
_LOOK_EVERY_S, _LOOK_BACK_S = 1.0, 30.0


class RunProgress:
    """Listens to a run; use as a context manager.

    Parameters
    ----------
    request
        The run; gives the number of partitions to settle.
    is_verbose
        Print each partition that was made, failed or skipped.
    beside
        Partitions that the run makes beside those requested: the fetches of a pipeline over events, of which there may be more.
    """

    def __init__(self, request: RunRequest, *, is_verbose: bool = False, beside: Iterable[tuple[str, str | None]] = ()) -> None:
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        from helio_dagster.cli.console import Console

        self._left: dict[str, set[str | None]] = {name: set(keys) for name, keys in request.targets.items()}
        for name, key in beside:
            self._left.setdefault(name, set()).add(key)
        self._total = sum(map(len, self._left.values()))
        self._is_verbose = is_verbose
        self._spoke = time.monotonic()
        self._seen: deque[tuple[float, int]] = deque([(self._spoke, 0)])
        console = Console(is_error=True)
        self._bar = (
            Progress(
                TextColumn("{task.description}"),
                BarColumn(),
                MofNCompleteColumn(),
                TextColumn("{task.fields[rate]}"),
                TimeRemainingColumn(),
                console=console,
                transient=True,
            )
            if console.is_terminal
            else None
        )
        self._task = self._bar.add_task("starting", total=self._total, rate="") if self._bar else None

    def __enter__(self) -> RunProgress:
        """Show the bar."""
        if self._bar:
            self._bar.start()
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        """Remove the bar."""
        if self._bar:
            self._bar.stop()

    def __call__(self, asset: str, partition: str | None, outcome: Outcome) -> None:
        """Count one settled partition."""
        if asset in self._left:
            self._left[asset].discard(partition)
        place = f"{asset} {partition}" if partition else asset
        if self._is_verbose and outcome.state != "reused":
            cause = f": {outcome.error.problem}" if outcome.error else ""
            self._say(f"{outcome.state} {place}{cause}")
        if self._bar and self._task is not None:
            self._bar.update(self._task, completed=self._done, description=asset, rate=f"{self._rate():.3g}/s")
        elif time.monotonic() - self._spoke > _EVERY_S:
            rate = self._rate()
            left = f", {rate:.3g}/s, about {readable_duration((self._total - self._done) / rate)} left" if rate else ""
            self._say(f"{self._done:,} of {self._total:,} partitions done{left} ({place})")

    @property
    def _done(self) -> int:
        return self._total - sum(map(len, self._left.values()))

    def _rate(self) -> float:
        """Recent number of partitions settled per second."""
        now = time.monotonic()
        if now - self._seen[-1][0] > _LOOK_EVERY_S:
            self._seen.append((now, self._done))
        while len(self._seen) > 2 and now - self._seen[0][0] > _LOOK_BACK_S:
            self._seen.popleft()
        then, done = self._seen[0]
        return (self._done - done) / max(now - then, 1e-3)

    def _say(self, line: str) -> None:
        self._spoke = time.monotonic()
        if self._bar:
            self._bar.console.print(line)
        else:
            write_error(f"{line}\n")
