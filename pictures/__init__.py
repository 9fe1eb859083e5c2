"""Pictures of the documentation, made from real runs on the demo archive."""
