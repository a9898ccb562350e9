"""What the operations of the API are called in our clients, and so in samples.

One list for both languages: `manage.rules.apply` is `manage.rules.apply` in each, and
`reviews.resolve_many` is `reviews.resolveMany` in TypeScript.
"""

import keyword
import re
from typing import Final

_NAMES: Final = {
    "precheck": "precheck",
    "idverify": "id_verify",
    "sentry": "sentry",
    "rules": "rules",
    "pipeline": "pipeline",
    "listPipelines": "pipelines",
    "getBalance": "balance",
    "getStatement": "statement",
    "listDecisions": "decisions.list",
    "getDecision": "decisions.get",
    "searchDecisions": "decisions.search",
    "listReviews": "reviews.list",
    "getReview": "reviews.get",
    "searchReviews": "reviews.search",
    "resolveReview": "reviews.resolve",
    "resolveReviews": "reviews.resolve_many",
    "assignReview": "reviews.assign",
    "noteReview": "reviews.note",
    "correctReview": "reviews.correct",
    "reopenReview": "reviews.reopen",
    "giveFeedback": "feedback.give",
    "getFeedback": "feedback.get",
    "listEvents": "events.list",
    "getEvent": "events.get",
    "tryRuleSet": "manage.rules.try_out",
    "startBacktest": "manage.rules.backtest",
    "searchEntries": "manage.lists.search_entries",
    "removeEntries": "manage.lists.remove_entries",
    "importFeedback": "manage.feedback.import_many",
    "importIdentities": "manage.identities.import_many",
    "erasePerson": "manage.privacy.erase",
    "startTraining": "manage.models.train",
}
"""Every operation outside of management has its name here; the others are called by their paths."""


def method_name(operation: str, path: str) -> str:
    """Where the method of an operation is found, from the client on, as Python writes it."""
    if operation in _NAMES:
        return _NAMES[operation]
    parts = path.removeprefix("/api/v1/").split("/")
    words = [re.sub(r"\W", "_", one) for one in parts if not one.startswith("{")]
    group = words[: 2 if words[0] == "manage" else 1]
    verb = re.match("[a-z]+", operation)
    rest = words[len(group) :]
    last = verb[0] if verb else operation
    if rest and rest[-1].startswith(last):
        last = "_".join(rest)
    elif rest:
        last = "_".join([last, *rest])
    return ".".join([*group, last])


def is_listing(method: str) -> bool:
    """Whether a method gives one thing after another, page by page."""
    return method.rpartition(".")[2].startswith(("list", "search"))


def snake(name: str) -> str:
    """A field's name as Python writes it."""
    if name.isupper():
        return name.lower()
    spaced = re.sub(r"(?<=[a-z0-9])([A-Z])|(?<=[A-Z])([A-Z])(?=[a-z])", r"_\1\2", name)
    plain = re.sub(r"\W", "_", spaced).lower()
    return plain + "_" if keyword.iskeyword(plain) else plain


def each_name(method: str) -> str:
    """The method of Python that goes through all pages of another one."""
    own = {"list": "each", "search": "each_found"}
    plural = method.removeprefix("list_").removeprefix("search_")
    single = plural[:-3] + "y" if plural.endswith("ies") else plural.removesuffix("s")
    return own.get(method, f"each_{single}")
