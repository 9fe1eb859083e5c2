"""Open a home's record of runs, for reading or writing."""
