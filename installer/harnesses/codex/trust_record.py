"""The record of trust in our own hooks, as one more edit of a file: never made unasked."""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from pathlib import Path

from ...documents import toml_document
from ...documents.toml_values import block
from ...documents.values import Created
from ...errors import Refusal
from ...launch_command import commands_for
from ...machine import Machine
from ...plan import Rewrite, Target
from .. import hook_file
from . import paths, trust
from .trust import Hook


def with_trust(machine: Machine, target: Target) -> tuple[Target, ...]:
    """The user's `config.toml` holds it, also for hooks of projects; it may be the same file."""
    config = paths.config_folder(machine) / paths.CONFIG
    if target.path == config:
        return (
            target._replace(install_entry=partial(_install_both, machine=machine, target=target)),
        )
    shape = paths.shape(machine, config)
    record = Target(
        paths.NAME,
        target.scope,
        config,
        install_entry=partial(_install_entry, machine=machine, target=target, shape=shape),
        remove_entry=partial(remove_entry, shape=shape, launcher=machine.launcher),
        snippet=lambda: _snippet(ours(machine, target)),
    )
    return target, record


def _install_both(data: bytes | None, machine: Machine, target: Target) -> Rewrite:
    entries = target.install_entry(data)
    hooks = _hooks(machine, target, entries.data)
    recorded = trust.record(entries.data, paths.shape(machine, target.path), hooks)
    return Rewrite(recorded.data, (*entries.created, *recorded.created))


def _install_entry(
    data: bytes | None, machine: Machine, target: Target, shape: hook_file.Shape
) -> Rewrite:
    return trust.record(data, shape, ours(machine, target))


def ours(machine: Machine, target: Target) -> tuple[Hook, ...]:
    """Our entries in a hooks file as it will be; none in one that cannot be wired."""
    with suppress(Refusal):
        try:
            data = target.path.read_bytes()
        except OSError:
            data = b""
        return _hooks(machine, target, target.install_entry(data).data)
    return ()


def _hooks(machine: Machine, target: Target, data: bytes | None) -> tuple[Hook, ...]:
    value = paths.shape(machine, target.path).parse(data or b"").value
    known = hashes(machine.launcher)
    return tuple(hook for hook in trust.hooks_in(value, target.path) if hook.hash in known)


def hashes(launcher: Path) -> frozenset[str]:
    """Those of our hooks, whatever their place and whichever release wrote them.

    By them we know the records that are about us.
    """
    handlers = [paths.handler(one) for one in commands_for(launcher, paths.NAME)]
    found = (trust.hash_of(event, None, one) for event in paths.BOUND for one in handlers)
    return frozenset(one for one in found if one)


def remove_entry(
    data: bytes | None, created: tuple[Created, ...], shape: hook_file.Shape, launcher: Path
) -> Rewrite:
    """Without the records about us; a `hooks.json` has none."""
    if shape.editor is not toml_document:
        return Rewrite(data)
    return trust.forget(data, created, shape, hashes(launcher))


def _snippet(hooks: tuple[Hook, ...]) -> str:
    tables = ((*trust.STATE, hook.key) for hook in hooks)
    blocks = (
        block(path, {"trusted_hash": hook.hash}, is_item=False, equals=" = ")
        for path, hook in zip(tables, hooks, strict=True)
    )
    return "\n".join("".join(line + "\n" for line in lines) for lines in blocks)
