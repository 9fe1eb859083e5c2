"""Arrange the free memory of a process, so that two processes differ for sure in the addresses that new objects get.

The kernel loads programs at random places, but only by whole pages: where in its page an object is, and which of two new
objects comes first, is the same each time. Code that depends on it (`hash(object())`, the order of a set of objects) would
pass for the same until another version of a library moves it.
"""

from __future__ import annotations

from collections.abc import Iterator

_LARGEST_BLOCK = 512  # of Python's own allocator; what is larger comes from the C library
_STEP = 16
_POOL_BYTES, _POOL_HEAD_BYTES = 1 << 14, 48
_BLOCKS = 1024  # of each size: more than a call has taken before its code begins


def arrange_free_blocks(*, is_reversed: bool) -> list[object]:
    """Make new objects take every other free block: the even ones upward or, reversed, the odd ones downward.

    Returns
    -------
    list of object
        What holds the blocks between them; to be kept as long as the arrangement shall last.
    """
    kept: list[object] = []
    free: list[list[object]] = []
    for size in range(_STEP, _LARGEST_BLOCK + 1, _STEP):
        free.append([])
        for block in sorted(_new_blocks(size), key=id):
            (free[-1] if _is_odd(block, size) is is_reversed else kept).append(block)
    del block
    for each in free:
        if is_reversed:
            each.reverse()
        each.clear()  # the last goes first, and what goes last is taken first
    return kept


def _new_blocks(size: int) -> Iterator[object]:
    """New objects that take a block of this size each."""
    head = (b"").__sizeof__()
    for number in range(_BLOCKS):
        if size == _STEP:
            yield object()
        elif size < head:
            yield (1 << 40) + number
        else:
            yield bytes(size - head)


def _is_odd(block: object, size: int) -> bool:
    return bool((id(block) % _POOL_BYTES - _POOL_HEAD_BYTES) // size % 2)
