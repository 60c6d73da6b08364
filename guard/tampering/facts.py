"""What is guarded, and what silences a harness: the one table of files, switches, flags and variables.

From docs/harnesses/; a file is named by how its path ends, below a home, a project or the machine's own
folders.
"""

from __future__ import annotations

SETTINGS = (
    ".claude/settings.json",
    ".claude/settings.local.json",
    ".codex/hooks.json",
    ".codex/config.toml",
    ".cursor/hooks.json",
    ".gemini/settings.json",
    ".gemini/trustedFolders.json",
    ".copilot/hooks/runaway.json",
    ".copilot/settings.json",
    ".github/copilot/settings.json",
    ".github/copilot/settings.local.json",
    ".factory/settings.json",
    ".factory/settings.local.json",
    ".factory/hooks.json",
    ".qwen/settings.json",
)
PLUGINS = (
    "opencode/plugin/runaway.js",
    "opencode/plugins/runaway.js",
)  # ours from first to last byte
ORGANISATION = (
    "/etc/claude-code/managed-settings.json",
    "/etc/claude-code/managed-settings.d/50-runaway.json",
    "/Library/Application Support/ClaudeCode/managed-settings.json",
    "/Library/Application Support/ClaudeCode/managed-settings.d/50-runaway.json",
    "/etc/codex/hooks.json",
    "/etc/codex/config.toml",
    "/etc/codex/requirements.toml",
    "/etc/cursor/hooks.json",
    "/Library/Application Support/Cursor/hooks.json",
    "/etc/gemini-cli/settings.json",
    "/etc/qwen-code/settings.json",
    "/etc/github-copilot/managed-settings.json",
)
SHARED = "/opt/runaway"  # code and policy of a guard that serves all users of the machine
LAUNCHER = "runaway/launch"
PLUGIN_USER = ".config/opencode/plugin/runaway.js"

# A switch of a parsed settings file: where it stands, and whether it is what follows that matters.
ON = (None, False, "", 0)  # a switch with any other value silences
SWITCHES = (
    ("disableAllHooks",),
    ("hooksDisabled",),
    ("hooks", "hooksDisabled"),
    ("allowManagedHooksOnly",),
    ("strictPluginOnlyCustomization",),
    ("env", "CLAUDE_CODE_SIMPLE"),
    ("env", "CLAUDE_CODE_SAFE_MODE"),
)
ENABLING = (("hooksConfig", "enabled"),)  # silences when it is false
FALSE = (False, 0, "", "false")
LISTING = ("hooksConfig", "disabled")  # silences what it names
DISTRUST = "DO_NOT_TRUST"
TOML_SWITCHES = ("hooks=false", "codex_hooks=false", "allow_managed_hooks_only=true")

# The same as words, for a text that cannot be parsed and for a command.
WORDS = (
    "disableAllHooks",
    "hooksDisabled",
    "allowManagedHooksOnly",
    "strictPluginOnlyCustomization",
    "CLAUDE_CODE_SIMPLE",
    "CLAUDE_CODE_SAFE_MODE",
    "hooksConfig",
    "codex_hooks",
    "allow_managed_hooks_only",
    "hooks = false",
    "hooks=false",
    DISTRUST,
)
KEPT = ("runaway", "trusted_hash")  # what must not become less in such a text

VARIABLES = ("CLAUDE_CODE_SIMPLE", "CLAUDE_CODE_SAFE_MODE", "GEMINI_RESTRICTED_MODE")
MOVED = (  # a harness started with another one of these reads settings without our entry
    "CLAUDE_CONFIG_DIR",
    "CODEX_HOME",
    "GEMINI_CLI_HOME",
    "QWEN_HOME",
    "COPILOT_HOME",
    "FACTORY_HOME_OVERRIDE",
    "HOME",
)
HARNESSES = ("claude", "codex", "gemini", "qwen", "copilot", "droid", "opencode", "cursor-agent")
FLAGS = ("--bare", "--safe-mode", "--restricted", "--ignore-user-config", "--disable=hooks")
PAIRS = (("--disable", "hooks"), ("--disable", "codex_hooks"), ("hooks", "disable"))
STARTUP = (
    ".bashrc",
    ".bash_profile",
    ".profile",
    ".zshrc",
    ".zshenv",
    ".zprofile",
    "config.fish",
    "/etc/environment",
)
