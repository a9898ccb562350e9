"""What a person typed is told from what was drawn at random."""

import base64
import string
from collections.abc import Callable
from random import Random

import pytest

from gatehouse.core.secrets.strength import weakness


@pytest.mark.parametrize(
    "text",
    [
        "s" * 40,
        "ab" * 20,
        "password" * 5,
        "12345678901234567890123456789012",
        "0123456789abcdef0123456789abcdef",
        "deadbeefdeadbeefdeadbeefdeadbeef",
        "abcdefghijklmnopqrstuvwxyz0123456789",
        "zyxwvutsrqponmlkjihgfedcba9876543210",
        "qwertyuiopasdfghjklzxcvbnm1234567890",
        "a1b2c3d4e5f6g7h8i9j0k1l2m3n4o5p6",
        "changemechangemechangemechangeme",
        "Winter2026!Winter2026!Winter2026!",
        "gatehouse-production-secret-2026-!!",
        "MyCompanyGatehouseRootSecretKey2026",
        "ThisIsMySuperSecretPasswordPleaseDoNotShare",
        "one root secret for every server of this database",
        "die-sichere-geheime-parole-der-firma-mueller",
        "<at least 32 random characters>",
        "python3 -c 'import secrets; print(secrets.token_urlsafe(32))'",
    ],
)
def test_what_people_type_can_be_guessed_and_is_not_repeated(text: str) -> None:
    reason = weakness(text)
    assert reason is not None
    assert text not in reason


def _drawn(alphabet: str, length: int) -> Callable[[Random], str]:
    return lambda random: "".join(random.choices(alphabet, k=length))


@pytest.mark.parametrize(
    "draw",
    [
        lambda random: base64.urlsafe_b64encode(random.randbytes(32)).rstrip(b"=").decode(),
        lambda random: base64.b64encode(random.randbytes(24)).decode(),
        lambda random: base64.b32encode(random.randbytes(20)).decode(),
        lambda random: random.randbytes(16).hex(),
        lambda random: random.randbytes(32).hex(),
        _drawn(string.ascii_lowercase, 32),
        _drawn(string.ascii_letters + string.digits + string.punctuation, 32),
        _drawn(string.digits, 45),
    ],
    ids=["urlsafe", "base64", "base32", "short hex", "hex", "letters", "all", "digits"],
)
def test_what_is_random_looks_random(draw: Callable[[Random], str]) -> None:
    random = Random(14)
    assert [text for text in (draw(random) for _ in range(500)) if weakness(text)] == []
