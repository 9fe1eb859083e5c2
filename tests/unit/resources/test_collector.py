"""What is freed is given back."""

import gc
import weakref
from contextlib import nullcontext

import pytest

from helio_dagster.resources.collector import collector_at_rest, give_back_memory, settled_objects_left_alone


class _Knot:
    """An object that only the collector can free."""

    def __init__(self) -> None:
        self.itself = self


@pytest.mark.parametrize("is_frozen", [True, False])
def test_garbage_is_collected_where_what_was_loaded_is_frozen(*, is_frozen: bool) -> None:
    """At once, also while the collector is kept from running by itself; elsewhere it would walk all that was loaded."""
    with collector_at_rest(), settled_objects_left_alone() if is_frozen else nullcontext():
        seen = weakref.ref(_Knot())
        give_back_memory()
        assert (seen() is None) is is_frozen
    assert gc.isenabled()
