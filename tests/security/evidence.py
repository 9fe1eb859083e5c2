"""What is known of a call from outside, and which of it proves that an attack succeeded. Nothing here believes the attack."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

GREW_BYTES = 380 << 20
"""A process that came to use so much memory was not held."""
MANY_THREADS = 16
MANY_DESCRIPTORS = 1024
SWAMPED_BYTES = 32 << 20
"""So much handed back is more than any caller asked for."""

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]|^FORGED", re.MULTILINE)


@dataclass
class Outcome:
    """One attack's call, as seen from outside."""

    said: str = ""
    """All text that reached the caller: prints, errors, names, and numbers read as characters."""
    said_bytes: int = 0
    hung: bool = False
    crashed: bool = False
    """The call's process, or with it the caller: no proper error, or no proper answer to the next call."""
    memory_bytes: int = 0
    threads: int = 0
    descriptors: int = 0
    left: set[int] = field(default_factory=set)
    """Processes that outlived the call."""
    parent_harmed: bool = False
    inputs_changed: bool = False
    then_differs: bool = False
    """The second call answered otherwise than it does alone."""
    scene: dict[str, str] = field(default_factory=dict)

    def evidence(self, token: str) -> dict[str, str]:
        """Every kind of success that can be seen, with what was seen."""
        raw = _CONTROL.search(self.said)
        seen = {
            "said": token in self.said,
            "hung": self.hung,
            "crashed": self.crashed,
            "grew": self.memory_bytes >= GREW_BYTES and f"{self.memory_bytes >> 20} MiB",
            "threads": self.threads >= MANY_THREADS and self.threads,
            "descriptors": self.descriptors >= MANY_DESCRIPTORS and self.descriptors,
            "swamped": self.said_bytes >= SWAMPED_BYTES and f"{self.said_bytes >> 20} MiB",
            "left": self.left,
            "parent": self.parent_harmed,
            "inputs": self.inputs_changed,
            "leaked": self.then_differs,
            "raw": raw and repr(self.said[max(raw.start() - 20, 0) : raw.end() + 20]),
        }
        return {name: str(what) for name, what in seen.items() if what} | self.scene


def text_of_result(result: pd.DataFrame) -> str:
    """Names and attributes of a result, and its numbers read as characters."""
    said = [repr(result.attrs)[:100_000], *(str(name)[:10_000] for name in [*result.columns[:100], *result.index.names])]
    for position in range(min(result.shape[1], 16)):
        values = result.iloc[:10_000, position]
        numbers = pd.to_numeric(values, errors="coerce").to_numpy(dtype=float)
        codes = numbers[np.isfinite(numbers) & (numbers >= 9) & (numbers < 0x110000)].astype(int)
        said.append("".join(map(chr, codes[(codes < 0xD800) | (codes > 0xDFFF)])) if set(codes) - set(range(32)) else "")
        said.append(" ".join(map(str, values[:100])))
    return "\n".join(said)
