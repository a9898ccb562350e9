"""One run: load, faults, restarts, and then everything that must hold."""

import json
import signal
import threading
from collections import Counter
from pathlib import Path
from typing import Final, NamedTuple

from scripts.connector_faults.ground import CONNECTIONS, LIMIT_MS, Ground, prepare
from scripts.connector_faults.load import Answered, drive
from scripts.connector_faults.operating import operate_all
from scripts.connector_faults.processes import Commands, Host, Server, running_hosts, wait_for
from scripts.connector_faults.proof import late_answers, payment_problems, read_hosts

GRACE_MS: Final = 100.0
_MOST_GROWTH_MB: Final = 40.0
_WAITING: Final = ("OPEN", "REVERSE")
_MEMORY: Final = "process_resident_memory_bytes"
_FILES: Final = "process_open_fds"
_OVER_ISO8583: Final = ("iso-first", "iso-second")
_CONNECTIONS: Final = 'gatehouse_connector_connections{{connector="{}"}}'


class Plan(NamedTuple):
    """How much is done."""

    requests: int = 20_000
    restarts: int = 10
    rate: float = 250.0
    warm_up: int = 1_000
    """Requests before memory is measured for the first time."""


class Report(NamedTuple):
    """What a run found."""

    problems: list[str]
    """What must hold and does not."""
    late: list[str]
    """Requests over which the server took too long; on a busy machine it may be the machine."""
    facts: list[str]


def run(plan: Plan, folder: Path, base: dict[str, str], commands: Commands) -> Report:
    """Do a whole run in a folder; `base` is the environment of its processes."""
    with running_hosts(folder, commands) as hosts:
        ground = prepare(folder, hosts, base, commands)
        server = Server(ground.environ, folder, commands)
        try:
            first = drive(server.port, ground.keys, requests=plan.warm_up, rate=plan.rate)
            before = _settled(server)
            memory: list[float] = []
            answered = _under_faults(plan, server, (ground, hosts[0]), memory)
            for host in hosts:
                host.behave()
            wait_for(lambda: not _in_doubt(ground, commands), "the last reversal")
            after = _settled(server)
        finally:
            code = server.stop()
        operated = operate_all(ground, hosts, commands, answered)
        answered += first
        found = _judge(folder, (ground, commands), [host.journal for host in hosts], answered)
    found.problems.extend(operated.problems)
    found.facts.extend(operated.facts)
    if code:
        found.problems.append(f"the server ended with code {code}")
    found.problems.extend(_left_over(before, after))
    durations_ms = server.durations_ms()
    late = late_answers(answered, durations_ms, GRACE_MS)
    found.facts.extend(_times(answered, durations_ms))
    found.facts.extend(_growth(before, after, memory))
    return found._replace(late=late)


def _under_faults(
    plan: Plan, server: Server, at: tuple[Ground, Host], memory: list[float]
) -> list[Answered]:
    """The load, while a host is ended and started again; every other time without a warning."""
    ground, host = at
    sent = 0
    is_over = threading.Event()

    def progress(number: int) -> None:
        nonlocal sent
        sent = number

    def restart() -> None:
        for turn in range(plan.restarts):
            due = plan.requests * (turn + 1) // (plan.restarts + 1)
            while sent < due and not is_over.wait(0.02):
                pass
            host.stop(signal.SIGKILL if turn % 2 else signal.SIGTERM)
            host.start()
            memory.append(server.figures()[_MEMORY])

    restarting = threading.Thread(target=restart)
    restarting.start()
    try:
        return drive(
            server.port, ground.keys, requests=plan.requests, rate=plan.rate, progress=progress
        )
    finally:
        is_over.set()
        restarting.join()


def _in_doubt(ground: Ground, commands: Commands) -> bool:
    """Whether any payment is still to be settled or reversed."""
    return any(
        commands.run(["gateway", "list", "--state", state], ground.environ) for state in _WAITING
    )


def _settled(server: Server) -> dict[str, float]:
    """The figures of a server that has nothing to do, with all its connections."""
    busy = ("gatehouse_requests_in_flight ", "gatehouse_connector_in_flight{")

    def is_idle() -> bool:
        figures = server.figures()
        lines = [value for name, value in figures.items() if f"{name} ".startswith(busy)]
        links = [figures[_CONNECTIONS.format(name)] for name in _OVER_ISO8583]
        return not any(lines) and links == [CONNECTIONS] * len(links)

    wait_for(is_idle, "an idle server with all connections")
    return server.figures()


def _judge(
    folder: Path, by: tuple[Ground, Commands], journals: list[Path], answered: list[Answered]
) -> Report:
    ground, commands = by
    hosts, faults = read_hosts(journals)
    records, stage_ms = _records(folder, ground, commands)
    statuses = Counter(each.status for each in answered)
    problems = [f"{number} answers with status {s}" for s, number in statuses.items() if s != 200]
    problems += payment_problems(answered, hosts, records)
    verified = commands.run(["ledger", "verify"], ground.environ)
    problems += [f"ledger: {problem}" for problem in verified["problems"]]
    failed = commands.run(["gateway", "list", "--state", "FAILED"], ground.environ)
    problems += [f"{each['requestId']}: could not be reversed" for each in failed]
    reversed_ = commands.run(
        ["gateway", "list", "--state", "REVERSED", "--limit", "10000"], ground.environ
    )
    payments = Counter(str(each.payment) for each in answered if each.is_payment)
    standing = sum(each.approved - each.reversed for each in hosts.values())
    refused = sum(each.refused > 0 for each in answered)
    facts = [
        f"{len(answered)} requests; stages completed of {_shares(answered)}",
        f"refused first by a server that was too busy: {refused}",
        f"messages at the hosts: {dict(sorted(faults.items()))}",
        f"payments as the API answered them: {dict(sorted(payments.items()))}",
        f"payments in doubt, all reversed: {len(reversed_)}; that stand at the hosts: {standing}",
        f"stages, ms by our records: {_spread(stage_ms)} (limit {LIMIT_MS})",
    ]
    return Report(problems, [], facts)


def _records(
    folder: Path, ground: Ground, commands: Commands
) -> tuple[dict[str, str | None], list[float]]:
    """What our records say about payments, by the id of the request; the time of all stages."""
    found: dict[str, str | None] = {}
    stage_ms: list[float] = []
    for number, account in enumerate(ground.accounts.values()):
        out = folder / f"records-{number}"
        words = ["decisions", "export", "--format", "jsonl", "--out", str(out)]
        commands.run([*words, "--account", account], ground.environ)
        for file in out.rglob("*.jsonl"):
            for line in file.read_bytes().splitlines():
                record = json.loads(line)
                paid = [s["result"]["status"] for s in record["stages"] if s["name"] == "Gateway"]
                found[record["requestId"]] = paid[0] if paid else None
                stage_ms += [s["durationMicroseconds"] / 1000 for s in record["stages"]]
    return found, stage_ms


def _left_over(before: dict[str, float], after: dict[str, float]) -> list[str]:
    """What a run may not leave behind in the server."""
    problems = []
    grown = (after[_MEMORY] - before[_MEMORY]) / 1e6
    if grown > _MOST_GROWTH_MB:
        problems.append(f"memory grew by {grown:.0f} MB")
    # Connections over HTTP are kept while they are idle, or not.
    opened = after[_FILES] - before[_FILES]
    if opened > 2 * CONNECTIONS:
        problems.append(f"{opened:.0f} more files are open")
    return problems


def _shares(answered: list[Answered]) -> str:
    ways: dict[str, list[bool]] = {}
    for each in answered:
        ways.setdefault(each.way, []).append(each.completed)
    return ", ".join(f"{way}: {sum(all_) / len(all_):.1%}" for way, all_ in ways.items())


def _times(answered: list[Answered], durations_ms: dict[str, float]) -> list[str]:
    lines = []
    for kind, is_payment in (("PreCheck", False), ("pipeline", True)):
        chosen = [each for each in answered if each.is_payment is is_payment]
        by_server = [durations_ms.get(each.request_id, 0.0) for each in chosen]
        limit = f"(limit {chosen[0].limit_ms} + {GRACE_MS:.0f})"
        lines.append(f"{kind}, ms as the server counts: {_spread(by_server)} {limit}")
        by_client = [each.client_ms for each in chosen]
        lines.append(f"{kind}, ms as the client counts: {_spread(by_client)} {limit}")
    return lines


def _spread(times_ms: list[float]) -> str:
    ordered = sorted(times_ms)
    p50, p99 = (ordered[int(len(ordered) * share)] for share in (0.5, 0.99))
    return f"p50 {p50:.1f}, p99 {p99:.0f}, longest {ordered[-1]:.0f}"


def _growth(before: dict[str, float], after: dict[str, float], between: list[float]) -> list[str]:
    memory = [f"{each / 1e6:.0f}" for each in (before[_MEMORY], *between, after[_MEMORY])]
    return [
        f"memory before, after each restart and at the end, MB: {' '.join(memory)}",
        f"open files and sockets: {before[_FILES]:.0f} before, {after[_FILES]:.0f} after",
    ]
