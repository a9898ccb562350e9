"""`make bench`: prints the figures of docs/performance/speed.md; bars are ratios within a run."""

import argparse
import contextlib
import os
import platform
import statistics
import sys
import tempfile
from pathlib import Path

from tests.tracing.receiver import receiving

from scripts.bench import (
    backtesting,
    beside_console,
    connectors,
    console_pages,
    figures,
    hot,
    idle,
    instructions,
    judging,
    overload,
    ringing,
    searching,
    stage,
    webhooks,
)
from scripts.bench.client import pace, percentile_ms
from scripts.bench.remembering import measure_apart
from scripts.bench.request_loop import SUBJECTS as LOOPED
from scripts.bench.rounds import MISSED, Round, alternate, medians, sync_ms, verdict
from scripts.bench.servers import Server, bare_server, first_answer_s, gatehouse_server, make_shop
from scripts.bench.sharing import sharing_shop
from scripts.bench.subjects import SUBJECTS, FeedbackSubject
from scripts.bench.versions import comparing

_MOST_GIGABYTES = 0.9
"""For a million entities that Sentry remembers."""
_MOST_RING_MEGABYTES = 150
"""For the rings of as many."""
_MOST_RING_US = 20


def compare_with_bare(subject: FeedbackSubject, folder: Path, options: argparse.Namespace) -> None:
    """An operation, durable and billed, beside the bare endpoint."""
    shop = subject.shop(folder / f"{subject.key}-speed")
    ours, bare = subject.requests(shop.key), subject.requests(shop.key, "/")
    with gatehouse_server(shop) as server, bare_server() as yardstick:
        rounds, bare_rounds = alternate(options, (server, ours), (yardstick, bare))
        alone = Round(server, ours, options.seconds, 1).load
        top_rate = medians(rounds)[0]
        steady = pace(
            server.port,
            ours,
            connections=options.connections,
            rate=top_rate / 2,
            seconds=options.seconds * 2,
        )
    if steady.failures:
        raise SystemExit(f"{steady.failures} of {steady.requests} requests failed")
    (rate, cpu), (bare_rate, bare_cpu) = medians(rounds), medians(bare_rounds)
    print(
        f"{subject.name} on SQLite (FULL), {options.connections} connections, "
        f"{options.rounds} rounds of {options.seconds:g} s, medians"
    )
    print(f"  bare endpoint   {bare_rate:8.0f} requests/s  {bare_cpu:6.1f} us CPU")
    print(
        f"  {subject.key:<15} {rate:8.0f} requests/s  {cpu:6.1f} us CPU   "
        f"p50 {rounds[0].load.percentile_ms(0.5):.1f} ms  "
        f"p99 {rounds[0].load.percentile_ms(0.99):.1f} ms"
    )
    share, times = rate / bare_rate, cpu / bare_cpu
    print(verdict("share of the bare endpoint's rate", share, subject.least_share, at_least=True))
    print(verdict("times its CPU per request", times, subject.most_times, at_least=False))
    print(f"One request at a time (disk syncs in {sync_ms(folder):.2f} ms)")
    print(verdict("p50 in ms", alone.percentile_ms(0.5), subject.most_p50_ms, at_least=False))
    print(f"At half of its top rate ({steady.rate:.0f} requests/s)")
    p50, p99 = steady.percentile_ms(0.5), steady.percentile_ms(0.99)
    if subject.most_p99_ms is None:
        print(f"  p50 {p50:.1f} ms  p99 {p99:.1f} ms")
    else:
        print(verdict(f"p99 in ms (p50 {p50:.1f})", p99, subject.most_p99_ms, at_least=False))


def compare_empty_with_full(
    subject: FeedbackSubject, folder: Path, options: argparse.Namespace
) -> None:
    """The same requests with none of the records that grow and with a million of them."""
    empty = subject.shop(folder / f"{subject.key}-empty")
    full = subject.shop(folder / f"{subject.key}-full")
    subject.grow(full, options.records)
    small_load, large_load = subject.requests(empty.key), subject.requests(full.key)
    with gatehouse_server(empty) as small, gatehouse_server(full) as large:
        rounds = alternate(options, (small, small_load), (large, large_load))
    (small_rate, small_cpu), (large_rate, large_cpu) = medians(rounds[0]), medians(rounds[1])
    print(f"{subject.name} with {options.records:,} more {subject.kind} beside none")
    print(f"  none            {small_rate:8.0f} requests/s  {small_cpu:6.1f} us CPU")
    print(f"  {options.records:<15,} {large_rate:8.0f} requests/s  {large_cpu:6.1f} us CPU")
    print(verdict("times the CPU per request", large_cpu / small_cpu, 1.15, at_least=False))
    print(verdict("share of the rate", large_rate / small_rate, 0.85, at_least=True))


def compare_shared_with_embedded(folder: Path, options: argparse.Namespace) -> None:
    """Sentry on PostgreSQL and Valkey beside Sentry alone on its machine."""
    [subject] = [each for each in SUBJECTS if each.key == "sentry"]
    shop = subject.shop(folder / "sentry-embedded")
    with (
        sharing_shop(subject, folder / "sentry-shared") as shared_shop,
        gatehouse_server(shop) as embedded,
        gatehouse_server(shared_shop) as shared,
    ):
        requests, ours = subject.requests(shop.key), subject.requests(shared_shop.key)
        rounds = alternate(options, (embedded, requests), (shared, ours))
        alone = Round(shared, ours, options.seconds, 1).load
    (rate, cpu), (shared_rate, shared_cpu) = medians(rounds[0]), medians(rounds[1])
    print("Sentry on PostgreSQL (waits for the disk) and Valkey beside Sentry embedded")
    print(f"  embedded        {rate:8.0f} requests/s  {cpu:6.1f} us CPU")
    print(f"  shared          {shared_rate:8.0f} requests/s  {shared_cpu:6.1f} us CPU")
    print(verdict("times the CPU of the server", shared_cpu / cpu, 1.6, at_least=False))
    print(f"One request at a time (disk syncs in {sync_ms(folder):.2f} ms)")
    print(verdict("p50 in ms", alone.percentile_ms(0.5), 4, at_least=False))


def compare_connectors(folder: Path, options: argparse.Namespace) -> None:
    """PreCheck through connectors beside PreCheck through the sandbox's issuer."""
    [subject] = [each for each in SUBJECTS if each.key == "precheck"]
    with contextlib.ExitStack() as stack:
        shops = {"sandbox": subject.shop(folder / "precheck-sandbox")}
        for kind in connectors.MOST_TIMES:
            shop = connectors.connected_shop(folder / f"precheck-{kind}", kind)
            shops[kind] = stack.enter_context(shop)
        sides = [
            (stack.enter_context(gatehouse_server(shop)), subject.requests(shop.key))
            for shop in shops.values()
        ]
        found = dict(zip(shops, map(medians, alternate(options, *sides)), strict=True))
    print(f"PreCheck through connectors, {options.connections} connections, medians")
    for kind, (rate, cpu) in found.items():
        print(f"  {kind:<15} {rate:8.0f} requests/s  {cpu:6.1f} us CPU")
    for kind, most in connectors.MOST_TIMES.items():
        times = found[kind][1] / found["sandbox"][1]
        print(verdict(f"times the CPU of the server, {kind}", times, most, at_least=False))
    hold_many_in_flight(subject, folder)


def hold_many_in_flight(subject: FeedbackSubject, folder: Path) -> None:
    """Many requests that wait for a slow host at the same time, on few connections."""
    slow, home = connectors.slow_host_options(), folder / "precheck-slow"
    with (
        connectors.connected_shop(home, "iso8583", *slow) as shop,
        gatehouse_server(shop) as server,
    ):
        load, most = connectors.drive_in_flight(server.port, subject.requests(shop.key))
    print(
        f"ISO 8583, {connectors.CONNECTIONS} connections, a slow host: {load.requests} answered, "
        f"{load.failures} failed, p50 {load.percentile_ms(0.5):.0f} ms"
    )
    print(verdict("requests in flight", most, connectors.IN_FLIGHT, at_least=True))


def compare_with_traces(folder: Path, options: argparse.Namespace) -> None:
    """PreCheck without traces, with a trace of every request, and with one of a hundredth."""
    [subject] = [each for each in SUBJECTS if each.key == "precheck"]
    with receiving() as collector, contextlib.ExitStack() as stack:
        to = {"GATEHOUSE_TRACES_URL": collector.url}
        few = {"OTEL_TRACES_SAMPLER": "parentbased_traceidratio", "OTEL_TRACES_SAMPLER_ARG": "0.01"}
        shops = {
            name: subject.shop(folder / f"traces-{name}", **settings)
            for name, settings in (("none", {}), ("every", to), ("hundredth", to | few))
        }
        sides = [
            (stack.enter_context(gatehouse_server(shop)), subject.requests(shop.key))
            for shop in shops.values()
        ]
        found = dict(zip(shops, map(medians, alternate(options, *sides)), strict=True))
    print("PreCheck with OpenTelemetry traces of no, every and a hundredth of the requests")
    for name, (rate, cpu) in found.items():
        print(f"  {name:<15} {rate:8.0f} requests/s  {cpu:6.1f} us CPU")


def _paced_cpu_us(server: Server, requests: list[bytes], options: argparse.Namespace) -> float:
    """Processor time of a request at a low rate; to accept connections is no part of it."""
    at_first: list[float] = []
    load = pace(
        server.port,
        requests,
        connections=options.connections,
        rate=webhooks.RATE,
        seconds=options.seconds,
        begins=lambda: at_first.append(server.cpu_s()),
    )
    return (server.cpu_at_rest_s() - at_first[0]) / load.requests * 1_000_000


def compare_with_webhook(folder: Path, options: argparse.Namespace) -> None:
    """PreCheck with a webhook beside PreCheck without, at a rate that both keep up with."""
    [subject] = [each for each in SUBJECTS if each.key == "precheck"]
    shops = [subject.shop(folder / f"webhooks-{name}") for name in ("without", "with")]
    with (
        webhooks.receiver() as port,
        gatehouse_server(shops[0]) as without,
        gatehouse_server(shops[1]) as told,
    ):
        webhooks.subscribe(shops[1], port)
        found: list[list[float]] = [[], []]
        for turn in range(options.rounds + 1):
            for side, server in enumerate((without, told)):
                spent = _paced_cpu_us(server, subject.requests(shops[side].key), options)
                if turn:
                    found[side].append(spent)
    cpu, with_cpu = (statistics.median(each) for each in found)
    print(f"PreCheck with a webhook that is told of every decision, {webhooks.RATE:.0f} requests/s")
    print(f"  without         {cpu:6.1f} us CPU")
    print(f"  with            {with_cpu:6.1f} us CPU")
    name = "PreCheck with one webhook, times that without"
    print(verdict(name, with_cpu / cpu, webhooks.BAR, at_least=False))
    feel_webhooks(folder, options)


def feel_webhooks(folder: Path, options: argparse.Namespace) -> None:
    """The p99 of requests while three failing webhooks are told of every one of them."""
    rounds = webhooks.feel(folder, options.rounds, options.seconds)
    print(
        f"PreCheck, {webhooks.FAILING_RATE:.0f} requests/s, without webhooks and with "
        f"{webhooks.FAILING} that refuse two fifths, medians"
    )
    p99 = []
    for name, found in zip(("without", "with"), rounds, strict=True):
        middle = webhooks.ToldRound(*map(statistics.median, zip(*found, strict=True)))
        p99.append(middle.p99_ms)
        print(
            f"  {name:<15} p50 {middle.p50_ms:.1f} ms  p99 {middle.p99_ms:.1f} ms   processors: "
            f"server {middle.server:.3f}, beside {middle.beside:.3f}   "
            f"{middle.messages:.0f} messages/s"
        )
    print(verdict("times the p99", p99[1] / p99[0], webhooks.P99_BAR, at_least=False))


def send_too_much(folder: Path, options: argparse.Namespace) -> None:
    """What becomes of requests when there are twice as many as can be answered."""
    rounds = overload.measure(folder, options.rounds, options.connections, options.seconds)
    print(f"PreCheck at {overload.TIMES} times what a server can answer; the ledger is right")
    for found in rounds:
        full, beyond = found.full, found.beyond
        refused = beyond.refused_s
        print(
            f"  full            {full.rate:8.0f} answered/s  p50 {full.percentile_ms(0.5):.1f} ms  "
            f"p99 {full.percentile_ms(0.99):.1f} ms"
        )
        print(
            f"  beyond          {found.answered_per_s:8.0f} answered/s  "
            f"p50 {beyond.percentile_ms(0.5):.1f} ms  p99 {beyond.percentile_ms(0.99):.1f} ms: "
            f"{found.times_the_p99:.2f} times"
        )
        print(
            f"  refused         {len(refused) / beyond.seconds:8.0f} refused/s   "
            f"p50 {percentile_ms(refused, 0.5):.1f} ms  p99 {percentile_ms(refused, 0.99):.1f} ms  "
            f"about {found.refused_cpu_us:.0f} us CPU ({found.full_cpu_us:.0f} us for an answer)"
        )
    slower = statistics.median([each.times_the_p99 for each in rounds])
    print(verdict("times the p99, median", slower, overload.SLOWER_BAR, at_least=False))
    by_cpu = statistics.median([each.share_by_cpu for each in rounds])
    print(f"  share of what it can answer with as much CPU   {by_cpu:8.3f}")
    share = statistics.median([each.share for each in rounds])
    print(verdict("share of what it can answer", share, overload.SHARE_BAR, at_least=True))


def compare_hot_account(folder: Path, options: argparse.Namespace) -> None:
    """Two servers on one account beside the same two on an account each, and a lone request."""
    [subject] = [each for each in SUBJECTS if each.key == "precheck"]
    plan = options.rounds, options.seconds, options.connections
    one, two = hot.rates(subject, folder, *plan)
    print("PreCheck by two servers on PostgreSQL, on a disk that syncs 2 ms slower")
    print(f"  one account     {statistics.median(one):8.0f} requests/s")
    print(f"  two accounts    {statistics.median(two):8.0f} requests/s")
    share = statistics.median([each / other for each, other in zip(one, two, strict=True)])
    print(verdict("share of the rate on two accounts", share, hot.LEAST_SHARE, at_least=True))
    slower = f"{hot.SLOW_MS} and {hot.SLOWEST_MS} ms slower"
    print(f"One request at a time, on disks that sync {slower} than in {sync_ms(folder):.2f} ms")
    for lone in hot.lone_requests(subject, folder, options.seconds):
        name = f"syncs on {lone.database} ({lone.slow_ms:.2f}, {lone.slowest_ms:.2f} ms)"
        print(verdict(name, lone.syncs, hot.MOST_SYNCS, at_least=False))


def weigh_idle_servers(folder: Path, options: argparse.Namespace) -> None:
    """What servers take that nobody asks anything."""
    for found in idle.measure(folder, 20.0 if options.quick else idle.SECONDS):
        print(f"{found.servers} idle with console on {found.database}, of a processor, with memory")
        for name, processors in found.by_command.items():
            print(f"  {name:<15} {processors:8.4f}   {found.megabytes.get(name, 0):.0f} MB")
        if found.transactions is not None:
            print(f"  transactions    {found.transactions:8.1f} a second")
        print(verdict("processors, together", found.processors, idle.BAR, at_least=False))


def time_the_start(folder: Path, _options: argparse.Namespace) -> None:
    """How soon a server serves."""
    shop = make_shop(folder / "start")
    times = [first_answer_s(shop) for _ in range(7)]
    print(f"From the start of the process to the first answer, {len(times)} times, median")
    print(verdict("seconds", statistics.median(times), 2, at_least=False))


def weigh_memory(entities: int) -> None:
    """How much memory it takes to remember."""
    found = measure_apart(entities)
    print(
        f"Sentry's memory, {found.entities:,} entities of {found.events:,} events, "
        f"{found.note_us:.0f} us to note one"
    )
    bar = _MOST_GIGABYTES * entities / 1_000_000
    print(verdict("gigabytes", found.gigabytes, bar, at_least=False))
    rings = ringing.measure_apart(entities)
    print(f"Rings of {rings.entities:,} entities in two generations, {rings.new_us:.0f} us for new")
    bar = _MOST_RING_MEGABYTES * entities / 1_000_000
    print(verdict("megabytes", rings.megabytes, bar, at_least=False))
    print(verdict("us for known ones", rings.known_us, _MOST_RING_US, at_least=False))


def time_the_stage() -> None:
    """How much of a Sentry request is the stage itself."""
    found = stage.measure()
    print("Sentry's stage alone, us CPU of a request")
    print(f"  {found.shipped_us:.0f} with the shipped scorecard")
    print(f"  {found.learned_us:.0f} with every earlier visit labelled and a scorecard of its own")
    print(f"  {found.outcomes_us:.0f} with scores of four outcomes besides")


def time_the_rules() -> None:
    """How long judging takes: one live request, and a million recorded ones."""
    print("Judging one live request by rules of the starter kind")
    for rules, bar in judging.BARS_US.items():
        found = judging.measure(rules)
        print(verdict(f"us for {rules} rules", found.judge_us, bar, at_least=False))
        print(f"  {found.compile_ms:.0f} ms to make them ready")


def time_the_backtest(requests: int) -> None:
    """How long a rule set takes over recorded requests."""
    found = backtesting.measure(requests)
    print(
        f"Backtest of {found.rules} rules over {found.requests:,} recorded requests, "
        f"{found.gigabytes:.2f} GB at most"
    )
    part = requests / 1_000_000
    bar = backtesting.LOAD_BAR_S * part
    print(verdict("seconds to load them out of SQLite", found.load_s, bar, at_least=False))
    bar = backtesting.BAR_S * part
    print(verdict("seconds to judge them", found.judge_s, bar, at_least=False))


def time_the_search(decisions: int) -> None:
    """How long a page of a search takes with few decisions and with many."""
    for database, found in searching.measure(decisions):
        print(f"A page on {database}, {searching.FEW:,} decisions beside {decisions:,}, ms")
        for each in found:
            name = f"{each.kind} ({each.few_ms:.2f}, {each.many_ms:.2f})"
            print(verdict(name, each.ratio, searching.BAR, at_least=False))


def count_instructions(operation: str | None) -> None:
    """What a request takes without HTTP and database, on a machine that may be busy."""
    print("Thousands of instructions of a request in a loop")
    for name in LOOPED:
        if operation in (None, name):
            thousands = instructions.measure(name)
            print(f"  {name:<15} {'no valgrind' if thousands is None else f'{thousands:8.0f}'}")


def _time_the_rest(options: argparse.Namespace) -> None:
    """What needs no server."""
    everything = options.only is None and options.operation is None
    if options.only == "rules" or everything:
        time_the_rules()
    if options.only == "backtest" or everything:
        time_the_backtest(options.records)
    if options.only == "search" or everything:
        time_the_search(options.records)
    if options.only == "figures" or everything:
        figures.measure(options.records)
    if options.only == "instructions":
        count_instructions(options.operation)
    if options.only == "console":
        console_pages.measure(options.records, options.home)
    if options.only == "beside":
        asked = beside_console.BesideOptions(options.rounds, options.seconds * 2)
        beside_console.measure(options.records, options.home, asked)


def main() -> None:
    """Run the measurements that were asked for; the exit code is 1 when a bar is not met."""
    parser = argparse.ArgumentParser(prog="make bench", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="short rounds, 100,000 records")
    parser.add_argument(
        "--only",
        choices=(
            *("speed", "growth", "shared", "memory", "start", "stage", "rules", "backtest"),
            *("search", "connectors", "webhooks", "figures", "console", "beside", "overload"),
            *("hot", "traces", "versions", "idle", "instructions"),
        ),
        help="one measurement alone",
    )
    keys = [subject.key for subject in SUBJECTS]
    parser.add_argument("--operation", choices=keys, help="one operation alone")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--connections", type=int, default=64)
    parser.add_argument("--records", type=int, default=1_000_000)
    parser.add_argument(
        "--home", type=Path, help="of console and beside: where the decisions are kept"
    )
    parser.add_argument(
        "--beside", metavar="REF", help="of versions: a tag, a commit or a wheel; the newest tag"
    )
    options = parser.parse_args()
    if options.quick:
        options.rounds, options.seconds, options.records = 3, 2, 100_000
    print(f"Python {platform.python_version()} on {platform.machine()}, {os.cpu_count()} cores")
    with tempfile.TemporaryDirectory(prefix="gatehouse-bench-") as folder:
        for subject in SUBJECTS:
            if options.operation not in (None, subject.key):
                continue
            if options.only in (None, "speed"):
                compare_with_bare(subject, Path(folder), options)
            if options.only in (None, "growth") and subject.kind is not None:
                compare_empty_with_full(subject, Path(folder), options)
        for name, measure in (
            ("shared", compare_shared_with_embedded),
            ("connectors", compare_connectors),
            ("webhooks", compare_with_webhook),
            ("overload", send_too_much),
            ("hot", compare_hot_account),
            ("traces", compare_with_traces),
            ("idle", weigh_idle_servers),
            ("start", time_the_start),
        ):
            if options.only == name or (options.only is None and options.operation is None):
                measure(Path(folder), options)
        if options.only in (None, "versions"):
            comparing.measure(Path(folder), options)
    _time_the_rest(options)
    if options.only in (None, "stage") and options.operation in (None, "sentry"):
        time_the_stage()
    if options.only in (None, "memory") and options.operation in (None, "sentry"):
        weigh_memory(options.records)
    if MISSED:
        sys.exit(f"not met: {'; '.join(MISSED)}")


if __name__ == "__main__":
    main()
