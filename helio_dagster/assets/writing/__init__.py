"""Small tables written by a process of their own, while the next ones are computed."""
