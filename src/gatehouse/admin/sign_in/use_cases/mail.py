"""Sends links by mail, where a mail server is set; without one they are handed over by people."""

import smtplib
import ssl
from email.message import EmailMessage
from typing import Final
from urllib.parse import unquote, urlsplit

from gatehouse.admin.sign_in.use_cases.links import LinkKind, NewLink
from gatehouse.core.clock import iso_time
from gatehouse.core.errors import ConnectorFailed
from gatehouse.core.wording.sentences import Phrase
from gatehouse.settings.settings import Settings

_MAIL_FAILED: Final = Phrase("refused.mail_failed", "the mail was not sent: {name}")

_TIMEOUT_S: Final = 10
_LOCAL: Final = ("127.0.0.1", "::1", "localhost")
_SUBJECTS: Final = {
    LinkKind.INVITATION: "You are invited to Gatehouse",
    LinkKind.RESET: "Choose a new password for Gatehouse",
}


def link_url(settings: Settings, link: NewLink) -> str:
    """The address that the person opens."""
    return f"{settings.effective_console_url}/link/{link.token}"


def send_link(settings: Settings, login: str, link: NewLink) -> bool:
    """Send a link to its person; False when no mail server is set."""
    if not settings.smtp_url:
        return False
    message = EmailMessage()
    message["Subject"] = _SUBJECTS[link.kind]
    message["From"] = settings.smtp_from or "gatehouse@localhost"
    message["To"] = login
    message.set_content(
        f"{_SUBJECTS[link.kind]}: open this address and choose a password.\n\n"
        f"{link_url(settings, link)}\n\n"
        f"It works once, until {iso_time(link.expires_at_ms)}. "
        "If you did not expect this mail, ignore it.\n"
    )
    try:
        with _connect(settings.smtp_url) as server:
            server.send_message(message)
    except (OSError, smtplib.SMTPException) as error:
        # The words of the server may repeat what was sent.
        raise ConnectorFailed(_MAIL_FAILED(name=type(error).__name__)) from None
    return True


def _connect(url: str) -> smtplib.SMTP:
    split = urlsplit(url)
    host, secure = split.hostname or "", ssl.create_default_context()
    server: smtplib.SMTP
    if split.scheme == "smtps":
        server = smtplib.SMTP_SSL(host, split.port or 465, timeout=_TIMEOUT_S, context=secure)
    else:
        server = smtplib.SMTP(host, split.port or 587, timeout=_TIMEOUT_S)
        # A mail server on this machine may do without TLS; the link never crosses a network bare.
        server.ehlo()
        if host not in _LOCAL or server.has_extn("starttls"):
            server.starttls(context=secure)
    if split.username:
        server.login(unquote(split.username), unquote(split.password or ""))
    return server
