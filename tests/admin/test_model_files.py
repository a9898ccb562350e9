"""A model goes out as one signed file, and comes in as a version that nothing uses yet."""

from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

from gatehouse.access.actors import Actor
from gatehouse.admin.models.types import ModelImport
from gatehouse.admin.models.use_cases import model_files, versions
from gatehouse.core.errors import Conflict, InvalidInput, NotFound
from gatehouse.sentry.features.catalogue import BY_CODE
from gatehouse.sentry.scorecard import Scorecard, load_sheet
from gatehouse.store.admin import audit
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.training.model_file import MOST_BYTES
from tests.admin.test_models import store
from tests.harness import Home, make_account
from tests.training.material import merchant


@pytest.fixture
def session(sqlite_home: Home) -> Iterator[AdminSession]:
    with sqlite_home.session(Actor.system("someone")) as opened:
        yield opened


@pytest.fixture
def exported(session: AdminSession, account_id: str) -> str:
    terms = [
        msgspec.structs.replace(term, effects=tuple(each / 3 for each in term.effects))
        for term in load_sheet().terms
    ]
    sheet = msgspec.structs.replace(load_sheet(), terms=tuple(terms))
    store(session, account_id, sheet)
    return model_files.export_model(session, account_id, "1").file


@pytest.fixture
def account_id(session: AdminSession) -> str:
    return make_account(session)


def _changed(text: str, **fields: Any) -> str:
    return msgspec.json.encode(msgspec.json.decode(text) | fields).decode()


def _scorecard(session: AdminSession, account_id: str, version: int) -> Scorecard:
    stored = versions.get_model(session, account_id, version).stored
    assert stored is not None
    return versions.usable_scorecard(stored)


def test_a_file_of_ones_own_comes_back_with_the_same_scores_and_is_not_in_force(
    session: AdminSession, account_id: str, exported: str
) -> None:
    done = model_files.import_model(session, account_id, ModelImport(exported))
    assert (done.version, done.own) == (2, True)
    entries = versions.list_models(session, account_id)
    assert [each.live for each in entries] == [False, False, True]
    before, after = (_scorecard(session, account_id, version) for version in (1, 2))
    shipped = Scorecard(load_sheet(), BY_CODE.keys())
    scores = [[card.score(dict(each)) for each, _ in merchant(200)] for card in (before, after)]
    assert scores[0] == scores[1] != [shipped.score(dict(each)) for each, _ in merchant(200)]
    report = entries[0].report
    assert report is not None
    assert "out of a file that this account exported" in report.warnings[0]
    with session.reading() as connection:
        line = audit.read(connection, account_id, 1)[0]
    assert line.action == "model.import"
    assert line.details["source"] == "own file"


def test_a_file_that_was_changed_since_is_refused_even_with_trust(
    session: AdminSession, account_id: str, exported: str
) -> None:
    for fields in ({"note": "better"}, {"madeAt": "2020-01-01"}, {"signature": None}):
        for trust in (False, True):
            given = ModelImport(_changed(exported, **fields), trust)
            with pytest.raises(Conflict, match="not as it was then"):
                model_files.import_model(session, account_id, given)
    assert len(versions.list_models(session, account_id)) == 2


def test_a_file_of_somebody_else_is_taken_only_when_trusted_and_says_so(
    session: AdminSession, account_id: str, exported: str
) -> None:
    other = make_account(session, "Other")
    with pytest.raises(Conflict, match="was not exported by this account"):
        model_files.import_model(session, other, ModelImport(exported))
    strange = msgspec.json.decode(exported)
    strange["card"] |= {"method": "\x1b[31mbest", "warnings": ["of 4111111111111111"]}
    text = msgspec.json.encode(strange | {"maker": None, "signature": None}).decode()
    done = model_files.import_model(session, other, ModelImport(text, trust=True))
    assert (done.version, done.own) == (1, False)
    report = versions.get_model(session, other, 1).report
    assert report is not None
    assert "made elsewhere" in report.warnings[0]
    assert str(session.actor) in report.warnings[0]
    assert "4111111111111111" not in report.warnings[1]
    assert report.method.isprintable()


@pytest.mark.parametrize(
    "text",
    ["", "{}", "[" * 100_000, '{"format":"gatehouse-model-2"}', "x" * (MOST_BYTES + 1)],
)
def test_what_is_no_model_file_is_refused(
    session: AdminSession, account_id: str, text: str
) -> None:
    with pytest.raises(InvalidInput):
        model_files.import_model(session, account_id, ModelImport(text, trust=True))


@pytest.mark.parametrize(
    ("place", "wrong"),
    [
        (("scorecard", "term", 0, "cuts"), [3.0, 1.0]),
        (("scorecard", "term", 0, "effects", 0), 1e308),
        # With these its page, or that of all models, could not be shown.
        (("card", "since"), "yesterday"),
        (("card", "holdout", "until"), ""),
        (("card", "figures", "candidate", "auc"), -1),
        (("card", "records"), 2**64),
        (("card", "holdoutFraud"), [{"currency": "USD", "amount": 5}]),
        (("card", "terms", 0, "shares"), [0.5]),
    ],
)
def test_a_model_that_cannot_be_used_is_not_kept(
    session: AdminSession, account_id: str, exported: str, place: tuple[Any, ...], wrong: object
) -> None:
    *path, last = place
    file = inner = msgspec.json.decode(exported) | {"maker": None}
    for name in path:
        inner = inner[name]
    inner[last] = wrong
    with pytest.raises(InvalidInput, match="no model file"):
        model_files.import_model(
            session, account_id, ModelImport(msgspec.json.encode(file).decode(), trust=True)
        )
    assert len(versions.list_models(session, account_id)) == 2


def test_another_account_s_models_neither_go_out_nor_come_in(
    session: AdminSession, account_id: str, exported: str
) -> None:
    stranger = session.acting_as(Actor.key("key_1", make_account(session, "Other")))
    with pytest.raises(NotFound):
        model_files.export_model(stranger, account_id, "1")
    with pytest.raises(NotFound):
        model_files.import_model(stranger, account_id, ModelImport(exported))
    with pytest.raises(Conflict, match="no report"):
        model_files.export_model(session, account_id, "0")
