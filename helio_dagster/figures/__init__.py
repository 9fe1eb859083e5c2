"""Figures of tables: panels, traces, rendering to HTML and PNG. Knows no Dagster."""
