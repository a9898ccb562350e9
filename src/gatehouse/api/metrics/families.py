"""Every metric of a server: its name, kind, labels and meaning, declared once.

docs/metrics.md is generated from this table. No label may take a value that a caller chooses, so
that the number of series stays small.
"""

from typing import Final, Literal

import msgspec

SECONDS: Final = (
    *(0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5),
    *(1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0, 600.0),
)
"""Up to the longest time limit that can be set."""
_PER_COMMIT: Final = tuple(float(1 << power) for power in range(10))


class Family(msgspec.Struct, frozen=True):
    """One metric with all its series."""

    name: str
    kind: Literal["counter", "gauge", "histogram"]
    about: str
    labels: tuple[str, ...] = ()
    bounds: tuple[float, ...] = ()

    @property
    def shown_name(self) -> str:
        """The name of its samples; a counter's ends in `_total`."""
        return f"{self.name}_total" if self.kind == "counter" else self.name


def _counter(name: str, about: str, *labels: str) -> Family:
    return Family(f"gatehouse_{name}", "counter", about, labels)


def _gauge(name: str, about: str, *labels: str) -> Family:
    return Family(f"gatehouse_{name}", "gauge", about, labels)


def _seconds(name: str, about: str, *labels: str) -> Family:
    return Family(f"gatehouse_{name}_seconds", "histogram", about, labels, SECONDS)


REQUESTS: Final = _counter("requests", "Requests by route and HTTP status.", "route", "status")
OPERATIONS: Final = _counter(
    "operations",
    "Requests to the API by operation and class of the status. Success is the answer's isSuccess: "
    "a request with invalid fields is answered 200 and is no success.",
    "operation",
    "status_class",
    "success",
)
ERRORS: Final = _counter("errors", "Refused requests by route and error code.", "route", "code")
REQUEST_SECONDS: Final = _seconds("request", "Time from the head to the answer.", "route")
DECISIONS: Final = _counter(
    "decisions", "Decisions by operation: ACCEPT, REVIEW or DECLINE.", "operation", "decision"
)
STAGES: Final = _counter(
    "stage_runs",
    "Stages that ran. One that is not completed could not ask its party, and cost nothing.",
    "stage",
    "completed",
)
VERDICTS: Final = _counter(
    "stage_verdicts", "What stages that decide wanted to be decided.", "stage", "verdict"
)
STAGE_SECONDS: Final = _seconds("stage", "Time that a stage took.", "stage")
CALLS: Final = _counter(
    "connector_calls",
    "Calls of connectors: answered, failed (the connector said so), unsent (nobody was asked, for "
    "a reason of ours), timeout (given up after its time limit, or because the server stopped) or "
    "defect (any other exception).",
    "connector",
    "call",
    "outcome",
)
CALL_SECONDS: Final = _seconds("connector", "Time that a connector took.", "connector", "call")
ASKED: Final = _counter(
    "connector_requests",
    "Requests to the connectors that were applied (gatehouse connectors), by what they were asked "
    "for: answered, refused (the party would not serve this request), unsent (it was not asked for "
    "a reason of ours, such as a reversal that has to wait), failed, timeout or defect.",
    "connector",
    "function",
    "outcome",
)
ASKED_SECONDS: Final = _seconds(
    "connector_request", "Time that an applied connector took.", "connector", "function"
)
PER_COMMIT: Final = Family(
    "gatehouse_settlements_per_commit",
    "histogram",
    "Settlements that shared one commit; it grows under load.",
    bounds=_PER_COMMIT,
)
COMMIT_SECONDS: Final = _seconds("commit", "Time of a commit, with reading what it needs.")
LAG_SECONDS: Final = _seconds(
    "event_loop_lag", "How much later than asked for the event loop went on, tried twice a second."
)
INFO: Final = _gauge("info", "Always 1.", "version", "environment", "database")

_OF_ALL: Final = (
    "Of the whole database, counted every ten seconds: the same on every server. Of several "
    "workers the first shows it."
)
FAMILIES: Final = (
    REQUESTS,
    OPERATIONS,
    ERRORS,
    REQUEST_SECONDS,
    DECISIONS,
    STAGES,
    VERDICTS,
    STAGE_SECONDS,
    CALLS,
    CALL_SECONDS,
    ASKED,
    ASKED_SECONDS,
    PER_COMMIT,
    COMMIT_SECONDS,
    _gauge("writer_waiting", "Settlements that wait for a commit or are in one."),
    LAG_SECONDS,
    _gauge("requests_in_flight", "Requests with a valid key that are being worked on."),
    _gauge("requests_in_flight_limit", "How many there may be (GATEHOUSE_MAX_IN_FLIGHT)."),
    _gauge(
        "requests_in_flight_allowed",
        "How many there may be now, so that they do not wait long (GATEHOUSE_SHED_DELAY_MS).",
    ),
    _counter("requests_shed", "Requests that were refused at their head because of that."),
    _gauge("connections", "Connections that are open."),
    _gauge("connections_limit", "How many there may be (GATEHOUSE_MAX_CONNECTIONS)."),
    _gauge("ready", "1 while /readyz answers 200."),
    _gauge("changes_heard", "0 while changes by others are only found by looking for them."),
    _gauge(
        "check",
        "1 while a check of /readyz holds; store is whether the database has answered lately.",
        "check",
    ),
    _counter(
        "tasks_died",
        "How often a task beside requests has died, by its name; it is started again.",
        "task",
    ),
    _gauge("reviews_open", f"Reviews that wait for a person. {_OF_ALL}"),
    _gauge("reversals_waiting", f"Payments that must be reversed and are not yet. {_OF_ALL}"),
    _gauge("reversals_failed", f"Payments that could not be reversed. {_OF_ALL}"),
    _gauge(
        "payment_operations_in_doubt",
        f"Captures, voids and refunds of unknown end that a person has to settle. {_OF_ALL}",
        "kind",
    ),
    _gauge(
        "payment_operations_in_doubt_seconds",
        f"How long ago the oldest of them was asked for; 0 without any. {_OF_ALL}",
        "kind",
    ),
    _gauge("holds_open", f"Authorizations of fees that have not ended. {_OF_ALL}"),
    _gauge("labels_behind", "Rows of feedback that this server has not passed on to Sentry yet."),
    _gauge("memory_entities", "Users, addresses, cards and the like that Sentry remembers."),
    _gauge("memory_entities_limit", "How many of them at most (GATEHOUSE_MEMORY_ENTITIES)."),
    _gauge("memory_events", "Events noted in the memory since the start, read back or new."),
    _gauge("memory_rebuilt", "1 once the events before the start are remembered."),
    _gauge("memory_shared", "1 if other servers use the same memory (GATEHOUSE_MEMORY_URL)."),
    _gauge("memory_available", "0 while the shared memory does not answer and is not asked."),
    _gauge("rate_limits_shared", "1 while rate limits count for all servers together."),
    _gauge("memory_missed", "Requests that the shared memory must still be told of."),
    _gauge("events_written", f"Events that were ever written. {_OF_ALL}"),
    _gauge(
        "events_held_back", f"Events that readers do not see until a transaction ends. {_OF_ALL}"
    ),
    _gauge(
        "partition_months_ahead",
        "Months after this one that have a partition for decision records; servers make 3. "
        "Requests of a month without one all fail. +Inf where records are in one table.",
    ),
    _gauge(
        "webhooks_failing",
        f"Webhooks that are enabled and have not accepted a message since one failed. {_OF_ALL}",
    ),
    _gauge(
        "webhook_messages_waiting",
        "Messages that enabled webhooks have not accepted: those that are tried again later, and "
        f"events that were not read for them yet, up to 20,000 of each. {_OF_ALL}",
    ),
    _gauge(
        "webhook_oldest_message_seconds",
        f"How long ago that happened which the oldest of them tells; 0 without any. {_OF_ALL}",
    ),
    _gauge(
        "webhook_messages_late_seconds",
        "For how long a message could have been sent and was not, of webhooks that accept; it "
        f"grows while servers cannot keep up. {_OF_ALL}",
    ),
    _gauge(
        "balances_low",
        f"Open accounts that were told that their balance is low or does not suffice. {_OF_ALL}",
    ),
    _gauge(
        "drifts_open",
        "Signals, scores, rules and labels of accounts that are not as they usually are. "
        f"{_OF_ALL}",
    ),
    _gauge(
        "last_backup_timestamp_seconds",
        "When `gatehouse backup` last succeeded, in seconds since 1970, if it ever did. Backups "
        f"made by other programs are not known. {_OF_ALL}",
    ),
    _gauge(
        "certificate_expires_timestamp_seconds",
        "When a certificate ends that this server shows or trusts, in seconds since 1970: of its "
        "own TLS, of connectors, webhooks, the database and the shared memory.",
        "certificate",
    ),
    _gauge("event_readers", "Callers of this server that wait for events."),
    _gauge(
        "configuration_refused_accounts",
        "Accounts whose configuration in the database was changed by somebody else and is refused.",
    ),
    _counter("configuration_refusals", "Configurations that were refused since the start."),
    _gauge("connector_up", "1 while an applied connector is given requests.", "connector"),
    _gauge("connector_in_flight", "Requests that wait for its answer.", "connector"),
    _gauge("connector_in_flight_limit", "How many there may be (in_flight).", "connector"),
    _gauge("connector_connections", "Connections that it has open.", "connector"),
    _gauge(
        "connector_breaker_open",
        "1 while it is asked once a second alone, because requests failed.",
        "connector",
    ),
    _counter(
        "connector_late_answers",
        "Answers that came after their request was given up, since it was started.",
        "connector",
    ),
    INFO,
)

# Made by the library under the names that dashboards know.
PROCESS: Final = (
    Family("process_cpu_seconds", "counter", "Time on processors."),
    Family("process_resident_memory_bytes", "gauge", "Memory of the process."),
    Family("process_virtual_memory_bytes", "gauge", "Address space of the process."),
    Family("process_open_fds", "gauge", "Open file descriptors."),
    Family("process_max_fds", "gauge", "How many there may be."),
    Family("process_start_time_seconds", "gauge", "When the process began, in seconds since 1970."),
)
