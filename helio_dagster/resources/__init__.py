"""Dagster resources: each is a thin wrapper that builds one domain object."""
