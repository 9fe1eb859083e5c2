"""Ephemerides from SPICE kernels: a registry of where they are, listing and cache, and a worker process that evaluates them."""
