"""The Python interface: load a pipeline, run it, read its results. The command line uses the same code."""

from helio_dagster.api.connecting import connect
from helio_dagster.api.figures import figure
from helio_dagster.api.results import cite, export, facts, read
from helio_dagster.api.running import import_pipeline, load_pipeline, run, run_windows, verify
from helio_dagster.api.talking import converse

__all__ = [
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
