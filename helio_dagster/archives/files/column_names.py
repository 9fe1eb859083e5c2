"""Names of a table's columns out of an archive's labels."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def unique_names(labels: Sequence[str], taken: Iterable[str] = ()) -> list[str]:
    """Column names from labels: white space collapsed, control characters out, repeats numbered, `time` left free."""
    used = {"time", *taken}
    names = []
    for place, label in enumerate(labels):
        plain = " ".join("".join(letter if letter.isprintable() else " " for letter in label).split()) or f"column_{place + 1}"
        name, repeat = plain, 1
        while name in used:
            repeat += 1
            name = f"{plain}_{repeat}"
        used.add(name)
        names.append(name)
    return names
