"""Archives of measurements: listing, download, decoding into tables. Knows no Dagster and no pipeline."""
