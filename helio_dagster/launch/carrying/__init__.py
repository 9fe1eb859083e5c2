"""Pipelines as documents that run elsewhere: notebooks and scripts."""
