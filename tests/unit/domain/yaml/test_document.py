"""YAML texts: what is read, where it stands, how it is written and edited."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helio_dagster.domain.errors import InputError
from helio_dagster.domain.yaml.document import DEEPEST_NESTING, Path, Value, YamlFault, format_path, parse_path, read_yaml
from helio_dagster.domain.yaml.edit import insert_item, remove_value, set_value, value_at
from helio_dagster.domain.yaml.style import LINE_WIDTH, render_block, render_flow
from tests.tiers import example_count

texts = st.text(st.characters(codec="utf-8"), max_size=20) | st.sampled_from(
    [
        "a\nb\n",
        "x = 1\n  y\n",
        "yes",
        "1997-09-02",
        "1e3",
        "~",
        "a: b",
        "# c",
        "",
        "|B|",
        "{x}",
        " lead",
        "tail ",
        "a\n\n",
        "-",
        "?",
    ]
)
scalars = st.none() | st.booleans() | st.integers(-(10**12), 10**12) | st.floats(allow_nan=False, allow_infinity=False) | texts
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3), max_leaves=8
)
documents = st.dictionaries(texts, values, min_size=1, max_size=4)


def never(_path: Path) -> bool:
    """Whatever fits stands on one line."""
    return False


def always(_path: Path) -> bool:
    """Everything stands in blocks."""
    return True


@settings(max_examples=example_count(80), deadline=None)
@given(documents, st.booleans())
def test_what_is_written_reads_back(document: dict[str, Value], blocks: bool) -> None:
    """Any plain value survives writing and reading, whether written in blocks or on one line."""
    assert read_yaml(render_block(document, is_block=always if blocks else never)).value == document
    assert read_yaml(render_flow(document)).value == document


@given(st.lists(st.none() | st.floats(allow_nan=False, allow_infinity=False), min_size=40), st.integers(0, 3))
def test_many_numbers_fill_lines(numbers: list[Value], depth: int) -> None:
    """Not one a line: a series of numbers stays readable, and reads back."""
    document: dict[str, Value] = {"v": numbers}
    for _ in range(depth):
        document = {"a": 1, "in": document}
    text = render_block(document, is_block=never)
    assert read_yaml(text).value == document
    assert max(len(line) for line in text.splitlines()) <= LINE_WIDTH
    assert len(text.splitlines()) < len(numbers)


@settings(max_examples=example_count(80), deadline=None)
@given(documents, values, st.data(), st.booleans())
def test_an_edit_changes_one_value_and_no_other_line(
    document: dict[str, Value], new: Value, data: st.DataObject, blocks: bool
) -> None:
    """After an edit the value is the new one, all lines outside it are as before, or the edit is refused."""
    before = read_yaml("# first\n" + render_block(document, is_block=always if blocks else never) + "# last\n")
    path = data.draw(st.sampled_from([path for path in before.places if path]))
    try:
        after = set_value(before, path, new)
    except InputError:
        return
    found: Any = after.value
    for part in path:
        found = found[part]
    assert found == new
    place = before.places[path]
    untouched = before.text[: before.text.rfind("\n", 0, place.start) + 1]
    assert after.text.startswith(untouched)
    assert after.text.endswith("# last\n")


@settings(max_examples=example_count(80), deadline=None)
@given(documents, st.data(), st.booleans())
def test_what_is_removed_takes_only_its_own_lines(document: dict[str, Value], data: st.DataObject, blocks: bool) -> None:
    """After a removal the value lacks just that place, the lines around it are as before, or the removal is refused."""
    before = read_yaml("# first\n" + render_block(document, is_block=always if blocks else never) + "# last\n")
    path = data.draw(st.sampled_from([path for path in before.places if path]))
    wanted = read_yaml(before.text).value
    around: Any = value_at(wanted, path[:-1])
    del around[path[-1]]
    try:
        after = remove_value(before, path)
    except InputError:
        return
    assert after.value == wanted
    parent = before.places[path[:-1]]
    assert after.text.startswith(before.text[: parent.start].rstrip())
    assert after.text.endswith("# last\n")


@settings(max_examples=example_count(80), deadline=None)
@given(st.lists(values, min_size=1, max_size=4), values, st.data(), st.booleans())
def test_what_is_inserted_moves_no_other_line(items: list[Value], new: Value, data: st.DataObject, blocks: bool) -> None:
    """After an insertion the list has the item at its place and all lines that were there, or the insertion is refused."""
    before = read_yaml("# first\n" + render_block({"a": items}, is_block=always if blocks else never) + "# last\n")
    index = data.draw(st.integers(0, len(items) - 1))
    try:
        after = insert_item(before, ("a", index), new)
    except InputError:
        return
    assert after.value == {"a": [*items[:index], new, *items[index:]]}
    if before.places["a",].style == "block":
        old, lines = before.text.split("\n"), after.text.split("\n")
        more = len(lines) - len(old)
        assert any(lines[:at] + lines[at + more :] == old for at in range(len(old)))


@pytest.mark.parametrize(
    ("path", "gone", "instead"),
    [
        ("a", "a: 1   # one\n", ""),
        ("b.c[0]", "1, ", ""),
        ("b.c[1]", ", 2", ""),
        ("b.d.e", "e: 1", ""),
        ("b.d", "  d: {e: 1}\n", ""),
        ("l[0]", "- first\n", ""),
        ("l[1]", "- k: 'second'\n  m: 2\n  # of the second\n", ""),
        ("l[1].k", "k: 'second'\n  ", ""),
        ("l[1].m", "  m: 2\n", ""),
        ("n.o", ":\n  o: 1", ": {}"),
    ],
)
def test_a_removal_takes_what_it_says(path: str, gone: str, instead: str) -> None:
    """A removed entry takes its own lines or its comma; comments that stand deeper go with it, all others stay."""
    text = "a: 1   # one\nb:\n  # about c\n  c: [1, 2]\n  d: {e: 1}\nl:\n- first\n# about the second\n"
    text += "- k: 'second'\n  m: 2\n  # of the second\n# after\nn:\n  o: 1\n"
    assert remove_value(read_yaml(text), parse_path(path)).text == text.replace(gone, instead, 1)


def test_text_of_several_lines_opens_the_brackets_it_is_put_in() -> None:
    """Code is never written into one line of escapes where lines can hold it."""
    edited = set_value(read_yaml("a:\n  b: {c: 1}  # why\nd: 2\n"), ("a", "b", "code"), "x\ny\n")
    assert edited.text == "a:\n  b:  # why\n    c: 1\n    code: |\n      x\n      y\nd: 2\n"
    assert set_value(read_yaml("a: {c: 1}\nd: 2\n"), ("a", "b"), "x\ny\n").text == "a:\n  c: 1\n  b: |\n    x\n    y\nd: 2\n"


@pytest.mark.parametrize(
    ("path", "value", "old", "new"),
    [
        ("a", 2, "a: 1   # one", "a: 2   # one"),
        ("b.c", "x y", "  c: [1, 2]", "  c: x y"),
        ("b.c[2]", 3, "  c: [1, 2]", "  c: [1, 2, 3]"),
        ("b.d.f", True, "  d: {e: 1}", "  d: {e: 1, f: true}"),
        ("l[1]", "new", "- 'second'", "- new"),
    ],
)
def test_an_edit_is_one_line(path: str, value: Value, old: str, new: str) -> None:
    """The layout and the comments around an edited value stay byte for byte."""
    text = "a: 1   # one\nb:\n  # about c\n  c: [1, 2]\n  d: {e: 1}\nl:\n- first\n- 'second'\n"
    assert set_value(read_yaml(text), parse_path(path), value).text == text.replace(old, new)


@pytest.mark.parametrize(("path", "line"), [("b.new", "  new: 1"), ("l[2]", "- 1")])
def test_a_new_entry_comes_after_the_last(path: str, line: str) -> None:
    """A new key or item is one more line at the indentation of its neighbours."""
    text = "b:\n  c: 1  # note\n\nl:\n- x\n- y\n"
    after = set_value(read_yaml(text), parse_path(path), 1).text
    assert sorted(set(after.splitlines()) - set(text.splitlines())) == [line]


def test_lines_with_carriage_returns_keep_them() -> None:
    """A file of another system is edited without changing its line ends."""
    assert set_value(read_yaml("a: 1\r\nb: 2\r\n"), ("b",), 3).text == "a: 1\r\nb: 3\r\n"


def test_a_byte_order_mark_stays_and_shifts_nothing() -> None:
    """A file that an editor began with a byte order mark is edited at the right place."""
    assert set_value(read_yaml("\ufeffa: 1\nb: 2\n"), ("b",), 3).text == "\ufeffa: 1\nb: 3\n"


@pytest.mark.parametrize(
    ("text", "edited"),
    [("a:\nb: 1\n", "a: 7\nb: 1\n"), ("a:   # note\n", "a: 7   # note\n"), ("{a: , b: 1}\n", "{a: 7, b: 1}\n")],
)
def test_a_key_without_value_takes_one(text: str, edited: str) -> None:
    """A value is filled in where its key stands, with the comment after it."""
    assert set_value(read_yaml(text), ("a",), 7).text == edited


def test_no_place_to_edit_is_a_key_error() -> None:
    """A path through something that is not there is the caller's mistake."""
    with pytest.raises(KeyError):
        set_value(read_yaml("a: 1"), ("b", "c"), 1)


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("a:\n\t- b", 2, "tab"),
        ("a: 1\na: 2", 2, "twice"),
        ("a: &x 1\nb: *x", 1, "anchors"),
        ("a: !!python/object x", 1, "tag"),
        ("a: 1\n---\nb: 1", 2, "second document"),
        ("a: [1", 1, "closed"),
        ("a: b: c", 1, "colon"),
        ("a: @x", 1, "special character"),
        ("a: 1\nb: \x07", 2, "control character"),
        ("a: 1e999", 1, "finite"),
        ('a: "\\ud83d"', 1, "surrogate"),
        ("a: 1\nb: \ud83d", 2, "surrogate"),
        ("? [a]\n: b", 1, "key that is not text"),
        ("[" * (DEEPEST_NESTING + 1), 1, "nested deeper"),
        ("a: " + "x" * 1_000_001, 0, "longer than"),
    ],
)
def test_what_is_no_document_says_why(text: str, line: int, words: str) -> None:
    """Every unreadable text ends in one fault with its line and plain words."""
    with pytest.raises(YamlFault, match=words) as caught:
        read_yaml(text)
    assert caught.value.line == line


def test_dates_stay_text() -> None:
    """Dates are read where they are needed, so that none is changed by reading and writing."""
    assert read_yaml("a: 1997-09-02\nb: 2026-01-01T00:00:00Z").value == {"a": "1997-09-02", "b": "2026-01-01T00:00:00Z"}


@given(st.lists(st.integers(0, 99) | st.from_regex(r"[a-z_]{1,6}", fullmatch=True), min_size=1, max_size=5).map(tuple))
def test_paths_read_back(path: Path) -> None:
    """A printed path names the same place."""
    assert parse_path(format_path(path)) == path
