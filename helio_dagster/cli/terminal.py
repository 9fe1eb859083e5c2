"""The one place where the command line writes: control characters in other people's text are shown, never sent to the terminal.

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

_OBEYED = (
    "\x00-\x08\x0b-\x1f\x7f-\x9f"  # C0 but tab and newline, DEL, C1
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u206f"  # change the direction of text
    "\u2028\u2029\ufff9-\ufffb"  # separate lines, annotate
    "\ud800-\udfff"  # bytes of a file name that are no text
    "\U000e0000-\U000e007f"  # tags: invisible letters
)
_CONTROL = re.compile(f"[{_OBEYED}]")
_CONTROL_BUT_COLOR = re.compile(rf"(?:\x1b\[[0-9;]*m)|([{_OBEYED}])")
_NOT_ASCII = re.compile(r"[^\n\x20-\x7e]")
_PLAIN = {"·": ".", "…": "...", "−": "-", "–": "-", "µ": "u", "μ": "u", "°": "deg", "×": "x", "✓": "ok", "✗": "no", "→": "->"}
_ERRORS = "helio_dagster.plain"


def visible(text: str) -> str:
    r"""The text with every control character as its escape, such as `\x1b`; tabs and newlines stay."""
    return _CONTROL.sub(_escape, text.replace("\r\n", "\n"))


def write(text: str) -> None:
    """Write text to standard output."""
    sys.stdout.write(visible(text))


def write_error(text: str) -> None:
    """Write text to standard error, where notes and progress go."""
    sys.stderr.write(visible(text))


def write_file(content: bytes) -> None:
    """Write a whole UTF-8 file to standard output: byte for byte into a file or pipe, as `visible` text on a terminal."""
    if sys.stdout.isatty():
        write(content.decode("utf-8", "backslashreplace"))
        return
    sys.stdout.flush()
    sys.stdout.buffer.write(content)


def write_json(document: object, *, indent: int | None = None) -> None:
    """Write one JSON document and a newline to standard output; a value that JSON has no word for is written as text."""
    write_json_text(json.dumps(document, default=str, indent=indent))


def write_json_text(text: str) -> None:
    """Write JSON that was made elsewhere; all but ASCII is escaped, which only strings can hold."""
    sys.stdout.write(_NOT_ASCII.sub(lambda found: json.dumps(found[0])[1:-1] if found[0] != "\x7f" else r"\u007f", text) + "\n")


def flush() -> None:
    """Let a reader see at once what was written to standard output."""
    sys.stdout.flush()


def confirm(question: str) -> bool:
    """Ask on standard error; False where the person says no."""
    import typer

    return typer.confirm(visible(question), err=True)


def guard() -> None:
    """Put a `CleanStream` before both outputs of this process, for what libraries print, and write bugs' tracebacks cleaned.

    What the output's encoding has no letter for is replaced by a plain one, or by its escape.
    """
    codecs.register_error(_ERRORS, _plain)
    for name in ("stdin", "stdout", "stderr"):
        stream = getattr(sys, name)
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace" if name == "stdin" else _ERRORS)
        if name != "stdin":
            setattr(sys, name, CleanStream(stream or open(os.devnull, "w")))  # noqa: SIM115, PTH123 - stands for a closed one
    sys.excepthook = _print_traceback


class CleanStream:
    """A text stream that lets nothing through to the terminal but text and colors.

    `raw` is the stream behind it, for who writes cleaned text with control codes of our own: a progress bar.
    """

    def __init__(self, raw: TextIO) -> None:
        self.raw = raw

    def write(self, text: str) -> int:
        """Write text; colors stay, as libraries print help and usage with them."""
        return self.raw.write(_CONTROL_BUT_COLOR.sub(lambda found: _escape(found) if found[1] else found[0], text))

    def writelines(self, lines: list[str]) -> None:
        """Write several texts."""
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.raw, name)


def raw_stream(*, is_error: bool) -> TextIO:
    """Standard output or error as they are, for `cli.console` alone."""
    stream = sys.stderr if is_error else sys.stdout
    return stream.raw if isinstance(stream, CleanStream) else stream


def _escape(found: re.Match[str]) -> str:
    code = ord(found[0])
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _plain(error: UnicodeError) -> tuple[str, int]:
    """What stands for letters that the output's encoding does not have; an error handler of `codecs`."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    letters = error.object[error.start : error.end]
    plain = "".join(_PLAIN.get(letter) or letter.encode("ascii", "backslashreplace").decode() for letter in letters)
    return plain, error.end


def _print_traceback(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    write_error("".join(traceback.format_exception(kind, error, trace)))
