"""Running pipelines from outside Dagster: run, status, the instance, the web UI."""
