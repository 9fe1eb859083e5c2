"""Code that is wrong, careless or hostile: one clear message each, and the sandbox goes on."""

from __future__ import annotations

import pandas as pd
import pytest

from helio_dagster.domain.errors import CodeError, CodeRefused, CodeStopped, ComputeError
from helio_dagster.sandbox import Sandbox, SandboxLimits
from tests.tiers import by_day

BAD: dict[str, tuple[str, type[ComputeError], str]] = {
    "returns nothing": ("x = 1", CodeError, "returns nothing"),
    "empty": ("", CodeError, "returns nothing"),
    "array": ("return b.to_numpy()", CodeError, r"array of shape \(10, 1\)"),
    "number": ("return 1.0", CodeError, "float, which is not a table"),
    "generator": ("yield b", CodeError, "is a generator"),
    "coroutine": ("import asyncio\nawait asyncio.sleep(1)\nreturn b", CodeError, "line 2: the code is not valid Python"),
    "objects": ("return pd.DataFrame({'x': list('abcdefghij')}, index=b.index)", CodeError, "'x' holds object"),
    "ten million columns": ("return pd.DataFrame(np.zeros((1, 10**7)), index=b.index[:1])", CodeStopped, "10000000 columns"),
    "too large": ("return pd.Series(1.0, pd.date_range('2024', periods=10**6, freq='s'))", CodeStopped, "1000000 records x 1"),
    "raises": ("a = 1\nb['none']", CodeError, "line 2: KeyError: 'none'"),
    "raises in a function": ("def f():\n    return 1 / 0\nreturn f()", CodeError, "line 2: ZeroDivisionError"),
    "raises in a library": ("x = 1\nreturn b.rolling('tomorrow').mean()", CodeError, "line 2: ValueError"),
    "leaves": ("raise SystemExit(0)", CodeError, "SystemExit"),
    "interrupts": ("raise KeyboardInterrupt", CodeError, "KeyboardInterrupt"),
    "an exception that cannot be printed": (
        "class E(Exception):\n    def __str__(self):\n        return 1 / 0\nraise E",
        CodeError,
        "line 4: E",
    ),
    "an exception of two megabytes": ("raise ValueError('x' * (1 << 21))", CodeError, "x…"),
    "an exception with a surrogate": ("raise ValueError(chr(0xd800))", CodeError, "ValueError: "),
    "no Python": ("return (", CodeError, "line 1: the code is not valid Python"),
    "nested deep": ("return " + "(" * 5000 + "1" + ")" * 5000, CodeError, "the code is not valid Python"),
    "recursion": ("def f():\n    return f()\nreturn f()", CodeError, "RecursionError"),
    "recursion in C": (
        "x = []\nfor _ in range(10**6):\n    x = [x]\nreturn x == [x]",
        CodeError,
        "list, which is no|Recursion|SIGSEGV",
    ),
    "computes for ever": ("while True:\n    pass", CodeStopped, r"2 s of processor time.*\n.*cpu_s = 2"),
    "ignores the signal": (
        "import signal\nsignal.signal(signal.SIGXCPU, signal.SIG_IGN)\nwhile True:\n    pass",
        CodeStopped,
        "cpu_s|wall_s",
    ),
    "prints for ever": ("while True:\n    print('x' * 1000)", CodeStopped, "cpu_s|wall_s"),
    "takes memory": ("return np.ones(10**10)", CodeStopped, r"line 1: .*memory.*\n.*memory_bytes = 536870912"),
    "takes memory bit by bit": ("x = []\nwhile True:\n    x.append(bytearray(10**6))", CodeStopped, "memory"),
    "ends its process": ("import os\nos._exit(3)", CodeError, "ended its process with exit code 3"),
    "ends its process as if well": ("import os\nos._exit(0)", CodeError, "ended without a result"),
    "crashes": ("import ctypes\nctypes.string_at(0)", CodeError, r"crashed \(SIGSEGV\)"),
    "aborts": ("import os\nos.abort()", CodeError, "crashed"),
    "a line in a message": ("raise ValueError('a\\nFORGED LINE')", CodeError, "ValueError: a ⏎ FORGED LINE"),
    "an escape in a column": ("return b.rename(columns={'b_mag': '\\x1b[2J'})", CodeError, "not text"),
    "a surrogate in a column": ("return pd.DataFrame({chr(0xd800): 1.0}, index=b.index)", CodeError, "not text"),
    "a surrogate in the source": ("x = '\ud800'\nreturn b", CodeRefused, "line 1: the code holds bytes that are not text"),
    "a hundred megabytes": ("#" * 100_000_000, CodeRefused, "100000000 characters"),
    "unseeded": ("return b * np.random.default_rng().normal()", CodeError, r"without a seed(.|\n)*default_rng\(0\)"),
    "unseeded by Python": ("import random\nreturn b * random.SystemRandom().random()", CodeError, "without a seed"),
    "unseeded generator": ("import random\nreturn b * random.Random().random()", CodeError, "without a seed"),
    "unseeded again": ("import random\nrandom.seed()\nreturn b * random.random()", CodeError, "without a seed"),
    "closes its outputs": ("import os\nos.close(1)\nos.close(2)\nprint('x' * 10**6)\nreturn b", CodeError, "OSError|ended"),
    "attrs without end": ("b.attrs['x'] = b\nb.attrs['y'] = b.attrs\nraise ValueError('reached')", CodeError, "reached"),
}


@pytest.mark.parametrize("bad", by_day(BAD, *BAD.keys() - {"ignores the signal"}))  # what hangs shows its limit
def test_bad_code_gets_one_clear_message_and_the_sandbox_goes_on(sandbox: Sandbox, b: pd.DataFrame, bad: str) -> None:
    """What, where, what to do; and the next call works in the same worker."""
    body, kind, said = BAD[bad]
    worker = sandbox.start().worker.pid
    with pytest.raises(kind, match=said) as raised:
        sandbox.call(body, {"b": b}, name="mine")
    assert raised.value.where.startswith("step mine")
    assert len(str(raised.value)) < 2000
    assert sandbox.call("return b", {"b": b}).result.equals(b)
    assert sandbox.start().worker.pid == worker


def test_code_that_hangs_gets_one_clear_message_and_the_sandbox_goes_on(b: pd.DataFrame) -> None:
    """As above, with a limit of its own that does not let all others wait."""
    with Sandbox(SandboxLimits(wall_s=2)) as sandbox:
        worker = sandbox.start().worker.pid
        with pytest.raises(CodeStopped, match=r"did not end within 2 s.*\n.*wall_s = 2") as raised:
            sandbox.call("import time\ntime.sleep(1000)", {"b": b}, name="mine")
        assert raised.value.where.startswith("step mine")
        assert len(str(raised.value)) < 2000
        assert sandbox.call("return b", {"b": b}).result.equals(b)
        assert sandbox.start().worker.pid == worker


def test_an_error_says_where_and_what_the_inputs_looked_like(sandbox: Sandbox, b: pd.DataFrame) -> None:
    """Enough to mend the code without running it again."""
    with pytest.raises(CodeError) as raised:
        sandbox.call("a = 1\n\nreturn b['bx'] * a", {"b": b}, name="b_rms")
    error = raised.value
    assert (error.line, error.source, error.where) == (3, "return b['bx'] * a", "step b_rms, line 3")
    span = "2024-01-01 00:00:00+00:00 to 2024-01-01 00:09:00+00:00"
    assert error.inputs == f"b: 10 records x 1 (b_mag [nT]), frame GSE, {span}"
    for part in ("KeyError: 'bx'", "return b['bx'] * a", "b_mag [nT]"):
        assert part in str(error)


def test_a_message_cannot_steer_the_terminal(sandbox: Sandbox, b: pd.DataFrame) -> None:
    """What code says is text."""
    with pytest.raises(CodeError) as raised:
        sandbox.call(r"raise ValueError('\x1b]0;owned\x07')", {"b": b})
    assert "\x1b" not in str(raised.value)
    assert "\x1b" not in sandbox.call(r"print('\x1b[2J')" + "\nreturn b", {"b": b}).printed
