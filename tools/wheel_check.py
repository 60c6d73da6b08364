"""Try the built wheel as a user gets it: alone in a clean environment, and beside Poetry.

`python -m tools.wheel_check dist/*.whl`. A wheel can lack a folder that the editable install has,
and a top-level package named `installer` would break Poetry without pip noticing.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import tempfile
import venv
import zipfile
from pathlib import Path, PurePosixPath

MANUAL = "share/man/man1/runaway.1"
ROOT = Path(__file__).parents[1]
REQUIREMENTS = ROOT / "requirements"
# Programs, not modules: importing one runs the guard and ends the process.
PROGRAMS = {"runaway.guard.run"}

BYSTANDER = """\
[build-system]
requires = ["setuptools"]
build-backend = "setuptools.build_meta"
[project]
name = "bystander"
version = "1"
[tool.setuptools]
py-modules = ["bystander"]
"""
POETRY_PROJECT = """\
[project]
name = "beside"
version = "1"
requires-python = ">=3.11"
dependencies = ["bystander @ {wheel}"]
[tool.poetry]
package-mode = false
"""


class Failed(Exception):
    """What is wrong with the wheel, as one sentence."""


def run(*command: str | Path, cwd: Path) -> str:
    """Standard output of a command that must succeed, away from the source folders."""
    environment = {k: v for k, v in os.environ.items() if k not in {"PYTHONPATH", "VIRTUAL_ENV"}}
    environment |= {f"POETRY_{kind}_DIR": str(cwd / kind) for kind in ("CONFIG", "DATA", "CACHE")}
    environment |= {"POETRY_VIRTUALENVS_IN_PROJECT": "true", "POETRY_NO_INTERACTION": "1"}
    done = subprocess.run(
        command, cwd=cwd, env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode:
        shown = shlex.join(map(str, command))
        raise Failed(f"`{shown}` ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout


def files_in(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as archive:
        names = {re.sub(r"^[^/]+\.data/data/", "", name) for name in archive.namelist()}
    return {name for name in names if ".dist-info/" not in name}


def files_in_source() -> set[str]:
    found = (path for top in ("guard", "installer") for path in (ROOT / top).rglob("*"))
    names = {f"runaway/{path.relative_to(ROOT).as_posix()}" for path in found if path.is_file()}
    return {name for name in names if "/__pycache__/" not in name} | {MANUAL}


def check_files(wheel: Path) -> str:
    wheeled, source = files_in(wheel), files_in_source()
    if wheeled != source:
        lacks, strange = sorted(source - wheeled), sorted(wheeled - source)
        raise Failed(f"the wheel lacks {lacks} and has the unexpected {strange}")
    return f"all {len(wheeled)} files of guard/ and installer/, and nothing else"


def environment(folder: Path, requirements: str, wheel: Path) -> Path:
    """The `bin` of a new environment with the hashed requirements and the wheel."""
    venv.create(folder, with_pip=True)
    binaries = folder / ("Scripts" if os.name == "nt" else "bin")
    pip = (binaries / "python", "-m", "pip", "--quiet", "install")
    run(*pip, "--require-hashes", "-r", REQUIREMENTS / requirements, cwd=folder)
    run(*pip, "--no-deps", "--no-index", wheel, cwd=folder)
    run(binaries / "python", "-m", "pip", "check", cwd=folder)
    return binaries


def modules_in(wheel: Path) -> list[str]:
    files = (PurePosixPath(name) for name in files_in(wheel) if name.endswith(".py"))
    dotted = {".".join(path.with_suffix("").parts).removesuffix(".__init__") for path in files}
    return sorted(dotted - PROGRAMS)


def check_alone(wheel: Path, scratch: Path) -> str:
    binaries = environment(scratch / "alone", "runtime.txt", wheel)
    modules = modules_in(wheel)
    every = scratch / "every_module.py"
    every.write_text("".join(f"import {name}\n" for name in modules))
    run(binaries / "python", "-I", "-W", "error", every, cwd=scratch)
    said, version = run(binaries / "runaway", "--version", cwd=scratch), wheel.name.split("-")[1]
    if version not in said:
        raise Failed(f"`runaway --version` said {said!r} and not {version}")
    run(binaries / "runaway", "demo", cwd=scratch)
    return f"{len(modules)} modules import, --version says {said.strip()!r}, the demo passes"


def bystander_wheel(scratch: Path) -> Path:
    project = scratch / "bystander"
    project.mkdir()
    (project / "pyproject.toml").write_text(BYSTANDER)
    (project / "bystander.py").write_text("")
    run(sys.executable, "-m", "build", "--no-isolation", "--wheel", project, cwd=scratch)
    return next((project / "dist").glob("*.whl"))


def check_beside_poetry(wheel: Path, scratch: Path) -> str:
    """Poetry installs a wheel with the package `installer` that ours must not shadow."""
    poetry = environment(scratch / "poetry", "beside-poetry.txt", wheel) / "poetry"
    project = scratch / "project"
    project.mkdir()
    pyproject = POETRY_PROJECT.format(wheel=bystander_wheel(scratch).as_uri())
    (project / "pyproject.toml").write_text(pyproject)
    version = run(poetry, "--version", cwd=project)
    run(poetry, "check", cwd=project)
    run(poetry, "install", cwd=project)
    run(poetry, "run", "python", "-c", "import bystander", cwd=project)
    return f"{version.strip()} still checks a project and installs its wheel"


def main(wheel: Path) -> int:
    with tempfile.TemporaryDirectory(prefix="runaway-wheel-") as folder:
        try:
            print("wheel:", check_files(wheel), flush=True)
            print("wheel:", check_alone(wheel, Path(folder)), flush=True)
            print("wheel:", check_beside_poetry(wheel, Path(folder)), flush=True)
        except Failed as failure:
            print("wheel:", failure, file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).resolve()))
