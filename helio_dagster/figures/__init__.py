"""Figures of tables: panels, traces, rendering to HTML and PNG. Knows no Dagster and reads no files of data."""
