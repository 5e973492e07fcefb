"""Sea water that freezes: a basin of four layers under cold air, wind and its own density.

Each step computes from the state before it, all steps being kept in arrays with time as first and
layers as last axis:

- density by the one-atmosphere equation of state (Millero and Poisson, International one-atmosphere
  equation of state of seawater, 1981) and the freezing point (Millero, 1978), both polynomials;
- currents: Coriolis turning, pressure of the lighter and heavier water around, wind on the top
  layer, friction between layers and with the bottom;
- heat and salt: mixing with all eight neighbours, faster where currents are fast, and between
  layers, strong where heavy water lies above light;
- cooling through the surface, slower under ice; water below its freezing point freezes, which
  gives off heat and leaves its salt behind; ice melts in water that is warmer.

The basin has closed walls. The size is rows * columns * steps.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

SIZES = {"small": (16, 16, 20), "medium": (350, 350, 20), "paper": (800, 800, 20)}
EXACT = False  # powers and sums

LAYERS = 4
THICKNESS = 10  # of a layer, in metres
CELL = 1000  # edge of a cell, in metres
STEP = 600  # seconds
GRAVITY, TURN = 9.81, 1.4e-4
WATER, ICE = 1027, 917  # reference densities, kg per cubic metre
HEAT, LATENT = 3985, 334000  # J per kg and kelvin, J per kg
SALT = 30  # salt left behind by freezing, g per kg
WEAK, STRONG = 0.002, 0.25  # fraction of a difference between layers that is mixed in a step


def density(s: Any, t: Any) -> Any:
    """Returns the density of surface sea water, from g of salt per kg and degrees Celsius."""
    pure = 1.120083e-6 - 6.536332e-9 * t
    pure = 9.095290e-3 - (1.001685e-4 - pure * t) * t
    pure = 999.842594 + (6.793952e-2 - pure * t) * t
    a = 7.6438e-5 - (8.2467e-7 - 5.3875e-9 * t) * t
    a = 8.24493e-1 - (4.0899e-3 - a * t) * t
    b = -5.72466e-3 + (1.0227e-4 - 1.6546e-6 * t) * t
    return pure + a * s + b * s**1.5 + 4.8314e-4 * s**2


def freezing_point(s: Any) -> Any:
    """Returns the freezing point in Celsius, from salinity in g per kg."""
    return -0.0575 * s + 1.710523e-3 * s**1.5 - 2.154996e-4 * s**2


def exchange(out: Any, share: Any, field: Any, one: Any, other: Any) -> None:
    """Moves a fraction of the difference between two shifted views of a field across."""
    flux = 0.5 * (share[one] + share[other]) * (field[one] - field[other])
    out[one] -= flux
    out[other] += flux


LOW, HIGH = slice(None, -1), slice(1, None)
ACROSS = [((LOW,), (HIGH,)), ((slice(None), LOW), (slice(None), HIGH))]
DIAGONAL = [((LOW, LOW), (HIGH, HIGH)), ((LOW, HIGH), (HIGH, LOW))]


def spread(np: Any, share: Any, field: Any) -> Any:
    """Returns the change by mixing with the eight neighbours; corners count half."""
    out = np.zeros_like(field)
    half = 0.5 * share
    for one, other in ACROSS:
        exchange(out, share, field, one, other)
    for one, other in DIAGONAL:
        exchange(out, half, field, one, other)
    return out


def overturn(np: Any, share: Any, field: Any) -> Any:
    """Returns the change by mixing a fraction of the difference between neighbouring layers."""
    out = np.zeros_like(field)
    flux = share * (field[:, :, :-1] - field[:, :, 1:])
    out[:, :, :-1] -= flux
    out[:, :, 1:] += flux
    return out


def pressure(np: Any, rho: Any) -> tuple[Any, Any]:
    """Returns the acceleration by the weight of the water above, along rows and columns."""
    weight = np.cumsum(rho - WATER, axis=2) * (GRAVITY * THICKNESS / WATER)
    down, across = np.zeros_like(rho), np.zeros_like(rho)
    down[1:-1] = (weight[:-2] - weight[2:]) / (2 * CELL)
    across[:, 1:-1] = (weight[:, :-2] - weight[:, 2:]) / (2 * CELL)
    return down, across


def currents(np: Any, u: Any, v: Any, rho: Any, wind: tuple[Any, Any]) -> tuple[Any, Any]:
    """Returns both components of the currents one step later."""
    down, across = pressure(np, rho)
    cos, sin = math.cos(TURN * STEP), math.sin(TURN * STEP)
    new_u = cos * u + sin * v + STEP * down
    new_v = cos * v - sin * u + STEP * across
    blow_u, blow_v = wind[0] - u[:, :, 0], wind[1] - v[:, :, 0]
    pull = 2e-6 * STEP / THICKNESS * (blow_u**2 + blow_v**2) ** 0.5
    new_u[:, :, 0] += pull * blow_u
    new_v[:, :, 0] += pull * blow_v
    speed = (u[:, :, -1] ** 2 + v[:, :, -1] ** 2) ** 0.5
    new_u[:, :, -1] -= 3e-3 * STEP / THICKNESS * speed * u[:, :, -1]
    new_v[:, :, -1] -= 3e-3 * STEP / THICKNESS * speed * v[:, :, -1]
    new_u += overturn(np, WEAK, u)
    new_v += overturn(np, WEAK, v)
    return new_u, new_v


def freeze(np: Any, t: Any, s: Any, ice: Any) -> Any:
    """Returns the thickness of ice that forms (or melts) in a step; changes t and s in place."""
    point = freezing_point(s)
    gain = HEAT * WATER * THICKNESS / (LATENT * ICE)  # metres of ice for a layer's kelvin
    cold = t < point
    formed = gain * (cold * (point - t))
    t += formed / gain
    s += formed * (SALT / THICKNESS)
    top = t[:, :, 0] - point[:, :, 0]
    melted = gain * ((top > 0) * top)
    enough = melted <= ice
    melted = enough * melted + ~enough * ice
    t[:, :, 0] -= melted / gain
    s[:, :, 0] -= melted * (SALT / THICKNESS)
    return np.sum(formed, axis=2) - melted


def weather(np: Any, rows: int, columns: int, dtype: str) -> tuple[Any, tuple[Any, Any]]:
    """Air colder than the water, coldest in the middle, and a wind that turns around there."""
    y = (2 * np.arange(rows, dtype=dtype)[:, None] - (rows - 1)) / rows
    x = (2 * np.arange(columns, dtype=dtype) - (columns - 1)) / columns
    away = x * x + y * y
    calm = 10.0 / (1.0 + away)
    return -40.0 / (1.0 + 2.0 * away), (-calm * x, calm * y)


def initial(np: Any, t: Any, s: Any) -> None:
    """Nearly freezing water, fresher in the middle, warmer and saltier below."""
    rows, columns, layers = t.shape
    layer = np.arange(layers, dtype=t.dtype)
    air, _ = weather(np, rows, columns, t.dtype)
    s[:] = 31.0 + 0.25 * layer + 0.01 * air[:, :, None]
    t[:] = -1.68 + 0.05 * layer


def run(np: Any, size: tuple[int, ...], dtype: str) -> Any:
    """Returns the last temperature, salinity and currents by layer, then ice and heat lost.

    The heat is given as the thickness of ice that it would have formed.
    """
    rows, columns, steps = size
    shape = (steps + 1, rows, columns, LAYERS)
    t, s, u, v, rho = (np.zeros(shape, dtype=dtype) for _ in range(5))
    ice, lost = (np.zeros(shape[:-1], dtype=dtype) for _ in range(2))
    air, wind = weather(np, rows, columns, dtype)
    initial(np, t[0, :, :, :], s[0, :, :, :])
    for i in range(steps):
        rho[i, :, :, :] = density(s[i, :, :, :], t[i, :, :, :])
        heavy = rho[i, :, :, :-1] > rho[i, :, :, 1:]
        mixed = heavy * t.dtype.type(STRONG) + ~heavy * t.dtype.type(WEAK)
        new_u, new_v = currents(np, u[i, :, :, :], v[i, :, :, :], rho[i, :, :, :], wind)
        u[i + 1, :, :, :], v[i + 1, :, :, :] = new_u, new_v
        share = 0.01 + 0.1 * (new_u**2 + new_v**2) ** 0.5
        new_t = (
            t[i, :, :, :] + spread(np, share, t[i, :, :, :]) + overturn(np, mixed, t[i, :, :, :])
        )
        new_s = (
            s[i, :, :, :] + spread(np, share, s[i, :, :, :]) + overturn(np, mixed, s[i, :, :, :])
        )
        loss = 20.0 * (new_t[:, :, 0] - air) / (1.0 + 10.0 * ice[i, :, :])
        new_t[:, :, 0] -= loss * (STEP / (HEAT * WATER * THICKNESS))
        lost[i + 1, :, :] = lost[i, :, :] + loss * (STEP / (LATENT * ICE))
        ice[i + 1, :, :] = ice[i, :, :] + freeze(np, new_t, new_s, ice[i, :, :])
        t[i + 1, :, :, :], s[i + 1, :, :, :] = new_t, new_s
    last = [t[-1], s[-1], u[-1], v[-1], ice[-1][:, :, None], lost[-1][:, :, None]]
    return np.concatenate(last, axis=2)


def check(np: Any, result: Any, size: tuple[int, ...]) -> None:
    """Checks tabled values, the budgets of heat and salt, and ice where it is coldest."""
    rows, columns, steps = size
    assert abs(density(35.0, 5.0) - 1027.67547) < 1e-5, "the density differs from the table's"
    assert abs(freezing_point(35.0) + 1.922) < 1e-3, "the freezing point differs from the table's"
    eps = float(np.finfo(result.dtype).eps)
    t, s = np.zeros((2, rows, columns, LAYERS))
    initial(np, t, s)
    end = result.astype(np.float64)
    end_t, end_s, u, v = (end[:, :, 4 * k : 4 * k + 4] for k in range(4))
    ice, lost = end[:, :, 16], end[:, :, 17]
    slack = 64 * (steps + 1) * eps
    salt = float((s - end_s).sum()) + SALT / THICKNESS * float(ice.sum())
    assert abs(salt) <= slack * float(s.sum()), "salt has been lost or gained"
    stored = HEAT * WATER * THICKNESS
    heat = stored * float((t - end_t).sum()) + LATENT * ICE * float((ice - lost).sum())
    assert abs(heat) <= slack * stored * float(np.abs(t).sum()), "heat has been lost or gained"
    assert ice.min() >= 0, "ice is thinner than nothing"
    assert ((u * u + v * v) ** 0.5).max() < 1, "the currents are too fast"
    below = freezing_point(end_s) - end_t
    assert below.max() <= 1e-3, "water is far below its freezing point"
    if steps >= 10:
        assert ice[rows // 2, columns // 2] > ice[0, 0], "the ice is not where it is coldest"


def draw(axes: Any, result: Any) -> None:
    axes.figure.colorbar(axes.imshow(result[:, :, 16], cmap="Blues_r"), label="ice, metres")
    every = max(1, result.shape[0] // 20)
    down, across = result[::every, ::every, 8], result[::every, ::every, 12]
    rows, columns = (range(0, n, every) for n in result.shape[:2])
    axes.quiver(columns, rows, across, down, color="tab:red", angles="xy")


if __name__ == "__main__":
    import _cli

    _cli.main(np, __doc__, SIZES, run, check, draw=draw)
