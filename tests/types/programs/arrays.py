"""Arrays and scalars in annotations, and what operations make of them."""

from __future__ import annotations

import numpy as np


def norm(a: np.ndarray) -> np.float64:
    return np.float64(np.sqrt((a * a).sum()))


def scaled(a: np.ndarray[tuple[int, int], np.dtype[np.float32]]) -> np.ndarray:
    return a * np.float32(2.0)


def counts(n: int) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    return np.zeros(n, dtype=np.int64)


reveal_type(np.zeros((3, 4)))
reveal_type(np.arange(5.0) + 1)
reveal_type(np.ones(3, dtype=np.float32).sum())
reveal_type(np.add(np.ones(3), 2))
reveal_type(np.add.reduce(np.ones(3)))
reveal_type(np.where(np.ones(3) > 0, 1.0, 0.0))
reveal_type(np.linspace(0, 1, 5, retstep=True))
reveal_type(np.ones((2, 3)).T[0, :])
reveal_type(np.array([1, 2, 3]).astype(np.complex128).real)
reveal_type(np.ones(3).mean(axis=0))
reveal_type(np.dtype("f8"))
reveal_type(np.pi)
reveal_type(np.newaxis)
reveal_type(np.nan_to_num(np.ones(3)))
x: np.ndarray = np.ones(3)
x += 1.0
total: float = float(norm(x))
masked = x[x > 0.5]
print(counts(3), scaled(np.ones((2, 2), np.float32)), masked, total)
