"""Every setting with its default, unit and meaning; the only reader of the environment.

A setting is a `GATEHOUSE_*` variable or a line of the file named by `GATEHOUSE_ENV_FILE`; the
variable wins. The page docs/settings.md is generated from the declarations here.
"""

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from gatehouse.core.ip_networks import Network
from gatehouse.settings.authentication import ScaSettings
from gatehouse.settings.billing import BillingSettings
from gatehouse.settings.console import ConsoleSettings
from gatehouse.settings.kinds import Declared
from gatehouse.settings.kinds import choice as _choice
from gatehouse.settings.kinds import days_kept as _days_kept
from gatehouse.settings.kinds import number as _number
from gatehouse.settings.kinds import read_hosts as _read_hosts
from gatehouse.settings.kinds import read_memory_url as _read_memory_url
from gatehouse.settings.kinds import read_networks as _read_networks
from gatehouse.settings.kinds import read_ports as _read_ports
from gatehouse.settings.kinds import read_proxy as _read_proxy
from gatehouse.settings.kinds import read_waits as _read_waits
from gatehouse.settings.kinds import setting as _setting
from gatehouse.settings.kinds import text as _text
from gatehouse.settings.kinds import waits as _waits
from gatehouse.settings.people import PeopleSettings
from gatehouse.settings.programmes import ProgrammeSettings
from gatehouse.settings.serving import ServingSettings
from gatehouse.settings.tracing import TraceSettings, with_standard_variables

PREFIX: Final = "GATEHOUSE_"
ENV_FILE: Final = PREFIX + "ENV_FILE"
ACCOUNT: Final = PREFIX + "ACCOUNT"
"""Names the account that commands work on; servers ignore it."""
STAGE_TIMEOUTS: Final = (
    "precheck_timeout_ms",
    "idverify_timeout_ms",
    "sentry_timeout_ms",
    "gateway_timeout_ms",
)


class InvalidSetting(ValueError):
    """A variable's value cannot be used; the text names the variable and what it takes."""


@dataclass(frozen=True)
class Settings(
    BillingSettings,
    ConsoleSettings,
    PeopleSettings,
    ProgrammeSettings,
    ServingSettings,
    TraceSettings,
    ScaSettings,
):
    """What an operator can choose."""

    environment: str = _choice(
        "sandbox",
        "Which of the two environments this process serves. Each has its own database and keys.",
        "sandbox",
        "production",
    )
    home: Path = _setting(
        Path(".gatehouse"),
        "Folder of the embedded database, the sandbox's root secret and the demo key.",
        Path,
        "path",
    )
    database_url: str = _text(
        "",
        "Where the data lives: `sqlite:///file` or `postgresql://user@host/name`. "
        "Empty: a SQLite file named after the environment in `GATEHOUSE_HOME`.",
        "URL",
    )
    secret_key: str = _text(
        "",
        "The root secret that protects the key ring, at least 32 characters. "
        "Empty: the sandbox makes one in `GATEHOUSE_HOME`; production refuses to start.",
        "secret text",
    )
    other_secret_key: str = _text(
        "",
        "While the root secret is changed: the one that comes next, or the one from before. Either "
        "opens the key ring, so that servers can be restarted one by one.",
        "secret text",
    )
    secrets_dir: Path | None = _setting(
        None,
        "The only folder from which connectors read secrets, certificates and keys; links are "
        "followed first. Unset: the files of configurations that were applied at a terminal may "
        "lie anywhere.",
        Path,
        "path",
    )
    host: str = _text("127.0.0.1", "Address the server listens on.", "address")
    port: int = _number(8080, "Port the server listens on.", "port", (0, 65535))
    tls_cert_file: str = _text("", "Certificate chain (PEM) for HTTPS served directly.", "path")
    tls_key_file: str = _text("", "Its private key (PEM); empty: in the same file.", "path")
    trusted_proxies: tuple[Network, ...] = _setting(
        (),
        "Networks of the proxies whose `X-Forwarded-For` and `X-Forwarded-Proto` are believed.",
        _read_networks,
        "comma-separated networks",
    )
    issuer: str = _text(
        "sandbox",
        "Who answers for cards: `sandbox`, `connectors` (applied ones; see docs/connectors.md), "
        "or `module:factory` naming a function that returns an object with the `Issuer` interface.",
        "`sandbox`, `connectors` or `module:factory`",
    )
    precheck_timeout_ms: int = _waits(3000, "How long PreCheck waits for the issuer.")
    identities: str = _text(
        "sandbox",
        "Who knows the holders of cards: `records` (what was imported with `gatehouse "
        "identities`), `sandbox` (the same, then the sandbox's own people), `connectors` (applied "
        "ones; their routes can name the records too), or `module:factory` naming a function that "
        "returns an object with the `IdentitySource` interface.",
        "`sandbox`, `records`, `connectors` or `module:factory`",
    )
    idverify_timeout_ms: int = _waits(3000, "How long ID Verify waits for the identity source.")
    intel_dir: Path | None = _setting(
        None,
        "Folder of feeds about addresses (countries, networks, Tor, VPNs, own lists), which are "
        "used on top of what ships with the package; see docs/feeds.md. Changes are picked up "
        "within seconds. Unset: only what ships is used.",
        Path,
        "path",
    )
    sentry_timeout_ms: int = _waits(1000, "How long Sentry waits for its memory.")
    memory_entities: int = _number(
        1_000_000,
        "Users, addresses, devices, cards and the like that Sentry remembers, about 1 KB each; "
        "beyond that, those not seen for the longest are forgotten.",
        "count",
        (1000, 20_000_000),
    )
    memory_days: int = _number(
        200,
        "How far back a starting server, or `gatehouse sentry rebuild`, reads the decision records "
        "to remember what was seen. 0: it begins with an empty memory.",
        "days",
        (0, 400),
    )
    memory_url: str = _setting(
        "",
        "Valkey or Redis in which all servers keep one memory for Sentry: "
        "`redis://:password@host:6379/0`, `rediss://` for TLS, `valkey://`, `valkeys://`, or "
        "`unix:///path`; see docs/growing.md. Empty: each server has a memory of its own.",
        _read_memory_url,
        "secret URL",
    )
    memory_timeout_ms: int = _waits(
        50,
        "How long a call of the memory at `GATEHOUSE_MEMORY_URL` may take. Without an answer "
        "Sentry scores the request by itself and charges nothing.",
        (5, 10_000),
    )
    reputation: str | None = _choice(
        None,
        "Whether what one account reports about addresses, devices, cards, mailboxes and phones "
        "also counts, more weakly, for the other accounts of this installation: `shared`, or "
        "`separate`. Unset: `shared` in production, `separate` in the sandbox.",
        "shared",
        "separate",
    )
    gateway: str = _text(
        "sandbox",
        "Who authorizes payments: `sandbox`, `none` (pipelines then run without Gateway), "
        "`connectors` (applied ones), or `module:factory` naming a function that returns an object "
        "with the `PaymentGateway` interface.",
        "`sandbox`, `none`, `connectors` or `module:factory`",
    )
    gateway_timeout_ms: int = _waits(
        10_000,
        "How long Gateway waits for the payment gateway, and one attempt to reverse a payment "
        "for its answer.",
    )
    card_guess_limit: int | None = _number(
        None,
        "Wrong security codes and identifiers for one card within 24 hours, after which PreCheck "
        "answers FRAUD, ID Verify NOT_PROCESSED and Gateway DECLINED without asking. A declined "
        "payment with a security code counts as a wrong one. 0: no limit. "
        "Unset: 10 in production, 0 in the sandbox.",
        "count",
        (0, 1000),
    )
    card_enumeration_limit: int = _number(
        50,
        "Different card numbers with the same BIN and last four that one account may send within "
        "24 hours, in requests, searches, lists and files; further ones are refused with "
        "`card_enumeration`. 0: no limit.",
        "count",
        (0, 100_000),
    )
    rate_limit_per_second: int = _number(
        500,
        "Requests a key may make per second, with a burst of twice that. 0: no limit. "
        "A key can have its own.",
        "requests per second",
        (0, 1_000_000),
    )
    jobs_at_once: int = _number(1, "Jobs that run beside serving.", "count", (0, 16))
    authorization_ttl_s: int = _number(
        120,
        "After this long an open authorization belongs to a dead process and is released.",
        "seconds",
        (5, 86_400),
    )
    idempotency_ttl_h: int = _number(
        24, "How long an `Idempotency-Key` and its answer are kept.", "hours", (1, 720)
    )
    retention_decisions_days: int | None = _days_kept(
        "Decision records older than this are deleted once a day, with the labels, reviews and "
        "search terms of their requests; see docs/privacy.md. Records of open reviews and of "
        "payments in doubt stay. A starting server remembers nothing older. Unset: they are kept."
    )
    retention_feedback_days: int | None = _days_kept(
        "Labels that were reported longer ago than this are deleted once a day. "
        "Unset: they are kept as long as their decision records."
    )
    retention_reviews_days: int | None = _days_kept(
        "Resolved reviews of requests older than this are deleted once a day, with all notes. "
        "Unset: they are kept as long as their decision records."
    )
    retention_imports_days: int | None = _days_kept(
        "Notes on imports of identity records that began longer ago than this are deleted once a "
        "day: when, how many, how far. Unset: they are kept."
    )
    retention_outcomes_days: int | None = _days_kept(
        "What became of payments longer ago than this is deleted once a day; see docs/outcomes.md. "
        "The networks' programmes look back two months. Unset: it is kept."
    )
    events_days: int = _days_kept(
        "Events older than this are deleted once a day; see docs/events.md.", default=30
    )
    webhook_ports: tuple[int, ...] = _setting(
        (443, 8443),
        "Ports that webhooks may be sent to over HTTPS.",
        _read_ports,
        "comma-separated ports",
    )
    webhook_networks: tuple[Network, ...] = _setting(
        (),
        "Networks that webhooks may be sent to although they are not public, such as the one of "
        "your own receivers. See docs/webhooks.md.",
        _read_networks,
        "comma-separated networks",
    )
    webhook_hosts: tuple[str, ...] = _setting(
        (),
        "The only hosts that webhooks may be sent to; one that begins with a dot stands for all "
        "names below it. Empty: any public host.",
        _read_hosts,
        "comma-separated hosts",
    )
    webhook_proxy: tuple[str, int] | None = _setting(
        None,
        "Proxy through which webhooks are sent (CONNECT, to the address that was checked). "
        "Unset: they are sent directly.",
        _read_proxy,
        "`http://host:port`",
    )
    webhook_ca_file: str = _text(
        "",
        "Certificates (PEM) that receivers of webhooks are trusted by, instead of the system's.",
        "path",
    )
    webhook_retry_s: tuple[int, ...] = _setting(
        (5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 72_000),
        "How long a webhook message waits before each further attempt; up to a fifth is added by "
        "chance. After the last it is given up.",
        _read_waits,
        "comma-separated seconds",
    )
    store_timeout_ms: int = _waits(
        5000, "How long a database operation may wait for a lock or a connection.", (100, 60_000)
    )
    metrics_port: int = _number(
        0, "Port of Prometheus metrics. 0: `/metrics` on the public port.", "port", (0, 65535)
    )
    metrics_host: str = _text("127.0.0.1", "Address for the separate metrics port.", "address")
    log_level: str = _choice(
        "info", "Least important log lines that are written.", "debug", "info", "warning", "error"
    )

    @property
    def is_production(self) -> bool:
        """Whether this process serves real cards and real money."""
        return self.environment == "production"

    @property
    def effective_database_url(self) -> str:
        """The database URL, with the embedded default filled in."""
        return self.database_url or f"sqlite:///{self.home / self.environment}.db"

    @property
    def base_url(self) -> str:
        """The address people on this machine reach the server at."""
        return _address(self.host, self.port, tls=bool(self.tls_cert_file))

    @property
    def effective_console_url(self) -> str:
        """The address of the console, with this machine's filled in."""
        here = _address(self.console_host, self.console_port, tls=bool(self.tls_cert_file))
        return self.console_url or here

    @property
    def shares_reputation(self) -> bool:
        """Whether reports of one account count for the others, by default only in production."""
        return self.is_production if self.reputation is None else self.reputation == "shared"

    @property
    def effective_drain_s(self) -> int:
        """The time to drain, with the environment's default filled in."""
        if self.drain_s is not None:
            return self.drain_s
        return 5 if self.is_production else 0

    @property
    def effective_guess_limit(self) -> int:
        """The limit on wrong guesses, with the environment's default filled in."""
        if self.card_guess_limit is not None:
            return self.card_guess_limit
        return 10 if self.is_production else 0


def _address(host: str, port: int, *, tls: bool) -> str:
    shown = f"[{host}]" if ":" in host else host
    return f"{'https' if tls else 'http'}://{shown}:{port}"


_OWN: Final = frozenset(Settings.__annotations__)


def declarations() -> list[tuple[str, dataclasses.Field[Any], Declared]]:
    """Every setting as (variable, field, documentation), in order; groups of others come last."""
    fields = sorted(dataclasses.fields(Settings), key=lambda each: each.name not in _OWN)
    return [(PREFIX + field.name.upper(), field, field.metadata["declared"]) for field in fields]


def load_settings(environ: Mapping[str, str]) -> Settings:
    """Read the settings from variables and, where named, an env file."""
    given = with_standard_variables(gather_variables(environ))
    values: dict[str, Any] = {}
    for variable, field, declared in declarations():
        text = given.get(variable, "").strip()
        if not text:
            continue
        try:
            values[field.name] = declared.read(text)
        except ValueError:
            shown = "its value" if declared.secret else repr(text)
            raise InvalidSetting(f"{variable} takes {declared.takes}; got {shown}") from None
    settings = Settings(**values)
    # A pipeline can have every stage, and its payment is reversed when its authorization is lost.
    longest_ms = sum(getattr(settings, wait) for wait in STAGE_TIMEOUTS)
    if settings.authorization_ttl_s * 1000 <= longest_ms:
        waits = ", ".join(PREFIX + wait.upper() for wait in STAGE_TIMEOUTS)
        raise InvalidSetting(
            f"GATEHOUSE_AUTHORIZATION_TTL_S must be longer than the {longest_ms} ms that all "
            f"stages together may take ({waits}), or requests would lose their authorization "
            "while they wait"
        )
    if settings.memory_url and settings.memory_timeout_ms >= settings.sentry_timeout_ms:
        raise InvalidSetting(
            "GATEHOUSE_MEMORY_TIMEOUT_MS must be shorter than GATEHOUSE_SENTRY_TIMEOUT_MS"
        )
    if settings.idempotency_ttl_h * 3600 <= settings.authorization_ttl_s:
        raise InvalidSetting(
            "GATEHOUSE_IDEMPOTENCY_TTL_H must be longer than GATEHOUSE_AUTHORIZATION_TTL_S, "
            "or a key would be free again while its first request is still open"
        )
    return settings


def gather_variables(environ: Mapping[str, str]) -> dict[str, str]:
    """The environment on top of the env file that it may name."""
    path = env_file(environ)
    return dict(environ) if path is None else {**_read_env_file(path), **environ}


def env_file(environ: Mapping[str, str]) -> Path | None:
    """The file that settings are read from besides the environment, if one is named."""
    named = environ.get(ENV_FILE)
    return Path(named) if named else None


def changed_settings(settings: Settings) -> list[str]:
    """The names of the settings that differ from their defaults, without their values."""
    return [
        variable
        for variable, field, _ in declarations()
        if getattr(settings, field.name) != field.default
    ]


def _read_env_file(path: Path) -> dict[str, str]:
    """Lines of NAME=VALUE; blank lines and lines that start with # are ignored."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidSetting(f"{ENV_FILE}: cannot read {path}: {error}") from None
    values = {}
    for number, line in enumerate(lines, 1):
        stripped = line.strip().removeprefix("export ").strip()
        if not stripped or stripped.startswith("#"):
            continue
        name, separator, value = stripped.partition("=")
        if not separator:
            raise InvalidSetting(f"{path}, line {number}: expected NAME=VALUE")
        values[name.strip()] = value.strip().strip("\"'")
    return values
