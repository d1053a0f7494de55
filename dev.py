"""Everything a contributor runs, with its own set-up: ``python3 dev.py COMMAND [ARGUMENTS]``.

It needs Python 3.11 and pip, nothing else. It keeps a virtual environment in ``.venv`` (or where
``PIHOST_DEV_VENV`` says) and installs into it what the command needs, once for each state of pyproject.toml.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent
VENV = Path(os.environ.get("PIHOST_DEV_VENV") or ROOT / ".venv").absolute()
PLUGINS = sorted(path.parent for path in ROOT.glob("plugins/*/pyproject.toml"))
QUIET_PIP = {"PIP_DISABLE_PIP_VERSION_CHECK": "1", "PIP_NO_INPUT": "1", "PIP_PROGRESS_BAR": "off"}
BIN = "Scripts" if os.name == "nt" else "bin"


def program(name: str, environment: Path = VENV) -> str:
    """Path of a program of an environment."""
    return str(environment / BIN / name)


def call(*command: str, cwd: Path = ROOT, **env: str) -> int:
    """Run a command and give its exit code."""
    return subprocess.call(command, cwd=cwd, env={**os.environ, **QUIET_PIP, **env})


def must(*command: str, cwd: Path = ROOT) -> None:
    """Run a command; its failure ends this program with the same exit code."""
    code = call(*command, cwd=cwd)
    if code:
        print(f"dev.py: {' '.join(command)} failed with exit code {code}", file=sys.stderr)
        raise SystemExit(code)


def ensure(extras: str) -> None:
    """Make the environment hold pihost, editable, with these extras."""
    wanted = hashlib.sha256((ROOT / "pyproject.toml").read_bytes() + sys.version.encode()).hexdigest()
    stamp = VENV / f"pihost-{extras}.stamp"
    if stamp.exists() and stamp.read_text() == wanted:
        return
    print(f"dev.py: setting up {VENV.name} (once) …", file=sys.stderr)
    if not Path(program("python")).exists():
        venv.create(VENV, with_pip=True)
    # Compiled is what is imported, when it is: of most that is installed here that is little.
    must(program("python"), "-m", "pip", "install", "-q", "--no-compile", "-e", f".[{extras}]")
    stamp.write_text(wanted)


def environment_over(below: Path, environment: Path) -> None:
    """Make an environment that has the dependencies of another: what is installed into it is found first."""
    venv.create(environment, with_pip=False)
    for site in environment.glob("lib/python*/site-packages"):
        (found,) = below.glob("lib/python*/site-packages")
        (site / "below.pth").write_text(f"{found}\n")


def run(arguments: list[str]) -> int:
    """The main job: pihost itself, in the caller's directory."""
    ensure("tui")
    # The program, since `python -m` would import a package of that name from the caller's directory.
    return call(program("pihost"), *arguments, cwd=Path.cwd())


def test(arguments: list[str]) -> int:
    """The default test suite, or what the arguments say."""
    ensure("test,tui")
    # Each worker takes whole files, whose tests share what is costly to set up. There is one more than there
    # are cores: many tests wait for programs that they started.
    everything = ["-n", str((os.cpu_count() or 1) + 1), "--dist", "loadfile"]
    # Without bytecode each of the many programs that tests start would compile all of pihost anew.
    return call(program("python"), "-m", "pytest", *(arguments or everything), PYTHONDONTWRITEBYTECODE="")


def check(_arguments: list[str]) -> int:
    """Lint, format, types and the import contract; every one runs, the first failure is the exit code."""
    ensure("test,tui")
    codes = [
        call(program("ruff"), "check", "."),
        call(program("ruff"), "format", "--check", "."),
        call(program("mypy")),
        *(
            call(program("mypy"), "-p", package_of(plugin), MYPYPATH=str(plugin / "src"))
            for plugin in PLUGINS
        ),
        call(program("lint-imports")),
    ]
    return next(filter(None, codes), 0)


def package_of(plugin: Path) -> str:
    """Name of the package that a plugin's distribution holds."""
    return next(path.parent.name for path in sorted(plugin.glob("src/*/__init__.py")))


def bench(arguments: list[str]) -> int:
    """The benchmarks: each prints its own figures beside the floor's."""
    return test(["tests/benchmarks", "-s", *arguments])


def soak(arguments: list[str]) -> int:
    """The long runs: kills, floods, fuzzing."""
    return test(["-m", "soak", "--timeout=3600", *arguments])


def coverage(arguments: list[str]) -> int:
    """The default test suite, with the lines and branches that it does not reach."""
    return test(["--cov", "--cov-report=term", *arguments])


def wheel_test(arguments: list[str]) -> int:
    """The end-to-end tests on what is shipped: the wheels, in another environment, from another folder."""
    ensure("test,tui")
    with tempfile.TemporaryDirectory(prefix="pihost-wheel-test-") as folder:
        there = Path(folder)
        for project in (ROOT, *PLUGINS):
            must(
                program("python"),
                "-m",
                "build",
                "-q",
                "--wheel",
                "--no-isolation",
                "--outdir",
                folder,
                str(project),
            )
        environment = there / "env"
        wheels = sorted(map(str, there.glob("*.whl")))
        environment_over(VENV, environment)
        pip = [program("python"), "-m", "pip", "--python", program("python", environment), "install"]
        must(*pip, "-q", "--no-index", "--no-deps", "--ignore-installed", *wheels)
        tests = there / "tests" / "e2e"
        shutil.copytree(ROOT / "tests" / "e2e", tests)
        shutil.copytree(ROOT / "docs", there / "docs")
        options = [
            "--rootdir",
            folder,
            "-p",
            "no:cacheprovider",
            "-n",
            "auto",
            "--dist",
            "loadfile",
            "-o",
            "markers=installs",
            "-o",
            "asyncio_mode=auto",
            "-o",
            "asyncio_default_fixture_loop_scope=function",
            "--import-mode=importlib",
        ]
        return call(
            program("python", environment),
            "-m",
            "pytest",
            *options,
            str(tests),
            *arguments,
            cwd=there,
            PATH=os.pathsep.join([str(VENV / BIN), os.environ.get("PATH", os.defpath)]),  # uv is there
            PIHOST_E2E_WHEEL=str(next(there.glob("pihost-*.whl"))),
        )


def docs(_arguments: list[str]) -> int:
    """Write the files that are made of the code."""
    ensure("test,tui")
    return call(program("python"), "-m", "generators")


COMMANDS = {
    "run": run,
    "test": test,
    "check": check,
    "bench": bench,
    "soak": soak,
    "coverage": coverage,
    "wheel-test": wheel_test,
    "docs": docs,
}


def main() -> int:
    """Run the command named first, with the rest as its arguments."""
    if sys.version_info < (3, 11):  # noqa: UP036 -- whoever has an older one is told so
        print("dev.py needs Python 3.11 or newer", file=sys.stderr)
        return 2
    name, *arguments = sys.argv[1:] or [""]
    if name not in COMMANDS:
        print(f"usage: python3 dev.py {{{'|'.join(COMMANDS)}}} [arguments]", file=sys.stderr)
        return 2
    return COMMANDS[name](arguments)


if __name__ == "__main__":
    raise SystemExit(main())
