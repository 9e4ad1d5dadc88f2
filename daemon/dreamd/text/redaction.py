"""Secrets out, the rest of the sentence kept: masks like `[masked: aws access key]`.

Three layers, cheapest first: a prefilter that lets plain notes through untouched, our own shapes and sentences
(`config/secrets.toml`), and the detectors of `detect-secrets` for lines that still look suspicious. Rounds repeat
until nothing more is found, so masking twice is masking once. All repetitions are bounded: time grows with the
length of the text and with nothing else.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, lru_cache

from dreamd.core.values import Scope, content_id
from dreamd.text import patterns
from dreamd.text.injection import strip_hidden
from dreamd.text.suspicion import UUID, is_card_number, is_placeholder, is_random, is_secretish

MAX_ROUNDS = 4
PIECE_CHARS = 2_000
MASK = re.compile(r"\[masked: [a-z0-9 ]{1,40}\]")

_PREFILTER = re.compile(
    r"://|private key|-key-file|pass|pwd|kennwort|zugangscode|contrase|senha|palavra|mdp\b"
    r"|wachtwoord|hasło|lösenord|adgangskode|salasana|parola|şifre|пароль|密|口令|パス|暗証|비밀|암호|패스|토큰"
    r"|secret|token|key\b|key[\"'=: _-]|credential|cookie|bearer|authoriz|basic |\bpin\b|\bpw\b|\botp\b"
    r"|codes?\b|令牌|トークン|鍵"
    r"|geheim|schlüssel|clave|clé|chave|llave|jeton|login|log in|creds|phrase|mnemonic|\bseed\b"
    r"|card|visa|karte|tarjeta|carte|cartão|mysql"
    r"|(?=[A-Za-z0-9_+/.=~:$-]{16})[A-Za-z_+/.=~:$-]{0,40}\d|[A-Za-z0-9+/_=-]{24}", re.IGNORECASE)
_PREFILTER_LOW = re.compile(_PREFILTER.pattern.replace("A-Z", ""))
_LONG = re.compile(r"(?<![A-Za-z0-9+/_=.@-])[A-Za-z0-9+/_-]{20,512}={0,2}(?![A-Za-z0-9+/_-])")
_SECRET_WORD = re.compile(
    r"(?<![A-Za-z])(?:secrets?|tokens?|(?:api|access|auth|signing|private|master|encryption|licen[cs]e)[ _-]?keys?|keys?"
    r"|credentials?|passw(?:or)?d|auth|bearer|\w{0,20}schlüssel|clave|clé|chave|hmac"
    r"|密钥|密鑰|令牌|秘密|鍵|トークン|키|토큰)(?![a-z])", re.IGNORECASE)
_HASH_WORD = re.compile(
    r"sha-?\d*|md5|commit|digest|checksum|hash|revision|\brev\b|fingerprint|uuid|\buid|guid|etag|blob|\btree\b|\bids?\b"
    r"|_id\b|build"
    r"|version|\btag\b|branch|public[ _-]key|ssh-|docker|image|document|\bsheet|\bfile|folder|\btrace|request|integrity"
    r"|\bkid\b|prüfsumme"
    r"|提交|校验|哈希|ハッシュ|コミット|해시|커밋", re.IGNORECASE)
_ASSIGNED = re.compile(
    r"(?i:(?P<strong>passw(?:or)?d|passwort|passphrase|passwd|pwd|contraseña|senha|_pass(?![a-z])|\bpass(?=[\"']?\s?=))"
    r"|(?P<weak>secret|token|api[_-]?key|access[_-]?key|private[_-]?key|signing[_-]?key|_key|_auth|auth_|credentials?|_dsn))"
    r"(?P<rest>[\w-]{0,40})[\"'`\]]{0,2}\s{0,3}(?P<join>:=|=>|=|:)\s{0,3}"
    r"(?P<quote>[\"'`]?)(?P<secret>(?!\[masked)[^\s\"'`,;<>]{3,400})")
_REST_NOT_SECRET = re.compile(
    r"length|min|max|age|days|policy|field|url|file|path|hint|expir|ttl|count|attempts|name|type|id\b|label|reset|limit"
    r"|size|env|ref|regex|prompt",
    re.IGNORECASE)
_KEYLIKE = re.compile(r"(?i)key|token|secret|schlüssel|clave|clé|chave")
_PARTICIPLE = re.compile(r"[a-z]+(?<!e)ed|(?:ge|be|ver|er|ent)[a-zäöü]+(?:t|en)")
_FULL_WIDTH = re.compile("[\uff10-\uff19\uff21-\uff3a\uff41-\uff5a]")
_ONE_CASE = re.compile(r"[a-z]{20,200}|[A-Z]{20,200}")
_CODE = re.compile(r"(?i)[a-z]\scode\Z")
_COUNTED = re.compile(r"(?i:sha|md5|base64|utf|v\d)|\d+(?:[.-]\d+)*[a-z-]*\Z")
_BARE = r"[^\s\"'`<>“”„«»，。、；（）\)\]\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uff00-\uffef]{3,200}"
_DETECTORS = (
    ("aws", "AWSKeyDetector"), ("azure_storage_key", "AzureStorageKeyDetector"), ("basic_auth", "BasicAuthDetector"),
    ("cloudant", "CloudantDetector"), ("discord", "DiscordBotTokenDetector"), ("github_token", "GitHubTokenDetector"),
    ("gitlab_token", "GitLabTokenDetector"), ("ibm_cloud_iam", "IbmCloudIamDetector"), ("ibm_cos_hmac", "IbmCosHmacDetector"),
    ("jwt", "JwtTokenDetector"), ("mailchimp", "MailchimpDetector"), ("npm", "NpmDetector"), ("openai", "OpenAIDetector"),
    ("pypi_token", "PypiTokenDetector"), ("sendgrid", "SendGridDetector"), ("slack", "SlackDetector"),
    ("softlayer", "SoftlayerDetector"), ("square_oauth", "SquareOAuthDetector"), ("stripe", "StripeDetector"),
    ("telegram_token", "TelegramBotTokenDetector"), ("twilio", "TwilioKeyDetector"),
)


@dataclass(frozen=True)
class Mask:
    """One secret that was taken out."""

    kind: str


@dataclass(frozen=True)
class Redacted:
    """A text without its secrets."""

    text: str
    masks: tuple[Mask, ...] = ()


def redact(text: str) -> Redacted:
    """Take every secret out of a text and say of which kinds they were.

    A secret that hidden or full-width signs disguise is masked as well; only then do those signs go.
    """
    found = _mask_all(text)
    seen = text if text.isascii() else _undisguised(text)
    if seen != text:
        bare = _mask_all(seen)
        if len(bare.masks) > len(found.masks):
            return bare
    return found


def _undisguised(text: str) -> str:
    plain = strip_hidden(text)
    return unicodedata.normalize("NFKC", plain) if _FULL_WIDTH.search(plain) else plain


def _mask_all(text: str) -> Redacted:
    if not patterns.stands_in(_PREFILTER, _PREFILTER_LOW, text):
        return Redacted(text)
    masks: list[Mask] = []
    for _ in range(MAX_ROUNDS):
        before = len(masks)
        for layer in (_mask_shapes, _mask_assigned, _mask_spoken, _mask_random, _mask_detected):
            text = layer(text, masks)
        if len(masks) == before:
            break
    return Redacted(text, tuple(masks))


@lru_cache(maxsize=1024)
def mask_name(name: str) -> str:
    """A key or a conversation's name as it may be stored: one that carries a secret becomes a hash, so that two stay two."""
    return name if redact(name).text == name else f"masked-{content_id('name', name)}"


def mask_scope(scope: Scope) -> Scope:
    """A scope as it may be stored: a directory or a team may have been named after a secret."""
    return Scope(scope.kind, mask_name(scope.key)) if scope.key else scope


@dataclass(frozen=True)
class _Shape:
    kind: str
    near: tuple[str, ...]
    fold: bool
    pattern: str

    def may_stand_in(self, text: str, folded: str) -> bool:
        where = folded if self.fold else text
        return any(literal in where for literal in self.near)


@cache
def _shapes() -> tuple[_Shape, ...]:
    rows = patterns.load("secrets").get("secret", [])
    if not isinstance(rows, list):
        return ()
    return tuple(_Shape(str(row["kind"]), tuple(row["near"]), bool(row.get("fold", False)), str(row["pattern"]))
                 for row in rows)


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


def _mask_shapes(text: str, masks: list[Mask]) -> str:
    folded = text.lower()
    for shape in _shapes():
        if shape.may_stand_in(text, folded):
            pattern = _compiled(shape.pattern)
            text = pattern.sub(_masker(shape.kind, masks, _fits_shape), text)
    return text


def _fits_shape(match: re.Match[str]) -> bool:
    secret = _secret_of(match)
    return "[masked" not in secret and (match.re.pattern.find("visa") < 0 or is_card_number(secret))


def _mask_assigned(text: str, masks: list[Mask]) -> str:
    def kind(match: re.Match[str]) -> str:
        return "password" if match["strong"] else match["weak"].strip("_-").replace("_", " ").replace("-", " ").lower()

    return _ASSIGNED.sub(_masker(kind, masks, _is_assigned_secret), text)


def _is_assigned_secret(match: re.Match[str]) -> bool:
    value, rest = match["secret"].rstrip(".,!?)"), match["rest"]
    if _REST_NOT_SECRET.search(rest) or value.lower() in _plain() or is_placeholder(value):
        return False
    if match["strong"]:
        return len(value) >= 4 and not re.fullmatch(r"[a-z]+(?:_[a-z]+)+|[\d.]{1,3}", value)
    if is_secretish(value, shortest=8):
        return True
    return "=" in match["join"] and len(value) >= 12 and re.fullmatch(r"[A-Za-z]+", value) is not None


@cache
def _plain() -> frozenset[str]:
    spoken = patterns.load("secrets")["spoken"]
    return frozenset(spoken["plain"]) if isinstance(spoken, dict) else frozenset()


@cache
def _spoken() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Sentences that say a secret: "the password for X is Y", and the short "password Y"."""
    spoken = patterns.load("secrets")["spoken"]
    assert isinstance(spoken, dict)
    strong, weak = ("|".join(sorted(spoken[name], key=len, reverse=True)) for name in ("strong", "weak"))
    joins = "|".join(rf"{j}\b" if j.isascii() and j[-1].isalpha() else j
                     for j in sorted(spoken["joins"], key=len, reverse=True))
    named = rf"(?<![A-Za-z0-9_])(?i:(?P<strong>{strong})|(?P<weak>{weak}))(?![A-Za-z0-9_\]])"
    about = (r"(?:\s{1,2}(?:for|of|to|on|at|von|für|vom|der|des|am|im|de|del|della|dello|per|da|do|du|dla"
             r"|van|voor|för|til|till|pour|para|от|для|к)\s"
             r"(?:[^\n.;:=,]|\.(?=\w)){1,60}?"
             r"|\s?\([^)\n]{0,40}\))?"
             r"[*_`\"']{0,3}")
    value = (r"[*_]{0,2}\s{0,2}(?:[\"'`“„«](?P<quoted>(?!\[masked)[^\"'`”“»\n]{3,100})[\"'`”“»]"
             rf"|(?P<bare>(?!\[masked){_BARE}))")
    long = re.compile(rf"{named}{about}\s{{0,3}}(?P<join>(?i:{joins}))[:：]?\s{{0,3}}{value}")
    short = re.compile(rf"{named}\s{{1,2}}{value}")
    return long, short


def _mask_spoken(text: str, masks: list[Mask]) -> str:
    for pattern, fits in zip(_spoken(), (_is_said_secret, _is_bare_secret), strict=True):
        text = pattern.sub(_spoken_masker(masks, fits), text)
    return text


def _is_said_secret(match: re.Match[str]) -> bool:
    value = _said(match)
    if len(value) < 3 or value.lower() in _plain() or is_placeholder(value):
        return False
    if match["weak"]:
        if re.search(r"(?i)pin|otp|code", match["weak"]):
            return re.fullmatch(r"[\d#*-]{4,12}", value) is not None
        return is_secretish(value, shortest=8) or _ONE_CASE.fullmatch(value) is not None
    if match["join"] == "to":
        # English changes a password to something; in Polish the word joins like an "is".
        return is_secretish(value, shortest=5) or (match["strong"].lower() == "hasło" and _ends_clause(match))
    if match["quoted"] or match["join"] in ":：==>->" or is_secretish(value, shortest=5):
        return len(value) >= 4
    return _ends_clause(match) and _PARTICIPLE.fullmatch(value) is None


def _is_bare_secret(match: re.Match[str]) -> bool:
    value = _said(match)
    if match["weak"]:
        if _CODE.search(match["weak"]):
            return re.fullmatch(r"\d{4,8}", value) is not None
        return _KEYLIKE.search(match["weak"]) is not None and (UUID.fullmatch(value) is not None or is_random(value))
    if value.lower() in _plain() or is_placeholder(value) or _COUNTED.match(value):
        return False
    return is_secretish(value, shortest=6)


def _said(match: re.Match[str]) -> str:
    return (match["quoted"] or match["bare"] or "").rstrip(".,;:!?*_")


def _ends_clause(match: re.Match[str]) -> bool:
    if match["bare"] and match["bare"][-1] in ".,;:!?":
        return True
    return re.match(r"\s*(?:$|[\n.,;!?)]|and\b|und\b|y\b|et\b|e\b)", match.string[match.end():match.end() + 8]) is not None


def _spoken_masker(masks: list[Mask], fits: Callable[[re.Match[str]], bool]) -> Callable[[re.Match[str]], str]:
    def replace(match: re.Match[str]) -> str:
        if not fits(match):
            return match[0]
        value = _said(match)
        start = match.start("quoted") if match["quoted"] else match.start("bare")
        kind = "password" if match["strong"] else re.sub(r"[^a-z0-9]+", " ", match["weak"].lower()).strip() or "secret"
        masks.append(Mask(kind[:40].strip()))
        at = start - match.start()
        tail = match[0][at + len(value):]
        return f"{match[0][:at]}[masked: {masks[-1].kind}]{tail}"

    return replace


def _mask_random(text: str, masks: list[Mask]) -> str:
    """Long strings that no person would type, where the words before them speak of a secret and not of a hash."""
    def fits(match: re.Match[str]) -> bool:
        before = MASK.sub(" ", match.string[max(0, match.start() - 70):match.start()]).rpartition("\n")[2]
        near = [m.start() for m in _SECRET_WORD.finditer(before)]
        other = [m.start() for m in _HASH_WORD.finditer(before)]
        return bool(near) and (not other or near[-1] > other[-1]) and is_random(match[0])

    return _LONG.sub(_masker("high entropy secret", masks, fits), text)


def _mask_detected(text: str, masks: list[Mask]) -> str:
    found = [(kind, secret) for piece in _suspicious_pieces(text) for kind, secret in _detect(piece)]
    for kind, secret in found:
        if secret in text:
            text = text.replace(secret, f"[masked: {kind}]")
            masks.append(Mask(kind))
    return text


def _suspicious_pieces(text: str) -> Iterator[str]:
    for line in text.splitlines():
        if not _still_suspicious(MASK.sub(" ", line)):
            continue
        for start in range(0, len(line), PIECE_CHARS - 200):
            yield MASK.sub(" ", line[start:start + PIECE_CHARS])


def _still_suspicious(line: str) -> bool:
    if re.search(r"(?i)cloudant|softlayer|ibm.{0,10}(?:key|iam|cos)|hmac|_authToken", line):
        return True
    return any(is_random(match[0]) for match in _LONG.finditer(line))


@cache
def _detectors() -> tuple[tuple[str, Callable[[str], object]], ...]:
    from importlib import import_module

    made = []
    for module, name in _DETECTORS:
        detector = getattr(import_module(f"detect_secrets.plugins.{module}"), name)()
        made.append((re.sub(r"[^a-z0-9]+", " ", detector.secret_type.lower()).strip()[:40], detector.analyze_string))
    return tuple(made)


def _detect(piece: str) -> Iterator[tuple[str, str]]:
    for kind, analyze in _detectors():
        found = analyze(piece)
        if not isinstance(found, Iterator):
            continue
        for secret in found:
            plain = str(secret).strip()
            if len(plain) >= 8 and "masked" not in plain and not is_placeholder(plain):
                yield kind, plain


def _masker(kind: str | Callable[[re.Match[str]], str], masks: list[Mask],
            fits: Callable[[re.Match[str]], bool]) -> Callable[[re.Match[str]], str]:
    """A replacement that masks the secret part of a match and keeps everything around it."""
    def replace(match: re.Match[str]) -> str:
        if not fits(match):
            return match[0]
        name = kind if isinstance(kind, str) else kind(match)
        masks.append(Mask(name))
        secret = _secret_of(match).rstrip(".,!?") or _secret_of(match)
        at = match[0].rindex(secret)
        return f"{match[0][:at]}[masked: {name}]{match[0][at + len(secret):]}"

    return replace


def _secret_of(match: re.Match[str]) -> str:
    groups = match.groupdict()
    return next((groups[name] for name in ("secret", "secret2", "secret3") if groups.get(name)), match[0])
