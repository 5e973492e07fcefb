"""The benchmark programs under NumPy: they are right by their own checks, which can fail."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from benchmarks.scripts import FOLDER, NAMES, load

PAPER = {
    "black_scholes": 1.5e6,
    "game_of_life": 1e8,
    "heat_equation": 1.44e8,
    "leibnitz_pi": 1e8,
    "gauss": 2800,
    "lu": 2800,
    "montecarlo_pi": 1e8,
    "stencil_27": 4.2875e7,
    "shallow_water": 1.024e7,
    "rosenbrock": 2e8,
    "sor": 1.44e8,
    "nbody": 6000,
    "nbody_nice": 40 * 2e6,
    "lattice_boltzmann_d3q19": 3.375e6,
    "water_ice": 6.4e5,
}


def test_the_fifteen_programs_have_the_sizes_of_the_paper() -> None:
    sizes = {name: load(name).SIZES.get("paper") for name in NAMES}
    assert {name: np.prod(size[:-1]) for name, size in sizes.items() if size} == PAPER


def test_every_program_has_small_medium_and_more() -> None:
    for name in NAMES:
        small, medium, most = load(name).SIZES
        assert (small, medium) == ("small", "medium")
        assert most in ("paper", "large")


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("name", NAMES)
def test_a_program_passes_its_own_check_and_repeats_itself(name: str, dtype: str) -> None:
    program = load(name)
    size = program.SIZES["small"]
    first = program.run(np, size, dtype)
    program.check(np, first, size)
    assert first.dtype == dtype
    assert first.tobytes() == program.run(np, size, dtype).tobytes()


@pytest.mark.parametrize("name", NAMES)
def test_a_check_notices_a_wrong_result(name: str) -> None:
    program = load(name)
    size = program.SIZES["small"]
    result = program.run(np, size, "float64")
    with pytest.raises(AssertionError):
        program.check(np, result * 1.001, size)
    lost = result.copy()
    lost.reshape(-1)[lost.size // 2] = np.nan
    with pytest.raises((AssertionError, ValueError)):
        program.check(np, lost, size)


@pytest.mark.parametrize(
    ("name", "size"),
    [
        ("heat_equation", (9, 14, 200)),
        ("game_of_life", (40, 61, 90)),
        ("sor", (20, 24, 200)),
        ("shallow_water", (30, 41, 100)),
        ("stencil_27", (7, 9, 12, 50)),
        ("lattice_boltzmann_d3q19", (16, 9, 12, 60)),
        ("nbody", (50, 100)),
        ("nbody_nice", (5, 70, 200)),
        ("water_ice", (14, 17, 150)),
        ("gauss", (65, 2)),
        ("lu", (65, 2)),
        ("black_scholes", (2500, 5)),
        ("rosenbrock", (2, 3)),
        ("leibnitz_pi", (1, 100)),
        ("montecarlo_pi", (10, 300)),
        ("complementary_distribution", (500, 40)),
        ("embedding", (30, 50, 3, 40)),
        ("flash_attention", (600, 5, 2)),
        ("histogram_equalization", (9, 70, 3)),
        ("hydrodynamics", (9, 14, 60)),
        ("k_means", (501, 3, 30)),
        ("mesh_gradient", (7, 19, 40)),
        ("multigrid", (16, 12)),
        ("particle_in_cell", (64, 20, 50)),
        ("sparse_csr", (77, 6, 30)),
        ("sparse_ell", (90, 7, 20)),
    ],
)
def test_other_shapes_and_more_steps_hold_as_well(name: str, size: tuple[int, ...]) -> None:
    program = load(name)
    program.check(np, program.run(np, size, "float64"), size)


def test_a_tolerance_ends_an_iteration_early() -> None:
    heat = load("heat_equation")
    one, many = (heat.run(np, (12, 12, steps), "float64", 1e9) for steps in (1, 50))
    assert (one == many).all()
    assert (many != heat.run(np, (12, 12, 50), "float64")).any()


def test_sor_refuses_odd_edges() -> None:
    with pytest.raises(ValueError, match="must be even"):
        load("sor").run(np, (9, 8, 1), "float64")


def test_multigrid_refuses_intervals_that_cannot_be_halved() -> None:
    with pytest.raises(ValueError, match="power of two"):
        load("multigrid").run(np, (12, 1), "float64")


def test_a_size_is_a_name_or_numbers() -> None:
    command_line = load("_cli")
    sizes = {"small": (3, 3, 2), "medium": (8, 8, 5)}
    for text, steps, expected in [
        ("small", None, (3, 3, 2)),
        ("medium", 7, (8, 8, 7)),
        ("6", None, (6, 6, 5)),
        ("6", 9, (6, 6, 9)),
        ("6*4", None, (6, 4, 5)),
        ("6*4*1", None, (6, 4, 1)),
        ("1e2*4*1", None, (100, 4, 1)),
    ]:
        assert command_line.parse_size(text, sizes, steps) == expected
    for text in ("", "6x4", "large", "6*4*1*1", "0*4*1", "-1", "inf", "2.5"):
        with pytest.raises(ValueError, match="size"):
            command_line.parse_size(text, sizes)


def run_script(name: str, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(FOLDER / f"{name}.py"), *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


@pytest.mark.parametrize("name", NAMES)
def test_a_script_runs_from_the_command_line(name: str) -> None:
    size = "*".join(map(str, load(name).SIZES["small"]))
    done = run_script(name, "--size", size, "--dtype", "float32", "--threads", "2")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(f"{name} {size} float32\nNumPy ")
    assert "crc32 " in done.stdout
    assert done.stdout.endswith("check    passed\n")


def test_a_bad_size_is_named_on_the_command_line() -> None:
    done = run_script("heat_equation", "--size", "3x3")
    assert done.returncode == 2
    assert "'3x3'" in done.stderr


@pytest.mark.parametrize("name", ["heat_equation", "rosenbrock", "nbody", "stencil_27"])
def test_a_result_can_be_drawn(name: str, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="drawing needs the extra bench")
    file = tmp_path / "picture.png"
    done = run_script(name, "--size", "small", "--plot", str(file))
    assert done.returncode == 0, done.stderr
    assert file.read_bytes().startswith(b"\x89PNG")
