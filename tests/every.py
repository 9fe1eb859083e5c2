"""One property of many cases as one test, where a test for each would take longer to report than to run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any


def every(cases: Callable[[], Mapping[str, tuple[Any, ...]]]) -> Callable[[Callable[..., None]], Callable[[], None]]:
    """Make a test of one case a test of all; a failure names its case.

    Parameters
    ----------
    cases
        Gives name to arguments; called when the test runs.
    """

    def of_all(test: Callable[..., None]) -> Callable[[], None]:
        def run() -> None:
            found = cases()
            assert found
            for name, given in found.items():
                try:
                    test(*given)
                except BaseException as error:
                    error.add_note(f"of {name}")
                    raise

        run.__name__, run.__qualname__, run.__doc__, run.__module__ = (
            test.__name__,
            test.__qualname__,
            test.__doc__,
            test.__module__,
        )
        return run

    return of_all
