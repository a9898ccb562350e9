"""gatehouse notifications: where providers send them, and what became of them."""

from typing import Annotated

from gatehouse.admin.derived_commands import commands_of
from gatehouse.admin.opening import open_session
from gatehouse.cli.arguments import AsJson, option
from gatehouse.cli.output import as_data, columns, show

app = commands_of("gatehouse.admin.notifications.use_cases.notifications")


@app.command()
def addresses(as_json: AsJson = False) -> None:
    """Show where the providers of connectors send notifications: give it to them."""
    from gatehouse.admin.notifications.use_cases import installation

    found = installation.addresses(open_session())
    rows = [{"connector": name, "path": path} for name, path in found.items()]
    text = columns(("CONNECTOR", "PATH"), rows, ("connector", "path"))
    none = "no connector has a mapping with a part for notifications"
    show(rows, text if rows else none, as_json)


@app.command()
def unmatched(
    limit: Annotated[int, option("At most so many.", min=1, max=10_000)] = 100,
    again: Annotated[
        bool, option("Let a server look for their payments once more.", "--again")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """List notifications of payments that are not known here, newest first."""
    from gatehouse.admin.notifications.use_cases import installation

    session = open_session()
    if again:
        count = installation.try_unmatched(session)
        show({"count": count}, f"looked for once more: {count}", as_json)
        return
    rows = [as_data(each) for each in installation.unmatched(session, limit)]
    fields = ("notificationId", "connector", "event", "receivedAt", "state", "reason")
    headings = ("NOTIFICATION", "CONNECTOR", "EVENT", "RECEIVED", "STATE", "REASON")
    text = columns(headings, rows, fields) if rows else "every payment was found"
    show(rows, text, as_json)
