"""gatehouse reference-host: the sandbox's parties behind real sockets, for trying connectors."""

import secrets
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import msgspec
import typer

from gatehouse.admin.connectors.command import host_options as given
from gatehouse.cli.arguments import AsJson, read_file
from gatehouse.cli.output import sheet
from gatehouse.core.errors import WrongUsage

if TYPE_CHECKING:
    from gatehouse.connectors.iso8583.dialect import Dialect
    from gatehouse.connectors.reference_host.certificates import MadeCertificates
    from gatehouse.connectors.reference_host.serving import HostOptions, RunningHost

_TOKEN_BYTES: Final = 24


def reference_host(  # noqa: PLR0913, PLR0917  # each option is one property of a host
    iso8583_port: given.Iso8583Port = 9583,
    http_port: given.HttpPort = 9584,
    host: given.Host = "127.0.0.1",
    dialect: given.DialectOption = "reference",
    token: given.Token = None,
    tls: given.Tls = False,
    tls_folder: given.TlsFolder = None,
    tls_files: given.TlsFiles = None,
    client_ca: given.ClientCa = None,
    ask_certificate: given.AskCertificate = False,
    journal: given.JournalFile = None,
    resume: given.Resume = False,
    misbehave: given.Misbehave = "",
    seed: given.Seed = 0,
    slow_ms: given.SlowMs = 500,
    as_json: AsJson = False,
) -> None:
    """Serve the sandbox's issuer, people and gateway over ISO 8583 and HTTP, until stopped.

    It answers as the sandbox does, for the same cards. It is for trials and tests of connectors:
    send it no real card.
    """
    from gatehouse.connectors.reference_host.certificates import HostTls
    from gatehouse.connectors.reference_host.misbehaviour import HostMisbehaviour, read_shares
    from gatehouse.connectors.reference_host.serving import HostOptions, run_host

    if not tls and (tls_folder or tls_files or client_ca or ask_certificate):
        raise WrongUsage("--tls-..., --client-ca and --ask-certificate need --tls")
    if tls_files and (tls_folder or ask_certificate):
        raise WrongUsage("--tls-folder and --ask-certificate are about certificates that are made")
    made = _make_certificates(tls_folder, host) if tls and not tls_files else None
    certificate = (made.certificate_file, made.key_file) if made else tls_files
    authority = made.ca_file if made and ask_certificate else client_ca
    options = HostOptions(
        dialect=_read_dialect(dialect),
        token=_token(token),
        address=host,
        iso8583_port=iso8583_port,
        http_port=http_port,
        tls=HostTls(*certificate, authority) if certificate else None,
        journal_file=journal,
        resume=resume,
        misbehaviour=HostMisbehaviour(read_shares(misbehave), seed, slow_ms),
    )
    about = _about(options, made, token_is_new=token is None)
    run_host(options, _now_ms, lambda running: _announce(running, options, about, as_json=as_json))


def _token(source: str | None) -> str:
    from gatehouse.connectors.secret_sources import read_secret

    if source is None:
        return secrets.token_urlsafe(_TOKEN_BYTES)
    if not source.startswith(("env:", "file:/")):
        raise WrongUsage("--token names where the token is, as env:NAME or file:/path")
    return read_secret(source)


def _read_dialect(named: str) -> "Dialect":
    from gatehouse.connectors.iso8583.dialect import Dialect
    from gatehouse.connectors.iso8583.reading import read_dialect, shipped_dialect
    from gatehouse.core.documents.reading import LARGEST_DOCUMENT

    is_file = "/" in named or named.endswith((".yaml", ".yml"))
    if is_file:
        return Dialect(read_dialect(read_file(named, LARGEST_DOCUMENT)))
    return Dialect(shipped_dialect(named))


def _make_certificates(folder: Path | None, host: str) -> "MadeCertificates":
    from gatehouse.connectors.reference_host.certificates import make_certificates

    if folder is None:
        folder = Path(tempfile.mkdtemp(prefix="gatehouse-reference-host-"))
    return make_certificates(folder.absolute(), host, _now_ms)


def _about(
    options: "HostOptions", made: "MadeCertificates | None", *, token_is_new: bool
) -> dict[str, Any]:
    """What a caller must know besides the ports."""
    about: dict[str, Any] = {"tls": options.tls is not None}
    if token_is_new:
        about["token"] = options.token
    if made is not None:
        about |= msgspec.to_builtins(made, enc_hook=str)
    if options.journal_file is not None:
        about["journal"] = str(options.journal_file)
    return about


def _announce(
    running: "RunningHost", options: "HostOptions", about: dict[str, Any], *, as_json: bool
) -> None:
    """Say in one line, or in a few for people, that callers can come, and where."""
    scheme = "http" if options.tls is None else "https"
    name = f"[{options.address}]" if ":" in options.address else options.address
    data: dict[str, Any] = {
        "iso8583": f"{name}:{running.iso8583_port}",
        "dialect": options.dialect.name,
        "http": f"{scheme}://{name}:{running.http_port}",
        **about,
    }
    if as_json:
        typer.echo(msgspec.json.encode(data).decode())
    else:
        typer.echo(f"The reference host is ready.\n\n{sheet(data.items())}\n\nStop with Ctrl+C.")


def _now_ms() -> int:
    return time.time_ns() // 1_000_000
