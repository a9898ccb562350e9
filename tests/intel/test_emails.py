"""E-mail addresses: which are ones, which are one mailbox, and what never happens."""

import subprocess
import sys

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gatehouse.intel import emails
from gatehouse.intel.emails import (
    KNOWN_DOMAINS,
    MAX_CHARACTERS,
    Email,
    is_disposable,
    is_relay,
    parse_email,
)


def canonical(text: str) -> str | None:
    email = parse_email(text)
    return email.canonical if email else None


@pytest.mark.parametrize(
    "text",
    [
        "amelia.whitfield@example.com",
        "Amelia.Whitfield@EXAMPLE.com",
        "amelia.whitfield@example.com.",
        "  amelia.whitfield@example.com\n",
        '"amelia.whitfield"@example.com',
        "ａｍｅｌｉａ．ｗｈｉｔｆｉｅｌｄ＠ｅｘａｍｐｌｅ．ｃｏｍ",
        "amelia.whitfield@example．com",
        "amelia.whitfield@example。com",
    ],
)
def test_an_address_reads_the_same_however_it_is_written(text: str) -> None:
    assert parse_email(text) == Email(
        "amelia.whitfield", "example.com", "amelia.whitfield@example.com"
    )


@pytest.mark.parametrize(
    ("text", "local", "domain"),
    [
        ("a@bücher.de", "a", "xn--bcher-kva.de"),
        ("a@BÜCHER.de", "a", "xn--bcher-kva.de"),
        ("a@xn--bcher-kva.de", "a", "xn--bcher-kva.de"),
        ("A@XN--BCHER-KVA.DE", "a", "xn--bcher-kva.de"),
        ("用户@例え.jp", "用户", "xn--r8jz45g.jp"),
        ("Élodie@exemple.fr", "élodie", "exemple.fr"),
        ("E\u0301lodie@exemple.fr", "élodie", "exemple.fr"),
        ("\u212aate@example.com", "kate", "example.com"),
        ("почта@пример.рф", "почта", "xn--e1afmkfd.xn--p1ai"),
        ('"Amelia W"@example.org', '"amelia w"', "example.org"),
        ("o'brien+tag=1@example.org", "o'brien+tag=1", "example.org"),
        ("a@b-c.example.co.uk", "a", "b-c.example.co.uk"),
        ("someone@shop.test", "someone", "shop.test"),
        ("taro..yamada.@docomo.ne.jp", '"taro..yamada."', "docomo.ne.jp"),
    ],
)
def test_unusual_addresses_are_addresses(text: str, local: str, domain: str) -> None:
    email = parse_email(text)
    assert email is not None
    assert (email.local, email.domain) == (local, domain)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "@",
        "amelia",
        "amelia@",
        "@example.com",
        "amelia@example",
        "amelia@example..com",
        "amelia@-example.com",
        "amelia@example.c_m",
        "amelia.@example.com",
        ".amelia@example.com",
        "a..b@example.com",
        "a b@example.com",
        "a@b@example.com",
        "Amelia <amelia@example.com>",
        "mailto:amelia@example.com",
        "amelia@[192.0.2.1]",
        "amelia@router.local",
        "amelia@localhost",
        "amelia@hidden.onion",
        "amelia@example.com..",
        "amelia@exa\u200bmple.c om",
        "a@" + "x" * 64 + ".com",
        "a" * 250 + "@example.com",
        "\ud800@example.com",
        "a@\ud800.com",
        '"@example.com',
    ],
)
def test_what_is_not_an_address_is_none(text: str) -> None:
    assert parse_email(text) is None


@pytest.mark.parametrize(
    "same",
    [
        ["amelia.whitfield@gmail.com", "ameliawhitfield@gmail.com", "a.m.e.liawhitfield@gmail.com",
         "AmeliaWhitfield+shop@googlemail.com", '"amelia.whitfield"@GMAIL.com'],
        ["amelia@outlook.com", "amelia+shop@outlook.com"],
        ["amelia@hotmail.co.uk", "Amelia+a+b@hotmail.co.uk"],
        ["amelia@icloud.com", "amelia@me.com", "amelia@mac.com", "amelia+shop@me.com"],
        ["amelia.w@proton.me", "ameliaw@protonmail.com", "amelia_w@pm.me", "a-meliaw+x@proton.me"],
        ["nick-shop@yahoo.com", "nick-bank@yahoo.com"],
        ["ivan.petrov@yandex.ru", "ivan-petrov@ya.ru", "ivan.petrov+x@yandex.com"],
        ["amelia@fastmail.com", "amelia+shop@fastmail.com", "shop@amelia.fastmail.com"],
        ["ivan@mail.ru", "ivan+x@mail.ru"],
        ["amelia@posteo.de", "amelia+x@posteo.de"],
    ],
)  # fmt: skip
def test_spellings_of_one_mailbox_have_one_canonical_form(same: list[str]) -> None:
    assert len({canonical(text) for text in same}) == 1


@pytest.mark.parametrize(
    "different",
    [
        [
            "amelia.w@outlook.com",
            "ameliaw@outlook.com",
            "amelia.w@hotmail.com",
            "amelia.w@live.com",
        ],
        ["amelia.w@icloud.com", "ameliaw@icloud.com"],
        ["nick@yahoo.com", "nick-shop@yahoo.com", "nick@yahoo.co.uk", "nick@ymail.com"],
        ["ivan@mail.ru", "ivan@bk.ru", "ivan@list.ru"],
        ["ivanpetrov@yandex.ru", "ivan-petrov@yandex.ru"],
        ["amelia@fastmail.com", "amelia@fastmail.fm", "x@amelia-w.fastmail.com"],
        ["amelia@example.com", "amelia+shop@example.com", "a.melia@example.com"],
        ["+x@gmail.com", "+y@gmail.com"],
        ["amelia@gmx.de", "amelia+x@gmx.de"],
    ],
)
def test_what_a_provider_keeps_apart_stays_apart(different: list[str]) -> None:
    assert len({canonical(text) for text in different}) == len(different)


def test_every_known_domain_makes_an_address_of_its_own_or_of_its_provider() -> None:
    homes = {domain: canonical(f"amelia@{domain}") for domain in KNOWN_DOMAINS}
    assert all(homes.values())
    assert all((home or "").split("@")[1] in KNOWN_DOMAINS for home in homes.values())


def test_an_address_is_never_printed() -> None:
    email = parse_email("amelia@example.com")
    assert "amelia" not in f"{email!r} {email} {[email]}"
    assert email is not None
    assert email.__rich_repr__() == []


def test_nobody_is_asked_about_an_address() -> None:
    code = (
        "import sys; from gatehouse.intel.emails import parse_email;"
        "parse_email('a@example.com'); parse_email('a@bücher.de'); parse_email('@');"
        "print(any(name == 'dns' or name.startswith('dns.') for name in sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=300
    )
    assert done.stdout.strip() == "False"


near_addresses = st.text(
    st.sampled_from("ab.-_+@\"' \\xn1K\u212aé用ß。．＠\u0301\u200b<>()[]:"), max_size=40
) | st.builds(
    "{}@{}.{}".format,
    st.text(st.sampled_from("abAB01.-_+!'\"é"), max_size=12),
    st.text(st.sampled_from("abAB01.-xnéü"), max_size=12),
    st.sampled_from(["com", "de", "co.uk", "test", "local", "onion", "c1", "c", "xn--p1ai", "рф"]),
)


@given(text=st.text(max_size=300) | near_addresses)
@example(text="a" * 64 + "@" + "b." * 94 + "c")
@example(text="@" * MAX_CHARACTERS)
@example(text="é" * 127 + "@example.com")
def test_any_text_is_an_address_or_none(text: str) -> None:
    email = parse_email(text)
    assert email is None or (email.domain.isascii() and email.domain == email.domain.lower())


@given(text=near_addresses)
def test_the_canonical_form_reads_as_itself(text: str) -> None:
    email = parse_email(text)
    if email is not None:
        assert canonical(email.canonical) == email.canonical


@given(text=near_addresses)
@example(text="postmaster@example.com")
@example(text="a@b--c.com")
@example(text="a@" + "x" * 64 + ".com")
@example(text="a@" + "x" * 63 + ".com")
@example(text="a@" + "b." * 124 + "com")
@example(text="a@" + "b." * 125 + "co")
@example(text="a@example.invalid")
def test_the_quick_way_and_the_validator_agree(text: str) -> None:
    if text.isascii() and emails._PLAIN.fullmatch(text.lower()):
        assert parse_email(text) == emails._validate(text)


@pytest.mark.parametrize(
    "domain",
    [
        "mailinator.com",
        "guerrillamail.com",
        "yopmail.com",
        "10minutemail.com",
        "YopMail.com",
        "yopmail.com.",
        "anything.mailinator.com",
        "deep.down.mailinator.com",
    ],
)
def test_a_domain_that_gives_mailboxes_to_anybody_is_disposable(domain: str) -> None:
    assert is_disposable(domain)
    assert not is_relay(domain)


@pytest.mark.parametrize(
    "domain",
    [
        "duck.com",
        "mozmail.com",
        "relay.mozmail.com",
        "amelia.mozmail.com",
        "privaterelay.appleid.com",
        "simplelogin.com",
        "amelia.anonaddy.com",
        "PassMail.net",
    ],
)
def test_a_domain_that_forwards_to_a_real_mailbox_is_a_relay_and_not_disposable(
    domain: str,
) -> None:
    assert is_relay(domain)
    assert not is_disposable(domain)


@pytest.mark.parametrize("domain", ["example.com", "shop.example.co.uk", "appleid.com", "co.uk"])
def test_an_ordinary_domain_is_neither_disposable_nor_a_relay(domain: str) -> None:
    assert not is_disposable(domain)
    assert not is_relay(domain)


def test_no_known_provider_is_disposable() -> None:
    assert [domain for domain in sorted(KNOWN_DOMAINS) if is_disposable(domain)] == []


def test_a_known_provider_stays_one_even_if_the_list_should_name_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    listed = frozenset({"gmail.com", "duck.com", "throwaway.example"})
    monkeypatch.setattr(emails, "_disposable", lambda: listed)
    assert is_disposable("throwaway.example")
    assert not is_disposable("gmail.com")
    assert not is_disposable("duck.com")


def test_the_list_is_long_and_a_name_must_match_whole_labels() -> None:
    assert len(emails._disposable()) > 5_000
    assert not is_disposable("mailinator.com.example.org")
    assert not is_disposable("xmailinatorx.com")
    assert not is_relay("notduck.com")


@pytest.mark.parametrize("domain", ["", ".", "com", "\ud800", "..", "a" * 100_000, "a." * 50_000])
def test_what_is_no_domain_is_neither(domain: str) -> None:
    assert not is_disposable(domain)
    assert not is_relay(domain)


def test_the_list_is_not_read_before_it_is_asked_for() -> None:
    code = (
        "import sys; from gatehouse.intel.emails import is_relay, parse_email;"
        "parse_email('a@example.com'); is_relay('duck.com');"
        "print('disposable_email_domains' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=300
    )
    assert done.stdout.strip() == "False"
