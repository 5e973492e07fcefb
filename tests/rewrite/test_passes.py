"""The list of passes: each has a switch, a dump, and changes no value."""

from __future__ import annotations

import re
from typing import Any

import numpy
import pytest

import hassium as np
from hassium import debug
from repo.tree import ROOT

TABLE = (ROOT / "src/rewrite/passes.def").read_text()
PASSES = re.findall(r"^HS_PASS\((\w+),", TABLE, re.M)
N = 300


def differences(xp: Any, x: Any) -> Any:
    """Pairwise differences that are wanted again once something else was written between."""
    d = x[:, None] - x
    far = xp.abs(d)
    far.reshape(-1)[:: x.size + 1] = 1.0
    return (d / far).sum(axis=0)


def assembled(xp: Any, x: Any) -> Any:
    """A sum over arrays that are put together from two parts."""
    grid = x[:, None] + x
    return grid + xp.roll(grid, 1, axis=0) + xp.roll(grid, 3, axis=1)


def short_lines(xp: Any, x: Any) -> Any:
    """A sum and a maximum over three lines of two elements each, between other operations."""
    y = x.reshape(-1, 3, 2) * 1.5
    return y.sum(axis=1) + (y - y.mean(axis=1, keepdims=True)).max(axis=1)


def sliced(xp: Any, x: Any) -> Any:
    """The middle of an array of products."""
    return (xp.sqrt(x) * x)[100:150].cumsum()


def gathered(xp: Any, x: Any) -> Any:
    """A few elements of an array of products."""
    return (xp.sqrt(x) * x[:, None])[xp.arange(40) * 7].cumsum()


def reversed_products(xp: Any, x: Any) -> Any:
    """Products that are read from the end on, and a part of them."""
    return ((xp.sqrt(x) * x)[::-1] + x)[3:] - x[3:]


def padded(xp: Any, x: Any) -> Any:
    """Products with a rim that repeats their first and last rows and columns."""
    return xp.pad(x[:, None] * x, 2, mode="edge")


def uneven(xp: Any, x: Any) -> Any:
    """Even and odd elements by statements of their own, of an array with one even one more."""
    out = xp.zeros(2 * x.size - 1)
    for k in range(2):
        out[k::2] = x[: x.size - k] * (k + 2.0)
    return out


def striped(xp: Any, x: Any) -> Any:
    """Every third element of an array by a statement of its own."""
    out = xp.zeros(x.size)
    for k in range(3):
        out[k::3] = x[k::3] * (k + 2.0) - x[k::3]
    return out


CODES = {
    "pull_views": reversed_products,
    "pull_gathers": gathered,
    "split_reductions": short_lines,
    "infer_bounds": sliced,
    "rematerialize": differences,
    "forward_copies": assembled,
    "coalesce_copies": padded,
    "peel_loops": uneven,
    "reroll": striped,
}


def run(code: Any) -> tuple[Any, list[debug.Flush]]:
    x = np.arange(N) / 4.0
    np.flush()
    with debug.capture() as flushes:
        result = code(np, x)
        del x
    return numpy.asarray(result), flushes


def test_every_pass_has_a_program_here() -> None:
    assert sorted(CODES) == sorted(PASSES)


@pytest.mark.parametrize("name", PASSES)
def test_a_pass_changes_the_program_and_no_value(name: str, cold_cache: None) -> None:
    code = CODES[name]
    results = {}
    for setting in ("off", "on"):
        others = dict.fromkeys(PASSES, "off")
        with np.config(**{**others, name: setting}):
            results[setting], flushes = run(code)
        changed = {dump[0] for flush in flushes for dump in flush.rewrites}
        assert changed == ({"recorded", name} if setting == "on" else set())
    assert results["on"].tobytes() == results["off"].tobytes()
    assert results["on"] == pytest.approx(code(numpy, numpy.arange(N) / 4.0))


@pytest.mark.parametrize("name", PASSES)
def test_dumps_are_programs_of_the_same_effect(name: str, cold_cache: None) -> None:
    with np.config(**{name: "on"}):
        _, flushes = run(CODES[name])
    dumps = [dump for flush in flushes for dump in flush.rewrites]
    assert dumps[0][0] == "recorded"
    texts = [text for _, text in dumps]
    assert len(set(texts)) == len(texts)
    for text in texts:
        debug.partition(text, "singleton")  # parses and verifies it


def test_programs_of_one_form_are_planned_once(cold_cache: None) -> None:
    for name, code in CODES.items():
        with np.config(**{name: "on"}, verify=True, eager_elements=0):
            np.cache_clear()
            before = np.cache_info()
            for n in range(N, N + 60, 6):
                x = np.arange(n) / 4.0
                np.flush()
                found = numpy.asarray(code(np, x))
                assert found == pytest.approx(code(numpy, numpy.arange(n) / 4.0))
            misses = np.cache_info().misses - before.misses
        assert misses <= 4, name


def test_one_setting_switches_all_passes_off(cold_cache: None) -> None:
    with np.config(rewrite="off", **dict.fromkeys(PASSES, "on")):
        for code in CODES.values():
            _, flushes = run(code)
            assert not any(flush.rewrites for flush in flushes)
