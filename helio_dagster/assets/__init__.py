"""Pipelines as Dagster assets: partitions, materialization, checks, recording."""
