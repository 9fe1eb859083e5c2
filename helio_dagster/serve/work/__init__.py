"""Turns of conversations and runs, done in processes of their own that outlive the server."""
