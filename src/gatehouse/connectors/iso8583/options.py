"""What a configuration says about a connector of the kind iso8583, and the connector made of it."""

import re
import time
from collections.abc import Iterator
from typing import Annotated, Final

from msgspec import Meta, field

from gatehouse.connectors.iso8583.connector import Iso8583Connector
from gatehouse.connectors.iso8583.constants import parameter_problems
from gatehouse.connectors.iso8583.definition import DialectDefinition
from gatehouse.connectors.iso8583.dialect import Dialect
from gatehouse.connectors.iso8583.link.pool_options import Host, PoolOptions
from gatehouse.connectors.iso8583.operations import operations_of
from gatehouse.connectors.iso8583.payments import PaymentCodes
from gatehouse.connectors.part_reader import Definition, PartReader
from gatehouse.connectors.tls import TlsOptions
from gatehouse.core.errors import InvalidInput
from gatehouse.core.reading.validation import Checked
from gatehouse.core.wording.sentences import Phrase
from gatehouse.gateway.operating import OperationKind

_ISO_HOST: Final = Phrase("document.iso_host", "must be host:port, such as host.example:9583")
_ISO_TLS: Final = Phrase("document.iso_tls", "is of no use beside tls")
_ISO_PLAIN: Final = Phrase(
    "document.iso_plain",
    "it sends card data over plain TCP: give it tls, or write `plain_tcp: accepted` if "
    "the network to the host is private",
)
_ISO_DIALECT: Final = Phrase(
    "document.iso_dialect", "must name a dialect that ships, such as reference, or a file"
)

_ADDRESS: Final = re.compile(r"(?:\[([0-9A-Fa-f:.]+)\]|([^\s:/\[\]]{1,253})):([0-9]{1,5})")
_OWN_FILE: Final = (".", "/")

HostAddress = Annotated[str, Meta(max_length=270, examples=["host.example:9583", "[::1]:9583"])]
ResponseCode = Annotated[str, Meta(pattern=r"^[0-9A-Z]{2,3}\Z")]
ResponseCodes = Annotated[tuple[ResponseCode, ...], Meta(min_length=1, max_length=50)]


class Iso8583Options(Checked, Definition, frozen=True, kw_only=True):
    """Everything about a connector except its dialect."""

    hosts: Annotated[tuple[HostAddress, ...], Meta(min_length=1, max_length=16)]
    connections: Annotated[int, Meta(ge=1, le=64)] = 2
    connect_timeout_ms: Annotated[int, Meta(ge=100, le=60_000)] = 5000
    """For connecting and signing on."""
    echo_after_ms: Annotated[int, Meta(ge=0, le=3_600_000)] = 30_000
    """A connection that was silent for so long is tried with an echo; 0 for never."""
    tls: TlsOptions | None = None
    plain_tcp: Annotated[str, Meta(pattern=r"^accepted\Z")] | None = None
    """Says that the network to the host is private, so that production may do without TLS."""
    parameters: Annotated[dict[str, str], Meta(max_length=50)] = field(default_factory=dict)
    """Constants of the dialect, such as our merchant id."""
    approved_codes: ResponseCodes = ("00",)
    """Response codes with which the host approves a payment."""
    not_found_codes: ResponseCodes = ("25",)
    """Response codes with which it says that it never heard of what is to be reversed."""
    not_found_after_ms: Annotated[int, Meta(ge=0, le=86_400_000)] = 0
    """How long after a payment was sent that is not believed, because it may still arrive."""

    def problems(self) -> Iterator[tuple[str, str]]:
        """What is wrong beyond the form of the fields."""
        for index, text in enumerate(self.hosts):
            if isinstance(text, str) and _host(text) is None:
                yield f"hosts[{index}]", _ISO_HOST()
        if self.tls is not None and self.plain_tcp is not None:
            yield "plain_tcp", _ISO_TLS()


class Iso8583Definition(Iso8583Options, frozen=True, kw_only=True, tag="iso8583"):
    """A connector as it was applied; its dialect does not change with the file it came from."""

    dialect: DialectDefinition

    def functions(self) -> tuple[str, ...]:
        """The functions that its dialect has messages for."""
        made = make_iso8583("", self)
        offered = {"precheck": made.issuer, "idverify": made.identities, "gateway": made.gateway}
        return tuple(name for name, part in offered.items() if part is not None)

    def operations(self) -> frozenset[OperationKind]:
        """Voids, which are reversals, and what its dialect has messages for."""
        return operations_of(frozenset(self.dialect.messages))

    def tls_files(self) -> tuple[str, ...]:
        """What its connections need."""
        return () if self.tls is None else self.tls.files()

    def destinations(self) -> tuple[str, ...]:
        """The party's hosts."""
        return self.hosts

    def unfit_for_production(self) -> tuple[str, ...]:
        """Card data must not travel in the clear by oversight."""
        if self.tls is not None or self.plain_tcp is not None:
            return ()
        return (_ISO_PLAIN(),)


def read_iso8583(part: PartReader) -> Iso8583Definition | None:
    """The definition of a part, with its dialect; or None after its flaws were noted."""
    named = part.data.get("dialect")
    rest = {key: value for key, value in part.data.items() if key != "dialect"}
    options = part._replace(data=rest).convert(Iso8583Options)
    if not isinstance(named, str):
        part.refuse("dialect", _ISO_DIALECT())
        return None
    dialect = _read_dialect(part, named)
    if options is None or dialect is None:
        return None
    fits = True
    for name, problem in parameter_problems(dialect, options.parameters):
        part.refuse(f"parameters.{name}", problem)
        fits = False
    fields = {name: getattr(options, name) for name in options.__struct_fields__}
    return Iso8583Definition(**fields, dialect=dialect) if fits else None


def make_iso8583(_name: str, definition: Iso8583Definition) -> Iso8583Connector:
    """A connector by its definition."""
    dialect = Dialect(definition.dialect, definition.parameters)
    options = PoolOptions(
        hosts=[host for text in definition.hosts if (host := _host(text)) is not None],
        connections=definition.connections,
        in_flight=definition.in_flight,
        timeout_s=definition.timeout_ms / 1000,
        connect_s=definition.connect_timeout_ms / 1000,
        echo_s=definition.echo_after_ms / 1000,
        tls=definition.tls,
    )
    codes = PaymentCodes(
        approved=frozenset(definition.approved_codes),
        not_found=frozenset(definition.not_found_codes),
        not_found_after_s=definition.not_found_after_ms / 1000,
    )
    return Iso8583Connector(dialect, options, codes, lambda: time.time_ns() // 1_000_000)


def _read_dialect(part: PartReader, named: str) -> DialectDefinition | None:
    """A dialect that ships, or one out of a file beside the configuration."""
    from gatehouse.connectors.iso8583.reading import read_dialect, shipped_dialect

    try:
        if named.startswith(_OWN_FILE):
            return read_dialect(part.read_file(named))
        return shipped_dialect(named)
    except InvalidInput as error:
        part.refuse("dialect", str(error))
        return None


def _host(text: str) -> Host | None:
    found = _ADDRESS.fullmatch(text)
    if found is None or not 0 < int(found[3]) < 65_536:
        return None
    return Host(found[1] or found[2], int(found[3]))
