"""The loops of native/: built by CMake on first use, called through ctypes."""

from __future__ import annotations

import ctypes
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy

import hassium

FOLDER = Path(__file__).resolve().parents[1] / "native"


def build() -> ctypes.CDLL:
    """Builds and loads the library for the processor's level, or for the level `simd` forces."""
    forced = next(row["value"] for row in hassium.config.table() if row["name"] == "simd")
    wide = "avx512vl" in Path("/proc/cpuinfo").read_text()
    level = {"v4": "v4", "v3": "v3"}.get(forced, "v4" if wide else "v3")
    target = FOLDER.parents[1] / "build" / f"native-{level}"
    configure = ["cmake", "-S", str(FOLDER), "-B", str(target)]
    configure.append(f"-DHASSIUM_NATIVE_ARCH=x86-64-{level}")
    for command in (configure, ["cmake", "--build", str(target)]):
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            raise RuntimeError(f"{' '.join(command)} failed:\n{done.stdout}{done.stderr}")
    # Waiting OpenMP threads spin for milliseconds, during the next measurement.
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    return ctypes.CDLL(str(target / "libhassium_native.so"))


def call(library: ctypes.CDLL, name: str, arrays: list[Any]) -> Callable[[int], None]:
    """Binds a function of the library to its arrays; the caller passes the number of threads."""
    function = getattr(library, name)
    function.restype = None
    pointers = (ctypes.c_void_p * len(arrays))(*(array.ctypes.data for array in arrays))
    shape = arrays[0].shape
    extents = (ctypes.c_int64 * len(shape))(*shape)

    def run(threads: int, _alive: list[Any] = arrays) -> None:
        function(pointers, extents, ctypes.c_int(threads))

    return run


def aligned(count: int) -> Any:
    """Returns float64 from a cache line on, initialized: untouched pages share one zero page."""
    raw = numpy.ones(count + 8)
    shift = -raw.ctypes.data % 64 // 8
    return raw[shift : shift + count]
