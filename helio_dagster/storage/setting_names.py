"""All settings: their names in a settings file and in the environment, and what they mean. `settings_files` reads them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Kind = Literal["text", "number", "whole number", "true or false"]


@dataclass(frozen=True)
class SettingName:
    """One setting.

    `is_personal` ones are not taken from a folder's file, which may come from somebody else. Addresses
    with `names_user` may hold the name of a user, which is not a secret. In a file, `is_place` ones may name an environment
    variable instead of a value, as {env = "NAME"}.
    """

    key: str
    variable: str
    kind: Kind
    default: str
    meaning: str
    is_personal: bool = False
    names_user: bool = False
    is_place: bool = False


SETTING_NAMES = (
    SettingName(
        "home",
        "HELIO_HOME",
        "text",
        ".helio",
        "folder of data, caches, figures, conversations and Dagster's record",
        is_place=True,
    ),
    SettingName(
        "pipelines",
        "HELIO_PIPELINES",
        "text",
        "pipelines/ if it exists, else in the home",
        "folder of the pipeline files",
        is_place=True,
    ),
    SettingName(
        "commit_pipelines",
        "HELIO_COMMIT_PIPELINES",
        "true or false",
        "false",
        "commit what is approved, copied, renamed, imported or deleted to the git repository of the pipelines",
        is_personal=True,
    ),
    SettingName(
        "cdaweb_url", "HELIO_CDAWEB_URL", "text", "CDAWeb", "address of another CDAS server, up to and with …/sp_phys/"
    ),
    SettingName(
        "spice_url", "HELIO_SPICE_URL", "text", "the missions' servers", "mirror of SPICE kernels, with each server as a folder"
    ),
    SettingName("pds_url", "HELIO_PDS_URL", "text", "the PDS PPI node", "mirror of the PDS PPI node, with its folder data/"),
    SettingName(
        "swpc_url", "HELIO_SWPC_URL", "text", "NOAA SWPC", "mirror of SWPC's real-time data, with its folder products/"
    ),
    SettingName(
        "own_files",
        "HELIO_OWN_FILES",
        "text",
        "",
        "further folders, with : between them, in which pipelines may read files of your own",
        is_personal=True,
    ),
    SettingName(
        "servers",
        "HELIO_SERVERS",
        "text",
        "",
        "names for homes that are served elsewhere, for --on: a table [servers] of addresses; in the environment name=address",
        is_personal=True,
    ),
    SettingName(
        "record.postgres",
        "HELIO_RECORD_POSTGRES",
        "text",
        "SQLite in the home",
        "PostgreSQL database of Dagster's record, as postgresql://user@host/database, without a password",
        names_user=True,
        is_place=True,
    ),
    SettingName(
        "tables.url",
        "HELIO_TABLES",
        "text",
        "a folder in the home",
        "place of the tables in an object store, as s3://bucket/folder, without keys",
        is_place=True,
    ),
    SettingName(
        "runs.broker",
        "HELIO_RUNS_BROKER",
        "text",
        "runs stay in their process",
        "Redis or RabbitMQ that gives runs to workers, as redis://host:6379/0, without a password",
        names_user=True,
        is_place=True,
    ),
    SettingName("runs.partitions", "HELIO_RUNS_PARTITIONS", "whole number", "90", "most partitions of one run on a worker"),
    SettingName(
        "runs.at_once", "HELIO_RUNS_AT_ONCE", "whole number", "4", "runs in progress at a time: as many as the workers can do"
    ),
    SettingName("model.name", "HELIO_MODEL", "text", "", "language model that plans, as provider:model"),
    SettingName(
        "model.small",
        "HELIO_MODEL_SMALL",
        "text",
        "a cheap one of the provider",
        "model for questions that need no data, or none",
    ),
    SettingName(
        "model.fallback", "HELIO_MODEL_FALLBACK", "text", "", "model to ask while another is overloaded or out of reach"
    ),
    SettingName(
        "model.url", "HELIO_MODEL_URL", "text", "the provider's", "address of the server of model.name", is_personal=True
    ),
    SettingName("model.requests", "HELIO_MODEL_REQUESTS", "whole number", "16", "most requests to a model for one answer"),
    SettingName("model.tool_calls", "HELIO_MODEL_TOOL_CALLS", "whole number", "30", "most look-ups for one answer"),
    SettingName("model.tokens", "HELIO_MODEL_TOKENS", "whole number", "200000", "most tokens for one answer"),
    SettingName("model.seconds", "HELIO_MODEL_SECONDS", "whole number", "240", "longest time for one answer"),
    SettingName(
        "model.stream", "HELIO_MODEL_STREAM", "true or false", "true", "whether replies are read while they are written"
    ),
    SettingName(
        "model.calls", "HELIO_MODEL_CALLS", "text", "tools", "json for servers whose tool calls do not work, else tools"
    ),
    SettingName("model.temperature", "HELIO_MODEL_TEMPERATURE", "number", "the provider's", "randomness of a model, 0 to 2"),
    SettingName(
        "model.thinking",
        "HELIO_MODEL_THINKING",
        "text",
        "the provider's",
        "how much a model thinks: off, on, minimal, low, medium, high, xhigh or max",
    ),
    SettingName(
        "model.longest_answer",
        "HELIO_MODEL_LONGEST_ANSWER",
        "whole number",
        "the provider's",
        "most tokens of one reply, thinking included",
    ),
    SettingName("transfer.deadline_s", "HELIO_TRANSFER_DEADLINE_S", "number", "300", "longest time for one try of a download"),
    SettingName(
        "transfer.least_bytes_per_s",
        "HELIO_TRANSFER_LEAST_BYTES_PER_S",
        "number",
        "50000",
        "rate that a download must keep after that time",
    ),
    SettingName("code.cpu_s", "HELIO_CODE_CPU_S", "number", "120", "processor time of one call of a step's code"),
    SettingName("code.wall_s", "HELIO_CODE_WALL_S", "number", "180", "longest time of one call"),
    SettingName("code.memory_bytes", "HELIO_CODE_MEMORY_BYTES", "whole number", "4294967296", "memory of one call"),
    SettingName("code.result_bytes", "HELIO_CODE_RESULT_BYTES", "whole number", "536870912", "size of a result"),
    SettingName("code.result_columns", "HELIO_CODE_RESULT_COLUMNS", "whole number", "4096", "columns of a result"),
    SettingName(
        "code.printed_bytes", "HELIO_CODE_PRINTED_BYTES", "whole number", "65536", "how much of what code prints is kept"
    ),
    SettingName("code.source_bytes", "HELIO_CODE_SOURCE_BYTES", "whole number", "200000", "size of a step's code"),
    SettingName(
        "code.allow_weak_sandbox",
        "HELIO_ALLOW_WEAK_SANDBOX",
        "true or false",
        "false",
        "run code although this machine cannot confine it",
        is_personal=True,
    ),
)
