"""The samples of the reference run as they stand: every operation, in every language."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

import httpx
import pytest

from gatehouse.admin.reviews import ReviewFinding, resolve_review
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.web.samples import LANGUAGES, SampleCall, as_curl, as_javascript, as_python
from tests.harness import PATIENCE_S, Server
from tests.store.reviewing import open_review
from tests.web.merchant import Merchant
from tests.web.test_openapi import DOCUMENT
from tests.web.test_reference import Reader

NODE: Final = shutil.which("node")
RUN: Final = {
    "curl": ["bash", "-euc"],
    "Python": [sys.executable, "-I", "-c"],
    "JavaScript": [NODE or "node", "--input-type=module", "-e"],
}
OPERATIONS: Final = [
    described["operationId"]
    for path, item in DOCUMENT["paths"].items()
    # The operations of management are on a page of their own.
    if not path.startswith("/api/v1/manage")
    for described in item.values()
]
TRICKY: Final[dict[str, Any]] = {
    "text": 'it\'s "quoted" \\ `ticks` {braces} $lower ü\n',
    "values": [True, False, None, 1, -2.5, [], {}, {"deep": ["x"]}],
}
languages = pytest.mark.parametrize(
    "language",
    [
        pytest.param(
            one,
            marks=pytest.mark.skipif(
                one == "JavaScript" and NODE is None, reason="NODE IS MISSING: no sample was run"
            ),
        )
        for one in LANGUAGES
    ],
)


def run(language: str, text: str, folder: Path | None = None, **variables: str) -> str:
    """What a sample prints."""
    done = subprocess.run(
        [*RUN[language], text],
        cwd=folder,
        env={"PATH": os.environ["PATH"], **variables},
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    assert done.returncode == 0, done.stderr
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
def shown(shared: Server) -> dict[str, dict[str, str]]:
    return samples(httpx.get(f"{shared.base}/docs", timeout=PATIENCE_S).text)


def test_every_operation_has_a_sample_in_every_language(shown: dict[str, dict[str, str]]) -> None:
    assert [*shown] == OPERATIONS
    assert all([*texts] == [*LANGUAGES] for texts in shown.values())


# Each runs all samples in a folder and says first which one; the name ends with the request's id.
ONE_BY_ONE: Final = {
    "curl": """
for each in *.txt; do
  echo "== $each"
  name=${each%.txt}
  REQUEST_ID=${name#*.}
  source "./$each"
done
""",
    "Python": """
import os, pathlib
for each in sorted(pathlib.Path().glob("*.txt")):
    print("==", each)
    os.environ["REQUEST_ID"] = each.stem.split(".")[1]
    exec(compile(each.read_text(), str(each), "exec"), {"__name__": "__main__"})
""",
    "JavaScript": """
import { readdirSync } from "node:fs";
for (const each of readdirSync(".").filter((name) => name.endsWith(".mjs"))) {
  console.log("==", each);
  process.env.REQUEST_ID = each.split(".")[1];
  await import(`${process.cwd()}/${each}`);
}
""",
}


@languages
def test_the_samples_of_the_reference_run_as_they_stand(
    shared: Server,
    shown: dict[str, dict[str, str]],
    session: AdminSession,
    merchant: Merchant,
    language: str,
    tmp_path: Path,
) -> None:
    ending = "mjs" if language == "JavaScript" else "txt"
    for operation, texts in shown.items():
        request = open_review(session, merchant.account)
        if operation == "correctReview":
            resolve_review(session, merchant.account, request, ReviewFinding(False, "stolen"))
        (tmp_path / f"{operation}.{request}.{ending}").write_text(texts[language])
    headers = {"X-API-KEY": merchant.key}
    found = httpx.get(f"{shared.base}/api/v1/events", headers=headers, timeout=PATIENCE_S).json()
    event = found["eventsResponse"]["events"][0]["id"]
    printed = run(language, ONE_BY_ONE[language], tmp_path, API_KEY=merchant.key, EVENT_ID=event)
    answers = [part.partition(".") for part in printed.split("== ")[1:]]
    assert sorted(operation for operation, _, _ in answers) == sorted(OPERATIONS)
    for operation, _, answer in answers:
        assert re.search(r"""isSuccess['"]?: ?(True|true)\b""", answer), (operation, answer)


class _Sent:
    """Looks at what a sample sends, without a server."""

    @staticmethod
    def python(call: SampleCall) -> Any:
        text = as_python(call).replace(
            "with urlopen(request, timeout=30) as answer:\n    print(json.load(answer))",
            "print(json.dumps([request.full_url, dict(request.header_items()),"
            " request.data.decode()]))",
        )
        return json.loads(run("Python", text, API_KEY="k", ORDER_ID="o-1"))

    @staticmethod
    def javascript(call: SampleCall) -> Any:
        text = as_javascript(call).replace("await fetch(", "sent(").replace(
            "await answer.json()", "JSON.stringify(answer)"
        )  # fmt: skip
        stand_in = "const sent = (url, given) => [url, given.headers, given.body];\n"
        return json.loads(run("JavaScript", stand_in + text, API_KEY="k", ORDER_ID="o-1"))

    @staticmethod
    def curl(call: SampleCall) -> Any:
        stand_in = "curl() { printf '%s\\0' \"$@\"; }\n"
        words = run("curl", stand_in + as_curl(call), API_KEY="k", ORDER_ID="o-1").split("\0")
        pairs = [words[at + 1].split(": ", 1) for at, word in enumerate(words) if word == "-H"]
        return [words[2], dict(pairs), words[words.index("-d") + 1]]


@languages
def test_a_sample_sends_exactly_what_the_example_says(language: str) -> None:
    call = SampleCall(
        "post",
        "https://pay.example/{id}/$ORDER_ID?a=b%20c",
        {"X-key": "$API_KEY", "X-mixed": "Bearer {$API_KEY}", "X-plain": "text"},
        {**TRICKY, "orderId": "$ORDER_ID"},
    )
    address, headers, body = getattr(_Sent, language.lower())(call)
    assert address == "https://pay.example/{id}/o-1?a=b%20c"
    assert headers == {"X-key": "k", "X-mixed": "Bearer {k}", "X-plain": "text"}
    assert json.loads(body) == {**TRICKY, "orderId": "o-1"}
