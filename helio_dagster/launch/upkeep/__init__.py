"""Maintain a home: verify, prune, rebuild the record."""
