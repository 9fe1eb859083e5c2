"""What every operation says: inputs, options, halo, metadata rules."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from datetime import timedelta
from typing import Any, Generic, Literal, TypeVar

from pydantic import ConfigDict, ValidationError

from helio_dagster.compute.operations.examples import Example
from helio_dagster.compute.operations.inputs import Input
from helio_dagster.domain.described import Described, field_texts
from helio_dagster.domain.did_you_mean import remedy
from helio_dagster.domain.errors import InputError
from helio_dagster.domain.sample_demand import SampleDemand
from helio_dagster.domain.table import Kind, Table, TableMeta
from helio_dagster.domain.time_range import TimeRange

UNKNOWN_META = TableMeta(kind="series", columns=())
"""Metadata of a window for which the archive has no file: no columns, so no rule applies and nothing can be computed."""


_OVER_TIME: tuple[Kind, ...] = ("series", "vector", "spectrogram", "points", "nd")


class Options(Described):
    """Options of an operation, as a pipeline gives them."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    @classmethod
    def meaning(cls, name: str) -> str:
        """What an option means, on one line."""
        return " ".join((cls.model_fields[name].description or field_texts(cls).get(name, "")).split())


class NoOptions(Options):
    """The operation has no options."""


Origin = Literal["shipped", "saved", "generated"]
"""Whether an operation comes with the package, was saved by a person, or was written by a model and accepted by one."""

OptionsT = TypeVar("OptionsT", bound=Options)


class Operation(ABC, Generic[OptionsT]):
    """One registered transformation of tables.

    The value at a time depends only on the samples in `[time - lookback, time + lookahead]`, bit for bit, so that results are
    the same however the data were cut; what is made of a whole window depends on that window alone. `version` counts up
    whenever a result can change.
    """

    id: str
    version: int
    summary: str
    when: str
    """When to use it, and when another."""
    reference: str
    """Formula and its source."""
    inputs: Mapping[str, Input]
    """Input name to what it must be; the first input gives the time axis."""
    output: str
    """What comes out: kind, unit, frame, times, and where it is NaN or has no record."""
    examples: tuple[Example, ...]
    """Small inputs and what must come of them; they are run as tests."""
    origin: Origin
    options: type[OptionsT]
    keeps_times: bool = True
    """Whether its records stand at times of the first input's, and so reach as far as those do."""
    of_one_spacecraft: tuple[str, ...] = ()
    """Inputs that one spacecraft has measured, or that say where it is and how it is turned: with those of two the result is
    that of neither."""
    keeps_place: bool = True
    """Whether its result still belongs to where the spacecraft was."""
    marks_records: bool = False
    """Whether its events are moments of the first input's records, and so reach as far as those where all reach equally far."""
    has_record_per_event: bool = False
    """Whether it gives a record for each event of a list, so that a partition without an event has none."""
    is_record_wise: bool = False
    """Whether each of its records is made from one of the first input's alone, and from what other inputs have near it: a large
    first input is then read some records at a time."""
    is_of_window: bool = False
    """Whether it gives one result for the whole window, such as a curve or facts, rather than one for each time."""

    gives_reasons: bool = False
    """Whether its result may say why numbers are missing that there would be with other data."""

    @property
    def identity(self) -> list[Any]:
        """What a result depends on beside inputs and options: part of the code version of every step that names it."""
        return [self.id, self.version]

    def read_options(self, given: Mapping[str, Any]) -> OptionsT:
        """Check options as a pipeline gives them.

        Raises
        ------
        InputError
            An option is unknown, missing or wrong.
        """
        try:
            return self.options.model_validate(dict(given))
        except ValidationError as error:
            faults = sorted(error.errors(include_url=False), key=lambda fault: fault["type"] != "extra_forbidden")
            named = [str(part) for part in faults[0]["loc"] if not str(part).startswith("literal[")]
            option, names = ".".join(named), list(self.options.model_fields)
            if faults[0]["type"] == "extra_forbidden":
                problem, hint = f"{self.id} has no option {option!r}", remedy(option, names, what="options")
            elif not option:  # options that do not go together
                said, _, remedies = faults[0]["msg"].removeprefix("Value error, ").partition(". ")
                problem, hint = f"{self.id}: {said}", f"{remedies}." if remedies else f"Options: {', '.join(names)}."
            else:
                problem = f"option {option!r} of {self.id}: {faults[0]['msg'].removeprefix('Value error, ')}"
                hint = f"Options: {', '.join(names)}."
            raise InputError(problem, hint=hint) from None

    def plain_options(self, inputs: Mapping[str, TableMeta], options: OptionsT) -> dict[str, Any]:
        """The options that the operation's plain function takes (`compute.plain`): those given, and what follows from metadata.

        Raises
        ------
        InputError, ComputeError
            The inputs do not allow the operation, or its plain form.
        """
        del inputs
        return options.model_dump(mode="json", exclude_none=True)

    @abstractmethod
    def halo(self, options: OptionsT) -> tuple[timedelta, timedelta]:
        """How far before and after a partition the inputs are read: (lookback, lookahead)."""

    def sample_demands(self, options: OptionsT) -> tuple[SampleDemand, ...]:
        """How many valid samples of its inputs must lie within which length, or there is no result anywhere.

        By default `min_samples` of the first input within `window`, where the options have both; a single one is no demand.
        """
        window, least = getattr(options, "window", None), getattr(options, "min_samples", 1)
        return (SampleDemand(next(iter(self.inputs)), least, window),) if isinstance(window, timedelta) and least > 1 else ()

    def result_meta(self, inputs: Mapping[str, TableMeta], options: OptionsT, name: str = "result") -> TableMeta:
        """Metadata of the result, known before anything runs.

        Parameters
        ----------
        inputs
            Input name to its metadata. Metadata without columns are unknown: no rule is applied to them.
        options
            Checked options.
        name
            Step id: the column of a scalar result.

        Returns
        -------
        TableMeta
            Without columns where the first input's are unknown.

        Raises
        ------
        InputError
            An input is missing or unknown to the operation.
        ComputeError
            Kinds, units or frames do not allow the operation.
        """
        self._check_inputs(inputs)
        is_synthetic = any(meta.synthetic for meta in inputs.values())
        plain = {key: meta.without_extent for key, meta in inputs.items()}
        meta = self._meta(plain, options, name) if self._is_known(inputs) else UNKNOWN_META
        update: dict[str, Any] = {"synthetic": is_synthetic}
        if meta.columns and meta.extent is None and self._keeps_extents(meta):
            update["extent"] = inputs[next(iter(self.inputs))].extent
        return meta.model_copy(update=update)

    @abstractmethod
    def apply(self, inputs: Mapping[str, Table], options: OptionsT, window: TimeRange, name: str) -> Table:
        """Result of the operation inside a partition.

        Parameters
        ----------
        inputs
            Input name to its records over `[window.start - lookback, window.stop + lookahead)`.
        options
            Checked options.
        window
            Time range of the partition.
        name
            Step id: the column of a scalar result.

        Returns
        -------
        Table
            Records inside `window`; float64 columns, NaN where there is no valid result.

        Raises
        ------
        InputError, ComputeError
            As `result_meta`; ComputeError also where a column holds text.
        """

    def _keeps_extents(self, meta: TableMeta) -> bool:
        """Whether a result of this kind reaches as far as the first input's records do."""
        if meta.kind == "events":
            return self.marks_records
        return self.keeps_times and not self.is_of_window and meta.kind in _OVER_TIME

    def _is_known(self, inputs: Mapping[str, TableMeta]) -> bool:
        """Whether the metadata of the inputs suffice to say what comes out."""
        return bool(inputs[next(iter(self.inputs))].columns)

    @abstractmethod
    def _meta(self, inputs: Mapping[str, TableMeta], options: OptionsT, name: str) -> TableMeta:
        """Unit, frame and column rules; the first input's columns are known. The inputs say nothing of extents.

        An operation that makes bins of its own says here how far its records reach.
        """

    def _check_inputs(self, inputs: Mapping[str, TableMeta]) -> None:
        expected = ", ".join(self.inputs)
        for name in inputs:
            if name not in self.inputs:
                raise InputError(f"{self.id} has no input {name!r}", hint=remedy(name, self.inputs, what="inputs"))
        for name, demanded in self.inputs.items():
            if name not in inputs and demanded.is_optional:
                continue
            if name not in inputs:
                raise InputError(f"{self.id} needs the input {name!r}", hint=f"Its inputs are {expected}.")
            if inputs[name].columns:
                demanded.check(inputs[name], name=name, operation_id=self.id)
