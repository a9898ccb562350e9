"""Requests and answers of the API, written by a script from its OpenAPI document."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal
from typing import Any, Final, Literal, TypedDict

from msgspec import field

from gatehouse_client._structs import OpenEnum, Struct


class AccountShown(Struct, frozen=True, kw_only=True):
    """An account."""

    account_id: str
    """Its id."""
    name: str
    """Its name."""
    currency: str
    """ISO 4217 code."""
    created_at: datetime
    """When it was made (RFC 3339)."""
    fees: Mapping[str, Money]
    """What each service costs, by fee type."""


class AcctInfo(Struct, frozen=True, kw_only=True):
    """`acctInfo` of an authentication request: what is known of the cardholder's account."""

    ch_acc_age_ind: str | None = None
    """Age of the account: `02` made with this payment, `03` less than 30 days, `04` 30 to 60, `05`
    more than 60.
    """
    ch_acc_change_ind: str | None = None
    """Last change: `01` with this payment, `02` less than 30 days ago, `03` 30 to 60, `04` more
    than 60.
    """
    ch_acc_pw_change_ind: str | None = None
    """Last change of the password: `02` with this payment, `03` less than 30 days ago, `04` 30 to
    60, `05` more than 60.
    """
    payment_acc_ind: str | None = None
    """The card on the account: `02` since this payment, `03` for less than 30 days, `04` 30 to 60,
    `05` more than 60.
    """
    ship_address_usage_ind: str | None = None
    """The shipping address: `01` with this payment for the first time, `02` for less than 30 days,
    `03` 30 to 60, `04` more than 60.
    """
    ship_name_indicator: str | None = None
    """`01` the parcel bears the account's name, `02` another."""
    suspicious_acc_activity: str | None = None
    """`01` no fraud is known of the account, `02` some is."""
    nb_purchase_account: str | None = None
    """Purchases in the last six months."""
    provision_attempts_day: str | None = None
    """New cards in the last 24 hours."""
    txn_activity_day: str | None = None
    """Attempts in the last 24 hours."""
    txn_activity_year: str | None = None
    """Attempts in the last year."""


class Advice(OpenEnum):
    """What the caller is advised to do."""

    ACCEPT = "ACCEPT"
    DECLINE = "DECLINE"
    FRAUD = "FRAUD"
    INPUT_ERROR = "INPUT_ERROR"
    RETRY = "RETRY"


class AdvisedExemption(OpenEnum):
    """Why authentication can be left out; the first six are those of `threeDSecure.exemption`."""

    ANONYMOUS_PREPAID = "ANONYMOUS_PREPAID"
    LOW_VALUE = "LOW_VALUE"
    MAIL_OR_TELEPHONE = "MAIL_OR_TELEPHONE"
    MERCHANT_INITIATED = "MERCHANT_INITIATED"
    ONE_LEG_OUT = "ONE_LEG_OUT"
    RECURRING = "RECURRING"
    SECURE_CORPORATE_PAYMENT = "SECURE_CORPORATE_PAYMENT"
    TRANSACTION_RISK_ANALYSIS = "TRANSACTION_RISK_ANALYSIS"
    TRUSTED_BENEFICIARY = "TRUSTED_BENEFICIARY"


class AlertAnswer(Struct, frozen=True, kw_only=True):
    """What a person says about an alert."""

    note: str | None = None
    """What is done about it."""
    end: bool | None = None
    """`true` ends it now. The like of it is not raised again for six hours."""


class AlertBlocked(Struct, frozen=True, kw_only=True):
    """An alert whose values are on lists."""

    id: str
    """Its id."""
    lists: tuple[ValuesListed, ...]
    """By list."""
    dry_run: bool
    """Whether this was a dry run, which changes nothing."""


class AlertBlocking(Struct, frozen=True, kw_only=True):
    """What of an alert is blocked, and for how long."""

    kinds: Sequence[ValueKind | str] | None = None
    """Which values: `address`, `network`, `device`, `domain`, `bin`. Only those are blocked that
    are at least 5 times as frequent as usual.
    """
    reason: str | None = None
    """Why, for the entries."""
    hours: int | None = None
    """After how many hours the entries expire."""
    prefix: str | None = None
    """What the lists' names begin with: `blocked` puts addresses on `blocked-networks`, devices on
    `blocked-devices`, and so on. A list that does not exist is created.
    """


class AlertKind(OpenEnum):
    """What a departure from the normal is."""

    ATTACK = "attack"
    FEAST = "feast"
    OUTAGE = "outage"


class AlertPage(Struct, frozen=True, kw_only=True):
    """Alerts of an account."""

    alerts: tuple[AlertShown, ...]
    """What goes on first, newest first."""


class AlertShown(Struct, frozen=True, kw_only=True):
    """An alert."""

    id: str
    """Its id."""
    kind: AlertKind
    """`attack`: orders that go badly are added, or one origin brings many cards. `feast`: far more
    orders than usual in the usual mix. `outage`: a party fails or refuses the usual customers.
    """
    began_at: datetime
    """When it was raised (RFC 3339)."""
    seen_at: datetime
    """When it last departed from the normal."""
    ended_at: datetime | None
    """When it ended; null until then."""
    ended_by: str | None
    """Who ended it; null if it went back to normal by itself."""
    acknowledged_at: datetime | None
    """When somebody said that they look after it."""
    acknowledged_by: str | None
    """Who."""
    note: str | None
    """What they said."""
    said: str
    """What it means, in a sentence."""
    window_minutes: int
    """Of how many minutes the figures are."""
    requests: int
    """How many requests it is about."""
    measures: tuple[MeasureDeparting, ...]
    """The counts that depart from the normal."""
    values: tuple[StandingOut, ...]
    """The values that stand out, most frequent of each kind first."""
    at_stake: tuple[AtStake, ...]
    """What these requests come to, in each currency."""
    rule: ProposedRule | None
    """A rule that most of them fit, to begin with."""
    examples: tuple[str, ...]
    """The newest 20 of the requests, newest first."""


class AmountRange(Struct, frozen=True, kw_only=True):
    """Amounts of orders in one currency, both ends included."""

    currency: str
    """a currency code such as USD"""
    from_: Decimal | float | None = None
    """The smallest amount, in units of the currency."""
    to: Decimal | float | None = None
    """The largest amount."""


class AnalystMonth(Struct, frozen=True, kw_only=True):
    """The reviews that one person, or one key, resolved."""

    by: str
    """Who."""
    handled: int
    """Reviews resolved first."""
    median_seconds: int
    """From opening: half took less."""
    overturned: int
    """Of these, corrected since, or contradicted by a later label."""


class Arm(OpenEnum):
    """One of the two ways in which a request can be decided."""

    CHALLENGER = "challenger"
    CONTROL = "control"


class ArmMoney(Struct, frozen=True, kw_only=True):
    """What the orders of an arm come to in one currency."""

    accepted: Money
    """Orders that were accepted."""
    declined: Money
    """Orders that were declined."""
    fraud: Money
    """Accepted orders that are fraud, as known by now."""


class ArmResult(Struct, frozen=True, kw_only=True):
    """What became of the decisions of one arm."""

    arm: Arm
    """Which arm."""
    units: int
    """Cards or users that were given to it."""
    decisions: int
    """Their decisions."""
    accepted: int
    """Accepted at once."""
    reviewed: int
    """Given to review."""
    declined: int
    """Declined."""
    mature: int
    """Accepted ones whose labels count as known."""
    mature_fraud: int
    """Of these, fraud."""
    declined_units: int
    """Cards or users that were ever declined."""
    fraud_units: int
    """Cards or users with accepted fraud, as known by now."""
    money: tuple[ArmMoney, ...]
    """In each currency."""


class AssignMany(Struct, frozen=True, kw_only=True):
    """One person for the reviews of many decisions."""

    assignee: str | None
    """Your name for the person; null for nobody."""
    request_ids: Sequence[str] | None = None
    """The `requestId`s of 1 to 1000 decisions; give this or `search`."""
    search: DecisionSearchRequest | None = None
    """As for a search; at most 10000 may fit. Its page is ignored."""


class AssignedBy(OpenEnum):
    """Whose requests always get the same arm."""

    CARD = "card"
    USER = "user"


class AtStake(Struct, frozen=True, kw_only=True):
    """What the requests of an alert come to in one currency."""

    currency: str
    """ISO 4217 code; empty where none was sent."""
    total: str
    """All of them, in units of the currency."""
    accepted: str
    """Those that were accepted, not refused."""


class AttemptPage(Struct, frozen=True, kw_only=True):
    """Attempts to send messages."""

    attempts: tuple[PublicAttempt, ...]
    """Newest first."""
    has_more: bool
    """Whether there are more."""


class AuditEntry(Struct, frozen=True, kw_only=True):
    """One line of the audit log."""

    line: int
    """Its number."""
    at: datetime
    """When (RFC 3339)."""
    by: str
    """Who."""
    action: str
    """What was done."""
    details: Mapping[str, Any]
    """About what."""


class AuditPage(Struct, frozen=True, kw_only=True):
    """Lines of the audit log, newest first."""

    lines: tuple[AuditEntry, ...]
    """Newest first."""
    has_more: bool
    """Whether there are more."""


class AuthenticationBody(Struct, frozen=True, kw_only=True):
    """What advice on authentication depends on."""

    acquirer_country: str
    """Where your acquirer is; it says whose rules hold."""
    merchant_country: str | None = None
    """Where you are, if that is another country."""
    tra_up_to: int | None = None
    """Up to which amount your acquirer asks for the exemption by risk analysis, in units of the
    region's currency: a band of article 18, or 0 for never.
    """
    exempt_from: Decimal | None = None
    """The confidence from which a risk is low."""
    challenge_below: float | None = None
    """Below it a challenge is asked for."""
    decline_below: float | None = None
    """Below it not even a challenge is worth it."""
    low_value: bool | None = None
    """Whether article 16 is used."""
    placement: ExemptionPlacement | None = None
    """Where exemptions are always asked for; without it, the advice says."""
    latest_protocol: bool | None = None
    """Whether your 3-D Secure server speaks version 2.3."""
    three_ds_data: bool | None = None
    """Whether answers have `threeDSecureData`."""
    ship_address_input: str | None = None
    """The remembered key of `customInputs` with the shipping address."""


class AuthenticationInputs(Struct, frozen=True, kw_only=True):
    """What you know that strong customer authentication depends on; read where it is advised on."""

    initial_reference: str | None = None
    """Reference of the authenticated payment that a series or a mandate began with."""
    recurring: bool | None = None
    """One of a series with the same amount and payee, which the payer started."""
    mail_or_telephone: bool | None = None
    """Ordered by letter or by phone."""
    trusted_beneficiary: bool | None = None
    """The payer has put you on the issuer's list of trusted payees."""
    secure_corporate: bool | None = None
    """Paid by a company's secure process: a lodged or virtual card."""
    anonymous_card: bool | None = None
    """A prepaid card without a name."""
    account_created_at: datetime | None = None
    """When the buyer's account was made."""
    account_changed_at: datetime | None = None
    """When the account was last changed: address, card, user."""
    password_changed_at: datetime | None = None
    """When its password was last changed or reset."""
    ships_to_account_name: bool | None = None
    """The name on the parcel is that of the account."""
    ship_indicator: ShipIndicator | str | None = None
    """`01` billing address, `02` another verified address, `03` another address, `04` store, `05`
    digital goods, `06` not shipped, `07` other.
    """
    delivery_timeframe: DeliveryTimeframe | str | None = None
    """`01` electronic, `02` same day, `03` overnight, `04` two days or more."""
    pre_order_at: datetime | None = None
    """Of goods that are not available yet: when they will be."""
    gift_cards: int | None = None
    """How many gift cards are bought."""
    gift_card_amount: Decimal | float | None = None
    """What they come to, in units of the order's currency."""


class AuthenticationShown(Struct, frozen=True, kw_only=True):
    """Whether an account asks for advice on authentication, and what it depends on."""

    settings: AuthenticationBody | None
    """Null where no advice is asked for."""
    regime: str | None
    """Whose rules hold for the acquirer; null where none do."""
    measured_at: datetime | None
    """The day that the kept rate of fraud ends with."""
    limits: tuple[LimitInForce, ...] | None = None
    """The limits that hold for the acquirer."""
    table_as_of: str | None = None
    """Day of the table of limits."""


class AutoTopUpReason(OpenEnum):
    """Why automatic top-ups pause, or were turned off."""

    DAILY_LIMIT = "daily_limit"
    IN_DOUBT = "in_doubt"
    MONTHLY_LIMIT = "monthly_limit"
    REFUSED = "refused"


class AutoTopUpShown(Struct, frozen=True, kw_only=True):
    """How automatic top-ups of an account are set, and how they are."""

    enabled: bool
    """Whether they are turned on."""
    floor_minor: int | None
    """As it was set; null before it ever was."""
    amount_minor: int | None
    """The same."""
    monthly_limit_minor: int | None
    """The same."""
    currency: str
    """ISO 4217 code."""
    this_month_minor: int
    """What was added automatically this month (UTC), what is under way or in doubt included."""
    card_stored_at: datetime | None
    """When the card was stored (RFC 3339); null where none is."""
    card_end: str | None
    """The last characters of the provider's name for the stored card, where it is long enough to
    show any.
    """
    top_up_id: str | None
    """The top-up that is under way."""
    refusals: int
    """How many were refused in a row; 3 turn them off."""
    paused_until: datetime | None
    """Until when they pause (RFC 3339)."""
    reason: AutoTopUpReason | None
    """Why they pause, or were turned off."""


class AutoTopUpWanted(Struct, frozen=True, kw_only=True):
    """When to top up automatically, and how far."""

    enabled: bool
    """Whether the stored card is charged when the balance is under the floor."""
    floor_minor: int
    """The balance under which it is topped up, in the smallest unit of its currency."""
    amount_minor: int
    """What is added each time; the account's tax is charged besides."""
    monthly_limit_minor: int
    """The most that is added automatically in a calendar month (UTC), without tax."""


class AvsResult(OpenEnum):
    """How the address compares with the issuer's."""

    FULL_MATCH = "FULL_MATCH"
    NOT_PROVIDED = "NOT_PROVIDED"
    NO_MATCH = "NO_MATCH"
    POSTCODE_MATCH = "POSTCODE_MATCH"
    RETRY = "RETRY"
    STREET_MATCH = "STREET_MATCH"
    UNKNOWN = "UNKNOWN"
    UNVERIFIABLE = "UNVERIFIABLE"


class BacktestRequest(Struct, frozen=True, kw_only=True):
    """A rule set to try on recorded requests."""

    document: str
    """The file as YAML, as `apply` of the command line takes it."""
    since: str | None = None
    """The first moment: a day, or a time such as 2026-11-15T08:30:00Z."""
    until: str | None = None
    """The first moment after it, in the same words. Default: now."""
    lists_now: bool | None = None
    """Whether lists are used as they are now, not as they were then."""
    examples: int | None = None
    """Requests to name for each change. They are shown to keys that also have the scope
    `decisions`.
    """


class BalanceResponse(Struct, frozen=True, kw_only=True):
    """What an account has."""

    balance: Money
    """All of it, also what is held."""
    held: Money
    """Held for requests in flight."""
    available: Money
    """What can be spent: `balance` and `creditLimit` minus `held`."""
    currency: str
    """ISO 4217 code."""
    credit_limit: Money | None
    """How far below nothing it may go; null where it is paid in advance."""
    at: datetime
    """When it was read (RFC 3339)."""
    credits: tuple[ExpiringCredit, ...]
    """Credits in it that expire, the soonest first."""


class BandStanding(Struct, frozen=True, kw_only=True):
    """One band of article 18 in one window."""

    up_to: Money
    """Its largest amount."""
    reference_rate: str
    """Per cent."""
    allowed: bool
    """Whether the rate is not above the reference rate."""
    room: Money
    """How much more fraud fits under the reference rate; 0 for none."""
    settled: Money
    """Payments of this size."""
    fraud: Money
    """Frauds of this size."""


class Billing(Struct, frozen=True, kw_only=True):
    """What the request cost and what is left."""

    items: tuple[BillingItem, ...]
    """One entry per executed service."""
    remaining_balance: Money
    """What can still be spent."""
    amount_authorized: Money
    """Held for this request."""
    amount_closed: Money
    """Charged for this request."""


class BillingDetails(Struct, frozen=True, kw_only=True):
    """Whom an account's invoices are for."""

    buyer: Party
    """Who pays."""
    tax: TaxTerms
    """As the operator has set it."""
    commitment: str | None = None
    """What a month costs at least."""


class BillingItem(Struct, frozen=True, kw_only=True):
    """One executed service."""

    fee_type: str
    """Fee type."""
    fee: Money
    completed: bool
    """Whether it completed; an item that did not is not charged."""


class BulkAction(OpenEnum):
    """What can be done with many decisions."""

    ASSIGN = "assign"
    LABEL = "label"
    LIST = "list"
    RESOLVE = "resolve"


class BulkRefusal(Struct, frozen=True, kw_only=True):
    """A decision with which nothing was done, or whose change stays, and why."""

    request_id: str
    why: str


class BulkResolution(Struct, frozen=True, kw_only=True):
    """One verdict on many decisions."""

    resolution: ReviewVerdict | str
    """`APPROVE` when the payment was legitimate, `DECLINE` when it was fraud."""
    reason: str
    """Why, kept with the review; card numbers in it are masked."""
    request_ids: Sequence[str]
    """The `requestId`s of the decisions."""
    reviewer: str | None = None
    """Your name for the person who says so."""


class BulkResult(Struct, frozen=True, kw_only=True):
    """What became of many reviews, in the order in which they were sent."""

    results: tuple[ResolutionResult, ...]
    resolved: int
    """How many were resolved now."""
    refused: int
    """How many were not."""


class BulkShown(Struct, frozen=True, kw_only=True):
    """A change of many decisions: what became of it."""

    id: str | None
    """Its id; null of a dry run."""
    action: BulkAction
    state: BulkState
    """`RUNNING` and `UNDOING` go on in a job."""
    at: datetime
    """When it began (RFC 3339)."""
    by: str
    """Who began it, and may undo it."""
    undo_until: datetime | None
    """Until when it can be undone."""
    pending: int
    """Not looked at yet."""
    done: int
    """Done; of a dry run, what would be."""
    refused: int
    """Left as they were."""
    undone: int
    """Brought back."""
    kept: int
    """Done, and not brought back by the undo."""
    refusals: tuple[BulkRefusal, ...]
    """Why some were left or kept; the first 100."""
    dry_run: bool
    """Whether this was a dry run, which changes nothing."""


class BulkState(OpenEnum):
    """How far a change is."""

    DONE = "DONE"
    RUNNING = "RUNNING"
    UNDOING = "UNDOING"
    UNDONE = "UNDONE"


class BuyerAccount(Struct, frozen=True, kw_only=True):
    """Who buys, in your own terms."""

    user_id: str | int | None = None
    """Your name for the user."""
    username: str | None = None
    """The name the user chose."""


class CardAddress(Struct, frozen=True, kw_only=True):
    """The billing address as the issuer may know it; one part is needed that is not blank."""

    postal_code: str | None = None
    """Postal code."""
    street: str | None = None
    """Street with house number."""
    city: str | None = None
    """City, for parties that want a whole address."""
    country: str | None = None
    """Country (ISO 3166), for parties that want a whole address."""


class CardCountersTold(Struct, frozen=True, kw_only=True):
    """What this account has seen of the card since it was last authenticated."""

    count: int
    """Payments before this one."""
    sum: Money | None
    """What they came to; null where nobody can tell."""
    authenticated_at: datetime | None
    """When it was authenticated; null when it never was."""


class CardHolderIds(Struct, frozen=True, kw_only=True):
    """Government identifiers by type. Another type than these four is an error."""

    driverlicense: str | None = field(default=None, name="DRIVERLICENSE")
    """Number of a driver's licence."""
    passport: str | None = field(default=None, name="PASSPORT")
    """Number of a passport."""
    nationalidentity: str | None = field(default=None, name="NATIONALIDENTITY")
    """Number of a national identity document."""
    tax: str | None = field(default=None, name="TAX")
    """Number at the tax office."""


class CardHolderName(Struct, frozen=True, kw_only=True):
    """The name of the person who claims to hold the card."""

    first_name: str | None = None
    """First name or names."""
    middle_name: str | None = None
    """Middle name or names."""
    last_name: str | None = None
    """Last name or names. Names are compared only when it is there."""
    owner_type: str | None = None
    """`PRIMARY` or `SECONDARY`: compare with such holders only. Any other value is ignored."""


class CardSummary(Struct, frozen=True, kw_only=True):
    """What is known about the card and may be shown."""

    brand: str | None
    """Card brand, null when it is none we know."""
    country: str | None
    """Issuer's country (ISO 3166-1 alpha-2), soft evidence."""
    funding: str | None
    """CREDIT, DEBIT or CHARGE, soft evidence."""
    prepaid: bool | None
    """Whether the card is prepaid, if known."""
    bin: str
    """First eight digits, six of a number below 16 digits."""
    last_four: str | None
    """Last four digits, null for numbers below 14 digits."""


class CartItem(Struct, frozen=True, kw_only=True):
    """One line of the cart."""

    item_id: str | int | None = None
    """Your name for the article."""
    category: str | None = None
    """What kind of article."""
    price: Decimal | float | None = None
    """Price of one."""
    quantity: Decimal | float | None = None
    """How many."""


class ChallengeIndicator(OpenEnum):
    """What is asked of the issuer in 3-D Secure, `threeDSRequestorChallengeInd`."""

    V01 = "01"
    V02 = "02"
    V03 = "03"
    V04 = "04"
    V05 = "05"
    V07 = "07"
    V08 = "08"
    V10 = "10"
    V11 = "11"


class Clicked(Struct, frozen=True, kw_only=True):
    """One question about one signal."""

    signal: str
    operator: str
    value: str | None = None


class ConfiguredPage(Struct, frozen=True, kw_only=True):
    """Everything of a kind that is in force, by name."""

    items: tuple[ConfiguredSummary, ...]
    """By name."""


class ConfiguredSummary(Struct, frozen=True, kw_only=True):
    """What is in force under one name."""

    name: str
    """Its name."""
    version: int
    """The version in force."""
    parts: int
    """How many rules, or stages."""
    description: str
    """What it is for."""


class ConnectorCondition(OpenEnum):
    """How a connector is, over all servers that run."""

    DOWN = "DOWN"
    PARTLY = "PARTLY"
    UNKNOWN = "UNKNOWN"
    UP = "UP"


class ConnectorPage(Struct, frozen=True, kw_only=True):
    """The connectors that serve an account."""

    connectors: tuple[ConnectorShown, ...]
    """By function, in the order in which they are asked."""


class ConnectorShown(Struct, frozen=True, kw_only=True):
    """A connector that requests of the account can be given to."""

    function: str
    """What it is asked for."""
    name: str
    """Its name."""
    state: ConnectorCondition
    """`UP`, `DOWN`, `PARTLY` or `UNKNOWN`, over all servers."""


class CostPreset(OpenEnum):
    """How much a loss by fraud weighs beside a sale that is turned away."""

    BALANCE = "balance"
    PROTECT = "protect"
    REVENUE = "revenue"


class CostsBody(Struct, frozen=True, kw_only=True):
    """What orders earn and cost."""

    currency: str
    """Of the amounts; orders in another currency get no advice."""
    margin: float
    """What an order earns, of its amount."""
    preset: CostPreset | None = None
    """`protect` counts losses by fraud twice, `revenue` half of them."""
    chargeback_fee: Decimal | None = None
    """What a fraud costs besides its amount."""
    fee_share: float | None = None
    """The same as a share of the amount."""
    review_cost: float | None = None
    """What a review costs."""
    review_finds: float | None = None
    """The share of reviews that find the truth."""


class CostsTold(Struct, frozen=True, kw_only=True):
    """What each outcome would cost the account, and which is cheapest."""

    advice: Outcome
    """The cheapest; of equal ones, the mildest."""
    preset: CostPreset
    """How losses by fraud were weighed."""
    currency: str
    """ISO 4217 code."""
    accept: float
    """Expected cost of accepting."""
    review: float
    """Expected cost of a review."""
    decline: float
    """Expected cost of declining."""


class CountedEvents(OpenEnum):
    """What the numerator of a ratio counts."""

    CHARGEBACKS = "CHARGEBACKS"
    FRAUD_AND_DISPUTES = "FRAUD_AND_DISPUTES"
    FRAUD_AND_OTHER_DISPUTES = "FRAUD_AND_OTHER_DISPUTES"
    FRAUD_CHARGEBACKS = "FRAUD_CHARGEBACKS"


class CredentialReason(OpenEnum):
    """Why a merchant pays with a card that is stored."""

    DELAYED_CHARGE = "DELAYED_CHARGE"
    INCREMENTAL = "INCREMENTAL"
    INSTALMENT = "INSTALMENT"
    NO_SHOW = "NO_SHOW"
    REAUTHORIZATION = "REAUTHORIZATION"
    RECURRING = "RECURRING"
    RESUBMISSION = "RESUBMISSION"
    UNSCHEDULED = "UNSCHEDULED"


class CredentialType(OpenEnum):
    """What kind of number `cardNumber` is."""

    DEVICE_TOKEN = "DEVICE_TOKEN"
    NETWORK_TOKEN = "NETWORK_TOKEN"
    PAN = "PAN"
    STORED_PAN = "STORED_PAN"


class CredentialUse(OpenEnum):
    """Whether a card is stored by a payment, or was stored before."""

    FIRST = "FIRST"
    LATER = "LATER"


class Cvv2Result(OpenEnum):
    """How the security code compares with the issuer's."""

    MATCH = "MATCH"
    NOT_PROCESSED = "NOT_PROCESSED"
    NOT_PROVIDED = "NOT_PROVIDED"
    NO_MATCH = "NO_MATCH"
    UNKNOWN = "UNKNOWN"
    UNVERIFIABLE = "UNVERIFIABLE"


class DayCounting(OpenEnum):
    """To which day the days since an earlier order are counted: sources differ."""

    DISPUTE = "DISPUTE"
    TRANSACTION = "TRANSACTION"


class DecisionMatches(Struct, frozen=True, kw_only=True):
    """A page of decisions that were searched for, newest first."""

    decisions: tuple[PublicDecision, ...]
    next_cursor: str | None
    """Send it as `cursor` for what follows; null when there is nothing more."""
    still_indexing: bool | None = None
    """Only there, and true, while decisions of an earlier version are being indexed after an
    upgrade: some of them may be missing.
    """


class DecisionPage(Struct, frozen=True, kw_only=True):
    """DecisionPage."""

    decisions: tuple[PublicDecision, ...]
    has_more: bool


class DecisionReason(OpenEnum):
    """What decided that a request is not simply accepted, in one word."""

    FRAUD = "FRAUD"
    GATEWAY_DECLINED = "GATEWAY_DECLINED"
    GATEWAY_ERROR = "GATEWAY_ERROR"
    INPUT = "INPUT"
    ISSUER_DECLINED = "ISSUER_DECLINED"
    ISSUER_UNAVAILABLE = "ISSUER_UNAVAILABLE"
    OTHER = "OTHER"
    PRECHECK_POLICY = "PRECHECK_POLICY"
    RULES = "RULES"
    STAGE_UNAVAILABLE = "STAGE_UNAVAILABLE"


class DecisionSearchRequest(Struct, frozen=True, kw_only=True):
    """Which decisions are wanted; every filter that is given must hold."""

    user_id: str | int | None = None
    """Your name for the user, as it was sent."""
    card_number: str | None = None
    """The card. Only its fingerprint is compared."""
    payment_account_reference: str | None = None
    """The account behind cards: whatever token of it was sent. Only its fingerprint is compared."""
    card_fingerprint: str | Sequence[str] | None = None
    """The card by its `fingerprint`, or the account behind it by its `accountFingerprint`, as
    decisions of this account show it; or several of them.
    """
    email: str | None = None
    """E-mail address. Different spellings of one mailbox are the same."""
    phone: str | None = None
    """Phone number in international form."""
    ip_address: str | None = None
    """Address of the device. Of IPv6, its whole /64 is meant."""
    device_id: str | None = None
    """The `deviceId` that was sent to Sentry, or the device as the event in a decision names it:
    `#…`.
    """
    ring: str | Sequence[str] | None = None
    """The ring that the request was linked with, as the event in a decision names it: `ring_…`; or
    several of them.
    """
    transaction_id: str | int | None = None
    """The `transactionId` that was sent to Sentry."""
    client_reference_id: str | int | None = None
    """The `clientReferenceId` that was sent."""
    operation: str | Sequence[str] | None = None
    """The operation, or several of them."""
    decision: Outcome | str | Sequence[Outcome | str] | None = None
    """What was decided."""
    reason: DecisionReason | str | Sequence[DecisionReason | str] | None = None
    """What decided, in one word. Decisions of versions before this filter are not found by it."""
    rule: str | Sequence[str] | None = None
    """A rule that matched."""
    shadow_rule: str | Sequence[str] | None = None
    """A rule that matched in shadow: it was recorded, and decided nothing."""
    tag: str | Sequence[str] | None = None
    """A tag of the answer."""
    label: Label | str | Sequence[Label | str] | None = None
    """What the request turned out to be, as of now."""
    amount: AmountRange | None = None
    """The amount of the order."""
    at: TimeRange | None = None
    """When the request came in."""
    limit: int | None = None
    """Size of a page; 50 without it."""
    cursor: str | None = None
    """The `nextCursor` of the page before."""


class DecisionStage(Struct, frozen=True, kw_only=True):
    """One stage of a decision."""

    name: str
    """Name of the stage."""
    fee_type: str
    """Fee type."""
    fee: Money
    """Its fee; charged only when it completed."""
    completed: bool
    """Whether it completed."""
    duration_microseconds: int
    """How long it took."""
    result: Mapping[str, Any]
    """What it found: results, and codes that say why. Of what was sent, Sentry's result names what
    it remembers, the others nothing.
    """


class DeliveryGiven(Struct, frozen=True, kw_only=True):
    """What the merchant says about the delivery."""

    carrier: str | None = None
    """Who delivered."""
    tracking_number: str | None = None
    """The carrier's number."""
    delivered_on: str | None = None
    """The day of the delivery."""
    delivered_to: str | None = None
    """Where, or to whom."""
    product: str | None = None
    """What was sold."""
    goods: Goods | None = None
    """`merchandise` or `services`."""


class DeliveryTimeframe(OpenEnum):
    """When goods come, `deliveryTimeframe` of EMV 3-D Secure."""

    V01 = "01"
    V02 = "02"
    V03 = "03"
    V04 = "04"


class Device(Struct, frozen=True, kw_only=True):
    """The device, and the visit it is used for."""

    ip_address: str | None = None
    """Address the request came from: the most telling single field."""
    user_agent: str | None = None
    """User-Agent header."""
    accept_language: str | None = None
    """Accept-Language header."""
    session_id: str | int | None = None
    """Your name for the visit."""
    session_age: Decimal | float | None = None
    """How long the visit has lasted, seconds."""
    device_id: str | None = None
    """Identifier that your page gave the device, the same on every visit."""


class DisabledBecause(OpenEnum):
    """Why an endpoint is disabled."""

    ASKED = "asked"
    FAILING = "failing"
    GONE = "gone"


class DisputeChoice(OpenEnum):
    """What is done about a dispute."""

    ACCEPT = "ACCEPT"
    REPRESENT = "REPRESENT"


class DisputeDecision(Struct, frozen=True, kw_only=True):
    """What is done about a dispute, and why."""

    decision: DisputeChoice | str
    """`REPRESENT` answers it with evidence; `ACCEPT` ends it."""
    comment: str | None = None
    """Why, for colleagues."""
    fee_acknowledged: bool | None = None
    """Of a case with the reason `COMPLIANCE`: that contesting it costs a fee of the network, which
    is given back only if it is won. It cannot be contested without.
    """


class DisputeEnd(Struct, frozen=True, kw_only=True):
    """How a dispute ended."""

    result: DisputeResult | str
    """How it ended."""


class DisputeFile(Struct, frozen=True, kw_only=True):
    """The same with its content."""

    file_id: str
    """Its id."""
    name: str
    """Its name."""
    type: str
    """What its content is."""
    size: int
    """Bytes."""
    added_at: datetime
    """When it was attached (RFC 3339)."""
    added_by: str
    """Who attached it."""
    content: str | None = None
    """Base64."""


class DisputeFileDeleted(Struct, frozen=True, kw_only=True):
    """A file that is gone."""

    file_id: str
    """Its id."""


class DisputePaper(OpenEnum):
    """What an answer to a dispute is made of."""

    AUTHENTICATION = "AUTHENTICATION"
    AUTHORIZATION = "AUTHORIZATION"
    DELIVERY = "DELIVERY"
    DESCRIPTION = "DESCRIPTION"
    EARLIER_ORDERS = "EARLIER_ORDERS"
    INVOICE = "INVOICE"
    REFUND = "REFUND"
    TERMS = "TERMS"


class DisputeQueue(Struct, frozen=True, kw_only=True):
    """Disputes of an account."""

    disputes: tuple[DisputeSummary, ...]
    """Open ones by their deadline, those that have ended newest first."""


class DisputeResult(OpenEnum):
    """How a dispute ended."""

    ACCEPTED = "ACCEPTED"
    LOST = "LOST"
    RESOLVED_BEFORE = "RESOLVED_BEFORE"
    WITHDRAWN = "WITHDRAWN"
    WON = "WON"


class DisputeShown(Struct, frozen=True, kw_only=True):
    """A dispute with all that people decided, gave and attached."""

    dispute: DisputeSummary
    """The dispute."""
    comment: str
    """Why it was decided so."""
    decided_at: datetime | None
    """When that was (RFC 3339)."""
    decided_by: str | None
    """Who decided it."""
    fee_acknowledged: bool | None
    """Whether the network's fee for contesting was acknowledged; null where contesting costs none.
    """
    delivery: DeliveryGiven | None
    """What was said of the delivery."""
    files: tuple[KeptFile, ...]
    """Files, the oldest first."""
    papers: tuple[WantedPaper, ...]
    """What answers a dispute with this reason, the strongest first; from memory, so ask your
    acquirer.
    """


class DisputeStage(OpenEnum):
    """How far a dispute has gone."""

    ARBITRATION = "ARBITRATION"
    FIRST = "FIRST"
    INQUIRY = "INQUIRY"
    PRE_ARBITRATION = "PRE_ARBITRATION"
    REPRESENTED = "REPRESENTED"


class DisputeSummary(Struct, frozen=True, kw_only=True):
    """A dispute in the queue."""

    id: str
    """Its name in paths."""
    reference: str
    """Its own name."""
    at: datetime
    """When it was raised (RFC 3339)."""
    network: OutcomeNetwork
    """The card network."""
    reason: str | None
    """The reason code."""
    stage: DisputeStage | None
    """How far it has gone."""
    result: DisputeResult | None
    """How it ended."""
    amount: str | None
    """In units of the currency, as a decimal."""
    currency: str | None
    """ISO 4217 code of the amount."""
    request_id: str | None
    """The decision it is about."""
    respond_by: datetime | None
    """Until when to answer (RFC 3339)."""
    days_left: int | None
    """Whole days until then; negative when it is over."""
    decision: DisputeChoice | None
    """What was decided about it."""
    winnable: bool | None
    """Whether Compelling Evidence 3.0 can be used; null without a decision, or for a key without
    the scope `decisions`.
    """
    missing: MissingEvidence | None
    """Why it cannot be used."""
    summary: str | None
    """The same in a sentence."""


class DisputedTransaction(Struct, frozen=True, kw_only=True):
    """The disputed transaction."""

    customer_account_id: str | None = field(default=None, name="customer_account_id")
    """The customer's login."""
    customer_device_fingerprint: str | None = field(
        default=None, name="customer_device_fingerprint"
    )
    """The device, by at least two of its attributes."""
    customer_device_id: str | None = field(default=None, name="customer_device_id")
    """The device, by its own identifier."""
    customer_email_address: str | None = field(default=None, name="customer_email_address")
    """E-mail address."""
    customer_purchase_ip: str | None = field(default=None, name="customer_purchase_ip")
    """IP address."""
    product_description: str | None = field(default=None, name="product_description")
    """What was sold."""
    shipping_address: PacketAddress | None = field(default=None, name="shipping_address")
    """Where it was delivered."""
    merchandise_or_services: Goods | None = field(default=None, name="merchandise_or_services")
    """`merchandise` or `services`."""


class DocumentChange(Struct, frozen=True, kw_only=True):
    """A document to put in force."""

    document: str
    """The file as YAML, as `apply` of the command line takes it."""
    note: str | None = None
    """Why, for the history."""


class DocumentChecked(Struct, frozen=True, kw_only=True):
    """Whether a document could be applied."""

    valid: bool
    """Whether it could be applied."""
    name: str | None
    """Its name, if it can be read."""
    flaws: tuple[DocumentFlaw, ...]
    """All mistakes that were found."""
    differences: tuple[str, ...]
    """What changes, a line each: `+` is new, `-` is gone, `~` is changed."""
    remarks: tuple[str, ...]
    """What the author should know."""


class DocumentFlaw(Struct, frozen=True, kw_only=True):
    """One mistake in a document."""

    path: str
    """Of what."""
    line: int
    """Counted from 1; 0 for the whole."""
    column: int
    """Counted from 1; 0 for the whole."""
    message: str
    """What is wrong."""


class DocumentToCheck(Struct, frozen=True, kw_only=True):
    """A document to check."""

    document: str
    """The file as YAML, as `apply` of the command line takes it."""


class DriftKind(OpenEnum):
    """What drifts."""

    LABELS = "labels"
    RULE = "rule"
    SCORE = "score"
    SIGNAL = "signal"


class DriftPage(Struct, frozen=True, kw_only=True):
    """What is not as usual."""

    drifts: tuple[DriftShown, ...]
    """What goes on first, newest first."""


class DriftShown(Struct, frozen=True, kw_only=True):
    """Something that is not as usual."""

    kind: DriftKind
    """`signal`, `score`, `rule` (how often it matches) or `labels` (how long they take, or how
    many come).
    """
    name: str
    """The signal, the rule as `ruleSet/rule`, or of labels `delay` or `number`."""
    began_at: datetime
    """When it was noticed (RFC 3339)."""
    ended_at: datetime | None
    """When it was as usual again (RFC 3339); null until then."""
    figure: float
    """Of a signal or score, the population stability index of the last day against the same hours
    of the weeks before; of a rule, the share of requests that it matched; of labels, the median
    in days, or how many came in a week.
    """
    usual: float
    """The same in the weeks before."""
    requests: int
    """Of how many requests or labels."""
    said: str
    """What it means, in a sentence."""


class EarlierOrder(Struct, frozen=True, kw_only=True):
    """An earlier order of the nearest pair."""

    request_id: str
    """Its decision."""
    day: str
    """The day it was processed."""
    days_before: int
    """How many days before the disputed one."""
    amount: str | None
    """In units of the currency, as a decimal."""
    matched: tuple[SharedElement, ...]
    """What it has in common with the disputed one."""


class Eci(OpenEnum):
    """The electronic commerce indicator; 00 to 04 are Mastercard's, 05 the other networks'."""

    V00 = "00"
    V01 = "01"
    V02 = "02"
    V03 = "03"
    V04 = "04"
    V05 = "05"
    V06 = "06"
    V07 = "07"


class EnhancedEvidence(Struct, frozen=True, kw_only=True):
    """What a network wants beyond texts and files."""

    visa_compelling_evidence_3: VisaPacket = field(name="visa_compelling_evidence_3")
    """For Visa, reason 10.4."""


class EntityType(OpenEnum):
    """What kinds of entities have a page."""

    ADDRESS = "address"
    CARD = "card"
    DEVICE = "device"
    EMAIL = "email"
    PHONE = "phone"
    USER = "user"


class EntriesAdded(Struct, frozen=True, kw_only=True):
    """What became of entries."""

    name: str
    """Its name."""
    added: int
    """How many."""
    changed: int
    """Got another expiry or reason."""
    unchanged: int
    """Were there alike."""
    dry_run: bool
    """Whether this was a dry run, which changes nothing."""


class EntriesRemoved(Struct, frozen=True, kw_only=True):
    """Entries that are off a list."""

    name: str
    """Its name."""
    removed: int
    """How many."""


class EntriesToAdd(Struct, frozen=True, kw_only=True):
    """Entries to put on a list."""

    entries: Sequence[EntryToAdd]
    """Each value once."""
    kind: ListKind | str | None = None
    """With it, the list is created if there is none."""
    reason: str | None = None
    """For entries without one of their own."""
    expires_in_s: int | None = None
    """Seconds, for entries without an expiry of their own."""


class EntriesToRemove(Struct, frozen=True, kw_only=True):
    """Entries to take off a list."""

    values: Sequence[str]
    """As they were added."""


class EntryKind(OpenEnum):
    """Why an entry was appended."""

    ADJUST = "ADJUST"
    AUTHORIZE = "AUTHORIZE"
    CLOSE = "CLOSE"
    EXPIRE = "EXPIRE"
    RELEASE = "RELEASE"
    TOP_UP = "TOP_UP"


class EntrySearch(Struct, frozen=True, kw_only=True):
    """Which entries to show."""

    value: str | None = None
    """Only this one, written as it would be added."""
    gone: bool | None = None
    """Whether removed and expired ones are shown."""
    limit: int | None = None
    """Size of a page."""
    cursor: str | None = None
    """The `cursor` of the page before."""


class EntryShown(Struct, frozen=True, kw_only=True):
    """An entry as people may see it."""

    value: str
    """What is shown of it."""
    status: str
    """`listed`, `expired` or `removed`."""
    reason: str | None
    """Why."""
    by: str
    """Who put it there."""
    added_at: datetime
    """When (RFC 3339)."""
    expires_at: datetime | None
    """Until when it counts (RFC 3339)."""
    removed_at: datetime | None
    """When it was removed (RFC 3339)."""


class EntryShownPage(Struct, frozen=True, kw_only=True):
    """Entries of a list."""

    entries: tuple[EntryShown, ...]
    """By value."""
    has_more: bool
    """Whether there are more."""
    cursor: str | None
    """For the next page."""


class EntryToAdd(Struct, frozen=True, kw_only=True):
    """One entry."""

    value: str
    """As the kind of the list has it: a network, a mailbox, a card number, ..."""
    reason: str | None = None
    """Why."""
    expires: str | None = None
    """A span such as 30d, a day, or a time."""


class Errors(Struct, frozen=True, kw_only=True):
    """Why a request was not processed."""

    message: str
    """High-level description."""
    code: str
    field_errors: Mapping[str, tuple[str, ...]]
    """Problems by the field's path."""
    global_errors: tuple[str, ...]
    """Problems of the request as a whole."""


class Event(Struct, frozen=True, kw_only=True):
    """What happened, and when."""

    type: EventType | str | None = None
    """`PURCHASE` for a first or only one."""
    transaction_id: str | int | None = None
    """Your name for the transaction. The same one is not counted twice."""
    timestamp: datetime | None = None
    """When it happened, RFC 3339. Without it: now."""


class EventCause(Struct, frozen=True, kw_only=True):
    """Events of a network about orders that were let through in the same way."""

    network: str
    """The card network."""
    passed_by: PassedBy
    """What let the orders through."""
    decision: Outcome | None
    """What was decided; null where it is not known."""
    rules: tuple[str, ...]
    """The rules that matched, all of them."""
    events: int
    """Reported frauds and disputes."""
    share: str
    """Percent of the network's events."""
    fraud_reports: int
    """Of these, reported frauds."""
    disputes: int
    """Of these, disputes."""
    fraud_disputes: int
    """Disputes about fraud."""
    request_ids: tuple[str, ...]
    """The decisions of the newest ones."""


class EventKind(OpenEnum):
    """What can happen to a review."""

    ASSIGNED = "ASSIGNED"
    CORRECTED = "CORRECTED"
    NOTE = "NOTE"
    OPENED = "OPENED"
    REOPENED = "REOPENED"
    RESOLVED = "RESOLVED"


class EventSettingsBody(Struct, frozen=True, kw_only=True):
    """What is to change; what is not sent stays."""

    decisions: Sequence[str] | None = None
    """An operation, or `*` for all, and after a colon the outcomes."""
    low_balance: Decimal | float | None = None
    """In units of the account's currency; 0 for none."""


class EventSettingsShown(Struct, frozen=True, kw_only=True):
    """What the account is told."""

    decisions: tuple[str, ...]
    """Which decisions are told."""
    low_balance: Money | None
    """Below which balance it is told; null for none."""


class EventType(OpenEnum):
    """What happened."""

    PURCHASE = "PURCHASE"
    RECURRING_PURCHASE = "RECURRING_PURCHASE"


class EventsResponse(Struct, frozen=True, kw_only=True):
    """Some events in their order, and how to go on."""

    events: tuple[PublicEvent, ...]
    """Oldest first."""
    cursor: str
    """Send it as `after` to get what comes next."""
    has_more: bool
    """Whether there may be more by now."""


class EvidenceKeeping(Struct, frozen=True, kw_only=True):
    """Whether what evidence needs stays readable."""

    keep: bool
    """Whether it does; no, unless you say so."""


class EvidenceKept(Struct, frozen=True, kw_only=True):
    """What an account keeps for evidence."""

    keep: bool
    """Whether it is kept from now on."""
    days: int
    """For so many days."""
    orders: int
    """Of so many orders something is kept."""


class EvidencePacket(Struct, frozen=True, kw_only=True):
    """What is sent to the provider as `evidence`."""

    enhanced_evidence: EnhancedEvidence = field(name="enhanced_evidence")
    """By network."""
    fill_in: tuple[str, ...] | None = None
    """Fields that are not known here and that you fill in before you send it."""


class EvidencePaper(Struct, frozen=True, kw_only=True):
    """The evidence for an order as a PDF."""

    name: str
    """A name for the file."""
    content: str
    """The PDF, Base64."""


class ExemptionPlacement(OpenEnum):
    """Where an exemption is asked for."""

    AUTHENTICATION = "AUTHENTICATION"
    AUTHORIZATION = "AUTHORIZATION"


class ExperimentEnd(OpenEnum):
    """Why an experiment ended."""

    CHANGED = "changed"
    HARM = "harm"
    STOPPED = "stopped"


class ExperimentKind(OpenEnum):
    """What the arms differ in."""

    HOLD_OUT = "hold_out"
    MODEL = "model"
    RULES = "rules"


class ExperimentPage(Struct, frozen=True, kw_only=True):
    """The experiments of an account, newest first."""

    experiments: tuple[ExperimentShown, ...]


class ExperimentResult(Struct, frozen=True, kw_only=True):
    """What an experiment has shown so far."""

    counted_until: datetime
    """Decisions up to here are counted."""
    complete: bool
    """Whether all of them are; false while older ones are being read."""
    control: ArmResult
    """What is in force."""
    challenger: ArmResult
    """What challenges it."""
    declines: MeasureResult
    """By the cards or users that were ever declined."""
    fraud: MeasureResult
    """By the cards or users with accepted fraud."""
    let_through: LetThroughResult | None = None
    """Of a hold-out; null for all others."""


class ExperimentShown(Struct, frozen=True, kw_only=True):
    """A live experiment."""

    id: str
    """Its id."""
    name: str
    """What people call it."""
    kind: ExperimentKind
    """What the arms differ in."""
    assigned_by: AssignedBy
    """Whose requests always get the same arm."""
    percent: int
    """The challenger's share in percent."""
    control: str
    """What the control decides by."""
    challenger: str
    """What the challenger decides by."""
    maturity_days: int
    """When labels count as known."""
    most_declined_percent: int
    """Where declines are harm."""
    most_fraud_percent: int
    """Where fraud is harm."""
    started_at: datetime
    """When it began (RFC 3339)."""
    ended_at: datetime | None
    """When it ended; null until then."""
    ended_because: ExperimentEnd | None
    """`stopped`: somebody ended it. `harm`: the challenger did harm. `changed`: a rule set or the
    model of an arm was changed.
    """


class ExperimentWanted(Struct, frozen=True, kw_only=True):
    """A live experiment to start."""

    name: str
    """What people call it."""
    kind: ExperimentKind | str
    """What the arms differ in."""
    percent: int
    """How many of a hundred cards or users get the challenger."""
    assigned_by: AssignedBy | str | None = None
    """Whose requests always get the same arm."""
    rule_set: str | None = None
    """The rule set in whose place the challenger decides."""
    challenger_rule_set: str | None = None
    """The rule set that challenges it; it must be in force, too."""
    challenger_model: int | None = None
    """The model that challenges the one in force; 0 is the one that ships."""
    orders_per_day: int | None = None
    """How many orders a hold-out lets through on one day at most."""
    minor_units_per_day: int | None = None
    """What they come to at most, in minor units such as cents."""
    currency: str | None = None
    """Of these units; orders in others are not let through."""
    maturity_days: int | None = None
    """After how many days the labels of a decision count as known."""
    most_declined_percent: int | None = None
    """Ends by itself when more cards or users of the challenger are surely declined than so many
    percent of the control's.
    """
    most_fraud_percent: int | None = None
    """The same for accepted fraud."""


class ExpiringCredit(Struct, frozen=True, kw_only=True):
    """An amount that was credited until a day."""

    credit_id: str
    """Its entry in the ledger."""
    amount: Money
    """What was credited."""
    left: Money
    """What of it is not spent; the credit that ends soonest goes first."""
    expires_at: datetime
    """When what is left is taken back (RFC 3339)."""


class ExplainedChange(Struct, frozen=True, kw_only=True):
    """What would have changed a decision."""

    text: str
    """The change and what it would have led to."""
    decision: Outcome | None = None
    """What would have been decided."""
    signals: Mapping[str, Any] | None = None
    """The signals that would have been different. `(another)` is any text that no rule and no list
    names.
    """
    lists: Mapping[str, bool] | None = None
    """Lists on which the request's value would have been, or not have been."""
    unless: tuple[str, ...] | None = None
    """Stages that did not run and would have run then. It is assumed that they would have found
    nothing against the request.
    """


class ExplainedReason(Struct, frozen=True, kw_only=True):
    """One reason of a decision, in words."""

    text: str
    """The reason, as a sentence."""
    stage: str
    """The stage that it comes from."""
    code: str | None = None
    """Name of the rule, or code of the result."""
    decisive: bool | None = None
    """Whether the decision is what it is because of it."""
    outcome: Outcome | None = None
    """What the rule or the stage wants to be decided."""
    effect: float | None = None
    """What it added to Sentry's score, in log-odds."""
    signals: Mapping[str, Any] | None = None
    """What the rule looked at, as it was."""


class Explanation(Struct, frozen=True, kw_only=True):
    """Why a request was decided as it was, and what would have changed that. Its texts are
    sentences that can be said in other languages, until `in_english` is asked for.
    """

    summary: str
    """What was decided, and by what."""
    reasons: tuple[ExplainedReason, ...]
    """In order of their weight."""
    changes: tuple[ExplainedChange, ...]
    """What would have changed the decision, smallest change first. Each was checked by judging the
    request again.
    """
    notes: tuple[str, ...]
    """What could not be told, and how far it was looked for."""


class ExplorationRequest(Struct, frozen=True, kw_only=True):
    """Decisions to count in groups; by default those of the last 30 days."""

    by: str
    """A signal, or `decision`, `operation`, `rule` or `shadowRule`."""
    also: str | None = None
    """Another one, for pairs."""
    groups: int | None = None
    """How many are told apart; of pairs, 12 on each side."""
    since: str | None = None
    """The first moment: a day, or a time such as 2026-11-15T08:30:00Z."""
    until: str | None = None
    """The first moment after it, in the same words. Default: now."""
    time_zone: str | None = None
    """Whose days the trend counts."""
    where: Sequence[str] | None = None
    """Conditions in the language of rules; all must hold."""
    decision: Sequence[Outcome | str] | None = None
    """Only these."""
    operation: Sequence[str] | None = None
    """Only decisions of these."""
    rule: Sequence[str] | None = None
    """Only those that one of these rules hit."""
    shadow_rule: Sequence[str] | None = None
    """The same of rules in shadow."""


class FeedbackBatch(Struct, frozen=True, kw_only=True):
    """Statements about requests."""

    items: Sequence[FeedbackRequest]
    """Each as `POST /api/v1/feedback` takes it."""


class FeedbackBatchResponse(Struct, frozen=True, kw_only=True):
    """What became of the statements."""

    recorded: int
    """How many were kept."""
    refused: int
    """How many were not."""
    items: tuple[FeedbackItemResult, ...]
    """In the order of the request."""


class FeedbackEntry(Struct, frozen=True, kw_only=True):
    """One label that a request was given."""

    label: Label
    """What was said."""
    previous_label: Label | None
    """What counted before; null when nothing did."""
    when: datetime | None
    """When it was found out, or charged back (RFC 3339)."""
    amount: Decimal | None
    """What was lost or charged back."""
    currency: str | None
    """ISO 4217 code of the amount."""
    recorded_at: datetime
    """When it was kept (RFC 3339)."""
    source: LabelSource
    """How it came in."""
    by: str
    """The key, or the operator, that said it."""


class FeedbackFile(Struct, frozen=True, kw_only=True):
    """A file of feedback."""

    format: Any
    """How the file is written."""
    content: str
    """The file, in UTF-8."""


class FeedbackHistory(Struct, frozen=True, kw_only=True):
    """The label of a request, with its history."""

    request_id: str
    """The `requestId` of the decision."""
    label: Label | None
    """What counts now; null when nothing was said, or it was withdrawn."""
    history: tuple[FeedbackEntry, ...]
    """What was said, newest first, up to a hundred."""


class FeedbackItemResult(Struct, frozen=True, kw_only=True):
    """What became of one statement."""

    recorded: bool
    """Whether it was kept."""
    error: str | None
    """Why not."""
    requests: tuple[FeedbackOutcome, ...]
    """The requests it speaks of."""


class FeedbackOutcome(Struct, frozen=True, kw_only=True):
    """What the feedback changed for one request."""

    request_id: str
    """The `requestId` of the decision."""
    label: Label
    """What was said now."""
    previous_label: Label | None
    """What counted until now; null when nothing did."""
    changed: bool
    """Whether it was news; the same said again changes nothing."""


class FeedbackReceipt(Struct, frozen=True, kw_only=True):
    """Feedback that was kept."""

    label: Label
    """What was said."""
    recorded_at: datetime
    """When it was kept; of what was said before, that time (RFC 3339)."""
    requests: tuple[FeedbackOutcome, ...]
    """The requests it speaks of, oldest first."""


class FeedbackRequest(Struct, frozen=True, kw_only=True):
    """What became of a request, or of all requests of one transaction or reference."""

    label: Label | str
    """`FRAUD`, `CHARGEBACK`, `CARD_TESTING`, `ABUSE` or `LEGITIMATE`; `WITHDRAWN` takes back what
    was said before. What is said last counts.
    """
    request_id: str | None = None
    """The `requestId` of the answer. Give exactly one of the three names."""
    transaction_id: str | int | None = None
    """The `transactionId` that was sent to Sentry, alone or in a pipeline."""
    client_reference_id: str | int | None = None
    """The `clientReferenceId` that was sent, unless it looks like a card number or has control
    characters: such a one is not kept as it is.
    """
    when: datetime | None = None
    """When it was found out, or charged back, RFC 3339."""
    amount: Decimal | float | None = None
    """What was lost or charged back, in units of the currency, with at most six decimals."""
    currency: str | None = None
    """ISO 4217 code of the amount."""


class FieldWarning(Struct, frozen=True, kw_only=True):
    """A field of a request that nothing reads."""

    path: str
    """Path of the field; empty in the entry that counts the fields not listed."""
    message: str
    """Why nothing reads it, and which field may have been meant."""


class FoundInputChoice(Struct, frozen=True, kw_only=True):
    """Whether the values of a custom input are remembered that nobody declared."""

    key: str
    """Key of `customInputs`."""
    remembered: bool
    """False is no, and stays no until it is true again."""


class FoundInputShown(Struct, frozen=True, kw_only=True):
    """A custom input that nobody declared."""

    key: str
    """Key of `customInputs`."""
    kind: InputKind | None
    """What it looks like: an identifier, whose values few people share, or a category. Missing
    where the account refused it before it was found.
    """
    since: datetime
    """When it was found, or refused (RFC 3339)."""
    remembered: bool
    """Whether its values are remembered; false if the account said no."""


class FoundInputsShown(Struct, frozen=True, kw_only=True):
    """What Sentry found in an account's custom inputs."""

    inputs: tuple[FoundInputShown, ...]
    """The earliest first."""


class GatewayRequest(Struct, frozen=True, kw_only=True):
    """What is to be paid; what is left out is taken from the order."""

    amount: Decimal | float | None = None
    """Amount to pay, in units of the currency."""
    currency: str | None = None
    """ISO 4217 code."""
    three_d_secure: ThreeDSecure | None = None
    """What 3-D Secure found for this payment, or why it was not needed."""
    stored_credential: StoredCredential | None = None
    """For payments with a card that you store, or stored before. Leave it out for a single
    payment.
    """


class GatewayResponse(Struct, frozen=True, kw_only=True):
    """Gateway's answer."""

    status: GatewayStatus
    """What became of the payment. With ERROR the gateway failed or was late, and whatever it did
    is reversed.
    """
    response_code: str | None
    """The gateway's own code, null when it gave none."""
    approval_code: str | None
    """Code of the approval, null unless APPROVED."""
    payment_id: str | None = None
    """The id of the payment at the party that answered, to capture or refund it there; null when
    it gave none.
    """
    party: str | None = None
    """The party that answered: the name of its connector; null without one."""
    network_transaction_id: str | None = None
    """The network's id of the payment, to which later payments with the stored card refer; null
    when the party gave none.
    """


class GatewayStatus(OpenEnum):
    """What became of the payment."""

    APPROVED = "APPROVED"
    DECLINED = "DECLINED"
    ERROR = "ERROR"


class Goods(OpenEnum):
    """What was sold, in a word."""

    MERCHANDISE = "merchandise"
    SERVICES = "services"


class IdVerifyRequest(Struct, frozen=True, kw_only=True):
    """A card, and what is claimed about the person who holds it."""

    card_number: str
    """Payment card number: 12 to 19 digits, no spaces or dashes."""
    card_expiry_date: str
    """Last valid month, YYYY-MM."""
    card_holder_email_address: str | None = None
    """E-mail address."""
    card_holder_phone_number: str | None = None
    """Phone number, best in international form."""
    card_holder_name: CardHolderName | None = None
    """Name."""
    card_holder_ids: CardHolderIds | None = None
    """Government identifiers by type."""
    payee_name: str | None = None
    """Name of a person or a company to be paid; `payeeMatch` answers whether it is the name of a
    holder.
    """
    client_reference_id: str | int | None = None
    """Caller's own reference, kept with the decision and searchable."""
    payment_account_reference: str | None = None
    """Payment Account Reference (PAR) of the account behind the card number, as your processor or
    token service gives it: 29 capital letters and digits. All tokens of one account have the
    same. Only a fingerprint is kept.
    """
    credential_type: CredentialType | str | None = None
    """What kind of number `cardNumber` is: the card's own as the customer entered it (`PAN`) or as
    you kept it (`STORED_PAN`), a network's token for you (`NETWORK_TOKEN`), or a device's
    (`DEVICE_TOKEN`: Apple Pay, Google Pay).
    """


class IdVerifyResponse(Struct, frozen=True, kw_only=True):
    """What ID Verify answers: one result for each attribute, of the best single person."""

    card_holder_email_address_verification_results: Result
    """The e-mail address."""
    card_holder_phone_number_verification_results: Result
    """The phone number."""
    id_verification: Mapping[str, Result]
    """One result for each identifier that was sent."""
    verification_level: VerificationLevel
    """How much was given to verify."""
    card_holder_name_verification_result: NameVerification | None = None
    """Present when a name was sent."""
    payee_match: PayeeMatch | None = None
    """Present when `payeeName` was sent: `MTCH` it is the name of a holder, `CMTC` it comes close,
    `NMTC` it is another name, `NOAP` it could not be compared.
    """


class IdentifierType(OpenEnum):
    """The kinds of government identifiers."""

    DRIVERLICENSE = "DRIVERLICENSE"
    NATIONALIDENTITY = "NATIONALIDENTITY"
    PASSPORT = "PASSPORT"
    TAX = "TAX"


class IdentitiesErased(Struct, frozen=True, kw_only=True):
    """Records that are gone."""

    erased: int
    """How many."""
    dry_run: bool
    """Whether this was a dry run, which changes nothing."""


class IdentitiesFound(Struct, frozen=True, kw_only=True):
    """Records with their values masked."""

    records: tuple[Mapping[str, Any], ...]
    """Up to a hundred; of each value only enough to recognise it."""
    total: int
    """How many there are."""


class IdentityErasure(Struct, frozen=True, kw_only=True):
    """Which records are erased, and why."""

    reason: str
    """Why."""
    card_number: str | None = None
    """Give exactly one."""
    person_id: str | None = None
    """The `id` of a record."""
    reference: str | None = None
    """The reference of the import."""


class IdentityFile(Struct, frozen=True, kw_only=True):
    """A file of identity records."""

    format: Any
    """How the file is written."""
    content: str
    """The file, in UTF-8."""


class IdentitySearch(Struct, frozen=True, kw_only=True):
    """Which records: of a card, of a person on record, or of a reference."""

    card_number: str | None = None
    """Give exactly one."""
    person_id: str | None = None
    """The `id` of a record."""
    reference: str | None = None
    """The reference of the import."""


class Initiator(OpenEnum):
    """Who begins a payment."""

    CUSTOMER = "CUSTOMER"
    MERCHANT = "MERCHANT"


class InputKind(OpenEnum):
    """What a custom input looks like."""

    CATEGORY = "CATEGORY"
    IDENTIFIER = "IDENTIFIER"


class IntentState(OpenEnum):
    """The state of a payment without a clear answer."""

    FAILED = "FAILED"
    OPEN = "OPEN"
    REVERSE = "REVERSE"
    REVERSED = "REVERSED"
    REVIEW = "REVIEW"


class Invoice(Struct, frozen=True, kw_only=True):
    """An invoice or credit note; never changed."""

    invoice_id: str
    """Its id."""
    number: str
    """Its number."""
    kind: InvoiceKind
    """What it is."""
    month: str
    """YYYY-MM."""
    issued_on: date
    """Day of issue, in UTC."""
    due_on: date
    """Day until which it is to be paid."""
    currency: str
    """ISO 4217 code."""
    seller: Party
    """Who sells."""
    buyer: Party
    """Who buys."""
    tax: TaxTerms
    """The tax of all its lines."""
    lines: tuple[InvoiceLine, ...]
    """What was used."""
    volume_credit: Money
    """What tiers take off."""
    net: Money
    """Lines minus the volume credit."""
    tax_amount: Money
    """Tax on `net`."""
    total: Money
    """`net` and tax."""
    paid: Money
    """What was paid from the balance already."""
    due: Money
    """What is to be paid."""
    carried_in: Money
    """Less than a minor unit that the invoice before left over."""
    carried_out: Money
    """Less than a minor unit for the next one."""
    iban: str | None = None
    """Where to pay to."""
    credits: str | None = None
    """Number of the invoice that a credit note is about."""
    reason: str | None = None
    """Why a credit note was issued."""
    expired_credits: Money | None = None
    """What was taken back of credits that expired in the month, if any; no part of the amounts."""


class InvoiceKind(OpenEnum):
    """What a paper is."""

    CREDIT_NOTE = "CREDIT_NOTE"
    INVOICE = "INVOICE"


class InvoiceLine(Struct, frozen=True, kw_only=True):
    """One position."""

    item: str
    """A fee type, `COMMITMENT` for what a month costs at least, or `CREDIT`."""
    count: int
    """How many."""
    unit_price: Money
    """The price of each."""
    amount: Money
    """In whole minor units; they add up to `net`."""


class InvoiceList(Struct, frozen=True, kw_only=True):
    """An account's invoices."""

    invoices: tuple[InvoiceSummary, ...]
    """The newest first."""


class InvoiceSummary(Struct, frozen=True, kw_only=True):
    """An invoice in a list."""

    invoice_id: str
    """Its id."""
    number: str
    """Its number."""
    kind: InvoiceKind
    """What it is."""
    month: str
    """YYYY-MM."""
    issued_on: date
    """Day of issue, in UTC."""
    total: Money
    """With tax."""
    due: Money
    """What is to be paid."""


class JobPage(Struct, frozen=True, kw_only=True):
    """Jobs, newest first."""

    jobs: tuple[JobResponse, ...]
    """Newest first."""
    has_more: bool
    """Whether there are more."""


class JobResponse(Struct, frozen=True, kw_only=True):
    """A job: how far it is, and what came of it."""

    job_id: str
    """Its id."""
    kind: str
    """What it does."""
    state: JobState
    """`QUEUED`, `RUNNING`, `SUCCEEDED`, `FAILED` or `CANCELED`."""
    started_by: str
    """The key, or the operator, that asked for it."""
    created_at: datetime
    """When it was asked for (RFC 3339)."""
    started_at: datetime | None
    """When a server last began with it (RFC 3339)."""
    finished_at: datetime | None
    """When it ended (RFC 3339)."""
    done: int | None
    """How much is done."""
    total: int | None
    """Of how much, where known."""
    step: str | None
    """What it is doing."""
    error: str | None
    """Why it failed."""
    result: Mapping[str, Any] | None
    """What came of it; its fields depend on the kind."""


class JobState(OpenEnum):
    """How far a job is."""

    CANCELED = "CANCELED"
    FAILED = "FAILED"
    QUEUED = "QUEUED"
    RUNNING = "RUNNING"
    SUCCEEDED = "SUCCEEDED"


class JoinedAgain(Struct, frozen=True, kw_only=True):
    """What became of looking for decisions again."""

    looked_at: int
    """Outcomes that had no decision."""
    joined: int
    """How many have one now."""
    ambiguous: int
    """How many could be about several."""
    labelled: int
    """Labels that follow from them."""


class JoinedBy(OpenEnum):
    """By what the decision of an outcome was found."""

    ARN = "ARN"
    CARD = "CARD"
    HAND = "HAND"
    PAYMENT = "PAYMENT"
    REFERENCE = "REFERENCE"
    REQUEST = "REQUEST"
    TRANSACTION = "TRANSACTION"


class KeptCard(Struct, frozen=True, kw_only=True):
    """All that may be kept of a card, and what the world knows about its issuer."""

    brand: str | None
    """Card brand, null when it is none we know."""
    bin: str
    """First eight digits, six of a number below 16 digits."""
    last_four: str | None
    """Last four digits, from 14 digits on."""
    expiry: str | None
    """Last valid month, YYYY-MM, null when it was not sent."""
    country: str | None
    """Issuer's country, soft evidence."""
    funding: str | None
    """CREDIT, DEBIT or CHARGE, soft evidence."""
    prepaid: bool | None
    """Whether it is prepaid, if known."""
    fingerprint: str
    """Same card of the account, same fingerprint; reveals nothing."""
    account_fingerprint: str | None = None
    """The same of the account that the card number belongs to, if its `paymentAccountReference`
    was sent: all its tokens have the same.
    """
    credential_type: CredentialType | None = None
    """What kind of number the card number is, if that was sent."""


class KeptFile(Struct, frozen=True, kw_only=True):
    """A file that was attached to a dispute."""

    file_id: str
    """Its id."""
    name: str
    """Its name."""
    type: str
    """What its content is."""
    size: int
    """Bytes."""
    added_at: datetime
    """When it was attached (RFC 3339)."""
    added_by: str
    """Who attached it."""


class KeyPage(Struct, frozen=True, kw_only=True):
    """All keys of an account."""

    keys: tuple[KeyShown, ...]
    """Oldest first."""


class KeyRevocation(Struct, frozen=True, kw_only=True):
    """Why a key is revoked."""

    reason: str
    """Why."""
    children: bool | None = None
    """Whether the keys that it issued are revoked too, and those that they issued."""


class KeyRotation(Struct, frozen=True, kw_only=True):
    """How to rotate a key."""

    overlap_s: int | None = None
    """Seconds for which the old key still works."""


class KeyShown(Struct, frozen=True, kw_only=True):
    """A key without its text."""

    key_id: str
    """Its id."""
    name: str
    """For people."""
    status: str
    """`active`, `expired` or `revoked`."""
    scopes: tuple[str, ...]
    """What it is for."""
    networks: tuple[str, ...]
    """From where."""
    rate_limit_per_second: int | None
    """Its own limit, if it has one."""
    created_at: datetime
    """When it was issued (RFC 3339)."""
    expires_at: datetime | None
    """When it ends (RFC 3339)."""
    revoked_at: datetime | None
    """When it was revoked (RFC 3339)."""
    last_used_at: datetime | None
    """When it was last used, to about a minute (RFC 3339)."""
    successor: str | None
    """The key that replaced it."""
    parent: str | None
    """The key that issued it, or the successor of that key."""


class KeyTold(Struct, frozen=True, kw_only=True):
    """A new key with its text."""

    key: str
    """The key itself. It is told here only and cannot be had again."""
    issued: KeyShown
    """What it may do."""


class Label(OpenEnum):
    """What a request turned out to be, some time after it was answered."""

    ABUSE = "ABUSE"
    CARD_TESTING = "CARD_TESTING"
    CHARGEBACK = "CHARGEBACK"
    FRAUD = "FRAUD"
    LEGITIMATE = "LEGITIMATE"
    WITHDRAWN = "WITHDRAWN"


class LabelAuditRequest(Struct, frozen=True, kw_only=True):
    """Which labels to check, as a training would take them."""

    since: str | None = None
    """The first moment: a day, or a time such as 2026-11-15T08:30:00Z."""
    until: str | None = None
    """The first moment after it, in the same words. Default: now."""
    label_delay_days: int | None = None
    """How long labels are waited for; newer requests are left out."""
    holdout: Decimal | float | None = None
    """Share of the newest requests to measure on."""
    presume: bool | None = None
    """Whether requests without a label count as legitimate."""


class LabelMany(Struct, frozen=True, kw_only=True):
    """One label for many decisions."""

    label: Label | str
    """What they turned out to be."""
    request_ids: Sequence[str] | None = None
    """The `requestId`s of 1 to 1000 decisions; give this or `search`."""
    search: DecisionSearchRequest | None = None
    """As for a search; at most 10000 may fit. Its page is ignored."""


class LabelSource(OpenEnum):
    """How a label came in."""

    API = "api"
    COMMAND = "command"
    IMPORT = "import"
    OUTCOME = "outcome"
    REVIEW = "review"


class LetThroughResult(Struct, frozen=True, kw_only=True):
    """What became of the orders that a hold-out let through."""

    orders: int
    """Accepted although rules decline them."""
    mature: int
    """Those whose labels count as known."""
    mature_fraud: int
    """Of these, fraud."""
    false_positives: float | None
    """The share of the declines that are wrong; null without a mature order."""
    least: float | None
    """It is hardly below (95 %, Wilson)."""
    most: float | None
    """Nor above."""
    cost: tuple[Money, ...]
    """Fraud among them, as known by now."""


class LiableParty(OpenEnum):
    """Who bears a fraud, if the advice is followed and the issuer agrees."""

    ISSUER = "ISSUER"
    MERCHANT = "MERCHANT"


class LimitInForce(Struct, frozen=True, kw_only=True):
    """Up to which amount an exemption can be asked for, and on which condition."""

    article: int
    """16 for low values, 18 for risk analysis."""
    up_to: int
    """The largest amount, in units."""
    currency: str
    """Of the amount."""
    formula: str
    """What must hold besides, in words."""
    source: str
    """Where the figures are from; `default` was not compared with the text."""


class ListAnswer(Struct, frozen=True, kw_only=True):
    """What a list said to a rule."""

    signal: str
    """What was looked up."""
    list: str
    """Where."""
    listed: bool | None
    """Whether it is there; null if the signal has no value."""


class ListDropped(Struct, frozen=True, kw_only=True):
    """A list that is gone."""

    name: str
    """Its name."""
    entries: int
    """How many were in force."""


class ListKind(OpenEnum):
    """What the entries of a list are."""

    BINS = "bins"
    CARDS = "cards"
    COUNTRIES = "countries"
    DEVICES = "devices"
    DOMAINS = "domains"
    EMAILS = "emails"
    NETWORKS = "networks"
    PHONES = "phones"
    USERS = "users"
    WORDS = "words"


class ListMany(Struct, frozen=True, kw_only=True):
    """A list for who or what acted in many decisions."""

    list: str
    """The list."""
    entity: EntityType | str
    """What is put on it."""
    reason: str
    """Why."""
    request_ids: Sequence[str] | None = None
    """The `requestId`s of 1 to 1000 decisions; give this or `search`."""
    search: DecisionSearchRequest | None = None
    """As for a search; at most 10000 may fit. Its page is ignored."""
    days: int | None = None
    """After how many days the entries expire; without it, never."""


class ListOperation(Struct, frozen=True, kw_only=True):
    """One change of a list."""

    action: str
    """What was done."""
    by: str
    """By whom."""
    at: datetime
    """When (RFC 3339)."""
    counts: Mapping[str, int]
    """How many entries became what."""


class ListOperationPage(Struct, frozen=True, kw_only=True):
    """Changes of a list, newest first."""

    operations: tuple[ListOperation, ...]
    """Newest first."""
    has_more: bool
    """Whether there are more."""
    cursor: str | None
    """For `startingAfter` of the next page."""


class ListPage(Struct, frozen=True, kw_only=True):
    """All lists of an account."""

    lists: tuple[ListShown, ...]
    """By name."""


class ListShown(Struct, frozen=True, kw_only=True):
    """A list."""

    name: str
    """Its name."""
    kind: ListKind
    """What it holds."""
    description: str | None
    """What it is for."""
    entries: int
    """How many are in force."""
    created_at: datetime
    """When it was made (RFC 3339)."""


class MarketMonth(Struct, frozen=True, kw_only=True):
    """The orders of one country: of the billing address, else the card, else the network."""

    country: str | None
    """ISO 3166-1 alpha-2; null where none is known."""
    orders: int | None = None
    """Decisions with an outcome."""
    accepted: int | None = None
    """Accepted in the end: at once, or by a person."""
    reviewed: int | None = None
    """Sent to a person first."""
    declined: int | None = None
    """Declined in the end: at once, or by a person."""
    labelled: int | None = None
    """Accepted, and known to be fraud or not."""
    fraud: int | None = None
    """Accepted, and known to be fraud."""
    disputed: int | None = None
    """Accepted, and disputed since."""


class Matched(Struct, frozen=True, kw_only=True):
    """A rule that matched."""

    id: str
    """Name of the rule."""
    rule_set: str
    """Rule set it belongs to."""
    version: int
    """Version of the rule set."""
    outcome: Outcome
    """What the rule decides by itself."""
    tags: tuple[str, ...]
    """The rule's tags."""


class Measure(OpenEnum):
    """What is counted of requests."""

    DECLINED = "declined"
    DOUBTED = "doubted"
    FAILED = "failed"
    NEWCARDS = "newCards"
    REFUSED = "refused"
    REQUESTS = "requests"
    REVIEWED = "reviewed"
    SMALL = "small"


class MeasureDeparting(Struct, frozen=True, kw_only=True):
    """One of the counts that depart from the normal."""

    measure: Measure
    """What is counted."""
    count: int
    """How many there were."""
    usual: float
    """How many there usually are of as many requests."""
    requests: int
    """Of how many requests."""


class MeasureResult(Struct, frozen=True, kw_only=True):
    """The arms compared by one measure."""

    verdict: MeasureVerdict
    """Of the challenger's rate: `higher` or `lower` than the control's, `same` where both surely
    differ by less than a factor of 1.25, or `open`.
    """
    ratio: float | None
    """The challenger's rate by the control's."""
    least: float
    """The ratio is surely not below."""
    most: float | None
    """Nor above; null where nothing is known."""
    p_value: float
    """Valid at every look; a difference counts from 0.025 on."""
    needed: int | None
    """So many more cards or users to whom it happens are needed if it goes on like this; 0 when
    enough was seen, null for far too many.
    """


class MeasureVerdict(OpenEnum):
    """What was seen of a measure."""

    HIGHER = "higher"
    LOWER = "lower"
    OPEN = "open"
    SAME = "same"


class MembersListed(Struct, frozen=True, kw_only=True):
    """What became of the members of one kind."""

    list: str
    """The list."""
    added: int
    """How many are new on it."""
    changed: int
    """Got another expiry or reason."""
    unchanged: int
    """Were there alike."""


class MerchantRiskIndicator(Struct, frozen=True, kw_only=True):
    """`merchantRiskIndicator` of an authentication request."""

    ship_indicator: ShipIndicator | None = None
    """Where the goods go, as the request says."""
    delivery_timeframe: DeliveryTimeframe | None = None
    """When they come, as the request says."""
    reorder_items_ind: str | None = None
    """`01` the buyer orders this cart for the first time, `02` again."""
    pre_order_purchase_ind: str | None = None
    """`01` available, `02` later."""
    pre_order_date: str | None = None
    """When, as YYYYMMDD."""
    gift_card_count: str | None = None
    """Gift cards."""
    gift_card_amount: str | None = None
    """What they come to, in whole units."""


class MessageReplay(Struct, frozen=True, kw_only=True):
    """What to send again: one event, or all of a span of time."""

    event_id: str | None = None
    """One event."""
    since: datetime | None = None
    """All from then on (RFC 3339)."""
    until: datetime | None = None
    """Before then; without it, now."""


class MeterFilter(Struct, frozen=True, kw_only=True):
    """Which month to meter."""

    month: str | None = None
    """A month in UTC, such as 2026-11; this one if none is given."""


class MeteredProgramme(Struct, frozen=True, kw_only=True):
    """How a month stands against one level of a programme."""

    programme: str
    """Its name."""
    level: str
    """Its level."""
    of: ProgrammeSubject
    """Whom the level judges: a merchant, or the acquirer of many."""
    network: str
    """The card network."""
    scope: MeteredScope
    """`ACCOUNT` counts all merchant ids together, `MERCHANT` one of them."""
    merchant_id: str | None
    """The merchant id; null for all."""
    region: str | None
    """Its region; null if none is told."""
    events: int
    """What counts in this month."""
    sales: int
    """Sales that they are divided by."""
    sales_month: str
    """The month of these sales."""
    basis_points: str | None
    """The ratio in basis points, rounded to two decimals; null without sales."""
    formula: str
    """How it is worked out, in words."""
    limit_basis_points: int
    """From where on."""
    limit_events: int
    """And from how many events on."""
    needed_events: int
    """The fewest events with which both hold, with these sales."""
    reached_percent: int
    """How far on the way to the level: of the events that it needs, or of its amount, if that is
    further away. 0 where its other conditions keep it away.
    """
    met: bool
    """Whether all conditions of the level hold."""
    events_left: int | None
    """How many more events until they do; null while another condition, such as an amount, keeps
    the level away.
    """
    missing: tuple[OtherCondition, ...]
    """What else the level asks for and does not hold."""
    amount: str | None
    """What the events come to, where the level has an amount."""
    limit_amount: str | None
    """From which amount on."""
    currency: str | None
    """The currency of both amounts."""
    uncounted: Mapping[str, str]
    """Amounts in other currencies, which are not counted because the table of thresholds has no
    rate for them.
    """
    three_d_secure_basis_points: str | None
    """The share of sales with 3-D Secure, where the level asks for it."""
    limit_three_d_secure: int | None
    """It must be below, in basis points."""
    forecast: ProgrammeForecast | None
    """What the month will come to; null for a month of long ago, and where no sales, or neither
    events nor earlier months, are known.
    """
    source: str
    """Where the thresholds are from."""
    alone: str | None
    """Which figures one source alone states; ask your acquirer."""
    unverified: bool
    """Whether a figure of them is from memory; ask your acquirer."""


class MeteredScope(OpenEnum):
    """What is metered together."""

    ACCOUNT = "ACCOUNT"
    MERCHANT = "MERCHANT"


class MissingEvidence(OpenEnum):
    """Why there is no evidence."""

    NOTHING_IN_COMMON = "NOTHING_IN_COMMON"
    NOT_SETTLED = "NOT_SETTLED"
    NOT_VISA_FRAUD = "NOT_VISA_FRAUD"
    NO_CARD = "NO_CARD"
    NO_EARLIER_ORDERS = "NO_EARLIER_ORDERS"
    NO_IP_ADDRESS_OR_DEVICE = "NO_IP_ADDRESS_OR_DEVICE"
    ONE_EARLIER_ORDER = "ONE_EARLIER_ORDER"
    ONE_ELEMENT = "ONE_ELEMENT"
    OTHER_MERCHANT = "OTHER_MERCHANT"


class ModelFileTold(Struct, frozen=True, kw_only=True):
    """A model as a file."""

    version: int
    """Its number."""
    file: str
    """The text of the file (JSON)."""


class ModelImport(Struct, frozen=True, kw_only=True):
    """A model file to keep as a new version."""

    file: str
    """The text of the file."""
    trust: bool | None = None
    """Whether a file is taken that this account did not export."""
    note: str | None = None
    """Why, for the history."""


class ModelImported(Struct, frozen=True, kw_only=True):
    """Which version a file became; nothing uses it yet."""

    version: int
    """Its number."""
    own: bool
    """Whether this account exported it."""
    remarks: tuple[str, ...]
    """How it fits this version of the service."""


class ModelPage(Struct, frozen=True, kw_only=True):
    """All models of an account."""

    models: tuple[ModelShown, ...]
    """Newest first, the shipped one last."""


class ModelReported(Struct, frozen=True, kw_only=True):
    """A model with what was measured when it was trained."""

    version: int
    """Its number."""
    live: bool
    """Whether Sentry scores with it."""
    shadow: bool
    """Whether requests are scored with it, too; it decides nothing."""
    created_at: datetime | None
    """When it was trained (RFC 3339); null for the shipped."""
    by: str | None
    """Who had it trained."""
    note: str | None
    """Why."""
    report: Mapping[str, Any] | None = None
    """Its figures beside those of the model in force then; null if unknown."""
    costs: tuple[ThresholdCostShown, ...] | None = None
    """What its thresholds cost; null unless the account has set its costs."""


class ModelShadow(Struct, frozen=True, kw_only=True):
    """Whether a model scores beside the one in force."""

    version: int
    """The model."""
    since: datetime | None
    """Since when it does (RFC 3339); null if it does not."""


class ModelShown(Struct, frozen=True, kw_only=True):
    """A model."""

    version: int
    """Its number."""
    live: bool
    """Whether Sentry scores with it."""
    shadow: bool
    """Whether requests are scored with it, too; it decides nothing."""
    created_at: datetime | None
    """When it was trained (RFC 3339); null for the shipped."""
    by: str | None
    """Who had it trained."""
    note: str | None
    """Why."""


class ModelSwitched(Struct, frozen=True, kw_only=True):
    """Which model is live now."""

    version: int
    """Its number."""
    before: int
    """The one until now."""
    remarks: tuple[str, ...]
    """How it fits this version of the service."""
    mapped: bool | None = None
    """Whether its scores are told so that thresholds keep their meaning."""
    thresholds: tuple[ThresholdKept, ...] | None = None
    """Thresholds in use."""


class ModelTrialShown(Struct, frozen=True, kw_only=True):
    """What the newest trial of a model found."""

    version: int
    """The model."""
    finished_at: datetime | None
    """When the trial ended (RFC 3339); null without one."""
    is_current: bool
    """Whether the model in force is still the one compared with."""
    trial: Mapping[str, Any] | None
    """Agreement, decisions that would differ, both models' figures on labels, and each threshold
    in use with one of equal share; null without a trial.
    """


class Money(Struct, frozen=True, kw_only=True):
    """An exact amount of one currency."""

    currency: str
    """ISO 4217 code."""
    amount: Decimal
    """Exact decimal number."""


class MoneyMonth(Struct, frozen=True, kw_only=True):
    """What became of the payments of a month in one currency."""

    month: str
    """The month, in UTC."""
    currency: str | None
    """ISO 4217 code; null for outcomes without an amount."""
    settled: MoneySum
    """Settled in the month."""
    refunded: MoneySum
    """Refunded in the month."""
    reported: MoneySum
    """Reported as fraud in the month."""
    disputed: MoneySum
    """Disputed in the month; mere questions are left out."""
    won: MoneySum
    """Of these disputes, won or taken back."""
    lost: MoneySum
    """Of these disputes, lost, accepted or settled before."""
    open: MoneySum
    """Of these disputes, without a result."""


class MoneyReport(Struct, frozen=True, kw_only=True):
    """What became of the money of some months."""

    months: tuple[MoneyMonth, ...]
    """Newest first, then by currency."""
    formula: str
    """What is added up, in words."""


class MoneySum(Struct, frozen=True, kw_only=True):
    """How many, and how much together."""

    count: int | None = None
    """How many."""
    amount: str | None = None
    """Their amounts together, as a decimal."""


class MonthlyReport(Struct, frozen=True, kw_only=True):
    """What became of the orders of a month, as known when the report was made."""

    month: str
    """The month."""
    time_zone: str
    """Whose midnights it begins and ends at."""
    since: datetime
    """Its first moment (RFC 3339)."""
    until: datetime
    """The first moment after it (RFC 3339)."""
    made_at: datetime
    """When it was made (RFC 3339): what was told later is not in it."""
    requests: int
    """All requests."""
    counts: OrderCounts
    """All orders."""
    money: tuple[OrderMoney, ...]
    """By currency."""
    reviews: ReviewTimes
    """How people kept up."""
    analysts: tuple[AnalystMonth, ...]
    """Who handled most, first."""
    rules: tuple[RuleMonth, ...]
    """What matched most, first."""
    markets: tuple[MarketMonth, ...]
    """What has most orders, first."""
    rule_changes: tuple[RuleChangeFigures, ...]
    """Newest first."""


class NameResult(OpenEnum):
    """Whether names were compared at all."""

    NOT_PERFORMED = "NOT_PERFORMED"
    NOT_SUPPORTED = "NOT_SUPPORTED"
    PERFORMED = "PERFORMED"


class NameVerification(Struct, frozen=True, kw_only=True):
    """The results of comparing a name."""

    first_name_account_match_decision: Result
    """The first name."""
    middle_name_account_match_decision: Result
    """The middle name."""
    last_name_account_match_decision: Result
    """The last name."""
    name_match_decision: Result
    """The name as a whole."""
    name_result: NameResult
    """Whether names were compared."""


class NewDisputeFile(Struct, frozen=True, kw_only=True):
    """A file to attach."""

    name: str
    """Its name, for people."""
    content: str
    """A PDF, PNG, JPEG or plain text of at most 3 MiB, Base64."""


class NewKey(Struct, frozen=True, kw_only=True):
    """A key to issue."""

    name: str | None = None
    """For people."""
    scopes: Sequence[str] | None = None
    """What it is for. Without any, every operation and no management."""
    networks: Sequence[str] | None = None
    """From where it may be used; without any, from everywhere."""
    rate_limit_per_second: int | None = None
    """Not above that of the issuing key."""
    expires_in_s: int | None = None
    """Seconds until it ends, not later than the issuing key; without it, it ends with that one, if
    at all.
    """


class NewList(Struct, frozen=True, kw_only=True):
    """A list to create."""

    name: str
    """Its name."""
    kind: ListKind | str
    """What it holds."""
    description: str | None = None
    """What it is for."""


class NewWebhook(Struct, frozen=True, kw_only=True):
    """A webhook to add."""

    url: str
    """Where messages are sent, over HTTPS."""
    events: Sequence[str]
    """Types of events, `review.*` for all of a kind, or `*`."""
    decisions: Sequence[ToldDecisions] | None = None
    """Which decisions `decision.made` tells of; empty: all."""
    ordered: bool | None = None
    """Whether a message waits for the one before it."""
    description: str | None = None
    """What it is for."""
    signing: SecretKind | str | None = None
    """A shared secret, or a key pair."""


class NotificationPage(Struct, frozen=True, kw_only=True):
    """Notifications, newest first."""

    notifications: tuple[NotificationShown, ...]
    """Newest first."""
    has_more: bool
    """Whether there are more."""


class NotificationShown(Struct, frozen=True, kw_only=True):
    """What a provider told of a payment by itself."""

    notification_id: str
    """The id of the notification."""
    connector: str
    """The connector whose provider sent it."""
    event: NotifiedEvent
    """What it tells."""
    state: NotificationState
    """`APPLIED`: something followed from it. `NOTHING`: nothing was left to change. `WAITING`: it
    is applied next. `UNMATCHED`: it contradicts its payment.
    """
    request_id: str | None
    """The request that made the payment, once it is found."""
    received_at: datetime
    """When it came (RFC 3339)."""
    happened_at: datetime | None
    """When it happened, as the provider says (RFC 3339)."""
    changed_at: datetime
    """When its state last changed (RFC 3339)."""
    amount_minor: int | None
    """In the smallest unit of the currency."""
    currency: str | None
    """ISO 4217 code, if the provider names it."""
    reference: str | None
    """The provider's name for the operation or the case."""
    reason: str | None
    """Why nothing followed, or nothing so far."""


class NotificationState(OpenEnum):
    """What became of a notification."""

    APPLIED = "APPLIED"
    NOTHING = "NOTHING"
    UNMATCHED = "UNMATCHED"
    WAITING = "WAITING"


class NotifiedEvent(OpenEnum):
    """What a provider tells of."""

    CAPTURE_REFUSED = "capture_refused"
    CAPTURED = "captured"
    DISPUTED = "disputed"
    EXPIRED = "expired"
    FRAUD_REPORTED = "fraud_reported"
    REFUND_REFUSED = "refund_refused"
    REFUNDED = "refunded"
    VOID_REFUSED = "void_refused"
    VOIDED = "voided"


class OperationAmount(Struct, frozen=True, kw_only=True):
    """How much to capture or to refund."""

    amount_minor: int | None = None
    """In the smallest unit of the payment's currency; all that is left when it is not given."""
    operations_seen: int | None = None
    """How many operations the payment had when it was looked at; refused when it has others by
    now.
    """


class OperationFinding(Struct, frozen=True, kw_only=True):
    """What a person found out about an operation in doubt."""

    succeeded: bool
    """Whether the provider did it."""


class OperationKind(OpenEnum):
    """What is done with a payment."""

    CAPTURE = "CAPTURE"
    REFUND = "REFUND"
    VOID = "VOID"


class OperationShown(Struct, frozen=True, kw_only=True):
    """One operation on a payment."""

    operation_id: str
    """Its id."""
    kind: OperationKind
    """What is done."""
    state: OperationState
    """How far it is. WAITING, SENT and PENDING end by themselves. IN_DOUBT is asked again by
    itself where `nextAttemptAt` says when; otherwise a person settles it.
    """
    amount_minor: int
    """How much, in the smallest unit of the currency."""
    by: str
    """Who asked for it."""
    created_at: datetime
    """When it was asked for (RFC 3339)."""
    changed_at: datetime
    """When it last changed (RFC 3339)."""
    attempts: int
    """How often it was sent."""
    next_attempt_at: datetime | None
    """When it is sent next, if it is (RFC 3339)."""
    response_code: str | None
    """The provider's code for its answer."""
    reference: str | None
    """The provider's name for the operation."""
    reason: str | None
    """Why the last attempt came to nothing."""
    notification_id: str | None
    """The provider's notification that told how it ended."""


class OperationState(OpenEnum):
    """How far an operation is."""

    IN_DOUBT = "IN_DOUBT"
    PENDING = "PENDING"
    REFUSED = "REFUSED"
    SENT = "SENT"
    SUCCEEDED = "SUCCEEDED"
    WAITING = "WAITING"


class Order(Struct, frozen=True, kw_only=True):
    """What is bought, in total, and how the buyer came."""

    amount: Decimal | float | None = None
    """Total, in units of the currency."""
    currency: str | None = None
    """ISO 4217 code."""
    affiliate_id: str | int | None = None
    """Who sent the buyer."""
    referral_id: str | int | None = None
    """Which referral led here."""
    discount_codes: Sequence[str] | None = None
    """Codes that were used."""
    referrer_url: str | None = None
    """Page the buyer came from."""


class OrderAmount(Struct, frozen=True, kw_only=True):
    """What is to be paid, exactly."""

    currency: str | None
    """ISO 4217 code."""
    amount: Decimal
    """Exact decimal number."""


class OrderCounts(Struct, frozen=True, kw_only=True):
    """How many orders there were, and what became of them."""

    orders: int | None = None
    """Decisions with an outcome."""
    accepted: int | None = None
    """Accepted in the end: at once, or by a person."""
    reviewed: int | None = None
    """Sent to a person first."""
    declined: int | None = None
    """Declined in the end: at once, or by a person."""
    labelled: int | None = None
    """Accepted, and known to be fraud or not."""
    fraud: int | None = None
    """Accepted, and known to be fraud."""
    disputed: int | None = None
    """Accepted, and disputed since."""


class OrderEvidence(Struct, frozen=True, kw_only=True):
    """Whether two earlier orders show that an order was the cardholder's."""

    request_id: str
    """The decision."""
    qualified: bool
    """Whether Compelling Evidence 3.0 can be used."""
    summary: str
    """What was found, in a sentence."""
    dispute: str | None
    """The reference of its dispute; null when none is known, and then all this is as if it were
    disputed with reason 10.4.
    """
    respond_by: datetime | None
    """Until when to answer (RFC 3339)."""
    matched: tuple[SharedElement, ...]
    """What all three orders have in common."""
    missing: MissingEvidence | None
    """Why it cannot be used."""
    send: tuple[str, ...]
    """Fields to send with every request from now on."""
    advice: str | None
    """The same in a sentence."""
    earlier_orders: tuple[EarlierOrder, ...]
    """The nearest pair, the older one first."""
    countings: tuple[DayCounting, ...] | None = None
    """To which day the days since both earlier orders can be counted so that they are in time:
    sources differ.
    """
    packet: EvidencePacket | None = None
    """The packet in the field names of Stripe's API, if it can be used."""


class OrderMoney(Struct, frozen=True, kw_only=True):
    """The orders of a month in one currency; amounts of different ones are never added."""

    currency: str
    """ISO 4217 code."""
    orders: MoneySum
    """All orders."""
    accepted: MoneySum
    """Accepted in the end."""
    fraud: MoneySum
    """Accepted, and known to be fraud."""
    disputed: MoneySum
    """Accepted, and disputed since."""
    turned_away: MoneySum
    """Declined in the end."""
    saved: MoneySum
    """Declined, and known to be fraud."""
    wrongly_declined: MoneySum
    """Declined, and known to be legitimate."""


class OtherCondition(OpenEnum):
    """What a level asks for besides a ratio and a number of events."""

    AMOUNT = "AMOUNT"
    SALES = "SALES"
    THREE_D_SECURE = "THREE_D_SECURE"


class Outcome(OpenEnum):
    """The three decisions, weakest first."""

    ACCEPT = "ACCEPT"
    DECLINE = "DECLINE"
    REVIEW = "REVIEW"


class OutcomeBatch(Struct, frozen=True, kw_only=True):
    """Outcomes to keep."""

    items: Sequence[OutcomeReport]
    """Each is kept on its own."""


class OutcomeCandidate(Struct, frozen=True, kw_only=True):
    """A decision that an outcome can be about."""

    request_id: str
    """The `requestId` of the decision."""
    at: datetime
    """When it was made (RFC 3339)."""
    decision: str | None
    """What was decided."""
    amount: str | None
    """What was to be paid, as a decimal."""
    currency: str | None
    """ISO 4217 code of the amount."""
    card: str | None
    """The card, masked."""
    payment_id: str | None
    """The gateway's id of the payment."""


class OutcomeCandidates(Struct, frozen=True, kw_only=True):
    """The decisions that an outcome can be about."""

    found_by: JoinedBy | None
    """By what they were found."""
    candidates: tuple[OutcomeCandidate, ...]
    """Oldest first, up to 100."""


class OutcomeFile(Struct, frozen=True, kw_only=True):
    """A file of outcomes."""

    format: Any
    """How the file is written."""
    content: str
    """The file, in UTF-8."""
    mapping: str | None = None
    """What its columns mean: one of gatehouse, adyen-disputes, adyen-settlement, stripe-disputes,
    stripe-early-fraud-warnings, tabapay-fraud, or the text of a mapping in TOML.
    """


class OutcomeJoin(Struct, frozen=True, kw_only=True):
    """An outcome, and the decision that it is about."""

    kind: OutcomeKind | str
    """What happened."""
    reference: str
    """Its own name."""
    request_id: str | None = None
    """The `requestId` of the decision; null takes a decision away."""


class OutcomeKind(OpenEnum):
    """What happened to a payment."""

    ALERT = "ALERT"
    DISPUTE = "DISPUTE"
    FRAUD_REPORT = "FRAUD_REPORT"
    REFUNDED = "REFUNDED"
    SETTLED = "SETTLED"


class OutcomeNamed(Struct, frozen=True, kw_only=True):
    """Which outcome is meant."""

    kind: OutcomeKind | str
    """What happened."""
    reference: str
    """Its own name."""


class OutcomeNetwork(OpenEnum):
    """The card network of a payment."""

    AMEX = "AMEX"
    DISCOVER = "DISCOVER"
    MASTERCARD = "MASTERCARD"
    OTHER = "OTHER"
    VISA = "VISA"


class OutcomePage(Struct, frozen=True, kw_only=True):
    """Outcomes of an account."""

    outcomes: tuple[PaymentOutcome, ...]
    """Newest first, by when they happened."""
    next_cursor: str | None
    """Where the next page begins; null when there is none."""
    has_more: bool
    """Whether there are more."""


class OutcomeReceipt(Struct, frozen=True, kw_only=True):
    """What became of the outcomes."""

    new: int
    """How many were not known before."""
    changed: int
    """How many say something else now."""
    unchanged: int
    """How many were known as they are."""
    joined: int
    """Of all of them, how many are about a known decision."""
    labelled: int
    """How many decisions got a label from them."""
    ambiguous: int | None = None
    """How many could be about more than one decision."""
    withdrawn: int | None = None
    """How many labels were taken back."""
    unknown_reasons: int | None = None
    """How many have a reason that their network is not known to have: such a dispute counts as one
    that is not about fraud.
    """


class OutcomeReport(Struct, frozen=True, kw_only=True):
    """Something that became of a payment."""

    kind: OutcomeKind | str
    """What happened."""
    reference: str
    """Its own name, such as the acquirer's number of the dispute. The same reference of the same
    kind again replaces what was told before. One that looks like a card number is kept as a
    keyed hash.
    """
    at: datetime
    """When it happened: settled, refunded, reported, disputed (RFC 3339). Its month in UTC is the
    one it counts for.
    """
    network: OutcomeNetwork | str | None = None
    """The card network."""
    request_id: str | None = None
    """The `requestId` of the decision. Of this and the names below, give those that you know: the
    first that is known finds the decision.
    """
    transaction_id: str | int | None = None
    """The `transactionId` that Sentry was sent."""
    payment_id: str | None = None
    """The `paymentId` that Gateway answered."""
    client_reference_id: str | int | None = None
    """The `clientReferenceId` that was sent."""
    arn: str | None = None
    """Acquirer reference number, 23 digits. An outcome with the ARN of a settlement is about the
    same decision.
    """
    masked_card: str | None = None
    """The card without its middle, such as `411111******1111`. With amount and `transactionAt` it
    finds a decision of at most three days before or after, if only one fits. A whole card
    number is refused.
    """
    transaction_at: datetime | None = None
    """When the payment was made (RFC 3339)."""
    merchant_id: str | None = None
    """The merchant id at the acquirer."""
    region: str | None = None
    """Region of the merchant in the network's terms: AP, AU, CA, CEMEA, CH, DE, EU, IN, LAC, LI,
    MENA, SH, UK, US.
    """
    amount: Decimal | float | None = None
    """In units of the currency, at most six decimals."""
    currency: str | None = None
    """ISO 4217 code of the amount."""
    three_d_secure: bool | None = None
    """Of a settlement: whether it was authenticated."""
    reason: str | None = None
    """Of a dispute: the network's reason code."""
    fraud_type: str | None = None
    """Of a reported fraud: the network's type code."""
    stage: DisputeStage | str | None = None
    """Of a dispute: how far it has gone."""
    result: DisputeResult | str | None = None
    """Of a dispute or alert: how it ended. Of a reported fraud, `RESOLVED_BEFORE` says that
    compelling evidence ended it before a dispute.
    """
    respond_by: datetime | None = None
    """Of a dispute: until when to answer (RFC 3339)."""


class OutcomeScoresTold(Struct, frozen=True, kw_only=True):
    """How probable each outcome is, as far as the account's model has learned it."""

    fraud_dispute: float | None = None
    """That it is disputed as fraud, 0 to 1."""
    reported_fraud: float | None = None
    """That it is reported as fraud."""
    card_testing: float | None = None
    """That a stolen card is tried out."""
    abuse: float | None = None
    """That the cardholder misuses the order."""


class Outlook(OpenEnum):
    """Whether a level will be met when the month is over and everything is told."""

    LIKELY = "LIKELY"
    MET = "MET"
    POSSIBLE = "POSSIBLE"
    UNLIKELY = "UNLIKELY"


class PacketAddress(Struct, frozen=True, kw_only=True):
    """Where it was delivered."""

    line1: str | None = None
    """Street and number."""
    line2: str | None = None
    """What the first line has no room for."""
    city: str | None = None
    """City."""
    state: str | None = None
    """State or region."""
    postal_code: str | None = field(default=None, name="postal_code")
    """Postal code."""
    country: str | None = None
    """ISO 3166-1 alpha-2 code."""


class Party(Struct, frozen=True, kw_only=True):
    """Who sells or buys, as the law wants it named."""

    name: str
    """Legal name."""
    street: str
    """Street and number."""
    city: str
    """City."""
    country: str
    """ISO 3166 code."""
    postal_code: str | None = None
    """Where there is one."""
    vat_id: str | None = None
    """VAT number with its country."""
    registration: str | None = None
    """Number in a register of companies."""


class PassedBy(OpenEnum):
    """What let an order through."""

    IN_SPITE = "IN_SPITE"
    NOT_KNOWN = "NOT_KNOWN"
    NOT_REVIEWED = "NOT_REVIEWED"
    NO_RULE = "NO_RULE"
    NO_RULES_ASKED = "NO_RULES_ASKED"
    PERSON = "PERSON"
    RULES = "RULES"


class PayeeMatch(OpenEnum):
    """The results of a verification of payee, as banks exchange them."""

    CMTC = "CMTC"
    MTCH = "MTCH"
    NMTC = "NMTC"
    NOAP = "NOAP"


class PaymentEffect(OpenEnum):
    """What became of the payment that waited for a review."""

    LOST = "LOST"
    REVERSED = "REVERSED"
    STANDS = "STANDS"


class PaymentOutcome(Struct, frozen=True, kw_only=True):
    """Something that became of a payment, as it is kept."""

    kind: OutcomeKind
    """What happened."""
    reference: str
    """Its own name."""
    at: datetime
    """When it happened (RFC 3339)."""
    network: OutcomeNetwork
    """The card network."""
    request_id: str | None
    """The decision it is about; null when none was found."""
    joined_by: JoinedBy | None
    """By what the decision was found."""
    candidates: int
    """How many decisions it could be about, where one could not be told."""
    label: Label | None
    """The label that its decision has from it."""
    arn: str | None
    """Acquirer reference number."""
    merchant_id: str | None
    """The merchant id at the acquirer."""
    region: str | None
    """Region of the merchant."""
    amount: str | None
    """In units of the currency, as a decimal."""
    currency: str | None
    """ISO 4217 code of the amount."""
    reason: str | None
    """Of a dispute: the reason code."""
    fraud_type: str | None
    """Of a reported fraud: the type code."""
    stage: DisputeStage | None
    """Of a dispute: how far it has gone."""
    result: DisputeResult | None
    """How it ended."""
    three_d_secure: bool | None
    """Of a settlement: whether it was authenticated."""
    respond_by: datetime | None
    """Until when to answer (RFC 3339)."""


class PaymentPage(Struct, frozen=True, kw_only=True):
    """Payments, newest first."""

    payments: tuple[PaymentShown, ...]
    """Newest first."""
    has_more: bool
    """Whether there are more."""


class PaymentShown(Struct, frozen=True, kw_only=True):
    """A payment that the provider authorized, and what was done with it."""

    request_id: str
    """The request that made it."""
    state: PaymentState
    """What it is by what was done with it."""
    currency: str
    """ISO 4217 code."""
    authorized_minor: int
    """What was authorized, in the smallest unit of the currency."""
    captured_minor: int
    """What was captured, in the smallest unit of the currency."""
    refunded_minor: int
    """What was refunded, in the smallest unit of the currency."""
    capturable_minor: int
    """What can still be captured, in the smallest unit of the currency."""
    refundable_minor: int
    """What can still be refunded, in the smallest unit of the currency."""
    voidable: bool
    """Whether it can be voided."""
    authorized_at: datetime
    """When it was authorized (RFC 3339)."""
    connector: str | None
    """The connector that authorized it."""
    payment_id: str | None
    """The provider's id of the payment, if it gave one."""
    network_transaction_id: str | None
    """The network's id of the payment, to which later payments with the stored card refer, if the
    provider gave one.
    """
    operations: tuple[OperationShown, ...]
    """Oldest first."""


class PaymentState(OpenEnum):
    """What a payment is by what was done with it."""

    AUTHORIZED = "AUTHORIZED"
    CAPTURED = "CAPTURED"
    PARTLY_CAPTURED = "PARTLY_CAPTURED"
    PARTLY_REFUNDED = "PARTLY_REFUNDED"
    REFUNDED = "REFUNDED"
    REVERSED = "REVERSED"
    REVIEW = "REVIEW"
    VOIDED = "VOIDED"


class Permission(OpenEnum):
    """One kind of thing that a person may do."""

    ACCESS = "access"
    APPROVE = "approve"
    BLOCK = "block"
    BOOK = "book"
    CONFIGURE = "configure"
    OPERATE = "operate"
    PAYMENTS = "payments"
    PEOPLE = "people"
    PROPOSE = "propose"
    REVEAL = "reveal"
    REVIEW = "review"
    SEE = "see"
    SEE_AUDIT = "see_audit"
    SEE_MONEY = "see_money"


class PersonErasure(Struct, frozen=True, kw_only=True):
    """A person to erase, by everything that names them."""

    user_id: str | None = None
    """As it was sent."""
    username: str | None = None
    """As it was sent."""
    email: str | None = None
    """A mailbox."""
    phone: str | None = None
    """A number."""
    card_number: str | None = None
    """A card."""
    lists: bool | None = None
    """Whether entries of lists name nobody any more; they go on matching."""


class PipelineRequest(Struct, frozen=True, kw_only=True):
    """A purchase, with an input for every stage that needs one."""

    pipeline_id: int
    """Number of the pipeline."""
    client_reference_id: str | int | None = None
    """Caller's own reference, kept with the decision and searchable."""
    rules_request: RulesRequest | None = None
    """For Rules."""
    sentry_request: SentryRequest | None = None
    """For Sentry."""
    pre_check_request: PreCheckRequest | None = None
    """For PreCheck, and the card that Gateway charges."""
    id_verify_request: IdVerifyRequest | None = None
    """For IdVerify."""
    gateway_request: GatewayRequest | None = None
    """What Gateway charges; otherwise `sentryRequest.order` says it."""


class PipelineResponse(Struct, frozen=True, kw_only=True):
    """What every stage that ran has found, and what follows from it."""

    pipeline_stages: tuple[str, ...]
    """Stages that ran, in order."""
    decision: Outcome
    """The strongest of what the deciding stages want."""
    reason: DecisionReason | None
    """What decided, in one word; null when the request is accepted. `RULES`: a rule of the
    account; `ISSUER_DECLINED`: the issuer declined the card; `PRECHECK_POLICY`: the address or
    the security code, by the account's policy; `FRAUD`: PreCheck advised FRAUD; `INPUT`: the
    card details are wrong or out of date; `ISSUER_UNAVAILABLE`: the issuer did not answer, or
    asked to be asked later; `GATEWAY_DECLINED`: the payment gateway declined the payment;
    `GATEWAY_ERROR`: the payment gateway failed or was late; `STAGE_UNAVAILABLE`: another stage
    could not complete; `OTHER`: something else: see the objects of the stages
    """
    retryable: bool
    """Whether the same order, sent again later as it is, can end differently: it was declined only
    because a party did not answer.
    """
    tags: tuple[str, ...]
    """From Sentry's reasons and from the rules that matched."""
    rules_response: RulesResponse | None = None
    sentry_response: SentryInPipeline | None = None
    pre_check_response: PreCheckResponse | None = None
    id_verify_response: IdVerifyResponse | None = None
    gateway_response: GatewayResponse | None = None


class PipelineStage(Struct, frozen=True, kw_only=True):
    """One stage of a pipeline, as callers may know it."""

    stage: str
    """Name of the stage."""
    fee_type: str
    """Fee type."""
    rule_set: str | None = None
    """Rule set of a Rules stage."""


class PipelineSummary(Struct, frozen=True, kw_only=True):
    """A pipeline that the account can call."""

    pipeline_id: int
    """Its number."""
    version: int
    """Version in force."""
    name: str
    """What it is called."""
    description: str
    """What it is for."""
    stages: tuple[PipelineStage, ...]
    """Its stages, in order."""
    required: tuple[str, ...]
    """Paths that a request must have."""


class PipelineVersion(Struct, frozen=True, kw_only=True):
    """Which pipeline, as it stood at the time."""

    id: int
    """Number of the pipeline."""
    version: int
    """Its version."""


class PipelinesResponse(Struct, frozen=True, kw_only=True):
    """The pipelines of the account."""

    pipelines: tuple[PipelineSummary, ...]


class PoliciesShown(Struct, frozen=True, kw_only=True):
    """An account's policies."""

    precheck: PreCheckPolicyBody
    """Of PreCheck."""
    sentry: SentryPolicyBody
    """Of Sentry."""
    costs: CostsBody | None = None
    """What orders earn and cost; null where Sentry gives no advice by it."""


class PreCheckPolicyBody(Struct, frozen=True, kw_only=True):
    """What an approval becomes when address or security code do not match."""

    avs: Mapping[str, Advice] | None = None
    """By result of the address; others keep theirs."""
    cvv2: Mapping[str, Advice] | None = None
    """By result of the security code; others keep theirs."""


class PreCheckRequest(Struct, frozen=True, kw_only=True):
    """A card to check."""

    card_number: str
    """Payment card number: 12 to 19 digits, no spaces or dashes."""
    card_expiry_date: str
    """Last valid month, YYYY-MM."""
    card_cvv2_value: str | None = None
    """Card security code, 3 digits (Amex: 4)."""
    card_address: CardAddress | None = None
    """Billing address to compare."""
    client_reference_id: str | int | None = None
    """Caller's own reference, kept with the decision and searchable."""
    payment_account_reference: str | None = None
    """Payment Account Reference (PAR) of the account behind the card number, as your processor or
    token service gives it: 29 capital letters and digits. All tokens of one account have the
    same. Only a fingerprint is kept.
    """
    credential_type: CredentialType | str | None = None
    """What kind of number `cardNumber` is: the card's own as the customer entered it (`PAN`) or as
    you kept it (`STORED_PAN`), a network's token for you (`NETWORK_TOKEN`), or a device's
    (`DEVICE_TOKEN`: Apple Pay, Google Pay).
    """


class PreCheckResponse(Struct, frozen=True, kw_only=True):
    """PreCheck's answer."""

    advice: Advice
    """Recommended action."""
    avs_result: AvsResult
    """Result of the address check."""
    cvv2_result: Cvv2Result
    """Result of the security code check."""
    card: CardSummary
    """Facts about the card."""
    reasons: tuple[str, ...]
    """Codes that say why the advice is what it is."""


class PriorAuthentication(Struct, frozen=True, kw_only=True):
    """`threeDSRequestorPriorAuthenticationInfo`: the last time this card was authenticated here."""

    three_ds_req_prior_auth_timestamp: str | None = field(
        default=None, name="threeDSReqPriorAuthTimestamp"
    )
    """When, UTC, as YYYYMMDDHHMM."""


class PriorTransaction(Struct, frozen=True, kw_only=True):
    """An earlier transaction that nobody disputed."""

    customer_account_id: str | None = field(default=None, name="customer_account_id")
    """The customer's login."""
    customer_device_fingerprint: str | None = field(
        default=None, name="customer_device_fingerprint"
    )
    """The device, by at least two of its attributes."""
    customer_device_id: str | None = field(default=None, name="customer_device_id")
    """The device, by its own identifier."""
    customer_email_address: str | None = field(default=None, name="customer_email_address")
    """E-mail address."""
    customer_purchase_ip: str | None = field(default=None, name="customer_purchase_ip")
    """IP address."""
    product_description: str | None = field(default=None, name="product_description")
    """What was sold."""
    shipping_address: PacketAddress | None = field(default=None, name="shipping_address")
    """Where it was delivered."""
    charge: str | None = None
    """The provider's id of it."""


class ProgrammeAlert(Struct, frozen=True, kw_only=True):
    """A step on the way to a level that was reached in a month, and when that was noticed."""

    programme: str
    """The programme."""
    level: str
    """Its level."""
    network: str
    """The card network."""
    merchant_id: str | None
    """The merchant id; null for all."""
    region: str | None
    """Its region; null if none is told."""
    percent: int
    """50, 75, 90, or 100 once met."""
    at: datetime
    """When it was noticed (RFC 3339)."""


class ProgrammeForecast(Struct, frozen=True, kw_only=True):
    """What a month will come to; the bounds hold in four cases of five."""

    events: int
    """Expected events."""
    events_low: int
    """Fewer in one case of ten."""
    events_high: int
    """More in one case of ten."""
    sales: int
    """Expected sales."""
    basis_points: str | None
    """The expected ratio in basis points."""
    basis_points_low: str | None
    """Lower in one case of ten."""
    basis_points_high: str | None
    """Higher in one case of ten."""
    outlook: Outlook
    """Whether the level will be met."""
    months: int
    """Earlier months that it was learnt from."""
    formula: str
    """How it is worked out, in words."""


class ProgrammeReport(Struct, frozen=True, kw_only=True):
    """How a month stands against all programmes."""

    month: str
    """The month, in UTC."""
    as_of: datetime
    """When it was metered (RFC 3339)."""
    table_as_of: str
    """The day of the table of thresholds."""
    standings: tuple[MeteredProgramme, ...]
    """Those of merchants first, and of these the nearest to a level."""
    alerts: tuple[ProgrammeAlert, ...]
    """Of this month, newest first."""
    causes: tuple[EventCause, ...]
    """What let the orders through that the newest 5,000 events of the month are about: the 50 most
    frequent causes.
    """
    unmetered: tuple[ShownUnmetered, ...] | None = None
    """Programmes in force where the account sells, with no public figures."""
    warnings: tuple[str, ...] | None = None
    """What of the month counts nowhere, or not as what it may be."""


class ProgrammeSubject(OpenEnum):
    """Whose month a level judges."""

    ACQUIRER = "ACQUIRER"
    MERCHANT = "MERCHANT"


class ProposedRule(Struct, frozen=True, kw_only=True):
    """A rule that finds the requests of an alert, to begin with."""

    name: str
    """Its name, which says what it stops."""
    condition: str
    """Its condition, for a rule set."""
    questions: tuple[Clicked, ...]
    """The same as the rule builder of the console has it."""


class PublicAttempt(Struct, frozen=True, kw_only=True):
    """One attempt to send a message."""

    id: str
    """Its id; attempts before it: `before`."""
    event_id: str
    """The event, which is also the message's id."""
    type: str
    """What happened."""
    at: datetime
    """When it was sent."""
    number: int
    """Which attempt of the message it was."""
    outcome: Any
    """What became of it."""
    status: int | None
    """The status of the answer, if one came."""
    failure: str | None
    """Why it was not accepted."""
    duration_ms: int
    """How long the answer took."""
    next_at: datetime | None
    """When it is tried again."""


class PublicDecision(Struct, frozen=True, kw_only=True):
    """The record of one processed request."""

    request_id: str
    """The `requestId` of the answer."""
    operation: str
    """Which operation it was."""
    at: datetime
    """When the request came in (RFC 3339)."""
    client_reference_id: str | int | None
    """The caller's reference, card numbers masked."""
    card: KeptCard | None
    """The card, masked."""
    pipeline_stages: tuple[str, ...]
    """Names of the stages that ran."""
    stages: tuple[DecisionStage, ...]
    """What each of them found."""
    amount_authorized: Money
    """Held for the request."""
    amount_closed: Money
    """Charged for the request."""
    decision: Outcome | None = None
    """What was decided, by Rules or a pipeline."""
    reason: DecisionReason | None = None
    """What decided, in one word; null when the request is accepted. `RULES`: a rule of the
    account; `ISSUER_DECLINED`: the issuer declined the card; `PRECHECK_POLICY`: the address or
    the security code, by the account's policy; `FRAUD`: PreCheck advised FRAUD; `INPUT`: the
    card details are wrong or out of date; `ISSUER_UNAVAILABLE`: the issuer did not answer, or
    asked to be asked later; `GATEWAY_DECLINED`: the payment gateway declined the payment;
    `GATEWAY_ERROR`: the payment gateway failed or was late; `STAGE_UNAVAILABLE`: another stage
    could not complete; `OTHER`: something else: see the objects of the stages
    """
    retryable: bool | None = None
    """Whether the same order, sent again later as it is, can end differently: it was declined only
    because a party did not answer.
    """
    pipeline: PipelineVersion | None = None
    """The pipeline that ran."""
    signals: Mapping[str, Any] | None = None
    """What rules could speak of before any stage had run. `velocity.` groups are lists in the
    order of their signals.
    """
    event: Mapping[str, Any] | None = None
    """What Sentry remembers of a request to Rules or a pipeline; of one to Sentry alone it is in
    the result of its stage.
    """
    explanation: Explanation | None = None
    """What decided, why, and what would have changed it; not in lists."""
    outcomes: tuple[PaymentOutcome, ...] | None = None
    """What became of the payment, oldest first; not in lists."""
    erased_at: datetime | None = None
    """When everything about the person was erased from this record."""


class PublicEvent(Struct, frozen=True, kw_only=True):
    """Something that happened, as readers of events and webhooks get it."""

    id: str
    """The same each time this event is told."""
    type: str
    """What happened."""
    created_at: datetime
    """When it happened (RFC 3339)."""
    actor: str
    """Who did it: `key:` and an API key, `cli:` and a user, or a part of us."""
    data: Mapping[str, Any]
    """What it is about; of a request, `requestId`, `decision` and `response`."""


class PublicReviewEvent(Struct, frozen=True, kw_only=True):
    """One line of the history of a review."""

    at: datetime
    """When (RFC 3339)."""
    by: str
    """The key, with the person that it named, or the operator; or `service`."""
    kind: EventKind
    """What happened."""
    assignee: str | None
    """Of `ASSIGNED`: who has it since; null is nobody."""
    status: ReviewState | None
    """Of `RESOLVED` and `CORRECTED`: the state since."""
    text: str | None
    """The note, or the reason; null when it was erased."""
    payment: PaymentEffect | None
    """Of `RESOLVED` and `CORRECTED`: what became of the payment that waited for the review. `LOST`
    was reversed before, and cannot be brought back.
    """


class PublicWebhook(Struct, frozen=True, kw_only=True):
    """Where an account is told of events."""

    id: str
    """Its id."""
    url: str
    """Where messages are sent."""
    events: tuple[str, ...]
    """Types of events, `review.*` for all of a kind, or `*`."""
    decisions: tuple[ToldDecisions, ...]
    """Which decisions `decision.made` tells of; empty: all."""
    ordered: bool
    """Whether a message waits for the one before it to be accepted."""
    description: str
    """What it is for."""
    state: WebhookState
    """Whether messages are sent."""
    disabled_because: DisabledBecause | None
    """Why no messages are sent."""
    signing: SecretKind | None
    """How messages are signed."""
    created_at: datetime
    """When it was made (RFC 3339)."""
    changed_at: datetime
    """When it was last changed."""
    failing_since: datetime | None
    """Since when no message was accepted."""
    waiting: int
    """Messages that are tried again later."""
    unread: int
    """Events of its types that no server has read for it yet; at most 20,000 are counted."""
    oldest_at: datetime | None
    """When the oldest of both happened (RFC 3339)."""
    secret: str | None = None
    """What messages are verified with; shown once: `whsec_...`, or `whpk_...`"""
    old_secret_until: datetime | None = None
    """Until when messages are signed with the old secret, too."""


class RateReport(Struct, frozen=True, kw_only=True):
    """Rates of fraud by quarter and band."""

    regime: str
    """Whose bands these are."""
    table_as_of: str
    """Day of the table of limits."""
    rates_as_of: str
    """Day of the rates of currencies."""
    formula: str
    """How a rate is worked out, in words."""
    rates_source: str
    """Where the rates of currencies are from."""
    standings: tuple[RateStanding, ...]
    """The last 90 days, then quarters, newest first."""
    stopped: tuple[Money, ...]
    """Bands above their rate for two quarters running (article 20)."""
    left_out: int
    """Payments and frauds without an amount, or in a currency without a rate."""


class RateStanding(Struct, frozen=True, kw_only=True):
    """The rate of fraud in one window."""

    window: str
    """A quarter, or `now` for the last 90 days."""
    since: str
    """First day."""
    until: str
    """The day after the last."""
    settled: Money
    """All payments."""
    fraud: Money
    """All frauds."""
    rate: str | None
    """Per cent, four decimals; null without payments."""
    bands: tuple[BandStanding, ...]
    """The smallest first."""


class Reason(Struct, frozen=True, kw_only=True):
    """One thing that moved the score."""

    code: str
    """Which signal; docs/signals.md lists them all."""
    effect: float
    """What it added to the log-odds that the request is legitimate."""
    text: str
    """The same in words."""


class ReplayStarted(Struct, frozen=True, kw_only=True):
    """How much is sent again."""

    messages: int
    """How many messages."""
    complete: bool
    """False when there are more than are taken at once."""


class ReportLine(Struct, frozen=True, kw_only=True):
    """A report that was made."""

    month: str
    """The month."""
    made_at: datetime
    """When it was made (RFC 3339)."""


class ReportList(Struct, frozen=True, kw_only=True):
    """The reports that were made."""

    reports: tuple[ReportLine, ...]
    """The newest month first."""


class ReportSettings(Struct, frozen=True, kw_only=True):
    """How reports are made."""

    time_zone: str | None = None
    """Whose midnights months begin at."""


class ReportWanted(Struct, frozen=True, kw_only=True):
    """Which month to make a report on."""

    month: str
    """A month, such as 2026-10."""


class ResolutionOutcome(OpenEnum):
    """What became of one of many reviews."""

    ALREADY_RESOLVED = "ALREADY_RESOLVED"
    NOT_FOUND = "NOT_FOUND"
    RESOLVED = "RESOLVED"


class ResolutionResult(Struct, frozen=True, kw_only=True):
    """The answer about one of many reviews."""

    request_id: str
    """As it was sent, card numbers masked."""
    outcome: ResolutionOutcome
    """Whether it was resolved now."""
    status: ReviewState | None
    """The review's state now; null when there is none."""
    resolved_by: str | None
    """Who resolved it, now or before; null when nobody did."""
    resolved_at: datetime | None
    """When."""


class ResolveMany(Struct, frozen=True, kw_only=True):
    """One verdict on the open reviews of many decisions."""

    resolution: ReviewVerdict | str
    """`APPROVE` when the payment was legitimate, `DECLINE` when it was fraud."""
    reason: str
    """Why, kept with the review; card numbers in it are masked."""
    request_ids: Sequence[str] | None = None
    """The `requestId`s of 1 to 1000 decisions; give this or `search`."""
    search: DecisionSearchRequest | None = None
    """As for a search; at most 10000 may fit. Its page is ignored."""


class Result(OpenEnum):
    """What the comparison of one attribute came to."""

    MATCH = "MATCH"
    NOT_PROCESSED = "NOT_PROCESSED"
    NOT_SUPPORTED = "NOT_SUPPORTED"
    NO_MATCH = "NO_MATCH"
    PARTIAL_MATCH = "PARTIAL_MATCH"
    UNKNOWN = "UNKNOWN"


class Review(Struct, frozen=True, kw_only=True):
    """A decision that waits for a reviewer, or was resolved by one."""

    request_id: str
    """The `requestId` of the decision."""
    status: ReviewState
    """Whether it is open, and else the verdict."""
    created_at: datetime
    """When it was opened (RFC 3339)."""
    assignee: str | None
    """Who has it; null is nobody."""
    resolved_at: datetime | None
    """When it was resolved or corrected last (RFC 3339)."""
    resolved_by: str | None
    """The key, or the operator, that did so."""
    reason: str | None
    """Why, in the reviewer's words."""
    payment_status: IntentState | None
    """Of the payment that was authorized before the review: `REVIEW` while it waits, `REVERSE`
    when it is being reversed because the review was declined, then `REVERSED` or `FAILED`; null
    when there is none, or it stays as it is.
    """
    note_count: int
    """How many notes there are."""
    summary: ReviewSummary | None
    """Who, what, which card, from where, and why."""
    decision: PublicDecision | None
    """The decision it speaks of."""
    payment_meaning: str | None = None
    """What the newest resolution meant for the payment, in words; null when no payment waited.
    Only of one review.
    """
    history: tuple[PublicReviewEvent, ...] | None = None
    """What happened to it, notes included, oldest first. Only of one review."""


class ReviewAssignment(Struct, frozen=True, kw_only=True):
    """Who is to have a review."""

    assignee: str | None
    """Your name for the person; null for nobody."""
    take_over: bool | None = None
    """Whether it may be taken from somebody else."""
    reviewer: str | None = None
    """Your name for the person who says so."""


class ReviewChange(Struct, frozen=True, kw_only=True):
    """What every change of a review has."""

    reviewer: str | None = None
    """Your name for the person who says so."""


class ReviewMatches(Struct, frozen=True, kw_only=True):
    """A page of reviews that were searched for, oldest first."""

    reviews: tuple[Review, ...]
    next_cursor: str | None
    """Send it as `cursor` for what follows; null when there is nothing more."""
    still_indexing: bool | None = None
    """Only there, and true, while decisions of an earlier version are being indexed after an
    upgrade: some of them may be missing.
    """


class ReviewNote(Struct, frozen=True, kw_only=True):
    """Something that a reviewer writes down."""

    text: str
    """The note; card numbers in it are masked. It can be erased."""
    reviewer: str | None = None
    """Your name for the person who says so."""


class ReviewPage(Struct, frozen=True, kw_only=True):
    """A page of reviews in the order that was asked for."""

    reviews: tuple[Review, ...]
    has_more: bool
    """Whether there are more after them."""


class ReviewReason(Struct, frozen=True, kw_only=True):
    """One thing that spoke against the request."""

    stage: str
    """The stage that found it."""
    code: str
    """Name of the rule, or code of the reason."""
    sentence: str
    """What it means."""


class ReviewResolution(Struct, frozen=True, kw_only=True):
    """The reviewer's verdict on a decision, with the reason."""

    resolution: ReviewVerdict | str
    """`APPROVE` when the payment was legitimate, `DECLINE` when it was fraud."""
    reason: str
    """Why, kept with the review; card numbers in it are masked."""
    reviewer: str | None = None
    """Your name for the person who says so."""


class ReviewSearchRequest(Struct, frozen=True, kw_only=True):
    """Which reviews are wanted: filters of their decisions, and of the reviews themselves."""

    user_id: str | int | None = None
    """Your name for the user, as it was sent."""
    card_number: str | None = None
    """The card. Only its fingerprint is compared."""
    payment_account_reference: str | None = None
    """The account behind cards: whatever token of it was sent. Only its fingerprint is compared."""
    card_fingerprint: str | Sequence[str] | None = None
    """The card by its `fingerprint`, or the account behind it by its `accountFingerprint`, as
    decisions of this account show it; or several of them.
    """
    email: str | None = None
    """E-mail address. Different spellings of one mailbox are the same."""
    phone: str | None = None
    """Phone number in international form."""
    ip_address: str | None = None
    """Address of the device. Of IPv6, its whole /64 is meant."""
    device_id: str | None = None
    """The `deviceId` that was sent to Sentry, or the device as the event in a decision names it:
    `#…`.
    """
    ring: str | Sequence[str] | None = None
    """The ring that the request was linked with, as the event in a decision names it: `ring_…`; or
    several of them.
    """
    transaction_id: str | int | None = None
    """The `transactionId` that was sent to Sentry."""
    client_reference_id: str | int | None = None
    """The `clientReferenceId` that was sent."""
    operation: str | Sequence[str] | None = None
    """The operation, or several of them."""
    decision: Outcome | str | Sequence[Outcome | str] | None = None
    """What was decided."""
    reason: DecisionReason | str | Sequence[DecisionReason | str] | None = None
    """What decided, in one word. Decisions of versions before this filter are not found by it."""
    rule: str | Sequence[str] | None = None
    """A rule that matched."""
    shadow_rule: str | Sequence[str] | None = None
    """A rule that matched in shadow: it was recorded, and decided nothing."""
    tag: str | Sequence[str] | None = None
    """A tag of the answer."""
    label: Label | str | Sequence[Label | str] | None = None
    """What the request turned out to be, as of now."""
    amount: AmountRange | None = None
    """The amount of the order."""
    at: TimeRange | None = None
    """When the request came in."""
    limit: int | None = None
    """Size of a page; 50 without it."""
    cursor: str | None = None
    """The `nextCursor` of the page before."""
    status: ReviewState | str | Sequence[ReviewState | str] | None = None
    """Whether it is open, and else the verdict."""


class ReviewState(OpenEnum):
    """Whether a review is open, and how it was resolved."""

    APPROVED = "APPROVED"
    DECLINED = "DECLINED"
    OPEN = "OPEN"


class ReviewSummary(Struct, frozen=True, kw_only=True):
    """Who ordered what, with which card, from where, and what spoke against it."""

    customer: ReviewedCustomer
    order: ReviewedOrder
    card: ReviewedCard | None
    origin: ReviewedOrigin
    rules: tuple[str, ...]
    """Names of the rules that matched."""
    tags: tuple[str, ...]
    """Tags of those rules, and codes that lowered Sentry's score."""
    reasons: tuple[ReviewReason, ...]
    """Why, one sentence for each."""


class ReviewTimes(Struct, frozen=True, kw_only=True):
    """How people kept up with the reviews."""

    opened: int
    """Opened in the month."""
    resolved: int
    """Resolved first in the month."""
    median_seconds: int | None
    """From opening to the first resolution: half took less."""
    nine_in_ten_seconds: int | None
    """Nine in ten of them took no longer."""
    target_hours: int
    """The account's target."""
    within_target: int
    """Resolved within the target."""
    waiting_before: int
    """Open when the month began."""
    waiting_after: int
    """Open when it ended."""


class ReviewVerdict(OpenEnum):
    """The reviewer's verdict."""

    APPROVE = "APPROVE"
    DECLINE = "DECLINE"


class ReviewedCard(Struct, frozen=True, kw_only=True):
    """Which card."""

    brand: str | None
    """Card brand."""
    bin: str | None
    """First six or eight digits."""
    last_four: str | None
    """Last four digits."""
    country: str | None
    """Issuer's country."""
    funding: str | None
    """CREDIT, DEBIT or CHARGE."""
    prepaid: bool | None
    """Whether it is prepaid."""


class ReviewedCustomer(Struct, frozen=True, kw_only=True):
    """Who ordered, as far as the record may tell it."""

    user_id: str | None
    """Your name for the user, or its hash."""
    email: str | None
    """The e-mail address, masked but for its domain."""
    phone_country: str | None
    """Country of the phone number."""
    billing_country: str | None
    """Country of the billing address."""
    shipping_country: str | None
    """Country of the delivery."""


class ReviewedOrder(Struct, frozen=True, kw_only=True):
    """What was ordered."""

    amount: OrderAmount | None
    """What is to be paid."""
    items: int | None
    """Lines in the shopping cart."""
    categories: tuple[str, ...]
    """What kinds of articles; those that are kept as a hash are not named."""
    client_reference_id: str | int | None
    """The caller's reference, card numbers masked."""


class ReviewedOrigin(Struct, frozen=True, kw_only=True):
    """From where."""

    ip_address: str | None
    """The customer's address."""
    country: str | None
    """Country of the address."""
    operator: str | None
    """Who runs its network."""
    traits: tuple[str, ...]
    """What is known of it: of hosting, vpn, tor, proxy, relay, mobile, blocked, allowed."""
    device: str | None
    """Browser or program, and system."""
    language: str | None
    """First language of the device."""


class RingBlocked(Struct, frozen=True, kw_only=True):
    """A ring whose members are on lists."""

    id: str
    """Its id."""
    lists: tuple[MembersListed, ...]
    """By kind."""
    dry_run: bool
    """Whether this was a dry run, which changes nothing."""


class RingBlocking(Struct, frozen=True, kw_only=True):
    """Why and for how long all members of a ring are blocked."""

    reason: str
    """Why, for the entries and the audit log."""
    days: int | None = None
    """After how many days the entries expire."""
    prefix: str | None = None
    """What the lists' names begin with: `blocked` puts users on `blocked-users`, cards on
    `blocked-cards`, and so on. A list that does not exist is created.
    """


class RingDecision(Struct, frozen=True, kw_only=True):
    """One of a ring's decisions."""

    request_id: str
    """The request."""
    at: datetime
    """When it came in (RFC 3339)."""
    operation: str
    """The operation."""
    decision: Outcome | None
    """What was decided."""
    amount: RingMoney | None
    """The order's amount."""
    label: Label | None
    """What it turned out to be, as of now."""


class RingDetails(Struct, frozen=True, kw_only=True):
    """One ring."""

    ring: RingShown
    """What it comes to."""
    members: tuple[RingMember, ...]
    """People first, then what they used."""
    last_decisions: tuple[RingDecision, ...]
    """The newest 20."""
    labels: Mapping[str, int]
    """How many decisions have which label."""
    complete: bool
    """Whether it has no more than 1000 decisions."""


class RingMember(Struct, frozen=True, kw_only=True):
    """Somebody or something in a ring, as decisions keep it."""

    kind: EntityType
    """What it is."""
    value: str
    """As decisions name it: a name or a fingerprint."""
    decisions: int
    """How many."""
    frauds: int
    """Decisions that turned out to be fraud."""
    first_seen_at: datetime
    """When it was first seen (RFC 3339)."""
    last_seen_at: datetime
    """When it was last seen (RFC 3339)."""


class RingMoney(Struct, frozen=True, kw_only=True):
    """Amounts of orders in one currency."""

    currency: str | None
    """ISO 4217 code."""
    amount: Decimal
    """In units of the currency."""


class RingPage(Struct, frozen=True, kw_only=True):
    """Rings of an account."""

    rings: tuple[RingShown, ...]
    """In the order that was asked for."""
    complete: bool
    """Whether all decisions with a ring were looked at: the newest 1000 are."""


class RingShown(Struct, frozen=True, kw_only=True):
    """A ring by the decisions that were looked at."""

    id: str
    """Its id."""
    people: int
    """Different users or mailboxes; cards without either."""
    decisions: int
    """How many."""
    frauds: int
    """Decisions that turned out to be fraud."""
    amounts: tuple[RingMoney, ...]
    """What the orders come to, in each currency."""
    first_seen_at: datetime
    """When it was first seen (RFC 3339)."""
    last_seen_at: datetime
    """When it was last seen (RFC 3339)."""


class RiskAnswer(OpenEnum):
    """How a point was answered."""

    FOUND = "FOUND"
    NOT_FOUND = "NOT_FOUND"
    UNKNOWN = "UNKNOWN"


class RiskBandTold(Struct, frozen=True, kw_only=True):
    """The band of article 18 that the amount falls into."""

    up_to: Money
    """Its largest amount."""
    reference_rate: float
    """Largest share of fraud in the value of all payments."""
    own_rate: float | None
    """The account's own share; null while it is not measured."""


class RiskPoint(OpenEnum):
    """What must not have been found."""

    ABNORMAL_BEHAVIOUR = "ABNORMAL_BEHAVIOUR"
    ABNORMAL_LOCATION = "ABNORMAL_LOCATION"
    HIGH_RISK_PAYEE = "HIGH_RISK_PAYEE"
    KNOWN_FRAUD = "KNOWN_FRAUD"
    MALWARE = "MALWARE"
    UNUSUAL_DEVICE = "UNUSUAL_DEVICE"


class RiskPointTold(Struct, frozen=True, kw_only=True):
    """One of the six points of article 18."""

    point: RiskPoint
    """What must not have been found."""
    answer: RiskAnswer
    """Whether it was."""
    by: tuple[str, ...]
    """What answered it: codes of Sentry's reasons."""


class RoleContent(Struct, frozen=True, kw_only=True):
    """A role to make, or what it is to be from now on."""

    name: str
    """For people."""
    permissions: Sequence[Permission | str]
    """What people with this role may do; `see` is part of every role."""


class RoleDeleted(Struct, frozen=True, kw_only=True):
    """A role that is gone."""

    role_id: str
    """Its id."""


class RoleList(Struct, frozen=True, kw_only=True):
    """The roles of an account."""

    roles: tuple[RoleShown, ...]
    """Those that every account has first."""


class RoleShown(Struct, frozen=True, kw_only=True):
    """A role of an account."""

    role_id: str
    """Its id."""
    name: str
    """For people."""
    permissions: tuple[Permission, ...]
    """What people with this role may do; `see` is part of every role."""
    built_in: bool
    """Whether every account has it."""
    people: int
    """How many people have it."""
    version: int
    """Grows with each change."""


class RuleChangeFigures(Struct, frozen=True, kw_only=True):
    """Orders before and after a version of a rule set came into force, over equal spans. Nothing
    says that the rules made the difference: days of the week, campaigns and attacks do the
    same, and labels of the later orders come later.
    """

    at: datetime
    """When (RFC 3339)."""
    rule_set: str
    """Its name."""
    version: int
    """The version that came into force."""
    span_seconds: int
    """How long before and after: a week, or up to the next change."""
    before: OrderCounts
    """Before."""
    after: OrderCounts
    """After."""


class RuleMonth(Struct, frozen=True, kw_only=True):
    """What one rule did in the month, in all versions."""

    rule_set: str
    """Its rule set."""
    rule: str
    """Its name."""
    shadow: bool
    """Whether it only watched."""
    hits: int
    """Requests that it matched."""
    declined: int
    """Of these, declined at once."""
    fraud: int
    """Of these, known to be fraud."""
    legitimate: int
    """Of these, known to be legitimate."""


class RuleShown(Struct, frozen=True, kw_only=True):
    """One rule of a rule set."""

    rule_set: str
    """Its rule set."""
    version: int
    """Its number."""
    name: str
    """Its name."""
    place: int
    """Where it stands, from 1."""
    state: RuleState
    """What it does."""
    outcome: Outcome
    """What it decides."""
    final: bool
    """Whether it decides alone."""
    sentence: str
    """It in words."""
    condition: str
    """Its condition as written."""
    description: str
    """What it is for."""
    tags: tuple[str, ...]
    """Its tags."""
    signals: tuple[str, ...]
    """The signals it names."""
    changes: tuple[RuleVersion, ...]
    """The versions in which it changed, newest first, of the newest 30."""


class RuleState(OpenEnum):
    """What a rule does: nothing, watch, or decide."""

    LIVE = "live"
    OFF = "off"
    SHADOW = "shadow"


class RuleSwitch(Struct, frozen=True, kw_only=True):
    """What a rule is to do from now on."""

    state: RuleState | str
    """`off` asks it no more, `shadow` only watches, `live` decides."""
    note: str | None = None
    """Why, for the history."""


class RuleVersion(Struct, frozen=True, kw_only=True):
    """A version of the rule set in which a rule changed."""

    version: int
    """Its number."""
    created_at: datetime
    """When it was made (RFC 3339)."""
    by: str
    """Who made it."""
    note: str | None
    """Why."""
    differences: tuple[str, ...]
    """What changes, a line each: `+` is new, `-` is gone, `~` is changed."""


class RulesCall(Struct, frozen=True, kw_only=True):
    """The same as an operation of its own."""

    customer_ip: str | None = None
    """The customer's address."""
    card_number: str | None = None
    """Payment card number: 12 to 19 digits, no spaces or dashes."""
    amount: Decimal | float | None = None
    """Total, in units of the currency."""
    currency: str | None = None
    """ISO 4217 code."""
    email: str | None = None
    """The customer's e-mail address."""
    phone: str | None = None
    """The customer's phone number, international."""
    user_id: str | int | None = None
    """Your name for the user."""
    billing_country: str | None = None
    """ISO 3166-1 alpha-2 code."""
    shipping_country: str | None = None
    """ISO 3166-1 alpha-2 code."""
    custom_inputs: Mapping[str, Any] | None = None
    """Anything else your rules speak of as `custom.<key>`; no value may be null."""
    payment_account_reference: str | None = None
    """Payment Account Reference (PAR) of the account behind the card number, as your processor or
    token service gives it: 29 capital letters and digits. All tokens of one account have the
    same. Only a fingerprint is kept.
    """
    credential_type: CredentialType | str | None = None
    """What kind of number `cardNumber` is: the card's own as the customer entered it (`PAN`) or as
    you kept it (`STORED_PAN`), a network's token for you (`NETWORK_TOKEN`), or a device's
    (`DEVICE_TOKEN`: Apple Pay, Google Pay).
    """
    three_d_secure: ThreeDSecure | None = None
    """What 3-D Secure found for this payment, or why it was not needed."""
    rule_set: str | None = None
    """Which of your rule sets decides. Without it: the only one, or `starter`."""
    client_reference_id: str | int | None = None
    """Caller's own reference, kept with the decision and searchable."""


class RulesRequest(Struct, frozen=True, kw_only=True):
    """What rules can use beyond the other inputs; every field can be left out."""

    customer_ip: str | None = None
    """The customer's address."""
    card_number: str | None = None
    """Payment card number: 12 to 19 digits, no spaces or dashes."""
    amount: Decimal | float | None = None
    """Total, in units of the currency."""
    currency: str | None = None
    """ISO 4217 code."""
    email: str | None = None
    """The customer's e-mail address."""
    phone: str | None = None
    """The customer's phone number, international."""
    user_id: str | int | None = None
    """Your name for the user."""
    billing_country: str | None = None
    """ISO 3166-1 alpha-2 code."""
    shipping_country: str | None = None
    """ISO 3166-1 alpha-2 code."""
    custom_inputs: Mapping[str, Any] | None = None
    """Anything else your rules speak of as `custom.<key>`; no value may be null."""
    payment_account_reference: str | None = None
    """Payment Account Reference (PAR) of the account behind the card number, as your processor or
    token service gives it: 29 capital letters and digits. All tokens of one account have the
    same. Only a fingerprint is kept.
    """
    credential_type: CredentialType | str | None = None
    """What kind of number `cardNumber` is: the card's own as the customer entered it (`PAN`) or as
    you kept it (`STORED_PAN`), a network's token for you (`NETWORK_TOKEN`), or a device's
    (`DEVICE_TOKEN`: Apple Pay, Google Pay).
    """
    three_d_secure: ThreeDSecure | None = None
    """What 3-D Secure found for this payment, or why it was not needed."""


class RulesResponse(Struct, frozen=True, kw_only=True):
    """What the rules decide, and which of them matched."""

    status: Outcome
    """Strongest outcome of the rules that matched, or that of a `final` one; ACCEPT when none did.
    """
    matched_rules: tuple[Matched, ...]
    """Every rule that matched, in order."""


class ScaAction(OpenEnum):
    """What to do with a payment."""

    CHALLENGE = "CHALLENGE"
    DECLINE = "DECLINE"
    EXEMPT = "EXEMPT"
    FRICTIONLESS = "FRICTIONLESS"
    OUT_OF_SCOPE = "OUT_OF_SCOPE"


class ScaAdviceTold(Struct, frozen=True, kw_only=True):
    """Whether to authenticate the cardholder, and how to ask."""

    in_scope: bool
    """Whether the rules ask for authentication."""
    advice: ScaAction
    """What to do."""
    exemption: AdvisedExemption | None
    """Why it can be left out."""
    placement: ExemptionPlacement | None
    """Where to ask: 3-D Secure, or the payment."""
    challenge_indicator: ChallengeIndicator | None
    """`threeDSRequestorChallengeInd` of the authentication request."""
    liability: LiableParty | None
    """Who bears a fraud if the issuer agrees."""
    regime: str | None
    """Whose rules hold; null where none do."""
    amount: Money | None
    """The amount as it was compared; null without one or without a rate."""
    tra_band: RiskBandTold | None
    """Null where the amount falls into none."""
    counters: CardCountersTold | None
    """Null without a known card."""
    checklist: tuple[RiskPointTold, ...]
    """The six points of article 18, one by one."""
    reasons: tuple[ScaReasonTold, ...]
    """Why, what decided first."""
    table_as_of: str
    """Day of the table of limits."""
    rates_as_of: str
    """Day of the rates of currencies."""


class ScaExemption(OpenEnum):
    """Why strong customer authentication is not needed (PSD2)."""

    LOW_VALUE = "LOW_VALUE"
    MERCHANT_INITIATED = "MERCHANT_INITIATED"
    RECURRING = "RECURRING"
    SECURE_CORPORATE_PAYMENT = "SECURE_CORPORATE_PAYMENT"
    TRANSACTION_RISK_ANALYSIS = "TRANSACTION_RISK_ANALYSIS"
    TRUSTED_BENEFICIARY = "TRUSTED_BENEFICIARY"


class ScaReason(OpenEnum):
    """Why the advice is what it is."""

    ABOVE_ALL_BANDS = "ABOVE_ALL_BANDS"
    ABOVE_LOW_VALUE = "ABOVE_LOW_VALUE"
    ACQUIRER_DOES_NOT_ASK = "ACQUIRER_DOES_NOT_ASK"
    ACQUIRER_OUTSIDE = "ACQUIRER_OUTSIDE"
    ALREADY_AUTHENTICATED = "ALREADY_AUTHENTICATED"
    ANONYMOUS_CARD = "ANONYMOUS_CARD"
    BAND_STOPPED = "BAND_STOPPED"
    CORPORATE = "CORPORATE"
    COUNTERS_REACHED = "COUNTERS_REACHED"
    COUNTERS_UNKNOWN = "COUNTERS_UNKNOWN"
    FIRST_OF_SERIES = "FIRST_OF_SERIES"
    ISSUER_OUTSIDE = "ISSUER_OUTSIDE"
    ISSUER_UNKNOWN = "ISSUER_UNKNOWN"
    LOW_VALUE = "LOW_VALUE"
    LOW_VALUE_OFF = "LOW_VALUE_OFF"
    MAIL_OR_TELEPHONE = "MAIL_OR_TELEPHONE"
    MERCHANT_INITIATED = "MERCHANT_INITIATED"
    NO_AMOUNT = "NO_AMOUNT"
    NO_EXEMPTION = "NO_EXEMPTION"
    NO_FIRST_AUTHENTICATION = "NO_FIRST_AUTHENTICATION"
    NO_RATE = "NO_RATE"
    ONE_COUNTER_REACHED = "ONE_COUNTER_REACHED"
    OWN_RATE_ABOVE = "OWN_RATE_ABOVE"
    POINT_FOUND = "POINT_FOUND"
    POINT_UNKNOWN = "POINT_UNKNOWN"
    PREPAID_NOT_ANONYMOUS = "PREPAID_NOT_ANONYMOUS"
    RECURRING = "RECURRING"
    RISK_HIGH = "RISK_HIGH"
    RISK_LOW = "RISK_LOW"
    RISK_NOT_LOW = "RISK_NOT_LOW"
    RISK_TOO_HIGH = "RISK_TOO_HIGH"
    TRA_ALLOWED = "TRA_ALLOWED"
    TRUSTED = "TRUSTED"


class ScaReasonTold(Struct, frozen=True, kw_only=True):
    """One reason for the advice."""

    code: ScaReason
    """Which reason; docs/authentication.md has all."""
    text: str
    """The same in words."""


class SecretKind(OpenEnum):
    """How messages are signed."""

    ED25519 = "ed25519"
    HMAC = "hmac"


class SecretRotation(Struct, frozen=True, kw_only=True):
    """How to rotate a secret."""

    overlap_s: int | None = None
    """Seconds for which messages are signed with the old one, too."""


class SentryInPipeline(Struct, frozen=True, kw_only=True):
    """The same as a part of a pipeline's answer."""

    ip_score: float
    """The same confidence from what is known of the address alone."""
    request_score: float
    """Confidence that the request is legitimate, 0 to 1."""
    reasons: tuple[Reason, ...]
    """What mattered, strongest first."""
    costs: CostsTold | None = None
    """Only where the account has costs of its own, and for their currency."""
    outcome_scores: OutcomeScoresTold | None = None
    """Only where the account's model has learned such scores."""
    sca_advice: ScaAdviceTold | None = None
    """Only where the account asks for advice on authentication."""
    three_d_secure_data: ThreeDSecureData | None = None
    """For a 3-D Secure server, in its own names and codes; only where the account asks for it.
    What is not known is left out.
    """


class SentryPolicyBody(Struct, frozen=True, kw_only=True):
    """Which custom inputs Sentry remembers."""

    entities: tuple[str, ...]
    """Keys of `customInputs`. Others are remembered only if Sentry finds that they look like
    identifiers or categories.
    """


class SentryRequest(Struct, frozen=True, kw_only=True):
    """What is known about a request; every group can be left out."""

    device: Device | None = None
    """Device and visit."""
    event: Event | None = None
    """What happened."""
    order: Order | None = None
    """The order."""
    account: BuyerAccount | None = None
    """The buyer."""
    shopping_cart: ShoppingCart | None = None
    """The cart."""
    custom_inputs: Mapping[str, Any] | None = None
    """Anything else you know; no value may be null."""
    client_reference_id: str | int | None = None
    """Caller's own reference, kept with the decision and searchable."""
    authentication: AuthenticationInputs | None = None
    """For advice on strong customer authentication, where the account asks for it."""


class SentryResponse(Struct, frozen=True, kw_only=True):
    """How far the request can be trusted."""

    request_confidence: float
    """Confidence that the request is legitimate, 0 to 1."""
    reasons: tuple[Reason, ...]
    """What mattered, strongest first."""
    costs: CostsTold | None = None
    """Only where the account has costs of its own, and for their currency."""
    outcome_scores: OutcomeScoresTold | None = None
    """Only where the account's model has learned such scores."""
    sca_advice: ScaAdviceTold | None = None
    """Only where the account asks for advice on authentication."""
    three_d_secure_data: ThreeDSecureData | None = None
    """For a 3-D Secure server, in its own names and codes; only where the account asks for it.
    What is not known is left out.
    """


class SharedElement(OpenEnum):
    """What two orders can have in common."""

    ACCOUNT = "ACCOUNT"
    DEVICE = "DEVICE"
    IP_ADDRESS = "IP_ADDRESS"
    SHIPPING_ADDRESS = "SHIPPING_ADDRESS"


class ShipIndicator(OpenEnum):
    """Where goods go, `shipIndicator` of EMV 3-D Secure."""

    V01 = "01"
    V02 = "02"
    V03 = "03"
    V04 = "04"
    V05 = "05"
    V06 = "06"
    V07 = "07"


class ShoppingCart(Struct, frozen=True, kw_only=True):
    """What is bought, line by line."""

    items: Sequence[CartItem] | None = None
    """The lines."""


class ShownRate(Struct, frozen=True, kw_only=True):
    """What a unit of a currency is worth in another, as an operator's table states it."""

    from_: str
    """The currency."""
    to: str
    """The other one."""
    rate: str
    """As a decimal."""
    since: str
    """From this day on."""
    until: str | None
    """Until before this day."""


class ShownThreshold(Struct, frozen=True, kw_only=True):
    """One level of a programme, as the table in force has it."""

    programme: str
    """The programme."""
    level: str
    """Its level."""
    of: ProgrammeSubject
    """Whom it judges."""
    network: str
    """The card network."""
    since: str
    """From this day on."""
    until: str | None
    """Until before this day."""
    counts: CountedEvents
    """Which events are counted."""
    sales_of: str
    """Whose sales they are divided by."""
    basis_points: int
    """From which ratio on."""
    events: int
    """And how many events."""
    sales: int
    """And how many sales."""
    amount: str | None
    """And which amount of these events."""
    currency: str | None
    """The currency of the amount."""
    three_d_secure_below: int | None
    """And below which share of sales with 3-D Secure."""
    regions: tuple[str, ...]
    """Only there; everywhere if none is named."""
    except_regions: tuple[str, ...]
    """Not there."""
    unverified: bool
    """Whether a figure is from memory."""
    source: str
    """Where the figures are from."""
    sources: tuple[str, ...]
    """Who states them, each with the date and the region that it names."""
    alone: str | None
    """Which figures one source alone states; ask your acquirer."""


class ShownUnmetered(Struct, frozen=True, kw_only=True):
    """A programme that is in force and whose figures are not public, so that it is not metered."""

    programme: str
    """The programme."""
    network: str
    """The card network."""
    regions: tuple[str, ...]
    """Where it is in force."""
    since: str
    """From this day on."""
    until: str | None
    """Until before this day."""
    about: str
    """What the network looks at."""
    sources: tuple[str, ...]
    """Who says so."""
    alone: str | None
    """Which figures one source alone states; ask your acquirer."""


class StandingOut(Struct, frozen=True, kw_only=True):
    """A value that an alert's requests have more often than usual."""

    kind: ValueKind
    """What it is."""
    value: str
    """As decisions have it."""
    count: int
    """How many of the requests have it."""
    share: float
    """Their share of the requests."""
    usual: float
    """Its usual share."""
    lift: float
    """Its share divided by the usual one."""


class StatementCharge(Struct, frozen=True, kw_only=True):
    """All charges of one fee type at one fee."""

    fee_type: str
    """Fee type."""
    unit_fee: Money
    """The fee of each."""
    count: int
    """How many there were."""
    total: Money
    """`unitFee` times `count`."""
    day: date | None = None
    """The day in UTC; only if asked for."""


class StatementMovement(Struct, frozen=True, kw_only=True):
    """A top-up or an adjustment."""

    entry: str
    """Its id in the ledger."""
    at: datetime
    """When it was recorded (RFC 3339)."""
    kind: EntryKind
    """`TOP_UP` or `ADJUST`."""
    amount: Money
    """Negative when it was taken away."""
    reference: str | None
    """The bank transfer or invoice of a top-up."""
    note: str | None
    """What the operator noted."""


class StatementResponse(Struct, frozen=True, kw_only=True):
    """What moved a balance: opening + top-ups + adjustments - charged = closing."""

    from_: date
    """The first day of the period, in UTC."""
    to: date
    """The first day after the period."""
    at: datetime
    """When it was made; before `to` it may still change."""
    currency: str
    """ISO 4217 code."""
    opening_balance: Money
    """At the beginning of the period."""
    top_ups: Money
    """All that was paid in."""
    adjustments: Money
    """All corrections by hand, up and down."""
    charged: Money
    """All fees."""
    closing_balance: Money
    """At the end of the period."""
    movements: tuple[StatementMovement, ...]
    """Top-ups and adjustments, oldest first."""
    charges: tuple[StatementCharge, ...]
    """Fees of the requests that ended in the period."""
    uncharged_requests: int
    """Requests that ended and cost nothing."""


class StoredCredential(Struct, frozen=True, kw_only=True):
    """Who initiates this payment with a stored card, and why."""

    initiator: Initiator | str
    """`CUSTOMER` is there and pays; `MERCHANT` charges the stored card without the customer, as
    was agreed when it was stored.
    """
    use: CredentialUse | str
    """`FIRST` where this payment stores the card, `LATER` where it was stored."""
    reason: CredentialReason | str | None = None
    """Why the merchant initiates it. With `FIRST`, what the customer agrees to: `RECURRING`,
    `INSTALMENT` or `UNSCHEDULED`.
    """
    network_transaction_id: str | None = None
    """The network's id of the payment that stored the card, as it was answered. Payments that the
    merchant initiates need it.
    """
    earlier_request_id: str | None = None
    """Instead of the id: the `requestId` of an earlier payment of this account with the same card
    number. Its id is taken from there.
    """


class TaxCategory(OpenEnum):
    """What kind of tax is due, by the codes of EN 16931."""

    AE = "AE"
    E = "E"
    O = "O"
    S = "S"
    Z = "Z"


class TaxTerms(Struct, frozen=True, kw_only=True):
    """The tax of an account's invoices."""

    category: TaxCategory
    """`S` standard, `Z` zero rate, `E` exempt, `AE` reverse charge, `O` outside the scope of tax.
    """
    rate: str | None = None
    """Percent."""
    reason: str | None = None
    """Why there is none."""


class ThreeDSStatus(OpenEnum):
    """The result of the authentication, `transStatus`."""

    A = "A"
    C = "C"
    I = "I"
    N = "N"
    R = "R"
    U = "U"
    Y = "Y"


class ThreeDSVersion(OpenEnum):
    """The version of the protocol."""

    V1_0_2 = "1.0.2"
    V2_1_0 = "2.1.0"
    V2_2_0 = "2.2.0"
    V2_3_1 = "2.3.1"


class ThreeDSecure(Struct, frozen=True, kw_only=True):
    """What 3-D Secure found for this payment, or why it was not needed."""

    version: ThreeDSVersion | str | None = None
    """Version of the protocol."""
    eci: Eci | str | None = None
    """Electronic commerce indicator: `05` (Mastercard `02`) says that the cardholder was
    authenticated, `06` (`01`) that it was attempted.
    """
    status: ThreeDSStatus | str | None = None
    """`transStatus`: `Y` authenticated, `A` attempted, `N` not authenticated, `U` could not be
    done, `R` rejected by the issuer, `C` challenge not over yet, `I` for information only.
    """
    exemption: ScaExemption | str | None = None
    """Why strong customer authentication is not needed, if that is claimed."""
    authentication_value: str | None = None
    """CAVV or AAV, 20 bytes in Base64. It goes to the payment gateway and is never kept."""
    ds_transaction_id: str | None = None
    """The name of the authentication at the directory server, a UUID. It goes to the payment
    gateway and is not kept.
    """


class ThreeDSecureData(Struct, frozen=True, kw_only=True):
    """What a 3-D Secure server can be sent as it is."""

    acct_info: AcctInfo | None = None
    """About the account."""
    merchant_risk_indicator: MerchantRiskIndicator | None = None
    """About the order."""
    three_ds_requestor_prior_authentication_info: PriorAuthentication | None = field(
        default=None, name="threeDSRequestorPriorAuthenticationInfo"
    )
    """About an earlier authentication."""


class ThresholdCostShown(Struct, frozen=True, kw_only=True):
    """What one threshold of a report would have cost."""

    below: float
    """Requests with less confidence are declined."""
    cost: Money
    """Losses by fraud, and margins turned away."""
    best_for: tuple[CostPreset, ...]
    """Presets for which no other threshold is cheaper."""


class ThresholdKept(Struct, frozen=True, kw_only=True):
    """A threshold in use, and which share of recent requests is below it. Null where the threshold
    was set after the model was trained.
    """

    source: Any
    """Whether a rule or a pipeline names it."""
    configured: str
    """The rule set, or the pipeline's number."""
    name: str
    """The rule, or the stage."""
    threshold: float
    """What is compared with."""
    before: float | None = None
    """With the model before."""
    unmapped: float | None = None
    """With the scores of this model as they are."""
    after: float | None = None
    """With its scores as they are told."""
    changed: int | None = None
    """Requests on the other side than before, as told."""
    changed_unmapped: int | None = None
    """The same with scores as they are."""


class ThresholdTable(Struct, frozen=True, kw_only=True):
    """The table of thresholds that is in force."""

    as_of: str
    """The day of the table."""
    own: bool
    """Whether the operator has replaced the table that ships."""
    thresholds: tuple[ShownThreshold, ...]
    """In the order of the file."""
    rates: tuple[ShownRate, ...]
    """Exchange rates; none ships."""
    unmetered: tuple[ShownUnmetered, ...] | None = None
    """Programmes whose figures are not public."""


class TimeRange(Struct, frozen=True, kw_only=True):
    """A span of time: from a moment on, and before another."""

    from_: datetime | None = None
    """From this moment on, RFC 3339."""
    to: datetime | None = None
    """Before this moment."""


class ToldDecisions(Struct, frozen=True, kw_only=True):
    """Decisions that a webhook is told of."""

    operation: str | None = None
    """Which operation; `*` for all."""
    outcomes: tuple[Outcome, ...] | None = None
    """Empty: all."""


class TopUpKind(OpenEnum):
    """How a top-up is paid."""

    AUTOMATIC = "AUTOMATIC"
    PAGE = "PAGE"
    STORING = "STORING"


class TopUpLimit(Struct, frozen=True, kw_only=True):
    """The most that cards are charged in a day."""

    day_limit_minor: int
    """The most that is charged in a day (UTC) by top-ups of every kind, their tax included, in the
    smallest unit of the account's currency.
    """


class TopUpLimitShown(Struct, frozen=True, kw_only=True):
    """The most that cards are charged in a day, and what is left of it."""

    day_limit_minor: int | None
    """As it was set; null where it never was."""
    charged_minor: int
    """What was charged on this day, with what still can be paid or is in doubt, tax included."""
    left_minor: int | None
    """What is left of the limit."""
    currency: str
    """ISO 4217 code."""
    until: datetime
    """When the day ends (RFC 3339)."""


class TopUpList(Struct, frozen=True, kw_only=True):
    """Top-ups of an account."""

    top_ups: tuple[TopUpShown, ...]
    """The newest first; at most 100."""


class TopUpShown(Struct, frozen=True, kw_only=True):
    """A top-up by card."""

    top_up_id: str
    """The id of the top-up."""
    kind: TopUpKind
    """PAGE is paid by a person, STORING too, and the card is stored. AUTOMATIC was charged to the
    stored card.
    """
    state: TopUpState
    """How far it is. WAITING and OPEN end by themselves. Of one IN_DOUBT nothing was added, and a
    person finds out why.
    """
    amount_minor: int
    """What is added, in the smallest unit."""
    tax_minor: int
    """The tax that is paid besides."""
    currency: str
    """ISO 4217 code."""
    url: str | None
    """The page of the payment provider; null before it is made and after the top-up has ended."""
    created_at: datetime
    """When it was asked for (RFC 3339)."""
    changed_at: datetime
    """When it last changed (RFC 3339)."""
    expires_at: datetime
    """Until when it can be paid (RFC 3339)."""
    by: str
    """Who asked for it."""
    reason: str | None
    """Why it is as it is."""


class TopUpState(OpenEnum):
    """How far a top-up is."""

    EXPIRED = "EXPIRED"
    FAILED = "FAILED"
    IN_DOUBT = "IN_DOUBT"
    OPEN = "OPEN"
    PAID = "PAID"
    REFUSED = "REFUSED"
    WAITING = "WAITING"


class TopUpWanted(Struct, frozen=True, kw_only=True):
    """How much to add."""

    amount_minor: int
    """What is to be added to the balance, in the smallest unit of its currency; the page asks for
    the account's tax besides.
    """
    store_card: bool | None = None
    """Whether the person who pays agrees that the provider stores the card, and that it is charged
    again by automatic top-ups. No card number comes to us.
    """


class TrainingRequest(Struct, frozen=True, kw_only=True):
    """What to learn from, and how."""

    since: str | None = None
    """The first moment: a day, or a time such as 2026-11-15T08:30:00Z."""
    until: str | None = None
    """The first moment after it, in the same words. Default: now."""
    label_delay_days: int | None = None
    """How long labels are waited for; newer requests are left out."""
    holdout: Decimal | float | None = None
    """Share of the newest requests to measure on."""
    method: Any | None = None
    """How it is fitted; `auto` depends on how much fraud there is."""
    presume: bool | None = None
    """Whether requests without a label count as legitimate."""
    note: str | None = None
    """Why, for the history."""


class TrialOfModel(Struct, frozen=True, kw_only=True):
    """Which requests a model is tried on."""

    since: str | None = None
    """The first moment: a day, or a time such as 2026-11-15T08:30:00Z."""
    until: str | None = None
    """The first moment after it, in the same words. Default: now."""
    recorded: bool | None = None
    """Compare the scores that were recorded while it scored beside the one in force, and not those
    that it would give now.
    """


class TrialRequest(Struct, frozen=True, kw_only=True):
    """A rule set, and the case to try it on."""

    document: str
    """The file as YAML, as `apply` of the command line takes it."""
    request_id: str | None = None
    """A recorded request, for a key that also has the scope `decisions`. Give it or `signals`."""
    signals: Mapping[str, Any] | None = None
    """Values of signals by their names, as a decision record shows them."""


class TrialResponse(Struct, frozen=True, kw_only=True):
    """What a rule set decides about a case."""

    rule_set: str
    """Its name."""
    status: Outcome
    """What it decides."""
    final_by: str | None
    """The final rule that decided alone, if one did."""
    tags: tuple[str, ...]
    """Tags of the rules that match."""
    rules: tuple[TriedRule, ...]
    """In the order of the document."""


class TriedRule(Struct, frozen=True, kw_only=True):
    """What one rule said."""

    name: str
    """Its name."""
    matches: bool
    """Whether its condition holds."""
    outcome: Outcome
    """What it decides."""
    final: bool
    """Whether it decides alone."""
    shadow: bool
    """Whether it only watches."""
    signals: Mapping[str, Any]
    """The values that it looked at."""
    lists: tuple[ListAnswer, ...]
    """The lists that it looked at."""


class UblDocument(Struct, frozen=True, kw_only=True):
    """An invoice as a program of the buyer reads it."""

    number: str
    """Its number."""
    xml: str
    """UBL 2.1 after EN 16931."""


class UsageEntry(Struct, frozen=True, kw_only=True):
    """The requests of one operation on one day."""

    day: date
    """In UTC."""
    operation: str
    """Its name."""
    requests: int
    """How many were decided."""
    charged: Money
    """What they were charged."""


class UsageGroupEntry(Struct, frozen=True, kw_only=True):
    """The requests of one key, pipeline or tag on one day or in one month."""

    day: date
    """In UTC; the first of a month."""
    group: str | None
    """Id of the key, number of the pipeline, or the custom input `tag`; null where there is none,
    or it is not recorded any more.
    """
    name: str | None
    """What the key is called."""
    requests: int
    """How many ended."""
    charged: Money
    """What they were charged."""
    is_rest: bool
    """Whether these are all beyond the largest 1,000 groups."""


class UsageResponse(Struct, frozen=True, kw_only=True):
    """What an account used in a period."""

    from_: date
    """The first day."""
    to: date
    """The first day after."""
    usage: tuple[UsageEntry, ...]
    """By day and operation."""
    groups: tuple[UsageGroupEntry, ...] | None = None
    """By key, pipeline or tag; they add up to what the statement charges."""


class ValueKind(OpenEnum):
    """What a value that stands out is."""

    ADDRESS = "address"
    BIN = "bin"
    BROWSER = "browser"
    COUNTRY = "country"
    DEVICE = "device"
    DOMAIN = "domain"
    NETWORK = "network"
    OPERATOR = "operator"
    RULE = "rule"


class ValuesListed(Struct, frozen=True, kw_only=True):
    """What became of the values that one list holds."""

    list: str
    """The list."""
    added: int
    """How many are new on it."""
    changed: int
    """Got another expiry or reason."""
    unchanged: int
    """Were there alike."""


class VerificationLevel(OpenEnum):
    """How much was given to verify."""

    FULL = "FULL"
    MINIMAL = "MINIMAL"
    PARTIAL = "PARTIAL"


class VersionApplied(Struct, frozen=True, kw_only=True):
    """What applying a document did, or would do."""

    name: str
    """Its name."""
    version: int
    """The version in force now; of a dry run, the next."""
    changed: bool
    """False when this very document is in force."""
    dry_run: bool
    """Whether this was a dry run, which changes nothing."""
    differences: tuple[str, ...]
    """What changes, a line each: `+` is new, `-` is gone, `~` is changed."""
    remarks: tuple[str, ...]
    """What the author should know."""


class VersionEntry(Struct, frozen=True, kw_only=True):
    """One version."""

    version: int
    """Its number."""
    created_at: datetime
    """When it was made (RFC 3339)."""
    by: str
    """The key, or the operator, that made it."""
    note: str | None
    """Why."""
    in_force: bool
    """Whether requests use it."""


class VersionPage(Struct, frozen=True, kw_only=True):
    """Versions, newest first."""

    versions: tuple[VersionEntry, ...]
    """Newest first."""
    has_more: bool
    """Whether there are more."""


class VersionReturn(Struct, frozen=True, kw_only=True):
    """Which version to go back to."""

    to: int | None = None
    """Without it, the one in force before the present one."""


class VersionReturned(Struct, frozen=True, kw_only=True):
    """What a rollback did, or would do."""

    version: int
    """Its number."""
    before: int
    """The version until now."""
    dry_run: bool
    """Whether this was a dry run, which changes nothing."""
    differences: tuple[str, ...]
    """What changes, a line each: `+` is new, `-` is gone, `~` is changed."""


class VersionShown(Struct, frozen=True, kw_only=True):
    """One version as its author wrote it."""

    name: str
    """Its name."""
    version: int
    """Its number."""
    in_force: bool
    """Whether requests use it."""
    document: str
    """The file as it was applied."""


class VisaPacket(Struct, frozen=True, kw_only=True):
    """Compelling Evidence 3.0."""

    disputed_transaction: DisputedTransaction = field(name="disputed_transaction")
    """The disputed transaction."""
    prior_undisputed_transactions: tuple[PriorTransaction, ...] = field(
        name="prior_undisputed_transactions"
    )
    """The two earlier ones, the older one first."""


class WantedPaper(Struct, frozen=True, kw_only=True):
    """A paper that answers a dispute."""

    paper: DisputePaper
    """Which one."""
    known: bool
    """Whether it is there: in the record, in what was said of the delivery, in outcomes, or, of
    terms and invoices, in an attached file.
    """


class WebhookChange(Struct, frozen=True, kw_only=True):
    """What to change; what is left out stays as it is."""

    url: str | None = None
    """Where messages are sent, over HTTPS."""
    events: Sequence[str] | None = None
    """Types of events, `review.*` for all of a kind, or `*`."""
    decisions: Sequence[ToldDecisions] | None = None
    """Which decisions `decision.made` tells of; empty: all."""
    ordered: bool | None = None
    """Whether a message waits for the one before it."""
    description: str | None = None
    """What it is for."""
    enabled: bool | None = None
    """Whether messages are sent; they wait meanwhile."""


class WebhookDeleted(Struct, frozen=True, kw_only=True):
    """A webhook that is no more."""

    id: str
    """Its id."""
    deleted: bool
    """Nothing is sent to it any more."""


class WebhookPage(Struct, frozen=True, kw_only=True):
    """All webhooks of an account."""

    webhooks: tuple[PublicWebhook, ...]
    """Oldest first."""


class WebhookState(OpenEnum):
    """Whether messages are sent."""

    DISABLED = "disabled"
    ENABLED = "enabled"


class WhatIfRequest(Struct, frozen=True, kw_only=True):
    """A rule set to try on recorded requests; by default those of the last 90 days."""

    document: str
    """The file as YAML, as `apply` of the command line takes it."""
    since: str | None = None
    """The first moment: a day, or a time such as 2026-11-15T08:30:00Z."""
    until: str | None = None
    """The first moment after it, in the same words. Default: now."""


class DecisionMadeData(TypedDict):
    """The `data` of a `DecisionMadeEvent`."""

    requestId: str
    decision: Mapping[str, Any] | None
    response: Mapping[str, Any] | None


class DecisionMadeEvent(PublicEvent, frozen=True, kw_only=True):
    """A request was decided; only for accounts that ask for it."""

    type: Literal["decision.made"]
    data: DecisionMadeData


class ReviewOpenedData(TypedDict):
    """The `data` of a `ReviewOpenedEvent`."""

    requestId: str
    decision: Mapping[str, Any] | None
    response: Mapping[str, Any] | None


class ReviewOpenedEvent(PublicEvent, frozen=True, kw_only=True):
    """A decision waits for a person."""

    type: Literal["review.opened"]
    data: ReviewOpenedData


class ReviewAssignedData(TypedDict):
    """The `data` of a `ReviewAssignedEvent`."""

    requestId: str
    decision: Mapping[str, Any] | None
    response: Mapping[str, Any] | None
    assignee: str | None


class ReviewAssignedEvent(PublicEvent, frozen=True, kw_only=True):
    """A review was given to a person, or taken back."""

    type: Literal["review.assigned"]
    data: ReviewAssignedData


class ReviewResolvedData(TypedDict):
    """The `data` of a `ReviewResolvedEvent`."""

    requestId: str
    decision: Mapping[str, Any] | None
    response: Mapping[str, Any] | None
    state: str
    payment: str | None


class ReviewResolvedEvent(PublicEvent, frozen=True, kw_only=True):
    """A person accepted or declined a reviewed request."""

    type: Literal["review.resolved"]
    data: ReviewResolvedData


class ReviewCorrectedData(TypedDict):
    """The `data` of a `ReviewCorrectedEvent`."""

    requestId: str
    decision: Mapping[str, Any] | None
    response: Mapping[str, Any] | None
    state: str
    payment: str | None


class ReviewCorrectedEvent(PublicEvent, frozen=True, kw_only=True):
    """A person corrected the resolution of a review."""

    type: Literal["review.corrected"]
    data: ReviewCorrectedData


class ReviewReopenedData(TypedDict):
    """The `data` of a `ReviewReopenedEvent`."""

    requestId: str
    decision: Mapping[str, Any] | None
    response: Mapping[str, Any] | None
    state: str
    payment: str | None


class ReviewReopenedEvent(PublicEvent, frozen=True, kw_only=True):
    """A resolution of a review was undone; the review is open again."""

    type: Literal["review.reopened"]
    data: ReviewReopenedData


class PaymentAuthorizedData(TypedDict):
    """The `data` of a `PaymentAuthorizedEvent`."""

    requestId: str
    decision: Mapping[str, Any] | None
    response: Mapping[str, Any] | None
    paymentId: str | None
    party: str | None


class PaymentAuthorizedEvent(PublicEvent, frozen=True, kw_only=True):
    """The gateway authorized the payment of a request."""

    type: Literal["payment.authorized"]
    data: PaymentAuthorizedData


class PaymentReversedData(TypedDict):
    """The `data` of a `PaymentReversedEvent`."""

    requestId: str
    decision: Mapping[str, Any] | None
    response: Mapping[str, Any] | None
    paymentId: str | None
    party: str | None
    amountMinor: int
    currency: str
    attempts: int
    reason: str | None


class PaymentReversedEvent(PublicEvent, frozen=True, kw_only=True):
    """A payment was reversed, or was found never to have been made."""

    type: Literal["payment.reversed"]
    data: PaymentReversedData


class PaymentReversalFailedData(TypedDict):
    """The `data` of a `PaymentReversalFailedEvent`."""

    requestId: str
    decision: Mapping[str, Any] | None
    response: Mapping[str, Any] | None
    paymentId: str | None
    party: str | None
    amountMinor: int
    currency: str
    attempts: int
    reason: str | None


class PaymentReversalFailedEvent(PublicEvent, frozen=True, kw_only=True):
    """A payment could not be reversed; a person must look at it."""

    type: Literal["payment.reversal_failed"]
    data: PaymentReversalFailedData


class PaymentCapturedData(TypedDict):
    """The `data` of a `PaymentCapturedEvent`."""

    requestId: str
    decision: Mapping[str, Any] | None
    response: Mapping[str, Any] | None
    paymentId: str | None
    party: str | None
    operationId: str
    kind: Mapping[str, Any]
    amountMinor: int
    currency: str
    code: str | None
    reason: str | None


class PaymentCapturedEvent(PublicEvent, frozen=True, kw_only=True):
    """A payment was captured, whole or in part."""

    type: Literal["payment.captured"]
    data: PaymentCapturedData


class PaymentVoidedData(TypedDict):
    """The `data` of a `PaymentVoidedEvent`."""

    requestId: str
    decision: Mapping[str, Any] | None
    response: Mapping[str, Any] | None
    paymentId: str | None
    party: str | None
    operationId: str
    kind: Mapping[str, Any]
    amountMinor: int
    currency: str
    code: str | None
    reason: str | None


class PaymentVoidedEvent(PublicEvent, frozen=True, kw_only=True):
    """A payment that was not captured was given up."""

    type: Literal["payment.voided"]
    data: PaymentVoidedData


class PaymentRefundedData(TypedDict):
    """The `data` of a `PaymentRefundedEvent`."""

    requestId: str
    decision: Mapping[str, Any] | None
    response: Mapping[str, Any] | None
    paymentId: str | None
    party: str | None
    operationId: str
    kind: Mapping[str, Any]
    amountMinor: int
    currency: str
    code: str | None
    reason: str | None


class PaymentRefundedEvent(PublicEvent, frozen=True, kw_only=True):
    """Captured money was given back, whole or in part."""

    type: Literal["payment.refunded"]
    data: PaymentRefundedData


class PaymentOperationRefusedData(TypedDict):
    """The `data` of a `PaymentOperationRefusedEvent`."""

    requestId: str
    decision: Mapping[str, Any] | None
    response: Mapping[str, Any] | None
    paymentId: str | None
    party: str | None
    operationId: str
    kind: Mapping[str, Any]
    amountMinor: int
    currency: str
    code: str | None
    reason: str | None


class PaymentOperationRefusedEvent(PublicEvent, frozen=True, kw_only=True):
    """A capture, void or refund was refused."""

    type: Literal["payment.operation_refused"]
    data: PaymentOperationRefusedData


class PaymentOperationInDoubtData(TypedDict):
    """The `data` of a `PaymentOperationInDoubtEvent`."""

    requestId: str
    decision: Mapping[str, Any] | None
    response: Mapping[str, Any] | None
    paymentId: str | None
    party: str | None
    operationId: str
    kind: Mapping[str, Any]
    amountMinor: int
    currency: str
    code: str | None
    reason: str | None


class PaymentOperationInDoubtEvent(PublicEvent, frozen=True, kw_only=True):
    """A person must find out whether a capture, void or refund was done."""

    type: Literal["payment.operation_in_doubt"]
    data: PaymentOperationInDoubtData


class FeedbackReceivedData(TypedDict):
    """The `data` of a `FeedbackReceivedEvent`."""

    requestId: str
    decision: Mapping[str, Any] | None
    response: Mapping[str, Any] | None
    label: str
    previous: str | None


class FeedbackReceivedEvent(PublicEvent, frozen=True, kw_only=True):
    """A request got a label, such as a chargeback."""

    type: Literal["feedback.received"]
    data: FeedbackReceivedData


class BalanceLowData(TypedDict):
    """The `data` of a `BalanceLowEvent`."""

    remaining: Mapping[str, Any]
    threshold: Mapping[str, Any]


class BalanceLowEvent(PublicEvent, frozen=True, kw_only=True):
    """The balance fell below the account's threshold."""

    type: Literal["balance.low"]
    data: BalanceLowData


class BalanceDepletedData(TypedDict):
    """The `data` of a `BalanceDepletedEvent`."""

    remaining: Mapping[str, Any]
    needed: Mapping[str, Any]


class BalanceDepletedEvent(PublicEvent, frozen=True, kw_only=True):
    """A request was refused because the balance did not cover its fees."""

    type: Literal["balance.depleted"]
    data: BalanceDepletedData


class BalanceToppedUpData(TypedDict):
    """The `data` of a `BalanceToppedUpEvent`."""

    amount: Mapping[str, Any]
    remaining: Mapping[str, Any]
    reference: str


class BalanceToppedUpEvent(PublicEvent, frozen=True, kw_only=True):
    """Money was added to the balance."""

    type: Literal["balance.topped_up"]
    data: BalanceToppedUpData


class BalanceCreditExpiringData(TypedDict):
    """The `data` of a `BalanceCreditExpiringEvent`."""

    amount: Mapping[str, Any]
    expiresAt: str
    reference: str


class BalanceCreditExpiringEvent(PublicEvent, frozen=True, kw_only=True):
    """What is left of a credit expires within a week."""

    type: Literal["balance.credit_expiring"]
    data: BalanceCreditExpiringData


class BalanceCreditExpiredData(TypedDict):
    """The `data` of a `BalanceCreditExpiredEvent`."""

    amount: Mapping[str, Any]
    remaining: Mapping[str, Any]
    reference: str


class BalanceCreditExpiredEvent(PublicEvent, frozen=True, kw_only=True):
    """A credit expired; what was left of it was taken back."""

    type: Literal["balance.credit_expired"]
    data: BalanceCreditExpiredData


class BalanceTopUpEndedData(TypedDict):
    """The `data` of a `BalanceTopUpEndedEvent`."""

    topUpId: str
    amountMinor: int
    currency: str
    state: str
    reason: str | None


class BalanceTopUpEndedEvent(PublicEvent, frozen=True, kw_only=True):
    """A top-up by card ended and nothing was added."""

    type: Literal["balance.top_up_ended"]
    data: BalanceTopUpEndedData


class BalanceAutoTopUpPausedData(TypedDict):
    """The `data` of a `BalanceAutoTopUpPausedEvent`."""

    reason: str
    until: str | None
    topUpId: str | None


class BalanceAutoTopUpPausedEvent(PublicEvent, frozen=True, kw_only=True):
    """Automatic top-ups pause, or were turned off."""

    type: Literal["balance.auto_top_up_paused"]
    data: BalanceAutoTopUpPausedData


class KeyCreatedData(TypedDict, total=False):
    """The `data` of a `KeyCreatedEvent`."""

    keyId: str
    name: str
    scopes: Sequence[str]
    expiresAt: str
    replaces: str


class KeyCreatedEvent(PublicEvent, frozen=True, kw_only=True):
    """An API key was issued."""

    type: Literal["key.created"]
    data: KeyCreatedData


class KeyExpiringData(TypedDict, total=False):
    """The `data` of a `KeyExpiringEvent`."""

    keyId: str
    name: str
    expiresAt: str
    successor: str


class KeyExpiringEvent(PublicEvent, frozen=True, kw_only=True):
    """An API key ends within a week, or has ended."""

    type: Literal["key.expiring"]
    data: KeyExpiringData


class KeyRevokedData(TypedDict):
    """The `data` of a `KeyRevokedEvent`."""

    keyId: str
    name: str
    reason: str


class KeyRevokedEvent(PublicEvent, frozen=True, kw_only=True):
    """An API key was revoked."""

    type: Literal["key.revoked"]
    data: KeyRevokedData


class RulesAppliedData(TypedDict):
    """The `data` of a `RulesAppliedEvent`."""

    ruleSet: str
    version: int
    before: int | None
    note: str | None


class RulesAppliedEvent(PublicEvent, frozen=True, kw_only=True):
    """A new version of a rule set is in force."""

    type: Literal["rules.applied"]
    data: RulesAppliedData


class RulesRolledBackData(TypedDict):
    """The `data` of a `RulesRolledBackEvent`."""

    ruleSet: str
    version: int
    before: int | None


class RulesRolledBackEvent(PublicEvent, frozen=True, kw_only=True):
    """An earlier version of a rule set is in force again."""

    type: Literal["rules.rolled_back"]
    data: RulesRolledBackData


class ModelPromotedData(TypedDict):
    """The `data` of a `ModelPromotedEvent`."""

    version: int
    before: int


class ModelPromotedEvent(PublicEvent, frozen=True, kw_only=True):
    """Another model of the account is in force."""

    type: Literal["model.promoted"]
    data: ModelPromotedData


class ConnectorDownData(TypedDict):
    """The `data` of a `ConnectorDownEvent`."""

    connector: str


class ConnectorDownEvent(PublicEvent, frozen=True, kw_only=True):
    """An outside party does not answer."""

    type: Literal["connector.down"]
    data: ConnectorDownData


class ConnectorRecoveredData(TypedDict):
    """The `data` of a `ConnectorRecoveredEvent`."""

    connector: str


class ConnectorRecoveredEvent(PublicEvent, frozen=True, kw_only=True):
    """An outside party answers again."""

    type: Literal["connector.recovered"]
    data: ConnectorRecoveredData


class ImportFinishedData(TypedDict, total=False):
    """The `data` of a `ImportFinishedEvent`."""

    importId: str
    kind: str
    added: int
    changed: int
    unchanged: int
    refused: int
    read: int
    new: int
    bad: int


class ImportFinishedEvent(PublicEvent, frozen=True, kw_only=True):
    """An import of records came to its end."""

    type: Literal["import.finished"]
    data: ImportFinishedData


class WebhookDisabledData(TypedDict, total=False):
    """The `data` of a `WebhookDisabledEvent`."""

    webhookId: str
    because: str
    failingSince: str


class WebhookDisabledEvent(PublicEvent, frozen=True, kw_only=True):
    """A webhook failed for too long, or its receiver asked for no more."""

    type: Literal["webhook.disabled"]
    data: WebhookDisabledData


class DriftNoticedData(TypedDict):
    """The `data` of a `DriftNoticedEvent`."""

    drifts: Sequence[str]
    count: int


class DriftNoticedEvent(PublicEvent, frozen=True, kw_only=True):
    """Signals, scores, rules or labels are not as they usually are."""

    type: Literal["drift.noticed"]
    data: DriftNoticedData


class ProgrammeThresholdData(TypedDict):
    """The `data` of a `ProgrammeThresholdEvent`."""

    programme: str
    level: str
    network: str
    merchantId: str | None
    region: str | None
    month: str
    percent: int
    events: int
    sales: int
    neededEvents: int
    basisPoints: str | None


class ProgrammeThresholdEvent(PublicEvent, frozen=True, kw_only=True):
    """Half of the way to a network's programme, or more, is reached."""

    type: Literal["programme.threshold"]
    data: ProgrammeThresholdData


class OutcomeRecordedData(TypedDict, total=False):
    """The `data` of a `OutcomeRecordedEvent`."""

    kind: str
    network: str
    requestId: str
    reason: str
    fraudType: str
    stage: str
    result: str
    amount: str
    currency: str


class OutcomeRecordedEvent(PublicEvent, frozen=True, kw_only=True):
    """A payment was refunded, reported as fraud, warned of or disputed."""

    type: Literal["outcome.recorded"]
    data: OutcomeRecordedData


class AlertRaisedData(TypedDict):
    """The `data` of a `AlertRaisedEvent`."""

    alertId: str
    kind: Mapping[str, Any]
    windowMinutes: int
    requests: int
    measures: Sequence[str]
    values: Sequence[str]
    atStake: Sequence[str]


class AlertRaisedEvent(PublicEvent, frozen=True, kw_only=True):
    """Requests depart from what is usual: an attack, a feast or an outage."""

    type: Literal["alert.raised"]
    data: AlertRaisedData


class AlertEndedData(TypedDict):
    """The `data` of a `AlertEndedEvent`."""

    alertId: str
    kind: Mapping[str, Any]
    beganAt: str
    endedBy: str | None


class AlertEndedEvent(PublicEvent, frozen=True, kw_only=True):
    """What departed from the usual is over, or a person ended the alert."""

    type: Literal["alert.ended"]
    data: AlertEndedData


class ExperimentStartedData(TypedDict):
    """The `data` of a `ExperimentStartedEvent`."""

    experiment: str
    kind: Mapping[str, Any]
    percent: int


class ExperimentStartedEvent(PublicEvent, frozen=True, kw_only=True):
    """A live experiment began: some requests get another arm."""

    type: Literal["experiment.started"]
    data: ExperimentStartedData


class ExperimentEndedData(TypedDict):
    """The `data` of a `ExperimentEndedEvent`."""

    experiment: str
    because: Mapping[str, Any]


class ExperimentEndedEvent(PublicEvent, frozen=True, kw_only=True):
    """A live experiment ended, by a person or by itself."""

    type: Literal["experiment.ended"]
    data: ExperimentEndedData


class ReportReadyData(TypedDict):
    """The `data` of a `ReportReadyEvent`."""

    month: str
    orders: int
    accepted: int
    fraud: int
    disputed: int


class ReportReadyEvent(PublicEvent, frozen=True, kw_only=True):
    """The report on a month was made."""

    type: Literal["report.ready"]
    data: ReportReadyData


class StatementReadyData(TypedDict):
    """The `data` of a `StatementReadyEvent`."""

    month: str
    openingBalance: Mapping[str, Any]
    topUps: Mapping[str, Any]
    adjustments: Mapping[str, Any]
    charged: Mapping[str, Any]
    closingBalance: Mapping[str, Any]
    links: Mapping[str, Any]


class StatementReadyEvent(PublicEvent, frozen=True, kw_only=True):
    """A month is over, and its statement does not change any more."""

    type: Literal["statement.ready"]
    data: StatementReadyData


class WebhookTestData(TypedDict):
    """The `data` of a `WebhookTestEvent`."""

    webhookId: str


class WebhookTestEvent(PublicEvent, frozen=True, kw_only=True):
    """A test message."""

    type: Literal["webhook.test"]
    data: WebhookTestData


EVENTS: Final[Mapping[str, type[PublicEvent]]] = {
    "decision.made": DecisionMadeEvent,
    "review.opened": ReviewOpenedEvent,
    "review.assigned": ReviewAssignedEvent,
    "review.resolved": ReviewResolvedEvent,
    "review.corrected": ReviewCorrectedEvent,
    "review.reopened": ReviewReopenedEvent,
    "payment.authorized": PaymentAuthorizedEvent,
    "payment.reversed": PaymentReversedEvent,
    "payment.reversal_failed": PaymentReversalFailedEvent,
    "payment.captured": PaymentCapturedEvent,
    "payment.voided": PaymentVoidedEvent,
    "payment.refunded": PaymentRefundedEvent,
    "payment.operation_refused": PaymentOperationRefusedEvent,
    "payment.operation_in_doubt": PaymentOperationInDoubtEvent,
    "feedback.received": FeedbackReceivedEvent,
    "balance.low": BalanceLowEvent,
    "balance.depleted": BalanceDepletedEvent,
    "balance.topped_up": BalanceToppedUpEvent,
    "balance.credit_expiring": BalanceCreditExpiringEvent,
    "balance.credit_expired": BalanceCreditExpiredEvent,
    "balance.top_up_ended": BalanceTopUpEndedEvent,
    "balance.auto_top_up_paused": BalanceAutoTopUpPausedEvent,
    "key.created": KeyCreatedEvent,
    "key.expiring": KeyExpiringEvent,
    "key.revoked": KeyRevokedEvent,
    "rules.applied": RulesAppliedEvent,
    "rules.rolled_back": RulesRolledBackEvent,
    "model.promoted": ModelPromotedEvent,
    "connector.down": ConnectorDownEvent,
    "connector.recovered": ConnectorRecoveredEvent,
    "import.finished": ImportFinishedEvent,
    "webhook.disabled": WebhookDisabledEvent,
    "drift.noticed": DriftNoticedEvent,
    "programme.threshold": ProgrammeThresholdEvent,
    "outcome.recorded": OutcomeRecordedEvent,
    "alert.raised": AlertRaisedEvent,
    "alert.ended": AlertEndedEvent,
    "experiment.started": ExperimentStartedEvent,
    "experiment.ended": ExperimentEndedEvent,
    "report.ready": ReportReadyEvent,
    "statement.ready": StatementReadyEvent,
    "webhook.test": WebhookTestEvent,
}
