"""Asset checks of a run's results: coverage, time order, fill values, and columns by their dagster-pandas type."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import dagster as dg

from helio_dagster.assets.graph import AssetNode
from helio_dagster.assets.outcomes import Outcome, Quality
from helio_dagster.assets.recording import asset_key
from helio_dagster.domain.catalog_entry import Form, disagreement, form_of
from helio_dagster.domain.exclusions import excluded_share, union_of

CHECKS = {
    "coverage": "Whether the partitions contain data, and how much of their time range it covers",
    "time_in_order": "Whether times are unique and increasing within each partition",
    "not_all_fill": "Whether the partitions with records contain any valid value",
    "columns": "Whether all partitions have the same columns as the newest, and are of the asset's type",
}
AS_CATALOGUED = "catalog"
_AS_CATALOGUED_TEXT = "Whether shape, unit and frame in the files match the catalog. If they differ, the files are right"
_MOST_LISTED = 20


def check_specs(node: AssetNode) -> list[dg.AssetCheckSpec]:
    """The checks of a fetched or computed asset; none of them blocks downstream assets."""
    if node.kind not in ("fetch", "compute") or node.is_over_range or node.step.named_results:
        return []  # of several results, each has its own
    texts = {**CHECKS, AS_CATALOGUED: _AS_CATALOGUED_TEXT} if _described_form(node) else CHECKS
    return [dg.AssetCheckSpec(name, asset=asset_key(node.name), description=text) for name, text in texts.items()]


def check_results(
    node: AssetNode, outcomes: Mapping[str | None, Outcome], type_fault: Callable[[Quality], str] = lambda _quality: ""
) -> Iterator[dg.AssetCheckResult]:
    """One result per check over all partitions of the run; time order and columns are checked for those made in it.

    `type_fault` says why a table is not of the asset's Dagster type.
    """
    if not check_specs(node):
        return
    made = {str(key): outcome.quality for key, outcome in outcomes.items() if outcome.quality is not None}
    outcomes = {key: outcome for key, outcome in outcomes.items() if not _is_excluded(node, key, outcome)}
    shares = [share for outcome in outcomes.values() if (share := _coverage(outcome)) is not None]
    unordered = [key for key, quality in made.items() if not quality.is_in_order]
    columns = {key: quality.columns for key, quality in made.items() if quality.columns}
    wanted = next(reversed(columns.values()), ())
    fault_of = {each: _column_fault(each, wanted) for each in set(columns.values())}
    faults = [f"{key}: {fault_of[each]}" for key, each in columns.items() if fault_of[each]]
    faults += [f"{key}: {fault}" for key, quality in made.items() if (fault := type_fault(quality))]
    is_list = node.has_record_per_event or any(quality.is_list for quality in made.values())
    empty = [] if is_list else [str(key) for key, outcome in outcomes.items() if outcome.status == "empty"]
    all_fill = [str(key) for key, outcome in outcomes.items() if outcome.status == "all_fill"]
    failed = [str(key) for key, outcome in outcomes.items() if not outcome.is_usable]
    mean = round(sum(shares) / len(shares), 4) if shares else None
    is_partial = mean is not None and len(shares) < len(outcomes)
    why = {str(key): f"{outcome.error.problem}\n{outcome.error.details}" for key, outcome in outcomes.items() if outcome.error}
    first = next(iter(why.items()), None)
    yield _result(
        node,
        "coverage",
        [*empty, *failed],
        is_error=bool(failed),
        mean_coverage=mean,
        mean_over=f"{len(shares)} of {len(outcomes)} partitions; the others were not made in this run" if is_partial else None,
        empty=len(empty),
        failed=len(failed),
        why=f"{first[0]}: {first[1]}".strip() if first else None,
    )
    yield _result(node, "time_in_order", unordered, is_error=True)
    yield _result(node, "not_all_fill", all_fill)
    yield _result(node, "columns", faults, is_error=True)
    expected = _described_form(node)
    if expected is not None:
        forms = {key: quality.form for key, quality in made.items() if quality.form is not None}
        difference = {form: disagreement(expected, form) for form in set(forms.values())}
        yield _result(node, AS_CATALOGUED, [f"{key}: {difference[form]}" for key, form in forms.items() if difference[form]])


def _is_excluded(node: AssetNode, key: str | None, outcome: Outcome) -> bool:
    """Whether exclusions leave nothing of a partition, so that no data are expected of it."""
    if outcome.quality is not None or not outcome.is_usable or key is None or not node.excluded:
        return outcome.quality is not None and outcome.quality.is_excluded
    window = node.window(key)
    given = [exclusion.intervals for exclusion in node.excluded.values() if exclusion.packed is not None]
    return window is not None and excluded_share(union_of(given), window) == 1


def _column_fault(columns: Sequence[str], wanted: Sequence[str]) -> str:
    if columns == wanted:
        return ""
    from helio_dagster.assets.dataframe_type import column_fault  # it imports pandas, for which a run need not wait

    return column_fault(columns, wanted)


def _described_form(node: AssetNode) -> Form | None:
    """The form that the catalog expects of a fetch's tables."""
    return form_of(node.described.meta) if node.described is not None and node.described.meta is not None else None


def _coverage(outcome: Outcome) -> float | None:
    """Share of a partition with data: 0 where it failed or has no valid record; None where this run did not measure it."""
    if not outcome.is_usable or outcome.status in ("empty", "all_fill"):
        return 0.0
    return outcome.quality.coverage if outcome.quality is not None else None


def _result(
    node: AssetNode, check: str, concerned: Sequence[str], *, is_error: bool = False, **facts: Any
) -> dg.AssetCheckResult:
    listed: dict[str, Any] = {name: value for name, value in facts.items() if value is not None}
    if concerned:
        listed["partitions"] = ", ".join(concerned[:_MOST_LISTED]) + (" …" if len(concerned) > _MOST_LISTED else "")
    return dg.AssetCheckResult(
        asset_key=asset_key(node.name),
        check_name=check,
        passed=not concerned,
        severity=dg.AssetCheckSeverity.ERROR if is_error else dg.AssetCheckSeverity.WARN,
        metadata=listed,
    )
