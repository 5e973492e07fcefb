"""Result dtypes and casts of every ufunc, against NumPy's own resolution.

Every ufunc is asked for every pair of native dtypes and Python scalars.
"""

from __future__ import annotations

import itertools
import json
import subprocess
import sys
import warnings
from typing import Any

import numpy as np
import pytest

import hassium
from hassium import _core

NATIVE = (
    *("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
    *("float16", "float32", "float64", "complex64", "complex128"),
)
WEAK: dict[str, type] = {"int": int, "float": float, "complex": complex}
ROWS = {row["name"]: row for row in _core.op_table()}
UFUNCS = sorted(
    {u.__name__ for u in vars(np).values() if isinstance(u, np.ufunc)}
    - {"isnat"}  # no native dtype has a loop
)
ELEMENTWISE = [name for name in UFUNCS if getattr(np, name).signature is None]
FOLDS = [name for name in ELEMENTWISE if "reducible" in ROWS[name]["flags"]]

Answer = tuple[str, ...] | None  # names of inputs and outputs; None: TypeError


def numpy_type(name: str) -> Any:
    return WEAK.get(name) or np.dtype(name)


def of_numpy(name: str, types: tuple[str, ...], dtype: str | None) -> Answer:
    ufunc = getattr(np, name)
    operands = (*map(numpy_type, types), *[None] * ufunc.nout)
    try:
        if dtype is None:
            found = ufunc.resolve_dtypes(operands)
        else:
            signature = (None,) * ufunc.nin + (np.dtype(dtype),)
            found = ufunc.resolve_dtypes(operands, signature=signature)
    except TypeError:
        return None
    return tuple(d.name for d in found)


def of_hassium(name: str, types: tuple[str, ...], dtype: str | None) -> Answer:
    try:
        _, ins, outs = _core.resolve(name, types, dtype)
    except TypeError:
        return None
    return (*ins, *outs)


def agree(name: str, ours: Answer, theirs: Answer, types: tuple[str, ...]) -> bool:
    if ours is None or theirs is None:
        return ours is theirs
    if name == "ldexp":
        # One loop serves exponents of 32 and 64 bits; the exponent's width changes no result.
        return ours[0] == theirs[0] and ours[2] == theirs[2] and theirs[1] in ("int32", "int64")
    if types == ("int", "int") and theirs[0] == "object":
        # Two Python ints are compared as objects; as int64 when they fit.
        return ours == ("int64", "int64", "bool")
    return ours == theirs


def test_every_ufunc_has_a_row() -> None:
    public = {n: u for n, u in vars(np).items() if isinstance(u, np.ufunc)}
    rows = {n for n, row in ROWS.items() if "ufunc" in row["flags"]}
    assert rows == {u.__name__ for u in public.values()}
    aliases = {alias: n for n, row in ROWS.items() for alias in row["aliases"]}
    assert aliases == {n: u.__name__ for n, u in public.items() if n != u.__name__}


@pytest.mark.parametrize("name", sorted({*UFUNCS, "isnat"}))
def test_arity_and_identity(name: str) -> None:
    ufunc, row = getattr(np, name), ROWS[name]
    assert (row["nin"], row["nout"]) == (ufunc.nin, ufunc.nout)
    assert row["identity"] == ufunc.identity
    assert type(row["identity"]) is type(ufunc.identity)


@pytest.mark.parametrize("name", UFUNCS)
def test_resolution(name: str) -> None:
    nin = getattr(np, name).nin
    for types in itertools.product((*NATIVE, *WEAK), repeat=nin):
        ours, theirs = of_hassium(name, types, None), of_numpy(name, types, None)
        assert agree(name, ours, theirs, types), (types, ours, theirs)


@pytest.mark.parametrize("name", ELEMENTWISE)
def test_resolution_of_calls(name: str) -> None:
    """resolve_dtypes is not what a call does in every corner: call as well."""
    ufunc = getattr(np, name)
    values = {t: np.ones(1, t) for t in NATIVE} | {t: WEAK[t](1) for t in WEAK}
    for types in itertools.product(values, repeat=ufunc.nin):
        if all(t in WEAK for t in types):
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                result = ufunc(*(values[t] for t in types))
                outs = result if isinstance(result, tuple) else (result,)
                theirs: Answer = tuple(r.dtype.name for r in outs)
            except TypeError:
                theirs = None
        found = of_hassium(name, types, None)
        ours = found if found is None else found[ufunc.nin :]
        assert ours == theirs, (types, ours, theirs)


@pytest.mark.parametrize("name", [n for n in ELEMENTWISE if getattr(np, n).nout == 1])
def test_resolution_with_dtype(name: str) -> None:
    nin = getattr(np, name).nin
    for types in itertools.product(NATIVE, repeat=nin):
        for dtype in NATIVE:
            ours, theirs = of_hassium(name, types, dtype), of_numpy(name, types, dtype)
            assert agree(name, ours, theirs, types), (types, dtype, ours, theirs)


REDUCING = """
import json, sys, warnings
import numpy as np
warnings.simplefilter("ignore")
names, natives = json.loads(sys.argv[1])
found = {}
for name in names:
    for dtype_in in natives:
        for dtype in (None, *natives):
            try:
                result = getattr(np, name).reduce(np.ones(3, dtype_in), dtype=dtype).dtype.name
            except TypeError:
                result = None
            found[f"{name} {dtype_in} {dtype}"] = result
print(json.dumps(found))
"""


@pytest.fixture(scope="module")
def reduced() -> dict[str, str | None]:
    """NumPy's answers in a process of its own.

    NumPy keeps the loop it found first: once it was asked to resolve a bool and a number to bools,
    which has no loop, it refuses to reduce numbers as bools, and the other way about.
    """
    words = [sys.executable, "-c", REDUCING, json.dumps([FOLDS, NATIVE])]
    done = subprocess.run(words, capture_output=True, text=True, check=True, timeout=120)
    answers: dict[str, str | None] = json.loads(done.stdout)
    return answers


# Complex numbers as real ones.
@pytest.mark.filterwarnings("ignore::numpy.exceptions.ComplexWarning")
@pytest.mark.parametrize("name", FOLDS)
def test_reduction_dtype(name: str, reduced: dict[str, str | None]) -> None:
    for dtype_in in NATIVE:
        for dtype in (None, *NATIVE):
            try:
                ufunc = getattr(hassium, name)
                ours = ufunc.reduce(hassium.ones(3, dtype_in), dtype=dtype).dtype.name
            except TypeError:
                ours = None
            assert ours == reduced[f"{name} {dtype_in} {dtype}"], (dtype_in, dtype)


@pytest.mark.parametrize("name", FOLDS)
def test_reorderable(name: str, reduced: dict[str, str | None]) -> None:
    row = ROWS[name]
    dtype = next(t for t in ("float64", "int64", "bool") if reduced[f"{name} {t} None"])
    try:
        getattr(np, name).reduce(np.ones((2, 2), dtype), axis=(0, 1))
        theirs = True
    except ValueError:
        theirs = False
    assert ("reorderable" in row["flags"]) is theirs


def test_promotion() -> None:
    for a, b in itertools.product(NATIVE, repeat=2):
        assert hassium.result_type(np.dtype(a), np.dtype(b)) == np.promote_types(a, b), (a, b)


@pytest.mark.filterwarnings("ignore::numpy.exceptions.ComplexWarning")
@pytest.mark.parametrize("rule", ["no", "equiv", "safe", "same_kind", "unsafe"])
def test_can_cast(rule: Any) -> None:
    for a, b in itertools.product(NATIVE, repeat=2):
        try:
            hassium.empty(0, a).astype(b, casting=rule)
            casts = True
        except TypeError:
            casts = False
        assert casts is np.can_cast(a, b, rule), (a, b)


def test_unknown_names() -> None:
    with pytest.raises(ValueError, match="not an operation: frobnicate"):
        _core.resolve("frobnicate", ["int8"])
    with pytest.raises(ValueError, match="not a native dtype: int7"):
        _core.resolve("sqrt", ["int7"])
    with pytest.raises(ValueError, match="wrong number of operands"):
        _core.resolve("sqrt", ["int8", "int8"])


@pytest.mark.parametrize(
    ("name", "types", "dtype"),
    [
        ("ceil", ["complex64"], None),
        ("gcd", ["int64", "uint64"], None),
        ("gcd", ["bool", "float"], None),
        ("sign", ["bool"], None),
        ("negative", ["bool"], None),
        ("subtract", ["bool", "bool"], None),
        ("add", ["float64", "int8"], "int32"),
        ("sqrt", ["complex64"], "float32"),
        ("less", ["float64", "int8"], "int32"),
    ],
)
def test_messages(name: str, types: list[str], dtype: str | None) -> None:
    """NumPy's wording."""
    ufunc = getattr(np, name)
    operands = (*map(numpy_type, types), None)
    wanted = {} if dtype is None else {"signature": (None,) * ufunc.nin + (np.dtype(dtype),)}
    with pytest.raises(TypeError) as theirs:
        ufunc.resolve_dtypes(operands, **wanted)
    with pytest.raises(TypeError) as ours:
        _core.resolve(name, types, dtype)
    assert str(ours.value) == str(theirs.value)


@pytest.mark.parametrize("dtype", [">f8", ">i4", "<i2", np.dtype(">c16")])
def test_byte_orders_that_say_no_more_than_the_kind_of_numbers(dtype: Any) -> None:
    def found(m: Any) -> list[Any]:
        x = m.arange(6.0).reshape(2, 3)
        results = [
            m.trace(x, dtype=dtype),
            x.trace(1, dtype=dtype),
            m.linalg.trace(x, dtype=dtype),
            m.nancumsum(x, dtype=dtype),
            m.nancumprod(x, 0, dtype),
            m.cumsum([1.5, 2.0], 0, dtype),
            m.cumsum(x, 1, dtype),
            x.cumprod(dtype=dtype),
        ]
        return [(result.tolist(), str(result.dtype)) for result in results]

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert found(hassium) == found(np)
