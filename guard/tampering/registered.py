"""The command that setup registers, as it begins in each release; launch_command.py adds the launcher."""

from __future__ import annotations

# Measured under dash, bash, zsh, fish, ksh, mksh, busybox and tcsh, with pipe and here-document input:
# a missing, unreadable or broken launcher gives exit code 0 and no output.
SCRIPT = 'command . "$0" 2>/dev/null || true'
SHELL = "/bin/sh"
# A settings file may set PATH, and a shell that may start no process exits with 2, which denies: so the
# shell has an absolute path and takes the place of the one that the harness starts.
TODAY = f"exec {SHELL} -c '{SCRIPT}'"
EARLIER = (f"sh -c '{SCRIPT}'",)  # still ours, renewed by the next setup
# Kiro takes no other denial than exit code 2 with the reason on stderr. That code comes for a text of the
# guard's, known by its marker, and for nothing else: a shell that fails on the way ends in the trap.
DENIES_BY_CODE = (
    'trap "exit 0" EXIT; told=$({} || true); '
    'case $told in "[runaway]"*) trap - EXIT; printf %s "$told" >&2; exit 2;; esac'
)
BY_CODE = f"exec {SHELL} -c '{DENIES_BY_CODE}'".format('command . "$0" 2>/dev/null')
DENIAL_CODES = {"kiro": 2}  # of the harnesses whose entry begins so
LAUNCHER = "runaway/launch"  # how the launcher's path ends, whatever the machine
# One entry for every home: where Linux, and where macOS, keeps what belongs to a person's programs.
ANYWHERE = " || ".join(
    f'command . "{folder}/{LAUNCHER}" 2>/dev/null'
    for folder in ("${XDG_DATA_HOME:-$HOME/.local/share}", "$HOME/Library/Application Support")
)
# Some harnesses replace `$NAME` in every text of their settings: no `$` stands before a letter.
PORTABLE = f"exec {SHELL} -c '{ANYWHERE} || true' runaway".replace("$", "$''")
PORTABLE_BY_CODE = f"exec {SHELL} -c '{DENIES_BY_CODE}' runaway".format(ANYWHERE).replace(
    "$", "$''"
)
