"""What a pipeline draws: the traces of its first figure, and the steps beneath them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

from helio_dagster.catalog.choice.fetched import mission_of_fetch, quantity_of_fetch
from helio_dagster.catalog.choice.parameter_reading import likely_kind
from helio_dagster.catalog.choice.quantities import VECTORS
from helio_dagster.catalog.known import KnownCatalog
from helio_dagster.domain.catalog_entry import Quantity
from helio_dagster.domain.errors import InputError
from helio_dagster.domain.figure import Panel, Trace
from helio_dagster.domain.pipeline import Fetch, Step
from helio_dagster.domain.pipeline_text import PipelineFile
from helio_dagster.domain.table import TableMeta

AVERAGED = frozenset(("rolling_mean", "resample", "rolling_statistic"))
_PART = re.compile(r"_mag(?:_|$)|_[xyzrtn](?:_(?:gse|gsm|sm|rtn|geo|hci))?$")
"""How the name of a part of a vector ends that the archive has by itself: `b_z_gsm`."""
_MARKING = frozenset(("intervals_where", "intersection_of", "crossings", "jumps"))
"""Operations whose results stand beside a curve as shading and marks."""
SPECTRAL = frozenset(("spectrogram", "welch", "wavelet_power"))


@dataclass(frozen=True)
class Line:
    """A trace: where it stands, what it draws, and what that is made of.

    `is_spectrogram` where its values are colours over a time and a bin axis, `is_of_part` where the archive has one part of a
    vector by itself, of which it is made.
    """

    panel: int
    place: int
    trace: Trace
    missions: tuple[str, ...]
    quantities: tuple[Quantity, ...]
    operations: tuple[str, ...]
    is_spectrogram: bool = False
    is_of_part: bool = False

    @property
    def path(self) -> str:
        """Its path inside the figure's step."""
        return f"figure.panels[{self.panel}].traces[{self.place}]"

    @property
    def words(self) -> str:
        """What it is called in a step's words."""
        return self.trace.label or self.trace.data

    @property
    def is_whole_vector(self) -> bool:
        """Whether it is a vector by all its components."""
        is_part = self.is_of_part or {"magnitude", "component", "direction"} & set(self.operations) or self.trace.component
        return bool(VECTORS & set(self.quantities)) and not is_part and not _PART.search(self.trace.data)

    @property
    def is_times_ten(self) -> bool:
        """Whether it is Kp as that is stored."""
        return self.quantities == ("kp",) and "scale" not in self.operations


class DrawnFigure:
    """The first figure of a pipeline, and the steps beneath it.

    Parameters
    ----------
    file
        The pipeline.
    catalog
        Tells what a fetch measures.
    """

    def __init__(self, file: PipelineFile, catalog: KnownCatalog) -> None:
        self.file = file
        self.pipeline = file.pipeline
        self._catalog = catalog

    @cached_property
    def figure(self) -> Step:
        """The step of the figure."""
        for step in self.pipeline.steps:
            if step.figure is not None:
                return step
        raise InputError("the pipeline on the table draws no figure", hint="Ask for one: a quantity of a spacecraft.")

    @property
    def panels(self) -> list[Panel]:
        """Its panels from top to bottom."""
        return list(self.figure.figure.panels) if self.figure.figure else []

    @cached_property
    def lines(self) -> list[Line]:
        """Every trace of it."""
        return [
            self._line(row, place, trace) for row, panel in enumerate(self.panels) for place, trace in enumerate(panel.traces)
        ]

    @cached_property
    def curves(self) -> list[Line]:
        """The traces but those that shade or mark what another one of their panel draws."""
        drawn = {line.panel for line in self.lines if not {*line.operations[-1:]} & _MARKING}
        return [line for line in self.lines if line.panel not in drawn or not {*line.operations[-1:]} & _MARKING]

    @cached_property
    def missions(self) -> list[str]:
        """The missions whose data are plotted, in order."""
        return list(dict.fromkeys(mission for line in self.lines for mission in line.missions))

    def upstream(self, step_id: str) -> list[Step]:
        """A step and all that it is made from, inputs first."""
        known = {step.id: step for step in self.pipeline.nodes}
        found: dict[str, Step] = {}

        def visit(reference: str) -> None:
            step = known.get(reference.rpartition("/")[2])
            if step is None or step.id in found:
                return
            for _, other in step.references:
                visit(other)
            found[step.id] = step

        visit(step_id)
        return list(found.values())

    def mission(self, fetch: Fetch) -> str:
        """Whose data a fetch yields; empty where that is not known."""
        return mission_of_fetch(self._catalog, fetch)

    def quantity(self, fetch: Fetch) -> Quantity | None:
        """What a fetch measures; None where that is not known."""
        return quantity_of_fetch(self._catalog, fetch)

    def frame(self, fetch: Fetch) -> str | None:
        """The frame of what a fetch yields; None where that is not known, or it has none."""
        meta = self._meta(fetch)
        return meta.frame if meta else None

    def unit(self, fetch: Fetch) -> str | None:
        """The unit of what a fetch yields; None where that is not known."""
        meta = self._meta(fetch)
        return meta.unit if meta else None

    def _meta(self, fetch: Fetch) -> TableMeta | None:
        """What is known of what a fetch yields: by the description of a file of one's own, else by the catalog."""
        return fetch.table_meta if fetch.is_own else self._catalog.meta(fetch.archive, fetch.dataset, fetch.parameter)

    def _line(self, row: int, place: int, trace: Trace) -> Line:
        steps = self.upstream(trace.data)
        fetches = [step.fetch for step in steps if step.fetch]
        missions = tuple(dict.fromkeys(mission for fetch in fetches if (mission := self.mission(fetch))))
        quantities = tuple(dict.fromkeys(found for fetch in fetches if (found := self.quantity(fetch)) is not None))
        operations = tuple(step.compute.operation or "code" for step in steps if step.compute)
        is_spectrogram = operations[-1] in SPECTRAL if operations else any(self._has_bins(fetch) for fetch in fetches)
        is_of_part = any(step.fetch is not None and _PART.search(step.id) for step in steps)
        return Line(row, place, trace, missions, quantities, operations, is_spectrogram, is_of_part)

    def _has_bins(self, fetch: Fetch) -> bool:
        """Whether a fetch is catalogued as a spectrogram."""
        facts = self._catalog.facts(fetch.archive, fetch.dataset)
        parameter = facts.parameter(fetch.parameter) if facts else None
        if parameter is not None:
            return likely_kind(parameter) == "spectrogram"
        meta = self._meta(fetch)
        return meta is not None and meta.kind == "spectrogram"
