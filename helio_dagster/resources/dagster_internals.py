"""Everything of Dagster that helio relies on without it being public, and why. Nothing else imports Dagster's private modules.

A contract test holds each against the installed Dagster. What is public of `dagster_postgres` is imported where it is used.
"""

from __future__ import annotations

from dagster._check import CheckError
from dagster._config import StringSource
from dagster._core.code_pointer import ModuleCodePointer
from dagster._core.definitions.asset_checks.asset_check_evaluation import (
    AssetCheckEvaluationPlanned,
    AssetCheckEvaluationTargetMaterializationData,
)
from dagster._core.definitions.assets.definition.asset_spec import SYSTEM_METADATA_KEY_AUTO_CREATED_STUB_ASSET
from dagster._core.definitions.assets.graph.base_asset_graph import BaseAssetGraph
from dagster._core.definitions.data_version import (
    DATA_VERSION_IS_USER_PROVIDED_TAG,
    INPUT_EVENT_POINTER_TAG_PREFIX,
    NULL_DATA_VERSION,
    get_input_data_version_tag,
    get_input_event_pointer_tag,
)
from dagster._core.definitions.job_definition import default_job_io_manager_with_fs_io_manager_schema
from dagster._core.definitions.metadata import MetadataFieldSerializer, RawMetadataValue
from dagster._core.definitions.reconstruct import ReconstructableJob
from dagster._core.definitions.source_asset import SYSTEM_METADATA_KEY_SOURCE_ASSET_OBSERVATION
from dagster._core.definitions.unresolved_asset_job_definition import UnresolvedAssetJobDefinition
from dagster._core.definitions.utils import NoValueSentinel
from dagster._core.events import (
    ASSET_CHECK_EVENTS,
    ASSET_EVENTS,
    AssetMaterializationPlannedData,
    AssetObservationData,
    DagsterEvent,
    DagsterEventType,
    StepMaterializationData,
)
from dagster._core.execution.api import create_execution_plan
from dagster._core.execution.build_resources import get_mapped_resource_config
from dagster._core.execution.resources_init import get_transitive_required_resource_keys
from dagster._core.instance.ref import InstanceRef
from dagster._core.launcher import CheckRunHealthResult, LaunchRunContext, ResumeRunContext, WorkerStatus
from dagster._core.origin import JobPythonOrigin, RepositoryPythonOrigin
from dagster._core.remote_origin import RegisteredCodeLocationOrigin, RemoteJobOrigin, RemoteRepositoryOrigin
from dagster._core.storage.event_log.migration import ASSET_DATA_MIGRATIONS, EVENT_LOG_DATA_MIGRATIONS
from dagster._core.storage.event_log.schema import (
    AssetCheckExecutionsTable,
    AssetEventTagsTable,
    DynamicPartitionsTable,
    SqlEventLogStorageMetadata,
    SqlEventLogStorageTable,
)
from dagster._core.storage.event_log.sql_event_log import SqlEventLogStorage
from dagster._core.storage.event_log.sqlite import sqlite_event_log
from dagster._core.storage.event_log.sqlite.sqlite_event_log import INDEX_SHARD_NAME, SqliteEventLogStorage
from dagster._core.storage.runs.migration import OPTIONAL_DATA_MIGRATIONS as OPTIONAL_RUN_MIGRATIONS
from dagster._core.storage.runs.migration import REQUIRED_DATA_MIGRATIONS as REQUIRED_RUN_MIGRATIONS
from dagster._core.storage.runs.schema import RunStorageSqlMetadata
from dagster._core.storage.runs.sqlite.sqlite_run_storage import SqliteRunStorage
from dagster._core.storage.schedules.migration import OPTIONAL_SCHEDULE_DATA_MIGRATIONS as OPTIONAL_SCHEDULE_MIGRATIONS
from dagster._core.storage.schedules.migration import REQUIRED_SCHEDULE_DATA_MIGRATIONS as REQUIRED_SCHEDULE_MIGRATIONS
from dagster._core.storage.schedules.schema import ScheduleStorageSqlMetadata
from dagster._core.storage.schedules.sqlite.sqlite_schedule_storage import SqliteScheduleStorage
from dagster._core.storage.sql import get_alembic_config
from dagster._core.storage.sqlite import create_db_conn_string
from dagster._core.storage.tags import BACKFILL_ID_TAG
from dagster._core.types.dagster_type import DagsterTypeKind
from dagster._core.workspace.context import WorkspaceProcessContext, WorkspaceRequestContext
from dagster._core.workspace.load_target import GrpcServerTarget
from dagster._grpc.types import ResumeRunArgs
from dagster._serdes import ConfigurableClassData, pack_value, unpack_value
from dagster_shared.record import replace
from dagster_shared.serdes.serdes import _WHITELIST_MAP as WHITELIST_MAP

__all__ = [
    "ASSET_CHECK_EVENTS",  # kinds of events that the table of checks holds, too
    "ASSET_DATA_MIGRATIONS",  # what a new database need not migrate
    "ASSET_EVENTS",  # kinds of events that the index of assets holds
    "BACKFILL_ID_TAG",  # a backfill counts only what its own runs record
    "DATA_VERSION_IS_USER_PROVIDED_TAG",  # one data version per partition, where a public result has one for all
    "EVENT_LOG_DATA_MIGRATIONS",
    "INDEX_SHARD_NAME",  # the shard of all runs in the SQLite log
    "INPUT_EVENT_POINTER_TAG_PREFIX",  # what a partition was made from: tags as Dagster writes them
    "NULL_DATA_VERSION",
    "OPTIONAL_RUN_MIGRATIONS",
    "OPTIONAL_SCHEDULE_MIGRATIONS",
    "REQUIRED_RUN_MIGRATIONS",
    "REQUIRED_SCHEDULE_MIGRATIONS",
    "SYSTEM_METADATA_KEY_AUTO_CREATED_STUB_ASSET",  # how Dagster marks an asset that others depend on and nothing defines
    "SYSTEM_METADATA_KEY_SOURCE_ASSET_OBSERVATION",  # a body that logs its own events ends without a further one
    "WHITELIST_MAP",  # packing what a year's events share once
    "AssetCheckEvaluationPlanned",  # checks over a range have one row, and not one per partition that stays planned
    "AssetCheckEvaluationTargetMaterializationData",  # what a check of one partition looked at
    "AssetCheckExecutionsTable",
    "AssetEventTagsTable",  # the tags of a batch, without asking each event six times for its asset
    "AssetMaterializationPlannedData",
    "AssetObservationData",
    "BaseAssetGraph",  # a type only: what a condition sees of all assets
    "CheckError",  # a run that is part of no code location
    "CheckRunHealthResult",  # what a launcher of runs says of their workers
    "ConfigurableClassData",  # storages named in dagster.yaml
    "DagsterEvent",  # events logged to the instance itself, without Python's logging
    "DagsterEventType",
    "DagsterTypeKind",  # the type of a result, for the page
    "DynamicPartitionsTable",  # deleting a list's events together
    "GrpcServerTarget",  # Dagster's web UI over our code server
    "InstanceRef",  # an instance with what a run prints left to the terminal
    "JobPythonOrigin",  # where a worker finds the job of a run that was queued
    "LaunchRunContext",  # handing a run out again that the broker lost
    "MetadataFieldSerializer",
    "ModuleCodePointer",
    "NoValueSentinel",  # what Dagster checks against an asset's type where there is no value
    "RawMetadataValue",
    "ReconstructableJob",  # a worker loads the definitions anew for each run
    "RegisteredCodeLocationOrigin",  # where the daemon finds it
    "RemoteJobOrigin",
    "RemoteRepositoryOrigin",
    "RepositoryPythonOrigin",
    "ResumeRunArgs",  # what a worker is told of a run that it takes up
    "ResumeRunContext",
    "RunStorageSqlMetadata",  # creating tables without reading ninety migrations
    "ScheduleStorageSqlMetadata",
    "SqlEventLogStorage",  # the log that both storages share
    "SqlEventLogStorageMetadata",
    "SqlEventLogStorageTable",
    "SqliteEventLogStorage",
    "SqliteRunStorage",
    "SqliteScheduleStorage",
    "StepMaterializationData",
    "StringSource",
    "UnresolvedAssetJobDefinition",  # a type only
    "WorkerStatus",
    "WorkspaceProcessContext",
    "WorkspaceRequestContext",
    "create_db_conn_string",
    "create_execution_plan",  # a run of some steps of its assets
    "default_job_io_manager_with_fs_io_manager_schema",  # the IO manager of an asset that names none
    "get_alembic_config",
    "get_input_data_version_tag",
    "get_input_event_pointer_tag",
    "get_mapped_resource_config",  # what an IO manager is told of its configuration
    "get_transitive_required_resource_keys",  # what it requires, and what that requires
    "pack_value",
    "replace",
    "sqlite_event_log",
    "unpack_value",  # which run a message of the broker is about
]
