"""Adds a rule to a document that an author wrote, without touching the rest of it."""

from itertools import count

import msgspec

from gatehouse.core.documents.reading import Document, load_document
from gatehouse.core.errors import InvalidInput
from gatehouse.core.stages.outcomes import Outcome
from gatehouse.rules.authoring import read_rule_set


class NewRule(msgspec.Struct, frozen=True):
    """A rule that is not in a document yet."""

    name: str
    condition: str
    outcome: Outcome
    description: str = ""
    shadow: bool = False


def free_name(document: str, name: str) -> str:
    """The name, with a number behind it if a rule of the document has it already."""
    taken = {rule.name for rule in read_rule_set(document.encode()).rules}
    names = (name if number == 1 else f"{name}-{number}" for number in count(1))
    return next(each for each in names if each not in taken)


def with_rule(document: str, rule: NewRule) -> str:
    """The document with a rule after all others; refused if it cannot be put there."""
    read = load_document(document.encode())
    changed = _put(document, read, rule)
    before = read_rule_set(document.encode())
    after = read_rule_set(changed.encode())
    if after.rules[:-1] != before.rules or after.rules[-1].name != rule.name:
        raise InvalidInput(
            "the rule cannot be put into this document; write it there by hand:\n"
            + "\n".join(_lines(rule, 0))
        )
    return changed


def _put(document: str, read: Document, rule: NewRule) -> str:
    lines = document.splitlines()
    first = read.starts.get("rules[0]")
    # The value of an entry begins two places after its dash.
    indent = 2 if first is None else max(0, read.at(first).column - 3)
    begins = read.key_place("rules").line
    later = [read.key_place(key).line for key in read.data if key != "rules"]
    end = min((line for line in later if line > begins), default=len(lines) + 1) - 1
    while end and not lines[end - 1].strip():
        end -= 1
    head = lines[:end]
    if first is None:
        head[begins - 1] = "rules:"
    gap = [""] if first is not None else []
    tail = lines[end:]
    return "\n".join([*head, *gap, *_lines(rule, indent), *tail]) + "\n"


def _lines(rule: NewRule, indent: int) -> list[str]:
    space = " " * indent
    found = [f"{space}- name: {rule.name}"]
    if rule.description:
        quoted = msgspec.json.encode(" ".join(rule.description.split())).decode()
        found.append(f"{space}  description: {quoted}")
    found.append(f"{space}  condition: |")
    found += [f"{space}    {line}" for line in rule.condition.splitlines()]
    found.append(f"{space}  outcome: {rule.outcome.value}")
    if rule.shadow:
        found.append(f"{space}  shadow: true")
    return found
