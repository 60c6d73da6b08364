from __future__ import annotations

import os
import pwd

import pytest

from runaway.guard.policy import Policy
from runaway.guard.system import USERS_STATE, expanded

HOME = pwd.getpwuid(os.getuid()).pw_dir


def test_the_home_is_that_of_the_user_database_whatever_the_environment_says(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("HOME", "/an/agents/choice")
    assert expanded("~/state") == HOME + "/state"


def test_a_user_without_a_name_has_the_home_of_the_environment(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def nobody(uid: int) -> None:
        raise KeyError(uid)

    monkeypatch.setattr(pwd, "getpwuid", nobody)
    monkeypatch.setenv("HOME", "/home/of/nobody")
    assert expanded("~/state") == "/home/of/nobody/state"


@pytest.mark.parametrize("path", ["/abs/~", "rel", ""])
def test_other_paths_are_left_as_they_are(path: str) -> None:
    assert expanded(path) == path


def test_a_shared_policy_keeps_and_protects_the_state_of_whoever_runs_it() -> None:
    policy = Policy({"state": USERS_STATE, "protected": ["/opt/runaway"]}, "/unused")
    assert policy.state == HOME + USERS_STATE.removeprefix("~")
    assert policy.protected == ["/opt/runaway", policy.state]
