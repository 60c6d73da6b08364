"""An engine that the maker of a harness ships in a wheel, installed by its hash in engines.txt."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
PINNED = Path(__file__).with_name("engines.txt")
CACHE = ROOT / ".cache/pip"


def install(package: str, folder: Path) -> int:
    """Complete or not at all; not every platform has a build of it. Nothing it depends on is needed."""
    print(f"installing {folder.name}", flush=True)
    CACHE.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=CACHE, prefix=".unfinished-") as unfinished:
        target, wanted = Path(unfinished, "target"), Path(unfinished, "wanted.txt")
        wanted.write_text(_pinned(package), encoding="utf-8")
        command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-compile"]
        options = ["--only-binary", ":all:", "--require-hashes", "--target", str(target)]
        if subprocess.run([*command, *options, "-r", str(wanted)], check=False).returncode:
            print(f"pip could not install {folder.name}.", file=sys.stderr)
            return int(os.environ.get("RUNAWAY_REQUIRE_LIVE") == "1")
        shutil.rmtree(folder, ignore_errors=True)
        target.rename(folder)
    return 0


def _pinned(package: str) -> str:
    """The lines of this package."""
    entries = PINNED.read_text(encoding="utf-8").replace("\\\n", " ").splitlines()
    return next(entry for entry in entries if entry.startswith(f"{package}=="))
