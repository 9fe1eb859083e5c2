"""Settings files: `helio.toml` in the working directory, and a person's own. What they say becomes part of the environment.

The environment goes before the folder's file, and that before the person's. Values are judged where the environment's are.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from helio_dagster.domain.did_you_mean import remedy
from helio_dagster.domain.errors import InputError
from helio_dagster.domain.secrets import holds_secret
from helio_dagster.storage.setting_names import SETTING_NAMES, SettingName
from helio_dagster.storage.small_files import read_small_file

FILE_NAME = "helio.toml"
_LARGEST = 100_000
_BY_KEY = {name.key: name for name in SETTING_NAMES}
_TABLES = sorted({name.key.partition(".")[0] for name in SETTING_NAMES if "." in name.key})
_SECRET_KEY = re.compile(r"(?i)(^|[._-])(api[_-]?key|key|token|secret|password|passwd)s?$")
_USER = re.compile(r"(?<=://)[^/@:]*@")
_TYPES: dict[str, tuple[type, ...]] = {
    "text": (str,),
    "number": (int, float),
    "whole number": (int,),
    "true or false": (bool,),
}


@dataclass(frozen=True)
class Origin:
    """Where in a file a setting stands."""

    file: Path
    line: int | None
    key: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.key}" if self.line else f"{self.file}: {self.key}"


@dataclass(frozen=True)
class Configuration:
    """The environment with what the settings files add to it, and where in a file a variable comes from."""

    environment: Mapping[str, str]
    origins: Mapping[str, Origin]

    @contextmanager
    def placing_errors(self) -> Iterator[None]:
        """Name file, line and key in an error about a variable that a file has set."""
        try:
            yield
        except InputError as error:
            said = f"{error.where} {error.problem}"
            found = [each for variable, each in self.origins.items() if re.search(rf"\b{variable}\b", said)]
            if not found:
                raise
            raise InputError(error.problem, where=str(found[0]), hint=error.hint) from error


def read_configuration(environment: Mapping[str, str], working_directory: Path) -> Configuration:
    """The environment, completed by `helio.toml` in the working directory and in the person's configuration folder.

    Raises
    ------
    InputError
        A file cannot be read, holds a key that is not a setting, a value of another type, or a secret.
    """
    added: dict[str, str] = {}
    origins: dict[str, Origin] = {}
    for file, is_own in ((personal_file(environment), True), (working_directory / FILE_NAME, False)):
        for name, text, origin in _read(file, environment, is_own=is_own) if file is not None else ():
            if not environment.get(name.variable):
                added[name.variable], origins[name.variable] = text, origin
    return Configuration({**environment, **added}, origins)


def personal_file(environment: Mapping[str, str]) -> Path | None:
    """The person's own file, `~/.config/helio/helio.toml` or below `XDG_CONFIG_HOME`; None where they have no folder."""
    folder = _personal_folder(environment, "XDG_CONFIG_HOME", ".config")
    return folder / FILE_NAME if folder is not None else None


def requests_file(environment: Mapping[str, str]) -> Path | None:
    """What a person's processes lock while they ask an archive: `~/.cache/helio/requests.lock` or below `XDG_CACHE_HOME`."""
    folder = _personal_folder(environment, "XDG_CACHE_HOME", ".cache")
    return folder / "requests.lock" if folder is not None else None


def _personal_folder(environment: Mapping[str, str], variable: str, usual: str) -> Path | None:
    """Our folder of a kind; None where a person has no folder of their own."""
    given, home = environment.get(variable, ""), environment.get("HOME", "")
    if given.startswith("/"):
        return Path(given) / "helio"
    return Path(home) / usual / "helio" if home.startswith("/") else None


def _read(file: Path, environment: Mapping[str, str], *, is_own: bool) -> Iterator[tuple[SettingName, str, Origin]]:
    try:
        text = read_small_file(file, _LARGEST).decode("utf-8")
        values = tomllib.loads(text)
    except (FileNotFoundError, NotADirectoryError):
        return
    except OSError as error:
        raise InputError(f"the settings file cannot be read: {error.strerror or error}", where=str(file)) from None
    except UnicodeDecodeError:
        raise InputError("the settings file is not UTF-8 text", where=str(file)) from None
    except tomllib.TOMLDecodeError as error:
        hint = 'Write TOML: home = "data", or a table such as [model].'
        raise InputError(f"the settings file is not TOML: {error}", where=str(file), hint=hint) from None
    for key, value in _flat(values):
        origin = Origin(file, _line_of(key, text), key)
        value = _of_environment(key, value, origin, environment)
        name = _name(key, value, origin)
        if name.is_personal and not is_own:
            hint = f"A folder may come from somebody else: set it in your own file, or set {name.variable}."
            raise InputError(f"{key} is not taken from a folder's file", where=str(origin), hint=hint)
        yield name, _text(name, value, origin), origin


def _flat(values: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for key, value in values.items():
        if isinstance(value, dict) and key in _TABLES:
            yield from ((f"{key}.{inner}", each) for inner, each in value.items())
        elif isinstance(value, dict) and key == "servers":
            yield key, " ".join(f"{name}={address}" for name, address in value.items())
        else:
            yield key, value


def _of_environment(key: str, value: object, origin: Origin, environment: Mapping[str, str]) -> object:
    """The value of the environment variable that a file names in place of one; any other value as it is.

    A folder's file may come from somebody else, and must not have a key put where it is shown or sent.
    """
    if not isinstance(value, dict) or list(value) != ["env"] or key == "servers":
        return value
    named = _BY_KEY.get(key)
    if named is None or not named.is_place:
        places = ", ".join(name.key for name in SETTING_NAMES if name.is_place)
        raise InputError(f"{key} cannot be taken from another variable", where=str(origin), hint=f"These can be: {places}.")
    variable = value["env"]
    if not isinstance(variable, str) or not variable:
        raise InputError("env names no variable", where=str(origin), hint='Write {env = "NAME"}.')
    if _SECRET_KEY.search(variable):
        hint = "Keys and passwords are read from the variables of PostgreSQL, the object store and the broker themselves."
        raise InputError(f"{variable} is named as a key or password", where=str(origin), hint=hint)
    if not environment.get(variable):
        hint = f"Set {variable}, or write the value here."
        raise InputError(f"the environment variable {variable} is not set", where=str(origin), hint=hint)
    return environment[variable]


def _name(key: str, value: object, origin: Origin) -> SettingName:
    name = _BY_KEY.get(key)
    if name is None and _SECRET_KEY.search(key):
        hint = "Set it in the environment, as GOOGLE_API_KEY, and delete it here."
        raise InputError("a settings file holds no keys or passwords", where=str(origin), hint=hint)
    if name is None:
        last = key.partition(".")[2] or key
        likely = [each for each in _BY_KEY if each.partition(".")[2] == last]
        hint = f"Did you mean {' or '.join(likely)}?" if likely else remedy(key, [*_BY_KEY, *_TABLES], what="settings")
        raise InputError(f"there is no setting {key!r:.80}", where=str(origin), hint=hint)
    if isinstance(value, str) and holds_secret(_USER.sub("", value) if name.names_user else value):
        hint = "Set it in the environment, and delete it here."
        raise InputError(
            "the value looks like a key or password, which a settings file never holds", where=str(origin), hint=hint
        )
    return name


def _text(name: SettingName, value: object, origin: Origin) -> str:
    """A value as the environment would have it."""
    is_bool = isinstance(value, bool)
    if not isinstance(value, _TYPES[name.kind]) or is_bool != (name.kind == "true or false"):
        raise InputError(f"{name.key} must be {_article(name.kind)}, not {value!r:.60}", where=str(origin), hint=_example(name))
    return str(int(value)) if isinstance(value, bool) else str(value)


def _article(kind: str) -> str:
    return f"a {kind}" if "number" in kind else kind


def _example(name: SettingName) -> str:
    last = name.key.rpartition(".")[2]
    quoted = '"…"' if name.kind == "text" else name.default
    return f"Write {last} = {quoted}"


def _line_of(key: str, text: str) -> int | None:
    """The line where a key or table is written, found by its name; None where it is written in another way."""
    table = ""
    for number, line in enumerate(text.splitlines(), start=1):
        if header := re.match(r"\s*\[+\s*([^\]]+?)\s*\]", line):
            table = header[1]
            if table == key:
                return number
            continue
        written = re.match(r"\s*[\"']?([\w.-]+)[\"']?\s*=", line)
        if written and key == (f"{table}.{written[1]}" if table else written[1]):
            return number
    return None
