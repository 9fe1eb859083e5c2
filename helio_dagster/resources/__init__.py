"""Dagster resources: thin, each builds one domain object."""
