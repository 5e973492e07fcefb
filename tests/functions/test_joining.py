"""Arrays joined along an axis, and the memory layout that results take from several arrays."""

from __future__ import annotations

import collections
import itertools
import operator
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hassium
from array_pairs import outcome, plain

PARTS: list[Any] = [
    numpy.arange(6.0).reshape(2, 3),
    numpy.arange(12, dtype="f4").reshape(4, 3),
    numpy.arange(6).reshape(2, 3),
    numpy.asfortranarray(numpy.arange(6.0).reshape(2, 3)),
    numpy.zeros((0, 3)),
    numpy.arange(3.0)[::-1],
    numpy.arange(3, dtype="i2"),
    [1, 2, 3],
    [1.5, 2, 3],
    3,
    2.5,
    True,
    numpy.float32(3),
    numpy.array([True, False, True]),
    numpy.full(3, 1 + 2j),
    numpy.ones((2, 3, 2)),
    ["a", "b"],
]


def described(action: Callable[[], Any]) -> tuple[str, Any]:
    """The kind of outcome, and the result's dtype, shape and elements."""
    kind, value = outcome(action)
    if kind == "error":
        return kind, value
    value = plain(value)
    return kind, (value.dtype, value.shape, value.tobytes())


@given(
    st.lists(st.sampled_from(range(len(PARTS))), max_size=3),
    st.sampled_from([0, 0, 1, -1, 2, -3, None]),
    st.sampled_from([{}, {}, {"dtype": "f4"}, {"dtype": "i8"}, {"dtype": "U3"}]),
    st.sampled_from([{}, {}, {"casting": "unsafe"}, {"casting": "no"}, {"casting": "wrong"}]),
    st.booleans(),
)
def test_concatenate(
    chosen: list[int], axis: Any, dtype: dict[str, Any], casting: dict[str, Any], turned: bool
) -> None:
    def joined(np: Any) -> Any:
        parts = [PARTS[k] for k in chosen]
        parts = [np.array(p) if isinstance(p, numpy.ndarray) else p for p in parts]
        if turned:
            parts = [p.T if isinstance(p, np.ndarray) else p for p in parts]
        return np.concatenate(parts, axis, **dtype, **casting)

    assert described(lambda: joined(hassium)) == described(lambda: joined(numpy))


@pytest.mark.parametrize(
    "call",
    [
        "np.concatenate(np.ones((3, 2)))",
        "np.concatenate(5)",
        "np.concatenate([])",
        "np.concatenate()",
        "np.concatenate(x for x in [a])",
        "np.concatenate([a, a], out=np.zeros(10))",
        "np.concatenate([a, a], out=np.zeros(3))",
        "np.concatenate([a, a], out=np.zeros(10, int))",
        "np.concatenate([a], out=np.zeros(5), dtype=float)",
        "np.concatenate([a[3:], a[:3]], out=a)",
        "np.stack([a, a], axis=1)",
        "np.hstack([a, 2.0])",
    ],
)
def test_concatenate_with_other_arguments(call: str) -> None:
    results = [
        described(lambda np=np: eval(call, {"np": np, "a": np.arange(5.0)}))
        for np in (numpy, hassium)
    ]
    assert results[1] == results[0]


def test_numpys_own_function_joins_natively() -> None:
    a = hassium.arange(3.0)
    before = hassium.stats()["fallbacks"]
    joined = numpy.concatenate([a, a])
    assert type(joined) is type(a)
    assert hassium.stats()["fallbacks"] == before


def laid_out(np: Any, shape: tuple[int, ...], order: tuple[int, ...]) -> Any:
    """An array of that shape whose axes lie in memory in that order."""
    back = [order.index(k) for k in range(len(shape))]
    size = int(numpy.prod(shape))
    return np.arange(float(size)).reshape([shape[k] for k in order]).transpose(back)


@pytest.mark.parametrize("shape", [(2, 3), (2, 3, 4), (2, 3, 4, 2)])
def test_results_of_several_layouts(shape: tuple[int, ...]) -> None:
    """One operand in C order decides against any number of others."""
    orders = list(itertools.permutations(range(len(shape))))
    for first, second in itertools.product(orders, orders):
        strides = []
        for np in (numpy, hassium):
            a, b = laid_out(np, shape, first), laid_out(np, shape, second)
            strides.append([(a + b).strides, np.concatenate([a, b]).strides])
        assert strides[1] == strides[0], (first, second)


@pytest.mark.parametrize("key", ["positions", "mask", "outside", "empty"])
@pytest.mark.parametrize("dtype", ["?", "i2", "f4", "f8", "D"])
@pytest.mark.parametrize("step", [1, 2, -1])
def test_few_ready_elements_by_index(key: str, dtype: str, step: int) -> None:
    """The path without an operation gives what the general one does."""
    keys = {
        "positions": [3, -1, 0, 3],
        "mask": [True, False, True, True, False],
        "outside": [0, 5],
        "empty": numpy.zeros(0, int),
    }
    results = []
    for np in (numpy, hassium):
        source = np.array(numpy.arange(10).astype(dtype))[:: 2 * step if step > 0 else -2]
        index = np.array(keys[key])
        read = described(lambda s=source, i=index: s[i])

        def write(target: Any, index: Any, value: Any) -> Any:
            target[index] = value
            return target

        chosen = 3 if key == "mask" else len(index)
        new = np.array(numpy.arange(chosen).astype(dtype))
        results.append(
            [
                read,
                described(lambda s=source, i=index: write(s.copy(), i, 1)),
                described(lambda s=source, i=index, n=new: write(s.copy(), i, n)),
            ]
        )
    assert results[1] == results[0]


@pytest.mark.parametrize("casting", ["no", "equiv", "safe", "same_kind", "unsafe"])
@pytest.mark.parametrize("dtype", ["?", "u1", "i8", "f4", "c8"])
@pytest.mark.parametrize("number", [True, 3, 2.5, 1j])
@pytest.mark.filterwarnings("ignore:Casting complex")
def test_numbers_of_python_take_dtypes_of_their_kind(number: Any, dtype: str, casting: str) -> None:
    def joined(np: Any) -> Any:
        return np.concatenate([number], axis=None, dtype=dtype, casting=casting)

    assert described(lambda: joined(hassium)) == described(lambda: joined(numpy))


def test_text_where_ranks_differ() -> None:
    text = r"at index 0 has 1 dimension\(s\) and the array at index 1 has 2 dimension\(s\)"
    for m in (hassium, numpy):
        with pytest.raises(ValueError, match="same number of dimensions, but the array " + text):
            m.concatenate([m.ones(3), m.ones((3, 1))])


@pytest.mark.parametrize("make", [collections.deque, collections.UserList, lambda x: {"x": x}])
@pytest.mark.parametrize(
    "name", "concatenate stack vstack hstack dstack column_stack linalg.multi_dot".split()
)
def test_arrays_in_other_containers(name: str, make: Callable[[Any], Any]) -> None:
    theirs = make([numpy.eye(12) + k for k in range(3)])
    ours = make([hassium.eye(12) + k for k in range(3)])
    expected = described(lambda: operator.attrgetter(name)(numpy)(theirs))
    assert described(lambda: operator.attrgetter(name)(hassium)(ours)) == expected
    assert described(lambda: operator.attrgetter(name)(numpy)(ours)) == expected
    views = {0: hassium.eye(3)}.values()
    assert outcome(lambda: hassium.concatenate(views)) == ("error", "TypeError")


@pytest.mark.parametrize("shape", [(6,), (4, 5), (0, 3), (2, 3, 4), ()])
@pytest.mark.parametrize("axis", [0, -1, 1, 2, numpy.int64(0), None, (0, 1)])
@pytest.mark.parametrize("shift", [0, 1, -1, 7, -13, True, numpy.int8(2), 1.5, (1, 2)])
def test_roll(shape: tuple[int, ...], axis: Any, shift: Any) -> None:
    a = numpy.arange(numpy.prod(shape, dtype=int)).reshape(shape)
    for x in (a, a.T, a[::-1] if a.ndim else a):
        found = described(partial(hassium.roll, hassium.array(x), shift, axis))
        assert found == described(partial(numpy.roll, x, shift, axis))
