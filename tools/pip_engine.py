"""An engine that the maker of a harness ships in a wheel, installed by its hash in engines/."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
PINNED = Path(__file__).with_name("engines")  # a list of wheels, with hashes, for each package
CACHE = ROOT / ".cache/pip"


def install(package: str, folder: Path) -> int:
    """Complete or not at all; not every platform has a build of it. What it needs is in its list."""
    print(f"installing {folder.name}", flush=True)
    CACHE.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=CACHE, prefix=".unfinished-") as unfinished:
        target, wanted = Path(unfinished, "target"), PINNED / f"{package}.txt"
        command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps"]
        options = ["--only-binary", ":all:", "--require-hashes", "--target", str(target)]
        if subprocess.run([*command, *options, "-r", str(wanted)], check=False).returncode:
            print(f"pip could not install {folder.name}.", file=sys.stderr)
            return int(os.environ.get("RUNAWAY_REQUIRE_LIVE") == "1")
        shutil.rmtree(folder, ignore_errors=True)
        target.rename(folder)
    return 0
