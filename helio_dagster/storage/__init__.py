"""The home folder: tables, figures and caches at rest. Knows no Dagster."""
