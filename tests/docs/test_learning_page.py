"""docs/learning.md is run as a reader would run it, and its numbers are those of the code."""

import re
from pathlib import Path

import duckdb
import pytest

from gatehouse.admin.feedback.use_cases.statements import FIELDS
from gatehouse.backtest.export import ABOUT, FEATURE, export_parquet, new_folder
from gatehouse.core.wording.labels import Label
from gatehouse.sentry.features.catalogue import BY_CODE
from gatehouse.sentry.memory.memory import EntityKind
from gatehouse.sentry.memory.reputation import HALF_LIFE_DAYS
from gatehouse.sentry.memory.reputation_store import SHARED, SMOOTHING, USUAL_RATE
from gatehouse.sentry.outcomes import OUTCOME_SIGNAL, ScoredOutcome
from gatehouse.store.decisions.records import KeptRecord
from gatehouse.store.feedback.statements import MOST_REQUESTS
from gatehouse.training.model_fitting import (
    ENOUGH_FOR_BOOSTING,
    LEAST_FRAUDS,
    LEAST_LEGITIMATES,
    LEAST_MEASURED,
)
from gatehouse.training.model_training import LABEL_DELAY_MS
from gatehouse.training.outcome_training import LEAST_OF_OUTCOME
from gatehouse.training.report.plots import PICTURES
from tests.docs.pages import ROOT, steps
from tests.docs.walk import check_steps
from tests.harness import Server

_PAGE = (ROOT / "docs/learning.md").read_text()
_DAY_MS = 86_400_000


def test_the_commands_print_what_the_page_shows(checkout_at: tuple[Path, Server]) -> None:
    walk = list(steps(_PAGE))
    assert len(walk) >= 12
    check_steps(walk, *checkout_at, with_errors=True)
    pictures = sorted(path.name for path in (checkout_at[0] / "sentry-model-1").iterdir())
    assert pictures == sorted(PICTURES)


def test_the_page_goes_from_the_first_chargeback_to_a_promoted_model_and_back() -> None:
    commands = "\n".join(step.command for step in steps(_PAGE))
    promised = (
        *("/api/v1/feedback", '"WITHDRAWN"', "feedback show", "feedback import", "sentry train"),
        *("sentry show", "sentry promote", "sentry rollback", "sentry models", "sentry replay"),
        *("sentry train --from", "decisions export"),
    )
    places = [commands.find(each) for each in promised]
    assert min(places) >= 0
    assert places == sorted(places)


def test_the_numbers_on_the_page_are_those_of_the_code() -> None:
    numbers = {10: "ten", 20: "twenty", 100: "a hundred"}
    least = f"at least {numbers[LEAST_FRAUDS]} frauds and {numbers[LEAST_LEGITIMATES]} good orders"
    assert least in _PAGE
    assert f"From {ENOUGH_FOR_BOOSTING} frauds on" in _PAGE
    assert f"measured in fewer than {numbers[LEAST_MEASURED]} requests" in _PAGE
    assert f"{LABEL_DELAY_MS // _DAY_MS} days is the default" in _PAGE
    assert f"An outcome needs {LEAST_OF_OUTCOME} labelled requests" in _PAGE
    assert all(f"`{OUTCOME_SIGNAL}{each}`" in _PAGE for each in ScoredOutcome)
    assert f"worth half after {HALF_LIFE_DAYS:.0f} days" in _PAGE
    assert f"up to {MOST_REQUESTS} requests" in _PAGE


@pytest.mark.parametrize("name", [*FIELDS, *Label, *PICTURES])
def test_every_column_label_and_picture_is_named(name: str) -> None:
    assert f"`{name}`" in _PAGE


def test_every_code_on_the_page_is_a_signal() -> None:
    named = set(re.findall(r"[+-][\d.]+ ([A-Z]+(?:_[A-Z]+)+):", _PAGE))
    assert "ACCOUNT_REPUTATION" in named
    assert named <= set(BY_CODE)


def test_the_table_of_reputations_is_that_of_the_code() -> None:
    sentry = (ROOT / "docs/sentry.md").read_text()
    table = sentry.partition("<!-- examples: reputation -->")[2].partition("<!-- end of")[0]
    told: dict[EntityKind, tuple[float, bool]] = {}
    for line in table.splitlines():
        if line.startswith("| `"):
            kinds, reason, weight, shared = line.removesuffix("|").split("|")[1:]
            assert reason.strip().strip("`") in BY_CODE
            for name in re.findall(r"`([a-z_]+)`", kinds):
                told[EntityKind[name.upper()]] = (float(weight), shared.strip() == "yes")
    assert told == {kind: (weight, kind in SHARED) for kind, weight in SMOOTHING.items()}
    assert f"thought to have {100 * USUAL_RATE:g} % of fraud" in sentry
    assert f"counts half after {HALF_LIFE_DAYS:.0f} days" in sentry


def test_the_table_of_columns_is_that_of_an_export(tmp_path: Path) -> None:
    told = _PAGE.partition("| Column | Type | What it is |")[2]
    columns = [row.split("`")[1] for row in told.splitlines() if row.startswith("| `")]
    assert columns[: len(ABOUT)] == list(ABOUT)
    assert columns[-1].removeprefix(FEATURE) in BY_CODE
    [query] = re.findall(r"```sql\n(.*?)```", _PAGE, re.DOTALL)
    with new_folder(tmp_path / "exported", overwrite=False) as folder:
        order = KeptRecord("req_1", 0, "sentry", '{"stages":[]}', "t-2-0")
        export_parquet([[order]], lambda _: {}, folder)
    with duckdb.connect() as connection:
        asked = query.replace("exported/", f"{tmp_path}/exported/")
        assert connection.execute(asked).fetchall() == [(None, 1, None, None)]
