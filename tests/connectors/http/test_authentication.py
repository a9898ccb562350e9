"""How a connector proves who it is: users, tokens, certificates and signatures."""

import asyncio
import base64
import hashlib
import hmac
import ssl
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import parse_qs

import pytest

from gatehouse.connectors.http.connector import HttpConnector
from gatehouse.connectors.tls import TlsOptions
from gatehouse.core.errors import ConnectorFailed, SettingsError
from tests.connectors.http.asking import authorization, connected, definition, enquiry
from tests.connectors.http.certificates import Authority
from tests.connectors.http.party import Answer, Heard, Party, Reply, serving

T = TypeVar("T")
FINE = Reply({"code": "00", "ok": True})
BODY = """
precheck:
  request: {path: /check, body: {card: "{card.number}"}}
  answer: {response_code: code}
authorize:
  request: {path: /pay, body: {card: "{card.number}"}}
  answer: {approved: ok, response_code: code}
reverse:
  request: {path: /reverse, body: {ref: "{reference}"}}
"""
OAUTH = """
mapping: tokens
secrets: {id: Client, secret: Its secret}
authentication:
  oauth2:
    token_url: /oauth/token
    client_id: "{secret.id}"
    client_secret: "{secret.secret}"
    scope: cards
"""


class Bench:
    """Runs work against a party that asks for a proof."""

    def __init__(self, context: ssl.SSLContext, authority: Authority, folder: Path) -> None:
        self.context = context
        self.authority = authority
        self._folder = folder

    def run(
        self,
        head: str,
        secrets: dict[str, str],
        answer: Answer,
        work: Callable[[HttpConnector, Party], Awaitable[T]],
        **options: Any,
    ) -> T:
        async def run() -> T:
            async with serving(answer, self.context) as party:
                made = definition(
                    (head + BODY).encode(),
                    party.url,
                    secrets={name: self.source(name, text) for name, text in secrets.items()},
                    **({"tls": self.tls()} | options),
                )
                async with connected(made) as connector:
                    return await work(connector, party)

        return asyncio.run(run())

    def tls(self, **more: str) -> TlsOptions:
        return TlsOptions(ca_file=str(self.authority.ca_file), **more)

    def source(self, name: str, text: str) -> str:
        path = self._folder / name
        path.write_text(text)
        return f"file:{path}"


@pytest.fixture
def bench(server_context: ssl.SSLContext, authority: Authority, tmp_path: Path) -> Bench:
    return Bench(server_context, authority, tmp_path)


async def check(connector: HttpConnector) -> str:
    assert connector.issuer is not None
    return (await connector.issuer.check(enquiry())).response_code


async def heard_of_a_check(connector: HttpConnector, party: Party) -> Heard:
    await check(connector)
    return party.heard[-1]


def test_a_user_and_a_password(bench: Bench) -> None:
    heard = bench.run(
        """
mapping: basic
secrets: {user: Name, password: Password}
authentication: {basic: {user: "{secret.user}", password: "{secret.password}"}}
""",
        {"user": "shop", "password": "pässword:1"},
        lambda _: FINE,
        heard_of_a_check,
    )
    kind, _, text = heard.headers["authorization"].partition(" ")
    assert kind == "Basic"
    assert base64.b64decode(text).decode() == "shop:pässword:1"


def test_a_header_of_every_request(bench: Bench) -> None:
    heard = bench.run(
        """
mapping: key
secrets: {key: Key}
headers: {X-API-Key: "{secret.key}", User-Agent: shop}
""",
        {"key": "abc"},
        lambda _: FINE,
        heard_of_a_check,
    )
    assert heard.headers["x-api-key"] == "abc"
    assert heard.headers["user-agent"] == "shop"


def test_a_secret_that_no_header_can_hold_is_refused_without_showing_it(bench: Bench) -> None:
    head = """
mapping: key
secrets: {key: Key}
headers: {X-API-Key: "{secret.key}"}
"""
    with pytest.raises(SettingsError, match="line break") as caught:
        bench.run(head, {"key": "abc\ndef"}, lambda _: FINE, heard_of_a_check)
    assert "abc" not in str(caught.value)


def test_a_signature_as_cybersource_wants_it(bench: Bench) -> None:
    key = base64.b64encode(b"shared key").decode()
    heard = bench.run(
        """
mapping: signed
secrets: {key: Shared key, key_id: Its name}
options: {merchant: {description: Merchant id, default: shop_1}}
authentication:
  hmac:
    key: "{secret.key}"
    key_encoding: base64
    sign: "host: {host}\\ndate: {now|time:%Y%m%dT%H%M%SZ}\\n(request-target): {method|lower} \\
      {path}\\ndigest: SHA-256={digest}\\nv-c-merchant-id: {option.merchant}"
    headers:
      Digest: "SHA-256={digest}"
      v-c-merchant-id: "{option.merchant}"
      v-c-date: "{now|time:%Y%m%dT%H%M%SZ}"
      Signature: 'keyid="{secret.key_id}", algorithm="HmacSHA256", signature="{signature}"'
""",
        {"key": key, "key_id": "key-1"},
        lambda _: FINE,
        heard_of_a_check,
    )
    digest = base64.b64encode(hashlib.sha256(heard.body).digest()).decode()
    assert heard.headers["digest"] == f"SHA-256={digest}"
    signed = "\n".join(
        (
            f"host: {heard.headers['host']}",
            f"date: {heard.headers['v-c-date']}",
            "(request-target): post /check",
            f"digest: SHA-256={digest}",
            "v-c-merchant-id: shop_1",
        )
    )
    mac = base64.b64encode(hmac.new(b"shared key", signed.encode(), "sha256").digest()).decode()
    assert heard.headers["signature"] == (
        f'keyid="key-1", algorithm="HmacSHA256", signature="{mac}"'
    )


def test_a_plain_signature_of_the_body(bench: Bench) -> None:
    heard = bench.run(
        """
mapping: signed
secrets: {key: Shared key}
authentication:
  hmac:
    key: "{secret.key}"
    algorithm: sha512
    encoding: hex
    sign: "{random.hex}.{body}"
    headers: {X-Nonce: "{random.hex}", X-Signature: "{signature}"}
""",
        {"key": "k"},
        lambda _: FINE,
        heard_of_a_check,
    )
    signed = f"{heard.headers['x-nonce']}.".encode() + heard.body
    assert heard.headers["x-signature"] == hmac.new(b"k", signed, "sha512").hexdigest()


def test_a_key_that_is_not_as_it_is_said_to_be_is_refused(bench: Bench) -> None:
    head = """
mapping: signed
secrets: {key: Shared key}
authentication:
  hmac: {key: "{secret.key}", key_encoding: base64, sign: "{body}", headers: {X: "{signature}"}}
"""
    with pytest.raises(SettingsError, match="the key of the signature is not base64"):
        bench.run(head, {"key": "§"}, lambda _: FINE, heard_of_a_check)


class TokenParty:
    """Gives tokens out, and accepts only the newest."""

    def __init__(self, life_s: float = 3600) -> None:
        self.given = 0
        self.accepts = True
        self._life_s = life_s

    def __call__(self, heard: Heard) -> Reply:
        if heard.path == "/oauth/token":
            self.given += 1
            return Reply({"access_token": f"t{self.given}", "expires_in": self._life_s})
        right = heard.headers["authorization"] == f"Bearer t{self.given}"
        return FINE if right and self.accepts else Reply({}, 401)


_CLIENT = {"id": "shop", "secret": "s3cret"}


def test_a_token_is_fetched_once_and_used_for_all(bench: Bench) -> None:
    async def work(connector: HttpConnector, party: Party) -> list[Heard]:
        await asyncio.gather(*(check(connector) for _ in range(10)))
        return party.heard

    tokens = TokenParty()
    heard = bench.run(OAUTH, _CLIENT, tokens, work)
    [fetched] = [each for each in heard if each.path == "/oauth/token"]
    assert tokens.given == 1
    assert parse_qs(fetched.body.decode()) == {
        "grant_type": ["client_credentials"],
        "scope": ["cards"],
    }
    basic = base64.b64encode(b"shop:s3cret").decode()
    assert fetched.headers["authorization"] == f"Basic {basic}"
    assert fetched.headers["content-type"] == "application/x-www-form-urlencoded"


def test_the_client_can_be_named_in_the_body(bench: Bench) -> None:
    async def work(connector: HttpConnector, party: Party) -> Heard:
        await check(connector)
        return party.heard[0]

    heard = bench.run(OAUTH + "    send: body\n", _CLIENT, TokenParty(), work)
    form = parse_qs(heard.body.decode())
    assert (form["client_id"], form["client_secret"]) == (["shop"], ["s3cret"])
    assert "authorization" not in heard.headers


def test_a_token_that_is_refused_is_replaced_once_for_a_check(bench: Bench) -> None:
    tokens = TokenParty()

    async def work(connector: HttpConnector, party: Party) -> None:
        await check(connector)
        tokens.given += 1  # the party forgets the token that it gave
        await check(connector)
        paths = [heard.path for heard in party.heard]
        assert paths == ["/oauth/token", "/check", "/check", "/oauth/token", "/check"]
        tokens.accepts = False
        with pytest.raises(ConnectorFailed, match="it answered 401: our mistake"):
            await check(connector)
        assert [heard.path for heard in party.heard[5:]] == ["/check", "/oauth/token", "/check"]

    bench.run(OAUTH, _CLIENT, tokens, work)


def test_a_token_that_many_checks_find_refused_is_replaced_once(bench: Bench) -> None:
    tokens = TokenParty()

    async def work(connector: HttpConnector, _party: Party) -> None:
        await check(connector)
        tokens.given += 1
        codes = await asyncio.gather(*(check(connector) for _ in range(8)))
        assert codes == ["00"] * 8
        assert tokens.given == 3

    bench.run(OAUTH, _CLIENT, tokens, work)


def test_a_payment_is_not_repeated_when_its_token_is_refused(bench: Bench) -> None:
    tokens = TokenParty()

    async def work(connector: HttpConnector, party: Party) -> None:
        await check(connector)
        tokens.given += 1
        assert connector.gateway is not None
        with pytest.raises(ConnectorFailed, match="401"):
            await connector.gateway.authorize(authorization())
        assert (await connector.gateway.authorize(authorization())).approved
        paths = [heard.path for heard in party.heard[2:]]
        assert paths == ["/pay", "/oauth/token", "/pay"]

    bench.run(OAUTH, _CLIENT, tokens, work)


@pytest.mark.parametrize(
    "reply",
    [
        Reply({"error": "invalid_client"}, 401),
        Reply({"no": "token"}),
        Reply(body=b"<html>"),
        Reply({"access_token": "a\nb"}),
        Reply({"access_token": 7}),
    ],
    ids=["refused", "none", "html", "broken", "number"],
)
def test_without_a_token_nothing_is_sent(bench: Bench, reply: Reply) -> None:
    async def work(connector: HttpConnector, party: Party) -> None:
        for _ in range(2):
            with pytest.raises(ConnectorFailed, match="no token: the token service") as caught:
                await check(connector)
            assert not caught.value.sent
        # After a failure, the token service has a moment of peace.
        assert [heard.path for heard in party.heard] == ["/oauth/token"]

    bench.run(OAUTH, _CLIENT, lambda _: reply, work)


def test_one_caller_that_gives_up_does_not_end_the_fetch_of_others(bench: Bench) -> None:
    release = asyncio.Event()
    tokens = TokenParty()

    async def answer(heard: Heard) -> Reply:
        if heard.path == "/oauth/token":
            await release.wait()
        return tokens(heard)

    async def work(connector: HttpConnector, _party: Party) -> None:
        first = asyncio.create_task(check(connector))
        second = asyncio.create_task(check(connector))
        await asyncio.sleep(0)
        first.cancel()
        release.set()
        assert await second == "00"
        assert tokens.given == 1

    bench.run(OAUTH, _CLIENT, answer, work)


def test_a_token_service_elsewhere(bench: Bench, authority: Authority) -> None:
    async def run() -> None:
        tokens = TokenParty()
        async with serving(tokens, bench.context) as service:
            head = OAUTH.replace("/oauth/token", f"{service.url}/oauth/token")

            async def work(connector: HttpConnector, party: Party) -> None:
                await check(connector)
                assert [heard.path for heard in service.heard] == ["/oauth/token"]
                assert party.heard[0].headers["authorization"] == "Bearer t1"

            async with serving(lambda _: FINE, bench.context) as party:
                made = definition(
                    (head + BODY).encode(),
                    party.url,
                    secrets={name: bench.source(name, text) for name, text in _CLIENT.items()},
                    tls=bench.tls(),
                )
                async with connected(made) as connector:
                    await work(connector, party)

    asyncio.run(run())


@pytest.fixture
def asking_context(authority: Authority) -> ssl.SSLContext:
    """TLS of a party that asks for a certificate."""
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH, cafile=str(authority.ca_file))
    context.load_cert_chain(*authority.certificate("localhost"))
    context.verify_mode = ssl.CERT_REQUIRED
    return context


def test_a_certificate_of_ours_is_shown(bench: Bench, asking_context: ssl.SSLContext) -> None:
    bench.context = asking_context
    certificate, key = bench.authority.certificate("shop.example")
    shown = bench.tls(certificate_file=certificate, key_file=key)
    heard = bench.run("mapping: mutual", {}, lambda _: FINE, heard_of_a_check, tls=shown)
    assert heard.path == "/check"


def test_without_a_certificate_such_a_party_does_not_answer(
    bench: Bench, asking_context: ssl.SSLContext
) -> None:
    bench.context = asking_context
    with pytest.raises(ConnectorFailed):
        bench.run("mapping: mutual", {}, lambda _: FINE, heard_of_a_check)


def test_a_certificate_that_cannot_be_read_is_named(bench: Bench, tmp_path: Path) -> None:
    wrong = str(tmp_path / "missing.pem")
    with pytest.raises(SettingsError, match="a file for TLS cannot be used"):
        bench.run(
            "mapping: mutual",
            {},
            lambda _: FINE,
            heard_of_a_check,
            tls=TlsOptions(certificate_file=wrong, key_file=wrong),
        )
