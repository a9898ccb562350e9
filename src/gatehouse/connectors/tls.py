"""TLS towards a party outside: who it must be, and the certificate that we show."""

import ssl
from collections.abc import Iterator
from typing import Final

import msgspec

from gatehouse.core.errors import SettingsError
from gatehouse.core.reading.validation import Checked
from gatehouse.core.wording.sentences import Phrase

_UNFIT_FILE: Final = Phrase("connector.tls_file", "a file for TLS cannot be used: {why}")
_BOTH: Final = Phrase(
    "document.tls_both", "needs key_file, and key_file needs it: give both or neither"
)


class TlsOptions(Checked, msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a configuration says about TLS; the party's certificate is always verified."""

    ca_file: str | None = None
    """Certificates (PEM) that are trusted instead of the system's."""
    certificate_file: str | None = None
    """Our certificate chain (PEM), for parties that ask for one."""
    key_file: str | None = None
    server_name: str | None = None
    """The name in the party's certificate, where it is not the host."""

    def problems(self) -> Iterator[tuple[str, str]]:
        """A certificate is of no use without its key."""
        if (self.certificate_file is None) != (self.key_file is None):
            yield "certificate_file", _BOTH()

    def files(self) -> tuple[str, ...]:
        """Every file that it names."""
        named = (self.ca_file, self.certificate_file, self.key_file)
        return tuple(each for each in named if each is not None)


def client_context(options: TlsOptions) -> ssl.SSLContext:
    """The context of a client, TLS 1.2 or newer; or `SettingsError`."""
    try:
        context = ssl.create_default_context(cafile=options.ca_file)
        if options.certificate_file is not None:
            # Without a password OpenSSL would ask at the terminal, and wait.
            context.load_cert_chain(options.certificate_file, options.key_file, lambda: b"")
    except (OSError, ssl.SSLError) as error:
        raise SettingsError(_UNFIT_FILE(why=str(error))) from None
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    return context
