"""Which names tell that a secret follows: keys, options and headers, and short options of programs."""

from __future__ import annotations

from .secret_shapes import HEX, is_hash, is_plain, is_uuid, words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

NO, PERHAPS, YES = 0, 1, 2
# Anywhere in a name without its dashes, dots, underscores and capitals.
INSIDE = words(
    """
    password passwd passphrase passcode passwort secret credential apikey accesskey privatekey
    signingkey encryptionkey masterkey sharedkey accountkey authkey licensekey servicekey storagekey
    subscriptionkey deploykey hostkey sshkey apitoken authtoken accesstoken authorization bearer
    connectionstring connstr webhook signature headershelper mnemonic seedphrase recoverycode
    """
)
# A part of a name, parted by dashes, dots, underscores or capitals; or the end of one.
PART = frozenset(
    words(
        """
    token jwt cookie cookies setcookie sig sas pwd pass pw passin passout authtoken otp sessid psk
    tokens creds apikeys dsn storepass keypass srcstorepass deststorepass dbpass userpass
    """
    )
)
ENDS = ("token", "pwd", "passw", "sessionid", "sessiontoken")
VAGUE = frozenset(
    words(
        """
    auth session sid sess key pin pat nonce salt csrf xsrf state code hash
    """
    )
)
# No name is telling without one of these, in small letters.
HINTS = words(
    """
    pass pwd pw secret cred key token jwt cookie sig sas auth bearer basic digest connection connstr
    webhook headers mnemonic seed recovery otp sess psk dsn sid pin pat nonce salt csrf xsrf state
    code hash
    """
)
# What a name is about when it ends like this is no secret.
ABOUT = frozenset(
    words(
        """
    file filename path dir folder name names count counts limit limits max min size length len
    budget ttl expiry expires expiration timeout type kind enabled disabled required mode method
    policy algorithm field var vars store provider stdin url uri endpoint usage cost rate hint
    prompt manager env version status class format fd rotation reset scope scopes prefix suffix test
    tests handling handler validator validation checker py js ts go rs md json toml yaml yml txt
    window left remaining used total spent screen page form tokenizer location permission
    permissions mechanism source sources
    """
    )
)
UNSURE = frozenset(("id", "ids"))
COUNTED = frozenset(
    words(
        """
    max min num total input output cached thinking reasoning context per
    """
    )
)
SWITCHES = frozenset(
    words(
        """
    no with ask skip without use prompt require enable disable dont
    """
    )
)
# Headers of a request that hold no secret; all others may.
OPEN_HEADERS = frozenset(
    words(
        """
    accept accept-encoding accept-language accept-charset content-type content-length
    content-encoding content-disposition user-agent host origin referer cache-control connection
    if-match if-none-match if-modified-since range pragma expect date etag depth destination
    overwrite transfer-encoding anthropic-version anthropic-beta openai-beta x-github-api-version
    x-requested-with x-request-id upgrade sec-websocket-version location server vary allow
    """
    )
)
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
SETTERS = frozenset(
    ["set", "setenv", "put", "config", "-x", "-gx", "-ux", "add-authtoken", "authtoken"]
)
STORES = frozenset(["secret", "secrets", "config:set", "env:set", "parameter", "put-parameter"])
STORED = frozenset(["--body", "--value", "-b", "--secret-string", "-v"])
READERS = frozenset(["passwd", "chpasswd", "secret", "secrets", "login", "cryptsetup"])
# Without one of these words no command carries a secret outside a telling name's value.
CARRIERS = frozenset((*READERS, *LOGINS, *STORES, *TOOLS, "-H", "--header", "sudo")) | {
    "--password-stdin",
    "--with-token",
    "--api-key-stdin",
    "-stdin",
}
SAYERS = ("echo", "printf")
JOINED_ARE_OTHERS = frozenset(("ssh-keygen", "openssl", "security"))
NOTHING = frozenset(
    words(
        """
    true false null none nil undefined yes no on off empty default optional required *** … ...
    string str int bool bytes any
    """
    )
)


def telling(name: str) -> int:
    """YES, PERHAPS (only a value that looks like a secret is one) or NO."""
    parts = parts_of(name)
    if not parts:
        return NO
    joined = "".join(parts)
    if not (PART.intersection(parts) or joined.endswith(ENDS) or any(x in joined for x in INSIDE)):
        return PERHAPS if VAGUE.intersection(parts[-1:]) else NO
    last = parts[-1]
    if "webhook" in joined and "url" in (last, parts[0]):
        return YES
    if last in ABOUT or (parts[0] in SWITCHES and len(parts) > 1) or last.endswith("izer"):
        return NO
    if COUNTED.intersection(parts[:-1]) and last in ("token", "tokens"):
        return NO
    return PERHAPS if last in UNSURE or joined in ("pass", "pw", "tokens") else YES


def parts_of(name: str) -> list[str]:
    """The words of a name in small letters: `myApiKey`, `MY_API_KEY`, `my-api.key`."""
    spaced, before = "", ""
    for character in name:
        if character.isupper() and (before.islower() or before.isdigit()):
            spaced += " "
        spaced += character if character.isalnum() else " "
        before = character
    return spaced.lower().split()


def holds_secrets(name: str) -> bool:
    """Is all below this key of a settings file secret? `env`, `http_headers`, `environment`."""
    parts = parts_of(name)
    return parts[-1:] != ["var"] and bool(
        {"env", "envs", "environment", "headers", "header"}.intersection(parts)
        or "".join(parts).endswith(("headers", "headershelper", "environmentvariables"))
    )


def is_value(value: str, sure: int) -> bool:
    """Could this be a secret? Not a switch, a variable's name or a placeholder."""
    bare = value.strip("\"'` \t\r\n\\").rstrip(",;")
    if not bare or bare.lower() in NOTHING or bare.strip("*•.x") == "" or _is_reference(bare):
        return False
    return sure == YES or looks_odd(bare)


def _is_reference(value: str) -> bool:
    """`$TOKEN`, `Bearer ${TOKEN}`, `$(pass show x)`, `{{ token }}`, `<token>`: no secret."""
    scheme, _, last = value.rpartition(" ")
    value = last if scheme.isalpha() else value
    if value.startswith("$("):
        return not value.startswith(("$(echo", "$(printf"))
    if value.startswith("${") and value.endswith("}"):
        name = value[2:-1]
        return ":-" not in name and "-" not in name and "=" not in name
    if value[:1] == "$":
        name = value[1:]
        return name.isidentifier() and name == name.upper()
    if value.startswith("{{") and value.endswith("}}"):
        return True
    inside = value[1:-1].replace("-", "").replace("_", "")
    return value[:1] + value[-1:] == "<>" and inside.isalpha()


def looks_odd(value: str) -> bool:
    """Letters and digits mixed, and no path, sum, UUID or version."""
    if (
        value[:1] in "/.~-"
        or is_uuid(value)
        or is_hash(value)
        or ("/" in value[:-1] and "." in value)
    ):
        return False
    mixed = any(c.isdigit() for c in value) and any(c.isalpha() for c in value)
    if not mixed:
        return value.isdigit() and len(value) >= 6
    if len(value) <= 12 and HEX.issuperset(value) and value == value.lower():
        return False
    return len(value) >= 16 or not all(
        is_plain(part) for part in value.replace("_", "-").split("-")
    )


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


def is_private_header(name: str) -> bool:
    return name.strip().lower() not in OPEN_HEADERS
