"""An authenticator in software: makes and uses passkeys as a browser with a security key would."""

import base64
import hashlib
import json
from typing import Any

import cbor2
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256


def _text(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


class SoftAuthenticator:
    """One key, for one person."""

    def __init__(self, origin: str, *, counts: bool = True) -> None:
        """Many authenticators do not count their uses."""
        self.origin = origin
        self.key = ec.generate_private_key(ec.SECP256R1())
        self.credential_id = b"credential-0001-of-the-test"
        self.user_handle = b""
        self.uses = 0
        self._counts = counts
        self.verifies_person = True

    def make(self, options: str) -> str:
        """The answer to `navigator.credentials.create`."""
        asked = json.loads(options)
        self.user_handle = base64.urlsafe_b64decode(asked["user"]["id"] + "==")
        numbers = self.key.public_key().public_numbers()
        public = cbor2.dumps(
            {1: 2, 3: -7, -1: 1, -2: numbers.x.to_bytes(32), -3: numbers.y.to_bytes(32)}
        )
        length = len(self.credential_id).to_bytes(2)
        about = b"\0" * 16 + length + self.credential_id + public
        data = self._data(asked["rp"]["id"], 0x40) + about
        made = cbor2.dumps({"fmt": "none", "attStmt": {}, "authData": data})
        client = self._client("webauthn.create", asked["challenge"])
        return self._answer({"clientDataJSON": _text(client), "attestationObject": _text(made)})

    def use(self, options: str) -> str:
        """The answer to `navigator.credentials.get`."""
        asked = json.loads(options)
        data = self._data(asked["rpId"], 0)
        client = self._client("webauthn.get", asked["challenge"])
        signed = data + hashlib.sha256(client).digest()
        signature = self.key.sign(signed, ec.ECDSA(SHA256()))
        return self._answer(
            {
                "clientDataJSON": _text(client),
                "authenticatorData": _text(data),
                "signature": _text(signature),
                "userHandle": _text(self.user_handle),
            }
        )

    def _data(self, host: str, flags: int) -> bytes:
        self.uses += self._counts
        flags |= 0x01 | (0x04 if self.verifies_person else 0)
        return hashlib.sha256(host.encode()).digest() + bytes([flags]) + self.uses.to_bytes(4)

    def _client(self, kind: str, challenge: str) -> bytes:
        said = {"type": kind, "challenge": challenge, "origin": self.origin}
        return json.dumps(said).encode()

    def _answer(self, response: dict[str, Any]) -> str:
        named = _text(self.credential_id)
        return json.dumps({"id": named, "rawId": named, "type": "public-key", "response": response})
