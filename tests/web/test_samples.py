"""The samples of the reference run as they stand: every operation, in every language."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import httpx
import msgspec
import pytest
from scripts.reference.sample_values import NamedObject
from scripts.reference.samples import LANGUAGES, SampleCall, as_curl, as_python, as_typescript

from gatehouse.access.keys import MANAGE, MANAGE_SCOPES, all_scopes
from gatehouse.admin.reviews.use_cases.reviews import ReviewFinding, resolve_review
from gatehouse.core.ids import derived_id
from gatehouse.store.admin.admin_session import AdminSession
from tests.admin.alerts.kept import keep_alert
from tests.admin.recorded import Recorder
from tests.clients.typescript_build import built_client, needs_npm
from tests.console.disputed import keep_dispute, keep_proof
from tests.harness import PATIENCE_S, Home, Server
from tests.store.reviewing import open_review
from tests.web.merchant import Merchant
from tests.web.test_openapi import DOCUMENT
from tests.web.test_reference import Reader

pytestmark = pytest.mark.documentation
NODE: Final = shutil.which("node")
RUN: Final = {
    "curl": ["bash", "-euc"],
    "Python": [sys.executable, "-I", "-c"],
    "TypeScript": [NODE or "node", "--input-type=module", "-e"],
}
PAGES: Final = ("/docs", "/docs/manage")
OPERATIONS: Final = [
    described["operationId"] for item in DOCUMENT["paths"].values() for described in item.values()
]
REFUSED: Final = {
    "rollBackModel": "conflict",
    **dict.fromkeys(("getModel", "exportModel"), "not_found"),
    "importModel": "invalid_request",
    **dict.fromkeys(("promoteModel", "tryModel", "getModelTrial"), "not_found"),
    **dict.fromkeys(("getFraudRates", "measureFraudRates"), "conflict"),
    "getReport": "not_found",
    **dict.fromkeys(("shadowModel", "getModelShadow"), "not_found"),
    "stopShadowModel": "conflict",
    **dict.fromkeys(("startExperiment", "getExperiment"), "not_found"),
    **dict.fromkeys(("getExperimentResult", "endExperiment"), "not_found"),
    "changeRole": "conflict",
    **dict.fromkeys(("getBillingDetails", "getInvoice", "getInvoiceUbl"), "not_found"),
    **dict.fromkeys(("getPayment", "capturePayment", "voidPayment"), "not_found"),
    **dict.fromkeys(("refundPayment", "settlePaymentOperation"), "not_found"),
    **dict.fromkeys(("getNotification", "applyNotification"), "not_found"),
    "getTopUp": "not_found",
    **dict.fromkeys(("createTopUp", "setAutoTopUp", "deleteStoredCard"), "conflict"),
}
"""No model was trained, no report made, no experiment begun, nothing paid or invoiced, no connector
shows payment pages or stores cards, the account asks for no advice on authentication, and the
sample that makes a role took the name.
"""
TRICKY: Final[dict[str, Any]] = {
    "text": 'it\'s "quoted" \\ `ticks` {braces} $lower ü\n',
    "lines": "one\n  two: `x` ${y}\nthree\n",
    "values": [True, False, None, 1, -2.5, [], {}, {"deep": ["x"], "two words": 1}],
}
OF_NODE: Final = [pytest.mark.node, needs_npm]
languages = pytest.mark.parametrize(
    "language", [pytest.param(one, marks=OF_NODE if one == "TypeScript" else ()) for one in RUN]
)


def run(language: str, text: str, folder: Path | None = None, **variables: str) -> str:
    """What a sample prints."""
    done = subprocess.run(
        [*RUN[language], text],
        cwd=folder,
        env={"PATH": os.environ["PATH"], **variables},
        capture_output=True,
        text=True,
        timeout=2 * PATIENCE_S,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr
    return done.stdout


def samples(page: str) -> dict[str, dict[str, str]]:
    """The samples of the page by operation and language."""
    found: dict[str, dict[str, str]] = {}
    for part in page.split('<section id="op-')[1:]:
        pieces = re.findall(
            r'<details class="sample".*?<summary>(\w+)</summary>(.*?)</details>', part, re.DOTALL
        )
        texts = {language: Reader(html).blocks[0] for language, html in pieces}
        found[part.partition('"')[0]] = texts
    return found


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server that leaves jobs to others: samples begin many of them."""
    home = Home(tmp_path_factory.mktemp("samples") / "home").migrated()
    with home.server(GATEHOUSE_JOBS_AT_ONCE="0") as server:
        yield server


@pytest.fixture(scope="module")
def shown(shared: Server) -> dict[str, dict[str, str]]:
    pages = (httpx.get(shared.base + page, timeout=PATIENCE_S).text for page in PAGES)
    return {name: texts for page in pages for name, texts in samples(page).items()}


@pytest.fixture
def merchant(session: AdminSession) -> Merchant:
    """An account whose key may do everything."""
    scopes = (one for one in all_scopes() if one == MANAGE or one not in MANAGE_SCOPES)
    return Merchant(session, *scopes)


def test_every_operation_has_a_sample_in_every_language(shown: dict[str, dict[str, str]]) -> None:
    assert sorted(shown) == sorted(OPERATIONS)
    assert all([*texts] == [*LANGUAGES] for texts in shown.values())


class Ground:
    """What there must be so that each sample finds what it speaks of."""

    def __init__(self, client: httpx.Client, session: AdminSession, account: str) -> None:
        self._client, self._session, self._account = client, session, account
        for number in (1, 2):
            self._put("rules/checkout", "rule_set: checkout\nrules:\n  - name: large-order\n"
                      f"    condition: order.amount > {number}\n    outcome: REVIEW\n")  # fmt: skip
            self._put("pipelines/40", f"pipeline: 40\nname: n{number}\nstages:\n"
                      "  - stage: Sentry\n")  # fmt: skip
        self._ask("POST", "/api/v1/manage/lists", name="blocked", kind="users")
        self._event = self._ask("GET", "/api/v1/events")["events"][0]["id"]

    def _put(self, path: str, document: str) -> None:
        self._ask("PUT", f"/api/v1/manage/{path}", document=document)

    def _ask(self, method: str, path: str, **body: Any) -> Any:
        headers = {"If-Match": "*"} if body.get("document", "").find("2") > 0 else {}
        answer = self._client.request(method, path, json=body or None, headers=headers)
        [field] = [name for name in answer.json() if name.endswith("Response")]
        assert answer.json()["isSuccess"], answer.text
        return answer.json()[field]

    def variables(self, operation: str) -> dict[str, str]:
        """Things of its own for one operation."""
        manage = "/api/v1/manage"
        request = open_review(self._session, self._account)
        if operation == "correctReview":
            found = ReviewFinding(False, "stolen")
            resolve_review(self._session, self._account, request, found)
        own = {"REQUEST_ID": request, "EVENT_ID": self._event, "ETAG": '"2"', "MONTH": "2026-10"}
        if "Webhook" in operation:
            hook = {"url": "http://127.0.0.1:9/in", "events": ["*"]}
            own["WEBHOOK_ID"] = self._ask("POST", f"{manage}/webhooks", **hook)["id"]
        if operation in ("rotateKey", "revokeKey"):
            key = {"name": operation, "scopes": ["precheck"]}
            own["KEY_ID"] = self._ask("POST", f"{manage}/keys", **key)["issued"]["keyId"]
        if operation in ("joinOutcome", "listOutcomeCandidates"):
            known = {"kind": "DISPUTE", "reference": "dp-1001", "at": "2026-11-15T09:30:00Z"}
            self._ask("POST", f"{manage}/outcomes", items=[known])
        if operation == "reopenReview":
            said = {"resolution": "APPROVE", "reason": "known", "reviewer": "amelia"}
            self._ask("POST", f"/api/v1/reviews/{request}", **said)
        if "Bulk" in operation:
            labelled = {"requestIds": [request], "label": "FRAUD"}
            own["BULK_ID"] = self._ask("POST", f"{manage}/bulk/labels", **labelled)["id"]
        if operation.endswith("Alert"):
            alert = derived_id("alr", 1_790_000_000_000, request)
            own["ALERT_ID"] = keep_alert(self._session, self._account, alert)
        if "Dispute" in operation:
            dispute = keep_dispute(self._session, self._account, f"dp-{request}", request)
            own["DISPUTE_ID"] = dispute
            own["FILE_ID"] = keep_proof(self._session, self._account, dispute)
        if "Ring" in operation:
            own["RING_ID"] = derived_id("ring", 1_790_000_000_000, operation)
            Recorder(self._session, self._account, days_ago=1).keep(ring=own["RING_ID"])
        if "Experiment" in operation:
            own["EXPERIMENT_ID"] = derived_id("exp", 1_790_000_000_000, operation)
        if operation.endswith("Role"):
            role = {"name": f"Desk {request[-8:]}", "permissions": ["see"]}
            own["ROLE_ID"] = self._ask("POST", f"{manage}/roles", **role)["roleId"]
        if operation in ("getJob", "cancelJob"):
            rules = self._ask("GET", f"{manage}/rules/checkout")["document"]
            begun = self._ask("POST", f"{manage}/rules/backtests", document=rules)
            own["JOB_ID"] = begun["jobId"]
        return own


# Each runs all samples of a folder in their order, and says first which one.
ONE_BY_ONE: Final = {
    "curl": """
for each in *.txt; do
  printf '\\n== %s\\n' "$each"
  source "./$each"
done
""",
    "Python": """
import pathlib
from gatehouse_client import Conflict, InvalidRequest, NotFound
for each in sorted(pathlib.Path().glob("*.txt")):
    print("==", each)
    try:
        exec(compile(each.read_text(), str(each), "exec"), {"__name__": "__main__"})
    except (Conflict, InvalidRequest, NotFound) as refused:
        print("not done:", refused.code)
""",
    "TypeScript": """
import { readdirSync } from "node:fs";
for (const each of readdirSync(".").filter((name) => name.endsWith(".mjs")).sort()) {
  console.log("==", each);
  try {
    await import(`${process.cwd()}/${each}`);
  } catch (error) {
    if (!["Conflict", "InvalidRequest", "NotFound"].includes(error.name)) throw error;
    console.log("not done:", error.code);
  }
}
""",
}


def given(language: str, variables: dict[str, str]) -> str:
    """A line that sets variables of the environment."""
    if language == "curl":
        return "".join(f"export {name}='{value}'\n" for name, value in variables.items())
    if language == "Python":
        return f"import os; os.environ.update({variables!r})\n"
    return f"Object.assign(process.env, {json.dumps(variables)});\n"


@languages
def test_the_samples_of_the_reference_run_as_they_stand(
    shared: Server,
    shown: dict[str, dict[str, str]],
    session: AdminSession,
    merchant: Merchant,
    language: str,
    tmp_path: Path,
) -> None:
    person = tmp_path / "people.csv"
    person.write_text("cardNumber,firstName,lastName\n4242424242424242,Ann,Archer\n")
    shared.home.ok("identities", "import", str(person), "--account", merchant.account)
    ending = "mjs" if language == "TypeScript" else "txt"
    with shared.client(merchant.key) as client:
        ground = Ground(client, session, merchant.account)
        for number, operation in enumerate(OPERATIONS):
            text = given(language, ground.variables(operation)) + shown[operation][language]
            (tmp_path / f"{number:03}.{operation}.{ending}").write_text(text)
    if language == "TypeScript":
        (tmp_path / "node_modules").mkdir()
        (tmp_path / "node_modules/gatehouse-client").symlink_to(built_client())
    known = {"GATEHOUSE_API_KEY": merchant.key, "GATEHOUSE_URL": shared.base}
    printed = run(language, ONE_BY_ONE[language], tmp_path, **known)
    answers = dict(re.findall(r"^== \d+\.(\w+)\.\w+\n(.*?)(?=^== |\Z)", printed, re.M | re.S))
    assert [*answers] == OPERATIONS
    told = r'not done: (\w+)|"code":"(\w+)","fieldErrors"'
    codes = {name: re.search(told, answer) for name, answer in answers.items()}
    assert {name: code[1] or code[2] for name, code in codes.items() if code} == REFUSED


@pytest.mark.parametrize("language", ["Python", "TypeScript"])
def test_what_is_not_part_of_the_example_takes_five_lines(
    shown: dict[str, dict[str, str]], language: str
) -> None:
    simple = shown["getManagedBalance"][language].splitlines()
    assert len(simple) == 5


class _Sent:
    """Looks at what a sample sends, without a server."""

    @staticmethod
    def python(call: SampleCall) -> Any:
        _, _, asked = as_python(call).partition("answer = ")
        stand_in = """
import json, os
class Models:
    def __getattr__(self, name):
        return lambda **given: {"is": name, **given}
class gatehouse:
    class orders:
        place = lambda *given, **named: print(json.dumps([given, named]))
models = Models()
"""
        text = stand_in + asked.replace("    print(answer.result)", "")
        return json.loads(run("Python", text, ORDER_ID="o-1"))

    @staticmethod
    def typescript(call: SampleCall) -> Any:
        text = as_typescript(call).partition("fromEnv();")[2]
        stand_in = """
const gatehouse = { orders: { place: async (...given) => ({ result: JSON.stringify(given) }) } };
"""
        return json.loads(run("TypeScript", stand_in + text, ORDER_ID="o-1"))

    @staticmethod
    def curl(call: SampleCall) -> Any:
        stand_in = "curl() { printf '%s\\0' \"$@\"; }\n"
        words = run("curl", stand_in + as_curl(call), API_KEY="k", ORDER_ID="o-1").split("\0")
        pairs = [words[at + 1].split(": ", 1) for at, word in enumerate(words) if word == "-H"]
        return [words[2], dict(pairs), words[words.index("-d") + 1]]


def _call(**more: Any) -> SampleCall:
    body = {**TRICKY, "orderId": "$ORDER_ID", "cardAddress": NamedObject("Address", {"zipCode": 1})}
    whole = SampleCall(
        name="orders.place",
        method="post",
        base="https://pay.example",
        path="/{id}/{orderId}",
        path_values={"id": "a-1", "orderId": "x-$ORDER_ID"},
        query={"view": "b c"},
        headers={"X-key": "$API_KEY", "X-mixed": "Bearer {$API_KEY}", "If-Match": "*"},
        body=body,
    )
    return msgspec.structs.replace(whole, **more)


def test_a_sample_for_a_shell_sends_exactly_what_the_example_says() -> None:
    address, headers, body = _Sent.curl(_call())
    assert address == "https://pay.example/a-1/x-o-1?view=b%20c"
    assert headers == {"X-key": "k", "X-mixed": "Bearer {k}", "If-Match": "*"}
    assert json.loads(body) == {**TRICKY, "orderId": "o-1", "cardAddress": {"zipCode": 1}}


def test_a_sample_in_python_calls_the_method_with_what_the_example_says() -> None:
    given, named = _Sent.python(_call())
    assert given == ["a-1", "x-o-1"]
    address = {"is": "Address", "zip_code": 1}
    more = {"order_id": "o-1", "card_address": address, "view": "b c", "if_match": "*"}
    assert named == {**TRICKY, **more}


@pytest.mark.node
@needs_npm
def test_a_sample_in_typescript_calls_the_method_with_what_the_example_says() -> None:
    given = _Sent.typescript(_call())
    body = {**TRICKY, "orderId": "o-1", "cardAddress": {"zipCode": 1}}
    assert given == ["a-1", "x-o-1", body, {"view": "b c", "ifMatch": "*"}]
