"""What an account can have that pages name by an id; each is made when a test asks for it."""

from collections.abc import Callable, Mapping
from typing import Final

import sqlalchemy as sa

from gatehouse.access.roles import UserRole
from gatehouse.admin.approvals.use_cases import proposals
from gatehouse.admin.approvals.use_cases.proposed import AdjustBalance
from gatehouse.admin.configurations.use_cases.configurations import NewVersion
from gatehouse.admin.decisions.use_cases.decisions import get_decision
from gatehouse.admin.entities.types import EntityTokens, EntityType, entities_of
from gatehouse.admin.experiments import use_cases as experiments
from gatehouse.admin.experiments.types.asked import ExperimentWanted
from gatehouse.admin.jobs import use_cases as queue
from gatehouse.admin.jobs.types import JobKind, TrainingOrder
from gatehouse.admin.keys import use_cases as keys
from gatehouse.admin.keys.types import NewKey
from gatehouse.admin.lists.types import NewList
from gatehouse.admin.lists.use_cases import lists
from gatehouse.admin.lists.use_cases.lists import GivenEntries, NewEntries
from gatehouse.admin.models.use_cases import versions
from gatehouse.admin.people.types import RoleContent
from gatehouse.admin.people.use_cases import roles, saved_searches, users
from gatehouse.admin.people.use_cases.saved_searches import ToSave
from gatehouse.admin.pipelines.use_cases import pipelines
from gatehouse.admin.reports.use_cases.making import make_report_now
from gatehouse.admin.rule_sets.use_cases import rule_sets
from gatehouse.admin.webhooks.types.webhook import NewWebhook
from gatehouse.admin.webhooks.use_cases import endpoints
from gatehouse.admin.workload.types import LabelMany
from gatehouse.admin.workload.use_cases import bulk
from gatehouse.core.ids import derived_id
from gatehouse.core.stages.outcomes import Outcome
from gatehouse.core.wording.labels import Label
from gatehouse.gateway.notifying import NotifiedEvent
from gatehouse.pipeline.experiment import ExperimentKind
from gatehouse.rules.list_entries import ListKind
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.tables import EVENTS, REVIEWS
from tests.admin.alerts.kept import keep_alert
from tests.admin.recorded import Recorder
from tests.console.disputed import keep_dispute, keep_proof
from tests.console.invoiced import keep_invoice
from tests.console.paid import CAPTURED, DOUBTFUL, keep_notification, keep_payment, operation_of
from tests.console.trained import full_report, keep_model

RULES: Final = """\
rule_set: {set}
rules:
  - {{name: much, condition: order.amount > 30, outcome: REVIEW}}
  - name: {set}-rule
    condition: ip.vpn
    outcome: REVIEW
"""
PIPELINE: Final = """\
pipeline: {pipeline}
name: Quick
stages:
  - stage: Sentry
"""
NUMBERS: Final = {"own": 41, "foreign": 42}
MODELS: Final = {"own": 2, "foreign": 3}
"""How many models each has, the last one live. Versions are counted for each account, so only the
foreign one has a third.
"""


class Belongings:
    """Makes what one account has, under names that no other account uses."""

    def __init__(
        self, session: AdminSession, account_id: str, word: str, person: str | None = None
    ) -> None:
        """Searches are saved by the person, or by the user who is made here."""
        self._session = session
        self._account_id = account_id
        self._word = word
        self._person = person
        self._made: dict[str, str] = {}

    def __getitem__(self, place: str) -> str:
        """The id of a decision, a list and so on, by the name that it has in paths."""
        if place not in self._made:
            self._made[place] = _MAKERS[place](self)
        return self._made[place]

    def _id(self) -> str:
        """A decision that waits for a review."""
        shop = Recorder(self._session, self._account_id)
        request_id = shop.keep(f"{self._word}-user", decision=Outcome.REVIEW)
        row = {"account_id": self._account_id, "request_id": request_id}
        with self._session.database.writing() as connection:
            connection.execute(REVIEWS.insert(), {**row, "at_ms": 1, "state": "OPEN"})
        return request_id

    def _token(self) -> str:
        record = get_decision(self._session, self._account_id, self["id"])
        user = next(each for each in entities_of(record) if each.kind is EntityType.USER)
        return EntityTokens(self._session, self._account_id).token(user)

    def _ring(self) -> str:
        name = derived_id("ring", 1_790_000_000_000, self._word)
        Recorder(self._session, self._account_id).keep(f"{self._word}-in-a-ring", ring=name)
        return name

    def _alert(self) -> str:
        alert_id = derived_id("alr", 1_790_000_000_000, self._word)
        return keep_alert(self._session, self._account_id, alert_id)

    def _bulk(self) -> str:
        given = LabelMany(request_ids=[self["id"]], label=Label.FRAUD)
        return bulk.label_many(self._session, self._account_id, given).id or ""

    def _set(self) -> str:
        name = f"{self._word}-rules"
        new = NewVersion(RULES.format(set=name).encode())
        rule_sets.apply(self._session, self._account_id, new)
        return name

    def _rule(self) -> str:
        return f"{self['set']}-rule"

    def _pipeline(self) -> str:
        number = str(NUMBERS[self._word])
        new = NewVersion(PIPELINE.format(pipeline=number).encode())
        pipelines.apply(self._session, self._account_id, new)
        return number

    def _list(self) -> str:
        name = f"{self._word}-users"
        lists.create(self._session, self._account_id, NewList(name, ListKind.USERS, ""))
        lists.add(self._session, self._account_id, name, GivenEntries(["u-1"]), NewEntries())
        return name

    def _model(self) -> str:
        for _ in range(MODELS[self._word]):
            last = keep_model(self._session, self._account_id, full_report())
        versions.promote_model(self._session, self._account_id, str(last))
        return "1" if self._word == "own" else str(last)

    def _job(self) -> str:
        order = TrainingOrder(since_ms=0, until_ms=self._session.clock(), label_delay_ms=0)
        return queue.start_job(self._session, self._account_id, JobKind.TRAINING, order).id

    def _key(self) -> str:
        return keys.issue(self._session, self._account_id, NewKey()).issued.key_id

    def _webhook(self) -> str:
        new = NewWebhook("http://127.0.0.1:9/hooks", ["*"])
        return endpoints.create(self._session, self._account_id, new).answer.id

    def _event(self) -> str:
        _ = self["set"]  # A new rule set is told to the account.
        query = sa.select(EVENTS.c.id).where(EVENTS.c.account_id == self._account_id)
        with self._session.reading() as connection:
            return str(connection.execute(query).scalars().first())

    def _user(self) -> str:
        login = f"{self._word}-{self._account_id[-8:]}@shop.test"
        return users.invite(self._session, self._account_id, login, UserRole.ANALYST).user.user_id

    def _role(self) -> str:
        given = RoleContent(f"Role of {self._word}", [])
        return roles.make_role(self._session, self._account_id, given).answer.role_id

    def _search(self) -> str:
        made = saved_searches.save(
            self._session,
            self._account_id,
            self._person or self["user"],
            "large",
            ToSave("rule=large"),
        )
        return made.search_id

    def _dispute(self) -> str:
        return keep_dispute(self._session, self._account_id, f"{self._word}-dispute", self["id"])

    def _file(self) -> str:
        return keep_proof(self._session, self._account_id, self["dispute"])

    def _month(self) -> str:
        """The month of a report; so old a one is shown where it was made, and nowhere else."""
        name = "2020-01" if self._word == "foreign" else "2020-02"
        make_report_now(self._session, self._account_id, name)
        return name

    def _experiment(self) -> str:
        """One that is under way, of the rule set that is there and of the starter."""
        given = ExperimentWanted(
            "Strict",
            ExperimentKind.RULES,
            50,
            rule_set="starter",
            challenger_rule_set=self["set"],
        )
        return experiments.start(self._session, self._account_id, given).id

    def _invoice(self) -> str:
        return keep_invoice(self._session, self._account_id)

    def _payment(self) -> str:
        return keep_payment(self._session, self._account_id, self["id"], CAPTURED, DOUBTFUL)

    def _operation(self) -> str:
        return operation_of(self["payment"], 1)

    def _notification(self) -> str:
        told = NotifiedEvent.CAPTURED
        return keep_notification(self._session, told, reference=self["payment"], amount_minor=4000)

    def _proposal(self) -> str:
        change = AdjustBalance(1_000_000, "a wrong fee")
        return proposals.propose(self._session, self._account_id, change).proposal_id


_MAKERS: Final[Mapping[str, Callable[[Belongings], str]]] = {
    name.removeprefix("_"): make
    for name, make in vars(Belongings).items()
    if callable(make) and not name.startswith("__")
}
PLACES: Final = frozenset(_MAKERS)
