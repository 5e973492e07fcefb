"""Lagrangian hydrodynamics of a blast wave on quadrilaterals that move with the gas.

Positions and velocities live at nodes, energies and masses in cells. Each step gathers the corners
of every cell by an index array, has pressure from an ideal gas and artificial viscosity where a
cell is squeezed, scatters the forces of the corners to their nodes, moves the nodes, and takes the
work of the same forces from the cells, so that total energy is conserved to rounding (Caramana,
Burton, Shashkov and Whalen, J. Comput. Phys. 146, 1998). Walls let nodes slide. The size is
cells along x * cells along y * steps; the result joins x, y, their velocities and the energies.
"""

from __future__ import annotations

from typing import Any

import numpy as np

SIZES = {"small": (16, 16, 20), "medium": (400, 400, 30), "large": (2000, 2000, 20)}
EXACT = True  # only + - * / sqrt and moves; forces are added in order

GAMMA = 1.4
BACKGROUND = 0.01
BLAST = 1.0
COURANT = 0.1


def corner_nodes(np: Any, nx: int, ny: int) -> Any:
    """The four nodes of each cell, counterclockwise, as 4 * cells."""
    cell = np.arange(nx)[:, None] * (ny + 1) + np.arange(ny)
    first = cell.reshape(-1)
    return np.stack([first, first + ny + 1, first + ny + 2, first + 1])


def initial(np: Any, nx: int, ny: int, dtype: str) -> tuple[Any, Any, Any]:
    """Positions of the nodes, and energies per mass with a hot disc at the origin."""
    x = np.repeat(np.arange(nx + 1, dtype=dtype) / nx, ny + 1)
    y = np.tile(np.arange(ny + 1, dtype=dtype) / ny, nx + 1)
    nodes = corner_nodes(np, nx, ny)
    middle_x = 0.25 * x[nodes].sum(axis=0)
    middle_y = 0.25 * y[nodes].sum(axis=0)
    energy = BACKGROUND + BLAST * (middle_x * middle_x + middle_y * middle_y < 0.09)
    return x, y, energy.astype(dtype)


def spread(np: Any, nodes: Any, corner: Any, count: int) -> Any:
    """Sums the corners' contributions at each node."""
    total = np.zeros(count, dtype=corner.dtype)
    np.add.at(total, nodes, corner)
    return total


def area_gradients(x: Any, y: Any) -> tuple[Any, Any]:
    """Returns the derivative of a cell's area by the position of each corner."""
    ahead, behind = [1, 2, 3, 0], [3, 0, 1, 2]
    return 0.5 * (y[ahead] - y[behind]), 0.5 * (x[behind] - x[ahead])


def run(np: Any, size: tuple[int, ...], dtype: str) -> Any:
    """Returns x, y, u, v of the nodes and the energies of the cells, concatenated."""
    nx, ny, steps = size
    nodes = corner_nodes(np, nx, ny)
    x, y, energy = initial(np, nx, ny, dtype)
    u, v = np.zeros_like(x), np.zeros_like(y)
    mass = np.full(nx * ny, 1.0 / (nx * ny), dtype=dtype)
    nodal_mass = spread(np, nodes, np.broadcast_to(0.25 * mass, nodes.shape), x.size)
    slides_x = ((x > 0) & (x < 1)).astype(dtype)
    slides_y = ((y > 0) & (y < 1)).astype(dtype)
    step = COURANT / max(nx, ny)
    for _ in range(steps):
        corner_x, corner_y = x[nodes], y[nodes]
        corner_u, corner_v = u[nodes], v[nodes]
        grad_x, grad_y = area_gradients(corner_x, corner_y)
        area = 0.5 * (corner_x * grad_x + corner_y * grad_y).sum(axis=0)
        growth = (corner_u * grad_x + corner_v * grad_y).sum(axis=0)
        density = mass / area
        pressure = (GAMMA - 1.0) * density * energy
        speed = np.sqrt(GAMMA * pressure / density)
        squeeze = np.minimum(growth, 0.0) / np.sqrt(area)
        viscosity = density * (2.0 * squeeze * squeeze - 0.5 * speed * squeeze)
        force_x = (pressure + viscosity) * grad_x
        force_y = (pressure + viscosity) * grad_y
        new_u = (u + step * spread(np, nodes, force_x, x.size) / nodal_mass) * slides_x
        new_v = (v + step * spread(np, nodes, force_y, y.size) / nodal_mass) * slides_y
        mean_u, mean_v = 0.5 * (u + new_u), 0.5 * (v + new_v)
        work = (force_x * mean_u[nodes] + force_y * mean_v[nodes]).sum(axis=0)
        energy = energy - step * work / mass
        x, y = x + step * mean_u, y + step * mean_v
        u, v = new_u, new_v
    return np.concatenate([x, y, u, v, energy])


def check(np: Any, result: Any, size: tuple[int, ...]) -> None:
    """Checks energy conservation, walls, the orientation of cells, and symmetry of x and y."""
    nx, ny, steps = size
    count = (nx + 1) * (ny + 1)
    x, y, u, v = result[: 4 * count].reshape(4, count).astype(np.float64)
    energy = result[4 * count :].astype(np.float64)
    first_x, first_y, first_energy = initial(np, nx, ny, "float64")
    slack = 16 * (steps + 4) * float(np.finfo(result.dtype).eps)
    nodes = corner_nodes(np, nx, ny)
    weight = np.bincount(nodes.reshape(-1), minlength=count) / (4.0 * nx * ny)
    total = energy.mean() + 0.5 * (weight * (u * u + v * v)).sum()
    assert abs(total - first_energy.mean()) <= slack, "energy is not conserved"
    walls = [(x, first_x), (y, first_y)]
    assert all((a[b == 0] == 0).all() and (a[b == 1] == 1).all() for a, b in walls), "wall moved"
    grad_x, grad_y = area_gradients(x[nodes], y[nodes])
    area = 0.5 * (x[nodes] * grad_x + y[nodes] * grad_y).sum(axis=0)
    assert area.min() > 0, "a cell is turned inside out"
    assert energy.min() > 0, "a cell is colder than nothing"
    if nx == ny:
        transposed = x.reshape(nx + 1, ny + 1).T.reshape(-1)
        assert np.abs(transposed - y).max() <= 64 * slack, "the wave is not symmetric"


if __name__ == "__main__":
    import _cli

    _cli.main(np, __doc__, SIZES, run, check)
