"""Processes that a program starts: functions that use `np` and arrays travel to them.

Each program prints the same lines when it imports hassium itself and when `python -m hassium` runs
it; a worker tells which module its `np` is.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import hassium
from packages import wanted

WORK = """
class Data:
    def __init__(self, values):
        self.values = values


def work(data):
    x = data.values * 2 + np.fft.ifft(np.fft.fft(data.values)).real
    drawn = np.random.default_rng(x.size).normal(size=2)
    return np.__name__, type(data.values).__module__, type(x).__module__, np._core.thread_count(), (
        float(np.linalg.norm(x)), float(drawn[0]))


def show(results):
    for name, given, made, threads, numbers in results:
        print(name, given, made, threads, *numbers)
"""

PROCESSES = """
import concurrent.futures
import multiprocessing
import sys

if __name__ == "__main__":
    data = [Data(np.arange(4.0)), Data(np.ones((2, 3)))]
    for method in sys.argv[1:]:
        context = multiprocessing.get_context(method)
        with context.Pool(1) as pool:
            show(pool.map(work, data))
        with concurrent.futures.ProcessPoolExecutor(1, mp_context=context) as pool:
            show(pool.map(work, data))
"""

JOBLIB = """
import joblib

if __name__ == "__main__":
    data = [Data(np.arange(4.0)), Data(np.ones((2, 3)))]
    show(joblib.Parallel(n_jobs=2)(joblib.delayed(work)(part) for part in data))
    scale = np.arange(3)
    by_value = joblib.delayed(lambda part: work(Data(part.values + scale.sum())))
    show(joblib.Parallel(n_jobs=2)(by_value(part) for part in data))
    assert joblib.hash(np.arange(3)) == joblib.hash(np.arange(3)) != joblib.hash(np.arange(4))
"""

DASK = """
from dask.distributed import Client, LocalCluster

if __name__ == "__main__":
    data = [Data(np.arange(4.0)), Data(np.ones((2, 3)))]
    with LocalCluster(2, threads_per_worker=1, dashboard_address=None) as cluster:
        with Client(cluster) as client:
            show(client.gather(client.map(work, data)))
            show(client.gather(client.map(lambda part: work(Data(part.values + 1)), data)))
"""


def lines(folder: Path, program: str, *words: str, swapped: bool) -> list[str]:
    """What a program prints, in a process of its own with all cores at its disposal."""
    script = folder / "program.py"
    script.write_text(f"import {'numpy' if swapped else 'hassium'} as np\n" + WORK + program)
    runner = ["-m", "hassium"] if swapped else []
    variables = {name: value for name, value in os.environ.items() if name != "OMP_NUM_THREADS"}
    variables["PYTHONPATH"] = str(Path(hassium.__file__).parents[1])
    done = subprocess.run(
        [sys.executable, *runner, str(script), *words],
        env=variables, capture_output=True, text=True, timeout=240, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def check(found: list[str], count: int) -> None:
    """Every line is of arrays of hassium's in a worker with one thread."""
    assert len(found) == count
    for line in found:
        name, given, made, threads, *_ = line.split()
        assert (name, given, made, threads) == ("hassium", "hassium", "hassium", "1")


@pytest.mark.parametrize("swapped", [False, True])
def test_multiprocessing(tmp_path: Path, swapped: bool) -> None:
    found = lines(tmp_path, PROCESSES, "fork", "spawn", "forkserver", swapped=swapped)
    check(found, 12)
    assert found[:2] * 6 == found


@pytest.mark.parametrize("swapped", [False, True])
def test_joblib(tmp_path: Path, swapped: bool) -> None:
    wanted("joblib")
    check(lines(tmp_path, JOBLIB, swapped=swapped), 4)


@pytest.mark.parametrize("swapped", [False, True])
def test_dask(tmp_path: Path, swapped: bool) -> None:
    wanted("distributed")
    check(lines(tmp_path, DASK, swapped=swapped), 4)


PENDING = """
import multiprocessing

def flushes(_):
    return np.stats()["flushes"], np._core.thread_count()


if __name__ == "__main__":
    values = np.arange(1e6) * 2 + 1
    np.reset_stats()
    with multiprocessing.get_context("fork").Pool(1) as pool:
        print(*pool.map(flushes, [0])[0], float(values[1]))
"""


def test_a_forked_process_does_not_run_what_its_parent_has_pending(tmp_path: Path) -> None:
    assert lines(tmp_path, PENDING, swapped=False) == ["0 1 3.0"]


CELL = """
import joblib
show(joblib.Parallel(n_jobs=2)(joblib.delayed(work)(Data(np.arange(3.0))) for _ in range(2)))
"""


@pytest.mark.parametrize("swapped", [False, True])
def test_functions_of_a_notebook(tmp_path: Path, swapped: bool) -> None:
    """Its `__main__` has no file, so functions and classes travel by value."""
    wanted("IPython")
    wanted("joblib")
    text = f"import {'numpy' if swapped else 'hassium'} as np\n" + WORK + CELL
    runner = f"from IPython import start_ipython; start_ipython(['-c', {text!r}])"
    check(lines(tmp_path, f"{runner}\n", swapped=swapped), 2)
