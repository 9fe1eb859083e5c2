"""What a step's code may name and what to use instead of the rest: data for the static check, and no logic."""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _each(words: str, hint: str) -> dict[str, str]:
    return dict.fromkeys(words.split(), hint)


PRELOADED = {"np": "numpy", "pd": "pandas", "scipy": "scipy", "pywt": "pywt"}
"""Names that mean modules without an import."""
OWN_NAMES = _words("over_axes")
"""Functions of ours that code finds without an import."""

ALLOWED_MODULES = _words(
    """
    numpy numpy.char numpy.dtypes numpy.exceptions numpy.fft numpy.lib numpy.lib.stride_tricks numpy.linalg numpy.ma
    numpy.polynomial
    numpy.polynomial.chebyshev numpy.polynomial.hermite numpy.polynomial.hermite_e numpy.polynomial.laguerre
    numpy.polynomial.legendre numpy.polynomial.polynomial numpy.random numpy.rec numpy.strings numpy.typing
    pandas pandas.api pandas.api.indexers pandas.api.types pandas.arrays pandas.errors pandas.tseries
    pandas.tseries.frequencies pandas.tseries.offsets
    pywt
    scipy scipy.cluster scipy.cluster.hierarchy scipy.cluster.vq scipy.constants scipy.differentiate scipy.fft scipy.fftpack
    scipy.integrate scipy.interpolate scipy.linalg scipy.ndimage scipy.optimize scipy.signal scipy.signal.windows scipy.sparse
    scipy.sparse.csgraph scipy.sparse.linalg scipy.spatial scipy.spatial.distance scipy.spatial.transform scipy.special
    scipy.stats scipy.stats.distributions scipy.stats.mstats scipy.stats.qmc
    bisect calendar cmath collections collections.abc copy dataclasses datetime decimal enum fractions functools heapq itertools
    json math numbers re statistics string typing warnings
    """
)
"""Modules that may be imported or reached by attributes; of the standard library only what computes."""

_FILES = "A step's code sees only its inputs; bring other data in with a fetch or table step."
_SYSTEM = "A step's code computes on its inputs; it has no access to the machine."
_NETWORK = "There is no network here; bring data in with a fetch step."
_CLOCK = "A result must not depend on when it is computed; use the index of an input."
_RANDOM = "Use rng = np.random.default_rng(0), so that every run gives the same numbers."
_PICTURE = "Return the numbers and draw them in a figure step."
_THREADS = "Each partition runs in one thread; use numpy on whole arrays."

INSTEAD_OF_IMPORT = {
    **_each("os sys posix platform ctypes cffi mmap signal resource pty fcntl gc inspect atexit tty termios", _SYSTEM),
    **_each("subprocess builtins importlib runpy code codeop pkgutil site marshal types dis traceback", _SYSTEM),
    **_each("pathlib io shutil glob tempfile fileinput csv zipfile tarfile gzip bz2 lzma sqlite3 dbm", _FILES),
    **_each("pickle shelve cdflib pycdfpp h5py netCDF4 xarray pyarrow pyspedas spacepy speasy sunpy", _FILES),
    **_each("socket ssl http urllib requests httpx ftplib smtplib aiohttp hapiclient", _NETWORK),
    **_each("time zoneinfo sched", _CLOCK),
    **_each("random secrets uuid", _RANDOM),
    **_each("matplotlib plotly seaborn bokeh", _PICTURE),
    **_each("threading multiprocessing concurrent asyncio joblib dask", _THREADS),
    "operator": "Write it out, or use a lambda.",
    "astropy": "Units are in df.attrs['units']; constants in scipy.constants.",
    "logging": "Use print; what is printed is shown with the step.",
    "helio_dagster": "Make the operation a separate step.",
    "sklearn": "Use scipy.optimize, scipy.stats or scipy.cluster.",
    "numba": "Use numpy on whole arrays.",
}
"""The first part of a module's name to what to do instead."""

IMPORT_HINT = (
    "Imports are numpy, pandas, scipy, pywt and math, statistics, datetime, itertools, functools, collections and the like."
)

REFUSED_BUILTINS = {
    "open": _FILES,
    "input": "Nobody answers while a step runs; give the value as an option.",
    **_each("eval exec compile", "Write the code itself."),
    **_each("globals locals vars dir", "Use the names of the inputs; keep several values in a dict."),
    **_each("setattr delattr", "Write object.name = value, or keep values in a dict."),
    "__import__": IMPORT_HINT,
    "memoryview": "Use a numpy array.",
    "id": "It differs from run to run; compare with `is`.",
    "hash": "It differs from run to run; compare or sort the values themselves.",
    **_each("exit quit", "Use return."),
    **_each("breakpoint help copyright credits license", "Nobody watches while a step runs; use print."),
}
"""Builtin names that are not for a step's code, to what to do instead."""

REFUSED_NAMES = {
    **_each(
        """
        numpy.load numpy.save numpy.savez numpy.savez_compressed numpy.savetxt numpy.loadtxt numpy.genfromtxt numpy.fromfile
        numpy.fromregex numpy.memmap numpy.DataSource numpy.rec.fromfile
        pandas.ExcelWriter pandas.ExcelFile pandas.HDFStore pywt.data
        """,
        _FILES,
    ),
    **_each("numpy.show_config numpy.show_runtime numpy.test numpy.info pandas.show_versions pandas.test", _SYSTEM),
    "pandas.eval": "Write the expression itself.",
    "numpy.seterr": "Use `with np.errstate(...):`.",
    **_each("numpy.set_printoptions pandas.set_option", "Format what you print; settings do not last."),
    "pandas.options": "Round or rename in the code; settings do not last.",
    "dataclasses.make_dataclass": "Write a class with @dataclass.",
}
"""Full names inside allowed modules that are not for a step's code, to what to do instead."""

REFUSED_PREFIXES = {"pandas.read_": _FILES, "pandas.plotting": _PICTURE, "pandas.io": _FILES}

REFUSED_METHODS = {
    **_each(
        "to_csv to_parquet to_pickle to_hdf to_sql to_excel to_feather to_stata to_orc to_xml to_gbq to_clipboard tofile",
        "Return the table; `helio export` writes it to a file.",
    ),
    **_each("read_text read_bytes write_text write_bytes", _FILES),
    **_each("now utcnow today", _CLOCK),
    **_each("plot hist boxplot", _PICTURE),
    "format_map": "Use an f-string.",
    **_each(
        """
        gi_frame gi_code cr_frame cr_code ag_frame tb_frame tb_next
        f_back f_globals f_locals f_builtins f_code co_code co_consts
        """,
        "Frames and code objects are not for a step's code.",
    ),
}
"""Attributes that are not for a step's code whatever they belong to, to what to do instead."""

PLAIN_DUNDERS = _words("__init__ __post_init__ __name__ __doc__")
"""Double-underscore attributes with honest uses."""

SEEDED_RANDOM = _words(
    """
    numpy.random.default_rng numpy.random.RandomState numpy.random.SeedSequence numpy.random.PCG64 numpy.random.PCG64DXSM
    numpy.random.Philox numpy.random.MT19937 numpy.random.SFC64
    """
)
"""Sources of randomness that take a seed as their first argument."""

PLAIN_RANDOM = _words("numpy.random.Generator numpy.random.BitGenerator")
"""What else of numpy.random may be named."""

NEEDS_RNG = _words(
    """
    scipy.stats.bootstrap scipy.stats.permutation_test scipy.stats.monte_carlo_test scipy.stats.power
    scipy.optimize.differential_evolution scipy.optimize.dual_annealing scipy.optimize.basinhopping
    scipy.cluster.vq.kmeans scipy.cluster.vq.kmeans2
    """
)
"""Functions that draw random numbers unless they are given a seed."""

RNG_KEYWORDS = _words("random_state rng seed")
DRAWING_METHODS = _words("rvs sample")
"""Methods that draw random numbers unless they are given a seed."""

UNSEEDED_HINT = _RANDOM
CLOCK_HINT = _CLOCK

TIME_READERS = _words(
    """
    pandas.Timestamp pandas.to_datetime pandas.DatetimeIndex pandas.date_range pandas.Period pandas.period_range
    numpy.datetime64 numpy.array
    """
)
"""What reads the words "now" and "today" as the clock."""
