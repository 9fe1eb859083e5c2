"""The Dagster resource that opens a home's workbench for a run and closes it afterwards.

Its settings are fixed when the code is loaded. It takes no run config: whoever reaches Dagster's page could otherwise name
another home to write to, or another archive to fetch from.
"""

from __future__ import annotations

from collections.abc import Iterator

import dagster as dg

from helio_dagster.resources.workbench import Workbench
from helio_dagster.storage.settings import Settings


def helio_resource(settings: Settings) -> dg.ResourceDefinition:
    """The resource of these settings; a run with config for it is refused by Dagster."""

    def opened(_: dg.InitResourceContext) -> Iterator[Workbench]:
        with Workbench(settings) as workbench:
            yield workbench

    return dg.ResourceDefinition(opened, config_schema={}, description=f"The home {settings.home}")
