"""gatehouse sandbox: the trigger table."""

from gatehouse.cli.common import AsJson, show, table


def sandbox(as_json: AsJson = False) -> None:
    """Print what to send to the sandbox to get a given answer."""
    from gatehouse.connectors.sandbox.triggers import all_triggers

    triggers = all_triggers()
    rows = [
        (row.field, row.value, row.effect, ", ".join(f"{k} {v}" for k, v in row.gives.items()))
        for row in triggers
    ]
    data = [
        {"field": row.field, "value": row.value, "effect": row.effect, "gives": row.gives}
        for row in triggers
    ]
    text = table(("FIELD", "VALUE", "EFFECT", "GIVES"), rows)
    closing = (
        "Triggers of different fields combine; a field's own beats the card's. "
        "Every other well-formed value succeeds."
    )
    show(data, f"{text}\n{closing}", as_json=as_json)
