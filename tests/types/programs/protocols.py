"""Arrays where the standard library and other annotations meet them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

Number = TypeVar("Number", bound=np.floating)
Field = NDArray[np.float64]


@dataclass
class State:
    height: Field
    velocity: Field
    step: int = 0

    def advance(self, by: float) -> State:
        return State(self.height + by * self.velocity, self.velocity, self.step + 1)


def apply(functions: Sequence[Callable[[Field], Field]], to: ArrayLike) -> Field:
    found = np.asarray(to, dtype=np.float64)
    for function in functions:
        found = function(found)
    return found


def largest(a: NDArray[Number]) -> Number:
    return a.max()


class Signal(np.ndarray):
    rate: float = 1.0


with np.errstate(divide="ignore"):
    state = State(np.ones(3), np.zeros(3)).advance(0.5)
reveal_type(state.height)
reveal_type(apply([np.sin, np.cos], [1, 2]))
reveal_type(largest(np.ones(2, np.float32)))
reveal_type(np.ones(2).view(Signal))
reveal_type(np.vectorize(lambda v: v + 1)(np.ones(2)))
reveal_type(np.einsum("i,i->", state.height, state.height))
reveal_type([float(v) for v in state.height])
