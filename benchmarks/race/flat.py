"""Workloads over one-dimensional arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from race.workload import Arrays, Workload, generator, once


def uniform(count: int) -> Any:
    return lambda n: [generator(k).uniform(0.5, 1.5, n) for k in range(count)]


def axpy(a: Any, b: Any, c: Any) -> Any:
    return a * b + c


def polynomial(x: Any) -> Any:
    return ((((x * 0.1 + 0.2) * x + 0.3) * x + 0.4) * x + 0.5) * x + 0.6


def ten(a: Any, b: Any) -> Any:
    y = a + b
    y = y * a
    y = y - 0.5
    y = y / 3.0
    y = np.sqrt(np.abs(y))
    y = y + b
    y = y * 0.25
    y = np.maximum(y, a)
    return y - b


def state(s: Any, t: Any, p: Any) -> Any:
    """Density of sea water by salinity, temperature and pressure (UNESCO, 1981)."""
    root = np.sqrt(s)
    water = 6.536332e-9 * t - 1.120083e-6
    water = (((water * t + 1.001685e-4) * t - 9.095290e-3) * t + 6.793952e-2) * t + 999.842594
    a = (((5.3875e-9 * t - 8.2467e-7) * t + 7.6438e-5) * t - 4.0899e-3) * t + 0.824493
    b = (-1.6546e-6 * t + 1.0227e-4) * t - 5.72466e-3
    surface = water + s * (a + root * b + 4.8314e-4 * s)
    k = (((-5.155288e-5 * t + 1.360477e-2) * t - 2.327105) * t + 148.4206) * t + 19652.21
    ks = ((-6.1670e-5 * t + 1.09987e-2) * t - 0.603459) * t + 54.6746
    kr = (-5.3009e-4 * t + 1.6483e-2) * t + 7.944e-2
    k = k + s * (ks + root * kr)
    a1 = ((-5.77905e-7 * t + 1.16092e-4) * t + 1.43713e-3) * t + 3.239908
    a1 = a1 + s * ((-1.6078e-6 * t - 1.0981e-5) * t + 2.2838e-3 + 1.91075e-4 * root)
    b2 = (5.2787e-8 * t - 6.12293e-6) * t + 8.50935e-5
    b2 = b2 + s * ((9.1697e-10 * t + 2.0816e-8) * t - 9.9348e-7)
    k = (b2 * p + a1) * p + k
    return surface / (1.0 - p / k)


def state_inputs(n: int) -> Arrays:
    draw = generator(1)
    return [draw.uniform(20, 40, n), draw.uniform(-1, 30, n), draw.uniform(0, 500, n)]


def black_scholes(stock: Any) -> Any:
    """The sum of option prices; the normal distribution by Abramowitz and Stegun, 26.2.17."""
    total = 0.0
    d1 = (np.log(stock / 65.0) + 0.0625) / 0.2
    for d, factor, shift in ((d1, 1.0, 0.0), (d1 - 0.2, -64.0, 1.0)):
        size = np.abs(d)
        k = 1.0 / (1.0 + 0.2316419 * size)
        poly = (((1.330274429 * k - 1.821255978) * k + 1.781477937) * k - 0.356563782) * k
        poly = (poly + 0.319381530) * k
        tail = np.exp(-0.5 * size * size) * poly * 0.3989422804014327
        negative = d < 0
        share = negative * tail + ~negative * (1.0 - tail)
        weight = factor * (stock * (1.0 - shift) + shift)
        total = total + np.sum(weight * share)
    return total


def rosenbrock(x: Any) -> Any:
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)


def strided(start: Any) -> Any:
    """Updates even and odd elements alternately, each to the mean of its neighbours."""
    u = start.copy()
    for _ in range(5):
        u[1:-1:2] = 0.5 * (u[:-2:2] + u[2::2])
        u[2:-1:2] = 0.5 * (u[1:-2:2] + u[3::2])
    return u


def gather(w: Any, x: Any, index: Any) -> Any:
    return np.sum(w * x[index])


def gather_inputs(n: int) -> Arrays:
    draw = generator(2)
    return [draw.uniform(0, 1, n), draw.uniform(0, 1, n), draw.integers(0, n, n)]


def scan(x: Any, w: Any) -> Any:
    return np.cumsum(np.exp(x)) * w


def logistic(x: Any) -> Any:
    return 1.0 / (1.0 + np.exp(-x))


def gaussian(x: Any) -> Any:
    return np.exp(-(x * x) / 2.0) * 0.3989422804014327


def attraction(x: Any, y: Any) -> Any:
    return x * (x * x + y * y) ** -1.5


def single(n: int) -> Arrays:
    return [generator(3).uniform(0.5, 1.5, n).astype(np.float32)]


def mixed(i: Any, x: Any, f: Any) -> Any:
    """Integers, float32 and float64 in one expression."""
    return (i * x + f) * i + x


def mixed_inputs(n: int) -> Arrays:
    draw = generator(4)
    whole = draw.integers(0, 100, n).astype(np.int32)
    return [whole, draw.uniform(0, 1, n), draw.uniform(0, 1, n).astype(np.float32)]


def reversed_sum(a: Any, b: Any) -> Any:
    return a[::-1] * b + a


def backwards(a: Any, b: Any) -> Any:
    return a[::-1] + b[::-1]


def masked(start: Any, mask: Any) -> Any:
    x = start.copy()
    x[mask] = 0.0
    return x


def masked_inputs(n: int) -> Arrays:
    draw = generator(8)
    return [draw.uniform(0, 1, n), draw.uniform(0, 1, n) < 0.5]


def neuron(x: Any, w: Any) -> Any:
    return np.tanh(x * w - 1.0)


def bits(i: Any) -> Any:
    """A step of a xorshift generator."""
    i = i ^ (i << 13)
    i = i ^ (i >> 17)
    return i ^ (i << 5)


def bits_inputs(n: int) -> Arrays:
    return [generator(9).integers(1, 2**31, n).astype(np.uint32)]


def narrow(x: Any) -> Any:
    return x.astype(np.float32)


def sum_all(x: Any) -> Any:
    return np.sum(x)


HORNER = "((((a*0.1+0.2)*a+0.3)*a+0.4)*a+0.5)*a+0.6"
ONE = lambda inputs: [np.empty(1)]  # noqa: E731

FLAT = [
    Workload(
        "axpy", axpy, uniform(3), 1_000_000, mark=(1.4, 2.5), rival=(1.2, 2.4), loops=(1.2, 2.3),
        expression="a*b+c", streams=once(),
    ),
    Workload(
        "polynomial", polynomial, uniform(1), 1_000_000, mark=(6, 11), rival=(10, 21),
        loops=(11, 22), expression=HORNER, streams=once(),
    ),
    Workload(
        "state", state, state_inputs, 262_144, mark=(15, 28), rival=(41, 64), loops=(34, 68),
    ),
    Workload(
        "black_scholes", black_scholes, lambda n: [generator(5).uniform(40, 90, n)], 400_000,
        mark=(6, 11), rival=(8.7, 17), loops=(3.5, 6.8), buffers=ONE,
    ),
    Workload(
        "rosenbrock", rosenbrock, uniform(1), 1_000_000, mark=(4, 7), rival=(3.3, 6.7),
        loops=(8.3, 16), buffers=ONE,
    ),
    Workload(
        "strided", strided, uniform(1), 1_000_000, mark=(2.5, 4.5), rival=(1.9, 2.1),
        loops=(3.8, 7.4), assigns=True,
    ),
    Workload(
        "gather", gather, gather_inputs, 1_000_000, mark=(1.3, 2.4), rival=(1.0, 1.0),
        loops=(1.9, 4.2), buffers=ONE,
    ),
    Workload(
        "scan", scan, lambda n: [generator(6).uniform(-1, 1, n), generator(7).uniform(0, 1, n)],
        1_000_000, mark=(1.2, 2.2), rival=(0.6, 1.2), loops=(0.8, 1.6),
    ),
    Workload(
        "ten", ten, uniform(2), 1_000, sizes=(100, 1_000), mark=(1.2, 1.2), rival=(2.6, 2.6),
        loops=(4, 4),
    ),
    Workload("logistic", logistic, uniform(1), 1_000_000, hand=False),
    Workload("gaussian", gaussian, uniform(1), 1_000_000, hand=False),
    Workload("attraction", attraction, uniform(2), 1_000_000, hand=False),
    Workload("polynomial32", polynomial, single, 1_000_000, tolerance=1e-5, streams=once()),
    Workload("mixed", mixed, mixed_inputs, 1_000_000, hand=False),
    Workload("reversed", reversed_sum, uniform(2), 1_000_000, hand=False),
    Workload("backwards", backwards, uniform(2), 1_000_000, hand=False),
    Workload("masked", masked, masked_inputs, 1_000_000, hand=False, assigns=True),
    Workload("neuron", neuron, uniform(2), 1_000_000, hand=False),
    Workload("bits", bits, bits_inputs, 1_000_000, hand=False),
    Workload("narrow", narrow, uniform(1), 1_000_000, hand=False, tolerance=1e-6),
    Workload("sum", sum_all, uniform(1), 1_000_000, buffers=ONE, streams=once(0)),
]  # fmt: skip
