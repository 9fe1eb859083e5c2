"""Downloading over HTTP: limits, retries, connections."""
