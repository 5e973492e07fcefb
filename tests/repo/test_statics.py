"""Static variables of the extension are not initialised by code that may run Python.

Their initialisation has a guard, for which other threads wait. Python code lets other threads run;
where one of them forks, nobody in the child ever opens the guard.
"""

from __future__ import annotations

import re

from repo.tree import CPP_SUFFIXES, files, name, without_comments

INITIALISED = re.compile(r"\bstatic\b[^;(){}]*=\s*([^;]*)")
CALL = re.compile(r"\b(Py[A-Z]\w*|numpy_\w+|own|\w+_named)\(")
# They make nothing that the garbage collector follows, and import nothing.
HARMLESS = ("PyUnicode_InternFromString",)


def guarded(text: str) -> list[str]:
    initialisers = INITIALISED.findall(without_comments(text))
    return [
        value for value in initialisers if any(call not in HARMLESS for call in CALL.findall(value))
    ]


def test_initialisers_run_no_python() -> None:
    sources = files("src/bind", suffixes=CPP_SUFFIXES)
    assert sources
    found = {name(path): guarded(path.read_text()) for path in sources}
    assert {path: values for path, values in found.items() if values} == {}


def test_such_an_initialiser_is_seen() -> None:
    assert guarded('static PyObject* const one =\n    numpy_attribute("one");')
    assert guarded("static const auto two = [] { return PyDict_New(); }();")
    assert not guarded('static PyObject* const name = PyUnicode_InternFromString("name");')
    assert not guarded("static PyObject* kept = nullptr; kept = PyDict_New();")
