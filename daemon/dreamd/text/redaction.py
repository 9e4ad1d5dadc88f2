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
from dreamd.text.secrecy.masks import MASK, cut_out
from dreamd.text.secrecy.proven_numbers import find_proven
from dreamd.text.secrecy.said_secrets import find_named, find_told
from dreamd.text.suspicion import is_placeholder, is_random, is_secretish

__all__ = ["MASK", "Redacted", "mask_name", "mask_scope", "redact"]

MAX_ROUNDS = 4
PIECE_CHARS = 2_000

_RUN = re.compile(r"(?=[A-Za-z0-9_+/.=~:$-]{16})[A-Za-z_+/.=~:$-]{0,40}\d|[A-Za-z0-9+/_=-]{24}|\d{4}[ -]?\d{4}"
                  r"|[A-Z]{2}\d{2}[ -]?[A-Z0-9]{4}")
_LONG = re.compile(r"(?<![A-Za-z0-9+/_=.@-])[A-Za-z0-9+/_-]{20,512}={0,2}(?![A-Za-z0-9+/_-])")
_SECRET_WORD = re.compile(
    r"(?<![A-Za-z])(?:secrets?|tokens?|(?:api|access|auth|signing|private|master|encryption|licen[cs]e)[ _-]?keys?|keys?"
    r"|credentials?|passw(?:or)?d|auth|bearer|\w{0,20}schlüssel|clave|clé|chave|hmac"
    r"|密钥|密鑰|令牌|秘密|鍵|トークン|키|토큰)(?![a-z])", re.IGNORECASE)
_HASH_WORD = re.compile(
    r"sha-?\d*|md5|commit|digest|checksum|hash|revision|\brev\b|fingerprint|uuid|\buid|guid|etag|blob|\btree\b|\bids?\b"
    r"|_id\b|build"
    r"|version|\btag\b|branch"
    r"|(?:public|file|cache|primary|foreign|project|partition|sort|issue|host|document|object)[ _-]keys?"
    r"|ssh-|docker|image|document|\bsheet|\bfile|folder|\btrace|request|integrity"
    r"|\bkid\b|prüfsumme"
    r"|提交|校验|哈希|ハッシュ|コミット|해시|커밋", re.IGNORECASE)
_HEX = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_AT_A_COMMIT = re.compile(r"\b(?:in|at|since|by|from|on|to)\s[`\"(]?\Z")
_ASSIGNED = re.compile(
    r"(?i:(?P<strong>passw(?:or)?d|passwort|passphrase|passwd|pwd|contraseña|senha|_pass(?![a-z])|\bpass(?=[\"']?\s?=)"
    r"|(?<![A-Za-z])pw(?=[\"']?\s?=))"
    r"|(?P<weak>secret|token|api[_-]?key|access[_-]?key|private[_-]?key|signing[_-]?key|_key|_auth(?![a-z])|auth_|credentials?|_dsn))"
    r"(?P<rest>[\w-]{0,40})(?:\\{0,2}[\"'`\]]){0,2}\s{0,3}(?P<join>:=|=>|=|:)\s{0,3}"
    r"(?P<quote>\\{0,2}[\"'`]?)(?P<secret>(?!\[masked)[^\s\"'`,;<>\\]{3,400})")
_REST_NOT_SECRET = re.compile(
    r"length|min|max|age|days|policy|field|url|file|path|hint|expir|ttl|count|attempts|name|type|id\b|label|reset|limit"
    r"|size|env|ref|regex|prompt",
    re.IGNORECASE)
_FULL_WIDTH = re.compile("[\uff10-\uff19\uff21-\uff3a\uff41-\uff5a]")
_DETECTORS = (
    ("aws", "AWSKeyDetector"), ("azure_storage_key", "AzureStorageKeyDetector"), ("basic_auth", "BasicAuthDetector"),
    ("cloudant", "CloudantDetector"), ("discord", "DiscordBotTokenDetector"), ("github_token", "GitHubTokenDetector"),
    ("gitlab_token", "GitLabTokenDetector"), ("ibm_cloud_iam", "IbmCloudIamDetector"), ("ibm_cos_hmac", "IbmCosHmacDetector"),
    ("jwt", "JwtTokenDetector"), ("mailchimp", "MailchimpDetector"), ("npm", "NpmDetector"), ("openai", "OpenAIDetector"),
    ("pypi_token", "PypiTokenDetector"), ("sendgrid", "SendGridDetector"), ("slack", "SlackDetector"),
    ("softlayer", "SoftlayerDetector"), ("square_oauth", "SquareOAuthDetector"), ("stripe", "StripeDetector"),
    ("telegram_token", "TelegramBotTokenDetector"), ("twilio", "TwilioKeyDetector"),
)
_ESCAPED = re.compile(r'\\"([^"\\\n]{1,200})\\"')


@dataclass(frozen=True)
class Redacted:
    """A text without its secrets."""

    text: str
    masks: tuple[str, ...] = ()
    """Their kinds, in the order in which they were found."""


def redact(text: str) -> Redacted:
    """Take every secret out of a text and say of which kinds they were.

    A secret that hidden or full-width signs disguise is masked as well; only then do those signs go.
    """
    found = _mask_all(text)
    seen = text if text.isascii() else _undisguised(text)
    if seen != text:
        bare = _mask_all(seen)
        if len(bare.masks) > len(found.masks):
            found = bare
    return _mask_escaped(found) if _ESCAPED.search(found.text) else found


def _mask_escaped(found: Redacted) -> Redacted:
    """The same where quotation marks stand escaped, as in front matter and JSON: `the passphrase is \\"seven grey geese\\"`."""
    marks = next((pair for pair in ("“”", "«»", "‹›") if not set(pair) & set(found.text)), "")
    if not marks:
        return found
    plain = _mask_all(_ESCAPED.sub(rf"{marks[0]}\1{marks[1]}", found.text))
    if not plain.masks:
        return found
    return Redacted(plain.text.replace(marks[0], '\\"').replace(marks[1], '\\"'), (*found.masks, *plain.masks))


def _undisguised(text: str) -> str:
    plain = strip_hidden(text)
    return unicodedata.normalize("NFKC", plain) if _FULL_WIDTH.search(plain) else plain


def _mask_all(text: str) -> Redacted:
    if not _may_say(text):
        return Redacted(text)
    masks: list[str] = []
    for _ in range(MAX_ROUNDS):
        before = len(masks)
        for layer in (_mask_shapes, _mask_said, _mask_assigned, _mask_random, _mask_detected):
            text = layer(text, masks)
        if len(masks) == before:
            break
    return Redacted(text, tuple(masks))


def _may_say(text: str) -> bool:
    """Whether a text has anything about it of a text with a secret; looking for plain words is the cheapest look there is."""
    folded = text.lower()
    for stem in patterns.load("secrets")["spoken"]["stems"]:  # a loop takes half the time of `any`
        if stem in folded:
            return True
    return _RUN.search(text) is not None or any(shape.near for shape in _standing(text, folded))


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


@cache
def _shapes() -> tuple[_Shape, ...]:
    return tuple(_Shape(row["kind"], tuple(row["near"]), row.get("fold", False), row["pattern"])
                 for row in patterns.load("secrets")["secret"])


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


def _standing(text: str, folded: str) -> Iterator[_Shape]:
    """The shapes of which a sign stands in a text; one without signs is tried wherever there is anything to look for."""
    for shape in _shapes():
        where = folded if shape.fold else text
        for literal in shape.near or ("",):
            if literal in where:
                yield shape
                break


def _mask_shapes(text: str, masks: list[str]) -> str:
    for shape in _standing(text, text.lower()):
        text = _compiled(shape.pattern).sub(_masker(shape.kind, masks, lambda match: "[masked" not in _secret_of(match)), text)
    return text


def _mask_assigned(text: str, masks: list[str]) -> str:
    def kind(match: re.Match[str]) -> str:
        return "password" if match["strong"] else match["weak"].strip("_-").replace("_", " ").replace("-", " ").lower()

    return _ASSIGNED.sub(_masker(kind, masks, _is_assigned_secret), text)


def _is_assigned_secret(match: re.Match[str]) -> bool:
    value, rest = match["secret"].rstrip(".,!?)"), match["rest"]
    if _REST_NOT_SECRET.search(rest) or value.lower() in patterns.load("secrets")["spoken"]["plain"] or is_placeholder(value):
        return False
    if match["strong"]:
        return len(value) >= 4 and not re.fullmatch(r"[a-z]+(?:_[a-z]+)+|[\d.]{1,3}", value)
    if is_secretish(value, shortest=8):
        return True
    return "=" in match["join"] and len(value) >= 12 and re.fullmatch(r"[A-Za-z]+", value) is not None


def _mask_said(text: str, masks: list[str]) -> str:
    for find in (find_proven, find_told, find_named, find_told):
        text = cut_out(text, find(text), masks)
    return text


def _mask_random(text: str, masks: list[str]) -> str:
    """Long strings that no person would type, where the words before them speak of a secret and not of a hash."""
    def fits(match: re.Match[str]) -> bool:
        before = MASK.sub(" ", match.string[max(0, match.start() - 70):match.start()]).rpartition("\n")[2]
        if _HEX.fullmatch(match[0]) and _AT_A_COMMIT.search(before):
            return False
        near = [m.end() for m in _SECRET_WORD.finditer(before)]
        other = [m.end() for m in _HASH_WORD.finditer(before)]
        return bool(near) and (not other or near[-1] > other[-1]) and is_random(match[0])

    return _LONG.sub(_masker("high entropy secret", masks, fits), text)


def _mask_detected(text: str, masks: list[str]) -> str:
    found = [(kind, secret) for piece in _suspicious_pieces(text) for kind, secret in _detect(piece)]
    for kind, secret in found:
        if secret in text:
            text = text.replace(secret, f"[masked: {kind}]")
            masks.append(kind)
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


def _masker(kind: str | Callable[[re.Match[str]], str], masks: list[str],
            fits: Callable[[re.Match[str]], bool]) -> Callable[[re.Match[str]], str]:
    """A replacement that masks the secret part of a match and keeps everything around it."""
    def replace(match: re.Match[str]) -> str:
        if not fits(match):
            return match[0]
        name = kind if isinstance(kind, str) else kind(match)
        masks.append(name)
        secret = _secret_of(match).rstrip(".,!?") or _secret_of(match)
        at = match[0].rindex(secret)
        return f"{match[0][:at]}[masked: {name}]{match[0][at + len(secret):]}"

    return replace


def _secret_of(match: re.Match[str]) -> str:
    groups = match.groupdict()
    return next((groups[name] for name in ("secret", "secret2", "secret3") if groups.get(name)), match[0])
