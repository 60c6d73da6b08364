"""Documents and the command line stay in step: help, manual page, README, schema, completion."""

from __future__ import annotations

import html
import json
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from typer.main import get_command

from runaway.installer.cli import app
from runaway.installer.machine import Machine
from tests.installer.conftest import machine
from tests.support.installer import call, payload, registered, user_file, wire
from tools import make_man

__all__ = ["machine"]  # a fixture

ROOT = Path(__file__).parents[1]
SCRIPT = Path(sys.executable).with_name("runaway")
GOLDEN = ROOT / "tests/guard/transcripts/golden/claude/plain/session.jsonl"
README = ROOT / "README.md"
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
SCHEMA = json.loads((ROOT / "docs/result.schema.json").read_text())
COMMANDS = dict(make_man.commands(get_command(app)))

BLOCK = re.compile(r"^```sh\n(.*?)^```", re.MULTILINE | re.DOTALL)
INLINE = re.compile(r"(?<!`)`(runaway [^`\n]+|make [a-z-]+)`")
LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")


def parameters(command: Any, kind: str) -> list[Any]:
    context = command.make_context("runaway", [], resilient_parsing=True)
    return [one for one in command.get_params(context) if one.param_type_name == kind]


def examples(command: Any) -> list[str]:
    return re.findall(r"^  (runaway .*)$", command.epilog or "", re.MULTILINE)


def commands_in(text: str) -> Iterator[str]:
    """Shell commands of ours in a page: in blocks of `sh` without their comments, and in the text."""
    for block in BLOCK.findall(text):
        for line in block.splitlines():
            if line.startswith(("runaway ", "make ")):
                yield line.partition(" #")[0].strip()
    yield from INLINE.findall(text)


def mistake(line: str) -> str | None:
    """What is wrong with a command line of ours: its words and options must exist."""
    words = shlex.split(line.replace("…", ""), comments=True)[1:]
    command: Any = get_command(app)
    while words and hasattr(command, "commands"):
        name = words[0]
        if name.startswith("-"):
            break
        if name not in command.commands:
            return f"no command {name}"
        command = command.commands[words.pop(0)]
    known = {
        name for one in parameters(command, "option") for name in (*one.opts, *one.secondary_opts)
    }
    unknown = {word for word in words if word.startswith("-")} - known
    return f"no option {', '.join(sorted(unknown))}" if unknown else None


# -- help


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_and_each_of_its_options_and_arguments_has_help(name: str) -> None:
    command = COMMANDS[name]
    assert command.help
    for kind in ("option", "argument"):
        assert [one.name for one in parameters(command, kind) if not one.help] == []


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_has_examples_that_are_right(name: str) -> None:
    found = examples(COMMANDS[name])
    assert found
    for line in found:
        assert line.startswith(f"runaway {name}")
        arguments = [
            str(Path(word).expanduser()) for word in shlex.split(line)[1 + len(name.split()) :]
        ]
        COMMANDS[name].make_context(name, arguments)  # raises for what cannot be parsed


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_can_print_json(name: str) -> None:
    assert any("--json" in one.opts for one in parameters(COMMANDS[name], "option"))


def test_the_list_of_commands_fits_an_80_column_terminal_uncut() -> None:
    group: Any = get_command(app)
    for command in group.commands.values():
        assert not command.get_short_help_str(60).endswith("...")


# -- pages


def test_the_manual_page_is_what_the_parser_says() -> None:
    assert make_man.PAGE.read_text() == make_man.page(), "run `python -m tools.make_man`"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_commands_options_and_targets_in_a_page_exist(page: Path) -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    for line in commands_in(page.read_text()):
        if line.startswith("make "):
            words = [word for word in line.split()[1:] if "=" not in word]
            assert set(words) <= targets, line
        else:
            assert mistake(line) is None, line


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_between_pages_lead_somewhere(page: Path) -> None:
    for target in LINK.findall(page.read_text()):
        if "://" not in target:
            assert (page.parent / target).exists(), target


@pytest.mark.parametrize(
    ("line", "wrong"),
    [("runaway no-such", True), ("runaway setup --no", True), ("runaway config show", False)],
)
def test_a_wrong_command_in_a_page_would_be_found(line: str, wrong: bool) -> None:
    assert (mistake(line) is not None) is wrong
    assert list(commands_in(f"Say `{line}` or\n```sh\n{line}  # so\n```\n")) == [line, line]


@pytest.mark.parametrize("name", sorted({name.split()[0] for name in COMMANDS}))
def test_every_command_is_in_the_readme(name: str) -> None:
    assert re.search(
        rf"`runaway {name}\b|^runaway {name}\b|`{name}`", README.read_text(), re.MULTILINE
    )


# -- the README's commands, run


@pytest.fixture
def wired(machine: Machine) -> Machine:
    """Set up as the commands below see it: with this system's folder of managed settings."""
    machine = machine._replace(root=Path("/"))
    assert wire(machine).exit_code == 0
    return machine


def run(machine: Machine, line: str, **more: str) -> subprocess.CompletedProcess[bytes]:
    environment = {"HOME": str(machine.home), "PATH": f"{SCRIPT.parent}:/usr/bin:/bin", **more}
    return subprocess.run(
        ["/bin/sh", "-c", line],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        env=environment,
        cwd=machine.home,
        check=False,
    )


def test_make_demo_of_the_readme_runs(machine: Machine) -> None:
    """The recipe of the Makefile, without its environment, which is the one that runs this test."""
    assert "make demo" in commands_in(README.read_text())
    [recipe] = re.findall(r"^demo:.*\n\t(.*)$", (ROOT / "Makefile").read_text(), re.MULTILINE)
    done = run(machine, recipe.replace("$(BIN)/", ""))
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.endswith(b"~/.claude/settings.json is byte for byte what it was.\n")
    assert steps(done.stdout.decode()) == steps(pictured()), "run `python -m tools.make_picture`"


def steps(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.startswith(("$ runaway ", "# "))]


def pictured() -> str:
    """The text in the README's picture, without what the demo itself was called by."""
    assert "](docs/demo.svg)" in README.read_text()
    picture = (ROOT / "docs/demo.svg").read_text("utf-8")
    assert "url(" not in picture.replace("url(#", "")
    lines: dict[str, str] = {}
    for place, text in re.findall(r'<text[^>]* y="([\d.]+)"[^>]*>(.*?)</text>', picture):
        lines[place] = lines.get(place, "") + html.unescape(text).replace("\xa0", " ")
    return "\n".join(line.strip() for line in lines.values() if line.strip() != "$ runaway demo")


needs_bash = pytest.mark.skipif(shutil.which("bash") is None, reason="bash is absent")
NEEDS_A_TERMINAL = ("setup", "uninstall")


def is_whole(line: str) -> bool:
    """Not only the name of a command that needs more, nor an option of the shell's user."""
    name, *arguments = line.split()[1:]
    try:
        COMMANDS[name].make_context(name, arguments)
    except Exception:  # noqa: BLE001  # click's own, of the copy that typer carries
        return False
    return name != "demo"  # run above


IN_README = [line for line in dict.fromkeys(commands_in(README.read_text())) if is_whole(line)]


@pytest.mark.parametrize("line", IN_README)
def test_a_command_of_the_readme_runs(wired: Machine, line: str) -> None:
    """In a home that is set up and in which a session was stopped; without a terminal."""
    for number in range(8):
        call(registered(wired), payload("looping", number))
    done = run(wired, line)
    words = set(line.split())
    if words & set(NEEDS_A_TERMINAL) and not words & {"--non-interactive", "--yes"}:
        assert done.returncode == 2
        assert b"terminal" in done.stderr or b"--yes" in done.stderr
    elif "replay" in words:
        assert done.stderr.startswith(b"No past sessions were found")
    else:
        assert (done.returncode, done.stderr) == (0, b"")


# -- the schema


def closed(schema: Any) -> Any:
    """The same without room for keys that it does not name: what is told must be what is published."""
    if isinstance(schema, list):
        return [closed(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    rest = {key: closed(value) for key, value in schema.items()}
    is_open = "required" not in schema or "$defs" in schema
    return rest if is_open else {**rest, "additionalProperties": False}


VALIDATOR = jsonschema.Draft202012Validator(closed(SCHEMA))
# A machine that is set up, in this order; the last ones take things away. Each with its exit code.
LINES: dict[str, int] = {
    "setup --non-interactive --harness claude": 0,
    "setup --dry-run --harness codex --harness cursor": 0,
    "setup --check --harness claude": 0,
    "setup --check --harness codex": 1,
    "setup": 2,
    "setup --scope world --non-interactive": 2,
    "doctor --harness claude": 0,
    "doctor": 0,
    "status": 0,
    "why": 0,
    "why nobody": 1,
    "resume --add 5 --for 10m": 0,
    "pause 1h": 0,
    "stop": 0,
    "start": 0,
    "status ": 0,
    "pause --off": 0,
    "config show": 0,
    "config get limits.loop.same_call": 0,
    "config set spend.day_cap 9": 0,
    "config path": 0,
    "config explain spend.day_cap": 0,
    "config unset spend.day_cap": 0,
    "config edit": 2,
    "config get nothing": 2,
    "prices list": 0,
    "prices check": 0,
    "prices set my-model 1 2": 0,
    "prices unset my-model": 0,
    "completion bash": 0,
    "backups list": 0,
    "backups show {backup}": 0,
    "backups restore {backup}": 0,
    "backups prune": 0,
    "replay {home}/.claude": 0,
    "report": 0,
    "report --html {home}/page.html": 0,
    "statusline": 0,
    "uninstall --dry-run": 0,
    "uninstall --yes": 0,
    "demo": 0,
    "no-such-command": 2,
}


def test_what_every_command_prints_is_what_the_schema_says(
    machine: Machine,
) -> None:
    user_file(machine, b'{"model": "opus"}\n')
    log = machine.home / "session.jsonl"
    shutil.copyfile(GOLDEN, log)
    told = {}
    for line in LINES:
        arguments = line.format(home=machine.home, backup=first_backup(machine)).split()
        told[line] = output(machine, arguments)
        if "--non-interactive" in line:
            for number in range(8):
                fields = {**json.loads(payload("looping", number)), "transcript_path": str(log)}
                call(registered(machine), json.dumps(fields).encode())
    assert {line: one["exit_code"] for line, one in told.items()} == LINES
    for line, one in told.items():
        VALIDATOR.validate(one)
        assert one["data"] or one["exit_code"] or one["command"] == "prices", line
    assert told["why"]["data"]["bill"]
    assert told["why"]["data"]["calls"]
    seen = {one["command"] for one in told.values() if one["data"]}
    assert seen == {name.split()[0] for name in COMMANDS}


def first_backup(machine: Machine) -> str:
    found = sorted((machine.state / "backups").glob("*"))
    return found[0].name.partition(".")[0] if found else ""


def output(machine: Machine, arguments: list[str]) -> dict[str, Any]:
    done = run(machine, shlex.join(["runaway", *arguments, "--json"]))
    assert done.stderr == b""
    told = json.loads(done.stdout)
    assert isinstance(told, dict)
    assert told["exit_code"] == done.returncode
    return told


def test_the_schema_itself_is_sound_and_takes_new_keys() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    told = {"schema": "runaway/1", "command": "pause", "status": "ok", "exit_code": 0}
    newer = {**told, "data": {"until": None, "new": 1}, "messages": [], "new": 1}
    jsonschema.validate(newer, SCHEMA)
    for wrong in ({**newer, "schema": "runaway/2"}, {**newer, "data": {"until": "soon"}}):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(wrong, SCHEMA)


# -- completion


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        ("runaway up", []),
        ("runaway un", ["uninstall"]),
        ("runaway setup --harness c", ["claude", "codex", "copilot", "cursor"]),
        ("runaway stop --harness p", ["pi"]),
        ("runaway setup --scope m", ["managed"]),
        ("runaway config explain spend.", ["spend.day_cap", "spend.session_cap"]),
        ("runaway completion f", ["fish"]),
        ("runaway why a", ["aa0e4bd2"]),
        ("runaway resume --session a", ["aa0e4bd2"]),
    ],
)
def test_a_shell_completes_commands_and_harnesses(
    wired: Machine, words: str, wanted: list[str]
) -> None:
    call(registered(wired), payload("aa0e4bd2-1111"))
    position = str(len(words.split()) - 1)
    done = run(
        wired, "runaway", _RUNAWAY_COMPLETE="complete_bash", COMP_WORDS=words, COMP_CWORD=position
    )
    assert sorted(done.stdout.decode().split()) == wanted


def test_completion_installs_itself(machine: Machine) -> None:
    done = run(machine, "bash -c 'runaway --install-completion; true'")
    assert b"completion installed" in done.stdout, done.stderr
    assert "runaway" in (machine.home / ".bashrc").read_text()


def test_uninstall_names_the_completion_that_stays(wired: Machine) -> None:
    script = wired.home / ".bash_completions/runaway.sh"
    script.parent.mkdir()
    script.touch()
    told = run(wired, "runaway uninstall --yes").stdout.decode()
    assert "~/.bash_completions/runaway.sh: kept, your shell completes" in told
    assert "the line in ~/.bashrc" in told


@needs_bash
def test_the_printed_script_completes_in_the_shell_itself(machine: Machine) -> None:
    line = (
        'eval "$(runaway completion bash)"; COMP_WORDS=(runaway un); COMP_CWORD=1; '
        "_runaway_completion runaway; echo ${COMPREPLY[@]}"
    )
    done = run(machine, f"bash -c {shlex.quote(line)}")
    assert (done.stdout, done.stderr) == (b"uninstall\n", b"")


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_other_shells_get_a_script_of_their_own(machine: Machine, shell: str) -> None:
    assert run(machine, f"runaway completion {shell}").stdout.count(b"complete_" + shell.encode())
    assert run(machine, "runaway completion tcsh").returncode == 2
