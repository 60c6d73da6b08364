"""Our plugin of OpenCode as a file; plugin_file.py says whose it is."""

from __future__ import annotations

from functools import partial

from .. import plugin_file

FILE = plugin_file.FILE
NAME = "opencode"
is_ours = plugin_file.is_ours
text = partial(plugin_file.text, NAME)
edit_target = partial(plugin_file.target, NAME)
