"""Read a list of events in any supported form, chosen by what the text holds, whatever the file is called."""

from __future__ import annotations

import re

from helio_dagster.domain.event_lists.delimited import read_delimited, separator_of
from helio_dagster.domain.event_lists.hapi_lists import read_hapi_csv
from helio_dagster.domain.event_lists.json_lists import read_json
from helio_dagster.domain.event_lists.listed import EventTableError, ListedRows
from helio_dagster.domain.event_lists.plain_lines import begins_with_time, read_lines
from helio_dagster.domain.event_lists.votable import read_votable

_AMDA = re.compile(r"^#.*(amda|time ?table|creation date|historic|intervals|parameter\s+\d+\s*:)", re.IGNORECASE | re.MULTILINE)


def read_list_text(text: str) -> ListedRows:
    """The rows of a list.

    XML is a VOTable; what begins with a brace or bracket is JSON; `#` lines of JSON are the header of a HAPI answer; lines that
    begin with a time have no header; everything else has one, and commas, tabs, semicolons or blanks between its names.

    Raises
    ------
    EventTableError
        The text is none of these, or something in it cannot be read.
    """
    begin = text.lstrip()[:1]
    if begin == "<":
        return read_votable(text.lstrip())
    if begin in ("{", "["):
        return read_json(text)
    comments, first, body = _split(text)
    line = next((each for each in body.splitlines() if each.strip() and not each.strip().startswith("#")), "")
    if comments.lstrip("# \n").startswith("{"):
        return read_hapi_csv(
            "\n".join(each.lstrip().removeprefix("#") for each in comments.splitlines()), body, first_line=first
        )
    if begins_with_time(line):
        return read_lines(body, first_line=first, amda=comments if _AMDA.search(comments) else None)
    if not line:
        raise EventTableError("the list is empty", line=1, hint="Write a header and one row a line, or start and stop a line.")
    separator = separator_of(line)
    if separator is None and " " in line.strip():
        place = body.index(line) + len(line)
        below = first + body[:place].count("\n") + 1
        return read_lines(body[place:].removeprefix("\n"), first_line=below, header=line.split())
    return read_delimited(body, separator or ",", first_line=first)


def _split(text: str) -> tuple[str, int, str]:
    """The `#` lines at the top, the line in which the rest begins, and the rest."""
    lines = text.split("\n")
    count = next((place for place, line in enumerate(lines) if line.strip() and not line.strip().startswith("#")), len(lines))
    return "\n".join(lines[:count]), count + 1, "\n".join(lines[count:])
