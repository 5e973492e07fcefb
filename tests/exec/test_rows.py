"""Reductions and those who use their results in one block: row by row, same bits as apart."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy
import pytest

import hassium

Row = Callable[[Any, Any], Any]


def softmax(np: Any, x: Any) -> Any:
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def normalised(np: Any, x: Any) -> Any:
    return (x - x.mean(axis=-1, keepdims=True)) / (x.std(axis=-1, keepdims=True) + 0.125)


def log_sum(np: Any, x: Any) -> Any:
    most = x.max(axis=-1)
    return most + np.log(np.exp(x - most[..., None]).sum(axis=-1))


def kept(np: Any, x: Any) -> Any:
    return x.sum(axis=-1) * 2 + x[..., 0]


def columns(np: Any, x: Any) -> Any:
    return x.sum(axis=0) / 3 - x[0]


def centred(np: Any, x: Any) -> Any:
    return x - x.mean()


def in_place(np: Any, x: Any) -> Any:
    """Reads what was in the result before it is written again, and overwrites the input."""
    s = x.sum(axis=-1)
    y = x * s[..., None]
    s *= 0.5
    x -= s[..., None]
    np.add.reduce(y, axis=-1, out=s)
    return x + y + s[..., None]


def masked(np: Any, x: Any) -> Any:
    low = x - x.min(axis=-1, keepdims=True)
    return np.where(low > low.mean(axis=-1, keepdims=True), low, 0)


def through_columns(np: Any, x: Any) -> Any:
    """Both ways in one flush: only one of them can be rows."""
    a = x - x.mean(axis=-1, keepdims=True)
    return a / (1 + np.abs(a).sum(axis=0))


def along_the_other_axis(np: Any, x: Any) -> Any:
    """A result with as many elements as a row result, of rows that run the other way."""
    n = int(x.size**0.5)
    a = np.ascontiguousarray(x).reshape(-1)[: n * n].reshape(n, n)
    b = (a * 0.5).T
    rows, columns = a.sum(axis=1), b.sum(axis=0)
    more = columns + 1
    return (b - columns[:, None]) + rows + more


def scaled(np: Any, x: Any) -> Any:
    d = x - x.mean(axis=-1, keepdims=True)
    return d / np.sqrt((d * d).mean(axis=-1, keepdims=True) + 1e-5)


def overwritten(np: Any, x: Any) -> Any:
    """What the difference was made of is another when the quotient wants it."""
    d = x - x.mean(axis=-1, keepdims=True)
    spread = (d * d).mean(axis=-1, keepdims=True) + 1
    x *= 2
    return d / spread + x


def repeated(np: Any, x: Any) -> Any:
    """One difference for three phases, which makes another."""
    d = x - x.mean(axis=-1, keepdims=True)
    e = d - (d * d).mean(axis=-1, keepdims=True)
    return e / (np.abs(d + e).sum(axis=-1, keepdims=True) + 1) - d


def products(np: Any, x: Any) -> Any:
    """Sums of products and squares, of arrays and of differences, some of them seen by others."""
    y = np.asarray(x[..., ::-1]) * 1
    d, e = x - y, y - x
    f = e * e
    found = (x * y).sum(axis=-1) - np.square(x).sum(axis=-1) / (d * d).mean(axis=-1)
    found += f.sum(axis=-1) + ((x - 2.0) ** 2).sum(axis=-1) + ((3.0 - x) * (3.0 - x)).sum(axis=-1)
    return (f * found[..., None] * x).sum(axis=-1) + (y * 2 * x).sum(axis=-1)


def computed_products(np: Any, x: Any) -> Any:
    """Sums of products of what the block computes, some of it for several sums, some for one."""
    y = x[..., ::-1] * 1
    dx, dy = x - y, y + 0.25
    pull = 2.0 / (dx * dx + np.sqrt(dy) + 0.5)
    one, two = (pull * dx).sum(axis=-1), (pull * dy).sum(axis=-1)
    a, b, c = pull * x, pull * dy * 3.0, np.square(pull)
    three = a.sum(axis=-1) + b.sum(axis=-1) - c.sum(axis=-1)
    left = dx * 0.5
    product = left * pull
    left = left + dy  # in the place of what the product reads
    four = product.sum(axis=-1) + (left * left).sum(axis=-1)
    return np.stack([one, two, three, four + (np.abs(dx) * dy).sum(axis=-1)])


def filled_products(np: Any, x: Any) -> Any:
    """Sums of products with what is one element for a whole tile until somebody wants it all."""
    twos = np.zeros(x.shape, x.dtype)
    twos += 2
    constant = np.full(x.shape, 3, x.dtype)
    found = (np.ones(x.shape, x.dtype) * x).sum(axis=-1) + (x * twos).sum(axis=-1)
    found = found + (twos * twos).sum(axis=-1) + (constant * twos).sum(axis=-1)
    some = np.broadcast_to(x.sum(), x.shape) + np.broadcast_to(x.max(), x.shape)
    return found + (some * some).sum(axis=-1) + (some * x).sum(axis=-1)


def deviation(np: Any, x: Any) -> Any:
    d = x - x.mean(axis=-1, keepdims=True)
    return (d * d).sum(axis=-1)


PROGRAMS = [
    softmax,
    normalised,
    log_sum,
    kept,
    columns,
    centred,
    in_place,
    masked,
    through_columns,
    along_the_other_axis,
    scaled,
    overwritten,
    repeated,
    products,
    computed_products,
    filled_products,
    deviation,
]
SHAPES = [
    (7, 3),
    (50, 40),
    (101, 1000),
    (1009, 5),
    (33, 513),
    (3, 9000),
    (4, 1),
    (1, 9),
    (6, 7, 20),
]
PARTITIONERS = ["linear", "unintrusive", "greedy", "optimal", "auto"]


def grid(shape: tuple[int, ...], dtype: str) -> Any:
    return numpy.random.default_rng(sum(shape)).random(shape).astype(dtype)


def run(program: Row, start: Any, **engine: Any) -> bytes:
    quiet = numpy.errstate(all="ignore")
    with quiet, hassium.config(eager_elements=0, verify=True, **engine):
        x = hassium.array(start)
        hassium.flush()
        found = numpy.asarray(program(hassium, x))
        return found.tobytes() + numpy.asarray(x).tobytes()


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("program", PROGRAMS)
def test_bits_are_those_of_single_instructions(program: Row, shape: tuple[int, ...]) -> None:
    for dtype in ("f8", "f4"):
        start = grid(shape, dtype)
        apart = run(program, start, partitioner="singleton", threads=1)
        for partitioner in PARTITIONERS:
            for threads in (1, 3):
                assert (
                    run(program, start, partitioner=partitioner, threads=threads, parallelize="on")
                    == apart
                )
        if program not in (softmax, log_sum):  # the reference's exp is another one
            assert run(program, start, executor="reference") == apart


@pytest.mark.parametrize("program", PROGRAMS)
def test_results_are_those_of_numpy(program: Row) -> None:
    start = grid((40, 70), "f8")
    with hassium.config(eager_elements=0):
        found = numpy.asarray(program(hassium, hassium.array(start)))
    numpy.testing.assert_allclose(found, program(numpy, start.copy()), rtol=1e-12, atol=1e-14)


def blocks(program: Row, start: Any) -> tuple[int, int]:
    """Blocks, and contracted arrays."""
    x = hassium.array(start)
    hassium.flush()
    hassium.reset_stats()
    found = program(hassium, x)
    hassium.flush()
    stats = hassium.stats()
    assert found is not None
    return int(stats["blocks"]), int(stats["contracted"])


def test_rows_share_a_block() -> None:
    start = grid((300, 500), "f8")
    for program in (softmax, normalised, scaled, log_sum, kept, columns):
        number, contracted = blocks(program, start)
        assert number == 1, program
        assert contracted > 0, program


def test_cheap_work_is_repeated() -> None:
    """A difference that two phases need is no array unless what it is made of changes."""
    start = grid((300, 500), "f8")
    for program, made in ((scaled, 2), (overwritten, 1)):
        x = hassium.array(start)
        hassium.flush()
        with hassium.debug.capture() as flushes:
            program(hassium, x)
            hassium.flush()
        plan = "".join(flush.plan for flush in flushes)
        assert plan.count("subtract[") == made


def test_long_rows_do_not() -> None:
    start = grid((4, 30000), "f8")
    assert blocks(softmax, start)[0] == 3
    assert blocks(kept, start)[0] == 1


@pytest.mark.parametrize("turn", ["T", "reverse", "strided", "broadcast"])
def test_any_layout(turn: str) -> None:
    whole = grid((120, 260), "f8")

    def seen(np: Any, x: Any) -> Any:
        views = {
            "T": lambda: x.T,
            "reverse": lambda: x[::-1, ::-1],
            "strided": lambda: x[::3, 1::2],
            "broadcast": lambda: np.broadcast_to(x[0], x.shape),
        }
        return normalised(np, views[turn]() + (0 * x[0, 0]))

    apart = run(seen, whole, partitioner="singleton", threads=1)
    for threads in (1, 2):
        assert run(seen, whole, threads=threads, parallelize="on") == apart


def test_kept_axes_that_do_not_merge() -> None:
    bias = grid((6, 1, 5, 1), "f8")

    def biased(np: Any, x: Any) -> Any:
        return softmax(np, x + np.asarray(bias))

    start = grid((6, 7, 5, 11), "f8")
    apart = run(biased, start, partitioner="singleton", threads=1)
    for threads in (1, 2):
        assert run(biased, start, threads=threads, parallelize="on") == apart


def test_many_small_panels_and_a_short_last_one() -> None:
    for rows in (1, 2, 3, 17, 1021, 20011):
        start = grid((rows, 30), "f4")
        apart = run(normalised, start, partitioner="singleton", threads=1)
        for threads in (1, 4):
            assert run(normalised, start, threads=threads, parallelize="on") == apart


def test_warnings_come_from_any_phase() -> None:
    start = grid((200, 300), "f8")
    start[17] = 0
    with pytest.warns(RuntimeWarning, match="invalid value"):
        numpy.asarray(hassium.array(start) / hassium.array(start).sum(axis=1, keepdims=True))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        numpy.asarray(hassium.array(start) / (hassium.array(start).sum(axis=1, keepdims=True) + 1))


def test_a_loop_of_other_lengths_hits_with_the_same_bits() -> None:
    """The partition of one length serves others: what it rests on is asked again."""
    for shape in [(60, 50), (61, 50), (60, 49), (20, 20000), (20, 100), (20, 20), (100, 20)]:
        start = grid(shape, "f8")
        assert run(softmax, start) == run(softmax, start, partitioner="singleton", cache=False)
