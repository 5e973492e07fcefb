"""Lines of random programs that select, gather, scatter, count and scan what is computed.

Index arrays hold duplicates and negative numbers, are empty, of more axes than one, narrow or
themselves computed; one in eight goes beyond its axis. What is read or written by them is often an
expression that nothing has run yet.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy

if TYPE_CHECKING:
    from property.programs import Writer

# Elements beyond which no result is made on purpose.
MOST = 300_000


def computed(w: Writer, n: int) -> tuple[str, str]:
    """An expression that is the size of an array, and the name of that array."""
    x = w.pick(n)
    half = "astype('f8')" if w.space[x].dtype.kind in "fb" else "copy()"
    forms = [
        f"({x} * 2 + 1)",
        f"np.abs({x})",
        f"({x} - {x}[:1])" if w.space[x].ndim else f"(-{x})",
        f"np.maximum({x}, 1).{half}",
        f"np.where({x} > 1, {x}, 2)",
    ]
    return forms[n % len(forms)], x


def indices(w: Writer, extent: int, n: int, most: int = MOST) -> str:
    """An index array for an axis of that extent; `most` bounds its elements."""
    count = max(min(2 * extent, most), 1)
    forms = [
        f"np.array([0, -1, {extent // 2}, 0])",
        f"np.arange({count})[::-1] * 7 % {max(extent, 1)}",
        f"np.array([[0, -1], [{-extent}, {extent - 1}]])",
        f"np.arange({min(extent, most)})[::-1]",
        f"np.array([{extent // 3}, 0, {extent // 3}], dtype='u1')" if extent < 600 else "[0, 2]",
        f"np.array([{extent - 1}, 0, 0], dtype='i4') - 1",
        "np.array([], dtype=int)",
        f"np.array([1, {extent}, 0])" if n % 2 else f"np.array([0, {-extent - 1}])",
    ]
    names = [name for name in w.arrays() if w.space[name].dtype.kind in "iu"]
    small = [name for name in names if 0 < w.space[name].size <= most]
    if small and n % 3 == 0:
        return f"{small[n % len(small)]} % {max(extent, 1)}"
    return forms[n % len(forms)]


def index(w: Writer, x: str, axis: int, n: int) -> str:
    """The name of a new index array for an axis of `x`, or its expression in place."""
    shape = w.space[x].shape
    extent = shape[axis] if shape else 0
    most = MOST * max(extent, 1) // max(math.prod(shape), 1)
    form = indices(w, extent, n, most)
    if n % 5 == 0:
        return f"({form})"
    made = w.fresh()
    w.emit(f"{made} = np.asarray({form})")
    return made


def use(w: Writer, made: str, n: int) -> None:
    """A reader of a result, or none."""
    if made in w.space:
        forms = [f"{made} * 2 + 1", f"np.asanyarray({made}.max(initial=0))", f"{made}[..., ::-1]"]
        if n % 4 < 3:
            w.emit(f"{w.fresh()} = {forms[n % 4]}")


def viewed(w: Writer, a: int, b: int, c: int, d: int) -> None:
    """Views of what is computed: strided, reversed, transposed, broadcast and in other shapes."""
    src, x = computed(w, a)
    forms = [
        f"{src}[::3]",
        f"{src}[::-2]",
        f"{src}[..., 1:-1]",
        f"{src}[1:3, ..., ::2]",
        f"{src}[..., None][::-1]",
        f"{src}.T",
        f"{src}.T[::-1, ...]",
        f"np.swapaxes({src}, 0, -1)[..., 1:]",
        f"np.moveaxis({src}, 0, -1)[..., 0]",
        f"np.broadcast_to({src}, (2,) + {x}.shape)[:, ..., ::-1]",
        f"np.broadcast_to({src}[..., :1], {x}.shape)",
        f"{src}.reshape(-1)[1::2]",
        f"{src}.reshape(2, -1)[1]",
        f"{src}.reshape(-1, 3)[::2, 1:]",
        f"{src}.reshape(-1, 2).T.reshape(-1)",
        f"np.diagonal({src})",
        f"np.flip({src})[..., :2]",
        f"np.roll({src}, 1, 0)[1:]",
        f"np.repeat({src}, 2, 0)[::2]",
        f"np.tile({src}, 2)[..., 1:]",
    ]
    reads = ["", "", ".sum(axis=0)", ".max(axis=-1)", ".copy()", ".astype('f8')", " + 1", ".real"]
    read = reads[c % len(reads)]
    if read == ".sum(axis=0)" and w.space[x].dtype == numpy.float16:
        read = ".max(axis=0)"  # NumPy rounds each partial sum of halves
    made, form = w.fresh(), forms[b % len(forms)]
    if d % 2:  # two views of one computed array
        kept = w.fresh()
        w.emit(f"{kept} = {src}")
        form = form.replace(src, kept)
        if d % 4 == 1:
            w.emit(f"{w.fresh()} = {kept}[..., ::-1]")
    w.emit(f"{made} = np.asanyarray({form}{read})")
    if d % 3 == 0:
        w.emit(f"{w.pick(c)}[...] = {c % 4}")
    use(w, made, c)


def gathered(w: Writer, a: int, b: int, c: int, d: int) -> None:
    """Elements and rows of what is computed, by index arrays and by masks."""
    src, x = computed(w, a)
    i, j = index(w, x, 0, b), index(w, x, -1, c)
    forms = [
        f"{src}[{i}]",
        f"np.take({src}, {i}, axis=0)",
        f"{src}[..., {j}]",
        f"{src}[{i}[:2], {j}[:2]]",
        f"{src}[np.ix_(np.ravel({i})[:9], np.ravel({j})[:9])]",
        f"np.take({src}, {i}, mode='{['wrap', 'clip', 'raise'][c % 3]}')",
        f"np.take_along_axis({src}, np.argsort({src}, 0, 'stable')[::-1], 0)",
        f"np.take_along_axis({src}, np.asarray({j}).reshape((1,) * ({x}.ndim - 1) + (-1,)), -1)",
        f"{src}[{i}, ..., 0]",
        f"{src}[::-1][{i}]",
        f"{src}.T[{j}]",
        f"{src}.reshape(-1)[{i}]",
        f"({src}[{i}] * 2 - 1)[::2]",
        f"{src}[{i}][{i} % 2]",
        f"{src}[{src} > {c % 4}]",
        f"{src}[{x}.astype(bool)] * 2",
        f"np.compress(np.ravel({x})[:{1 + c % 4}] > 1, {src}, axis={['0', '-1', 'None'][c % 3]})",
        f"np.extract({x} != {c % 3}, {src})",
        f"np.choose({x}.astype(int) % 2, [{src}, {x}])",
        f"{src}[(np.arange({x}.shape[0]) % 2).astype(bool)]",
        f"{src}[np.nonzero({x})]",
        f"{src}[{i}, {j}]",
        f"{src}[{i}, None, 1:]",
        f"np.select([{x} > 1, {x} > 2], [{src}, {x}], 3)",
    ]
    made = w.fresh()
    w.emit(f"{made} = {forms[d % len(forms)]}")
    use(w, made, b)


def scattered(w: Writer, a: int, b: int, c: int, d: int) -> None:
    """Writes at index arrays and masks, of what is computed."""
    x = w.pick(a)
    i = index(w, x, 0, b)
    src, y = computed(w, c)
    values = [f"{src}[:1]", "3", f"({x}[{i}] * 2 + 1)", f"{src}.reshape(-1)[0]", src, f"{y}.copy()"]
    v = values[c % len(values)]
    ufunc = ["add", "subtract", "maximum", "minimum", "multiply", "logical_or", "bitwise_xor"]
    along = f"np.argsort({x}, 0, 'stable')"
    forms = [
        f"{x}[{i}] = {v}",
        f"{x}[{i}] += {v}",
        f"{x}[..., {i}] = {v}",
        f"np.put({x}, {i}, {src})",
        f"np.put({x}, {i}, {src}, mode='{['wrap', 'clip', 'raise'][b % 3]}')",
        f"np.put_along_axis({x}, {along}, {src}[:1], 0)",
        # NumPy reads beyond values that are broadcast along the first axis of the indices, and
        # writes into vectors that are read-only.
        f"if {x}.flags.writeable: np.{ufunc[b % 7]}.at({x}, np.ravel({i}), {v})",
        f"if {x}.flags.writeable: np.add.at({x}, {i}, {x}[{i}] * 2 + 1)",
        f"if {x}.flags.writeable: np.add.at({x}, (slice(None), {i}), 1)",
        f"if {x}.flags.writeable: np.negative.at({x}, {i})",
        f"{x}[{x} > {c % 4}] = {src}.reshape(-1)[0]",
        f"{x}[{x} > {c % 4}] += 1",
        f"{x}[{x} > 1] = {src}[{y} > 1]",
        f"np.putmask({x}, {x} > {c % 4}, {src})",
        f"np.place({x}, {x} < {c % 4}, {src})",
        f"{x}[::-1][{i}] = {v}",
        f"{x}[{i}, {i}] = {v}",
        f"{x}[{i}] = {x}[::-1][{i}] + 1",
        f"{x}[{i}, ..., 1:] *= 2",
        f"{x}.T[{i}] -= 1",
    ]
    w.emit(forms[d % len(forms)])
    if b % 3 == 0:
        w.emit(f"{w.fresh()} = {x} + 1")


def counted(w: Writer, a: int, b: int, c: int, d: int) -> None:
    """Counts, histograms and sums of segments, of what is computed."""
    src, x = computed(w, a)
    i = index(w, x, 0, b)
    keys = f"np.ravel(np.abs({src}.real).astype(int) % {c % 9 + 1})"
    weights = f"np.ravel({src}) * 2"
    edges = ["5", "7", "[0, 1, 2, 4, 8]", "np.arange(4) * 2"][c % 4]
    ufunc = ["add", "maximum", "minimum", "logical_or"][c % 4]
    if w.space[x].dtype == numpy.float16:
        ufunc, weights = "maximum", f"np.ravel({src}).astype('f4')"  # NumPy rounds partial sums
    forms = [
        f"np.bincount({keys})",
        f"np.bincount({keys}, {weights})",
        f"np.bincount({keys}, weights={weights}, minlength={c % 20})",
        f"np.bincount(np.ravel({i}), minlength=3)",
        f"np.histogram({src}, bins={edges}, range=(0, 8))[0]",
        f"np.histogram({src}, bins={edges}, range=(0, 8), weights={src} * 2)[0]",
        f"np.{ufunc}.reduceat({src}, {i})",
        f"np.{ufunc}.reduceat({src}, np.sort({i}), axis=-1)",
        f"np.{ufunc}.reduceat({src}, [0, 1, 1], axis=0)",
        f"np.{ufunc}.reduceat({src}, np.arange(0, {x}.shape[-1], 2), axis=-1)",
        f"np.searchsorted(np.sort(np.ravel({src})), np.ravel({x})[:9])",
        f"np.digitize({src}, [0, 1, 3])",
        f"np.histogram2d(np.ravel({x}).real, np.ravel({src}).real, bins=3)[0]",
        f"np.interp(np.ravel({src}).real, [0, 2, 5], [1, 0, 3])",
        f"np.histogram({src}, bins={c % 5 + 1})[0]",
    ]
    made = w.fresh()
    w.emit(f"{made} = {forms[d % len(forms)]}")
    use(w, made, c)


# NumPy adds the elements of a line one after the other: of more single numbers than these, which
# are in one piece here, its sum is further from the exact one than results are compared to.
PIECE = 1024
DOUBLE = {"f4": "f8", "c8": "c16"}


def wider(w: Writer, x: str) -> str:
    """The dtype in which running sums of `x` are compared, if it is not its own."""
    dtype = w.space[x].dtype
    if dtype == numpy.float16:
        return "f8" if w.space[x].size > PIECE else "f4"  # NumPy rounds each partial sum of halves
    return DOUBLE.get(dtype.str[1:], "") if w.space[x].size > PIECE else ""


def accumulated(w: Writer, a: int, b: int, c: int, d: int) -> None:
    """Scans from both sides, along any axis, with producers and consumers."""
    src, x = computed(w, a)
    if dtype := wider(w, x):
        src = f"{src}.astype('{dtype}')"
    axis = [0, -1, 1][b % 3]
    ufunc = ["add", "maximum", "minimum", "logical_and", "multiply", "bitwise_or"][c % 6]
    factors = f"np.sign({src})" if ufunc == "multiply" else src
    forms = [
        f"np.cumsum({src}[::-1], axis=0)[::-1]",
        f"np.cumsum({src}[::-1])[::-1] * 2",
        f"np.cumsum({src}[..., ::-1], axis=-1)[..., ::-1] + {x}",
        f"np.flip(np.cumsum(np.flip({src}, {axis}), {axis}), {axis}) - {src}",
        f"np.{ufunc}.accumulate({factors}[::-1], axis={axis})[::-1]",
        f"np.{ufunc}.accumulate({factors}, axis={axis}) * {x}",
        f"np.cumsum({src}, axis={axis})[..., -1:]",
        f"np.cumsum({src}.T, axis={axis}).T",
        f"np.cumsum({src}[::2], axis={axis})[::-1]",
        f"np.diff(np.cumsum({src}, axis={axis}), axis={axis})",
        f"np.cumsum(np.cumsum({src} % 3, axis=0), axis=-1)",
        f"np.cumsum({src}, axis={axis}, dtype='f8') + np.cumsum({src}[::-1], axis={axis})[::-1]",
        f"np.cumsum({x} > {c % 4}, axis={axis})[1:]",
        f"np.cumsum(np.broadcast_to({src}, (2,) + {x}.shape), axis={axis})",
        f"np.cumsum({src}, axis={axis}).max(axis=0)",
        f"np.cumprod(np.sign({src}), axis={axis})[::-1]",
        f"np.add.accumulate({src}, axis={axis}, out={x})",
        f"np.cumsum({src}.reshape(-1)[1:])[[0, -1]]",
    ]
    made = w.fresh()
    w.emit(f"{made} = {forms[d % len(forms)]}")
    use(w, made, c)
