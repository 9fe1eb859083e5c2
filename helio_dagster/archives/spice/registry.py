"""The registry of kernels: which folder of which server holds those of a body, and what their names say. Asks no server."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from helio_dagster.archives.files.selection import ListedFile, split_version
from helio_dagster.archives.spice.messages import KernelKind, Quality
from helio_dagster.domain.time_range import EARLIEST, LATEST

_FILE = Path(__file__).with_name("kernels.toml")
_FORMS = {8: "%Y%m%d", 6: "%y%m%d"}


class KernelSource(BaseModel):
    """Kernels of one kind in one folder; `*` in `bodies` stands for every body. A folder of the demo's is empty."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    kind: KernelKind
    bodies: tuple[str, ...]
    file: str
    quality: Quality = "reconstructed"
    folder: str = ""

    def serves(self, bodies: Iterable[str]) -> bool:
        """Whether an ephemeris of these bodies needs its kernels."""
        return "*" in self.bodies or any(body in self.bodies for body in bodies)

    def kernel(self, file: ListedFile) -> ListedKernel:
        """One of its files with what the registry says of it; its name holds the version where nothing else says it."""
        logical, version = split_version(file.name)
        match = None if "{body}" in self.file else re.fullmatch(self.file, file.name)
        if match is not None and "version" in match.groupdict():
            place, found = match.span("version"), match["version"]
            logical, version = (file.name[: place[0]] + file.name[place[1] :]).casefold(), (int(found),)
        return ListedKernel(file, self.kind, self.quality, logical, version)

    def span(self, name: str, bodies: Iterable[str]) -> tuple[datetime, datetime] | None:
        """The time that a file covers by its name; None where it is none of these kernels, or of other bodies."""
        own = [body for body in bodies if body in self.bodies]
        pattern = self.file.replace("{body}", f"({'|'.join(own)})")
        match = re.fullmatch(pattern, name, re.IGNORECASE if "{body}" in self.file else 0)
        if match is None:
            return None
        found = match.groupdict()
        try:
            start = _day(found["start"]) if found.get("start") else EARLIEST
            stop = _day(found["stop"]) + timedelta(days=1) if found.get("stop") else LATEST
        except ValueError:
            return None
        return start, stop


@dataclass(frozen=True)
class ListedKernel:
    """A kernel as an archive lists it, and what the registry says of it; of one logical name the highest version counts."""

    file: ListedFile
    kind: KernelKind
    quality: Quality
    logical: str
    version: tuple[int, ...]


@cache
def sources(section: str) -> tuple[KernelSource, ...]:
    """The sources of `kernels`, or of the `demo` archive, in order of loading."""
    return tuple(KernelSource.model_validate(each) for each in tomllib.loads(_FILE.read_text(encoding="utf-8"))[section])


def _day(text: str) -> datetime:
    form = "%Y_%j" if "_" in text else _FORMS[len(text)]
    return datetime.strptime(text, form).replace(tzinfo=UTC)
