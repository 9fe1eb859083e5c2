"""The web UI: its processes and what guards them."""
