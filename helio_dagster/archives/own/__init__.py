"""Files of a person's own measurements, as an archive: found by a path, indexed by day, read by partition."""
