"""Judge stored results by what their steps expect, and keep the recorded verdicts. Does not import Dagster.

A verdict follows from a stored table and an expectation alone, so a new expectation is judged without computing anything.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from helio_dagster.assets.graph import AssetNode, Expected
from helio_dagster.assets.result_spans import spans
from helio_dagster.domain.errors import StorageError
from helio_dagster.domain.expectation_judging import JUDGING_VERSION, Unmet, unmet
from helio_dagster.domain.span_key import span_key
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.resources.workbench import Workbench
from helio_dagster.storage.atomic import write_bytes
from helio_dagster.storage.table_cache import TableCache


@dataclass(frozen=True)
class Verdict:
    """What of one stored result is not as expected; nothing if all is. `is_recorded` says whether Dagster's record has it."""

    key: str | None
    data_version: str
    unmet: tuple[Unmet, ...]
    is_recorded: bool = False

    @property
    def text(self) -> str:
        """What is not as expected, in words."""
        return "; ".join(each.text for each in self.unmet)


class Judgements:
    """The verdicts on the stored results of a home.

    Parameters
    ----------
    tables
        The stored tables.
    folder
        Holds a file for each expectation with the verdicts that are in Dagster's record. It is only a memory: without it,
        results are judged, and recorded, again.
    """

    def __init__(self, tables: TableCache, folder: Path) -> None:
        self._tables, self._folder = tables, folder
        self._kept: dict[tuple[str, str], dict[str, Verdict]] = {}
        self._found: dict[tuple[str, str, str], Verdict] = {}

    def of(
        self,
        node: AssetNode,
        expected: Expected,
        versions: Mapping[str | None, str | None],
        *,
        shown: TimeRange | None = None,
    ) -> dict[str | None, Verdict]:
        """Partition to the verdict on its result, of those that are stored.

        Parameters
        ----------
        node, expected
            The asset, and one of its expectations.
        versions
            Partition to the data version of its result; None where it has none.
        shown
            The range of results over ranges if it is shorter than the partitions.
        """
        usable: dict[str | None, str] = {
            key: version for key, version in versions.items() if version is not None and key is not None
        }
        if node.over != "range":
            found = {key: self.on(node, expected, key, version) for key, version in usable.items()}
            return {key: verdict for key, verdict in found.items() if verdict is not None}
        verdicts: dict[str | None, Verdict] = {}
        for span, keys in spans(node, list(usable), shown=shown):
            verdict = self._verdict(node, expected, span_key(span), usable[keys[0]])
            verdicts |= dict.fromkeys(keys, verdict) if verdict is not None else {}
        return verdicts

    def on(self, node: AssetNode, expected: Expected, key: str | None, version: str) -> Verdict | None:
        """The verdict on one result by its key, for a result over a range that of the range; None if it is not stored."""
        return self._verdict(node, expected, key, version) if key is not None else None

    def blocking(
        self, reader: AssetNode, node: AssetNode, versions: Mapping[str | None, str | None], *, shown: TimeRange | None = None
    ) -> dict[str | None, str]:
        """Partitions of an input that must not be read, to what of them is not as expected.

        What a pipeline expects of a fetch, which others share, stops its own steps alone.
        """
        found: dict[str | None, str] = {}
        for expected in node.expected:
            if not expected.expect.is_blocking or (node.kind == "fetch" and expected.pipeline != reader.pipeline):
                continue
            for key, verdict in self.of(node, expected, versions, shown=shown).items():
                if verdict.unmet:
                    found.setdefault(key, verdict.text)
        return found

    def keep(self, node: AssetNode, expected: Expected, verdicts: Iterable[Verdict]) -> None:
        """Remember verdicts that were recorded.

        Raises
        ------
        StorageError
            The home cannot be written.
        """
        place, kept = (node.name, expected.check), self._kept_of(node, expected)
        kept |= {verdict.key or "": _recorded(verdict) for verdict in verdicts}
        self._kept[place] = kept
        judged = {
            key: {"version": each.data_version, "unmet": [one.as_plain() for one in each.unmet]} for key, each in kept.items()
        }
        record = {"expectation": _hash(expected), "judged": judged}
        write_bytes(self._path(node, expected), json.dumps(record, sort_keys=True).encode())

    def _verdict(self, node: AssetNode, expected: Expected, key: str, version: str) -> Verdict | None:
        kept = self._kept_of(node, expected).get(key)
        depends_on_lists = (
            bool(node.excluded) and expected.expect.share is not None
        )  # which may change while the table does not
        if kept is not None and kept.data_version == version and not depends_on_lists:
            return kept
        place = (node.name, expected.check, key)
        known = self._found.get(place)
        if known is None or known.data_version != version:
            try:
                held = self._tables.held(node.name, key, version)  # what reads it next still has it to read
                table = held if held is not None else self._tables.read(node.name, key, version)
            except StorageError:
                return None  # nothing is stored, or it is damaged: a run remakes it
            excluded_s = self._tables.excluded_s(node.name, key) if depends_on_lists else 0.0
            known = Verdict(key, version, tuple(unmet(expected.expect, table, node.window(key), excluded_s=excluded_s)))
            self._found[place] = known
        return kept if kept is not None and (kept.data_version, kept.unmet) == (version, known.unmet) else known

    def _kept_of(self, node: AssetNode, expected: Expected) -> dict[str, Verdict]:
        place = (node.name, expected.check)
        if place not in self._kept:
            self._kept[place] = _read(self._path(node, expected), _hash(expected))
        return self._kept[place]

    def _path(self, node: AssetNode, expected: Expected) -> Path:
        """Named by a hash where the asset's name is longer than a file's may be."""
        name = quote(f"{node.name} {expected.check}", safe="")
        name = name if len(name) <= 200 else hashlib.sha256(name.encode()).hexdigest()
        return self._folder / f"{name}.json"


def judgements_of(workbench: Workbench) -> Judgements:
    """The verdicts of a home, beside Dagster's record, which has them too."""
    return Judgements(workbench.tables, workbench.settings.instance / "judged")


def _recorded(verdict: Verdict) -> Verdict:
    return Verdict(verdict.key, verdict.data_version, verdict.unmet, is_recorded=True)


def _hash(expected: Expected) -> str:
    body = [JUDGING_VERSION, expected.expect.model_dump(mode="json")]
    return hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()[:32]


def _read(path: Path, wanted: str) -> dict[str, Verdict]:
    """The verdicts in a file, if they are on this expectation."""
    try:
        record = json.loads(path.read_bytes())
        if record["expectation"] != wanted:
            return {}
        return {
            key: Verdict(key or None, each["version"], tuple(Unmet(**one) for one in each["unmet"]), is_recorded=True)
            for key, each in record["judged"].items()
        }
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return {}


def new_verdicts(verdicts: Mapping[str | None, Verdict]) -> Sequence[str | None]:
    """The partitions whose verdict is not yet in Dagster's record."""
    return [key for key, verdict in verdicts.items() if not verdict.is_recorded]
