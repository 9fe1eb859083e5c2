"""What a step's code may call, as the installed libraries document it."""

from __future__ import annotations

import pytest

from helio_dagster.compute.function_docs import MODULES, find_function, function_docs, search_functions
from helio_dagster.domain.errors import InputError
from helio_dagster.sandbox.static_check import check_code


def test_every_module_is_documented() -> None:
    """Each with functions that have a name, and nearly all a summary."""
    docs = function_docs()
    assert {doc.name.rpartition(".")[0] for doc in docs} == set(MODULES)
    assert sum(bool(doc.summary) for doc in docs) > 0.9 * len(docs)


def test_a_function_is_found_by_either_name() -> None:
    """Signature, summary and text are the library's own."""
    doc = find_function("welch")
    assert doc == find_function("scipy.signal.welch")
    assert doc.signature.startswith("(x, fs=1.0")
    assert "Welch" in doc.summary
    assert "nperseg" in doc.text


def test_names_that_are_unknown_or_shared_are_told() -> None:
    """With the nearest, or with all of that name."""
    with pytest.raises(InputError) as unknown:
        find_function("welsh")
    assert "welch" in unknown.value.hint
    names = [doc.name.rsplit(".", 1)[-1] for doc in function_docs()]
    shared = next(name for name in names if names.count(name) > 1)
    with pytest.raises(InputError, match="functions are called"):
        find_function(shared)


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        ("lomb scargle", "scipy.signal.lombscargle"),
        ("cubic spline", "scipy.interpolate.CubicSpline"),
        ("butterworth filter", "scipy.signal.butter"),
        ("cumulative trapezoid", "scipy.integrate.cumulative_trapezoid"),
        ("continuous wavelet transform", "pywt.cwt"),
        ("rank correlation spearman", "scipy.stats.spearmanr"),
    ],
)
def test_functions_are_found_by_words(words: str, wanted: str) -> None:
    """Among the first five."""
    assert wanted in [doc.name for doc in search_functions(words)[:5]]


def test_what_is_documented_may_be_called() -> None:
    """The static check and this page agree on every function, but for those that draw random numbers or touch files."""
    refused = []
    for doc in function_docs():
        try:
            check_code(f"import {doc.name.rpartition('.')[0]}\nf = {doc.name}\nreturn b", ["b"])
        except Exception:  # noqa: BLE001 - which refusal it is does not count here
            refused.append(doc.name)
    assert len(refused) < 0.05 * len(function_docs()), refused
