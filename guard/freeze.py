"""Make one compiled file of the whole package: a dozen imports cost as much as 15 % of a Python start.

Run by the interpreter that will run the guard: `python3 -I -S guard/freeze.py OUTPUT FOLDER...`. The
output is an ordinary `.pyc` of that Python version. Modules stay apart and are loaded when first
imported; should the file not fit (another Python version), the launcher falls back to `run.py`.
"""

from __future__ import annotations

import importlib.util
import marshal
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

# `from __future__ import annotations` would search the whole path for a module of no use at run time.
PROGRAM = """
import marshal, sys

class Frozen:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if name in MODULES:
            return type(sys.__spec__)(name, Frozen, is_package=MODULES[name][0])

    @staticmethod
    def create_module(spec):
        return None

    @staticmethod
    def exec_module(module):
        exec(marshal.loads(MODULES[module.__name__][1]), module.__dict__)

sys.meta_path.insert(0, Frozen)
sys.modules["__future__"] = type(sys)("__future__")
sys.modules["__future__"].annotations = None
try:
    from guard.hook import main
    main(sys.argv[1:], FOLDER)
except Exception:
    sys.exit(1)
"""


def modules(package: str) -> Iterator[tuple[str, bool, str]]:
    """(dotted name, is it a package, file) of everything the guard may import at run time."""
    for folder, _, files in os.walk(package):
        for file in files:
            dotted = os.path.relpath(os.path.join(folder, file), os.path.dirname(package))
            name = dotted[:-3].replace(os.sep, ".")
            if file.endswith(".py") and file not in ("run.py", "freeze.py"):
                is_package = file == "__init__.py"
                yield name[: -len(".__init__")] if is_package else name, is_package, dotted


def freeze(package: str, folder: str) -> bytes:
    """The bytes of the `.pyc`; `folder` is where policy and state are found at run time."""
    frozen: dict[str, tuple[bool, bytes]] = {}
    for name, is_package, dotted in modules(package):
        with open(os.path.join(os.path.dirname(package), dotted), "rb") as file:
            code = compile(file.read(), dotted, "exec", dont_inherit=True, optimize=2)
        frozen[name] = (is_package, marshal.dumps(code))
    source = f"MODULES = {dict(sorted(frozen.items()))!r}\nFOLDER = {folder!r}\n{PROGRAM}"
    program = compile(source, "guard.pyc", "exec", dont_inherit=True, optimize=2)
    return importlib.util.MAGIC_NUMBER + bytes(12) + marshal.dumps(program)


if __name__ == "__main__":
    output, data_folder = sys.argv[1:]
    here = os.path.dirname(os.path.abspath(__file__))
    with open(output, "xb") as target:
        target.write(freeze(here, data_folder))
