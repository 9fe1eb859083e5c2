"""Read a file of requests; every fault is named with its file, line and path."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path as FilePath

from pydantic import ValidationError

from helio_dagster.agent.evaluation.known_answers import Quantity, RequestFile
from helio_dagster.domain.did_you_mean import remedy
from helio_dagster.domain.errors import InputError, Problem, RequestFileError
from helio_dagster.domain.validation_messages import PlainFault, plain_faults
from helio_dagster.domain.yaml.document import Path, Value, YamlFault, format_path, read_yaml
from helio_dagster.storage.small_files import read_small_file

SHIPPED = FilePath(__file__).with_name("requests.yaml")
"""The requests that come with the package."""
_BEGIN = "Begin with `requests:` and a list; `helio eval` without FILE uses the shipped one."


def read_requests(path: FilePath = SHIPPED) -> RequestFile:
    """The requests in a YAML file.

    Raises
    ------
    InputError
        The file cannot be read.
    RequestFileError
        It is not a file of requests: line, path, what is wrong and what to do.
    """
    try:
        text = read_small_file(path).decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise InputError(f"{path} cannot be read: {reason}", hint="Give a YAML file of requests.") from None
    return parse_requests(text, file=str(path))


def parse_requests(text: str, *, file: str) -> RequestFile:
    """The requests in a YAML text; `file` is its name, for errors.

    Raises
    ------
    RequestFileError
        The text is not a file of requests.
    """
    try:
        document = read_yaml(text)
    except YamlFault as fault:
        raise RequestFileError([Problem(file, fault.line, fault.path, fault.problem, fault.hint)]) from None
    if not isinstance(document.value, dict):
        problem = "the file is empty" if document.value is None else "a file of requests is a mapping of keys"
        raise RequestFileError([Problem(file, 1, "", problem, _BEGIN)])
    try:
        read = RequestFile.model_validate(document.value)
    except ValidationError as error:
        faults = {_inside(document.value, at.path): at for at in plain_faults(error, RequestFile)}
    else:
        faults = dict(_unknown_lists(read))
    if faults:
        found = [Problem(file, document.line(path), format_path(path), at.problem, at.hint) for path, at in faults.items()]
        raise RequestFileError(sorted(found, key=lambda problem: problem.line))
    return read


def _inside(value: Value, path: Path) -> Path:
    """The path without the parts that name a kind of value, not a place in the document."""
    inside: list[str | int] = []
    for part in path:
        if isinstance(value, dict):
            value = value.get(str(part))
        elif isinstance(value, list) and isinstance(part, int):
            value = value[part]
        else:
            continue
        inside.append(part)
    return tuple(inside)


def _unknown_lists(read: RequestFile) -> Iterator[tuple[Path, PlainFault]]:
    for number, expectation in enumerate(read.requests):
        ways = expectation.ways or []
        fetches: list[tuple[Path, Sequence[Quantity]]] = [(("fetch",), expectation.fetch or [])]
        fetches += [(("ways", place, "fetch"), way.fetch) for place, way in enumerate(ways)]
        for path, fetch in fetches:
            for place, name in enumerate(fetch):
                if isinstance(name, str) and name not in read.lists:
                    fault = PlainFault((), f"there is no list {name!r}", remedy(name, read.lists, what="lists"))
                    yield ("requests", number, *path, place), fault
