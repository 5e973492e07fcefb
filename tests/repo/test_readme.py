"""README's two commands are what it says they are, and what .ci/run runs."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
import tomllib

from repo.tree import ROOT

MAIN_JOB = (
    "python3 -m venv .venv && .venv/bin/pip install '.[bench]' && "
    ".venv/bin/python -m hassium benchmarks/programs/heat_equation.py --size 3000 --steps 50"
)


def commands() -> list[str]:
    blocks = re.findall(r"^```sh\n(.*?)^```", (ROOT / "README.md").read_text(), re.M | re.S)
    return [line for block in blocks for line in block.splitlines()]


def test_there_are_two_commands() -> None:
    main, tests = commands()
    assert main == MAIN_JOB
    assert "pip install '.[test]'" in tests
    assert shlex.split(tests)[-3].endswith("bin/pytest")


def test_what_the_commands_name_exists() -> None:
    with (ROOT / "pyproject.toml").open("rb") as file:
        extras = tomllib.load(file)["project"]["optional-dependencies"]
    for command in commands():
        for extra in re.findall(r"\.\[(\w+)\]", command):
            assert extra in extras
        for path in re.findall(r"\S+\.py\b", command):
            assert (ROOT / path).is_file()


def test_ci_takes_the_test_command_from_the_readme() -> None:
    script = (ROOT / ".ci/run").read_text()
    pattern = re.search(r"grep \"(.+?)\" README\.md", script)
    assert pattern is not None
    found = [line for line in commands() if re.search(pattern.group(1), line)]
    assert found == commands()[1:]
    assert re.search(r"^\.ci/check$", script, re.M)
    assert script.rstrip().endswith('eval "${command//.venv/.venv-ci}"')


def test_the_example_runs_fused() -> None:
    example = re.search(r"^```python\n(.*?)^```", (ROOT / "README.md").read_text(), re.M | re.S)
    assert example is not None
    run = subprocess.run(
        [sys.executable, "-c", example.group(1)], capture_output=True, text=True, check=True
    )
    total, contracted = run.stdout.split()
    # The sum over 1.5 < y < 2.5 of y = 2 sqrt(x) + 1 is that of an integral, times 10 million.
    assert abs(float(total) / 1e7 - 25 / 24) < 1e-6
    assert int(contracted) >= 4


def test_links_of_the_documents_lead_somewhere() -> None:
    pages = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")]
    broken = [
        (page.name, target)
        for page in pages
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text())
        if not (page.parent / target).exists()
    ]
    assert broken == []
