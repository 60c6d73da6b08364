"""What the wheel holds and what it needs: lists that are kept by hand and must not drift apart."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
REQUIREMENTS = ROOT / "requirements"
COMPILED = sorted(REQUIREMENTS.glob("*.txt"))
PIN = re.compile(r"^([a-z0-9-]+)==(\S+)", re.MULTILINE)


def pyproject() -> dict[str, Any]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text())


def pins(file: Path) -> dict[str, str]:
    return dict(PIN.findall(file.read_text()))


def test_every_folder_with_modules_is_a_listed_package() -> None:
    files = (file for top in ("guard", "installer") for file in (ROOT / top).rglob("*.py"))
    folders = {".".join(("runaway", *file.parent.relative_to(ROOT).parts)) for file in files}
    assert pyproject()["tool"]["setuptools"]["packages"] == sorted(folders)


def test_every_listed_package_has_an_init() -> None:
    for package in pyproject()["tool"]["setuptools"]["packages"]:
        assert (ROOT.joinpath(*package.split(".")[1:]) / "__init__.py").is_file(), package


def test_the_tried_versions_are_the_lower_bounds() -> None:
    bounds = (re.split(">=|,", need)[:2] for need in pyproject()["project"]["dependencies"])
    assert dict(bounds) == pins(REQUIREMENTS / "runtime.in")


@pytest.mark.parametrize("compiled", COMPILED, ids=lambda file: file.stem)
def test_compiled_requirements_hold_the_asked_versions(compiled: Path) -> None:
    asked = pins(compiled.with_suffix(".in"))
    assert asked.items() <= pins(compiled).items()
    assert pins(REQUIREMENTS / "runtime.txt").items() <= pins(compiled).items()


HASHED = [*COMPILED, *sorted(ROOT.glob("tools/engines/*.txt"))]


@pytest.mark.parametrize("compiled", HASHED, ids=lambda file: file.stem)
def test_every_requirement_is_hashed_and_none_names_a_place(compiled: Path) -> None:
    requirements = compiled.read_text().replace("\\\n", " ").splitlines()
    assert requirements
    for requirement in requirements:
        assert re.match(r"^[a-z0-9-]+==\S+ .*--hash=sha256:", requirement)
        assert "://" not in requirement
