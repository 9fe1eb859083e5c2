"""Calling code in a real sandbox."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import pywt
import scipy.signal

from helio_dagster.domain.errors import CodeError, SandboxUnavailable
from helio_dagster.sandbox import Sandbox, SandboxLimits


def wait_until(is_so: Callable[[], bool]) -> None:
    """Wait for another process, for a while."""
    for _ in range(500):
        if is_so():
            return
        time.sleep(0.02)
    raise AssertionError("it did not happen")


def is_running(pid: int) -> bool:
    """Whether there is a process that is not a zombie."""
    try:
        return "\nState:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return False


def children_of(pid: int) -> list[int]:
    """Processes that a process has started."""
    return [int(each) for each in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def test_code_gets_what_it_computes_as_in_process(sandbox: Sandbox, b: pd.DataFrame) -> None:
    """The example of the design: the same numbers as pandas gives here."""
    answer = sandbox.call(
        'd = b["b_mag"] - mean["b_mag"]\nreturn (d ** 2).rolling("10min", center=True).mean() ** 0.5', {"b": b, "mean": b / 2}
    )
    d = b["b_mag"] - b["b_mag"] / 2
    wanted = (d**2).rolling("10min", center=True).mean() ** 0.5
    pd.testing.assert_frame_equal(answer.result, wanted.to_frame(), check_freq=False)


def test_libraries_are_there_without_import(sandbox: Sandbox, b: pd.DataFrame) -> None:
    """NumPy, pandas, SciPy and PyWavelets under their usual names, and can be imported."""
    body = (
        "from scipy.signal import detrend\nimport pywt as w\nlow, _ = pywt.dwt(b['b_mag'], 'haar')\nassert w is pywt\n"
        "flat = detrend(b['b_mag'])\nassert (flat == scipy.signal.detrend(b['b_mag'])).all()\n"
        "return pd.DataFrame({'flat': flat, 'low': np.repeat(low, 2)}, b.index)"
    )
    result = sandbox.call(body, {"b": b}).result
    np.testing.assert_array_equal(result["flat"], scipy.signal.detrend(b["b_mag"]))
    np.testing.assert_array_equal(result["low"], np.repeat(pywt.dwt(b["b_mag"], "haar")[0], 2))


def test_libraries_that_take_long_are_loaded_for_code_that_needs_them(b: pd.DataFrame) -> None:
    """Other code starts without; what needs them has them, also where only its options say so, and they stay from then on."""
    looks = "import sys\nprint('sci' 'py' in sys.modules)\nreturn b"
    fills = "return b[::3].resample('1min').asfreq().pipe(lambda x: getattr(x, how)(method='cubic'))"
    with Sandbox() as sandbox:
        assert sandbox.call(looks, {"b": b}).printed == "False\n"
        assert sandbox.call(fills, {"b": b}, options={"how": "interpolate"}).result["b_mag"].round(9).tolist() == list(
            range(1, 11)
        )
        worker = sandbox.start().worker.pid
        assert sandbox.call(looks, {"b": b}).printed == "True\n"
        assert sandbox.start(needs_scipy=True).worker.pid == worker


def test_code_sees_units_and_options(sandbox: Sandbox, b: pd.DataFrame) -> None:
    """`attrs` say what the numbers mean; options are local names."""
    body = "assert b.attrs['units'] == {'b_mag': 'nT'} and b.index.name == 'time'\nreturn b * factor"
    assert sandbox.call(body, {"b": b}, options={"factor": 3}).result["b_mag"].iloc[0] == 3.0


def test_what_code_prints_is_given_back(sandbox: Sandbox, b: pd.DataFrame) -> None:
    """Standard output and warnings, in order."""
    body = "import warnings\nprint('größe', 1)\nwarnings.warn('careful')\nimport sys\nprint('last', file=sys.stderr)\nreturn b"
    lines = sandbox.call(body, {"b": b}).printed.splitlines()
    assert lines[0] == "größe 1"
    assert "careful" in lines[1]
    assert lines[-1] == "last"


def test_much_print_is_cut_with_a_note(sandbox: Sandbox, b: pd.DataFrame) -> None:
    """Two megabytes are read while the code runs, so that it does not wait for its reader; a kilobyte is kept."""
    answer = sandbox.call("for i in range(2000):\n    print('x' * 1000)\nreturn b", {"b": b})
    kept, _, note = answer.printed.partition("\n[")
    assert len(kept) <= 1000
    assert note == "… cut: 2002000 bytes were printed, 1000 are kept]"


def test_a_table_of_a_day_comes_back_bit_for_bit(sandbox: Sandbox) -> None:
    """86,400 records of four columns."""
    time_index = pd.date_range("2024-01-01", periods=86_400, freq="s", tz="UTC", name="time")
    frame = pd.DataFrame(np.random.default_rng(0).normal(size=(86_400, 4)), index=time_index, columns=list("wxyz"))
    frame.iloc[::7] = np.nan
    result = sandbox.call("return b", {"b": frame}).result
    assert result.to_numpy().tobytes() == frame.to_numpy().tobytes()
    assert result.index.equals(frame.index)


def test_calls_leave_nothing_for_each_other(sandbox: Sandbox, b: pd.DataFrame) -> None:
    """Neither names nor changed libraries nor random numbers drawn."""
    leaving = "import builtins\nbuiltins.left = 1\nnp.left = 2\npd.DataFrame.mean = None\nnp.random.normal(size=9)\nreturn b"
    sandbox.call(leaving, {"b": b})
    body = (
        "import builtins\nassert not hasattr(builtins, 'left') and not hasattr(np, 'left') and pd.DataFrame.mean\n"
        "return b * np.random.normal()"
    )
    first = sandbox.call(body, {"b": b}).result
    assert first.equals(sandbox.call(body, {"b": b}).result)


def test_threads_call_at_once(sandbox: Sandbox, b: pd.DataFrame) -> None:
    """Dagster computes in threads: each gets its own answer and its own prints."""
    with ThreadPoolExecutor(8) as pool:
        calls = [pool.submit(sandbox.call, f"print({k})\nreturn b * {k}", {"b": b}) for k in range(40)]
    for k, call in enumerate(calls):
        assert call.result().printed == f"{k}\n"
        assert call.result().result["b_mag"].iloc[0] == k


def test_the_worker_starts_in_a_thread_that_ends(b: pd.DataFrame) -> None:
    """It belongs to the process, not to the thread that happened to call first."""
    with Sandbox() as sandbox:
        thread = threading.Thread(target=sandbox.start)
        thread.start()
        thread.join()
        pid = sandbox.start().worker.pid
        assert sandbox.call("return b", {"b": b}).result.equals(b)
        assert sandbox.start().worker.pid == pid


def test_a_killed_worker_is_replaced(b: pd.DataFrame) -> None:
    """By the next call, which notices nothing."""
    with Sandbox() as sandbox:
        sandbox.call("return b", {"b": b})
        os.kill(sandbox.start().worker.pid, signal.SIGKILL)
        assert sandbox.call("return b", {"b": b}).result.equals(b)


def test_a_worker_killed_in_a_call_is_replaced_and_the_call_repeated(b: pd.DataFrame, tmp_path: Path) -> None:
    """Nothing that a call does can be done twice: it only computes."""
    with Sandbox() as sandbox, ThreadPoolExecutor(1) as pool:
        first = sandbox.start().worker.pid
        waiting = len(children_of(first))
        call = pool.submit(sandbox.call, "import time\ntime.sleep(1.5)\nreturn b", {"b": b})
        wait_until(lambda: len(children_of(first)) > waiting)
        os.kill(first, signal.SIGKILL)
        assert call.result().result.equals(b)
        assert sandbox.start().worker.pid != first


def test_closing_ends_every_process_and_a_call_starts_anew(b: pd.DataFrame) -> None:
    """Nothing is left behind, and closing twice is fine."""
    sandbox = Sandbox()
    sandbox.call("return b", {"b": b})
    worker = sandbox.start().worker.pid
    family = [worker, *children_of(worker)]
    sandbox.close()
    sandbox.close()
    wait_until(lambda: not any(is_running(pid) for pid in family))
    assert sandbox.call("return b", {"b": b}).result.equals(b)
    sandbox.close()


def test_closing_ends_calls_that_run() -> None:
    """They fail at once, and start no other worker."""
    sandbox = Sandbox()
    worker = sandbox.start().worker.pid
    with ThreadPoolExecutor(1) as pool:
        call = pool.submit(sandbox.call, "import time\ntime.sleep(60)", {})
        wait_until(lambda: len(children_of(worker)) > 1)
        sandbox.close()
        with pytest.raises(SandboxUnavailable, match="closed during the call"):
            call.result()
    wait_until(lambda: not is_running(worker))


def test_prints_of_a_call_do_not_wait_for_a_process_forked_meanwhile(sandbox: Sandbox, b: pd.DataFrame) -> None:
    """It holds what this process held, the pipe of the prints too, and may live on for long."""
    with ThreadPoolExecutor(1) as pool:
        call = pool.submit(sandbox.call, "import time\ntime.sleep(0.5)\nprint('done')\nreturn b", {"b": b})
        wait_until(lambda: len(children_of(sandbox.start().worker.pid)) > 1)
        process = multiprocessing.get_context("fork").Process(target=time.sleep, args=(60,))
        process.start()
        assert call.result().printed == "done\n"
        assert process.is_alive()
        process.kill()
        process.join()


def test_a_process_that_is_killed_takes_its_worker_and_calls_along(tmp_path: Path) -> None:
    """Also amid a call that would go on for a minute."""
    script = (
        "import sys, pandas as pd\nfrom helio_dagster.sandbox import Sandbox\n"
        "sandbox = Sandbox()\nprint(sandbox.start().worker.pid, flush=True)\n"
        "sandbox.call('import time\\ntime.sleep(60)', {})\n"
    )
    process = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    worker = int(process.stdout.readline())
    waiting = children_of(worker)
    wait_until(lambda: len(children_of(worker)) > 1)
    family = [worker, *waiting, *children_of(worker)]
    process.kill()
    process.wait()
    process.stdout.close()
    wait_until(lambda: not any(is_running(pid) for pid in family))


def _call_in_child(sandbox: Sandbox, b: pd.DataFrame, send: object) -> None:
    answer = sandbox.call("return b * 2", {"b": b})
    send.send((sandbox.start().worker.pid, float(answer.result["b_mag"].iloc[0])))  # type: ignore[attr-defined]
    sandbox.close()


def test_a_forked_process_gets_a_worker_of_its_own(b: pd.DataFrame) -> None:
    """As under Dagster's multiprocess executor; the first one's worker goes on."""
    with Sandbox() as sandbox:
        own = sandbox.start().worker.pid
        receive, send = multiprocessing.Pipe(duplex=False)
        process = multiprocessing.get_context("fork").Process(target=_call_in_child, args=(sandbox, b, send))
        process.start()
        theirs, value = receive.recv()
        process.join()
        assert value == 2.0
        assert theirs != own
        assert sandbox.start().worker.pid == own
        assert sandbox.call("return b", {"b": b}).result.equals(b)


def test_the_environment_does_not_reach_code(b: pd.DataFrame, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keys of a language model live there."""
    monkeypatch.setenv("HELIO_SECRET_KEY", "canary-8151")
    with Sandbox() as sandbox:
        printed = sandbox.call("import os\nprint(dict(os.environ))\nreturn b", {"b": b}).printed
        assert "canary-8151" not in printed
        assert printed.startswith("{")


def test_many_inputs_cross(sandbox: Sandbox, b: pd.DataFrame) -> None:
    """A step may have as many as it likes, within reason."""
    inputs = {f"b{k}": b * k for k in range(100)}
    assert sandbox.call("return sum([" + ", ".join(inputs) + "])", inputs).result["b_mag"].iloc[0] == sum(range(100))


def test_a_sandbox_that_leaks_would_show(sandbox: Sandbox, b: pd.DataFrame) -> None:
    """After 100 calls, good and bad: no descriptor, no process more than before."""
    worker = sandbox.start().worker.pid

    def held() -> tuple[int, int, int]:
        own, theirs = (sum(1 for _ in Path(f"/proc/{pid}/fd").iterdir()) for pid in (os.getpid(), worker))
        return own, theirs, len(children_of(worker))

    def settled() -> tuple[int, int, int]:
        """What is held once the worker has let go of the last call."""
        while True:
            found = set()
            for _ in range(5):
                time.sleep(0.02)
                found.add(held())
            if len(found) == 1:
                return found.pop()

    sandbox.call("return b", {"b": b})
    before = settled()
    for k in range(50):
        sandbox.call("return b", {"b": b})
        with pytest.raises(CodeError):
            sandbox.call(["1/0", "return", "import os\nos._exit(1)"][k % 3], {"b": b})
    assert settled() == before


def test_limits_are_each_sandbox_its_own(b: pd.DataFrame) -> None:
    """What is refused in one may be allowed in another."""
    with Sandbox(SandboxLimits(result_bytes=1 << 12)) as small, pytest.raises(Exception, match="result_bytes = 4096"):
        small.call("return b.reindex(pd.date_range(b.index[0], periods=1000, freq='s'))", {"b": b})
