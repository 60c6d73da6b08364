"""The main job on the real Codex: setup, consent, a loop that is stopped, doctor, uninstall."""

from __future__ import annotations

import json
import shutil
import threading
import time
from typing import Any

import pytest

from runaway.guard.prices import cost
from runaway.guard.session import file_name, peek
from runaway.guard.usage import Usage as Tokens
from runaway.guard.words import MARKER
from runaway.installer import sessions
from runaway.installer.commands import doctor, setup, uninstall
from runaway.installer.drill.outcome import DrillRun
from runaway.installer.drill.scripts import DONE, distinct, looping, replies, spending
from runaway.installer.drill.server import Reply, Request, Text, ToolUse, Usage
from runaway.installer.launch_command import command_for
from runaway.installer.machine import Machine
from runaway.installer.policy_edit import Wishes
from runaway.installer.result import Result
from tests.support.live import checks
from tests.support.live.codex_home import IN_CODE_MODE, PRICED, CodexHome, group

CHOSEN = ("codex",)
DENIED_AT = 6  # by loop.same_result: the same call, the same result
ECHO = ToolUse("exec_command", {"cmd": "echo again"})
BROKEN = '"PreToolUse": [{"hooks": [{"type": "http"}]},'
MINE = group("my-own-check", timeout=5)


def wire(home: CodexHome, *, trust: bool = True, **wishes: float) -> Machine:
    options = setup.Options(CHOSEN, trust_codex_hook=trust, wishes=Wishes(None, **wishes))
    result = setup.run(home.machine, options)
    assert result.exit_code == 0, result.messages
    return home.machine


def diagnose(machine: Machine, *, drill: bool = False) -> Result:
    return doctor.run(machine, doctor.Options(CHOSEN, drill=drill), progress=lambda _: None)


def errors(result: Result) -> set[str]:
    return checks.failed(result.data["checks"])


def denied(run: DrillRun) -> list[int]:
    """Positions of the calls that the guard denied, counted from 1."""
    refused = {call.id for call in run.denied(MARKER)}
    return [number for number, call in enumerate(run.calls, 1) if call.id in refused]


def test_untrusted_it_runs_unguarded_and_the_doctor_says_so(any_codex_home: CodexHome) -> None:
    machine = wire(any_codex_home, trust=False)
    run = any_codex_home.run(looping(ECHO, times=12))
    assert not denied(run)
    assert len(run.calls) == 12
    assert errors(diagnose(machine)) == {"trusted.consent"}


def test_trusted_a_repeated_call_is_denied_for_good(any_codex_home: CodexHome) -> None:
    machine = wire(any_codex_home)
    assert not errors(diagnose(machine))
    run = any_codex_home.run(looping(ECHO, times=16))
    assert denied(run) == list(range(DENIED_AT, 17))


def test_after_the_last_step_of_the_ladder_no_other_call_of_the_turn_runs(
    codex_home: CodexHome,
) -> None:
    wire(codex_home)
    loop = looping(ECHO)
    other = ToolUse("exec_command", {"cmd": "echo other"})

    def script(request: Request) -> Any:
        return (
            loop(request)
            if request.round <= 12
            else Reply((other,))
            if request.round == 13
            else DONE
        )

    run = codex_home.run(script)
    assert denied(run) == list(range(DENIED_AT, 14))
    assert len(codex_home.run(replies(Reply((other,)))).calls) == 1


def test_different_calls_are_never_touched(codex_home: CodexHome) -> None:
    wire(codex_home)
    script = distinct(lambda number: ToolUse("exec_command", {"cmd": f"echo {number}"}), times=20)
    run = codex_home.run(script)
    assert len(run.calls) == 20
    assert not denied(run)


def test_parallel_calls_lose_no_count(codex_home: CodexHome) -> None:
    wire(codex_home)
    run = codex_home.run(looping(ECHO, times=6, together=4), keep_session=False)
    assert len(denied(run)) == len(run.calls) - 7  # by loop.same_call: there is no log


def test_nested_calls_of_code_mode_are_denied(codex_home: CodexHome) -> None:
    wire(codex_home)
    loop = """
    let denied = 0;
    for (let i = 0; i < 20; i++) {
      try { await tools.exec_command({cmd: "echo again >> ran"}) }
      catch (error) { denied++; if (denied === 1) text(String(error)) }
    }
    text(`denied ${denied}`)
    """
    run = codex_home.run(
        replies(Reply((ToolUse("exec", {"input": loop}),))), model=IN_CODE_MODE, timeout=90
    )
    ran = (codex_home.project / "ran").read_text().splitlines()
    assert len(ran) in (DENIED_AT - 1, 7)  # by its results, or, where they come late, by the row
    [call] = run.calls
    assert MARKER in (call.result or "")
    assert f"denied {20 - len(ran)}" in (call.result or "")


def test_failing_rounds_are_stopped_even_when_every_call_differs(any_codex_home: CodexHome) -> None:
    wire(any_codex_home)
    fails = distinct(lambda n: ToolUse("exec_command", {"cmd": f"exit {n + 2}"}), times=10)
    assert denied(any_codex_home.run(fails))[0] == 7


def test_an_ephemeral_session_is_guarded_without_a_log(any_codex_home: CodexHome) -> None:
    wire(any_codex_home)
    run = any_codex_home.run(looping(ECHO, times=12), keep_session=False)
    assert denied(run) == list(range(8, 13))


def test_the_drill_passes_only_with_trust_and_changes_no_settings(codex_home: CodexHome) -> None:
    machine = wire(codex_home, trust=False)
    assert "drill" in errors(diagnose(machine, drill=True))
    wire(codex_home)
    before = {path: path.read_bytes() for path in (codex_home.hooks, codex_home.settings)}
    report = diagnose(machine, drill=True)
    assert (sessions.sessions(machine).rows, sessions.trips(machine).rows) == ((), ())
    assert sessions.days(machine).steps == {}
    assert not errors(report), report.lines
    assert before == {path: path.read_bytes() for path in before}
    assert not codex_home.rollouts()


def test_hooks_of_others_keep_their_trust_through_setup_upgrade_removal_and_setup_again(
    any_codex_home: CodexHome,
) -> None:
    home = any_codex_home
    home.write({"PreToolUse": [MINE], "UserPromptSubmit": [group("first"), group("second")]})
    trust_all(home)
    before = {key: hook for key, hook in home.listed().items() if hook.status == "trusted"}
    assert len(before) == 3
    machine = wire(home)
    ours = command_for(machine.launcher, "codex")
    assert still(home, before)
    later = home.hooks.read_text().replace(
        '"PostModelRequest": [', '"Stop": [], "PostModelRequest": ['
    )
    home.hooks.write_text(later)
    append(home, "PreToolUse", group("a-later-one"))
    trust_all(home)
    before = {key: hook for key, hook in home.listed().items() if hook.command != ours}
    assert {hook.status for hook in before.values()} == {"trusted"}
    assert len(before) == 4
    home.hooks.write_text(home.hooks.read_text().replace('"timeout": 10', '"timeout": 11', 1))
    assert home.status(ours) == "modified"
    wire(home)  # an upgrade: in place
    assert home.status(ours) == "trusted"
    assert still(home, before)
    uninstall.run(machine, uninstall.Options(CHOSEN))
    assert still(home, before)
    assert not [hook for hook in home.listed().values() if hook.command == ours]
    wire(home)
    assert still(home, before)
    assert home.status(ours) == "trusted"
    groups = json.loads(home.hooks.read_text())["hooks"]["PreToolUse"]
    assert [group["hooks"][0]["command"] for group in groups] == [
        "my-own-check",
        ours,
        "a-later-one",
    ]


def append(home: CodexHome, event: str, added: dict[str, Any]) -> None:
    settings = json.loads(home.hooks.read_text())
    settings["hooks"][event].append(added)
    home.hooks.write_text(json.dumps(settings, indent=2))


def trust_all(home: CodexHome) -> None:
    """As a person would with the key t."""
    lines = [
        f"[hooks.state.{json.dumps(key, ensure_ascii=False)}]\ntrusted_hash = '{hook.hash}'\n"
        for key, hook in home.listed().items()
        if hook.status == "untrusted"
    ]
    with home.settings.open("a") as file:
        file.write("\n" + "\n".join(lines))


def still(home: CodexHome, before: dict[str, Any]) -> bool:
    now = home.listed()
    return all(now.get(key) == hook for key, hook in before.items())


@pytest.mark.parametrize("lost", ["guard", "launch"])
def test_a_registered_command_whose_files_were_deleted_is_harmless(
    codex_home: CodexHome, lost: str
) -> None:
    machine = wire(codex_home)
    path = machine.data / lost
    shutil.rmtree(path) if path.is_dir() else path.unlink()
    run = codex_home.run(looping(ECHO, times=9))
    assert not any(call.failed for call in run.calls)
    assert {hook.outcome for hook in run.hooks} == {"Completed"}


def test_uninstall_gives_back_both_files(codex_home: CodexHome) -> None:
    codex_home.write({"PreToolUse": [MINE]})
    codex_home.settings.write_bytes(b"# mine\r\nmodel = 'gpt-5.5'\r\n")
    files = (codex_home.hooks, codex_home.settings)
    before = [path.read_bytes() for path in files]
    machine = wire(codex_home)
    assert [path.read_bytes() for path in files] != before
    uninstall.run(machine, uninstall.Options(CHOSEN))
    assert [path.read_bytes() for path in files] == before
    assert not denied(codex_home.run(looping(ECHO, times=9)))


def test_hooks_that_are_kept_in_config_toml_are_joined_there(any_codex_home: CodexHome) -> None:
    home = any_codex_home
    home.config.mkdir()
    home.settings.write_text(
        '[[hooks.PreToolUse]]\n[[hooks.PreToolUse.hooks]]\ntype = "command"\ncommand = "true"\n'
    )
    machine = wire(home)
    assert not home.hooks.exists()
    assert home.status(command_for(machine.launcher, "codex")) == "trusted"
    assert denied(home.run(looping(ECHO, times=9)))[0] == DENIED_AT


@pytest.mark.parametrize(
    ("config", "hooks", "check"),
    [
        ("[features]\nhooks = false\n", None, "allowed.disabled"),
        ("[features]\ncodex_hooks = false\n", None, "allowed.disabled"),
        ("", lambda text: "// mine\n" + text, "allowed.file"),
        ("", lambda text: text.replace('"timeout": 10', '"timeout": 1.5', 1), "allowed.file"),
        ("", lambda text: text.replace("{", '{"version": 1,', 1), "allowed.file"),
        ("", lambda text: text.replace('"PreToolUse": [', BROKEN), "allowed.file"),
    ],
    ids=["off", "off by its old name", "comment", "float", "unknown key", "broken sibling"],
)  # fmt: skip
def test_what_the_doctor_calls_an_error_indeed_leaves_the_real_cli_unguarded(
    codex_home: CodexHome, config: str, hooks: Any, check: str
) -> None:
    machine = wire(codex_home)
    if hooks:
        codex_home.hooks.write_text(hooks(codex_home.hooks.read_text()))
    with codex_home.settings.open("a") as file:
        file.write(config)
    assert check in errors(diagnose(machine))
    assert not denied(codex_home.run(looping(ECHO, times=9)))


# Money.


def memory(machine: Machine, run: DrillRun) -> dict[str, Any]:
    return peek(str(machine.state / "sessions" / file_name("codex", run.session)))


def dollars(*usages: Usage, model: str = PRICED) -> float:
    """What the server billed, by the price table."""
    now = time.time()
    return sum(
        cost(model, Tokens(used.input, used.output, used.cache_read), now, {})[0] for used in usages
    )


def test_the_next_prompt_past_the_cap_sends_no_request(any_codex_home: CodexHome) -> None:
    machine = wire(any_codex_home, session_cap=1.0)
    dear = spending(replies(Reply((ECHO,)), Reply((ECHO,))), lambda _: Usage(input=150_000))
    first = any_codex_home.run(dear)
    assert denied(first), memory(machine, first)
    again = any_codex_home.run(replies(Reply((Text("hello"),))), command=("resume", first.session))
    assert again.requests == ()
    assert {hook.outcome for hook in again.hooks if hook.event == "UserPromptSubmit"} == {"Blocked"}


def test_past_the_cap_of_the_day_another_session_sends_no_request(codex_home: CodexHome) -> None:
    wire(codex_home, day_cap=1.0)
    codex_home.run(spending(replies(), lambda _: Usage(input=300_000)))
    assert codex_home.run(replies()).requests == ()


@pytest.mark.parametrize("kept", [True, False])
def test_spend_is_exact_with_and_without_a_log(codex_home: CodexHome, kept: bool) -> None:
    machine = wire(codex_home)
    usage = Usage(input=1000, output=70, cache_read=500)
    calls = distinct(lambda n: ToolUse("exec_command", {"cmd": f"echo {n}"}), times=3)
    run = codex_home.run(spending(calls, lambda _: usage), keep_session=kept)
    assert len(run.requests) == 4
    assert memory(machine, run)["spend"]["total"] == pytest.approx(dollars(*[usage] * 4))


@pytest.mark.parametrize("model", ["a-model", IN_CODE_MODE])
def test_the_spend_of_subagents_is_that_of_their_session(codex_home: CodexHome, model: str) -> None:
    machine = wire(codex_home)
    task = {"message": "do it"}
    if model == IN_CODE_MODE:
        task |= {"task_name": "t", "fork_turns": "none"}
    own, below = Usage(input=2000, output=10), Usage(input=300, output=99)

    finished = threading.Event()

    def script(request: Request) -> Reply:
        if request.agent and request.round == 1:
            return Reply((ECHO,), below)
        if request.agent:
            finished.set()
            return Reply((Text("did it"),), below)
        if request.round == 1:
            return Reply((ToolUse("spawn_agent", task),), own)
        if request.round == 2:  # it has told its log a moment after its last answer
            assert finished.wait(60)
            return Reply((ToolUse("exec_command", {"cmd": "sleep 2"}),), own)
        return Reply((Text("Done."),), own)

    run = codex_home.run(script, model=model)
    agents = [below for request in run.requests if request.agent]
    assert len(agents) == 2
    billed = [own] * (len(run.requests) - len(agents)) + agents
    assert memory(machine, run)["spend"]["total"] == pytest.approx(dollars(*billed, model=model))


def test_a_looping_subagent_is_denied(codex_home: CodexHome) -> None:
    wire(codex_home)
    loop = looping(ECHO, times=14)
    finished = threading.Event()

    def script(request: Request) -> Any:
        if request.agent:
            reply = loop(request)
            if request.round > 14:
                finished.set()
            return reply
        if request.round == 1:
            return Reply((ToolUse("spawn_agent", {"message": "do it"}),))
        if request.round == 2:
            assert finished.wait(60)
            return Reply((ToolUse("exec_command", {"cmd": "sleep 2"}),))
        return Reply((ToolUse("exec_command", {"cmd": "true"}),)) if request.round == 3 else DONE

    run = codex_home.run(script, model="a-model")
    below = [call for call in run.calls if call.agent]
    assert [call.failed for call in below] == [False] * 5 + [True] * 9
    assert not any(call.failed for call in run.calls if not call.agent)


def test_a_fork_is_not_charged_for_its_parent(any_codex_home: CodexHome) -> None:
    machine = wire(any_codex_home)
    script = spending(replies(Reply((ECHO,))), lambda _: Usage(input=4000, output=50))
    first = any_codex_home.run(script)
    fork = any_codex_home.run(script, command=("fork", first.session))
    assert fork.session not in ("", first.session)
    free = spending(
        replies(), lambda _: Usage(0, 0)
    )  # releases without PostModelRequest lag behind
    any_codex_home.run(free, command=("resume", fork.session))
    expected = dollars(*[Usage(input=4000, output=50)] * len(fork.requests))
    assert memory(machine, fork)["spend"]["total"] == pytest.approx(expected)
