"""Accept the code of steps before any result is stored: read it, and run it twice more if it is new to the home."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from helio_dagster.assets.batches import Pending
from helio_dagster.assets.graph import AssetNode
from helio_dagster.compute.code_result import CodeResult
from helio_dagster.domain.errors import CodeError, CodeRefused, HelioError
from helio_dagster.sandbox.static_check import check_code
from helio_dagster.storage.tables import TableStore

if TYPE_CHECKING:
    from helio_dagster.sandbox.sandbox import Sandbox

Run = Callable[[Pending, "Sandbox"], CodeResult]
"""Compute a partition in a sandbox without storing it."""


@dataclass(frozen=True)
class StepCode:
    """The code of a step, or of the saved operation that it names, and the names available to that code."""

    body: str
    names: tuple[str, ...]


@dataclass(frozen=True)
class Judgement:
    """What is known of a step's code before its partitions are made.

    `errors` maps partitions that cannot be made to the reason; it has all of them if the code is refused. `compared` is the
    partition on which two more runs gave the same result; None if no comparison was needed or there was nothing to compute.
    """

    errors: Mapping[str | None, HelioError] = field(default_factory=dict)
    compared: str | None = None


class CodeAcceptance:
    """Judge the code of each step once per run.

    A code version that made a stored partition with records was judged before, so a rerun only looks at what was last written.

    Parameters
    ----------
    store
        Stores the tables of the home.
    differing
        Returns two sandboxes that differ in everything that must not matter; see `differing_sandboxes`.
    """

    def __init__(self, store: TableStore, differing: Callable[[], tuple[Sandbox, Sandbox]]) -> None:
        self._store, self._differing = store, differing
        self._settled: dict[str, CodeRefused | None] = {}

    def judge(self, node: AssetNode, code: StepCode, pending: Sequence[Pending], run: Run) -> Judgement:
        """Read a step's code and, if it is new to the home, compare two runs on the first partition that it can compute.

        Parameters
        ----------
        node
            The step.
        code
            The code it runs.
        pending
            Its partitions that are to be made.
        run
            Makes one partition in a sandbox; an error in it is that partition's failure only.
        """
        errors: dict[str | None, HelioError] = {}
        compared = None
        if node.name not in self._settled:
            try:
                check_code(code.body, code.names, self._differing()[0].limits)
                is_known = self._is_known(node)
                compared = None if is_known else self._compare(node, pending, run, errors)
                if is_known or compared is not None:
                    self._settled[node.name] = None
            except CodeRefused as refusal:
                self._settled[node.name] = refusal
        refused = self._settled.get(node.name)
        if refused is not None:
            return Judgement({item.partition: refused for item in pending})
        return Judgement(errors, compared)

    def _is_known(self, node: AssetNode) -> bool:
        """Whether the last written table of a step was made by this code; an empty one says nothing, as no code ran for it."""
        for stored in self._store.newest(node.name):
            if stored.provenance.get("code") != node.code_version:
                return False
            if stored.rows:
                return True
        return False

    def _compare(
        self, node: AssetNode, pending: Sequence[Pending], run: Run, errors: dict[str | None, HelioError]
    ) -> str | None:
        """The first partition that gives the same result twice; partitions before it that fail go to `errors`."""
        for item in pending:
            try:
                if self._is_twice_the_same(node, item, run):
                    return item.partition
            except CodeRefused:
                raise
            except HelioError as error:
                errors[item.partition] = error
        return None

    def _is_twice_the_same(self, node: AssetNode, item: Pending, run: Run) -> bool:
        """Whether two runs agree; false if there is nothing to compute, CodeRefused if they differ.

        Code that raises in both runs fails for this partition, which says nothing about others.
        """
        from helio_dagster.compute.dataframes import table_to_dataframe  # these import pandas, for which a run need not wait
        from helio_dagster.sandbox.determinism import refusal_of, require_same

        one, other = self._differing()
        first = _attempt(run, item, one)
        if isinstance(first, CodeResult) and not first.is_called:
            return False
        second = _attempt(run, item, other)
        where = f"step {node.step.id}, {item.partition}"
        if isinstance(first, CodeResult) and isinstance(second, CodeResult):
            require_same(table_to_dataframe(first.table), table_to_dataframe(second.table), where=where)
            return True
        failed = [each for each in (first, second) if isinstance(each, CodeError)]
        if len(failed) > 1:
            raise failed[0]
        raise refusal_of(f"one run gave a result, the other failed: {failed[0].problem}", where=where)


def _attempt(run: Run, item: Pending, sandbox: Sandbox) -> CodeResult | CodeError:
    """A result, or the error that the code itself raised: it must raise the same error each time."""
    try:
        return run(item, sandbox)
    except CodeError as error:
        return error
