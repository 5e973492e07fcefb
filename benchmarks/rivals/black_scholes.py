"""Black-Scholes for libraries that compile."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

from benchmarks.scripts import load

PROGRAM = load("black_scholes")


def stocks(np: Any, size: tuple[int, ...], dtype: str) -> Any:
    return np.linspace(PROGRAM.LOWEST, PROGRAM.HIGHEST, size[0], dtype=dtype)


def constants(step: int) -> tuple[float, float, float]:
    """Returns spread, drift and the present value of the strike price for an expiry."""
    time = PROGRAM.expiry(step)
    spread = PROGRAM.VOLATILITY * math.sqrt(time)
    drift = (PROGRAM.RATE + 0.5 * PROGRAM.VOLATILITY**2) * time
    return spread, drift, PROGRAM.STRIKE * math.exp(-PROGRAM.RATE * time)


@cache
def numba_total() -> Any:
    import numba

    strike, scale = PROGRAM.STRIKE, 1.0 / math.sqrt(2.0 * math.pi)

    @numba.njit
    def below(x: float) -> float:
        size = abs(x)
        k = 1.0 / (1.0 + 0.2316419 * size)
        poly = 0.319381530 * k - 0.356563782 * k**2 + 1.781477937 * k**3
        poly = poly - 1.821255978 * k**4 + 1.330274429 * k**5
        tail = math.exp(-0.5 * size * size) * poly * scale
        return tail if x < 0 else 1.0 - tail

    @numba.njit(parallel=True)
    def total(stock: Any, spread: float, drift: float, paid: float) -> float:
        sum_ = 0.0
        for i in numba.prange(stock.size):
            d1 = (math.log(stock[i] / strike) + drift) / spread
            sum_ += stock[i] * below(d1) - paid * below(d1 - spread)
        return sum_

    return total


def numba(np: Any, size: tuple[int, ...], dtype: str) -> Any:
    stock, total = stocks(np, size, dtype), numba_total()
    means = [total(stock, *constants(step)) / size[0] for step in range(size[1])]
    return np.array(means, dtype=dtype)


@cache
def jax_mean() -> Any:
    import jax

    def mean(stock: Any, spread: float, drift: float, paid: float) -> Any:
        d1 = (jax.numpy.log(stock / PROGRAM.STRIKE) + drift) / spread
        first = stock * PROGRAM.normal_distribution(jax.numpy, d1)
        return jax.numpy.mean(first - paid * PROGRAM.normal_distribution(jax.numpy, d1 - spread))

    return jax.jit(mean)


def jax(np: Any, size: tuple[int, ...], dtype: str) -> Any:
    import jax as library

    stock, mean = library.numpy.asarray(stocks(np, size, dtype)), jax_mean()
    return np.array([float(mean(stock, *constants(step))) for step in range(size[1])], dtype=dtype)


BELOW = """where(d < 0, 0, 1) + where(d < 0, 1, -1) * scale * exp(-0.5 * d * d) * (0.319381530 * k
- 0.356563782 * k**2 + 1.781477937 * k**3 - 1.821255978 * k**4 + 1.330274429 * k**5)"""


def numexpr(np: Any, size: tuple[int, ...], dtype: str) -> Any:
    import numexpr as library

    def below(d: Any) -> Any:
        names = {"d": d, "k": library.evaluate("1 / (1 + 0.2316419 * abs(d))", {"d": d})}
        return library.evaluate(BELOW, names | {"scale": 1.0 / math.sqrt(2.0 * math.pi)})

    stock, means = stocks(np, size, dtype), []
    for step in range(size[1]):
        spread, drift, paid = constants(step)
        names = {"s": stock, "strike": PROGRAM.STRIKE, "drift": drift, "spread": spread}
        d1 = library.evaluate("(log(s / strike) + drift) / spread", names)
        names = {"s": stock, "a": below(d1), "b": below(d1 - spread), "paid": paid}
        means.append(float(library.evaluate("sum(s * a - paid * b)", names)) / size[0])
    return np.array(means, dtype=dtype)
