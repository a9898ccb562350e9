// Made by scripts/generate_typescript.py from the OpenAPI document; do not edit, run: make types

import type { Hidden } from "./hidden.js";

/** An account. */
export interface AccountShown {
  /** Its id. */
  readonly accountId: string;
  /** Its name. */
  readonly name: string;
  /** ISO 4217 code. */
  readonly currency: string;
  /** When it was made (RFC 3339). */
  readonly createdAt: string;
  /** What each service costs, by fee type. */
  readonly fees: { readonly [name: string]: Money };
}

/** `acctInfo` of an authentication request: what is known of the cardholder's account. */
export interface AcctInfo {
  /** Age of the account: `02` made with this payment, `03` less than 30 days, `04` 30 to 60, `05` more than 60. */
  readonly chAccAgeInd?: string;
  /** Last change: `01` with this payment, `02` less than 30 days ago, `03` 30 to 60, `04` more than 60. */
  readonly chAccChangeInd?: string;
  /** Last change of the password: `02` with this payment, `03` less than 30 days ago, `04` 30 to 60, `05` more than 60. */
  readonly chAccPwChangeInd?: string;
  /** The card on the account: `02` since this payment, `03` for less than 30 days, `04` 30 to 60, `05` more than 60. */
  readonly paymentAccInd?: string;
  /** The shipping address: `01` with this payment for the first time, `02` for less than 30 days, `03` 30 to 60, `04` more than 60. */
  readonly shipAddressUsageInd?: string;
  /** `01` the parcel bears the account's name, `02` another. */
  readonly shipNameIndicator?: string;
  /** `01` no fraud is known of the account, `02` some is. */
  readonly suspiciousAccActivity?: string;
  /** Purchases in the last six months. */
  readonly nbPurchaseAccount?: string;
  /** New cards in the last 24 hours. */
  readonly provisionAttemptsDay?: string;
  /** Attempts in the last 24 hours. */
  readonly txnActivityDay?: string;
  /** Attempts in the last year. */
  readonly txnActivityYear?: string;
}

/** What the caller is advised to do. */
export type Advice = "ACCEPT" | "DECLINE" | "FRAUD" | "INPUT_ERROR" | "RETRY" | (string & {});

/** Why authentication can be left out; the first six are those of `threeDSecure.exemption`. */
export type AdvisedExemption = "ANONYMOUS_PREPAID" | "LOW_VALUE" | "MAIL_OR_TELEPHONE" | "MERCHANT_INITIATED" | "ONE_LEG_OUT" | "RECURRING" | "SECURE_CORPORATE_PAYMENT" | "TRANSACTION_RISK_ANALYSIS" | "TRUSTED_BENEFICIARY" | (string & {});

/** What a person says about an alert. */
export interface AlertAnswer {
  /** What is done about it. */
  readonly note?: string | null | undefined;
  /** `true` ends it now. The like of it is not raised again for six hours. */
  readonly end?: boolean | undefined;
}

/** An alert whose values are on lists. */
export interface AlertBlocked {
  /** Its id. */
  readonly id: string;
  /** By list. */
  readonly lists: readonly ValuesListed[];
  /** Whether this was a dry run, which changes nothing. */
  readonly dryRun: boolean;
}

/** What of an alert is blocked, and for how long. */
export interface AlertBlocking {
  /** Which values: `address`, `network`, `device`, `domain`, `bin`. Only those are blocked that are at least 5 times as frequent as usual. */
  readonly kinds?: readonly ValueKind[] | undefined;
  /** Why, for the entries. */
  readonly reason?: string | null | undefined;
  /** After how many hours the entries expire. */
  readonly hours?: number | undefined;
  /** What the lists' names begin with: `blocked` puts addresses on `blocked-networks`, devices on `blocked-devices`, and so on. A list that does not exist is created. */
  readonly prefix?: string | undefined;
}

export interface AlertEndedData {
  /** The alert. */
  readonly alertId: string;
  readonly kind: AlertKind;
  readonly beganAt: string;
  /** The person who ended it. */
  readonly endedBy: string | null;
}

/** What departed from the usual is over, or a person ended the alert. */
export interface AlertEndedEvent {
  /** The same each time this event is told. */
  readonly id: string;
  readonly type: "alert.ended";
  /** When it happened (RFC 3339). */
  readonly createdAt: string;
  /** Who did it: `key:` and an API key, `cli:` and a user, or a part of us. */
  readonly actor: string;
  readonly data: AlertEndedData;
}

/** What a departure from the normal is. */
export type AlertKind = "attack" | "feast" | "outage" | (string & {});

/** Alerts of an account. */
export interface AlertPage {
  /** What goes on first, newest first. */
  readonly alerts: readonly AlertShown[];
}

export interface AlertRaisedData {
  /** The alert. */
  readonly alertId: string;
  readonly kind: AlertKind;
  /** Of how many minutes the figures are. */
  readonly windowMinutes: number;
  readonly requests: number;
  readonly measures: readonly MeasureDeparting[];
  readonly values: readonly StandingOut[];
  readonly atStake: readonly AtStake[];
}

/** Requests depart from what is usual: an attack, a feast or an outage. */
export interface AlertRaisedEvent {
  /** The same each time this event is told. */
  readonly id: string;
  readonly type: "alert.raised";
  /** When it happened (RFC 3339). */
  readonly createdAt: string;
  /** Who did it: `key:` and an API key, `cli:` and a user, or a part of us. */
  readonly actor: string;
  readonly data: AlertRaisedData;
}

/** An alert. */
export interface AlertShown {
  /** Its id. */
  readonly id: string;
  /** `attack`: orders that go badly are added, or one origin brings many cards. `feast`: far more orders than usual in the usual mix. `outage`: a party fails or refuses the usual customers. */
  readonly kind: AlertKind;
  /** When it was raised (RFC 3339). */
  readonly beganAt: string;
  /** When it last departed from the normal. */
  readonly seenAt: string;
  /** When it ended; null until then. */
  readonly endedAt: string | null;
  /** Who ended it; null if it went back to normal by itself. */
  readonly endedBy: string | null;
  /** When somebody said that they look after it. */
  readonly acknowledgedAt: string | null;
  /** Who. */
  readonly acknowledgedBy: string | null;
  /** What they said. */
  readonly note: string | null;
  /** What it means, in a sentence. */
  readonly said: string;
  /** Of how many minutes the figures are. */
  readonly windowMinutes: number;
  /** How many requests it is about. */
  readonly requests: number;
  /** The counts that depart from the normal. */
  readonly measures: readonly MeasureDeparting[];
  /** The values that stand out, most frequent of each kind first. */
  readonly values: readonly StandingOut[];
  /** What these requests come to, in each currency. */
  readonly atStake: readonly AtStake[];
  /** A rule that most of them fit, to begin with. */
  readonly rule: ProposedRule | null;
  /** The newest 20 of the requests, newest first. */
  readonly examples: readonly string[];
}

/** Amounts of orders in one currency, both ends included. */
export interface AmountRange {
  /** a currency code such as USD */
  readonly currency: string;
  /** The smallest amount, in units of the currency. */
  readonly from?: number | null | undefined;
  /** The largest amount. */
  readonly to?: number | null | undefined;
}

/** The reviews that one person, or one key, resolved. */
export interface AnalystMonth {
  /** Who. */
  readonly by: string;
  /** Reviews resolved first. */
  readonly handled: number;
  /** From opening: half took less. */
  readonly medianSeconds: number;
  /** Of these, corrected since, or contradicted by a later label. */
  readonly overturned: number;
}

/** One of the two ways in which a request can be decided. */
export type Arm = "challenger" | "control" | (string & {});

/** What the orders of an arm come to in one currency. */
export interface ArmMoney {
  /** Orders that were accepted. */
  readonly accepted: Money;
  /** Orders that were declined. */
  readonly declined: Money;
  /** Accepted orders that are fraud, as known by now. */
  readonly fraud: Money;
}

/** What became of the decisions of one arm. */
export interface ArmResult {
  /** Which arm. */
  readonly arm: Arm;
  /** Cards or users that were given to it. */
  readonly units: number;
  /** Their decisions. */
  readonly decisions: number;
  /** Accepted at once. */
  readonly accepted: number;
  /** Given to review. */
  readonly reviewed: number;
  /** Declined. */
  readonly declined: number;
  /** Accepted ones whose labels count as known. */
  readonly mature: number;
  /** Of these, fraud. */
  readonly matureFraud: number;
  /** Cards or users that were ever declined. */
  readonly declinedUnits: number;
  /** Cards or users with accepted fraud, as known by now. */
  readonly fraudUnits: number;
  /** In each currency. */
  readonly money: readonly ArmMoney[];
}

/** One person for the reviews of many decisions. */
export interface AssignMany {
  /** The `requestId`s of 1 to 1000 decisions; give this or `search`. */
  readonly requestIds?: readonly string[] | null | undefined;
  /** As for a search; at most 10000 may fit. Its page is ignored. */
  readonly search?: DecisionSearchRequest | null | undefined;
  /** Your name for the person; null for nobody. */
  readonly assignee: string | null;
}

/** Whose requests always get the same arm. */
export type AssignedBy = "card" | "user" | (string & {});

/** What the requests of an alert come to in one currency. */
export interface AtStake {
  /** ISO 4217 code; empty where none was sent. */
  readonly currency: string;
  /** All of them, in units of the currency. */
  readonly total: string;
  /** Those that were accepted, not refused. */
  readonly accepted: string;
}

/** Attempts to send messages. */
export interface AttemptPage {
  /** Newest first. */
  readonly attempts: readonly PublicAttempt[];
  /** Whether there are more. */
  readonly hasMore: boolean;
}

/** One line of the audit log. */
export interface AuditEntry {
  /** Its number. */
  readonly line: number;
  /** When (RFC 3339). */
  readonly at: string;
  /** Who. */
  readonly by: string;
  /** What was done. */
  readonly action: string;
  /** About what. */
  readonly details: { readonly [name: string]: unknown };
}

/** Lines of the audit log, newest first. */
export interface AuditPage {
  /** Newest first. */
  readonly lines: readonly AuditEntry[];
  /** Whether there are more. */
  readonly hasMore: boolean;
}

/** What advice on authentication depends on. */
export interface AuthenticationBody {
  /** Where your acquirer is; it says whose rules hold. */
  readonly acquirerCountry: string;
  /** Where you are, if that is another country. */
  readonly merchantCountry?: string | null | undefined;
  /** Up to which amount your acquirer asks for the exemption by risk analysis, in units of the region's currency: a band of article 18, or 0 for never. */
  readonly traUpTo?: number | undefined;
  /** The confidence from which a risk is low. */
  readonly exemptFrom?: number | undefined;
  /** Below it a challenge is asked for. */
  readonly challengeBelow?: number | undefined;
  /** Below it not even a challenge is worth it. */
  readonly declineBelow?: number | undefined;
  /** Whether article 16 is used. */
  readonly lowValue?: boolean | undefined;
  /** Where exemptions are always asked for; without it, the advice says. */
  readonly placement?: ExemptionPlacement | null | undefined;
  /** Whether your 3-D Secure server speaks version 2.3. */
  readonly latestProtocol?: boolean | undefined;
  /** Whether answers have `threeDSecureData`. */
  readonly threeDsData?: boolean | undefined;
  /** The remembered key of `customInputs` with the shipping address. */
  readonly shipAddressInput?: string | null | undefined;
}

/** What you know that strong customer authentication depends on; read where it is advised on. */
export interface AuthenticationInputs {
  /** Reference of the authenticated payment that a series or a mandate began with. */
  readonly initialReference?: string | null | undefined;
  /** One of a series with the same amount and payee, which the payer started. */
  readonly recurring?: boolean | null | undefined;
  /** Ordered by letter or by phone. */
  readonly mailOrTelephone?: boolean | null | undefined;
  /** The payer has put you on the issuer's list of trusted payees. */
  readonly trustedBeneficiary?: boolean | null | undefined;
  /** Paid by a company's secure process: a lodged or virtual card. */
  readonly secureCorporate?: boolean | null | undefined;
  /** A prepaid card without a name. */
  readonly anonymousCard?: boolean | null | undefined;
  /** When the buyer's account was made. */
  readonly accountCreatedAt?: string | null | undefined;
  /** When the account was last changed: address, card, user. */
  readonly accountChangedAt?: string | null | undefined;
  /** When its password was last changed or reset. */
  readonly passwordChangedAt?: string | null | undefined;
  /** The name on the parcel is that of the account. */
  readonly shipsToAccountName?: boolean | null | undefined;
  /** `01` billing address, `02` another verified address, `03` another address, `04` store, `05` digital goods, `06` not shipped, `07` other. */
  readonly shipIndicator?: ShipIndicator | null | undefined;
  /** `01` electronic, `02` same day, `03` overnight, `04` two days or more. */
  readonly deliveryTimeframe?: DeliveryTimeframe | null | undefined;
  /** Of goods that are not available yet: when they will be. */
  readonly preOrderAt?: string | null | undefined;
  /** How many gift cards are bought. */
  readonly giftCards?: number | null | undefined;
  /** What they come to, in units of the order's currency. */
  readonly giftCardAmount?: number | null | undefined;
}

/** Whether an account asks for advice on authentication, and what it depends on. */
export interface AuthenticationShown {
  /** Null where no advice is asked for. */
  readonly settings: AuthenticationBody | null;
  /** Whose rules hold for the acquirer; null where none do. */
  readonly regime: string | null;
  /** The day that the kept rate of fraud ends with. */
  readonly measuredAt: string | null;
  /** The limits that hold for the acquirer. */
  readonly limits?: readonly LimitInForce[];
  /** Day of the table of limits. */
  readonly tableAsOf?: string | null;
}

/** Why automatic top-ups pause, or were turned off. */
export type AutoTopUpReason = "daily_limit" | "in_doubt" | "monthly_limit" | "refused" | (string & {});

/** How automatic top-ups of an account are set, and how they are. */
export interface AutoTopUpShown {
  /** Whether they are turned on. */
  readonly enabled: boolean;
  /** As it was set; null before it ever was. */
  readonly floorMinor: number | null;
  /** The same. */
  readonly amountMinor: number | null;
  /** The same. */
  readonly monthlyLimitMinor: number | null;
  /** ISO 4217 code. */
  readonly currency: string;
  /** What was added automatically this month (UTC), what is under way or in doubt included. */
  readonly thisMonthMinor: number;
  /** When the card was stored (RFC 3339); null where none is. */
  readonly cardStoredAt: string | null;
  /** The last characters of the provider's name for the stored card, where it is long enough to show any. */
  readonly cardEnd: string | null;
  /** The top-up that is under way. */
  readonly topUpId: string | null;
  /** How many were refused in a row; 3 turn them off. */
  readonly refusals: number;
  /** Until when they pause (RFC 3339). */
  readonly pausedUntil: string | null;
  /** Why they pause, or were turned off. */
  readonly reason: AutoTopUpReason | null;
}

/** When to top up automatically, and how far. */
export interface AutoTopUpWanted {
  /** Whether the stored card is charged when the balance is under the floor. */
  readonly enabled: boolean;
  /** The balance under which it is topped up, in the smallest unit of its currency. */
  readonly floorMinor: number;
  /** What is added each time; the account's tax is charged besides. */
  readonly amountMinor: number;
  /** The most that is added automatically in a calendar month (UTC), without tax. */
  readonly monthlyLimitMinor: number;
}

/** How the address compares with the issuer's. */
export type AvsResult = "FULL_MATCH" | "NOT_PROVIDED" | "NO_MATCH" | "POSTCODE_MATCH" | "RETRY" | "STREET_MATCH" | "UNKNOWN" | "UNVERIFIABLE" | (string & {});

/** A rule set to try on recorded requests. */
export interface BacktestRequest {
  /** The file as YAML, as `apply` of the command line takes it. */
  readonly document: string;
  /** The first moment: a day, or a time such as 2026-11-15T08:30:00Z. */
  readonly since?: string | null | undefined;
  /** The first moment after it, in the same words. Default: now. */
  readonly until?: string | null | undefined;
  /** Whether lists are used as they are now, not as they were then. */
  readonly listsNow?: boolean | undefined;
  /** Requests to name for each change. They are shown to keys that also have the scope `decisions`. */
  readonly examples?: number | undefined;
}

export interface BalanceAutoTopUpPausedData {
  readonly reason: string;
  readonly until: string | null;
  readonly topUpId: string | null;
}

/** Automatic top-ups pause, or were turned off. */
export interface BalanceAutoTopUpPausedEvent {
  /** The same each time this event is told. */
  readonly id: string;
  readonly type: "balance.auto_top_up_paused";
  /** When it happened (RFC 3339). */
  readonly createdAt: string;
  /** Who did it: `key:` and an API key, `cli:` and a user, or a part of us. */
  readonly actor: string;
  readonly data: BalanceAutoTopUpPausedData;
}

export interface BalanceCreditExpiredData {
  readonly amount: Money;
  readonly remaining: Money;
  readonly reference: string;
}

/** A credit expired; what was left of it was taken back. */
export interface BalanceCreditExpiredEvent {
  /** The same each time this event is told. */
  readonly id: string;
  readonly type: "balance.credit_expired";
  /** When it happened (RFC 3339). */
  readonly createdAt: string;
  /** Who did it: `key:` and an API key, `cli:` and a user, or a part of us. */
  readonly actor: string;
  readonly data: BalanceCreditExpiredData;
}

export interface BalanceCreditExpiringData {
  readonly amount: Money;
  readonly expiresAt: string;
  readonly reference: string;
}

/** What is left of a credit expires within a week. */
export interface BalanceCreditExpiringEvent {
  /** The same each time this event is told. */
  readonly id: string;
  readonly type: "balance.credit_expiring";
  /** When it happened (RFC 3339). */
  readonly createdAt: string;
  /** Who did it: `key:` and an API key, `cli:` and a user, or a part of us. */
  readonly actor: string;
  readonly data: BalanceCreditExpiringData;
}

export interface BalanceDepletedData {
  readonly remaining: Money;
  readonly needed: Money;
}

/** A request was refused because the balance did not cover its fees. */
export interface BalanceDepletedEvent {
  /** The same each time this event is told. */
  readonly id: string;
  readonly type: "balance.depleted";
  /** When it happened (RFC 3339). */
  readonly createdAt: string;
  /** Who did it: `key:` and an API key, `cli:` and a user, or a part of us. */
  readonly actor: string;
  readonly data: BalanceDepletedData;
}

export interface BalanceLowData {
  readonly remaining: Money;
  readonly threshold: Money;
}

/** The balance fell below the account's threshold. */
export interface BalanceLowEvent {
  /** The same each time this event is told. */
  readonly id: string;
  readonly type: "balance.low";
  /** When it happened (RFC 3339). */
  readonly createdAt: string;
  /** Who did it: `key:` and an API key, `cli:` and a user, or a part of us. */
  readonly actor: string;
  readonly data: BalanceLowData;
}

/** What an account has. */
export interface BalanceResponse {
  /** All of it, also what is held. */
  readonly balance: Money;
  /** Held for requests in flight. */
  readonly held: Money;
  /** What can be spent: `balance` and `creditLimit` minus `held`. */
  readonly available: Money;
  /** ISO 4217 code. */
  readonly currency: string;
  /** How far below nothing it may go; null where it is paid in advance. */
  readonly creditLimit: Money | null;
  /** When it was read (RFC 3339). */
  readonly at: string;
  /** Credits in it that expire, the soonest first. */
  readonly credits: readonly ExpiringCredit[];
}

export interface BalanceTopUpEndedData {
  readonly topUpId: string;
  readonly amountMinor: number;
  readonly currency: string;
  readonly state: string;
  readonly reason: string | null;
}

/** A top-up by card ended and nothing was added. */
export interface BalanceTopUpEndedEvent {
  /** The same each time this event is told. */
  readonly id: string;
  readonly type: "balance.top_up_ended";
  /** When it happened (RFC 3339). */
  readonly createdAt: string;
  /** Who did it: `key:` and an API key, `cli:` and a user, or a part of us. */
  readonly actor: string;
  readonly data: BalanceTopUpEndedData;
}

export interface BalanceToppedUpData {
  readonly amount: Money;
  readonly remaining: Money;
  readonly reference: string;
}

/** Money was added to the balance. */
export interface BalanceToppedUpEvent {
  /** The same each time this event is told. */
  readonly id: string;
  readonly type: "balance.topped_up";
  /** When it happened (RFC 3339). */
  readonly createdAt: string;
  /** Who did it: `key:` and an API key, `cli:` and a user, or a part of us. */
  readonly actor: string;
  readonly data: BalanceToppedUpData;
}

/** One band of article 18 in one window. */
export interface BandStanding {
  /** Its largest amount. */
  readonly upTo: Money;
  /** Per cent. */
  readonly referenceRate: string;
  /** Whether the rate is not above the reference rate. */
  readonly allowed: boolean;
  /** How much more fraud fits under the reference rate; 0 for none. */
  readonly room: Money;
  /** Payments of this size. */
  readonly settled: Money;
  /** Frauds of this size. */
  readonly fraud: Money;
}

/** What the request cost and what is left. */
export interface Billing {
  /** One entry per executed service. */
  readonly items: readonly BillingItem[];
  /** What can still be spent. */
  readonly remainingBalance: Money;
  /** Held for this request. */
  readonly amountAuthorized: Money;
  /** Charged for this request. */
  readonly amountClosed: Money;
}

/** Whom an account's invoices are for. */
export interface BillingDetails {
  /** Who pays. */
  readonly buyer: Party;
  /** As the operator has set it. */
  readonly tax: TaxTerms;
  /** What a month costs at least. */
  readonly commitment?: string | null;
}

/** One executed service. */
export interface BillingItem {
  /** Fee type. */
  readonly feeType: string;
  readonly fee: Money;
  /** Whether it completed; an item that did not is not charged. */
  readonly completed: boolean;
}

/** What can be done with many decisions. */
export type BulkAction = "assign" | "label" | "list" | "resolve" | (string & {});

/** A decision with which nothing was done, or whose change stays, and why. */
export interface BulkRefusal {
  readonly requestId: string;
  readonly why: string;
}

/** One verdict on many decisions. */
export interface BulkResolution {
  /** `APPROVE` when the payment was legitimate, `DECLINE` when it was fraud. */
  readonly resolution: ReviewVerdict;
  /** Why, kept with the review; card numbers in it are masked. */
  readonly reason: string;
  /** Your name for the person who says so. */
  readonly reviewer?: string | null | undefined;
  /** The `requestId`s of the decisions. */
  readonly requestIds: readonly string[];
}

/** What became of many reviews, in the order in which they were sent. */
export interface BulkResult {
  readonly results: readonly ResolutionResult[];
  /** How many were resolved now. */
  readonly resolved: number;
  /** How many were not. */
  readonly refused: number;
}

/** A change of many decisions: what became of it. */
export interface BulkShown {
  /** Its id; null of a dry run. */
  readonly id: string | null;
  readonly action: BulkAction;
  /** `RUNNING` and `UNDOING` go on in a job. */
  readonly state: BulkState;
  /** When it began (RFC 3339). */
  readonly at: string;
  /** Who began it, and may undo it. */
  readonly by: string;
  /** Until when it can be undone. */
  readonly undoUntil: string | null;
  /** Not looked at yet. */
  readonly pending: number;
  /** Done; of a dry run, what would be. */
  readonly done: number;
  /** Left as they were. */
  readonly refused: number;
  /** Brought back. */
  readonly undone: number;
  /** Done, and not brought back by the undo. */
  readonly kept: number;
  /** Why some were left or kept; the first 100. */
  readonly refusals: readonly BulkRefusal[];
  /** Whether this was a dry run, which changes nothing. */
  readonly dryRun: boolean;
}

/** How far a change is. */
export type BulkState = "DONE" | "RUNNING" | "UNDOING" | "UNDONE" | (string & {});

/** Who buys, in your own terms. */
export interface BuyerAccount {
  /** Your name for the user. */
  readonly userId?: string | number | null | undefined;
  /** The name the user chose. */
  readonly username?: string | null | undefined;
}

/** The billing address as the issuer may know it; one part is needed that is not blank. */
export interface CardAddress {
  /** Postal code. */
  readonly postalCode?: string | null | undefined;
  /** Street with house number. */
  readonly street?: string | null | undefined;
  /** City, for parties that want a whole address. */
  readonly city?: string | null | undefined;
  /** Country (ISO 3166), for parties that want a whole address. */
  readonly country?: string | null | undefined;
}

/** What this account has seen of the card since it was last authenticated. */
export interface CardCountersTold {
  /** Payments before this one. */
  readonly count: number;
  /** What they came to; null where nobody can tell. */
  readonly sum: Money | null;
  /** When it was authenticated; null when it never was. */
  readonly authenticatedAt: string | null;
}

/** Government identifiers by type. Another type than these four is an error. */
export interface CardHolderIds {
  /** Number of a driver's licence. */
  readonly DRIVERLICENSE?: string | null | undefined;
  /** Number of a passport. */
  readonly PASSPORT?: string | null | undefined;
  /** Number of a national identity document. */
  readonly NATIONALIDENTITY?: string | null | undefined;
  /** Number at the tax office. */
  readonly TAX?: string | null | undefined;
}

/** The name of the person who claims to hold the card. */
export interface CardHolderName {
  /** First name or names. */
  readonly firstName?: string | null | undefined;
  /** Middle name or names. */
  readonly middleName?: string | null | undefined;
  /** Last name or names. Names are compared only when it is there. */
  readonly lastName?: string | null | undefined;
  /** `PRIMARY` or `SECONDARY`: compare with such holders only. Any other value is ignored. */
  readonly ownerType?: string | null | undefined;
}

/** What is known about the card and may be shown. */
export interface CardSummary {
  /** Card brand, null when it is none we know. */
  readonly brand: string | null;
  /** Issuer's country (ISO 3166-1 alpha-2), soft evidence. */
  readonly country: string | null;
  /** CREDIT, DEBIT or CHARGE, soft evidence. */
  readonly funding: string | null;
  /** Whether the card is prepaid, if known. */
  readonly prepaid: boolean | null;
  /** First eight digits, six of a number below 16 digits. */
  readonly bin: string;
  /** Last four digits, null for numbers below 14 digits. */
  readonly lastFour: string | null;
}

/** One line of the cart. */
export interface CartItem {
  /** Your name for the article. */
  readonly itemId?: string | number | null | undefined;
  /** What kind of article. */
  readonly category?: string | null | undefined;
  /** Price of one. */
  readonly price?: number | null | undefined;
  /** How many. */
  readonly quantity?: number | null | undefined;
}

/** What is asked of the issuer in 3-D Secure, `threeDSRequestorChallengeInd`. */
export type ChallengeIndicator = "01" | "02" | "03" | "04" | "05" | "07" | "08" | "10" | "11" | (string & {});

/** One question about one signal. */
export interface Clicked {
  readonly signal: string;
  readonly operator: string;
  readonly value?: string;
}

/** Everything of a kind that is in force, by name. */
export interface ConfiguredPage {
  /** By name. */
  readonly items: readonly ConfiguredSummary[];
}

/** What is in force under one name. */
export interface ConfiguredSummary {
  /** Its name. */
  readonly name: string;
  /** The version in force. */
  readonly version: number;
  /** How many rules, or stages. */
  readonly parts: number;
  /** What it is for. */
  readonly description: string;
}

/** How a connector is, over all servers that run. */
export type ConnectorCondition = "DOWN" | "PARTLY" | "UNKNOWN" | "UP" | (string & {});

export interface ConnectorDownData {
  readonly connector: string;
}

/** An outside party does not answer. */
export interface ConnectorDownEvent {
  /** The same each time this event is told. */
  readonly id: string;
  readonly type: "connector.down";
  /** When it happened (RFC 3339). */
  readonly createdAt: string;
  /** Who did it: `key:` and an API key, `cli:` and a user, or a part of us. */
  readonly actor: string;
  readonly data: ConnectorDownData;
}

/** The connectors that serve an account. */
export interface ConnectorPage {
  /** By function, in the order in which they are asked. */
  readonly connectors: readonly ConnectorShown[];
}

export interface ConnectorRecoveredData {
  readonly connector: string;
}

/** An outside party answers again. */
export interface ConnectorRecoveredEvent {
  /** The same each time this event is told. */
  readonly id: string;
  readonly type: "connector.recovered";
  /** When it happened (RFC 3339). */
  readonly createdAt: string;
  /** Who did it: `key:` and an API key, `cli:` and a user, or a part of us. */
  readonly actor: string;
  readonly data: ConnectorRecoveredData;
}

/** A connector that requests of the account can be given to. */
export interface ConnectorShown {
  /** What it is asked for. */
  readonly function: string;
  /** Its name. */
  readonly name: string;
  /** `UP`, `DOWN`, `PARTLY` or `UNKNOWN`, over all servers. */
  readonly state: ConnectorCondition;
}

/** How much a loss by fraud weighs beside a sale that is turned away. */
export type CostPreset = "balance" | "protect" | "revenue" | (string & {});

/** What orders earn and cost. */
export interface CostsBody {
  /** Of the amounts; orders in another currency get no advice. */
  readonly currency: string;
  /** What an order earns, of its amount. */
  readonly margin: number;
  /** `protect` counts losses by fraud twice, `revenue` half of them. */
  readonly preset?: CostPreset | undefined;
  /** What a fraud costs besides its amount. */
  readonly chargebackFee?: number | undefined;
  /** The same as a share of the amount. */
  readonly feeShare?: number | undefined;
  /** What a review costs. */
  readonly reviewCost?: number | undefined;
  /** The share of reviews that find the truth. */
  readonly reviewFinds?: number | undefined;
}

/** What each outcome would cost the account, and which is cheapest. */
export interface CostsTold {
  /** The cheapest; of equal ones, the mildest. */
  readonly advice: Outcome;
  /** How losses by fraud were weighed. */
  readonly preset: CostPreset;
  /** ISO 4217 code. */
  readonly currency: string;
  /** Expected cost of accepting. */
  readonly accept: number;
  /** Expected cost of a review. */
  readonly review: number;
  /** Expected cost of declining. */
  readonly decline: number;
}

/** What the numerator of a ratio counts. */
export type CountedEvents = "CHARGEBACKS" | "FRAUD_AND_DISPUTES" | "FRAUD_AND_OTHER_DISPUTES" | "FRAUD_CHARGEBACKS" | (string & {});

/** Why a merchant pays with a card that is stored. */
export type CredentialReason = "DELAYED_CHARGE" | "INCREMENTAL" | "INSTALMENT" | "NO_SHOW" | "REAUTHORIZATION" | "RECURRING" | "RESUBMISSION" | "UNSCHEDULED";

/** What kind of number `cardNumber` is. */
export type CredentialType = "DEVICE_TOKEN" | "NETWORK_TOKEN" | "PAN" | "STORED_PAN" | (string & {});

/** Whether a card is stored by a payment, or was stored before. */
export type CredentialUse = "FIRST" | "LATER";

/** How the security code compares with the issuer's. */
export type Cvv2Result = "MATCH" | "NOT_PROCESSED" | "NOT_PROVIDED" | "NO_MATCH" | "UNKNOWN" | "UNVERIFIABLE" | (string & {});

/** To which day the days since an earlier order are counted: sources differ. */
export type DayCounting = "DISPUTE" | "TRANSACTION" | (string & {});

export interface DecisionMadeData {
  /** The request that it is about. */
  readonly requestId: string;
  readonly decision: PublicDecision | null;
  /** The answer that the caller got. */
  readonly response: { readonly [name: string]: unknown } | null;
}

/** A request was decided; only for accounts that ask for it. */
export interface DecisionMadeEvent {
  /** The same each time this event is told. */
  readonly id: string;
  readonly type: "decision.made";
  /** When it happened (RFC 3339). */
  readonly createdAt: string;
  /** Who did it: `key:` and an API key, `cli:` and a user, or a part of us. */
  readonly actor: string;
  readonly data: DecisionMadeData;
}

/** A page of decisions that were searched for, newest first. */
export interface DecisionMatches {
  readonly decisions: readonly PublicDecision[];
  /** Send it as `cursor` for what follows; null when there is nothing more. */
  readonly nextCursor: string | null;
  /** Only there, and true, while decisions of an earlier version are being indexed after an upgrade: some of them may be missing. */
  readonly stillIndexing?: boolean;
}

export interface DecisionPage {
  readonly decisions: readonly PublicDecision[];
  readonly hasMore: boolean;
}

/** What decided that a request is not simply accepted, in one word. */
export type DecisionReason = "FRAUD" | "GATEWAY_DECLINED" | "GATEWAY_ERROR" | "INPUT" | "ISSUER_DECLINED" | "ISSUER_UNAVAILABLE" | "OTHER" | "PRECHECK_POLICY" | "RULES" | "STAGE_UNAVAILABLE" | (string & {});

/** Which decisions are wanted; every filter that is given must hold. */
export interface DecisionSearchRequest {
  /** Your name for the user, as it was sent. */
  readonly userId?: string | number | null | undefined;
  /** The card. Only its fingerprint is compared. */
  readonly cardNumber?: string | Hidden | null | undefined;
  /** The account behind cards: whatever token of it was sent. Only its fingerprint is compared. */
  readonly paymentAccountReference?: string | Hidden | null | undefined;
  /** The card by its `fingerprint`, or the account behind it by its `accountFingerprint`, as decisions of this account show it; or several of them. */
  readonly cardFingerprint?: string | readonly string[] | null | undefined;
  /** E-mail address. Different spellings of one mailbox are the same. */
  readonly email?: string | null | undefined;
  /** Phone number in international form. */
  readonly phone?: string | null | undefined;
  /** Address of the device. Of IPv6, its whole /64 is meant. */
  readonly ipAddress?: string | null | undefined;
  /** The `deviceId` that was sent to Sentry, or the device as the event in a decision names it: `#…`. */
  readonly deviceId?: string | null | undefined;
  /** The ring that the request was linked with, as the event in a decision names it: `ring_…`; or several of them. */
  readonly ring?: string | readonly string[] | null | undefined;
  /** The `transactionId` that was sent to Sentry. */
  readonly transactionId?: string | number | null | undefined;
  /** The `clientReferenceId` that was sent. */
  readonly clientReferenceId?: string | number | null | undefined;
  /** The operation, or several of them. */
  readonly operation?: string | readonly string[] | null | undefined;
  /** What was decided. */
  readonly decision?: Outcome | readonly Outcome[] | null | undefined;
  /** What decided, in one word. Decisions of versions before this filter are not found by it. */
  readonly reason?: DecisionReason | readonly DecisionReason[] | null | undefined;
  /** A rule that matched. */
  readonly rule?: string | readonly string[] | null | undefined;
  /** A rule that matched in shadow: it was recorded, and decided nothing. */
  readonly shadowRule?: string | readonly string[] | null | undefined;
  /** A tag of the answer. */
  readonly tag?: string | readonly string[] | null | undefined;
  /** What the request turned out to be, as of now. */
  readonly label?: Label | readonly Label[] | null | undefined;
  /** The amount of the order. */
  readonly amount?: AmountRange | null | undefined;
  /** When the request came in. */
  readonly at?: TimeRange | null | undefined;
  /** Size of a page; 50 without it. */
  readonly limit?: number | null | undefined;
  /** The `nextCursor` of the page before. */
  readonly cursor?: string | null | undefined;
}

/** One stage of a decision. */
export interface DecisionStage {
  /** Name of the stage. */
  readonly name: string;
  /** Fee type. */
  readonly feeType: string;
  /** Its fee; charged only when it completed. */
  readonly fee: Money;
  /** Whether it completed. */
  readonly completed: boolean;
  /** How long it took. */
  readonly durationMicroseconds: number;
  /** What it found: results, and codes that say why. Of what was sent, Sentry's result names what it remembers, the others nothing. */
  readonly result: { readonly [name: string]: unknown };
}

/** What the merchant says about the delivery. */
export interface DeliveryGiven {
  /** Who delivered. */
  readonly carrier?: string | null | undefined;
  /** The carrier's number. */
  readonly trackingNumber?: string | null | undefined;
  /** The day of the delivery. */
  readonly deliveredOn?: string | null | undefined;
  /** Where, or to whom. */
  readonly deliveredTo?: string | null | undefined;
  /** What was sold. */
  readonly product?: string | null | undefined;
  /** `merchandise` or `services`. */
  readonly goods?: Goods | null | undefined;
}

/** When goods come, `deliveryTimeframe` of EMV 3-D Secure. */
export type DeliveryTimeframe = "01" | "02" | "03" | "04" | (string & {});

/** The device, and the visit it is used for. */
export interface Device {
  /** Address the request came from: the most telling single field. */
  readonly ipAddress?: string | null | undefined;
  /** User-Agent header. */
  readonly userAgent?: string | null | undefined;
  /** Accept-Language header. */
  readonly acceptLanguage?: string | null | undefined;
  /** Your name for the visit. */
  readonly sessionId?: string | number | null | undefined;
  /** How long the visit has lasted, seconds. */
  readonly sessionAge?: number | null | undefined;
  /** Identifier that your page gave the device, the same on every visit. */
  readonly deviceId?: string | null | undefined;
}

/** Why an endpoint is disabled. */
export type DisabledBecause = "asked" | "failing" | "gone" | (string & {});

/** What is done about a dispute. */
export type DisputeChoice = "ACCEPT" | "REPRESENT" | (string & {});

/** What is done about a dispute, and why. */
export interface DisputeDecision {
  /** `REPRESENT` answers it with evidence; `ACCEPT` ends it. */
  readonly decision: DisputeChoice;
  /** Why, for colleagues. */
  readonly comment?: string | undefined;
  /** Of a case with the reason `COMPLIANCE`: that contesting it costs a fee of the network, which is given back only if it is won. It cannot be contested without. */
  readonly feeAcknowledged?: boolean | undefined;
}

/** How a dispute ended. */
export interface DisputeEnd {
  /** How it ended. */
  readonly result: DisputeResult;
}

/** The same with its content. */
export interface DisputeFile {
  /** Its id. */
  readonly fileId: string;
  /** Its name. */
  readonly name: string;
  /** What its content is. */
  readonly type: string;
  /** Bytes. */
  readonly size: number;
  /** When it was attached (RFC 3339). */
  readonly addedAt: string;
  /** Who attached it. */
  readonly addedBy: string;
  /** Base64. */
  readonly content?: string;
}

/** A file that is gone. */
export interface DisputeFileDeleted {
  /** Its id. */
  readonly fileId: string;
}

/** What an answer to a dispute is made of. */
export type DisputePaper = "AUTHENTICATION" | "AUTHORIZATION" | "DELIVERY" | "DESCRIPTION" | "EARLIER_ORDERS" | "INVOICE" | "REFUND" | "TERMS" | (string & {});

/** Disputes of an account. */
export interface DisputeQueue {
  /** Open ones by their deadline, those that have ended newest first. */
  readonly disputes: readonly DisputeSummary[];
}

/** How a dispute ended. */
export type DisputeResult = "ACCEPTED" | "LOST" | "RESOLVED_BEFORE" | "WITHDRAWN" | "WON" | (string & {});

/** A dispute with all that people decided, gave and attached. */
export interface DisputeShown {
  /** The dispute. */
  readonly dispute: DisputeSummary;
  /** Why it was decided so. */
  readonly comment: string;
  /** When that was (RFC 3339). */
  readonly decidedAt: string | null;
  /** Who decided it. */
  readonly decidedBy: string | null;
  /** Whether the network's fee for contesting was acknowledged; null where contesting costs none. */
  readonly feeAcknowledged: boolean | null;
  /** What was said of the delivery. */
  readonly delivery: DeliveryGiven | null;
  /** Files, the oldest first. */
  readonly files: readonly KeptFile[];
  /** What answers a dispute with this reason, the strongest first; from memory, so ask your acquirer. */
  readonly papers: readonly WantedPaper[];
}

/** How far a dispute has gone. */
export type DisputeStage = "ARBITRATION" | "FIRST" | "INQUIRY" | "PRE_ARBITRATION" | "REPRESENTED" | (string & {});

/** A dispute in the queue. */
export interface DisputeSummary {
  /** Its name in paths. */
  readonly id: string;
  /** Its own name. */
  readonly reference: string;
  /** When it was raised (RFC 3339). */
  readonly at: string;
  /** The card network. */
  readonly network: OutcomeNetwork;
  /** The reason code. */
  readonly reason: string | null;
  /** How far it has gone. */
  readonly stage: DisputeStage | null;
  /** How it ended. */
  readonly result: DisputeResult | null;
  /** In units of the currency, as a decimal. */
  readonly amount: string | null;
  /** ISO 4217 code of the amount. */
  readonly currency: string | null;
  /** The decision it is about. */
  readonly requestId: string | null;
  /** Until when to answer (RFC 3339). */
  readonly respondBy: string | null;
  /** Whole days until then; negative when it is over. */
  readonly daysLeft: number | null;
  /** What was decided about it. */
  readonly decision: DisputeChoice | null;
  /** Whether Compelling Evidence 3.0 can be used; null without a decision, or for a key without the scope `decisions`. */
  readonly winnable: boolean | null;
  /** Why it cannot be used. */
  readonly missing: MissingEvidence | null;
  /** The same in a sentence. */
  readonly summary: string | null;
}

/** The disputed transaction. */
export interface DisputedTransaction {
  /** The customer's login. */
  readonly customer_account_id?: string | null;
  /** The device, by at least two of its attributes. */
  readonly customer_device_fingerprint?: string | null;
  /** The device, by its own identifier. */
  readonly customer_device_id?: string | null;
  /** E-mail address. */
  readonly customer_email_address?: string | null;
  /** IP address. */
  readonly customer_purchase_ip?: string | null;
  /** What was sold. */
  readonly product_description?: string | null;
  /** Where it was delivered. */
  readonly shipping_address?: PacketAddress | null;
  /** `merchandise` or `services`. */
  readonly merchandise_or_services?: Goods | null;
}

/** A document to put in force. */
export interface DocumentChange {
  /** The file as YAML, as `apply` of the command line takes it. */
  readonly document: string;
  /** Why, for the history. */
  readonly note?: string | null | undefined;
}

/** Whether a document could be applied. */
export interface DocumentChecked {
  /** Whether it could be applied. */
  readonly valid: boolean;
  /** Its name, if it can be read. */
  readonly name: string | null;
  /** All mistakes that were found. */
  readonly flaws: readonly DocumentFlaw[];
  /** What changes, a line each: `+` is new, `-` is gone, `~` is changed. */
  readonly differences: readonly string[];
  /** What the author should know. */
  readonly remarks: readonly string[];
}

/** One mistake in a document. */
export interface DocumentFlaw {
  /** Of what. */
  readonly path: string;
  /** Counted from 1; 0 for the whole. */
  readonly line: number;
  /** Counted from 1; 0 for the whole. */
  readonly column: number;
  /** What is wrong. */
  readonly message: string;
}

/** A document to check. */
export interface DocumentToCheck {
  /** The file as YAML, as `apply` of the command line takes it. */
  readonly document: string;
}

/** What drifts. */
export type DriftKind = "labels" | "rule" | "score" | "signal" | (string & {});

export interface DriftNoticedData {
  readonly drifts: readonly ({ readonly kind: DriftKind; readonly name: string; readonly figure: number; readonly usual: number; readonly requests: number })[];
  readonly count: number;
}

/** Signals, scores, rules or labels are not as they usually are. */
export interface DriftNoticedEvent {
  /** The same each time this event is told. */
  readonly id: string;
  readonly type: "drift.noticed";
  /** When it happened (RFC 3339). */
  readonly createdAt: string;
  /** Who did it: `key:` and an API key, `cli:` and a user, or a part of us. */
  readonly actor: string;
  readonly data: DriftNoticedData;
}

/** What is not as usual. */
export interface DriftPage {
  /** What goes on first, newest first. */
  readonly drifts: readonly DriftShown[];
}

/** Something that is not as usual. */
export interface DriftShown {
  /** `signal`, `score`, `rule` (how often it matches) or `labels` (how long they take, or how many come). */
  readonly kind: DriftKind;
  /** The signal, the rule as `ruleSet/rule`, or of labels `delay` or `number`. */
  readonly name: string;
  /** When it was noticed (RFC 3339). */
  readonly beganAt: string;
  /** When it was as usual again (RFC 3339); null until then. */
  readonly endedAt: string | null;
  /** Of a signal or score, the population stability index of the last day against the same hours of the weeks before; of a rule, the share of requests that it matched; of labels, the median in days, or how many came in a week. */
  readonly figure: number;
  /** The same in the weeks before. */
  readonly usual: number;
  /** Of how many requests or labels. */
  readonly requests: number;
  /** What it means, in a sentence. */
  readonly said: string;
}

/** An earlier order of the nearest pair. */
export interface EarlierOrder {
  /** Its decision. */
  readonly requestId: string;
  /** The day it was processed. */
  readonly day: string;
  /** How many days before the disputed one. */
  readonly daysBefore: number;
  /** In units of the currency, as a decimal. */
  readonly amount: string | null;
  /** What it has in common with the disputed one. */
  readonly matched: readonly SharedElement[];
}

/** The electronic commerce indicator; 00 to 04 are Mastercard's, 05 the other networks'. */
export type Eci = "00" | "01" | "02" | "03" | "04" | "05" | "06" | "07";

/** What a network wants beyond texts and files. */
export interface EnhancedEvidence {
  /** For Visa, reason 10.4. */
  readonly visa_compelling_evidence_3: VisaPacket;
}

/** What kinds of entities have a page. */
export type EntityType = "address" | "card" | "device" | "email" | "phone" | "user" | (string & {});

/** What became of entries. */
export interface EntriesAdded {
  /** Its name. */
  readonly name: string;
  /** How many. */
  readonly added: number;
  /** Got another expiry or reason. */
  readonly changed: number;
  /** Were there alike. */
  readonly unchanged: number;
  /** Whether this was a dry run, which changes nothing. */
  readonly dryRun: boolean;
}

/** Entries that are off a list. */
export interface EntriesRemoved {
  /** Its name. */
  readonly name: string;
  /** How many. */
  readonly removed: number;
}

/** Entries to put on a list. */
export interface EntriesToAdd {
  /** Each value once. */
  readonly entries: readonly EntryToAdd[];
  /** With it, the list is created if there is none. */
  readonly kind?: ListKind | null | undefined;
  /** For entries without one of their own. */
  readonly reason?: string | null | undefined;
  /** Seconds, for entries without an expiry of their own. */
  readonly expiresInS?: number | null | undefined;
}

/** Entries to take off a list. */
export interface EntriesToRemove {
  /** As they were added. */
  readonly values: readonly string[];
}

/** Why an entry was appended. */
export type EntryKind = "ADJUST" | "AUTHORIZE" | "CLOSE" | "EXPIRE" | "RELEASE" | "TOP_UP" | (string & {});

/** Which entries to show. */
export interface EntrySearch {
  /** Only this one, written as it would be added. */
  readonly value?: string | null | undefined;
  /** Whether removed and expired ones are shown. */
  readonly gone?: boolean | undefined;
  /** Size of a page. */
  readonly limit?: number | undefined;
  /** The `cursor` of the page before. */
  readonly cursor?: string | null | undefined;
}

/** An entry as people may see it. */
export interface EntryShown {
  /** What is shown of it. */
  readonly value: string;
  /** `listed`, `expired` or `removed`. */
  readonly status: string;
  /** Why. */
  readonly reason: string | null;
  /** Who put it there. */
  readonly by: string;
  /** When (RFC 3339). */
  readonly addedAt: string;
  /** Until when it counts (RFC 3339). */
  readonly expiresAt: string | null;
  /** When it was removed (RFC 3339). */
  readonly removedAt: string | null;
}

/** Entries of a list. */
export interface EntryShownPage {
  /** By value. */
  readonly entries: readonly EntryShown[];
  /** Whether there are more. */
  readonly hasMore: boolean;
  /** For the next page. */
  readonly cursor: string | null;
}

/** One entry. */
export interface EntryToAdd {
  /** As the kind of the list has it: a network, a mailbox, a card number, ... */
  readonly value: string;
  /** Why. */
  readonly reason?: string | null | undefined;
  /** A span such as 30d, a day, or a time. */
  readonly expires?: string | null | undefined;
}

/** Stable machine-readable word; later versions may add some. */
export type ErrorCode = "account_closed" | "already_assigned" | "already_resolved" | "body_timeout" | "body_too_large" | "browser_call" | "card_enumeration" | "configuration_refused" | "conflict" | "headers_too_large" | "idempotency_in_flight" | "idempotency_key_reused" | "insecure_transport" | "insufficient_balance" | "internal_error" | "invalid_idempotency_key" | "invalid_key" | "invalid_request" | "invalid_signature" | "malformed_body" | "malformed_http" | "method_not_allowed" | "missing_key" | "network_not_allowed" | "not_found" | "not_resolved" | "not_undone" | "overloaded" | "precondition_failed" | "precondition_required" | "rate_limited" | "scope_not_allowed" | "store_unavailable" | "too_many_jobs" | "unsupported_media_type" | "wrong_environment" | (string & {});

/** Why a request was not processed. */
export interface Errors {
  /** High-level description. */
  readonly message: string;
  readonly code: ErrorCode;
  /** Problems by the field's path. */
  readonly fieldErrors: { readonly [name: string]: readonly string[] };
  /** Problems of the request as a whole. */
  readonly globalErrors: readonly string[];
}

/** What happened, and when. */
export interface Event {
  /** `PURCHASE` for a first or only one. */
  readonly type?: EventType | null | undefined;
  /** Your name for the transaction. The same one is not counted twice. */
  readonly transactionId?: string | number | null | undefined;
  /** When it happened, RFC 3339. Without it: now. */
  readonly timestamp?: string | null | undefined;
}

/** Events of a network about orders that were let through in the same way. */
export interface EventCause {
  /** The card network. */
  readonly network: string;
  /** What let the orders through. */
  readonly passedBy: PassedBy;
  /** What was decided; null where it is not known. */
  readonly decision: Outcome | null;
  /** The rules that matched, all of them. */
  readonly rules: readonly string[];
  /** Reported frauds and disputes. */
  readonly events: number;
  /** Percent of the network's events. */
  readonly share: string;
  /** Of these, reported frauds. */
  readonly fraudReports: number;
  /** Of these, disputes. */
  readonly disputes: number;
  /** Disputes about fraud. */
  readonly fraudDisputes: number;
  /** The decisions of the newest ones. */
  readonly requestIds: readonly string[];
}

/** What can happen to a review. */
export type EventKind = "ASSIGNED" | "CORRECTED" | "NOTE" | "OPENED" | "REOPENED" | "RESOLVED" | (string & {});

/** What is to change; what is not sent stays. */
export interface EventSettingsBody {
  /** An operation, or `*` for all, and after a colon the outcomes. */
  readonly decisions?: readonly string[] | null | undefined;
  /** In units of the account's currency; 0 for none. */
  readonly lowBalance?: number | null | undefined;
}

/** What the account is told. */
export interface EventSettingsShown {
  /** Which decisions are told. */
  readonly decisions: readonly string[];
  /** Below which balance it is told; null for none. */
  readonly lowBalance: Money | null;
}

/** What happened. */
export type EventType = "PURCHASE" | "RECURRING_PURCHASE";

/** Some events in their order, and how to go on. */
export interface EventsResponse {
  /** Oldest first. */
  readonly events: readonly PublicEvent[];
  /** Send it as `after` to get what comes next. */
  readonly cursor: string;
  /** Whether there may be more by now. */
  readonly hasMore: boolean;
}

/** Whether what evidence needs stays readable. */
export interface EvidenceKeeping {
  /** Whether it does; no, unless you say so. */
  readonly keep: boolean;
}

/** What an account keeps for evidence. */
export interface EvidenceKept {
  /** Whether it is kept from now on. */
  readonly keep: boolean;
  /** For so many days. */
  readonly days: number;
  /** Of so many orders something is kept. */
  readonly orders: number;
}

/** What is sent to the provider as `evidence`. */
export interface EvidencePacket {
  /** By network. */
  readonly enhanced_evidence: EnhancedEvidence;
  /** Fields that are not known here and that you fill in before you send it. */
  readonly fillIn?: readonly string[];
}

/** The evidence for an order as a PDF. */
export interface EvidencePaper {
  /** A name for the file. */
  readonly name: string;
  /** The PDF, Base64. */
  readonly content: string;
}

/** Where an exemption is asked for. */
export type ExemptionPlacement = "AUTHENTICATION" | "AUTHORIZATION" | (string & {});

/** Why an experiment ended. */
export type ExperimentEnd = "changed" | "harm" | "stopped" | (string & {});

export interface ExperimentEndedData {
  readonly experiment: string;
  readonly because: ExperimentEnd;
}

/** A live experiment ended, by a person or by itself. */
export interface ExperimentEndedEvent {
  /** The same each time this event is told. */
  readonly id: string;
  readonly type: "experiment.ended";
  /** When it happened (RFC 3339). */
  readonly createdAt: string;
  /** Who did it: `key:` and an API key, `cli:` and a user, or a part of us. */
  readonly actor: string;
  readonly data: ExperimentEndedData;
}

/** What the arms differ in. */
export type ExperimentKind = "hold_out" | "model" | "rules" | (string & {});

/** The experiments of an account, newest first. */
export interface ExperimentPage {
  readonly experiments: readonly ExperimentShown[];
}

/** What an experiment has shown so far. */
export interface ExperimentResult {
  /** Decisions up to here are counted. */
  readonly countedUntil: string;
  /** Whether all of them are; false while older ones are being read. */
  readonly complete: boolean;
  /** What is in force. */
  readonly control: ArmResult;
  /** What challenges it. */
  readonly challenger: ArmResult;
  /** By the cards or users that were ever declined. */
  readonly declines: MeasureResult;
  /** By the cards or users with accepted fraud. */
  readonly fraud: MeasureResult;
  /** Of a hold-out; null for all others. */
  readonly letThrough?: LetThroughResult | null;
}

/** A live experiment. */
export interface ExperimentShown {
  /** Its id. */
  readonly id: string;
  /** What people call it. */
  readonly name: string;
  /** What the arms differ in. */
  readonly kind: ExperimentKind;
  /** Whose requests always get the same arm. */
  readonly assignedBy: AssignedBy;
  /** The challenger's share in percent. */
  readonly percent: number;
  /** What the control decides by. */
  readonly control: string;
  /** What the challenger decides by. */
  readonly challenger: string;
  /** When labels count as known. */
  readonly maturityDays: number;
  /** Where declines are harm. */
  readonly mostDeclinedPercent: number;
  /** Where fraud is harm. */
  readonly mostFraudPercent: number;
  /** When it began (RFC 3339). */
  readonly startedAt: string;
  /** When it ended; null until then. */
  readonly endedAt: string | null;
  /** `stopped`: somebody ended it. `harm`: the challenger did harm. `changed`: a rule set or the model of an arm was changed. */
  readonly endedBecause: ExperimentEnd | null;
}

export interface ExperimentStartedData {
  readonly experiment: string;
  readonly kind: ExperimentKind;
  readonly percent: number;
}

/** A live experiment began: some requests get another arm. */
export interface ExperimentStartedEvent {
  /** The same each time this event is told. */
  readonly id: string;
  readonly type: "experiment.started";
  /** When it happened (RFC 3339). */
  readonly createdAt: string;
  /** Who did it: `key:` and an API key, `cli:` and a user, or a part of us. */
  readonly actor: string;
  readonly data: ExperimentStartedData;
}

/** A live experiment to start. */
export interface ExperimentWanted {
  /** What people call it. */
  readonly name: string;
  /** What the arms differ in. */
  readonly kind: ExperimentKind;
  /** How many of a hundred cards or users get the challenger. */
  readonly percent: number;
  /** Whose requests always get the same arm. */
  readonly assignedBy?: AssignedBy | undefined;
  /** The rule set in whose place the challenger decides. */
  readonly ruleSet?: string | null | undefined;
  /** The rule set that challenges it; it must be in force, too. */
  readonly challengerRuleSet?: string | null | undefined;
  /** The model that challenges the one in force; 0 is the one that ships. */
  readonly challengerModel?: number | null | undefined;
  /** How many orders a hold-out lets through on one day at most. */
  readonly ordersPerDay?: number | null | undefined;
  /** What they come to at most, in minor units such as cents. */
  readonly minorUnitsPerDay?: number | null | undefined;
  /** Of these units; orders in others are not let through. */
  readonly currency?: string | null | undefined;
  /** After how many days the labels of a decision count as known. */
  readonly maturityDays?: number | undefined;
  /** Ends by itself when more cards or users of the challenger are surely declined than so many percent of the control's. */
  readonly mostDeclinedPercent?: number | undefined;
  /** The same for accepted fraud. */
  readonly mostFraudPercent?: number | undefined;
}

/** An amount that was credited until a day. */
export interface ExpiringCredit {
  /** Its entry in the ledger. */
  readonly creditId: string;
  /** What was credited. */
  readonly amount: Money;
  /** What of it is not spent; the credit that ends soonest goes first. */
  readonly left: Money;
  /** When what is left is taken back (RFC 3339). */
  readonly expiresAt: string;
}

/** What would have changed a decision. */
export interface ExplainedChange {
  /** The change and what it would have led to. */
  readonly text: string;
  /** What would have been decided. */
  readonly decision?: Outcome | null;
  /** The signals that would have been different. `(another)` is any text that no rule and no list names. */
  readonly signals?: { readonly [name: string]: unknown };
  /** Lists on which the request's value would have been, or not have been. */
  readonly lists?: { readonly [name: string]: boolean };
  /** Stages that did not run and would have run then. It is assumed that they would have found nothing against the request. */
  readonly unless?: readonly string[];
}

/** One reason of a decision, in words. */
export interface ExplainedReason {
  /** The reason, as a sentence. */
  readonly text: string;
  /** The stage that it comes from. */
  readonly stage: string;
  /** Name of the rule, or code of the result. */
  readonly code?: string;
  /** Whether the decision is what it is because of it. */
  readonly decisive?: boolean;
  /** What the rule or the stage wants to be decided. */
  readonly outcome?: Outcome | null;
  /** What it added to Sentry's score, in log-odds. */
  readonly effect?: number | null;
  /** What the rule looked at, as it was. */
  readonly signals?: { readonly [name: string]: unknown };
}

/** Why a request was decided as it was, and what would have changed that. Its texts are sentences that can be said in other languages, until `in_english` is asked for. */
export interface Explanation {
  /** What was decided, and by what. */
  readonly summary: string;
  /** In order of their weight. */
  readonly reasons: readonly ExplainedReason[];
  /** What would have changed the decision, smallest change first. Each was checked by judging the request again. */
  readonly changes: readonly ExplainedChange[];
  /** What could not be told, and how far it was looked for. */
  readonly notes: readonly string[];
}

/** Decisions to count in groups; by default those of the last 30 days. */
export interface ExplorationRequest {
  /** A signal, or `decision`, `operation`, `rule` or `shadowRule`. */
  readonly by: string;
  /** Another one, for pairs. */
  readonly also?: string | null | undefined;
  /** How many are told apart; of pairs, 12 on each side. */
  readonly groups?: number | undefined;
  /** The first moment: a day, or a time such as 2026-11-15T08:30:00Z. */
  readonly since?: string | null | undefined;
  /** The first moment after it, in the same words. Default: now. */
  readonly until?: string | null | undefined;
  /** Whose days the trend counts. */
  readonly timeZone?: string | undefined;
  /** Conditions in the language of rules; all must hold. */
  readonly where?: readonly string[] | undefined;
  /** Only these. */
  readonly decision?: readonly Outcome[] | undefined;
  /** Only decisions of these. */
  readonly operation?: readonly string[] | undefined;
  /** Only those that one of these rules hit. */
  readonly rule?: readonly string[] | undefined;
  /** The same of rules in shadow. */
  readonly shadowRule?: readonly string[] | undefined;
}

/** Statements about requests. */
export interface FeedbackBatch {
  /** Each as `POST /api/v1/feedback` takes it. */
  readonly items: readonly FeedbackRequest[];
}

/** What became of the statements. */
export interface FeedbackBatchResponse {
  /** How many were kept. */
  readonly recorded: number;
  /** How many were not. */
  readonly refused: number;
  /** In the order of the request. */
  readonly items: readonly FeedbackItemResult[];
}

/** One label that a request was given. */
export interface FeedbackEntry {
  /** What was said. */
  readonly label: Label;
  /** What counted before; null when nothing did. */
  readonly previousLabel: Label | null;
  /** When it was found out, or charged back (RFC 3339). */
  readonly when: string | null;
  /** What was lost or charged back. */
  readonly amount: number | null;
  /** ISO 4217 code of the amount. */
  readonly currency: string | null;
  /** When it was kept (RFC 3339). */
  readonly recordedAt: string;
  /** How it came in. */
  readonly source: LabelSource;
  /** The key, or the operator, that said it. */
  readonly by: string;
}

/** A file of feedback. */
export interface FeedbackFile {
  /** How the file is written. */
  readonly format: "csv" | "jsonl";
  /** The file, in UTF-8. */
  readonly content: string;
}

/** The label of a request, with its history. */
export interface FeedbackHistory {
  /** The `requestId` of the decision. */
  readonly requestId: string;
  /** What counts now; null when nothing was said, or it was withdrawn. */
  readonly label: Label | null;
  /** What was said, newest first, up to a hundred. */
  readonly history: readonly FeedbackEntry[];
}

/** What became of one statement. */
export interface FeedbackItemResult {
  /** Whether it was kept. */
  readonly recorded: boolean;
  /** Why not. */
  readonly error: string | null;
  /** The requests it speaks of. */
  readonly requests: readonly FeedbackOutcome[];
}

/** What the feedback changed for one request. */
export interface FeedbackOutcome {
  /** The `requestId` of the decision. */
  readonly requestId: string;
  /** What was said now. */
  readonly label: Label;
  /** What counted until now; null when nothing did. */
  readonly previousLabel: Label | null;
  /** Whether it was news; the same said again changes nothing. */
  readonly changed: boolean;
}

/** Feedback that was kept. */
export interface FeedbackReceipt {
  /** What was said. */
  readonly label: Label;
  /** When it was kept; of what was said before, that time (RFC 3339). */
  readonly recordedAt: string;
  /** The requests it speaks of, oldest first. */
  readonly requests: readonly FeedbackOutcome[];
}

export interface FeedbackReceivedData {
  /** The request that it is about. */
  readonly requestId: string;
  readonly decision: PublicDecision | null;
  /** The answer that the caller got. */
  readonly response: { readonly [name: string]: unknown } | null;
  readonly label: Label;
  readonly previous: Label | null;
}

/** A request got a label, such as a chargeback. */
export interface FeedbackReceivedEvent {
  /** The same each time this event is told. */
  readonly id: string;
  readonly type: "feedback.received";
  /** When it happened (RFC 3339). */
  readonly createdAt: string;
  /** Who did it: `key:` and an API key, `cli:` and a user, or a part of us. */
  readonly actor: string;
  readonly data: FeedbackReceivedData;
}

/** What became of a request, or of all requests of one transaction or reference. */
export interface FeedbackRequest {
  /** The `requestId` of the answer. Give exactly one of the three names. */
  readonly requestId?: string | null | undefined;
  /** The `transactionId` that was sent to Sentry, alone or in a pipeline. */
  readonly transactionId?: string | number | null | undefined;
  /** The `clientReferenceId` that was sent, unless it looks like a card number or has control characters: such a one is not kept as it is. */
  readonly clientReferenceId?: string | number | null | undefined;
  /** `FRAUD`, `CHARGEBACK`, `CARD_TESTING`, `ABUSE` or `LEGITIMATE`; `WITHDRAWN` takes back what was said before. What is said last counts. */
  readonly label: Label;
  /** When it was found out, or charged back, RFC 3339. */
  readonly when?: string | null | undefined;
  /** What was lost or charged back, in units of the currency, with at most six decimals. */
  readonly amount?: number | null | undefined;
  /** ISO 4217 code of the amount. */
  readonly currency?: string | null | undefined;
}

/** A field of a request that nothing reads. */
export interface FieldWarning {
  /** Path of the field; empty in the entry that counts the fields not listed. */
  readonly path: string;
  /** Why nothing reads it, and which field may have been meant. */
  readonly message: string;
}

/** Whether the values of a custom input are remembered that nobody declared. */
export interface FoundInputChoice {
  /** Key of `customInputs`. */
  readonly key: string;
  /** False is no, and stays no until it is true again. */
  readonly remembered: boolean;
}

/** A custom input that nobody declared. */
export interface FoundInputShown {
  /** Key of `customInputs`. */
  readonly key: string;
  /** What it looks like: an identifier, whose values few people share, or a category. Missing where the account refused it before it was found. */
  readonly kind: InputKind | null;
  /** When it was found, or refused (RFC 3339). */
  readonly since: string;
  /** Whether its values are remembered; false if the account said no. */
  readonly remembered: boolean;
}

/** What Sentry found in an account's custom inputs. */
export interface FoundInputsShown {
  /** The earliest first. */
  readonly inputs: readonly FoundInputShown[];
}

/** What is to be paid; what is left out is taken from the order. */
export interface GatewayRequest {
  /** Amount to pay, in units of the currency. */
  readonly amount?: number | null | undefined;
  /** ISO 4217 code. */
  readonly currency?: string | null | undefined;
  /** What 3-D Secure found for this payment, or why it was not needed. */
  readonly threeDSecure?: ThreeDSecure | null | undefined;
  /** For payments with a card that you store, or stored before. Leave it out for a single payment. */
  readonly storedCredential?: StoredCredential | null | undefined;
}

/** Gateway's answer. */
export interface GatewayResponse {
  /** What became of the payment. With ERROR the gateway failed or was late, and whatever it did is reversed. */
  readonly status: GatewayStatus;
  /** The gateway's own code, null when it gave none. */
  readonly responseCode: string | null;
  /** Code of the approval, null unless APPROVED. */
  readonly approvalCode: string | null;
  /** The id of the payment at the party that answered, to capture or refund it there; null when it gave none. */
  readonly paymentId?: string | null;
  /** The party that answered: the name of its connector; null without one. */
  readonly party?: string | null;
  /** The network's id of the payment, to which later payments with the stored card refer; null when the party gave none. */
  readonly networkTransactionId?: string | null;
}

/** What became of the payment. */
export type GatewayStatus = "APPROVED" | "DECLINED" | "ERROR" | (string & {});

/** What was sold, in a word. */
export type Goods = "merchandise" | "services" | (string & {});

/** A card, and what is claimed about the person who holds it. */
export interface IdVerifyRequest {
  /** Payment card number: 12 to 19 digits, no spaces or dashes. */
  readonly cardNumber: string | Hidden;
  /** Last valid month, YYYY-MM. */
  readonly cardExpiryDate: string;
  /** E-mail address. */
  readonly cardHolderEmailAddress?: string | null | undefined;
  /** Phone number, best in international form. */
  readonly cardHolderPhoneNumber?: string | null | undefined;
  /** Name. */
  readonly cardHolderName?: CardHolderName | null | undefined;
  /** Government identifiers by type. */
  readonly cardHolderIds?: CardHolderIds | null | undefined;
  /** Name of a person or a company to be paid; `payeeMatch` answers whether it is the name of a holder. */
  readonly payeeName?: string | null | undefined;
  /** Caller's own reference, kept with the decision and searchable. */
  readonly clientReferenceId?: string | number | null | undefined;
  /** Payment Account Reference (PAR) of the account behind the card number, as your processor or token service gives it: 29 capital letters and digits. All tokens of one account have the same. Only a fingerprint is kept. */
  readonly paymentAccountReference?: string | Hidden | null | undefined;
  /** What kind of number `cardNumber` is: the card's own as the customer entered it (`PAN`) or as you kept it (`STORED_PAN`), a network's token for you (`NETWORK_TOKEN`), or a device's (`DEVICE_TOKEN`: Apple Pay, Google Pay). */
  readonly credentialType?: CredentialType | null | undefined;
}

/** What ID Verify answers: one result for each attribute, of the best single person. */
export interface IdVerifyResponse {
  /** The e-mail address. */
  readonly cardHolderEmailAddressVerificationResults: Result;
  /** The phone number. */
  readonly cardHolderPhoneNumberVerificationResults: Result;
  /** Present when a name was sent. */
  readonly cardHolderNameVerificationResult?: NameVerification;
  /** One result for each identifier that was sent. */
  readonly idVerification: { readonly [name: string]: Result };
  /** How much was given to verify. */
  readonly verificationLevel: VerificationLevel;
  /** Present when `payeeName` was sent: `MTCH` it is the name of a holder, `CMTC` it comes close, `NMTC` it is another name, `NOAP` it could not be compared. */
  readonly payeeMatch?: PayeeMatch;
}

/** The kinds of government identifiers. */
export type IdentifierType = "DRIVERLICENSE" | "NATIONALIDENTITY" | "PASSPORT" | "TAX";

/** Records that are gone. */
export interface IdentitiesErased {
  /** How many. */
  readonly erased: number;
  /** Whether this was a dry run, which changes nothing. */
  readonly dryRun: boolean;
}

/** Records with their values masked. */
export interface IdentitiesFound {
  /** Up to a hundred; of each value only enough to recognise it. */
  readonly records: readonly ({ readonly [name: string]: unknown })[];
  /** How many there are. */
  readonly total: number;
}

/** Which records are erased, and why. */
export interface IdentityErasure {
  /** Give exactly one. */
  readonly cardNumber?: string | Hidden | null | undefined;
  /** The `id` of a record. */
  readonly personId?: string | null | undefined;
  /** The reference of the import. */
  readonly reference?: string | null | undefined;
  /** Why. */
  readonly reason: string;
}

/** A file of identity records. */
export interface IdentityFile {
  /** How the file is written. */
  readonly format: "csv" | "jsonl";
  /** The file, in UTF-8. */
  readonly content: string;
}

/** Which records: of a card, of a person on record, or of a reference. */
export interface IdentitySearch {
  /** Give exactly one. */
  readonly cardNumber?: string | Hidden | null | undefined;
  /** The `id` of a record. */
  readonly personId?: string | null | undefined;
  /** The reference of the import. */
  readonly reference?: string | null | undefined;
}

export interface ImportFinishedData {
  readonly importId: string;
  readonly kind: string;
  readonly added?: number;
  readonly changed?: number;
  readonly unchanged?: number;
  readonly refused?: number;
  readonly read?: number;
  readonly new?: number;
  readonly bad?: number;
}

/** An import of records came to its end. */
export interface ImportFinishedEvent {
  /** The same each time this event is told. */
  readonly id: string;
  readonly type: "import.finished";
  /** When it happened (RFC 3339). */
  readonly createdAt: string;
  /** Who did it: `key:` and an API key, `cli:` and a user, or a part of us. */
  readonly actor: string;
  readonly data: ImportFinishedData;
}

/** Who begins a payment. */
export type Initiator = "CUSTOMER" | "MERCHANT";

/** What a custom input looks like. */
export type InputKind = "CATEGORY" | "IDENTIFIER" | (string & {});

/** The state of a payment without a clear answer. */
export type IntentState = "FAILED" | "OPEN" | "REVERSE" | "REVERSED" | "REVIEW" | (string & {});

/** An invoice or credit note; never changed. */
export interface Invoice {
  /** Its id. */
  readonly invoiceId: string;
  /** Its number. */
  readonly number: string;
  /** What it is. */
  readonly kind: InvoiceKind;
  /** YYYY-MM. */
  readonly month: string;
  /** Day of issue, in UTC. */
  readonly issuedOn: string;
  /** Day until which it is to be paid. */
  readonly dueOn: string;
  /** ISO 4217 code. */
  readonly currency: string;
  /** Who sells. */
  readonly seller: Party;
  /** Who buys. */
  readonly buyer: Party;
  /** The tax of all its lines. */
  readonly tax: TaxTerms;
  /** What was used. */
  readonly lines: readonly InvoiceLine[];
  /** What tiers take off. */
  readonly volumeCredit: Money;
  /** Lines minus the volume credit. */
  readonly net: Money;
  /** Tax on `net`. */
  readonly taxAmount: Money;
  /** `net` and tax. */
  readonly total: Money;
  /** What was paid from the balance already. */
  readonly paid: Money;
  /** What is to be paid. */
  readonly due: Money;
  /** Less than a minor unit that the invoice before left over. */
  readonly carriedIn: Money;
  /** Less than a minor unit for the next one. */
  readonly carriedOut: Money;
  /** Where to pay to. */
  readonly iban?: string | null;
  /** Number of the invoice that a credit note is about. */
  readonly credits?: string;
  /** Why a credit note was issued. */
  readonly reason?: string;
  /** What was taken back of credits that expired in the month, if any; no part of the amounts. */
  readonly expiredCredits?: Money;
}

/** What a paper is. */
export type InvoiceKind = "CREDIT_NOTE" | "INVOICE" | (string & {});

/** One position. */
export interface InvoiceLine {
  /** A fee type, `COMMITMENT` for what a month costs at least, or `CREDIT`. */
  readonly item: string;
  /** How many. */
  readonly count: number;
  /** The price of each. */
  readonly unitPrice: Money;
  /** In whole minor units; they add up to `net`. */
  readonly amount: Money;
}

/** An account's invoices. */
export interface InvoiceList {
  /** The newest first. */
  readonly invoices: readonly InvoiceSummary[];
}

/** An invoice in a list. */
export interface InvoiceSummary {
  /** Its id. */
  readonly invoiceId: string;
  /** Its number. */
  readonly number: string;
  /** What it is. */
  readonly kind: InvoiceKind;
  /** YYYY-MM. */
  readonly month: string;
  /** Day of issue, in UTC. */
  readonly issuedOn: string;
  /** With tax. */
  readonly total: Money;
  /** What is to be paid. */
  readonly due: Money;
}

/** Jobs, newest first. */
export interface JobPage {
  /** Newest first. */
  readonly jobs: readonly JobResponse[];
  /** Whether there are more. */
  readonly hasMore: boolean;
}

/** A job: how far it is, and what came of it. */
export interface JobResponse {
  /** Its id. */
  readonly jobId: string;
  /** What it does. */
  readonly kind: string;
  /** `QUEUED`, `RUNNING`, `SUCCEEDED`, `FAILED` or `CANCELED`. */
  readonly state: JobState;
  /** The key, or the operator, that asked for it. */
  readonly startedBy: string;
  /** When it was asked for (RFC 3339). */
  readonly createdAt: string;
  /** When a server last began with it (RFC 3339). */
  readonly startedAt: string | null;
  /** When it ended (RFC 3339). */
  readonly finishedAt: string | null;
  /** How much is done. */
  readonly done: number | null;
  /** Of how much, where known. */
  readonly total: number | null;
  /** What it is doing. */
  readonly step: string | null;
  /** Why it failed. */
  readonly error: string | null;
  /** What came of it; its fields depend on the kind. */
  readonly result: { readonly [name: string]: unknown } | null;
}

/** How far a job is. */
export type JobState = "CANCELED" | "FAILED" | "QUEUED" | "RUNNING" | "SUCCEEDED" | (string & {});

/** What became of looking for decisions again. */
export interface JoinedAgain {
  /** Outcomes that had no decision. */
  readonly lookedAt: number;
  /** How many have one now. */
  readonly joined: number;
  /** How many could be about several. */
  readonly ambiguous: number;
  /** Labels that follow from them. */
  readonly labelled: number;
}

/** By what the decision of an outcome was found. */
export type JoinedBy = "ARN" | "CARD" | "HAND" | "PAYMENT" | "REFERENCE" | "REQUEST" | "TRANSACTION" | (string & {});

/** All that may be kept of a card, and what the world knows about its issuer. */
export interface KeptCard {
  /** Card brand, null when it is none we know. */
  readonly brand: string | null;
  /** First eight digits, six of a number below 16 digits. */
  readonly bin: string;
  /** Last four digits, from 14 digits on. */
  readonly lastFour: string | null;
  /** Last valid month, YYYY-MM, null when it was not sent. */
  readonly expiry: string | null;
  /** Issuer's country, soft evidence. */
  readonly country: string | null;
  /** CREDIT, DEBIT or CHARGE, soft evidence. */
  readonly funding: string | null;
  /** Whether it is prepaid, if known. */
  readonly prepaid: boolean | null;
  /** Same card of the account, same fingerprint; reveals nothing. */
  readonly fingerprint: string;
  /** The same of the account that the card number belongs to, if its `paymentAccountReference` was sent: all its tokens have the same. */
  readonly accountFingerprint?: string | null;
  /** What kind of number the card number is, if that was sent. */
  readonly credentialType?: CredentialType | null;
}

/** A file that was attached to a dispute. */
export interface KeptFile {
  /** Its id. */
  readonly fileId: string;
  /** Its name. */
  readonly name: string;
  /** What its content is. */
  readonly type: string;
  /** Bytes. */
  readonly size: number;
  /** When it was attached (RFC 3339). */
  readonly addedAt: string;
  /** Who attached it. */
  readonly addedBy: string;
}

export interface KeyCreatedData {
  readonly keyId: string;
  readonly name: string;
  readonly scopes: readonly string[];
  readonly expiresAt?: string;
  readonly replaces?: string;
}

/** An API key was issued. */
export interface KeyCreatedEvent {
  /** The same each time this event is told. */
  readonly id: string;
  readonly type: "key.created";
  /** When it happened (RFC 3339). */
  readonly createdAt: string;
  /** Who did it: `key:` and an API key, `cli:` and a user, or a part of us. */
  readonly actor: string;
  readonly data: KeyCreatedData;
}

export interface KeyExpiringData {
  readonly keyId: string;
  readonly name: string;
  readonly expiresAt: string;
  readonly successor?: string;
}

/** An API key ends within a week, or has ended. */
export interface KeyExpiringEvent {
  /** The same each time this event is told. */
  readonly id: string;
  readonly type: "key.expiring";
  /** When it happened (RFC 3339). */
  readonly createdAt: string;
  /** Who did it: `key:` and an API key, `cli:` and a user, or a part of us. */
  readonly actor: string;
  readonly data: KeyExpiringData;
}

/** All keys of an account. */
export interface KeyPage {
  /** Oldest first. */
  readonly keys: readonly KeyShown[];
}

/** Why a key is revoked. */
export interface KeyRevocation {
  /** Why. */
  readonly reason: string;
  /** Whether the keys that it issued are revoked too, and those that they issued. */
  readonly children?: boolean | undefined;
}

export interface KeyRevokedData {
  readonly keyId: string;
  readonly name: string;
  readonly reason: string;
}

/** An API key was revoked. */
export interface KeyRevokedEvent {
  /** The same each time this event is told. */
  readonly id: string;
  readonly type: "key.revoked";
  /** When it happened (RFC 3339). */
  readonly createdAt: string;
  /** Who did it: `key:` and an API key, `cli:` and a user, or a part of us. */
  readonly actor: string;
  readonly data: KeyRevokedData;
}

/** How to rotate a key. */
export interface KeyRotation {
  /** Seconds for which the old key still works. */
  readonly overlapS?: number | undefined;
}

/** A key without its text. */
export interface KeyShown {
  /** Its id. */
  readonly keyId: string;
  /** For people. */
  readonly name: string;
  /** `active`, `expired` or `revoked`. */
  readonly status: string;
  /** What it is for. */
  readonly scopes: readonly string[];
  /** From where. */
  readonly networks: readonly string[];
  /** Its own limit, if it has one. */
  readonly rateLimitPerSecond: number | null;
  /** When it was issued (RFC 3339). */
  readonly createdAt: string;
  /** When it ends (RFC 3339). */
  readonly expiresAt: string | null;
  /** When it was revoked (RFC 3339). */
  readonly revokedAt: string | null;
  /** When it was last used, to about a minute (RFC 3339). */
  readonly lastUsedAt: string | null;
  /** The key that replaced it. */
  readonly successor: string | null;
  /** The key that issued it, or the successor of that key. */
  readonly parent: string | null;
}

/** A new key with its text. */
export interface KeyTold {
  /** The key itself. It is told here only and cannot be had again. */
  readonly key: string;
  /** What it may do. */
  readonly issued: KeyShown;
}

/** What a request turned out to be, some time after it was answered. */
export type Label = "ABUSE" | "CARD_TESTING" | "CHARGEBACK" | "FRAUD" | "LEGITIMATE" | "WITHDRAWN" | (string & {});

/** Which labels to check, as a training would take them. */
export interface LabelAuditRequest {
  /** The first moment: a day, or a time such as 2026-11-15T08:30:00Z. */
  readonly since?: string | null | undefined;
  /** The first moment after it, in the same words. Default: now. */
  readonly until?: string | null | undefined;
  /** How long labels are waited for; newer requests are left out. */
  readonly labelDelayDays?: number | undefined;
  /** Share of the newest requests to measure on. */
  readonly holdout?: number | undefined;
  /** Whether requests without a label count as legitimate. */
  readonly presume?: boolean | undefined;
}

/** One label for many decisions. */
export interface LabelMany {
  /** The `requestId`s of 1 to 1000 decisions; give this or `search`. */
  readonly requestIds?: readonly string[] | null | undefined;
  /** As for a search; at most 10000 may fit. Its page is ignored. */
  readonly search?: DecisionSearchRequest | null | undefined;
  /** What they turned out to be. */
  readonly label: Label;
}

/** How a label came in. */
export type LabelSource = "api" | "command" | "import" | "outcome" | "review" | (string & {});

/** What became of the orders that a hold-out let through. */
export interface LetThroughResult {
  /** Accepted although rules decline them. */
  readonly orders: number;
  /** Those whose labels count as known. */
  readonly mature: number;
  /** Of these, fraud. */
  readonly matureFraud: number;
  /** The share of the declines that are wrong; null without a mature order. */
  readonly falsePositives: number | null;
  /** It is hardly below (95 %, Wilson). */
  readonly least: number | null;
  /** Nor above. */
  readonly most: number | null;
  /** Fraud among them, as known by now. */
  readonly cost: readonly Money[];
}

/** Who bears a fraud, if the advice is followed and the issuer agrees. */
export type LiableParty = "ISSUER" | "MERCHANT" | (string & {});

/** Up to which amount an exemption can be asked for, and on which condition. */
export interface LimitInForce {
  /** 16 for low values, 18 for risk analysis. */
  readonly article: number;
  /** The largest amount, in units. */
  readonly upTo: number;
  /** Of the amount. */
  readonly currency: string;
  /** What must hold besides, in words. */
  readonly formula: string;
  /** Where the figures are from; `default` was not compared with the text. */
  readonly source: string;
}

/** What a list said to a rule. */
export interface ListAnswer {
  /** What was looked up. */
  readonly signal: string;
  /** Where. */
  readonly list: string;
  /** Whether it is there; null if the signal has no value. */
  readonly listed: boolean | null;
}

/** A list that is gone. */
export interface ListDropped {
  /** Its name. */
  readonly name: string;
  /** How many were in force. */
  readonly entries: number;
}

/** What the entries of a list are. */
export type ListKind = "bins" | "cards" | "countries" | "devices" | "domains" | "emails" | "networks" | "phones" | "users" | "words" | (string & {});

/** A list for who or what acted in many decisions. */
export interface ListMany {
  /** The `requestId`s of 1 to 1000 decisions; give this or `search`. */
  readonly requestIds?: readonly string[] | null | undefined;
  /** As for a search; at most 10000 may fit. Its page is ignored. */
  readonly search?: DecisionSearchRequest | null | undefined;
  /** The list. */
  readonly list: string;
  /** What is put on it. */
  readonly entity: EntityType;
  /** Why. */
  readonly reason: string;
  /** After how many days the entries expire; without it, never. */
  readonly days?: number | null | undefined;
}

/** One change of a list. */
export interface ListOperation {
  /** What was done. */
  readonly action: string;
  /** By whom. */
  readonly by: string;
  /** When (RFC 3339). */
  readonly at: string;
  /** How many entries became what. */
  readonly counts: { readonly [name: string]: number };
}

/** Changes of a list, newest first. */
export interface ListOperationPage {
  /** Newest first. */
  readonly operations: readonly ListOperation[];
  /** Whether there are more. */
  readonly hasMore: boolean;
  /** For `startingAfter` of the next page. */
  readonly cursor: string | null;
}

/** All lists of an account. */
export interface ListPage {
  /** By name. */
  readonly lists: readonly ListShown[];
}

/** A list. */
export interface ListShown {
  /** Its name. */
  readonly name: string;
  /** What it holds. */
  readonly kind: ListKind;
  /** What it is for. */
  readonly description: string | null;
  /** How many are in force. */
  readonly entries: number;
  /** When it was made (RFC 3339). */
  readonly createdAt: string;
}

/** The orders of one country: of the billing address, else the card, else the network. */
export interface MarketMonth {
  /** Decisions with an outcome. */
  readonly orders?: number;
  /** Accepted in the end: at once, or by a person. */
  readonly accepted?: number;
  /** Sent to a person first. */
  readonly reviewed?: number;
  /** Declined in the end: at once, or by a person. */
  readonly declined?: number;
  /** Accepted, and known to be fraud or not. */
  readonly labelled?: number;
  /** Accepted, and known to be fraud. */
  readonly fraud?: number;
  /** Accepted, and disputed since. */
  readonly disputed?: number;
  /** ISO 3166-1 alpha-2; null where none is known. */
  readonly country: string | null;
}

/** A rule that matched. */
export interface Matched {
  /** Name of the rule. */
  readonly id: string;
  /** Rule set it belongs to. */
  readonly ruleSet: string;
  /** Version of the rule set. */
  readonly version: number;
  /** What the rule decides by itself. */
  readonly outcome: Outcome;
  /** The rule's tags. */
  readonly tags: readonly string[];
}

/** What is counted of requests. */
export type Measure = "declined" | "doubted" | "failed" | "newCards" | "refused" | "requests" | "reviewed" | "small" | (string & {});

/** One of the counts that depart from the normal. */
export interface MeasureDeparting {
  /** What is counted. */
  readonly measure: Measure;
  /** How many there were. */
  readonly count: number;
  /** How many there usually are of as many requests. */
  readonly usual: number;
  /** Of how many requests. */
  readonly requests: number;
}

/** The arms compared by one measure. */
export interface MeasureResult {
  /** Of the challenger's rate: `higher` or `lower` than the control's, `same` where both surely differ by less than a factor of 1.25, or `open`. */
  readonly verdict: MeasureVerdict;
  /** The challenger's rate by the control's. */
  readonly ratio: number | null;
  /** The ratio is surely not below. */
  readonly least: number;
  /** Nor above; null where nothing is known. */
  readonly most: number | null;
  /** Valid at every look; a difference counts from 0.025 on. */
  readonly pValue: number;
  /** So many more cards or users to whom it happens are needed if it goes on like this; 0 when enough was seen, null for far too many. */
  readonly needed: number | null;
}

/** What was seen of a measure. */
export type MeasureVerdict = "higher" | "lower" | "open" | "same" | (string & {});

/** What became of the members of one kind. */
export interface MembersListed {
  /** The list. */
  readonly list: string;
  /** How many are new on it. */
  readonly added: number;
  /** Got another expiry or reason. */
  readonly changed: number;
  /** Were there alike. */
  readonly unchanged: number;
}

/** `merchantRiskIndicator` of an authentication request. */
export interface MerchantRiskIndicator {
  /** Where the goods go, as the request says. */
  readonly shipIndicator?: ShipIndicator;
  /** When they come, as the request says. */
  readonly deliveryTimeframe?: DeliveryTimeframe;
  /** `01` the buyer orders this cart for the first time, `02` again. */
  readonly reorderItemsInd?: string;
  /** `01` available, `02` later. */
  readonly preOrderPurchaseInd?: string;
  /** When, as YYYYMMDD. */
  readonly preOrderDate?: string;
  /** Gift cards. */
  readonly giftCardCount?: string;
  /** What they come to, in whole units. */
  readonly giftCardAmount?: string;
}

/** What to send again: one event, or all of a span of time. */
export interface MessageReplay {
  /** One event. */
  readonly eventId?: string | null | undefined;
  /** All from then on (RFC 3339). */
  readonly since?: string | null | undefined;
  /** Before then; without it, now. */
  readonly until?: string | null | undefined;
}

/** Which month to meter. */
export interface MeterFilter {
  /** A month in UTC, such as 2026-11; this one if none is given. */
  readonly month?: string | null | undefined;
}

/** How a month stands against one level of a programme. */
export interface MeteredProgramme {
  /** Its name. */
  readonly programme: string;
  /** Its level. */
  readonly level: string;
  /** Whom the level judges: a merchant, or the acquirer of many. */
  readonly of: ProgrammeSubject;
  /** The card network. */
  readonly network: string;
  /** `ACCOUNT` counts all merchant ids together, `MERCHANT` one of them. */
  readonly scope: MeteredScope;
  /** The merchant id; null for all. */
  readonly merchantId: string | null;
  /** Its region; null if none is told. */
  readonly region: string | null;
  /** What counts in this month. */
  readonly events: number;
  /** Sales that they are divided by. */
  readonly sales: number;
  /** The month of these sales. */
  readonly salesMonth: string;
  /** The ratio in basis points, rounded to two decimals; null without sales. */
  readonly basisPoints: string | null;
  /** How it is worked out, in words. */
  readonly formula: string;
  /** From where on. */
  readonly limitBasisPoints: number;
  /** And from how many events on. */
  readonly limitEvents: number;
  /** The fewest events with which both hold, with these sales. */
  readonly neededEvents: number;
  /** How far on the way to the level: of the events that it needs, or of its amount, if that is further away. 0 where its other conditions keep it away. */
  readonly reachedPercent: number;
  /** Whether all conditions of the level hold. */
  readonly met: boolean;
  /** How many more events until they do; null while another condition, such as an amount, keeps the level away. */
  readonly eventsLeft: number | null;
  /** What else the level asks for and does not hold. */
  readonly missing: readonly OtherCondition[];
  /** What the events come to, where the level has an amount. */
  readonly amount: string | null;
  /** From which amount on. */
  readonly limitAmount: string | null;
  /** The currency of both amounts. */
  readonly currency: string | null;
  /** Amounts in other currencies, which are not counted because the table of thresholds has no rate for them. */
  readonly uncounted: { readonly [name: string]: string };
  /** The share of sales with 3-D Secure, where the level asks for it. */
  readonly threeDSecureBasisPoints: string | null;
  /** It must be below, in basis points. */
  readonly limitThreeDSecure: number | null;
  /** What the month will come to; null for a month of long ago, and where no sales, or neither events nor earlier months, are known. */
  readonly forecast: ProgrammeForecast | null;
  /** Where the thresholds are from. */
  readonly source: string;
  /** Which figures one source alone states; ask your acquirer. */
  readonly alone: string | null;
  /** Whether a figure of them is from memory; ask your acquirer. */
  readonly unverified: boolean;
}

/** What is metered together. */
export type MeteredScope = "ACCOUNT" | "MERCHANT" | (string & {});

/** Why there is no evidence. */
export type MissingEvidence = "NOTHING_IN_COMMON" | "NOT_SETTLED" | "NOT_VISA_FRAUD" | "NO_CARD" | "NO_EARLIER_ORDERS" | "NO_IP_ADDRESS_OR_DEVICE" | "ONE_EARLIER_ORDER" | "ONE_ELEMENT" | "OTHER_MERCHANT" | (string & {});

/** A model as a file. */
export interface ModelFileTold {
  /** Its number. */
  readonly version: number;
  /** The text of the file (JSON). */
  readonly file: string;
}

/** A model file to keep as a new version. */
export interface ModelImport {
  /** The text of the file. */
  readonly file: string;
  /** Whether a file is taken that this account did not export. */
  readonly trust?: boolean | undefined;
  /** Why, for the history. */
  readonly note?: string | null | undefined;
}

/** Which version a file became; nothing uses it yet. */
export interface ModelImported {
  /** Its number. */
  readonly version: number;
  /** Whether this account exported it. */
  readonly own: boolean;
  /** How it fits this version of the service. */
  readonly remarks: readonly string[];
}

/** All models of an account. */
export interface ModelPage {
  /** Newest first, the shipped one last. */
  readonly models: readonly ModelShown[];
}

export interface ModelPromotedData {
  readonly version: number;
  readonly before: number;
}

/** Another model of the account is in force. */
export interface ModelPromotedEvent {
  /** The same each time this event is told. */
  readonly id: string;
  readonly type: "model.promoted";
  /** When it happened (RFC 3339). */
  readonly createdAt: string;
  /** Who did it: `key:` and an API key, `cli:` and a user, or a part of us. */
  readonly actor: string;
  readonly data: ModelPromotedData;
}

/** A model with what was measured when it was trained. */
export interface ModelReported {
  /** Its number. */
  readonly version: number;
  /** Whether Sentry scores with it. */
  readonly live: boolean;
  /** Whether requests are scored with it, too; it decides nothing. */
  readonly shadow: boolean;
  /** When it was trained (RFC 3339); null for the shipped. */
  readonly createdAt: string | null;
  /** Who had it trained. */
  readonly by: string | null;
  /** Why. */
  readonly note: string | null;
  /** Its figures beside those of the model in force then; null if unknown. */
  readonly report?: { readonly [name: string]: unknown } | null;
  /** What its thresholds cost; null unless the account has set its costs. */
  readonly costs?: readonly ThresholdCostShown[] | null;
}

/** Whether a model scores beside the one in force. */
export interface ModelShadow {
  /** The model. */
  readonly version: number;
  /** Since when it does (RFC 3339); null if it does not. */
  readonly since: string | null;
}

/** A model. */
export interface ModelShown {
  /** Its number. */
  readonly version: number;
  /** Whether Sentry scores with it. */
  readonly live: boolean;
  /** Whether requests are scored with it, too; it decides nothing. */
  readonly shadow: boolean;
  /** When it was trained (RFC 3339); null for the shipped. */
  readonly createdAt: string | null;
  /** Who had it trained. */
  readonly by: string | null;
  /** Why. */
  readonly note: string | null;
}

/** Which model is live now. */
export interface ModelSwitched {
  /** Its number. */
  readonly version: number;
  /** The one until now. */
  readonly before: number;
  /** How it fits this version of the service. */
  readonly remarks: readonly string[];
  /** Whether its scores are told so that thresholds keep their meaning. */
  readonly mapped?: boolean;
  /** Thresholds in use. */
  readonly thresholds?: readonly ThresholdKept[];
}

/** What the newest trial of a model found. */
export interface ModelTrialShown {
  /** The model. */
  readonly version: number;
  /** When the trial ended (RFC 3339); null without one. */
  readonly finishedAt: string | null;
  /** Whether the model in force is still the one compared with. */
  readonly isCurrent: boolean;
  /** Agreement, decisions that would differ, both models' figures on labels, and each threshold in use with one of equal share; null without a trial. */
  readonly trial: { readonly [name: string]: unknown } | null;
}

/** An exact amount of one currency. */
export interface Money {
  /** ISO 4217 code. */
  readonly currency: string;
  /** Exact decimal number. */
  readonly amount: number;
}

/** What became of the payments of a month in one currency. */
export interface MoneyMonth {
  /** The month, in UTC. */
  readonly month: string;
  /** ISO 4217 code; null for outcomes without an amount. */
  readonly currency: string | null;
  /** Settled in the month. */
  readonly settled: MoneySum;
  /** Refunded in the month. */
  readonly refunded: MoneySum;
  /** Reported as fraud in the month. */
  readonly reported: MoneySum;
  /** Disputed in the month; mere questions are left out. */
  readonly disputed: MoneySum;
  /** Of these disputes, won or taken back. */
  readonly won: MoneySum;
  /** Of these disputes, lost, accepted or settled before. */
  readonly lost: MoneySum;
  /** Of these disputes, without a result. */
  readonly open: MoneySum;
}

/** What became of the money of some months. */
export interface MoneyReport {
  /** Newest first, then by currency. */
  readonly months: readonly MoneyMonth[];
  /** What is added up, in words. */
  readonly formula: string;
}

/** How many, and how much together. */
export interface MoneySum {
  /** How many. */
  readonly count?: number;
  /** Their amounts together, as a decimal. */
  readonly amount?: string;
}

/** What became of the orders of a month, as known when the report was made. */
export interface MonthlyReport {
  /** The month. */
  readonly month: string;
  /** Whose midnights it begins and ends at. */
  readonly timeZone: string;
  /** Its first moment (RFC 3339). */
  readonly since: string;
  /** The first moment after it (RFC 3339). */
  readonly until: string;
  /** When it was made (RFC 3339): what was told later is not in it. */
  readonly madeAt: string;
  /** All requests. */
  readonly requests: number;
  /** All orders. */
  readonly counts: OrderCounts;
  /** By currency. */
  readonly money: readonly OrderMoney[];
  /** How people kept up. */
  readonly reviews: ReviewTimes;
  /** Who handled most, first. */
  readonly analysts: readonly AnalystMonth[];
  /** What matched most, first. */
  readonly rules: readonly RuleMonth[];
  /** What has most orders, first. */
  readonly markets: readonly MarketMonth[];
  /** Newest first. */
  readonly ruleChanges: readonly RuleChangeFigures[];
}

/** Whether names were compared at all. */
export type NameResult = "NOT_PERFORMED" | "NOT_SUPPORTED" | "PERFORMED" | (string & {});

/** The results of comparing a name. */
export interface NameVerification {
  /** The first name. */
  readonly firstNameAccountMatchDecision: Result;
  /** The middle name. */
  readonly middleNameAccountMatchDecision: Result;
  /** The last name. */
  readonly lastNameAccountMatchDecision: Result;
  /** The name as a whole. */
  readonly nameMatchDecision: Result;
  /** Whether names were compared. */
  readonly nameResult: NameResult;
}

/** A file to attach. */
export interface NewDisputeFile {
  /** Its name, for people. */
  readonly name: string;
  /** A PDF, PNG, JPEG or plain text of at most 3 MiB, Base64. */
  readonly content: string;
}

/** A key to issue. */
export interface NewKey {
  /** For people. */
  readonly name?: string | undefined;
  /** What it is for. Without any, every operation and no management. */
  readonly scopes?: readonly string[] | undefined;
  /** From where it may be used; without any, from everywhere. */
  readonly networks?: readonly string[] | undefined;
  /** Not above that of the issuing key. */
  readonly rateLimitPerSecond?: number | null | undefined;
  /** Seconds until it ends, not later than the issuing key; without it, it ends with that one, if at all. */
  readonly expiresInS?: number | null | undefined;
}

/** A list to create. */
export interface NewList {
  /** Its name. */
  readonly name: string;
  /** What it holds. */
  readonly kind: ListKind;
  /** What it is for. */
  readonly description?: string | null | undefined;
}

/** A webhook to add. */
export interface NewWebhook {
  /** Where messages are sent, over HTTPS. */
  readonly url: string;
  /** Types of events, `review.*` for all of a kind, or `*`. */
  readonly events: readonly string[];
  /** Which decisions `decision.made` tells of; empty: all. */
  readonly decisions?: readonly ToldDecisions[] | undefined;
  /** Whether a message waits for the one before it. */
  readonly ordered?: boolean | undefined;
  /** What it is for. */
  readonly description?: string | undefined;
  /** A shared secret, or a key pair. */
  readonly signing?: SecretKind | undefined;
}

/** Notifications, newest first. */
export interface NotificationPage {
  /** Newest first. */
  readonly notifications: readonly NotificationShown[];
  /** Whether there are more. */
  readonly hasMore: boolean;
}

/** What a provider told of a payment by itself. */
export interface NotificationShown {
  /** The id of the notification. */
  readonly notificationId: string;
  /** The connector whose provider sent it. */
  readonly connector: string;
  /** What it tells. */
  readonly event: NotifiedEvent;
  /** `APPLIED`: something followed from it. `NOTHING`: nothing was left to change. `WAITING`: it is applied next. `UNMATCHED`: it contradicts its payment. */
  readonly state: NotificationState;
  /** The request that made the payment, once it is found. */
  readonly requestId: string | null;
  /** When it came (RFC 3339). */
  readonly receivedAt: string;
  /** When it happened, as the provider says (RFC 3339). */
  readonly happenedAt: string | null;
  /** When its state last changed (RFC 3339). */
  readonly changedAt: string;
  /** In the smallest unit of the currency. */
  readonly amountMinor: number | null;
  /** ISO 4217 code, if the provider names it. */
  readonly currency: string | null;
  /** The provider's name for the operation or the case. */
  readonly reference: string | null;
  /** Why nothing followed, or nothing so far. */
  readonly reason: string | null;
}

/** What became of a notification. */
export type NotificationState = "APPLIED" | "NOTHING" | "UNMATCHED" | "WAITING" | (string & {});

/** What a provider tells of. */
export type NotifiedEvent = "capture_refused" | "captured" | "disputed" | "expired" | "fraud_reported" | "refund_refused" | "refunded" | "void_refused" | "voided" | (string & {});

/** How much to capture or to refund. */
export interface OperationAmount {
  /** In the smallest unit of the payment's currency; all that is left when it is not given. */
  readonly amountMinor?: number | null | undefined;
  /** How many operations the payment had when it was looked at; refused when it has others by now. */
  readonly operationsSeen?: number | null | undefined;
}

/** What a person found out about an operation in doubt. */
export interface OperationFinding {
  /** Whether the provider did it. */
  readonly succeeded: boolean;
}

/** What is done with a payment. */
export type OperationKind = "CAPTURE" | "REFUND" | "VOID" | (string & {});

/** One operation on a payment. */
export interface OperationShown {
  /** Its id. */
  readonly operationId: string;
  /** What is done. */
  readonly kind: OperationKind;
  /** How far it is. WAITING, SENT and PENDING end by themselves. IN_DOUBT is asked again by itself where `nextAttemptAt` says when; otherwise a person settles it. */
  readonly state: OperationState;
  /** How much, in the smallest unit of the currency. */
  readonly amountMinor: number;
  /** Who asked for it. */
  readonly by: string;
  /** When it was asked for (RFC 3339). */
  readonly createdAt: string;
  /** When it last changed (RFC 3339). */
  readonly changedAt: string;
  /** How often it was sent. */
  readonly attempts: number;
  /** When it is sent next, if it is (RFC 3339). */
  readonly nextAttemptAt: string | null;
  /** The provider's code for its answer. */
  readonly responseCode: string | null;
  /** The provider's name for the operation. */
  readonly reference: string | null;
  /** Why the last attempt came to nothing. */
  readonly reason: string | null;
  /** The provider's notification that told how it ended. */
  readonly notificationId: string | null;
}

/** How far an operation is. */
export type OperationState = "IN_DOUBT" | "PENDING" | "REFUSED" | "SENT" | "SUCCEEDED" | "WAITING" | (string & {});

/** What is bought, in total, and how the buyer came. */
export interface Order {
  /** Total, in units of the currency. */
  readonly amount?: number | null | undefined;
  /** ISO 4217 code. */
  readonly currency?: string | null | undefined;
  /** Who sent the buyer. */
  readonly affiliateId?: string | number | null | undefined;
  /** Which referral led here. */
  readonly referralId?: string | number | null | undefined;
  /** Codes that were used. */
  readonly discountCodes?: readonly string[] | null | undefined;
  /** Page the buyer came from. */
  readonly referrerUrl?: string | null | undefined;
}

/** What is to be paid, exactly. */
export interface OrderAmount {
  /** ISO 4217 code. */
  readonly currency: string | null;
  /** Exact decimal number. */
  readonly amount: number;
}

/** How many orders there were, and what became of them. */
export interface OrderCounts {
  /** Decisions with an outcome. */
  readonly orders?: number;
  /** Accepted in the end: at once, or by a person. */
  readonly accepted?: number;
  /** Sent to a person first. */
  readonly reviewed?: number;
  /** Declined in the end: at once, or by a person. */
  readonly declined?: number;
  /** Accepted, and known to be fraud or not. */
  readonly labelled?: number;
  /** Accepted, and known to be fraud. */
  readonly fraud?: number;
  /** Accepted, and disputed since. */
  readonly disputed?: number;
}

/** Whether two earlier orders show that an order was the cardholder's. */
export interface OrderEvidence {
  /** The decision. */
  readonly requestId: string;
  /** Whether Compelling Evidence 3.0 can be used. */
  readonly qualified: boolean;
  /** What was found, in a sentence. */
  readonly summary: string;
  /** The reference of its dispute; null when none is known, and then all this is as if it were disputed with reason 10.4. */
  readonly dispute: string | null;
  /** Until when to answer (RFC 3339). */
  readonly respondBy: string | null;
  /** What all three orders have in common. */
  readonly matched: readonly SharedElement[];
  /** Why it cannot be used. */
  readonly missing: MissingEvidence | null;
  /** Fields to send with every request from now on. */
  readonly send: readonly string[];
  /** The same in a sentence. */
  readonly advice: string | null;
  /** The nearest pair, the older one first. */
  readonly earlierOrders: readonly EarlierOrder[];
  /** To which day the days since both earlier orders can be counted so that they are in time: sources differ. */
  readonly countings?: readonly DayCounting[];
  /** The packet in the field names of Stripe's API, if it can be used. */
  readonly packet?: EvidencePacket | null;
}

/** The orders of a month in one currency; amounts of different ones are never added. */
export interface OrderMoney {
  /** ISO 4217 code. */
  readonly currency: string;
  /** All orders. */
  readonly orders: MoneySum;
  /** Accepted in the end. */
  readonly accepted: MoneySum;
  /** Accepted, and known to be fraud. */
  readonly fraud: MoneySum;
  /** Accepted, and disputed since. */
  readonly disputed: MoneySum;
  /** Declined in the end. */
  readonly turnedAway: MoneySum;
  /** Declined, and known to be fraud. */
  readonly saved: MoneySum;
  /** Declined, and known to be legitimate. */
  readonly wronglyDeclined: MoneySum;
}

/** What a level asks for besides a ratio and a number of events. */
export type OtherCondition = "AMOUNT" | "SALES" | "THREE_D_SECURE" | (string & {});

/** The three decisions, weakest first. */
export type Outcome = "ACCEPT" | "DECLINE" | "REVIEW" | (string & {});

/** Outcomes to keep. */
export interface OutcomeBatch {
  /** Each is kept on its own. */
  readonly items: readonly OutcomeReport[];
}

/** A decision that an outcome can be about. */
export interface OutcomeCandidate {
  /** The `requestId` of the decision. */
  readonly requestId: string;
  /** When it was made (RFC 3339). */
  readonly at: string;
  /** What was decided. */
  readonly decision: string | null;
  /** What was to be paid, as a decimal. */
  readonly amount: string | null;
  /** ISO 4217 code of the amount. */
  readonly currency: string | null;
  /** The card, masked. */
  readonly card: string | null;
  /** The gateway's id of the payment. */
  readonly paymentId: string | null;
}

/** The decisions that an outcome can be about. */
export interface OutcomeCandidates {
  /** By what they were found. */
  readonly foundBy: JoinedBy | null;
  /** Oldest first, up to 100. */
  readonly candidates: readonly OutcomeCandidate[];
}

/** A file of outcomes. */
export interface OutcomeFile {
  /** How the file is written. */
  readonly format: "csv" | "jsonl";
  /** The file, in UTF-8. */
  readonly content: string;
  /** What its columns mean: one of gatehouse, adyen-disputes, adyen-settlement, stripe-disputes, stripe-early-fraud-warnings, tabapay-fraud, or the text of a mapping in TOML. */
  readonly mapping?: string | undefined;
}

/** An outcome, and the decision that it is about. */
export interface OutcomeJoin {
  /** What happened. */
  readonly kind: OutcomeKind;
  /** Its own name. */
  readonly reference: string;
  /** The `requestId` of the decision; null takes a decision away. */
  readonly requestId?: string | null | undefined;
}

/** What happened to a payment. */
export type OutcomeKind = "ALERT" | "DISPUTE" | "FRAUD_REPORT" | "REFUNDED" | "SETTLED" | (string & {});

/** Which outcome is meant. */
export interface OutcomeNamed {
  /** What happened. */
  readonly kind: OutcomeKind;
  /** Its own name. */
  readonly reference: string;
}

/** The card network of a payment. */
export type OutcomeNetwork = "AMEX" | "DISCOVER" | "MASTERCARD" | "OTHER" | "VISA" | (string & {});

/** Outcomes of an account. */
export interface OutcomePage {
  /** Newest first, by when they happened. */
  readonly outcomes: readonly PaymentOutcome[];
  /** Where the next page begins; null when there is none. */
  readonly nextCursor: string | null;
  /** Whether there are more. */
  readonly hasMore: boolean;
}

/** What became of the outcomes. */
export interface OutcomeReceipt {
  /** How many were not known before. */
  readonly new: number;
  /** How many say something else now. */
  readonly changed: number;
  /** How many were known as they are. */
  readonly unchanged: number;
  /** Of all of them, how many are about a known decision. */
  readonly joined: number;
  /** How many decisions got a label from them. */
  readonly labelled: number;
  /** How many could be about more than one decision. */
  readonly ambiguous?: number;
  /** How many labels were taken back. */
  readonly withdrawn?: number;
  /** How many have a reason that their network is not known to have: such a dispute counts as one that is not about fraud. */
  readonly unknownReasons?: number;
}

export interface OutcomeRecordedData {
  readonly kind: string;
  readonly network: string;
  readonly requestId?: string;
  readonly reason?: string;
  readonly fraudType?: string;
  readonly stage?: string;
  readonly result?: string;
  readonly amount?: string;
  readonly currency?: string;
}

/** A payment was refunded, reported as fraud, warned of or disputed. */
export interface OutcomeRecordedEvent {
  /** The same each time this event is told. */
  readonly id: string;
  readonly type: "outcome.recorded";
  /** When it happened (RFC 3339). */
  readonly createdAt: string;
  /** Who did it: `key:` and an API key, `cli:` and a user, or a part of us. */
  readonly actor: string;
  readonly data: OutcomeRecordedData;
}

/** Something that became of a payment. */
export interface OutcomeReport {
  /** What happened. */
  readonly kind: OutcomeKind;
  /** Its own name, such as the acquirer's number of the dispute. The same reference of the same kind again replaces what was told before. One that looks like a card number is kept as a keyed hash. */
  readonly reference: string;
  /** When it happened: settled, refunded, reported, disputed (RFC 3339). Its month in UTC is the one it counts for. */
  readonly at: string;
  /** The card network. */
  readonly network?: OutcomeNetwork | undefined;
  /** The `requestId` of the decision. Of this and the names below, give those that you know: the first that is known finds the decision. */
  readonly requestId?: string | null | undefined;
  /** The `transactionId` that Sentry was sent. */
  readonly transactionId?: string | number | null | undefined;
  /** The `paymentId` that Gateway answered. */
  readonly paymentId?: string | null | undefined;
  /** The `clientReferenceId` that was sent. */
  readonly clientReferenceId?: string | number | null | undefined;
  /** Acquirer reference number, 23 digits. An outcome with the ARN of a settlement is about the same decision. */
  readonly arn?: string | null | undefined;
  /** The card without its middle, such as `411111******1111`. With amount and `transactionAt` it finds a decision of at most three days before or after, if only one fits. A whole card number is refused. */
  readonly maskedCard?: string | null | undefined;
  /** When the payment was made (RFC 3339). */
  readonly transactionAt?: string | null | undefined;
  /** The merchant id at the acquirer. */
  readonly merchantId?: string | null | undefined;
  /** Region of the merchant in the network's terms: AP, AU, CA, CEMEA, CH, DE, EU, IN, LAC, LI, MENA, SH, UK, US. */
  readonly region?: string | null | undefined;
  /** In units of the currency, at most six decimals. */
  readonly amount?: number | null | undefined;
  /** ISO 4217 code of the amount. */
  readonly currency?: string | null | undefined;
  /** Of a settlement: whether it was authenticated. */
  readonly threeDSecure?: boolean | null | undefined;
  /** Of a dispute: the network's reason code. */
  readonly reason?: string | null | undefined;
  /** Of a reported fraud: the network's type code. */
  readonly fraudType?: string | null | undefined;
  /** Of a dispute: how far it has gone. */
  readonly stage?: DisputeStage | null | undefined;
  /** Of a dispute or alert: how it ended. Of a reported fraud, `RESOLVED_BEFORE` says that compelling evidence ended it before a dispute. */
  readonly result?: DisputeResult | null | undefined;
  /** Of a dispute: until when to answer (RFC 3339). */
  readonly respondBy?: string | null | undefined;
}

/** How probable each outcome is, as far as the account's model has learned it. */
export interface OutcomeScoresTold {
  /** That it is disputed as fraud, 0 to 1. */
  readonly fraudDispute?: number;
  /** That it is reported as fraud. */
  readonly reportedFraud?: number;
  /** That a stolen card is tried out. */
  readonly cardTesting?: number;
  /** That the cardholder misuses the order. */
  readonly abuse?: number;
}

/** Whether a level will be met when the month is over and everything is told. */
export type Outlook = "LIKELY" | "MET" | "POSSIBLE" | "UNLIKELY" | (string & {});

/** Where it was delivered. */
export interface PacketAddress {
  /** Street and number. */
  readonly line1?: string | null;
  /** What the first line has no room for. */
  readonly line2?: string | null;
  /** City. */
  readonly city?: string | null;
  /** State or region. */
  readonly state?: string | null;
  /** Postal code. */
  readonly postal_code?: string | null;
  /** ISO 3166-1 alpha-2 code. */
  readonly country?: string | null;
}

/** Who sells or buys, as the law wants it named. */
export interface Party {
  /** Legal name. */
  readonly name: string;
  /** Street and number. */
  readonly street: string;
  /** City. */
  readonly city: string;
  /** ISO 3166 code. */
  readonly country: string;
  /** Where there is one. */
  readonly postalCode?: string | null;
  /** VAT number with its country. */
  readonly vatId?: string | null;
  /** Number in a register of companies. */
  readonly registration?: string | null;
}

/** What let an order through. */
export type PassedBy = "IN_SPITE" | "NOT_KNOWN" | "NOT_REVIEWED" | "NO_RULE" | "NO_RULES_ASKED" | "PERSON" | "RULES" | (string & {});

/** The results of a verification of payee, as banks exchange them. */
export type PayeeMatch = "CMTC" | "MTCH" | "NMTC" | "NOAP" | (string & {});

export interface PaymentAuthorizedData {
  /** The request that it is about. */
  readonly requestId: string;
  readonly decision: PublicDecision | null;
  /** The answer that the caller got. */
  readonly response: { readonly [name: string]: unknown } | null;
  /** The payment at the party, to capture or refund it there. */
  readonly paymentId: string | null;
  /** The connector that answered. */
  readonly party: string | null;
}

/** The gateway authorized the payment of a request. */
export interface PaymentAuthorizedEvent {
  /** The same each time this event is told. */
  readonly id: string;
  readonly type: "payment.authorized";
  /** When it happened (RFC 3339). */
  readonly createdAt: string;
  /** Who did it: `key:` and an API key, `cli:` and a user, or a part of us. */
  readonly actor: string;
  readonly data: PaymentAuthorizedData;
}

export interface PaymentCapturedData {
  /** The request that it is about. */
  readonly requestId: string;
  readonly decision: PublicDecision | null;
  /** The answer that the caller got. */
  readonly response: { readonly [name: string]: unknown } | null;
  /** The payment at the party, to capture or refund it there. */
  readonly paymentId: string | null;
  /** The connector that answered. */
  readonly party: string | null;
  readonly operationId: string;
  readonly kind: OperationKind;
  readonly amountMinor: number;
  readonly currency: string;
  /** The provider's code. */
  readonly code: string | null;
  readonly reason: string | null;
}

/** A payment was captured, whole or in part. */
export interface PaymentCapturedEvent {
  /** The same each time this event is told. */
  readonly id: string;
  readonly type: "payment.captured";
  /** When it happened (RFC 3339). */
  readonly createdAt: string;
  /** Who did it: `key:` and an API key, `cli:` and a user, or a part of us. */
  readonly actor: string;
  readonly data: PaymentCapturedData;
}

/** What became of the payment that waited for a review. */
export type PaymentEffect = "LOST" | "REVERSED" | "STANDS" | (string & {});

export interface PaymentOperationInDoubtData {
  /** The request that it is about. */
  readonly requestId: string;
  readonly decision: PublicDecision | null;
  /** The answer that the caller got. */
  readonly response: { readonly [name: string]: unknown } | null;
  /** The payment at the party, to capture or refund it there. */
  readonly paymentId: string | null;
  /** The connector that answered. */
  readonly party: string | null;
  readonly operationId: string;
  readonly kind: OperationKind;
  readonly amountMinor: number;
  readonly currency: string;
  /** The provider's code. */
  readonly code: string | null;
  readonly reason: string | null;
}

/** A person must find out whether a capture, void or refund was done. */
export interface PaymentOperationInDoubtEvent {
  /** The same each time this event is told. */
  readonly id: string;
  readonly type: "payment.operation_in_doubt";
  /** When it happened (RFC 3339). */
  readonly createdAt: string;
  /** Who did it: `key:` and an API key, `cli:` and a user, or a part of us. */
  readonly actor: string;
  readonly data: PaymentOperationInDoubtData;
}

export interface PaymentOperationRefusedData {
  /** The request that it is about. */
  readonly requestId: string;
  readonly decision: PublicDecision | null;
  /** The answer that the caller got. */
  readonly response: { readonly [name: string]: unknown } | null;
  /** The payment at the party, to capture or refund it there. */
  readonly paymentId: string | null;
  /** The connector that answered. */
  readonly party: string | null;
  readonly operationId: string;
  readonly kind: OperationKind;
  readonly amountMinor: number;
  readonly currency: string;
  /** The provider's code. */
  readonly code: string | null;
  readonly reason: string | null;
}

/** A capture, void or refund was refused. */
export interface PaymentOperationRefusedEvent {
  /** The same each time this event is told. */
  readonly id: string;
  readonly type: "payment.operation_refused";
  /** When it happened (RFC 3339). */
  readonly createdAt: string;
  /** Who did it: `key:` and an API key, `cli:` and a user, or a part of us. */
  readonly actor: string;
  readonly data: PaymentOperationRefusedData;
}

/** Something that became of a payment, as it is kept. */
export interface PaymentOutcome {
  /** What happened. */
  readonly kind: OutcomeKind;
  /** Its own name. */
  readonly reference: string;
  /** When it happened (RFC 3339). */
  readonly at: string;
  /** The card network. */
  readonly network: OutcomeNetwork;
  /** The decision it is about; null when none was found. */
  readonly requestId: string | null;
  /** By what the decision was found. */
  readonly joinedBy: JoinedBy | null;
  /** How many decisions it could be about, where one could not be told. */
  readonly candidates: number;
  /** The label that its decision has from it. */
  readonly label: Label | null;
  /** Acquirer reference number. */
  readonly arn: string | null;
  /** The merchant id at the acquirer. */
  readonly merchantId: string | null;
  /** Region of the merchant. */
  readonly region: string | null;
  /** In units of the currency, as a decimal. */
  readonly amount: string | null;
  /** ISO 4217 code of the amount. */
  readonly currency: string | null;
  /** Of a dispute: the reason code. */
  readonly reason: string | null;
  /** Of a reported fraud: the type code. */
  readonly fraudType: string | null;
  /** Of a dispute: how far it has gone. */
  readonly stage: DisputeStage | null;
  /** How it ended. */
  readonly result: DisputeResult | null;
  /** Of a settlement: whether it was authenticated. */
  readonly threeDSecure: boolean | null;
  /** Until when to answer (RFC 3339). */
  readonly respondBy: string | null;
}

/** Payments, newest first. */
export interface PaymentPage {
  /** Newest first. */
  readonly payments: readonly PaymentShown[];
  /** Whether there are more. */
  readonly hasMore: boolean;
}

export interface PaymentRefundedData {
  /** The request that it is about. */
  readonly requestId: string;
  readonly decision: PublicDecision | null;
  /** The answer that the caller got. */
  readonly response: { readonly [name: string]: unknown } | null;
  /** The payment at the party, to capture or refund it there. */
  readonly paymentId: string | null;
  /** The connector that answered. */
  readonly party: string | null;
  readonly operationId: string;
  readonly kind: OperationKind;
  readonly amountMinor: number;
  readonly currency: string;
  /** The provider's code. */
  readonly code: string | null;
  readonly reason: string | null;
}

/** Captured money was given back, whole or in part. */
export interface PaymentRefundedEvent {
  /** The same each time this event is told. */
  readonly id: string;
  readonly type: "payment.refunded";
  /** When it happened (RFC 3339). */
  readonly createdAt: string;
  /** Who did it: `key:` and an API key, `cli:` and a user, or a part of us. */
  readonly actor: string;
  readonly data: PaymentRefundedData;
}

export interface PaymentReversalFailedData {
  /** The request that it is about. */
  readonly requestId: string;
  readonly decision: PublicDecision | null;
  /** The answer that the caller got. */
  readonly response: { readonly [name: string]: unknown } | null;
  /** The payment at the party, to capture or refund it there. */
  readonly paymentId: string | null;
  /** The connector that answered. */
  readonly party: string | null;
  readonly amountMinor: number;
  readonly currency: string;
  readonly attempts: number;
  readonly reason: string | null;
}

/** A payment could not be reversed; a person must look at it. */
export interface PaymentReversalFailedEvent {
  /** The same each time this event is told. */
  readonly id: string;
  readonly type: "payment.reversal_failed";
  /** When it happened (RFC 3339). */
  readonly createdAt: string;
  /** Who did it: `key:` and an API key, `cli:` and a user, or a part of us. */
  readonly actor: string;
  readonly data: PaymentReversalFailedData;
}

export interface PaymentReversedData {
  /** The request that it is about. */
  readonly requestId: string;
  readonly decision: PublicDecision | null;
  /** The answer that the caller got. */
  readonly response: { readonly [name: string]: unknown } | null;
  /** The payment at the party, to capture or refund it there. */
  readonly paymentId: string | null;
  /** The connector that answered. */
  readonly party: string | null;
  readonly amountMinor: number;
  readonly currency: string;
  readonly attempts: number;
  readonly reason: string | null;
}

/** A payment was reversed, or was found never to have been made. */
export interface PaymentReversedEvent {
  /** The same each time this event is told. */
  readonly id: string;
  readonly type: "payment.reversed";
  /** When it happened (RFC 3339). */
  readonly createdAt: string;
  /** Who did it: `key:` and an API key, `cli:` and a user, or a part of us. */
  readonly actor: string;
  readonly data: PaymentReversedData;
}

/** A payment that the provider authorized, and what was done with it. */
export interface PaymentShown {
  /** The request that made it. */
  readonly requestId: string;
  /** What it is by what was done with it. */
  readonly state: PaymentState;
  /** ISO 4217 code. */
  readonly currency: string;
  /** What was authorized, in the smallest unit of the currency. */
  readonly authorizedMinor: number;
  /** What was captured, in the smallest unit of the currency. */
  readonly capturedMinor: number;
  /** What was refunded, in the smallest unit of the currency. */
  readonly refundedMinor: number;
  /** What can still be captured, in the smallest unit of the currency. */
  readonly capturableMinor: number;
  /** What can still be refunded, in the smallest unit of the currency. */
  readonly refundableMinor: number;
  /** Whether it can be voided. */
  readonly voidable: boolean;
  /** When it was authorized (RFC 3339). */
  readonly authorizedAt: string;
  /** The connector that authorized it. */
  readonly connector: string | null;
  /** The provider's id of the payment, if it gave one. */
  readonly paymentId: string | null;
  /** The network's id of the payment, to which later payments with the stored card refer, if the provider gave one. */
  readonly networkTransactionId: string | null;
  /** Oldest first. */
  readonly operations: readonly OperationShown[];
}

/** What a payment is by what was done with it. */
export type PaymentState = "AUTHORIZED" | "CAPTURED" | "PARTLY_CAPTURED" | "PARTLY_REFUNDED" | "REFUNDED" | "REVERSED" | "REVIEW" | "VOIDED" | (string & {});

export interface PaymentVoidedData {
  /** The request that it is about. */
  readonly requestId: string;
  readonly decision: PublicDecision | null;
  /** The answer that the caller got. */
  readonly response: { readonly [name: string]: unknown } | null;
  /** The payment at the party, to capture or refund it there. */
  readonly paymentId: string | null;
  /** The connector that answered. */
  readonly party: string | null;
  readonly operationId: string;
  readonly kind: OperationKind;
  readonly amountMinor: number;
  readonly currency: string;
  /** The provider's code. */
  readonly code: string | null;
  readonly reason: string | null;
}

/** A payment that was not captured was given up. */
export interface PaymentVoidedEvent {
  /** The same each time this event is told. */
  readonly id: string;
  readonly type: "payment.voided";
  /** When it happened (RFC 3339). */
  readonly createdAt: string;
  /** Who did it: `key:` and an API key, `cli:` and a user, or a part of us. */
  readonly actor: string;
  readonly data: PaymentVoidedData;
}

/** One kind of thing that a person may do. */
export type Permission = "access" | "approve" | "block" | "book" | "configure" | "operate" | "payments" | "people" | "propose" | "reveal" | "review" | "see" | "see_audit" | "see_money" | (string & {});

/** A person to erase, by everything that names them. */
export interface PersonErasure {
  /** As it was sent. */
  readonly userId?: string | null | undefined;
  /** As it was sent. */
  readonly username?: string | null | undefined;
  /** A mailbox. */
  readonly email?: string | null | undefined;
  /** A number. */
  readonly phone?: string | null | undefined;
  /** A card. */
  readonly cardNumber?: string | Hidden | null | undefined;
  /** Whether entries of lists name nobody any more; they go on matching. */
  readonly lists?: boolean | undefined;
}

/** A purchase, with an input for every stage that needs one. */
export interface PipelineRequest {
  /** Number of the pipeline. */
  readonly pipelineId: number;
  /** Caller's own reference, kept with the decision and searchable. */
  readonly clientReferenceId?: string | number | null | undefined;
  /** For Rules. */
  readonly rulesRequest?: RulesRequest | null | undefined;
  /** For Sentry. */
  readonly sentryRequest?: SentryRequest | null | undefined;
  /** For PreCheck, and the card that Gateway charges. */
  readonly preCheckRequest?: PreCheckRequest | null | undefined;
  /** For IdVerify. */
  readonly idVerifyRequest?: IdVerifyRequest | null | undefined;
  /** What Gateway charges; otherwise `sentryRequest.order` says it. */
  readonly gatewayRequest?: GatewayRequest | null | undefined;
}

/** What every stage that ran has found, and what follows from it. */
export interface PipelineResponse {
  /** Stages that ran, in order. */
  readonly pipelineStages: readonly string[];
  /** The strongest of what the deciding stages want. */
  readonly decision: Outcome;
  /** What decided, in one word; null when the request is accepted. `RULES`: a rule of the account; `ISSUER_DECLINED`: the issuer declined the card; `PRECHECK_POLICY`: the address or the security code, by the account's policy; `FRAUD`: PreCheck advised FRAUD; `INPUT`: the card details are wrong or out of date; `ISSUER_UNAVAILABLE`: the issuer did not answer, or asked to be asked later; `GATEWAY_DECLINED`: the payment gateway declined the payment; `GATEWAY_ERROR`: the payment gateway failed or was late; `STAGE_UNAVAILABLE`: another stage could not complete; `OTHER`: something else: see the objects of the stages */
  readonly reason: DecisionReason | null;
  /** Whether the same order, sent again later as it is, can end differently: it was declined only because a party did not answer. */
  readonly retryable: boolean;
  /** From Sentry's reasons and from the rules that matched. */
  readonly tags: readonly string[];
  readonly rulesResponse?: RulesResponse;
  readonly sentryResponse?: SentryInPipeline;
  readonly preCheckResponse?: PreCheckResponse;
  readonly idVerifyResponse?: IdVerifyResponse;
  readonly gatewayResponse?: GatewayResponse;
}

/** One stage of a pipeline, as callers may know it. */
export interface PipelineStage {
  /** Name of the stage. */
  readonly stage: string;
  /** Fee type. */
  readonly feeType: string;
  /** Rule set of a Rules stage. */
  readonly ruleSet?: string;
}

/** A pipeline that the account can call. */
export interface PipelineSummary {
  /** Its number. */
  readonly pipelineId: number;
  /** Version in force. */
  readonly version: number;
  /** What it is called. */
  readonly name: string;
  /** What it is for. */
  readonly description: string;
  /** Its stages, in order. */
  readonly stages: readonly PipelineStage[];
  /** Paths that a request must have. */
  readonly required: readonly string[];
}

/** Which pipeline, as it stood at the time. */
export interface PipelineVersion {
  /** Number of the pipeline. */
  readonly id: number;
  /** Its version. */
  readonly version: number;
}

/** The pipelines of the account. */
export interface PipelinesResponse {
  readonly pipelines: readonly PipelineSummary[];
}

/** An account's policies. */
export interface PoliciesShown {
  /** Of PreCheck. */
  readonly precheck: PreCheckPolicyBody;
  /** Of Sentry. */
  readonly sentry: SentryPolicyBody;
  /** What orders earn and cost; null where Sentry gives no advice by it. */
  readonly costs?: CostsBody | null;
}

/** What an approval becomes when address or security code do not match. */
export interface PreCheckPolicyBody {
  /** By result of the address; others keep theirs. */
  readonly avs?: { readonly [name: string]: Advice } | undefined;
  /** By result of the security code; others keep theirs. */
  readonly cvv2?: { readonly [name: string]: Advice } | undefined;
}

/** A card to check. */
export interface PreCheckRequest {
  /** Payment card number: 12 to 19 digits, no spaces or dashes. */
  readonly cardNumber: string | Hidden;
  /** Last valid month, YYYY-MM. */
  readonly cardExpiryDate: string;
  /** Card security code, 3 digits (Amex: 4). */
  readonly cardCvv2Value?: string | Hidden | null | undefined;
  /** Billing address to compare. */
  readonly cardAddress?: CardAddress | null | undefined;
  /** Caller's own reference, kept with the decision and searchable. */
  readonly clientReferenceId?: string | number | null | undefined;
  /** Payment Account Reference (PAR) of the account behind the card number, as your processor or token service gives it: 29 capital letters and digits. All tokens of one account have the same. Only a fingerprint is kept. */
  readonly paymentAccountReference?: string | Hidden | null | undefined;
  /** What kind of number `cardNumber` is: the card's own as the customer entered it (`PAN`) or as you kept it (`STORED_PAN`), a network's token for you (`NETWORK_TOKEN`), or a device's (`DEVICE_TOKEN`: Apple Pay, Google Pay). */
  readonly credentialType?: CredentialType | null | undefined;
}

/** PreCheck's answer. */
export interface PreCheckResponse {
  /** Recommended action. */
  readonly advice: Advice;
  /** Result of the address check. */
  readonly avsResult: AvsResult;
  /** Result of the security code check. */
  readonly cvv2Result: Cvv2Result;
  /** Facts about the card. */
  readonly card: CardSummary;
  /** Codes that say why the advice is what it is. */
  readonly reasons: readonly string[];
}

/** `threeDSRequestorPriorAuthenticationInfo`: the last time this card was authenticated here. */
export interface PriorAuthentication {
  /** When, UTC, as YYYYMMDDHHMM. */
  readonly threeDSReqPriorAuthTimestamp?: string;
}

/** An earlier transaction that nobody disputed. */
export interface PriorTransaction {
  /** The customer's login. */
  readonly customer_account_id?: string | null;
  /** The device, by at least two of its attributes. */
  readonly customer_device_fingerprint?: string | null;
  /** The device, by its own identifier. */
  readonly customer_device_id?: string | null;
  /** E-mail address. */
  readonly customer_email_address?: string | null;
  /** IP address. */
  readonly customer_purchase_ip?: string | null;
  /** What was sold. */
  readonly product_description?: string | null;
  /** Where it was delivered. */
  readonly shipping_address?: PacketAddress | null;
  /** The provider's id of it. */
  readonly charge?: string | null;
}

/** A step on the way to a level that was reached in a month, and when that was noticed. */
export interface ProgrammeAlert {
  /** The programme. */
  readonly programme: string;
  /** Its level. */
  readonly level: string;
  /** The card network. */
  readonly network: string;
  /** The merchant id; null for all. */
  readonly merchantId: string | null;
  /** Its region; null if none is told. */
  readonly region: string | null;
  /** 50, 75, 90, or 100 once met. */
  readonly percent: number;
  /** When it was noticed (RFC 3339). */
  readonly at: string;
}

/** What a month will come to; the bounds hold in four cases of five. */
export interface ProgrammeForecast {
  /** Expected events. */
  readonly events: number;
  /** Fewer in one case of ten. */
  readonly eventsLow: number;
  /** More in one case of ten. */
  readonly eventsHigh: number;
  /** Expected sales. */
  readonly sales: number;
  /** The expected ratio in basis points. */
  readonly basisPoints: string | null;
  /** Lower in one case of ten. */
  readonly basisPointsLow: string | null;
  /** Higher in one case of ten. */
  readonly basisPointsHigh: string | null;
  /** Whether the level will be met. */
  readonly outlook: Outlook;
  /** Earlier months that it was learnt from. */
  readonly months: number;
  /** How it is worked out, in words. */
  readonly formula: string;
}

/** How a month stands against all programmes. */
export interface ProgrammeReport {
  /** The month, in UTC. */
  readonly month: string;
  /** When it was metered (RFC 3339). */
  readonly asOf: string;
  /** The day of the table of thresholds. */
  readonly tableAsOf: string;
  /** Those of merchants first, and of these the nearest to a level. */
  readonly standings: readonly MeteredProgramme[];
  /** Of this month, newest first. */
  readonly alerts: readonly ProgrammeAlert[];
  /** What let the orders through that the newest 5,000 events of the month are about: the 50 most frequent causes. */
  readonly causes: readonly EventCause[];
  /** Programmes in force where the account sells, with no public figures. */
  readonly unmetered?: readonly ShownUnmetered[];
  /** What of the month counts nowhere, or not as what it may be. */
  readonly warnings?: readonly string[];
}

/** Whose month a level judges. */
export type ProgrammeSubject = "ACQUIRER" | "MERCHANT" | (string & {});

export interface ProgrammeThresholdData {
  readonly programme: string;
  readonly level: string;
  readonly network: string;
  /** Null for all of the account. */
  readonly merchantId: string | null;
  readonly region: string | null;
  readonly month: string;
  /** 50, 75 or 90 of the way; 100 once it is met. */
  readonly percent: number;
  readonly events: number;
  readonly sales: number;
  readonly neededEvents: number;
  readonly basisPoints: string | null;
}

/** Half of the way to a network's programme, or more, is reached. */
export interface ProgrammeThresholdEvent {
  /** The same each time this event is told. */
  readonly id: string;
  readonly type: "programme.threshold";
  /** When it happened (RFC 3339). */
  readonly createdAt: string;
  /** Who did it: `key:` and an API key, `cli:` and a user, or a part of us. */
  readonly actor: string;
  readonly data: ProgrammeThresholdData;
}

/** A rule that finds the requests of an alert, to begin with. */
export interface ProposedRule {
  /** Its name, which says what it stops. */
  readonly name: string;
  /** Its condition, for a rule set. */
  readonly condition: string;
  /** The same as the rule builder of the console has it. */
  readonly questions: readonly Clicked[];
}

/** One attempt to send a message. */
export interface PublicAttempt {
  /** Its id; attempts before it: `before`. */
  readonly id: string;
  /** The event, which is also the message's id. */
  readonly eventId: string;
  /** What happened. */
  readonly type: string;
  /** When it was sent. */
  readonly at: string;
  /** Which attempt of the message it was. */
  readonly number: number;
  /** What became of it. */
  readonly outcome: "accepted" | "failed" | "given_up";
  /** The status of the answer, if one came. */
  readonly status: number | null;
  /** Why it was not accepted. */
  readonly failure: string | null;
  /** How long the answer took. */
  readonly durationMs: number;
  /** When it is tried again. */
  readonly nextAt: string | null;
}

/** The record of one processed request. */
export interface PublicDecision {
  /** The `requestId` of the answer. */
  readonly requestId: string;
  /** Which operation it was. */
  readonly operation: string;
  /** When the request came in (RFC 3339). */
  readonly at: string;
  /** The caller's reference, card numbers masked. */
  readonly clientReferenceId: string | number | null;
  /** The card, masked. */
  readonly card: KeptCard | null;
  /** Names of the stages that ran. */
  readonly pipelineStages: readonly string[];
  /** What each of them found. */
  readonly stages: readonly DecisionStage[];
  /** Held for the request. */
  readonly amountAuthorized: Money;
  /** Charged for the request. */
  readonly amountClosed: Money;
  /** What was decided, by Rules or a pipeline. */
  readonly decision?: Outcome;
  /** What decided, in one word; null when the request is accepted. `RULES`: a rule of the account; `ISSUER_DECLINED`: the issuer declined the card; `PRECHECK_POLICY`: the address or the security code, by the account's policy; `FRAUD`: PreCheck advised FRAUD; `INPUT`: the card details are wrong or out of date; `ISSUER_UNAVAILABLE`: the issuer did not answer, or asked to be asked later; `GATEWAY_DECLINED`: the payment gateway declined the payment; `GATEWAY_ERROR`: the payment gateway failed or was late; `STAGE_UNAVAILABLE`: another stage could not complete; `OTHER`: something else: see the objects of the stages */
  readonly reason?: DecisionReason | null;
  /** Whether the same order, sent again later as it is, can end differently: it was declined only because a party did not answer. */
  readonly retryable?: boolean;
  /** The pipeline that ran. */
  readonly pipeline?: PipelineVersion;
  /** What rules could speak of before any stage had run. `velocity.` groups are lists in the order of their signals. */
  readonly signals?: { readonly [name: string]: unknown };
  /** What Sentry remembers of a request to Rules or a pipeline; of one to Sentry alone it is in the result of its stage. */
  readonly event?: { readonly [name: string]: unknown };
  /** What decided, why, and what would have changed it; not in lists. */
  readonly explanation?: Explanation;
  /** What became of the payment, oldest first; not in lists. */
  readonly outcomes?: readonly PaymentOutcome[];
  /** When everything about the person was erased from this record. */
  readonly erasedAt?: string;
}

/** One line of the history of a review. */
export interface PublicReviewEvent {
  /** When (RFC 3339). */
  readonly at: string;
  /** The key, with the person that it named, or the operator; or `service`. */
  readonly by: string;
  /** What happened. */
  readonly kind: EventKind;
  /** Of `ASSIGNED`: who has it since; null is nobody. */
  readonly assignee: string | null;
  /** Of `RESOLVED` and `CORRECTED`: the state since. */
  readonly status: ReviewState | null;
  /** The note, or the reason; null when it was erased. */
  readonly text: string | null;
  /** Of `RESOLVED` and `CORRECTED`: what became of the payment that waited for the review. `LOST` was reversed before, and cannot be brought back. */
  readonly payment: PaymentEffect | null;
}

/** Where an account is told of events. */
export interface PublicWebhook {
  /** Its id. */
  readonly id: string;
  /** Where messages are sent. */
  readonly url: string;
  /** Types of events, `review.*` for all of a kind, or `*`. */
  readonly events: readonly string[];
  /** Which decisions `decision.made` tells of; empty: all. */
  readonly decisions: readonly ToldDecisions[];
  /** Whether a message waits for the one before it to be accepted. */
  readonly ordered: boolean;
  /** What it is for. */
  readonly description: string;
  /** Whether messages are sent. */
  readonly state: WebhookState;
  /** Why no messages are sent. */
  readonly disabledBecause: DisabledBecause | null;
  /** How messages are signed. */
  readonly signing: SecretKind | null;
  /** When it was made (RFC 3339). */
  readonly createdAt: string;
  /** When it was last changed. */
  readonly changedAt: string;
  /** Since when no message was accepted. */
  readonly failingSince: string | null;
  /** Messages that are tried again later. */
  readonly waiting: number;
  /** Events of its types that no server has read for it yet; at most 20,000 are counted. */
  readonly unread: number;
  /** When the oldest of both happened (RFC 3339). */
  readonly oldestAt: string | null;
  /** What messages are verified with; shown once: `whsec_...`, or `whpk_...` */
  readonly secret?: string;
  /** Until when messages are signed with the old secret, too. */
  readonly oldSecretUntil?: string;
}

/** Rates of fraud by quarter and band. */
export interface RateReport {
  /** Whose bands these are. */
  readonly regime: string;
  /** Day of the table of limits. */
  readonly tableAsOf: string;
  /** Day of the rates of currencies. */
  readonly ratesAsOf: string;
  /** How a rate is worked out, in words. */
  readonly formula: string;
  /** Where the rates of currencies are from. */
  readonly ratesSource: string;
  /** The last 90 days, then quarters, newest first. */
  readonly standings: readonly RateStanding[];
  /** Bands above their rate for two quarters running (article 20). */
  readonly stopped: readonly Money[];
  /** Payments and frauds without an amount, or in a currency without a rate. */
  readonly leftOut: number;
}

/** The rate of fraud in one window. */
export interface RateStanding {
  /** A quarter, or `now` for the last 90 days. */
  readonly window: string;
  /** First day. */
  readonly since: string;
  /** The day after the last. */
  readonly until: string;
  /** All payments. */
  readonly settled: Money;
  /** All frauds. */
  readonly fraud: Money;
  /** Per cent, four decimals; null without payments. */
  readonly rate: string | null;
  /** The smallest first. */
  readonly bands: readonly BandStanding[];
}

/** One thing that moved the score. */
export interface Reason {
  /** Which signal; docs/signals.md lists them all. */
  readonly code: string;
  /** What it added to the log-odds that the request is legitimate. */
  readonly effect: number;
  /** The same in words. */
  readonly text: string;
}

/** How much is sent again. */
export interface ReplayStarted {
  /** How many messages. */
  readonly messages: number;
  /** False when there are more than are taken at once. */
  readonly complete: boolean;
}

/** A report that was made. */
export interface ReportLine {
  /** The month. */
  readonly month: string;
  /** When it was made (RFC 3339). */
  readonly madeAt: string;
}

/** The reports that were made. */
export interface ReportList {
  /** The newest month first. */
  readonly reports: readonly ReportLine[];
}

export interface ReportReadyData {
  readonly month: string;
  readonly orders: number;
  readonly accepted: number;
  readonly fraud: number;
  readonly disputed: number;
}

/** The report on a month was made. */
export interface ReportReadyEvent {
  /** The same each time this event is told. */
  readonly id: string;
  readonly type: "report.ready";
  /** When it happened (RFC 3339). */
  readonly createdAt: string;
  /** Who did it: `key:` and an API key, `cli:` and a user, or a part of us. */
  readonly actor: string;
  readonly data: ReportReadyData;
}

/** How reports are made. */
export interface ReportSettings {
  /** Whose midnights months begin at. */
  readonly timeZone?: string | undefined;
}

/** Which month to make a report on. */
export interface ReportWanted {
  /** A month, such as 2026-10. */
  readonly month: string;
}

/** What became of one of many reviews. */
export type ResolutionOutcome = "ALREADY_RESOLVED" | "NOT_FOUND" | "RESOLVED" | (string & {});

/** The answer about one of many reviews. */
export interface ResolutionResult {
  /** As it was sent, card numbers masked. */
  readonly requestId: string;
  /** Whether it was resolved now. */
  readonly outcome: ResolutionOutcome;
  /** The review's state now; null when there is none. */
  readonly status: ReviewState | null;
  /** Who resolved it, now or before; null when nobody did. */
  readonly resolvedBy: string | null;
  /** When. */
  readonly resolvedAt: string | null;
}

/** One verdict on the open reviews of many decisions. */
export interface ResolveMany {
  /** The `requestId`s of 1 to 1000 decisions; give this or `search`. */
  readonly requestIds?: readonly string[] | null | undefined;
  /** As for a search; at most 10000 may fit. Its page is ignored. */
  readonly search?: DecisionSearchRequest | null | undefined;
  /** `APPROVE` when the payment was legitimate, `DECLINE` when it was fraud. */
  readonly resolution: ReviewVerdict;
  /** Why, kept with the review; card numbers in it are masked. */
  readonly reason: string;
}

/** What the comparison of one attribute came to. */
export type Result = "MATCH" | "NOT_PROCESSED" | "NOT_SUPPORTED" | "NO_MATCH" | "PARTIAL_MATCH" | "UNKNOWN" | (string & {});

/** A decision that waits for a reviewer, or was resolved by one. */
export interface Review {
  /** The `requestId` of the decision. */
  readonly requestId: string;
  /** Whether it is open, and else the verdict. */
  readonly status: ReviewState;
  /** When it was opened (RFC 3339). */
  readonly createdAt: string;
  /** Who has it; null is nobody. */
  readonly assignee: string | null;
  /** When it was resolved or corrected last (RFC 3339). */
  readonly resolvedAt: string | null;
  /** The key, or the operator, that did so. */
  readonly resolvedBy: string | null;
  /** Why, in the reviewer's words. */
  readonly reason: string | null;
  /** Of the payment that was authorized before the review: `REVIEW` while it waits, `REVERSE` when it is being reversed because the review was declined, then `REVERSED` or `FAILED`; null when there is none, or it stays as it is. */
  readonly paymentStatus: IntentState | null;
  /** How many notes there are. */
  readonly noteCount: number;
  /** Who, what, which card, from where, and why. */
  readonly summary: ReviewSummary | null;
  /** The decision it speaks of. */
  readonly decision: PublicDecision | null;
  /** What the newest resolution meant for the payment, in words; null when no payment waited. Only of one review. */
  readonly paymentMeaning?: string | null;
  /** What happened to it, notes included, oldest first. Only of one review. */
  readonly history?: readonly PublicReviewEvent[];
}

export interface ReviewAssignedData {
  /** The request that it is about. */
  readonly requestId: string;
  readonly decision: PublicDecision | null;
  /** The answer that the caller got. */
  readonly response: { readonly [name: string]: unknown } | null;
  readonly assignee: string | null;
}

/** A review was given to a person, or taken back. */
export interface ReviewAssignedEvent {
  /** The same each time this event is told. */
  readonly id: string;
  readonly type: "review.assigned";
  /** When it happened (RFC 3339). */
  readonly createdAt: string;
  /** Who did it: `key:` and an API key, `cli:` and a user, or a part of us. */
  readonly actor: string;
  readonly data: ReviewAssignedData;
}

/** Who is to have a review. */
export interface ReviewAssignment {
  /** Your name for the person; null for nobody. */
  readonly assignee: string | null;
  /** Whether it may be taken from somebody else. */
  readonly takeOver?: boolean | null | undefined;
  /** Your name for the person who says so. */
  readonly reviewer?: string | null | undefined;
}

/** What every change of a review has. */
export interface ReviewChange {
  /** Your name for the person who says so. */
  readonly reviewer?: string | null | undefined;
}

export interface ReviewCorrectedData {
  /** The request that it is about. */
  readonly requestId: string;
  readonly decision: PublicDecision | null;
  /** The answer that the caller got. */
  readonly response: { readonly [name: string]: unknown } | null;
  readonly state: ReviewState;
  readonly payment: PaymentEffect | null;
}

/** A person corrected the resolution of a review. */
export interface ReviewCorrectedEvent {
  /** The same each time this event is told. */
  readonly id: string;
  readonly type: "review.corrected";
  /** When it happened (RFC 3339). */
  readonly createdAt: string;
  /** Who did it: `key:` and an API key, `cli:` and a user, or a part of us. */
  readonly actor: string;
  readonly data: ReviewCorrectedData;
}

/** A page of reviews that were searched for, oldest first. */
export interface ReviewMatches {
  readonly reviews: readonly Review[];
  /** Send it as `cursor` for what follows; null when there is nothing more. */
  readonly nextCursor: string | null;
  /** Only there, and true, while decisions of an earlier version are being indexed after an upgrade: some of them may be missing. */
  readonly stillIndexing?: boolean;
}

/** Something that a reviewer writes down. */
export interface ReviewNote {
  /** The note; card numbers in it are masked. It can be erased. */
  readonly text: string;
  /** Your name for the person who says so. */
  readonly reviewer?: string | null | undefined;
}

export interface ReviewOpenedData {
  /** The request that it is about. */
  readonly requestId: string;
  readonly decision: PublicDecision | null;
  /** The answer that the caller got. */
  readonly response: { readonly [name: string]: unknown } | null;
}

/** A decision waits for a person. */
export interface ReviewOpenedEvent {
  /** The same each time this event is told. */
  readonly id: string;
  readonly type: "review.opened";
  /** When it happened (RFC 3339). */
  readonly createdAt: string;
  /** Who did it: `key:` and an API key, `cli:` and a user, or a part of us. */
  readonly actor: string;
  readonly data: ReviewOpenedData;
}

/** A page of reviews in the order that was asked for. */
export interface ReviewPage {
  readonly reviews: readonly Review[];
  /** Whether there are more after them. */
  readonly hasMore: boolean;
}

/** One thing that spoke against the request. */
export interface ReviewReason {
  /** The stage that found it. */
  readonly stage: string;
  /** Name of the rule, or code of the reason. */
  readonly code: string;
  /** What it means. */
  readonly sentence: string;
}

export interface ReviewReopenedData {
  /** The request that it is about. */
  readonly requestId: string;
  readonly decision: PublicDecision | null;
  /** The answer that the caller got. */
  readonly response: { readonly [name: string]: unknown } | null;
  readonly state: ReviewState;
  readonly payment: PaymentEffect | null;
}

/** A resolution of a review was undone; the review is open again. */
export interface ReviewReopenedEvent {
  /** The same each time this event is told. */
  readonly id: string;
  readonly type: "review.reopened";
  /** When it happened (RFC 3339). */
  readonly createdAt: string;
  /** Who did it: `key:` and an API key, `cli:` and a user, or a part of us. */
  readonly actor: string;
  readonly data: ReviewReopenedData;
}

/** The reviewer's verdict on a decision, with the reason. */
export interface ReviewResolution {
  /** `APPROVE` when the payment was legitimate, `DECLINE` when it was fraud. */
  readonly resolution: ReviewVerdict;
  /** Why, kept with the review; card numbers in it are masked. */
  readonly reason: string;
  /** Your name for the person who says so. */
  readonly reviewer?: string | null | undefined;
}

export interface ReviewResolvedData {
  /** The request that it is about. */
  readonly requestId: string;
  readonly decision: PublicDecision | null;
  /** The answer that the caller got. */
  readonly response: { readonly [name: string]: unknown } | null;
  readonly state: ReviewState;
  readonly payment: PaymentEffect | null;
}

/** A person accepted or declined a reviewed request. */
export interface ReviewResolvedEvent {
  /** The same each time this event is told. */
  readonly id: string;
  readonly type: "review.resolved";
  /** When it happened (RFC 3339). */
  readonly createdAt: string;
  /** Who did it: `key:` and an API key, `cli:` and a user, or a part of us. */
  readonly actor: string;
  readonly data: ReviewResolvedData;
}

/** Which reviews are wanted: filters of their decisions, and of the reviews themselves. */
export interface ReviewSearchRequest {
  /** Your name for the user, as it was sent. */
  readonly userId?: string | number | null | undefined;
  /** The card. Only its fingerprint is compared. */
  readonly cardNumber?: string | Hidden | null | undefined;
  /** The account behind cards: whatever token of it was sent. Only its fingerprint is compared. */
  readonly paymentAccountReference?: string | Hidden | null | undefined;
  /** The card by its `fingerprint`, or the account behind it by its `accountFingerprint`, as decisions of this account show it; or several of them. */
  readonly cardFingerprint?: string | readonly string[] | null | undefined;
  /** E-mail address. Different spellings of one mailbox are the same. */
  readonly email?: string | null | undefined;
  /** Phone number in international form. */
  readonly phone?: string | null | undefined;
  /** Address of the device. Of IPv6, its whole /64 is meant. */
  readonly ipAddress?: string | null | undefined;
  /** The `deviceId` that was sent to Sentry, or the device as the event in a decision names it: `#…`. */
  readonly deviceId?: string | null | undefined;
  /** The ring that the request was linked with, as the event in a decision names it: `ring_…`; or several of them. */
  readonly ring?: string | readonly string[] | null | undefined;
  /** The `transactionId` that was sent to Sentry. */
  readonly transactionId?: string | number | null | undefined;
  /** The `clientReferenceId` that was sent. */
  readonly clientReferenceId?: string | number | null | undefined;
  /** The operation, or several of them. */
  readonly operation?: string | readonly string[] | null | undefined;
  /** What was decided. */
  readonly decision?: Outcome | readonly Outcome[] | null | undefined;
  /** What decided, in one word. Decisions of versions before this filter are not found by it. */
  readonly reason?: DecisionReason | readonly DecisionReason[] | null | undefined;
  /** A rule that matched. */
  readonly rule?: string | readonly string[] | null | undefined;
  /** A rule that matched in shadow: it was recorded, and decided nothing. */
  readonly shadowRule?: string | readonly string[] | null | undefined;
  /** A tag of the answer. */
  readonly tag?: string | readonly string[] | null | undefined;
  /** What the request turned out to be, as of now. */
  readonly label?: Label | readonly Label[] | null | undefined;
  /** The amount of the order. */
  readonly amount?: AmountRange | null | undefined;
  /** When the request came in. */
  readonly at?: TimeRange | null | undefined;
  /** Size of a page; 50 without it. */
  readonly limit?: number | null | undefined;
  /** The `nextCursor` of the page before. */
  readonly cursor?: string | null | undefined;
  /** Whether it is open, and else the verdict. */
  readonly status?: ReviewState | readonly ReviewState[] | null | undefined;
}

/** Whether a review is open, and how it was resolved. */
export type ReviewState = "APPROVED" | "DECLINED" | "OPEN" | (string & {});

/** Who ordered what, with which card, from where, and what spoke against it. */
export interface ReviewSummary {
  readonly customer: ReviewedCustomer;
  readonly order: ReviewedOrder;
  readonly card: ReviewedCard | null;
  readonly origin: ReviewedOrigin;
  /** Names of the rules that matched. */
  readonly rules: readonly string[];
  /** Tags of those rules, and codes that lowered Sentry's score. */
  readonly tags: readonly string[];
  /** Why, one sentence for each. */
  readonly reasons: readonly ReviewReason[];
}

/** How people kept up with the reviews. */
export interface ReviewTimes {
  /** Opened in the month. */
  readonly opened: number;
  /** Resolved first in the month. */
  readonly resolved: number;
  /** From opening to the first resolution: half took less. */
  readonly medianSeconds: number | null;
  /** Nine in ten of them took no longer. */
  readonly nineInTenSeconds: number | null;
  /** The account's target. */
  readonly targetHours: number;
  /** Resolved within the target. */
  readonly withinTarget: number;
  /** Open when the month began. */
  readonly waitingBefore: number;
  /** Open when it ended. */
  readonly waitingAfter: number;
}

/** The reviewer's verdict. */
export type ReviewVerdict = "APPROVE" | "DECLINE";

/** Which card. */
export interface ReviewedCard {
  /** Card brand. */
  readonly brand: string | null;
  /** First six or eight digits. */
  readonly bin: string | null;
  /** Last four digits. */
  readonly lastFour: string | null;
  /** Issuer's country. */
  readonly country: string | null;
  /** CREDIT, DEBIT or CHARGE. */
  readonly funding: string | null;
  /** Whether it is prepaid. */
  readonly prepaid: boolean | null;
}

/** Who ordered, as far as the record may tell it. */
export interface ReviewedCustomer {
  /** Your name for the user, or its hash. */
  readonly userId: string | null;
  /** The e-mail address, masked but for its domain. */
  readonly email: string | null;
  /** Country of the phone number. */
  readonly phoneCountry: string | null;
  /** Country of the billing address. */
  readonly billingCountry: string | null;
  /** Country of the delivery. */
  readonly shippingCountry: string | null;
}

/** What was ordered. */
export interface ReviewedOrder {
  /** What is to be paid. */
  readonly amount: OrderAmount | null;
  /** Lines in the shopping cart. */
  readonly items: number | null;
  /** What kinds of articles; those that are kept as a hash are not named. */
  readonly categories: readonly string[];
  /** The caller's reference, card numbers masked. */
  readonly clientReferenceId: string | number | null;
}

/** From where. */
export interface ReviewedOrigin {
  /** The customer's address. */
  readonly ipAddress: string | null;
  /** Country of the address. */
  readonly country: string | null;
  /** Who runs its network. */
  readonly operator: string | null;
  /** What is known of it: of hosting, vpn, tor, proxy, relay, mobile, blocked, allowed. */
  readonly traits: readonly string[];
  /** Browser or program, and system. */
  readonly device: string | null;
  /** First language of the device. */
  readonly language: string | null;
}

/** A ring whose members are on lists. */
export interface RingBlocked {
  /** Its id. */
  readonly id: string;
  /** By kind. */
  readonly lists: readonly MembersListed[];
  /** Whether this was a dry run, which changes nothing. */
  readonly dryRun: boolean;
}

/** Why and for how long all members of a ring are blocked. */
export interface RingBlocking {
  /** Why, for the entries and the audit log. */
  readonly reason: string;
  /** After how many days the entries expire. */
  readonly days?: number | undefined;
  /** What the lists' names begin with: `blocked` puts users on `blocked-users`, cards on `blocked-cards`, and so on. A list that does not exist is created. */
  readonly prefix?: string | undefined;
}

/** One of a ring's decisions. */
export interface RingDecision {
  /** The request. */
  readonly requestId: string;
  /** When it came in (RFC 3339). */
  readonly at: string;
  /** The operation. */
  readonly operation: string;
  /** What was decided. */
  readonly decision: Outcome | null;
  /** The order's amount. */
  readonly amount: RingMoney | null;
  /** What it turned out to be, as of now. */
  readonly label: Label | null;
}

/** One ring. */
export interface RingDetails {
  /** What it comes to. */
  readonly ring: RingShown;
  /** People first, then what they used. */
  readonly members: readonly RingMember[];
  /** The newest 20. */
  readonly lastDecisions: readonly RingDecision[];
  /** How many decisions have which label. */
  readonly labels: { readonly [name: string]: number };
  /** Whether it has no more than 1000 decisions. */
  readonly complete: boolean;
}

/** Somebody or something in a ring, as decisions keep it. */
export interface RingMember {
  /** What it is. */
  readonly kind: EntityType;
  /** As decisions name it: a name or a fingerprint. */
  readonly value: string;
  /** How many. */
  readonly decisions: number;
  /** Decisions that turned out to be fraud. */
  readonly frauds: number;
  /** When it was first seen (RFC 3339). */
  readonly firstSeenAt: string;
  /** When it was last seen (RFC 3339). */
  readonly lastSeenAt: string;
}

/** Amounts of orders in one currency. */
export interface RingMoney {
  /** ISO 4217 code. */
  readonly currency: string | null;
  /** In units of the currency. */
  readonly amount: number;
}

/** Rings of an account. */
export interface RingPage {
  /** In the order that was asked for. */
  readonly rings: readonly RingShown[];
  /** Whether all decisions with a ring were looked at: the newest 1000 are. */
  readonly complete: boolean;
}

/** A ring by the decisions that were looked at. */
export interface RingShown {
  /** Its id. */
  readonly id: string;
  /** Different users or mailboxes; cards without either. */
  readonly people: number;
  /** How many. */
  readonly decisions: number;
  /** Decisions that turned out to be fraud. */
  readonly frauds: number;
  /** What the orders come to, in each currency. */
  readonly amounts: readonly RingMoney[];
  /** When it was first seen (RFC 3339). */
  readonly firstSeenAt: string;
  /** When it was last seen (RFC 3339). */
  readonly lastSeenAt: string;
}

/** How a point was answered. */
export type RiskAnswer = "FOUND" | "NOT_FOUND" | "UNKNOWN" | (string & {});

/** The band of article 18 that the amount falls into. */
export interface RiskBandTold {
  /** Its largest amount. */
  readonly upTo: Money;
  /** Largest share of fraud in the value of all payments. */
  readonly referenceRate: number;
  /** The account's own share; null while it is not measured. */
  readonly ownRate: number | null;
}

/** What must not have been found. */
export type RiskPoint = "ABNORMAL_BEHAVIOUR" | "ABNORMAL_LOCATION" | "HIGH_RISK_PAYEE" | "KNOWN_FRAUD" | "MALWARE" | "UNUSUAL_DEVICE" | (string & {});

/** One of the six points of article 18. */
export interface RiskPointTold {
  /** What must not have been found. */
  readonly point: RiskPoint;
  /** Whether it was. */
  readonly answer: RiskAnswer;
  /** What answered it: codes of Sentry's reasons. */
  readonly by: readonly string[];
}

/** A role to make, or what it is to be from now on. */
export interface RoleContent {
  /** For people. */
  readonly name: string;
  /** What people with this role may do; `see` is part of every role. */
  readonly permissions: readonly Permission[];
}

/** A role that is gone. */
export interface RoleDeleted {
  /** Its id. */
  readonly roleId: string;
}

/** The roles of an account. */
export interface RoleList {
  /** Those that every account has first. */
  readonly roles: readonly RoleShown[];
}

/** A role of an account. */
export interface RoleShown {
  /** Its id. */
  readonly roleId: string;
  /** For people. */
  readonly name: string;
  /** What people with this role may do; `see` is part of every role. */
  readonly permissions: readonly Permission[];
  /** Whether every account has it. */
  readonly builtIn: boolean;
  /** How many people have it. */
  readonly people: number;
  /** Grows with each change. */
  readonly version: number;
}

/** Orders before and after a version of a rule set came into force, over equal spans. Nothing says that the rules made the difference: days of the week, campaigns and attacks do the same, and labels of the later orders come later. */
export interface RuleChangeFigures {
  /** When (RFC 3339). */
  readonly at: string;
  /** Its name. */
  readonly ruleSet: string;
  /** The version that came into force. */
  readonly version: number;
  /** How long before and after: a week, or up to the next change. */
  readonly spanSeconds: number;
  /** Before. */
  readonly before: OrderCounts;
  /** After. */
  readonly after: OrderCounts;
}

/** What one rule did in the month, in all versions. */
export interface RuleMonth {
  /** Its rule set. */
  readonly ruleSet: string;
  /** Its name. */
  readonly rule: string;
  /** Whether it only watched. */
  readonly shadow: boolean;
  /** Requests that it matched. */
  readonly hits: number;
  /** Of these, declined at once. */
  readonly declined: number;
  /** Of these, known to be fraud. */
  readonly fraud: number;
  /** Of these, known to be legitimate. */
  readonly legitimate: number;
}

/** One rule of a rule set. */
export interface RuleShown {
  /** Its rule set. */
  readonly ruleSet: string;
  /** Its number. */
  readonly version: number;
  /** Its name. */
  readonly name: string;
  /** Where it stands, from 1. */
  readonly place: number;
  /** What it does. */
  readonly state: RuleState;
  /** What it decides. */
  readonly outcome: Outcome;
  /** Whether it decides alone. */
  readonly final: boolean;
  /** It in words. */
  readonly sentence: string;
  /** Its condition as written. */
  readonly condition: string;
  /** What it is for. */
  readonly description: string;
  /** Its tags. */
  readonly tags: readonly string[];
  /** The signals it names. */
  readonly signals: readonly string[];
  /** The versions in which it changed, newest first, of the newest 30. */
  readonly changes: readonly RuleVersion[];
}

/** What a rule does: nothing, watch, or decide. */
export type RuleState = "live" | "off" | "shadow" | (string & {});

/** What a rule is to do from now on. */
export interface RuleSwitch {
  /** `off` asks it no more, `shadow` only watches, `live` decides. */
  readonly state: RuleState;
  /** Why, for the history. */
  readonly note?: string | null | undefined;
}

/** A version of the rule set in which a rule changed. */
export interface RuleVersion {
  /** Its number. */
  readonly version: number;
  /** When it was made (RFC 3339). */
  readonly createdAt: string;
  /** Who made it. */
  readonly by: string;
  /** Why. */
  readonly note: string | null;
  /** What changes, a line each: `+` is new, `-` is gone, `~` is changed. */
  readonly differences: readonly string[];
}

export interface RulesAppliedData {
  readonly ruleSet: string;
  readonly version: number;
  readonly before: number | null;
  readonly note: string | null;
}

/** A new version of a rule set is in force. */
export interface RulesAppliedEvent {
  /** The same each time this event is told. */
  readonly id: string;
  readonly type: "rules.applied";
  /** When it happened (RFC 3339). */
  readonly createdAt: string;
  /** Who did it: `key:` and an API key, `cli:` and a user, or a part of us. */
  readonly actor: string;
  readonly data: RulesAppliedData;
}

/** The same as an operation of its own. */
export interface RulesCall {
  /** The customer's address. */
  readonly customerIp?: string | null | undefined;
  /** Payment card number: 12 to 19 digits, no spaces or dashes. */
  readonly cardNumber?: string | Hidden | null | undefined;
  /** Total, in units of the currency. */
  readonly amount?: number | null | undefined;
  /** ISO 4217 code. */
  readonly currency?: string | null | undefined;
  /** The customer's e-mail address. */
  readonly email?: string | null | undefined;
  /** The customer's phone number, international. */
  readonly phone?: string | null | undefined;
  /** Your name for the user. */
  readonly userId?: string | number | null | undefined;
  /** ISO 3166-1 alpha-2 code. */
  readonly billingCountry?: string | null | undefined;
  /** ISO 3166-1 alpha-2 code. */
  readonly shippingCountry?: string | null | undefined;
  /** Anything else your rules speak of as `custom.<key>`; no value may be null. */
  readonly customInputs?: { readonly [name: string]: unknown } | null | undefined;
  /** Payment Account Reference (PAR) of the account behind the card number, as your processor or token service gives it: 29 capital letters and digits. All tokens of one account have the same. Only a fingerprint is kept. */
  readonly paymentAccountReference?: string | Hidden | null | undefined;
  /** What kind of number `cardNumber` is: the card's own as the customer entered it (`PAN`) or as you kept it (`STORED_PAN`), a network's token for you (`NETWORK_TOKEN`), or a device's (`DEVICE_TOKEN`: Apple Pay, Google Pay). */
  readonly credentialType?: CredentialType | null | undefined;
  /** What 3-D Secure found for this payment, or why it was not needed. */
  readonly threeDSecure?: ThreeDSecure | null | undefined;
  /** Which of your rule sets decides. Without it: the only one, or `starter`. */
  readonly ruleSet?: string | null | undefined;
  /** Caller's own reference, kept with the decision and searchable. */
  readonly clientReferenceId?: string | number | null | undefined;
}

/** What rules can use beyond the other inputs; every field can be left out. */
export interface RulesRequest {
  /** The customer's address. */
  readonly customerIp?: string | null | undefined;
  /** Payment card number: 12 to 19 digits, no spaces or dashes. */
  readonly cardNumber?: string | Hidden | null | undefined;
  /** Total, in units of the currency. */
  readonly amount?: number | null | undefined;
  /** ISO 4217 code. */
  readonly currency?: string | null | undefined;
  /** The customer's e-mail address. */
  readonly email?: string | null | undefined;
  /** The customer's phone number, international. */
  readonly phone?: string | null | undefined;
  /** Your name for the user. */
  readonly userId?: string | number | null | undefined;
  /** ISO 3166-1 alpha-2 code. */
  readonly billingCountry?: string | null | undefined;
  /** ISO 3166-1 alpha-2 code. */
  readonly shippingCountry?: string | null | undefined;
  /** Anything else your rules speak of as `custom.<key>`; no value may be null. */
  readonly customInputs?: { readonly [name: string]: unknown } | null | undefined;
  /** Payment Account Reference (PAR) of the account behind the card number, as your processor or token service gives it: 29 capital letters and digits. All tokens of one account have the same. Only a fingerprint is kept. */
  readonly paymentAccountReference?: string | Hidden | null | undefined;
  /** What kind of number `cardNumber` is: the card's own as the customer entered it (`PAN`) or as you kept it (`STORED_PAN`), a network's token for you (`NETWORK_TOKEN`), or a device's (`DEVICE_TOKEN`: Apple Pay, Google Pay). */
  readonly credentialType?: CredentialType | null | undefined;
  /** What 3-D Secure found for this payment, or why it was not needed. */
  readonly threeDSecure?: ThreeDSecure | null | undefined;
}

/** What the rules decide, and which of them matched. */
export interface RulesResponse {
  /** Strongest outcome of the rules that matched, or that of a `final` one; ACCEPT when none did. */
  readonly status: Outcome;
  /** Every rule that matched, in order. */
  readonly matchedRules: readonly Matched[];
}

export interface RulesRolledBackData {
  readonly ruleSet: string;
  readonly version: number;
  readonly before: number | null;
}

/** An earlier version of a rule set is in force again. */
export interface RulesRolledBackEvent {
  /** The same each time this event is told. */
  readonly id: string;
  readonly type: "rules.rolled_back";
  /** When it happened (RFC 3339). */
  readonly createdAt: string;
  /** Who did it: `key:` and an API key, `cli:` and a user, or a part of us. */
  readonly actor: string;
  readonly data: RulesRolledBackData;
}

/** What to do with a payment. */
export type ScaAction = "CHALLENGE" | "DECLINE" | "EXEMPT" | "FRICTIONLESS" | "OUT_OF_SCOPE" | (string & {});

/** Whether to authenticate the cardholder, and how to ask. */
export interface ScaAdviceTold {
  /** Whether the rules ask for authentication. */
  readonly inScope: boolean;
  /** What to do. */
  readonly advice: ScaAction;
  /** Why it can be left out. */
  readonly exemption: AdvisedExemption | null;
  /** Where to ask: 3-D Secure, or the payment. */
  readonly placement: ExemptionPlacement | null;
  /** `threeDSRequestorChallengeInd` of the authentication request. */
  readonly challengeIndicator: ChallengeIndicator | null;
  /** Who bears a fraud if the issuer agrees. */
  readonly liability: LiableParty | null;
  /** Whose rules hold; null where none do. */
  readonly regime: string | null;
  /** The amount as it was compared; null without one or without a rate. */
  readonly amount: Money | null;
  /** Null where the amount falls into none. */
  readonly traBand: RiskBandTold | null;
  /** Null without a known card. */
  readonly counters: CardCountersTold | null;
  /** The six points of article 18, one by one. */
  readonly checklist: readonly RiskPointTold[];
  /** Why, what decided first. */
  readonly reasons: readonly ScaReasonTold[];
  /** Day of the table of limits. */
  readonly tableAsOf: string;
  /** Day of the rates of currencies. */
  readonly ratesAsOf: string;
}

/** Why strong customer authentication is not needed (PSD2). */
export type ScaExemption = "LOW_VALUE" | "MERCHANT_INITIATED" | "RECURRING" | "SECURE_CORPORATE_PAYMENT" | "TRANSACTION_RISK_ANALYSIS" | "TRUSTED_BENEFICIARY";

/** Why the advice is what it is. */
export type ScaReason = "ABOVE_ALL_BANDS" | "ABOVE_LOW_VALUE" | "ACQUIRER_DOES_NOT_ASK" | "ACQUIRER_OUTSIDE" | "ALREADY_AUTHENTICATED" | "ANONYMOUS_CARD" | "BAND_STOPPED" | "CORPORATE" | "COUNTERS_REACHED" | "COUNTERS_UNKNOWN" | "FIRST_OF_SERIES" | "ISSUER_OUTSIDE" | "ISSUER_UNKNOWN" | "LOW_VALUE" | "LOW_VALUE_OFF" | "MAIL_OR_TELEPHONE" | "MERCHANT_INITIATED" | "NO_AMOUNT" | "NO_EXEMPTION" | "NO_FIRST_AUTHENTICATION" | "NO_RATE" | "ONE_COUNTER_REACHED" | "OWN_RATE_ABOVE" | "POINT_FOUND" | "POINT_UNKNOWN" | "PREPAID_NOT_ANONYMOUS" | "RECURRING" | "RISK_HIGH" | "RISK_LOW" | "RISK_NOT_LOW" | "RISK_TOO_HIGH" | "TRA_ALLOWED" | "TRUSTED" | (string & {});

/** One reason for the advice. */
export interface ScaReasonTold {
  /** Which reason; docs/authentication.md has all. */
  readonly code: ScaReason;
  /** The same in words. */
  readonly text: string;
}

/** How messages are signed. */
export type SecretKind = "ed25519" | "hmac" | (string & {});

/** How to rotate a secret. */
export interface SecretRotation {
  /** Seconds for which messages are signed with the old one, too. */
  readonly overlapS?: number | undefined;
}

/** The same as a part of a pipeline's answer. */
export interface SentryInPipeline {
  /** The same confidence from what is known of the address alone. */
  readonly ipScore: number;
  /** Confidence that the request is legitimate, 0 to 1. */
  readonly requestScore: number;
  /** What mattered, strongest first. */
  readonly reasons: readonly Reason[];
  /** Only where the account has costs of its own, and for their currency. */
  readonly costs?: CostsTold;
  /** Only where the account's model has learned such scores. */
  readonly outcomeScores?: OutcomeScoresTold;
  /** Only where the account asks for advice on authentication. */
  readonly scaAdvice?: ScaAdviceTold;
  /** For a 3-D Secure server, in its own names and codes; only where the account asks for it. What is not known is left out. */
  readonly threeDSecureData?: ThreeDSecureData;
}

/** Which custom inputs Sentry remembers. */
export interface SentryPolicyBody {
  /** Keys of `customInputs`. Others are remembered only if Sentry finds that they look like identifiers or categories. */
  readonly entities: readonly string[];
}

/** What is known about a request; every group can be left out. */
export interface SentryRequest {
  /** Device and visit. */
  readonly device?: Device | null | undefined;
  /** What happened. */
  readonly event?: Event | null | undefined;
  /** The order. */
  readonly order?: Order | null | undefined;
  /** The buyer. */
  readonly account?: BuyerAccount | null | undefined;
  /** The cart. */
  readonly shoppingCart?: ShoppingCart | null | undefined;
  /** Anything else you know; no value may be null. */
  readonly customInputs?: { readonly [name: string]: unknown } | null | undefined;
  /** Caller's own reference, kept with the decision and searchable. */
  readonly clientReferenceId?: string | number | null | undefined;
  /** For advice on strong customer authentication, where the account asks for it. */
  readonly authentication?: AuthenticationInputs | null | undefined;
}

/** How far the request can be trusted. */
export interface SentryResponse {
  /** Confidence that the request is legitimate, 0 to 1. */
  readonly requestConfidence: number;
  /** What mattered, strongest first. */
  readonly reasons: readonly Reason[];
  /** Only where the account has costs of its own, and for their currency. */
  readonly costs?: CostsTold;
  /** Only where the account's model has learned such scores. */
  readonly outcomeScores?: OutcomeScoresTold;
  /** Only where the account asks for advice on authentication. */
  readonly scaAdvice?: ScaAdviceTold;
  /** For a 3-D Secure server, in its own names and codes; only where the account asks for it. What is not known is left out. */
  readonly threeDSecureData?: ThreeDSecureData;
}

/** What two orders can have in common. */
export type SharedElement = "ACCOUNT" | "DEVICE" | "IP_ADDRESS" | "SHIPPING_ADDRESS" | (string & {});

/** Where goods go, `shipIndicator` of EMV 3-D Secure. */
export type ShipIndicator = "01" | "02" | "03" | "04" | "05" | "06" | "07" | (string & {});

/** What is bought, line by line. */
export interface ShoppingCart {
  /** The lines. */
  readonly items?: readonly CartItem[] | null | undefined;
}

/** What a unit of a currency is worth in another, as an operator's table states it. */
export interface ShownRate {
  /** The currency. */
  readonly from: string;
  /** The other one. */
  readonly to: string;
  /** As a decimal. */
  readonly rate: string;
  /** From this day on. */
  readonly since: string;
  /** Until before this day. */
  readonly until: string | null;
}

/** One level of a programme, as the table in force has it. */
export interface ShownThreshold {
  /** The programme. */
  readonly programme: string;
  /** Its level. */
  readonly level: string;
  /** Whom it judges. */
  readonly of: ProgrammeSubject;
  /** The card network. */
  readonly network: string;
  /** From this day on. */
  readonly since: string;
  /** Until before this day. */
  readonly until: string | null;
  /** Which events are counted. */
  readonly counts: CountedEvents;
  /** Whose sales they are divided by. */
  readonly salesOf: string;
  /** From which ratio on. */
  readonly basisPoints: number;
  /** And how many events. */
  readonly events: number;
  /** And how many sales. */
  readonly sales: number;
  /** And which amount of these events. */
  readonly amount: string | null;
  /** The currency of the amount. */
  readonly currency: string | null;
  /** And below which share of sales with 3-D Secure. */
  readonly threeDSecureBelow: number | null;
  /** Only there; everywhere if none is named. */
  readonly regions: readonly string[];
  /** Not there. */
  readonly exceptRegions: readonly string[];
  /** Whether a figure is from memory. */
  readonly unverified: boolean;
  /** Where the figures are from. */
  readonly source: string;
  /** Who states them, each with the date and the region that it names. */
  readonly sources: readonly string[];
  /** Which figures one source alone states; ask your acquirer. */
  readonly alone: string | null;
}

/** A programme that is in force and whose figures are not public, so that it is not metered. */
export interface ShownUnmetered {
  /** The programme. */
  readonly programme: string;
  /** The card network. */
  readonly network: string;
  /** Where it is in force. */
  readonly regions: readonly string[];
  /** From this day on. */
  readonly since: string;
  /** Until before this day. */
  readonly until: string | null;
  /** What the network looks at. */
  readonly about: string;
  /** Who says so. */
  readonly sources: readonly string[];
  /** Which figures one source alone states; ask your acquirer. */
  readonly alone: string | null;
}

/** A value that an alert's requests have more often than usual. */
export interface StandingOut {
  /** What it is. */
  readonly kind: ValueKind;
  /** As decisions have it. */
  readonly value: string;
  /** How many of the requests have it. */
  readonly count: number;
  /** Their share of the requests. */
  readonly share: number;
  /** Its usual share. */
  readonly usual: number;
  /** Its share divided by the usual one. */
  readonly lift: number;
}

/** All charges of one fee type at one fee. */
export interface StatementCharge {
  /** Fee type. */
  readonly feeType: string;
  /** The fee of each. */
  readonly unitFee: Money;
  /** How many there were. */
  readonly count: number;
  /** `unitFee` times `count`. */
  readonly total: Money;
  /** The day in UTC; only if asked for. */
  readonly day?: string;
}

/** A top-up or an adjustment. */
export interface StatementMovement {
  /** Its id in the ledger. */
  readonly entry: string;
  /** When it was recorded (RFC 3339). */
  readonly at: string;
  /** `TOP_UP` or `ADJUST`. */
  readonly kind: EntryKind;
  /** Negative when it was taken away. */
  readonly amount: Money;
  /** The bank transfer or invoice of a top-up. */
  readonly reference: string | null;
  /** What the operator noted. */
  readonly note: string | null;
}

export interface StatementReadyData {
  readonly month: string;
  readonly openingBalance: Money;
  readonly topUps: Money;
  readonly adjustments: Money;
  readonly charged: Money;
  readonly closingBalance: Money;
  /** Where the statement is: a path of the API, and a page of the console. */
  readonly links: { readonly statement: string; readonly page: string };
}

/** A month is over, and its statement does not change any more. */
export interface StatementReadyEvent {
  /** The same each time this event is told. */
  readonly id: string;
  readonly type: "statement.ready";
  /** When it happened (RFC 3339). */
  readonly createdAt: string;
  /** Who did it: `key:` and an API key, `cli:` and a user, or a part of us. */
  readonly actor: string;
  readonly data: StatementReadyData;
}

/** What moved a balance: opening + top-ups + adjustments - charged = closing. */
export interface StatementResponse {
  /** The first day of the period, in UTC. */
  readonly from: string;
  /** The first day after the period. */
  readonly to: string;
  /** When it was made; before `to` it may still change. */
  readonly at: string;
  /** ISO 4217 code. */
  readonly currency: string;
  /** At the beginning of the period. */
  readonly openingBalance: Money;
  /** All that was paid in. */
  readonly topUps: Money;
  /** All corrections by hand, up and down. */
  readonly adjustments: Money;
  /** All fees. */
  readonly charged: Money;
  /** At the end of the period. */
  readonly closingBalance: Money;
  /** Top-ups and adjustments, oldest first. */
  readonly movements: readonly StatementMovement[];
  /** Fees of the requests that ended in the period. */
  readonly charges: readonly StatementCharge[];
  /** Requests that ended and cost nothing. */
  readonly unchargedRequests: number;
}

/** Who initiates this payment with a stored card, and why. */
export interface StoredCredential {
  /** `CUSTOMER` is there and pays; `MERCHANT` charges the stored card without the customer, as was agreed when it was stored. */
  readonly initiator: Initiator;
  /** `FIRST` where this payment stores the card, `LATER` where it was stored. */
  readonly use: CredentialUse;
  /** Why the merchant initiates it. With `FIRST`, what the customer agrees to: `RECURRING`, `INSTALMENT` or `UNSCHEDULED`. */
  readonly reason?: CredentialReason | null | undefined;
  /** The network's id of the payment that stored the card, as it was answered. Payments that the merchant initiates need it. */
  readonly networkTransactionId?: string | null | undefined;
  /** Instead of the id: the `requestId` of an earlier payment of this account with the same card number. Its id is taken from there. */
  readonly earlierRequestId?: string | null | undefined;
}

/** What kind of tax is due, by the codes of EN 16931. */
export type TaxCategory = "AE" | "E" | "O" | "S" | "Z" | (string & {});

/** The tax of an account's invoices. */
export interface TaxTerms {
  /** `S` standard, `Z` zero rate, `E` exempt, `AE` reverse charge, `O` outside the scope of tax. */
  readonly category: TaxCategory;
  /** Percent. */
  readonly rate?: string;
  /** Why there is none. */
  readonly reason?: string | null;
}

/** The result of the authentication, `transStatus`. */
export type ThreeDSStatus = "A" | "C" | "I" | "N" | "R" | "U" | "Y";

/** The version of the protocol. */
export type ThreeDSVersion = "1.0.2" | "2.1.0" | "2.2.0" | "2.3.1";

/** What 3-D Secure found for this payment, or why it was not needed. */
export interface ThreeDSecure {
  /** Version of the protocol. */
  readonly version?: ThreeDSVersion | null | undefined;
  /** Electronic commerce indicator: `05` (Mastercard `02`) says that the cardholder was authenticated, `06` (`01`) that it was attempted. */
  readonly eci?: Eci | null | undefined;
  /** `transStatus`: `Y` authenticated, `A` attempted, `N` not authenticated, `U` could not be done, `R` rejected by the issuer, `C` challenge not over yet, `I` for information only. */
  readonly status?: ThreeDSStatus | null | undefined;
  /** Why strong customer authentication is not needed, if that is claimed. */
  readonly exemption?: ScaExemption | null | undefined;
  /** CAVV or AAV, 20 bytes in Base64. It goes to the payment gateway and is never kept. */
  readonly authenticationValue?: string | Hidden | null | undefined;
  /** The name of the authentication at the directory server, a UUID. It goes to the payment gateway and is not kept. */
  readonly dsTransactionId?: string | null | undefined;
}

/** What a 3-D Secure server can be sent as it is. */
export interface ThreeDSecureData {
  /** About the account. */
  readonly acctInfo?: AcctInfo;
  /** About the order. */
  readonly merchantRiskIndicator?: MerchantRiskIndicator;
  /** About an earlier authentication. */
  readonly threeDSRequestorPriorAuthenticationInfo?: PriorAuthentication;
}

/** What one threshold of a report would have cost. */
export interface ThresholdCostShown {
  /** Requests with less confidence are declined. */
  readonly below: number;
  /** Losses by fraud, and margins turned away. */
  readonly cost: Money;
  /** Presets for which no other threshold is cheaper. */
  readonly bestFor: readonly CostPreset[];
}

/** A threshold in use, and which share of recent requests is below it. Null where the threshold was set after the model was trained. */
export interface ThresholdKept {
  /** Whether a rule or a pipeline names it. */
  readonly source: "pipeline" | "rule";
  /** The rule set, or the pipeline's number. */
  readonly configured: string;
  /** The rule, or the stage. */
  readonly name: string;
  /** What is compared with. */
  readonly threshold: number;
  /** With the model before. */
  readonly before?: number | null;
  /** With the scores of this model as they are. */
  readonly unmapped?: number | null;
  /** With its scores as they are told. */
  readonly after?: number | null;
  /** Requests on the other side than before, as told. */
  readonly changed?: number | null;
  /** The same with scores as they are. */
  readonly changedUnmapped?: number | null;
}

/** The table of thresholds that is in force. */
export interface ThresholdTable {
  /** The day of the table. */
  readonly asOf: string;
  /** Whether the operator has replaced the table that ships. */
  readonly own: boolean;
  /** In the order of the file. */
  readonly thresholds: readonly ShownThreshold[];
  /** Exchange rates; none ships. */
  readonly rates: readonly ShownRate[];
  /** Programmes whose figures are not public. */
  readonly unmetered?: readonly ShownUnmetered[];
}

/** A span of time: from a moment on, and before another. */
export interface TimeRange {
  /** From this moment on, RFC 3339. */
  readonly from?: string | null | undefined;
  /** Before this moment. */
  readonly to?: string | null | undefined;
}

/** Decisions that a webhook is told of. */
export interface ToldDecisions {
  /** Which operation; `*` for all. */
  readonly operation?: string | undefined;
  /** Empty: all. */
  readonly outcomes?: readonly Outcome[] | undefined;
}

/** How a top-up is paid. */
export type TopUpKind = "AUTOMATIC" | "PAGE" | "STORING" | (string & {});

/** The most that cards are charged in a day. */
export interface TopUpLimit {
  /** The most that is charged in a day (UTC) by top-ups of every kind, their tax included, in the smallest unit of the account's currency. */
  readonly dayLimitMinor: number;
}

/** The most that cards are charged in a day, and what is left of it. */
export interface TopUpLimitShown {
  /** As it was set; null where it never was. */
  readonly dayLimitMinor: number | null;
  /** What was charged on this day, with what still can be paid or is in doubt, tax included. */
  readonly chargedMinor: number;
  /** What is left of the limit. */
  readonly leftMinor: number | null;
  /** ISO 4217 code. */
  readonly currency: string;
  /** When the day ends (RFC 3339). */
  readonly until: string;
}

/** Top-ups of an account. */
export interface TopUpList {
  /** The newest first; at most 100. */
  readonly topUps: readonly TopUpShown[];
}

/** A top-up by card. */
export interface TopUpShown {
  /** The id of the top-up. */
  readonly topUpId: string;
  /** PAGE is paid by a person, STORING too, and the card is stored. AUTOMATIC was charged to the stored card. */
  readonly kind: TopUpKind;
  /** How far it is. WAITING and OPEN end by themselves. Of one IN_DOUBT nothing was added, and a person finds out why. */
  readonly state: TopUpState;
  /** What is added, in the smallest unit. */
  readonly amountMinor: number;
  /** The tax that is paid besides. */
  readonly taxMinor: number;
  /** ISO 4217 code. */
  readonly currency: string;
  /** The page of the payment provider; null before it is made and after the top-up has ended. */
  readonly url: string | null;
  /** When it was asked for (RFC 3339). */
  readonly createdAt: string;
  /** When it last changed (RFC 3339). */
  readonly changedAt: string;
  /** Until when it can be paid (RFC 3339). */
  readonly expiresAt: string;
  /** Who asked for it. */
  readonly by: string;
  /** Why it is as it is. */
  readonly reason: string | null;
}

/** How far a top-up is. */
export type TopUpState = "EXPIRED" | "FAILED" | "IN_DOUBT" | "OPEN" | "PAID" | "REFUSED" | "WAITING" | (string & {});

/** How much to add. */
export interface TopUpWanted {
  /** What is to be added to the balance, in the smallest unit of its currency; the page asks for the account's tax besides. */
  readonly amountMinor: number;
  /** Whether the person who pays agrees that the provider stores the card, and that it is charged again by automatic top-ups. No card number comes to us. */
  readonly storeCard?: boolean | undefined;
}

/** What to learn from, and how. */
export interface TrainingRequest {
  /** The first moment: a day, or a time such as 2026-11-15T08:30:00Z. */
  readonly since?: string | null | undefined;
  /** The first moment after it, in the same words. Default: now. */
  readonly until?: string | null | undefined;
  /** How long labels are waited for; newer requests are left out. */
  readonly labelDelayDays?: number | undefined;
  /** Share of the newest requests to measure on. */
  readonly holdout?: number | undefined;
  /** How it is fitted; `auto` depends on how much fraud there is. */
  readonly method?: "auto" | "ebm" | "logistic" | undefined;
  /** Whether requests without a label count as legitimate. */
  readonly presume?: boolean | undefined;
  /** Why, for the history. */
  readonly note?: string | null | undefined;
}

/** Which requests a model is tried on. */
export interface TrialOfModel {
  /** The first moment: a day, or a time such as 2026-11-15T08:30:00Z. */
  readonly since?: string | null | undefined;
  /** The first moment after it, in the same words. Default: now. */
  readonly until?: string | null | undefined;
  /** Compare the scores that were recorded while it scored beside the one in force, and not those that it would give now. */
  readonly recorded?: boolean | undefined;
}

/** A rule set, and the case to try it on. */
export interface TrialRequest {
  /** The file as YAML, as `apply` of the command line takes it. */
  readonly document: string;
  /** A recorded request, for a key that also has the scope `decisions`. Give it or `signals`. */
  readonly requestId?: string | null | undefined;
  /** Values of signals by their names, as a decision record shows them. */
  readonly signals?: { readonly [name: string]: unknown } | null | undefined;
}

/** What a rule set decides about a case. */
export interface TrialResponse {
  /** Its name. */
  readonly ruleSet: string;
  /** What it decides. */
  readonly status: Outcome;
  /** The final rule that decided alone, if one did. */
  readonly finalBy: string | null;
  /** Tags of the rules that match. */
  readonly tags: readonly string[];
  /** In the order of the document. */
  readonly rules: readonly TriedRule[];
}

/** What one rule said. */
export interface TriedRule {
  /** Its name. */
  readonly name: string;
  /** Whether its condition holds. */
  readonly matches: boolean;
  /** What it decides. */
  readonly outcome: Outcome;
  /** Whether it decides alone. */
  readonly final: boolean;
  /** Whether it only watches. */
  readonly shadow: boolean;
  /** The values that it looked at. */
  readonly signals: { readonly [name: string]: unknown };
  /** The lists that it looked at. */
  readonly lists: readonly ListAnswer[];
}

/** An invoice as a program of the buyer reads it. */
export interface UblDocument {
  /** Its number. */
  readonly number: string;
  /** UBL 2.1 after EN 16931. */
  readonly xml: string;
}

/** The requests of one operation on one day. */
export interface UsageEntry {
  /** In UTC. */
  readonly day: string;
  /** Its name. */
  readonly operation: string;
  /** How many were decided. */
  readonly requests: number;
  /** What they were charged. */
  readonly charged: Money;
}

/** The requests of one key, pipeline or tag on one day or in one month. */
export interface UsageGroupEntry {
  /** In UTC; the first of a month. */
  readonly day: string;
  /** Id of the key, number of the pipeline, or the custom input `tag`; null where there is none, or it is not recorded any more. */
  readonly group: string | null;
  /** What the key is called. */
  readonly name: string | null;
  /** How many ended. */
  readonly requests: number;
  /** What they were charged. */
  readonly charged: Money;
  /** Whether these are all beyond the largest 1,000 groups. */
  readonly isRest: boolean;
}

/** What an account used in a period. */
export interface UsageResponse {
  /** The first day. */
  readonly from: string;
  /** The first day after. */
  readonly to: string;
  /** By day and operation. */
  readonly usage: readonly UsageEntry[];
  /** By key, pipeline or tag; they add up to what the statement charges. */
  readonly groups?: readonly UsageGroupEntry[];
}

/** What a value that stands out is. */
export type ValueKind = "address" | "bin" | "browser" | "country" | "device" | "domain" | "network" | "operator" | "rule" | (string & {});

/** What became of the values that one list holds. */
export interface ValuesListed {
  /** The list. */
  readonly list: string;
  /** How many are new on it. */
  readonly added: number;
  /** Got another expiry or reason. */
  readonly changed: number;
  /** Were there alike. */
  readonly unchanged: number;
}

/** How much was given to verify. */
export type VerificationLevel = "FULL" | "MINIMAL" | "PARTIAL" | (string & {});

/** What applying a document did, or would do. */
export interface VersionApplied {
  /** Its name. */
  readonly name: string;
  /** The version in force now; of a dry run, the next. */
  readonly version: number;
  /** False when this very document is in force. */
  readonly changed: boolean;
  /** Whether this was a dry run, which changes nothing. */
  readonly dryRun: boolean;
  /** What changes, a line each: `+` is new, `-` is gone, `~` is changed. */
  readonly differences: readonly string[];
  /** What the author should know. */
  readonly remarks: readonly string[];
}

/** One version. */
export interface VersionEntry {
  /** Its number. */
  readonly version: number;
  /** When it was made (RFC 3339). */
  readonly createdAt: string;
  /** The key, or the operator, that made it. */
  readonly by: string;
  /** Why. */
  readonly note: string | null;
  /** Whether requests use it. */
  readonly inForce: boolean;
}

/** Versions, newest first. */
export interface VersionPage {
  /** Newest first. */
  readonly versions: readonly VersionEntry[];
  /** Whether there are more. */
  readonly hasMore: boolean;
}

/** Which version to go back to. */
export interface VersionReturn {
  /** Without it, the one in force before the present one. */
  readonly to?: number | null | undefined;
}

/** What a rollback did, or would do. */
export interface VersionReturned {
  /** Its number. */
  readonly version: number;
  /** The version until now. */
  readonly before: number;
  /** Whether this was a dry run, which changes nothing. */
  readonly dryRun: boolean;
  /** What changes, a line each: `+` is new, `-` is gone, `~` is changed. */
  readonly differences: readonly string[];
}

/** One version as its author wrote it. */
export interface VersionShown {
  /** Its name. */
  readonly name: string;
  /** Its number. */
  readonly version: number;
  /** Whether requests use it. */
  readonly inForce: boolean;
  /** The file as it was applied. */
  readonly document: string;
}

/** Compelling Evidence 3.0. */
export interface VisaPacket {
  /** The disputed transaction. */
  readonly disputed_transaction: DisputedTransaction;
  /** The two earlier ones, the older one first. */
  readonly prior_undisputed_transactions: readonly PriorTransaction[];
}

/** A paper that answers a dispute. */
export interface WantedPaper {
  /** Which one. */
  readonly paper: DisputePaper;
  /** Whether it is there: in the record, in what was said of the delivery, in outcomes, or, of terms and invoices, in an attached file. */
  readonly known: boolean;
}

/** What to change; what is left out stays as it is. */
export interface WebhookChange {
  /** Where messages are sent, over HTTPS. */
  readonly url?: string | undefined;
  /** Types of events, `review.*` for all of a kind, or `*`. */
  readonly events?: readonly string[] | undefined;
  /** Which decisions `decision.made` tells of; empty: all. */
  readonly decisions?: readonly ToldDecisions[] | undefined;
  /** Whether a message waits for the one before it. */
  readonly ordered?: boolean | undefined;
  /** What it is for. */
  readonly description?: string | undefined;
  /** Whether messages are sent; they wait meanwhile. */
  readonly enabled?: boolean | undefined;
}

/** A webhook that is no more. */
export interface WebhookDeleted {
  /** Its id. */
  readonly id: string;
  /** Nothing is sent to it any more. */
  readonly deleted: boolean;
}

export interface WebhookDisabledData {
  readonly webhookId: string;
  readonly because: string;
  readonly failingSince?: string;
}

/** A webhook failed for too long, or its receiver asked for no more. */
export interface WebhookDisabledEvent {
  /** The same each time this event is told. */
  readonly id: string;
  readonly type: "webhook.disabled";
  /** When it happened (RFC 3339). */
  readonly createdAt: string;
  /** Who did it: `key:` and an API key, `cli:` and a user, or a part of us. */
  readonly actor: string;
  readonly data: WebhookDisabledData;
}

/** All webhooks of an account. */
export interface WebhookPage {
  /** Oldest first. */
  readonly webhooks: readonly PublicWebhook[];
}

/** Whether messages are sent. */
export type WebhookState = "disabled" | "enabled" | (string & {});

export interface WebhookTestData {
  readonly webhookId: string;
}

/** A test message. */
export interface WebhookTestEvent {
  /** The same each time this event is told. */
  readonly id: string;
  readonly type: "webhook.test";
  /** When it happened (RFC 3339). */
  readonly createdAt: string;
  /** Who did it: `key:` and an API key, `cli:` and a user, or a part of us. */
  readonly actor: string;
  readonly data: WebhookTestData;
}

/** A rule set to try on recorded requests; by default those of the last 90 days. */
export interface WhatIfRequest {
  /** The file as YAML, as `apply` of the command line takes it. */
  readonly document: string;
  /** The first moment: a day, or a time such as 2026-11-15T08:30:00Z. */
  readonly since?: string | null | undefined;
  /** The first moment after it, in the same words. Default: now. */
  readonly until?: string | null | undefined;
}

/**
 * Something that happened; `type` says what, and so what `data` holds.
 *
 * A later server may tell of other types: leave alone those that you do not know.
 */
export type PublicEvent =
  DecisionMadeEvent |
  ReviewOpenedEvent |
  ReviewAssignedEvent |
  ReviewResolvedEvent |
  ReviewCorrectedEvent |
  ReviewReopenedEvent |
  PaymentAuthorizedEvent |
  PaymentReversedEvent |
  PaymentReversalFailedEvent |
  PaymentCapturedEvent |
  PaymentVoidedEvent |
  PaymentRefundedEvent |
  PaymentOperationRefusedEvent |
  PaymentOperationInDoubtEvent |
  FeedbackReceivedEvent |
  BalanceLowEvent |
  BalanceDepletedEvent |
  BalanceToppedUpEvent |
  BalanceCreditExpiringEvent |
  BalanceCreditExpiredEvent |
  BalanceTopUpEndedEvent |
  BalanceAutoTopUpPausedEvent |
  KeyCreatedEvent |
  KeyExpiringEvent |
  KeyRevokedEvent |
  RulesAppliedEvent |
  RulesRolledBackEvent |
  ModelPromotedEvent |
  ConnectorDownEvent |
  ConnectorRecoveredEvent |
  ImportFinishedEvent |
  WebhookDisabledEvent |
  DriftNoticedEvent |
  ProgrammeThresholdEvent |
  OutcomeRecordedEvent |
  AlertRaisedEvent |
  AlertEndedEvent |
  ExperimentStartedEvent |
  ExperimentEndedEvent |
  ReportReadyEvent |
  StatementReadyEvent |
  WebhookTestEvent;

/** What each operation takes, and what it answers with. */
export interface Operations {
  /** PreCheck */
  precheck: {
    path: Record<string, never>;
    query: Record<string, never>;
    body: PreCheckRequest;
    result: PreCheckResponse;
  };
  /** ID Verify */
  idverify: {
    path: Record<string, never>;
    query: Record<string, never>;
    body: IdVerifyRequest;
    result: IdVerifyResponse;
  };
  /** Sentry */
  sentry: {
    path: Record<string, never>;
    query: Record<string, never>;
    body: SentryRequest;
    result: SentryResponse;
  };
  /** Rules */
  rules: {
    path: Record<string, never>;
    query: Record<string, never>;
    body: RulesCall;
    result: RulesResponse;
  };
  /** Pipeline */
  pipeline: {
    path: Record<string, never>;
    query: Record<string, never>;
    body: PipelineRequest;
    result: PipelineResponse;
  };
  /** Pipelines */
  listPipelines: {
    path: Record<string, never>;
    query: Record<string, never>;
    body: undefined;
    result: PipelinesResponse;
  };
  /** Decisions */
  listDecisions: {
    path: Record<string, never>;
    query: { readonly clientReferenceId?: string | undefined; readonly limit?: number | undefined; readonly startingAfter?: string | undefined };
    body: undefined;
    result: DecisionPage;
  };
  /** One decision */
  getDecision: {
    path: { readonly requestId: string };
    query: Record<string, never>;
    body: undefined;
    result: PublicDecision;
  };
  /** Search decisions */
  searchDecisions: {
    path: Record<string, never>;
    query: Record<string, never>;
    body: DecisionSearchRequest;
    result: DecisionMatches;
  };
  /** Reviews */
  listReviews: {
    path: Record<string, never>;
    query: { readonly status?: "open" | "approved" | "declined" | "all" | undefined; readonly assignee?: string | undefined; readonly order?: "newest" | "oldest" | undefined; readonly limit?: number | undefined; readonly startingAfter?: string | undefined };
    body: undefined;
    result: ReviewPage;
  };
  /** Resolve many reviews */
  resolveReviews: {
    path: Record<string, never>;
    query: Record<string, never>;
    body: BulkResolution;
    result: BulkResult;
  };
  /** One review */
  getReview: {
    path: { readonly requestId: string };
    query: Record<string, never>;
    body: undefined;
    result: Review;
  };
  /** Resolve a review */
  resolveReview: {
    path: { readonly requestId: string };
    query: Record<string, never>;
    body: ReviewResolution;
    result: Review;
  };
  /** Assign a review */
  assignReview: {
    path: { readonly requestId: string };
    query: Record<string, never>;
    body: ReviewAssignment;
    result: Review;
  };
  /** Add a note to a review */
  noteReview: {
    path: { readonly requestId: string };
    query: Record<string, never>;
    body: ReviewNote;
    result: Review;
  };
  /** Correct a resolution */
  correctReview: {
    path: { readonly requestId: string };
    query: Record<string, never>;
    body: ReviewResolution;
    result: Review;
  };
  /** Undo a resolution */
  reopenReview: {
    path: { readonly requestId: string };
    query: Record<string, never>;
    body: ReviewChange;
    result: Review;
  };
  /** Search reviews */
  searchReviews: {
    path: Record<string, never>;
    query: Record<string, never>;
    body: ReviewSearchRequest;
    result: ReviewMatches;
  };
  /** Give feedback */
  giveFeedback: {
    path: Record<string, never>;
    query: Record<string, never>;
    body: FeedbackRequest;
    result: FeedbackReceipt;
  };
  /** Feedback on a request */
  getFeedback: {
    path: { readonly requestId: string };
    query: Record<string, never>;
    body: undefined;
    result: FeedbackHistory;
  };
  /** Events */
  listEvents: {
    path: Record<string, never>;
    query: { readonly after?: string | undefined; readonly types?: string | undefined; readonly limit?: number | undefined; readonly wait?: number | undefined };
    body: undefined;
    result: EventsResponse;
  };
  /** One event */
  getEvent: {
    path: { readonly eventId: string };
    query: Record<string, never>;
    body: undefined;
    result: PublicEvent;
  };
  /** Balance */
  getBalance: {
    path: Record<string, never>;
    query: Record<string, never>;
    body: undefined;
    result: BalanceResponse;
  };
  /** Statement */
  getStatement: {
    path: Record<string, never>;
    query: { readonly month?: string | undefined; readonly from?: string | undefined; readonly to?: string | undefined; readonly daily?: boolean | undefined };
    body: undefined;
    result: StatementResponse;
  };
  /** Account */
  getAccount: {
    path: Record<string, never>;
    query: Record<string, never>;
    body: undefined;
    result: AccountShown;
  };
  /** Policies */
  getPolicies: {
    path: Record<string, never>;
    query: Record<string, never>;
    body: undefined;
    result: PoliciesShown;
  };
  /** Set the policy of PreCheck */
  setPreCheckPolicy: {
    path: Record<string, never>;
    query: Record<string, never>;
    body: PreCheckPolicyBody;
    result: PoliciesShown;
  };
  /** Set the policy of Sentry */
  setSentryPolicy: {
    path: Record<string, never>;
    query: Record<string, never>;
    body: SentryPolicyBody;
    result: PoliciesShown;
  };
  /** Custom inputs that Sentry found */
  listFoundInputs: {
    path: Record<string, never>;
    query: Record<string, never>;
    body: undefined;
    result: FoundInputsShown;
  };
  /** Say whether a found custom input is remembered */
  setFoundInput: {
    path: Record<string, never>;
    query: Record<string, never>;
    body: FoundInputChoice;
    result: FoundInputsShown;
  };
  /** Set what orders earn and cost */
  setCosts: {
    path: Record<string, never>;
    query: Record<string, never>;
    body: CostsBody;
    result: PoliciesShown;
  };
  /** Forget what orders earn and cost */
  clearCosts: {
    path: Record<string, never>;
    query: Record<string, never>;
    body: undefined;
    result: PoliciesShown;
  };
  /** List keys */
  listKeys: {
    path: Record<string, never>;
    query: Record<string, never>;
    body: undefined;
    result: KeyPage;
  };
  /** Issue a key */
  issueKey: {
    path: Record<string, never>;
    query: Record<string, never>;
    body: NewKey;
    result: KeyTold;
  };
  /** Rotate a key */
  rotateKey: {
    path: { readonly keyId: string };
    query: Record<string, never>;
    body: KeyRotation;
    result: KeyTold;
  };
  /** Revoke a key */
  revokeKey: {
    path: { readonly keyId: string };
    query: Record<string, never>;
    body: KeyRevocation;
    result: KeyShown;
  };
  /** Balance */
  getManagedBalance: {
    path: Record<string, never>;
    query: Record<string, never>;
    body: undefined;
    result: BalanceResponse;
  };
  /** Statement */
  getManagedStatement: {
    path: Record<string, never>;
    query: { readonly month?: string | undefined; readonly from?: string | undefined; readonly to?: string | undefined; readonly daily?: boolean | undefined };
    body: undefined;
    result: StatementResponse;
  };
  /** Usage */
  getUsage: {
    path: Record<string, never>;
    query: { readonly month?: string | undefined; readonly from?: string | undefined; readonly to?: string | undefined; readonly by?: "operation" | "key" | "pipeline" | "tag" | undefined; readonly per?: "day" | "month" | undefined };
    body: undefined;
    result: UsageResponse;
  };
  /** List top-ups by card */
  listTopUps: {
    path: Record<string, never>;
    query: Record<string, never>;
    body: undefined;
    result: TopUpList;
  };
  /** Top up by card */
  createTopUp: {
    path: Record<string, never>;
    query: Record<string, never>;
    body: TopUpWanted;
    result: TopUpShown;
  };
  /** Show a top-up by card */
  getTopUp: {
    path: { readonly topUpId: string };
    query: Record<string, never>;
    body: undefined;
    result: TopUpShown;
  };
  /** Show automatic top-ups */
  getAutoTopUp: {
    path: Record<string, never>;
    query: Record<string, never>;
    body: undefined;
    result: AutoTopUpShown;
  };
  /** Set automatic top-ups */
  setAutoTopUp: {
    path: Record<string, never>;
    query: Record<string, never>;
    body: AutoTopUpWanted;
    result: AutoTopUpShown;
  };
  /** Delete the stored card */
  deleteStoredCard: {
    path: Record<string, never>;
    query: Record<string, never>;
    body: undefined;
    result: AutoTopUpShown;
  };
  /** Show the limit of a day */
  getTopUpLimit: {
    path: Record<string, never>;
    query: Record<string, never>;
    body: undefined;
    result: TopUpLimitShown;
  };
  /** Set the limit of a day */
  setTopUpLimit: {
    path: Record<string, never>;
    query: Record<string, never>;
    body: TopUpLimit;
    result: TopUpLimitShown;
  };
  /** List invoices */
  listInvoices: {
    path: Record<string, never>;
    query: Record<string, never>;
    body: undefined;
    result: InvoiceList;
  };
  /** Show an invoice */
  getInvoice: {
    path: { readonly invoiceId: string };
    query: Record<string, never>;
    body: undefined;
    result: Invoice;
  };
  /** Show an invoice as UBL */
  getInvoiceUbl: {
    path: { readonly invoiceId: string };
    query: Record<string, never>;
    body: undefined;
    result: UblDocument;
  };
  /** Billing details */
  getBillingDetails: {
    path: Record<string, never>;
    query: Record<string, never>;
    body: undefined;
    result: BillingDetails;
  };
  /** List roles */
  listRoles: {
    path: Record<string, never>;
    query: Record<string, never>;
    body: undefined;
    result: RoleList;
  };
  /** Make a role of permissions */
  makeRole: {
    path: Record<string, never>;
    query: Record<string, never>;
    body: RoleContent;
    result: RoleShown;
  };
  /** Show a role */
  getRole: {
    path: { readonly roleId: string };
    query: Record<string, never>;
    body: undefined;
    result: RoleShown;
  };
  /** Change a role */
  changeRole: {
    path: { readonly roleId: string };
    query: Record<string, never>;
    body: RoleContent;
    result: RoleShown;
  };
  /** Delete a role that nobody has */
  deleteRole: {
    path: { readonly roleId: string };
    query: Record<string, never>;
    body: undefined;
    result: RoleDeleted;
  };
  /** Import identity records */
  importIdentities: {
    path: Record<string, never>;
    query: { readonly dryRun?: boolean | undefined };
    body: IdentityFile;
    result: JobResponse;
  };
  /** Search identity records */
  searchIdentities: {
    path: Record<string, never>;
    query: Record<string, never>;
    body: IdentitySearch;
    result: IdentitiesFound;
  };
  /** Erase identity records */
  eraseIdentities: {
    path: Record<string, never>;
    query: { readonly dryRun?: boolean | undefined };
    body: IdentityErasure;
    result: IdentitiesErased;
  };
  /** List rule sets */
  listRuleSets: {
    path: Record<string, never>;
    query: Record<string, never>;
    body: undefined;
    result: ConfiguredPage;
  };
  /** Show a rule set */
  getRuleSet: {
    path: { readonly name: string };
    query: { readonly version?: number | undefined };
    body: undefined;
    result: VersionShown;
  };
  /** Apply a rule set */
  applyRuleSet: {
    path: { readonly name: string };
    query: { readonly dryRun?: boolean | undefined };
    body: DocumentChange;
    result: VersionApplied;
  };
  /** History of a rule set */
  listRuleSetVersions: {
    path: { readonly name: string };
    query: { readonly limit?: number | undefined; readonly startingAfter?: number | undefined };
    body: undefined;
    result: VersionPage;
  };
  /** Check a rule set */
  checkRuleSet: {
    path: Record<string, never>;
    query: Record<string, never>;
    body: DocumentToCheck;
    result: DocumentChecked;
  };
  /** Roll a rule set back */
  rollBackRuleSet: {
    path: { readonly name: string };
    query: { readonly dryRun?: boolean | undefined };
    body: VersionReturn;
    result: VersionReturned;
  };
  /** Try a rule set on one case */
  tryRuleSet: {
    path: Record<string, never>;
    query: Record<string, never>;
    body: TrialRequest;
    result: TrialResponse;
  };
  /** Backtest a rule set */
  startBacktest: {
    path: Record<string, never>;
    query: Record<string, never>;
    body: BacktestRequest;
    result: JobResponse;
  };
  /** Show one rule */
  getRule: {
    path: { readonly name: string; readonly rule: string };
    query: Record<string, never>;
    body: undefined;
    result: RuleShown;
  };
  /** Switch a rule */
  switchRule: {
    path: { readonly name: string; readonly rule: string };
    query: { readonly dryRun?: boolean | undefined };
    body: RuleSwitch;
    result: VersionApplied;
  };
  /** List lists */
  listLists: {
    path: Record<string, never>;
    query: Record<string, never>;
    body: undefined;
    result: ListPage;
  };
  /** Create a list */
  createList: {
    path: Record<string, never>;
    query: Record<string, never>;
    body: NewList;
    result: ListShown;
  };
  /** Show a list */
  getList: {
    path: { readonly name: string };
    query: Record<string, never>;
    body: undefined;
    result: ListShown;
  };
  /** Drop a list */
  dropList: {
    path: { readonly name: string };
    query: { readonly force?: boolean | undefined };
    body: undefined;
    result: ListDropped;
  };
  /** Add entries */
  addEntries: {
    path: { readonly name: string };
    query: { readonly dryRun?: boolean | undefined };
    body: EntriesToAdd;
    result: EntriesAdded;
  };
  /** Search entries of a list */
  searchEntries: {
    path: { readonly name: string };
    query: Record<string, never>;
    body: EntrySearch;
    result: EntryShownPage;
  };
  /** Remove entries */
  removeEntries: {
    path: { readonly name: string };
    query: Record<string, never>;
    body: EntriesToRemove;
    result: EntriesRemoved;
  };
  /** Operation log of a list */
  listOperations: {
    path: { readonly name: string };
    query: { readonly limit?: number | undefined; readonly startingAfter?: string | undefined };
    body: undefined;
    result: ListOperationPage;
  };
  /** List pipelines */
  listPipelineDefinitions: {
    path: Record<string, never>;
    query: Record<string, never>;
    body: undefined;
    result: ConfiguredPage;
  };
  /** Show a pipeline */
  getPipelineDefinition: {
    path: { readonly name: string };
    query: { readonly version?: number | undefined };
    body: undefined;
    result: VersionShown;
  };
  /** Apply a pipeline */
  applyPipelineDefinition: {
    path: { readonly name: string };
    query: { readonly dryRun?: boolean | undefined };
    body: DocumentChange;
    result: VersionApplied;
  };
  /** History of a pipeline */
  listPipelineDefinitionVersions: {
    path: { readonly name: string };
    query: { readonly limit?: number | undefined; readonly startingAfter?: number | undefined };
    body: undefined;
    result: VersionPage;
  };
  /** Check a pipeline */
  checkPipelineDefinition: {
    path: Record<string, never>;
    query: Record<string, never>;
    body: DocumentToCheck;
    result: DocumentChecked;
  };
  /** Roll a pipeline back */
  rollBackPipelineDefinition: {
    path: { readonly name: string };
    query: { readonly dryRun?: boolean | undefined };
    body: VersionReturn;
    result: VersionReturned;
  };
  /** List payments */
  listPayments: {
    path: Record<string, never>;
    query: { readonly limit?: number | undefined; readonly startingAfter?: string | undefined; readonly operation?: "WAITING" | "SENT" | "PENDING" | "IN_DOUBT" | "SUCCEEDED" | "REFUSED" | undefined; readonly state?: "REVIEW" | "REVERSED" | "AUTHORIZED" | "VOIDED" | "PARTLY_CAPTURED" | "CAPTURED" | "PARTLY_REFUNDED" | "REFUNDED" | undefined; readonly connector?: string | undefined; readonly paymentId?: string | undefined; readonly since?: string | undefined; readonly until?: string | undefined; readonly currency?: string | undefined; readonly leastMinor?: number | undefined; readonly mostMinor?: number | undefined };
    body: undefined;
    result: PaymentPage;
  };
  /** Show a payment */
  getPayment: {
    path: { readonly requestId: string };
    query: Record<string, never>;
    body: undefined;
    result: PaymentShown;
  };
  /** Capture a payment */
  capturePayment: {
    path: { readonly requestId: string };
    query: Record<string, never>;
    body: OperationAmount;
    result: PaymentShown;
  };
  /** Void a payment */
  voidPayment: {
    path: { readonly requestId: string };
    query: Record<string, never>;
    body: undefined;
    result: PaymentShown;
  };
  /** Refund a payment */
  refundPayment: {
    path: { readonly requestId: string };
    query: Record<string, never>;
    body: OperationAmount;
    result: PaymentShown;
  };
  /** Settle an operation in doubt */
  settlePaymentOperation: {
    path: { readonly requestId: string; readonly operationId: string };
    query: Record<string, never>;
    body: OperationFinding;
    result: PaymentShown;
  };
  /** List notifications */
  listNotifications: {
    path: Record<string, never>;
    query: { readonly limit?: number | undefined; readonly startingAfter?: string | undefined; readonly requestId?: string | undefined; readonly state?: "WAITING" | "APPLIED" | "NOTHING" | "UNMATCHED" | undefined; readonly event?: "captured" | "capture_refused" | "refunded" | "refund_refused" | "voided" | "void_refused" | "expired" | "disputed" | "fraud_reported" | undefined; readonly connector?: string | undefined };
    body: undefined;
    result: NotificationPage;
  };
  /** Show a notification */
  getNotification: {
    path: { readonly notificationId: string };
    query: Record<string, never>;
    body: undefined;
    result: NotificationShown;
  };
  /** Apply a notification again */
  applyNotification: {
    path: { readonly notificationId: string };
    query: Record<string, never>;
    body: undefined;
    result: NotificationShown;
  };
  /** Connectors */
  listConnectors: {
    path: Record<string, never>;
    query: Record<string, never>;
    body: undefined;
    result: ConnectorPage;
  };
  /** List webhooks */
  listWebhooks: {
    path: Record<string, never>;
    query: Record<string, never>;
    body: undefined;
    result: WebhookPage;
  };
  /** Add a webhook */
  createWebhook: {
    path: Record<string, never>;
    query: Record<string, never>;
    body: NewWebhook;
    result: PublicWebhook;
  };
  /** Show a webhook */
  getWebhook: {
    path: { readonly webhookId: string };
    query: Record<string, never>;
    body: undefined;
    result: PublicWebhook;
  };
  /** Change a webhook */
  updateWebhook: {
    path: { readonly webhookId: string };
    query: Record<string, never>;
    body: WebhookChange;
    result: PublicWebhook;
  };
  /** Delete a webhook */
  deleteWebhook: {
    path: { readonly webhookId: string };
    query: Record<string, never>;
    body: undefined;
    result: WebhookDeleted;
  };
  /** Rotate a secret */
  rotateWebhookSecret: {
    path: { readonly webhookId: string };
    query: Record<string, never>;
    body: SecretRotation;
    result: PublicWebhook;
  };
  /** Send a test message */
  testWebhook: {
    path: { readonly webhookId: string };
    query: Record<string, never>;
    body: undefined;
    result: PublicAttempt;
  };
  /** List attempts */
  listWebhookAttempts: {
    path: { readonly webhookId: string };
    query: { readonly limit?: number | undefined; readonly startingAfter?: string | undefined; readonly eventId?: string | undefined };
    body: undefined;
    result: AttemptPage;
  };
  /** Send messages again */
  replayWebhookMessages: {
    path: { readonly webhookId: string };
    query: Record<string, never>;
    body: MessageReplay;
    result: ReplayStarted;
  };
  /** Resolve the reviews of many decisions */
  resolveMany: {
    path: Record<string, never>;
    query: { readonly dryRun?: boolean | undefined };
    body: ResolveMany;
    result: BulkShown;
  };
  /** Label many decisions */
  labelMany: {
    path: Record<string, never>;
    query: { readonly dryRun?: boolean | undefined };
    body: LabelMany;
    result: BulkShown;
  };
  /** Assign many reviews */
  assignMany: {
    path: Record<string, never>;
    query: { readonly dryRun?: boolean | undefined };
    body: AssignMany;
    result: BulkShown;
  };
  /** Put who acted in many decisions on a list */
  putManyOnList: {
    path: Record<string, never>;
    query: { readonly dryRun?: boolean | undefined };
    body: ListMany;
    result: BulkShown;
  };
  /** Show a bulk change */
  getBulkChange: {
    path: { readonly bulkId: string };
    query: Record<string, never>;
    body: undefined;
    result: BulkShown;
  };
  /** Undo a bulk change */
  undoBulkChange: {
    path: { readonly bulkId: string };
    query: Record<string, never>;
    body: undefined;
    result: BulkShown;
  };
  /** Count decisions in groups */
  startExploration: {
    path: Record<string, never>;
    query: Record<string, never>;
    body: ExplorationRequest;
    result: JobResponse;
  };
  /** List alerts */
  listAlerts: {
    path: Record<string, never>;
    query: { readonly limit?: number | undefined; readonly ended?: boolean | undefined };
    body: undefined;
    result: AlertPage;
  };
  /** Show an alert */
  getAlert: {
    path: { readonly alertId: string };
    query: Record<string, never>;
    body: undefined;
    result: AlertShown;
  };
  /** Acknowledge an alert */
  acknowledgeAlert: {
    path: { readonly alertId: string };
    query: Record<string, never>;
    body: AlertAnswer;
    result: AlertShown;
  };
  /** Block what stands out in an alert */
  blockAlert: {
    path: { readonly alertId: string };
    query: { readonly dryRun?: boolean | undefined };
    body: AlertBlocking;
    result: AlertBlocked;
  };
  /** List rings */
  listRings: {
    path: Record<string, never>;
    query: { readonly order?: string | undefined; readonly limit?: number | undefined };
    body: undefined;
    result: RingPage;
  };
  /** Show a ring */
  getRing: {
    path: { readonly ringId: string };
    query: Record<string, never>;
    body: undefined;
    result: RingDetails;
  };
  /** Block a ring */
  blockRing: {
    path: { readonly ringId: string };
    query: { readonly dryRun?: boolean | undefined };
    body: RingBlocking;
    result: RingBlocked;
  };
  /** List reports */
  listReports: {
    path: Record<string, never>;
    query: Record<string, never>;
    body: undefined;
    result: ReportList;
  };
  /** Make the report on a month */
  makeReport: {
    path: Record<string, never>;
    query: Record<string, never>;
    body: ReportWanted;
    result: JobResponse;
  };
  /** Show the report on a month */
  getReport: {
    path: { readonly month: string };
    query: Record<string, never>;
    body: undefined;
    result: MonthlyReport;
  };
  /** Show how reports are made */
  getReportSettings: {
    path: Record<string, never>;
    query: Record<string, never>;
    body: undefined;
    result: ReportSettings;
  };
  /** Set how reports are made */
  setReportSettings: {
    path: Record<string, never>;
    query: Record<string, never>;
    body: ReportSettings;
    result: ReportSettings;
  };
  /** Give feedback in bulk */
  giveFeedbackInBulk: {
    path: Record<string, never>;
    query: Record<string, never>;
    body: FeedbackBatch;
    result: FeedbackBatchResponse;
  };
  /** Import feedback */
  importFeedback: {
    path: Record<string, never>;
    query: { readonly dryRun?: boolean | undefined };
    body: FeedbackFile;
    result: JobResponse;
  };
  /** Tell what became of payments */
  tellOutcomes: {
    path: Record<string, never>;
    query: Record<string, never>;
    body: OutcomeBatch;
    result: OutcomeReceipt;
  };
  /** List outcomes */
  listOutcomes: {
    path: Record<string, never>;
    query: { readonly kind?: "SETTLED" | "REFUNDED" | "FRAUD_REPORT" | "ALERT" | "DISPUTE" | undefined; readonly requestId?: string | undefined; readonly joined?: boolean | undefined; readonly limit?: number | undefined; readonly cursor?: string | undefined };
    body: undefined;
    result: OutcomePage;
  };
  /** Report what became of the money */
  reportOutcomes: {
    path: Record<string, never>;
    query: { readonly months?: number | undefined };
    body: undefined;
    result: MoneyReport;
  };
  /** List the decisions that an outcome can be about */
  listOutcomeCandidates: {
    path: Record<string, never>;
    query: Record<string, never>;
    body: OutcomeNamed;
    result: OutcomeCandidates;
  };
  /** Join an outcome to its decision */
  joinOutcome: {
    path: Record<string, never>;
    query: Record<string, never>;
    body: OutcomeJoin;
    result: PaymentOutcome;
  };
  /** Look for decisions again */
  rejoinOutcomes: {
    path: Record<string, never>;
    query: Record<string, never>;
    body: undefined;
    result: JoinedAgain;
  };
  /** Meter the networks' programmes */
  getProgrammes: {
    path: Record<string, never>;
    query: { readonly month?: string | undefined };
    body: undefined;
    result: ProgrammeReport;
  };
  /** Show the thresholds of programmes */
  getProgrammeThresholds: {
    path: Record<string, never>;
    query: Record<string, never>;
    body: undefined;
    result: ThresholdTable;
  };
  /** Estimate enumeration */
  estimateEnumeration: {
    path: Record<string, never>;
    query: Record<string, never>;
    body: MeterFilter;
    result: JobResponse;
  };
  /** Try what a rule set would do to programmes */
  startProgrammesWhatIf: {
    path: Record<string, never>;
    query: Record<string, never>;
    body: WhatIfRequest;
    result: JobResponse;
  };
  /** Show the evidence for an order */
  getEvidence: {
    path: { readonly requestId: string };
    query: Record<string, never>;
    body: undefined;
    result: OrderEvidence;
  };
  /** List disputes */
  listDisputes: {
    path: Record<string, never>;
    query: { readonly ended?: boolean | undefined; readonly limit?: number | undefined };
    body: undefined;
    result: DisputeQueue;
  };
  /** Show a dispute */
  getDispute: {
    path: { readonly disputeId: string };
    query: Record<string, never>;
    body: undefined;
    result: DisputeShown;
  };
  /** Represent or accept a dispute */
  decideDispute: {
    path: { readonly disputeId: string };
    query: Record<string, never>;
    body: DisputeDecision;
    result: DisputeShown;
  };
  /** Tell of the delivery */
  setDisputeDelivery: {
    path: { readonly disputeId: string };
    query: Record<string, never>;
    body: DeliveryGiven;
    result: DisputeShown;
  };
  /** Tell how a dispute ended */
  endDispute: {
    path: { readonly disputeId: string };
    query: Record<string, never>;
    body: DisputeEnd;
    result: DisputeShown;
  };
  /** Attach a file to a dispute */
  attachDisputeFile: {
    path: { readonly disputeId: string };
    query: Record<string, never>;
    body: NewDisputeFile;
    result: DisputeFile;
  };
  /** Fetch a file of a dispute */
  getDisputeFile: {
    path: { readonly disputeId: string; readonly fileId: string };
    query: Record<string, never>;
    body: undefined;
    result: DisputeFile;
  };
  /** Delete a file of a dispute */
  deleteDisputeFile: {
    path: { readonly disputeId: string; readonly fileId: string };
    query: Record<string, never>;
    body: undefined;
    result: DisputeFileDeleted;
  };
  /** Get the evidence for an order as a PDF */
  getEvidencePaper: {
    path: { readonly requestId: string };
    query: Record<string, never>;
    body: undefined;
    result: EvidencePaper;
  };
  /** Whether evidence is kept */
  getEvidencePolicy: {
    path: Record<string, never>;
    query: Record<string, never>;
    body: undefined;
    result: EvidenceKept;
  };
  /** Keep evidence, or stop */
  setEvidencePolicy: {
    path: Record<string, never>;
    query: Record<string, never>;
    body: EvidenceKeeping;
    result: EvidenceKept;
  };
  /** Import outcomes */
  importOutcomes: {
    path: Record<string, never>;
    query: { readonly dryRun?: boolean | undefined };
    body: OutcomeFile;
    result: JobResponse;
  };
  /** Settings of authentication */
  getAuthentication: {
    path: Record<string, never>;
    query: Record<string, never>;
    body: undefined;
    result: AuthenticationShown;
  };
  /** Ask for advice on authentication */
  setAuthentication: {
    path: Record<string, never>;
    query: Record<string, never>;
    body: AuthenticationBody;
    result: AuthenticationShown;
  };
  /** Ask for no advice on authentication */
  clearAuthentication: {
    path: Record<string, never>;
    query: Record<string, never>;
    body: undefined;
    result: AuthenticationShown;
  };
  /** Meter the rates of fraud for article 18 */
  getFraudRates: {
    path: Record<string, never>;
    query: { readonly quarters?: number | undefined };
    body: undefined;
    result: RateReport;
  };
  /** Measure the rates of fraud, and advise by them */
  measureFraudRates: {
    path: Record<string, never>;
    query: Record<string, never>;
    body: undefined;
    result: RateReport;
  };
  /** Settings of events */
  getEventSettings: {
    path: Record<string, never>;
    query: Record<string, never>;
    body: undefined;
    result: EventSettingsShown;
  };
  /** Set what is told as events */
  setEventSettings: {
    path: Record<string, never>;
    query: Record<string, never>;
    body: EventSettingsBody;
    result: EventSettingsShown;
  };
  /** List models */
  listModels: {
    path: Record<string, never>;
    query: Record<string, never>;
    body: undefined;
    result: ModelPage;
  };
  /** Train a model */
  startTraining: {
    path: Record<string, never>;
    query: Record<string, never>;
    body: TrainingRequest;
    result: JobResponse;
  };
  /** Audit the labels */
  auditLabels: {
    path: Record<string, never>;
    query: Record<string, never>;
    body: LabelAuditRequest;
    result: JobResponse;
  };
  /** Roll the model back */
  rollBackModel: {
    path: Record<string, never>;
    query: Record<string, never>;
    body: VersionReturn;
    result: ModelSwitched;
  };
  /** Show a model */
  getModel: {
    path: { readonly version: string };
    query: Record<string, never>;
    body: undefined;
    result: ModelReported;
  };
  /** Promote a model */
  promoteModel: {
    path: { readonly version: string };
    query: { readonly rawScores?: boolean | undefined; readonly note?: string | undefined };
    body: undefined;
    result: ModelSwitched;
  };
  /** Export a model */
  exportModel: {
    path: { readonly version: string };
    query: Record<string, never>;
    body: undefined;
    result: ModelFileTold;
  };
  /** Import a model */
  importModel: {
    path: Record<string, never>;
    query: Record<string, never>;
    body: ModelImport;
    result: ModelImported;
  };
  /** List drift */
  listDrift: {
    path: Record<string, never>;
    query: { readonly limit?: number | undefined; readonly ended?: boolean | undefined };
    body: undefined;
    result: DriftPage;
  };
  /** Try a model on live traffic */
  tryModel: {
    path: { readonly version: string };
    query: Record<string, never>;
    body: TrialOfModel;
    result: JobResponse;
  };
  /** Show a model's trial */
  getModelTrial: {
    path: { readonly version: string };
    query: Record<string, never>;
    body: undefined;
    result: ModelTrialShown;
  };
  /** Score with a model beside the one in force */
  shadowModel: {
    path: { readonly version: string };
    query: Record<string, never>;
    body: undefined;
    result: ModelShadow;
  };
  /** Stop scoring with a model beside the one in force */
  stopShadowModel: {
    path: { readonly version: string };
    query: Record<string, never>;
    body: undefined;
    result: ModelShadow;
  };
  /** Show whether a model scores beside the one in force */
  getModelShadow: {
    path: { readonly version: string };
    query: Record<string, never>;
    body: undefined;
    result: ModelShadow;
  };
  /** List live experiments */
  listExperiments: {
    path: Record<string, never>;
    query: Record<string, never>;
    body: undefined;
    result: ExperimentPage;
  };
  /** Start a live experiment */
  startExperiment: {
    path: Record<string, never>;
    query: Record<string, never>;
    body: ExperimentWanted;
    result: ExperimentShown;
  };
  /** Show a live experiment */
  getExperiment: {
    path: { readonly experimentId: string };
    query: Record<string, never>;
    body: undefined;
    result: ExperimentShown;
  };
  /** Show what a live experiment has shown */
  getExperimentResult: {
    path: { readonly experimentId: string };
    query: Record<string, never>;
    body: undefined;
    result: ExperimentResult;
  };
  /** End a live experiment */
  endExperiment: {
    path: { readonly experimentId: string };
    query: Record<string, never>;
    body: undefined;
    result: ExperimentShown;
  };
  /** List jobs */
  listJobs: {
    path: Record<string, never>;
    query: { readonly limit?: number | undefined; readonly startingAfter?: string | undefined };
    body: undefined;
    result: JobPage;
  };
  /** Show a job */
  getJob: {
    path: { readonly jobId: string };
    query: Record<string, never>;
    body: undefined;
    result: JobResponse;
  };
  /** Cancel a job */
  cancelJob: {
    path: { readonly jobId: string };
    query: Record<string, never>;
    body: undefined;
    result: JobResponse;
  };
  /** Erase a person */
  erasePerson: {
    path: Record<string, never>;
    query: { readonly dryRun?: boolean | undefined };
    body: PersonErasure;
    result: JobResponse;
  };
  /** Audit log */
  listAudit: {
    path: Record<string, never>;
    query: { readonly limit?: number | undefined; readonly startingAfter?: number | undefined; readonly action?: string | undefined };
    body: undefined;
    result: AuditPage;
  };
}

/** How each operation is called. */
export const OPERATIONS = {
  precheck: { method: "POST", path: "/api/v1/precheck", answer: "preCheckResponse", repeat: "keyed" },
  idverify: { method: "POST", path: "/api/v1/idverify", answer: "idVerifyResponse", repeat: "keyed" },
  sentry: { method: "POST", path: "/api/v1/sentry", answer: "sentryResponse", repeat: "keyed" },
  rules: { method: "POST", path: "/api/v1/rules", answer: "rulesResponse", repeat: "keyed" },
  pipeline: { method: "POST", path: "/api/v1/pipeline", answer: "pipelineResponse", repeat: "keyed" },
  listPipelines: { method: "GET", path: "/api/v1/pipelines", answer: "pipelinesResponse", repeat: "harmless" },
  listDecisions: { method: "GET", path: "/api/v1/decisions", answer: "decisionsResponse", repeat: "harmless" },
  getDecision: { method: "GET", path: "/api/v1/decisions/{requestId}", answer: "decisionResponse", repeat: "harmless" },
  searchDecisions: { method: "POST", path: "/api/v1/decisions/search", answer: "decisionsResponse", repeat: "harmless" },
  listReviews: { method: "GET", path: "/api/v1/reviews", answer: "reviewsResponse", repeat: "harmless" },
  resolveReviews: { method: "POST", path: "/api/v1/reviews/resolutions", answer: "resolutionsResponse", repeat: "never" },
  getReview: { method: "GET", path: "/api/v1/reviews/{requestId}", answer: "reviewResponse", repeat: "harmless" },
  resolveReview: { method: "POST", path: "/api/v1/reviews/{requestId}", answer: "reviewResponse", repeat: "never" },
  assignReview: { method: "POST", path: "/api/v1/reviews/{requestId}/assignment", answer: "reviewResponse", repeat: "never" },
  noteReview: { method: "POST", path: "/api/v1/reviews/{requestId}/notes", answer: "reviewResponse", repeat: "never" },
  correctReview: { method: "POST", path: "/api/v1/reviews/{requestId}/correction", answer: "reviewResponse", repeat: "never" },
  reopenReview: { method: "POST", path: "/api/v1/reviews/{requestId}/reopening", answer: "reviewResponse", repeat: "never" },
  searchReviews: { method: "POST", path: "/api/v1/reviews/search", answer: "reviewsResponse", repeat: "harmless" },
  giveFeedback: { method: "POST", path: "/api/v1/feedback", answer: "feedbackResponse", repeat: "harmless" },
  getFeedback: { method: "GET", path: "/api/v1/feedback/{requestId}", answer: "feedbackResponse", repeat: "harmless" },
  listEvents: { method: "GET", path: "/api/v1/events", answer: "eventsResponse", repeat: "harmless" },
  getEvent: { method: "GET", path: "/api/v1/events/{eventId}", answer: "eventResponse", repeat: "harmless" },
  getBalance: { method: "GET", path: "/api/v1/balance", answer: "balanceResponse", repeat: "harmless" },
  getStatement: { method: "GET", path: "/api/v1/statement", answer: "statementResponse", repeat: "harmless" },
  getAccount: { method: "GET", path: "/api/v1/manage/account", answer: "accountResponse", repeat: "harmless" },
  getPolicies: { method: "GET", path: "/api/v1/manage/policies", answer: "policiesResponse", repeat: "harmless" },
  setPreCheckPolicy: { method: "PUT", path: "/api/v1/manage/policies/precheck", answer: "policiesResponse", repeat: "keyed" },
  setSentryPolicy: { method: "PUT", path: "/api/v1/manage/policies/sentry", answer: "policiesResponse", repeat: "keyed" },
  listFoundInputs: { method: "GET", path: "/api/v1/manage/policies/sentry/found", answer: "foundInputsResponse", repeat: "harmless" },
  setFoundInput: { method: "PUT", path: "/api/v1/manage/policies/sentry/found", answer: "foundInputsResponse", repeat: "keyed" },
  setCosts: { method: "PUT", path: "/api/v1/manage/policies/costs", answer: "policiesResponse", repeat: "keyed" },
  clearCosts: { method: "DELETE", path: "/api/v1/manage/policies/costs", answer: "policiesResponse", repeat: "keyed" },
  listKeys: { method: "GET", path: "/api/v1/manage/keys", answer: "keysResponse", repeat: "harmless" },
  issueKey: { method: "POST", path: "/api/v1/manage/keys", answer: "keyIssuedResponse", repeat: "keyed" },
  rotateKey: { method: "POST", path: "/api/v1/manage/keys/{keyId}/rotate", answer: "keyIssuedResponse", repeat: "keyed" },
  revokeKey: { method: "POST", path: "/api/v1/manage/keys/{keyId}/revoke", answer: "keyResponse", repeat: "keyed" },
  getManagedBalance: { method: "GET", path: "/api/v1/manage/balance", answer: "balanceResponse", repeat: "harmless" },
  getManagedStatement: { method: "GET", path: "/api/v1/manage/statement", answer: "statementResponse", repeat: "harmless" },
  getUsage: { method: "GET", path: "/api/v1/manage/usage", answer: "usageResponse", repeat: "harmless" },
  listTopUps: { method: "GET", path: "/api/v1/manage/top-ups", answer: "topUpsResponse", repeat: "harmless" },
  createTopUp: { method: "POST", path: "/api/v1/manage/top-ups", answer: "topUpResponse", repeat: "keyed" },
  getTopUp: { method: "GET", path: "/api/v1/manage/top-ups/{topUpId}", answer: "topUpResponse", repeat: "harmless" },
  getAutoTopUp: { method: "GET", path: "/api/v1/manage/auto-top-up", answer: "autoTopUpResponse", repeat: "harmless" },
  setAutoTopUp: { method: "PUT", path: "/api/v1/manage/auto-top-up", answer: "autoTopUpResponse", repeat: "keyed" },
  deleteStoredCard: { method: "DELETE", path: "/api/v1/manage/auto-top-up/card", answer: "autoTopUpResponse", repeat: "keyed" },
  getTopUpLimit: { method: "GET", path: "/api/v1/manage/top-up-limit", answer: "topUpLimitResponse", repeat: "harmless" },
  setTopUpLimit: { method: "PUT", path: "/api/v1/manage/top-up-limit", answer: "topUpLimitResponse", repeat: "keyed" },
  listInvoices: { method: "GET", path: "/api/v1/manage/invoices", answer: "invoicesResponse", repeat: "harmless" },
  getInvoice: { method: "GET", path: "/api/v1/manage/invoices/{invoiceId}", answer: "invoiceResponse", repeat: "harmless" },
  getInvoiceUbl: { method: "GET", path: "/api/v1/manage/invoices/{invoiceId}/ubl", answer: "ublResponse", repeat: "harmless" },
  getBillingDetails: { method: "GET", path: "/api/v1/manage/billing-details", answer: "billingDetailsResponse", repeat: "harmless" },
  listRoles: { method: "GET", path: "/api/v1/manage/roles", answer: "rolesResponse", repeat: "harmless" },
  makeRole: { method: "POST", path: "/api/v1/manage/roles", answer: "roleResponse", repeat: "keyed" },
  getRole: { method: "GET", path: "/api/v1/manage/roles/{roleId}", answer: "roleResponse", repeat: "harmless" },
  changeRole: { method: "PUT", path: "/api/v1/manage/roles/{roleId}", answer: "roleResponse", repeat: "keyed" },
  deleteRole: { method: "DELETE", path: "/api/v1/manage/roles/{roleId}", answer: "roleDeletedResponse", repeat: "keyed" },
  importIdentities: { method: "POST", path: "/api/v1/manage/identities/imports", answer: "jobResponse", repeat: "keyed" },
  searchIdentities: { method: "POST", path: "/api/v1/manage/identities/search", answer: "identitiesResponse", repeat: "harmless" },
  eraseIdentities: { method: "POST", path: "/api/v1/manage/identities/erase", answer: "identitiesErasedResponse", repeat: "keyed" },
  listRuleSets: { method: "GET", path: "/api/v1/manage/rules", answer: "ruleSetsResponse", repeat: "harmless" },
  getRuleSet: { method: "GET", path: "/api/v1/manage/rules/{name}", answer: "ruleSetResponse", repeat: "harmless" },
  applyRuleSet: { method: "PUT", path: "/api/v1/manage/rules/{name}", answer: "applyResponse", repeat: "keyed" },
  listRuleSetVersions: { method: "GET", path: "/api/v1/manage/rules/{name}/versions", answer: "versionsResponse", repeat: "harmless" },
  checkRuleSet: { method: "POST", path: "/api/v1/manage/rules/check", answer: "checkResponse", repeat: "harmless" },
  rollBackRuleSet: { method: "POST", path: "/api/v1/manage/rules/{name}/rollback", answer: "rollbackResponse", repeat: "keyed" },
  tryRuleSet: { method: "POST", path: "/api/v1/manage/rules/trials", answer: "trialResponse", repeat: "harmless" },
  startBacktest: { method: "POST", path: "/api/v1/manage/rules/backtests", answer: "jobResponse", repeat: "keyed" },
  getRule: { method: "GET", path: "/api/v1/manage/rules/{name}/rules/{rule}", answer: "ruleResponse", repeat: "harmless" },
  switchRule: { method: "POST", path: "/api/v1/manage/rules/{name}/rules/{rule}/state", answer: "applyResponse", repeat: "keyed" },
  listLists: { method: "GET", path: "/api/v1/manage/lists", answer: "listsResponse", repeat: "harmless" },
  createList: { method: "POST", path: "/api/v1/manage/lists", answer: "listResponse", repeat: "keyed" },
  getList: { method: "GET", path: "/api/v1/manage/lists/{name}", answer: "listResponse", repeat: "harmless" },
  dropList: { method: "DELETE", path: "/api/v1/manage/lists/{name}", answer: "listDroppedResponse", repeat: "keyed" },
  addEntries: { method: "POST", path: "/api/v1/manage/lists/{name}/entries", answer: "entriesAddedResponse", repeat: "keyed" },
  searchEntries: { method: "POST", path: "/api/v1/manage/lists/{name}/entries/search", answer: "entriesResponse", repeat: "harmless" },
  removeEntries: { method: "POST", path: "/api/v1/manage/lists/{name}/removals", answer: "entriesRemovedResponse", repeat: "keyed" },
  listOperations: { method: "GET", path: "/api/v1/manage/lists/{name}/operations", answer: "operationsResponse", repeat: "harmless" },
  listPipelineDefinitions: { method: "GET", path: "/api/v1/manage/pipelines", answer: "pipelineDefinitionsResponse", repeat: "harmless" },
  getPipelineDefinition: { method: "GET", path: "/api/v1/manage/pipelines/{name}", answer: "pipelineDefinitionResponse", repeat: "harmless" },
  applyPipelineDefinition: { method: "PUT", path: "/api/v1/manage/pipelines/{name}", answer: "applyResponse", repeat: "keyed" },
  listPipelineDefinitionVersions: { method: "GET", path: "/api/v1/manage/pipelines/{name}/versions", answer: "versionsResponse", repeat: "harmless" },
  checkPipelineDefinition: { method: "POST", path: "/api/v1/manage/pipelines/check", answer: "checkResponse", repeat: "harmless" },
  rollBackPipelineDefinition: { method: "POST", path: "/api/v1/manage/pipelines/{name}/rollback", answer: "rollbackResponse", repeat: "keyed" },
  listPayments: { method: "GET", path: "/api/v1/manage/payments", answer: "paymentsResponse", repeat: "harmless" },
  getPayment: { method: "GET", path: "/api/v1/manage/payments/{requestId}", answer: "paymentResponse", repeat: "harmless" },
  capturePayment: { method: "POST", path: "/api/v1/manage/payments/{requestId}/capture", answer: "paymentResponse", repeat: "keyed" },
  voidPayment: { method: "POST", path: "/api/v1/manage/payments/{requestId}/void", answer: "paymentResponse", repeat: "keyed" },
  refundPayment: { method: "POST", path: "/api/v1/manage/payments/{requestId}/refund", answer: "paymentResponse", repeat: "keyed" },
  settlePaymentOperation: { method: "POST", path: "/api/v1/manage/payments/{requestId}/operations/{operationId}/settle", answer: "paymentResponse", repeat: "keyed" },
  listNotifications: { method: "GET", path: "/api/v1/manage/notifications", answer: "notificationsResponse", repeat: "harmless" },
  getNotification: { method: "GET", path: "/api/v1/manage/notifications/{notificationId}", answer: "notificationResponse", repeat: "harmless" },
  applyNotification: { method: "POST", path: "/api/v1/manage/notifications/{notificationId}/apply", answer: "notificationResponse", repeat: "keyed" },
  listConnectors: { method: "GET", path: "/api/v1/manage/connectors", answer: "connectorsResponse", repeat: "harmless" },
  listWebhooks: { method: "GET", path: "/api/v1/manage/webhooks", answer: "webhooksResponse", repeat: "harmless" },
  createWebhook: { method: "POST", path: "/api/v1/manage/webhooks", answer: "webhookResponse", repeat: "keyed" },
  getWebhook: { method: "GET", path: "/api/v1/manage/webhooks/{webhookId}", answer: "webhookResponse", repeat: "harmless" },
  updateWebhook: { method: "POST", path: "/api/v1/manage/webhooks/{webhookId}", answer: "webhookResponse", repeat: "keyed" },
  deleteWebhook: { method: "DELETE", path: "/api/v1/manage/webhooks/{webhookId}", answer: "webhookDeletedResponse", repeat: "keyed" },
  rotateWebhookSecret: { method: "POST", path: "/api/v1/manage/webhooks/{webhookId}/rotate-secret", answer: "webhookResponse", repeat: "keyed" },
  testWebhook: { method: "POST", path: "/api/v1/manage/webhooks/{webhookId}/test", answer: "webhookAttemptResponse", repeat: "keyed" },
  listWebhookAttempts: { method: "GET", path: "/api/v1/manage/webhooks/{webhookId}/attempts", answer: "webhookAttemptsResponse", repeat: "harmless" },
  replayWebhookMessages: { method: "POST", path: "/api/v1/manage/webhooks/{webhookId}/replay", answer: "webhookReplayResponse", repeat: "keyed" },
  resolveMany: { method: "POST", path: "/api/v1/manage/bulk/resolutions", answer: "bulkResponse", repeat: "keyed" },
  labelMany: { method: "POST", path: "/api/v1/manage/bulk/labels", answer: "bulkResponse", repeat: "keyed" },
  assignMany: { method: "POST", path: "/api/v1/manage/bulk/assignments", answer: "bulkResponse", repeat: "keyed" },
  putManyOnList: { method: "POST", path: "/api/v1/manage/bulk/entries", answer: "bulkResponse", repeat: "keyed" },
  getBulkChange: { method: "GET", path: "/api/v1/manage/bulk/{bulkId}", answer: "bulkResponse", repeat: "harmless" },
  undoBulkChange: { method: "POST", path: "/api/v1/manage/bulk/{bulkId}/undo", answer: "bulkResponse", repeat: "keyed" },
  startExploration: { method: "POST", path: "/api/v1/manage/explorations", answer: "jobResponse", repeat: "keyed" },
  listAlerts: { method: "GET", path: "/api/v1/manage/alerts", answer: "alertsResponse", repeat: "harmless" },
  getAlert: { method: "GET", path: "/api/v1/manage/alerts/{alertId}", answer: "alertResponse", repeat: "harmless" },
  acknowledgeAlert: { method: "POST", path: "/api/v1/manage/alerts/{alertId}/acknowledgement", answer: "alertResponse", repeat: "keyed" },
  blockAlert: { method: "POST", path: "/api/v1/manage/alerts/{alertId}/blocking", answer: "alertBlockedResponse", repeat: "keyed" },
  listRings: { method: "GET", path: "/api/v1/manage/rings", answer: "ringsResponse", repeat: "harmless" },
  getRing: { method: "GET", path: "/api/v1/manage/rings/{ringId}", answer: "ringResponse", repeat: "harmless" },
  blockRing: { method: "POST", path: "/api/v1/manage/rings/{ringId}/blocking", answer: "ringBlockedResponse", repeat: "keyed" },
  listReports: { method: "GET", path: "/api/v1/manage/reports", answer: "reportsResponse", repeat: "harmless" },
  makeReport: { method: "POST", path: "/api/v1/manage/reports", answer: "jobResponse", repeat: "keyed" },
  getReport: { method: "GET", path: "/api/v1/manage/reports/{month}", answer: "reportResponse", repeat: "harmless" },
  getReportSettings: { method: "GET", path: "/api/v1/manage/policies/reports", answer: "reportSettingsResponse", repeat: "harmless" },
  setReportSettings: { method: "PUT", path: "/api/v1/manage/policies/reports", answer: "reportSettingsResponse", repeat: "keyed" },
  giveFeedbackInBulk: { method: "POST", path: "/api/v1/manage/feedback", answer: "feedbackBatchResponse", repeat: "keyed" },
  importFeedback: { method: "POST", path: "/api/v1/manage/feedback/imports", answer: "jobResponse", repeat: "keyed" },
  tellOutcomes: { method: "POST", path: "/api/v1/manage/outcomes", answer: "outcomesToldResponse", repeat: "keyed" },
  listOutcomes: { method: "GET", path: "/api/v1/manage/outcomes", answer: "outcomesResponse", repeat: "harmless" },
  reportOutcomes: { method: "GET", path: "/api/v1/manage/outcomes/report", answer: "outcomesReportResponse", repeat: "harmless" },
  listOutcomeCandidates: { method: "POST", path: "/api/v1/manage/outcomes/candidates", answer: "outcomeCandidatesResponse", repeat: "never" },
  joinOutcome: { method: "POST", path: "/api/v1/manage/outcomes/join", answer: "outcomeResponse", repeat: "keyed" },
  rejoinOutcomes: { method: "POST", path: "/api/v1/manage/outcomes/rejoin", answer: "outcomesJoinedResponse", repeat: "keyed" },
  getProgrammes: { method: "GET", path: "/api/v1/manage/programmes", answer: "programmesResponse", repeat: "harmless" },
  getProgrammeThresholds: { method: "GET", path: "/api/v1/manage/programmes/thresholds", answer: "programmeThresholdsResponse", repeat: "harmless" },
  estimateEnumeration: { method: "POST", path: "/api/v1/manage/programmes/enumeration", answer: "jobResponse", repeat: "keyed" },
  startProgrammesWhatIf: { method: "POST", path: "/api/v1/manage/programmes/what-if", answer: "jobResponse", repeat: "keyed" },
  getEvidence: { method: "GET", path: "/api/v1/manage/decisions/{requestId}/evidence", answer: "evidenceResponse", repeat: "harmless" },
  listDisputes: { method: "GET", path: "/api/v1/manage/disputes", answer: "disputesResponse", repeat: "harmless" },
  getDispute: { method: "GET", path: "/api/v1/manage/disputes/{disputeId}", answer: "disputeResponse", repeat: "harmless" },
  decideDispute: { method: "POST", path: "/api/v1/manage/disputes/{disputeId}/decision", answer: "disputeResponse", repeat: "keyed" },
  setDisputeDelivery: { method: "PUT", path: "/api/v1/manage/disputes/{disputeId}/delivery", answer: "disputeResponse", repeat: "keyed" },
  endDispute: { method: "POST", path: "/api/v1/manage/disputes/{disputeId}/result", answer: "disputeResponse", repeat: "keyed" },
  attachDisputeFile: { method: "POST", path: "/api/v1/manage/disputes/{disputeId}/files", answer: "disputeFileResponse", repeat: "keyed" },
  getDisputeFile: { method: "GET", path: "/api/v1/manage/disputes/{disputeId}/files/{fileId}", answer: "disputeFileResponse", repeat: "harmless" },
  deleteDisputeFile: { method: "DELETE", path: "/api/v1/manage/disputes/{disputeId}/files/{fileId}", answer: "disputeFileDeletedResponse", repeat: "keyed" },
  getEvidencePaper: { method: "GET", path: "/api/v1/manage/decisions/{requestId}/evidence/paper", answer: "evidencePaperResponse", repeat: "harmless" },
  getEvidencePolicy: { method: "GET", path: "/api/v1/manage/policies/evidence", answer: "evidenceKeepingResponse", repeat: "harmless" },
  setEvidencePolicy: { method: "PUT", path: "/api/v1/manage/policies/evidence", answer: "evidenceKeepingResponse", repeat: "keyed" },
  importOutcomes: { method: "POST", path: "/api/v1/manage/outcomes/imports", answer: "jobResponse", repeat: "keyed" },
  getAuthentication: { method: "GET", path: "/api/v1/manage/authentication", answer: "authenticationResponse", repeat: "harmless" },
  setAuthentication: { method: "PUT", path: "/api/v1/manage/authentication", answer: "authenticationResponse", repeat: "keyed" },
  clearAuthentication: { method: "DELETE", path: "/api/v1/manage/authentication", answer: "authenticationResponse", repeat: "keyed" },
  getFraudRates: { method: "GET", path: "/api/v1/manage/authentication/fraud-rates", answer: "fraudRatesResponse", repeat: "harmless" },
  measureFraudRates: { method: "POST", path: "/api/v1/manage/authentication/fraud-rates", answer: "fraudRatesResponse", repeat: "keyed" },
  getEventSettings: { method: "GET", path: "/api/v1/manage/events", answer: "eventSettingsResponse", repeat: "harmless" },
  setEventSettings: { method: "PUT", path: "/api/v1/manage/events", answer: "eventSettingsResponse", repeat: "keyed" },
  listModels: { method: "GET", path: "/api/v1/manage/models", answer: "modelsResponse", repeat: "harmless" },
  startTraining: { method: "POST", path: "/api/v1/manage/models/trainings", answer: "jobResponse", repeat: "keyed" },
  auditLabels: { method: "POST", path: "/api/v1/manage/models/audits", answer: "jobResponse", repeat: "keyed" },
  rollBackModel: { method: "POST", path: "/api/v1/manage/models/rollback", answer: "modelLiveResponse", repeat: "keyed" },
  getModel: { method: "GET", path: "/api/v1/manage/models/{version}", answer: "modelResponse", repeat: "harmless" },
  promoteModel: { method: "POST", path: "/api/v1/manage/models/{version}/promote", answer: "modelLiveResponse", repeat: "keyed" },
  exportModel: { method: "GET", path: "/api/v1/manage/models/{version}/file", answer: "modelFileResponse", repeat: "harmless" },
  importModel: { method: "POST", path: "/api/v1/manage/models/imports", answer: "modelImportedResponse", repeat: "keyed" },
  listDrift: { method: "GET", path: "/api/v1/manage/drift", answer: "driftResponse", repeat: "harmless" },
  tryModel: { method: "POST", path: "/api/v1/manage/models/{version}/trials", answer: "jobResponse", repeat: "keyed" },
  getModelTrial: { method: "GET", path: "/api/v1/manage/models/{version}/trial", answer: "modelTrialResponse", repeat: "harmless" },
  shadowModel: { method: "POST", path: "/api/v1/manage/models/{version}/shadow", answer: "modelShadowResponse", repeat: "keyed" },
  stopShadowModel: { method: "DELETE", path: "/api/v1/manage/models/{version}/shadow", answer: "modelShadowResponse", repeat: "keyed" },
  getModelShadow: { method: "GET", path: "/api/v1/manage/models/{version}/shadow", answer: "modelShadowResponse", repeat: "harmless" },
  listExperiments: { method: "GET", path: "/api/v1/manage/experiments", answer: "experimentsResponse", repeat: "harmless" },
  startExperiment: { method: "POST", path: "/api/v1/manage/experiments", answer: "experimentResponse", repeat: "keyed" },
  getExperiment: { method: "GET", path: "/api/v1/manage/experiments/{experimentId}", answer: "experimentResponse", repeat: "harmless" },
  getExperimentResult: { method: "GET", path: "/api/v1/manage/experiments/{experimentId}/result", answer: "experimentResultResponse", repeat: "harmless" },
  endExperiment: { method: "POST", path: "/api/v1/manage/experiments/{experimentId}/end", answer: "experimentResponse", repeat: "keyed" },
  listJobs: { method: "GET", path: "/api/v1/manage/jobs", answer: "jobsResponse", repeat: "harmless" },
  getJob: { method: "GET", path: "/api/v1/manage/jobs/{jobId}", answer: "jobResponse", repeat: "harmless" },
  cancelJob: { method: "POST", path: "/api/v1/manage/jobs/{jobId}/cancel", answer: "jobResponse", repeat: "keyed" },
  erasePerson: { method: "POST", path: "/api/v1/manage/privacy/erasures", answer: "jobResponse", repeat: "keyed" },
  listAudit: { method: "GET", path: "/api/v1/manage/audit", answer: "auditResponse", repeat: "harmless" },
} as const;
