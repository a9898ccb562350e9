"""Walks every declaration of the API and of the console with actors of one right each."""

import asyncio
import contextlib
import json
import re
import shlex
import shutil
import sqlite3
import threading
from collections.abc import Callable, Iterator, Mapping
from enum import StrEnum
from pathlib import Path
from typing import Any, Final, NamedTuple
from unittest import mock

import httpx
import msgspec
import sqlalchemy as sa
import typer.main
from scripts.generate_docs import walk_commands

from gatehouse.access.accounts import Caller
from gatehouse.access.actors import Actor
from gatehouse.access.keys import ApiKey, all_scopes
from gatehouse.access.roles import COMPOSABLE, ComposedRole, Permission, UserRole, with_implied
from gatehouse.admin.approvals.use_cases import approvals
from gatehouse.admin.events.use_cases.events import EventQuery, newest_events, render
from gatehouse.admin.jobs import use_cases as queue
from gatehouse.admin.people.use_cases import users
from gatehouse.admin.webhooks.types.webhook import NewWebhook
from gatehouse.admin.webhooks.use_cases.endpoints import create
from gatehouse.api.free_operations import FreeOperation
from gatehouse.api.manage.catalogue import all_endpoints
from gatehouse.api.manage.desk import read_parameters
from gatehouse.api.manage.endpoints import ManageCall, ManageEndpoint
from gatehouse.api.openapi.document import _own_type
from gatehouse.api.openapi.examples import example_request
from gatehouse.cli.app import app
from gatehouse.console.pages import Action, Declared, Reach
from gatehouse.console.routes import DECLARED
from gatehouse.core.errors import GatehouseError, NotFound, RightMissing
from gatehouse.core.events import NewEvent
from gatehouse.core.reading.request_reader import RequestReader
from gatehouse.core.subject import declared
from gatehouse.core.wording.sentences import plain
from gatehouse.pipeline.experiment import Arm, Experiment
from gatehouse.store.accounts import accounts, keys
from gatehouse.store.admin.use_case import Precondition, Tagged
from gatehouse.store.tables import JOBS, METADATA
from tests.console.harness import Browser, Console
from tests.harness import Home
from tests.harness.service import serving
from tests.rights import commanded
from tests.rights.given import BEFORE, BODIES, FILES, FORMS, PLACES, QUERIES
from tests.rights.planted import Data, Planted, run_jobs

_encode: Final = msgspec.json.Encoder(enc_hook=plain).encode
_OF_DECISIONS: Final = re.compile(r"\b(?:FROM|JOIN) (?:decisions|search_entries)\b")
_PLACE: Final = re.compile(r"(?<!\{)\{([a-z]+)\}(?!\})")


HOOKS: Final = "manage:webhooks"
EVENTS: Final = "events"


class Power(StrEnum):
    """What can be changed, as the table in SECURITY.md names it."""

    BALANCE = "the balance"
    PAYMENTS = "captures and refunds"
    CHARGES = "charges of the stored card"
    PRICES = "prices"
    RULES = "rules and experiments"
    PIPELINES = "pipelines"
    MODELS = "models"
    LISTS = "lists"
    POLICIES = "policies that decide"
    PEOPLE = "people, roles, and what two must agree on"


_OF_POWER: Final[Mapping[Power, tuple[tuple[str, tuple[str, ...], str], ...]]] = {
    Power.BALANCE: (
        ("ledger_entries", ("reference", "amount"), ""),
        ("accounts", ("credit_limit",), ""),
    ),
    Power.PAYMENTS: (("payment_operations", ("id", "kind"), ""),),
    Power.CHARGES: (
        ("auto_top_ups", ("state", "floor", "amount_minor", "monthly_limit_minor", "card_end"), ""),
    ),
    Power.PRICES: (("accounts", ("fees",), ""),),
    Power.RULES: (("configuration_heads", ("name", "version"), "rules experiment"),),
    Power.PIPELINES: (("configuration_heads", ("name", "version"), "pipeline"),),
    Power.MODELS: (("configuration_heads", ("name", "version"), "model shadow"),),
    Power.LISTS: (("list_entries", ("list", "value", "removed_at_ms"), ""),),
    Power.POLICIES: (),
    Power.PEOPLE: (("user_accounts", ("user_id",), ""), ("users", ("changes",), "")),
}
"""The columns that say what is in force."""
_POLICIES: Final[Mapping[Power, tuple[str, ...]]] = {
    Power.POLICIES: ("PreCheck", "Sentry", "SentryAuthentication"),
    Power.PEOPLE: ("roles", "approvals"),
    Power.CHARGES: ("topUps",),
}
"""Which policies of the account do."""


class _Undone(Exception):
    """What was done in a change is to be as if it was not."""


class Look(NamedTuple):
    """What one actor was told and could change at one face."""

    face: str
    actor: str
    done: bool
    told: frozenset[Data] = frozenset()
    changed: frozenset[Power] = frozenset()
    refused: str = ""
    counted: str = ""
    """What decisions were read for, if any were, whatever was told of them."""
    beside: str = ""
    """Another right that the actor had, without which nothing could be asked for."""


class Walk:
    """One account, its actors, and what each of them got."""

    def __init__(self, console: Console) -> None:
        self.console, self.session = console, console.session
        self.account_id = console.account_id
        self.planted = Planted(self.session, self.account_id)
        self.job_results: dict[str, set[Data]] = {}
        """The kinds of jobs that were run, and what their results tell."""
        self.texts: dict[str, str] = {}
        """What keys are sent as."""
        self.keys = self._keys()
        self.people = self._people()
        with self.session.reading() as connection:
            self._account = accounts.get(connection, self.account_id)
        self._reads = 0
        sa.event.listen(sa.Engine, "before_cursor_execute", self._note)
        self._before = sqlite3.connect(":memory:")
        self._keep()

    def _keys(self) -> dict[str, ApiKey]:
        found = {}
        with self.session.change() as change:
            for scopes in ((), *((each,) for each in all_scopes())):
                terms = keys.KeyTerms("walker", scopes, rate_limit_per_second=0)
                made, self.texts[" ".join(scopes)] = keys.issue(change, self.account_id, terms)
                found[" ".join(scopes)] = made
        return found

    def _people(self) -> dict[str, Browser]:
        here, login = self.account_id, "walker@shop.test"
        made = users.invite(self.session, here, login, UserRole.ANALYST, "Walker")
        known = {"user_id": made.user.user_id, "login": login}
        found = {}
        for each in COMPOSABLE:
            role = ComposedRole(
                role_id=f"role_{each}",
                name="Walker",
                permissions=with_implied(frozenset({each})),
                version=1,
            )
            found[each.value] = self.console.as_person(
                {here: role.role_id}, composed={here: role}, **known
            )
        for role_name in (UserRole.BILLING, UserRole.ADMINISTRATOR, UserRole.OPERATOR):
            found[role_name.value] = self.console.as_role(role_name, **known)
        return found

    def close(self) -> None:
        """Look no more at what is read."""
        sa.event.remove(sa.Engine, "before_cursor_execute", self._note)

    def _note(self, *said: Any) -> None:
        # Copies for figures follow decisions on a thread of their own, whoever asks meanwhile.
        if threading.current_thread().name != "columns":
            self._reads += _OF_DECISIONS.search(said[2]) is not None

    def permissions(self, person: str) -> frozenset[Permission]:
        """What a person may do in the account."""
        visitor = self.people[person].visitor
        assert visitor is not None
        return visitor.permissions_in(self.account_id)

    def _keep(self) -> None:
        self._usual = self.in_force()
        with self._file() as file:
            file.backup(self._before)

    def _back(self) -> None:
        with self._file() as file:
            self._before.backup(file)

    @contextlib.contextmanager
    def _file(self) -> Iterator[sqlite3.Connection]:
        with self.session.database.connected() as connection:
            file = connection.connection.driver_connection
            assert isinstance(file, sqlite3.Connection)
            yield file

    def ask_for_two(self) -> None:
        """From now on, whatever can be put under two pairs of eyes is."""
        approvals.set_wanted(self.session, self.account_id, approvals.CHOICES)
        self._keep()

    def in_force(self) -> dict[Power, str]:
        """What is in force, of each power."""
        found = {}
        with self.session.reading() as connection:
            policies = accounts.get(connection, self.account_id).policies
            for power, parts in _OF_POWER.items():
                rows = [repr(policies.get(name)) for name in _POLICIES.get(power, ())]
                for table, columns, kinds in parts:
                    known = METADATA.tables[table]
                    names = [each for each in columns if each in known.c]
                    query = sa.select(*(known.c[each] for each in names))
                    own = (
                        known.c["id" if table == "accounts" else "account_id"]
                        if (table == "accounts" or "account_id" in known.c)
                        else None
                    )
                    if own is not None:
                        query = query.where(own == self.account_id)
                    if kinds:
                        query = query.where(
                            sa.or_(*(known.c.kind.contains(each) for each in kinds.split()))
                        )
                    rows += sorted(map(repr, connection.execute(query)))
                found[power] = repr(rows)
        return found

    @contextlib.contextmanager
    def _watched(
        self, face: str, *, changing: bool = True
    ) -> Iterator[Callable[[], frozenset[Power]]]:
        """Around a call after which everything is as it was before; tells what it changed."""
        try:
            before = self._usual
            if face in BEFORE:
                # What is to be there before needs no second person.
                allowed = self.session.acting_as(self.session.actor.approving("another"))
                BEFORE[face](allowed, self.account_id, self.planted)
                before = self.in_force()
            yield lambda: frozenset(
                power for power, now in self.in_force().items() if now != before[power]
            )
        finally:
            if changing:
                self._back()

    def management(self, *names: str, actors: tuple[str, ...] = ()) -> Iterator[Look]:
        """What each key gets at each endpoint, in each way that it can be called."""
        for endpoint in all_endpoints():
            if names and endpoint.operation not in names:
                continue
            variants = BODIES.get(endpoint.operation, {})
            for given in variants if isinstance(variants, tuple) else (variants,):
                for scope, key in self.keys.items():
                    if actors and scope not in actors:
                        continue
                    if key.allows_operation(endpoint.scope):
                        yield self._called(endpoint, scope, key, given)

    def _called(
        self, endpoint: ManageEndpoint, scope: str, key: ApiKey, given: Mapping[str, Any]
    ) -> Look:
        path, raw = self._path(endpoint), self._body(endpoint, given)
        caller = Caller(key, self._account)
        session = self.session.acting_as(caller.actor)
        query = QUERIES.get(endpoint.operation, "")
        call = ManageCall(
            session=session,
            caller=caller,
            path=path,
            query=read_parameters(endpoint.query, query.encode()),
            body=None if endpoint.body is None else RequestReader(endpoint.body).read(raw),
            precondition=Precondition(any_version=True) if endpoint.guarded else Precondition(),
        )
        with self._watched(endpoint.operation, changing=endpoint.method != "GET") as changed:
            reads = self._reads
            by = endpoint.operation + " by a search" * (given.get("search") is not None)
            try:
                done = endpoint.run(call)
                if endpoint.waits:
                    done = asyncio.run(done)
                text = _encode(done.answer if isinstance(done, Tagged) else done).decode()
                if '"QUEUED"' in text and "jobId" in text:
                    run_jobs(self.session)
                    job_id = json.loads(text)["jobId"]
                    job = queue.show_job(session, self.account_id, job_id)
                    result = _encode(job).decode()
                    known = self.job_results.setdefault(job.kind, set())
                    known |= self.planted.found(result, raw.decode())
                    text += result
            except GatehouseError as refused:
                counted = by * (self._reads > reads)
                return Look(endpoint.operation, scope, False, refused=str(refused), counted=counted)
            told = self.planted.found(text, f"{path} {raw.decode()}")
            changes = changed() if endpoint.changes else frozenset()
            counted = by * (self._reads > reads)
            return Look(endpoint.operation, scope, True, told, changes, counted=counted)

    def operations(self, home: Home) -> list[Look]:
        """What each key gets from a running service at the operations beside management."""
        found: list[Look] = []

        async def ask() -> None:
            async with serving(home) as service:
                app = httpx.ASGITransport(service.application, client=("127.0.0.1", 1))
                async with httpx.AsyncClient(transport=app, base_url="http://test") as client:
                    for one in declared("operations"):
                        for scope, key in self.keys.items():
                            if key.allows_operation(one.scope):
                                found.append(await self._asked(client, one, scope))
                    # By chance otherwise: the challenger names its rule set in answers.
                    with mock.patch.object(Experiment, "arm_of", return_value=Arm.CHALLENGER):
                        for path, item in self._paid():
                            for scope, key in self.keys.items():
                                if key.allows_operation(path.rpartition("/")[2]):
                                    found.append(await self._paid_for(client, path, item, scope))

        asyncio.run(ask())
        self._back()
        return found

    @staticmethod
    def _paid() -> list[tuple[str, Any]]:
        """The operations that cost something, as they are described."""
        from tests.web.test_openapi import DOCUMENT, OPERATIONS

        paths = [f"/api/v1/{each.name}" for each in OPERATIONS]
        return [(path, DOCUMENT["paths"][path]["post"]) for path in paths]

    async def _paid_for(self, client: httpx.AsyncClient, path: str, item: Any, scope: str) -> Look:
        body = item["requestBody"]["content"]["application/json"]["example"]
        answer = await client.post(path, json=body, headers={"X-API-KEY": self.texts[scope]})
        told = self.planted.found(answer.text, str(body))
        return Look(item["operationId"], scope, answer.status_code == 200, told)

    async def _asked(self, client: httpx.AsyncClient, one: FreeOperation, scope: str) -> Look:
        request_id = "{id}" if "/reviews/" in one.path else "{disputed}"
        path = self._filled(one.path.replace("{request_id}", request_id).replace("_id", ""))
        given = BODIES.get(one.operation, {})
        assert not isinstance(given, tuple), "one way to call it"
        body = self._filled_in(dict(given))
        answer = await client.request(
            one.method,
            path + QUERIES.get(one.operation, ""),
            json=None if one.body is None else body,
            headers={"X-API-KEY": self.texts[scope]},
        )
        told = self.planted.found(answer.text, f"{path} {body}")
        done = answer.status_code == 200 and answer.json()["isSuccess"]
        return Look(one.operation, scope, done, told, refused="" if done else answer.text)

    def _path(self, endpoint: ManageEndpoint) -> dict[str, str]:
        found = {}
        for name in endpoint.path_about:
            more = (f"{endpoint.operation} {name}", f"{endpoint.path.split('/')[1]} {name}", name)
            found[name] = self.planted[next(PLACES[each] for each in more if each in PLACES)]
        return found

    def _body(self, endpoint: ManageEndpoint, given: Mapping[str, Any]) -> bytes:
        if endpoint.body is None:
            return b""
        _, schemas = msgspec.json.schema_components(
            [endpoint.body], ref_template="#/x/{name}", schema_hook=_own_type
        )
        example = example_request(schemas[endpoint.body.__name__], schemas)
        sent = {**example, **endpoint.body_example, **given}
        kept = {name: value for name, value in sent.items() if value is not None}
        return json.dumps(self._filled_in(kept)).encode()

    def _filled_in(self, given: Any) -> Any:
        """A value with ids in the place of their names."""
        if isinstance(given, dict):
            return {name: self._filled_in(value) for name, value in given.items()}
        if isinstance(given, list):
            return [self._filled_in(value) for value in given]
        return self._filled(given) if isinstance(given, str) else given

    def _filled(self, text: str) -> str:
        """A text with ids in the place of their names."""
        fixed = {"account": self.account_id, "one": self.account_id, "kind": "user", "version": "1"}
        fixed["login"] = "mark-login@shop.test"
        own = self.planted
        filled = _PLACE.sub(lambda match: fixed.get(match[1]) or own[match[1]], text)
        return filled.replace("{{", "{").replace("}}", "}")

    def events(self) -> Iterator[Look]:
        """What who manages webhooks, or reads events, is told with one right more."""
        of_type = {kind: self._rendered(event) for kind, event in self.planted.events.items()}
        got: dict[tuple[str, str], set[str]] = {}
        for scope in all_scopes():
            for beside, ask in ((HOOKS, self._subscribed), (EVENTS, self._read)):
                actor = Actor.key("walker", self.account_id, scopes=(beside, scope))
                got[beside, scope] = ask(actor)
        # Without scopes, a key has all operations.
        got[EVENTS, ""] = self._read(Caller(self.keys[""], self._account).actor)
        for each in COMPOSABLE:
            may = with_implied(frozenset({each, Permission.ACCESS}))
            actor = Actor.user("walker@shop.test", self.account_id, may=may)
            got[Permission.ACCESS, each] = self._subscribed(actor)
        for (beside, actor_name), types in got.items():
            for kind, told in of_type.items():
                yield Look(f"event {kind}", actor_name, kind in types, told, beside=beside)

    def _rendered(self, event: NewEvent) -> frozenset[Data]:
        with self.session.reading() as connection:
            told = render(self.session, connection, self.account_id, [event])
        return self.planted.found(_encode(told).decode())

    def _subscribed(self, actor: Actor) -> set[str]:
        """The types that an actor can have sent to an address of its own."""
        found = set()
        acting = self.session.acting_as(actor)
        with contextlib.suppress(_Undone), acting.account_change(self.account_id) as change:
            for kind in self.planted.events:
                new = NewWebhook("http://127.0.0.1:9/other", [kind])
                with contextlib.suppress(RightMissing, _Undone), change.connection.begin_nested():
                    create.function(change, self.account_id, new)
                    found.add(kind)
                    raise _Undone
            raise _Undone
        return found

    def _read(self, actor: Actor) -> set[str]:
        """The types of which an actor gets events from the API."""
        acting = self.session.acting_as(actor)
        page = newest_events(acting, self.account_id, EventQuery())
        return {each.type for each in page.events}

    def jobs(self) -> Iterator[Look]:
        """What each key is shown of a job of each kind that the walk has seen the result of."""
        for kind, told in self.job_results.items():
            with self.session.writing() as connection:
                this = JOBS.update().where(JOBS.c.id == self.planted["job"])
                connection.execute(this.values(kind=kind))
            for scope, key in self.keys.items():
                acting = self.session.acting_as(Caller(key, self._account).actor)
                done = True
                try:
                    queue.show_job(acting, self.account_id, self.planted["job"])
                except NotFound:
                    done = False
                yield Look(f"job {kind}", scope, done, frozenset(told) if done else frozenset())
        self._back()

    def commands(self, home: Home, folder: Path, *names: str) -> Iterator[Look]:
        """What each command prints and writes, called by an operator at a terminal."""
        for name, text in commanded.FILES.items():
            (folder / name).write_text(text)
        root = typer.main.get_command(app)
        for path, command in walk_commands(root, ()):
            name = " ".join(path)
            if name in commanded.NOT_RUN or (names and name not in names):
                continue
            yield self._commanded(home, folder, name, command)

    def _commanded(self, home: Home, folder: Path, name: str, command: Any) -> Look:
        out = folder / "out"
        out.mkdir()
        given = commanded.GIVEN.get(name, "")
        given = given.replace("{dir}", str(folder)).replace("{out}", str(out))
        words = [*name.split(), *shlex.split(self._filled(given))]
        takes = {option for one in command.params for option in one.opts}
        if "--account" in takes:
            words += ["--account", self.account_id]
        with self._watched(name) as changed:
            done = home.run(*words)
            told = done.out + "".join(
                each.read_text(errors="replace") for each in out.rglob("*") if each.is_file()
            )
            changes = changed()
        shutil.rmtree(out)
        found = self.planted.found(told, " ".join(words))
        return Look(name, "operator", done.code in (0, 1), found, changes, done.out + done.err)

    def console_pages(self, *names: str, actors: tuple[str, ...] = ()) -> Iterator[Look]:
        """What each person gets at each page and action."""
        for page in DECLARED:
            if page.reach not in (Reach.ACCOUNT, Reach.INSTALLATION):
                continue
            if names and page.name not in names:
                continue
            for person, browser in self.people.items():
                if actors and (person not in actors or not isinstance(page, Action)):
                    continue
                if page.is_for(self.permissions(person)):
                    yield self._opened(page, person, browser)

    def _opened(self, page: Declared, person: str, browser: Browser) -> Look:
        path = page.path.replace("/models/{version}", "/models/{model}")
        path = self._filled(path.replace("/decisions/{id}", "/decisions/{disputed}"))
        if page.name in ("payment-void", "payment-capture"):
            path = path.replace(self.planted["payment"], self.planted["whole"])
        reads = self._reads
        if not isinstance(page, Action):
            answer = browser.get(path + QUERIES.get(page.name, ""))
            told = self.planted.found(answer.text, path)
            done = answer.status_code == 200
            counted, refused = page.name * (self._reads > reads), str(answer.status_code)
            return Look(page.name, person, done, told, refused=refused, counted=counted)
        form = self._filled_in(dict(FORMS.get(page.name, {})))
        with self._watched(page.name) as changed:
            answer = browser.post(path, form, files=FILES.get(page.name))
            told = self.planted.found(answer.text, f"{path} {form}")
            done = answer.status_code in (200, 303)
            refused = "" if done else f"{answer.status_code} {answer.text[-1500:]}"
            changes = changed() if done else frozenset()
            counted = page.name * (self._reads > reads)
            return Look(page.name, person, done, told, changes, refused, counted=counted)
