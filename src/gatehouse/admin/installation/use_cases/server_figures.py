"""Reads what running servers count about themselves, from their metrics."""

import http.client
import urllib.error
import urllib.request
from typing import Final
from urllib.parse import urlsplit

from gatehouse.admin.installation.types import Labels, Look
from gatehouse.core.clock import Clock
from gatehouse.settings.settings import Settings

_MOST_BYTES: Final = 4 << 20
_ANYWHERE: Final = {"0.0.0.0": "127.0.0.1", "::": "::1", "": "127.0.0.1"}  # noqa: S104
_OURS: Final = "gatehouse_"


def metrics_address(settings: Settings) -> str:
    """Where the server that these settings start shows its metrics."""
    host, port = settings.host, settings.port
    scheme = "https" if settings.tls_cert_file else "http"
    if settings.metrics_port:
        host, port, scheme = settings.metrics_host, settings.metrics_port, "http"
    here = _ANYWHERE.get(host, host)
    return f"{scheme}://{f'[{here}]' if ':' in here else here}:{port}/metrics"


def look_at(address: str, clock: Clock, timeout_s: float) -> Look:
    """What a server shows now; one that does not answer is told as such."""
    from prometheus_client.parser import text_string_to_metric_families

    # The address of a server is enough: people have it at hand.
    whole = f"{address.rstrip('/')}/metrics" if urlsplit(address).path in ("", "/") else address
    try:
        # An operator names the addresses, and nothing of what they answer is kept.
        with urllib.request.urlopen(whole, timeout=timeout_s) as answer:  # noqa: S310
            text = answer.read(_MOST_BYTES + 1)
        at_s = clock() / 1000
        if len(text) > _MOST_BYTES:
            return Look(address, at_s, {}, "answers too much")
        samples: dict[tuple[str, Labels], float] = {}
        for family in text_string_to_metric_families(text.decode()):
            if family.name.startswith(_OURS):
                for sample in family.samples:
                    samples[sample.name, tuple(sorted(sample.labels.items()))] = sample.value
    except urllib.error.HTTPError as error:
        return Look(address, clock() / 1000, {}, f"answers {error.code}")
    except ValueError:
        return Look(address, at_s, {}, "answers no metrics")
    except (OSError, http.client.HTTPException) as error:
        reason = getattr(error, "reason", error)
        return Look(address, clock() / 1000, {}, f"no answer: {type(reason).__name__}")
    return Look(address, at_s, samples, "" if samples else "answers no metrics of Gatehouse")
