"""Which data and which power each scope and each permission leads to, at every face there is.

The table of rights and data is in SECURITY.md, and nowhere else: what the walk finds must be what
it says, no more and no less. A declaration that nobody reached is no proof, so it fails, too.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final, NamedTuple

import pytest

from gatehouse.access.keys import MANAGE
from gatehouse.access.roles import Permission, UserRole
from gatehouse.api.manage.catalogue import all_endpoints
from gatehouse.console.pages import Reach
from gatehouse.console.routes import DECLARED
from gatehouse.core.subject import declared
from tests.console.harness import open_console
from tests.harness import Home
from tests.rights.planted import Data
from tests.rights.walking import Look, Power, Walk

SECURITY: Final = Path(__file__).parents[2] / "SECURITY.md"
NOT_REACHED: Final[Mapping[str, str]] = {
    "createTopUp": "a provider makes the page; tests/admin/test_card_top_ups.py has one",
    "top-up-create": "the same",
    "undoBulkChange": "only who made a change may undo it",
    "bulk-undo": "the same",
    "review-correct": "only what was resolved as the form says",
    "reopenReview": "only who resolved a review may undo it",
    "review-undo": "only who resolved a review may undo it",
    "proposal-withdraw": "only who proposed a change may withdraw it",
    "getExperimentResult": "running servers count it",
    "connectors-apply": "the installation's, and has no data of an account",
    "connectors-rollback": "the same",
    "importModel": "takes a model's file; tests/admin/test_model_files.py has some",
    "model-import": "the same",
    "installation-person-role": "only for people who are in no account",
    "playground-send": "calls a running API with a key of its own",
    "decisions-save": "saves what its address has",
    "decisions-forget": "only who saved a search may forget it",
    "decisions-share": "only who saved a search may share it",
    "role-delete": "somebody has the role",
    "decision-review": "only a decision that waits",
}
"""Declarations that nobody's call succeeds at, and why."""
ALONE: Final[Mapping[str, str]] = {
    "endExperiment": "everything is decided as without it again",
    "experiment-end": "the same",
    "erasePerson": "what must go from a list leaves an entry that matches as before",
    "measureFraudRates": "measures what the advice goes by, by the rules in force",
    "authentication-measure": "the same",
    "invoices-close": "books what was agreed for a month",
    "proposal-approve": "is the second person",
}
"""What one person does although two must agree on such changes, and why."""


class Line(NamedTuple):
    """One row of a table: who has what it is about."""

    scopes: frozenset[str]
    permissions: tuple[frozenset[str], ...]
    """Each with what else it needs."""
    kinds: frozenset[str] = frozenset()

    @classmethod
    def read(cls, keys: str, people: str, kinds: str = "") -> "Line":
        """A row of which the first cell is known."""
        needs = tuple(found for each in people.split(",") if (found := _words(each)))
        return cls(_words(keys), needs, _words(kinds))

    def is_for_person(self, permissions: frozenset[Permission]) -> bool:
        """Whether these permissions suffice."""
        return any(each <= permissions for each in self.permissions)

    def is_for_key(self, scope: str) -> bool:
        """Whether a key with this scope alone has it; without scopes it has all operations."""
        managing = {each for each in self.scopes if each.startswith(MANAGE)}
        if not scope:
            return bool(self.scopes - managing)
        return scope in self.scopes or (scope == MANAGE and bool(managing))


def _table(title: str) -> dict[str, Line]:
    """The rows of a table below a heading, by what they are about."""
    _, _, below = SECURITY.read_text().partition(f"### {title}\n")
    part = re.split(r"^#+ ", below, maxsplit=1, flags=re.MULTILINE)[0]
    rows = [line.split("|")[1:-1] for line in part.splitlines() if line.startswith("| ")]
    return {name.strip(): Line.read(*cells) for name, *cells in rows[2:]}


def _words(cell: str) -> frozenset[str]:
    return frozenset(re.findall(r"`([^`]+)`", cell))


READS: Final = "Who reads what"
CHANGES: Final = "Who changes what"


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Home:
    """Where the account is."""
    return Home(tmp_path_factory.mktemp("rights") / "home").migrated()


@pytest.fixture(scope="module")
def walk(home: Home) -> Iterator[Walk]:
    """The planted account with its actors."""
    with open_console(home) as console:
        yield Walk(console)


@pytest.fixture(scope="module")
def by_keys(walk: Walk, home: Home) -> list[Look]:
    """What keys got from the API."""
    return [*walk.management(), *walk.operations(home)]


@pytest.fixture(scope="module")
def by_people(walk: Walk) -> list[Look]:
    """What people got from the console."""
    return list(walk.console_pages())


def _told(looks: Iterable[Look]) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for look in looks:
        found.setdefault(look.actor, set()).update(look.told)
    return found


def _changed(looks: Iterable[Look]) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for look in looks:
        found.setdefault(look.actor, set()).update(look.changed)
    return found


def _compare(
    title: str, found: Mapping[str, set[str]], has_it: Callable[[Line, str], bool]
) -> None:
    lines = _table(title)
    wrong = {}
    for actor, has in found.items():
        listed = {name for name, line in lines.items() if has_it(line, actor)}
        if listed != has:
            wrong[actor] = {"more": sorted(has - listed), "less": sorted(listed - has)}
    assert wrong == {}


def _of_people(walk: Walk) -> Callable[[Line, str], bool]:
    return lambda line, person: line.is_for_person(walk.permissions(person))


def test_the_tables_name_every_kind_of_data_and_of_power() -> None:
    assert list(_table(READS)) == [*Data]
    assert list(_table(CHANGES)) == [*Power]


def test_every_declaration_is_reached(by_keys: list[Look], by_people: list[Look]) -> None:
    reached = {look.face for look in (*by_keys, *by_people) if look.done}
    pages = {each.name for each in DECLARED if each.reach in (Reach.ACCOUNT, Reach.INSTALLATION)}
    known = {each.operation for each in (*all_endpoints(), *declared("operations"))} | pages
    assert sorted(known - reached) == sorted(NOT_REACHED)


def test_keys_read_what_their_line_says(by_keys: list[Look]) -> None:
    _compare(READS, {"": set(), **_told(by_keys)}, Line.is_for_key)


def test_people_read_what_their_line_says(walk: Walk, by_people: list[Look]) -> None:
    _compare(READS, _told(by_people), _of_people(walk))


def test_keys_change_what_their_line_says(by_keys: list[Look]) -> None:
    _compare(CHANGES, _changed(by_keys), Line.is_for_key)


def test_people_change_what_their_line_says(walk: Walk, by_people: list[Look]) -> None:
    _compare(CHANGES, _changed(by_people), _of_people(walk))


def test_what_two_must_agree_on_nobody_changes_alone(walk: Walk) -> None:
    walk.ask_for_two()
    covered = {name for name, line in _table(CHANGES).items() if line.kinds}
    alone = {
        (power, look.face)
        for look in (
            *walk.management(actors=(MANAGE,)),
            *walk.console_pages(
                actors=(UserRole.ADMINISTRATOR, UserRole.BILLING, UserRole.OPERATOR)
            ),
        )
        for power in look.changed & covered
        if look.face not in ALONE
    }
    assert sorted(alone) == []
