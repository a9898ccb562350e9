"""The guides in docs/ as pages of the server."""

import asyncio
import re
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

import httpx
import msgspec
import pytest

from gatehouse.api.context import Reply, RequestContext
from gatehouse.api.docs.guides import GuidePages
from gatehouse.api.docs.markup import CONTENT_POLICY
from gatehouse.api.docs.search_index import IndexedSection
from gatehouse.api.openapi.manage import is_managing
from gatehouse.api.problems import CODES, Problem
from gatehouse.connectors.sandbox.triggers import all_triggers
from tests.harness import Server
from tests.web.test_openapi import DOCUMENT
from tests.web.test_reference import NASTY, Reader

pytestmark = pytest.mark.documentation
TEXT = f"""# Title & more

Begin with [the second](sub/second.md#deep), not with [a program](../setup.py).
<!-- generated: nothing -->

| Name | Size |
| --- | ---: |
| `a` | 1 |

## Chapter

{NASTY} [click](javascript:alert(1)) <http://example.com/>

```text
# no heading
<b>
```

## Chapter
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "docs" / "sub").mkdir(parents=True)
    (tmp_path / "docs" / "README.md").write_text(
        "# All\n\n[One](api.md), [two](sub/second.md), [one](api.md)\n"
    )
    (tmp_path / "docs" / "api.md").write_text(TEXT)
    (tmp_path / "docs" / "sub" / "second.md").write_text(
        "# Second\n\n### Deep\n\n[Up](../api.md)\n"
    )
    (tmp_path / "secret.md").write_text("# Secret\n")
    return tmp_path


def ask(pages: GuidePages, name: str) -> Reply:
    async def nothing() -> Any:
        raise AssertionError("a guide reads no body")

    scope = {"headers": [], "path_params": {"name": name}}
    return asyncio.run(pages.answer(RequestContext(scope, "req_1"), nothing))


def test_every_link_of_the_guides_leads_to_a_page_and_a_heading_that_exist(
    shared: Server, client: httpx.Client
) -> None:
    waiting, read = ["/docs"], dict[str, Reader]()
    wanted: set[tuple[str, str]] = set()
    while waiting:
        at = waiting.pop()
        answer = client.get(at)
        assert answer.status_code == 200, at
        assert answer.headers["content-security-policy"] == CONTENT_POLICY
        page = read[at] = Reader(answer.text)
        assert page.open == []
        assert len(page.all("id")) == len({*page.all("id")})
        assert page.all("style") == page.all("src") == []
        for link in page.all("href"):
            address, _, anchor = urljoin(at, link).partition("#")
            if address.startswith("/"):
                wanted.add((address, anchor))
                if address not in read and address not in waiting:
                    waiting.append(address)
    assert len(read) > 40
    assert [one for one in wanted if one[1] and one[1] not in read[one[0]].all("id")] == []


def test_every_operation_leads_to_its_chapter(shared: Server, client: httpx.Client) -> None:
    for page, guide, managing in (
        ("/docs", r"api#[\w-]+", False),
        ("/docs/manage", "manage", True),
    ):
        paths = [item for path, item in DOCUMENT["paths"].items() if is_managing(path) is managing]
        leading = rf'<p><a href="/docs/guides/{guide}">Guide: '
        assert len(re.findall(leading, client.get(page).text)) == sum(map(len, paths))


@pytest.mark.parametrize(
    "name",
    [
        "nothing",
        "../README",
        "..%2F..%2Fpyproject",
        "%2e%2e/%2e%2e/etc/passwd",
        "api.md",
        "a\\b",
    ],
)
def test_nothing_but_the_guides_is_served(client: httpx.Client, name: str) -> None:
    answer = client.get(f"/docs/guides/{name}")
    assert (answer.status_code, answer.json()["errors"]["code"]) == (404, "not_found")


BROWSER = {"accept": "text/html,application/xhtml+xml,*/*;q=0.8"}


@pytest.mark.parametrize("path", ["/nonexist", "/docs/x", "/docs/guides/x", "/favicon.ico"])
def test_a_browser_is_shown_a_page_where_there_is_none(client: httpx.Client, path: str) -> None:
    shown = client.get(path, headers=BROWSER)
    assert (shown.status_code, shown.headers["content-type"]) == (404, "text/html; charset=utf-8")
    assert shown.headers["content-security-policy"] == CONTENT_POLICY
    read = Reader(shown.text)
    assert read.open == []
    assert "There is no page at this address." in read.text
    assert shown.headers["x-request-id"] in read.text
    assert {"/docs", "/docs/guides/README"} <= {*read.all("href")}
    wrong = client.post("/docs", headers=BROWSER)
    assert (wrong.status_code, "GET" in wrong.headers["allow"]) == (405, True)
    assert "This method is not allowed here." in Reader(wrong.text).text
    for address, headers in ((path, {}), (f"/api/v1{path}", BROWSER)):
        assert client.get(address, headers=headers).json()["errors"]["code"] == "not_found"


@pytest.mark.parametrize("path", ["/docs", "/docs/manage", "/docs/guides/api", "/docs/guides"])
def test_a_slash_too_many_leads_to_the_page(client: httpx.Client, path: str) -> None:
    answer = client.get(f"{path}/")
    assert (answer.status_code, answer.headers["location"]) == (307, path)
    assert client.get(f"{path}/", follow_redirects=True).status_code == 200
    assert client.get("/docs//evil.test//").headers["location"] == "/docs//evil.test"


def test_the_changelog_is_among_the_guides(client: httpx.Client) -> None:
    for page in ("/docs", "/docs/guides/api"):
        assert "/docs/guides/CHANGELOG" in Reader(client.get(page).text).all("href")
    assert "Unreleased" in client.get("/docs/guides/CHANGELOG").text


@pytest.mark.parametrize("name", ["../secret", "secret", "docs/api", "/etc/passwd", "api\0"])
def test_a_name_that_is_no_guide_reads_no_file(root: Path, name: str) -> None:
    with pytest.raises(Problem):
        ask(GuidePages(root), name)


def test_a_guide_is_rendered_with_its_chapters_tables_and_code(root: Path) -> None:
    text = ask(GuidePages(root), "api").body.decode()
    read = Reader(text)
    assert {"title--more", "chapter", "chapter-1"} <= {*read.all("id")}
    assert {"/docs/guides/sub/second#deep", "#chapter", "http://example.com/"} <= {
        *read.all("href")
    }
    assert "not with a program." in read.text
    assert read.cells == [["Name", "Size"], ["a", "1"]]
    assert read.blocks == ["# no heading\n<b>"]
    assert "generated" not in read.text


def test_drawings_stand_in_the_page_and_photographs_are_told_in_words(root: Path) -> None:
    (root / "docs" / "diagrams").mkdir()
    (root / "docs" / "diagrams" / "way.svg").write_text("<svg><title>Way</title></svg>")
    (root / "elsewhere.svg").write_text("<svg></svg>")
    shown = "![A](diagrams/way.svg)\n![B](diagrams/gone.svg)\n![C](../elsewhere.svg)\n![D](x.png)"
    (root / "docs" / "api.md").write_text(f"# Title\n\n{shown}\n")
    page = ask(GuidePages(root), "api").body.decode()
    assert page.count("<svg>") == page.count("<title>Way</title>") == 1
    assert re.findall("<em>(.)</em>", page) == ["B", "C", "D"]


def test_markup_in_a_guide_stays_text(root: Path) -> None:
    text = ask(GuidePages(root), "api").body.decode()
    assert text.count("<script") == 1
    assert 'href="javascript' not in text
    assert NASTY in Reader(text).text


def test_an_installation_without_guides_shows_none() -> None:
    pages = GuidePages(None)
    assert pages.titles == {}
    with pytest.raises(Problem):
        ask(pages, "api")


def test_the_search_covers_all_guides_error_codes_and_test_cards(client: httpx.Client) -> None:
    answer = client.get("/docs/search.json")
    sections = msgspec.json.decode(answer.content, type=list[IndexedSection])
    of_page: dict[str, str] = {}
    for each in sections:
        address = each.address.partition("#")[0]
        of_page[address] = f"{of_page.get(address, '')} {each.title} {each.text}"
    linked = Reader(client.get("/docs").text).all("href")
    guides = {each for each in linked if each.startswith("/docs/guides/") and "#" not in each}
    assert {*of_page} == guides | {"/docs", "/docs/manage"}
    assert not [code for code in CODES if code not in of_page["/docs/guides/errors"]]
    cards = [row.value for row in all_triggers() if row.field == "cardNumber"]
    assert len(cards) > 5
    assert not [card for card in cards if card not in of_page["/docs/guides/sandbox"]]
    assert "POST /api/v1/precheck" in of_page["/docs"]
    again = client.get("/docs/search.json", headers={"if-none-match": answer.headers["etag"]})
    assert again.status_code == 304


def test_every_place_in_the_index_exists(client: httpx.Client) -> None:
    sections = msgspec.json.decode(client.get("/docs/search.json").content)
    pages = {address.partition("#")[0] for address, *_ in sections}
    anchors = {page: {*Reader(client.get(page).text).all("id")} for page in pages}
    wrong = [at for at, *_ in sections if at.partition("#")[2] not in anchors[at.partition("#")[0]]]
    assert wrong == []


def test_the_index_has_texts_as_people_read_them(root: Path) -> None:
    found = [
        each for each in GuidePages(root).sections() if each.address.startswith("/docs/guides/api")
    ]
    assert [each.address.partition("#")[2] for each in found] == [
        *("title--more", "chapter", "chapter-1"),
    ]
    first, second, _ = found
    assert first.text == "Title & more Begin with the second, not with a program. Name Size a 1"
    assert NASTY in second.text
    assert "no heading <b>" in second.text
