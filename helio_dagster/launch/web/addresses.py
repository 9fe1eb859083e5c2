"""Where things are under the one address of a served home."""

from __future__ import annotations

FIGURES = "/figures/"
API = "/api/"
DAGSTER = "/dagster"
"""The prefix of Dagster's own UI."""
HEALTH = "/health"
