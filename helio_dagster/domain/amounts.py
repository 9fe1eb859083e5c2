"""Counts, sizes and durations as people say them."""

from __future__ import annotations


def readable_size(size: float) -> str:
    """Bytes as people say them."""
    amount = float(size)
    for unit in ("bytes", "kB", "MB", "GB"):
        if amount < 1000:
            return f"{amount:.3g} {unit}"
        amount /= 1000
    return f"{amount:.3g} TB"


def readable_duration(seconds: float) -> str:
    """Seconds as people say them."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


def counted(count: int, noun: str) -> str:
    """A number with what it counts: 1 file, 2 files, 1,000 files."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
