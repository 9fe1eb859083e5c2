"""The one place where the command line writes."""

from __future__ import annotations

import ast
import io
import json
import sys
from pathlib import Path

import pytest

import helio_dagster.cli
from helio_dagster.cli.console import Console
from helio_dagster.cli.terminal import CleanStream, guard, write, write_file, write_json, write_json_text
from helio_dagster.domain.visible_text import visible

EVIL = "a\x1b[31mb\x9bc\x07\r\u202ed\x7f\ttab\r\nline \U0001f600 é \ud83d"
_WRITERS = ("sys.stdout.", "sys.stderr.", "typer.echo", "typer.confirm", "click.echo")
SHOWN = "a\\x1b[31mb\\x9bc\\x07\\x0d\\u202ed\\x7f\ttab\nline \U0001f600 é \\ud83d"


def test_control_characters_are_shown() -> None:
    """Each becomes its escape; tabs, ends of lines, letters and emoji stay."""
    assert visible(EVIL) == SHOWN


def test_json_holds_ascii_alone(capsys: pytest.CaptureFixture[str]) -> None:
    """C1 controls, DEL and directions of text are escaped, whoever made the JSON; its meaning is the same."""
    write_json({"text": EVIL})
    write_json_text('{"text": "é\x9b\x7f\u202e\U0001f600"}')
    first, second = capsys.readouterr().out.splitlines()
    assert all(" " <= letter <= "~" for letter in first + second)
    assert json.loads(first) == {"text": EVIL}
    assert json.loads(second) == {"text": "é\x9b\x7f\u202e\U0001f600"}


def test_a_console_takes_text_as_text_and_keeps_its_own_colors() -> None:
    """Markup, links and names of emoji are printed as they are, in lines and in cells; a style still colors."""
    from rich.table import Table
    from rich.text import Text

    table = Table("title[bold]", box=None)
    table.add_row("\x1b]8;;http://e\x07[link=http://e]x[/link] :x:")
    table.add_row(Text("\x9bin a text", style="red"))
    file = io.StringIO()
    console = Console(file=file, force_terminal=True, width=100, color_system="standard")
    console.print("[red]\x1b[2Jline[/red] :x: 12", style="green")
    console.print(table)
    printed = file.getvalue()
    assert "\x1b[32m[red]\\x1b[2Jline[/red] :x: 12\x1b[0m" in printed
    assert "\\x1b]8;;http://e\\x07[link=http://e]x[/link] :x:" in printed
    assert "\x1b[31m\\x9bin a text" in printed
    assert "\x9b" not in printed


def test_what_libraries_print_keeps_colors_alone() -> None:
    """Help and usage errors are colored by a library; everything else of theirs is shown."""
    raw = io.StringIO()
    CleanStream(raw).write("\x1b[1;31mred\x1b[0m \x1b]52;c;AA\x07 \x1b[2J")
    assert raw.getvalue() == "\x1b[1;31mred\x1b[0m \\x1b]52;c;AA\\x07 \\x1b[2J"


def test_a_file_leaves_byte_for_byte(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    """What is printed into a file is the file, its ends of lines and directions of text too."""
    write_file("a: ‮b\r\n".encode())
    sys.stdout.flush()
    assert capfdbinary.readouterr().out == "a: ‮b\r\n".encode()


def test_letters_that_the_output_lacks_are_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    """An ASCII terminal shows a plain letter or the escape: never a traceback."""
    raw = io.BytesIO()
    for name in ("stdin", "stdout", "stderr"):
        monkeypatch.setattr(sys, name, io.TextIOWrapper(raw, encoding="ascii", write_through=True))
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)
    guard()
    write("5 µT · 3°… ✓ Ωé\n")
    assert raw.getvalue() == b"5 uT . 3deg... ok \\u03a9\\xe9\n"


def test_nothing_else_of_the_command_line_writes() -> None:
    """No other module of cli calls print, echo, confirm or a stream's write, or makes a console of rich's own."""
    folder = Path(helio_dagster.cli.__file__).parent
    writing = ("sys.stdout.", "sys.stderr.", "typer.echo", "typer.confirm", "click.echo")
    found = []
    for path in sorted(folder.rglob("*.py")):
        if path.name in ("terminal.py", "console.py"):
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call):
                called = ast.unparse(node.func)
                if called == "print" or called.startswith(writing):
                    found.append(f"{path.name}:{node.lineno}: {called}")
            if isinstance(node, ast.ImportFrom) and node.module == "rich.console" and "Console" in ast.unparse(node):
                found.append(f"{path.name}:{node.lineno}: {ast.unparse(node)}")
    assert found == []
