"""What rule sets and pipelines have in common on pages: history, differences, rolling back."""

import difflib
from dataclasses import dataclass
from typing import Any, Final

from starlette.responses import Response

from gatehouse.access.roles import Permission
from gatehouse.admin.approvals.pages import propose
from gatehouse.admin.approvals.use_cases import approvals
from gatehouse.admin.approvals.use_cases.proposed import RollBackPipeline, RollBackRules
from gatehouse.admin.configurations.types import VersionApplied, VersionReturn
from gatehouse.admin.configurations.use_cases import configurations
from gatehouse.admin.configurations.use_cases.configurations import ConfigurationType
from gatehouse.admin.rule_sets.use_cases.rule_sets import RULE_SETS
from gatehouse.console.forms.numbers import read_number
from gatehouse.console.pages import Action, Declared, Page
from gatehouse.console.refusals import PageRefused
from gatehouse.console.serving.cookies import Notice
from gatehouse.console.visit import Visit
from gatehouse.core.documents.reading import LARGEST_DOCUMENT
from gatehouse.core.documents.yaml_document import DocumentRefused, Flaw
from gatehouse.core.wording.sentences import each_line, said_by
from gatehouse.store.admin.use_case import Precondition

DOCUMENT_BYTES: Final = 3 * LARGEST_DOCUMENT + 64 * 1024
"""A document as a form sends it, where every character may take three bytes."""
_MOST_LINES: Final = 2000


@dataclass(frozen=True)
class DiffLine:
    """One line of two documents side by side: new, gone, the same, or left out."""

    mark: str
    text: str


@dataclass(frozen=True)
class VersionPages:
    """The pages about the versions of one type of configuration."""

    kind: ConfigurationType[Any]
    subject: str
    """What the names of its pages begin with."""
    place: str
    """What the path calls the name of one."""

    @property
    def change(self) -> Permission:
        """Who may change one, or at least propose it."""
        return Permission.PROPOSE if self.kind is RULE_SETS else Permission.CONFIGURE

    def declared(self, path: str) -> tuple[Declared, ...]:
        """The pages and the action below the path of one."""
        name = self.subject
        return (
            Page(f"{path}/history", f"{name}-history", self.history, permission=Permission.SEE),
            Page(
                f"{path}/versions/{{version}}",
                f"{name}-version",
                self.version,
                permission=Permission.SEE,
            ),
            Action(
                f"{path}/rollback",
                f"{name}-rollback",
                self.roll_back,
                again=self.history,
                permission=self.change,
            ),
        )

    def needs_approval(self, visit: Visit) -> bool:
        """Whether another person has to approve a change: any, or one of somebody who proposes."""
        approval = self.kind.approval
        wanted = approvals.wanted(*visit.opened)
        return approval in wanted or not visit.may(Permission.CONFIGURE)

    def history(self, visit: Visit) -> Response:
        """All versions, newest first."""
        name = visit.place(self.place)
        return visit.render(
            "configured/history.html",
            pages=self,
            name=name,
            versions=configurations.history(*visit.opened, self.kind, name),
            proposing=self.needs_approval(visit),
        )

    def version(self, visit: Visit) -> Response:
        """One version: what changed in it, and its document."""
        name, number = visit.place(self.place), read_number(visit.place("version"))
        if number is None:
            raise PageRefused(404, "versions.none")
        versions = configurations.history(*visit.opened, self.kind, name)
        numbers = [each.version for each in versions]
        other = read_number(visit.query["with"])
        if other not in numbers or other == number:
            other = max((each for each in numbers if each < number), default=None)
        found = configurations.compare(*visit.opened, self.kind, name, (other, number))
        old = "" if found.old is None else found.old.document
        return visit.render(
            "configured/version.html",
            pages=self,
            name=name,
            found=found,
            line=next(each for each in versions if each.version == number),
            other=other,
            others=[each for each in numbers if each != number],
            lines=document_lines(old, found.new.document),
            proposing=self.needs_approval(visit),
        )

    def roll_back(self, visit: Visit) -> Response:
        """Put an earlier version in force again, or propose it."""
        name = visit.place(self.place)
        to, seen = read_number(visit.form["to"]), read_number(visit.form["base"])
        if to is None or seen is None:
            raise visit.refuse("", "versions.choose")
        if self.needs_approval(visit):
            change = RollBackRules if self.kind is RULE_SETS else RollBackPipeline
            return propose(visit, change(name, to, seen))
        back, base = VersionReturn(to), Precondition(seen)
        account_id = visit.account_id
        configurations.roll_back(visit.session, account_id, self.kind, name, back, seen=base)
        path = visit.url(f"{self.subject}-history", None, **{self.place: name})
        return visit.redirect_to(path, "versions.rolled_back")


def applied_notice(done: VersionApplied) -> Notice:
    """What is said after a document was applied."""
    if not done.changed:
        return Notice("versions.unchanged", kind="hint")
    return Notice("versions.applied", {"version": done.version})


def document_lines(old: str, new: str) -> list[DiffLine]:
    """Two documents line by line, with a few unchanged lines around each change."""
    found: list[DiffLine] = []
    before, after = old.splitlines(), new.splitlines()
    for number, line in enumerate(difflib.unified_diff(before, after, n=3, lineterm="")):
        # The first two lines name files.
        if number < 2:
            continue
        if len(found) == _MOST_LINES:
            found.append(DiffLine("@", "…"))
            break
        found.append(DiffLine(line[:1], "…" if line.startswith("@") else line[1:]))
    return found


def flaws_of(error: Exception) -> list[Flaw]:
    """What is wrong in a document, each with its line; the first line for what has none."""
    if isinstance(error, DocumentRefused):
        return list(error.flaws)
    return [Flaw("", 1, 1, line) for line in each_line(said_by(error))]


def base_of(visit: Visit) -> int | None:
    """The version that the author of a draft has seen: the newer one, if that was ticked."""
    sent = visit.chosen("base")
    return read_number(sent[-1]) if sent else None
