"""What secrets look like wherever they stand: known beginnings, and random-looking words.

The beginnings are facts collected by gitleaks (config/gitleaks.toml, July 2026) and by the vendors'
own documents. `re` would take longer to load than all of this to run.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


def words(text: str) -> list[str]:
    """The words of a table."""
    return text.split()


# What tokens begin with, vendor by vendor. At least SHORTEST characters follow.
SHORTEST = 8
SMALLEST = 11  # characters, with the shortest beginning
BEGINNINGS = tuple(
    words(
        """
    sk-ant- sk-proj- sk-svcacct- sk-admin- sk-or- sk-lf- pk-lf- sk_live_ sk_test_ sk_prod_ pk_live_
    pk_test_ rk_live_ rk_test_ rk_prod_ whsec_ ghp_ gho_ ghu_ ghs_ ghr_ github_pat_ glpat- glptt-
    gldt- glft- glrt- glimt- glsoat- gloas- glcbt- glffct- glagent- GR1348941 xoxa- xoxb- xoxc-
    xoxd- xoxe- xoxe. xoxo- xoxp- xoxr- xoxs- xapp- AKIA ASIA ABIA ACCA ABSK AIza ya29. GOCSPX- 1//0
    eyJ hvs. hvb. hvr. SG. dop_v1_ doo_v1_ dor_v1_ shpat_ shpca_ shppa_ shpss_ pypi- rubygems_
    AGE-SECRET-KEY- PMAK- NRAK- NRII- lin_api_ lin_oauth_ ntn_ pscale_tkn_ pscale_oauth_ pscale_pw_
    sntrys_ sntryu_ glsa_ glc_ pul- sgp_ sq0atp- sq0csp- EAAA xkeysib- tvly- pplx- fo1_ fm1a_ fm1r_
    fm2_ fio-u- dt0c01. dp.pt. dp.st. duffel_live_ duffel_test_ shippo_live_ shippo_test_ rdme_
    CLOJARS_ AKCp cmVmd LTAI ops_eyJ figd_ sbp_ sb_secret_ vercel_blob_ nvapi- r8_ FLWSECK EZAK EZTK
    HRKU- CCIPAT_ CCIPRJ_ sha256~ ATATT3 ATCTT3 ATBB tskey- sm_aat_ sm_pat_ sm_sat_ p8e- phc_ phx_
    re_live_ xai- csk- ghv_ bkua_ cfut_ dckr_pat_ dckr_oat_ ddog_ apify_api_
    """
    )
)
# After these comes one run of letters and digits alone: `npm_config_cache` is none.
SOLID_SHORTEST = 16
AMBIGUOUS = ("SK", "pat", "dapi", "key-", "s.")  # these must look random too
SOLID = (
    "sk-",
    "hf_",
    "gsk_",
    "npm_",
    "api_org_",
    "SK",
    "ico-",
    "API-",
    "s.",
    "key-",
    "pat",
    "dapi",
    "pnu_",
)
# Behind these places in an address stands its secret, up to the end of the word.
ADDRESSES = (
    "hooks.slack.com/services/",
    "hooks.slack.com/workflows/",
    "hooks.slack.com/triggers/",
    "discord.com/api/webhooks/",
    "discordapp.com/api/webhooks/",
    "webhook.office.com/webhookb2/",
    "api.telegram.org/bot",
    "chat.googleapis.com/v1/spaces/",
    "hooks.zapier.com/hooks/catch/",
    "maker.ifttt.com/trigger/",
)
ARMOUR, ARMOUR_END, DASHES = "-----BEGIN ", "-----END ", "-----"
PUTTY = "Private-Lines:"

LONG = 20  # characters of a word that may be random
RANDOM = 16  # so many of them in parts that are neither words nor numbers
HASHES = (40, 64)  # lower-case hex digits of a commit or a SHA-256 sum: shown
DIGESTS = ("sha1-", "sha256-", "sha384-", "sha512-", "sha256.", "h1.")
HEX = frozenset("0123456789abcdefABCDEF")
WORD = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.+/~")
PARTS = str.maketrans("/.-_+~", "      ")
BLANKED = {code: " " for code in range(128) if chr(code) not in WORD}


def shapes(text: str) -> Iterator[tuple[int, int]]:
    """Spans of what is a secret by its looks."""
    yield from _armoured(text)
    for start, end in runs(text, BLANKED):
        at = secret_from(text[start:end]) if end - start >= SMALLEST else -1
        if at >= 0:
            yield start + at, end
    for address in ADDRESSES:
        at = text.find(address)
        while at >= 0:
            start = at + len(address)
            yield start, word_end(text, start)
            at = text.find(address, start)


def runs(text: str, blanked: dict[int, str]) -> Iterator[tuple[int, int]]:
    """The words of a text when the characters in `blanked` part them."""
    at = 0
    for word in text.translate(blanked).split():
        at = text.index(word, at)
        yield at, at + len(word)
        at += len(word)


def word_end(text: str, start: int) -> int:
    """Where blanks or quotes end what begins there."""
    end = start
    while end < len(text) and text[end] > " " and text[end] not in "\"'`<>\\":
        end += 1
    return end


def secret_from(word: str) -> int:
    """Where in the word its secret begins: behind a slash, or at once; -1 without one."""
    at = 0
    while at >= 0:
        if begins_secret(word[at:]):
            return at
        slash = word.find("/", at)
        at = slash + 1 if slash >= 0 else -1
    if is_random(word):
        return 0
    return -1


def begins_secret(word: str) -> bool:
    """`\\nghp_…` in the text of a program is met as `nghp_…`."""
    for candidate in (word, word[1:] if word[:1] in ("n", "t", "r") else ""):
        if candidate.startswith(BEGINNINGS):
            begin = next(begin for begin in BEGINNINGS if candidate.startswith(begin))
            if _is_opaque_body(candidate[len(begin) :]):
                return True
        if candidate.startswith(SOLID):
            body = candidate.split("-", 1)[-1] if "-" in candidate[:4] else candidate
            body = body.rpartition("_")[2].rpartition(".")[2]
            if len(body) >= SOLID_SHORTEST and body.isalnum() and not body.isdigit():
                return not candidate.startswith(("SK", "pat", "dapi", "key-", "s.")) or is_random(
                    candidate
                )
    return False


def _is_opaque_body(body: str) -> bool:
    """Long enough, and either one run or with a digit or capital: `pypi-server-setup` is none."""
    if len(body) < SHORTEST:
        return False
    one = body.isalnum() and len(body) >= SOLID_SHORTEST
    return one or any(c.isdigit() or c.isupper() for c in body)


def is_random(word: str) -> bool:
    """Long, and mostly of parts that nobody would call a word, a number or a short hex sum.

    Readable stay commits, SHA-256 sums, UUIDs, versions, rooted paths, and names in any context.
    """
    if len(word) < LONG or word[:1] in "/.~" or is_hash(word) or word.startswith(DIGESTS):
        return False
    if is_uuid(word):
        return False
    parts = word.translate(PARTS).split()
    return sum(len(part) for part in parts if not is_plain(part)) >= RANDOM


def is_hash(word: str) -> bool:
    """A commit or a SHA-256 sum, as written by git or sha256sum; also behind a path or a dot."""
    last = word.rpartition("/")[2].rpartition(".")[2]
    return len(last) in HASHES and last == last.lower() and HEX.issuperset(last)


def is_uuid(word: str) -> bool:
    groups = word.rpartition("/")[2].split("-")
    return [len(group) for group in groups] == [8, 4, 4, 4, 12] and HEX.issuperset("".join(groups))


def is_plain(part: str) -> bool:
    """A word (`abc`, `ABC`, `AbcDef`) with up to four digits behind it, a number, or short hex."""
    if len(part) <= 3 or part.isdigit():
        return True
    if HEX.issuperset(part) and len(part) <= 12:
        return True
    letters = part.rstrip("0123456789")
    return len(part) - len(letters) <= 4 and letters.isalpha() and _is_camel(letters)


def _is_camel(letters: str) -> bool:
    """Few capitals, and most humps have two small letters; or all is in one context."""
    if letters.islower() or letters.isupper() or not letters.isascii():
        return True
    small, humps = 0, []
    for character in letters:
        if character.islower():
            small += 1
        elif small:
            humps.append(small)
            small = 0
    humps += [small] if small else []
    few = sum(small < 2 for small in humps) <= len(humps) // 3
    return few and 3 * sum(letter.isupper() for letter in letters) <= len(letters)


def _armoured(text: str) -> Iterator[tuple[int, int]]:
    """Private keys between their dashes, or up to the end where the text is cut off."""
    at = text.find(ARMOUR)
    while at >= 0:
        dashes = text.find(DASHES, at + len(ARMOUR))
        start = dashes + len(DASHES) if dashes >= 0 else len(text)
        end = text.find(ARMOUR_END, start)
        end = end if end >= 0 else len(text)
        if "PRIVATE" in text[at:start]:
            yield start, end
        at = text.find(ARMOUR, max(end, at + 1))
    at = text.find(PUTTY)
    if at >= 0:
        yield at + len(PUTTY), len(text)
