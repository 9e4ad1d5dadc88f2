"""Secrets leave a text, the rest of the sentence and every ordinary identifier stay."""

from __future__ import annotations

import subprocess
import sys
import time

import pytest

from dreamd.extraction import redact

A32 = "q9Zk2LmX7vBt4RnP8wYc1sDf6hJg3KaE"
HEX32 = "3f9a1c7e5b2d8046a1c7e5b2d80463f9"
HEX40 = HEX32 + "17c4e8b2"

SECRETS = {
    "zero-width space inside": ("push with ghp_aB3dE5fG7h\u200bI9jK1lM3nO5pQ7rS9tU1vW3xY5", "I9jK1lM3nO5p"),
    "full-width signs": (
        "push with ghp_" + "".join(chr(ord(c) + 0xFEE0) for c in "aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5"),
        "\uff22\uff13",
    ),
    "alarm code": ("the alarm code 4719 is shared", "4719"),
    "recovery codes": ("recovery codes: 8f3a-92bc, 1d4e-77aa", "1d4e-77aa"),
    "short name": ("user admin, pw Nh4JXqiVy", "Nh4JXqiVy"),
    "in brackets": ("the admin account (password 5kgprw4ZL) is shared", "5kgprw4ZL"),
    "changed": ("we changed the root password to Blue77zeJ", "Blue77zeJ"),
    "italian": ("La password del router è Gatto4411", "Gatto4411"),
    "dutch": ("Het wachtwoord van de server is Boom86A7", "Boom86A7"),
    "polish": ("Hasło do bazy to Kot6HSX", "Kot6HSX"),
    "turkish": ("Veritabanı şifresi Kedi9OfPn", "Kedi9OfPn"),
    "russian with its place": ("пароль от базы: XkIh9DknHd", "XkIh9DknHd"),
    "letters alone": ("API key is hswntglcfkvujipweaudhxyzdjmqgkml", "hswntglcfk"),
    "password file": ("db.internal:5432:app:bob:sER0I8BSPfGx", "sER0I8BSPfGx"),
    "signed address": ("https://b.s3.amazonaws.com/o?X-Amz-Signature=" + HEX32, HEX32),
    "password hash": ("root:$6$IaZaNJ4b$" + A32 * 2, A32),
    "asana token": ("asana PAT 1/9357652615541113:" + HEX32, HEX32),
    "plain word for an address": ("the password for ann@example.org is heronreed", "heronreed"),
    "pass": ("user admin, pass: Gull!22x", "Gull!22x"),
    "login pair": ("login admin/Plover#331 on the router", "Plover#331"),
    "card pin": ("PIN 4821 opens the cabinet", "4821"),
    "german pin": ("Die PIN der Tür ist 5521.", "5521"),
    "russian": ("пароль: Kelp-Moss-9", "Kelp-Moss"),
    "chinese colon": ("密码：海豹1234", "海豹"),
    "past tense": ("the admin password was hunter2 before", "hunter2"),
    "recovery phrase": (
        "The seed phrase is apple river stone cloud maple tiger ocean lamp forest pearl silver wheat",
        "river stone",
    ),
    "aws access key": ("use AKIA" + "QX7R4N2M9TLP3VDC for uploads", "QX7R4N2M9TLP3VDC"),
    "aws secret key": ("aws_secret_access_key = wJa7rXUtn9FEMIK7MDENGbPxRfiCYq2hLmN4oP8z", "wJa7rXUtn9FEMI"),
    "google api key": ("maps key AIza" + "SyD3kLq9xW2mN7pR4tV8yB1cF6hJ0aZeUg5", "SyD3kLq9xW2mN7p"),
    "google oauth token": ("the client secret GOCSPX-" + "k3Lm9Pq2Rs7Tv4Wx8Yz1Ab", "k3Lm9Pq2Rs7Tv4"),
    "azure storage key": (
        "AccountName=a;AccountKey=" + "Zm9vYmFyMTIzNDU2Nzg5MGFiY2RlZmdoaWprbG1ub3A=;x=1",
        "Zm9vYmFyMTIz",
    ),
    "azure client secret": ("secret value abc8Q~" + "D3kLq9xW2mN7pR4tV8yB1cF6hJ0aZeUgAbC", "D3kLq9xW2mN7"),
    "digitalocean token": ("dop_v1_" + HEX32 * 2 + " for the droplet", HEX32),
    "github token": ("push with ghp_" + "aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5", "aB3dE5fG7h"),
    "github fine-grained": ("github_pat_" + "11ABCDEFG0aB3dE5fG7hI9_jK1lM3nO5pQ7rS9tU1vW3xY5", "11ABCDEFG0"),
    "gitlab token": ("glpat-" + "aB3dE5fG7hI9jK1lM3nO is the deploy token", "aB3dE5fG7hI9"),
    "bitbucket token": ("ATBB" + "aB3dE5fG7hI9jK1lM3nO5pQ7rS9t works", "aB3dE5fG7hI9"),
    "slack token": ("bot uses xoxb-" + "1234567890-0987654321-AbCdEfGhIjKl", "AbCdEfGhIjKl"),
    "slack webhook": ("post to https://hooks.slack.com/services/" + "T01AB/B02CD/xYz123AbC456dEf789", "xYz123AbC456"),
    "discord token": ("M" + "TIzNDU2Nzg5MDEyMzQ1Njc4.GaBcDe.q9Zk2LmX7vBt4RnP8wYc1sDf6hJ", "q9Zk2LmX7vBt"),
    "telegram token": ("bot 123456789:AA" + "Hq9Zk2LmX7vBt4RnP8wYc1sDf6hJg3KaE", "Hq9Zk2LmX7v"),
    "stripe key": ("charge with sk_live_" + "q9Zk2LmX7vBt4RnP8wYc1sDf", "q9Zk2LmX7v"),
    "square token": ("sq0csp-" + "q9Zk2LmX7vBt4RnP8wYc1sDf6hJg3KaEab1cd2ef3gh", "q9Zk2LmX7v"),
    "shopify token": ("shpat_" + HEX32, HEX32),
    "twilio key": ("sid SK" + HEX32 + " signs", HEX32),
    "sendgrid key": ("SG." + "q9Zk2LmX7vBt4RnP8wYc1s.q9Zk2LmX7vBt4RnP8wYc1sDf6hJg3KaEq9Zk2LmX7vB", "q9Zk2LmX7v"),
    "mailgun key": ("key-" + HEX32 + " sends the mail", HEX32),
    "mailchimp key": (HEX32 + "-us14 is for the newsletter", HEX32),
    "openai key": ("sk-proj-" + A32 + A32, A32),
    "anthropic key": ("sk-ant-api03-" + A32 + "-x", A32),
    "huggingface token": ("hf_" + "qWeRtYuIoPaSdFgHjKlZxCvBnMqWeRtYuI", "qWeRtYuIoP"),
    "npm token": ("//registry.example.org/:_authToken=npm_" + "aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5", "aB3dE5fG7h"),
    "pypi token": (
        "pypi-" + "AgEIcHlwaS5vcmcCJDEyMzQ1Njc4LTEyMzQtMTIzNC0xMjM0LTEyMzQ1Njc4OTBhYgACKlszLCJh",
        "AgEIcHlwaS5v",
    ),
    "docker token": ("dckr_pat_" + A32, A32),
    "vault token": ("hvs." + A32 + " opens the vault", A32),
    "databricks token": ("dapi" + HEX32, HEX32),
    "linear key": ("lin_api_" + A32 + "ab12", A32),
    "grafana token": ("glsa_" + A32 + "_1a2b3c4d", A32),
    "tailscale key": ("tskey-auth-" + "kAbC123CNTRL-q9Zk2LmX7vBt4RnP8wYc", "q9Zk2LmX7vBt"),
    "json web token": ("eyJhbGciOiJIUzI1NiJ9." + "eyJzdWIiOiIxMjM0In0.q9Zk2LmX7vBt4RnP8wYc1sDf", "eyJzdWIi"),
    "private key": (
        "-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEAq9Zk2LmX7vBt\n-----END RSA PRIVATE KEY-----",
        "MIIEowIB",
    ),
    "cut private key": ("-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAE", "b3BlbnNzaC1r"),
    "connection string": ("postgres://app:tide-quartz-31@db.internal:5432/app", "tide-quartz-31"),
    "odd url password": ("amqp://u:p@ss/word!9@queue:5672", "p@ss"),
    "basic auth": ("https://bot:Kestrel-99@git.example.org/x.git", "Kestrel-99"),
    "bearer header": ("Authorization: Bearer " + A32, A32),
    "basic header": ("Authorization: Basic dXNlcjpzM2NyM3QtcGFzcw==", "dXNlcjpzM2Ny"),
    "cookie": ("Cookie: session=" + A32, A32),
    "curl user": ("curl -u ops:Lark-55-fern https://x.example.org", "Lark-55-fern"),
    "mysql": ("mysql -u root -pGannet71 shop", "Gannet71"),
    "env line": ("SMTP_PASSWORD=moss-kiln-5518", "moss-kiln-5518"),
    "env secret": ("export SESSION_SECRET='q9Zk2LmX7vBt4RnP'", "q9Zk2LmX7vBt"),
    "yaml": ("  api_key: q9Zk2LmX7vBt4RnP", "q9Zk2LmX7vBt"),
    "json": ('{"password": "plover-41"}', "plover-41"),
    "sentence": ("The admin password of the printer is Velvet-Crab-3107-oak.", "Velvet-Crab"),
    "plain word": ("the wifi password is bumblebee.", "bumblebee"),
    "german": ("Das Passwort für den Router lautet Regen4711.", "Regen4711"),
    "spanish": ("La contraseña del servidor es Gato-2231", "Gato-2231"),
    "french": ("Le mot de passe du NAS est ouistiti9", "ouistiti9"),
    "portuguese": ("A senha do banco é abc123xyz", "abc123xyz"),
    "chinese": ("数据库密码是 abc123def", "abc123def"),
    "japanese": ("パスワードはkoi-8841です", "koi-8841"),
    "korean": ("비밀번호는 abc1234입니다", "abc1234"),
    "passphrase": ("the passphrase is correct horse battery staple", "battery"),
    "door code": ("The door code is 4711.", "4711"),
    "spoken key": ("The API key of the map service is q9Zk2LmX7vBt4RnP8wYc1sDf", "q9Zk2LmX7vBt"),
    "uuid key": ("heroku api key: c41e09b7-52d3-4e8a-9f60-1b7a3e5d8c24", "c41e09b7"),
    "random with context": ("the signing secret rotates to " + A32 + " tonight", A32),
    "card": ("company card 4111 1111 1111 1111 for tests", "4111 1111"),
}

ORDINARY = [
    "Order 4111-2231 is for berth 12.",
    "Error code: 4711",
    "Pin 13 drives the lamp; pin 14 is ground.",
    "The license key format is five groups.",
    "trace id 0af7651916cd43dd8448eb211c80319c",
    "image digest sha256:8f14e45fceea167a5a36dedd4bea25438f14e45fceea167a5a36dedd4bea2543",
    "Basic auth is switched off.",
    "The secret name is db-credentials.",
    "token = get_token(user)",
    "La clave es empezar temprano.",
    "Der Schlüssel liegt im Büro.",
    "The PIN is four digits long.",
    "Pass: the test passed twice.",
    "commit 3f2a9c1d0b7e8f6a5c4d3e2f1a0b9c8d7e6f5a4b fixed the pager",
    "The chart board has the identifier c41e09b7-52d3-4e8a-9f60-1b7a3e5d8c24.",
    "sha256 of the key file: e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "md5 d41d8cd98f00b204e9800998ecf8427e of the empty file",
    "integrity sha512-q9Zk2LmX7vBt4RnP8wYc1sDf6hJg3KaEq9Zk2LmX7vBt4RnP8wYc==",
    "The scale at gate 3 answers on port 9410.",
    "Passwords are hashed with bcrypt.",
    "The password is required.",
    "The password sits in the vault.",
    "password: str = Field(min_length=12)",
    "max_tokens: 4096",
    "token_count=123456789",
    "SECRET_KEY = os.environ['SECRET_KEY']",
    "token: ${{ secrets.DEPLOY_TOKEN }}",
    "API_KEY=<your-key-here>",
    "The refresh token lives 30 days.",
    "Token refresh happens every 15 minutes; secret rotation is monthly.",
    "GPIO pin is 17.",
    "The key decision was pnpm 9.12.3 in /opt/tools/bin/pnpm.",
    "The cache key is user_profile_v2_1234567890_abc.",
    "See https://docs.example.org/document/d/1Kp7QvWz3mXn9TdLr5YbHs2GfJc8RaEu4NtViOxM6Zq0/edit",
    "Python 3.12.4, node v20.11.1 and image registry.example.org/app:2026.03.1",
    "tests_passed: 1200 in 3 min",
    "Loop unrolling pass: it needs a flag.",
    "The public key is ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ2mN7pR4tV8yB1cF6hJ0aZeUg5",
    "postgres://app@db.internal:5432/app",
    "postgres://app:${DB_PASSWORD}@db/app",
    "The row gauge has address 0x3A41.",
    "AbstractSingletonProxyFactoryBean is where the key handling starts.",
    "password reset mails go out at 06:00",
    "Das Passwort ist im Tresor.",
    "The secret santa draw is at 17:00.",
    "Change the password every 90 days.",
]


@pytest.mark.parametrize("name", SECRETS)
def test_a_secret_is_masked_and_nothing_else_is_lost(name: str) -> None:
    text, secret = SECRETS[name]
    redacted = redact(text)
    assert secret not in redacted.text
    assert "[masked: " in redacted.text
    assert redacted.masks
    assert redact(redacted.text).text == redacted.text


@pytest.mark.parametrize("text", ORDINARY)
def test_an_ordinary_identifier_survives(text: str) -> None:
    assert redact(text).text == text


def test_only_the_secret_part_of_a_sentence_goes() -> None:
    text = "Scans land in bucket ferry in eu-north-1 with password Heron-77-reed on port 9100."
    assert redact(text).text == "Scans land in bucket ferry in eu-north-1 with password [masked: password] on port 9100."


def test_the_password_of_a_connection_string_goes_and_the_address_stays() -> None:
    assert redact("db is mysql://shop:tern-88@db.internal:3306/shop").text == (
        "db is mysql://shop:[masked: url password]@db.internal:3306/shop"
    )


def test_a_plain_note_loads_no_detector_and_takes_no_time() -> None:
    code = (
        "import sys, time\nfrom dreamd.extraction import redact\n"
        "text = 'Yarn colours follow the chart of the mill, not the common one.'\nredact(text)\n"
        "start = time.perf_counter()\nfor _ in range(100): redact(text)\n"
        "assert (time.perf_counter() - start) / 100 < 0.001\n"
        "assert not any(m.startswith(('detect_secrets', 'dateparser')) for m in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


@pytest.mark.parametrize(
    "piece",
    [
        "password is for of ",
        "-----BEGIN PRIVATE KEY-----",
        "a://b:",
        "token=abc1 ",
        "eyJ.",
        "key ",
        "sk-x1",
        "a.b",
        "aB3",
        "cookie: a=b",
        "=",
        " ",
    ],
)
def test_a_long_text_is_redacted_in_linear_time(piece: str) -> None:
    def seconds(size: int) -> float:
        body = piece * (size // len(piece))
        start = time.perf_counter()
        redact(body)
        return time.perf_counter() - start

    assert seconds(200_000) < max(0.1, seconds(50_000)) * 12
