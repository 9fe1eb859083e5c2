"""Runs over several workers: by Dagster's queue and monitoring, and by Celery."""
