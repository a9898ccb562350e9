"""Parses e-mail addresses, and finds which spellings reach the same mailbox."""

import re
import unicodedata
from collections.abc import Iterator
from functools import cache
from typing import Any, Final

import email_validator
import msgspec

MAX_CHARACTERS: Final = 254
MAX_DOMAIN: Final = 253

# The usual address, which is parsed here in 2 µs; the validator takes 70. It gets everything else:
# other scripts, punycode, quotes, hyphens side by side.
_ATOM: Final = r"[a-z0-9!#$%&'*+/=?^_`{|}~-]+"
_LABEL: Final = r"[a-z0-9]+(?:-[a-z0-9]+)*"
_PLAIN: Final = re.compile(rf"({_ATOM}(?:\.{_ATOM})*)@((?:{_LABEL}\.)+([a-z]{{2,63}}))")
_MAX_LABEL: Final = 63
_SPECIAL_ENDS: Final = frozenset(
    name.rpartition(".")[2] for name in email_validator.SPECIAL_USE_DOMAIN_NAMES
)

# Japanese carriers once issued addresses with dots where the standard allows none.
_CARRIER: Final = re.compile(r"([a-z0-9._-]+)@(docomo\.ne\.jp|ezweb\.ne\.jp|au\.com)")

_NARROW: Final = {wide: wide - 0xFEE0 for wide in range(0xFF01, 0xFF5F)}
"""The full-width forms that East Asian keyboards produce, and the ASCII they stand for."""


class Email(msgspec.Struct, frozen=True):
    """One e-mail address. It is never printed, because it is personal data."""

    local: str
    """The part before the @, in lower case: no major provider distinguishes case."""
    domain: str
    """The part after the @, in ASCII and lower case."""
    canonical: str
    """One spelling for all addresses that are known to reach the same mailbox."""

    def __repr__(self) -> str:
        return "Email(…)"

    def __rich_repr__(self) -> list[tuple[str, Any]]:
        return []


def parse_email(text: str) -> Email | None:
    """The address in a text, or None. Whether the mailbox exists is not checked."""
    text = text.strip()
    if not text.isascii():
        text = text.translate(_NARROW)
    # A fully qualified domain name may end in a dot.
    text = text.removesuffix(".")
    if not 0 < len(text) <= MAX_CHARACTERS:
        return None
    if text.isascii():
        lower = text.lower()
        plain = _PLAIN.fullmatch(lower)
        if plain is not None:
            local, domain, end = plain.groups()
            if end not in _SPECIAL_ENDS and _labels_fit(domain):
                return Email(local, domain, _canonical(local, domain))
        elif (carrier := _CARRIER.fullmatch(lower)) is not None:
            local, domain = f'"{carrier[1]}"', carrier[2]
            return Email(local, domain, f"{local}@{domain}")
    return _validate(text)


def _labels_fit(domain: str) -> bool:
    return len(domain) <= _MAX_LABEL or max(map(len, domain.split("."))) <= _MAX_LABEL


def _validate(text: str) -> Email | None:
    try:
        found = email_validator.validate_email(
            text,
            allow_quoted_local=True,
            # Accepts .test, which merchants use in their own tests.
            test_environment=True,
            check_deliverability=False,
        )
    except ValueError:
        return None
    local = unicodedata.normalize("NFC", found.local_part.lower())
    domain = found.ascii_domain
    return Email(local, domain, _canonical(local, domain))


class _Provider(msgspec.Struct, frozen=True):
    """The differences in spelling that a mailbox provider documents as insignificant."""

    why: str
    domains: tuple[str, ...]
    home: str | None = None
    """The canonical domain, where a name is the same mailbox under all the domains."""
    tag: str = "+"
    keeps_tag_mark: bool = False
    """Whether names with a tag and names without one are different name spaces."""
    ignores: str = ""
    alike: tuple[str, str] | None = None
    subdomains: bool = False
    """Whether ``anything@name.domain`` is ``name@domain``."""

    def mailbox(self, local: str, domain: str) -> str:
        """The canonical spelling of an address of this provider."""
        name, mark, _ = local.partition(self.tag)
        for sign in self.ignores:
            name = name.replace(sign, "")
        if self.alike:
            name = name.replace(*self.alike)
        if not name:
            return f"{local}@{domain}"
        if self.keeps_tag_mark:
            name += mark
        return f"{name}@{self.home or domain}"


def _under(name: str, ends: str) -> tuple[str, ...]:
    return tuple(f"{name}.{end}" for end in ends.split())


_YAHOO: Final = _under(
    "yahoo",
    "com ca co.id co.in co.jp co.kr co.nz co.th co.uk co.za com.ar com.au com.br com.cn com.co"
    " com.hk com.mx com.my com.pe com.ph com.sg com.tr com.tw com.ve com.vn de dk es fi fr gr hu"
    " ie in it nl no pl ro se",
)
_MICROSOFT: Final = (
    *_under(
        "outlook",
        "com at be bg ca cl co.id co.il co.nz co.th co.uk com.ar com.au com.br com.gr com.pe com.tr"
        " com.vn cz de dk es fr hu ie in it jp kr lv my ph pt ro sa sg sk",
    ),
    *_under(
        "hotmail",
        "com at be ca ch cl co.id co.il co.in co.jp co.kr co.nz co.th co.uk co.za com.ar com.au"
        " com.br com.gr com.hk com.mx com.my com.pe com.ph com.sg com.tr com.tw com.vn cz de dk es"
        " fi fr gr hu ie in it jp kr lv my nl no ph pt ro rs ru sa se sg sk",
    ),
    *_under(
        "live",
        "com at be ca cl cn co.id co.kr co.uk co.za com.ar com.au com.mx com.my com.pe com.ph"
        " com.pt com.sg com.tr de dk es fi fr gr hk hu ie in it jp nl no ph pt ro rs ru se",
    ),
    "msn.com",
    "passport.com",
    "windowslive.com",
)

_PROVIDERS: Final = (
    _Provider(
        "Gmail ignores dots and plus tags, and has two domains for historical reasons.",
        ("gmail.com", "googlemail.com"),
        home="gmail.com",
        ignores=".",
    ),
    _Provider(
        "Outlook.com ignores plus tags; a name under another of its domains is another account.",
        _MICROSOFT,
    ),
    _Provider(
        "Apple gives every mac.com and me.com name the same icloud.com name, and ignores tags.",
        ("icloud.com", "me.com", "mac.com"),
        home="icloud.com",
    ),
    _Provider(
        "Proton reserves a name under all its domains for one account, reads through dots,"
        " hyphens and underscores, and ignores plus tags.",
        ("proton.me", "protonmail.com", "protonmail.ch", "pm.me"),
        home="proton.me",
        ignores="._-",
    ),
    _Provider(
        "Yahoo's disposable addresses are a nickname, a hyphen and a keyword. The nickname is one"
        " person's, but need not be that person's own name, so the bare name stays apart.",
        (*_YAHOO, "ymail.com", "rocketmail.com", "myyahoo.com"),
        tag="-",
        keeps_tag_mark=True,
    ),
    _Provider(
        "Yandex delivers a name under all its domains to one mailbox, reads a dot as a hyphen,"
        " and ignores plus tags.",
        (*_under("yandex", "ru com by kz ua uz com.tr"), "ya.ru"),
        home="yandex.ru",
        alike=(".", "-"),
    ),
    _Provider(
        "Fastmail ignores plus tags, and has the tag-first form tag@name.fastmail.com.",
        ("fastmail.com", "fastmail.fm"),
        subdomains=True,
    ),
    _Provider(
        "Mail.ru ignores plus tags; its domains are separate name spaces.",
        ("mail.ru", "bk.ru", "inbox.ru", "internet.ru", "list.ru"),
    ),
    _Provider(
        "These ignore plus tags and nothing else.",
        ("mailbox.org", "posteo.de", "posteo.net", "runbox.com", "zoho.com", "zohomail.com"),
    ),
)

_BY_DOMAIN: Final = {domain: provider for provider in _PROVIDERS for domain in provider.domains}

# Providers without rules of their own. They are listed because an address at one provider is never
# a typing error for the same name at another.
_OTHER_DOMAINS: Final = """
126.com 163.com aim.com alice.it aol.com arcor.de att.net bellsouth.net bigpond.com
bluewin.ch bol.com.br btinternet.com centrum.cz charter.net citromail.hu comcast.net cox.net
daum.net docomo.ne.jp duck.com earthlink.net eircom.net email.com email.cz email.it
ezweb.ne.jp foxmail.com free.fr freemail.hu freenet.de frontier.com globo.com gmx.at gmx.ch
gmx.com gmx.de gmx.fr gmx.net hanmail.net hey.com home.nl hushmail.com i.softbank.jp i.ua
ig.com.br inbox.com inbox.lv interia.pl juno.com kpnmail.nl laposte.net lavabit.com
libero.it lycos.com mail.bg mail.com mail.de mail.ee meta.ua mindspring.com mweb.co.za
myself.com nate.com naver.com neuf.fr ntlworld.com numericable.fr o2.pl onet.pl online.de
online.no op.pl optonline.net optusnet.com.au orange.fr planet.nl prodigy.net.mx q.com
qq.com rambler.ru rediffmail.com rogers.com sapo.pt sbcglobal.net seznam.cz sfr.fr shaw.ca
sina.cn sina.com sky.com skynet.be softbank.ne.jp sohu.com swisscom.com t-online.de
talktalk.net telenet.be telia.com telus.net terra.com.br terra.es tin.it tiscali.co.uk
tiscali.it tlen.pl tuta.com tuta.io tutamail.com tutanota.com tutanota.de ukr.net uol.com.br
usa.com usa.net vip.qq.com virgilio.it virgin.net virginmedia.com vodafone.it volny.cz
wanadoo.fr web.de windstream.net wp.pl xtra.co.nz yeah.net ziggo.nl zonnet.nl
"""
KNOWN_DOMAINS: Final = frozenset((*_BY_DOMAIN, *_OTHER_DOMAINS.split()))
"""The domains under which people have mailboxes from a provider."""


def _canonical(local: str, domain: str) -> str:
    provider = _BY_DOMAIN.get(domain)
    if provider is None:
        name, _, above = domain.partition(".")
        provider = _BY_DOMAIN.get(above)
        # Domains cannot hold underscores, so a hyphen may stand for one in another person's name.
        if provider is not None and provider.subdomains and "-" not in name:
            return f"{name}@{above}"
        return f"{local}@{domain}"
    if local.startswith('"'):
        return f"{local}@{domain}"
    return provider.mailbox(local, domain)


# Services that forward to the mailbox of a paying or registered customer. They hide an address, but
# its owner stays the same and can be reached.
_RELAY_DOMAINS: Final = """
duck.com mozmail.com privaterelay.appleid.com private.icloud.com simplelogin.co simplelogin.com
simplelogin.fr simplelogin.io aleeas.com slmail.me slmails.com silomails.com 8alias.com 8shield.net
dralias.com passmail.net passmail.com passinbox.com passfwd.com anonaddy.com anonaddy.me addy.io
addymail.com 4wrd.cc mailer.me
"""
_RELAYS: Final = frozenset(_RELAY_DOMAINS.split())


def is_disposable(domain: str) -> bool:
    """Whether a domain, or a parent of it, gives disposable mailboxes to anyone."""
    names = tuple(_name_and_parents(domain))
    # The list is maintained by others and changes, so domains known to be legitimate are excluded
    # first.
    if any(name in KNOWN_DOMAINS or name in _RELAYS for name in names):
        return False
    return not _disposable().isdisjoint(names)


def is_relay(domain: str) -> bool:
    """Whether a domain, or a parent of it, forwards to a person's real mailbox."""
    return not _RELAYS.isdisjoint(_name_and_parents(domain))


@cache
def _disposable() -> frozenset[str]:
    # The list has ten thousand names, and most commands never need it.
    import disposable_email_domains

    return frozenset(disposable_email_domains.blocklist)


def _name_and_parents(domain: str) -> Iterator[str]:
    name = domain.lower().removesuffix(".") if len(domain) <= MAX_DOMAIN else ""
    # A top-level domain alone is never a mail domain.
    while "." in name:
        yield name
        name = name.partition(".")[2]
