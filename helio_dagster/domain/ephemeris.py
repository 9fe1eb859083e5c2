"""What an ephemeris is asked for: bodies, quantity, frame, cadence; its names as an archive's dataset and parameter.

`PSP-SUN` is the dataset of Parker Solar Probe as seen from the Sun, `position_HCI_PT1M` one of its parameters. How a spacecraft
is turned has no observer: `PSP` is the dataset, `attitude_J2000_PT1S` its parameter.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal, get_args

from helio_dagster.domain.bodies import Body, bodies_of_archive, find_body
from helio_dagster.domain.did_you_mean import remedy
from helio_dagster.domain.errors import InputError, UnknownDataset
from helio_dagster.domain.table import ColumnMeta, TableMeta
from helio_dagster.domain.time_range import format_duration, parse_duration

SPICE_ARCHIVE = "spice"
ARCHIVES_WITH_EPHEMERIDES = (SPICE_ARCHIVE, "demo")

Quantity = Literal["position", "velocity", "distance", "light_time", "separation", "attitude"]
LengthUnit = Literal["km", "au"]
QUANTITIES: tuple[Quantity, ...] = get_args(Quantity)

FRAMES = ("J2000", "GSE", "HAE", "HCI", "HEE", "HEEQ", "Carrington")
"""Frames that a position can be given in. transform_frame brings it to others."""
ATTITUDE_FRAME = "J2000"
"""Frame from which an attitude turns vectors into the axes of the spacecraft."""
AXES_OF_SPACECRAFT = "SPACECRAFT_AXES"
"""Attribute of an attitude's table: SPICE's name of the axes of the spacecraft."""
_ORIGINS = {"J2000": "EARTH", "GSE": "EARTH", "HAE": "SUN", "HCI": "SUN", "HEE": "SUN", "HEEQ": "SUN", "Carrington": "SUN"}
_SEPARATION = re.compile(r"separation\(\s*([^,()]+?)\s*,\s*([^,()]+?)\s*\)", re.IGNORECASE)
_DATASET = re.compile(r"[A-Z0-9_]+(-[A-Z0-9_]+){0,2}")
_PARAMETER = re.compile(rf"({'|'.join(QUANTITIES)})(?:_({'|'.join(FRAMES)}))?_(P[0-9DTHMS.]+?)(_au)?")
_DAY = timedelta(days=1)
_UNITS = {"velocity": "km/s", "light_time": "s", "separation": "deg"}
_WORDS = {"light_time": "light time"}


@dataclass(frozen=True)
class Ephemeris:
    """One quantity of a body seen from another, at the multiples of a cadence since 1970-01-01 UTC.

    `other` is the second body of a separation, which is seen from the observer. A quantity without direction has no frame, an
    attitude no observer.
    """

    target: Body
    observer: Body | None
    quantity: Quantity
    cadence: timedelta
    frame: str | None = None
    unit: LengthUnit = "km"
    other: Body | None = None

    @property
    def bodies(self) -> tuple[Body, ...]:
        """All bodies whose positions are needed, but for those that a frame needs."""
        return tuple(body for body in (self.target, self.other, self.observer) if body is not None)

    @property
    def dataset(self) -> str:
        """The bodies, as the archive's dataset: `PSP-SUN`, `PSP-EARTH-SUN` for a separation."""
        return "-".join(body.name for body in self.bodies)

    @property
    def parameter(self) -> str:
        """The rest, as the dataset's parameter: `position_HCI_PT1M`."""
        parts = (self.quantity, self.frame, format_duration(self.cadence), "au" if self.unit == "au" else None)
        return "_".join(part for part in parts if part)

    @property
    def target_text(self) -> str:
        """The target as a pipeline's file gives it."""
        return f"separation({self.target.name}, {self.other.name})" if self.other else self.target.name

    @property
    def label(self) -> str:
        """What it is, for people."""
        word = _WORDS.get(self.quantity, self.quantity)
        if self.other is not None:
            return f"{self.target.label}-{self.other.label} {word} from {self.observer.label if self.observer else ''}"
        return f"{self.target.label} {word}"

    @property
    def meta(self) -> TableMeta:
        """What its tables are like.

        An attitude is the unit quaternion `q0 + q1 i + q2 j + q3 k`, q0 not negative, of SPICE's kind: its matrix turns the
        components of a vector in J2000 into those along the axes of the spacecraft.
        """
        if self.quantity == "attitude":
            return self._attitude_meta
        unit = _UNITS.get(self.quantity, self.unit)
        names: tuple[str, ...]
        if self.quantity in ("position", "velocity"):
            names = ("x", "y", "z") if self.quantity == "position" else ("vx", "vy", "vz")
            labels = [f"{name[:-1].upper()}{name[-1].upper()} {self.frame}" for name in names]
            kind: Literal["vector", "series"] = "vector"
        else:
            names, labels, kind = (self.quantity,), [self.label], "series"
        columns = tuple(ColumnMeta(name=name, label=label, unit=unit) for name, label in zip(names, labels, strict=True))
        return TableMeta(
            kind=kind,
            columns=columns,
            label=self.label,
            unit=unit,
            frame=self._frame_and_origin,
            synthetic=any(body.is_made_up for body in self.bodies),
        )

    @property
    def _attitude_meta(self) -> TableMeta:
        columns = tuple(ColumnMeta(name=f"q{place}", label=f"q{place} {self.target.axes}") for place in range(4))
        return TableMeta(
            kind="vector",
            columns=columns,
            label=self.label,
            frame=ATTITUDE_FRAME,
            synthetic=self.target.is_made_up,
            attributes={AXES_OF_SPACECRAFT: self.target.axes},
        )

    @property
    def _frame_and_origin(self) -> str | None:
        """The frame; with the observer where that is not the frame's usual origin, so that nobody takes it for one."""
        if self.frame is None or self.observer is None or _ORIGINS[self.frame] == self.observer.name:
            return self.frame
        return f"{self.frame}@{self.observer.name}"


def is_ephemeris(archive: str, dataset: str) -> bool:
    """Whether a dataset of an archive is one of bodies."""
    if archive not in ARCHIVES_WITH_EPHEMERIDES or archive == SPICE_ARCHIVE:
        return archive == SPICE_ARCHIVE
    try:
        return bool(_DATASET.fullmatch(dataset) and bodies_of_dataset(archive, dataset))
    except UnknownDataset:
        return False


def ephemeris_of_keys(
    archive: str,
    *,
    target: str,
    observer: str | None,
    cadence: timedelta,
    quantity: str | None = None,
    frame: str | None = None,
    unit: LengthUnit | None = None,
) -> Ephemeris:
    """The ephemeris that the keys of a pipeline's file mean.

    Raises
    ------
    InputError
        They do not fit together.
    UnknownDataset
        A body is not known.
    """
    pair = _SEPARATION.fullmatch(target.strip())
    names = pair.groups() if pair else (target,)
    chosen = quantity or ("separation" if pair else "position")
    if chosen not in QUANTITIES:
        hint = remedy(chosen, QUANTITIES, what="Quantities")
        raise InputError(f"an ephemeris has no parameter {chosen!r}", hint=hint)
    if chosen == "attitude":
        _check_attitude_keys(observer=observer, frame=frame, unit=unit)
        return Ephemeris(_with_attitude(archive, target), None, chosen, _checked_cadence(cadence), ATTITUDE_FRAME)
    if observer is None:
        raise InputError("an ephemeris needs an observer", hint="Write observer: SUN, or the body that it is seen from.")
    found, seen_from = [_body(archive, name) for name in names], _body(archive, observer)
    if (chosen == "separation") != (pair is not None):
        raise InputError("a separation is of two bodies", hint="Write target: separation(PSP, EARTH), without a parameter.")
    if len({body.name for body in (*found, seen_from)}) < len(found) + 1:
        twice = "target and observer are the same body" if not pair else "a separation needs three different bodies"
        raise InputError(twice, hint="Seen from itself a body has no position: choose another observer.")
    if unit == "au" and chosen not in ("position", "distance"):
        raise InputError(f"a {_WORDS.get(chosen, chosen)} is not given in au", hint="Leave out unit.")
    return Ephemeris(
        target=found[0],
        observer=seen_from,
        quantity=chosen,
        cadence=_checked_cadence(cadence),
        frame=_checked_frame(frame, chosen),
        unit=unit or "km",
        other=found[1] if pair else None,
    )


def ephemeris_of_names(archive: str, dataset: str, parameter: str) -> Ephemeris:
    """The ephemeris that a dataset and a parameter name; the inverse of `Ephemeris.dataset` and `.parameter`.

    Raises
    ------
    UnknownDataset
        They name none.
    """
    named, asked = _DATASET.fullmatch(dataset), _PARAMETER.fullmatch(parameter)
    if named is None or asked is None:
        hint = "Write target, observer, frame and cadence in place of dataset and parameter."
        raise UnknownDataset(f"{dataset[:80]!r} {parameter[:80]!r} is not an ephemeris", hint=hint)
    first, *others = dataset.split("-")
    quantity, frame, cadence, au = asked.groups()
    targets, observer = [first, *others[:-1]], others[-1] if others else None
    try:
        return ephemeris_of_keys(
            archive,
            target=f"separation({targets[0]}, {targets[1]})" if len(targets) == 2 else targets[0],
            observer=observer,
            cadence=parse_duration(cadence),
            quantity=quantity,
            frame=frame,
            unit="au" if au else None,
        )
    except UnknownDataset:
        raise
    except InputError as error:
        raise UnknownDataset(error.problem, hint=error.hint) from error


def bodies_of_dataset(archive: str, dataset: str) -> tuple[Body, ...]:
    """The bodies that a dataset names; UnknownDataset where they are not known."""
    return tuple(_body(archive, name) for name in dataset.split("-"))


def label_of_dataset(archive: str, dataset: str) -> str:
    """A dataset of bodies for people: `Parker Solar Probe from Sun`."""
    first, *others = [body.label for body in bodies_of_dataset(archive, dataset)]
    return f"{' and '.join([first, *others[:-1]])} from {others[-1]}" if others else f"{first} attitude"


def is_attitude(dataset: str) -> bool:
    """Whether a dataset of bodies is of how one spacecraft is turned."""
    return "-" not in dataset


def start_of_dataset(archive: str, dataset: str) -> datetime | None:
    """Where the orbits of all its bodies have begun; None for bodies that have always been there, or are not known."""
    try:
        starts = [body.start for body in bodies_of_dataset(archive, dataset)]
    except UnknownDataset:
        return None
    return max((start for start in starts if start is not None), default=None)


def _body(archive: str, name: str) -> Body:
    return find_body(name, of_demo=archive != SPICE_ARCHIVE)


def _check_attitude_keys(*, observer: str | None, frame: str | None, unit: str | None) -> None:
    if observer is not None:
        raise InputError("an attitude has no observer", hint="Leave out observer.")
    if unit is not None:
        raise InputError("an attitude has no unit", hint="Leave out unit.")
    if frame is not None and frame.upper() != ATTITUDE_FRAME:
        hint = f"Leave out frame: transform_frame, with the attitude as an input, goes on from {ATTITUDE_FRAME} to others."
        raise InputError(f"an attitude is given in {ATTITUDE_FRAME}, not in {frame[:40]!r}", hint=hint)


def _with_attitude(archive: str, name: str) -> Body:
    body = _body(archive, name)
    if not body.axes:
        known = [each.name for each in bodies_of_archive(of_demo=archive != SPICE_ARCHIVE) if each.axes]
        hint = f"Attitudes are known of {', '.join(known)}."
        raise UnknownDataset(f"no kernels of the attitude of {body.name} are known", hint=hint)
    return body


def _checked_cadence(cadence: timedelta) -> timedelta:
    if cadence < timedelta(seconds=1) or _DAY % cadence:
        hint = "Write PT1M, or another length from PT1S to P1D that divides a day evenly."
        raise InputError(f"{format_duration(cadence)} is not a cadence of positions", hint=hint)
    return cadence


def _checked_frame(frame: str | None, quantity: Quantity) -> str | None:
    if quantity not in ("position", "velocity"):
        if frame is not None:
            word = _WORDS.get(quantity, quantity)
            raise InputError(f"a {word} has no frame", hint="Leave out frame, or ask for the position.")
        return None
    if frame is None:
        raise InputError(f"a {quantity} needs a frame", hint=f"Write frame: HCI, or another of {', '.join(FRAMES)}.")
    named = next((known for known in FRAMES if known.upper() == frame.upper()), None)
    if named is None:
        hint = f"{remedy(frame.upper(), FRAMES, what='Frames')} The operation transform_frame brings a position to others."
        raise InputError(f"positions are not given in the frame {frame[:40]!r}", hint=hint)
    return named
