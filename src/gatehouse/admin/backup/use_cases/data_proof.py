"""Proves that a database holds together: ledger, audit trail, signatures, people, root secret."""

from typing import Final

from gatehouse.admin.audit.use_cases import head, verify
from gatehouse.admin.money.use_cases.money import verify_ledger
from gatehouse.admin.people.use_cases.users import problems as people_problems
from gatehouse.admin.secrets.use_cases.secrets import refused_configurations
from gatehouse.core.api_values import CamelStruct
from gatehouse.core.errors import Conflict
from gatehouse.core.wording.sentences import Phrase
from gatehouse.store.admin.admin_session import AdminSession

_UNSOUND: Final = Phrase("refused.data_unsound", "the data does not hold together: {problem}{more}")


class DataProof(CamelStruct):
    """What was compared and found right."""

    accounts: int
    ledger_entries: int
    decisions: int
    audit_lines: int
    audit_head: str


def prove_data(session: AdminSession) -> DataProof:
    """Check all that can be checked; `Conflict` names what does not hold."""
    ledger, trail = verify_ledger(session), verify(session)
    refused = refused_configurations(session)
    problems = [*ledger.problems, *trail.problems, *refused.values(), *people_problems(session)]
    if problems:
        more = "" if len(problems) == 1 else f" (and {len(problems) - 1} other problems)"
        raise Conflict(_UNSOUND(problem=problems[0], more=more))
    return DataProof(
        accounts=ledger.accounts,
        ledger_entries=ledger.entries,
        decisions=ledger.records,
        audit_lines=trail.lines,
        audit_head=str(head(session)),
    )
