"""Run pipelines: plan, execute, judge, read, try."""
