"""Referrers: which are ordinary, what is odd about the others, and what never happens."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gatehouse.intel.referrers import (
    ADDRESS,
    CREDENTIALS,
    LOCAL_HOST,
    NOT_A_URL,
    PUNYCODE,
    SCHEME,
    suspicion,
)

REASONS = {NOT_A_URL, SCHEME, CREDENTIALS, ADDRESS, LOCAL_HOST, PUNYCODE, None}


@pytest.mark.parametrize(
    "url",
    [
        "https://www.google.com/",
        "http://shop.example.co.uk:8080/cart?id=1#top",
        "HTTPS://WWW.Example.COM",
        "https://example.com.",
        "https://t.co/abc",
        "  https://example.com/  ",
        "https://my_shop.example.com/",
        "https://123.example.com/",
        "https://example.com?next=http://127.0.0.1/",
        "https://example.com/javascript:alert(1)",
        "android-app://com.google.android.gm/",
        "ios-app://544007664/",
        "capacitor://localhost",
        "ionic://localhost/cart",
        "https://col·lega.cat/",
        "https://xn--collega-xma.cat/",
        "https://xn--bcher-kva.de/",
        "https://bücher.de/",
        "https://xn--e1afmkfd.xn--p1ai/",
        "https://пример.рф/",
        "https://日本ナビx.jp/",
        "",
        "   ",
    ],
)
def test_an_ordinary_referrer_or_none_at_all_is_not_suspicious(url: str) -> None:
    assert suspicion(url) is None


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("-", NOT_A_URL),
        ("https://localhost/", LOCAL_HOST),
        ("https://a·b.cat/", PUNYCODE),
        ("https://ｐａｙｐａｌ.com/", PUNYCODE),
        ("google.com", NOT_A_URL),
        ("example.com:8080/x", NOT_A_URL),
        ("https:/example.com", NOT_A_URL),
        ("https://", NOT_A_URL),
        ("https:///path", NOT_A_URL),
        ("https://exa mple.com/", NOT_A_URL),
        ("https://a..example.com/", NOT_A_URL),
        ("https://example.com:port/", NOT_A_URL),
        ("https://%65xample.com/", NOT_A_URL),
        ("https://" + "a" * 300 + ".com/", NOT_A_URL),
        ("data:text/html,hello", SCHEME),
        ("javascript:alert(1)", SCHEME),
        ("file:///etc/passwd", SCHEME),
        ("about:blank", SCHEME),
        ("chrome-extension://abcdef/", SCHEME),
        ("ftp://example.com/", SCHEME),
        ("https://www.google.com@evil.example/", CREDENTIALS),
        ("https://user:secret@example.com/", CREDENTIALS),
        ("http://192.0.2.7/", ADDRESS),
        ("http://203.0.113.9:8080/", ADDRESS),
        ("http://3221226219/", ADDRESS),
        ("http://0xc0.0x0.0x2.0x7/", ADDRESS),
        ("http://[2001:db8::1]:443/", ADDRESS),
        ("http://127.0.0.1:3000/", LOCAL_HOST),
        ("http://[::1]/", LOCAL_HOST),
        ("http://localhost:3000/", LOCAL_HOST),
        ("http://app.localhost/", LOCAL_HOST),
        ("http://intranet/", LOCAL_HOST),
        ("http://nas.local/", LOCAL_HOST),
        ("https://shop.test/", LOCAL_HOST),
    ],
)
def test_an_odd_referrer_gives_its_reason(url: str, reason: str) -> None:
    assert suspicion(url) == reason


@pytest.mark.parametrize(
    "name",
    [
        "pаypal",  # a Cyrillic а among Latin letters
        "аррӏе",  # Cyrillic letters that all look Latin
        "gοοgle",  # Greek omicrons
        "i❤shops",
    ],
)
def test_a_name_that_imitates_another_is_found_in_punycode_and_in_the_open(name: str) -> None:
    encoded = name.encode("punycode").decode()
    assert suspicion(f"https://xn--{encoded}.com/") == PUNYCODE
    assert suspicion(f"https://www.{name}.com/") == PUNYCODE


def test_punycode_that_cannot_be_decoded_is_suspicious() -> None:
    assert suspicion("https://xn--999999999.com/") == PUNYCODE


@pytest.mark.parametrize("start", ["", "https://", "https://xn--", "http://[", "https://a@"])
@pytest.mark.parametrize("sign", ["a", ".", ":", "@", " ", "\x00", "é", "\ud800", "xn--a."])
def test_long_text_of_any_kind_gets_an_answer(start: str, sign: str) -> None:
    assert suspicion(start + sign * 65_536) in REASONS


@given(text=st.text(max_size=60) | st.builds("https://{}".format, st.text(max_size=60)))
@example(text="https://\ud800.com")
@example(text="http://xn--\ud800.com")
def test_any_text_gets_an_answer(text: str) -> None:
    assert suspicion(text) in REASONS


@given(path=st.text(max_size=40))
def test_what_follows_the_host_does_not_matter(path: str) -> None:
    assert suspicion(f"https://www.example.com/{path}") is None
    assert suspicion(f"http://192.0.2.7/{path}") == ADDRESS
