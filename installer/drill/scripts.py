"""Ready-made scripts: how a model misbehaves, as pure functions of the request."""

from __future__ import annotations

from collections.abc import Callable

from .server import ApiError, Reply, Request, Script, Text, ToolUse, Usage

DONE = Reply((Text("Done."),))


def looping(call: ToolUse, *, times: int | None = None, together: int = 1) -> Script:
    """The same call for ever, or in `times` answers; `together` of them in each answer."""
    return distinct(lambda _: call, times=times, together=together)


def distinct(
    call: Callable[[int], ToolUse], *, times: int | None = None, together: int = 1
) -> Script:
    """`call(0)`, `call(1)`, ...: `together` per answer, in `times` answers."""

    def script(request: Request) -> Reply | ApiError:
        if times is not None and request.round > times:
            return DONE
        first = (request.round - 1) * together
        return Reply(tuple(call(first + offset) for offset in range(together)))

    return script


def replies(*answers: Reply | ApiError) -> Script:
    """These answers in order, then the end of the turn; each agent begins at the first one."""

    def script(request: Request) -> Reply | ApiError:
        return answers[request.round - 1] if request.round <= len(answers) else DONE

    return script


def delegating(subagent: Script, *, main: Script | None = None) -> Script:
    """The main agent starts one subagent, which follows `subagent`, and then follows `main`."""

    def script(request: Request) -> Reply | ApiError:
        if request.agent:
            return subagent(request)
        if request.round == 1:
            return Reply((AGENT,))
        return main(request._replace(round=request.round - 1)) if main else DONE

    return script


AGENT = ToolUse(
    "Agent",
    {
        "description": "a drill",
        "prompt": "x",
        "subagent_type": "general-purpose",
        "run_in_background": False,
    },
)


def drilling(script: Script, on_progress: Callable[[int], None]) -> Script:
    """`script` for a drill: it tells the number of requests, and no ledger shall hear of its answers."""

    def driller(request: Request) -> Reply | ApiError:
        on_progress(request.number)
        return spending(script, lambda _: Usage(0, 0))(request)

    return driller


def spending(script: Script, usage: Callable[[Request], Usage], *, model: str = "") -> Script:
    """`script`, each answer billed as `usage(request)` and as coming from `model`."""

    def spender(request: Request) -> Reply | ApiError:
        reply = script(request)
        if isinstance(reply, ApiError):
            return reply
        return reply._replace(usage=usage(request), model=model)

    return spender


def offers(request: Request, tool: str) -> bool:
    """May the model call this tool?"""
    return any(offered.get("name") == tool for offered in request.body.get("tools", ()))
