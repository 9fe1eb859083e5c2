"""What every replay from the command line pays before it looks at a partition: imports, pipelines, the instance, definitions.

A process of its own: `python -m benchmarks.startup NAME` with the home in the environment, as `helio run NAME` would begin.
"""

from __future__ import annotations

import sys

from helio_dagster.assets.run_scope import lent_resource
from helio_dagster.cli.app import app
from helio_dagster.cli.options import settings_from_environment
from helio_dagster.cli.progress import RunProgress
from helio_dagster.definitions import build_definitions
from helio_dagster.launch.home import Home
from helio_dagster.launch.record.instance import open_instance
from helio_dagster.resources.workbench import Workbench


def main() -> None:
    """Open what the command opens, and leave."""
    _ = app, RunProgress
    settings = settings_from_environment()
    workbench = Workbench(settings)
    _, graph = Home(settings).open(sys.argv[1])
    with open_instance(settings):
        build_definitions(graph, helio=lent_resource(workbench))
    workbench.close()


if __name__ == "__main__":
    main()
