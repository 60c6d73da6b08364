from __future__ import annotations

import json
import stat
import tomllib
from pathlib import Path
from typing import Any

import pytest
import tomlkit
from tomlkit.exceptions import TOMLKitError

from runaway.guard.policy import DEFAULTS, load
from runaway.installer import policy_file
from runaway.installer.errors import Refusal
from runaway.installer.machine import Machine
from runaway.installer.policy_edit import Wishes, with_wishes
from runaway.installer.policy_file import compiled, parse

# (file, wishes): the file says it all already, so not a byte changes.
UNTOUCHED: list[tuple[bytes | None, Wishes]] = [
    (None, Wishes()),
    (b"", Wishes()),
    (b"this is [not TOML", Wishes()),  # whoever asks for nothing gets it back as it is
    (b'mode = "observe"  # for a week\r\n', Wishes(mode="observe")),
    (b"# only a note\n[spend]\nday_cap = 5.0\n", Wishes(day_cap=5.0)),
    (b'mode="enforce"', Wishes(mode="enforce")),
]

# (before, wishes, after)
EDITS: list[tuple[bytes | None, Wishes, bytes]] = [
    (None, Wishes(mode="observe"), b'mode = "observe"\n'),
    (b"", Wishes(session_cap=5.0), b"[spend]\nsession_cap = 5.0\n"),
    (
        b'mode = "observe" # a note\n',
        Wishes(mode="enforce"),
        b'mode = "enforce" # a note\n',
    ),
    (
        b"# mine\n[spend]\nsession_cap = 5 # a lot\n\n[limits]\n",
        Wishes(session_cap=7.5),
        b"# mine\n[spend]\nsession_cap = 7.5 # a lot\n\n[limits]\n",
    ),
    (
        b"spend = { session_cap = 5 }\n",
        Wishes(session_cap=6.0),
        b"spend = { session_cap = 6.0 }\n",
    ),
]

# A fault in the user's file: the key that the sentence must name.
FAULTS = {
    "mode": b'mode = "off"',
    "mode of another type": b"mode = []",
    "spend": b"spend = 5",
    "spend.session_cap": b"[spend]\nsession_cap = -1",
    "spend.day_cap": b'[spend]\nday_cap = "5"',
    "spend.day_cap true": b"[spend]\nday_cap = true",
    "spend.day_cap nan": b"[spend]\nday_cap = nan",
    "spend.day_cap inf": b"[spend]\nday_cap = inf",
    "limits": b"limits = []",
    "limits.no_such_rule": b"[limits]\nno_such_rule = [1, 2, 3, 4]",
    "limits.loop.same_call": b'[limits]\n"loop.same_call" = [1, 2, 3]',
    "limits.loop.same_call text": b'[limits]\n"loop.same_call" = [1, 2, 3, "x"]',
    "limits.loop.same_call number": b'[limits]\n"loop.same_call" = 8',
}


@pytest.mark.parametrize(("before", "wishes"), UNTOUCHED)
def test_nothing_new_changes_no_byte(before: bytes | None, wishes: Wishes) -> None:
    assert with_wishes(before, wishes) == before


@pytest.mark.parametrize(("before", "wishes", "after"), EDITS)
def test_a_wish_is_put_in_and_the_rest_stays(
    before: bytes | None, wishes: Wishes, after: bytes
) -> None:
    assert with_wishes(before, wishes) == after
    assert with_wishes(after, wishes) == after


def test_all_wishes_together() -> None:
    data = with_wishes(b"# mine\n[other]\nx = 1\n", Wishes("observe", 5.0, 20.0))
    assert data is not None
    values = parse(data)
    assert values["mode"] == "observe"
    assert values["spend"] == {"session_cap": 5.0, "day_cap": 20.0}
    assert values["other"] == {"x": 1}
    assert b"# mine\n" in data


@pytest.mark.parametrize(
    "layout",
    [
        b'spend.session_cap = 5\nmode = "observe"\n',
        b"spend.session_cap = 5\n\n[spend.more]\nx = 1\n",
        b"[a]\nx = 1\n[spend]\nsession_cap = 5\n[b]\ny = 1\n",
        b"[[list]]\nx = 1\n[[list]]\nx = 2\n",
        b"[spend]\n",
    ],
)
def test_no_layout_loses_a_value(layout: bytes) -> None:
    expected: dict[str, Any] = tomllib.loads(layout.decode())
    expected.setdefault("spend", {})["day_cap"] = 9.0
    edited = with_wishes(layout, Wishes(day_cap=9.0))
    assert edited is not None
    assert tomllib.loads(edited.decode()) == expected


@pytest.mark.parametrize("edited", ["", "mode = 1\n", "not [TOML"])
def test_an_edit_that_loses_a_value_is_never_written(
    monkeypatch: pytest.MonkeyPatch, edited: str
) -> None:
    monkeypatch.setattr(tomlkit, "dumps", lambda document: edited)
    with pytest.raises(Refusal) as caught:
        with_wishes(b"x = 1\n", Wishes(day_cap=9.0))
    assert caught.value.code == "policy-layout"


def test_a_file_that_the_editor_cannot_read_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """tomlkit rejects a few layouts that are valid."""

    def rejecting(text: str) -> None:
        raise TOMLKitError

    monkeypatch.setattr(tomlkit, "parse", rejecting)
    with pytest.raises(Refusal) as caught:
        with_wishes(b"x = 1\n", Wishes(day_cap=9.0))
    assert caught.value.code == "policy-layout"


@pytest.mark.parametrize("amount", [-1.0, -0.01, float("nan"), float("inf"), 1e12])
@pytest.mark.parametrize(("cap", "option"), policy_file.CAPS.items())
def test_an_amount_that_is_none_is_a_mistake_in_the_call(
    cap: str, option: str, amount: float
) -> None:
    with pytest.raises(Refusal) as caught:
        with_wishes(
            b"", Wishes(None, *(amount if cap == one else None for one in policy_file.CAPS))
        )
    assert caught.value.usage
    assert option in caught.value.text


@pytest.mark.parametrize("key", FAULTS)
def test_a_fault_is_named_by_file_and_key(key: str) -> None:
    with pytest.raises(Refusal) as caught:
        parse(FAULTS[key], "~/.config/runaway/config.toml")
    assert caught.value.code == "policy-value"
    assert (
        f"~/.config/runaway/config.toml: `{key.split(maxsplit=1)[0]}` must be" in caught.value.text
    )


@pytest.mark.parametrize("data", [b"a = ", b"\xef\xbb\xbfa = 1", b"\xff", b"a = 1\na = 2"])
def test_broken_toml_is_told_with_its_place(data: bytes) -> None:
    with pytest.raises(Refusal) as caught:
        parse(data)
    assert caught.value.code == "policy-syntax"


def test_the_guard_reads_what_was_compiled(machine: Machine) -> None:
    config = (
        b'mode = "observe"\n[spend]\nsession_cap = 5\n[limits]\n"loop.same_call" = [0, 3, 4, 0]\n'
    )
    policy_file.install(machine, compiled(machine, config))
    policy = load(str(machine.data))
    assert policy.observe
    assert policy.state == str(machine.state)
    assert list(policy.limits["loop.same_call"]) == [None, 3, 4, None]
    assert json.loads((machine.data / "policy.json").read_bytes())["session_cap"] == 5


def test_without_a_file_the_defaults_hold(machine: Machine) -> None:
    policy_file.install(machine, compiled(machine, None))
    policy = load(str(machine.data))
    assert not policy.observe
    assert policy.limits == DEFAULTS


def test_a_cap_of_zero_is_no_cap(machine: Machine) -> None:
    assert "day_cap" not in json.loads(compiled(machine, b"[spend]\nday_cap = 0\n"))


def test_the_compiled_policy_is_private_and_written_once(machine: Machine) -> None:
    policy = compiled(machine, None)
    assert policy_file.install(machine, policy)
    path = machine.data / "policy.json"
    before = path.stat()
    assert not policy_file.install(machine, policy)
    assert path.stat().st_mtime_ns == before.st_mtime_ns
    assert stat.S_IMODE(before.st_mode) == 0o600


def test_a_planted_link_is_replaced_and_not_written_through(
    machine: Machine, tmp_path: Path
) -> None:
    victim = tmp_path / "victim"
    victim.write_bytes(b"precious")
    path = machine.data / "policy.json"
    path.parent.mkdir(parents=True, mode=0o700)
    path.symlink_to(victim)
    policy_file.install(machine, compiled(machine, None))
    assert victim.read_bytes() == b"precious"
    assert not path.is_symlink()


def test_a_folder_in_place_of_the_file_is_one_sentence(machine: Machine) -> None:
    path = machine.config_file
    path.mkdir(parents=True)
    with pytest.raises(Refusal) as caught:
        policy_file.read(path)
    assert str(path) in caught.value.text


def test_where_nobody_looks_a_harness_is_denied_instead_of_asked(machine: Machine) -> None:
    told = b'[harness.vscode]\nask = "deny"\n[harness.grok]\nask = "ask"\n'
    assert json.loads(policy_file.compiled(machine, told))["unasked"] == ["vscode"]
    for wrong in (
        b'[harness.vscode]\nask = "no"\n',
        b"[harness.nosuch]\n",
        b"[harness]\ngrok = 1\n",
    ):
        with pytest.raises(Refusal) as refusal:
            policy_file.parse(wrong)
        assert refusal.value.code == "policy-value"
