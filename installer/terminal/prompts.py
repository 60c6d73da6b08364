"""Two ways to ask a person: menus, and plain lines for terminals and screen readers that want them.

questionary takes longer to import than the rest of the tool together, so it waits until it is needed.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import typer

if TYPE_CHECKING:
    from questionary import Question

BACK = object()  # what a menu gives when Escape was pressed
ESCAPE_WAIT = 0.1  # seconds in which the rest of an arrow key must follow, also over ssh
NO_AMOUNT = "Please enter an amount in dollars, 0 or more."
NOTHING_TICKED = "Tick at least one with the space bar; `runaway uninstall` takes out all."


class Back(Exception):
    """The person wants to see the question before this one again."""


class Choice(NamedTuple):
    """What can be picked; `value` is the answer, `ticked` what holds unless the person says so."""

    value: str
    title: str
    ticked: bool = False


class Asker(Protocol):
    """Every question may raise Back, KeyboardInterrupt or typer.Abort."""

    def many(self, question: str, choices: Sequence[Choice]) -> tuple[str, ...]: ...

    def one(self, question: str, choices: Sequence[Choice]) -> str: ...

    def amount(self, question: str, default: float) -> float: ...


def asker() -> Asker:
    """Menus move the cursor about, which a dumb terminal cannot and a screen reader reads badly."""
    return Lines() if os.environ.get("TERM", "dumb") in ("dumb", "unknown") else Menus()


def dollars(text: str) -> float | None:
    """None for what is no amount."""
    try:
        value = float(text.strip().lstrip("$"))
    except ValueError:
        return None
    return value if 0 <= value < 1e12 else None


class Menus:
    """Arrow keys, space and Enter; Escape goes back."""

    def many(self, question: str, choices: Sequence[Choice]) -> tuple[str, ...]:
        import questionary

        shown = [questionary.Choice(one.title, one.value, checked=one.ticked) for one in choices]
        prompt = questionary.checkbox(
            question,
            choices=shown,
            instruction="(space ticks, Enter goes on)",
            validate=lambda ticked: bool(ticked) or NOTHING_TICKED,
        )
        return tuple(_asked(prompt))

    def one(self, question: str, choices: Sequence[Choice]) -> str:
        import questionary

        shown = {one.value: questionary.Choice(one.title, one.value) for one in choices}
        first = next((shown[one.value] for one in choices if one.ticked), None)
        prompt = questionary.select(
            question,
            choices=list(shown.values()),
            default=first,
            instruction="(Enter goes on, Esc goes back)",
        )
        return str(_asked(prompt))

    def amount(self, question: str, default: float) -> float:
        import questionary

        prompt = questionary.text(
            question,
            default=f"{default:g}",
            instruction="(Esc goes back) ",
            validate=lambda text: dollars(text) is not None or NO_AMOUNT,
        )
        return dollars(_asked(prompt)) or 0.0


def _asked(prompt: Question) -> Any:
    """`unsafe_ask` lets Ctrl-C through as KeyboardInterrupt."""
    from prompt_toolkit.key_binding import KeyBindings, merge_key_bindings

    keys = KeyBindings()
    keys.add("escape", eager=True)(lambda event: event.app.exit(result=BACK))
    application = prompt.application
    own = application.key_bindings
    application.key_bindings = merge_key_bindings([own, keys] if own else [keys])
    application.ttimeoutlen = ESCAPE_WAIT
    answer = prompt.unsafe_ask()
    if answer is BACK:
        raise Back
    return answer


class Lines:
    """One numbered list after the other; `b` goes back."""

    def many(self, question: str, choices: Sequence[Choice]) -> tuple[str, ...]:
        self._list(choices)
        ticked = [str(number) for number, one in enumerate(choices, 1) if one.ticked]
        while True:
            answer = self._read(f"{question} Numbers, b goes back", " ".join(ticked))
            picked = {self._picked(word, choices) for word in answer.replace(",", " ").split()}
            if picked and None not in picked:
                return tuple(one.value for one in choices if one.value in picked)
            typer.echo(f"Please enter numbers from 1 to {len(choices)}.")

    def one(self, question: str, choices: Sequence[Choice]) -> str:
        self._list(choices)
        first = next((number for number, one in enumerate(choices, 1) if one.ticked), 1)
        while True:
            answer = self._read(f"{question} Number, b goes back", str(first))
            picked = self._picked(answer, choices)
            if picked is not None:
                return picked
            typer.echo(f"Please enter a number from 1 to {len(choices)}.")

    def amount(self, question: str, default: float) -> float:
        while True:
            value = dollars(self._read(f"{question} b goes back", f"{default:g}"))
            if value is not None:
                return value
            typer.echo(NO_AMOUNT)

    @staticmethod
    def _list(choices: Sequence[Choice]) -> None:
        for number, one in enumerate(choices, 1):
            typer.echo(f"  {number}. {one.title}")

    @staticmethod
    def _read(question: str, default: str) -> str:
        """Enter alone takes the default; the end of input is a no."""
        try:
            answer = input(f"{question} [{default}]: ").strip()
        except EOFError:
            raise typer.Abort from None
        if answer == "b":
            raise Back
        return answer or default

    @staticmethod
    def _picked(word: str, choices: Sequence[Choice]) -> str | None:
        number = int(word) if word.isascii() and word.isdigit() else 0
        return choices[number - 1].value if 0 < number <= len(choices) else None
