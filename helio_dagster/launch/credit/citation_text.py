"""A citation as people read it, line by line."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from helio_dagster.launch.credit.citation import Citation, DatasetCredit

_WIDTH = 80
_KERNELS = ("bsp", "tls", "tpc")


def lines_of(citation: Citation, *, is_verbose: bool = False) -> Iterator[str]:
    """Datasets with investigators, DOIs and acknowledgements, then archives, tables, formulas and software."""
    asked = f", {citation.start} to {citation.stop}" if citation.start else ""
    yield f"What to cite for {citation.pipeline}{asked}"
    for dataset in citation.datasets:
        yield ""
        yield from _dataset_lines(dataset, is_verbose=is_verbose)
    for title, rows in (
        ("Archives", citation.archives.items()),
        ("Tables", [(table.step, table.source) for table in citation.tables]),
        ("Formulas", [(each.operation, each.reference) for each in citation.operations]),
        ("Software", [(citation.software["name"], f"version {citation.software['version']}")]),
    ):
        if rows:
            yield from ("", title)
            for name, text in rows:
                yield from _fact(name, text)


def _dataset_lines(dataset: DatasetCredit, *, is_verbose: bool) -> Iterator[str]:
    title = (dataset.credits[0].title if dataset.credits else "") or dataset.label
    yield f"{dataset.dataset} ({dataset.archive})" + (f": {title}" if title else "")
    if dataset.maturity:
        some = f" in {dataset.marked} of {dataset.partitions} partitions" if 0 < dataset.marked < dataset.partitions else ""
        yield from _fact("maturity", f"{dataset.maturity} data{some}, which are not definitive: say so where you show them")
    for credit in [] if dataset.is_synthetic else dataset.credits:
        if len(dataset.credits) > 1:
            yield from _fact("according to", f"{credit.files} of its files")
        who = ", ".join(part for part in (credit.pi, credit.affiliation) if part)
        yield from _fact("investigator", who or "not named in the files")
        yield from _fact("DOI", _doi(credit.doi, dataset.catalog_doi))
        yield from _fact("acknowledgement", credit.acknowledgement or "not given in the files")
        if credit.rules_of_use:
            yield from _fact("rules of use", credit.rules_of_use)
        if is_verbose and credit.text:
            yield from _fact("about", credit.text)
    if not dataset.credits and dataset.catalog_doi:
        yield from _fact("DOI", _doi("", dataset.catalog_doi))
    names = [file["name"] for file in dataset.files]
    if names and all(name.rpartition(".")[2] in _KERNELS for name in names):
        yield from _fact("kernels", ", ".join(names))
    elif names:
        span = names[0] if len(names) == 1 else f"{len(names)}, {names[0]} to {names[-1]}"
        yield from _fact("files", span)
    if dataset.versions:
        yield from _fact("data version", ", ".join(dataset.versions))
    if dataset.unknown:
        yield from _fact("not known", dataset.unknown)


def _doi(of_files: str, of_catalog: str) -> str:
    if of_files:
        return f"https://doi.org/{of_files}"
    return f"https://doi.org/{of_catalog} (from the catalog)" if of_catalog else "not given in the files or the catalog"


def _fact(name: str, text: str) -> Iterator[str]:
    from textwrap import wrap

    yield from wrap(
        text,
        _WIDTH,
        initial_indent=f"  {name:15} ",
        subsequent_indent=" " * 18,
        break_long_words=False,
        break_on_hyphens=False,
    )
