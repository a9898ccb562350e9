"""OpenTelemetry traces: a span for each request, with its stages, calls and commits in it.

A server without `GATEHOUSE_TRACES_URL` never imports this room, and its requests pass nothing of
it. Spans name routes, stages and connectors; nothing that a caller sent is in them.
"""
