"""Where the faces of this subject are: connectors."""

from gatehouse.core.subject import CommandPlace, Subject

SUBJECT = Subject(
    "connectors",
    rank=160,
    commands=(
        CommandPlace(
            "connectors",
            "command.connectors:app",
            "Connectors to issuers, identity sources and gateways, and the routes to them.",
        ),
        CommandPlace(
            "reference-host",
            "command.reference_host:reference_host",
            "Serve the sandbox over ISO 8583 and HTTP, for trying connectors.",
        ),
    ),
    use_cases=("use_cases.connector_status",),
    pages=("pages:PAGES",),
)
