"""The public functions, methods and attributes of which results can be views, as one table.

A row calls one of them with an array; `converts` says that it is of the family of `asarray`, which
copies what a NumPy array owns unless the setting `asarray_shares` is on. Rows whose name begins
with a dot are methods and attributes of arrays.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple


class Row(NamedTuple):
    """One call: of a module and an array, which gives an array or several."""

    name: str
    call: Callable[[Any, Any], Any]
    converts: bool = False


def _function(name: str, *args: Any, converts: bool = False, **kwargs: Any) -> Row:
    def call(m: Any, a: Any) -> Any:
        function = m
        for part in name.split("."):
            function = getattr(function, part)
        return function(a, *args, **kwargs)

    return Row(name, call, converts)


def _method(name: str, *args: Any, **kwargs: Any) -> Row:
    return Row(f".{name}", lambda m, a: getattr(a, name)(*args, **kwargs))


def _attribute(name: str) -> Row:
    return Row(f".{name}", lambda m, a: getattr(a, name))


def strided(m: Any, a: Any) -> Any:
    """The first element, twice; of nothing, nothing."""
    twice = 2 if a.size else 0
    return m.lib.stride_tricks.as_strided(a, (twice,), (0,))


FUNCTIONS = [
    _function("reshape", -1),
    _function("reshape", (2, -1)),
    _function("reshape", (-1, 2), order="F"),
    _function("ravel"),
    _function("ravel", "K"),
    _function("ravel", order="F"),
    _function("transpose"),
    _function("transpose", (1, 0)),
    _function("permute_dims", (1, 0)),
    _function("matrix_transpose"),
    _function("linalg.matrix_transpose"),
    _function("swapaxes", 0, -1),
    _function("moveaxis", 0, -1),
    _function("rollaxis", 1),
    _function("squeeze"),
    _function("expand_dims", 0),
    _function("expand_dims", (0, -1)),
    _function("atleast_1d"),
    _function("atleast_2d"),
    _function("atleast_3d"),
    Row("atleast_2d", lambda m, a: m.atleast_2d(a, a)),
    _function("broadcast_to", (2, 3, 4)),
    _function("broadcast_to", (2, 5)),
    Row("broadcast_arrays", lambda m, a: m.broadcast_arrays(a, m.ones((2, 1, 1)))[0]),
    Row("broadcast_arrays", lambda m, a: m.broadcast_arrays(a, a)),
    Row("meshgrid", lambda m, a: m.meshgrid(a, a, copy=False)),
    Row("meshgrid", lambda m, a: m.meshgrid(a, a, copy=False, sparse=True)),
    _function("flip"),
    _function("flip", 0),
    _function("fliplr"),
    _function("flipud"),
    _function("rot90"),
    _function("rot90", 2),
    _function("rot90", 0),
    _function("split", 1),
    _function("split", [1, 2]),
    _function("array_split", 3),
    _function("hsplit", [1]),
    _function("vsplit", [1]),
    _function("dsplit", [1]),
    _function("unstack"),
    _function("unstack", axis=-1),
    _function("diagonal"),
    _function("linalg.diagonal"),
    _function("diag"),
    _function("diag", 1),
    _function("real"),
    _function("imag"),
    _function("real_if_close"),
    _function("trim_zeros"),
    Row("ix_", lambda m, a: m.ix_(a, a)),
    Row("lib.stride_tricks.as_strided", lambda m, a: strided(m, a)),
    _function("lib.stride_tricks.as_strided"),
    _function("lib.stride_tricks.sliding_window_view", 2, axis=0),
    _function("lib.stride_tricks.sliding_window_view", 2, axis=0, writeable=True),
    _function("nan_to_num", copy=False),
    _function("astype", "f8", copy=False),
    Row("einsum", lambda m, a: m.einsum("ij->ji", a)),
    Row("einsum", lambda m, a: m.einsum("ii->i", a) if len(set(a.shape)) == 1 else a.T),
    Row("einsum", lambda m, a: m.einsum("i...->i...", a)),
    _function("asarray_chkfinite"),
    _function("diff", 0),
    _function("linalg.matrix_power", 1),
    _function("polyder", 0),
    _function("polyint", 0),
    _function("array", copy=False),
    _function("asarray", copy=False),
    _function("asanyarray", copy=False),
    _function("from_dlpack"),
    _function("frombuffer"),
    _function("frombuffer", "u1"),
    Row("ndarray", lambda m, a: m.ndarray(a.shape, a.dtype, a)),
    Row("clip", lambda m, a: m.clip(a, 1, 2, out=a)),
    Row("nditer", lambda m, a: m.asarray(m.nditer(a).operands[0], copy=False)),
    # Of the family of asarray.
    _function("asarray", converts=True),
    _function("asarray", "f8", converts=True),
    _function("asarray", order="F", converts=True),
    _function("asanyarray", converts=True),
    _function("ascontiguousarray", converts=True),
    _function("asfortranarray", converts=True),
    _function("array", copy=None, converts=True),
    _function("array", copy=None, ndmin=3, converts=True),
    _function("require", converts=True),
    _function("require", None, ["C", "W"], converts=True),
    # Copies.
    _function("array"),
    _function("copy"),
    _function("roll", 1),
    _function("tile", 1),
    _function("repeat", 1),
    _function("take", [0]),
    _function("nan_to_num"),
    _function("concatenate"),
    _function("astype", "f8"),
    _function("diagflat"),
    _function("tril"),
    _function("round"),
    _function("positive"),
    _function("sort"),
]

METHODS = [
    _method("reshape", -1),
    _method("reshape", 2, -1),
    _method("ravel"),
    _method("ravel", "K"),
    _method("flatten"),
    _method("transpose"),
    _method("swapaxes", 0, -1),
    _method("squeeze"),
    _method("diagonal"),
    _method("view"),
    _method("view", "u1"),
    _method("astype", "f8", copy=False),
    _method("copy"),
    _method("conj"),
    _method("conjugate"),
    _method("getfield", "f4", 0),
    _method("__getitem__", ()),
    _method("__getitem__", ...),
    _method("__getitem__", None),
    _method("__getitem__", slice(1, None)),
    _method("__getitem__", (..., slice(None, None, -1))),
    _method("__getitem__", (0, ...)),
    _method("__getitem__", [0]),
    _method("__array_wrap__"),
    Row(".__array_wrap__", lambda m, a: a.__array_wrap__(m.asarray(a))),
    Row(".__iter__", lambda m, a: list(a)),
    Row(".clip", lambda m, a: a.clip(1, 2, out=a)),
    _method("to_device", "cpu"),
    _attribute("T"),
    _attribute("mT"),
    _attribute("real"),
    _attribute("imag"),
    Row(".flat", lambda m, a: a.flat[1:]),
    Row(".flat", lambda m, a: a.flat.base),
    Row(".data", lambda m, a: m.asarray(a.data)),
    Row(".__array__", lambda m, a: m.asarray(a.__array__(), copy=False)),
    Row(".byteswap", lambda m, a: a.byteswap(inplace=True)),
]
