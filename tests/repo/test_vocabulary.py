"""The field's words: names that were ours alone do not come back, and the glossary is in use."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from repo.tree import CPP_SUFFIXES, ROOT, files, name, without_comments

# Parts of identifiers, with what says the same in the field's words.
REPLACED = {
    "aside": "background_flush",
    "at_call_elements": "eager_elements",
    "cadence": "flush scheduler",
    "count_bins": "bincount",
    "deferred_reads": "lazy element reads",
    "draft": "lowering context",
    "drawer": "sampler",
    "fetch_ahead": "prefetch",
    "guest": "helper",
    "habit": "heuristic",
    "held_back": "pending_small",
    "likeness": "congruence",
    "lie_of": "operand_layout",
    "made_again": "rematerialize",
    "put_off": "defer_failed",
    "remake": "rematerialize",
    "rouse": "wake",
    "settle": "synchronize",
    "side_thread": "background_thread",
    "spare_divider": "newton_division",
    "translation": "offset_rebinding",
    "unframed": "frameless",
    "weigh": "estimate_traffic",
}
PART = re.compile(r"(?:^|_)(?:" + "|".join(REPLACED) + r")(?:_|$)")
# A name of two words is written together in types and constants.
TYPES = re.compile(
    "(?:" + "|".join("".join(map(str.title, w.split("_"))) for w in REPLACED) + ")(?![a-z])"
)
SOURCES = files("src", suffixes=CPP_SUFFIXES)
GLOSSARY = (ROOT / "docs/glossary.md").read_text()
TERMS = re.findall(r"^\| ([a-z][a-z -]+) \| ", GLOSSARY, re.M)[1:]
MOST_TERMS = 40


def replaced(identifiers: set[str]) -> list[str]:
    return sorted(word for word in identifiers if PART.search(word) or TYPES.search(word))


@pytest.mark.parametrize("path", SOURCES, ids=name)
def test_names_are_the_fields(path: Path) -> None:
    code = re.sub(r'"(?:[^"\\]|\\.)*"', "", without_comments(path.read_text()))
    assert replaced(set(re.findall(r"[A-Za-z_]\w*", code))) == []
    assert not PART.search(path.stem)


def test_settings_and_counters_are_the_fields() -> None:
    tables = [(ROOT / f"src/base/{table}.def").read_text() for table in ("settings", "counters")]
    names = set(re.findall(r"^HS_\w+\((\w+),", "\n".join(tables), re.M))
    assert names
    assert replaced(names) == []


def test_the_test_notices_a_name() -> None:
    assert replaced({"SideThread", "kLeastAside", "read_habit", "settled", "overdraft"}) == [
        "SideThread",
        "kLeastAside",
        "read_habit",
    ]


def test_the_glossary_is_short_and_sorted_by_topic() -> None:
    assert 0 < len(TERMS) <= MOST_TERMS
    assert len(set(TERMS)) == len(TERMS)


def test_every_term_of_the_glossary_is_used() -> None:
    pages = [path for path in ROOT.glob("docs/**/*.md") if path.name != "glossary.md"]
    text = " ".join(
        path.read_text().lower() for path in [*pages, *files("src", suffixes=CPP_SUFFIXES)]
    )
    words = re.sub(r"[\s/*]+", " ", text)
    missing = [term for term in TERMS if term not in words and term.replace("-", " ") not in words]
    assert missing == []
