"""What the catalog adds to datasets of the PDS: vectors out of their components, and which kind of files is meant."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from helio_dagster.archives.pds.frames import frame_of_fields
from helio_dagster.archives.pds.units import label_unit
from helio_dagster.catalog.deriving import find_display
from helio_dagster.catalog.facts import Derived, ParameterFacts

_AXES = (("X", "Y", "Z"), ("R", "T", "N"), ("R", "THETA", "PHI"), ("R", "TH", "PH"))
_OF_VECTORS = ("magnetic field", "electric field", "velocity", "position")
_USUAL_KINDS = {
    "pds3:JNO-J-3-FGM-CAL-V1.0:DATA": "pc_r1s",
    "urn:nasa:pds:maven.mag.calibrated:data.pc": "pc1s",
    "urn:nasa:pds:maven.mag.calibrated:data.ss": "ss1s",
}
"""Of data sets that hold the same time in several kinds of files, the one with a record per second."""


def with_usual_kind(dataset: str) -> str:
    """A dataset's id with the kind of files that is usually meant, where the dataset has several and none is named."""
    kind = _USUAL_KINDS.get(dataset)
    return f"{dataset}@{kind}" if kind else dataset


def with_vectors(parameters: Sequence[ParameterFacts]) -> tuple[ParameterFacts, ...]:
    """The parameters, and before the first component of each vector the vector, named by its components (`BX,BY,BZ`).

    Units are read as those of labels, which are often written in capitals.
    """
    return tuple(_joined([_as_labelled(one) for one in parameters]))


def _as_labelled(one: ParameterFacts) -> ParameterFacts:
    """With its unit; a field that is called a vector has items that the catalog does not count, and is no single number."""
    is_whole = "VECTOR" in one.name.upper() and not one.size
    return replace(one, unit=label_unit(one.given_unit), quantity=None if is_whole else one.quantity)


def _joined(parameters: Sequence[ParameterFacts]) -> Iterator[ParameterFacts]:
    known = {one.name for one in parameters}
    for place, one in enumerate(parameters):
        three = parameters[place : place + 3]
        vector = _vector(three) if len(three) == 3 else None
        if vector is not None and vector.name not in known:
            yield vector
        yield one


def _vector(three: Sequence[ParameterFacts]) -> ParameterFacts | None:
    """The vector whose components three parameters in a row are; None where they are none."""
    first = three[0]
    is_alike = all(one.size == () and one.unit == first.unit and one.given_unit == first.given_unit for one in three)
    if not is_alike or not _are_axes([one.name for one in three]):
        return None
    quantities = {one.quantity.value for one in three if one.quantity is not None}
    quantity = first.quantity
    if quantity is None or quantities != {quantity.value} or quantity.value not in _OF_VECTORS:
        return None
    named = {one.frame.value if one.frame else None for one in three}
    by_fields = frame_of_fields((one.name, one.description) for one in three)
    frame = (
        first.frame if len(named) == 1 and first.frame else Derived(by_fields, "description", "likely") if by_fields else None
    )
    return replace(
        first,
        name=",".join(one.name for one in three),
        description=f"Vector of {first.description}",
        size=(3,),
        frame=frame,
        display=find_display((3,), quantity.value, ""),
    )


def _are_axes(names: Sequence[str]) -> bool:
    """Whether names differ in nothing but the axis: `BX GSE`, `BY GSE`, `BZ GSE`; `B_R`, `B_THETA`, `B_PHI`."""
    for axes in _AXES:
        stems = [
            {name.upper()[: match.start(1)] + "*" + name.upper()[match.end(1) :] for match in _places(name.upper(), axis)}
            for name, axis in zip(names, axes, strict=True)
        ]
        if set.intersection(*stems):
            return True
    return False


def _places(name: str, axis: str) -> Iterator[re.Match[str]]:
    """Where an axis may stand in a name: after the first letter or letters of a quantity, or as a word of its own."""
    yield from re.finditer(rf"(?<![A-Z])(?:[BEVUW]|VEL|POS|SC|FIELD)?[_ ]?({axis})(?![A-Z]{{2}}|[A-Z]$)", name)
