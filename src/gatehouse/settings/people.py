"""The settings of people who sign in: sessions, single sign-on, and the mail server for links."""

from dataclasses import dataclass
from urllib.parse import urlsplit

from gatehouse.settings.kinds import choice, number, read_list, setting, text

_MAIL_SCHEMES = ("smtp", "smtps")


def _read_issuer(given: str) -> str:
    split = urlsplit(given)
    local = split.hostname in ("127.0.0.1", "localhost", "::1")
    if split.scheme != "https" and not (split.scheme == "http" and local):
        raise ValueError
    if not split.hostname or "@" in split.netloc or split.query or split.fragment:
        raise ValueError
    return given.rstrip("/")


def _read_groups(given: str) -> tuple[tuple[str, str], ...]:
    """Pairs of a group and what its members are: `operator`, or `role@account`."""
    pairs = []
    for part in read_list(given):
        group, separator, role = part.rpartition("=")
        if not separator or not group or not role:
            raise ValueError
        pairs.append((group.strip(), role.strip()))
    return tuple(pairs)


def _read_mail_url(given: str) -> str:
    split = urlsplit(given)
    if split.scheme not in _MAIL_SCHEMES or not split.hostname or split.path not in ("", "/"):
        raise ValueError
    _ = split.port  # ValueError if it is no number
    return given


@dataclass(frozen=True)
class PeopleSettings:
    """What an operator can choose about people who sign in."""

    session_idle_min: int = number(
        30,
        "How long a browser that shows nothing new stays signed in to the console.",
        "minutes",
        (1, 1440),
    )
    session_hours: int = number(
        12, "How long a browser stays signed in at most, also in use.", "hours", (1, 168)
    )
    session_network: str = choice(
        "any",
        "Whether a session works from `any` network, or only from the one that it began in "
        "(`same`): a stolen cookie is worth nothing elsewhere, and people who change networks "
        "sign in again.",
        "any",
        "same",
    )
    oidc_issuer: str = setting(
        "",
        "Issuer of single sign-on by OpenID Connect, such as `https://login.example.com`. "
        "Empty: none. See docs/people.md.",
        _read_issuer,
        "https URL",
    )
    oidc_client_id: str = text("", "Name of the console at that issuer.")
    oidc_client_secret: str = text("", "The console's secret at that issuer.", "secret text")
    oidc_name: str = text("Single sign-on", "What the button says.")
    oidc_groups_claim: str = text(
        "groups", "Claim that lists the groups of a person, where `GATEHOUSE_OIDC_ROLES` is set."
    )
    oidc_roles: tuple[tuple[str, str], ...] = setting(
        (),
        "What members of groups are: `fraud=analyst@acct_...,ops=operator`. With it, single "
        "sign-on makes people and sets all their roles. Empty: only people who were invited can "
        "sign in, with the roles that they have here.",
        _read_groups,
        "comma-separated `group=role@account` or `group=operator`",
    )
    smtp_url: str = setting(
        "",
        "Mail server that sends invitations and resets: `smtp://user:password@host:587` (STARTTLS) "
        "or `smtps://` (TLS from the start). Empty: links are only shown to who makes them.",
        _read_mail_url,
        "secret URL",
    )
    smtp_from: str = text("", "Sender of these mails, such as `Gatehouse <no-reply@example.com>`.")
