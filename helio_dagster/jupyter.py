"""Conversations in the cells of a notebook: `%load_ext helio_dagster`, then `%%helio` and a request."""

from __future__ import annotations

import argparse
import importlib.util
import shlex
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from helio_dagster.api.talking import converse
from helio_dagster.cli.console import Console
from helio_dagster.cli.event_print import EventPrinter
from helio_dagster.domain.errors import HelioError, InputError
from helio_dagster.domain.visible_text import visible
from helio_dagster.storage.people import account

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell
    from IPython.display import DisplayHandle

    from helio_dagster.agent.events import Event

_WIDTH = 110
_PROGRESS_EVERY_S = 0.5
_HELP = """%%helio in the first line of a cell, and a request below it; %helio and an answer on one line. A question with its
question mark goes into a cell: on one line IPython takes it for its own.
  %helio approve        run the plan and save the pipeline
  %helio 2              take the second choice of a question
  %%helio --new         begin another conversation
Options: --archive cdaweb|demo, --session ID, --new
"""


class _Options(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise InputError(f"%helio: {message}", hint="%helio --help lists the options.")


class Cells:
    """The conversation of a notebook. Each cell is a turn; between them nothing is held open."""

    def __init__(self) -> None:
        self._session: str | None = None
        self._archive = "cdaweb"

    def __call__(self, line: str, cell: str | None = None) -> None:
        """Say what a cell or line holds, and show what follows from it."""
        try:
            words = self._sentence(line, cell)
            if words is not None:
                self._turn(words)
        except HelioError as error:
            sys.stderr.write(f"{error}\n")

    def _sentence(self, line: str, cell: str | None) -> str | None:
        """What is said, after taking the options; None if only these are given."""
        words = line.split() if cell is None and not line.strip().startswith("-") else _split(line)
        options: list[str] = []
        rest = words
        while rest and rest[0].startswith("--"):
            width = 1 if rest[0] in ("--new", "--help") or "=" in rest[0] else 2
            options, rest = [*options, *rest[:width]], rest[width:]
        parser = _Options(prog="%%helio", add_help=False)
        parser.add_argument("--archive", choices=("cdaweb", "demo"))
        parser.add_argument("--session")
        parser.add_argument("--new", action="store_true")
        parser.add_argument("--help", action="store_true")
        given = parser.parse_args(options)
        if given.help:
            sys.stdout.write(_HELP)
            return None
        if given.new:
            self._session = None
        self._session = given.session or self._session
        self._archive = given.archive or self._archive
        phrase = "\n".join(filter(None, (" ".join(rest), (cell or "").strip())))
        if not phrase and not options:
            sys.stdout.write(_HELP)
        return phrase or None

    def _turn(self, words: str, *, about: str | None = None) -> None:
        """Say something; `about` is the digest of the plan that a button was shown for."""
        shown = Shown()
        with converse(session=self._session, archive=self._archive, person=account(), tell=shown) as conversation:
            draft = conversation.session.draft
            if about is not None and (draft is None or draft.digest != about):
                hint = "Use the buttons below the latest plan, or %helio approve."
                raise InputError("the plan has changed since this button was shown, so nothing was done", hint=hint)
            try:
                conversation.say(words)
            finally:
                shown.close()
            self._session = conversation.session.id
            awaited, draft = conversation.session.awaiting, conversation.session.draft
        if awaited == "approval" and draft is not None:
            self._ask(draft.digest)

    def _ask(self, digest: str) -> None:
        """Offer to approve a plan: by buttons where there are any, and by words everywhere."""
        from IPython.display import display

        sys.stdout.write("To approve: %helio approve. To change it: %helio and what to change.\n")
        if importlib.util.find_spec("ipywidgets") is None:
            return
        import ipywidgets

        place = ipywidgets.Output()
        buttons = [ipywidgets.Button(description=word.capitalize(), tooltip=f"%helio {word}") for word in ("approve", "reject")]

        def answer(button: ipywidgets.Button) -> None:
            for each in buttons:
                each.disabled = True
            with place:
                try:
                    self._turn(button.description.lower(), about=digest)
                except HelioError as error:
                    sys.stderr.write(f"{error}\n")

        for each in buttons:
            each.on_click(answer)
        display(ipywidgets.HBox(buttons), place)


class Shown:
    """Shows events as the terminal does, each once, and pictures as pictures.

    Progress is one line that is written over, at most twice a second, and is gone at the end.

    Parameters
    ----------
    clock
        Seconds that only increase.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._print = EventPrinter(console=Console(file=sys.stdout, force_terminal=False, force_jupyter=False, width=_WIDTH))
        self._clock, self._last = clock, -_PROGRESS_EVERY_S
        self._line: DisplayHandle | None = None

    def __call__(self, event: Event) -> None:
        """Show an event."""
        if event.stage == "progress":
            self._progress(event.text)
            return
        self._print(event)
        picture = event.facts.get("png") if event.stage == "run" else None
        if picture and Path(str(picture)).is_file():
            from IPython.display import Image, display

            display(Image(filename=str(picture), width=800))

    def close(self) -> None:
        """Empty the line of progress."""
        if self._line is not None:
            self._line.update({"text/plain": ""}, raw=True)

    def _progress(self, text: str) -> None:
        from IPython.display import display

        now = self._clock()
        if not text or now - self._last < _PROGRESS_EVERY_S:
            return
        self._last, words = now, {"text/plain": visible(text)}
        if self._line is None:
            self._line = display(words, raw=True, display_id=True)
        else:
            self._line.update(words, raw=True)


def _split(line: str) -> list[str]:
    try:
        return shlex.split(line)
    except ValueError:
        return line.split()


def register(shell: InteractiveShell) -> None:
    """Give a shell the magic `%helio` and `%%helio`."""
    shell.magics_manager.register_function(Cells(), magic_kind="line_cell", magic_name="helio")
