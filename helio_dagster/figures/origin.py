"""What a picture says of itself inside its file: which pipeline made it over which range, so that it can be made again."""

from __future__ import annotations

import re
from collections.abc import Iterable
from html import unescape
from io import BytesIO
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from helio_dagster.domain.errors import InputError
from helio_dagster.domain.pipeline_fields import Name

_TEXTS = (b"tEXt", b"iTXt", b"zTXt")
"""What a PNG calls its parts of text."""
_MOST_BYTES = 200 * 2**20
_KEY = "helio_dagster"
_SVG = re.compile(rb"<dc:description>(\{.*?\})</dc:description>", re.DOTALL)
_PDF = re.compile(rb"/Keywords \((\{(?:[^\\()]|\\.)*\})\)", re.DOTALL)
_PDF_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_PDF_LETTERS = {"n": "\n", "r": "\r", "t": "\t"}

Line = Annotated[str, Field(max_length=2_000)]
Moment = Annotated[str, Field(pattern=r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$")]


class DatasetOrigin(BaseModel):
    """A dataset behind a figure; `versions` are those of its files, as their names say."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    archive: Line
    dataset: Line
    parameters: Annotated[list[Line], Field(max_length=1_000)] = []
    versions: Annotated[list[Line], Field(max_length=1_000)] = []
    doi: Line = ""

    def words(self) -> str:
        """The dataset in a line."""
        version = f" {', '.join(self.versions)}" if self.versions else ""
        return f"{self.dataset}{version} ({self.archive}{f'; doi:{self.doi}' if self.doi else ''})"


class FigureOrigin(BaseModel):
    """How a figure was made. `pipeline_file` is the whole pipeline; `start` and `stop` are ISO times, UTC."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    made_by: Line
    pipeline: Name
    pipeline_sha: Line
    step: Name
    start: Moment
    stop: Moment
    event: Line = ""
    datasets: Annotated[list[DatasetOrigin], Field(max_length=1_000)] = []
    pipeline_file: Annotated[str, Field(max_length=2_000_000)] = ""

    def footer(self) -> str:
        """Lines for the foot of a figure."""
        data = "; ".join(each.words() for each in self.datasets)
        made = f"{self.made_by}, pipeline {self.pipeline} {self.pipeline_sha[:12]}, {self.start} to {self.stop} UTC"
        return f"Data: {data}\n{made}" if data else made

    def entries(self, form: str, title: str) -> dict[str, str]:
        """Key to text, as a `png`, `pdf` or `svg` holds what it says of itself. Letters outside ASCII are escaped."""
        text = _ascii(self.model_dump_json(exclude_defaults=True))
        if form == "png":
            return {"Title": title, "Software": self.made_by, _KEY: text}
        if form == "pdf":
            return {"Title": title, "Creator": self.made_by, "Keywords": text}
        return {"Title": title, "Creator": self.made_by, "Description": text}


def read_origin(path: Path) -> FigureOrigin:
    """What a picture says of itself.

    Raises
    ------
    InputError
        The file cannot be read, is not a PNG, PDF or SVG, or does not say how it was made.
    """
    try:
        if path.stat().st_size > _MOST_BYTES:
            raise InputError(f"{path} is too large for a figure", hint="Give a PNG, PDF or SVG of a figure.")
        content = path.read_bytes()
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror or error}", hint="Check the path.") from error
    text = next(filter(None, _texts(content)), "")
    try:
        return FigureOrigin.model_validate_json(text)
    except ValidationError:
        raise InputError(
            f"{path} does not say how it was made",
            hint="helio_dagster's PNG, PDF and SVG files do; an editor or a web site may have taken it out.",
        ) from None


def versions_of(file_names: Iterable[str]) -> list[str]:
    """The versions of archive files as their names give them: `v07` of `ac_h0_mfi_20230102_v07.cdf`; sorted, each once."""
    found = (re.search(r"_(v[\d.]*\d)\.\w+$", name, re.IGNORECASE) for name in file_names)
    return sorted({match[1].lower() for match in found if match})


def _texts(content: bytes) -> Iterable[str]:
    if content.startswith(b"\x89PNG"):
        yield _png_text(content)
    elif content.startswith(b"%PDF"):
        yield from (_PDF_ESCAPE.sub(_unescaped, found.decode("latin-1")) for found in _PDF.findall(content))
    else:
        yield from (unescape(found.decode("utf-8", "replace")) for found in _SVG.findall(content))


def without_texts(png: bytes) -> bytes:
    """A PNG without its text chunks; anything else unchanged."""
    at, kept = 8, [png[:8]]
    while png.startswith(b"\x89PNG") and at + 12 <= len(png):
        length = int.from_bytes(png[at : at + 4], "big") + 12
        if png[at + 4 : at + 8] not in _TEXTS:
            kept.append(png[at : at + length])
        at += length
    return b"".join([*kept, png[at:]]) if png.startswith(b"\x89PNG") else png


def _png_text(content: bytes) -> str:
    from PIL import Image

    try:
        with Image.open(BytesIO(content), formats=["PNG"]) as picture:
            return str(getattr(picture, "text", {}).get(_KEY, ""))
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError):
        return ""


def _unescaped(found: re.Match[str]) -> str:
    return _PDF_LETTERS.get(found[1], found[1])


def _ascii(text: str) -> str:
    """Letters outside ASCII as JSON escapes them."""
    return "".join(letter if letter.isascii() else _escaped(letter) for letter in text)


def _escaped(letter: str) -> str:
    units = letter.encode("utf-16-be")
    return "".join(f"\\u{units[at]:02x}{units[at + 1]:02x}" for at in range(0, len(units), 2))
