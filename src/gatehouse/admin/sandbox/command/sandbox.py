"""gatehouse sandbox: the trigger table, and the people who hold the sandbox's cards."""

from typing import Any

import msgspec

from gatehouse.cli.arguments import AsJson
from gatehouse.cli.output import show, table


def sandbox(as_json: AsJson = False) -> None:
    """Print what to send to the sandbox to get a given answer, and who holds its cards."""
    triggers, trigger_table = _triggers()
    people, people_table = _people()
    text = (
        f"{trigger_table}\n"
        "Triggers of different fields combine; a field's own beats the card's. "
        "Every other well-formed value succeeds.\n\n"
        f"{people_table}\n"
        "ID Verify really compares with these people. No other card has a holder on record, "
        "except those imported with: gatehouse identities import"
    )
    show({"triggers": triggers, "people": people}, text, as_json)


def _triggers() -> tuple[list[Any], str]:
    from gatehouse.connectors.sandbox.triggers import all_triggers

    triggers = all_triggers()
    rows = [
        (row.field, row.value, row.effect, ", ".join(f"{k} {v}" for k, v in row.gives.items()))
        for row in triggers
    ]
    shown = ("field", "value", "effect", "gives")
    data = [{name: getattr(row, name) for name in shown} for row in triggers]
    return data, table(("FIELD", "VALUE", "EFFECT", "GIVES"), rows)


def _people() -> tuple[list[Any], str]:
    from gatehouse.connectors.sandbox.people import all_holders

    holders = all_holders()
    # Names come last: letters of other scripts are not all equally wide.
    rows = [
        [
            one or "-"
            for one in (row.card, row.person.owner_type, *row.contacts, row.about, row.names)
        ]
        for row in holders
    ]
    data = [
        {"cardNumber": row.card, "about": row.about, "ownerType": row.person.owner_type}
        | msgspec.to_builtins(row.person)
        for row in holders
    ]
    headings = ("CARD", "HOLDER", "E-MAIL", "PHONE", "IDENTIFIERS", "ABOUT")
    return data, table((*headings, "FIRST, MIDDLE, LAST NAME"), rows)
