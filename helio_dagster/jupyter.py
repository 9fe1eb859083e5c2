"""Conversations in the cells of a notebook: `%load_ext helio_dagster`, then `%%helio` and a request."""

from __future__ import annotations

import argparse
import getpass
import importlib.util
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from helio_dagster.api.talking import converse
from helio_dagster.cli.console import Console
from helio_dagster.cli.event_print import EventPrinter
from helio_dagster.domain.errors import HelioError, InputError

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

    from helio_dagster.agent.events import Event

_WIDTH = 110
_HELP = """%%helio in the first line of a cell, and a request below it; %helio and an answer on one line. A question with its
question mark goes into a cell: on one line IPython takes it for its own.
  %helio approve        run the plan and save the pipeline
  %helio 2              take the second choice of a question
  %%helio --new         begin another conversation
Options: --archive cdaweb|demo, --session ID, --new
"""


class _Options(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise InputError(f"%helio: {message}", hint="%helio --help lists what can be given.")


class Cells:
    """The conversation of a notebook. Each cell is a turn; between them nothing is held open."""

    def __init__(self) -> None:
        self._session: str | None = None
        self._archive = "cdaweb"

    def __call__(self, line: str, cell: str | None = None) -> None:
        """Say what a cell or line holds, and show what follows from it."""
        try:
            said = self._said(line, cell)
            if said is not None:
                self._turn(said)
        except HelioError as error:
            sys.stderr.write(f"{error}\n")

    def _said(self, line: str, cell: str | None) -> str | None:
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
        said = "\n".join(filter(None, (" ".join(rest), (cell or "").strip())))
        if not said and not options:
            sys.stdout.write(_HELP)
        return said or None

    def _turn(self, said: str) -> None:
        shown = _Shown()
        with converse(session=self._session, archive=self._archive, person=getpass.getuser(), tell=shown) as conversation:
            conversation.say(said)
            self._session = conversation.session.id
            awaited = conversation.session.awaiting
        if awaited == "approval":
            self._ask()

    def _ask(self) -> None:
        """Offer to approve: by buttons where there are any, and by words everywhere."""
        from IPython.display import display

        sys.stdout.write("To approve: %helio approve. To change it: %helio and what is to be different.\n")
        if importlib.util.find_spec("ipywidgets") is None:
            return
        import ipywidgets

        place = ipywidgets.Output()
        buttons = [ipywidgets.Button(description=word.capitalize(), tooltip=f"%helio {word}") for word in ("approve", "reject")]

        def answer(button: ipywidgets.Button) -> None:
            for each in buttons:
                each.disabled = True
            with place:
                self(button.description.lower())

        for each in buttons:
            each.on_click(answer)
        display(ipywidgets.HBox(buttons), place)


class _Shown:
    """Shows events as the terminal does, each once, and pictures as pictures; what only tells of progress is left out."""

    def __init__(self) -> None:
        self._print = EventPrinter(console=Console(file=sys.stdout, force_terminal=False, force_jupyter=False, width=_WIDTH))

    def __call__(self, event: Event) -> None:
        if event.stage == "progress":
            return
        self._print(event)
        picture = event.facts.get("png") if event.stage == "run" else None
        if picture and Path(str(picture)).is_file():
            from IPython.display import Image, display

            display(Image(filename=str(picture), width=800))


def _split(line: str) -> list[str]:
    try:
        return shlex.split(line)
    except ValueError:
        return line.split()


def register(shell: InteractiveShell) -> None:
    """Give a shell the magic `%helio` and `%%helio`."""
    shell.magics_manager.register_function(Cells(), magic_kind="line_cell", magic_name="helio")
