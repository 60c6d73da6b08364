"""The real VS Code that `make live-vscode` runs: code-server's copy of it, Node 22, and Chromium.

npm brings the first two into the same cache as `tools/live_harnesses.py`; Chromium is the system's.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from tools.live_harnesses import NODE_22, Harness, binary, install

CODE_SERVER = Harness("code-server", "4.139.1", "code-server/lib/vscode/out/server-main.js")
INSIDE = "node_modules/code-server/lib/vscode"  # with dependencies of its own
RUNTIME = (
    "node_modules/@github/copilot-sdk-linux-x64"  # another harness's: 200 MB that are not used
)


def chromium() -> Path | None:
    found = shutil.which(os.environ.get("CHROMIUM", "chromium"))
    return Path(found) if found else None


def missing() -> str:
    """What is not there, as a skip reason; "" where nothing is."""
    if chromium() is None:
        return "there is no Chromium: `apt-get install --no-install-recommends chromium`"
    absent = [one.package for one in (CODE_SERVER, NODE_22) if binary(one) is None]
    return f"`make live-vscode` installs {', '.join(absent)}" if absent else ""


def main() -> int:
    for harness in (CODE_SERVER, NODE_22):
        if binary(harness) is None:
            print(f"installing {harness.package} {harness.version}", flush=True)
            install(harness)
    inside = CODE_SERVER.folder / INSIDE
    if not (inside / "node_modules").is_dir():
        command = ["npm", "install", "--omit=dev", "--ignore-scripts", "--no-audit", "--no-fund"]
        subprocess.run([*command, "--loglevel=error"], cwd=inside, check=True)
        shutil.rmtree(inside / RUNTIME, ignore_errors=True)
    print(missing() or "VS Code is ready.")
    return int(bool(missing()))


if __name__ == "__main__":
    sys.exit(main())
