"""The command line: parses arguments, calls the package, prints results."""

from __future__ import annotations


def main() -> None:
    """Entry point of `helio`."""
    import gc

    from helio_dagster.cli.edge import run_app
    from helio_dagster.cli.terminal import guard

    gc.set_threshold(50_000, 20, 50)  # rarely: most of what a command loads and makes stays until its end
    guard()
    code = run_app()
    gc.freeze()  # else the interpreter walks all that was loaded before it ends: with Dagster, more than a second
    raise SystemExit(code)
