"""Heliophysics pipelines as replayable, partitioned Dagster assets."""

__version__ = "0.1.0"
