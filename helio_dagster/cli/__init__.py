"""The command line: parses arguments, calls the package, prints results."""

from __future__ import annotations


def main() -> None:
    """Entry point of `helio`."""
    from helio_dagster.cli.edge import run_app
    from helio_dagster.cli.terminal import guard

    guard()
    raise SystemExit(run_app())
