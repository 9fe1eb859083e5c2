"""What a master CDF says of its dataset: parameters, and whom to credit. A master is a data file without records.

It runs in the worker, on an opened file; what the words mean is the catalog's to derive.
"""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict

from helio_dagster.archives.cdf.credit import credit_from_attributes
from helio_dagster.archives.cdf.epochs import find_variable
from helio_dagster.archives.cdf.raw import RawFile, RawVariable


class _Value(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class MasterParameter(_Value):
    """A plottable parameter, in the file's own words; empty or None is not said.

    `size` counts a record's values along each axis; `display` is DISPLAY_TYPE with its options, `frame` the attribute made for
    the coordinate system.
    """

    name: str
    description: str = ""
    unit: str = ""
    size: tuple[int, ...] = ()
    kind: Literal["double", "integer"] = "double"
    fill: str | None = None
    depend_1: str | None = None
    display: str = ""
    frame: str = ""


class MasterDescription(_Value):
    """What a master says: its parameters in file order, its investigators, the terms of use, the time between records.

    `virtual` maps parameters, and `virtual_times` times, that no file stores to the function of the archive that computes them.
    """

    parameters: tuple[MasterParameter, ...]
    pi: str = ""
    doi: str = ""
    acknowledgement: str = ""
    rules_of_use: str = ""
    resolution: str = ""
    virtual: dict[str, str] = {}
    virtual_times: dict[str, str] = {}


def describe_master(file: RawFile) -> MasterDescription:
    """What an opened file says as a master; a data file says the same.

    Raises
    ------
    ValueError
        The file holds no variables, or the library found it damaged.
    """
    variables = [file.variable(name) for name in file.names]
    if not variables:
        raise ValueError("it holds no variables")
    given = {name: list(entries) for name, entries in file.global_texts().items()}
    credit = credit_from_attributes(given)
    resolution = next((entries for name, entries in given.items() if name.strip().casefold() == "time_resolution"), [])
    return MasterDescription(
        parameters=tuple(_parameter(file, variable) for variable in variables if _is_shown(variable)),
        pi=credit.pi,
        doi=credit.doi,
        acknowledgement=credit.acknowledgement,
        rules_of_use=credit.rules_of_use,
        resolution=" ".join(resolution).strip(),
        virtual={each.name: each.text("FUNCT") for each in variables if each.text("FUNCT") and _is_shown(each)},
        virtual_times={each.name: each.text("FUNCT") for each in variables if each.text("FUNCT") and each.is_time},
    )


def _is_shown(variable: RawVariable) -> bool:
    return variable.type == "number" and variable.text("VAR_TYPE").casefold() == "data"


def _parameter(file: RawFile, variable: RawVariable) -> MasterParameter:
    return MasterParameter(
        name=variable.name,
        description=variable.text("CATDESC") or variable.text("FIELDNAM"),
        unit=variable.text("UNITS") or _pointed_unit(file, variable),
        size=variable.shape,
        kind="integer" if variable.is_integer else "double",
        fill=_fill(variable),
        depend_1=variable.text("DEPEND_1") or None,
        display=variable.text("DISPLAY_TYPE"),
        frame=variable.text("COORDINATE_SYSTEM") or variable.text("TENSOR_FRAME"),
    )


def _pointed_unit(file: RawFile, variable: RawVariable) -> str:
    """The unit that `UNIT_PTR` names, where all values of a record have the same."""
    if not variable.text("UNIT_PTR"):
        return ""
    try:
        pointed = find_variable(file, variable.text("UNIT_PTR"))
    except ValueError:  # it names a variable that the file has not
        return ""
    units = {text.strip() for text in file.texts(pointed.name)} if pointed.type == "text" else set()
    return units.pop() if len(units) == 1 else ""


def _fill(variable: RawVariable) -> str | None:
    given = variable.attributes.get("FILLVAL")
    if isinstance(given, str):
        return given.strip() or None
    return str(given[0]) if given else None
