"""Programs put together at random run as sweeps where nests allow it: same bits."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy
import pytest

import hassium


def random_program(seed: int) -> Callable[[Any], tuple[Any, ...]]:
    """Statements on arrays of one height or nearly, read and written some rows and columns apart,
    by names that live on or die."""
    draw = numpy.random.default_rng(seed)
    rows, columns = int(draw.integers(33, 200)), int(draw.integers(3, 90))
    flat = draw.random() < 0.2
    dtypes = [numpy.float64, numpy.float64, numpy.float32, numpy.int32]
    starts = [
        (draw.random((rows * columns,) if flat else (rows, columns)) * 100).astype(
            draw.choice(dtypes)
        )
        for _ in range(3)
    ]
    far = int(draw.integers(1, 4))
    count = int(draw.integers(2, 12))
    picks = draw.integers(0, 60, (count, 12)).tolist()

    def window(a: Any, down: int, right: int) -> Any:
        down, right = down % (2 * far + 1) - far, right % (2 * far + 1) - far
        if flat:
            step = 2 if rows % 2 else 1
            return a[far + down : rows * columns - far + down : step]
        if columns <= 2 * far + 1:
            return a[far + down : rows - far + down]
        return a[far + down : rows - far + down, far + right : columns - far + right]

    def program(np: Any) -> tuple[Any, ...]:
        names = [np.array(a) for a in starts]
        sums = []
        for pick in picks:
            a, b = names[pick[0] % len(names)], names[pick[1] % len(names)]
            new = window(a, pick[2], pick[3]) * 2 - window(b, pick[4], pick[5])
            if pick[6] % 3 == 0:
                new = new + window(a, pick[7], pick[8])
            if pick[9] % 4 == 0:
                sums.append(new.max())
            if pick[9] % 7 == 1:
                whole = np.zeros_like(a)
                window(whole, 0, 0)[...] = new
                names[pick[10] % len(names)] = whole
            else:
                target = names[pick[10] % len(names)]
                with np.errstate(all="ignore"):
                    np.copyto(window(target, pick[11], pick[5]), new, casting="unsafe")
        return (*names, *sums)

    return program


@pytest.mark.parametrize("seed", range(60))
def test_random_programs_of_any_size(seed: int) -> None:
    program = random_program(seed)
    with numpy.errstate(all="ignore"):
        wanted = [numpy.asarray(x).tobytes() for x in program(numpy)]
    for threads in (1, 2, 3):
        for engine in (
            {"sweep": "off"},
            {"sweep": "on"},
            {"sweep": "on", "partitioner": "singleton"},
        ):
            with hassium.config(
                eager_elements=0, parallelize="on", threads=threads, verify=True, **engine
            ):
                with numpy.errstate(all="ignore"):
                    found = program(hassium)
                    hassium.flush()
                assert [numpy.asarray(x).tobytes() for x in found] == wanted, engine


def test_random_programs_are_swept() -> None:
    hassium.reset_stats()
    with hassium.config(eager_elements=0, sweep="on", threads=2), numpy.errstate(all="ignore"):
        for seed in range(40):
            found = random_program(seed)(hassium)
            hassium.flush()
            del found
    assert hassium.stats()["sweeps"] > 10
