"""Fourier transforms of many lines: NumPy's bits, however lines are shared out."""

from __future__ import annotations

import inspect
from typing import Any

import numpy
import pytest

import hassium as np
from hassium.functions import transforms

SHAPES = [(40, 50), (33, 20), (7, 5, 18), (3, 40), (2, 2, 2, 30), (17, 1)]


@pytest.fixture(autouse=True)
def _always(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transforms, "MANY", 0)


def asked(name: str) -> int:
    return int(np.stats()["fallbacks"].get(f"fft.{name}", {"count": 0})["count"])


def same(name: str, x: Any, *args: Any, native: bool = True, **kwargs: Any) -> None:
    expected = getattr(numpy.fft, name)(x, *args, **kwargs)
    before = asked(name)
    found = getattr(np.fft, name)(np.array(x), *args, **kwargs)
    assert asked(name) - before == (not native)
    assert isinstance(found, np.ndarray)
    assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
    assert numpy.asarray(found).tobytes() == expected.tobytes()
    assert found.flags.c_contiguous == expected.flags.c_contiguous


@pytest.mark.parametrize("threads", [2, 3, 7])
@pytest.mark.parametrize("dtype", ["f8", "f4", "c16", "c8", "i4"])
@pytest.mark.parametrize("shape", SHAPES)
def test_transforms(shape: tuple[int, ...], dtype: str, threads: int) -> None:
    r = numpy.random.default_rng(1)
    x = (r.normal(size=shape) * 9).astype(dtype)
    if dtype[0] == "c":
        x = x + (1j * r.normal(size=shape)).astype(dtype)
    with np.config(threads=threads):
        for name in ("fft", "ifft", "rfft", "irfft"):
            if name == "rfft" and dtype[0] == "c":
                continue
            for axis in range(-len(shape), len(shape)):
                if name != "irfft" or shape[axis] > 1:
                    same(name, x, axis=axis)
                same(name, x, 12, axis, "ortho")
        for name in ("fft2", "ifft2", "fftn", "ifftn"):
            same(name, x)
            same(name, x, axes=(1, 0), norm="forward")
        same("fftn", x[::-1].T, axes=(-1,))


def test_what_is_numpys() -> None:
    x = numpy.random.default_rng(1).normal(size=(40, 50))
    same("rfft2", x, native=False)
    same("fft2", x, (30, 60), native=False)
    same("fft", x[0], native=False)
    with np.config(threads=1):
        same("fft", x, native=False)
    out = np.zeros((40, 50), complex)
    assert np.fft.fft(np.array(x), out=out) is out
    assert numpy.asarray(out).tobytes() == numpy.fft.fft(x).tobytes()
    for args in ((0,), (-3,), (None, 2), (None, -1, "no norm")):
        with pytest.raises((ValueError, IndexError)) as theirs:
            numpy.fft.fft(x, *args)
        with pytest.raises(theirs.type) as ours:
            np.fft.fft(np.array(x), *args)
        assert str(ours.value) == str(theirs.value)


@pytest.mark.parametrize("name", [n for n in numpy.fft.__all__ if n.endswith(("fft", "2", "n"))])
def test_signatures_and_an_output_by_position(name: str) -> None:
    defaults = [p.default for p in inspect.signature(getattr(numpy.fft, name)).parameters.values()]
    ours = inspect.signature(getattr(np.fft, name)).parameters
    assert [p.default for p in ours.values()] == defaults

    def transformed(m: Any) -> Any:
        transform = getattr(m.fft, name)
        x = m.arange(600.0).reshape(20, 30) ** 0.5
        out = m.zeros_like(transform(x))
        found = transform(x, *defaults[1:-1], out)
        # Some of NumPy's leave the output alone.
        return found is out, numpy.asarray(found).tobytes(), numpy.asarray(out).tobytes()

    assert transformed(np) == transformed(numpy)


def test_no_axes_at_all_are_all_axes() -> None:
    x = numpy.random.default_rng(1).normal(size=(2, 20, 30))
    same("fft2", x, axes=None)
    same("fft2", x, None, (0, 2))


def test_the_module_is_numpys_but_for_these() -> None:
    assert np.fft.fftfreq(8).tolist() == numpy.fft.fftfreq(8).tolist()
    assert set(numpy.fft.__all__) <= set(dir(np.fft))
    import hassium.fft

    assert hassium.fft is np.fft


@pytest.mark.parametrize("name", ["fftshift", "ifftshift"])
@pytest.mark.parametrize("shape", [(5,), (6,), (0,), (3, 4), (4, 1, 5), ()])
def test_shifts(name: str, shape: tuple[int, ...]) -> None:
    x = numpy.arange(float(numpy.prod(shape))).reshape(shape)
    native = x.ndim > 0
    for axes in (None, 0, -1, 1, (0,), (0, 1), [0, -1], (0, 0), 5, "a", 0.5, ()):
        try:
            getattr(numpy.fft, name)(x, axes)
        except Exception as error:
            with pytest.raises(type(error)):
                getattr(np.fft, name)(np.array(x), axes)
        else:
            same(name, x, axes, native=native)
