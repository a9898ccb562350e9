"""What a configuration says about a connector that speaks HTTPS, its mapping included."""

from collections.abc import Iterator
from importlib import resources
from typing import Annotated, Final
from urllib.parse import urlsplit

import msgspec
from msgspec import Meta

from gatehouse.connectors.http.mapping import Mapping, SecretNeed
from gatehouse.connectors.http.mapping_parts import OptionName
from gatehouse.connectors.part_reader import Definition, InFlight, PartReader, TimeLimit
from gatehouse.connectors.secret_sources import SecretSource
from gatehouse.connectors.tls import TlsOptions
from gatehouse.core.errors import InvalidInput
from gatehouse.core.reading.validation import Checked
from gatehouse.core.wording.sentences import Phrase, described, each_line, said_by
from gatehouse.gateway.operating import VOIDS_ONLY, OperationKind

_HTTP_UNFIT: Final = Phrase(
    "document.http_unfit", "its base_url begins with http://; card data need https://"
)
_HTTP_URL: Final = Phrase("document.http_url", "must be a URL such as https://api.example.com/v1")
_URL_FORM: Final = Phrase("document.url_form", "a URL such as https://api.example.com/v1")
_HTTP_HTTPS: Final = Phrase(
    "document.http_https", "must begin with https://; http:// is for this machine alone"
)
_HTTP_BARE: Final = Phrase("document.http_bare", "may hold no user, password, query or fragment")
_HTTP_MAPPING: Final = Phrase(
    "document.http_mapping", "is not a mapping that ships{hint}; a file ends in .yaml"
)
_HTTP_FILE_LINE: Final = Phrase("document.http_file_line", "{name}: {line}")
_HTTP_SECRET: Final = Phrase(
    "document.http_secret", "the mapping needs {name} ({description}), such as env:NAME"
)
_HTTP_OPTION: Final = Phrase("document.http_option", "the mapping needs {name} ({description})")
_HTTP_UNUSED: Final = Phrase("document.http_unused", "the mapping {mapping} does not use it")
_HTTP_CERTIFICATE: Final = Phrase(
    "document.http_certificate",
    "the mapping needs certificate_file and key_file, as the party gave them",
)

LOCAL_HOSTS: Final = frozenset(("127.0.0.1", "::1", "localhost"))

BaseUrl = Annotated[
    str,
    described(_URL_FORM, pattern=r"https?://[!-~]+", max_length=500),
]
SecretPlaces = Annotated[dict[OptionName, SecretSource], Meta(max_length=20)]
Options = Annotated[
    dict[OptionName, Annotated[str, Meta(min_length=1, max_length=500)]], Meta(max_length=50)
]
Connections = Annotated[int, Meta(ge=1, le=1_000)]


class _WrittenPart(Checked, msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The keys of the part of a configuration."""

    mapping: Annotated[str, Meta(min_length=1, max_length=300)]
    base_url: BaseUrl
    secrets: SecretPlaces = {}
    options: Options = {}
    tls: TlsOptions | None = None
    timeout_ms: TimeLimit = 2500
    connect_timeout_ms: TimeLimit = 1000
    connections: Connections = 8
    http2: bool = True
    in_flight: InFlight = 200

    def problems(self) -> Iterator[tuple[str, str]]:
        """What a URL may not be."""
        if isinstance(self.base_url, str):
            problem = url_problem(self.base_url)
            if problem is not None:
                yield "base_url", problem


class HttpDefinition(Definition, frozen=True, kw_only=True, tag="http"):
    """A connector as it was applied; of secrets it holds only where they are."""

    mapping: Mapping
    base_url: str
    secrets: dict[str, str] = msgspec.field(default_factory=dict)
    options: dict[str, str] = msgspec.field(default_factory=dict)
    tls: TlsOptions | None = None
    connect_timeout_ms: int = 1000
    connections: int = 8
    http2: bool = True
    """Whether HTTP/2 is used where the party offers it."""

    def functions(self) -> tuple[str, ...]:
        """What the mapping can answer for."""
        mapping = self.mapping
        offered = (
            ("precheck", mapping.precheck),
            ("idverify", mapping.idverify),
            ("gateway", mapping.authorize),
        )
        return tuple(name for name, part in offered if part is not None)

    def operations(self) -> frozenset[OperationKind]:
        """Voids, which are reversals, and what the mapping describes."""
        mapping = self.mapping
        offered = ((OperationKind.CAPTURE, mapping.capture), (OperationKind.REFUND, mapping.refund))
        return VOIDS_ONLY | {kind for kind, part in offered if part is not None}

    def takes_notifications(self) -> bool:
        """Whether the mapping describes what the party tells by itself, and a key is given."""
        written = self.mapping.notifications
        keys = () if written is None else written.signature.keys
        return any(f"{{secret.{name}}}" in text for name in self.secrets for text in keys)

    def shows_pages(self) -> bool:
        """Whether the mapping makes payment pages."""
        return self.mapping.page is not None

    def charges_cards(self) -> bool:
        """Whether the mapping stores cards on its pages, and charges them."""
        return self.mapping.charge is not None

    def secret_sources(self) -> tuple[str, ...]:
        """Where its secrets are."""
        return tuple(self.secrets.values())

    def tls_files(self) -> tuple[str, ...]:
        """What its connections need."""
        return () if self.tls is None else self.tls.files()

    def destinations(self) -> tuple[str, ...]:
        """The party's URL, and where its tokens are asked for with the client's secret."""
        written = self.mapping.authentication
        if written is None or written.oauth2 is None:
            return (self.base_url,)
        url = written.oauth2.token_url
        for name, value in self.options.items():
            url = url.replace(f"{{option.{name}}}", value)
        return (self.base_url, url)

    def unfit_for_production(self) -> tuple[str, ...]:
        """Card data may not go over the network in the clear."""
        if self.base_url.startswith("https://"):
            return ()
        return (_HTTP_UNFIT(),)


def url_problem(url: str) -> str | None:
    """What is wrong with the URL of a party."""
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError:
        return _HTTP_URL()
    if not host or not url.isascii() or parts.scheme not in ("http", "https"):
        return _HTTP_URL()
    if parts.scheme == "http" and host not in LOCAL_HOSTS:
        return _HTTP_HTTPS()
    if parts.username is not None or parts.query or parts.fragment:
        return _HTTP_BARE()
    return None


def read_http(part: PartReader) -> HttpDefinition | None:
    """The definition of a part, or None after its flaws were noted."""
    written = part.convert(_WrittenPart)
    if written is None:
        return None
    mapping = _mapping(part, written.mapping)
    if mapping is None:
        return None
    before = len(part.flaws)
    _compare(part, written, mapping)
    if len(part.flaws) > before:
        return None
    fields = {name: getattr(written, name) for name in written.__struct_fields__}
    return HttpDefinition(**(fields | {"mapping": mapping}))


def shipped_mappings() -> list[str]:
    """The names of the mappings that ship with the package."""
    folder = resources.files("gatehouse.connectors.http").joinpath("mappings")
    return sorted(each.name.removesuffix(".yaml") for each in folder.iterdir())


def _mapping(part: PartReader, name: str) -> Mapping | None:
    from gatehouse.connectors.http.reading import read_mapping
    from gatehouse.core.documents.reading import suggestion

    shipped = shipped_mappings()
    if name in shipped:
        folder = resources.files("gatehouse.connectors.http").joinpath("mappings")
        return read_mapping(folder.joinpath(f"{name}.yaml").read_bytes())
    if not name.endswith((".yaml", ".yml")):
        message = _HTTP_MAPPING(hint=suggestion(name, shipped))
        part.refuse("mapping", message)
        return None
    try:
        return read_mapping(part.read_file(name))
    except InvalidInput as error:
        for line in each_line(said_by(error)):
            part.refuse("mapping", _HTTP_FILE_LINE(name=name, line=line))
        return None


def _compare(part: PartReader, written: _WrittenPart, mapping: Mapping) -> None:
    """Note where the part does not give what its mapping needs."""
    for name, about in mapping.secrets.items():
        need = SecretNeed(about) if isinstance(about, str) else about
        if name not in written.secrets and need.required:
            message = _HTTP_SECRET(name=name, description=need.description)
            part.refuse("secrets", message)
    for name, option in mapping.options.items():
        if name not in written.options and option.required and option.default is None:
            part.refuse("options", _HTTP_OPTION(name=name, description=option.description))
    for section, given, declared in (
        ("secrets", written.secrets, mapping.secrets),
        ("options", written.options, mapping.options),
    ):
        for name in given:
            if name not in declared:
                part.refuse(f"{section}.{name}", _HTTP_UNUSED(mapping=mapping.mapping))
    authentication = mapping.authentication
    has_certificate = written.tls is not None and written.tls.certificate_file is not None
    wanted = authentication is not None and authentication.client_certificate
    if wanted and not has_certificate:
        part.refuse("tls", _HTTP_CERTIFICATE())
