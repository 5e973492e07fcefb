"""scikit-learn with hassium's arrays for parameters."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy
import pytest

import hassium
from packages import wanted

linear_model, manifold, model_selection, naive_bayes, utils = (
    wanted(f"sklearn.{name}")
    for name in ("linear_model", "manifold", "model_selection", "naive_bayes", "utils")
)


def data(np: Any) -> tuple[Any, Any, Any]:
    features = np.sin(np.arange(120.0) ** 2).reshape(40, 3)
    target = features @ np.array([1.0, -2.0, 0.5])
    return features, target, (target > 0).astype(int)


def _grid(np: Any) -> Any:
    grid = {"alpha": np.logspace(-2, 2, 3)}
    return (
        model_selection.GridSearchCV(linear_model.Ridge(), grid, cv=3)
        .fit(*data(np)[:2])
        .best_params_["alpha"]
    )


def _embedding(np: Any) -> Any:
    start = data(np)[0][:, :2] * 1e-2
    return manifold.TSNE(2, init=start, perplexity=5, max_iter=250).fit_transform(data(np)[0])


CASES: dict[str, Callable[[Any], Any]] = {
    "grid": _grid,
    "penalties": lambda np: linear_model.RidgeCV(np.logspace(-2, 2, 3)).fit(*data(np)[:2]).coef_,
    "weights": lambda np: (
        linear_model.Ridge().fit(*data(np)[:2], sample_weight=np.arange(40.0)).coef_
    ),
    "counts": lambda np: (
        naive_bayes.MultinomialNB(alpha=np.array([0.5, 1, 2]))
        .fit(abs(data(np)[0]), data(np)[2])
        .feature_log_prob_
    ),
    "gram": lambda np: (
        linear_model.Lasso(0.01, precompute=data(np)[0].T @ data(np)[0], fit_intercept=False)
        .fit(*data(np)[:2])
        .coef_
    ),
    "start": _embedding,
    "classes": lambda np: utils.class_weight.compute_class_weight(
        "balanced", classes=np.arange(2), y=data(np)[2]
    ),
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.filterwarnings("default")  # scikit-learn's own
def test_where_parameters_are_checked(name: str) -> None:
    found, expected = (numpy.asarray(CASES[name](module)) for module in (hassium, numpy))
    numpy.testing.assert_allclose(found, expected, rtol=1e-4 if name == "start" else 1e-9)
