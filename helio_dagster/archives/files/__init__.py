"""Archive files: which hold a time range, where they are cached, how their tables join."""
