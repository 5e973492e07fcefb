"""mean, var, std and the reductions beside them: dtypes, axes, `where`, `out`, errors."""

from __future__ import annotations

import warnings
from typing import Any

import numpy
import pytest

import hassium

DTYPES = ["f8", "f4", "f2", "c8", "c16", "i4", "u1", "?"]
SHAPES = [(3, 4), (0, 4), (3, 0), (12,), ()]
COLUMNS = numpy.array([True, False, True, True])
ARGUMENTS: list[dict[str, Any]] = [
    {},
    {"axis": 0},
    {"axis": (0, 1)},
    {"axis": -1, "keepdims": True},
    {"axis": ()},
    {"axis": 5},
    {"axis": (0, 0)},
    {"axis": (0,)},
    {"keepdims": True},
    {"dtype": "f4"},
    {"dtype": "i8"},
    {"axis": 0, "dtype": "i8"},
    {"axis": None, "dtype": "c16"},
    {"where": True},
    {"where": False},
    {"axis": 0, "where": COLUMNS},
    {"axis": 0, "keepdims": True, "where": COLUMNS},
]
STATISTICS = ["mean", "var", "std", "sum", "prod", "max", "min", "any", "all"]


def outcome(module: Any, array: Any, name: str, arguments: dict[str, Any], method: bool) -> Any:
    """The result, or the exception's type as far as NumPy documents it; and the warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            call = getattr(array, name) if method else getattr(module, name)
            result = numpy.asarray(call(**arguments) if method else call(array, **arguments))
        except (TypeError, ValueError) as error:
            kinds = (numpy.exceptions.AxisError, TypeError, ValueError)
            return next(kind for kind in kinds if isinstance(error, kind)), None
    return result, {str(w.message) for w in caught if w.category is RuntimeWarning}


def check(x: numpy.ndarray, name: str, arguments: dict[str, Any]) -> None:
    own = hassium.array(x)
    for method in (True, False):
        wanted, told = outcome(numpy, x, name, arguments, method)
        found, warned = outcome(hassium, own, name, arguments, method)
        if isinstance(wanted, type):
            assert found is wanted, (arguments, found)
            continue
        assert not isinstance(found, type), (arguments, found)
        assert found.dtype == wanted.dtype, arguments
        assert found.shape == wanted.shape, arguments
        near = 1e-2 if x.dtype == numpy.float16 else 1e-5
        assert numpy.allclose(found, wanted, rtol=near, equal_nan=True), arguments
        if x.size == 0 and name == "mean" and wanted.size > 0:
            of_nothing = {text for text in told if text.startswith("Mean of empty slice")}
            assert of_nothing
            assert of_nothing <= warned


@pytest.mark.parametrize("name", STATISTICS)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_as_numpy(name: str, dtype: str, shape: tuple[int, ...]) -> None:
    x = numpy.resize(numpy.arange(12.0), shape).astype(dtype)
    for arguments in ARGUMENTS:
        if "dtype" not in arguments or name in ("mean", "var", "std", "sum", "prod"):
            check(x, name, arguments)
    if name in ("var", "std"):
        for arguments in ({"ddof": 1}, {"axis": 0, "ddof": 3}):
            check(x, name, arguments)


@pytest.mark.parametrize("name", ["mean", "var", "std"])
def test_into_out(name: str) -> None:
    x = numpy.arange(12.0).reshape(3, 4)
    for dtype in ("f8", "f4"):
        wanted, found = numpy.empty(4, dtype), hassium.empty(4, dtype)
        getattr(x, name)(axis=0, out=wanted)
        assert getattr(hassium.array(x), name)(axis=0, out=found) is found
        assert numpy.allclose(numpy.asarray(found), wanted)


def test_a_known_mean_and_a_correction() -> None:
    x = numpy.arange(12.0).reshape(3, 4)
    own = hassium.array(x)
    for name in ("var", "std"):
        wanted = getattr(numpy, name)(x, axis=1, mean=x.mean(axis=1, keepdims=True))
        found = getattr(hassium, name)(own, axis=1, mean=own.mean(axis=1, keepdims=True))
        assert numpy.allclose(numpy.asarray(found), wanted)
        wanted = getattr(numpy, name)(x, correction=2)
        assert numpy.allclose(numpy.asarray(getattr(hassium, name)(own, correction=2)), wanted)
        assert getattr(hassium, name)(own, mean=None) == getattr(numpy, name)(x, mean=None)
        assert getattr(own, name)(mean=None) == getattr(x, name)(mean=None)
    with pytest.raises(ValueError, match="correction"):
        hassium.var(own, ddof=1, correction=1)


@pytest.mark.parametrize("size", [2049, 4097, 60_001, 70_000])
@pytest.mark.parametrize("ddof", [0, 1, 0.5])
def test_counts_are_not_rounded_to_float16(size: int, ddof: float) -> None:
    x = numpy.zeros(size, "f2")
    spread = {"ddof": ddof}
    for name, given in (("var", spread), ("std", spread), ("mean", {"dtype": "f2"})):
        x[:100] = 3.0
        x[50:100] = 3.0 if name == "mean" else -3.0  # sums are exact in every version of NumPy
        expected = getattr(numpy, name)(x, **given)
        found = getattr(hassium, name)(hassium.array(x), **given)
        assert found.dtype == expected.dtype
        assert float(found) == float(expected), name
        out = hassium.empty((), "f2")
        assert float(getattr(hassium, name)(hassium.array(x), out=out, **given)) == float(expected)
