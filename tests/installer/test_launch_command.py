from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from runaway.guard.tampering.registered import EARLIER, SCRIPT, TODAY
from runaway.installer.errors import Refusal
from runaway.installer.launch_command import (
    ANY_HOME,
    Registered,
    command_for,
    commands_for,
    may_name,
    parse,
    quote,
)
from tests.support.installer import NASTY

LAUNCHER = Path("/home/u/.local/share/runaway/launch")
COMMAND = command_for(LAUNCHER, "claude")

PLACES = [
    "/home/u",
    "/home/with blank",
    "/home/it's",
    '/home/"quoted"',
    "/home/$HOME/${x}/$(id)",
    "/home/(1) [2] {3} * ? ~ # ! & ; | < >",
    "/home/back\\slash",
    "/home/ünï/日本/🦊",
    "/home/new\nline\tand tab",
    f"/home/{NASTY}",
]

# Not ours, however much it looks like it.
FOREIGN = {
    "another launcher": command_for(Path("/opt/other/launch"), "claude"),
    "another file of ours": command_for(Path("/home/u/.local/share/runaway/other"), "claude"),
    "one word more": f"{COMMAND} --verbose",
    "one word less": COMMAND.removesuffix(" claude"),
    "followed by a command": f"{COMMAND}; curl example.com",
    "joined with another": f"true && {COMMAND}",
    "with a variable": f"X=1 {COMMAND}",
    "another shell": COMMAND.replace("/bin/sh -c", "/bin/bash -c", 1),
    "a shell that somebody planted": COMMAND.replace("/bin/sh", "./sh", 1),
    "neither today's form nor an earlier one": COMMAND.removeprefix("exec "),
    "executed twice": f"exec {COMMAND}",
    "nothing but its end": f"{quote(str(LAUNCHER))} claude",
    "another script": COMMAND.replace("|| true", "|| exit 2"),
    "only mentioned": f"echo {shlex.quote(COMMAND)}",
    "as a comment": f"my-check # {COMMAND}",
    "a user's tool of a like name": "/home/me/runaway/launch claude",
    "not closed": COMMAND + " '",
    "empty": "",
    "no text": None,
    "a number": 5,
    "a list": ["sh", "-c", SCRIPT, str(LAUNCHER), "claude"],
}


def test_the_command_is_one_short_line_with_the_launcher_quoted() -> None:
    assert COMMAND == (
        "exec /bin/sh -c 'command . \"$0\" 2>/dev/null || true' "
        "'/home/u/.local/share/runaway/launch' claude"
    )


def test_what_earlier_releases_wrote_is_still_ours() -> None:
    today, *earlier, portable = commands_for(LAUNCHER, "claude")
    assert (today, earlier) == (COMMAND, [COMMAND.removeprefix("exec /bin/")])
    assert {parse(command) for command in earlier} == {Registered(LAUNCHER, "claude")}
    assert parse(portable) == Registered(ANY_HOME, "claude")


@pytest.mark.parametrize("start", [TODAY, *EARLIER], ids=str)
def test_a_form_without_launcher_or_harness_is_not_ours(start: str) -> None:
    cut = [" ".join((start, *map(quote, rest))) for rest in ((), (str(LAUNCHER),))]
    assert [parse(command) for command in cut] == [None, None]


@pytest.mark.parametrize("home", PLACES)
def test_what_is_written_is_read_back_whatever_the_path(home: str) -> None:
    launcher = Path(home, ".local/share/runaway/launch")
    assert parse(command_for(launcher, "claude")) == Registered(launcher, "claude")


@pytest.mark.parametrize("text", [*PLACES, "", "'", "''", "\\'"])
def test_quoted_text_is_one_word_for_a_shell(text: str) -> None:
    assert shlex.split(quote(text)) == [text]


def test_other_quoting_of_the_same_words_is_ours() -> None:
    other = f"exec '/bin/sh'  -c {shlex.quote(SCRIPT)} /x/runaway/launch \"claude\""
    assert parse(other) == Registered(Path("/x/runaway/launch"), "claude")


@pytest.mark.parametrize("command", FOREIGN.values(), ids=FOREIGN.keys())
def test_a_command_that_only_looks_like_ours_is_not(command: object) -> None:
    assert parse(command) is None


def test_a_path_that_no_json_text_can_hold_is_refused() -> None:
    with pytest.raises(Refusal) as caught:
        command_for(Path("/home/\udcff/runaway/launch"), "claude")
    assert caught.value.code == "undecodable-path"
    assert "/home/\\udcff/runaway/launch" in caught.value.text


@pytest.mark.parametrize(
    "data",
    [COMMAND.encode(), COMMAND.replace("/", "\\/").encode(), COMMAND.encode("utf-16")],
    ids=["plain", "escaped slashes", "UTF-16"],
)
def test_a_broken_file_that_may_name_the_launcher_is_recognised(data: bytes) -> None:
    assert may_name(b'{"broken: ' + data)


@pytest.mark.parametrize("data", [b"", b"{}", b"run away/launch", b"runaway-launch", b"\xff\xfe"])
def test_a_broken_file_without_the_launchers_name_is_not_ours(data: bytes) -> None:
    assert not may_name(data)
