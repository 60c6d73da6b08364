"""Where somebody attends: the real Codex on a pseudo-terminal, without its daemon."""

from __future__ import annotations

from runaway.installer.commands import setup
from runaway.installer.drill.scripts import DONE, looping
from runaway.installer.drill.server import ToolUse
from runaway.installer.launch_command import command_for
from tests.support.live.codex_home import CodexHome
from tests.support.live.terminal import ENTER

CHOSEN = ("codex",)
CALL = ToolUse("exec_command", {"cmd": "echo x"})


def test_the_trust_screen_shows_our_name_and_its_keys_make_the_hook_run(
    codex_home: CodexHome,
) -> None:
    setup.run(codex_home.machine, setup.Options(CHOSEN))
    with codex_home.interactive(lambda _: DONE) as terminal:
        terminal.wait_for("Hooks need review")
        terminal.press(ENTER, until="runaway guard")
        assert "review required" in terminal.text
        terminal.press("t", until="Trusted")
    ours = command_for(codex_home.machine.launcher, "codex")
    assert codex_home.status(ours) == "trusted"


def test_a_person_is_shown_notes_and_denials(codex_home: CodexHome) -> None:
    setup.run(codex_home.machine, setup.Options(CHOSEN, trust_codex_hook=True))
    with codex_home.interactive(looping(CALL, times=9), "-s", "danger-full-access") as terminal:
        terminal.wait_for("? for shortcuts")
        terminal.submit("please go")
        terminal.wait_for("Done.")
        assert "↳ Hook · [runaway] the same Bash call gave the same result 3 times" in terminal.text
        assert terminal.text.count("• Blocked by hook") == 4
    assert not (codex_home.config / "app-server-control").exists()  # no daemon is left behind
