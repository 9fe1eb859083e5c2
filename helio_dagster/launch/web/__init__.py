"""The web UI: its processes and its request guard."""
