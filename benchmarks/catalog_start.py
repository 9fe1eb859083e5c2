"""What `helio catalog search` costs from nothing, or the bare interpreter. Started by `benchmarks.catalog_search`."""

from __future__ import annotations

import contextlib
import io
import sys

from benchmarks.trial import Answer, cpu_s, reply


def main() -> None:
    """Search once as the command does, or do nothing; the answer is all CPU of the process so far."""
    if sys.argv[1] == "search":
        from helio_dagster.cli.app import app

        with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):
            app(["catalog", "search", "ACE interplanetary magnetic field"])
    answer: Answer = {"process_cpu_s": cpu_s()}
    reply(answer)


if __name__ == "__main__":
    main()
