"""Why the client of HTTP is ours: what httpcore does where money is at stake (decision 0026).

A test that fails here says that httpcore has changed, and that the decision can be looked at again.
"""

import asyncio
import ssl

import httpcore

from tests.connectors.http.certificates import Authority
from tests.connectors.http.party import Heard, Party, Reply, serving


async def _bodies(pool: httpcore.AsyncConnectionPool, party: Party, *paths: str) -> list[bytes]:
    """The answers to one request after the other."""
    async with pool:
        return [
            (await pool.request("POST", party.url + path, content=b"{}")).content for path in paths
        ]


def test_httpcore_takes_a_second_answer_for_the_answer_to_the_next_request() -> None:
    twice = b'HTTP/1.1 200 OK\r\nContent-Length: 13\r\n\r\n{"code":"00"}' * 2

    def answer(heard: Heard) -> Reply:
        return Reply(raw=twice) if heard.path == "/first" else Reply({"code": "05"})

    async def run() -> list[bytes]:
        async with serving(answer, None) as party:
            return await _bodies(httpcore.AsyncConnectionPool(), party, "/first", "/second")

    # The second payment is declined, and would be approved by the first one's answer.
    assert asyncio.run(run()) == [b'{"code":"00"}', b'{"code":"00"}']


def test_httpcore_sends_a_request_again_by_itself(
    http2_context: ssl.SSLContext, authority: Authority
) -> None:
    async def run() -> list[str]:
        farewells = [Reply(is_farewell=True)]

        def answer(heard: Heard) -> Reply:
            return farewells.pop() if heard.path == "/pay" and farewells else Reply({})

        trusted = ssl.create_default_context(cafile=str(authority.ca_file))
        async with serving(answer, http2_context) as party:
            pool = httpcore.AsyncConnectionPool(trusted, http2=True)
            await _bodies(pool, party, "/check", "/pay")
            return [heard.path for heard in party.heard]

    assert asyncio.run(run()) == ["/check", "/pay", "/pay"]
