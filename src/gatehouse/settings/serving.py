"""The settings of serving: processes, and limits on requests and connections."""

from dataclasses import dataclass

from gatehouse.settings.kinds import choice, client_timeout, number


@dataclass(frozen=True)
class ServingSettings:
    """What an operator can choose about serving."""

    workers: int = number(
        1,
        "Server processes that `gatehouse serve` runs on its port; more than one need PostgreSQL.",
        "count",
        (1, 256),
    )
    background: str = choice(
        "beside",
        "Where what no request waits for is done (webhooks, jobs, retention, counts): `beside`, in "
        "a process of its own, which takes about 100 MB; or `inside` every server process, whose "
        "requests then feel it.",
        "beside",
        "inside",
    )
    max_in_flight: int = number(
        1000,
        "Requests with a valid key worked on at once; beyond that the answer is 503 with "
        "`Retry-After`.",
        "count",
        (1, 100_000),
    )
    shed_delay_ms: int = number(
        20,
        "How long requests may wait for their turn and for a commit, on average; while it is "
        "longer, fewer are worked on at once, and those beyond are refused at once with 503 and "
        "`Retry-After`. 0: only `GATEHOUSE_MAX_IN_FLIGHT` counts.",
        "milliseconds",
        (0, 60_000),
    )
    max_body_bytes: int = number(65_536, "Largest request body.", "bytes", (1024, 16_777_216))
    max_header_bytes: int = number(32_768, "Largest request head.", "bytes", (1024, 1_048_576))
    max_header_lines: int = number(100, "Most header lines.", "count", (10, 1000))
    header_timeout_ms: int = client_timeout("How long a client may take to send a request's head.")
    body_timeout_ms: int = client_timeout("How long a client may take to send a request's body.")
    write_timeout_ms: int = client_timeout(
        "How long a client may take to read an answer that is waiting for it."
    )
    max_connections: int = number(
        4096,
        "Connections open at once; a new one beyond that is sent 503 and closed at once, which a "
        "client that is still sending may see as a reset. TLS handshakes count; beyond the limit "
        "they are only closed.",
        "count",
        (10, 1_000_000),
    )
    keep_alive_s: int = number(75, "How long an idle connection is kept.", "seconds", (1, 3600))
    drain_s: int | None = number(
        None,
        "How long a server that was told to stop goes on serving while `/readyz` answers 503, so "
        "that load balancers send requests elsewhere before it stops listening. "
        "Unset: 5 in production, 0 in the sandbox.",
        "seconds",
        (0, 3600),
    )
    stop_timeout_s: int = number(
        30,
        "How long a stopping server waits for requests in flight after it stopped listening.",
        "seconds",
        (1, 3600),
    )
