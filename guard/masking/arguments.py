"""Words of a command that are secret: options of known programs, headers, stored values."""

from __future__ import annotations

from .names import YES, is_private_header, telling
from .shapes import words
from .values import is_value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

# Programs and their options of which the next word, or what is joined to them, is a secret.
TOOLS = {
    "mysql": ("-p",),
    "mysqldump": ("-p",),
    "mysqladmin": ("-p",),
    "mysqlimport": ("-p",),
    "mariadb": ("-p",),
    "mariadb-dump": ("-p",),
    "sshpass": ("-p",),
    "curl": ("-u", "-U", "--user", "--proxy-user", "-b"),
    "http": ("-a", "--auth"),
    "https": ("-a", "--auth"),
    "xh": ("-a", "--auth"),
    "redis-cli": ("-a",),
    "mongo": ("-p",),
    "mongosh": ("-p",),
    "mongodump": ("-p",),
    "mongorestore": ("-p",),
    "mongoexport": ("-p",),
    "ldapsearch": ("-w",),
    "ldapadd": ("-w",),
    "ldapmodify": ("-w",),
    "smbclient": ("-U",),
    "sqlcmd": ("-P",),
    "bcp": ("-P",),
    "snowsql": ("-p",),
    "cqlsh": ("-p",),
    "clickhouse-client": ("--password",),
    "influx": ("-t", "-p"),
    "rabbitmqadmin": ("-p",),
    "twine": ("-p",),
    "7z": ("-p",),
    "7za": ("-p",),
    "zip": ("-P",),
    "unzip": ("-P",),
    "rar": ("-p", "-hp"),
    "unrar": ("-p",),
    "ssh-keygen": ("-N", "-P"),
    "openssl": ("-k", "-K", "-pass"),
    "lftp": ("-u",),
    "ncftp": ("-p",),
    "wget": (),
    "security": ("-w",),
    "keytool": (),
    "ipmitool": ("-P",),
    "xfreerdp": ("/p:",),
    "rdesktop": ("-p",),
    "impacket": (),
}
# Of these `-p` counts only behind this word; elsewhere it is a port or a project.
LOGINS = frozenset(
    words(
        """
    docker podman nerdctl buildah skopeo helm oras crane oc az cf cloudctl ibmcloud
    """
    )
)
LOGIN_OPTIONS = ("-p",)
STORES = frozenset(["secret", "secrets", "config:set", "env:set", "parameter", "put-parameter"])
STORED = frozenset(["--body", "--value", "-b", "--secret-string", "-v"])
JOINED_ARE_OTHERS = frozenset(("ssh-keygen", "openssl", "security"))


def hidden_arguments(words: Sequence[str]) -> Iterator[tuple[int, int]]:
    """(index, offset): from that offset on, this word of a command is a secret."""
    command = _Command()
    for index, word in enumerate(words):
        plain = word.strip("\"'")
        if command.awaits and not plain.startswith("--"):
            yield index, 0
            command.answered()
            continue
        command.awaits = command.option(plain)
        at = -1 if command.awaits else command.joined(plain)
        if at < 0 and index and words[index - 1].strip("\"'") in ("-H", "--header"):
            at = _header_value(plain)
        if at >= 0:
            yield index, word.index(plain) + at


class _Command:
    """What the words so far say about the next one."""

    def __init__(self) -> None:
        self.tool = ""
        self.options: tuple[str, ...] = ()
        self.storing = False
        self.awaits = False

    def answered(self) -> None:
        self.awaits = False
        if self.tool == "sshpass":  # another command follows
            self.tool, self.options = "", ()

    def option(self, plain: str) -> bool:
        """Is the next word the secret? Notes the program on the way."""
        base = plain.rpartition("/")[2]
        if base in TOOLS or base in LOGINS:
            self.tool, self.options = base, TOOLS.get(base, ())
        elif self.tool in LOGINS and base in ("login", "registry"):
            self.options = LOGIN_OPTIONS
        elif plain in STORES:
            self.storing = True
        elif plain in self.options or (self.storing and plain in STORED):
            return True
        return plain[:2] == "--" and "=" not in plain and telling(plain) == YES

    def joined(self, plain: str) -> int:
        """Where in this word a secret begins (`-psecret`, `pass:secret`, `NAME=secret`), or -1."""
        if plain.startswith("pass:"):
            return len("pass:")
        if self.storing and "=" in plain and plain[:1] != "-":
            return plain.index("=") + 1
        if self.tool in JOINED_ARE_OTHERS or not self.options:
            return -1
        option = next((option for option in self.options if plain.startswith(option)), "")
        equals = plain[len(option) : len(option) + 1] == "="
        return len(option) + equals if len(option) == 2 or (option and equals) else -1


def _header_value(plain: str) -> int:
    """Where the value of a header begins that may be secret, or -1."""
    name, colon, value = plain.lstrip("\\\"'").partition(":")
    if not colon or not is_private_header(name) or not is_value(value.strip(), YES):
        return -1
    return plain.index(":") + 1
