// Made by scripts/generate_typescript.py from the OpenAPI document; do not edit, run: make types

import { Calls, JobCalls } from "./calls.js";
import type { Body, Query, Send } from "./caller.js";
import type { Answer } from "./exchange.js";
import type * as api from "./generated.js";
import type { CallOptions } from "./options.js";
import { Listing } from "./paging.js";

export class ManageAccount extends Calls {
  /** The account and its fees. Scope `manage:account`. Free. */
  get(own?: CallOptions): Promise<Answer<api.AccountShown>> {
    return this.send("getAccount", {}, own);
  }
}

export class ManageAlerts extends Calls {
  /** What departs from the account's own normal by hour and weekday: attacks, feasts and outages, each with the values that stand out and the money at stake. Scopes `manage:lists` and `decisions`. Free. */
  list(query: Query<"listAlerts"> = {}, own?: CallOptions): Listing<api.AlertPage, api.AlertShown> {
    return new Listing({
      ask: () => this.send("listAlerts", { query }, own),
      hasMore: () => false,
      items: (page) => page.alerts,
    });
  }

  /** Its figures beside what is usual, the values that stand out, a rule to begin with, and some of its requests. Scopes `manage:lists` and `decisions`. Free. */
  get(alertId: string, own?: CallOptions): Promise<Answer<api.AlertShown>> {
    return this.send("getAlert", { path: { alertId } }, own);
  }

  /** Says that somebody looks after it, so that the overview does not ask for attention any more; or ends it. It goes on by itself until requests are as usual again. Scopes `manage:lists` and `decisions`. Free. */
  acknowledgement(alertId: string, body: Body<"acknowledgeAlert"> = {}, own?: CallOptions): Promise<Answer<api.AlertShown>> {
    return this.send("acknowledgeAlert", { path: { alertId }, body }, own);
  }

  /** Puts the addresses, devices and whatever else is asked for on lists, for a day unless another span is given. What a list does is up to the rules that name it. Scopes `manage:lists` and `decisions`. Free. */
  blocking(alertId: string, body: Body<"blockAlert"> = {}, own?: CallOptions & Query<"blockAlert">): Promise<Answer<api.AlertBlocked>> {
    return this.send("blockAlert", { path: { alertId }, query: { dryRun: own?.dryRun }, body }, own);
  }
}

export class ManageAudit extends Calls {
  /** Everything that was changed in the account: who, when, what. Newest first. Scope `manage:account`. Free. */
  list(query: Query<"listAudit"> = {}, own?: CallOptions): Listing<api.AuditPage, api.AuditEntry> {
    return new Listing({
      ask: (page) => {
        const startingAfter = page?.lines.at(-1)?.line ?? query.startingAfter;
        return this.send("listAudit", { query: { ...query, startingAfter } }, own);
      },
      hasMore: (page) => page.hasMore && page.lines.length > 0,
      items: (page) => page.lines,
    });
  }
}

export class ManageAuthentication extends Calls {
  /** Whether Sentry advises on strong customer authentication, and what the advice depends on. Scope `manage:account`. Free. */
  get(own?: CallOptions): Promise<Answer<api.AuthenticationShown>> {
    return this.send("getAuthentication", {}, own);
  }

  /** Has Sentry say for each payment whether the cardholder must be authenticated, which exemption can be asked for and where. What is left out is set to its default. Scope `manage:account`. Free. */
  set(body: Body<"setAuthentication">, own?: CallOptions): Promise<Answer<api.AuthenticationShown>> {
    return this.send("setAuthentication", { body }, own);
  }

  /** Sentry says no more about it. Scope `manage:account`. Free. */
  clear(own?: CallOptions): Promise<Answer<api.AuthenticationShown>> {
    return this.send("clearAuthentication", {}, own);
  }

  /** Value of frauds by value of all payments, in windows of 90 days: the last one, and those that end with the latest quarters. Each is compared with the reference rate of each band. Scope `manage:account`. Free. */
  getFraudRates(query: Query<"getFraudRates"> = {}, own?: CallOptions): Promise<Answer<api.RateReport>> {
    return this.send("getFraudRates", { query }, own);
  }

  /** Keeps the rate of the last 90 days, and which bands are stopped, for the advice of Sentry. Scope `manage:account`. Free. */
  measureFraudRates(own?: CallOptions): Promise<Answer<api.RateReport>> {
    return this.send("measureFraudRates", {}, own);
  }
}

export class ManageAutoTopUp extends Calls {
  /** How they are set, whether a card is stored, and whether they pause. Scope `manage:billing`. Free. */
  get(own?: CallOptions): Promise<Answer<api.AutoTopUpShown>> {
    return this.send("getAutoTopUp", {}, own);
  }

  /** When the balance is under the floor, the stored card is charged and the amount added, one top-up at a time, up to the limit of a calendar month. They need a card, which a person stores by paying a top-up with `storeCard`. Turned on after they were off, they begin afresh, but for the day after a refusal. It needs the scope `manage:billing`, too. Scope `manage:payments`. Free. */
  set(body: Body<"setAutoTopUp">, own?: CallOptions): Promise<Answer<api.AutoTopUpShown>> {
    return this.send("setAutoTopUp", { body }, own);
  }

  /** It is charged no more, and automatic top-ups are off. A charge that the provider was asked for already is finished; where nobody learns how it ended, its top-up is left in doubt. It needs the scope `manage:billing`, too. Scope `manage:payments`. Free. */
  deleteCard(own?: CallOptions): Promise<Answer<api.AutoTopUpShown>> {
    return this.send("deleteStoredCard", {}, own);
  }
}

export class ManageBalance extends Calls {
  /** What the account has, as `/api/v1/balance` tells it. Scope `manage:billing`. Free. */
  get(own?: CallOptions): Promise<Answer<api.BalanceResponse>> {
    return this.send("getManagedBalance", {}, own);
  }
}

export class ManageBillingDetails extends Calls {
  /** Whom the account's invoices are for, and with which tax. Scope `manage:billing`. Free. */
  get(own?: CallOptions): Promise<Answer<api.BillingDetails>> {
    return this.send("getBillingDetails", {}, own);
  }
}

export class ManageBulk extends Calls {
  /** One verdict on those that are open. With a search, all that fit are meant, up to 10,000. More than 50 are a job: ask for the change until it is `DONE`. For ten minutes it can be undone. Scope `manage:feedback`. Free. */
  resolveResolutions(body: Body<"resolveMany">, own?: CallOptions & Query<"resolveMany">): Promise<Answer<api.BulkShown>> {
    return this.send("resolveMany", { query: { dryRun: own?.dryRun }, body }, own);
  }

  /** Says what each turned out to be, as feedback does. Scope `manage:feedback`. Free. */
  labels(body: Body<"labelMany">, own?: CallOptions & Query<"labelMany">): Promise<Answer<api.BulkShown>> {
    return this.send("labelMany", { query: { dryRun: own?.dryRun }, body }, own);
  }

  /** Gives the open reviews to a person, or to nobody. What somebody else has is left with them. Scope `manage:feedback`. Free. */
  assignments(body: Body<"assignMany">, own?: CallOptions & Query<"assignMany">): Promise<Answer<api.BulkShown>> {
    return this.send("assignMany", { query: { dryRun: own?.dryRun }, body }, own);
  }

  /** Such as the users, cards or devices of them. What is on the list already is left as it is. Scopes `manage:lists` and `decisions`. Free. */
  putEntries(body: Body<"putManyOnList">, own?: CallOptions & Query<"putManyOnList">): Promise<Answer<api.BulkShown>> {
    return this.send("putManyOnList", { query: { dryRun: own?.dryRun }, body }, own);
  }

  /** How far it is, what was left as it was, and why. Scope `manage:feedback`. Free. */
  get(bulkId: string, own?: CallOptions): Promise<Answer<api.BulkShown>> {
    return this.send("getBulkChange", { path: { bulkId } }, own);
  }

  /** For ten minutes after its end, by the one who made it. Each decision is brought back on its own: a review that a payment waited for, and what somebody has changed since, stay as they are. Scope `manage:feedback`. Free. */
  undo(bulkId: string, own?: CallOptions): Promise<Answer<api.BulkShown>> {
    return this.send("undoBulkChange", { path: { bulkId } }, own);
  }
}

export class ManageConnectors extends Calls {
  /** The connectors that can serve the account, and whether they work. They belong to the installation, so that only its operator changes them. Scope `manage:connectors`. Free. */
  list(own?: CallOptions): Listing<api.ConnectorPage, api.ConnectorShown> {
    return new Listing({
      ask: () => this.send("listConnectors", {}, own),
      hasMore: () => false,
      items: (page) => page.connectors,
    });
  }
}

export class ManageDecisions extends Calls {
  /** Looks for two earlier orders on the same card that show the order to be the cardholder's, as Visa's Compelling Evidence 3.0 wants them, and says what was missing if there are none. The packet holds personal data in clear: each look leaves an audit line. Scopes `manage:feedback` and `decisions`. Free. */
  getEvidence(requestId: string, own?: CallOptions): Promise<Answer<api.OrderEvidence>> {
    return this.send("getEvidence", { path: { requestId } }, own);
  }

  /** The order, its checks, the delivery as you told it, and earlier orders. It holds personal data in clear: each look leaves an audit line. Scopes `manage:feedback` and `decisions`. Free. */
  getEvidencePaper(requestId: string, own?: CallOptions): Promise<Answer<api.EvidencePaper>> {
    return this.send("getEvidencePaper", { path: { requestId } }, own);
  }
}

export class ManageDisputes extends Calls {
  /** Open ones by their deadline, each with what Compelling Evidence 3.0 says of it; or those that have ended. Scope `manage:feedback`. Free. */
  list(query: Query<"listDisputes"> = {}, own?: CallOptions): Listing<api.DisputeQueue, api.DisputeSummary> {
    return new Listing({
      ask: () => this.send("listDisputes", { query }, own),
      hasMore: () => false,
      items: (page) => page.disputes,
    });
  }

  /** What was decided about it, and what was said of the delivery; files without their content. Scope `manage:feedback`. Free. */
  get(disputeId: string, own?: CallOptions): Promise<Answer<api.DisputeShown>> {
    return this.send("getDispute", { path: { disputeId } }, own);
  }

  /** The decision counts once: the same again changes nothing, another one is refused. One that is accepted has ended. A case about a network's rules is contested only with `feeAcknowledged`. Scope `manage:feedback`. Free. */
  decideDecision(disputeId: string, body: Body<"decideDispute">, own?: CallOptions): Promise<Answer<api.DisputeShown>> {
    return this.send("decideDispute", { path: { disputeId }, body }, own);
  }

  /** What the merchant says about what was sold and delivered, in place of what was said before. Scope `manage:feedback`. Free. */
  setDelivery(disputeId: string, body: Body<"setDisputeDelivery"> = {}, own?: CallOptions): Promise<Answer<api.DisputeShown>> {
    return this.send("setDisputeDelivery", { path: { disputeId }, body }, own);
  }

  /** The same as an outcome with that result: programmes and figures count it from now on. Scope `manage:feedback`. Free. */
  endResult(disputeId: string, body: Body<"endDispute">, own?: CallOptions): Promise<Answer<api.DisputeShown>> {
    return this.send("endDispute", { path: { disputeId }, body }, own);
  }

  /** A PDF, PNG, JPEG or plain text of at most 3 MiB, told by its content; ten of a dispute. The same content again is the same file. Scope `manage:feedback`. Free. */
  attachFiles(disputeId: string, body: Body<"attachDisputeFile">, own?: CallOptions): Promise<Answer<api.DisputeFile>> {
    return this.send("attachDisputeFile", { path: { disputeId }, body }, own);
  }

  /** With its content; each look leaves an audit line. Scope `manage:feedback`. Free. */
  getFiles(disputeId: string, fileId: string, own?: CallOptions): Promise<Answer<api.DisputeFile>> {
    return this.send("getDisputeFile", { path: { disputeId, fileId } }, own);
  }

  /** Nothing of it is left. Scope `manage:feedback`. Free. */
  deleteFiles(disputeId: string, fileId: string, own?: CallOptions): Promise<Answer<api.DisputeFileDeleted>> {
    return this.send("deleteDisputeFile", { path: { disputeId, fileId } }, own);
  }
}

export class ManageDrift extends Calls {
  /** What is not as usual: signals and scores, how often rules match, and how long labels take. The last day is compared with the same hours of the weeks before, every six hours, where an account has enough requests. Scopes `manage:models` and `decisions`. Free. */
  list(query: Query<"listDrift"> = {}, own?: CallOptions): Listing<api.DriftPage, api.DriftShown> {
    return new Listing({
      ask: () => this.send("listDrift", { query }, own),
      hasMore: () => false,
      items: (page) => page.drifts,
    });
  }
}

export class ManageEvents extends Calls {
  /** Which decisions the account is told as events, and below which balance. Scope `manage:account`. Free. */
  get(own?: CallOptions): Promise<Answer<api.EventSettingsShown>> {
    return this.send("getEventSettings", {}, own);
  }

  /** Changes what is sent, and leaves the rest. Servers act on it within a second. Scope `manage:account`. Free. */
  set(body: Body<"setEventSettings"> = {}, own?: CallOptions): Promise<Answer<api.EventSettingsShown>> {
    return this.send("setEventSettings", { body }, own);
  }
}

export class ManageExperiments extends Calls {
  /** All experiments of the account, newest first; one is under way at most. Scope `manage:rules`. Free. */
  list(own?: CallOptions): Listing<api.ExperimentPage, api.ExperimentShown> {
    return new Listing({
      ask: () => this.send("listExperiments", {}, own),
      hasMore: () => false,
      items: (page) => page.experiments,
    });
  }

  /** From now on a random share of cards or users is decided by the challenger: another rule set or another model. The same card or user always gets the same arm. It ends when somebody ends it, when the challenger does harm, or when what an arm decides by is changed. Scope `manage:rules`. Free. */
  start(body: Body<"startExperiment">, own?: CallOptions): Promise<Answer<api.ExperimentShown>> {
    return this.send("startExperiment", { body }, own);
  }

  /** Scope `manage:rules`. Free. */
  get(experimentId: string, own?: CallOptions): Promise<Answer<api.ExperimentShown>> {
    return this.send("getExperiment", { path: { experimentId } }, own);
  }

  /** Decisions, acceptance, fraud and money of each arm as counted by the last minute, and a sequential test, which may be looked at as often as anybody likes. Scopes `manage:rules` and `decisions`. Free. */
  getResult(experimentId: string, own?: CallOptions): Promise<Answer<api.ExperimentResult>> {
    return this.send("getExperimentResult", { path: { experimentId } }, own);
  }

  /** Everything is decided as without it again, by what is in force. This needs no second person. Scope `manage:rules`. Free. */
  end(experimentId: string, own?: CallOptions): Promise<Answer<api.ExperimentShown>> {
    return this.send("endExperiment", { path: { experimentId } }, own);
  }
}

export class ManageExplorations extends Calls {
  /** Starts a job that counts decisions by one signal or by two: how many, what became of them, fraud, money, and how many in each part of the span. Signals that tell of a person, and custom inputs, are left to the console and the command. Scopes `manage:rules` and `decisions`. Free. */
  start(body: Body<"startExploration">, own?: CallOptions): Promise<Answer<api.JobResponse>> {
    return this.send("startExploration", { body }, own);
  }
}

export class ManageFeedback extends Calls {
  /** Records up to 500 statements, each on its own: one that is refused does not keep the others from being kept. The same said again changes nothing. Scope `manage:feedback`. Free. */
  give(body: Body<"giveFeedbackInBulk">, own?: CallOptions): Promise<Answer<api.FeedbackBatchResponse>> {
    return this.send("giveFeedbackInBulk", { body }, own);
  }

  /** Starts a job that imports a file of statements, of up to 4 MiB. Its result counts them and reports rows that cannot be used. Scope `manage:feedback`. Free. */
  importMany(body: Body<"importFeedback">, own?: CallOptions & Query<"importFeedback">): Promise<Answer<api.JobResponse>> {
    return this.send("importFeedback", { query: { dryRun: own?.dryRun }, body }, own);
  }
}

export class ManageIdentities extends Calls {
  /** Starts a job that imports a file of who holds which card, of up to 4 MiB, for this account alone. Known records are brought up to date. The file is kept sealed until the job ends; its result counts records and reports rows that cannot be used. Scope `manage:identities`. Free. */
  importMany(body: Body<"importIdentities">, own?: CallOptions & Query<"importIdentities">): Promise<Answer<api.JobResponse>> {
    return this.send("importIdentities", { query: { dryRun: own?.dryRun }, body }, own);
  }

  /** The account's records of a card, a person or a reference, masked. Scope `manage:identities`. Free. */
  search(body: Body<"searchIdentities"> = {}, own?: CallOptions): Listing<api.IdentitiesFound, api.IdentitiesFound["records"][number]> {
    return new Listing({
      ask: () => this.send("searchIdentities", { body }, own),
      hasMore: () => false,
      items: (page) => page.records,
    });
  }

  /** Erases the account's records of a card, a person or a reference. Scope `manage:identities`. Free. */
  erase(body: Body<"eraseIdentities">, own?: CallOptions & Query<"eraseIdentities">): Promise<Answer<api.IdentitiesErased>> {
    return this.send("eraseIdentities", { query: { dryRun: own?.dryRun }, body }, own);
  }
}

export class ManageInvoices extends Calls {
  /** Invoices and credit notes, the newest first; at most 1,000. Scope `manage:billing`. Free. */
  list(own?: CallOptions): Listing<api.InvoiceList, api.InvoiceSummary> {
    return new Listing({
      ask: () => this.send("listInvoices", {}, own),
      hasMore: () => false,
      items: (page) => page.invoices,
    });
  }

  /** With the legal data of both sides and all its lines, as it was issued. Scope `manage:billing`. Free. */
  get(invoiceId: string, own?: CallOptions): Promise<Answer<api.Invoice>> {
    return this.send("getInvoice", { path: { invoiceId } }, own);
  }

  /** UBL 2.1 after EN 16931, for programs that read electronic invoices. Scope `manage:billing`. Free. */
  getUbl(invoiceId: string, own?: CallOptions): Promise<Answer<api.UblDocument>> {
    return this.send("getInvoiceUbl", { path: { invoiceId } }, own);
  }
}

export class ManageJobs extends JobCalls {
  /** The account's jobs that the key may see, newest first. They are kept for 30 days after their end. Any scope of management. Free. */
  list(query: Query<"listJobs"> = {}, own?: CallOptions): Listing<api.JobPage, api.JobResponse> {
    return new Listing({
      ask: (page) => {
        const startingAfter = page?.jobs.at(-1)?.jobId ?? query.startingAfter;
        return this.send("listJobs", { query: { ...query, startingAfter } }, own);
      },
      hasMore: (page) => page.hasMore && page.jobs.length > 0,
      items: (page) => page.jobs,
    });
  }

  /** How far a job is, and its result or why it failed. Ask again every second or so while it is `QUEUED` or `RUNNING`. Any scope of management. Free. */
  get(jobId: string, own?: CallOptions): Promise<Answer<api.JobResponse>> {
    return this.send("getJob", { path: { jobId } }, own);
  }

  /** Ends a job that waits. One that runs is ended within seconds; what an import has stored by then stays. Any scope of management. Free. */
  cancel(jobId: string, own?: CallOptions): Promise<Answer<api.JobResponse>> {
    return this.send("cancelJob", { path: { jobId } }, own);
  }
}

export class ManageKeys extends Calls {
  /** The account's keys, oldest first, without their text. Scope `manage:keys`. Free. */
  list(own?: CallOptions): Listing<api.KeyPage, api.KeyShown> {
    return new Listing({
      ask: () => this.send("listKeys", {}, own),
      hasMore: () => false,
      items: (page) => page.keys,
    });
  }

  /** Issues a key. It can be for every operation that reads no more than the issuing key may, for scopes of management that this has, within its networks, up to its rate limit and up to its end. Scope `manage:keys`. Free. */
  issue(body: Body<"issueKey"> = {}, own?: CallOptions): Promise<Answer<api.KeyTold>> {
    return this.send("issueKey", { body }, own);
  }

  /** Issues a successor on the same terms; the old key ends after the overlap, and the keys that it issued belong to the successor. A key can rotate itself, and keys that it could issue. The successor ends with the calling key at the latest. Scope `manage:keys`. Free. */
  rotate(keyId: string, body: Body<"rotateKey"> = {}, own?: CallOptions): Promise<Answer<api.KeyTold>> {
    return this.send("rotateKey", { path: { keyId }, body }, own);
  }

  /** Ends a key at once, on every server within a second. A key can revoke itself, and keys that it could issue. Scope `manage:keys`. Free. */
  revoke(keyId: string, body: Body<"revokeKey">, own?: CallOptions): Promise<Answer<api.KeyShown>> {
    return this.send("revokeKey", { path: { keyId }, body }, own);
  }
}

export class ManageLists extends Calls {
  /** The account's lists by name, and how many entries are in force. Scope `manage:lists`. Free. */
  list(own?: CallOptions): Listing<api.ListPage, api.ListShown> {
    return new Listing({
      ask: () => this.send("listLists", {}, own),
      hasMore: () => false,
      items: (page) => page.lists,
    });
  }

  /** Makes an empty list of a kind. Scope `manage:lists`. Free. */
  create(body: Body<"createList">, own?: CallOptions): Promise<Answer<api.ListShown>> {
    return this.send("createList", { body }, own);
  }

  /** What a list holds, and how many entries are in force. Its `ETag` is for `If-Match` of a change. Scope `manage:lists`. Free. */
  get(name: string | number, own?: CallOptions): Promise<Answer<api.ListShown>> {
    return this.send("getList", { path: { name: `${name}` } }, own);
  }

  /** Removes a list with its entries. Refused while rules in force use it. Scope `manage:lists`. Free. */
  drop(name: string | number, query: Query<"dropList"> = {}, own?: CallOptions): Promise<Answer<api.ListDropped>> {
    return this.send("dropList", { path: { name: `${name}` }, query }, own);
  }

  /** Puts up to 1,000 entries on a list. One that is on it already gets the new expiry and reason. All are added, or none if one cannot be used. Scope `manage:lists`. Free. */
  addEntries(name: string | number, body: Body<"addEntries">, own?: CallOptions & Query<"addEntries">): Promise<Answer<api.EntriesAdded>> {
    return this.send("addEntries", { path: { name: `${name}` }, query: { dryRun: own?.dryRun }, body }, own);
  }

  /** Entries by value, page by page; with `value`, only that one. A POST, because values may be personal. Cards, mailboxes and phones are shown as fingerprints. Scope `manage:lists`. Free. */
  searchEntries(name: string | number, body: Body<"searchEntries"> = {}, own?: CallOptions): Listing<api.EntryShownPage, api.EntryShown> {
    return new Listing({
      ask: (page) => {
        const cursor = page?.cursor ?? body.cursor;
        return this.send("searchEntries", { path: { name: `${name}` }, body: { ...body, cursor } }, own);
      },
      hasMore: (page) => page.hasMore,
      items: (page) => page.entries,
    });
  }

  /** Takes up to 1,000 entries off a list: all of them, or none if one is not on it. Scope `manage:lists`. Free. */
  removeEntries(name: string | number, body: Body<"removeEntries">, own?: CallOptions): Promise<Answer<api.EntriesRemoved>> {
    return this.send("removeEntries", { path: { name: `${name}` }, body }, own);
  }

  /** What was done to a list, newest first: by whom, when, and how many entries. Scope `manage:lists`. Free. */
  listOperations(name: string | number, query: Query<"listOperations"> = {}, own?: CallOptions): Listing<api.ListOperationPage, api.ListOperation> {
    return new Listing({
      ask: (page) => {
        const startingAfter = page?.cursor ?? query.startingAfter;
        return this.send("listOperations", { path: { name: `${name}` }, query: { ...query, startingAfter } }, own);
      },
      hasMore: (page) => page.hasMore,
      items: (page) => page.operations,
    });
  }
}

export class ManageModels extends Calls {
  /** The account's models, newest first. Version 0 is the scorecard that ships. Scope `manage:models`. Free. */
  list(own?: CallOptions): Listing<api.ModelPage, api.ModelShown> {
    return new Listing({
      ask: () => this.send("listModels", {}, own),
      hasMore: () => false,
      items: (page) => page.models,
    });
  }

  /** Starts a job that fits a model to recorded requests and their labels, measures it beside the one in force, and keeps it as a new version. It is not used until it is promoted. Scopes `manage:models` and `decisions`. Free. */
  train(body: Body<"startTraining"> = {}, own?: CallOptions): Promise<Answer<api.JobResponse>> {
    return this.send("startTraining", { body }, own);
  }

  /** Starts a job that checks recorded requests and their labels for what flatters or spoils a model: ten findings, each with a level, figures, and what to do. Nothing is trained or changed. Scopes `manage:models` and `decisions`. Free. */
  audits(body: Body<"auditLabels"> = {}, own?: CallOptions): Promise<Answer<api.JobResponse>> {
    return this.send("auditLabels", { body }, own);
  }

  /** Goes back to another model, by default to the one that was live before. Scope `manage:models`. Free. */
  rollback(body: Body<"rollBackModel"> = {}, own?: CallOptions): Promise<Answer<api.ModelSwitched>> {
    return this.send("rollBackModel", { body }, own);
  }

  /** One model with the report of its training. Scope `manage:models`. Free. */
  get(version: string | number, own?: CallOptions): Promise<Answer<api.ModelReported>> {
    return this.send("getModel", { path: { version: `${version}` } }, own);
  }

  /** Has Sentry score with a model from now on. Its scores are told so that thresholds in use keep the share of requests that was below them, unless they are to be told as they are. Scope `manage:models`. Free. */
  promote(version: string | number, query: Query<"promoteModel"> = {}, own?: CallOptions): Promise<Answer<api.ModelSwitched>> {
    return this.send("promoteModel", { path: { version: `${version}` }, query }, own);
  }

  /** Its scorecard and its card (what it learned from, its figures, dates and versions) as one file, which is signed: the account knows it again. Scope `manage:models`. Free. */
  exportFile(version: string | number, own?: CallOptions): Promise<Answer<api.ModelFileTold>> {
    return this.send("exportModel", { path: { version: `${version}` } }, own);
  }

  /** Keeps the model of a file as a new version. It scores nothing until it is tried in shadow or promoted, as any other. A file that this account did not export must be trusted on purpose. Scope `manage:models`. Free. */
  imports(body: Body<"importModel">, own?: CallOptions): Promise<Answer<api.ModelImported>> {
    return this.send("importModel", { body }, own);
  }

  /** Starts a job that scores recorded requests with a model and with the one in force, by what was measured when each came; or that compares what both said then, where the model scored beside the one in force. Requests are not touched, and nothing is changed. Scopes `manage:models` and `decisions`. Free. */
  tryTrials(version: string | number, body: Body<"tryModel"> = {}, own?: CallOptions): Promise<Answer<api.JobResponse>> {
    return this.send("tryModel", { path: { version: `${version}` }, body }, own);
  }

  /** What the newest trial of a model found: agreement, decisions that would differ, figures, and thresholds with one of equal share. Scopes `manage:models` and `decisions`. Free. */
  getTrial(version: string | number, own?: CallOptions): Promise<Answer<api.ModelTrialShown>> {
    return this.send("getModelTrial", { path: { version: `${version}` } }, own);
  }

  /** From then on each request is scored with both. The second score is recorded with the decision, as the signal `sentry.shadowConfidence`, and decides nothing. One model at a time. Scope `manage:models`. Free. */
  shadow(version: string | number, own?: CallOptions): Promise<Answer<api.ModelShadow>> {
    return this.send("shadowModel", { path: { version: `${version}` } }, own);
  }

  /** What was recorded stays with its decisions. Scope `manage:models`. Free. */
  stopShadow(version: string | number, own?: CallOptions): Promise<Answer<api.ModelShadow>> {
    return this.send("stopShadowModel", { path: { version: `${version}` } }, own);
  }

  /** How both compare is told by a trial by recorded scores. Scope `manage:models`. Free. */
  getShadow(version: string | number, own?: CallOptions): Promise<Answer<api.ModelShadow>> {
    return this.send("getModelShadow", { path: { version: `${version}` } }, own);
  }
}

export class ManageNotifications extends Calls {
  /** What providers told of the account's payments by themselves, newest first, and what became of it. Scope `manage:payments`. Free. */
  list(query: Query<"listNotifications"> = {}, own?: CallOptions): Listing<api.NotificationPage, api.NotificationShown> {
    return new Listing({
      ask: (page) => {
        const startingAfter = page?.notifications.at(-1)?.notificationId ?? query.startingAfter;
        return this.send("listNotifications", { query: { ...query, startingAfter } }, own);
      },
      hasMore: (page) => page.hasMore && page.notifications.length > 0,
      items: (page) => page.notifications,
    });
  }

  /** What its provider told, and what became of it. The operations of its payment name the notification that told their end. Scope `manage:payments`. Free. */
  get(notificationId: string, own?: CallOptions): Promise<Answer<api.NotificationShown>> {
    return this.send("getNotification", { path: { notificationId } }, own);
  }

  /** Lets the payment follow what its provider told, as if the notification came now. Nothing is done twice, and nothing newer is taken back. Scope `manage:payments`. Free. */
  apply(notificationId: string, own?: CallOptions): Promise<Answer<api.NotificationShown>> {
    return this.send("applyNotification", { path: { notificationId } }, own);
  }
}

export class ManageOutcomes extends Calls {
  /** Keeps up to 500 outcomes: settlements, refunds, reported frauds, alerts and disputes. Each has a reference of its own; the same again changes nothing, and a new stage or result replaces what was told before. Disputes and reports of fraud label their decisions. Scope `manage:feedback`. Free. */
  tell(body: Body<"tellOutcomes">, own?: CallOptions): Promise<Answer<api.OutcomeReceipt>> {
    return this.send("tellOutcomes", { body }, own);
  }

  /** What became of payments, newest first. Scope `manage:feedback`. Free. */
  list(query: Query<"listOutcomes"> = {}, own?: CallOptions): Listing<api.OutcomePage, api.PaymentOutcome> {
    return new Listing({
      ask: (page) => {
        const cursor = page?.nextCursor ?? query.cursor;
        return this.send("listOutcomes", { query: { ...query, cursor } }, own);
      },
      hasMore: (page) => page.hasMore,
      items: (page) => page.outcomes,
    });
  }

  /** Settled, refunded, reported as fraud and disputed, by month and currency, with how the disputes of the month ended. Amounts of different currencies are never added. Scope `manage:feedback`. Free. */
  report(query: Query<"reportOutcomes"> = {}, own?: CallOptions): Promise<Answer<api.MoneyReport>> {
    return this.send("reportOutcomes", { query }, own);
  }

  /** Found now by all that was told of the outcome. Where there is more than one, a person has to say which it is. Scopes `manage:feedback` and `decisions`. Free. */
  listCandidates(body: Body<"listOutcomeCandidates">, own?: CallOptions): Listing<api.OutcomeCandidates, api.OutcomeCandidate> {
    return new Listing({
      ask: () => this.send("listOutcomeCandidates", { body }, own),
      hasMore: () => false,
      items: (page) => page.candidates,
    });
  }

  /** Says which decision an outcome is about, or that it is about none. Its label follows. Telling the outcome again leaves this as it is. Scope `manage:feedback`. Free. */
  join(body: Body<"joinOutcome">, own?: CallOptions): Promise<Answer<api.PaymentOutcome>> {
    return this.send("joinOutcome", { body }, own);
  }

  /** Looks for the decisions of the newest 2,000 outcomes that have none, settlements left out: a decision or an ARN may be known by now. Scope `manage:feedback`. Free. */
  rejoin(own?: CallOptions): Promise<Answer<api.JoinedAgain>> {
    return this.send("rejoinOutcomes", {}, own);
  }

  /** Starts a job that imports a file of an acquirer, of up to 4 MiB. Its result counts the rows and reports those that cannot be used. Scope `manage:feedback`. Free. */
  imports(body: Body<"importOutcomes">, own?: CallOptions & Query<"importOutcomes">): Promise<Answer<api.JobResponse>> {
    return this.send("importOutcomes", { query: { dryRun: own?.dryRun }, body }, own);
  }
}

export class ManagePayments extends Calls {
  /** Payments that a provider authorized and that stand, newest first, each with what was done with it. Scope `manage:payments`. Free. */
  list(query: Query<"listPayments"> = {}, own?: CallOptions): Listing<api.PaymentPage, api.PaymentShown> {
    return new Listing({
      ask: (page) => {
        const startingAfter = page?.payments.at(-1)?.requestId ?? query.startingAfter;
        return this.send("listPayments", { query: { ...query, startingAfter } }, own);
      },
      hasMore: (page) => page.hasMore && page.payments.length > 0,
      items: (page) => page.payments,
    });
  }

  /** What was authorized, captured and refunded, and every operation. Scope `manage:payments`. Free. */
  get(requestId: string, own?: CallOptions): Promise<Answer<api.PaymentShown>> {
    return this.send("getPayment", { path: { requestId } }, own);
  }

  /** Has the provider collect the whole amount or a part of it; several parts come to no more than what was authorized. The operation is kept at once and sent right after; ask for the payment, or wait for the event, to know its end. Scope `manage:payments`. Free. */
  capture(requestId: string, body: Body<"capturePayment"> = {}, own?: CallOptions): Promise<Answer<api.PaymentShown>> {
    return this.send("capturePayment", { path: { requestId }, body }, own);
  }

  /** Gives up a payment of which nothing was captured: the provider reverses its authorization. Scope `manage:payments`. Free. */
  void(requestId: string, own?: CallOptions): Promise<Answer<api.PaymentShown>> {
    return this.send("voidPayment", { path: { requestId } }, own);
  }

  /** Gives back what was captured, whole or in parts that come to no more than that. Scope `manage:payments`. Free. */
  refund(requestId: string, body: Body<"refundPayment"> = {}, own?: CallOptions): Promise<Answer<api.PaymentShown>> {
    return this.send("refundPayment", { path: { requestId }, body }, own);
  }

  /** Says what a person found out at the provider about a capture or refund of which no answer came. Scope `manage:payments`. Free. */
  operationsSettle(requestId: string, operationId: string, body: Body<"settlePaymentOperation">, own?: CallOptions): Promise<Answer<api.PaymentShown>> {
    return this.send("settlePaymentOperation", { path: { requestId, operationId }, body }, own);
  }
}

export class ManagePipelines extends Calls {
  /** The pipelines in force, by name. Scope `manage:pipelines`. Free. */
  list(own?: CallOptions): Listing<api.ConfiguredPage, api.ConfiguredSummary> {
    return new Listing({
      ask: () => this.send("listPipelineDefinitions", {}, own),
      hasMore: () => false,
      items: (page) => page.items,
    });
  }

  /** One version of a pipeline as its author wrote it, by default the one in force. Its `ETag` is for `If-Match` of a change. Scope `manage:pipelines`. Free. */
  get(name: string | number, query: Query<"getPipelineDefinition"> = {}, own?: CallOptions): Promise<Answer<api.VersionShown>> {
    return this.send("getPipelineDefinition", { path: { name: `${name}` }, query }, own);
  }

  /** Makes a document the next version of its pipeline and puts it in force. If there is one already, `If-Match` must name the version that was changed. Scope `manage:pipelines`. Free. */
  apply(name: string | number, body: Body<"applyPipelineDefinition">, own?: CallOptions & Query<"applyPipelineDefinition">): Promise<Answer<api.VersionApplied>> {
    return this.send("applyPipelineDefinition", { path: { name: `${name}` }, query: { dryRun: own?.dryRun }, body }, own);
  }

  /** All versions, newest first: who made which when, and why. Scope `manage:pipelines`. Free. */
  listVersions(name: string | number, query: Query<"listPipelineDefinitionVersions"> = {}, own?: CallOptions): Listing<api.VersionPage, api.VersionEntry> {
    return new Listing({
      ask: (page) => {
        const startingAfter = page?.versions.at(-1)?.version ?? query.startingAfter;
        return this.send("listPipelineDefinitionVersions", { path: { name: `${name}` }, query: { ...query, startingAfter } }, own);
      },
      hasMore: (page) => page.hasMore && page.versions.length > 0,
      items: (page) => page.versions,
    });
  }

  /** Says everything that is wrong with a document, and what it would change. Changes nothing. Scope `manage:pipelines`. Free. */
  check(body: Body<"checkPipelineDefinition">, own?: CallOptions): Promise<Answer<api.DocumentChecked>> {
    return this.send("checkPipelineDefinition", { body }, own);
  }

  /** Puts an earlier version in force again. With `If-Match`, only if that version is in force. Scope `manage:pipelines`. Free. */
  rollback(name: string | number, body: Body<"rollBackPipelineDefinition"> = {}, own?: CallOptions & Query<"rollBackPipelineDefinition">): Promise<Answer<api.VersionReturned>> {
    return this.send("rollBackPipelineDefinition", { path: { name: `${name}` }, query: { dryRun: own?.dryRun }, body }, own);
  }
}

export class ManagePolicies extends Calls {
  /** What PreCheck's results become, what Sentry remembers for the account, and by which costs it advises. Scope `manage:account`. Free. */
  get(own?: CallOptions): Promise<Answer<api.PoliciesShown>> {
    return this.send("getPolicies", {}, own);
  }

  /** Sets the advice for the named results; other results keep theirs. Scope `manage:account`. Free. */
  setPrecheck(body: Body<"setPreCheckPolicy"> = {}, own?: CallOptions): Promise<Answer<api.PoliciesShown>> {
    return this.send("setPreCheckPolicy", { body }, own);
  }

  /** Has Sentry remember these custom inputs; what it finds by itself comes after them. Scope `manage:account`. Free. */
  setSentry(body: Body<"setSentryPolicy">, own?: CallOptions): Promise<Answer<api.PoliciesShown>> {
    return this.send("setSentryPolicy", { body }, own);
  }

  /** Keys of `customInputs` that look like identifiers or categories and are remembered although nobody declared them, and those that the account refused. Scope `manage:account`. Free. */
  listSentryFound(own?: CallOptions): Listing<api.FoundInputsShown, api.FoundInputShown> {
    return new Listing({
      ask: () => this.send("listFoundInputs", {}, own),
      hasMore: () => false,
      items: (page) => page.inputs,
    });
  }

  /** A no stays one, and can be said before the key is found. Servers follow within a second. Scope `manage:account`. Free. */
  setSentryFound(body: Body<"setFoundInput">, own?: CallOptions): Promise<Answer<api.FoundInputsShown>> {
    return this.send("setFoundInput", { body }, own);
  }

  /** Has Sentry work out what accepting, reviewing and declining an order would cost, and advise the cheapest. Scope `manage:account`. Free. */
  setCosts(body: Body<"setCosts">, own?: CallOptions): Promise<Answer<api.PoliciesShown>> {
    return this.send("setCosts", { body }, own);
  }

  /** Sentry advises by expected cost no more. Scope `manage:account`. Free. */
  clearCosts(own?: CallOptions): Promise<Answer<api.PoliciesShown>> {
    return this.send("clearCosts", {}, own);
  }

  /** The time zone whose midnights months begin at. Scope `manage:account`. Free. */
  getReports(own?: CallOptions): Promise<Answer<api.ReportSettings>> {
    return this.send("getReportSettings", {}, own);
  }

  /** Reports that were made stay as they are. Scope `manage:account`. Free. */
  setReports(body: Body<"setReportSettings"> = {}, own?: CallOptions): Promise<Answer<api.ReportSettings>> {
    return this.send("setReportSettings", { body }, own);
  }

  /** And of how many orders something is kept now. Scope `manage:account`. Free. */
  getEvidence(own?: CallOptions): Promise<Answer<api.EvidenceKept>> {
    return this.send("getEvidencePolicy", {}, own);
  }

  /** From now on IP address, device, customer account, e-mail address, shipping address and what was sold stay readable for 485 days, sealed. What was kept before stays until it is that old. Scope `manage:account`. Free. */
  setEvidence(body: Body<"setEvidencePolicy">, own?: CallOptions): Promise<Answer<api.EvidenceKept>> {
    return this.send("setEvidencePolicy", { body }, own);
  }
}

export class ManagePrivacy extends Calls {
  /** Starts a job that makes a person anonymous in decisions, and erases them from reviews, kept answers, identity records and, if wanted, lists. Scopes `manage:identities` and `decisions`. Free. */
  erase(body: Body<"erasePerson"> = {}, own?: CallOptions & Query<"erasePerson">): Promise<Answer<api.JobResponse>> {
    return this.send("erasePerson", { query: { dryRun: own?.dryRun }, body }, own);
  }
}

export class ManageProgrammes extends Calls {
  /** How a month stands against the thresholds of Visa and Mastercard, for the account and for each merchant id, by network and region. Visa divides by the sales of the same month, Mastercard by those of the month before. A forecast says what the month will come to, by what earlier months of the account were like. Causes say which rules and decisions let the orders through. Scope `manage:feedback`. Free. */
  get(query: Query<"getProgrammes"> = {}, own?: CallOptions): Promise<Answer<api.ProgrammeReport>> {
    return this.send("getProgrammes", { query }, own);
  }

  /** The table that months are metered by: which ratio, how many events and what else each level asks for, since when, where the figures are from, and which are only from memory. Scope `manage:feedback`. Free. */
  getThresholds(own?: CallOptions): Promise<Answer<api.ThresholdTable>> {
    return this.send("getProgrammeThresholds", {}, own);
  }

  /** Starts a job that counts the authorizations of a month in which cards were tried out: one BIN, many cards, few amounts. Its result is beside the network's limit; the network's own flag is not shown to merchants. Scopes `manage:feedback` and `decisions`. Free. */
  estimateEnumeration(body: Body<"estimateEnumeration"> = {}, own?: CallOptions): Promise<Answer<api.JobResponse>> {
    return this.send("estimateEnumeration", { body }, own);
  }

  /** Starts a job that judges recorded requests, by default those of the last 90 days, by a document. Its result says what the ratios of each month would have been without the payments that the rule set declines, and which sales would have been lost. Changes nothing. Scopes `manage:rules` and `decisions`. Free. */
  startWhatIf(body: Body<"startProgrammesWhatIf">, own?: CallOptions): Promise<Answer<api.JobResponse>> {
    return this.send("startProgrammesWhatIf", { body }, own);
  }
}

export class ManageReports extends Calls {
  /** The report on each month is made by itself once the month is over, and `report.ready` tells. Scopes `manage:account` and `decisions`. Free. */
  list(own?: CallOptions): Listing<api.ReportList, api.ReportLine> {
    return new Listing({
      ask: () => this.send("listReports", {}, own),
      hasMore: () => false,
      items: (page) => page.reports,
    });
  }

  /** Starts a job. The report takes the place of the one on the same month, with all that was told since. A month that is not over yet is reported on up to now. Scopes `manage:account` and `decisions`. Free. */
  make(body: Body<"makeReport">, own?: CallOptions): Promise<Answer<api.JobResponse>> {
    return this.send("makeReport", { body }, own);
  }

  /** Orders, acceptance, fraud and disputes by number and money, reviews and who did them, rules, markets, and orders before and after each change of rules, as known when it was made. Scopes `manage:account` and `decisions`. Free. */
  get(month: string | number, own?: CallOptions): Promise<Answer<api.MonthlyReport>> {
    return this.send("getReport", { path: { month: `${month}` } }, own);
  }
}

export class ManageRings extends Calls {
  /** Rings of the account: people who share cards, contacts, devices or addresses, directly or over others. They are listed by the newest decisions that name one. Scopes `manage:lists` and `decisions`. Free. */
  list(query: Query<"listRings"> = {}, own?: CallOptions): Listing<api.RingPage, api.RingShown> {
    return new Listing({
      ask: () => this.send("listRings", { query }, own),
      hasMore: () => false,
      items: (page) => page.rings,
    });
  }

  /** Its members as decisions keep them, its money, its newest decisions, and what they turned out to be. Scopes `manage:lists` and `decisions`. Free. */
  get(ringId: string, own?: CallOptions): Promise<Answer<api.RingDetails>> {
    return this.send("getRing", { path: { ringId } }, own);
  }

  /** Puts all users, cards, mailboxes, phones and devices of a ring on lists, with a reason and an expiry. What a list does is up to the rules that name it. Addresses are left out: others have them, too. Scopes `manage:lists` and `decisions`. Free. */
  blocking(ringId: string, body: Body<"blockRing">, own?: CallOptions & Query<"blockRing">): Promise<Answer<api.RingBlocked>> {
    return this.send("blockRing", { path: { ringId }, query: { dryRun: own?.dryRun }, body }, own);
  }
}

export class ManageRoles extends Calls {
  /** The roles that every account has, and those that this one made of permissions. Scope `manage:people`. Free. */
  list(own?: CallOptions): Listing<api.RoleList, api.RoleShown> {
    return new Listing({
      ask: () => this.send("listRoles", {}, own),
      hasMore: () => false,
      items: (page) => page.roles,
    });
  }

  /** Nobody gives a permission without having it; a key gives none for personal data, money, people, keys and approvals. Scope `manage:people`. Free. */
  make(body: Body<"makeRole">, own?: CallOptions): Promise<Answer<api.RoleShown>> {
    return this.send("makeRole", { body }, own);
  }

  /** What people with a role may do. Its `ETag` is for `If-Match` of a change. Scope `manage:people`. Free. */
  get(roleId: string, own?: CallOptions): Promise<Answer<api.RoleShown>> {
    return this.send("getRole", { path: { roleId } }, own);
  }

  /** It counts at once for everybody who has it. Only who may do all that it allows, before and after, changes a role. Scope `manage:people`. Free. */
  change(roleId: string, body: Body<"changeRole">, own?: CallOptions): Promise<Answer<api.RoleShown>> {
    return this.send("changeRole", { path: { roleId }, body }, own);
  }

  /** Scope `manage:people`. Free. */
  delete(roleId: string, own?: CallOptions): Promise<Answer<api.RoleDeleted>> {
    return this.send("deleteRole", { path: { roleId } }, own);
  }
}

export class ManageRules extends Calls {
  /** The rule sets in force, by name. Scope `manage:rules`. Free. */
  list(own?: CallOptions): Listing<api.ConfiguredPage, api.ConfiguredSummary> {
    return new Listing({
      ask: () => this.send("listRuleSets", {}, own),
      hasMore: () => false,
      items: (page) => page.items,
    });
  }

  /** One version of a rule set as its author wrote it, by default the one in force. Its `ETag` is for `If-Match` of a change. Scope `manage:rules`. Free. */
  get(name: string | number, query: Query<"getRuleSet"> = {}, own?: CallOptions): Promise<Answer<api.VersionShown>> {
    return this.send("getRuleSet", { path: { name: `${name}` }, query }, own);
  }

  /** Makes a document the next version of its rule set and puts it in force. If there is one already, `If-Match` must name the version that was changed. Scope `manage:rules`. Free. */
  apply(name: string | number, body: Body<"applyRuleSet">, own?: CallOptions & Query<"applyRuleSet">): Promise<Answer<api.VersionApplied>> {
    return this.send("applyRuleSet", { path: { name: `${name}` }, query: { dryRun: own?.dryRun }, body }, own);
  }

  /** All versions, newest first: who made which when, and why. Scope `manage:rules`. Free. */
  listVersions(name: string | number, query: Query<"listRuleSetVersions"> = {}, own?: CallOptions): Listing<api.VersionPage, api.VersionEntry> {
    return new Listing({
      ask: (page) => {
        const startingAfter = page?.versions.at(-1)?.version ?? query.startingAfter;
        return this.send("listRuleSetVersions", { path: { name: `${name}` }, query: { ...query, startingAfter } }, own);
      },
      hasMore: (page) => page.hasMore && page.versions.length > 0,
      items: (page) => page.versions,
    });
  }

  /** Says everything that is wrong with a document, and what it would change. Changes nothing. Scope `manage:rules`. Free. */
  check(body: Body<"checkRuleSet">, own?: CallOptions): Promise<Answer<api.DocumentChecked>> {
    return this.send("checkRuleSet", { body }, own);
  }

  /** Puts an earlier version in force again. With `If-Match`, only if that version is in force. Scope `manage:rules`. Free. */
  rollback(name: string | number, body: Body<"rollBackRuleSet"> = {}, own?: CallOptions & Query<"rollBackRuleSet">): Promise<Answer<api.VersionReturned>> {
    return this.send("rollBackRuleSet", { path: { name: `${name}` }, query: { dryRun: own?.dryRun }, body }, own);
  }

  /** Shows which rules of a document match a case, and the values that they looked at. Changes nothing. Scope `manage:rules`. Free. */
  tryOut(body: Body<"tryRuleSet">, own?: CallOptions): Promise<Answer<api.TrialResponse>> {
    return this.send("tryRuleSet", { body }, own);
  }

  /** Starts a job that judges recorded requests by a document, each by what was known when it came. Its result says what would have been decided, caught and lost, in millionths by currency. Changes nothing. Scopes `manage:rules` and `decisions`. Free. */
  backtest(body: Body<"startBacktest">, own?: CallOptions): Promise<Answer<api.JobResponse>> {
    return this.send("startBacktest", { body }, own);
  }

  /** A rule of the version in force, in words and as written, with the versions in which it changed. Scope `manage:rules`. Free. */
  getRules(name: string | number, rule: string | number, own?: CallOptions): Promise<Answer<api.RuleShown>> {
    return this.send("getRule", { path: { name: `${name}`, rule: `${rule}` } }, own);
  }

  /** Makes a version of the rule set in which the rule is off, only watches, or decides, and puts it in force. With `If-Match`, only if that version is in force. Scope `manage:rules`. Free. */
  switchRulesState(name: string | number, rule: string | number, body: Body<"switchRule">, own?: CallOptions & Query<"switchRule">): Promise<Answer<api.VersionApplied>> {
    return this.send("switchRule", { path: { name: `${name}`, rule: `${rule}` }, query: { dryRun: own?.dryRun }, body }, own);
  }
}

export class ManageStatement extends Calls {
  /** What moved the balance, as `/api/v1/statement` tells it. Scope `manage:billing`. Free. */
  get(query: Query<"getManagedStatement"> = {}, own?: CallOptions): Promise<Answer<api.StatementResponse>> {
    return this.send("getManagedStatement", { query }, own);
  }
}

export class ManageTopUpLimit extends Calls {
  /** The most that cards are charged in a day by top-ups, and what is left of it. Scope `manage:billing`. Free. */
  get(own?: CallOptions): Promise<Answer<api.TopUpLimitShown>> {
    return this.send("getTopUpLimit", {}, own);
  }

  /** It holds for top-ups of every kind together. It needs the scope `manage:billing`, too; a key can lower it, and a person raises it. Scope `manage:payments`. Free. */
  set(body: Body<"setTopUpLimit">, own?: CallOptions): Promise<Answer<api.TopUpLimitShown>> {
    return this.send("setTopUpLimit", { body }, own);
  }
}

export class ManageTopUps extends Calls {
  /** The newest first, with what became of each. Scope `manage:billing`. Free. */
  list(own?: CallOptions): Listing<api.TopUpList, api.TopUpShown> {
    return new Listing({
      ask: () => this.send("listTopUps", {}, own),
      hasMore: () => false,
      items: (page) => page.topUps,
    });
  }

  /** Answers the address of a page of the payment provider, on which a person pays by card. Where the provider takes longer than some seconds, `url` is null; then ask for the top-up again. What is paid is added to the balance once, with the id of the top-up as its reference. With `storeCard`, or where a limit of a day is set, it needs the scope `manage:payments`, too. Scope `manage:billing`. Free. */
  create(body: Body<"createTopUp">, own?: CallOptions): Promise<Answer<api.TopUpShown>> {
    return this.send("createTopUp", { body }, own);
  }

  /** How far it is, and the address of its page. Scope `manage:billing`. Free. */
  get(topUpId: string, own?: CallOptions): Promise<Answer<api.TopUpShown>> {
    return this.send("getTopUp", { path: { topUpId } }, own);
  }
}

export class ManageUsage extends Calls {
  /** Decided requests by day and operation, and what they were charged, of a month (by default this) or of up to 92 days; or by key, pipeline or tag, per day or month. Tags are of decisions: they need the scope `decisions`, too. Scope `manage:billing`. Free. */
  get(query: Query<"getUsage"> = {}, own?: CallOptions): Promise<Answer<api.UsageResponse>> {
    return this.send("getUsage", { query }, own);
  }
}

export class ManageWebhooks extends Calls {
  /** The account's webhooks, oldest first, without their secrets. Scope `manage:webhooks`. Free. */
  list(own?: CallOptions): Listing<api.WebhookPage, api.PublicWebhook> {
    return new Listing({
      ask: () => this.send("listWebhooks", {}, own),
      hasMore: () => false,
      items: (page) => page.webhooks,
    });
  }

  /** Adds an address that is told of events. The answer holds the secret, which cannot be had again. Events need the scopes that reading their data needs: whole requests `decisions` or, of reviews, `reviews`, and money `billing`. Scope `manage:webhooks`. Free. */
  create(body: Body<"createWebhook">, own?: CallOptions): Promise<Answer<api.PublicWebhook>> {
    return this.send("createWebhook", { body }, own);
  }

  /** One webhook, and how it is getting on. Scope `manage:webhooks`. Free. */
  get(webhookId: string, own?: CallOptions): Promise<Answer<api.PublicWebhook>> {
    return this.send("getWebhook", { path: { webhookId } }, own);
  }

  /** Changes what is named. One that is enabled again goes on where it stopped. But for disabling it, this needs the scopes that adding it would. Scope `manage:webhooks`. Free. */
  update(webhookId: string, body: Body<"updateWebhook"> = {}, own?: CallOptions): Promise<Answer<api.PublicWebhook>> {
    return this.send("updateWebhook", { path: { webhookId }, body }, own);
  }

  /** Deletes a webhook. When this is answered, nothing is sent to it any more. Scope `manage:webhooks`. Free. */
  delete(webhookId: string, own?: CallOptions): Promise<Answer<api.WebhookDeleted>> {
    return this.send("deleteWebhook", { path: { webhookId } }, own);
  }

  /** Gives a webhook a new secret. For a while messages are signed with both. Scope `manage:webhooks`. Free. */
  rotateSecret(webhookId: string, body: Body<"rotateWebhookSecret"> = {}, own?: CallOptions): Promise<Answer<api.PublicWebhook>> {
    return this.send("rotateWebhookSecret", { path: { webhookId }, body }, own);
  }

  /** Sends a message of type `webhook.test` at once, and says what was answered. Scope `manage:webhooks`. Free. */
  test(webhookId: string, own?: CallOptions): Promise<Answer<api.PublicAttempt>> {
    return this.send("testWebhook", { path: { webhookId } }, own);
  }

  /** Attempts to send messages of the last 30 days, newest first, without bodies; those about events that the caller may read. Scope `manage:webhooks`. Free. */
  listAttempts(webhookId: string, query: Query<"listWebhookAttempts"> = {}, own?: CallOptions): Listing<api.AttemptPage, api.PublicAttempt> {
    return new Listing({
      ask: (page) => {
        const startingAfter = page?.attempts.at(-1)?.id ?? query.startingAfter;
        return this.send("listWebhookAttempts", { path: { webhookId }, query: { ...query, startingAfter } }, own);
      },
      hasMore: (page) => page.hasMore && page.attempts.length > 0,
      items: (page) => page.attempts,
    });
  }

  /** Sends one message again, or all of a span of time. Their ids stay the same. It needs the scopes that reading their events needs. Scope `manage:webhooks`. Free. */
  replay(webhookId: string, body: Body<"replayWebhookMessages"> = {}, own?: CallOptions): Promise<Answer<api.ReplayStarted>> {
    return this.send("replayWebhookMessages", { path: { webhookId }, body }, own);
  }
}

/** The management API; the key needs `manage`, or a scope of the subject. */
export class Manage {
  readonly account: ManageAccount;
  readonly alerts: ManageAlerts;
  readonly audit: ManageAudit;
  readonly authentication: ManageAuthentication;
  readonly autoTopUp: ManageAutoTopUp;
  readonly balance: ManageBalance;
  readonly billingDetails: ManageBillingDetails;
  readonly bulk: ManageBulk;
  readonly connectors: ManageConnectors;
  readonly decisions: ManageDecisions;
  readonly disputes: ManageDisputes;
  readonly drift: ManageDrift;
  readonly events: ManageEvents;
  readonly experiments: ManageExperiments;
  readonly explorations: ManageExplorations;
  readonly feedback: ManageFeedback;
  readonly identities: ManageIdentities;
  readonly invoices: ManageInvoices;
  readonly jobs: ManageJobs;
  readonly keys: ManageKeys;
  readonly lists: ManageLists;
  readonly models: ManageModels;
  readonly notifications: ManageNotifications;
  readonly outcomes: ManageOutcomes;
  readonly payments: ManagePayments;
  readonly pipelines: ManagePipelines;
  readonly policies: ManagePolicies;
  readonly privacy: ManagePrivacy;
  readonly programmes: ManageProgrammes;
  readonly reports: ManageReports;
  readonly rings: ManageRings;
  readonly roles: ManageRoles;
  readonly rules: ManageRules;
  readonly statement: ManageStatement;
  readonly topUpLimit: ManageTopUpLimit;
  readonly topUps: ManageTopUps;
  readonly usage: ManageUsage;
  readonly webhooks: ManageWebhooks;

  constructor(send: Send) {
    this.account = new ManageAccount(send);
    this.alerts = new ManageAlerts(send);
    this.audit = new ManageAudit(send);
    this.authentication = new ManageAuthentication(send);
    this.autoTopUp = new ManageAutoTopUp(send);
    this.balance = new ManageBalance(send);
    this.billingDetails = new ManageBillingDetails(send);
    this.bulk = new ManageBulk(send);
    this.connectors = new ManageConnectors(send);
    this.decisions = new ManageDecisions(send);
    this.disputes = new ManageDisputes(send);
    this.drift = new ManageDrift(send);
    this.events = new ManageEvents(send);
    this.experiments = new ManageExperiments(send);
    this.explorations = new ManageExplorations(send);
    this.feedback = new ManageFeedback(send);
    this.identities = new ManageIdentities(send);
    this.invoices = new ManageInvoices(send);
    this.jobs = new ManageJobs(send);
    this.keys = new ManageKeys(send);
    this.lists = new ManageLists(send);
    this.models = new ManageModels(send);
    this.notifications = new ManageNotifications(send);
    this.outcomes = new ManageOutcomes(send);
    this.payments = new ManagePayments(send);
    this.pipelines = new ManagePipelines(send);
    this.policies = new ManagePolicies(send);
    this.privacy = new ManagePrivacy(send);
    this.programmes = new ManageProgrammes(send);
    this.reports = new ManageReports(send);
    this.rings = new ManageRings(send);
    this.roles = new ManageRoles(send);
    this.rules = new ManageRules(send);
    this.statement = new ManageStatement(send);
    this.topUpLimit = new ManageTopUpLimit(send);
    this.topUps = new ManageTopUps(send);
    this.usage = new ManageUsage(send);
    this.webhooks = new ManageWebhooks(send);
  }
}
