"""Black-Scholes: European call options on many stock prices, for a sequence of expiry times.

    C = S N(d1) - X exp(-r T) N(d2)
    d1 = (ln(S / X) + (r + v^2 / 2) T) / (v sqrt(T)),    d2 = d1 - v sqrt(T)

(Black and Scholes, The Pricing of Options and Corporate Liabilities, 1973). The normal distribution
function N is the polynomial of Abramowitz and Stegun, 26.2.17, whose error is below 7.5e-8. Each
step prices all options for a later expiry and keeps the mean. The size is options * steps.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

SIZES = {"small": (1000, 20), "medium": (1500000, 20), "paper": (1500000, 20)}
EXACT = False  # logarithms and sums

LOWEST, HIGHEST, STRIKE = 40.0, 90.0, 65.0
RATE, VOLATILITY = 0.08, 0.3
DAY = 1.0 / 365.0


def expiry(step: int) -> float:
    """Returns thirty days, plus ten days per step."""
    return (30 + 10 * step) * DAY


def normal_distribution(np: Any, x: Any) -> Any:
    """Returns the probability that a standard normal variable is below x."""
    size = np.abs(x)
    k = 1.0 / (1.0 + 0.2316419 * size)
    poly = 0.319381530 * k - 0.356563782 * k**2 + 1.781477937 * k**3
    poly = poly - 1.821255978 * k**4 + 1.330274429 * k**5
    tail = np.exp(-0.5 * size * size) * poly * (1.0 / math.sqrt(2.0 * math.pi))
    negative = x < 0
    return negative * tail + ~negative * (1.0 - tail)


def price(np: Any, stock: Any, time: float) -> Any:
    """Returns today's value of the right to buy at the strike price at the expiry."""
    spread = VOLATILITY * math.sqrt(time)
    d1 = (np.log(stock / STRIKE) + (RATE + 0.5 * VOLATILITY**2) * time) / spread
    d2 = d1 - spread
    paid = STRIKE * math.exp(-RATE * time)
    return stock * normal_distribution(np, d1) - paid * normal_distribution(np, d2)


def run(np: Any, size: tuple[int, ...], dtype: str) -> Any:
    """Returns the mean price of all options, one number per step."""
    options, steps = size
    stock = np.linspace(LOWEST, HIGHEST, options, dtype=dtype)
    means = [np.sum(price(np, stock, expiry(step))) / options for step in range(steps)]
    return np.array([float(mean) for mean in means], dtype=dtype)


def exact(stock: float, time: float) -> float:
    """Returns the same price by the error function of the C library."""
    spread = VOLATILITY * math.sqrt(time)
    d1 = (math.log(stock / STRIKE) + (RATE + 0.5 * VOLATILITY**2) * time) / spread
    above, below = (0.5 * math.erfc(-d / math.sqrt(2.0)) for d in (d1, d1 - spread))
    return stock * above - STRIKE * math.exp(-RATE * time) * below


def exact_mean(options: int, time: float) -> float:
    """Returns the mean over evenly spaced prices: the sum, or its Euler-Maclaurin approximation."""
    points = min(options, 2001)
    width = (HIGHEST - LOWEST) / max(points - 1, 1)
    values = [exact(LOWEST + i * width, time) for i in range(points)]
    ends = 0.5 * (values[0] + values[-1])
    if points == options:
        return sum(values) / options
    return ((sum(values) - ends) / (points - 1) * (options - 1) + ends) / options


def check(np: Any, result: Any, size: tuple[int, ...]) -> None:
    """Checks the means against the error function, and that they grow with the expiry."""
    options, steps = size
    known = [exact_mean(options, expiry(step)) for step in range(steps)]
    slack = 1e-5 + 64 * float(np.finfo(result.dtype).eps) * HIGHEST
    assert np.abs(result - known).max() <= slack, "mean prices differ from the error function's"
    assert (result[1:] > result[:-1]).all(), "a longer time makes an option cheaper"


if __name__ == "__main__":
    import _cli

    _cli.main(np, __doc__, SIZES, run, check)
