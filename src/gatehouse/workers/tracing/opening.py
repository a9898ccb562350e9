"""Opens tracing where the settings ask for it; imports the packages for it only then."""

from typing import TYPE_CHECKING

from gatehouse.core.errors import SettingsError
from gatehouse.settings.settings import Settings

if TYPE_CHECKING:
    from gatehouse.workers.tracing.provider import Tracing


def open_tracing(settings: Settings) -> "Tracing | None":
    """What makes spans, or None: then nothing of it is in the way of a request."""
    if not settings.traces_url:
        return None
    try:
        from gatehouse.workers.tracing.provider import Tracing
    except ModuleNotFoundError as error:
        if not (error.name or "").startswith("opentelemetry"):
            raise
        raise SettingsError(
            "traces need packages that are not installed; install them with: "
            "pip install --require-hashes -r requirements/otel.lock"
        ) from None
    return Tracing(settings)
