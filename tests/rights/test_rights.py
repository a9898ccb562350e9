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
from gatehouse.access.roles import COMPOSABLE, Permission, UserRole
from gatehouse.admin.approvals.use_cases.approvals import CHOICES
from gatehouse.admin.jobs.types import JobKind
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
    "top-up-create": "a provider makes the page; tests/admin/test_card_top_ups.py has one",
    "undoBulkChange": "only who made a change may undo it",
    "bulk-undo": "the same",
    "review-correct": "only what was resolved as the form says",
    "reopenReview": "only who resolved a review may undo it",
    "review-undo": "only who resolved a review may undo it",
    "proposal-withdraw": "only who proposed a change may withdraw it",
    "getExperimentResult": "running servers count it",
    "connectors-apply": "the installation's, and has no data of an account",
    "connectors-rollback": "the same",
    "sentry remember": "takes past orders; tests/admin/test_remembered_history.py has some",
    "importModel": "takes a model's file; tests/admin/test_model_files.py has some",
    "model-import": "the same",
    "installation-person-role": "only for people who are in no account",
    "playground-send": "calls a running API with a key of its own",
    "decisions-save": "saves what its address has",
    "decisions-forget": "only who saved a search may forget it",
    "decisions-share": "only who saved a search may share it",
    "role-delete": "somebody has the role",
    "decision-review": "only a decision that waits",
    "job decisions.bulk": "more than fifty decisions at once; it tells how many",
}
"""Declarations that nobody's call succeeds at, and why."""
GUARDED: Final = {
    *(Data.DECISIONS, Data.PERSONAL, Data.REVIEWED, Data.REVIEWED_PERSONS),
    *(Data.MONEY, Data.PRICES),
}
"""Of what every way is listed that leads to it."""
COUNTED: Final[Mapping[str, str]] = {
    "assignMany": "of requests whose ids are given; a search is refused",
    "labelMany": "the same",
    "resolveMany": "the same",
    "giveFeedbackInBulk": "tells whether the id of its own that a label names is known",
    "importFeedback": "the same",
    "tellOutcomes": "the same, of what a provider tells",
    "joinOutcome": "the same",
    "getUsage": "counts what was charged, by key, pipeline and tag",
    "usage": "the same, and keeps it for a minute",
    "top-ups": "the same, for how long the balance lasts",
}
"""What reads decisions for who may read none, and why nothing can be told of them by it."""
ALONE: Final[Mapping[str, str]] = {
    "endExperiment": "everything is decided as without it again",
    "experiment-end": "the same",
    "experiments end": "the same",
    "deleteStoredCard": "nothing is charged any more",
    "stored-card-delete": "the same",
    "auto-top-up delete": "the same",
    "setTopUpLimit": "a key only lowers it",
    "erasePerson": "what must go from a list leaves an entry that matches as before",
    "measureFraudRates": "measures what the advice goes by, by the rules in force",
    "authentication-measure": "the same",
    "authentication measure": "the same",
    "invoices-close": "books what was agreed for a month",
    "invoices close": "the same",
    "proposal-approve": "is the second person",
    "proposals approve": "the same",
}
"""What one person does although two must agree on such changes, and why."""


class Line(NamedTuple):
    """One row of a table: who has what it is about, each with what else it needs."""

    scopes: tuple[frozenset[str], ...]
    permissions: tuple[frozenset[str], ...]
    kinds: frozenset[str] = frozenset()

    @classmethod
    def read(cls, keys: str, people: str, kinds: str = "") -> "Line":
        """A row of which the first cell is known."""
        return cls(_needs(keys), _needs(people), _words(kinds))

    def is_for_person(self, permissions: frozenset[Permission]) -> bool:
        """Whether these permissions suffice."""
        return any(each <= permissions for each in self.permissions)

    def is_for_key(self, scope: str) -> bool:
        """Whether a key with this scope alone has it; without scopes it has all operations."""

        def has(one: str) -> bool:
            if scope in ("", MANAGE):
                return one.startswith(MANAGE) == bool(scope)
            return one == scope

        return any(all(map(has, each)) for each in self.scopes)


def _table(title: str) -> dict[str, Line]:
    """The rows of a table below a heading, by what they are about."""
    return {name.strip(): Line.read(*cells) for name, *cells in _cells(title)[2:]}


def _cells(title: str) -> list[list[str]]:
    _, _, below = SECURITY.read_text().partition(f"### {title}\n")
    part = re.split(r"^#+ ", below, maxsplit=1, flags=re.MULTILINE)[0]
    return [line.split("|")[1:-1] for line in part.splitlines() if line.startswith("| ")]


def _needs(cell: str) -> tuple[frozenset[str], ...]:
    return tuple(found for each in cell.split(",") if (found := _words(each)))


def _ways(title: str) -> Iterator[tuple[tuple[str, str], frozenset[str]]]:
    """The ways to what the rows of a table are about, by the columns of the table."""
    heads, _, *rows = _cells(title)
    for name, *cells in rows:
        for head, cell in zip(heads[1:], cells, strict=True):
            yield (name.strip(), head.strip()), _words(cell)


def _words(cell: str) -> frozenset[str]:
    return frozenset(re.findall(r"`([^`]+)`", cell))


READS: Final = "Who reads what"
CHANGES: Final = "Who changes what"
WAYS_TO_READ: Final = "By which ways it is read"
WAYS_TO_CHANGE: Final = "By which ways it is changed"


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Home:
    """Where the account is."""
    settings = {"GATEHOUSE_TOP_UP_CONNECTOR": "cards"}
    return Home(tmp_path_factory.mktemp("rights") / "home", settings=settings).migrated()


@pytest.fixture(scope="module")
def walk(home: Home) -> Iterator[Walk]:
    """The planted account with its actors."""
    with open_console(home) as console:
        walk = Walk(console)
        yield walk
        walk.close()


@pytest.fixture(scope="module")
def by_keys(walk: Walk, home: Home) -> list[Look]:
    """What keys got from the API."""
    return [*walk.management(), *walk.operations(home), *walk.jobs()]


@pytest.fixture(scope="module")
def by_people(walk: Walk) -> list[Look]:
    """What people got from the console."""
    return list(walk.console_pages())


@pytest.fixture(scope="module")
def by_commands(walk: Walk, home: Home, tmp_path_factory: pytest.TempPathFactory) -> list[Look]:
    """What operators got at a terminal."""
    return list(walk.commands(home, tmp_path_factory.mktemp("files")))


@pytest.fixture(scope="module")
def sent(walk: Walk) -> list[Look]:
    """What events tell, and who gets them."""
    return list(walk.events())


@pytest.fixture(scope="module")
def by_way(
    by_keys: list[Look], by_people: list[Look], by_commands: list[Look], sent: list[Look]
) -> Mapping[str, list[Look]]:
    """All of it by the columns of the tables of ways."""
    jobs = [each for each in by_keys if each.face.startswith("job ")]
    return {
        "Operations": [each for each in by_keys if each not in jobs],
        **{"Pages": by_people, "Commands": by_commands, "Events": sent, "Jobs": jobs},
    }


@pytest.fixture(scope="module")
def by_events(sent: list[Look]) -> list[Look]:
    """What those got who may have it, beyond what the right to ask for it leads to."""
    lines = _table(READS)
    by_people = [each.value for each in Permission]

    def beyond(look: Look) -> frozenset[Data]:
        beside = [Permission(look.beside)] if look.beside in by_people else None
        listed = {
            name
            for name, line in lines.items()
            if (
                line.is_for_key(look.beside)
                if beside is None
                else line.is_for_person(frozenset(beside))
            )
        }
        if not look.done:
            return frozenset()
        return look.told if look.actor == look.beside else look.told - listed

    return [look._replace(told=beyond(look)) for look in sent]


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
    assert not wrong, wrong


def _of_people(walk: Walk) -> Callable[[Line, str], bool]:
    return lambda line, person: line.is_for_person(walk.permissions(person))


def test_the_tables_name_every_kind_of_data_and_of_power() -> None:
    assert list(_table(READS)) == [*Data]
    assert list(_table(CHANGES)) == [*Power]
    assert {name for (name, _), _ in _ways(WAYS_TO_READ)} == GUARDED
    assert {name for (name, _), _ in _ways(WAYS_TO_CHANGE)} == {*Power}


def test_every_kind_of_approval_guards_a_row_that_says_so() -> None:
    named = {kind for line in _table(CHANGES).values() for kind in line.kinds}
    assert named == {*CHOICES}


def test_every_declaration_is_reached(
    by_keys: list[Look], by_people: list[Look], by_commands: list[Look], by_events: list[Look]
) -> None:
    looks = (*by_keys, *by_people, *by_commands, *by_events)
    reached = {look.face for look in looks if look.done}
    pages = {each.name for each in DECLARED if each.reach in (Reach.ACCOUNT, Reach.INSTALLATION)}
    known = {each.operation for each in (*all_endpoints(), *declared("operations"))} | pages
    known |= {look.face for look in looks} | {f"job {each}" for each in JobKind}
    assert sorted(known - reached) == sorted(NOT_REACHED)


def test_keys_read_what_their_line_says(by_keys: list[Look], by_events: list[Look]) -> None:
    told = [each for each in by_events if each.actor not in COMPOSABLE]
    _compare(READS, {"": set(), **_told([*by_keys, *told])}, Line.is_for_key)


def test_people_read_what_their_line_says(
    walk: Walk, by_people: list[Look], by_events: list[Look]
) -> None:
    told = [each for each in by_events if each.actor in COMPOSABLE]
    _compare(READS, _told([*by_people, *told]), _of_people(walk))


def test_decisions_are_read_for_those_who_may_read_them(
    walk: Walk, by_keys: list[Look], by_people: list[Look]
) -> None:
    """What counts over decisions, or looks for one, can tell of it without a word of it."""
    lines = _table(READS)
    of_decisions = [lines[each] for each in (Data.DECISIONS, Data.REVIEWED)]
    may = _of_people(walk)
    counted = {
        look.counted
        for looks, has_it in ((by_keys, Line.is_for_key), (by_people, may))
        for look in looks
        if look.counted and not any(has_it(line, look.actor) for line in of_decisions)
    }
    assert counted <= {*COUNTED}, sorted(counted - {*COUNTED})


@pytest.mark.parametrize("title", [WAYS_TO_READ, WAYS_TO_CHANGE])
def test_each_way_that_leads_there_is_listed(title: str, by_way: Mapping[str, list[Look]]) -> None:
    """A new one is in no list, and fails until somebody has looked at it."""
    wrong = {}
    for (name, way), listed in _ways(title):
        found = {
            look.face.rpartition(f"{way[:-1].lower()} ")[2]
            for look in by_way[way]
            if name in (look.told if title == WAYS_TO_READ else look.changed)
        }
        if found != listed:
            more, less = found - listed, listed - found
            wrong[name, way] = {"more": sorted(more), "less": sorted(less)}
    assert not wrong, wrong


def test_keys_change_what_their_line_says(by_keys: list[Look]) -> None:
    _compare(CHANGES, _changed(by_keys), Line.is_for_key)


def test_people_change_what_their_line_says(walk: Walk, by_people: list[Look]) -> None:
    _compare(CHANGES, _changed(by_people), _of_people(walk))


def test_what_two_must_agree_on_nobody_changes_alone(
    walk: Walk, home: Home, tmp_path: Path, by_way: Mapping[str, list[Look]]
) -> None:
    changing = {each.face for each in by_way["Commands"] if each.changed}
    walk.ask_for_two()
    covered = {name for name, line in _table(CHANGES).items() if line.kinds}
    alone = {
        (power, look.face)
        for look in (
            *walk.management(actors=(MANAGE,)),
            *walk.console_pages(
                actors=(UserRole.ADMINISTRATOR, UserRole.BILLING, UserRole.OPERATOR)
            ),
            *walk.commands(home, tmp_path, *changing),
        )
        for power in look.changed & covered
        if look.face not in ALONE
    }
    assert sorted(alone) == []
