"""Where things are: the settings read once at the edge, and the folders of a home. Reads and writes nothing itself."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from helio_dagster.domain.addresses import address_fault
from helio_dagster.domain.dispatch import AT_ONCE_VARIABLE, BROKER_VARIABLE, PARTITIONS_VARIABLE, Dispatch
from helio_dagster.domain.dispatch import NONE as THIS_PROCESS
from helio_dagster.domain.errors import InputError
from helio_dagster.domain.object_address import NONE as IN_THE_HOME
from helio_dagster.domain.object_address import VARIABLE as TABLES_VARIABLE
from helio_dagster.domain.object_address import object_address
from helio_dagster.domain.postgres_address import NONE, place_of, postgres_address
from helio_dagster.domain.postgres_address import VARIABLE as POSTGRES_VARIABLE
from helio_dagster.domain.transfer_limits import DEADLINE_VARIABLE, RATE_VARIABLE, TransferLimits
from helio_dagster.sandbox.limits import SandboxLimits, is_weak_allowed
from helio_dagster.storage.settings_files import read_configuration, requests_file

CDAWEB_URL = "https://cdaweb.gsfc.nasa.gov/WS/cdasr/1/dataviews/sp_phys/"
OWN_FILES_VARIABLE = "HELIO_OWN_FILES"
COMMIT_VARIABLE = "HELIO_COMMIT_PIPELINES"
LONGEST_HOME_BYTES = 400
"""SQLite opens no file whose path is longer than 512 bytes, and its files are three folders below the home."""
_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")
_NOT_IN_A_PATH = re.compile("[\x00-\x1f\x7f\ud800-\udfff]")
_NOT_IN_A_DATABASE_URL = re.compile(r"\?|%[0-9A-Fa-f]{2}")


@dataclass(frozen=True)
class Settings:
    """Everything the environment can say; built at the edge and passed down.

    `home` holds data, caches, figures and the Dagster instance; `pipelines` the pipeline files; `cdaweb_url` is the base of the
    CDAS service up to and with `sp_phys/`, `spice_url` of a mirror of SPICE kernels; empty for their own servers; `pds_url` of
    a mirror of the PDS PPI node, empty for the node itself; `swpc_url` of a mirror of SWPC. `code_limits` are those of one
    call of a step's code, which runs unconfined only where `allow_weak_sandbox` says so and this machine cannot do better.
    `transfers` says how patient downloads are. `postgres` is the address of a record in PostgreSQL; without one it is in
    SQLite, in the home. `own_files` are further folders in which pipelines may read files. `dispatch` says how runs are given
    to workers; without it they stay in the process that starts them. `tables` is the address of tables in an object store;
    without one they are in the home. `commit_pipelines` says whether changes of pipelines are committed to the git repository
    they are in. `requests` is the file by whose locks a person's processes on this machine ask an archive few things at once.
    """

    home: Path
    pipelines: Path
    cdaweb_url: str = CDAWEB_URL
    spice_url: str = ""
    pds_url: str = ""
    swpc_url: str = ""
    code_limits: SandboxLimits = field(default_factory=SandboxLimits)
    allow_weak_sandbox: bool = False
    transfers: TransferLimits = field(default_factory=TransferLimits)
    postgres: str | None = None
    own_files: tuple[Path, ...] = ()
    dispatch: Dispatch | None = None
    tables: str | None = None
    commit_pipelines: bool = False
    requests: Path | None = None

    def __post_init__(self) -> None:
        fault = address_fault(self.cdaweb_url)
        if fault or "?" in self.cdaweb_url or "#" in self.cdaweb_url:
            raise InputError(
                f"{self.cdaweb_url[:200]!r} is not the URL of an archive: {fault or 'it holds a query'}",
                where="HELIO_CDAWEB_URL",
                hint="HELIO_CDAWEB_URL is a URL up to and with …/sp_phys/.",
            )

        fault = address_fault(self.spice_url) if self.spice_url else ""
        if fault or "?" in self.spice_url or "#" in self.spice_url:
            raise InputError(
                f"{self.spice_url[:200]!r} is not the URL of a mirror of kernels: {fault or 'it holds a query'}",
                where="HELIO_SPICE_URL",
                hint="HELIO_SPICE_URL is a URL below which each server is a folder, such as naif.jpl.nasa.gov/pub/naif.",
            )

        fault = address_fault(self.pds_url) if self.pds_url else ""
        if fault or "?" in self.pds_url or "#" in self.pds_url:
            raise InputError(
                f"{self.pds_url[:200]!r} is not the URL of a mirror of the PDS: {fault or 'it holds a query'}",
                where="HELIO_PDS_URL",
                hint="HELIO_PDS_URL is a URL below which the folder data/ is, with a folder for each dataset.",
            )

        fault = address_fault(self.swpc_url) if self.swpc_url else ""
        if fault or "?" in self.swpc_url or "#" in self.swpc_url:
            raise InputError(
                f"{self.swpc_url[:200]!r} is not the URL of a mirror of SWPC: {fault or 'it holds a query'}",
                where="HELIO_SWPC_URL",
                hint="HELIO_SWPC_URL is a URL below which the folder products/ is.",
            )

    @classmethod
    def read(cls, environment: Mapping[str, str], working_directory: Path) -> Settings:
        """Settings from the environment, and from the settings files for what it leaves open.

        Raises
        ------
        InputError
            A file or a value is wrong; file, line and key are named.
        """
        configuration = read_configuration(environment, working_directory)
        with configuration.placing_errors():
            return cls.from_environment(configuration.environment, working_directory)

    @classmethod
    def from_environment(cls, environment: Mapping[str, str], working_directory: Path) -> Settings:
        """Settings from `HELIO_HOME`, `HELIO_PIPELINES`, `HELIO_CDAWEB_URL` and the sandbox's, with the design's defaults.

        Raises
        ------
        InputError
            A folder cannot be one, or a limit or the URL cannot be used.
        """
        home = _folder("HELIO_HOME", environment.get("HELIO_HOME") or ".helio", working_directory)
        if _NOT_IN_A_DATABASE_URL.search(str(home)):
            hint = "Name the folder without ? and without % before two digits: they mean something else in a database's URL."
            raise InputError(f"HELIO_HOME cannot hold Dagster's databases: {home}", hint=hint)
        beside = working_directory / "pipelines"
        default = beside if beside.is_dir() else home / "pipelines"
        given = environment.get("HELIO_PIPELINES")
        url = environment.get("HELIO_CDAWEB_URL") or CDAWEB_URL
        record = environment.get(POSTGRES_VARIABLE)
        postgres, dispatch = postgres_address(record) if record else None, Dispatch.from_environment(environment)
        if dispatch is not None and postgres is None:
            hint = "Set record.postgres, or HELIO_RECORD_POSTGRES: workers share one record, and SQLite cannot be shared."
            raise InputError("workers need a record in PostgreSQL", where=BROKER_VARIABLE, hint=hint)
        return cls(
            home=home,
            pipelines=_folder("HELIO_PIPELINES", given, working_directory) if given else default.absolute(),
            cdaweb_url=url if url.endswith("/") else f"{url}/",
            spice_url=environment.get("HELIO_SPICE_URL") or "",
            pds_url=environment.get("HELIO_PDS_URL") or "",
            swpc_url=environment.get("HELIO_SWPC_URL") or "",
            code_limits=SandboxLimits.from_environment(environment),
            allow_weak_sandbox=is_weak_allowed(environment),
            transfers=TransferLimits.from_environment(environment),
            postgres=postgres,
            dispatch=dispatch,
            tables=object_address(environment[TABLES_VARIABLE]) if environment.get(TABLES_VARIABLE) else None,
            own_files=tuple(
                _folder(OWN_FILES_VARIABLE, each, working_directory)
                for each in environment.get(OWN_FILES_VARIABLE, "").split(os.pathsep)
                if each
            ),
            commit_pipelines=_is_true(COMMIT_VARIABLE, environment.get(COMMIT_VARIABLE, "")),
            requests=requests_file(environment),
        )

    def to_environment(self) -> dict[str, str]:
        """The variables by which another process has the same settings, whatever files it finds."""
        limits = {f"HELIO_CODE_{name.upper()}": str(value) for name, value in self.code_limits.model_dump().items()}
        return {
            "HELIO_HOME": str(self.home),
            "HELIO_PIPELINES": str(self.pipelines),
            "HELIO_CDAWEB_URL": self.cdaweb_url,
            "HELIO_SPICE_URL": self.spice_url,
            "HELIO_PDS_URL": self.pds_url,
            "HELIO_SWPC_URL": self.swpc_url,
            "HELIO_ALLOW_WEAK_SANDBOX": str(int(self.allow_weak_sandbox)),
            DEADLINE_VARIABLE: str(self.transfers.deadline_s),
            RATE_VARIABLE: str(self.transfers.least_bytes_per_s),
            POSTGRES_VARIABLE: self.postgres or NONE,
            TABLES_VARIABLE: self.tables or IN_THE_HOME,
            COMMIT_VARIABLE: str(int(self.commit_pipelines)),
            OWN_FILES_VARIABLE: os.pathsep.join(map(str, self.own_files)),
            BROKER_VARIABLE: self.dispatch.broker if self.dispatch else THIS_PROCESS,
            **({PARTITIONS_VARIABLE: str(self.dispatch.partitions)} if self.dispatch else {}),
            **({AT_ONCE_VARIABLE: str(self.dispatch.at_once)} if self.dispatch else {}),
            **limits,
        }

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
        """Folder of the saved conversations."""
        return self.home / "sessions"

    @property
    def history(self) -> Path:
        """The lines that a person typed in conversations."""
        return self.home / "history"

    @property
    def logs(self) -> Path:
        """What commands did, and what the processes of the web UI said."""
        return self.home / "logs"

    @property
    def instance(self) -> Path:
        """The Dagster instance."""
        return self.home / "dagster"

    @property
    def record_place(self) -> str:
        """Where Dagster's record is, for messages."""
        return str(self.instance) if self.postgres is None else f"PostgreSQL ({place_of(self.postgres)})"

    @property
    def running(self) -> Path:
        """One locked file per process that runs a pipeline."""
        return self.instance / "running"


def _is_true(setting: str, given: str) -> bool:
    value = given.strip().casefold()
    if value not in ("", "0", "no", "false", "1", "yes", "true"):
        raise InputError(f"{setting}={given[:40]} is neither yes nor no", hint=f"Set {setting} to 1 or 0.")
    return value in ("1", "yes", "true")


def _folder(setting: str, given: str, working_directory: Path) -> Path:
    """The absolute path that a setting names; `~` is the person's own folder."""
    if _URL.match(given):
        hint = "Give a folder of this machine. Tables alone may be in an object store: set tables.url, or HELIO_TABLES."
        raise InputError(f"{setting} is a URL, which is not supported: {given}", hint=hint)
    if _NOT_IN_A_PATH.search(given):
        hint = "Name the folder in UTF-8 and without control characters."
        raise InputError(f"{setting} holds characters that cannot be stored: {given!r}", hint=hint)
    try:
        path = (working_directory / Path(given).expanduser()).absolute()
    except RuntimeError as error:  # no such person
        raise InputError(f"{setting} cannot be used: {error}", hint="Give the folder's whole path.") from None
    size = len(str(path).encode())
    if size > LONGEST_HOME_BYTES or any(len(part.encode()) > 255 for part in path.parts):
        hint = f"Give one of at most {LONGEST_HOME_BYTES} bytes, and 255 between two slashes."
        raise InputError(f"{setting} names a folder of {size} bytes, which is too long: {str(path)[:60]}…", hint=hint)
    return path
