"""The tables and figures that benchmarks make of partitions."""

from __future__ import annotations

from pathlib import Path

import pytest

from hassium import debug

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(autouse=True)
def from_root(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT))


def test_costs_and_proofs() -> None:
    from benchmarks.partition import costs, proofs

    head, ruler, row = costs(["gauss"], 10.0).splitlines()
    assert head.split(" | ")[2:-1] == ["singleton", "linear", "unintrusive", "greedy", "optimal"]
    assert ruler.startswith("| --- | ---: |")
    assert row == "| gauss | 5 | 9,232 | 4,880 | 4,880 | 4,880 | 4,880 | proven |"
    cells = proofs(["gauss"], 10.0).splitlines()[2].split(" | ")
    assert cells[1::2] == ["5", "10", "20"]
    assert all("ms" in cell for cell in cells[2::2])


def test_growth() -> None:
    from benchmarks.partition import exponent, growth_table

    assert exponent([(100, 0.001)]) == "-"
    assert exponent([(100, 0.001), (1000, 0.01), (10_000, 0.1)]) == "1.00"
    table = growth_table({"a": [(990, 0.002), (10_020, 0.04)], "b": [(101, 0.0001)]})
    assert table.splitlines()[2:] == [
        "| a | - | 2.00 ms (990) | 40.00 ms (10,020) | 1.29 |",
        "| b | 0.10 ms (101) | - | - | - |",
    ]


def test_traps_of_greedy_fusion() -> None:
    pytest.importorskip("highspy", reason="highspy is not installed (extra `test` has it)")
    from benchmarks.greedy_traps import bottom_up, partitions, table, top_down

    trap = bottom_up(20_000)
    chosen = partitions(trap)
    assert chosen["ilp"] == chosen["top-down"] == [[0, 1, 2, 4], [3, 5, 6]]
    assert chosen["bottom-up"] == [[0, 2], [1, 3, 4, 5, 6]]
    expected = debug.run(trap.instructions, executor="reference")
    for blocks in chosen.values():
        assert debug.run(trap.instructions, blocks) == expected

    trap = top_down(1_000)
    chosen = partitions(trap)
    assert chosen["ilp"] == chosen["bottom-up"] == [[0], [1, 2, 3, 4, 5, 6, 7, 8, 9]]
    assert chosen["top-down"] == [[0, 1], [2, 3, 4, 5, 6, 7, 8, 9]]
    assert debug.cost(trap.instructions, chosen["ilp"]) == 24_016
    assert debug.cost(trap.instructions, chosen["top-down"]) == 32_016
    assert len(table(10_000, 1).splitlines()) == 4


def test_figures(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="matplotlib is not installed (extra `bench` has it)")
    pytest.importorskip("rich", reason="rich is not installed (extra `bench` has it)")
    from benchmarks.wsp_figures import BY_MODEL, CACHES, FigureData, costs, wanted, write

    # Every figure has its bars, and what two figures share is measured once.
    figures = {figure for figure, _ in wanted()}
    assert figures == {*CACHES.values(), *BY_MODEL.values()} == set(range(15, 21))
    assert len(set(wanted().values())) < len(wanted())

    measured = FigureData(15, "Time", "ms", {"linear": {"gauss": 1.5, "lu": 0.0}, "greedy": {}})
    page = write([costs(["gauss"]), measured], "Figures", tmp_path).read_text()
    assert "| gauss | 9,232 | 4,880 | 4,880 | 4,880 |" in page
    assert "| gauss | 1.5 | - |" in page
    for number in (14, 15):
        assert (tmp_path / f"fig{number}.png").read_bytes().startswith(b"\x89PNG")
        assert f"(fig{number}.png)" in page


def test_figures_of_generators(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="matplotlib is not installed (extra `bench` has it)")
    pytest.importorskip("rich", reason="rich is not installed (extra `bench` has it)")
    from benchmarks.withloop_figures import GENERATORS, WAYS, columns, constants, grids, unequal
    from benchmarks.wsp_figures import write

    figures = [
        columns("constants", constants, 40, "int32", 1),
        columns("four programs", unequal, 40, "float64", 1),
        grids(1, (16, 32)),
    ]
    for figure in figures:
        assert tuple(figure.values) == WAYS
    assert all(list(one) == [str(k) for k in GENERATORS] for one in figures[0].values.values())
    page = write(figures, "Figures", tmp_path).read_text()
    assert page.count("|  | naive | canonical | numpy |") == 3
    for name in ("fig11.png", "fig11-1.png", "fig14.png"):
        assert (tmp_path / name).read_bytes().startswith(b"\x89PNG")
        assert f"({name})" in page
