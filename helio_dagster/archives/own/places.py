"""Which files a described path means, and whether a pipeline may read them."""

from __future__ import annotations

import glob
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from helio_dagster.domain.errors import OwnFileError
from helio_dagster.domain.grain import Grain
from helio_dagster.domain.time_range import LATEST, TimeRange

MARGIN = timedelta(days=1)
"""How far the records of a file may lie outside the time that its name says."""
_FIELD = re.compile(r"\{(%[YmdjH])\}")
_DIGITS = {"%Y": 4, "%m": 2, "%d": 2, "%j": 3, "%H": 2}
_GRAINS = (("%H", Grain.HOURLY), ("%d", Grain.DAILY), ("%j", Grain.DAILY), ("%m", Grain.MONTHLY), ("%Y", Grain.YEARLY))


@dataclass(frozen=True, order=True)
class OwnFile:
    """A file: what it is called in listings, where it is, and the time that its name says; None where it says none."""

    name: str
    path: Path
    span: TimeRange | None


@dataclass(frozen=True)
class Places:
    """Where files of one's own may be.

    `folder` is that of the pipelines, which relative paths start from; `allowed` are further folders that a setting names, for
    files that a pipeline gives with their whole path. A link leads to where it points to.
    """

    folder: Path
    allowed: Sequence[Path] = ()

    def files(self, pattern: str) -> list[OwnFile]:
        """The files of a described path, in order of name.

        Raises
        ------
        OwnFileError
            There are none, or one is where the pipeline may not read.
        """
        whole = pattern if Path(pattern).is_absolute() else str(self.folder / pattern)
        if pattern.startswith("~"):
            whole = str(Path(pattern).expanduser())
        found = []
        start = "" if whole == pattern or pattern.startswith("~") else f"{self.folder}/"
        matches = _matcher(whole)
        for each in sorted(glob.glob(_glob_of(whole))):  # noqa: PTH207 - the pattern may be absolute
            named = matches.fullmatch(each)
            if named is None or not Path(each).is_file():
                continue
            self.require_allowed(Path(each), pattern)
            found.append(OwnFile(each.removeprefix(start), Path(each), _span(pattern, named, each)))
        if not found:
            self.require_allowed(Path(_glob_of(whole).split("*")[0]), pattern)
            hint = f"Put the file there, or correct `file:`. Paths start from the folder of pipelines, {self.folder}."
            raise OwnFileError(f"there is no file {pattern}", where=whole, hint=hint)
        return found

    def require_allowed(self, path: Path, pattern: str) -> None:
        """OwnFileError unless a pipeline may read the file."""
        real = path.resolve()
        if any(real.is_relative_to(folder.resolve()) for folder in (self.folder, *self.allowed)):
            return
        hint = (
            f"Move it below {self.folder}, or name its folder in the setting HELIO_OWN_FILES if pipelines may read all of it."
        )
        raise OwnFileError(f"{pattern} is outside the folders that pipelines may read", where=str(real), hint=hint)


def _glob_of(pattern: str) -> str:
    """The pattern for `glob`; brackets mean themselves."""
    return re.sub(r"\[", "[[]", _FIELD.sub("*", pattern))


def _matcher(pattern: str) -> re.Pattern[str]:
    """What the paths of a pattern match; its fields are groups, a repeated field has the same digits."""
    parts, seen = [], set()
    for each in re.split(r"(\{%[YmdjH]\}|\*|\?)", pattern):
        field = _FIELD.fullmatch(each)
        if field is None:
            parts.append({"*": "[^/]*", "?": "[^/]"}.get(each) or re.escape(each))
        elif field[1] in seen:
            parts.append(f"(?P={field[1][1]})")
        else:
            seen.add(field[1])
            parts.append(rf"(?P<{field[1][1]}>\d{{{_DIGITS[field[1]]}}})")
    return re.compile("".join(parts))


def _span(pattern: str, named: re.Match[str], path: str) -> TimeRange | None:
    given = named.groupdict()
    if not given:
        return None
    text, form = " ".join(given.values()), " ".join(f"%{field}" for field in given)
    grain = next(grain for field, grain in _GRAINS if field[1] in given)
    try:
        start = datetime.strptime(text, form).replace(tzinfo=UTC)
        return TimeRange(start, min(grain.following(start), LATEST))
    except ValueError:
        problem = f"the name of {path} is not a date by {pattern}"
        raise OwnFileError(problem, where=path, hint="Rename it, or move it where the pattern does not match.") from None
