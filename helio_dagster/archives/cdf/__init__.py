"""Reading CDF files: header check, worker processes, decoding into tables. Where files come from stands elsewhere."""
