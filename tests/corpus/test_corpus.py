"""Every file of the corpus: what setup makes of it, and that all of it can be taken back.

The cases with what is expected of them stand in the modules beside this one; walk.py lives
through each one on real files.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from runaway.installer.machine import Machine
from tests.corpus.case import Case, Harness, texts
from tests.corpus.claude import CASES, CLAUDE
from tests.corpus.conftest import Walked
from tests.corpus.corpus import CLAUDE_CASES, CORPUS
from tests.corpus.walk import Moment, Walk
from tests.support.installer import (
    install_claude,
    needs_patch,
    registered,
    row,
    unwire,
    user_file,
    wire,
)
from tools.corpus_table import tables

ALL = [(harness, case) for harness, cases in CORPUS for case in cases]
KEPT = [(harness, case) for harness, case in ALL if not case.code]
REFUSED = [(harness, case) for harness, case in ALL if case.code]


def each(cases: list[tuple[Harness, Case]]) -> pytest.MarkDecorator:
    names = [f"{harness.file}, {case.name}" for harness, case in cases]
    return pytest.mark.parametrize(("harness", "case"), cases, ids=names)


def kinds(walk: Walk, moment: Moment) -> dict[str, tuple[object, ...]]:
    """Name -> mode, number of hard links, and content unless it is that of the settings file."""
    target = str(walk.file.resolve().relative_to(walk.home.resolve()))
    settings = moment.home[target][1] if target in moment.home else None
    return {
        name: (
            mode,
            links if walk.home.joinpath(name).is_file() else 1,
            inode == settings or content,
        )
        for name, (mode, inode, links, _, _, content) in moment.home.items()
    }


def test_the_corpus_is_as_large_as_promised() -> None:
    assert len(ALL) >= 60
    assert len({(harness.file, case.name) for harness, case in ALL}) == len(ALL)


@each(KEPT)
def test_setup_writes_exactly_the_expected_bytes(
    walked: Walked, harness: Harness, case: Case
) -> None:
    walk = walked(harness, case)
    changes = walk.texts.before != walk.texts.after
    assert walk.wired.then.data == walk.texts.after
    assert walk.wired.result.exit_code == 0
    assert (row(walk.wired.result)["action"] == "unchanged") is not changes


@each(KEPT)
def test_modes_links_and_neighbours_stay_as_they_were(
    walked: Walked, harness: Harness, case: Case
) -> None:
    walk = walked(harness, case)
    after = kinds(walk, walk.wired.then)
    made = after.keys() - walk.placed.home.keys()
    assert {name: after[name] for name in after.keys() - made} == kinds(walk, walk.placed)
    assert {f"{after[name][0]:o}" for name in made} <= {"100600", "40700"}
    assert bool(made) is case.placed.is_absent


@each(REFUSED)
def test_a_refusal_names_the_reason_and_leaves_everything_untouched(
    walked: Walked, harness: Harness, case: Case
) -> None:
    walk = walked(harness, case)
    [message] = [one for one in walk.wired.result.messages if one.level == "error"]
    assert message.code == case.code
    assert case.says in message.text
    assert message.fix
    assert row(walk.wired.result)["action"] == "refused"
    assert walk.wired.result.exit_code == 1
    assert walk.wired.then == walk.placed
    assert walk.unwired.then.home == walk.restored.then.home == walk.placed.home


@each(KEPT)
def test_a_second_setup_changes_no_byte_and_no_time(
    walked: Walked, harness: Harness, case: Case
) -> None:
    walk = walked(harness, case)
    assert row(walk.again.result)["action"] == "unchanged"
    assert walk.again.then.home == walk.wired.then.home


@each(KEPT)
def test_uninstall_gives_the_bytes_back(walked: Walked, harness: Harness, case: Case) -> None:
    walk = walked(harness, case)
    assert walk.unwired.then.data == walk.texts.left
    assert kinds(walk, walk.unwired.then) == kinds(walk, walk.placed)
    assert walk.unwired.result.exit_code == 0


@each(KEPT)
def test_uninstall_with_restore_gives_the_bytes_back(
    walked: Walked, harness: Harness, case: Case
) -> None:
    """Not with an older entry of ours in them: that goes too."""
    walk = walked(harness, case)
    assert walk.restored.then.data == walk.texts.left
    assert kinds(walk, walk.restored.then) == kinds(walk, walk.placed)
    assert walk.restored.result.exit_code == 0


@each(ALL)
def test_a_dry_run_leaves_the_whole_tree_untouched(
    walked: Walked, harness: Harness, case: Case
) -> None:
    """Names, bytes, modes, links and times, also those of our own folders."""
    walk = walked(harness, case)
    assert walk.planned.then == walk.placed
    assert walk.unplanned.then == walk.again.then


@needs_patch
@each(KEPT)
def test_patch_makes_of_the_dry_run_what_setup_writes(
    walked: Walked, harness: Harness, case: Case
) -> None:
    walk = walked(harness, case)
    assert walk.patched == walk.wired.then.data


@pytest.mark.long
@pytest.mark.parametrize("case", CASES, ids=lambda one: one.name)
def test_with_a_release_that_has_another_event_the_way_back_is_the_same(
    machine: Machine, case: Case
) -> None:
    expected = texts(case, CLAUDE, registered(machine))
    install_claude(machine, "2.1.332")
    file = user_file(machine)
    case.placed.put(file, expected.before or b"")
    assert wire(machine).exit_code == 0
    assert b"PostToolBatch" in file.read_bytes().replace(b"\0", b"")
    assert row(wire(machine))["action"] == "unchanged"
    unwire(machine)
    assert (file.read_bytes() if file.exists() else None) == expected.left


SCRIPT = Path(sys.executable).with_name("runaway")
BY_SCRIPT = (
    "CRLF",
    "UTF-16 with a byte order mark",
    "lone surrogates as escapes",
    "a line comment",
    "Latin-1",
    "links in a circle",
)


@pytest.mark.parametrize("name", BY_SCRIPT)
def test_the_console_script_does_the_same_in_the_poorest_locale(
    machine: Machine, name: str
) -> None:
    [case] = [case for case in CLAUDE_CASES if case.name == name]
    expected = texts(case, CLAUDE, registered(machine))
    file = user_file(machine)
    case.placed.put(file, expected.before or b"")
    told = run(machine, "setup", "--non-interactive", "--harness", "claude")
    assert (told.returncode, case.says.encode() in told.stderr) == (1 if case.code else 0, True)
    if not case.code:
        assert file.read_bytes() == expected.after
    assert run(machine, "uninstall", "--yes", "--harness", "claude").returncode == 0
    assert (file.read_bytes() if file.exists() else None) == expected.left


def run(machine: Machine, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    environ = {"HOME": str(machine.home), "PATH": os.defpath, "LC_ALL": "C"}
    done = subprocess.run(
        [SCRIPT, *arguments],
        cwd=machine.home,
        env={**environ, "PYTHONIOENCODING": "ascii"},
        capture_output=True,
        check=False,
    )
    assert b"Traceback" not in done.stdout + done.stderr
    return done


def test_the_tables_of_the_document_are_what_make_corpus_table_prints(walked: Walked) -> None:
    document = Path(__file__).parents[2] / "docs/editing-safely.md"
    assert f"\n\n{tables(walked)}\n## What is not promised\n" in document.read_text("utf-8")
