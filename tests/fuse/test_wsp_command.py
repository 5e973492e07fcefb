"""``python -m hassium.wsp``: what it prints, draws and refuses."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from fuse.paper import FIG3
from fuse.random_programs import random_program
from hassium import debug
from hassium.wsp import command as wsp

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def fig3(tmp_path: Path) -> str:
    path = tmp_path / "fig3.txt"
    path.write_text(FIG3)
    return str(path)


def run(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert wsp.main(list(words)) == 0
    said = capsys.readouterr()
    assert said.err == ""
    return said.out


def test_json(capsys: pytest.CaptureFixture[str], fig3: str) -> None:
    words = ["--algorithm", "optimal", "--unit", "elements", "--json"]
    answer = json.loads(run(capsys, fig3, *words))
    assert list(answer) == ["cost", "blocks", "optimal", "bound", "seconds"]
    assert answer["cost"] == answer["bound"] == 38
    assert answer["optimal"] is True
    assert answer["seconds"] >= 0
    assert sorted(k for block in answer["blocks"] for k in block) == list(range(17))
    assert debug.cost(FIG3, answer["blocks"], unit="elements") == 38


def test_report(capsys: pytest.CaptureFixture[str], fig3: str) -> None:
    said = run(capsys, fig3, "--algorithm", "linear", "--unit", "elements").splitlines()
    assert said[0].startswith("linear, bohrium in elements: cost 62, ")
    assert "not proven; bound" in said[0]
    blocks = debug.partition(FIG3, "linear")["blocks"]
    assert said[1:] == [f"block {k}: {' '.join(map(str, b))}" for k, b in enumerate(blocks)]


def test_the_best_partitioner_is_the_default(capsys: pytest.CaptureFixture[str], fig3: str) -> None:
    assert "cost 304, " in run(capsys, fig3)


def test_standard_input() -> None:
    command = [sys.executable, "-m", "hassium.wsp", "-", "--json", "--algorithm", "singleton"]
    done = subprocess.run(command, input=FIG3, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout)["cost"] == 8 * 94


def test_all(capsys: pytest.CaptureFixture[str], fig3: str) -> None:
    said = run(capsys, fig3, "--algorithm", "all", "--unit", "elements").splitlines()
    assert said[0].split() == ["cost", *wsp.allowed("cost_model")]
    rows = {line.split()[0]: line.split()[1:] for line in said[1:-1]}
    assert list(rows) == wsp.partitioners()
    assert rows["singleton"][0] == "94"
    assert rows["optimal"][0] == "38*"
    answers = json.loads(run(capsys, fig3, "--algorithm", "all", "--json"))
    assert len(answers) == len(wsp.partitioners()) * len(wsp.allowed("cost_model"))
    assert {"algorithm", "cost_model", "cost", "blocks", "optimal", "bound", "seconds"} == set(
        answers[0]
    )


def test_nothing_is_simplified_away(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "dead.txt"
    path.write_text("base a float64 4\ncopy a 1.0  # dies unread\n\n# nothing\ncopy a 2.0\ndel a\n")
    answer = json.loads(run(capsys, str(path), "--algorithm", "singleton", "--json"))
    assert answer["blocks"] == [[0], [1], [2]]
    assert answer["cost"] == 64


def test_an_empty_program(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "empty.txt"
    path.write_text("")
    for name in wsp.partitioners():
        answer = json.loads(run(capsys, str(path), "--algorithm", name, "--json"))
        assert (answer["cost"], answer["blocks"]) == (0, [])
    run(capsys, str(path), "--algorithm", "all")
    run(capsys, str(path), "--svg", str(tmp_path / "empty.svg"))


def test_time_limit_zero_is_the_best_legal_answer(
    capsys: pytest.CaptureFixture[str], fig3: str
) -> None:
    for name in wsp.partitioners():
        words = ["--algorithm", name, "--time-limit", "0", "--json", "--unit", "elements"]
        answer = json.loads(run(capsys, fig3, *words))
        assert debug.cost(FIG3, answer["blocks"], unit="elements") == answer["cost"] <= 94
        assert 0 <= answer["bound"] <= answer["cost"]


COMBINATORS = """
    input is 16
    input xs 1000
    as = map xs
    bs = gather is as
    return bs
"""


def test_combinators(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    pytest.importorskip("highspy", reason="highspy is not installed (extra `test` has it)")
    path = tmp_path / "simple1.txt"
    path.write_text(COMBINATORS)
    said = run(capsys, str(path), "--cost-model", "bytes").splitlines()
    assert said[0].startswith("ilp, bytes: cost 8256, 1 blocks, optimal (proven), ")
    assert said[1:] == [
        "block 0: [xs:2, is:0 | bs:0]",
        "    as:2 = map xs:2",
        "    bs:0 = gather is:0 as:2",
    ]
    for name in ("exhaustive", "ilp", "greedy-top-down"):
        words = [str(path), "--algorithm", name, "--cost-model", "traffic", "--json"]
        answer = json.loads(run(capsys, *words))
        assert list(answer) == ["cost", "blocks", "optimal", "bound", "seconds"]
        assert (answer["cost"], answer["blocks"]) == (3, [["as", "bs"]])
        assert answer["optimal"] == (name != "greedy-top-down")
    table = run(capsys, str(path), "--algorithm", "all").splitlines()
    assert table[0].split() == ["cost", *wsp.costs.COSTS]
    assert table[-2].split()[:3] == ["ilp", "1*", "0*"]


def test_ilp_of_instructions(capsys: pytest.CaptureFixture[str], fig3: str, tmp_path: Path) -> None:
    pytest.importorskip("highspy", reason="highspy is not installed (extra `test` has it)")
    picture = tmp_path / "fig3.svg"
    words = ["--algorithm", "ilp", "--unit", "elements", "--json", "--svg", str(picture)]
    answer = json.loads(run(capsys, fig3, *words))
    assert (answer["cost"], answer["bound"], answer["optimal"]) == (38, 38, True)
    assert debug.cost(FIG3, answer["blocks"], unit="elements") == 38
    assert ElementTree.parse(picture).getroot().tag == f"{SVG}svg"


BAD = {
    "combinators: no such partitioner": (
        COMBINATORS,
        ["--algorithm", "optimal"],
        "must be one of greedy-top-down, greedy-bottom-up, exhaustive, ilp",
    ),
    "combinators: no such cost": (COMBINATORS, ["--cost-model", "bohrium"], "unknown cost"),
    "combinators: a picture": (COMBINATORS, ["--svg", "out.svg"], "programs of instructions"),
    "combinators: unknown array": ("as = map xs\n", [], "line 1: unknown array 'xs'"),
    "ilp of machine": ("", ["--algorithm", "ilp", "--cost-model", "machine"], "integer program"),
    "no such opcode": ("frobnicate a\n", [], "unknown opcode 'frobnicate'"),
    "a view outside its base": (
        "base a float64 4\nadd a[2+(4:1)] a 1.0\n",
        [],
        "line 2: view 'a[2+(4:1)]' lies outside its base",
    ),
    "used after its del": ("base a float64 4\ndel a\ncopy a 1.0\n", [], "used after its del"),
    "overlapping output": (
        "base a float64 4\nadd a[1+(3:1)] a[0+(3:1)] 1.0\n",
        [],
        "an input overlaps an output",
    ),
    "unknown partitioner": ("", ["--algorithm", "best"], "must be one of singleton, linear"),
    "unknown model": ("", ["--cost-model", "cheap"], "must be one of bohrium, max_contract"),
    "unknown model of all": (
        "",
        ["--algorithm", "all", "--cost-model", "cheap"],
        "must be one of bohrium, max_contract",
    ),
    "unknown unit": ("", ["--unit", "miles"], "must be one of bytes, elements"),
    "unknown legality": ("", ["--legality", "none"], "must be one of full, paper"),
    "negative limit": ("", ["--time-limit", "-1"], "--time-limit must be a number of seconds"),
    "no limit": ("", ["--time-limit", "nan"], "--time-limit must be a number of seconds"),
    "endless limit": ("", ["--time-limit", "inf"], "--time-limit must be a number of seconds"),
    "a limit in words": ("", ["--time-limit", "soon"], "invalid float value: 'soon'"),
    "a picture of all": (
        "",
        ["--algorithm", "all", "--svg", "picture.svg"],
        "a picture shows one partition",
    ),
    "a folder": ("", ["--svg", "/"], "Is a directory: '/'"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input(case: str) -> None:
    text, words, message = BAD[case]
    command = [sys.executable, "-m", "hassium.wsp", "-", *words]
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stdout == ""
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_bad_files(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    binary = tmp_path / "binary"
    binary.write_bytes(bytes(range(256)))
    for name in (binary, tmp_path / "missing", tmp_path):
        assert wsp.main([str(name)]) == 2
        assert str(name) in capsys.readouterr().err


@pytest.mark.parametrize("algorithm", ["singleton", "optimal"])
def test_svg(capsys: pytest.CaptureFixture[str], fig3: str, tmp_path: Path, algorithm: str) -> None:
    path = tmp_path / "picture.svg"
    run(capsys, fig3, "--algorithm", algorithm, "--svg", str(path))
    answer = debug.partition(FIG3, algorithm, described=True)
    root = ElementTree.parse(path).getroot()
    assert len(root.findall(f"{SVG}rect")) == len(answer["blocks"])
    paths = [p.get("class") for p in root.findall(f"{SVG}path")]
    assert paths.count("forbidden") == len(answer["description"]["forbidden"]) > 0
    block_of = {i: k for k, block in enumerate(answer["blocks"]) for i in block}
    crossing = {(block_of[a], block_of[b]) for a, b in answer["description"]["dependencies"]}
    assert paths.count("dependency") == sum(a != b for a, b in crossing) > 0
    shown = [text.text for text in root.findall(f"{SVG}text")]
    for line in ("8: multiply T A B", "9: maximum D[1+(4:1)] T E[1+(4:1)]", "15: sync D"):
        assert line in shown
    if algorithm == "singleton":
        assert "reads: A B" in shown
        assert "writes: D[1+(4:1)]" in shown


def test_svg_boxes_do_not_overlap(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    for seed in range(20):
        text, path = tmp_path / "random.txt", tmp_path / "random.svg"
        text.write_text(random_program(seed, 20))
        run(capsys, str(text), "--algorithm", "linear", "--svg", str(path))
        boxes = [
            tuple(float(str(r.get(k))) for k in ("x", "y", "width", "height"))
            for r in ElementTree.parse(path).getroot().findall(f"{SVG}rect")
        ]
        for k, (x, y, w, h) in enumerate(boxes):
            for u, v, s, t in boxes[:k]:
                assert x + w <= u or u + s <= x or y + h <= v or v + t <= y


def test_dot(capsys: pytest.CaptureFixture[str], fig3: str, tmp_path: Path) -> None:
    path = tmp_path / "picture.dot"
    run(capsys, fig3, "--algorithm", "optimal", "--dot", str(path))
    answer = debug.partition(FIG3, "optimal", described=True)
    lines = path.read_text().splitlines()
    assert sum("subgraph cluster_" in line for line in lines) == len(answer["blocks"])
    assert sum("style=dashed" in line for line in lines) == len(answer["description"]["forbidden"])
    arrows = [line for line in lines if " -> " in line and "dashed" not in line]
    assert len(arrows) == len(answer["description"]["dependencies"])
    assert any('[label="8: multiply T A B"]' in line for line in lines)
    for names in filter(None, answer["description"]["contracted"]):
        assert f"contracted: {' '.join(names)}" in path.read_text()


def mutated(seed: int) -> str:
    """A program with a few words of other lines, or of none, in it; some still are programs."""
    chance = random.Random(seed)
    lines = chance.choice([FIG3, random_program(seed, 12)]).strip().splitlines()
    strange = [
        "",
        "[0+(4:1)]",
        "where=",
        "axis=7",
        "-1",
        "9223372036854775807",
        "\x00",
        "é",
        "input",
    ]
    for _ in range(chance.randint(1, 3)):
        at = chance.randrange(len(lines))
        words = lines[at].split() or [""]
        words[chance.randrange(len(words))] = chance.choice(strange + chance.choice(lines).split())
        lines[at] = " ".join(words)
    return "\n".join(lines)


def test_broken_programs_are_answered(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "broken.txt"
    statuses = []
    for seed in range(400):
        path.write_text(mutated(seed))
        names = wsp.partitioners()
        words = ["--algorithm", names[seed % len(names)], "--svg", str(tmp_path / "broken.svg")]
        statuses.append(wsp.main([str(path), *words, "--time-limit", "0.1"]))
        said = capsys.readouterr()
        if statuses[-1] == 2:
            assert said.out == ""
            assert said.err.startswith("python -m hassium.wsp: error: [program] line ")
    assert set(statuses) == {0, 2}
