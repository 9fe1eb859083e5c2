"""What the reader of products and its worker process say to each other. Decides nothing."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from helio_dagster.archives.cdf.messages import ReadInto, TableReply, read_arrays, read_text
from helio_dagster.archives.pds.layout import Product
from helio_dagster.domain.table import Table


class _Message(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class ReadLabel(_Message):
    """Say what a label describes; `name` is what it is called at the archive."""

    task: Literal["label"] = "label"
    path: str
    name: str


class ReadTable(_Message):
    """Decode a parameter of a product's data file `path`, called `file` at the archive, by its label."""

    task: Literal["table"] = "table"
    label: str
    name: str
    path: str
    file: str
    parameter: str


Request = Annotated[ReadLabel | ReadTable, Field(discriminator="task")]
REQUESTS: TypeAdapter[ReadLabel | ReadTable] = TypeAdapter(Request)


class ProductReply(_Message):
    """What a label describes."""

    answer: Literal["product"] = "product"
    product: Product


class ErrorReply(_Message):
    """Why there is no answer: no such parameter, one that cannot be fetched, or a label or file that is wrong."""

    answer: Literal["error"] = "error"
    cause: Literal["unknown", "unfit", "corrupt"]
    problem: str
    hint: str = ""


Reply = TableReply | ProductReply | ErrorReply
Answer = Table | Product | ErrorReply
_REPLIES: TypeAdapter[Reply] = TypeAdapter(Annotated[Reply, Field(discriminator="answer")])


def read_answer(read_into: ReadInto) -> Answer:
    """Receive one reply, with its arrays where it is a table."""
    reply = _REPLIES.validate_json(read_text(read_into))
    if isinstance(reply, TableReply):
        return read_arrays(reply, read_into)
    return reply.product if isinstance(reply, ProductReply) else reply
