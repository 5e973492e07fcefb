"""scikit-learn takes hassium's arrays for the values of its parameters.

What is fitted it makes an array of NumPy's of.
"""

from __future__ import annotations

import functools
from collections.abc import Callable

from hassium.interop.exports import teach_question

ASKING = (
    "sklearn.linear_model._coordinate_descent",
    "sklearn.linear_model._ridge",
    "sklearn.manifold._t_sne",
    "sklearn.model_selection._search",
    "sklearn.naive_bayes",
    "sklearn.neighbors._nca",
    "sklearn.utils._param_validation",
)

LESSONS: dict[str, Callable[[], None]] = {
    name: functools.partial(teach_question, name) for name in ASKING
}
