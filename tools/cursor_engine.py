"""Cursor's own hook engine, out of its SDK, for tests: what loads hooks.json and runs the commands.

The SDK is proprietary: an exact version of it is installed into the git-ignored cache, and driven from a
copy in a scratch folder, in which two inner functions are made reachable. Nothing of it is kept here.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import NamedTuple

from tools import pip_engine

PACKAGE, VERSION = "cursor-sdk", "1.1.0"
FOLDER = pip_engine.CACHE / f"{PACKAGE}-{VERSION}"
BRIDGE = FOLDER / "cursor_sdk/_vendor/bridge"  # with a node of its own
BUNDLE = BRIDGE / "node_modules/@cursor/sdk/dist/cjs"
EXPOSED = (  # (file, pattern, replacement)
    (
        "index.js",
        r"module\.exports=(\w+)\}\)\(\);?\s*$",
        r"globalThis.load=i;module.exports=\1})();",
    ),
    (
        "804.js",
        r"function ([\w$]+)\(e=\{\}\)\{return\{createHooksRuntime:",
        r"globalThis.hooks=\1;\g<0>",
    ),
)


class Engine(NamedTuple):
    """`bundle` is the copy; `modules` is where it finds what it needs besides."""

    node: Path
    bundle: Path
    modules: Path


def installed() -> bool:
    return (BRIDGE / "bin/node").is_file() and (BUNDLE / "804.js").is_file()


def missing() -> str:
    """Why there is no engine, as a skip reason."""
    return f"{PACKAGE} {VERSION} is not in {FOLDER}: `make live` installs it"


def copy(folder: Path) -> Engine:
    """The engine in `folder`, ready to be driven; ValueError where it is not the known one."""
    bundle = folder / "engine"
    shutil.copytree(BUNDLE, bundle, ignore=shutil.ignore_patterns("*.d.ts", "*.map"))
    for name, pattern, replacement in EXPOSED:
        text, count = re.subn(pattern, replacement, (bundle / name).read_text("utf-8"))
        if count != 1:
            raise ValueError(f"{name} of {PACKAGE} {VERSION} is not what it was")
        (bundle / name).write_text(text, "utf-8")
    return Engine(BRIDGE / "bin/node", bundle, BRIDGE / "node_modules")


def install() -> int:
    return 0 if installed() else pip_engine.install(PACKAGE, FOLDER)
