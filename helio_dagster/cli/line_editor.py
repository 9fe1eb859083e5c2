"""Asks for a line at the terminal: arrow keys, history with Ctrl-R, and pasted text in one piece, by the `readline` library.

`readline` is loaded when the first line is asked for. A Python without it asks all the same, without these keys.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from types import ModuleType

from helio_dagster.storage.input_history import InputHistory


class LineEditor:
    """Asks for lines, with the history of a home.

    Parameters
    ----------
    history
        What was typed before; what is typed now is added.
    noticing
        Entered while a line is waited for; see `SignalWatch.noticing`.
    """

    def __init__(self, history: InputHistory, noticing: Callable[[], AbstractContextManager[None]] = nullcontext) -> None:
        self._history, self._noticing = history, noticing
        self._readline: ModuleType | None = None
        self._is_ready = False

    def ask(self, prompt: str) -> str:
        """The line that a person types, or the lines they paste.

        Raises
        ------
        EOFError
            They pressed Ctrl-D.
        KeyboardInterrupt
            They pressed Ctrl-C.
        """
        if not self._is_ready:
            self._readline, self._is_ready = _loaded(self._history.lines()), True
        with self._noticing():
            line = input(prompt)
        line = line.replace("\r", "\n").strip()
        kept = self._history.keep(line)
        if self._readline is not None and kept is not None:
            self._readline.add_history(kept)
        return line


def _loaded(lines: list[str]) -> ModuleType | None:
    """The library with these lines as its history; None where this Python has none."""
    try:
        import readline
    except ImportError:
        return None
    readline.set_auto_history(False)  # what looks like a key must not be remembered
    readline.clear_history()
    for line in lines:
        readline.add_history(line)
    if "libedit" not in (readline.__doc__ or ""):
        readline.parse_and_bind("set enable-bracketed-paste on")
    return readline
