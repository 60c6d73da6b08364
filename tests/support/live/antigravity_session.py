"""One session of Antigravity's core, run as a program of its own: a job on stdin, the turns on stdout."""

from __future__ import annotations

import asyncio
import json
import sys
from typing import Any

from google.antigravity import Agent, LocalAgentConfig, types  # type: ignore[import-not-found]
from google.antigravity.hooks import policy  # type: ignore[import-not-found]


async def main(job: dict[str, Any]) -> list[dict[str, str]]:
    model = types.ModelTarget(
        name=job["model"],
        endpoint=types.GeminiAPIEndpoint(api_key="none", base_url=job["url"]),
    )
    config = LocalAgentConfig(
        api_key="none",
        model=model,
        policies=[policy.allow_all()],
        workspaces=[job["project"]],
        app_data_dir=job["data"],
    )
    turns = []
    async with Agent(config=config) as agent:
        for prompt in job["prompts"]:
            try:
                reply = await agent.chat(prompt)
                text = await asyncio.wait_for(reply.text(), job["seconds"])
                turns.append({"text": text})
            except Exception as error:  # noqa: BLE001  # whatever it is, a test reads it
                turns.append({"error": repr(error)})
    return turns


print(json.dumps(asyncio.run(main(json.load(sys.stdin)))))
