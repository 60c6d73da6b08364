"""Which names tell that a secret follows: keys, options and headers."""

from __future__ import annotations

from .shapes import words

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


def is_private_header(name: str) -> bool:
    return name.strip().lower() not in OPEN_HEADERS
