"""The library of pipelines and saved operations: exchange, fork, rename, search, keep."""
