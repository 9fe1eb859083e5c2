"""Benchmarks: each measures one promise beside a baseline of the same run. Not part of the package, nor of the test suite."""
