"""The fetch of a pipeline's file: a parameter of a dataset, the ephemeris of a body, or files of one's own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    ConfigDict,
    Field,
    ModelWrapValidatorHandler,
    SerializerFunctionWrapHandler,
    TypeAdapter,
    ValidationError,
    model_serializer,
    model_validator,
)

from helio_dagster.domain.ephemeris import (
    ARCHIVES_WITH_EPHEMERIDES,
    Ephemeris,
    ephemeris_of_keys,
    ephemeris_of_names,
    is_ephemeris,
)
from helio_dagster.domain.errors import InputError
from helio_dagster.domain.own_files import OWN_ARCHIVE, OwnFileFields, own_names
from helio_dagster.domain.pipeline_fields import ARCHIVE_PATTERN, DATASET_PATTERN, Duration, checked_server

_OF_ARCHIVE = ("archive", "dataset", "parameter")
_OF_BODIES = ("target", "observer", "frame", "cadence", "unit")
_DURATION: TypeAdapter[Any] = TypeAdapter(Duration)


def _one_form(schema: dict[str, Any]) -> None:
    """In the JSON schema: dataset and parameter; target, observer and cadence; or a file."""
    schema.pop("required", None)
    schema["oneOf"] = [
        {"required": [*_OF_ARCHIVE]},
        {"required": ["archive", "target", "observer", "cadence"]},
        {"required": ["archive", "target", "parameter", "cadence"], "not": {"required": ["observer"]}},
        {"required": ["file", "time", "columns"]},
    ]


class Fetch(OwnFileFields):
    """Measurements of one parameter of one archive dataset, where a body was, or files of one's own.

    The ephemeris of a body has both forms: its keys, and the `dataset` and `parameter` that they mean. It is written with the
    keys. So are files of one's own (`file`, `time` and `columns`).
    """

    model_config = ConfigDict(extra="forbid", frozen=True, json_schema_extra=_one_form)

    archive: Annotated[str, Field(pattern=ARCHIVE_PATTERN, max_length=120), AfterValidator(checked_server)]
    """`cdaweb`, `pds`, `swpc`, `spice`, `hapi:` and a HAPI server's name, host or URL, or `demo` for made-up data."""
    dataset: Annotated[str, Field(pattern=DATASET_PATTERN, max_length=120)]
    """The archive's dataset id, such as AC_H0_MFI."""
    parameter: Annotated[str, Field(min_length=1, max_length=120)]
    """The dataset's parameter, such as BGSEc; of an ephemeris position (the default), velocity, distance, light_time or
    attitude, how a spacecraft is turned."""
    target: Annotated[str | None, Field(max_length=120, exclude_if=lambda given: given is None)] = None
    """Of an ephemeris: the body, such as PSP; or separation(PSP, EARTH), the angle between two as the observer sees them."""
    observer: Annotated[str | None, Field(max_length=80, exclude_if=lambda given: given is None)] = None
    """Of an ephemeris: the body that it is seen from, such as SUN."""
    frame: Annotated[str | None, Field(max_length=40, exclude_if=lambda given: given is None)] = None
    """Of a position or velocity: its axes, such as HCI; of a vector in a file: the frame of its components."""
    cadence: Annotated[Duration | None, Field(exclude_if=lambda given: given is None)] = None
    """Of an ephemeris: the time between two positions, such as PT1M."""
    unit: Annotated[Literal["km", "au"] | None, Field(exclude_if=lambda given: given is None)] = None
    """Of a position or distance: km (the default) or au."""

    @model_validator(mode="wrap")
    @classmethod
    def _of_one_form(cls, given: Any, read: ModelWrapValidatorHandler[Fetch]) -> Fetch:
        if isinstance(given, Mapping) and given.get("file") is not None:
            return _of_files(given, read)
        found = read(_with_both_forms(given))
        of_files = [name for name in OwnFileFields.model_fields if name != "frame" and getattr(found, name) is not None]
        if of_files and not found.is_own:
            raise ValueError(f"{of_files[0]} belongs to a file of your own. Add file, or remove {of_files[0]}")
        return found

    @model_serializer(mode="wrap")
    def _as_written(self, write: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """The keys of a pipeline's file: without the names that follow from them."""
        written: dict[str, Any] = write(self)
        if self.is_own:
            return {name: value for name, value in written.items() if name not in _OF_ARCHIVE}
        if self.target is not None:
            del written["dataset"]
            quantity = _of_names(self.archive, self.dataset, self.parameter).quantity
            if quantity in ("position", "separation"):
                del written["parameter"]
            else:
                written["parameter"] = quantity
            if quantity == "attitude":
                del written["frame"]
        return written

    @property
    def ephemeris(self) -> Ephemeris | None:
        """What it asks for, if it is of bodies."""
        return None if self.target is None else ephemeris_of_names(self.archive, self.dataset, self.parameter)


def _with_both_forms(given: Any) -> Any:
    """An ephemeris with its keys and the names that they mean; all else as it is."""
    if not isinstance(given, Mapping) or not isinstance(archive := given.get("archive"), str):
        return given
    keys = [key for key in _OF_BODIES if given.get(key) is not None]
    if not keys and not _names_bodies(archive, given):
        return given
    if keys == ["frame"] and given.get("dataset") is not None and not _names_bodies(archive, given):
        fault = "frame belongs to an ephemeris, or to a file of your own"
        raise ValueError(f"{fault}: an archive's dataset says its own. Remove frame")
    if archive not in ARCHIVES_WITH_EPHEMERIDES:
        raise ValueError(f"{keys[0]} belongs to an ephemeris. Write archive: spice, or demo for its made-up spacecraft")
    if keys and given.get("dataset") is None:
        return {**given, **_forms(_of_keys(archive, given))}
    found = _of_names(archive, str(given.get("dataset")), str(given.get("parameter")))
    if any(given[key] != value for key, value in _forms(found).items() if key in keys and key in ("target", "observer")):
        raise ValueError("dataset and target say different things. Write only the target")
    return {**given, **_forms(found)}


def _of_files(given: Mapping[str, Any], read: ModelWrapValidatorHandler[Fetch]) -> Fetch:
    """Files of one's own, under the names that their description means."""
    extra = [name for name in (*_OF_ARCHIVE, "target", "observer", "cadence", "unit") if name in given]
    if extra:
        raise ValueError(f"a fetch has a file or an archive, not both. Remove {' and '.join(extra)}, or file")
    found = read({**given, "archive": OWN_ARCHIVE, "dataset": "file", "parameter": "values"})
    if found.time is None or not found.columns:
        missing = "time" if found.time is None else "columns"
        raise ValueError(f"the key '{missing}' is missing. `helio add {found.file}` proposes a description of the file")
    dataset, parameter = own_names(found)
    return found.model_copy(update={"dataset": dataset, "parameter": parameter})


def _names_bodies(archive: str, given: Mapping[str, Any]) -> bool:
    dataset = given.get("dataset")
    return archive in ARCHIVES_WITH_EPHEMERIDES and (archive == "spice" or is_ephemeris(archive, str(dataset)))


def _of_keys(archive: str, given: Mapping[str, Any]) -> Ephemeris:
    for key, example in (("target", "PSP"), ("observer", "SUN"), ("cadence", "PT1M")):
        if given.get(key) is None and not (key == "observer" and given.get("parameter") == "attitude"):
            raise ValueError(f"the key {key!r} of the ephemeris is missing. Add {key}: {example}")
    try:
        cadence = _DURATION.validate_python(given["cadence"])
    except ValidationError:
        raise ValueError(f"cadence: {str(given['cadence'])[:40]!r} is not an ISO 8601 duration. Write PT1M") from None
    try:
        return ephemeris_of_keys(
            archive,
            target=str(given["target"]),
            observer=None if given.get("observer") is None else str(given["observer"]),
            cadence=cadence,
            quantity=given.get("parameter"),
            frame=given.get("frame"),
            unit=given.get("unit"),
        )
    except InputError as error:
        raise ValueError(f"{error.problem}. {error.hint}") from None


def _of_names(archive: str, dataset: str, parameter: str) -> Ephemeris:
    try:
        return ephemeris_of_names(archive, dataset, parameter)
    except InputError as error:
        raise ValueError(f"{error.problem}. {error.hint}") from None


def _forms(found: Ephemeris) -> dict[str, Any]:
    return {
        "dataset": found.dataset,
        "parameter": found.parameter,
        "target": found.target_text,
        "observer": found.observer.name if found.observer else None,
        "frame": found.frame,
        "cadence": found.cadence,
        "unit": "au" if found.unit == "au" else None,
    }
