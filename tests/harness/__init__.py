"""What tests drive the service with: a home of its own, the real command, the real server."""

from tests.harness.calls import idverify, pipeline, precheck, rules, sentry
from tests.harness.commands import GATEHOUSE, Done
from tests.harness.home import Home, make_account, sandbox_key
from tests.harness.samples import AMELIA, BODY, BROWSER, CARD, FINGERPRINTS, PURCHASE, VISIT
from tests.harness.server import Server, free_port
from tests.harness.waiting import PATIENCE_S, until

__all__ = [
    "AMELIA",
    "BODY",
    "BROWSER",
    "CARD",
    "FINGERPRINTS",
    "GATEHOUSE",
    "PATIENCE_S",
    "PURCHASE",
    "VISIT",
    "Done",
    "Home",
    "Server",
    "free_port",
    "idverify",
    "make_account",
    "pipeline",
    "precheck",
    "rules",
    "sandbox_key",
    "sentry",
    "until",
]
