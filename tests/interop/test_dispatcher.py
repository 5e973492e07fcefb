"""Public functions are objects of their own, and look like the functions behind them."""

from __future__ import annotations

import copy
import functools
import gc
import inspect
import pickle
import pydoc
import warnings
import weakref
from typing import Any

import numpy
import pytest

import hassium as np
from hassium import _core, linalg
from hassium.functions import linear_algebra

FUNCTIONS = {name: value for name, value in vars(np).items() if type(value) is _core.dispatcher} | {
    f"linalg.{name}": getattr(linalg, name) for name in linear_algebra.NATIVE
}


@pytest.mark.parametrize("function", FUNCTIONS.values(), ids=FUNCTIONS)
def test_pickled_and_copied_by_name(function: Any) -> None:
    assert pickle.loads(pickle.dumps(function)) is function
    assert copy.deepcopy(function) is function
    assert function.__name__ in repr(function)


def test_looks_like_the_function_behind_it() -> None:
    assert inspect.signature(np.mean) == inspect.signature(numpy.mean)
    assert np.mean.__doc__.startswith(numpy.mean.__doc__.rstrip())
    assert "hassium: native. Arithmetic mean" in np.mean.__doc__
    assert (np.mean.__module__, np.mean.__name__) == ("hassium", "mean")
    assert (np.linalg.norm.__module__, np.linalg.norm.__name__) == ("hassium.linalg", "norm")
    assert inspect.unwrap(np.mean) is inspect.unwrap(numpy.mean)
    assert inspect.isroutine(np.mean)
    assert "Compute the arithmetic mean" in pydoc.plain(pydoc.render_doc(np.mean))

    @functools.wraps(np.mean)
    def wrapped(*args: Any) -> None: ...

    assert wrapped.__name__ == "mean"
    assert weakref.ref(np.mean)() is np.mean


def test_aliases_are_the_same_object() -> None:
    assert np.concat is np.concatenate
    assert np.permute_dims is np.transpose
    assert np.amax is not np.max  # as in NumPy
    assert np.amax.__name__ == "amax"


def test_functions_are_methods_of_classes() -> None:
    class Holder:
        shape = np.shape
        ndim = 2

    assert Holder.shape is np.shape
    assert Holder().shape.__func__ is np.shape
    assert pickle.loads(pickle.dumps(np.ndarray.mean)) is np.ndarray.mean


def test_methods_without_a_native_form() -> None:
    swapped = vars(_core.ndarray)["byteswap"]
    assert swapped == numpy.ndarray.byteswap
    told = (getattr(f, "__text_signature__", None) for f in (swapped, numpy.ndarray.byteswap))
    assert len(set(told)) == 1
    assert np.ndarray.byteswap(numpy.array([2, 1], "u1")).tolist() == [2, 1]
    with np.config(lazy_scalars="on"):
        number = np.arange(100_000.0).sum()  # stays pending
    assert type(number) is _core.scalar
    assert number.byteswap() == numpy.float64(number).byteswap()
    assert {"argsort", "byteswap"} <= set(dir(number))


@pytest.mark.parametrize(
    "call",
    [
        "sum()", "sum(a, 0, axis=0)", "sum(a, nothing=1)", "reshape(a)", "mean(a, axis=7)",
        "swapaxes(a)", "swapaxes(a, 0)", "swapaxes(a, axis2=0)", "reshape()", "ravel()",
        "transpose(a, (0, 0))", "argmax(a, 5)", "squeeze(a, 1)", "max(a[:0])",
    ],
)  # fmt: skip
def test_errors(call: str) -> None:
    def error(module: Any) -> tuple[type[Exception], str] | None:
        try:
            eval(f"module.{call}", {"module": module, "a": module.ones((2, 3))})
        except Exception as caught:
            return type(caught), str(caught)
        return None

    assert error(np) == error(numpy) is not None


@pytest.mark.parametrize(
    "call",
    [
        "sum(a, 0)", "sum(a=a, axis=0)", "sum(a, (0, 1), 'f4', None, True)", "prod(a, where=a > 2)",
        "max(a, 1, None, True, 3.0)", "any(a > 3, 0)", "all(a > 3, keepdims=True)", "cumsum(a)",
        "cumprod(a, 1, 'f4')", "argmax(a, 0, keepdims=True)", "argmin(a)", "ravel(a, 'F')",
        "ravel(a, order='F')", "reshape(a, (3, 2))", "reshape(a, 6)", "reshape(a, (3, 2), 'F')",
        "reshape(a, shape=(3, 2))", "reshape(a, -1, order='F', copy=True)", "squeeze(a[:1], 0)",
        "swapaxes(a, 0, 1)", "swapaxes(a, axis1=0, axis2=-1)", "transpose(a)", "diagonal(a, 1)",
        "transpose(a, (1, 0))", "transpose(a, axes=(1, 0))", "transpose(a, None)",
        "diagonal(a, offset=-1, axis1=1, axis2=0)", "sum(a, keepdims=None_)",
    ],
)  # fmt: skip
def test_functions_that_are_methods(call: str) -> None:
    def result(module: Any) -> Any:
        a = module.arange(1.0, 7.0).reshape(2, 3)
        found = eval(f"module.{call}", {"module": module, "a": a, "None_": numpy._NoValue})
        return numpy.asarray(found).tolist(), found.dtype, found.shape, numpy.isscalar(found)

    assert result(np) == result(numpy)


def test_a_dispatcher_dies() -> None:
    def native(a: Any) -> Any:
        return a

    made = _core.dispatcher(native, numpy.ravel, "native")
    made.itself = made
    gone = weakref.ref(made)
    assert made([1]) == [1]
    del made
    gc.collect()
    assert gone() is None
    with pytest.raises(TypeError, match="function"):
        _core.dispatcher(3, numpy.ravel, "three")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "name", ["sum", "concatenate", "median", "fft.fft", "linalg.norm", "linalg.inv", "add", "isnan"]
)
def test_equal_to_the_function_of_numpy(name: str) -> None:
    """NEP 18 and NEP 13 have programs look up what they are handed among those they name."""
    ours, numpys = np, numpy
    for part in name.split("."):
        ours, numpys = getattr(ours, part), getattr(numpys, part)
    assert ours == numpys
    assert numpys == ours
    assert (ours != numpys) is False
    assert hash(ours) == hash(numpys)
    assert {ours: 1}[numpys] == {numpys: 1}[ours] == 1  # type: ignore[index]
    for other in (np.cos, np.mean, numpy.cos, numpy.mean, None, 1, "add"):
        assert (ours == other) is False
    with pytest.raises(TypeError):
        ours < numpys  # type: ignore[operator]  # noqa: B015


def test_tables_of_functions_that_a_class_handles() -> None:
    named: list[Any] = [np.sum, np.fft.fft, np.linalg.inv, np.add]
    handled = dict(zip(named, ["sum", "fft", "inv", "add"], strict=True))

    class Own:
        def __array_function__(self, function: Any, *_: Any) -> Any:
            return handled.get(function, NotImplemented)

        def __array_ufunc__(self, ufunc: Any, method: str, *_: Any, **__: Any) -> Any:
            return handled.get(ufunc, NotImplemented) if method == "__call__" else NotImplemented

    own: Any = Own()
    assert [np.sum(own), np.fft.fft(own), np.linalg.inv(own)] == ["sum", "fft", "inv"]
    assert np.add(own, np.ones(3)) == np.ones(3) + own == "add"
    with pytest.raises(TypeError):
        np.mean(own)
    with pytest.raises(TypeError):
        np.multiply(own, 2)


def test_warnings_are_told_at_the_line_of_the_program() -> None:
    """NumPy counts frames back to the caller; Python shows some warnings for scripts alone."""
    for m in (numpy, np):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            m.polyfit(m.ones(3), m.arange(3.0), 2)
        assert [warning.filename for warning in caught] == [__file__], m.__name__


def make(native: Any, numpys: Any) -> Any:
    return _core.dispatcher(native, numpys, "made")


def test_keywords_that_a_newer_numpy_has_are_numpys() -> None:
    def native(a: Any, axis: Any = None) -> str:
        return "native"

    def numpys(a: Any, axis: Any = None, *, descending: Any = None) -> str:
        return "NumPy's"

    made = make(native, numpys)
    assert made(np.ones(2), axis=0) == "native"
    assert made(np.ones(2), axis=0, descending=True) == "NumPy's"
    with pytest.raises(TypeError, match=r"numpys.* got an unexpected keyword argument 'mistake'"):
        made(np.ones(2), mistake=True)


def test_keywords_that_an_older_numpy_lacks_are_refused() -> None:
    def native(a: Any, axis: Any = None, *, weights: Any = None) -> str:
        return "native"

    def numpys(a: Any, axis: Any = None) -> str:
        return "NumPy's"

    with pytest.raises(TypeError, match=r"numpys.* got an unexpected keyword argument 'weights'"):
        make(native, numpys)(np.ones(2), weights=3)
    assert make(native, lambda a, **kwargs: "NumPy's")(np.ones(2), weights=3) == "native"
    assert make(lambda a, **kwargs: "native", numpys)(np.ones(2), weights=3) == "native"


def test_arguments_that_an_older_numpy_asks_for_are_missed() -> None:
    def native(a: Any, axis: Any = -1) -> str:
        return "native"

    def numpys(a: Any, axis: Any) -> str:
        return "NumPy's"

    made = make(native, numpys)
    assert made(np.ones(2), axis=0) == made(np.ones(2), 0) == "native"
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'axis'"):
        made(np.ones(2))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_unknown_keywords_are_refused_as_by_numpy(name: str) -> None:
    holder, _, last = f"numpy.{name}".rpartition(".")
    numpys = getattr(numpy.linalg if "linalg" in holder else numpy, last)
    array = numpy.ones((2, 2))
    errors = []
    for function in (numpys, FUNCTIONS[name]):
        with pytest.raises((TypeError, ValueError)) as refused:  # einsum looks for subscripts first
            function(array, mistake=1)
        errors.append((refused.type, str(refused.value)))
    assert errors[0] == errors[1]


@pytest.mark.parametrize("count", range(12))
def test_result_type_refuses_keywords_of_any_number_of_arguments(count: int) -> None:
    arguments = [np.ones(2), *range(12)][:count]
    message = r"result_type\(\) got an unexpected keyword argument 'mistake'"
    for _ in range(100):
        with pytest.raises(TypeError, match=message):
            np.result_type(*arguments, mistake=object())


def test_looking_up_a_name_that_is_there_leaves_it() -> None:
    module: Any = np
    own = module.random, module.add, module._core
    assert own == tuple(map(module.__getattr__, ("random", "add", "_core")))
    assert own == (module.random, module.add, module._core)
