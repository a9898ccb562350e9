"""A small provider of OpenID Connect on loopback, with a real key and real tokens."""

import base64
import contextlib
import hashlib
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

from joserfc import jwt
from joserfc.jwk import ECKey, KeySet, OctKey

CLIENT, SECRET = "console", "a secret of the console"


def _text(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


class SmallProvider:
    """Knows one person; what its tokens say can be changed by the test."""

    def __init__(self, issuer: str) -> None:
        self.issuer = issuer
        self.key: Any = ECKey.generate_key("P-256", {"kid": "one"})
        self.published = self.key
        self.header = {"alg": "ES256", "kid": "one"}
        self.person: dict[str, Any] = {
            "sub": "s-1",
            "email": "Ada@Shop.example",
            "email_verified": True,
            "name": "Ada Lovelace",
        }
        self.changed: dict[str, Any] = {}
        self.now_s = 0
        self.asked: dict[str, str] = {}
        self.document_changes: dict[str, Any] = {}
        self.calls: list[str] = []

    def document(self) -> dict[str, Any]:
        return {
            "issuer": self.issuer,
            "authorization_endpoint": f"{self.issuer}/authorize",
            "token_endpoint": f"{self.issuer}/token",
            "jwks_uri": f"{self.issuer}/keys",
            **self.document_changes,
        }

    def visit(self, url: str) -> str:
        """What a browser does at the provider: signs in; the code that it is sent back with."""
        self.asked = {name: values[0] for name, values in parse_qs(urlsplit(url).query).items()}
        assert self.asked["response_type"] == "code"
        return "code-1"

    def exchange(self, form: dict[str, str], authorization: str) -> dict[str, Any]:
        """The token for a code, if client and verifier are right."""
        pair = base64.b64encode(f"{CLIENT}:{SECRET.replace(' ', '%20')}".encode()).decode()
        assert authorization == f"Basic {pair}"
        challenge = hashlib.sha256(form["code_verifier"].encode()).digest()
        assert _text(challenge) == self.asked["code_challenge"]
        assert form["redirect_uri"] == self.asked["redirect_uri"]
        claims = {
            "iss": self.issuer,
            "aud": CLIENT,
            "nonce": self.asked["nonce"],
            "iat": self.now_s,
            "exp": self.now_s + 300,
            **self.person,
            **self.changed,
        }
        if self.header["alg"] == "none":
            parts = (_text(json.dumps(part).encode()) for part in (self.header, claims))
            return {"id_token": f"{'.'.join(parts)}."}
        return {"id_token": jwt.encode(self.header, claims, self.key), "token_type": "Bearer"}

    def sign_with_the_clients_secret(self) -> None:
        """The old trick: a symmetric signature with what the client knows."""
        self.key, self.header = OctKey.import_key(SECRET), {"alg": "HS256"}


@contextlib.contextmanager
def small_provider() -> Iterator[SmallProvider]:
    """The provider, served."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            provider.calls.append(self.path)
            if self.path == "/.well-known/openid-configuration":
                self._send(provider.document())
            elif self.path == "/keys":
                self._send(KeySet([provider.published]).as_dict(private=False))
            else:
                self.send_error(404)

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"])).decode()
            form = {name: values[0] for name, values in parse_qs(body).items()}
            try:
                self._send(provider.exchange(form, self.headers.get("Authorization", "")))
            except AssertionError:
                self.send_error(400)

        def _send(self, content: Any) -> None:
            body = json.dumps(content).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        provider = SmallProvider(f"http://127.0.0.1:{server.server_address[1]}")
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        yield provider
        server.shutdown()
