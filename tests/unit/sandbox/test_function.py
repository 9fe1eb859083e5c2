"""A function body as a function."""

from __future__ import annotations

import traceback

import pytest

from helio_dagster.sandbox.function import body_to_function


def test_a_body_sees_its_inputs_and_the_known_names() -> None:
    """Neither needs an import."""
    assert body_to_function("return a + known", ["a"], {"known": 2})(a=1) == 3


def test_text_over_several_lines_stays_as_written() -> None:
    """The body is not indented, so what stands in it is not moved."""
    assert body_to_function('return """a\n  b\n"""', [], {})() == "a\n  b\n"


def test_a_body_may_define_functions_and_import() -> None:
    """It is an ordinary function."""
    assert body_to_function("import math\ndef half(x):\n    return x / 2\nreturn half(math.floor(5.5))", [], {})() == 2.5


def test_lines_are_counted_as_the_author_does() -> None:
    """The first line of the body is line 1."""
    with pytest.raises(ZeroDivisionError) as raised:
        body_to_function("a = 1\n\n\nreturn a / 0", [], {})()
    assert traceback.extract_tb(raised.value.__traceback__)[-1].lineno == 4


def test_what_is_no_python_names_the_line() -> None:
    """Also when the compiler finds it, not the parser."""
    with pytest.raises(SyntaxError) as parsed:
        body_to_function("a = 1\nb = (", [], {})
    assert parsed.value.lineno == 2
    with pytest.raises(SyntaxError) as compiled:
        body_to_function("a = 1\n\nbreak", [], {})
    assert compiled.value.lineno == 3


def test_an_empty_body_returns_nothing() -> None:
    """Its caller says that something must be returned."""
    assert body_to_function("# only words", [], {})() is None


def test_one_function_leaves_nothing_for_the_next() -> None:
    """Globals are each function's own."""
    body_to_function("global left\nleft = 1", [], {})()
    with pytest.raises(NameError):
        body_to_function("return left", [], {})()
