"""dask's distributed scheduler: arrays travel as our arrays, workers compute on their own cores."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy
import pytest

import hassium
from interop.test_processes import lines
from packages import wanted

LAYOUTS: dict[str, Callable[[Any], Any]] = {
    "rows": lambda m: m.arange(12.0).reshape(3, 4),
    "columns": lambda m: m.arange(12.0).reshape(3, 4).T,
    "strided": lambda m: m.arange(12.0).reshape(3, 4)[:, ::2],
    "reversed": lambda m: m.arange(5)[::-1],
    "broadcast": lambda m: m.broadcast_to(m.arange(3), (2, 3)),
    "broadcast, strided": lambda m: m.broadcast_to(m.arange(8.0)[::2], (2, 4)),
    "one number repeated": lambda m: m.broadcast_to(m.ones(1), (200, 300)),
    "empty": lambda m: m.zeros((0, 3)),
    "number": lambda m: m.array(3.5),
    "complex": lambda m: m.ones(3, "F") * 1j,
    "bool": lambda m: m.arange(5) > 2,
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("writeable", [True, False])
def test_round_trips(layout: str, writeable: bool) -> None:
    protocol: Any = wanted("distributed.protocol")
    found = []
    for m in (numpy, hassium):
        a = LAYOUTS[layout](m)
        a.flags.writeable = writeable and a.flags.writeable
        header, frames = protocol.serialize(a)
        b = protocol.deserialize(header, frames)
        assert type(b) is type(a)
        assert numpy.array_equal(a, b)
        sent = sum(memoryview(frame).nbytes for frame in frames)
        flags = (b.flags.c_contiguous, b.flags.f_contiguous, b.flags.writeable)
        found.append((header["serializer"], sent, b.shape, b.dtype, *flags))
    theirs, ours = found
    assert ours == theirs


def test_frames_are_the_memory_of_the_array() -> None:
    protocol: Any = wanted("distributed.protocol")
    a = hassium.arange(1000.0)
    _, (frame,) = protocol.serialize(a)
    assert numpy.shares_memory(numpy.frombuffer(frame), numpy.asarray(a))


def test_work_on_what_arrives_is_fused() -> None:
    protocol: Any = wanted("distributed.protocol")
    header, (frame,) = protocol.serialize(hassium.arange(100_000.0))
    message = memoryview(bytearray(b"header" + bytes(frame)))  # data at any byte of a message
    arrived = protocol.deserialize(header, [message[len("header") :]])
    assert arrived.flags.aligned
    hassium.reset_stats()
    assert (arrived * 2 + 1).sum() == 1e10
    assert not hassium.stats()["eager"]


def test_pending_numbers_travel_as_numpys() -> None:
    protocol: Any = wanted("distributed.protocol")
    number = hassium.arange(100_000.0).sum()
    assert protocol.deserialize(*protocol.serialize(number)) == 4999950000.0


CLUSTER = """
import dask
import dask.array as da
import numpy
from dask.distributed import Client, LocalCluster


def kind(block):
    return type(block).__module__


def threads():
    return np._core.thread_count()


def program():
    x = da.random.default_rng(1).normal(size=(60, 40), chunks=20)
    y = (x - x.mean(axis=0)).map_overlap(lambda b: b + 1, depth=1, boundary="reflect")
    return x, (y @ x.T).sum(axis=0) + da.random.RandomState(1).normal(size=60, chunks=20)


if __name__ == "__main__":
    with LocalCluster(
        n_workers=2, threads_per_worker=2, host="127.0.0.1", dashboard_address=None
    ) as cluster, Client(cluster) as client:
        client.wait_for_workers(2)
        first, second = client.scheduler_info()["workers"]
        print(*client.run(threads).values())
        made = client.submit(np.arange, 1e5, workers=first)
        moved = client.submit(lambda a: (kind(a), float(a.sum())), made, workers=second)
        print(*moved.result())
        with dask.config.set({"array.backend": "hassium"}):
            x, y = program()
            found = y.compute()
            kinds = {client.submit(kind, block).result() for block in client.compute(
                [*x.blocks.ravel()])}
        with dask.config.set({"array.backend": "numpy"}):
            expected = program()[1].compute()
        print(*kinds, kind(found), kind(expected), numpy.allclose(found, expected, rtol=1e-12))
"""


def test_two_workers(tmp_path: Path) -> None:
    """Each task runs on one thread, so tasks and not operations share the cores."""
    wanted("distributed")
    assert lines(tmp_path, CLUSTER, swapped=False) == [
        "1 1",
        "hassium 4999950000.0",
        "hassium hassium numpy True",
    ]
