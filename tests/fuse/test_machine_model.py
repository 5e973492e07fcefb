"""The cost model `machine`: seconds, and merges that it refuses."""

from __future__ import annotations

from fuse.random_programs import random_program
from hassium import debug


def many_streams(count: int, elements: int) -> str:
    """Sums of one array with many others: every line reads and writes two streams of its own."""
    lines = [f"base x float64 {elements} input"]
    for k in range(count):
        lines += [f"base i{k} float64 {elements} input", f"base o{k} float64 {elements}"]
    lines += [f"add o{k} x i{k}" for k in range(count)]
    return "\n".join(lines)


def test_too_many_streams_are_not_worth_a_shared_read() -> None:
    text = many_streams(40, 4_000_000)
    assert len(debug.partition(text, "greedy", "bohrium")["blocks"]) == 1
    chosen = debug.partition(text, "greedy", "machine")
    assert 1 < len(chosen["blocks"]) < 40
    assert chosen["cost"] < debug.cost(text, [list(range(40))], "machine")
    assert chosen["cost"] < debug.cost(text, [[k] for k in range(40)], "machine")


def test_launches_count_more_than_streams_where_arrays_are_small() -> None:
    assert len(debug.partition(many_streams(40, 10), "greedy", "machine")["blocks"]) == 1


def test_a_temporary_is_worth_a_merge() -> None:
    text = "base a float64 {0} input\nbase t float64 {0}\nbase b float64 {0}\n"
    text += "multiply t a 2.0\nadd b t 1.0\ndel t\n"
    for elements in (100, 10_000_000):
        assert debug.partition(text.format(elements), "greedy", "machine")["blocks"] == [[0, 1, 2]]


def test_bytes_come_from_the_level_that_holds_them() -> None:
    text = "base a float64 {0} input\nbase b float64 {0}\nadd b a 1.0\n"
    small, large = (debug.partition(text.format(n), "greedy", "machine") for n in (1000, 10**8))
    launch = debug.partition("base a float64 1\nsync a\n", "greedy", "machine")["cost"]
    assert large["cost"] - launch > 2e5 * (small["cost"] - launch)


def test_bound_and_cost_are_of_one_scale() -> None:
    for seed in range(30):
        text = random_program(seed, 20)
        costs = {name: debug.partition(text, name, "machine") for name in ("singleton", "greedy")}
        assert 0 < costs["greedy"]["bound"] <= costs["greedy"]["cost"]
        assert costs["greedy"]["cost"] <= costs["singleton"]["cost"] * (1 + 1e-12)
