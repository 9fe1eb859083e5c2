"""The command line: parses arguments, calls the package, prints results."""

from __future__ import annotations


def main() -> None:
    """Entry point of `helio`."""
    import gc

    from helio_dagster.cli.edge import run_app
    from helio_dagster.cli.terminal import guard

    guard()
    code = run_app()
    gc.freeze()  # else the interpreter walks all that was loaded before it ends: with Dagster, more than a second
    raise SystemExit(code)
