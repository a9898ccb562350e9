"""Changes one rule of a document that an author wrote, and leaves the rest as it is.

Only the lines of the keys that change are written anew. Whether the document then says what was
meant, and nothing else, is seen by reading it again.
"""

from collections.abc import Mapping
from typing import Final

import msgspec

from gatehouse.core.documents.reading import Document, load_document
from gatehouse.core.errors import InvalidInput, NotFound
from gatehouse.core.stages.outcomes import Outcome
from gatehouse.core.wording.sentences import Phrase
from gatehouse.rules.authoring import read_rule_set
from gatehouse.rules.ruleset import Rule, RuleSet, RuleState

NO_RULE: Final = Phrase("refused.no_rule", "rule set {rule_set} has no rule {rule}")
_BY_HAND: Final = Phrase(
    "refused.rule_by_hand",
    "rule {rule} is written in a way that only a person can change; change it in the text",
)
_FINAL: Final = Phrase(
    "refused.final_shadow",
    "rule {rule} is final: it cannot only watch; switch it off, or take `final` away in the text",
)


class RuleChange(msgspec.Struct, frozen=True):
    """What is to be different about a rule; None leaves it."""

    state: RuleState | None = None
    condition: str | None = None
    outcome: Outcome | None = None
    description: str | None = None


def rule_named(rule_set: RuleSet, name: str) -> Rule:
    """The rule of that name; or `NotFound`."""
    found = next((rule for rule in rule_set.rules if rule.name == name), None)
    if found is None:
        raise NotFound(NO_RULE(rule_set=rule_set.name, rule=name[:64]))
    return found


def with_changed_rule(document: str, name: str, change: RuleChange) -> str:
    """The document with one rule changed; refused if only a person can write it."""
    before = read_rule_set(document.encode())
    rule_named(before, name)
    read = load_document(document.encode())
    place = next(place for place, each in enumerate(read.data["rules"]) if each.get("name") == name)
    if change.state is RuleState.SHADOW and _is_final(read, place):
        raise InvalidInput(_FINAL(rule=name))
    lines = _RuleLines(document, read, place)
    if lines.share_a_line:
        raise InvalidInput(_BY_HAND(rule=name))
    changed = lines.written(_values(change))
    if not _is_meant(before, read_rule_set(changed.encode()), place, change):
        raise InvalidInput(_BY_HAND(rule=name))
    return changed


def _is_final(read: Document, place: int) -> bool:
    return str(read.data["rules"][place].get("final", "")).lower() == "true"


def _values(change: RuleChange) -> dict[str, list[str] | None]:
    """The lines of each key that changes, without indentation; None takes the key away."""
    values: dict[str, list[str] | None] = {}
    if change.condition is not None:
        values["condition"] = [
            "condition: |",
            *(f"  {each}" for each in change.condition.split("\n")),
        ]
    if change.outcome is not None:
        values["outcome"] = [f"outcome: {change.outcome.value}"]
    if change.description is not None:
        quoted = msgspec.json.encode(" ".join(change.description.split())).decode()
        values["description"] = [f"description: {quoted}"] if change.description.strip() else None
    if change.state is not None:
        for key in (RuleState.SHADOW, RuleState.OFF):
            values[key.value] = [f"{key.value}: true"] if change.state is key else None
    return values


class _RuleLines:
    """The lines of one rule in its document."""

    def __init__(self, document: str, read: Document, place: int) -> None:
        self._lines = document.splitlines()
        path = f"rules[{place}]"
        places = {key: read.key_place(f"{path}.{key}") for key in read.data["rules"][place]}
        self._keys = {key: found.line - 1 for key, found in places.items()}
        self.share_a_line = len({*self._keys.values()}) < len(self._keys)
        """Whether several keys stand in one line, so that none can be written alone."""
        first = min(places.values())
        self._indent = first.column - 1
        self._first = first.line - 1
        last = self._first
        # The entry goes on as long as lines are indented like its keys.
        for number in range(self._first + 1, len(self._lines)):
            line = self._lines[number]
            if line.strip() and len(line) - len(line.lstrip()) < self._indent:
                break
            last = number if line.strip() else last
        self._end = last + 1

    def written(self, values: Mapping[str, list[str] | None]) -> str:
        """The document with these keys in their new form."""
        starts = sorted(set(self._keys.values()))
        lines = list(self._lines)
        new = {key: each for key, each in values.items() if each and key not in self._keys}
        lines[self._end : self._end] = [self._moved(line) for each in new.values() for line in each]
        for key in sorted(set(values) & set(self._keys), key=self._keys.__getitem__, reverse=True):
            begin = self._keys[key]
            later = (line for line in starts if line > begin)
            end = self._without_remarks(begin, next(later, self._end))
            written = [self._moved(line) for line in values[key] or ()]
            if begin == self._first and written:
                written[0] = self._lines[begin][: self._indent] + written[0].lstrip()
            lines[begin:end] = written
        return "\n".join(lines) + "\n"

    def _moved(self, line: str) -> str:
        return " " * self._indent + line

    def _without_remarks(self, begin: int, end: int) -> int:
        """The end of a value, before blank lines and remarks about what follows."""
        while end > begin + 1 and self._lines[end - 1].strip()[:1] in ("", "#"):
            end -= 1
        return end


def _is_meant(before: RuleSet, after: RuleSet, place: int, change: RuleChange) -> bool:
    """Whether a document says what was meant about the rule, and the same about the others."""
    old, new = list(before.rules), list(after.rules)
    if len(old) != len(new):
        return False
    was, now = old.pop(place), new.pop(place)
    wanted = (change.state or was.state, change.outcome or was.outcome)
    text = was.condition.text if change.condition is None else change.condition
    same = (now.name, now.tags) == (was.name, was.tags)
    same &= (now.state, now.outcome) == wanted
    same &= now.condition.text.strip() == text.strip()
    return same and old == new and before.inputs == after.inputs
