"""The page that web servers make of a folder, read as what the folder holds."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from html.parser import HTMLParser
from typing import NamedTuple
from urllib.parse import unquote, urljoin, urlsplit

_DATES = (
    (re.compile(r"(\d{4}-\d{2}-\d{2}) (\d{2}:\d{2})"), "%Y-%m-%d %H:%M"),
    (re.compile(r"(\d{2}-[A-Z][a-z]{2}-\d{4}) (\d{2}:\d{2})"), "%d-%b-%Y %H:%M"),
)
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]{0,200}")


class Entry(NamedTuple):
    """A file or folder in a folder: its name, and its date as ISO text, empty where the page has none."""

    name: str
    last_modified: str
    is_folder: bool = False


def read_folder_page(text: str, folder: str, most: int) -> list[Entry]:
    """What a folder holds, in order of name; links that lead elsewhere do not count.

    Parameters
    ----------
    text
        The page.
    folder
        Its URL, with a slash at its end.
    most
        How many links are looked at.
    """
    links = _Links()
    links.feed(text)
    found: dict[str, Entry] = {}
    above = unquote(urlsplit(folder).path)
    for target, said in links.found[:most]:
        try:
            place = urljoin(folder, target)
            path = unquote(urlsplit(place).path)
        except ValueError:
            continue
        is_folder = path.endswith("/")
        name = path.rstrip("/").rpartition("/")[2] if is_folder else path.rpartition("/")[2]
        is_inside = place.startswith(folder) and path == f"{above}{name}{'/' if is_folder else ''}"
        if is_inside and "?" not in place and _NAME.fullmatch(name):
            found[name] = Entry(name, _date_in(said), is_folder)
    return [found[name] for name in sorted(found)]


class _Links(HTMLParser):
    """The links of a page, each with the text up to the next one, where servers write date and size."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, str]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        target = dict(attrs).get("href") if tag == "a" else None
        if target:
            self.found.append((target, ""))

    def handle_data(self, data: str) -> None:
        if self.found:
            target, text = self.found[-1]
            self.found[-1] = (target, f"{text} {data}"[:500])


def _date_in(text: str) -> str:
    for pattern, form in _DATES:
        match = pattern.search(text)
        if match is not None:
            try:
                moment = datetime.strptime(f"{match[1]} {match[2]}", form).replace(tzinfo=UTC)
            except ValueError:
                continue
            return f"{moment:%Y-%m-%dT%H:%M}:00.000Z"
    return ""
