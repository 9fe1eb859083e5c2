"""Heliophysics pipelines as replayable, partitioned Dagster assets."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

    from helio_dagster.api import (
        cite,
        connect,
        converse,
        export,
        facts,
        figure,
        import_pipeline,
        load_pipeline,
        read,
        run,
        run_windows,
        verify,
    )

__version__ = "0.2.0"
__all__ = [
    "__version__",
    "cite",
    "connect",
    "converse",
    "export",
    "facts",
    "figure",
    "import_pipeline",
    "load_pipeline",
    "read",
    "run",
    "run_windows",
    "verify",
]


def __getattr__(name: str) -> object:
    """Import the Python interface on first use, so that `import helio_dagster` alone is fast."""
    if name in __all__:
        return getattr(import_module("helio_dagster.api"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def load_ipython_extension(shell: InteractiveShell) -> None:
    """What `%load_ext helio_dagster` does: conversations in cells, by `%%helio`."""
    import_module("helio_dagster.jupyter").register(shell)
