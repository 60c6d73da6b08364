from __future__ import annotations

from pathlib import Path

import pytest

from runaway.installer.diff import unified
from runaway.installer.redact import mask, redact, redact_file, secret_spans

# Shown as they are: a diff that hides what it is about helps nobody.
UNTOUCHED = [
    "",
    '{"model": "opus", "permissions": {"allow": ["Bash(npm test)"]}}',
    '"skipDangerousModePermissionPrompt": true',
    '"command": "skip-permissions-check-now"',
    '"command": "pkg-config --libs something-long-enough"',
    '"env": {}',
    '"environment": {"A": "b"}',
    '"maxThinkingTokens": 4096',
    '"url": "https://example.com/path:8080/x@y"',
    "sh -c 'command . \"$0\" 2>/dev/null || true' '/home/u/.local/share/runaway/launch' claude",
]

SECRET = "Zq7xYw0123456789abcdef"
HIDDEN = {
    "env": f'"env": {{"FOO": "{SECRET}"}}',
    "env over several lines": f'"env": {{\n  "A": "x",\n  "FOO": "{SECRET}"\n}}',
    "env with braces inside": f'"env": {{"A": "}}{{", "FOO": "{SECRET}"}}',
    "env with an escaped quote": f'"env": {{"A": "\\"}}", "FOO": "{SECRET}"}}',
    "a number in env": f'"env": {{"PIN": {SECRET}}}',
    "headers of an MCP server": f'"mcp": {{"headers": {{"X-Auth": "{SECRET}"}}}}',
    "a TOML table": f'[mcp.x.env]\nFOO = "{SECRET}"\n',
    "a key named token": f'"github_token": "{SECRET}"',
    "a key named password": f'"dbPassword": "{SECRET}"',
    "an API key": f'"x-api-key" : "{SECRET}"',
    "a value with escapes": f'"apiKey": "a\\"{SECRET}"',
    "inside a command line": f'"command": "SLACK_TOKEN={SECRET} notify"',
    "an option of a command": f'"command": "notify --api-key={SECRET}"',
    "a well-known prefix": f'"args": ["sk-{SECRET}"]',
    "a GitHub token": f'"args": ["ghp_{SECRET}"]',
    "a bearer": f'"args": ["-H", "Authorization: Bearer {SECRET}"]',
    "in a URL": f'"url": "https://me:{SECRET}@example.com/"',
}


@pytest.mark.parametrize("text", UNTOUCHED)
def test_what_is_no_secret_is_shown(text: str) -> None:
    assert redact(text) == text


@pytest.mark.parametrize("text", HIDDEN.values(), ids=HIDDEN.keys())
def test_secrets_are_masked(text: str) -> None:
    shown = redact(text)
    assert SECRET not in shown
    assert "***" in shown


def test_only_the_values_are_masked() -> None:
    before = '{"env": {"A": "one", "B": "two"}, "token": "three", "model": "opus"}'
    after = '{"env": {"A": "***", "B": "***"}, "token": "***", "model": "opus"}'
    assert redact_file(before) == after


def test_overlapping_finds_are_one_span() -> None:
    text = f'{{"env": {{"GH_TOKEN": "ghp_{SECRET}"}}}}'
    assert secret_spans(text) == [(text.index("ghp_"), text.index(SECRET) + len(SECRET))]


def test_masking_keeps_everything_between() -> None:
    assert mask("abcdef", [(1, 2), (4, 6)]) == "a***cd***"


@pytest.mark.parametrize("text", ["x" * 300_000, '"env": {' * 30_000, "://" * 90_000])
def test_a_file_of_one_long_line_is_no_burden(text: str) -> None:
    assert redact(text) == text  # quadratic patterns would not come back


# Files of which a value is secret by where it stands, whatever it looks like.
BY_STRUCTURE = {
    "an array in env": '{"env": {"A": ["%s"]}}',
    "env after a nested object": '{"env": {"A": {"x": 1}, "B": "%s"}}',
    "OpenCode's environment": '{"mcp": {"x": {"environment": {"A": "%s"}}}}',
    "an item behind an option": '{"mcpServers": {"x": {"args": ["--token", "%s"]}}}',
    "below a telling key": '{"token": {"value": "%s"}}',
    "a named value": '[{"name": "API_TOKEN", "value": "%s"}]',
    "a helper of headers": '{"otelHeadersHelper": "echo x=%s"}',
    "an escaped key": '{"pass\\u0077ord": "%s"}',
    "an escaped command": '{"command": "TOKEN\\u003d%s run"}',
    "a comment in env": '{"env": {\n  // "B": "%s"\n  "A": "x"}}',
    "a block in comments": '{\n  // "env": {\n  //   "B": "%s"\n  // }\n  "a": 1}',
    "a text that breaks off": '{"a": {"b": "%s", ',
    "single quotes": "{'password': '%s'}",
    "a merge conflict": '{\n<<<<<<< x\n  "A": "%s"\n=======\n}',
    "a TOML table": '[mcp_servers.x.env]\nA = "%s"\n',
    "a TOML table in quotes": '["mcp_servers"."x"."env"]\nA = \'%s\'\n',
    "an inline table": 'x = {env = {A = "%s"}, b = 1}\n',
    "a dotted key": 'mcp.env.A = "%s"\n',
    "headers in TOML": '[mcp_servers.x]\nhttp_headers = { "X-A" = "%s" }\n',
    "several lines in TOML": '[env]\nA = """\none\n%s\n"""\nb = 1\n',
    "a TOML array of arguments": 'args = ["--password", "%s"]\n',
    "a TOML comment": '[env]\n# B = "%s"\nA = "x"\n',
    "TOML that breaks off": 'a = """\n%s\n',
}


@pytest.mark.parametrize("word", ["hunter2zzz", "Zq7xYw0123456789abcdef"])
@pytest.mark.parametrize("file", BY_STRUCTURE.values(), ids=BY_STRUCTURE.keys())
def test_files_are_masked_by_their_structure(file: str, word: str) -> None:
    text = file % word
    shown = redact_file(text)
    assert word not in shown
    assert shown.count("\n") == text.count("\n")


@pytest.mark.parametrize("kind", BY_STRUCTURE)
def test_no_diff_leaks_what_the_structure_hides(kind: str) -> None:
    before = (BY_STRUCTURE[kind] % "hunter2zzz").encode()
    for after in (before + b"\n", b"\n" + before, None):
        assert "hunter2zzz" not in unified(Path("/x/s"), before, after, Path("/"))


def test_what_is_no_secret_of_a_file_is_shown() -> None:
    text = (
        '// mine\n{"model": "opus", "permissions": {"allow": ["Bash(npm test)"]},'
        ' "security": {"auth": {"selectedType": "oauth-personal"}}, "maxTokens": 4096,'
        ' "env": {}, "token": null, "cookies": true}\n'
    )
    assert redact_file(text) == text
