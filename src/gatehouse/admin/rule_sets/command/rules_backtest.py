"""gatehouse rules backtest: what a rule set would have done to what was recorded."""

from typing import TYPE_CHECKING, Annotated, Any, Literal

import msgspec

from gatehouse.admin.configurations.command import read_document
from gatehouse.admin.opening import open_account
from gatehouse.cli.arguments import AccountOption, AsJson, argument, option
from gatehouse.cli.output import money, show, shown_amount, table, warn
from gatehouse.cli.progress import Progress
from gatehouse.cli.spans import Since, Until, read_span
from gatehouse.core.clock import iso_time
from gatehouse.core.errors import InvalidInput
from gatehouse.core.wording.sentences import plain

if TYPE_CHECKING:
    from gatehouse.admin.rule_sets.use_cases.rule_backtest import Amounts, BacktestReport

Engine = Literal["duckdb", "spark"]
_MONEY = ("caught", "lost", "amounts", "fraudLost", "goodTurnedAway", "cost")


def backtest(  # noqa: PLR0913, PLR0917  # each option is one property of a backtest
    file: Annotated[str, argument("FILE", "The rule set as YAML; - for stdin.")],
    since: Since = "30d",
    until: Until = None,
    account: AccountOption = None,
    lists_now: Annotated[
        bool, option("Use the lists as they are now, not as they were then.", "--lists-now")
    ] = False,
    examples: Annotated[int, option("Requests to name for each change.", min=0, max=100)] = 5,
    archive: Annotated[
        str | None,
        option("Read an archive instead of the database.", metavar="DIR|s3://BUCKET/PREFIX"),
    ] = None,
    engine: Annotated[Engine | None, option("What reads the archive. Default: duckdb.")] = None,
    spark_master: Annotated[
        str | None, option("Master of Spark. Default: local[*].", metavar="URL")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Try a rule set on recorded requests: what it would have decided, caught and cost.

    Every request is judged by what was known when it came. Nothing is changed. An archive is made
    by: gatehouse decisions archive
    """
    from gatehouse.admin.rule_sets.use_cases import rule_backtest
    from gatehouse.rules.authoring import read_rule_set

    if archive is None and (engine or spark_master):
        raise InvalidInput("--engine and --spark-master are about an archive; name --archive")
    rule_set = read_rule_set(read_document(file))
    session, account_id = open_account(account)
    span = read_span(account_id, since, until, session.clock())
    options = rule_backtest.BacktestOptions(lists_now=lists_now, examples=examples)
    if archive is not None:
        from gatehouse.admin.archive.use_cases import archive_backtest

        source = archive_backtest.archive_source(archive, engine, spark_master)
        report = archive_backtest.backtest_archive(session, rule_set, span, options, source)
    else:
        with Progress("reading records", None) as progress:
            reached = progress.reached_record
            report = rule_backtest.backtest(session, rule_set, span, options, reached)
    warn(report.warnings)
    show(_data(report), _text(report), as_json)


def _data(report: "BacktestReport") -> dict[str, Any]:
    """The report for scripts, with one sum of money for each currency."""
    data = {
        **msgspec.to_builtins(report, enc_hook=plain),
        "since": iso_time(report.since_ms),
        "until": iso_time(report.until_ms),
    }
    del data["sinceMs"], data["untilMs"]
    judged = (data["before"], data["after"], *data["presets"])
    for part in (*judged, *data["rules"], *data["changes"]):
        for kind in _MONEY:
            if kind in part:
                sums = sorted(part[kind].items())
                part[kind] = [money(total, currency or None) for currency, total in sums]
    return data


def _text(report: "BacktestReport") -> str:
    others = report.skipped
    head = (
        f"rule set {report.rule_set}, {report.records:,} requests from "
        f"{iso_time(report.since_ms)} to {iso_time(report.until_ms)}"
        + (f" ({others:,} other records keep no signals)" if others else "")
        + (f" ({report.unreadable:,} records cannot be read)" if report.unreadable else "")
    )
    legitimate = report.labelled - report.labelled_fraud
    labels = (
        f"{report.labelled:,} of them are labelled: {report.labelled_fraud:,} fraud, "
        f"{legitimate:,} legitimate"
        if report.labelled
        else "none of them is labelled, so nothing can be said about what is caught; "
        "see: gatehouse feedback --help"
    )
    parts = [f"{head}\n{labels}", _rules(report), _outcomes(report), _changes(report)]
    if report.presets:
        parts.append(_presets(report))
    if report.examples:
        parts.append(_examples(report))
    return "\n\n".join(parts)


def _rules(report: "BacktestReport") -> str:
    rows = [
        (
            rule.name,
            rule.outcome + (", final" if rule.final else "") + (", shadow" if rule.shadow else ""),
            f"{rule.matches:,}",
            f"{rule.matches / report.records:.2%}",
            f"{rule.decisive:,}",
            _share(rule.precision),
            _share(rule.recall),
            _money(rule.caught),
            _money(rule.lost),
        )
        for rule in report.rules
    ]
    headings = ("RULE", "OUTCOME", "MATCHES", "SHARE", "DECISIVE", "PRECISION", "RECALL")
    return table((*headings, "FRAUD CAUGHT", "LEGITIMATE HIT"), rows)


def _outcomes(report: "BacktestReport") -> str:
    both = (report.before, report.after)
    names = dict.fromkeys(("ACCEPT", "REVIEW", "DECLINE", *report.before.outcomes))
    rows = [(name, *(f"{one.outcomes.get(name, 0):,}" for one in both)) for name in names]
    rows += [
        ("precision", *(_share(one.precision) for one in both)),
        ("recall", *(_share(one.recall) for one in both)),
        ("fraud caught", *(_money(one.caught) for one in both)),
        ("legitimate hit", *(_money(one.lost) for one in both)),
    ]
    return table(("DECIDED", "THEN", "WITH THIS SET"), rows)


def _changes(report: "BacktestReport") -> str:
    rows = [
        (change.before, change.after, f"{change.records:,}", _money(change.amounts))
        for change in report.changes
        if change.before != change.after
    ]
    if not rows:
        return "no request would be decided differently"
    return table(("THEN", "WITH THIS SET", "REQUESTS", "AMOUNT"), rows)


def _presets(report: "BacktestReport") -> str:
    rows = [
        (
            each.preset,
            *(f"{each.outcomes.get(name, 0):,}" for name in ("ACCEPT", "REVIEW", "DECLINE")),
            _money(each.fraud_lost),
            _money(each.good_turned_away),
            _money(each.cost),
        )
        for each in report.presets
    ]
    headings = ("BY EXPECTED COST", "ACCEPT", "REVIEW", "DECLINE")
    return table((*headings, "FRAUD LOST", "GOOD TURNED AWAY", "COST"), rows)


def _examples(report: "BacktestReport") -> str:
    rows = [
        (one.request_id, one.before, one.after, ", ".join(one.matched) or "-")
        for one in report.examples
    ]
    return table(("REQUEST", "THEN", "WITH THIS SET", "MATCHING RULES"), rows)


def _share(value: float | None) -> str:
    return "-" if value is None else f"{value:.1%}"


def _money(amounts: "Amounts") -> str:
    """Amounts by currency, each of them exact."""
    sums = sorted(
        (name or "of no currency", shown_amount(sum_, name)) for name, sum_ in amounts.items()
    )
    return " + ".join(f"{shown} {name}" for name, shown in sums) or "-"
