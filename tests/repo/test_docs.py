"""Tables in the documents that must say what the sources say."""

from __future__ import annotations

import re

from repo.tree import ROOT

SETTING = re.compile(r'^HS_SETTING\((\w+), (\w+), (?:"(.*?)"|\w+), "(.*?)", "(.*?)"\)$', re.M)


def settings_rows() -> list[str]:
    """The rows that docs/settings.md must have, from src/base/settings.def."""
    rows = []
    for setting, kind, default, allowed, meaning in SETTING.findall(
        (ROOT / "src/base/settings.def").read_text()
    ):
        words = allowed.split()
        told = " to " if kind == "Integer" else ", "
        shown = told.join(f"`{word}`" for word in words)
        start = f"`{default}`" if default else "`0`, in debug builds `1`"
        variable = f"HASSIUM_{setting.upper()}"
        rows.append(f"| `{setting}` | `{variable}` | {start} | {shown} | {meaning} |")
    return rows


def test_testing_page_lists_every_folder() -> None:
    page = (ROOT / "docs/testing.md").read_text()
    folders = {path.name for path in (ROOT / "tests").iterdir() if any(path.glob("*test*"))}
    assert folders <= set(re.findall(r"^\| `tests/(\w+)` \|", page, re.M))


def test_settings_page() -> None:
    table = (ROOT / "src/base/settings.def").read_text()
    assert len(settings_rows()) == len(re.findall(r"^HS_SETTING", table, re.M))
    page = (ROOT / "docs/settings.md").read_text()
    assert re.findall(r"^\| `\w+` \| `HASSIUM_.*$", page, re.M) == settings_rows()


def test_counters_page() -> None:
    table = (ROOT / "src/base/counters.def").read_text()
    rows = re.findall(r'^HS_COUNTER\((\w+), (\w+), ([01]), "(.*)"\)$', table, re.M)
    assert len(rows) == len(re.findall(r"^HS_COUNTER", table, re.M))
    page = (ROOT / "docs/counters.md").read_text()
    shown = re.findall(r"^\| `\w+` \| (?:yes)? \| .*$", page, re.M)
    wanted = [
        f"| `{name}` | {'yes' if main == '1' else ''} | {meaning} |"
        for name, _, main, meaning in rows
    ]
    assert sorted(shown) == sorted(wanted)


def test_pages_name_files_that_exist() -> None:
    pages = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")]
    named = {
        found
        for page in pages
        for found in re.findall(
            r"`((?:src|tests|python|benchmarks|cmake)/[\w/.]+)`", page.read_text()
        )
    }
    assert sorted(path for path in named if not (ROOT / path.rstrip("/")).exists()) == []


def speed_ups() -> dict[str, dict[str, dict[str, float]]]:
    """What the tables of docs/performance.md say: by size, way and program; `mean` of them all."""
    page = (ROOT / "docs/performance.md").read_text()
    found: dict[str, dict[str, dict[str, float]]] = {}
    for size, table in re.findall(r"^### Size (\w+)\n(.*?)(?=^###|\Z)", page, re.M | re.S):
        ways = found.setdefault(size, {})
        rows = re.findall(r"^\| (\w+) \| ([\w ]+ thr) \|(?:[^|]*\|){2} ([\d.]+) \|", table, re.M)
        rows += [("mean", *row) for row in re.findall(r"^([\w ]+): speed-up ([\d.]+)", table, re.M)]
        for program, way, figure in rows:
            ways.setdefault(way.removesuffix(" 2 thr"), {})[program] = float(figure)
    return found


def test_comparison_page_has_the_figures_of_the_tables() -> None:
    page = (ROOT / "docs/comparison.md").read_text()
    for size, ways in speed_ups().items():
        shown = re.search(rf"^\| speed-up, size {size} \|([\d.| ]+)\|", page, re.M)
        assert shown is not None
        means = [ways[way]["mean"] for way in ("2 thr", "numba", "jax", "numexpr")]
        assert [float(figure) for figure in shown.group(1).split("|")] == means
    medium = speed_ups()["medium"]
    faster = [name for name, by in medium["numba"].items() if by > medium["2 thr"][name]]
    assert len(faster) == 3
    assert f"in medium size on {faster[0]}, {faster[1]} and {faster[2]}." in " ".join(page.split())
