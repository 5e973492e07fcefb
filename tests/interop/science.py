"""Calls of packages for statistics and learning."""

from __future__ import annotations

from typing import Any

from interop.arrays import Case, features, image, load, matrix, signal, square, target, vector


def _minimum(method: str) -> Case:
    def case(np: Any) -> Any:
        goal = np.arange(4.0)
        return (
            load("scipy.optimize")
            .minimize(
                lambda x: np.sum((x - goal) ** 2),
                np.zeros(4),
                jac=lambda x: 2 * (x - goal),
                method=method,
            )
            .x
        )

    return case


def _label(np: Any) -> Any:
    output = np.zeros((8, 8), "i4")
    load("scipy.ndimage").label(image(np) > 90, output=output)
    return output


def _distances(np: Any) -> Any:
    out = np.zeros((40, 40))
    assert load("scipy.spatial.distance").cdist(features(np), features(np), out=out) is out
    return out


def _overwrites(np: Any) -> Any:
    a, b = np.array([[2.0, 1], [1, 3]], order="F"), np.ones(2)
    found = load("scipy.linalg.lapack").dgesv(a, b)[2]
    return [found.tolist(), a.tolist(), b.tolist()]


def _dense_system(np: Any) -> Any:
    return np.array([[4.0, 1.0, 0.0], [1.0, 5.0, 2.0], [0.0, 2.0, 6.0]])


def _sparse(np: Any) -> Any:
    return load("scipy.sparse").csc_array(_dense_system(np))


SCIPY: dict[str, Case] = {
    "solve": lambda np: load("scipy.linalg").solve(_dense_system(np), vector(np)),
    "dgesv": _overwrites,
    "L-BFGS-B": _minimum("L-BFGS-B"),
    "SLSQP": _minimum("SLSQP"),
    "least squares": lambda np: (
        load("scipy.optimize").least_squares(lambda x: x**2 - vector(np), np.ones(3), method="lm").x
    ),
    "curve_fit": lambda np: load("scipy.optimize").curve_fit(
        lambda x, a, b: a * x + b, vector(np), vector(np) * 2
    )[0],
    "sparse sum": lambda np: _sparse(np) + _dense_system(np),
    "sparse product": lambda np: _sparse(np) @ vector(np),
    "dense product": lambda np: _dense_system(np) @ _sparse(np),
    "sparse comparison": lambda np: _sparse(np) < np.ones((3, 3)),
    "sparse index": lambda np: _sparse(np)[np.array([0, 2])].toarray(),
    "splu": lambda np: load("scipy.sparse.linalg").splu(_sparse(np)).solve(vector(np)),
    "cg": lambda np: load("scipy.sparse.linalg").cg(_dense_system(np), vector(np), rtol=1e-12)[0],
    "eigsh": lambda np: load("scipy.sparse.linalg").eigsh(_dense_system(np), k=1, v0=vector(np))[0],
    "label": _label,
    "cdist": _distances,
    "filter": lambda np: load("scipy.signal").lfilter(np.ones(3) / 3, np.array([1.0]), signal(np)),
    "welch": lambda np: load("scipy.signal").welch(signal(np), nperseg=16)[1],
    "spline": lambda np: load("scipy.interpolate").CubicSpline(vector(np), vector(np) ** 2)(
        np.array([1.5, 2.5])
    ),
    "grid": lambda np: load("scipy.interpolate").RegularGridInterpolator(
        (np.arange(2.0), np.arange(3.0)), matrix(np)
    )(np.array([[0.5, 0.5]])),
    "fft": lambda np: load("scipy.fft").rfft(signal(np)),
    "tree": lambda np: load("scipy.spatial").cKDTree(features(np)).query(features(np)[:3], k=2)[1],
    "hull": lambda np: load("scipy.spatial").ConvexHull(features(np)).volume,
    "ode": lambda np: (
        load("scipy.integrate")
        .solve_ivp(lambda t, y: -y * vector(np), (0, 1), np.ones(3), t_eval=np.array([0.5, 1.0]))
        .y
    ),
    "quad": lambda np: load("scipy.integrate").quad(lambda x: np.exp(-x), 0, 1)[0],
    "stats": lambda np: load("scipy.stats").ttest_ind(signal(np)[:30], signal(np)[30:]).pvalue,
    "kde": lambda np: load("scipy.stats").gaussian_kde(signal(np))(np.array([0.0, 0.5])),
    "expm": lambda np: load("scipy.linalg").expm(square(np)),
    "special": lambda np: load("scipy.special").gamma(vector(np)),
    "dilation": lambda np: load("scipy.ndimage").binary_dilation(
        image(np) > 90, np.ones((3, 3), bool)
    ),
    "linkage": lambda np: load("scipy.cluster.hierarchy").linkage(features(np)[:6]),
    "connected": lambda np: load("scipy.sparse.csgraph").connected_components(square(np))[1],
    "dijkstra": lambda np: load("scipy.sparse.csgraph").dijkstra(square(np)),
}


def _fit(module: str, name: str, *args: Any, **kwargs: Any) -> Case:
    def case(np: Any) -> Any:
        model = getattr(load(module), name)(*args, **kwargs)
        return model.fit(features(np), target(np)).predict(features(np)[:5])

    return case


def _classes(np: Any) -> Any:
    return (target(np) > 0).astype(int)


SKLEARN: dict[str, Case] = {
    "ridge": _fit("sklearn.linear_model", "Ridge"),
    "forest": _fit("sklearn.ensemble", "RandomForestRegressor", 5, random_state=1),
    "boosting": _fit("sklearn.ensemble", "HistGradientBoostingRegressor", max_iter=5),
    "neighbours": _fit("sklearn.neighbors", "KNeighborsRegressor"),
    "support vectors": _fit("sklearn.svm", "SVR"),
    "penalties": lambda np: (
        load("sklearn.linear_model")
        .RidgeCV(np.logspace(-2, 2, 3))
        .fit(features(np), target(np))
        .coef_
    ),
    "grid": lambda np: (
        load("sklearn.model_selection")
        .GridSearchCV(load("sklearn.linear_model").Ridge(), {"alpha": np.logspace(-2, 2, 3)}, cv=3)
        .fit(features(np), target(np))
        .best_params_["alpha"]
    ),
    "split": lambda np: load("sklearn.model_selection").train_test_split(
        features(np), random_state=1
    )[0],
    "scaler": lambda np: load("sklearn.preprocessing").StandardScaler().fit_transform(features(np)),
    "components": lambda np: abs(load("sklearn.decomposition").PCA(2).fit_transform(features(np))),
    "clusters": lambda np: (
        load("sklearn.cluster").KMeans(2, init=features(np)[:2], n_init=1).fit_predict(features(np))
    ),
    "metrics": lambda np: load("sklearn.metrics").confusion_matrix(_classes(np), _classes(np)),
    "weights": lambda np: load("sklearn.utils.class_weight").compute_class_weight(
        "balanced", classes=np.arange(2), y=_classes(np)
    ),
    "logistic": lambda np: (
        load("sklearn.linear_model")
        .LogisticRegression()
        .fit(features(np), _classes(np))
        .predict(features(np))
    ),
}

STATSMODELS: dict[str, Case] = {
    "OLS": lambda np: load("statsmodels.api").OLS(target(np), features(np)).fit().params,
    "with a constant": lambda np: (
        load("statsmodels.api")
        .OLS(target(np), load("statsmodels.api").add_constant(features(np)))
        .fit()
        .params
    ),
    "WLS": lambda np: (
        load("statsmodels.api")
        .WLS(target(np), features(np), weights=np.arange(40.0) + 1)
        .fit()
        .params
    ),
    "GLM": lambda np: (
        load("statsmodels.api")
        .GLM(_classes(np), features(np) * 0.1, family=load("statsmodels.api").families.Binomial())
        .fit(maxiter=3)
        .params
    ),
    "lowess": lambda np: load("statsmodels.api").nonparametric.lowess(signal(np), np.arange(60.0)),
    "acf": lambda np: load("statsmodels.tsa.stattools").acf(signal(np), nlags=4),
    "ARIMA": lambda np: (
        load("statsmodels.tsa.arima.model")
        .ARIMA(np.cumsum(signal(np)), order=(1, 0, 0))
        .filter(np.array([0.1, 0.5, 1.0]))
        .llf
    ),
    "prediction": lambda np: (
        load("statsmodels.api").OLS(target(np), features(np)).fit().predict(features(np)[:3])
    ),
    "hypothesis": lambda np: (
        load("statsmodels.api")
        .OLS(target(np) + signal(np)[:40], features(np))
        .fit()
        .f_test(np.eye(3))
        .fvalue
    ),
    "formula": lambda np: (
        load("statsmodels.formula.api")
        .ols("y ~ x", {"y": target(np), "x": features(np)[:, 0]})
        .fit()
        .params
    ),
    "multiple tests": lambda np: load("statsmodels.stats.multitest").multipletests(
        np.array([0.01, 0.02, 0.5])
    )[1],
}

_QUIET = {"verbose": -1, "min_data_in_leaf": 1, "num_threads": 1}


def _booster(np: Any) -> Any:
    lightgbm = load("lightgbm")
    data = lightgbm.Dataset(features(np), target(np), weight=np.ones(40))
    return lightgbm.train(dict(_QUIET), data, 5).predict(features(np))


LIGHTGBM: dict[str, Case] = {
    "train": _booster,
    "regressor": lambda np: (
        load("lightgbm")
        .LGBMRegressor(n_estimators=5, verbose=-1, n_jobs=1)
        .fit(features(np), target(np))
        .predict(features(np))
    ),
}
