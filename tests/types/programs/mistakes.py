"""Programs with errors that a type checker finds."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt


def length(a: np.ndarray) -> str:
    return a.size


def only_ints(a: npt.NDArray[np.int64]) -> None:
    print(a)


only_ints(np.zeros(3))
np.zeros("three")
np.not_a_function(1)
np.sum([1, 2], axes=0)
np.ones(3).not_a_method()
text: str = np.ones(3)
np.linalg.norm(np.ones(3), ordinal=2)
np.random.default_rng("seed").random(size="large")
np.concatenate(np.float64(1.0), 2, 3)
np.reshape(np.ones(4))
