"""Stored results as files for other programs: CDF, netCDF, CSV, Parquet."""
