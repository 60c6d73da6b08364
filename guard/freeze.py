"""Make compiled groups of the package's modules: two dozen imports cost a fifth of a Python start.

Run by the interpreter that will run the guard: `python3 -S guard/freeze.py FOLDER`. It writes
into FOLDER, all for this Python version alone (with another one the launcher falls back to `run.py`):

    guard.pyc                an ordinary compiled program: the loader and all that every call needs
    frozen/<module>.group    each other module together with what it alone imports
    guard/**/__pycache__     each module, for when a group is lost

The same sources and the same Python give the same bytes (before 3.11 only with PYTHONHASHSEED=0, which
orders sets), so that what lies on a disk can be compared with what should lie there.
"""

from __future__ import annotations

import ast
import importlib
import importlib.util
import marshal
import os
import sys
from importlib.machinery import PathFinder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import CodeType
    from typing import Any

    Group = tuple[
        tuple[str, bool, CodeType], ...
    ]  # name, is it a package, code; what is needed first

HOT = "guard.hook"
NOT_FROZEN = ("guard.run", "guard.freeze")
CHECKED = b"\3\0\0\0"
# Modules of a group are put in place without the import system, which takes longer than they do. And
# `from __future__ import annotations` would search the whole path for a module of no use at run time.
PROGRAM = """
import marshal, sys

HERE = __file__[:-9]  # without guard.pyc

class Frozen:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if name in NAMES:
            try:
                with open(f"{HERE}frozen/{name}.group", "rb") as file:
                    *needed, own = marshal.loads(file.read())
            except Exception:
                return None  # lost or damaged: the source beside it will do
            place(needed)
            Frozen.code = own[2]
            spec = type(sys.__spec__)(name, Frozen, is_package=own[1])
            if own[1]:
                spec.submodule_search_locations.append(HERE + name.replace(".", "/"))
            return spec

    @staticmethod
    def create_module(spec):
        return None

    @staticmethod
    def exec_module(module):
        exec(Frozen.code, module.__dict__)

def place(group):
    for name, is_package, code in group:
        if name in sys.modules:
            continue
        parent, _, own = name.rpartition(".")
        module = sys.modules[name] = type(sys)(name)
        module.__package__ = name if is_package else parent
        if is_package:
            module.__path__ = [HERE + name.replace(".", "/")]
        exec(code, module.__dict__)
        if parent:
            setattr(sys.modules[parent], own, module)

sys.modules["__future__"] = type(sys)("__future__")
sys.modules["__future__"].annotations = None
sys.meta_path.insert(0, Frozen)
try:
    place("HOT")
    sys.modules["guard.hook"].main(sys.argv[1:], HERE[:-1].rsplit("/", 2)[0])
except Exception:
    sys.exit(1)
"""


def freeze(package: str, folder: str) -> None:
    """Write the files into `folder`. They say nothing of the place where they will lie."""
    sources = dict(modules(package))
    codes = {name: _code(path) for name, path in sorted(sources.items())}
    groups = {
        name: tuple((one, sources[one].endswith("__init__.py"), codes[one]) for one in order)
        for name, order in orders(package, codes)
    }
    cold = [name for name in groups if name != HOT]
    frozen = os.path.join(folder, "frozen") + os.sep
    constants = f"NAMES = frozenset({tuple(cold)!r})\n"
    program = compile(constants + PROGRAM, "guard.pyc", "exec", dont_inherit=True, optimize=2)
    hot = tuple(groups[HOT] if value == "HOT" else value for value in program.co_consts)
    header = importlib.util.MAGIC_NUMBER + bytes(12)
    os.mkdir(frozen)
    _write(
        os.path.join(folder, "guard.pyc"), header + marshal.dumps(program.replace(co_consts=hot))
    )
    for name in cold:
        _write(f"{frozen}{name}.group", marshal.dumps(groups[name]))
    for name, path in sources.items():
        _cache(path, codes[name])


def modules(package: str) -> Iterator[tuple[str, str]]:
    """(dotted name, file) of everything the guard may import at run time."""
    parent = os.path.dirname(package)
    for folder, _, files in os.walk(package):
        for file in files:
            path = os.path.join(folder, file)
            name = os.path.relpath(path, parent)[: -len(".py")].replace(os.sep, ".")
            if file.endswith(".py") and name not in NOT_FROZEN:
                yield name[: -len(".__init__")] if file == "__init__.py" else name, path


def orders(package: str, codes: dict[str, CodeType]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield each group's name and its modules, in the order in which their imports complete."""
    completed: list[str] = []
    sys.path.insert(0, os.path.dirname(package))
    sys.meta_path.insert(0, _recorder(completed, codes))
    for name in (HOT, *codes):
        before = len(completed)
        importlib.import_module(name)
        brought = completed[before:]
        if brought:
            yield name, tuple(brought)
        for module in brought if name != HOT else ():  # the next one may need them too
            sys.modules.pop(module)
            completed.remove(module)


def _recorder(completed: list[str], codes: dict[str, CodeType]) -> Any:
    """Return a finder that executes the compiled code of our modules and notes when each is done."""

    class Recorder:
        @staticmethod
        def find_spec(name: str, path: Any = None, _target: Any = None) -> Any:
            spec: Any = PathFinder.find_spec(name, path) if name.startswith("guard") else None
            if spec:

                def exec_module(module: Any) -> None:
                    exec(codes[name], module.__dict__)  # noqa: S102  # our own sources
                    completed.append(name)

                spec.loader.exec_module = exec_module
            return spec

    return Recorder


def _code(path: str) -> CodeType:
    with open(path, "rb") as file:
        text = file.read()
    tree = Untyped().visit(ast.parse(text))
    return compile(tree, os.path.basename(path), "exec", dont_inherit=True, optimize=2)


class Untyped(ast.NodeTransformer):
    """Drop types: nothing reads them at run time, but each start would load and build them."""

    def visit_If(self, node: ast.If) -> ast.AST:
        if isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            return ast.copy_location(ast.Pass(), node)
        return self.generic_visit(node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.returns = None
        return self.generic_visit(node)

    def visit_arg(self, node: ast.arg) -> ast.AST:
        node.annotation = None
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        self.generic_visit(node)
        if node.value is None:
            return ast.copy_location(ast.Pass(), node)
        return ast.copy_location(ast.Assign(targets=[node.target], value=node.value), node)


def _cache(path: str, code: CodeType) -> None:
    """Write Python's own cache of a module, valid for this source whatever the time stamps (PEP 552)."""
    with open(path, "rb") as file:
        digest = importlib.util.source_hash(file.read())
    cached = importlib.util.cache_from_source(path)
    os.makedirs(os.path.dirname(cached), exist_ok=True)
    with open(cached, "wb") as file:
        file.write(importlib.util.MAGIC_NUMBER + CHECKED + digest + marshal.dumps(code))


def _write(path: str, data: bytes) -> None:
    with open(path, "xb") as file:
        file.write(data)


if __name__ == "__main__":
    sys.dont_write_bytecode = True
    freeze(os.path.dirname(os.path.abspath(__file__)), *sys.argv[1:])
