"""Writes docs/transcripts.md: has its conversations at a pseudo terminal and prints what is shown. The test is elsewhere."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

import yaml

from tests.scenario.processes import ROOT, Terminal
from tests.scenario.scripts import Reply, call, code, edit, fetch, figure, plan

PAGE = """# Three conversations

Real output of `helio chat` in an empty folder, with `--archive demo`: all data are synthetic. What a person typed is
after a prompt.

## A storm, refined, and another storm

Without a language model. A color is one step; smoothing reuses what was computed; another storm replays the same file.

```text
{}
```

## Code that a model writes, fixed before it is shown

With a scripted model, whose first code fails on a sample. The person reads the code that is approved, and keeps it as an
operation.

```text
{}
```

## A question in the middle, and another mission

Without a language model. The question for the time is answered by its number, after an answer in words that made no data.

```text
{}
```
"""
STORM = ("approve", "make ACE red", "yes", "smooth over 10 minutes", "yes", "the Gannon storm instead")
QUESTION = ("what is the plasma beta?", "3", "approve", "the same for Wind", "approve", "undo")
CODE = ("approve", "save b_south as operation southward", "make it red", "yes")


def southward(first: str) -> Reply:
    """A plan of the southward field, whose code begins so."""
    body = f"bz = {first}\nreturn (-bz).clip(lower=0)"
    step = {**code("b_south", body, b="b_gse"), "intent": "Southward part of the ACE field, nought where it points north"}
    return plan(
        "ACE southward field",
        "2003-10-29 to 2003-10-31",
        fetch("b_gse", "AC_H0_MFI/BGSEc", intent="ACE magnetic field in GSE"),
        step,
        {**figure(["b_south"]), "intent": "Draw the southward part"},
        assumptions=["Southward means negative Bz in GSE."],
    )


SCRIPT = [
    southward("b['Bz']"),
    southward("b.iloc[:, 2]"),
    call("keep_operation", step="b_south", operation="southward", summary="The southward part of a field"),
    edit("overview", **{"figure__panels[0]__traces[0]__color": "red"}),
]


def transcript(request: str, said: Sequence[str], script: Sequence[Reply] = ()) -> str:
    """What is shown at the terminal while this is said."""
    with tempfile.TemporaryDirectory() as name:
        folder, environment = Path(name), {"COLUMNS": "200"}
        if script:
            (folder / "script.yaml").write_text(yaml.safe_dump(list(script)))
            environment["HELIO_MODEL"] = f"scripted:{folder}/script.yaml"
        terminal = Terminal(folder, ("chat", "--archive", "demo", request), environment)
        shown = f"$ helio chat --archive demo '{request}'\n"
        for words in (*said, "exit"):
            answer = terminal.until_prompt().removeprefix("\n")  # the line editor ends the line that was typed
            shown += f"{answer}{words}\n"
            terminal.type(words)
        terminal.end()
        terminal.close()
        plain = shown.replace(f"{folder}/", "")
    lines = (line.rstrip() for line in plain.strip().splitlines())
    return "\n".join(line for line in lines if not line.startswith(_SPINNING))


_SPINNING = tuple("⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏")
"""How the line of progress begins, which the terminal takes away again."""


def main() -> None:
    """Have the conversations and write the page."""
    storm = transcript("compare ACE and Wind |B| for the Halloween storm", STORM)
    written = transcript("how strong was the southward field at ACE, 2003-10-29 to 2003-10-31", CODE, SCRIPT)
    asked = transcript("ACE magnetic field magnitude", QUESTION)
    (ROOT / "docs" / "transcripts.md").write_text(PAGE.format(storm, written, asked))


if __name__ == "__main__":
    main()
