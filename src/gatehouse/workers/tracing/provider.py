"""Opens OpenTelemetry's kit: spans gather in memory and are sent by a thread of its own.

A full queue drops spans, and a collector that does not answer is waited for by that thread alone.
"""

from typing import Any, Final

from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import OTELResourceDetector, Resource
from opentelemetry.sdk.trace import SpanLimits, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor

import gatehouse
from gatehouse.pipeline.engine import Engine
from gatehouse.pipeline.settlement import Settlement
from gatehouse.settings.settings import Settings
from gatehouse.workers.tracing.spans import (
    Application,
    Called,
    TracedApplication,
    TracedRunner,
    TracedSettlement,
    traced_calls,
)

_LIMITS: Final = SpanLimits(
    max_span_attributes=16, max_events=0, max_links=0, max_span_attribute_length=128
)
_STOP_MS: Final = 3000


class Tracing:
    """Makes the parts of a service that leave spans, and sends these until it is stopped."""

    def __init__(self, settings: Settings) -> None:
        about = Resource(
            {
                "service.name": "gatehouse",
                "service.version": gatehouse.__version__,
                "deployment.environment.name": settings.environment,
            }
        )
        # What OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES say counts more.
        self._provider = TracerProvider(
            resource=about.merge(OTELResourceDetector().detect()),
            span_limits=_LIMITS,
            shutdown_on_exit=False,
        )
        exporter = OTLPSpanExporter(endpoint=settings.traces_url)
        self._provider.add_span_processor(BatchSpanProcessor(exporter))
        self._tracer = self._provider.get_tracer("gatehouse", gatehouse.__version__)

    def engine(self, settlement: Settlement, *parts: Any) -> Engine:
        """The engine, with spans for stages and for waiting for commits."""
        engine = Engine(TracedSettlement(settlement, self._tracer), *parts)
        engine.runner = TracedRunner(self._tracer, engine.stopwatch)
        return engine

    def application(self, inner: Application) -> Application:
        """The application, with a span for each request."""
        return TracedApplication(inner, self._tracer)

    def calls(self, observe: Called) -> Called:
        """The observer of calls, with a span for each."""
        return traced_calls(self._tracer, observe)

    def stop(self) -> None:
        """Send what is left, for some seconds at most."""
        self._provider.force_flush(_STOP_MS)
        self._provider.shutdown()
