"""The settings of OpenTelemetry traces: where spans are sent, also by the standard variables."""

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from gatehouse.settings.kinds import setting

_VARIABLE = "GATEHOUSE_TRACES_URL"
_PATH = "/v1/traces"


def _read_url(given: str) -> str:
    """An endpoint of OTLP over HTTP; one without a path has the standard one."""
    split = urlsplit(given)
    if split.scheme not in ("http", "https") or not split.hostname or "@" in split.netloc:
        raise ValueError
    if split.query or split.fragment:
        raise ValueError
    return f"{given.rstrip('/')}{_PATH}" if split.path in ("", "/") else given


@dataclass(frozen=True)
class TraceSettings:
    """What an operator can choose about traces."""

    traces_url: str = setting(
        "",
        "Where OpenTelemetry traces are sent, as OTLP over HTTP: `http://collector:4318`; see "
        "docs/tracing.md. Without it `OTEL_EXPORTER_OTLP_TRACES_ENDPOINT` and "
        "`OTEL_EXPORTER_OTLP_ENDPOINT` count. Empty: there are no traces, and they cost nothing.",
        _read_url,
        "URL",
    )


def with_standard_variables(given: Mapping[str, str]) -> dict[str, str]:
    """The variables, with the setting made of OpenTelemetry's own where it is not there."""
    off = given.get("OTEL_SDK_DISABLED", "").strip().lower() == "true"
    if off or given.get("OTEL_TRACES_EXPORTER", "").strip() == "none":
        return {**given, _VARIABLE: ""}
    endpoint = given.get("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "").strip()
    base = given.get("OTEL_EXPORTER_OTLP_ENDPOINT", "").strip()
    standard = endpoint or (f"{base.rstrip('/')}{_PATH}" if base else "")
    return {_VARIABLE: standard, **given} if standard else dict(given)
