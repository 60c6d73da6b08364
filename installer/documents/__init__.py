"""Pure bytes -> bytes edits of other programs' settings; no file is read or written here.

`json_document` and `toml_document` have the same names."""
