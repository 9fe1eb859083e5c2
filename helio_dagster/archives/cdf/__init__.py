"""Reading CDF files: header check, worker processes, decoding into tables."""
