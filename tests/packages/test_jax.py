"""JAX with hassium's arrays."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy
import pytest

import hassium

jax: Any = None
jnp: Any = None

CASES: dict[str, Callable[[Any, Any], Any]] = {
    "function": lambda np, a: jnp.sin(a),
    "function of two": lambda np, a: jnp.dot(np.eye(3), a),
    "primitive": lambda np, a: jax.lax.add(a, a),
    "list": lambda np, a: jnp.stack([a, a]),
    "jit": lambda np, a: jax.jit(lambda x: x * 2)(a),
    "jit of a tree": lambda np, a: jax.jit(lambda d: d["a"] + 1)({"a": a}),
    "jit of a pending sum": lambda np, a: jax.jit(lambda x: x * 2)((a * 3).sum()),
    "constant": lambda np, a: jax.jit(lambda x: x * a)(jnp.ones(3)),
    "grad": lambda np, a: jax.grad(lambda x: (x**2).sum())(a),
    "jvp": lambda np, a: jax.jvp(jnp.sin, (a,), (a,))[1],
    "vmap": lambda np, a: jax.vmap(lambda x: x.sum())(np.eye(3)),
    "scan": lambda np, a: jax.lax.scan(lambda c, x: (c + x, c), 0.0, a)[1],
    "loop": lambda np, a: jax.lax.fori_loop(0, 3, lambda i, x: x + 1, a),
    "on the right": lambda np, a: jnp.ones(3) + a,
    "on the left": lambda np, a: a * jnp.ones(3),
    "compared": lambda np, a: jnp.ones(3) < a,
    "device_put": lambda np, a: jax.device_put(a),
    "index": lambda np, a: jnp.arange(5)[np.array([0, 2])],
    "mask": lambda np, a: jnp.arange(3)[a > 0],
    "at": lambda np, a: jnp.zeros(5).at[np.array([0, 2])].set(a[:2]),
    "where": lambda np, a: jnp.where(a > 1, a, 0),
}


def check() -> None:
    for name, case in CASES.items():
        found, wanted = (case(np, np.arange(3.0)) for np in (hassium, numpy))
        assert isinstance(found, jax.Array), name
        assert found.dtype == wanted.dtype, name
        assert found.tolist() == wanted.tolist(), name
    a = hassium.arange(1000.0)
    taken = jax.jit(lambda x: x + 1)(a)
    a[:] = 7
    assert taken[:3].tolist() == [1, 2, 3]


def test_as_numpys() -> None:
    """In a process of its own: where JAX has been imported each fork is warned of."""
    if importlib.util.find_spec("jax") is None:
        pytest.skip("jax is not installed")
    subprocess.run([sys.executable, __file__], check=True)


if __name__ == "__main__":
    jax, jnp = importlib.import_module("jax"), importlib.import_module("jax.numpy")
    check()
