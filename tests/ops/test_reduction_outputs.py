"""Reductions and accumulations into an output of another dtype compute in that of both."""

from __future__ import annotations

import warnings
from typing import Any

import numpy
import pytest

import hassium

DTYPES = ["?", "i1", "u1", "i4", "i8", "f4", "f8", "c16"]
ROWS = ["add", "multiply", "maximum", "logical_or"]


@pytest.mark.parametrize("method", ["reduce", "accumulate"])
@pytest.mark.parametrize("row", ROWS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_dtype_of_output(dtype: str, row: str, method: str) -> None:
    x = (numpy.arange(12).reshape(3, 4) * 0.7).astype(dtype)

    def into(np: Any, wanted: str) -> tuple[Any, set[str]]:
        out = np.zeros(4 if method == "reduce" else (3, 4), dtype=wanted)
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            getattr(getattr(np, row), method)(np.array(x), axis=0, out=out)
        return numpy.asarray(out), {w.category.__name__ for w in told}

    for wanted in DTYPES[1:]:
        expected, found = into(numpy, wanted), into(hassium, wanted)
        assert found[0].dtype == expected[0].dtype
        numpy.testing.assert_allclose(found[0], expected[0], rtol=1e-6, err_msg=wanted)
        assert found[1] == expected[1], wanted


def test_means_of_floats_into_integers_divide_their_sums() -> None:
    x = [[0.5, 1.6], [0.7, 0.8], [1.2, 1.4]]
    for np in (numpy, hassium):
        out = np.zeros(2, dtype=np.int64)
        assert np.mean(np.array(x), axis=0, out=out).tolist() == [0, 1]


@pytest.mark.parametrize("eager", [0, 64])
def test_a_pending_number_begins_a_reduction_as_numpys_does(eager: int) -> None:
    def reduced(library: Any) -> list[int]:
        start = library.arange(-100, 0).reshape(10, 10).sum()
        ones = library.ones((3, 300), "u2")
        return [int(f(axis=0, initial=start)[0]) for f in (ones.max, ones.min, ones.sum)]

    with hassium.config(eager_elements=eager):
        assert reduced(hassium) == reduced(numpy)


WITHOUT_KERNELS: list[tuple[str, list[Any], str]] = [
    *((name, ["b", "a"], "U1") for name in ("argmax", "argmin")),
    *((name, [3, 2], "O") for name in ("argmax", "argmin", "cumsum", "cumprod")),
    *((name, [2.5, 4], "g") for name in ("argmax", "argmin", "cumsum", "cumprod")),
]


@pytest.mark.parametrize(("name", "values", "kind"), WITHOUT_KERNELS, ids=str)
def test_outputs_of_what_has_no_kernels(name: str, values: list[Any], kind: str) -> None:
    def into(np: Any, *args: Any, **kwargs: Any) -> Any:
        out = np.zeros(2 if name.startswith("cum") else (), int if name[0] == "a" else float)
        found = getattr(np, name)(np.array(values, kind), *args, **kwargs, out=out)
        return found is out, out.tolist(), str(out.dtype)

    assert into(hassium) == into(numpy)
    assert into(hassium, axis=-1) == into(numpy, axis=-1)
    assert into(hassium, 0) == into(numpy, 0)


def test_positions_and_sums_of_what_has_no_kernels_are_arrays_of_ours() -> None:
    assert type(hassium.argmax([["b", "a"]], axis=1)) is hassium.ndarray
    assert hassium.argmax(["b", "c"]) == 1
    assert type(hassium.array([[1, 2]]).argmin(axis=1)) is hassium.ndarray


@pytest.mark.parametrize("dtype", ["e", "f", "d", "F", "D"])
@pytest.mark.parametrize("initial", [-0.0, complex(-0.0, -0.0), 0.0, 2.0])
def test_sums_keep_the_sign_of_a_zero_they_begin_with(dtype: str, initial: complex) -> None:
    if dtype in "efd" and isinstance(initial, complex):
        initial = -0.0

    def sums(np: Any) -> list[str]:
        x = np.full((2, 3), -0.0, dtype)
        return [
            str(np.add.reduce(x, initial=initial, axis=1).tolist()),
            str(np.sum(x, initial=initial).item()),
            str(x.sum(initial=initial, where=x != 0).item()),
        ]

    assert sums(hassium) == sums(numpy)


@pytest.mark.parametrize("name", ["all", "any"])
@pytest.mark.parametrize("axis", [None, 0])
@pytest.mark.parametrize("dtype", ["?", "i4", "f8", "c8"])
def test_truth_of_objects_is_stored_as_numbers(name: str, axis: int | None, dtype: str) -> None:
    def run(xp: Any) -> Any:
        x = xp.array([[1, 2.5, None], ["a", "", 3]], dtype=object)
        out = xp.zeros(() if axis is None else 3, dtype=dtype)
        assert getattr(xp, name)(x, axis=axis, out=out) is out
        return out

    assert run(hassium).tobytes() == run(numpy).tobytes()


@pytest.mark.parametrize("name", ["all", "any"])
def test_truth_stored_as_objects(name: str) -> None:
    x = hassium.array([[0, 1], [2, 3]], dtype=object)
    out = hassium.zeros(2, dtype=object)
    for _ in range(1000):  # NumPy's loses references
        assert getattr(hassium, name)(x, axis=0, out=out) is out
    wanted = getattr(numpy, name)(numpy.array([[0, 1], [2, 3]]), axis=0)
    assert [type(value) for value in out] == [bool, bool]
    assert list(out) == list(wanted)
    with pytest.raises(ValueError, match="shape"):
        getattr(hassium, name)(x, axis=0, out=hassium.zeros(3, dtype=object))
