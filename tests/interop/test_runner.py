"""``python -m hassium`` is Python: what a program sees, prints and returns is the same."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import hassium
from hassium import _core, _launch

SCRIPT = """
import pickle, sys
class Point:
    pass
print(__file__, sys.argv, __name__, __spec__ and __spec__.name, sys.path[0], sys.flags.optimize)
print(sys.modules["__main__"].Point is Point, type(pickle.loads(pickle.dumps(Point()))) is Point)
print([path for path in sys.path if "hassium" in path and "startup" in path])
exec(sys.argv[1])
"""
BROKEN = "import not_there\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("programs")
    (folder / "script.py").write_text(SCRIPT)
    (folder / "broken.py").write_text(BROKEN)
    package = folder / "package"
    package.mkdir()
    (package / "__main__.py").write_text(SCRIPT.replace("__file__, ", ""))
    return folder


def run(
    folder: Path, *words: str, options: tuple[str, ...] = (), text: str = ""
) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, *options, *words]
    # The package may have been found by a path relative to another folder.
    variables = os.environ | {"PYTHONPATH": str(Path(hassium.__file__).parents[1])}
    return subprocess.run(
        command,
        cwd=folder,
        env=variables,
        input=text,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


PROGRAMS: dict[str, tuple[str, ...]] = {
    "a script": ("script.py", "0", "--help"),
    "a folder": ("package", "0"),
    "a module": ("-m", "package", "0"),
    "a text": ("-c", "import sys; print(sys.argv, __name__, sys.path[0])", "-m", "hassium"),
    "a status": ("script.py", "sys.exit(3)"),
    "a status that is a text": ("script.py", "sys.exit('why')"),
    "a status that is an array": ("script.py", "import numpy as np\nsys.exit(np.arange(3))"),
    "no status": ("script.py", "sys.exit(None)"),
    "an error": ("script.py", "1 / 0"),
    "an error in a module": ("script.py", "import broken"),
    "an error by name": ("script.py", "__import__('importlib').import_module('broken')"),
    "an interrupt": ("script.py", "import os, signal; os.kill(os.getpid(), signal.SIGINT)"),
    "a signal": ("script.py", "import os, signal; os.kill(os.getpid(), signal.SIGTERM)"),
    "no such file": ("missing.py",),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_run_as_by_python(name: str, folder: Path) -> None:
    words, options = PROGRAMS[name], ("-O", "-Wignore")
    theirs = run(folder, *words, options=options)
    ours = run(folder, "-m", "hassium", *words, options=options)
    assert ours.stdout == theirs.stdout
    assert ours.stderr == theirs.stderr
    assert ours.returncode == theirs.returncode


NAME = "import numpy as np; print(np.__name__)"
BY_NAME = "import importlib; print(importlib.import_module('numpy').__name__)"
MEANT: dict[str, tuple[tuple[str, ...], str]] = {
    "a text": (("-c", NAME), ""),
    "standard input": (("-",), NAME),
    "a prompt": (("-i",), NAME),
    "exec": (("-c", f"exec({NAME!r}, {{}})"), ""),
    "import_module": (
        ("-c", "import importlib as i; print(i.import_module('numpy').__name__)"),
        "",
    ),
    "the function": (("-c", "print(__import__('numpy').__name__)"), ""),
    "timeit": (("-m", "timeit", "-n1", "-r1", "-s", NAME), ""),
    "timeit in a script": (("-c", f"import timeit; timeit.timeit('', {NAME!r}, number=1)"), ""),
    "a profile": (("-m", "cProfile", "named.py"), ""),
    "a child": (
        ("-c", f"import subprocess, sys; subprocess.run([sys.executable, '-c', {NAME!r}])"),
        "",
    ),
}


@pytest.mark.parametrize("name", MEANT)
def test_what_numpy_means(name: str, folder: Path) -> None:
    (folder / "named.py").write_text(NAME)
    words, text = MEANT[name]
    done = run(folder, "-m", "hassium", *words, text=text + "\n")
    assert done.stdout.split()[0] == "hassium", done.stderr


def test_children_may_be_plain(folder: Path) -> None:
    child = f"subprocess.run([sys.executable, '-c', {NAME!r}])"
    text = (
        "import subprocess, sys, numpy as np\n"
        f"np.config(children=False); {child}\n"
        f"np.config(children=True); {child}\n"
    )
    done = run(folder, "-m", "hassium", "-c", text)
    assert done.stdout.split() == ["numpy", "hassium"]


def test_the_environments_own_customization_runs(folder: Path) -> None:
    own = folder / "own"
    own.mkdir()
    (own / "sitecustomize.py").write_text("import sys; sys.customized = True\n")
    text = f"import sys; {NAME}; print(sys.customized)"
    script = f"import os; os.environ['PYTHONPATH'] += os.pathsep + {str(own)!r}\n"
    child = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {text!r}])"
    done = run(folder, "-m", "hassium", "-c", script + child)
    assert done.stdout.split() == ["hassium", "True"], done.stderr


def test_a_python_without_the_environment_is_refused(folder: Path) -> None:
    text = f"import sys; sys.path.insert(0, {str(Path(hassium.__file__).parents[1])!r})\n"
    text += "from hassium import _launch; _launch.become([], ['-c', ''])"
    done = run(folder, "-c", text, options=("-E",))
    assert done.returncode == 1
    assert "PYTHONPATH" in done.stderr


@pytest.mark.parametrize("before", [None, "", "a", f"{os.pathsep}a"])
def test_what_children_inherit(before: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PYTHONPATH", raising=False)
    if before is not None:
        monkeypatch.setenv("PYTHONPATH", before)
    for _ in range(2):
        _launch.set_inherited(True)
    inherited = os.environ["PYTHONPATH"].split(os.pathsep)
    assert inherited == [_launch.STARTUP, *(before.split(os.pathsep) if before else [])]
    _launch.set_inherited(False)
    assert os.environ.get("PYTHONPATH") == (before or None)


def test_how_the_command_is_split() -> None:
    for command, options in (
        (["-m", "hassium", "-m", "hassium"], []),
        (["-W", "error", "-m", "hassium", "a", "b"], ["-W", "error"]),
        (["-Bm", "hassium", "a", "b"], ["-B"]),
        (["-Bmhassium", "a", "b"], ["-B"]),
        (["-mhassium", "a", "b"], []),
    ):
        assert _launch.split_command(command, 2) == (options, command[-2:])
    for command in (["-m", "hassium.wsp", "a"], ["script.py", "a"], ["-m", "pytest", "hassium"]):
        assert _launch.split_command(command, 1) is None


def test_what_is_said_of_the_installation(folder: Path) -> None:
    done = run(folder, "-m", "hassium", "--info")
    facts = dict(line.split(":", 1) for line in done.stdout.splitlines())
    assert {"hassium", "NumPy", "Python", "SIMD level", "threads", "settings changed", "cache"} <= (
        facts.keys()
    )
    assert facts["SIMD level"].strip() == _core.simd_level()
    assert run(folder, "-m", "hassium", "--version").stdout == f"hassium {_core.__version__}\n"


START = (
    "import os, subprocess, sys; environment = dict(os.environ); del environment['PYTHONPATH']\n"
)
STARTED: dict[str, tuple[str, str | None]] = {
    "as it is": ("subprocess.run([sys.executable, '-c', ''])", None),
    "with options": (
        "subprocess.run([sys.executable, '-X', 'utf8', '-OWerror', '-c', '0', '-I'])",
        None,
    ),
    "another program": ("subprocess.run(['true', '-I'], env={})", None),
    "isolated": ("subprocess.run([sys.executable, '-I', '-c', ''])", "-I"),
    "options in one word": ("subprocess.run([sys.executable, '-OEc', ''])", "-E"),
    "without site": ("subprocess.run(f'{sys.executable} -X utf8 -S -c 0', shell=True)", "-S"),
    "by the system": ("os.system(f'{sys.executable} -I -c 0')", "-I"),
    "by exec": ("os.execv(sys.executable, [sys.executable, '-I', '-c', ''])", "-I"),
    "by spawn": ("os.spawnv(os.P_WAIT, sys.executable, [sys.executable, '-I', '-c', ''])", "-I"),
    "its own environment": (
        "subprocess.run([sys.executable, '-c', ''], env=environment)",
        "PYTHONPATH",
    ),
    "no environment": ("subprocess.Popen([sys.executable, '-c', ''], env={}).wait()", "PYTHONPATH"),
    "a variable that is gone": (
        "del os.environ['PYTHONPATH']; subprocess.run([sys.executable, '-c', ''])",
        "PYTHONPATH",
    ),
    "plain by choice": (
        "import numpy as np; np.config(children=False);subprocess.run([sys.executable, '-c', ''])",
        None,
    ),
}


SCRIPTS: dict[str, tuple[str, str | None]] = {
    "as it is": (sys.executable, None),
    "isolated": (f"{sys.executable} -I", "-I"),
    "found by env": ("/usr/bin/env python3", None),
    "found by env, isolated": ("/usr/bin/env -S python3 -X utf8 -Es", "-E"),
    "of another program": ("/bin/cat -E", None),
}


@pytest.mark.parametrize("how", ["subprocess.run({!r})", "os.system({!r})"])
@pytest.mark.parametrize("name", SCRIPTS)
def test_scripts_of_pythons_that_stay_plain_are_told_of(name: str, how: str, folder: Path) -> None:
    first, lack = SCRIPTS[name]
    script = folder / "script"
    script.write_text(f"#!{first}\n")
    script.chmod(0o755)
    (folder / "start.py").write_text(START + how.format(str(script)))
    done = run(folder, "-m", "hassium", "start.py")
    assert done.returncode == 0
    assert done.stderr.count("RuntimeWarning") == (lack is not None)
    if lack is not None:
        assert f"start.py:2: RuntimeWarning: {script} is started with {lack}" in done.stderr


@pytest.mark.parametrize("name", STARTED)
def test_pythons_that_stay_plain_are_told_of(name: str, folder: Path) -> None:
    text, lack = STARTED[name]
    (folder / "start.py").write_text(START + text)
    done = run(folder, "-m", "hassium", "start.py")
    if lack is None:
        assert done.stderr == ""
    else:
        assert "start.py:2: RuntimeWarning: " in done.stderr
        assert lack in done.stderr
        assert done.stderr.count("RuntimeWarning") == 1
    assert done.returncode == 0


def test_a_package_of_symbolic_links_is_installed(folder: Path) -> None:
    """Some installers link each file of a package to where they keep it."""
    links = folder / "links" / "hassium"
    links.mkdir(parents=True)
    for entry in Path(hassium.__file__).parent.iterdir():
        (links / entry.name).symlink_to(entry)
    program = "import numpy.matlib; print(numpy.__file__)"
    done = subprocess.run(
        [sys.executable, "-m", "hassium", "-c", program],
        env=os.environ | {"PYTHONPATH": str(links.parent)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.stdout.splitlines() == [str(links / "__init__.py")], done.stderr
