"""The lines of a text file, in blocks of bounded size: which hold records, where they stand, what their fields are."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import BinaryIO

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from helio_dagster.archives.own.foreign_text import other_delimiter, other_format
from helio_dagster.archives.own.number_text import is_missing, number_hint, plain_numbers
from helio_dagster.domain.did_you_mean import remedy
from helio_dagster.domain.errors import OwnFileError
from helio_dagster.domain.own_files import OwnFileFields

BLOCK_BYTES = 8 * 2**20
LONGEST_LINE = 2**20
_SHOWN = 256
_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True)
class Heading:
    """The names of a text file's columns, where its records begin (bytes), on which line, and the line that says the names."""

    names: tuple[str, ...]
    start: int
    line: int
    text: bytes


@dataclass(frozen=True)
class Lines:
    """Lines with records: their bytes, where each starts in the file, and its number, counted from 1."""

    content: bytes
    starts: NDArray[np.int64]
    numbers: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.starts)


class TextReader:
    """Reads the lines of one file by its description.

    Parameters
    ----------
    described
        The description.
    name, where
        What messages call the file, and its path.
    """

    def __init__(self, described: OwnFileFields, name: str, where: str) -> None:
        self._described, self._name, self._where = described, name, where
        layout = described.layout
        self._layout, self._encoding = layout, layout.encoding
        self._is_fixed = described.file_format == "fixed"

    def fault(self, problem: str, hint: str = "", *, line: int = 0) -> OwnFileError:
        """The error for something in the file."""
        place = f"{self._name}, line {line}" if line else self._name
        return OwnFileError(f"{place}: {problem}", where=self._where, hint=hint)

    def heading(self, file: BinaryIO) -> Heading:
        """Read the top of the file, up to its first record.

        Raises
        ------
        OwnFileError
            It is not text, or has no names for its columns.
        """
        file.seek(0)
        start = file.read(32)
        if (foreign := other_format(start.removeprefix(_BOM))) is not None:
            raise self.fault(*foreign)
        file.seek(len(_BOM) if start.startswith(_BOM) else 0)
        number = 0
        for _ in range(self._layout.skip):
            number += 1
            if not self._line(file, number):
                raise self.fault(f"it has fewer than the {self._layout.skip} lines that `skip` passes over", "Correct `skip`.")
        if self._layout.names is not None:
            return Heading(tuple(self._layout.names), file.tell(), number + 1, b"")
        while line := self._line(file, number := number + 1):
            text = self._decoded(line, number).strip("\r\n")
            mark = self._layout.comment
            if not text.strip() or (mark and text.startswith(mark)):
                continue
            names = tuple(self._split(text, number))
            repeated = sorted(name for name, count in Counter(names).items() if count > 1)
            if repeated == [""]:
                raise self.fault("two columns have no name", "Name them, or give `names` under `text`.", line=number)
            if repeated:
                raise self.fault(
                    f"two columns are called {repeated[0]!r}", "Rename one, or give `names` under `text`.", line=number
                )
            return Heading(names, file.tell(), number + 1, line)
        raise self.fault("the file is empty", "Write records into it, or leave it out.")

    def places_of(self, wanted: Sequence[str], heading: Heading) -> list[int]:
        """Where columns stand among those of the file; OwnFileError for one that is not there."""
        for name in wanted:
            if name not in heading.names:
                hint = other_delimiter(heading.names, name) or remedy(name, heading.names, what="Its columns")
                raise self.fault(f"it has no column {name!r}", hint, line=heading.line - 1 if heading.text else 0)
        return [heading.names.index(name) for name in wanted]

    def blocks(self, file: BinaryIO, heading: Heading) -> Iterator[Lines]:
        """All records, in blocks of whole lines."""
        file.seek(heading.start)
        offset, number, rest = heading.start, heading.line, b""
        while block := file.read(BLOCK_BYTES):
            block = rest + block
            stop = block.rfind(b"\n") + 1
            if not stop and len(block) > LONGEST_LINE:
                self._require_text(block, number)
                raise self.fault("a line has more than a million bytes", "Is it text with lines?", line=number)
            rest, block = block[stop:], block[:stop]
            yield self.lines(block, offset, number)
            offset, number = offset + stop, number + block.count(b"\n")
        if rest:
            yield self.lines(rest, offset, number)

    def lines(self, block: bytes, offset: int, number: int) -> Lines:
        """The lines of a block that hold records; blank lines and comments do not.

        Raises
        ------
        OwnFileError
            A line is not in the encoding, or holds what text does not.
        """
        self._require_text(block, number)
        self._decoded(block, number)
        data = np.frombuffer(block, dtype=np.uint8)
        stops = np.flatnonzero(data == 10) + 1
        if len(block) and not block.endswith(b"\n"):
            stops = np.append(stops, len(block))
        starts = np.concatenate([np.zeros(min(1, len(stops)), dtype=np.int64), stops[:-1]])
        numbers = np.arange(number, number + len(starts), dtype=np.int64)
        lengths = stops - starts
        is_blank = (lengths <= 2) & np.isin(data[starts], (10, 13)) if len(starts) else np.zeros(0, dtype=bool)
        if self._layout.comment and len(starts):
            is_blank |= data[starts] == ord(self._layout.comment)
        for place in (
            np.flatnonzero(np.isin(data[starts], (32, 9))) if len(starts) and self._described.delimiter != "space" else []
        ):
            is_blank[place] = not block[starts[place] : stops[place]].strip()
        if is_blank.any():
            keep = ~is_blank
            block = b"".join(block[start:stop] for start, stop in zip(starts[keep], stops[keep], strict=True))
            starts, numbers = starts[keep], numbers[keep]
        return Lines(block, starts + offset, numbers)

    def frame(self, lines: Lines, heading: Heading, places: Sequence[int], *, is_whole: bool = True) -> pd.DataFrame:
        """Some columns of the lines as text, a row each.

        Parameters
        ----------
        places
            Which columns, by their place in the file; the frame has them in this order, named by number.
        is_whole
            Whether to count the fields of each line.

        Raises
        ------
        OwnFileError
            A line has other fields than the file's columns.
        """
        if not len(lines):
            return pd.DataFrame({place: pd.Series(dtype="string[pyarrow]") for place in range(len(places))})
        if is_whole:
            self._require_fields(lines, heading)
        found = self._fixed(lines, places) if self._is_fixed else self._delimited(lines, heading, places)
        if len(found) != len(lines):
            raise self.fault(
                "a field goes on over several lines, or a quotation mark is not closed",
                "Write each record on one line.",
                line=int(lines.numbers[_first_odd(lines, len(found))]),
            )
        found.columns = pd.RangeIndex(len(places))
        return found

    def numbers(self, values: pd.Series, lines: Lines, name: str) -> NDArray[np.float64]:
        """A column as numbers, float64, shape (record,), NaN where it says nothing.

        Raises
        ------
        OwnFileError
            A field is not a number.
        """
        text = plain_numbers(values, self._layout)
        try:
            found = text.to_numpy(dtype=np.float64, na_value=np.nan)
            if not np.isinf(found).any():
                return found
        except ValueError:
            found = pd.to_numeric(text, errors="coerce").to_numpy(dtype=np.float64)
        found[np.isinf(found)] = np.nan
        bad = np.isnan(found) & ~text.isna().to_numpy()
        bad &= ~is_missing(values).to_numpy(dtype=bool, na_value=False)
        if bad.any():
            row = int(bad.argmax())
            given = str(values.iloc[row])[:60]
            raise self.fault(f"the {name} {given!r} is not a number", number_hint(given), line=int(lines.numbers[row]))
        return found

    def _require_fields(self, lines: Lines, heading: Heading) -> None:
        """Whether each line has as many fields as there are columns; lines with quotation marks are left to the parser."""
        if self._is_fixed or b'"' in lines.content:
            return
        data = np.frombuffer(lines.content, dtype=np.uint8)
        ends = np.flatnonzero(data == 10)
        starts = np.concatenate([[0], ends + 1])[: len(lines)]
        if self._described.delimiter == "space":
            is_space = np.isin(data, (32, 9, 10, 13))
            marks = ~is_space & np.concatenate([[True], is_space[:-1]])
        else:
            marks = data == ord(self._described.delimiter)
        counts = np.add.reduceat(marks.astype(np.int64), starts) + (self._described.delimiter != "space")
        if self._described.delimiter != "space" and (counts != len(heading.names)).any() and heading.text:
            counts = np.where(counts == len(heading.names) + self._is_trailing(lines, starts), len(heading.names), counts)
        wrong = counts != len(heading.names)
        if wrong.any():
            row = int(wrong.argmax())
            problem = f"it has {counts[row]} fields, and the file {len(heading.names)} columns"
            hint = "Correct the line; perhaps the file was cut off."
            if counts[row] < len(heading.names) and self._described.delimiter == "space":
                hint = "If columns of fixed widths touch, give `format: fixed`, with `names` and `widths` under `text`. " + hint
            if counts[row] > len(heading.names) and self._described.delimiter == ",":
                hint = "Correct the line. Numbers with a decimal comma need another delimiter between columns."
            first = lines.content[starts[row] : starts[row] + 1].decode("ascii", errors="replace")
            if first in ("#", "%", "!") and self._layout.comment != first:
                hint = f"If it is a remark, give `comment: '{first}'` under `text`."
            other = next((each for each in (";", "\t", "|", ",") if len(heading.names) == 1 and each in heading.names[0]), None)
            if other is not None:
                hint = f"Its names are separated by {other!r}, its records are not: write one delimiter in all lines."
            raise self.fault(problem, hint, line=int(lines.numbers[row]))

    def _is_trailing(self, lines: Lines, starts: NDArray[np.int64]) -> NDArray[np.int64]:
        """1 for each line that ends in a delimiter, which some programs write after the last field."""
        data = np.frombuffer(lines.content, dtype=np.uint8)
        stops = np.append(starts[1:], len(data)) - 1
        stops = np.where(data[stops] == 10, stops - 1, stops)
        stops = np.where(data[stops] == 13, stops - 1, stops)
        found: NDArray[np.int64] = (data[stops] == ord(self._described.delimiter)).astype(np.int64)
        return found

    def _delimited(self, lines: Lines, heading: Heading, places: Sequence[int]) -> pd.DataFrame:
        separator = r"\s+" if self._described.delimiter == "space" else self._described.delimiter
        try:
            found = pd.read_csv(
                io.BytesIO(lines.content),
                sep=separator,
                header=None,
                names=list(range(len(heading.names))),
                usecols=sorted(set(places)),
                dtype="string[pyarrow]",
                encoding=self._encoding,
                skipinitialspace=True,
                index_col=False,
                skip_blank_lines=False,
                na_values=["*"],
                engine="c",
            )
        except (ValueError, pd.errors.ParserError) as error:
            self._require_fields(lines, heading)
            found_line = re.search(r"line (\d+)", str(error))
            row = min(int(found_line[1]) - 1, len(lines) - 1) if found_line else 0
            what = "a quotation mark is not closed, or a field" if b'"' in lines.content else "a field"
            problem = f"{what} cannot be told from the next"
            raise self.fault(
                problem, "Write each record on one line, and check the delimiter.", line=int(lines.numbers[row])
            ) from None
        return found[list(places)]

    def _fixed(self, lines: Lines, places: Sequence[int]) -> pd.DataFrame:
        stops = np.cumsum(self._layout.widths or [])
        starts = np.concatenate([[0], stops[:-1]]).astype(np.int64)
        text = lines.content.decode(self._encoding).splitlines()
        columns = {}
        for place in places:
            fields = [line[starts[place] : stops[place]].strip() or None for line in text]
            columns[place] = pd.Series(fields, dtype="string[pyarrow]")
        return pd.DataFrame(columns)

    def _split(self, text: str, number: int) -> list[str]:
        if self._is_fixed:
            raise self.fault("columns of fixed widths need `names` and `widths`", "Give both under `text`.", line=number)
        if self._described.delimiter == "space":
            return text.split()
        (row,) = csv.reader([text], delimiter=self._described.delimiter, skipinitialspace=True)
        return [name.strip() for name in row]

    def _line(self, file: BinaryIO, number: int) -> bytes:
        line = file.readline(LONGEST_LINE)
        if len(line) == LONGEST_LINE:
            self._require_text(line, number)
            raise self.fault("a line has more than a million bytes", "Is it text with lines?", line=number)
        self._require_text(line, number)
        if b"\r" in line.rstrip(b"\r\n"):
            raise self.fault(
                "its lines end in carriage returns alone", "Save it with line feeds, as editors do today.", line=number
            )
        return line

    def _require_text(self, block: bytes, number: int) -> None:
        """Refuse zero bytes, which no text in the encodings that are read has; `number` is that of the first line."""
        if b"\0" not in block:
            return
        line = number + block.count(b"\n", 0, block.index(b"\0"))
        if _is_utf_16(block[:_SHOWN]):
            raise self.fault("every other byte is zero, as in UTF-16", "Save it as UTF-8.", line=line)
        raise self.fault("it holds a zero byte, so it is not text", "Was it cut off, or is it binary?", line=line)

    def _decoded(self, content: bytes, number: int) -> str:
        if content.isascii():
            return content.decode("ascii") if len(content) < LONGEST_LINE else ""
        try:
            return content.decode(self._encoding)
        except UnicodeDecodeError as error:
            line = number + content.count(b"\n", 0, error.start)
            problem = f"it is not {self._encoding.upper()}: byte {content[error.start]:#04x}"
            raise self.fault(problem, "Save it as UTF-8, or give `encoding: latin-1` under `text`.", line=line) from None


def _is_utf_16(top: bytes) -> bool:
    """Whether every other byte is zero, as in UTF-16 without a mark at its beginning."""
    shares = sorted(part.count(0) / max(1, len(part)) for part in (top[::2], top[1::2]))
    return shares[0] < 0.3 and shares[1] > 0.7


def _first_odd(lines: Lines, otherwise: int) -> int:
    """The first line with a quotation mark that another line closes; another place if there is none."""
    counts = [line.count(b'"') % 2 for line in lines.content.split(b"\n")[: len(lines)]]
    return counts.index(1) if 1 in counts else min(otherwise, len(lines) - 1)
