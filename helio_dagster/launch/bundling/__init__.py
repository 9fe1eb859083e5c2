"""Bundles: a pipeline's results with all that made them, for a journal or a colleague; and whether they can be made again."""
