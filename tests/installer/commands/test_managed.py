"""`--scope managed`: the guard for every user of a machine, put in and taken out by its owner."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from runaway.guard.policy import load
from runaway.guard.session import file_name, peek
from runaway.installer import deploy, managed_scope, policy_file, self_test
from runaway.installer.commands import doctor, pause, report, resume, setup, status, uninstall, why
from runaway.installer.errors import Refusal
from runaway.installer.harnesses.registry import harness_named
from runaway.installer.interpreter import choose
from runaway.installer.launch_command import command_for
from runaway.installer.machine import Machine
from runaway.installer.policy_edit import Wishes
from runaway.installer.result import Result
from tests.support.installer import bare_machine, codes, install_claude, levels, wire

DROP_IN = "etc/claude-code/managed-settings.d/50-runaway.json"
WHOLE = "etc/claude-code/managed-settings.json"
CODEX = "etc/codex/hooks.json"
BOTH = ("claude", "codex")


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    """A machine whose guard keeps its users' state in the scratch home instead of in ours."""
    machine = bare_machine(tmp_path / "home")
    monkeypatch.setattr(policy_file, "USERS_STATE", str(machine.state))
    return machine


@pytest.fixture
def managed(machine: Machine) -> Machine:
    assert place(machine).exit_code == 0
    return machine


def place(machine: Machine, *harnesses: str, **options: object) -> Result:
    chosen = setup.Options(harnesses or BOTH, "managed", **options)  # type: ignore[arg-type]
    return setup.run(machine, chosen)


def displace(machine: Machine, **options: object) -> Result:
    return uninstall.run(machine, uninstall.Options(managed=True, **options))  # type: ignore[arg-type]


def diagnose(machine: Machine, *harnesses: str) -> Result:
    chosen = doctor.Options(harnesses or BOTH)
    return doctor.run(machine, chosen, progress=lambda _: None)


def tree(machine: Machine) -> dict[str, bytes]:
    """Every file below the machine's root, but for our own folders there."""
    ours = [managed_scope.of(machine).data, managed_scope.of(machine).state]
    return {
        str(path.relative_to(machine.root)): path.read_bytes()
        for path in machine.root.rglob("*")
        if path.is_file() and not any(folder in path.parents for folder in ours)
    }


def write(path: Path, data: bytes, mode: int = 0o644) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    path.chmod(mode)


@contextmanager
def umask(mask: int) -> Iterator[None]:
    before = os.umask(mask)
    try:
        yield
    finally:
        os.umask(before)


@pytest.mark.parametrize("mask", [0o077, 0o002])
def test_everybody_may_read_what_runs_and_nobody_else_may_change_it(
    machine: Machine, mask: int
) -> None:
    with umask(mask):
        assert place(machine).exit_code == 0
    owners = managed_scope.of(machine)
    served = [owners.data, machine.root / "etc/claude-code", machine.root / "etc/codex"]
    for top in served:
        for path in (top, *top.rglob("*")):
            mode = stat.S_IMODE(path.stat().st_mode)
            assert mode == (0o755 if path.is_dir() else 0o644), path


def test_backups_and_receipts_are_the_owners_alone(machine: Machine) -> None:
    write(machine.root / CODEX, b'{"hooks": {}}')
    place(machine)
    state = managed_scope.of(machine).state
    modes = {stat.S_IMODE(path.stat().st_mode) & 0o077 for path in (state, *state.rglob("*"))}
    assert modes == {0}


def test_the_entry_names_the_shared_launcher_in_a_file_of_its_own(managed: Machine) -> None:
    command = command_for(managed.root / "opt/runaway/launch", "claude")
    hooks = json.loads((managed.root / DROP_IN).read_text())["hooks"]
    assert [group["hooks"][0]["command"] for group in hooks["PreToolUse"]] == [command]
    assert set(tree(managed)) == {DROP_IN, CODEX}


def test_a_release_that_reads_no_drop_ins_gets_the_entry_in_the_one_file(machine: Machine) -> None:
    install_claude(machine, "2.1.80")
    theirs = b'{\n  "permissions": {"deny": ["WebFetch"]}\n}\n'
    write(machine.root / WHOLE, theirs)
    place(machine, "claude")
    assert set(tree(machine)) == {WHOLE}
    assert json.loads((machine.root / WHOLE).read_text())["permissions"] == {"deny": ["WebFetch"]}
    displace(machine)
    assert tree(machine) == {WHOLE: theirs}


def test_nothing_of_the_persons_own_is_touched(managed: Machine) -> None:
    assert not managed.launcher.exists()
    assert not managed.config.exists()
    assert not (managed.home / ".claude").exists()
    assert not (managed.home / ".codex").exists()


def test_a_second_run_changes_no_byte(managed: Machine) -> None:
    before = tree(managed)
    result = place(managed)
    assert (result.status, tree(managed)) == ("unchanged", before)


def test_a_dry_run_writes_nothing_and_check_tells(machine: Machine) -> None:
    assert DROP_IN in "\n".join(place(machine, dry_run=True).lines)
    assert place(machine, check=True).exit_code == 1
    assert not machine.root.exists()
    place(machine)
    assert place(machine, check=True).exit_code == 0


def test_the_owners_caps_are_in_the_policy_of_all(machine: Machine) -> None:
    place(machine, wishes=Wishes("observe", 7.0))
    owners = managed_scope.of(machine)
    policy = load(str(owners.data))
    assert (policy.observe, policy.session_cap) == (True, 7.0)
    assert b"session_cap = 7" in (machine.root / "etc/runaway/config.toml").read_bytes()


@pytest.mark.parametrize("harness", BOTH)
def test_its_guard_denies_a_loop_and_keeps_the_state_with_the_user(
    managed: Machine, harness: str
) -> None:
    module = harness_named(harness)
    command = command_for(managed_scope.of(managed).launcher, harness)
    answers = [self_test.answer(command, module.sample_payload("s", number)) for number in range(8)]
    assert [module.is_denial(output) for _, output in answers] == [False] * 7 + [True]
    assert peek(str(managed.state / "sessions" / file_name(harness, "s")))


def test_beside_a_persons_own_guard_no_call_counts_twice(managed: Machine) -> None:
    wire(managed)
    module = harness_named("claude")
    commands = [command_for(one.launcher, "claude") for one in (managed, managed_scope.of(managed))]
    denied = [
        [
            module.is_denial(self_test.answer(command, module.sample_payload("s", number))[1])
            for command in commands
        ]
        for number in range(8)
    ]
    assert denied == [[False, False]] * 7 + [[True, True]]


def test_uninstall_leaves_no_trace_but_a_launcher_that_says_nothing(machine: Machine) -> None:
    theirs = b'{"hooks": {"Stop": []}}\n'
    write(machine.root / CODEX, theirs)
    place(machine)
    result = displace(machine, purge=True)
    assert (result.exit_code, tree(machine)) == (0, {CODEX: theirs})
    owners = managed_scope.of(machine)
    assert [path.name for path in owners.data.iterdir()] == ["launch"]
    assert not owners.state.exists()
    answer = self_test.answer(command_for(owners.launcher, "claude"), b"{}")
    assert answer == (0, b"")


def test_restore_gives_the_exact_file_back(machine: Machine) -> None:
    theirs = b'{ "hooks" : {} }'
    write(machine.root / CODEX, theirs, 0o640)
    place(machine)
    displace(machine, restore=True)
    assert (machine.root / CODEX).read_bytes() == theirs
    assert stat.S_IMODE((machine.root / CODEX).stat().st_mode) == 0o640


def test_a_persons_uninstall_leaves_the_owners_guard_and_says_so(managed: Machine) -> None:
    wire(managed)
    result = uninstall.run(managed, uninstall.Options())
    assert result.exit_code == 0
    assert codes(result) == ["managed-stays"]
    assert "stays" in result.lines[-1]
    assert (managed.root / DROP_IN).exists()
    assert managed_scope.is_in_place(managed_scope.of(managed))


def test_the_owners_uninstall_leaves_a_persons_guard(managed: Machine) -> None:
    wire(managed)
    settings = (managed.home / ".claude/settings.json").read_bytes()
    displace(managed)
    assert (managed.home / ".claude/settings.json").read_bytes() == settings
    assert deploy.is_current(managed, choose(managed))


def test_doctor_finds_the_owners_guard_installed_and_firing(managed: Machine) -> None:
    managed.home.joinpath(".claude").mkdir()
    found = levels(diagnose(managed, "claude"))
    assert (found["installed.code"], found["installed.entry"]) == ("ok", "ok")
    assert found["fires.command"] == "ok"
    assert "error" not in found.values()


def test_codex_needs_nobodys_trust(managed: Machine) -> None:
    found = levels(diagnose(managed, "codex"))
    assert found["trusted.consent"] == "ok"
    assert "error" not in found.values()


SPARED = {
    "disableAllHooks of the user": (".claude/settings.json", b'{"disableAllHooks": true}'),
    "a broken file of the user": (".claude/settings.json", b"{"),
    "bare mode": (".claude/settings.json", b'{"env": {"CLAUDE_CODE_SIMPLE": "1"}}'),
    "allowManagedHooksOnly": (f".root/{WHOLE}", b'{"allowManagedHooksOnly": true}'),
    "strictPluginOnlyCustomization": (
        f".root/{WHOLE}",
        b'{"strictPluginOnlyCustomization": true}',
    ),
}


@pytest.mark.parametrize(("name", "data"), SPARED.values(), ids=SPARED.keys())
def test_what_silences_users_hooks_does_not_reach_the_owners(
    machine: Machine, name: str, data: bytes
) -> None:
    write(machine.home / name, data)
    assert "error" in levels(diagnose(machine, "claude")).values()
    place(machine, "claude")
    found = diagnose(machine, "claude")
    assert "error" not in levels(found).values()
    assert any("runs all the same" in check["message"] for check in found.data["checks"])


SILENCED = {
    "Claude Code's switch": ("claude", WHOLE, b'{"disableAllHooks": true}', "allowed.managed"),
    "a broken managed file": ("claude", WHOLE, b"{", "allowed.file"),
    "Codex's switch": (
        "codex",
        "etc/codex/config.toml",
        b"[features]\nhooks = false\n",
        "allowed.disabled",
    ),
}


@pytest.mark.parametrize(
    ("harness", "name", "data", "check"), SILENCED.values(), ids=SILENCED.keys()
)
def test_what_silences_the_owners_hooks_too_is_an_error(
    managed: Machine, harness: str, name: str, data: bytes, check: str
) -> None:
    write(managed.root / name, data)
    result = diagnose(managed, harness)
    assert (levels(result)[check], result.exit_code) == ("error", 1)


def test_codex_managed_hooks_only_spares_the_owners(machine: Machine) -> None:
    write(machine.root / "etc/codex/requirements.toml", b"allow_managed_hooks_only = true\n")
    wire(machine, harnesses=("codex",))
    assert levels(diagnose(machine, "codex"))["allowed.managed"] == "error"
    place(machine, "codex")
    assert "allowed.managed" not in levels(diagnose(machine, "codex"))


def test_an_entry_that_was_changed_is_an_error_with_the_owners_fix(managed: Machine) -> None:
    path = managed.root / DROP_IN
    path.write_text(path.read_text().replace("opt/runaway", "opt/elsewhere/runaway"))
    result = diagnose(managed, "claude")
    [check] = [c for c in result.data["checks"] if c["check"] == "installed.entry"]
    assert (check["level"], check["fix"]) == ("error", managed_scope.RERUN)


def test_status_counts_the_owners_guard_and_its_policy(machine: Machine) -> None:
    place(machine, wishes=Wishes("observe"))
    found = status.run(machine, 1.8e9).data
    assert found["mode"] == "observe"
    wired = {row["harness"]: row["wired"] for row in found["harnesses"]}
    assert (wired["claude"], wired["codex"]) == (True, True)


def test_only_the_owner_pauses_the_owners_guard(managed: Machine) -> None:
    with pytest.raises(Refusal) as refused:
        pause.run(managed, 2e9, 1.8e9)
    assert refused.value.code == "managed"
    assert not managed.launcher.exists()


def test_there_is_no_trust_to_record(machine: Machine) -> None:
    with pytest.raises(Refusal) as refused:
        place(machine, "codex", trust_codex_hook=True)
    assert refused.value.usage


def test_cursor_has_hooks_of_the_owner_too(machine: Machine) -> None:
    place(machine, "cursor")
    found = levels(diagnose(machine, "cursor"))
    assert (found["installed.entry"], found["fires.command"]) == ("ok", "ok")
    assert "error" not in found.values()
    displace(machine)
    assert tree(machine) == {}


def test_a_folder_that_others_may_change_is_no_place_for_the_guard(machine: Machine) -> None:
    (machine.root / "opt").mkdir(parents=True)
    (machine.root / "opt").chmod(0o775)
    with pytest.raises(Refusal) as refused:
        place(machine)
    assert refused.value.code == "unsafe-state"
    assert set(tree(machine)) == set()


def test_only_root_owns_a_real_machine(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    managed_scope.refuse_others(machine)
    with pytest.raises(Refusal) as refused:
        managed_scope.refuse_others(machine._replace(root=Path("/")))
    assert (refused.value.code, refused.value.usage) == ("not-root", True)


def test_what_it_knows_is_found_wherever_a_variable_has_moved_ones_own_state(
    managed: Machine, tmp_path: Path
) -> None:
    module = harness_named("claude")
    command = command_for(managed_scope.of(managed).launcher, "claude")
    for number in range(8):
        self_test.answer(command, module.sample_payload("abc", number))
    moved = managed._replace(state=tmp_path / "moved")
    assert [one["session"] for one in status.run(moved, 1.8e9).data["sessions"]] == ["abc"]
    assert why.run(moved, "abc", 1.8e9).data["trip"]["rule"] == "loop.same_call"
    assert report.run(moved, 1.8e9, None).data["trips"] == 1
    assert resume.run(moved, "abc", 0, None).status == "ok"
