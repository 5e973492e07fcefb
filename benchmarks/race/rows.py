"""Workloads with reductions along axes, and copies between layouts."""

from __future__ import annotations

from typing import Any

import numpy as np

from race.grids import side, square
from race.workload import Arrays, Workload, generator, once


def softmax(x: Any) -> Any:
    e = np.exp(x - x.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def normalise(x: Any) -> Any:
    d = x - x.mean(axis=1, keepdims=True)
    return d / np.sqrt((d * d).mean(axis=1, keepdims=True) + 1e-5)


def softmax_0(x: Any) -> Any:
    e = np.exp(x - x.max(axis=0))
    return e / e.sum(axis=0)


def normalise_0(x: Any) -> Any:
    d = x - x.mean(axis=0)
    return d / np.sqrt((d * d).mean(axis=0) + 1e-5)


def sum_0(x: Any) -> Any:
    return x.sum(axis=0)


def sum_1(x: Any) -> Any:
    return x.sum(axis=1)


def squares_0(x: Any) -> Any:
    return (x * x).sum(axis=0)


def argmax_0(x: Any) -> Any:
    return x.argmax(axis=0)


def argmax_1(x: Any) -> Any:
    return x.argmax(axis=1)


def lengths(p: Any) -> Any:
    return (p * p).sum(axis=1)


def triples(n: int) -> Arrays:
    return [generator(1).uniform(0, 1, (max(n, 1), 3))]


def grey(image: Any) -> Any:
    return image.mean(axis=2)


def image(n: int) -> Arrays:
    length = side(n, 2)
    return [generator(2).uniform(0, 1, (length, length, 3))]


def pooled(image: Any) -> Any:
    n = len(image) // 2
    return image[: 2 * n, : 2 * n].reshape(n, 2, n, 2, 3).mean(axis=(1, 3))


def peaks(x: Any) -> Any:
    n = len(x) // 4
    return x[: 4 * n, : 4 * n].reshape(n, 4, n, 4).max(axis=(1, 3))


def moments(x: Any) -> Any:
    return x.sum(axis=(0, 2)), (x * x).sum(axis=(0, 2))


def box(n: int) -> Arrays:
    length = side(n, 3)
    return [generator(3).uniform(0, 1, (length, length, length))]


def transpose(x: Any) -> Any:
    return x.T.copy()


def turned(a: Any, b: Any) -> Any:
    return a.T * 2.0 + b


def turned_axes(a: Any, b: Any) -> Any:
    return a.transpose(2, 0, 1) * 2.0 + b


def two_boxes(n: int) -> Arrays:
    return [*box(n), *box(n)]


def two_squares(n: int) -> Arrays:
    return [*square(n), *square(n)]


def scan_1(x: Any) -> Any:
    return np.cumsum(x, axis=1)


def scan_0(x: Any) -> Any:
    return np.cumsum(x, axis=0)


def corners(points: Any, index: Any) -> Any:
    return points[index]


def mesh(n: int) -> Arrays:
    draw = generator(4)
    return [draw.uniform(0, 1, (n // 3, 3)), draw.integers(0, n // 3, n // 3)]


def chosen(x: Any, mask: Any) -> Any:
    return x[:, 1:-1][mask]


def chosen_inputs(n: int) -> Arrays:
    length = side(n, 2)
    draw = generator(5)
    return [draw.uniform(0, 1, (length, length + 2)), draw.uniform(0, 1, (length, length)) < 0.5]


def plain(name: str, code: Any, inputs: Any = square, medium: int = 1_000_000) -> Workload:
    return Workload(name, code, inputs, medium, hand=False)


ROWS = [
    Workload(
        "softmax", softmax, square, 1_000_000, mark=(2, 4), rival=(1.7, 2.6), loops=(0.6, 1.2),
    ),
    Workload(
        "normalise", normalise, square, 1_000_000, mark=(2.5, 4.5), rival=(2.4, 2.2),
        loops=(8, 15),
    ),
    plain("softmax_0", softmax_0),
    plain("normalise_0", normalise_0),
    Workload("sum_0", sum_0, square, 1_000_000, hand=False, streams=once(0)),
    Workload("sum_1", sum_1, square, 1_000_000, hand=False, streams=once(0)),
    plain("squares_0", squares_0),
    plain("argmax_0", argmax_0),
    plain("argmax_1", argmax_1),
    plain("lengths", lengths, triples),
    plain("grey", grey, image, 250_000),
    plain("moments", moments, box),
    Workload("transpose", transpose, square, 1_000_000, hand=False, streams=once()),
    plain("turned", turned, two_squares),
    plain("turned_axes", turned_axes, two_boxes),
    plain("pooled", pooled, image, 250_000),
    plain("peaks", peaks),
    plain("scan_1", scan_1),
    plain("scan_0", scan_0),
    plain("corners", corners, mesh),
    plain("chosen", chosen, chosen_inputs),
]  # fmt: skip
