"""Times programs on dask's chunks, of NumPy's arrays and of hassium's.

    python -m benchmarks.chunked [--rounds 15] [--only NAME ...]

Both alternate in one process, on dask's threads; results are compared. Figures are medians over
rounds: microseconds of a step with NumPy's chunks, and the speed-up of hassium's.
"""

from __future__ import annotations

import math
import sys
from typing import Any

import dask
import dask.array as da

from benchmarks.in_turn import Loop, Race, main
from benchmarks.programs import black_scholes

CHUNK = 1_000_000
SIDE = 1_000
TOGETHER = 10  # steps between two exchanges of halos


def computed(np: Any, collection: Any) -> Any:
    return np.asarray(collection.compute(scheduler="threads"))


def backend(np: Any) -> Any:
    return dask.config.set({"array.backend": np.__name__})


def prices(np: Any, n: int, steps: int) -> Any:
    """Returns the mean price of options, one number per step."""
    with backend(np):
        stock = da.random.default_rng(1).uniform(40.0, 90.0, size=n, chunks=CHUNK)
        times = [black_scholes.expiry(step) for step in range(steps)]
        means = [black_scholes.price(da, stock, time).mean() for time in times]
        return computed(np, da.stack(means))


def relax(plate: Any, steps: int) -> Any:
    """Runs Jacobi steps on a part of the plate; its outermost cells are fixed."""
    plate = plate.copy()
    inner = plate[1:-1, 1:-1]
    for _ in range(steps):
        around = plate[:-2, 1:-1] + plate[2:, 1:-1] + plate[1:-1, :-2] + plate[1:-1, 2:]
        inner[...] = 0.2 * (inner + around)
    return plate


def heat(np: Any, n: int, steps: int) -> Any:
    """Runs heat diffusion in a plate with random initial temperatures."""
    with backend(np):
        plate = da.random.default_rng(1).random(size=(n, n), chunks=SIDE)
        for _ in range(steps // TOGETHER):
            plate = plate.map_overlap(relax, steps=TOGETHER, depth=TOGETHER, boundary="none")
        return computed(np, plate)


def moments(np: Any, n: int, steps: int) -> Any:
    """Returns standard deviations of columns of random numbers and of a function of them."""
    with backend(np):
        x = da.random.default_rng(1).normal(size=(n, n), chunks=SIDE)
        rows = [((x - x.mean(axis=0)) * math.exp(-step)).std(axis=0) for step in range(steps)]
        return computed(np, da.stack(rows))


LOOPS = [
    Loop(prices, (8 * CHUNK,), 4),
    Loop(heat, (4 * SIDE,), 5 * TOGETHER),
    Loop(moments, (4 * SIDE,), 4),
]
RACE = Race(
    ways={"hassium": {}}, base="numpy", counter="flushes", counted_in="hassium", tolerance=1e-12
)

if __name__ == "__main__":
    sys.exit(main(__doc__, LOOPS, RACE))
