"""What the command line adds to a refusal: the command or option that helps, by the refusal's code.

Other faces say the same refusals without it.
"""

from collections.abc import Mapping
from typing import Final

from gatehouse.core.wording.sentences import PHRASES, Sentence, encoding

_PEOPLE: Final = "{said}; see: gatehouse users list"
_MODELS: Final = "{said}; see: gatehouse sentry models"
HINTS: Final[Mapping[str, str]] = {
    "connector.not_released": "its secrets and files were not released to {destinations}; at a "
    "terminal of the server, run: gatehouse connectors apply FILE",
    "document.apply_first": "{said}: gatehouse rules apply",
    "document.make_first": "{said}: gatehouse lists create",
    "document.rule_no_list": "{said}: gatehouse lists create {list} --kind {kind}",
    "refused.account_closed_on": "account {account_id} was closed on {at}; to use it again: "
    "gatehouse accounts reopen --account {account_id} --reason ...",
    "refused.audit_damaged": "{why}; see: gatehouse audit verify",
    "refused.audit_first": "{said} before: gatehouse audit verify",
    "refused.audit_head": "{said}, as gatehouse audit head prints it",
    "refused.audit_line_damaged": "{said}; see: gatehouse audit verify",
    "refused.backtest_room": "make room, take a shorter span, or name another folder (TMPDIR, "
    "--out)",
    "refused.backtest_signal": "{said}; see: gatehouse rules signals",
    "refused.configuration_refused": "{said}; to accept it as it is: gatehouse secrets "
    "sign-configuration {option}",
    "refused.event_unknown": "{said}; see: gatehouse events list",
    "refused.is_operator": _PEOPLE,
    "refused.ledger_after": "--after takes what the page before gave as its next",
    "refused.list_argument": "{said}: give it by --file FILE, or type it after --file -",
    "refused.list_expires_in": "--expires-in must be more than nothing, such as 30d",
    "refused.list_nothing_given": "{said}: --file FILE, or --file - to type",
    "refused.list_used": "{said}, or add --force",
    "refused.login_known": _PEOPLE,
    "refused.model_rolled_back": "model {before} is live since a rollback; say which version to "
    "go back to: gatehouse sentry rollback --to VERSION, one of {others}",
    "refused.no_connectors": "{said}; see: gatehouse connectors apply --help",
    "refused.no_connectors_version": "{said}; see: gatehouse connectors history",
    "refused.no_decision": "{said}; see: gatehouse decisions list",
    "refused.no_job": "{said}; see: gatehouse jobs list",
    "refused.no_list": "{said}; see: gatehouse lists show, or make it with: gatehouse lists create "
    "NAME --kind KIND",
    "refused.no_live_model": _MODELS,
    "refused.no_model": _MODELS,
    "refused.no_model_to_leave": "{said}; to use a model: gatehouse sentry promote VERSION",
    "refused.no_person": _PEOPLE,
    "refused.no_record": "{said}; see: gatehouse identities count",
    "refused.no_such_account": "{said}; see: gatehouse accounts list",
    "refused.people_refused": "{said}; to go on without the rows that were changed: gatehouse "
    "users repair",
    "refused.record_elsewhere": "{said}; add --account, or --every-account",
    "refused.reference_taken": "{said} with: gatehouse balance adjust",
    "refused.shipped_model": "{said}: gatehouse sentry rollback --to 0",
    "refused.stage_list": "{said}; see: gatehouse lists show",
    "refused.statement_sum": "{said}; see: gatehouse ledger verify",
    "refused.training_packages": "{said}; in a checkout: pip install --require-hashes -r "
    "requirements/learning.lock",
    "refused.what_no_version": "{said}; see: {command}",
    "refused.what_none": "{said}; see: {command}",
    "refused.what_stale": "{what} is at version {version} (made by {actor}, in force since "
    "{since}), you saw {seen}; look at it: {command}, then apply again",
}
"""How a terminal words a refusal; `{said}` is what the refusal says by itself."""


def hinted(said: object) -> str:
    """Anything as text; a sentence with the commands that help, also in the sentences within it."""
    if not isinstance(said, Sentence):
        return str(said)
    values = {
        name: hinted(value) if isinstance(value, Sentence) else value
        for name, value in said.values.items()
    }
    text = str(said)
    if values != said.values and said.key in PHRASES:
        text = PHRASES[said.key].english.format_map(values)
    return HINTS.get(said.key, "{said}").format_map({**values, "said": text})


as_hinted: Final = encoding(hinted)
"""Writes sentences so in JSON."""
