"""Where things lie: the settings read once at the edge, and the folders of a home. Reads and writes nothing itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from helio_dagster.domain.addresses import address_fault
from helio_dagster.domain.errors import InputError
from helio_dagster.domain.transfer_limits import TransferLimits
from helio_dagster.sandbox.limits import SandboxLimits, is_weak_allowed

CDAWEB_URL = "https://cdaweb.gsfc.nasa.gov/WS/cdasr/1/dataviews/sp_phys/"


@dataclass(frozen=True)
class Settings:
    """Everything the environment can say; built at the edge and passed down.

    `home` holds data, caches, figures and the Dagster instance; `pipelines` the pipeline files; `cdaweb_url` is the base of
    the CDAS service up to and with `sp_phys/`. `code_limits` are those of one call of a step's code, which runs unconfined only
    where `allow_weak_sandbox` says so and this machine cannot do better. `transfers` says how patient downloads are.
    """

    home: Path
    pipelines: Path
    cdaweb_url: str = CDAWEB_URL
    code_limits: SandboxLimits = field(default_factory=SandboxLimits)
    allow_weak_sandbox: bool = False
    transfers: TransferLimits = field(default_factory=TransferLimits)

    def __post_init__(self) -> None:
        fault = address_fault(self.cdaweb_url)
        if fault or "?" in self.cdaweb_url or "#" in self.cdaweb_url:
            raise InputError(
                f"{self.cdaweb_url[:200]!r} is not the URL of an archive: {fault or 'it holds a query'}",
                where="HELIO_CDAWEB_URL",
                hint="HELIO_CDAWEB_URL is a URL up to and with …/sp_phys/.",
            )

    @classmethod
    def from_environment(cls, environment: Mapping[str, str], working_directory: Path) -> Settings:
        """Settings from `HELIO_HOME`, `HELIO_PIPELINES`, `HELIO_CDAWEB_URL` and the sandbox's, with the design's defaults.

        Raises
        ------
        InputError
            A limit or the URL cannot be used.
        """
        home = working_directory / environment.get("HELIO_HOME", ".helio")
        beside = working_directory / "pipelines"
        default = beside if beside.is_dir() else home / "pipelines"
        given = environment.get("HELIO_PIPELINES")
        url = environment.get("HELIO_CDAWEB_URL") or CDAWEB_URL
        return cls(
            home=home.absolute(),
            pipelines=(working_directory / given if given else default).absolute(),
            cdaweb_url=url if url.endswith("/") else f"{url}/",
            code_limits=SandboxLimits.from_environment(environment),
            allow_weak_sandbox=is_weak_allowed(environment),
            transfers=TransferLimits.from_environment(environment),
        )

    @property
    def data(self) -> Path:
        """Tables, one Parquet file per asset and partition."""
        return self.home / "data"

    @property
    def operations(self) -> Path:
        """Saved operations, beside the pipelines that name them."""
        return self.pipelines.parent / "operations"

    @property
    def cache(self) -> Path:
        """Archive files as downloaded."""
        return self.home / "cache"

    @property
    def catalog(self) -> Path:
        """The refreshed catalog, where there is one."""
        return self.home / "catalog"

    @property
    def figures(self) -> Path:
        """Rendered figures."""
        return self.home / "figures"

    @property
    def sessions(self) -> Path:
        """Conversations."""
        return self.home / "sessions"

    @property
    def instance(self) -> Path:
        """The Dagster instance."""
        return self.home / "dagster"

    @property
    def running(self) -> Path:
        """One locked file per process that runs a pipeline."""
        return self.instance / "running"
