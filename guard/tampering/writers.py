"""Commands that are known to write: which of their words is the target."""

from __future__ import annotations

GIT = ("checkout", "restore", "stash", "clean", "reset", "rm", "mv", "apply")
GIT_HARMLESS = {
    "stash": ("list", "show"),
    "clean": ("-n", "--dry-run"),
    "restore": ("--staged",),
    "rm": ("--cached",),
    "checkout": ("-b", "-B"),
}
LEAVING = (  # what they name goes, with all that is in it
    *("rm", "rmdir", "mv", "trash", "trash-put", "srm", "shred", "remove-item", "move-item"),
    *("rename-item", "rd", "ri", "del", "erase"),
)
EVERY = (  # every argument is written to
    *LEAVING,
    *("unlink", "truncate", "tee", "sponge", "ed", "ex", "vi", "vim", "nvim", "emacs", "nano"),
    *("sd", "chmod", "chown", "chgrp", "chattr", "chflags", "setfacl", "crudini", "patch"),
    *("set-content", "add-content", "clear-content", "out-file", "new-item", "mount", "umount"),
)
LAST = ("cp", "ln", "install", "rsync", "ditto", "gcp", "copy-item", "mv", "move-item")
LOCKING = ("0", "00", "000", "a-rwx", "u-rwx", "a=", "u=", "-rwx")  # modes
OPENING = ("+", "u+", "a+", "g", "o")  # how modes begin that leave their owner all rights
ITSELF = ("rm", "mv", "unlink", "trash", "rmdir")  # a link, not what it leads to
IN_PLACE = {  # only with one of these
    **dict.fromkeys(("sed", "gsed", "jq", "jaq"), ("-i", "--in-place")),
    **dict.fromkeys(("perl", "ruby"), ("-i",)),
    **dict.fromkeys(("awk", "gawk"), ("inplace",)),
    "yq": ("-i", "--inplace"),
}
INTO = {  # options that name the target
    "curl": ("-o", "--output"),
    "wget": ("-O", "--output-document"),
    "sort": ("-o", "--output"),
    "dd": ("of",),
    **dict.fromkeys(("cp", "mv", "install"), ("-t", "--target-directory")),
}
UNPACKING = {"tar": ("-C", "--directory"), "bsdtar": ("-C",), "unzip": ("-d",)}


def is_in_place(name: str, arguments: list[str]) -> bool:
    """Also among other letters: `-Ei`, `-pi`; a value may follow."""
    flags = IN_PLACE[name]
    for word in arguments:
        if word.partition("=")[0] in flags:
            return True
        if "-i" in flags and word[:1] == "-" != word[1:2] and "i" in word[1:4]:
            return True
    return False


def destinations(paths: list[str]) -> list[str]:
    """The last word, and in it the name of each other, should it be a folder."""
    *sources, last = paths
    names = (source.rstrip("/").rpartition("/")[2] for source in sources)
    return [last, *(f"{last.rstrip('/')}/{name}" for name in names)]


def extracts(name: str, arguments: list[str]) -> bool:
    if name == "unzip":
        return True
    first = "".join(arguments[:1])
    return "x" in first.lstrip("-") or "--extract" in arguments or "-x" in arguments


def git_destroys(verb: str, arguments: list[str]) -> bool:
    """Does it change files of the working tree to what they were, or take them away?"""
    harmless = any(word in GIT_HARMLESS.get(verb, ()) for word in arguments)
    return verb in GIT and not harmless and (verb != "reset" or "--hard" in arguments)


def opens(name: str, arguments: list[str]) -> bool:
    """`chmod 600`, which takes nothing from the owner of a file."""
    mode = next((word for word in arguments if word[:1] != "-"), "")
    owner = mode.isdigit() and mode[-3:-2] in ("6", "7")
    return name == "chmod" and (owner or mode.startswith(OPENING))
