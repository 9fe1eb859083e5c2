"""Parameters of a product: which table has them, and which of its fields they are."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches

from helio_dagster.archives.pds.layout import LabelledField, LabelledTable, Product
from helio_dagster.domain.errors import InputError, UnknownDataset

_MOST_NAMED = 12


@dataclass(frozen=True)
class Chosen:
    """A table, and the fields of it that a parameter means, in order."""

    table: LabelledTable
    fields: tuple[LabelledField, ...]


def find_parameter(product: Product, parameter: str) -> Chosen:
    """The table and fields of a parameter: a field's name, or several joined with commas (`BX,BY,BZ`).

    Of two fields of one name the second is called `NAME#2`. The first table that has all fields counts.

    Raises
    ------
    UnknownDataset
        No table has them; the hint offers near names.
    InputError
        They are not numbers.
    """
    for table in product.tables:
        fields = by_name(table)
        names = [parameter] if parameter in fields else [name.strip() for name in parameter.split(",")]
        if all(name in fields for name in names):
            return _checked(Chosen(table, tuple(fields[name] for name in names)), parameter)
    if product.problem:
        raise InputError(f"{product.id or 'the product'} cannot be read: {product.problem}", hint="Choose another dataset.")
    known = list(dict.fromkeys(name for table in product.tables for name in by_name(table)))
    near = get_close_matches(parameter, known, n=5, cutoff=0.5)
    some = ", ".join(known[:_MOST_NAMED]) + (f" and {len(known) - _MOST_NAMED} more" if len(known) > _MOST_NAMED else "")
    hint = f"Did you mean {', '.join(near)}?" if near else f"It has {some}."
    raise UnknownDataset(f"there is no parameter {parameter[:120]}", hint=hint)


def by_name(table: LabelledTable) -> dict[str, LabelledField]:
    """A table's fields by name; a repeated one with its number."""
    return dict(_numbered(table.fields))


def _numbered(fields: Iterable[LabelledField]) -> Iterable[tuple[str, LabelledField]]:
    seen: dict[str, int] = {}
    for field in fields:
        seen[field.name] = seen.get(field.name, 0) + 1
        yield (field.name if seen[field.name] == 1 else f"{field.name}#{seen[field.name]}"), field


def _checked(chosen: Chosen, parameter: str) -> Chosen:
    for field in chosen.fields:
        if field.kind != "number":
            what = f"of the type {field.type}, which is not read" if field.kind == "unread" else "text or a time, not a number"
            raise InputError(f"{parameter[:120]} cannot be fetched: {field.name!r} is {what}", hint="Choose another parameter.")
    if len(chosen.fields) > 1 and any(field.items > 1 for field in chosen.fields):
        raise InputError(
            f"{parameter[:120]} cannot be fetched: only fields of one number each are joined",
            hint="Fetch the field with several items by itself.",
        )
    units = {field.unit for field in chosen.fields}
    if len(units) > 1:
        raise InputError(
            f"{parameter[:120]} cannot be fetched: its fields have the units {', '.join(sorted(units))}",
            hint="Fetch each by itself.",
        )
    return chosen
