"""What is freed is given back."""

import gc
import weakref

from helio_dagster.resources.collector import collector_at_rest, give_back_memory


class _Knot:
    """An object that only the collector can free."""

    def __init__(self) -> None:
        self.itself = self


def test_what_only_the_collector_can_free_is_freed() -> None:
    """At once, also while it is kept from running by itself."""
    with collector_at_rest():
        seen = weakref.ref(_Knot())
        assert seen() is not None
        give_back_memory()
        assert seen() is None
    assert gc.isenabled()
