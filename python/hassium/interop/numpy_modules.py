"""NumPy's own modules in Python take hassium's arrays for its own.

For a program that imports them from NumPy, as in ``from numpy.polynomial import chebyshev``, though
its arrays are hassium's. The modules of `hassium.polynomial` and `hassium.ma` need none of this.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable

from hassium.interop.exports import teach_function, teach_question, with_exports

# Where what is no array is a number: a series is another for each of its values.
ASKING = tuple(
    f"numpy.polynomial.{name}"
    for name in ("chebyshev", "hermite", "hermite_e", "laguerre", "legendre", "polynomial")
)

# Comparisons that import the class when called, or have it in the module.
STRICT = {
    "numpy.ma.testutils": ("assert_equal", "assert_almost_equal"),
    "numpy.testing._private.utils": ("assert_equal", "assert_almost_equal"),
}


def teach_masked() -> None:
    """For methods that hand `out` to one of an array, in C."""
    kind = sys.modules["numpy.ma.core"].MaskedArray
    for name in ("cumprod", "cumsum", "round"):
        setattr(kind, name, with_exports(getattr(kind, name)))


LESSONS: dict[str, Callable[[], None]] = {
    "numpy.ma.core": teach_masked,
    **{name: functools.partial(teach_question, name) for name in ASKING},
    **{where: functools.partial(teach_function, where, *names) for where, names in STRICT.items()},
}
