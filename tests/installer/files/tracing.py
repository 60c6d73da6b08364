"""Kills a child at the n-th system call it makes, by ptrace(2): no call is missed or hit twice."""

from __future__ import annotations

import ctypes
import os
import signal
from collections.abc import Callable

import pytest

_TRACEME, _SYSCALL, _SETOPTIONS = 0, 24, 0x4200
_EXITKILL = 0x100000


def killed_at(number: int, run: Callable[[], object]) -> bool:
    """Runs `run` in a forked child; False if it ended by itself before its `number`-th call."""
    child = os.fork()
    if child == 0:
        _be_traced(run)
    _, status = os.waitpid(child, 0)
    if os.WIFEXITED(status):
        pytest.skip("this system does not let a process trace its child")
    _ptrace(_SETOPTIONS, child, _EXITKILL)
    for _ in range(2 * number - 1):  # a stop where a call is entered, another where it returns
        _ptrace(_SYSCALL, child)
        _, status = os.waitpid(child, 0)
        if os.WIFEXITED(status):
            assert os.WEXITSTATUS(status) == 0
            return False
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return True


def _be_traced(run: Callable[[], object]) -> None:
    try:
        if _ptrace(_TRACEME) == 0:
            os.kill(os.getpid(), signal.SIGSTOP)
            run()
            os._exit(0)
    finally:
        os._exit(1)


def _ptrace(request: int, child: int = 0, data: int = 0) -> int:
    libc = ctypes.CDLL(None, use_errno=True)
    arguments = [ctypes.c_long(argument) for argument in (request, child, 0, data)]
    return int(libc.ptrace(*arguments))
