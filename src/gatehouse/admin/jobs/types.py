"""The kinds of jobs, what each is told to do, and how it is shown."""

from enum import StrEnum
from typing import Annotated, Any, Final, Literal

import msgspec
from msgspec import Meta

from gatehouse.admin.explore.types import ExplorationRequest
from gatehouse.core.api_values import DEFAULT_PAGE, CamelStruct, HasMore, PageSize, doc
from gatehouse.core.clock import Moment
from gatehouse.core.files.records import RecordFormat
from gatehouse.core.job_state import JobState
from gatehouse.core.secrets.hidden import Personal

JobId = Annotated[str, doc("The `jobId` of the answer that began it.")]
DAY_MS: Final = 86_400_000
MOST_EXAMPLES: Final = 100
MOST_IMPORT_BYTES: Final = 4 * 1024 * 1024

ImportedFile = Annotated[
    str, doc("The file, in UTF-8.", min_length=1, max_length=MOST_IMPORT_BYTES)
]
FileFormat = Annotated[RecordFormat, doc("How the file is written.", "csv")]


class JobKind(StrEnum):
    """What a job does."""

    BACKTEST = "rules.backtest"
    TRAINING = "models.train"
    LABEL_AUDIT = "models.audit"
    MODEL_TRIAL = "models.trial"
    IDENTITY_IMPORT = "identities.import"
    FEEDBACK_IMPORT = "feedback.import"
    ERASURE = "privacy.erase"
    WHAT_IF = "programmes.what_if"
    ENUMERATION = "programmes.enumeration"
    OUTCOME_IMPORT = "outcomes.import"
    MONTH_REPORT = "reports.make"
    BULK = "decisions.bulk"
    EXPLORATION = "decisions.explore"


class BacktestOrder(msgspec.Struct, frozen=True):
    """A rule set to try on recorded requests."""

    document: str
    since_ms: int
    until_ms: int
    lists_now: bool = False
    examples: int = 5


class WhatIfOrder(msgspec.Struct, frozen=True):
    """A rule set whose effect on the networks' programmes is asked for."""

    document: str
    since_ms: int
    until_ms: int


class TrainingOrder(msgspec.Struct, frozen=True):
    """A model to train on recorded requests."""

    since_ms: int
    until_ms: int
    label_delay_ms: int
    holdout: Annotated[float, Meta(ge=0.05, le=0.5)] = 0.2
    method: Literal["auto", "ebm", "logistic"] = "auto"
    presume: bool = True
    note: str | None = None


class LabelAuditOrder(msgspec.Struct, frozen=True):
    """Labels of recorded requests to check."""

    since_ms: int
    until_ms: int
    label_delay_ms: int
    holdout: Annotated[float, Meta(ge=0.05, le=0.5)] = 0.2
    presume: bool = True


class ModelTrialOrder(msgspec.Struct, frozen=True):
    """A model to compare with the one in force, on recorded requests."""

    version: int
    since_ms: int
    until_ms: int
    recorded: bool = False
    """Whether by the scores that were recorded, or by what was measured."""


class ImportOrder(msgspec.Struct, frozen=True):
    """A file to import; the file itself is the content of the job."""

    format: RecordFormat
    dry_run: bool = False


class OutcomeImportOrder(msgspec.Struct, frozen=True):
    """A file of outcomes to import; the file itself is the content of the job."""

    format: RecordFormat
    mapping: str
    """The name of one that is shipped, or its text."""
    dry_run: bool = False


class MonthOrder(msgspec.Struct, frozen=True):
    """A month to count or to report on."""

    month: str


class ErasureOrder(msgspec.Struct, frozen=True):
    """A person to erase; who that is, is the content of the job."""

    lists: bool = False
    dry_run: bool = False


class ExploreOrder(msgspec.Struct, frozen=True):
    """Decisions to count in groups."""

    given: ExplorationRequest
    since_ms: int
    until_ms: int


class BulkOrder(msgspec.Struct, frozen=True):
    """A change of many decisions, or its undo, to carry out."""

    bulk_id: str


class NamedPerson(Personal, frozen=True):
    """What a person is named by, as it is sealed with a job."""

    user_id: str | None = None
    username: str | None = None
    email: str | None = None
    phone: str | None = None
    card_number: str | None = None


class JobResponse(CamelStruct):
    """A job: how far it is, and what came of it."""

    job_id: Annotated[str, doc("Its id.", "job_01kabcdefghjkmnpqrstvwxyz0")]
    kind: Annotated[str, doc("What it does.", "rules.backtest")]
    state: Annotated[
        JobState, doc("`QUEUED`, `RUNNING`, `SUCCEEDED`, `FAILED` or `CANCELED`.", "RUNNING")
    ]
    started_by: Annotated[
        str,
        doc("The key, or the operator, that asked for it.", "key:key_01kabcdefghjkmnpqrstvwxyz0"),
    ]
    created_at: Annotated[Moment, doc("When it was asked for (RFC 3339).")]
    started_at: Annotated[Moment | None, doc("When a server last began with it (RFC 3339).")]
    finished_at: Annotated[Moment | None, doc("When it ended (RFC 3339).")]
    done: Annotated[int | None, doc("How much is done.", 1200)]
    total: Annotated[int | None, doc("Of how much, where known.", 5000)]
    step: Annotated[str | None, doc("What it is doing.", "reading records")]
    error: Annotated[str | None, doc("Why it failed.")]
    result: Annotated[dict[str, Any] | None, doc("What came of it; its fields depend on the kind.")]


class JobSearch(CamelStruct):
    """Which jobs to list."""

    limit: PageSize = DEFAULT_PAGE
    starting_after: Annotated[
        Annotated[str, Meta(pattern=r"^job_[0-7][0-9a-hjkmnp-tv-z]{25}\Z")] | None,
        doc("The last `jobId` of the page before."),
    ] = None


class JobPage(CamelStruct):
    """Jobs, newest first."""

    jobs: Annotated[list[JobResponse], doc("Newest first.")]
    has_more: HasMore


Order = (
    BacktestOrder
    | TrainingOrder
    | LabelAuditOrder
    | ModelTrialOrder
    | ImportOrder
    | ErasureOrder
    | OutcomeImportOrder
    | WhatIfOrder
    | MonthOrder
    | BulkOrder
    | ExploreOrder
)
ORDERS: Final[dict[JobKind, type[Order]]] = {
    JobKind.BACKTEST: BacktestOrder,
    JobKind.TRAINING: TrainingOrder,
    JobKind.LABEL_AUDIT: LabelAuditOrder,
    JobKind.MODEL_TRIAL: ModelTrialOrder,
    JobKind.IDENTITY_IMPORT: ImportOrder,
    JobKind.FEEDBACK_IMPORT: ImportOrder,
    JobKind.ERASURE: ErasureOrder,
    JobKind.WHAT_IF: WhatIfOrder,
    JobKind.OUTCOME_IMPORT: OutcomeImportOrder,
    JobKind.MONTH_REPORT: MonthOrder,
    JobKind.ENUMERATION: MonthOrder,
    JobKind.BULK: BulkOrder,
    JobKind.EXPLORATION: ExploreOrder,
}
