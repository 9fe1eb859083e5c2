"""The lines a person typed in conversations, kept for the up arrow: one file, private, bounded, without secrets."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from helio_dagster.domain.secrets import holds_secret

MOST_LINES = 1000
_LONGEST = 1000
_MOST_BYTES = 4 * MOST_LINES * _LONGEST


@dataclass(frozen=True)
class InputHistory:
    """Lines in a file that only its owner can read; where the file cannot be used there is no history, and no error."""

    path: Path

    def lines(self) -> list[str]:
        """The lines, the oldest first."""
        try:
            with self.path.open("rb") as stream:
                text = stream.read(_MOST_BYTES).decode("utf-8", "replace")
        except OSError:
            return []
        return [line for line in text.split("\n") if line][-MOST_LINES:]

    def keep(self, line: str) -> str | None:
        """Keep a line as the newest; several lines become one. Gives what was kept, None for an empty line or a secret."""
        shown = " ".join(line.split())
        if not shown or len(shown) > _LONGEST or holds_secret(shown):
            return None
        found = self.lines()
        if found[-1:] == [shown]:
            return shown
        content = "".join(f"{each}\n" for each in [*found, shown][-MOST_LINES:])
        with suppress(OSError):
            self._write(content.encode("utf-8", "replace"))
        return shown

    def _write(self, content: bytes) -> None:
        part = self.path.with_name(f".{self.path.name}.{os.getpid()}.part")
        handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        try:
            with os.fdopen(handle, "wb") as stream:
                stream.write(content)
            part.replace(self.path)
        finally:
            part.unlink(missing_ok=True)
