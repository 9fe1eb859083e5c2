"""Write all output of the command line, with control characters in other people's text made visible.

Titles, units, notes, error messages and printed output come from archives, files, models and code. A terminal would obey an
escape sequence in them: move the cursor, change the clipboard, hide what was printed.
"""

from __future__ import annotations

import codecs
import json
import os
import re
import sys
import traceback
from types import TracebackType
from typing import Any, TextIO

from helio_dagster.domain.visible_text import OBEYED, escape, visible

_CONTROL_BUT_COLOR = re.compile(rf"(?:\x1b\[[0-9;]*m)|([{OBEYED}])")
_NOT_ASCII = re.compile(r"[^\n\x20-\x7e]")
_PLAIN = {"·": ".", "…": "...", "−": "-", "–": "-", "µ": "u", "μ": "u", "°": "deg", "×": "x", "✓": "ok", "✗": "no", "→": "->"}
_ERRORS = "helio_dagster.plain"


def write(text: str) -> None:
    """Write text to standard output."""
    sys.stdout.write(visible(text))


def write_error(text: str) -> None:
    """Write text to standard error, where notes and progress go."""
    sys.stderr.write(visible(text))


def write_file(content: bytes) -> None:
    """Write a whole UTF-8 file to standard output: byte for byte to a file or pipe, as `visible` text on a terminal."""
    if sys.stdout.isatty():
        write(content.decode("utf-8", "backslashreplace"))
        return
    sys.stdout.flush()
    sys.stdout.buffer.write(content)


def write_json(document: object, *, indent: int | None = None) -> None:
    """Write one JSON document and a newline to standard output; values without a JSON form are written as text."""
    write_json_text(json.dumps(document, default=str, indent=indent))


def write_json_text(text: str) -> None:
    """Write existing JSON text, escaping all but ASCII, which can only occur in strings."""
    sys.stdout.write(_NOT_ASCII.sub(lambda found: json.dumps(found[0])[1:-1] if found[0] != "\x7f" else r"\u007f", text) + "\n")


def flush() -> None:
    """Flush standard output, so that a reader sees it at once."""
    sys.stdout.flush()


def confirm(question: str) -> bool:
    """Ask on standard error; False if the person says no."""
    import typer

    return typer.confirm(visible(question), err=True)


def guard() -> None:
    """Wrap both outputs of this process in a `CleanStream`, for what libraries print, and clean the tracebacks of bugs.

    Characters missing from the output's encoding are replaced by a plain one, or by their escape.
    """
    codecs.register_error(_ERRORS, _plain)
    for name in ("stdin", "stdout", "stderr"):
        stream = getattr(sys, name)
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace" if name == "stdin" else _ERRORS)
        if name != "stdin":
            setattr(sys, name, CleanStream(stream or open(os.devnull, "w")))  # noqa: SIM115, PTH123 - replaces a closed one
    sys.excepthook = _print_traceback


class CleanStream:
    """A text stream that passes only text and colors to the terminal.

    `raw` is the stream behind it, for code that writes cleaned text with our own control codes: a progress bar.
    """

    def __init__(self, raw: TextIO) -> None:
        self.raw = raw

    def write(self, text: str) -> int:
        """Write text; colors are kept, because libraries use them for help and usage."""
        return self.raw.write(_CONTROL_BUT_COLOR.sub(lambda found: escape(found) if found[1] else found[0], text))

    def writelines(self, lines: list[str]) -> None:
        """Write several texts."""
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.raw, name)


def raw_stream(*, is_error: bool) -> TextIO:
    """Standard output or error, unwrapped; only for `cli.console`."""
    stream = sys.stderr if is_error else sys.stdout
    return stream.raw if isinstance(stream, CleanStream) else stream


def _plain(error: UnicodeError) -> tuple[str, int]:
    """Replace characters that the output's encoding lacks; an error handler of `codecs`."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    letters = error.object[error.start : error.end]
    plain = "".join(_PLAIN.get(letter) or letter.encode("ascii", "backslashreplace").decode() for letter in letters)
    return plain, error.end


def _print_traceback(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    write_error("".join(traceback.format_exception(kind, error, trace)))
