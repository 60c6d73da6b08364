"""Which models the price table holds, under which names the two sources list them, and every case
in which the sources differ, with the side taken and the reason.
"""

from __future__ import annotations

from datetime import date
from fractions import Fraction
from typing import NamedTuple

from runaway.guard.prices import key

AS_OF = date(2026, 11, 30)  # the day whose prices are compared: the younger release's


class Model(NamedTuple):
    """`name` as the table spells it; `genai` is `provider:id`, `litellm` a key of its price map."""

    name: str
    genai: str
    litellm: str


class Choice(NamedTuple):
    """What holds for one field of one model, or for all fields of a model that a source lacks."""

    take: str | Fraction  # "genai", "litellm" or the value itself
    reason: str


def same(provider: str, prefix: str, names: str) -> tuple[Model, ...]:
    """Models that both sources list under the vendor's own name."""
    return tuple(
        Model(key(name), f"{provider}:{name}", prefix + name.lower()) for name in names.split()
    )


MODELS = (
    *same("anthropic", "", "claude-opus-5-5 claude-opus-5 claude-opus-4-8 claude-opus-4-7"),
    *same("anthropic", "", "claude-opus-4-6 claude-opus-4-5"),
    Model(
        "claude-opus-4-1",
        "anthropic:claude-opus-4-1",
        "anthropic.claude-opus-4-1-20250805-v1:0",
    ),
    Model("claude-opus-4", "anthropic:claude-opus-4-0", "anthropic.claude-opus-4-20250514-v1:0"),
    *same("anthropic", "", "claude-sonnet-5-5 claude-sonnet-5 claude-sonnet-4-6 claude-sonnet-4-5"),
    Model(
        "claude-sonnet-4",
        "anthropic:claude-sonnet-4-0",
        "anthropic.claude-sonnet-4-20250514-v1:0",
    ),
    Model(
        "claude-sonnet-3-7",
        "anthropic:claude-3-7-sonnet-latest",
        "anthropic.claude-3-7-sonnet-20250219-v1:0",
    ),
    Model(
        "claude-sonnet-3-5",
        "anthropic:claude-3-5-sonnet",
        "anthropic.claude-3-5-sonnet-20241022-v2:0",
    ),
    *same("anthropic", "", "claude-haiku-5-5 claude-haiku-4-5"),
    Model(
        "claude-haiku-3-5",
        "anthropic:claude-3-5-haiku-latest",
        "anthropic.claude-3-5-haiku-20241022-v1:0",
    ),
    *same("anthropic", "", "claude-fable-5-2 claude-fable-5-1 claude-fable-5"),
    *same("anthropic", "", "claude-mythos-5-2 claude-mythos-5-1 claude-mythos-5"),
    *same("openai", "", "gpt-6.1-sol gpt-6.1-terra gpt-6-astra gpt-6-sol gpt-6-luna"),
    Model("gpt-5-6", "openai:gpt-5.6-sol", "gpt-5.6"),
    *same("openai", "", "gpt-5.6-sol gpt-5.6-terra gpt-5.6-luna gpt-5.5 gpt-5.5-pro"),
    *same("openai", "", "gpt-5.4 gpt-5.4-mini gpt-5.4-nano gpt-5.4-pro"),
    Model("gpt-5-3", "openai:gpt-5.3-codex", "gpt-5.3-codex"),
    *same("openai", "", "gpt-5.2 gpt-5.2-pro gpt-5.1 gpt-5.1-codex-mini"),
    *same("openai", "", "gpt-5 gpt-5-pro gpt-5-mini gpt-5-nano gpt-4.1 gpt-4.1-mini gpt-4o"),
    *same("openai", "", "o3 o3-pro o4-mini"),
    Model("gpt-oss", "groq:openai/gpt-oss-120b", "groq/openai/gpt-oss-120b"),
    *same("google", "gemini/", "gemini-4-argon gemini-4-hydrogen gemini-3.8-flash"),
    *same("google", "gemini/", "gemini-3.7-flash gemini-3.6-flash gemini-3.5-flash"),
    *same("google", "gemini/", "gemini-3.5-flash-lite gemini-3.1-flash-lite"),
    Model("gemini-3-1-pro", "google:gemini-3.1-pro-preview", "gemini/gemini-3.1-pro-preview"),
    Model("gemini-3-pro", "google:gemini-3-pro-preview", "gemini/gemini-3-pro-preview"),
    Model("gemini-3-flash", "google:gemini-3-flash-preview", "gemini/gemini-3-flash-preview"),
    *same("google", "gemini/", "gemini-2.5-pro gemini-2.5-flash gemini-2.5-flash-lite"),
    *same("x-ai", "xai/", "grok-4.7 grok-4.6 grok-4.5 grok-4.3"),
    *same("deepseek", "deepseek/", "deepseek-v4-pro deepseek-v4-flash"),
    *same("moonshotai", "moonshot/", "kimi-k3.1-pro kimi-k3 kimi-k2.7-code kimi-k2.6"),
    *same("zai", "zai/", "GLM-5.3 GLM-5.3-Flash GLM-5.2 GLM-5.1 GLM-5 GLM-4.7 GLM-4.6"),
    Model("qwen3-8-max", "fireworks:qwen3p8-max", "dashscope/qwen3.8-max"),
    Model("qwen3-8-flash", "novita:qwen/qwen3.8-flash", "dashscope/qwen3.8-flash"),
    Model("qwen3-7-max", "alibaba:qwen3.7-max", "dashscope/qwen3.7-max"),
)

# Models that only few people run with an agent: what genai-prices alone says of them. First those who
# make them, then makers that it lists below OpenRouter only.
MAKERS = ("mistral", "minimax", "moonshotai", "deepseek", "zai", "x-ai", "meta", "cursor")
RESOLD = (
    *("xiaomi", "tencent", "qwen", "minimax", "mistralai", "deepseek", "nvidia", "stepfun"),
    *("inclusionai", "poolside", "meta", "bytedance-seed", "arcee-ai", "thinkingmachines"),
    *("z-ai", "moonshotai", "x-ai"),
)
RESELLER = "openrouter"
# Words in names of models that no agent runs; of Llama only tuned ones are listed, which are cheap.
NO_AGENTS = frozenset(("batch", "embed", "ocr", "voxtral", "transcribe", "voice", "llama"))
NO_AGENTS |= {"image", "audio", "tts", "realtime", "vl", "vision", "guard", "safety"}

CLAUDE_CODE = "neither source says it; the table inside Claude Code 2.1.332 does"
CAUTIOUS = "one source lists no dearer price for long prompts; the guard takes the dearer side"
NOT_IN_GENAI = "not in genai-prices 0.2.3"
NOT_IN_LITELLM = "not in LiteLLM 1.110.2"
EXCEPTIONS = {
    ("claude-opus-4-7", "fast"): Choice(Fraction(6), CLAUDE_CODE),
    ("claude-opus-4-6", "fast"): Choice(Fraction(6), CLAUDE_CODE),
    # The only prompts that long were those of a beta that ended on 2026-04-30.
    ("claude-sonnet-4-5", "long_from"): Choice("genai", CAUTIOUS),
    ("claude-sonnet-4", "long_from"): Choice("litellm", CAUTIOUS),
    ("claude-fable-5-2", "model"): Choice("genai", NOT_IN_LITELLM),
    ("claude-fable-5-2", "us"): Choice(Fraction(11, 10), CLAUDE_CODE),
    ("claude-mythos-5-2", "model"): Choice("genai", NOT_IN_LITELLM),
    ("claude-mythos-5-2", "us"): Choice(Fraction(11, 10), CLAUDE_CODE),
    ("claude-mythos-5-1", "model"): Choice("litellm", NOT_IN_GENAI),
    ("claude-mythos-5", "model"): Choice("litellm", NOT_IN_GENAI),
    ("gpt-4-1", "search"): Choice("genai", "25 is the price of the older preview tool"),
    ("gpt-4-1-mini", "search"): Choice("genai", "25 is the price of the older preview tool"),
    ("gemini-4-hydrogen", "model"): Choice("litellm", NOT_IN_GENAI),
    ("gemini-3-pro", "model"): Choice("genai", NOT_IN_LITELLM),
    ("qwen3-7-max", "model"): Choice("litellm", "genai-prices lists resellers only"),
}
