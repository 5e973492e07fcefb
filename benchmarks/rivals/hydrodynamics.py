"""A blast wave for libraries that compile."""

from __future__ import annotations

from functools import cache
from typing import Any

from benchmarks.scripts import load

PROGRAM = load("hydrodynamics")


def initial(np: Any, size: tuple[int, ...], dtype: str) -> tuple[Any, ...]:
    """Returns the state x, y, u, v, energy, and constants: nodes, masses, walls, a step."""
    nx, ny, _ = size
    nodes = PROGRAM.corner_nodes(np, nx, ny)
    x, y, energy = PROGRAM.initial(np, nx, ny, dtype)
    mass = np.full(nx * ny, 1.0 / (nx * ny), dtype=dtype)
    shares = np.broadcast_to(0.25 * mass, nodes.shape)
    nodal_mass = PROGRAM.spread(np, nodes, shares, x.size)
    slides = [((z > 0) & (z < 1)).astype(dtype) for z in (x, y)]
    step = np.dtype(dtype).type(PROGRAM.COURANT / max(nx, ny))
    return (x, y, np.zeros_like(x), np.zeros_like(y), energy), (
        nodes, mass, nodal_mass, *slides, step,
    )  # fmt: skip


@cache
def numba_step() -> Any:
    import numba
    import numpy as np

    gamma = PROGRAM.GAMMA

    @numba.njit(parallel=True)
    def forces(x: Any, y: Any, u: Any, v: Any, energy: Any, nodes: Any, mass: Any) -> Any:
        force = np.empty((2, 4, mass.size), x.dtype)
        for c in numba.prange(mass.size):
            area = growth = 0.0
            for k in range(4):
                node, a, b = nodes[k, c], nodes[(k + 1) % 4, c], nodes[(k + 3) % 4, c]
                grad_x, grad_y = 0.5 * (y[a] - y[b]), 0.5 * (x[b] - x[a])
                force[0, k, c], force[1, k, c] = grad_x, grad_y
                area += 0.5 * (x[node] * grad_x + y[node] * grad_y)
                growth += u[node] * grad_x + v[node] * grad_y
            density = mass[c] / area
            pressure = (gamma - 1.0) * density * energy[c]
            speed = np.sqrt(gamma * pressure / density)
            squeeze = min(growth, 0.0) / np.sqrt(area)
            viscosity = density * (2.0 * squeeze * squeeze - 0.5 * speed * squeeze)
            for k in range(4):
                force[0, k, c] *= pressure + viscosity
                force[1, k, c] *= pressure + viscosity
        return force

    @numba.njit
    def step(state: Any, fixed: Any) -> Any:
        x, y, u, v, energy = state
        nodes, mass, nodal_mass, slides_x, slides_y, time = fixed
        force, total = forces(x, y, u, v, energy, nodes, mass), np.zeros((2, x.size), x.dtype)
        for k in range(4):
            for c in range(mass.size):
                total[0, nodes[k, c]] += force[0, k, c]
                total[1, nodes[k, c]] += force[1, k, c]
        new_u = (u + time * total[0] / nodal_mass) * slides_x
        new_v = (v + time * total[1] / nodal_mass) * slides_y
        mean_u, mean_v = (u + new_u) / 2, (v + new_v) / 2
        fresh = np.empty_like(energy)
        for c in range(mass.size):
            work = 0.0
            for k in range(4):
                node = nodes[k, c]
                work += force[0, k, c] * mean_u[node] + force[1, k, c] * mean_v[node]
            fresh[c] = energy[c] - time * work / mass[c]
        return x + time * mean_u, y + time * mean_v, new_u, new_v, fresh

    return step


def numba(np: Any, size: tuple[int, ...], dtype: str) -> Any:
    state, fixed = initial(np, size, dtype)
    step = numba_step()
    for _ in range(size[2]):
        state = step(state, fixed)
    return np.concatenate(state)


@cache
def jax_step() -> Any:
    import jax

    def step(state: Any, fixed: Any) -> Any:
        np, gamma = jax.numpy, PROGRAM.GAMMA
        x, y, u, v, energy = state
        nodes, mass, nodal_mass, slides_x, slides_y, time = fixed
        ahead, behind = np.array([1, 2, 3, 0]), np.array([3, 0, 1, 2])
        corner_x, corner_y = x[nodes], y[nodes]
        grad_x = 0.5 * (corner_y[ahead] - corner_y[behind])
        grad_y = 0.5 * (corner_x[behind] - corner_x[ahead])
        area = 0.5 * (corner_x * grad_x + corner_y * grad_y).sum(axis=0)
        growth = (u[nodes] * grad_x + v[nodes] * grad_y).sum(axis=0)
        density = mass / area
        pressure = (gamma - 1.0) * density * energy
        speed = np.sqrt(gamma * pressure / density)
        squeeze = np.minimum(growth, 0.0) / np.sqrt(area)
        viscosity = density * (2.0 * squeeze * squeeze - 0.5 * speed * squeeze)
        force_x, force_y = ((pressure + viscosity) * grad for grad in (grad_x, grad_y))
        total_x, total_y = (np.zeros_like(x).at[nodes].add(f) for f in (force_x, force_y))
        new_u = (u + time * total_x / nodal_mass) * slides_x
        new_v = (v + time * total_y / nodal_mass) * slides_y
        mean_u, mean_v = 0.5 * (u + new_u), 0.5 * (v + new_v)
        work = (force_x * mean_u[nodes] + force_y * mean_v[nodes]).sum(axis=0)
        energy = energy - time * work / mass
        return x + time * mean_u, y + time * mean_v, new_u, new_v, energy

    return jax.jit(step)


def jax(np: Any, size: tuple[int, ...], dtype: str) -> Any:
    state, fixed = initial(np, size, dtype)
    step = jax_step()
    for _ in range(size[2]):
        state = step(state, fixed)
    return np.concatenate(state)
