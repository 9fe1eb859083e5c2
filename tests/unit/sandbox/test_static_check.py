"""What the static check says of a step's code."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from helio_dagster.domain.errors import CodeRefused, ComputeError
from helio_dagster.sandbox.limits import SandboxLimits
from helio_dagster.sandbox.static_check import check_code
from tests.tiers import example_count

NAMES = ("b", "mean", "window_s")


def refusal(body: str) -> str:
    """The words with which a body is refused."""
    with pytest.raises(CodeRefused) as caught:
        check_code(body, NAMES)
    return str(caught.value)


def test_honest_code_passes() -> None:
    """Code that computes on its inputs is not refused."""
    check_code('d = b["bz"] - mean["bz"]\nreturn (d**2).rolling(f"{window_s}s", center=True).mean() ** 0.5', NAMES)


def test_a_refusal_is_a_compute_error() -> None:
    """Callers who catch what the numbers do not allow catch refusals too."""
    with pytest.raises(ComputeError):
        check_code("import os\nreturn b", NAMES)


def test_lines_count_from_one_and_are_shown() -> None:
    """A fault names its line in the user's code and shows it."""
    message = refusal("x = b\nimport os\nreturn x")
    assert "line 2:" in message
    assert "    import os\n" in message


def test_a_syntax_error_names_its_line() -> None:
    """What Python cannot read is refused in Python's words, at Python's line."""
    message = refusal("x = b\nreturn x +")
    assert "line 2: not Python: invalid syntax" in message
    assert "    return x +" in message


@pytest.mark.parametrize("body", ["break", "def f():\n    nonlocal q\nreturn b", "from math import *\nreturn pi"])
def test_what_only_compiling_finds_is_refused(body: str) -> None:
    """Faults that the parser lets through are found before anything runs."""
    assert "line " in refusal(body)


def test_several_faults_are_listed_in_order_of_lines() -> None:
    """A person mends a handful of faults at once."""
    message = refusal("import os\nx = open('f')\nreturn y")
    assert message.index("line 1") < message.index("line 2") < message.index("line 3")


def test_a_great_many_faults_are_counted() -> None:
    """The list stays short enough to read."""
    message = refusal("\n".join(f"import os{number}" for number in range(20)) + "\nreturn b")
    assert "and 15 more" in message


@pytest.mark.parametrize("body", ["", "x = b", "def f():\n    return b", "return"])
def test_code_must_return(body: str) -> None:
    """A body that returns no value is refused; a return inside another function is not its own."""
    assert "the code returns nothing" in refusal(body)


@pytest.mark.parametrize(
    "module",
    [
        "numpy",
        "numpy.fft",
        "pandas",
        "scipy.signal",
        "scipy.signal.windows",
        "pywt",
        "math",
        "cmath",
        "statistics",
        "datetime",
        "itertools",
        "functools",
        "collections",
        "collections.abc",
        "dataclasses",
        "typing",
        "re",
        "json",
        "fractions",
        "decimal",
    ],
)
def test_modules_that_compute_may_be_imported(module: str) -> None:
    """The libraries of the trade and what computes of the standard library."""
    check_code(f"import {module} as m\nreturn b", NAMES)


@pytest.mark.parametrize(
    ("module", "instead"),
    [
        ("os", "no access to the machine"),
        ("pathlib", "inputs"),
        ("socket", "fetch step"),
        ("time", "index of an input"),
        ("random", "default_rng(0)"),
        ("matplotlib.pyplot", "figure step"),
        ("astropy.units", "attrs"),
        ("threading", "one thread"),
        ("numpy.f2py", "numpy"),
        ("scipy.io", "scipy.signal"),
        ("pandas.io.common", "fetch or table"),
        ("nowhere", "numpy, pandas, scipy, pywt"),
    ],
)
def test_other_imports_say_what_to_do_instead(module: str, instead: str) -> None:
    """A refused import names the module and the way round."""
    message = refusal(f"import {module}\nreturn b")
    assert module in message
    assert instead in message


@pytest.mark.parametrize(
    "body", ["from numpy import load as q\nreturn q('f')", "import numpy as n\nreturn n.load('f')", "return np.load('f')"]
)
def test_a_name_is_refused_by_what_it_stands_for(body: str) -> None:
    """Renaming a function does not change what it is."""
    assert "numpy.load" in refusal(body)


def test_a_module_reached_through_another_is_refused() -> None:
    """Chains of attributes are walked through the real modules."""
    assert "pandas.compat" in refusal("return pd.compat._optional.importlib")


def test_a_function_that_does_not_exist_gets_the_nearest_name() -> None:
    """A misspelt function is found before anything runs."""
    assert "Did you mean butter?" in refusal("from scipy.signal import buter\nreturn buter(2, 0.1)")


def test_a_name_that_is_refused_is_not_offered() -> None:
    """The nearest name is one that may be used."""
    assert "load" not in refusal("return np.lod('f')").replace("lod", "")


def test_an_undefined_name_gets_the_nearest_one() -> None:
    """Names are the inputs, the options, the preloaded modules and what the body defines."""
    message = refusal("return meen")
    assert "meen is not defined" in message
    assert "Did you mean mean" in message


def test_a_module_used_without_import_says_import_it() -> None:
    """The commonest undefined name is a module's."""
    assert "Write `import math` first." in refusal("return b * math.pi")


@pytest.mark.parametrize(
    "body",
    [
        "return [x for x in b if (y := x)]",
        "def f(x):\n    return x if x else f(1)\nreturn f(0)",
        "class A:\n    y = 1\n    z = y\nreturn A.z",
        "try:\n    pass\nexcept ValueError as error:\n    print(error)\nreturn b",
        "with np.errstate(divide='ignore') as state:\n    return 1 / b",
        "match window_s:\n    case {'a': q}:\n        return q\nreturn b",
        "import math\nreturn (lambda x: math.sin(x))(1)",
        "count = 0\ndef step():\n    nonlocal count\n    count += 1\nstep()\nreturn b + count",
    ],
)
def test_names_bound_anywhere_are_defined(body: str) -> None:
    """Scopes are Python's own."""
    check_code(body, NAMES)


def test_an_input_named_as_a_module_is_an_input() -> None:
    """What is given hides what is preloaded."""
    check_code("return scipy.anything", ["scipy"])


@pytest.mark.parametrize(
    "body",
    [
        "return open('f').read()",
        "b.to_csv('f')\nreturn b",
        "return pd.read_csv('f')",
        "return b.agg('to_pickle')",
        "return np.memmap('f')",
        "return b.values.tofile('f')",
    ],
)
def test_files_are_refused(body: str) -> None:
    """A step's code reads its inputs and returns its result."""
    assert "inputs" in refusal(body) or "helio export" in refusal(body)


@pytest.mark.parametrize(
    "body",
    [
        "return pd.Timestamp.now()",
        "from datetime import datetime\nreturn datetime.utcnow()",
        "return pd.Timestamp('now')",
        "return pd.to_datetime(['today'])",
        "return np.datetime64('now')",
    ],
)
def test_clocks_are_refused(body: str) -> None:
    """A result does not depend on when it is computed."""
    assert "must not depend on when" in refusal(body)


def test_the_word_now_elsewhere_is_a_word() -> None:
    """Only what reads it as the clock is refused."""
    check_code("print('now')\nreturn b['today']", NAMES)


@pytest.mark.parametrize(
    "body",
    [
        "return np.random.rand(3)",
        "return np.random.default_rng()",
        "return np.random.default_rng(None)",
        "np.random.seed(0)\nreturn b",
        "return scipy.stats.norm.rvs(size=3)",
        "return b.sample(3)",
        "return scipy.stats.bootstrap((b,), np.mean)",
    ],
)
def test_unseeded_randomness_is_refused(body: str) -> None:
    """Every run gives the same numbers."""
    assert "Give it" in refusal(body) or "default_rng(0)" in refusal(body)


def test_seeded_randomness_passes() -> None:
    """A seed makes chance repeatable."""
    check_code(
        "rng = np.random.default_rng(7)\nprint(scipy.stats.norm.rvs(size=3, random_state=1))\nreturn rng.normal()", NAMES
    )


@pytest.mark.parametrize(
    "body",
    [
        "return ().__class__",
        "return __builtins__",
        "return getattr(b, '__globals__')",
        "return getattr(b, mean)",
        "return '{0.__class__}'.format(b)",
        "return (lambda: 0).f_globals",
        "return b.query('@pd.io.common')",
        "return eval('1')",
        "return globals()",
    ],
)
def test_ways_into_pythons_insides_are_refused(body: str) -> None:
    """Walks over double underscores, frames and code made from text."""
    assert "line 1:" in refusal(body)


@pytest.mark.parametrize("body", ["np.pi = 3\nreturn b", "del pd.DataFrame.mean\nreturn b", "pd.set_option('a', 1)\nreturn b"])
def test_libraries_are_not_changed(body: str) -> None:
    """What a module holds is the same for all code."""
    assert "line 1:" in refusal(body)


def test_a_class_may_have_an_initializer() -> None:
    """Honest double underscores pass."""
    check_code("class A:\n    def __init__(self):\n        self.x = 1\nprint(A.__name__)\nreturn b + A().x", NAMES)


def test_a_body_that_yields_is_refused() -> None:
    """A generator is not a result; one inside a function is honest."""
    assert "yields instead of returning" in refusal("yield b\nreturn b")
    check_code("def pairs():\n    yield 1\nreturn sum(pairs())", NAMES)


@pytest.mark.parametrize("body", ["async def f():\n    pass\nreturn b", "global x\nx = 1\nreturn x"])
def test_waiting_and_global_values_are_refused(body: str) -> None:
    """There is nothing to wait for, and no state to keep."""
    assert "line 1:" in refusal(body)


def test_code_of_a_great_size_is_refused_unread() -> None:
    """Code longer than a call may be gets one clear refusal."""
    message = refusal("x = 1\n" * (SandboxLimits().source_bytes // 6 + 1))
    assert "200,000 bytes" in message
    assert message.count("\n") == 2


@pytest.mark.slow
def test_the_size_of_code_is_that_of_the_limits() -> None:
    """Who allows more to the sandbox is not refused before it, nor who allows less let through to it."""
    body = "x = 1\n" * 40_000 + "return b"
    check_code(body, NAMES, SandboxLimits(source_bytes=1_000_000))
    with pytest.raises(CodeRefused, match="longer than 100 bytes"):
        check_code("x = 1\n" * 17 + "return b", NAMES, SandboxLimits(source_bytes=100))


@pytest.mark.parametrize(
    "body",
    [
        "return " + "-" * 50_000 + "1",
        "return " + "a." * 50_000 + "b",
        "return " + "(" * 500,
        "x = 1\n" + "if x: pass\nel" * 9_000,
    ],
)
def test_code_nested_too_deeply_is_refused(body: str) -> None:
    """Nesting beyond Python's own limits gets one clear refusal."""
    assert "not Python" in refusal(body)


@pytest.mark.parametrize("body", ["return \ud800", "return '\0'"])
def test_what_is_no_text_is_refused(body: str) -> None:
    """Lone surrogates and null bytes are no Python."""
    assert "not Python" in refusal(body)


WORDS = """
import from def class lambda return yield await async global nonlocal try except* with as for if else match case
( ) [ ] { } : ; , . = := ** @ -> ' " f" # b np pd os __class__ getattr open format 0x 1e999 9**9 é
"""
FRAGMENTS = st.sampled_from([*WORDS.split(), "\n", "\t", "\n\n", "\\", "\0", "\ud800"])


@settings(max_examples=example_count(300), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.one_of(st.text(max_size=200), st.lists(FRAGMENTS, max_size=40).map(" ".join)), st.lists(st.text(max_size=8), max_size=3)
)
def test_any_text_is_passed_or_refused(body: str, names: list[str]) -> None:
    """Whatever is handed in, nothing but a refusal comes out."""
    with contextlib.suppress(CodeRefused):
        check_code(body, names)
