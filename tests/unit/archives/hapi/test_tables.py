"""Data answers as tables: CSV and binary alike, fills, bins, sizes; and what is refused."""

from __future__ import annotations

import json
import struct
from typing import Any

import numpy as np
import pytest

from helio_dagster.archives.hapi.messages import Info
from helio_dagster.archives.hapi.tables import read_answer
from helio_dagster.domain.errors import CorruptFile, InputError

TIME = {"name": "Time", "type": "isotime", "length": 20, "units": "UTC", "fill": None}
TIMES = ["2020-05-02T00:00:00Z", "2020-05-02T01:00:00Z", "2020-05-02T02:00:00Z"]


def header(*parameters: dict[str, Any], code: int = 1200) -> bytes:
    """A header as `include=header` gives it."""
    said = {"HAPI": "3.1", "status": {"code": code, "message": "OK"}, "parameters": [TIME, *parameters]}
    return "".join(f"#{line}\n" for line in json.dumps(said, indent=1).splitlines()).encode()


def csv(rows: list[list[Any]]) -> bytes:
    """Records as lines."""
    return "".join(f"{','.join(map(str, row))}\n" for row in rows).encode()


def read(body: bytes, name: str = "B", *, is_binary: bool = False) -> Any:
    """The table of an answer with a header."""
    return read_answer(body, name, info=Info(), is_binary=is_binary)


SCALAR = {"name": "B", "type": "double", "units": "nT", "fill": "-1e31", "description": "Field", "label": "|B|"}


def test_lines_and_binary_give_the_same_table() -> None:
    """Doubles, integers, vectors and texts beside them: not one bit of difference."""
    parameters: list[dict[str, Any]] = [
        {"name": "Flag", "type": "string", "length": 4, "units": None, "fill": None},
        {
            **SCALAR,
            "size": [3],
            "label": ["Bx", "By", "Bz"],
            "coordinateSystemName": "GSE",
            "vectorComponents": ["x", "y", "z"],
        },
        {"name": "N", "type": "integer", "units": None, "fill": "-1"},
    ]
    values = [("ok", [0.1, -1e31, 3.25], 5), ("a,b", [1 / 3, 2.0, -0.0], -1), ("", [1e-300, 5.5, 7.0], 2**31 - 1)]
    rows = [[t, f'"{flag}"', *map(repr, b), n] for t, (flag, b, n) in zip(TIMES, values, strict=True)]
    packed = b"".join(
        struct.pack("<20s4s3di", t.encode(), flag.encode(), *b, n) for t, (flag, b, n) in zip(TIMES, values, strict=True)
    )
    for name in ("B", "N"):
        lines, binary = read(header(*parameters) + csv(rows), name), read(header(*parameters) + packed, name, is_binary=True)
        assert lines.meta == binary.meta
        assert (lines.time == binary.time).all()
        for column in lines.columns:
            assert lines.columns[column].tobytes() == binary.columns[column].tobytes()
    vector = read(header(*parameters) + packed, is_binary=True)
    assert (vector.meta.kind, vector.meta.frame, vector.meta.unit) == ("vector", "GSE", "nT")
    assert np.isnan(vector.columns["By"]).tolist() == [True, False, False]
    numbers = read(header(*parameters) + packed, "N", is_binary=True).columns["N"]
    assert (numbers.dtype, numbers[0], np.isnan(numbers[1]), numbers[2]) == (np.dtype("f8"), 5, True, 2**31 - 1)


@pytest.mark.parametrize(
    ("fill", "kind", "sent", "expected"),
    [
        ("-1e31", "double", "-1.0E+31", np.nan),
        ("-1e31", "double", repr(float(np.float32(-1e31))), np.nan),
        ("NaN", "double", "NaN", np.nan),
        (None, "double", "", np.nan),
        (None, "double", "-1e31", -1e31),
        ("99999.0", "double", "99999", np.nan),
        (-999, "integer", "-999", np.nan),
        (None, "integer", "-999", -999),
        ("null", "integer", "7", 7),
    ],
)
def test_only_what_is_said_to_be_a_fill_is_one(fill: Any, kind: str, sent: str, expected: float) -> None:
    """As a text or a number, in double or what a single leaves of it."""
    table = read(header({**SCALAR, "type": kind, "fill": fill}) + csv([[TIMES[0], sent]]))
    assert table.columns["B"][0] == pytest.approx(expected, nan_ok=True)


def test_an_integer_without_fill_stays_one() -> None:
    """The dtype follows from the description alone."""
    assert read(header({**SCALAR, "type": "integer", "fill": None}) + csv([[TIMES[0], 5]])).columns["B"].dtype == np.dtype("i4")


def test_records_out_of_order_are_sorted_and_equal_ones_count_once() -> None:
    """No value is lost or chosen by that."""
    rows = [[TIMES[2], 3], [TIMES[0], 1], [TIMES[0], 1], [TIMES[1], 2]]
    table = read(header(SCALAR) + csv(rows))
    assert table.columns["B"].tolist() == [1, 2, 3]
    assert (np.diff(table.time) > np.timedelta64(0)).all()


@pytest.mark.parametrize(
    ("rows", "problem"),
    [
        ([[TIMES[0], 1], [TIMES[1], 2], [TIMES[0], 9]], "two records of 2020-05-02T00:00:00Z have different values"),
        ([[TIMES[0], 1], [TIMES[0], ""]], "different values"),
        ([[TIMES[0], "1e999"]], "infinite"),
        ([[TIMES[0], "-inf"]], "infinite"),
        ([[TIMES[0], 1], ["9999-12-31T23:59:59Z", 2]], "a record is of 9999-12-31"),
        ([["0000-01-01T00:00:00Z", 2]], "a record is of 0000-01-01"),
        ([["2020-05-02T00:00:00." + "0" * 100, 1]], "letters"),
    ],
)
def test_what_no_measurement_can_be_is_refused(rows: list[list[Any]], problem: str) -> None:
    """HAPI wants one record a time, a time in each, and a number or the fill value."""
    with pytest.raises(CorruptFile, match=problem):
        read(header(SCALAR) + csv(rows))


def test_an_infinite_fill_value_and_a_leap_second_are_no_faults() -> None:
    """Infinity may be what the server calls its fill; a leap second falls on the time of the second after it."""
    assert np.isnan(read(header({**SCALAR, "fill": "Infinity"}) + csv([[TIMES[0], "inf"]])).columns["B"]).all()
    leap = [["2016-12-31T23:59:60Z", 1], ["2017-01-01T00:00:00Z", 2]]
    assert read(header(SCALAR) + csv(leap)).columns["B"].tolist() == [1]


def test_binary_infinity_is_refused_as_well() -> None:
    """Both forms give the same table or none."""
    with pytest.raises(CorruptFile, match="infinite"):
        read(header(SCALAR) + struct.pack("<20sd", TIMES[0].encode(), np.inf), is_binary=True)


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        (header(SCALAR, SCALAR) + csv([[TIMES[0], 1, 2]]), "twice"),
        (header({**SCALAR, "size": [2] * 17}), "not HAPI's"),
        (header({**SCALAR, "name": "C", "size": [2**18]}, SCALAR) + csv([[TIMES[0], 1, 2]]), "values a record"),
        pytest.param(b"#\n" * 3_000_000, "longer than any", marks=pytest.mark.slow),
    ],
    ids=["twice", "axes", "width", "header"],
)
def test_a_header_beyond_reason_is_refused(body: bytes, problem: str) -> None:
    """Before memory is taken for it."""
    with pytest.raises(CorruptFile, match=problem):
        read(body)


BINS = {"name": "energy", "units": "eV", "label": "Energy"}
SPECTRUM = {**SCALAR, "name": "J", "size": [5], "label": "Flux"}


@pytest.mark.parametrize(
    ("bins", "centers", "scale"),
    [
        ({"centers": [1, 10, 100, 1000, 10000]}, (1, 10, 100, 1000, 10000), "log"),
        ({"centers": [10, 20, 30, 40, 50]}, (10, 20, 30, 40, 50), "linear"),
        ({"ranges": [[0, 2], [2, 4], [4, 6], [6, 8], [8, 10]]}, (1, 3, 5, 7, 9), "linear"),
        ({"centers": None, "ranges": [[0, 2], [2, 4], [4, 6], [6, 8], [8, 10]]}, (1, 3, 5, 7, 9), "linear"),
        ({"centers": [1, None, 3, 4, 5]}, (1, 3, 4, 5), "linear"),
    ],
)
def test_bins_are_the_axis_of_a_spectrogram(bins: dict[str, Any], centers: tuple[float, ...], scale: str) -> None:
    """From centers, else from ranges; a channel without a place on the axis is left out."""
    table = read(header({**SPECTRUM, "bins": [{**BINS, **bins}]}) + csv([[TIMES[0], 1, 2, 3, 4, 5]]), "J")
    assert table.meta.kind == "spectrogram"
    assert table.meta.bins is not None
    assert (table.meta.bins.centers, table.meta.bins.unit, table.meta.bins.label) == (centers, "eV", "Energy")
    assert table.meta.bins.scale == scale
    assert len(table.columns) == len(centers)


def test_bins_that_vary_lie_in_the_same_table() -> None:
    """`centers` may name a parameter, which is asked for with it."""
    spectrum = {**SPECTRUM, "bins": [{**BINS, "centers": "E"}]}
    energies = {**SPECTRUM, "name": "E", "units": "eV"}
    asked = Info.model_validate({"parameters": [TIME, energies, spectrum, SCALAR]}).with_bins("J")
    assert [each.name for each in asked] == ["E", "J"]
    table = read(header(energies, spectrum) + csv([[TIMES[0], *range(10)], [TIMES[1], *range(10, 20)]]), "J")
    assert table.meta.data_names == ("J_1", "J_2", "J_3", "J_4", "J_5")
    assert table.meta.bin_names == ("E_1", "E_2", "E_3", "E_4", "E_5")
    assert [table.columns["J_1"].tolist(), table.columns["E_1"].tolist()] == [[5, 15], [0, 10]]


def test_two_axes_without_numbers_are_flattened() -> None:
    """The last axis runs fastest, and a column's name tells its place."""
    table = read(header({**SCALAR, "size": [2, 2]}) + csv([[TIMES[0], 1, 2, 3, 4]]))
    assert {name: values[0] for name, values in table.columns.items()} == {"B_1_1": 1, "B_1_2": 2, "B_2_1": 3, "B_2_2": 4}
    assert table.meta.kind == "vector"


@pytest.mark.parametrize(
    ("parameter", "problem"), [({"type": "string", "length": 3}, "holds text"), ({"size": [5000]}, "5000")]
)
def test_what_can_be_no_table_is_refused(parameter: dict[str, Any], problem: str) -> None:
    """Texts, and more columns than a table can have."""
    with pytest.raises(InputError, match=problem):
        read(header({**SCALAR, **parameter}))


@pytest.mark.parametrize(
    "body",
    [
        b"",
        header(SCALAR, code=1201),
        b'{"HAPI": "2.0", "status": {"code": 1201, "message": "OK - no data"}}',
        b'{"HAPI": "3.0", "status": {"code": 1405, "message": "outside"}}',
    ],
)
def test_no_data_is_an_empty_table(body: bytes) -> None:
    """However a server says it."""
    assert len(read(body)) == 0


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        (header(SCALAR) + b"2020-05-02T00:00:00Z,1\n2020-05-02T01:00:00Z", "cut off"),
        (header(SCALAR) + b"2020-05-02T00:00:00Z,1,2\n", "not those of the header"),
        (header(SCALAR) + b"2020-05-02T00:00:00Z\n", "not those of the header"),
        (header(SCALAR) + b"2020-05-02T00:00:00Z,x\n", "not those of the header"),
        (header(SCALAR) + b"tomorrow,1\n", "is not a time"),
        (header({**SCALAR, "type": "integer"}) + b"2020-05-02T00:00:00Z,3000000000\n", "32-bit integers"),
        (header(SCALAR)[:40], "cut off"),
        (b"#{no json\n", "not JSON"),
        (b'#{"parameters": 5}\n', "not HAPI's"),
        (header({**SCALAR, "size": [-1]}), "not HAPI's"),
        (header({**SCALAR, "size": [100000, 100000]}), "not HAPI's"),
        (header({**SCALAR, "name": "C"}), "has no B"),
        (header(SCALAR, code=1501), "an error in place of data"),
    ],
)
def test_what_does_not_fit_its_header_is_corrupt(body: bytes, problem: str) -> None:
    """Never a shorter or shifted table."""
    with pytest.raises(CorruptFile, match=problem):
        read(body)


def test_binary_that_is_cut_off_inside_a_record_is_corrupt() -> None:
    """At any byte."""
    packed = struct.pack("<20sd", TIMES[0].encode(), 1.0)
    for cut in range(1, len(packed)):
        with pytest.raises(CorruptFile, match="not a whole number"):
            read(header(SCALAR) + packed + packed[:cut], is_binary=True)


def test_an_answer_without_header_is_read_by_the_description() -> None:
    """Some servers pass `include=header` over."""
    info = Info.model_validate({"parameters": [TIME, {**SCALAR, "name": "A"}, SCALAR]})
    table = read_answer(csv([[TIMES[0], 4.5]]), "B", info=info, is_binary=False)
    assert table.columns["B"].tolist() == [4.5]


def test_what_a_server_says_is_not_echoed_at_length() -> None:
    """Nor are control characters."""
    with pytest.raises(CorruptFile) as caught:
        read(header(SCALAR) + b"2020-05-02T00:00:00Z," + b"\x1b[31m" * 5000 + b"\n")
    assert len(caught.value.problem) < 400
    assert "\x1b" not in caught.value.problem


@pytest.mark.parametrize(
    ("said", "extent"),
    [
        ({"timeStampLocation": "BEGIN", "cadence": "PT1H"}, (0, 3_600)),
        ({"timeStampLocation": "CENTER", "cadence": "PT1H"}, (1_800, 1_800)),
        ({"timeStampLocation": "END", "cadence": "PT1H"}, (3_600, 0)),
        ({"timeStampLocation": "OTHER", "cadence": "PT1H"}, None),
        ({"timeStampLocation": "BEGIN"}, None),
        ({"timeStampLocation": ["BEGIN"], "cadence": "PT1H"}, None),
        ({"timeStampLocation": "BEGIN", "cadence": "P1M"}, None),
        ({"timeStampLocation": "BEGIN", "cadence": "PT0S"}, None),
        ({"cadence": "PT1H"}, None),
    ],
)
def test_records_reach_as_far_as_the_server_says(said: dict[str, Any], extent: tuple[int, int] | None) -> None:
    """By the place of its stamps in its cadence; where one of the two is not said, nothing is."""
    lines = json.dumps(json.loads(header(SCALAR).replace(b"#", b"")) | said, indent=1).splitlines()
    found = read("".join(f"#{line}\n" for line in lines).encode() + csv([[TIMES[0], 1.0], [TIMES[1], 2.0]])).meta.extent
    assert (found and (found.before_ns // 10**9, found.after_ns // 10**9)) == extent
