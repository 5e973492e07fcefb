"""Objects with `__array__` whose answer is an array of ours, and the ways to ask for a copy."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import hassium as hs
from array_pairs import case_outcome


class Holder:
    """What a user's class looks like once its module's NumPy is hassium."""

    def __init__(self, values: Any) -> None:
        self.values = hs.asarray(values)

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return self.values


def test_an_array_of_ours_behind_the_protocol() -> None:
    holder = Holder([1.5, 2.5])
    made = hs.asarray(holder)
    assert type(made) is type(hs.ones(1))
    assert made is holder.values
    assert hs.array(holder) is holder.values  # the method was asked for a copy
    assert hs.asarray(holder, dtype="f4").dtype == np.float32
    assert hs.asarray(holder, copy=False) is holder.values
    assert hs.array(holder, ndmin=2).shape == (1, 2)


class Counting:
    """Notes what its `__array__` is asked for, and gives an array of the module's."""

    def __init__(self, module: Any, values: Any = (0, 2)) -> None:
        self.array, self.asked = module.array(values), list[Any]()

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        self.asked.append((dtype, copy))
        return self.array


USES: dict[str, Callable[[Any, Any], Any]] = {
    "array": lambda m, c: m.array(c),
    "array_f4": lambda m, c: m.array(c, "f4"),
    "array_of_list": lambda m, c: m.array([c, c]),
    "array_of_rows": lambda m, c: m.array([[c, (c, c)[0]]]),
    "array_no_copy": lambda m, c: m.array(c, copy=False),
    "asarray": lambda m, c: m.asarray(c),
    "asarray_f4": lambda m, c: m.asarray(c, "f4"),
    "operand": lambda m, c: m.arange(2) + c,
    "operand_in_list": lambda m, c: m.ones((2, 2)) * [c, c],
    "ufunc": lambda m, c: m.sin(c),
    "index": lambda m, c: m.arange(9)[c],
    "index_of_rows": lambda m, c: m.ones((3, 4))[0, c],
    "sum": lambda m, c: m.asarray(m.sum(c)),
    "mean": lambda m, c: m.asarray(m.mean(c)),
    "var": lambda m, c: m.asarray(m.var(c)),
    "asanyarray": lambda m, c: m.asanyarray(c),
    "where": lambda m, c: m.where(c)[0],
    "where_of_three": lambda m, c: m.where(c, c, 5),
    "concatenate": lambda m, c: m.concatenate([c, c]),
    "reshape": lambda m, c: m.reshape(c, (2, 1)),
    "clip": lambda m, c: m.clip(c, 1, 2),
    "diff": lambda m, c: m.diff(c),
    "outer": lambda m, c: m.outer(c, c),
    "shape": lambda m, c: m.array(m.shape(c)),
    "ndim": lambda m, c: m.array(m.ndim(c)),
    "size": lambda m, c: m.array(m.size(c)),
    "iscomplexobj": lambda m, c: m.array(m.iscomplexobj(c)),
    "zeros_like": lambda m, c: m.zeros_like(c),
}


def assign(m: Any, c: Any) -> Any:
    made = m.zeros((2, 2))
    made[0] = c
    made[1] = [c.array[0], 3]
    made[:] = [c, c]
    return made


@pytest.mark.parametrize("name", [*USES, "assign"])
def test_the_method_is_called_as_often_as_by_numpy(name: str) -> None:
    use = USES.get(name, assign)
    asked = []
    for module in (np, hs):
        counting = Counting(module)
        made = use(module, counting)
        asked.append(counting.asked)
        if module is hs and made is not None:
            assert type(made) is hs.ndarray
            np.testing.assert_array_equal(made, use(np, Counting(np)))
    if name == "assign":  # before NumPy 2.3 one assignment asks for the dtype of the target
        asked = [[None] * len(calls) for calls in asked]
    assert asked[1] == asked[0]


def test_a_method_of_the_name_is_called() -> None:
    """NumPy's functions ask an object for it."""

    class WithMethod(Counting):
        def sum(self, axis: Any = None, dtype: Any = None, out: Any = None) -> str:
            return "its own"

    for m in (np, hs):
        assert m.sum(WithMethod(m)) == "its own"
        assert float(m.max(WithMethod(m))) == 2


def test_what_the_method_gives_is_trusted() -> None:
    counting = Counting(hs)
    for copy in (True, None, False):
        assert hs.array(counting, copy=copy) is counting.array
    assert counting.asked == [(None, True), (None, None), (None, False)]


def test_elements_of_lists_of_objects_stay() -> None:
    counting = Counting(hs, 3.0)
    made = hs.array([counting, None])
    assert made.dtype == object
    assert made[1] is None
    assert made[0] is counting
    assert hs.array([counting, "a"])[1] == "a"
    for values in ([counting, 2.0], [1, counting]):
        with pytest.raises(TypeError, match="not 'Counting'"):
            hs.array(values)


def test_errors_of_the_protocol_stay() -> None:
    class Failing:
        def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
            raise ValueError("not today")

    class Odd:
        def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
            return [1, 2]

    with pytest.raises(ValueError, match="not today"):
        hs.asarray(Failing())
    with pytest.raises(ValueError, match="not producing an array"):
        hs.asarray(Odd())


def test_copy_takes_the_enumeration() -> None:
    modes = np._CopyMode
    ours = hs.ones(3)
    assert hs.array(ours, copy=modes.IF_NEEDED) is ours
    assert hs.array(ours, copy=modes.NEVER) is ours
    assert hs.array(ours, copy=modes.ALWAYS) is not ours
    np.testing.assert_array_equal(hs.array([1, 2.0], copy=modes.IF_NEEDED), [1, 2.0])
    with pytest.raises(ValueError, match="Unable to avoid copy"):
        hs.array([1, 2.0], copy=modes.NEVER)
    assert hs.asarray(ours, copy=modes.IF_NEEDED) is ours


@pytest.mark.parametrize("make", [hs.array, hs.asarray])
def test_copy_takes_no_text(make: Any) -> None:
    with pytest.raises(ValueError, match="strings are not allowed"):
        make(hs.ones(3), copy="never")


def test_operands_of_functions_and_operators() -> None:
    holder = Holder([1.5, -2.5])
    np.testing.assert_array_equal(hs.absolute(holder), [1.5, 2.5])
    np.testing.assert_array_equal(hs.add(holder, holder), [3.0, -5.0])
    np.testing.assert_array_equal(hs.ones(2) + holder, [2.5, -1.5])
    np.testing.assert_array_equal(hs.maximum.reduce(holder), 1.5)


def assigned(m: Any, array: Any, key: Any, value: Any) -> Any:
    array[key] = value
    return array


HOLDERS: dict[str, Callable[[Any, Callable[[Any], Any]], Any]] = {
    "array of two": lambda m, held: m.array([held([1, 2]), held([3, 4])]),
    "array of two in a dtype": lambda m, held: m.array((held([1, 2]), held([3, 4])), "f4"),
    "array of one in a list of lists": lambda m, held: m.asarray([[held([1])]]),
    "array with uneven parts": lambda m, held: m.array([held([1, 2]), [3]]),
    "concatenate": lambda m, held: m.concatenate([held([1, 2]), held([1])]),
    "stack": lambda m, held: m.stack([held([1]), held([2])]),
    "element assigned": lambda m, held: assigned(m, m.zeros(2), 0, held(3)),
    "elements assigned": lambda m, held: assigned(m, m.zeros(2), slice(None), held([3, 4])),
    "elements cast": lambda m, held: assigned(m, m.zeros(2, "i4"), slice(None), held([3.5, 4])),
    "elements chosen": lambda m, held: m.arange(3)[held([0, 1])],
    "an element chosen": lambda m, held: m.arange(3)[held(1)],
    "elements under a mask": lambda m, held: m.arange(3)[held([True, False, True])],
    "elements of a column": lambda m, held: m.arange(9).reshape(3, 3)[:, held([0, 1])],
    "assigned by positions": lambda m, held: assigned(m, m.zeros(3), held([0, 1]), 5),
    "sum": lambda m, held: m.sum(held([1, 2])),
    "sort": lambda m, held: m.sort(held([2, 1])),
    "searchsorted": lambda m, held: m.searchsorted(m.arange(3), held([2, 1])),
    "interp": lambda m, held: m.interp(held([0.5]), [0, 1], held([0, 1])),
    "unique": lambda m, held: m.unique(held([1, 1])),
    "full": lambda m, held: m.full((2, 2), held([3, 4])),
    "histogram": lambda m, held: m.histogram(held([1, 2]))[0],
    "copyto": lambda m, held: m.copyto(m.zeros(2), held([1, 2])),
}


@pytest.mark.parametrize("name", HOLDERS)
def test_arrays_of_ours_in_arguments(name: str) -> None:
    """As an object whose array is NumPy's is to NumPy."""

    class Plain:
        def __init__(self, values: Any) -> None:
            self.values = np.asarray(values)

        def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
            return self.values

    case = HOLDERS[name]
    assert case_outcome(lambda m: case(m, Holder), hs) == case_outcome(lambda m: case(m, Plain), np)


def test_a_list_that_holds_itself() -> None:
    for m in (hs, np):
        own: list[Any] = []
        own.append(own)
        with pytest.raises(ValueError, match=r"depth|dimension|sequence"):
            m.array(own)
        assert m.array([own, 1], dtype=object)[0] is own


def test_objects_in_containers_stay_themselves() -> None:
    inner = [1, 2]
    row: tuple[Any, ...] = (inner, {"a": inner})
    made = hs.empty(1, dtype=object)
    hs.copyto(made, np.array([None]))
    made[0] = row
    assert made[0] is row
    assert hs.array([None, inner, 3], dtype=object)[1] is inner


@pytest.mark.parametrize("name", ["array_equal", "array_equiv"])
def test_comparisons_of_whole_objects(name: str) -> None:
    compare = getattr(hs, name)
    for other in (Holder([1.0, 2.0]), [1, 2], np.array([1, 2]), hs.array([1, 2])):
        assert compare(Holder([1.0, 2.0]), other) is True
        assert compare(other, Holder([1.0, 2.0])) is True
        assert compare(other, Holder([1.0, 3.0])) is False
    assert compare([[1], [1, 2]], [1]) is False if name == "array_equal" else True


class Asked:
    """Notes what it is asked for, and gives what it holds, a new array, or what refuses `copy`."""

    def __init__(self, gives: str) -> None:
        self.gives, self.held = gives, np.arange(3.0)
        self.asked: list[Any] = []

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        self.asked.append((dtype, copy))
        found = self.held if self.gives == "held" else np.arange(3.0)
        found = found if dtype is None else found.astype(dtype)
        return found.copy() if copy else found


class WithoutKeywords:
    def __array__(self) -> Any:
        return np.arange(3.0)


@pytest.mark.parametrize("make", ["array", "asarray"])
@pytest.mark.parametrize("copy", [True, False, None])
@pytest.mark.parametrize("dtype", [None, "f8", "i4"])
@pytest.mark.parametrize("gives", ["held", "fresh"])
def test_what_an_object_is_asked_for(make: str, copy: Any, dtype: Any, gives: str) -> None:
    def run(m: Any) -> Any:
        asked = Asked(gives)
        found = getattr(m, make)(asked, copy=copy, dtype=dtype)
        values = np.asarray(found)
        return values.tolist(), found.dtype, asked.asked, np.shares_memory(values, asked.held)

    assert run(hs) == run(np) or (copy is None and gives == "held")  # a copy may be taken


@pytest.mark.parametrize("copy", [True, False, None])
def test_an_object_that_takes_no_keywords(copy: Any) -> None:
    def run(m: Any) -> Any:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                found: Any = m.array(WithoutKeywords(), copy=copy).tolist()
            except Exception as error:
                found = type(error)
        return found, [warning.category for warning in caught]

    assert run(hs) == run(np)


@pytest.mark.parametrize("source", [[1.0], (1, 2), 5, np.float32(2), memoryview(bytearray(8))])
def test_what_needs_no_copy(source: Any) -> None:
    def run(m: Any) -> Any:
        try:
            return m.array(source, copy=False).tolist()
        except ValueError:
            return ValueError

    assert run(hs) == run(np)


class Plain(Holder):
    """A class from before there was a `copy` to ask for."""

    def __array__(self, dtype: Any = None) -> Any:  # type: ignore[override]
        return self.values


class Refusing(Holder):
    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        if copy is False:
            raise ValueError("there is no way without")
        return self.values


@pytest.mark.filterwarnings("ignore:__array__ implementation:DeprecationWarning")
@pytest.mark.parametrize("holder", [Plain, Refusing])
def test_no_copy_is_asked_of_the_protocol(holder: type[Holder]) -> None:
    for make in (hs.array, hs.asarray):
        with pytest.raises(ValueError, match=r"Unable to avoid copy|no way without"):
            make(holder([1.5]), copy=False)
    kept = Holder([1.5])
    assert hs.array(kept, copy=False) is kept.values


def test_a_way_to_copy_is_no_flag() -> None:
    for mode in np._CopyMode:
        for m in (np, hs):
            with pytest.raises(ValueError, match="_CopyMode enum is not allowed for astype"):
                m.ones(2).astype(float, copy=mode)


def test_functions_are_asked_for_by_keyword() -> None:
    x = hs.arange(3.0)
    found = x.__array_function__(func=np.sum, types=(hs.ndarray,), args=(x,), kwargs={})
    assert float(found) == 3.0
    for args, kwargs in (([x], {}), ((x,), [])):
        with pytest.raises(TypeError, match="must be a"):
            x.__array_function__(np.sum, (), args, kwargs)
    with pytest.raises(TypeError):
        x.__array_function__(np.sum, (), (x,))


def test_functions_of_others_that_numpy_dispatches() -> None:
    def total(a: object) -> str:
        return type(a).__name__

    total.__module__ = "package.part"
    dispatched = np._core.overrides.array_function_dispatch(lambda a: (a,))(total)
    assert dispatched(hs.ones(3)) == "ndarray"


@pytest.mark.parametrize(
    "call",
    [
        "np.histogram(a, [0.0, 1.0])",
        "np.linalg.eigh(m)",
        "np.linalg.qr(m)",
        "np.linalg.svd(m)",
        "np.unique(a, return_counts=True)",
        "np.vectorize(lambda x: (x, x))(a)",
        "np.tril_indices(3)",
    ],
)
def test_arrays_of_a_tuple_own_their_data(call: str) -> None:
    for module in (np, hs):
        for found in eval(call, {"np": module, "a": module.arange(3.0), "m": module.eye(3)}):
            assert type(found) is module.ndarray
            if found.flags.owndata:
                assert found.base is None
                found.resize((7,), refcheck=False)
                assert found.shape == (7,)
    owned = [
        [x.flags.owndata for x in eval(call, {"np": m, "a": m.arange(3.0), "m": m.eye(3)})]
        for m in (np, hs)
    ]
    assert owned[1] == owned[0]
