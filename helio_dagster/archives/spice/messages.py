"""What the reader of kernels and its worker process say to each other. Decides nothing."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from helio_dagster.archives.cdf.messages import ReadInto, TableReply, read_arrays, read_text
from helio_dagster.domain.table import Table, TableMeta

KernelKind = Literal["lsk", "pck", "fk", "sclk", "spk", "ck"]
BINARY: tuple[KernelKind, ...] = ("spk", "ck")
"""Kernels that hold what was where or how it was turned, over some time."""
OF_PLACES: tuple[KernelKind, ...] = ("lsk", "pck", "spk")
OF_ATTITUDES: tuple[KernelKind, ...] = ("lsk", "fk", "sclk", "ck")
"""What positions, and attitudes, are evaluated from."""
Quality = Literal["reconstructed", "predicted"]
Cause = Literal["absent", "corrupt", "uncovered", "contradiction", "old_leap_seconds", "unfit"]


class _Message(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Kernel(_Message):
    """A kernel on this disk: its name at the archive, its kind, and whether what it holds is reconstructed or predicted."""

    path: str
    name: str
    kind: KernelKind
    quality: Quality


class Evaluate(_Message):
    """Evaluate one quantity at the multiples of a cadence in `[start_ns, stop_ns)`, ns since 1970 UTC.

    `kernels` are in order of loading: of two that hold the same body and time, the later one counts. `bodies` are NAIF ids:
    target, observer, and the second target of a separation; the spacecraft alone for an attitude, whose axes `axes` names as
    SPICE does. `frame` is that of the result, `meta` what its table is like.
    """

    task: Literal["evaluate"] = "evaluate"
    kernels: tuple[Kernel, ...]
    bodies: tuple[int, ...]
    names: dict[int, str]
    quantity: Literal["position", "velocity", "distance", "light_time", "separation", "attitude"]
    frame: str | None
    axes: str = ""
    in_au: bool
    cadence_ns: int
    start_ns: int
    stop_ns: int
    meta: TableMeta


class Cover(_Message):
    """Say which bodies each binary kernel holds, and over which time; of one of attitudes the ids of the turned structures."""

    task: Literal["cover"] = "cover"
    kernels: tuple[Kernel, ...]


Request = Annotated[Evaluate | Cover, Field(discriminator="task")]
REQUESTS: TypeAdapter[Evaluate | Cover] = TypeAdapter(Request)


class Covered(_Message):
    """That a kernel holds a body over `[start_ns, stop_ns]`, UTC."""

    kernel: str
    body: int
    start_ns: int
    stop_ns: int


class CoverReply(_Message):
    """What kernels hold."""

    answer: Literal["cover"] = "cover"
    covered: tuple[Covered, ...]


class ErrorReply(_Message):
    """Why there is no table; `path` names the kernel where one is at fault."""

    answer: Literal["error"] = "error"
    cause: Cause
    problem: str
    hint: str = ""
    path: str = ""


Reply = TableReply | CoverReply | ErrorReply
Answer = Table | CoverReply | ErrorReply
_REPLIES: TypeAdapter[Reply] = TypeAdapter(Annotated[Reply, Field(discriminator="answer")])


def read_answer(read_into: ReadInto) -> Answer:
    """Receive one reply, with its arrays where it is a table."""
    reply = _REPLIES.validate_json(read_text(read_into))
    return read_arrays(reply, read_into) if isinstance(reply, TableReply) else reply
