"""Models in the console: compared with intervals, trained and watched, promoted, rolled back."""

import json
import os
import re
from typing import Any, cast

import msgspec
import pytest

from gatehouse.access.roles import UserRole
from gatehouse.admin.accounts.types import CostsBody
from gatehouse.admin.accounts.use_cases import costs, policies
from gatehouse.admin.approvals.use_cases import approvals, proposals
from gatehouse.admin.drift import queries as drift
from gatehouse.admin.drift.types.comparing import DriftJudgement, DriftKind
from gatehouse.admin.jobs import use_cases as queue
from gatehouse.admin.jobs.types import ErasureOrder, JobKind, ModelTrialOrder
from gatehouse.admin.model_trials.types import TrialOfModel
from gatehouse.admin.model_trials.use_cases import shadows, trials
from gatehouse.admin.models.use_cases import versions
from gatehouse.core.errors import ApprovalNeeded
from gatehouse.core.ids import new_id
from gatehouse.core.job_state import JobState
from gatehouse.core.wording.notes import as_note
from gatehouse.core.wording.sentences import Phrase
from gatehouse.decisions.record import RecordedStage
from gatehouse.sentry.scorecard import encode_sheet, load_sheet
from gatehouse.store import jobs
from gatehouse.store.configured import models
from gatehouse.training.report import audit_phrases, phrases
from gatehouse.training.report.audit import AuditCheck, AuditFinding, AuditLevel, LabelAudit
from gatehouse.training.report.report import (
    ModelComparison,
    OrderValue,
    ScoreMeaning,
    ThresholdInUse,
    ThresholdMeaning,
)
from gatehouse.training.report.trial import ModelTrial, ThresholdTrial, TrialShift
from tests.admin.recorded import Recorder
from tests.console.harness import Browser, Console
from tests.console.trained import full_report, keep_model
from tests.harness import make_account
from tests.training.material import figures as case_figures
from tests.training.material import report


@pytest.fixture
def shop(console: Console) -> str:
    """An account with two models, of which none is live."""
    account_id = make_account(console.session, "Model Shop")
    keep_model(console.session, account_id, full_report(), "<script>alert(1)</script>")
    keep_model(console.session, account_id, full_report(), "the second")
    return account_id


@pytest.fixture
def manager(console: Console, shop: str) -> Browser:
    return console.as_role(UserRole.MANAGER, shop)


def _live(console: Console, shop: str) -> int:
    return versions.get_model(console.session, shop).version


def test_versions_are_listed_with_figures_and_intervals(shop: str, manager: Browser) -> None:
    page = manager.get(f"/a/{shop}/models").text
    assert "Model 2" in page
    assert "Shipped scorecard" in page
    assert "0.848 to 0.952" in page
    assert "&lt;script&gt;" in page
    assert "<script>alert" not in page


def test_a_report_shows_curves_and_thresholds_with_money(shop: str, manager: Browser) -> None:
    page = manager.get(f"/a/{shop}/models/1").text
    assert "better than the one in force then (prior-2)" in page
    assert "0.0004" in page
    assert "$1,234.50" in page
    for title in ("Calibration", "Precision and recall", "Confidence", "Thresholds and money"):
        assert f"<title>{title}</title>" in page
    assert "37.7% to 62.3%" in page


def test_a_report_shows_scores_of_single_outcomes_or_why_there_are_none(
    console: Console, shop: str
) -> None:
    page = console.as_role(UserRole.MANAGER, shop).get(f"/a/{shop}/models/1").text
    assert "Scores of single outcomes" in page
    assert "Fraud dispute" in page
    assert "the confidence: 0.81" in page
    assert "12 requests had this outcome, and 50 are needed for a score of its own" in page
    german = console.as_role(UserRole.MANAGER, shop, locale="de")
    assert "12 Anfragen sind so ausgegangen" in german.get(f"/a/{shop}/models/1").text


def test_a_report_shows_what_thresholds_cost_and_what_those_in_use_mean(
    console: Console, shop: str
) -> None:
    costs.set_costs(console.session, shop, CostsBody("USD", 0.25, chargeback_fee=20))
    made = full_report()
    rows = [
        msgspec.structs.replace(each, frauds_stopped=(place + 1,))
        for place, each in enumerate(made.candidate.thresholds)
    ]
    used = ThresholdInUse("rule", "starter", "sentry-low", 0.4)
    found = (ThresholdMeaning(used, 0.0213, 0.3, 0.0217, 3, 99),)
    made = msgspec.structs.replace(
        made,
        candidate=msgspec.structs.replace(made.candidate, thresholds=tuple(rows)),
        holdout_fraud=(OrderValue("USD", msgspec.Raw(b"2000")),),
        holdout_frauds=(2,),
        meaning=ScoreMeaning("prior-3", 1000, 3, 99, found),
    )
    version = keep_model(console.session, shop, made)
    manager = console.as_role(UserRole.MANAGER, shop)
    page = manager.get(f"/a/{shop}/models/{version}").text
    # 765.50 and a fee of 20 for the fraud that the first lets through, and 25 % of 12.50.
    assert "$788.63" in page
    assert "Cheapest for" in page
    assert "Thresholds in use" in page
    assert "sentry-low" in page
    assert "2.13%" in page
    manager.post(f"/a/{shop}/models/{version}/promote", {"raw_scores": "yes"})
    with console.session.reading() as connection:
        assert policies.sentry_policy(connection, shop).raw_scores


def test_what_was_not_measured_has_dashes_and_no_charts(console: Console, shop: str) -> None:
    bare = report(training=None, figures=ModelComparison(None, None))
    bare = msgspec.structs.replace(bare, current=type(bare.current)())
    version = keep_model(console.session, shop, bare)
    page = console.as_role(UserRole.VIEWER, shop).get(f"/a/{shop}/models/{version}")
    assert page.status_code == 200
    assert "could not be measured" in page.text
    assert "<title>Calibration</title>" not in page.text


def test_the_shape_of_each_feature_can_be_seen(shop: str, manager: Browser) -> None:
    page = manager.get(f"/a/{shop}/models/1/features?signal=PACE").text
    assert "1 to 5" in page
    assert "50 and more" in page
    assert "1 signal as shipped" in page
    shipped = manager.get(f"/a/{shop}/models/0/features?signal=IP_TOR_EXIT").text
    assert "an exit of the Tor network" in shipped


def test_a_report_of_a_newer_version_leaves_the_rest_of_its_model_to_be_seen(
    console: Console, shop: str
) -> None:
    with console.session.change() as change:
        sheet = encode_sheet(load_sheet())
        version = models.keep(change, shop, lambda _: '{"later": 1}', lambda _: sheet)
    viewer = console.as_role(UserRole.VIEWER, shop)
    assert "this one cannot read it" in viewer.get(f"/a/{shop}/models/{version}").text
    assert "IP_TOR_EXIT" in viewer.get(f"/a/{shop}/models/{version}/features").text
    assert viewer.get(f"/a/{shop}/models").status_code == 200


def test_german_writes_figures_as_germans_do(console: Console, shop: str) -> None:
    german = console.as_role(UserRole.VIEWER, shop, locale="de")
    page = german.get(f"/a/{shop}/models/1").text
    assert "0,848 bis 0,952" in page
    assert "Schwellen und Geld" in page
    assert "\N{MINUS SIGN}0,7" in german.get(f"/a/{shop}/models/1/features?signal=IP_VPN").text


def test_a_model_is_promoted_and_rolled_back(console: Console, shop: str, manager: Browser) -> None:
    assert manager.post(f"/a/{shop}/models/2/promote").status_code == 303
    assert "Model 2 is live now." in manager.get(f"/a/{shop}/models").text
    again = manager.post(f"/a/{shop}/models/2/promote")
    assert again.status_code == 409
    assert "live already" in again.text
    manager.post(f"/a/{shop}/models/roll-back", {"to": "0"})
    assert "The shipped scorecard is live again." in manager.get(f"/a/{shop}/models").text
    assert _live(console, shop) == 0
    nothing = manager.post(f"/a/{shop}/models/roll-back", {"to": "1"})
    assert nothing.status_code == 409


def test_the_page_of_the_live_model_leads_back(
    console: Console, shop: str, manager: Browser
) -> None:
    manager.post(f"/a/{shop}/models/2/promote")
    page = manager.get(f"/a/{shop}/models/2").text
    assert re.findall(r'<option value="(\d+)"', page) == ["1", "0"]
    manager.post(f"/a/{shop}/models/1/promote")
    assert "Back to the model before" in manager.get(f"/a/{shop}/models/1").text
    assert manager.post(f"/a/{shop}/models/roll-back", {"to": ""}).status_code == 303
    assert _live(console, shop) == 2
    assert f'<a href="/a/{shop}/models">Models</a>' in page
    manager.post(f"/a/{shop}/models/roll-back", {"to": "0"})
    assert "/roll-back" not in manager.get(f"/a/{shop}/models/0").text
    viewer = console.as_role(UserRole.VIEWER, shop)
    assert "/roll-back" not in viewer.get(f"/a/{shop}/models/2").text


def test_with_two_pairs_of_eyes_promoting_proposes(
    console: Console, shop: str, manager: Browser
) -> None:
    approvals.set_wanted(console.session, shop, ["models"])
    assert "Propose to promote" in manager.get(f"/a/{shop}/models/2").text
    manager.post(f"/a/{shop}/models/2/promote")
    manager.post(f"/a/{shop}/models/2/promote")
    assert "A change waits for another person." in manager.get(f"/a/{shop}/models").text
    [made] = proposals.listing(console.session, shop)
    path = f"/a/{shop}/proposals/{made.proposal_id}"
    assert f"{path}/withdraw" in manager.get(f"/a/{shop}/proposals").text
    assert _live(console, shop) == 0
    assert manager.post(f"{path}/approve").status_code == 409
    finance = console.as_role(UserRole.FINANCE, shop)
    assert finance.post(f"{path}/approve").status_code == 403
    other = console.as_role(UserRole.ADMINISTRATOR, shop)
    assert f"{path}/approve" in other.get(f"/a/{shop}/proposals").text
    assert other.post(f"{path}/approve").status_code == 303
    assert _live(console, shop) == 2
    assert "waits for another person" not in manager.get(f"/a/{shop}/models").text


TRAINING = {"days": "90", "delay": "14", "holdout": "30", "method": "logistic", "note": "weekly"}


def test_a_training_is_started_watched_and_canceled(
    console: Console, shop: str, manager: Browser
) -> None:
    started = manager.post(f"/a/{shop}/models/train", TRAINING)
    [job] = queue.list_jobs(console.session, shop, (JobKind.TRAINING,))
    path = f"/a/{shop}/models/training/{job.id}"
    assert started.headers["location"] == path
    order = json.loads(job.parameters)
    assert (order["label_delay_ms"], order["holdout"]) == (14 * 86_400_000, 0.3)
    assert (order["presume"], order["method"]) == (False, "logistic")
    part = manager.get(path, fragment=True).text
    assert 'hx-trigger="every 2s"' in part
    assert "<html" not in part
    assert "Start training" not in manager.get(f"/a/{shop}/models").text
    manager.post(f"{path}/cancel")
    ended = manager.get(path, fragment=True).text
    assert "Canceled" in ended
    assert "hx-trigger" not in ended


@pytest.mark.parametrize(
    ("past_days", "days", "delay"),
    [(None, "180", 30), (0, "30", 0), (30, "90", 3), (150, "180", 15), (800, "180", 30)],
)
def test_what_the_form_of_a_training_proposes_fits_the_past(
    console: Console, past_days: int | None, days: str, delay: int
) -> None:
    account_id = make_account(console.session)
    if past_days is not None:
        Recorder(console.session, account_id, days_ago=past_days + 0.1).keep()
    page = console.as_role(UserRole.MANAGER, account_id).get(f"/a/{account_id}/models").text
    assert f'<option value="{days}" selected>' in page
    assert re.search(rf'name="delay" type="text" value="{delay}"', page)
    said = "less than the usual 30 days are proposed" in page
    assert said == (delay < 30)


FOUND = LabelAudit(
    4000,
    120,
    (
        AuditFinding(
            AuditCheck.SINGLE_FEATURE,
            AuditLevel.WARNING,
            audit_phrases.SINGLE_FEATURE(signal="amount", area=0.971),
            {"signal": "amount", "area": 0.971},
        ),
        AuditFinding(AuditCheck.AFTERWARDS, AuditLevel.OK, audit_phrases.NOT_AFTERWARDS()),
    ),
)


def test_labels_are_audited_and_what_was_found_is_shown(
    console: Console, shop: str, manager: Browser
) -> None:
    assert "Audit the labels" in manager.get(f"/a/{shop}/models").text
    started = manager.post(f"/a/{shop}/models/audit", TRAINING)
    [job] = queue.list_jobs(console.session, shop, (JobKind.LABEL_AUDIT,))
    path = f"/a/{shop}/models/training/{job.id}"
    assert started.headers["location"] == path
    order = json.loads(job.parameters)
    assert (order["label_delay_ms"], order["holdout"]) == (14 * 86_400_000, 0.3)
    result = msgspec.json.encode(FOUND, enc_hook=as_note).decode()
    with console.session.database.writing() as connection:
        claimed = jobs.claim(connection, "a server", console.session.clock())
    assert claimed is not None
    with console.session.change() as change:
        jobs.finish(change, claimed, "a server", JobState.SUCCEEDED, result=result)
    page = manager.get(path).text
    assert "amount alone tells fraud from honest requests" in page
    assert "0.971" in page
    assert "Warning" in page
    # Programs get the same in English.
    told = queue.shown_job(queue.get_job(console.session, shop, job.id)).result
    assert told is not None
    assert told["findings"][0]["said"].startswith("amount alone tells fraud")
    assert manager.post(f"/a/{shop}/models/audit", {**TRAINING, "days": "7"}).status_code == 422


def test_the_report_of_a_model_shows_the_audit_of_its_labels(
    console: Console, shop: str, manager: Browser
) -> None:
    version = keep_model(console.session, shop, msgspec.structs.replace(full_report(), audit=FOUND))
    page = manager.get(f"/a/{shop}/models/{version}").text
    assert "One signal alone" in page
    assert "no signal is measured with one label alone" in page
    assert "Audit of the labels" not in manager.get(f"/a/{shop}/models/1").text
    reader = console.as_role(UserRole.VIEWER, shop, locale="de")
    german = reader.get(f"/a/{shop}/models/{version}").text
    assert "amount allein unterscheidet Betrug von ehrlichen Anfragen" in german
    assert "Fläche unter der Kurve von 0,971" in german


def test_why_a_training_failed_is_said_without_options_of_commands() -> None:
    said = [each.english for each in vars(phrases).values() if isinstance(each, Phrase)]
    assert not [each for each in said if " --" in each and "pip install" not in each]
    assert not [each for each in said if "gatehouse " in each]


def test_a_training_is_the_work_of_the_person_who_asked(
    console: Console, shop: str, manager: Browser
) -> None:
    manager.post(f"/a/{shop}/models/train", TRAINING)
    [job] = queue.list_jobs(console.session, shop, (JobKind.TRAINING,))
    assert manager.visitor is not None
    assert job.actor == f"user:{manager.visitor.login}"


def test_other_jobs_can_neither_be_seen_nor_canceled_here(
    console: Console, shop: str, manager: Browser
) -> None:
    order = ErasureOrder(dry_run=True)
    job = queue.start_job(console.session, shop, JobKind.ERASURE, order, b"{}")
    path = f"/a/{shop}/models/training/{job.id}"
    assert manager.get(path).status_code == 404
    assert manager.post(f"{path}/cancel").status_code == 404
    assert not queue.get_job(console.session, shop, job.id).canceled


@pytest.mark.parametrize(
    "wrong", [{"days": "7"}, {"delay": "-1"}, {"delay": "00001999"}, {"holdout": "99"}]
)
def test_a_training_that_makes_no_sense_is_refused_beside_its_field(
    shop: str, manager: Browser, wrong: dict[str, str]
) -> None:
    answer = manager.post(f"/a/{shop}/models/train", {**TRAINING, **wrong})
    assert answer.status_code == 422
    assert f"{next(iter(wrong))}-problem" in answer.text


def test_analysts_look_and_change_nothing(console: Console, shop: str) -> None:
    analyst = console.as_role(UserRole.ANALYST, shop)
    page = analyst.get(f"/a/{shop}/models")
    assert page.status_code == 200
    assert "Start training" not in page.text
    assert "/promote" not in analyst.get(f"/a/{shop}/models/2").text
    assert analyst.post(f"/a/{shop}/models/2/promote").status_code == 403
    assert analyst.post(f"/a/{shop}/models/train", TRAINING).status_code == 403
    assert analyst.get(f"/a/{shop}/models/99").status_code == 404
    assert analyst.get(f"/a/{shop}/models/x").status_code == 404


def test_what_is_not_as_usual_is_listed_above_the_models(
    console: Console, shop: str, manager: Browser
) -> None:
    assert "Not as usual" not in manager.get(f"/a/{shop}/models").text
    found = [
        DriftJudgement(DriftKind.SIGNAL, "ip.country", 0.412, 0.011, 5200, True, False),
        DriftJudgement(DriftKind.RULE, "shop/abroad", 0.2, 0.02, 5200, True, False),
    ]
    with console.session.database.writing() as connection:
        drift.begin(connection, shop, found, console.session.clock())
    page = manager.get(f"/a/{shop}/models").text
    assert "Not as usual" in page
    assert "the values of ip.country are not those of the same hours" in page
    assert "matches 20.00% of the requests, where 2.00% is usual" in page
    overview = manager.get(f"/a/{shop}/").text
    assert "shop/abroad and more is not as usual: 2 in all." in overview
    assert f'href="/a/{shop}/models"' in overview
    german = console.as_role(UserRole.VIEWER, shop, locale="de").get(f"/a/{shop}/models").text
    assert "Nicht wie üblich" in german
    assert "Stabilitätsindex 0,41" in german


def _tried(console: Console, shop: str, version: int) -> None:
    """Keep what a trial found, as the server that ran it would."""
    shift = TrialShift(7, 4, 2)
    used = ThresholdInUse("rule", "starter", "sentry-low", 0.4)
    figures = ModelComparison(case_figures(0.7, 0.2), case_figures(0.9, 0.6))
    rows = (ThresholdTrial(used, 0.02, 0.3, shift, TrialShift(1, 0, 0), 0.1234, 0.2345),)
    found = ModelTrial(900, 60, 9, 0.75, shift, shift, figures, rows, version)
    order = ModelTrialOrder(version, 0, console.session.clock())
    wanted = queue.start_job(console.session, shop, JobKind.MODEL_TRIAL, order).id
    job = None
    # Jobs of other tests may wait, too.
    while job is None or job.id != wanted:
        with console.session.database.writing() as connection:
            job = jobs.claim(connection, "a server", console.session.clock())
        assert job is not None
    with console.session.change() as change:
        result = msgspec.json.encode(found).decode()
        jobs.finish(change, job, "a server", JobState.SUCCEEDED, result=result)


def test_a_promotion_says_what_it_changes_and_asks_twice_for_what_is_not_better(
    console: Console, shop: str, manager: Browser
) -> None:
    page = f"/a/{shop}/models/2/promotion"
    assert "Not compared yet" in manager.get(page).text
    assert manager.post(f"/a/{shop}/models/0/trials").status_code == 409
    assert manager.post(f"/a/{shop}/models/2/trials").headers["location"] == page
    assert 'hx-trigger="every 2s"' in manager.get(page, fragment=True).text
    analyst = console.as_role(UserRole.ANALYST, shop)
    assert "/promote" not in analyst.get(page).text
    assert analyst.post(f"/a/{shop}/models/2/trials").status_code == 403
    [waiting] = queue.list_jobs(console.session, shop, (JobKind.MODEL_TRIAL,))
    queue.cancel_job(console.session, shop, waiting.id)
    _tried(console, shop, 2)
    seen = manager.get(page).text
    assert "900 requests scored by both, 60 labelled, 9 of them fraud." in seen
    assert "7 (4 fraud, 2 legitimate)" in seen
    assert "0.1234" in seen
    assert "not better than the model in force" in seen
    refused = manager.post(f"/a/{shop}/models/2/promote", {"note": "I like it"})
    assert refused.status_code == 422
    assert _live(console, shop) == 0
    approvals.set_wanted(console.session, shop, ["models"])
    sent = {"note": "4111111111111111 likes it", "sure": "yes"}
    assert manager.post(f"/a/{shop}/models/2/promote", sent).status_code == 303
    proposed = manager.get(f"/a/{shop}/proposals").text
    assert "900 requests scored by both" in proposed
    assert "4111111111111111" not in proposed
    assert page in proposed


def test_a_model_runs_in_shadow_with_two_pairs_of_eyes_and_is_compared_on_its_page(
    console: Console, shop: str, manager: Browser
) -> None:
    page = f"/a/{shop}/models/2/shadow"
    assert "Score in shadow" in manager.get(page).text
    viewer = console.as_role(UserRole.VIEWER, shop)
    assert f"{page}/start" not in viewer.get(page).text
    assert viewer.post(f"{page}/start").status_code == 403
    approvals.set_wanted(console.session, shop, ["models"])
    with pytest.raises(ApprovalNeeded):
        shadows.start_shadow(console.session, shop, "2")
    assert manager.post(f"{page}/start").status_code == 303
    [made] = proposals.listing(console.session, shop)
    assert shadows.shadow_of(console.session, shop) is None
    other = console.as_role(UserRole.ADMINISTRATOR, shop)
    assert other.post(f"/a/{shop}/proposals/{made.proposal_id}/approve").status_code == 303
    approving = proposals.get(console.session, shop, made.proposal_id)
    assert approving.state == "approved"
    assert "Shadow" in manager.get(f"/a/{shop}/models").text
    assert [each.shadow for each in versions.show_models(console.session, shop).models] == [
        *(True, False, False)
    ]
    console.desk.columns.catch_up(shop)
    assert "No request was scored with both yet" in manager.get(page).text
    told = {"requestConfidence": 0.9, "shadow": {"model": "mine-2", "requestConfidence": 0.2}}
    recorder = Recorder(console.session, shop, days_ago=-0.001)
    record = recorder.record(new_id("req", recorder.at_ms, os.urandom), "u-1")
    stage = RecordedStage("Sentry", "SENTRY", 50_000, True, 300, told)
    recorder.insert(msgspec.structs.replace(record, stages=[stage]))
    console.desk.columns.catch_up(shop)
    found = shadows.compare_shadow(
        console.session, console.desk.columns.of(shop), 2, recorder.at_ms, recorder.at_ms + 1
    )
    assert (found.requests, found.agreement, found.version) == (1, 0, 2)
    job = trials.start_trial(console.session, shop, "2", TrialOfModel(recorded=True))
    order = json.loads(queue.get_job(console.session, shop, job.job_id).parameters)
    by_job = trials.carry_out(
        console.session,
        shop,
        ModelTrialOrder(2, order["since_ms"], recorder.at_ms + 1, order["recorded"]),
        cast(Any, None),
    )
    assert (by_job.recorded, by_job.thresholds) == (True, found.thresholds)
    with pytest.raises(ApprovalNeeded):
        shadows.stop_shadow(console.session, shop, "2")
    assert manager.post(f"{page}/stop").status_code == 303
    stopping = next(
        each for each in proposals.listing(console.session, shop) if each.state == "open"
    )
    assert other.post(f"/a/{shop}/proposals/{stopping.proposal_id}/approve").status_code == 303
    assert shadows.shadow_of(console.session, shop) is None
