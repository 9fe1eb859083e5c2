"""What is made when it is asked for: small copies of pictures, figures as SVG and PDF, results as CSV."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal

from helio_dagster.domain.errors import InputError
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.launch.web.listing import DrawnFigure, Listing, StoredResult, picture_tag
from helio_dagster.resources.workbench import Workbench
from helio_dagster.storage.atomic import write_bytes

_SMALL_BYTES = 90_000


def small_picture(listing: Listing, figure_name: str, width_px: int) -> bytes | None:
    """A copy of a figure's picture of about this width, made once for each picture; None where there is none."""
    from helio_dagster.figures.preview import small_copy

    picture = listing.files.picture_of(figure_name)
    if picture is None:
        return None
    tag = picture_tag(picture)
    kept = listing.files.small(figure_name, f"{tag}-{width_px}")
    if kept.is_file():
        return kept.read_bytes()
    content = small_copy(picture.read_bytes(), width_px=width_px, limit_bytes=_SMALL_BYTES)
    listing.files.forget_small(figure_name, but=tag)
    write_bytes(kept, content)
    return content


def printed(listing: Listing, figure: DrawnFigure, form: Literal["svg", "pdf"]) -> bytes:
    """The figure as `helio figure` writes it.

    Raises
    ------
    HelioError
        It cannot be drawn again.
    """
    from helio_dagster.launch.running.printing import print_stored

    if figure.node is None or figure.span is None or listing.graph is None:
        raise InputError(f"{figure.name} is of a step that is no longer there", hint="Its PNG and page are still there.")
    pipeline = listing.home.files[figure.pipeline].pipeline
    with Workbench(listing.settings) as workbench:
        return print_stored(listing.graph, pipeline, figure.node, figure.span, workbench, form).content


def csv(listing: Listing, result: StoredResult, key: str | None, span: TimeRange | None) -> bytes:
    """A partition of a result, or what it has in a range, as `helio export` writes it.

    Raises
    ------
    HelioError
        It is not stored, or damaged.
    """
    from helio_dagster.launch.exporting.csv_file import write_csv
    from helio_dagster.launch.exporting.export import export
    from helio_dagster.launch.exporting.targets import Target

    with TemporaryDirectory() as folder, Workbench(listing.settings) as workbench:
        path = Path(folder) / "result.csv"
        is_by_time = result.node is not None and result.node.grain is not None and not result.node.is_over_range
        if span is not None and is_by_time and result.node is not None and listing.graph is not None:
            export(listing.graph, result.node, span, Target(path, "csv"), workbench)
        else:
            write_csv(path, [listing.store.read(result.asset, key)])
        return path.read_bytes()


def asked_span(start: str, stop: str) -> TimeRange | None:
    """The range of a request; None where it gives none. ValueError where it is none."""
    if not start and not stop:
        return None
    moments = [datetime.fromisoformat(each) for each in (start, stop)]
    return TimeRange(*(each if each.tzinfo else each.replace(tzinfo=UTC) for each in moments))
